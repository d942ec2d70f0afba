//! Creates the store of a test in a folder or, if PostgreSQL is installed, in a database. The same tests run
//! on both.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use gleaner_corpus::Document;
use gleaner_store::objects::{Objects, StorageOptions as ObjectOptions};
use gleaner_store::{
    ArchivePosition, Examiner, Store, StoreOptions, UrlRecord, WorkerParams, Writer, join, open,
};
use gleaner_testkit::postgres::Postgres;
use gleaner_testkit::s3::{Keys, S3Server, serve};
use tempfile::TempDir;

macro_rules! on_each_engine {
    ($($name:ident),* $(,)?) => {
        mod on_sled {
            $(#[test] fn $name() { super::$name(&crate::common::Place::folder()); })*
        }
        mod on_postgres {
            $(#[test] fn $name() {
                if let Some(place) = crate::common::Place::database() { super::$name(&place); }
            })*
        }
    };
}
pub(crate) use on_each_engine;

pub(crate) struct Place {
    folder: TempDir,
    database: Option<(Arc<Postgres>, String)>,
    /// The S3 server with the object storage. `None` if the storage is a folder.
    s3: Option<S3Server>,
}

impl Place {
    pub(crate) fn folder() -> Self {
        Self { folder: TempDir::new().unwrap(), database: None, s3: None }
    }

    pub(crate) fn database() -> Option<Self> {
        let server = Postgres::shared()?;
        let address = server.database();
        Some(Self { folder: TempDir::new().unwrap(), database: Some((server, address)), s3: None })
    }

    /// Returns an empty database with object storage on an S3 server.
    pub(crate) fn database_with_s3() -> Option<Self> {
        let place = Self::database()?;
        let folder = place.folder.path().join("s3");
        std::fs::create_dir(&folder).unwrap();
        let server = serve(&folder, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), Keys::default()).unwrap();
        server.make_bucket("corpus").unwrap();
        Some(Self { s3: Some(server), ..place })
    }

    /// Returns an empty folder or database, of the same kind as this one.
    pub(crate) fn another(&self) -> Self {
        if self.is_database() { Self::database().unwrap() } else { Self::folder() }
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub(crate) fn is_database(&self) -> bool {
        self.database.is_some()
    }

    /// Returns the number of cases to test of a property. A database gets fewer cases, because each case takes
    /// a hundred times as long.
    pub(crate) fn cases(&self, in_a_folder: u32) -> u32 {
        if self.is_database() { in_a_folder.div_ceil(20) } else { in_a_folder }
    }

    pub(crate) fn objects(&self) -> Objects {
        if let Some(server) = &self.s3 {
            let environment = server.environment().into_iter().collect();
            let options = ObjectOptions { environment, ..ObjectOptions::default() };
            return Objects::open("s3://corpus/of/news", options).unwrap();
        }
        let folder = self.folder.path().join("objects");
        Objects::open(folder.to_str().unwrap(), ObjectOptions::default()).unwrap()
    }

    pub(crate) fn server(&self) -> (&Postgres, &str) {
        let (server, address) = self.database.as_ref().unwrap();
        (server, address)
    }

    pub(crate) fn open(&self) -> Writer {
        match &self.database {
            None => open(self.folder.path(), &StoreOptions { cache: 16 << 20, create: true }).unwrap(),
            Some(_) => self.worker("one", Duration::from_secs(30)),
        }
    }

    pub(crate) fn membership(&self, name: &str, lease: Duration) -> WorkerParams {
        WorkerParams {
            address: self.server().1.to_owned(),
            objects: self.objects(),
            name: name.into(),
            lease,
            patience: Duration::from_secs(20),
            should_stop: Arc::new(|| false),
            settings: [("fetch.delay".to_owned(), "5s".to_owned())].into(),
            waits: false,
        }
    }

    /// Joins the database as one of several processes.
    pub(crate) fn worker(&self, name: &str, lease: Duration) -> Writer {
        let writer = join(&self.folder.path().join(name), &self.membership(name, lease)).unwrap();
        // Processes the gained partitions, as a crawl does.
        let told = writer.store().leases().unwrap().gained();
        assert!(!told.is_empty());
        writer
    }

    pub(crate) fn again(&self, mut writer: Writer) -> Writer {
        writer.flush().unwrap();
        drop(writer);
        self.open()
    }
}

pub(crate) fn settle(writer: &mut Writer) {
    loop {
        let mut change = writer.begin();
        let received = change.receive(1_000, writer).unwrap();
        writer.commit(change).unwrap();
        if received.done == 0 {
            return;
        }
    }
}

struct Faults(Vec<String>);

impl Examiner for Faults {
    fn fault(&mut self, what: String) {
        self.0.push(what);
    }
    fn archived(&mut self, _: &UrlRecord, _: ArchivePosition) {}
    fn without_archive(&mut self, _: &Document) {}
}

pub(crate) fn faults(store: &Store) -> Vec<String> {
    let mut faults = Faults(Vec::new());
    store.verify(&mut faults).unwrap();
    faults.0
}
