//! Opens a PostgreSQL corpus that several workers share.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gleaner_corpus::ContentHash;
use gleaner_crawl::StopRequest;
use gleaner_crawl::settings::Config;
use gleaner_frontier::{PUBLIC_SUFFIX_LIST, Seed};
use gleaner_store::objects::{Objects, StorageOptions};
use gleaner_store::{Extent, Store, StoreError, WorkerParams, Writer, redacted_address};
use serde::Serialize;
use tracing::{info, warn};

use crate::failure::Failure;
use crate::messages::print_message;
use crate::opening;

/// How long a command that only reads waits for an unreachable database.
const READ_TIMEOUT: Duration = Duration::from_secs(20);

pub(crate) fn is_shared(config: &Config) -> bool {
    config.store.engine != "sled"
}

pub(crate) fn require_local(config: &Config, command: &str) -> Result<(), Failure> {
    if !is_shared(config) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "`gleaner {command}` needs a corpus in a folder; move it from PostgreSQL into a folder with `{}`",
        migrate_command(config)
    )))
}

pub(crate) fn store_address(config: &Config) -> String {
    match is_shared(config) {
        true => redacted_address(&config.store.engine),
        false => config.store.path.clone(),
    }
}

pub(crate) fn store_arguments(config: &Config) -> String {
    match is_shared(config) {
        true => format!(
            "--store {} --objects {}",
            shell_argument(&store_address(config)),
            shell_argument(&config.store.objects)
        ),
        false => format!("--data {}", shell_argument(&store_address(config))),
    }
}

pub(crate) fn migrate_command(config: &Config) -> String {
    let objects = match config.store.objects.as_str() {
        "" => "ADDRESS".into(),
        objects => shell_argument(objects),
    };
    format!(
        "gleaner migrate --from {} --to sled --objects {objects} --data DIR",
        shell_argument(&store_address(config))
    )
}

pub(crate) fn shell_argument(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/:@._-+=,%".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

pub(crate) fn objects(config: &Config, stop: Option<&StopRequest>) -> Result<Objects, Failure> {
    let address = &config.store.objects;
    if address.is_empty() {
        return Err(Failure::Usage(
            "a corpus in PostgreSQL needs object storage for texts and WARC files: set --objects to an address such as s3://bucket/prefix or to a folder that all workers share"
                .into(),
        ));
    }
    let mut options = StorageOptions { patience: config.store.patience.get(), ..StorageOptions::default() };
    match stop.cloned() {
        Some(stop) => options.should_stop = Arc::new(move || stop.is_requested()),
        // Commands that only read do not create the folder.
        None => (options.patience, options.makes_folder) = (READ_TIMEOUT, false),
    }
    Objects::open(address, options).map_err(Failure::work)
}

pub(crate) fn open_for_reading(config: &Config) -> Result<Result<Store, StoreError>, Failure> {
    let objects = objects(config, None)?;
    Ok(gleaner_store::visit(Path::new(&config.store.path), &config.store.engine, objects, READ_TIMEOUT))
}

fn unused_local_store(config: &Config) -> Option<String> {
    let folder = &config.store.path;
    Path::new(folder).join("sled").exists().then(|| {
        format!(
            "gleaner: the corpus in the folder {folder} is not used, since this worker uses the database; \
             `gleaner migrate --from sled --to {}` moves it into an empty database",
            shell_argument(&store_address(config))
        )
    })
}

/// Joins the workers of the corpus. If `waits` is `true`, the worker leases no partitions before
/// [`Writer::work`].
pub(crate) fn join(
    config: &Config,
    shared: SharedSettings,
    waits: bool,
    stop: &StopRequest,
) -> Result<Writer, Failure> {
    unused_local_store(config).iter().for_each(print_message);
    let membership =
        WorkerParams { name: name(config), settings: shared.0, waits, ..membership(config, stop)? };
    let writer = gleaner_store::join(Path::new(&config.store.path), &membership).map_err(Failure::work)?;
    match opening::incomplete_reason(config, &writer.store())? {
        Some(what) => Err(Failure::Work(what)),
        None => {
            opening::name_unfinished_removals(&writer.store())?;
            Ok(writer)
        }
    }
}

/// Merges the files that this worker wrote to object storage. After an error or a kill, the files stay as they
/// are, for `gleaner compact`.
pub(crate) fn compact(store: &Store, extent: Extent) {
    if let Err(error) = store.compact(extent) {
        warn!(%error, "files in object storage were not merged; `gleaner compact` merges them");
    }
}

/// Ends the work of a worker after a crawl or replay. Releases its partitions, so that other workers can lease
/// them, and merges its files. After a stop, merges only the documents: the process may soon be killed, and other
/// programs cannot read documents that are not merged.
pub(crate) fn end_work(store: &Store, is_stopped: bool) {
    if !store.is_shared() {
        return;
    }
    let released = store.writer().and_then(|writer| writer.map_or(Ok(()), |mut writer| writer.rest()));
    if let Err(error) = released {
        warn!(%error, "cannot release this worker's partitions; their leases will expire");
    }
    let extent = if is_stopped { Extent::OwnDocuments } else { Extent::Own };
    info!(?extent, "merging this worker's files in object storage");
    compact(store, extent);
}

/// Returns the membership of a worker. The caller adds the worker's name and the shared settings.
pub(crate) fn membership(config: &Config, stop: &StopRequest) -> Result<WorkerParams, Failure> {
    let should_stop = stop.clone();
    Ok(WorkerParams {
        address: config.store.engine.clone(),
        objects: objects(config, Some(stop))?,
        name: String::new(),
        lease: config.workers.lease.get(),
        patience: config.store.patience.get(),
        should_stop: Arc::new(move || should_stop.is_requested()),
        settings: BTreeMap::new(),
        waits: false,
    })
}

fn name(config: &Config) -> String {
    let machine = || {
        let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
        let named = named.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        format!("{}-{}", named.unwrap_or_else(|| "worker".into()), std::process::id())
    };
    let given = config.workers.name.trim();
    let name = if given.is_empty() { machine() } else { given.to_owned() };
    name.replace(char::is_whitespace, "-")
}

/// Settings that must be the same for all workers, because they affect which URLs are fetched, how often, and
/// how pages are processed. Settings that affect only the load of one worker are excluded.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedSettings(BTreeMap<String, String>);

/// Settings that may differ between workers.
const WORKER_SETTINGS: [&str; 10] = [
    "fetch.proxy",
    "fetch.concurrency",
    "fetch.connect_timeout",
    "crawl.seeds",
    "crawl.max_pages",
    "crawl.max_time",
    "crawl.workers",
    "crawl.progress",
    "template.pins",
    "corpus.index_memory",
];

impl SharedSettings {
    /// `command` is the command that all workers must run.
    pub(crate) fn new(
        config: &Config,
        command: &str,
        seeds: Option<&[Seed]>,
        pins: &str,
    ) -> Result<Self, Failure> {
        let mut shared = BTreeMap::new();
        shared.insert("the command".into(), command.into());
        add(&mut shared, "fetch", &config.fetch)?;
        add(&mut shared, "crawl", &config.crawl)?;
        add(&mut shared, "template", &config.template)?;
        add(&mut shared, "text", &config.text)?;
        add(&mut shared, "corpus", &config.corpus)?;
        let sites = serde_json::to_string(&config.site).map_err(Failure::work)?;
        shared.insert("the settings of sites".into(), digest(&sites));
        shared.insert("archive.keep".into(), config.archive.keep.to_string());
        // The database uses the setting's older name, so that older and newer workers can run together.
        shared.insert("cluster.lease".into(), format!("{:?}", config.workers.lease.get()));
        let mut urls: Vec<&str> = seeds.unwrap_or_default().iter().map(|seed| seed.url.as_str()).collect();
        urls.sort_unstable();
        shared.insert("the list of seeds".into(), digest(&urls.join("\n")));
        shared.insert("the pins".into(), digest(pins));
        // The Public Suffix List determines the site of a host, and the site determines which worker crawls
        // the host.
        shared.insert("the public suffix list".into(), PUBLIC_SUFFIX_LIST.into());
        Ok(Self(shared))
    }
}

impl SharedSettings {
    pub(crate) fn and(mut self, name: &str, of: &str) -> Self {
        self.0.insert(name.into(), digest(of));
        self
    }
}

fn digest(text: &str) -> String {
    ContentHash::from_text(text).to_string().chars().take(12).collect()
}

fn add(shared: &mut BTreeMap<String, String>, section: &str, of: &impl Serialize) -> Result<(), Failure> {
    let value = serde_json::to_value(of).map_err(Failure::work)?;
    for (key, value) in value.as_object().into_iter().flatten() {
        let name = format!("{section}.{key}");
        if !WORKER_SETTINGS.contains(&name.as_str()) {
            shared.insert(name, value.to_string());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_one_worker_are_not_shared() {
        let shared = SharedSettings::new(&Config::default(), "crawl", None, "").unwrap().0;
        assert_eq!(shared["fetch.delay"], "\"5s\"");
        assert_eq!(shared["the public suffix list"], PUBLIC_SUFFIX_LIST);
        for own in WORKER_SETTINGS {
            assert!(!shared.contains_key(own), "{own}");
        }
        assert!(shared.contains_key("corpus.similarity") && shared.contains_key("the list of seeds"));
        let text = "[site.\"a.example\"]\nlanguages = [\"vi\"]\n";
        let origin = gleaner_crawl::settings::ConfigFile { file: "x.toml", text };
        let with_site = gleaner_crawl::settings::read(Some(origin), &[]).unwrap();
        let other = SharedSettings::new(&with_site, "crawl", None, "").unwrap().0;
        let differ: Vec<_> = shared.iter().filter(|(key, value)| other[*key] != **value).collect();
        assert_eq!(differ.len(), 1);
        assert_eq!(differ[0].0, "the settings of sites");
    }

    #[test]
    fn store_arguments_are_quoted_for_the_shell() {
        let mut config = Config::default();
        assert_eq!(store_arguments(&config), "--data data");
        config.store.path = "my corpus".into();
        assert_eq!(store_arguments(&config), "--data 'my corpus'");
        config.store.engine = "postgres://an:hush@[::1]:5433/news?sslmode=disable&password=hush".into();
        config.store.objects = "s3://bucket/an's".into();
        let database = "'postgres://an@[::1]:5433/news?sslmode=disable'";
        assert_eq!(store_arguments(&config), format!(r"--store {database} --objects 's3://bucket/an'\''s'"));
        config.store.engine = "postgres://an:hush@db:5433/news".into();
        assert_eq!(store_address(&config), "postgres://an@db:5433/news");
        assert!(store_arguments(&config).starts_with("--store postgres://an@db:5433/news --objects "));
    }

    #[test]
    fn an_unused_local_store_is_reported() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut config = Config::default();
        config.store.engine = "postgres://an:hush@db/news".into();
        config.store.path = folder.path().to_string_lossy().into_owned();
        assert_eq!(unused_local_store(&config), None);
        std::fs::create_dir(folder.path().join("sled")).unwrap();
        let told = unused_local_store(&config).unwrap();
        assert!(told.contains("`gleaner migrate --from sled --to postgres://an@db/news"), "{told}");
    }
}
