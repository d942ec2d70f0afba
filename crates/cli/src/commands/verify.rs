//! Runs `gleaner verify`: checks that store and archive are complete and consistent.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::{self, Cursor, Write};
use std::path::Path;

use gleaner_archive::{Item, Place, Reader};
use gleaner_config::Config;
use gleaner_corpus::Document;
use gleaner_crawl::archive_files;
use gleaner_store::{ArchiveEnd, Archived, Examiner, Looked, Store, StoreError, UrlRecord};
use jiff::{SignedDuration, Timestamp};

use crate::args::{Common, Verify};
use crate::aside::say;
use crate::commands::snapshot;
use crate::failure::Failure;
use crate::table::table;
use crate::{Done, distributed, settings};

/// Maximum number of faults to print. Further faults are only counted.
const PRINTED: usize = 50;

const COPY: &str = "verify-copy";

/// Maximum number of bytes to read of a record. The digest of longer records is not checked.
const BLOCK: usize = 256 << 20;

/// Minimum age of an unused file in object storage. The store may not yet have recorded a younger file.
const SPARED: SignedDuration = SignedDuration::from_hours(24);

pub(crate) fn run(common: &Common, args: &Verify) -> Done {
    let config = settings::load(common)?;
    if distributed::is_shared(&config) {
        return check(&config, &distributed::visit(&config)?, args);
    }
    // A store can also be verified while a rebuild is unfinished.
    match settings::try_open_store(&config)? {
        Some(writer) => check(&config, &writer.store(), args),
        None => check_copy(config, args),
    }
}

/// Checks a copy of the corpus, because another process is changing it. Records that are changing can be
/// inconsistent.
fn check_copy(mut config: Config, args: &Verify) -> Done {
    let copy = Path::new(&config.store.path).join(COPY);
    // If an earlier process was killed, its copy still exists.
    let _ = fs::remove_dir_all(&copy);
    snapshot::from_crawl(&config, &copy)?;
    say("gleaner: the corpus is in use; checking a copy of it");
    config.store.path = copy.to_string_lossy().into_owned();
    let checked =
        settings::open_store(&config, false).and_then(|writer| check(&config, &writer.store(), args));
    fs::remove_dir_all(&copy).map_err(Failure::writing(copy.display()))?;
    checked
}

fn check(config: &Config, store: &Store, args: &Verify) -> Done {
    let mut found = Found::default();
    if let Some(what) = settings::unfinished(config, store)? {
        found.of_the_store += 1;
        found.fault(what);
    }
    match store.check_storage() {
        Ok(()) => {}
        Err(error @ (StoreError::NotItsStorage { .. } | StoreError::OtherCorpus { .. })) => {
            found.fault(error.to_string());
        }
        Err(error) => return Err(Failure::work(error)),
    }
    let known = store.archive_end().map_err(Failure::work)?;
    let archive = match store.is_shared() {
        true => look_at_objects(store, &mut found)?,
        false => look_at_archive(config, known.as_ref(), &mut found)?,
    };
    if let Some(end) = known
        && archive.lengths.get(&end.file).is_none_or(|length| *length < end.length)
    {
        let has = archive.lengths.get(&end.file).copied().unwrap_or(0);
        found.fault(format!(
            "archive file {} has {has} bytes; at least {} were written",
            end.file, end.length
        ));
    }
    let mut examiner = Both { found, archive: &archive };
    let looked = store.verify(&mut examiner).map_err(Failure::work)?;
    let found = examiner.found;
    print(&looked, &archive, &found)?;
    match found.faults {
        0 => tidy(store, args.sweep),
        faults => {
            if args.sweep {
                say("gleaner: nothing is removed while there are faults");
            }
            Err(Failure::Work(format!("faults: {faults}; {}", found.advice(store.is_shared()))))
        }
    }
}

/// Reports files in object storage that the store does not record. Removes them if `sweeps` is set.
fn tidy(store: &Store, sweeps: bool) -> Done {
    let files = store.leftovers(Timestamp::now() - SPARED).map_err(Failure::work)?;
    let bytes: u64 = files.iter().map(|file| file.size).sum();
    let what = format!("unused files of killed workers in object storage: {} ({bytes} bytes)", files.len());
    match (files.is_empty(), sweeps) {
        (true, false) => {}
        (true, true) => say("gleaner: there are no unused files of killed workers"),
        (false, false) => say(format_args!("gleaner: {what}; `gleaner verify --sweep` removes them")),
        (false, true) => {
            store.remove_leftovers(&files).map_err(Failure::work)?;
            say(format_args!("gleaner: removed {what}"));
        }
    }
    Ok(())
}

#[derive(Default)]
struct Found {
    faults: u64,
    of_the_store: u64,
    printed: Vec<String>,
    without_archive: u64,
}

impl Found {
    fn advice(&self, is_shared: bool) -> String {
        let rebuilding = "`gleaner rebuild` rebuilds the store from the archive";
        match (self.of_the_store > 0, is_shared) {
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

    fn fault(&mut self, what: String) {
        self.faults += 1;
        if self.printed.len() < PRINTED {
            self.printed.push(what);
        }
    }
}

#[derive(Default)]
struct ArchiveLook {
    records: u64,
    answers: HashSet<(u32, u64)>,
    lengths: BTreeMap<String, u64>,
}

fn look_at_archive(
    config: &Config,
    known: Option<&ArchiveEnd>,
    found: &mut Found,
) -> Result<ArchiveLook, Failure> {
    let mut look = ArchiveLook::default();
    for path in archive_files(config).map_err(Failure::work)? {
        look_at_file(&path, known, &mut look, found)
            .map_err(|error| Failure::Work(format!("cannot read {}: {error}", path.display())))?;
    }
    Ok(look)
}

fn look_at_objects(store: &Store, found: &mut Found) -> Result<ArchiveLook, Failure> {
    let mut look = ArchiveLook::default();
    for file in store.archive_files() {
        let (number, file) = file.map_err(Failure::work)?;
        let content = match store.object(&file.name).map_err(|error| store.explained(error)) {
            Ok(content) => content.unwrap_or_default(),
            Err(StoreError::Objects(error)) if !error.is_unavailable() => {
                found.fault(format!("{}: {error}", file.name));
                continue;
            }
            Err(error) => return Err(Failure::work(error)),
        };
        look.lengths.insert(file.name.clone(), content.len() as u64);
        let reader = Reader::new(Cursor::new(content), BLOCK).map_err(Failure::work)?;
        look_at_items(reader, &file.name, number, u64::MAX, &mut look, found).map_err(Failure::work)?;
    }
    Ok(look)
}

fn look_at_file(
    path: &Path,
    known: Option<&ArchiveEnd>,
    look: &mut ArchiveLook,
    found: &mut Found,
) -> io::Result<()> {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let number = Place { file: file.clone(), offset: 0 }.number();
    let known_to = match known {
        Some(end) if end.file == file => end.length,
        Some(end) if number <= (Place { file: end.file.clone(), offset: 0 }).number() => u64::MAX,
        Some(_) | None => 0,
    };
    let items = Reader::open(path, 0, BLOCK)?;
    look_at_items(items, &path.display().to_string(), number, known_to, look, found)?;
    look.lengths.insert(file, path.metadata()?.len());
    Ok(())
}

/// Checks the records of one archive file. `known_to` is the file's length in bytes according to the store.
/// Damage after this length is not a fault. It comes from a crash, and the next crawl removes it.
fn look_at_items(
    items: impl Iterator<Item = io::Result<Item>>,
    name: &str,
    number: u32,
    known_to: u64,
    look: &mut ArchiveLook,
    found: &mut Found,
) -> io::Result<()> {
    for item in items {
        match item? {
            Item::Record(record) => {
                look.records += 1;
                if let Err(reason) = record.check() {
                    found.fault(format!("{name}, record at byte {}: {reason}", record.offset));
                }
                if record.header.kind().as_deref() == Some("response") {
                    look.answers.insert((number, record.offset));
                }
            }
            Item::Damage(damage) if damage.offset >= known_to => {}
            Item::Damage(damage) => {
                found.fault(format!("{name}, from byte {}: {}", damage.offset, damage.reason));
            }
        }
    }
    Ok(())
}

struct Both<'a> {
    found: Found,
    archive: &'a ArchiveLook,
}

impl Examiner for Both<'_> {
    fn fault(&mut self, what: String) {
        self.found.of_the_store += 1;
        self.found.fault(what);
    }

    fn archived(&mut self, url: &UrlRecord, at: Archived) {
        if !self.archive.answers.contains(&(at.file, at.offset)) {
            self.found.fault(format!(
                "the response of {} is not in the archive (file {}, byte {})",
                url.url, at.file, at.offset
            ));
        }
    }

    fn without_archive(&mut self, _: &Document) {
        self.found.without_archive += 1;
    }
}

fn print(looked: &Looked, archive: &ArchiveLook, found: &Found) -> Done {
    let row = |what: &str, count: u64| vec![count.to_string(), what.to_owned()];
    let mut text = table(
        &["Checked", "What"],
        [
            row("URLs", looked.urls),
            row("documents", looked.documents),
            row("duplicate URLs", looked.aliases),
            row("near-duplicates", looked.members),
            row("clusters of near-duplicates", looked.clusters),
            row("raw pages", looked.pages),
            row("archive records", archive.records),
        ],
    );
    text.push('\n');
    if found.without_archive > 0 {
        text += &format!("\ndocuments whose page is not in the archive: {}\n", found.without_archive);
    }
    for fault in &found.printed {
        text += &format!("\nfault: {fault}");
    }
    let more = found.faults - found.printed.len() as u64;
    if more > 0 {
        text += &format!("\n... and {more} more");
    }
    text += if found.faults == 0 { "\nNo fault was found.\n" } else { "\n" };
    io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::writing("standard output"))
}
