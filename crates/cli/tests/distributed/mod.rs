//! Runs several workers as real processes on one database and one object storage. They crawl a web of many
//! hosts, whose access log shows their requests.

pub mod cut;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use gleaner_frontier::CanonicalUrl;
use gleaner_store::{Store, StoreError};
use gleaner_testkit::postgres::Postgres;
use gleaner_testkit::{GeneratedPapers, Newspaper, NewspaperOptions, Request};
use tempfile::TempDir;

/// The default web. Each host has its own registrable domain.
pub const PAPERS: GeneratedPapers =
    GeneratedPapers { hosts: 50, articles: 40, listed: 39, wire: 3, redirected: 0 };

pub const LEASE: Duration = Duration::from_secs(3);

/// The delay between requests in most tests.
pub const GAP: Duration = Duration::from_millis(150);

/// A time limit that is longer than any of these crawls.
const LONG: Duration = Duration::from_secs(240);

/// Returns an export without the positions in the archive, which a compaction changes.
pub fn documents(export: &str) -> BTreeSet<String> {
    let without_places = |line: &str| {
        let mut record: serde_json::Value = serde_json::from_str(line).unwrap();
        let fields = record.as_object_mut().unwrap();
        assert!(fields.remove("archive_file").is_some_and(|file| file.is_string()));
        assert!(fields.remove("archive_offset").is_some());
        record.to_string()
    };
    export.lines().map(without_places).collect()
}

/// The web, database and object storage that workers share.
pub struct Cluster {
    pub generated: GeneratedPapers,
    /// The delay between two requests to one host.
    pub gap: Duration,
    pub newspaper: Newspaper,
    pub folder: TempDir,
    pub postgres: Postgres,
    /// The address of the database.
    pub address: String,
    /// The address of the object storage, and the environment variables for access to it.
    pub objects: (String, Vec<(String, String)>),
}

impl Cluster {
    /// Starts a cluster with its object storage in a folder. Returns `None` if PostgreSQL is not installed.
    pub fn new() -> Option<Self> {
        Self::with(&["fsync=off"])
    }

    /// Starts a cluster with these settings of the database server.
    pub fn with(settings: &[&str]) -> Option<Self> {
        Self::with_papers(PAPERS, settings)
    }

    /// Starts a cluster with a different web.
    pub fn with_papers(generated: GeneratedPapers, settings: &[&str]) -> Option<Self> {
        let postgres = Postgres::start(settings)?;
        let address = postgres.database();
        let options =
            NewspaperOptions { generated: Some(generated), faults: false, ..NewspaperOptions::default() };
        let newspaper = Newspaper::start_in_background(options).unwrap();
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("seeds.txt"), generated.seeds().join("\n")).unwrap();
        let objects = (folder.path().join("objects").to_str().unwrap().to_owned(), Vec::new());
        Some(Self { generated, gap: GAP, newspaper, folder, postgres, address, objects })
    }

    /// Returns a `gleaner` command with the settings of this cluster.
    pub fn command(&self, name: &str, arguments: &[&str]) -> Command {
        self.command_by(name, arguments, &self.address)
    }

    /// Like [`Cluster::command`], with a different address of the database.
    pub fn command_by(&self, name: &str, arguments: &[&str], address: &str) -> Command {
        let mut command = self.alone(name, arguments);
        command
            .args(["--store", address, "--objects", &self.objects.0])
            .args(["--set", &format!("workers.lease={}s", LEASE.as_secs())])
            .args(["--set", &format!("workers.name={name}")])
            .envs(self.objects.1.iter().cloned());
        command
    }

    /// Returns a `gleaner` command on a corpus in a folder, with the web of this cluster.
    pub fn alone(&self, name: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command
            .current_dir(self.folder.path())
            .args(arguments)
            .args(["--data", name])
            .args(["--set", &format!("fetch.proxy={}", self.newspaper.proxy())])
            .args(["--set", &format!("fetch.delay={}ms", self.gap.as_millis())])
            .args(["--set", "fetch.retry_backoff=200ms", "--set", "fetch.timeout=5s"])
            .args(["--set", "fetch.contact=test@gleaner.invalid"])
            .args(["--set", "crawl.linger=1s", "--set", "log.level=info"])
            .args(["--set", "store.flush_pages=20", "--set", "store.flush_every=500ms"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        command
    }

    /// Starts a worker that crawls. Its standard error goes to a log file with its name.
    pub fn worker(&self, name: &str) -> Worker<'_> {
        self.worker_by(name, &self.address)
    }

    /// Like [`Cluster::worker`], with a different address of the database.
    pub fn worker_by(&self, name: &str, address: &str) -> Worker<'_> {
        self.begin(name, self.command_by(name, &["crawl", "--seeds", "seeds.txt"], address))
    }

    /// Starts a worker with a different command.
    pub fn worker_that(&self, name: &str, arguments: &[&str]) -> Worker<'_> {
        self.begin(name, self.command(name, arguments))
    }

    pub fn begin(&self, name: &str, mut command: Command) -> Worker<'_> {
        let told = self.folder.path().join(format!("{name}.log"));
        let log = File::create(&told).unwrap();
        let child = command.stderr(log).spawn().unwrap();
        Worker { child, told, name: name.into(), cluster: self }
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command("reader", arguments).stdout(Stdio::piped()).output().unwrap()
    }

    /// Waits until the number of requests reaches this share of the number of pages.
    pub fn wait_for(&self, share: f64) {
        let pages = self.generated.hosts * (self.generated.articles + 3);
        let count = (pages as f64 * share) as usize;
        assert!(self.newspaper.wait_for_requests(count, LONG), "no progress to {count} requests");
    }

    /// Waits 50 milliseconds, because the awaited number of requests is never reached.
    fn pause(&self) {
        let _ = self.newspaper.wait_for_requests(usize::MAX, Duration::from_millis(50));
    }

    /// Waits until no worker counts as running. Killed ones count until their leases end.
    pub fn wait_for_leases(&self) {
        let until = Instant::now() + LONG;
        while !self.store().workers(LEASE).unwrap().is_empty() {
            assert!(Instant::now() < until, "a worker still runs");
            self.pause();
        }
    }

    /// Opens the store for reading, from outside the workers.
    pub fn store(&self) -> Store {
        self.visit().unwrap()
    }

    /// Like [`Cluster::store`], but returns an error, for example if the tables do not exist yet.
    pub fn visit(&self) -> Result<Store, StoreError> {
        let options = gleaner_store::objects::StorageOptions {
            environment: self.objects.1.iter().cloned().collect(),
            ..gleaner_store::objects::StorageOptions::default()
        };
        let objects = gleaner_store::objects::Objects::open(&self.objects.0, options).unwrap();
        gleaner_store::visit(self.folder.path(), &self.address, objects, Duration::from_secs(10))
    }

    /// Checks everything that must be true after a crawl, regardless of the faults during it.
    pub fn check(&self) {
        let store = self.check_documents();
        let run = store.last_run().unwrap().unwrap();
        let counts = store.counts(run.number).unwrap();
        let listings: u64 = counts.iter().map(|(_, counts)| counts.ended("listing")).sum();
        assert_eq!(listings as usize, 2 * self.generated.hosts, "front pages and sitemaps");
        self.check_gaps();
    }

    /// Checks the documents after the last run, which must have ended. Returns the store.
    pub fn check_documents(&self) -> Store {
        let store = self.store();
        let run = store.last_run().unwrap().unwrap();
        assert!(run.ended.is_some(), "the run has ended");
        self.check_documents_of(run.number);
        store
    }

    /// Checks that every text is stored once, and that every page has one outcome in this run.
    pub fn check_documents_of(&self, run: u32) {
        let store = self.store();
        // Every text is stored once with all its URLs, and no page is without a text.
        let mut urls = BTreeMap::new();
        let mut texts = BTreeSet::new();
        for document in store.documents() {
            let document = document.unwrap();
            assert!(texts.insert(document.content_hash.to_string()), "{} is there twice", document.url);
            for url in store.urls_of(&document).unwrap() {
                assert_eq!(urls.insert(url.clone(), document.id), None, "{url} is there twice");
            }
        }
        let expected: BTreeSet<String> = self
            .generated
            .seeds()
            .iter()
            .flat_map(|seed| {
                self.generated
                    .article_paths()
                    .map(move |path| format!("{}{path}", seed.trim_end_matches('/')))
            })
            .collect();
        let found: BTreeSet<String> = urls.into_keys().collect();
        let missing: Vec<_> = expected.difference(&found).collect();
        let surplus: Vec<_> = found.difference(&expected).collect();
        let known =
            |url: &&String| CanonicalUrl::parse(url).ok().and_then(|url| store.url(url.key()).unwrap());
        let missing: Vec<_> = missing.into_iter().map(|url| (url, known(&url))).collect();
        assert!(
            missing.is_empty() && surplus.is_empty(),
            "missing {missing:#?}\nsurplus {surplus:#?}\n{}",
            self.logs()
        );
        assert_eq!(
            texts.len(),
            self.generated.hosts * (self.generated.articles - self.generated.wire) + self.generated.wire
        );
        // Every URL has one outcome, which was counted once.
        let counts = store.counts(run).unwrap();
        let ended = |label: &str| counts.iter().map(|(_, counts)| counts.ended(label)).sum::<u64>();
        let articles = ended("stored") + ended("duplicate") + ended("near_duplicate");
        assert_eq!(articles as usize, self.generated.hosts * self.generated.articles, "{counts:#?}");
        assert!(store.hosts().all(|host| host.unwrap().buffered == 0));
        let verified = self.run(&["verify"]);
        assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
    }

    fn logs(&self) -> String {
        let files = fs::read_dir(self.folder.path()).unwrap().map(|file| file.unwrap().path());
        let logs = files.filter(|file| file.extension().is_some_and(|extension| extension == "log"));
        logs.map(|log| format!("{}:\n{}", log.display(), fs::read_to_string(&log).unwrap())).collect()
    }

    /// Checks that each host got its delay between requests, and never two requests at once.
    pub fn check_gaps(&self) {
        let mut last: BTreeMap<String, Duration> = BTreeMap::new();
        let mut early: BTreeMap<String, Vec<(String, Duration)>> = BTreeMap::new();
        for Request { host, path, time, finished, .. } in self.newspaper.requests() {
            let pause = last.get(&host).map(|last| time.saturating_sub(*last));
            if let Some(pause) = pause.filter(|pause| *pause < self.gap) {
                early.entry(host.clone()).or_default().push((path, pause));
            }
            last.insert(host, finished.unwrap_or(time));
        }
        assert!(early.is_empty(), "asked too early: {early:#?}");
    }
}

/// The process of a worker. Dropping it kills the process.
pub struct Worker<'a> {
    pub child: Child,
    told: PathBuf,
    pub name: String,
    cluster: &'a Cluster,
}

impl Worker<'_> {
    /// Waits until the worker ends with code 0 or 3. Returns its log.
    pub fn ends(mut self) -> String {
        let until = Instant::now() + LONG;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(matches!(status.code(), Some(0 | 3)), "{}: {status}\n{}", self.name, self.says());
                return self.says();
            }
            assert!(Instant::now() < until, "{} does not end\n{}", self.name, self.says());
            self.cluster.pause();
        }
    }

    /// Waits until a condition is true. Fails if the worker ends before.
    pub fn wait_until(&mut self, is_so: impl Fn() -> bool) {
        let until = Instant::now() + LONG;
        while !is_so() {
            let works = self.child.try_wait().unwrap().is_none();
            assert!(works && Instant::now() < until, "the condition did not become true\n{}", self.says());
            self.cluster.pause();
        }
    }

    pub fn says(&self) -> String {
        fs::read_to_string(&self.told).unwrap()
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn signal(&self, signal: &str) {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
