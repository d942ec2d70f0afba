//! Runs `gleaner rebuild`: restores the store from the changes in the archive, or builds it from the archived responses.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use gleaner_corpus::{ContentHash, DocumentId};
use gleaner_crawl::settings::Config;
use gleaner_crawl::{Purpose, ReplaySummary, archive_folder, open_archive};
use gleaner_store::{ChangeLog, Store, StoreError};

use crate::args::{Common, Rebuild};
use crate::commands::rebuild_store::{self, RebuildStore};
use crate::commands::replay::{ExtractionRules, ReplayContext, ReplayStart, finish, own_archive, replay};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::table::table;
use crate::{CommandResult, distributed, opening, output, progress, settings};

const CHANGES_MISSING: &str =
    "gleaner: changes are missing in the archive; learning the templates and extracting all texts again";

pub(crate) fn run(common: &Common, args: &Rebuild) -> CommandResult {
    let config = settings::load(common)?;
    distributed::require_local(&config, "rebuild")?;
    own_archive(&config)?;
    let mut rebuild = RebuildStore::begin(&config, args)?;
    match rebuild.changes.take() {
        Some(changes) => from_changes(common, args, &config, rebuild, changes),
        None if args.relearn => from_responses(common, args, &config, rebuild),
        None => {
            print_message(CHANGES_MISSING);
            from_responses(common, args, &config, rebuild)
        }
    }
}

/// Restores the store from the changes in the archive. If some are missing, the rest may contradict each other, so the
/// store is built from the archived responses.
fn from_changes(
    common: &Common,
    args: &Rebuild,
    config: &Config,
    rebuild: RebuildStore,
    changes: ChangeLog,
) -> CommandResult {
    let began = Instant::now();
    let mut writer = rebuild.open_empty(config)?;
    let bar = progress::bar();
    bar.set_message("applying the changes in the archive");
    let restored = writer.restore(&archive_folder(config), changes, |count| bar.inc(count));
    let restored = restored.map_err(Failure::work)?;
    bar.finish_and_clear();
    report_damage(&restored);
    if restored.is_incomplete {
        print_message(CHANGES_MISSING);
        drop(writer);
        rebuild.replacement.start_over().map_err(Failure::work)?;
        return from_responses(common, args, config, rebuild);
    }
    let version = writer.store().version().map_err(Failure::work)?;
    let documents = writer.store().totals().map_err(Failure::work)?.documents();
    drop(writer);
    output::print(&format!(
        "{:.0} s; changes applied: {}; documents in the corpus: {documents}\nVersion of the corpus: {version}\n",
        began.elapsed().as_secs_f64(),
        restored.len(),
    ))?;
    put_in_place(rebuild, documents)?;
    match restored.damaged.len() {
        0 => Ok(()),
        parts => Err(Failure::Work(format!(
            "unreadable parts of the archive: {parts}; the corpus is complete, but the responses there are lost"
        ))),
    }
}

fn report_damage(restored: &ChangeLog) {
    for (file, offset, reason) in &restored.damaged {
        print_message(format_args!("gleaner: {} is unreadable at byte {offset}: {reason}", file.display()));
    }
}

/// Builds the store from the archived responses.
fn from_responses(common: &Common, args: &Rebuild, config: &Config, rebuild: RebuildStore) -> CommandResult {
    let rules = ExtractionRules::from_config(config)?;
    let sources = own_archive(config)?;
    let (writer, seeds) = rebuild.open_for_responses(config, args)?;
    let of_new = rebuild_store::config_of(config, &rebuild.replacement.folder());
    let purpose = Purpose::Rebuild;
    let start = ReplayStart { config: of_new, rules, purpose, seeds, writer, sources };
    let replayed = replay(ReplayContext::begin(common, config)?, start)?;
    if replayed.complete {
        complete(config, rebuild, &replayed)?;
    }
    finish(purpose, &replayed)
}

fn complete(config: &Config, rebuild: RebuildStore, replayed: &ReplaySummary) -> CommandResult {
    let texts = |store: &Store| texts(store).map_err(Failure::work);
    let before = rebuild.replacement.old().map(texts).transpose()?;
    put_in_place(rebuild, replayed.documents)?;
    let mut writer = opening::open_store(config, false)?;
    if let Some(before) = before {
        output::print(&describe_differences(&before, &texts(&writer.store())?))?;
    }
    // The archive gets the new texts, so that the next rebuild restores them.
    open_archive(config, None, &mut writer).map_err(Failure::work)?;
    let version = writer.store().version().map_err(Failure::work)?;
    output::print(&format!("Version of the corpus: {version}\n"))
}

/// Puts the new store in the place of the old one.
fn put_in_place(rebuild: RebuildStore, documents: u64) -> CommandResult {
    let RebuildStore { replacement, before, .. } = rebuild;
    let aside = replacement.finish().map_err(Failure::work)?;
    let Some(aside) = aside.as_deref().map(Path::display) else { return Ok(()) };
    print_message(format_args!("gleaner: the old store is kept as {aside}"));
    if let Some(before) = before.filter(|before| *before > documents) {
        print_message(format_args!(
            "gleaner: the old store had {before} documents, {} more than the new one; to restore it, move {aside} back \
             as `sled`",
            before - documents
        ));
    }
    Ok(())
}

/// The texts of a corpus: host and content hash, by id.
type Texts = BTreeMap<DocumentId, (String, ContentHash)>;

fn texts(store: &Store) -> Result<Texts, StoreError> {
    let mut texts = Texts::new();
    for document in store.documents() {
        match document {
            Ok(document) => drop(texts.insert(document.id, (document.host, document.content_hash))),
            Err(StoreError::Lost { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(texts)
}

#[derive(Debug, Default, Clone, Copy)]
struct Differences {
    same: u64,
    changed: u64,
    new: u64,
    missing: u64,
}

impl Differences {
    fn is_none(self) -> bool {
        self.changed + self.new + self.missing == 0
    }
}

/// Describes how the texts of the new store differ from those of the old one, by host.
fn describe_differences(before: &Texts, now: &Texts) -> String {
    let mut hosts: BTreeMap<&str, Differences> = BTreeMap::new();
    for (id, (host, hash)) in now {
        let counts = hosts.entry(host).or_default();
        match before.get(id) {
            Some((_, old)) if old == hash => counts.same += 1,
            Some(_) => counts.changed += 1,
            None => counts.new += 1,
        }
    }
    for (_, (host, _)) in before.iter().filter(|(id, _)| !now.contains_key(id)) {
        hosts.entry(host).or_default().missing += 1;
    }
    if hosts.values().all(|counts| counts.is_none()) {
        return "All texts are the same as before.\n".into();
    }
    let rows = hosts.into_iter().filter(|(_, counts)| !counts.is_none()).map(|(host, counts)| {
        let Differences { same, changed, new, missing } = counts;
        [host.to_owned()]
            .into_iter()
            .chain([same, changed, new, missing].map(|count| count.to_string()))
            .collect()
    });
    format!("{}\n", table(&["Host", "Same texts", "Changed", "New", "Missing"], rows))
}
