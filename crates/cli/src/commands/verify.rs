//! Runs `gleaner verify`: checks that store and archive are complete and consistent.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{self, Cursor};
use std::path::Path;
use std::thread;

use gleaner_archive::{ArchiveReader, Item, RecordPosition};
use gleaner_corpus::{CorpusVersion, Document};
use gleaner_crawl::archive_files;
use gleaner_crawl::repair::{self, RepairRules, Repaired};
use gleaner_crawl::settings::Config;
use gleaner_store::{
    ArchiveEnd, ArchivePosition, CheckedCounts, DamagedRecord, Examiner, Store, StoreError, UrlRecord, read,
};
use jiff::{SignedDuration, Timestamp};

use crate::args::{Common, Verify};
use crate::commands::snapshot;
use crate::failure::Failure;
use crate::messages::print_message;
use crate::table::table;
use crate::{CommandResult, distributed, opening, output, settings};

/// Maximum number of faults to print. Further faults are only counted.
const MAX_PRINTED: usize = 50;

const COPY: &str = "verify-copy";

/// Maximum number of bytes that are read of a record. The digest of a longer record is not checked.
const BLOCK: usize = 256 << 20;

/// Minimum age of an unused file in object storage. A younger file may belong to a change that the store has
/// not recorded yet.
const MIN_LEFTOVER_AGE: SignedDuration = SignedDuration::from_hours(24);

pub(crate) fn run(common: &Common, args: &Verify) -> CommandResult {
    let config = settings::load(common)?;
    if distributed::is_shared(&config) {
        if args.repair {
            distributed::require_local(&config, "verify --repair")?;
        }
        return check(&config, &distributed::open_for_reading(&config)?.map_err(Failure::work)?, args);
    }
    if args.repair {
        repair_damaged(&config)?;
    }
    // A store can also be verified while a rebuild is unfinished.
    match opening::try_open_store(&config) {
        Ok(Some(writer)) => check(&config, &writer.store(), args),
        Ok(None) => check_copy(config, args),
        // A folder that cannot be written can still be read.
        Err(failure) => match read(Path::new(&config.store.path), config.store.cache.get()) {
            Ok(store) => check(&config, &store, args),
            Err(_) => Err(failure),
        },
    }
}

/// Repairs the texts and signatures that cannot be read. If another process has the corpus open, that process
/// repairs them.
fn repair_damaged(config: &Config) -> CommandResult {
    let (pins, admission) = (settings::pins(config)?, settings::admission(config)?);
    let rules = RepairRules { config, pins: &pins, admission: &admission };
    let repaired = match opening::try_open_store(config)? {
        Some(mut writer) => {
            if writer.remove_damaged_index().map_err(Failure::work)? {
                print_message(
                    "gleaner: removed the damaged index of near-duplicates; the next crawl builds it again",
                );
            }
            let damaged = writer.store().damaged_records().map_err(Failure::work)?;
            repair::repair(rules, &mut writer, &damaged).map_err(Failure::work)?
        }
        None => {
            let damaged = opening::read_store(config)?.damaged_records().map_err(Failure::work)?;
            repair_by_other(rules, &damaged)?
        }
    };
    for reason in repaired.failed.iter().take(MAX_PRINTED) {
        print_message(format_args!("gleaner: cannot repair {reason}"));
    }
    if repaired.has_copied_store {
        print_message("gleaner: copied the store to the archive, in which changes were missing");
    }
    let Repaired { texts, signatures, failed, .. } = &repaired;
    print_message(format_args!(
        "gleaner: repaired texts: {texts}; signatures: {signatures}; not repaired: {}",
        failed.len()
    ));
    Ok(())
}

/// Requests a repair from the process that has the data folder open. If that process ends without answering,
/// this process repairs the records.
fn repair_by_other(rules: RepairRules<'_>, damaged: &[DamagedRecord]) -> Result<Repaired, Failure> {
    if damaged.is_empty() {
        return Ok(Repaired::default());
    }
    let data = Path::new(&rules.config.store.path);
    repair::request(data, damaged).map_err(Failure::writing(data.display()))?;
    print_message("gleaner: requested a repair from the process that has the corpus open");
    loop {
        thread::sleep(snapshot::POLL);
        if let Some(answer) = repair::answer(data) {
            return answer.map_err(Failure::Work);
        }
        if let Some(mut writer) = opening::try_open_store(rules.config)? {
            repair::withdraw(data);
            return repair::repair(rules, &mut writer, damaged).map_err(Failure::work);
        }
    }
}

/// Checks a copy of the corpus, because another process is changing the corpus. Records that are just being
/// changed would look inconsistent.
fn check_copy(mut config: Config, args: &Verify) -> CommandResult {
    let copy = Path::new(&config.store.path).join(COPY);
    // If an earlier process was killed, its copy still exists.
    let _ = fs::remove_dir_all(&copy);
    snapshot::from_crawl(&config, &copy)?;
    print_message("gleaner: the corpus is in use; checking a copy of it");
    config.store.path = copy.to_string_lossy().into_owned();
    let checked =
        opening::open_store(&config, false).and_then(|writer| check(&config, &writer.store(), args));
    fs::remove_dir_all(&copy).map_err(Failure::writing(copy.display()))?;
    checked
}

fn check(config: &Config, store: &Store, args: &Verify) -> CommandResult {
    let mut faults = Faults::default();
    if let Some(what) = opening::incomplete_reason(config, store)? {
        faults.in_store += 1;
        faults.add(what);
    }
    match store.check_storage() {
        Ok(()) => {}
        Err(error @ (StoreError::NotItsStorage { .. } | StoreError::OtherCorpus { .. })) => {
            faults.add(error.to_string());
        }
        Err(error) => return Err(Failure::work(error)),
    }
    let known = store.archive_end().map_err(Failure::work)?;
    let archive = match store.is_shared() {
        true => check_objects(store, &mut faults)?,
        false => check_archive(config, known.as_ref(), &mut faults)?,
    };
    if let Some(end) = known
        && archive.lengths.get(&end.file).is_none_or(|length| *length < end.length)
    {
        let has = archive.lengths.get(&end.file).copied().unwrap_or(0);
        faults
            .add(format!("archive file {} has {has} bytes; at least {} were written", end.file, end.length));
    }
    let mut examiner = StoreAndArchive { faults, archive: &archive };
    let checked = store.verify(&mut examiner).map_err(Failure::work)?;
    let faults = examiner.faults;
    let version = store.version().map_err(Failure::work)?;
    print(&checked, &archive, &faults, &version)?;
    match faults.count {
        0 => report_leftovers(store, args.sweep),
        count => {
            if args.sweep {
                print_message("gleaner: nothing is removed while there are faults");
            }
            Err(Failure::Work(format!("faults: {count}; {}", faults.advice(store.is_shared()))))
        }
    }
}

/// Reports files in object storage that the store does not record. Removes them if `sweeps` is set.
fn report_leftovers(store: &Store, sweeps: bool) -> CommandResult {
    let files = store.leftovers(Timestamp::now() - MIN_LEFTOVER_AGE).map_err(Failure::work)?;
    let bytes: u64 = files.iter().map(|file| file.size).sum();
    let what = format!("unused files of killed workers in object storage: {} ({bytes} bytes)", files.len());
    match (files.is_empty(), sweeps) {
        (true, false) => {}
        (true, true) => print_message("gleaner: there are no unused files of killed workers"),
        (false, false) => {
            print_message(format_args!("gleaner: {what}; `gleaner verify --sweep` removes them"))
        }
        (false, true) => {
            store.remove_leftovers(&files).map_err(Failure::work)?;
            print_message(format_args!("gleaner: removed {what}"));
        }
    }
    Ok(())
}

#[derive(Default)]
struct Faults {
    count: u64,
    in_store: u64,
    printed: Vec<String>,
    without_archive: u64,
}

impl Faults {
    fn advice(&self, is_shared: bool) -> String {
        let rebuilding = "`gleaner verify --repair` repairs texts and signatures that cannot be read, \
                          `gleaner rebuild` rebuilds the whole store from the archive";
        match (self.in_store > 0, is_shared) {
            (true, false) => rebuilding.into(),
            (true, true) => {
                "restore the database, or the missing files in object storage, from a backup; without one, \
                             build a new corpus with `gleaner ingest` from the files in `archive/` of the object storage"
                    .into()
            }
            (false, true) => {
                "the store itself has none: keep it, and restore the archive files from a copy".into()
            }
            (false, false) => {
                "the store itself has none: keep it, and restore the archive files from a copy; \
                           `gleaner rebuild` would lose the damaged records"
                    .into()
            }
        }
    }

    fn add(&mut self, what: String) {
        self.count += 1;
        if self.printed.len() < MAX_PRINTED {
            self.printed.push(what);
        }
    }
}

#[derive(Default)]
struct ArchiveContents {
    records: u64,
    responses: HashSet<(u32, u64)>,
    lengths: BTreeMap<String, u64>,
}

fn check_archive(
    config: &Config,
    known: Option<&ArchiveEnd>,
    faults: &mut Faults,
) -> Result<ArchiveContents, Failure> {
    let mut contents = ArchiveContents::default();
    for path in archive_files(config).map_err(Failure::work)? {
        check_file(&path, known, &mut contents, faults)
            .map_err(|error| Failure::Work(format!("cannot read {}: {error}", path.display())))?;
    }
    Ok(contents)
}

fn check_objects(store: &Store, faults: &mut Faults) -> Result<ArchiveContents, Failure> {
    let mut contents = ArchiveContents::default();
    for file in store.archive_files() {
        let (number, file) = file.map_err(Failure::work)?;
        let content = match store.archive_content(number).map_err(|error| store.explained(error)) {
            Ok(content) => content,
            Err(StoreError::Objects(error)) if !error.is_unavailable() => {
                faults.add(format!("{}: {error}", file.name));
                continue;
            }
            Err(error) => return Err(Failure::work(error)),
        };
        contents.lengths.insert(file.name.clone(), content.len() as u64);
        let reader = ArchiveReader::new(Cursor::new(content), BLOCK).map_err(Failure::work)?;
        check_items(reader, &file.name, number, u64::MAX, &mut contents, faults).map_err(Failure::work)?;
    }
    Ok(contents)
}

fn check_file(
    path: &Path,
    known: Option<&ArchiveEnd>,
    contents: &mut ArchiveContents,
    faults: &mut Faults,
) -> io::Result<()> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let number = RecordPosition { file: file.clone(), offset: 0 }.number();
    let known_to = match known {
        Some(end) if end.file == file => end.length,
        Some(end) if number <= (RecordPosition { file: end.file.clone(), offset: 0 }).number() => u64::MAX,
        Some(_) | None => 0,
    };
    let items = ArchiveReader::open(path, 0, BLOCK)?;
    check_items(items, &path.display().to_string(), number, known_to, contents, faults)?;
    contents.lengths.insert(file, path.metadata()?.len());
    Ok(())
}

/// Checks the records of one archive file. `known_to` is the file's length in bytes according to the store.
/// Damage after this length is not a fault: it comes from a crash, and the next crawl removes it.
fn check_items(
    items: impl Iterator<Item = io::Result<Item>>,
    name: &str,
    number: u32,
    known_to: u64,
    contents: &mut ArchiveContents,
    faults: &mut Faults,
) -> io::Result<()> {
    for item in items {
        match item? {
            Item::Record(record) => {
                contents.records += 1;
                if let Err(reason) = record.check() {
                    faults.add(format!("{name}, record at byte {}: {reason}", record.offset));
                }
                if record.header.kind().as_deref() == Some("response") {
                    contents.responses.insert((number, record.offset));
                }
            }
            Item::Damage(damage) if damage.offset >= known_to => {}
            Item::Damage(damage) => {
                faults.add(format!("{name}, from byte {}: {}", damage.offset, damage.reason));
            }
        }
    }
    Ok(())
}

struct StoreAndArchive<'a> {
    faults: Faults,
    archive: &'a ArchiveContents,
}

impl Examiner for StoreAndArchive<'_> {
    fn fault(&mut self, what: String) {
        self.faults.in_store += 1;
        self.faults.add(what);
    }

    fn archived(&mut self, url: &UrlRecord, at: ArchivePosition) {
        if !self.archive.responses.contains(&(at.file, at.offset)) {
            self.faults.add(format!(
                "the response of {} is not in the archive (file {}, byte {})",
                url.url, at.file, at.offset
            ));
        }
    }

    fn without_archive(&mut self, _: &Document) {
        self.faults.without_archive += 1;
    }
}

fn print(
    checked: &CheckedCounts,
    archive: &ArchiveContents,
    faults: &Faults,
    version: &CorpusVersion,
) -> CommandResult {
    let row = |what: &str, count: u64| vec![count.to_string(), what.to_owned()];
    let mut text = table(
        &["Checked", "What"],
        [
            row("URLs", checked.urls),
            row("documents", checked.documents),
            row("duplicate URLs", checked.aliases),
            row("near-duplicates", checked.members),
            row("clusters of near-duplicates", checked.clusters),
            row("raw pages", checked.pages),
            row("archive records", archive.records),
        ],
    );
    text += &format!("\nVersion of the corpus: {version}\n");
    if faults.without_archive > 0 {
        text += &format!("\ndocuments whose page is not in the archive: {}\n", faults.without_archive);
    }
    for fault in &faults.printed {
        text += &format!("\nfault: {fault}");
    }
    let more = faults.count - faults.printed.len() as u64;
    if more > 0 {
        text += &format!("\n... and {more} more");
    }
    text += if faults.count == 0 { "\nNo fault was found.\n" } else { "\n" };
    output::print(&text)
}
