//! Runs `gleaner remove`: shows what a removal would remove, or removes it.

mod selection;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use gleaner_corpus::Query;
use gleaner_crawl::render::text::{bytes, count};
use gleaner_crawl::settings::Config;
use gleaner_crawl::{StopRequest, archive_folder, open_archive};
use gleaner_frontier::{CanonicalUrl, parse_address};
use gleaner_store::{
    Extent, Removal, RemovalStep, RemovalTarget, Replacement, RewrittenArchive, Store, Writer, join_alone,
};
use jiff::Timestamp;

use crate::args::{Common, Remove};
use crate::commands::rebuild_store::size_of;
use crate::failure::Failure;
use crate::messages::print_message;
use crate::{CommandResult, distributed, opening, output, settings};
use selection::{MAX_NAMED, Selected, preview, select};

pub(crate) fn run(common: &Common, args: &Remove) -> CommandResult {
    let config = settings::load(common)?;
    let request = Request::from_args(args)?;
    if !args.yes {
        let store = opening::read_store(&config)?;
        return match request.target {
            Some(_) => show(&config, &store, &request),
            None => name_unfinished(&store),
        };
    }
    match distributed::is_shared(&config) {
        false => in_folder(&config, &request),
        true => in_database(&config, &request),
    }
}

/// What the user wants to remove.
struct Request<'a> {
    args: &'a Remove,
    urls: Vec<CanonicalUrl>,
    query: Option<Query>,
    /// `None` if only interrupted removals are to be finished.
    target: Option<RemovalTarget>,
}

impl<'a> Request<'a> {
    fn from_args(args: &'a Remove) -> Result<Self, Failure> {
        let parse = |text: &String| {
            parse_address(text).map_err(|refusal| Failure::Usage(format!("{text}: {refusal}")))
        };
        let urls = args.urls.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let query = args.condition.as_ref().map(|text| text.parse::<Query>()).transpose();
        let query = query.map_err(|error| Failure::Usage(format!("--where {error}")))?;
        let host_of = |text: &String| {
            let url = parse_address(text);
            url.map(|url| url.host().to_owned())
                .map_err(|refusal| Failure::Usage(format!("--host {text}: {refusal}")))
        };
        let hosts = args.host.iter().map(host_of).collect::<Result<Vec<_>, _>>()?;
        let target = match (&query, hosts.is_empty(), urls.is_empty()) {
            (Some(query), ..) => Some(RemovalTarget::Condition(query.to_string())),
            (None, false, _) => Some(RemovalTarget::Hosts(hosts)),
            (None, true, false) => Some(RemovalTarget::Urls),
            (None, true, true) => None,
        };
        Ok(Self { args, urls, query, target })
    }
}

fn show(config: &Config, store: &Store, request: &Request<'_>) -> CommandResult {
    let Some(target) = request.target.clone() else { return Ok(()) };
    let selected = select(config, store, request, target)?;
    if let Some(said) = removed_before(store, request, &selected)? {
        print_message(said);
        return Ok(());
    }
    let mut text = preview(config, store, &selected, request.args.keep_archive)?;
    text += "\nNothing was changed. To remove this, run the same command with --yes.\n";
    output::print(&text)
}

fn name_unfinished(store: &Store) -> CommandResult {
    let unfinished = store.unfinished_removals().map_err(Failure::work)?;
    match unfinished.is_empty() {
        true => Err(Failure::Usage("name what to remove: URLs, --host or --where".into())),
        false => {
            print_message(format_args!(
                "gleaner: interrupted removals: {}; `gleaner remove --yes` finishes them",
                unfinished.len()
            ));
            Ok(())
        }
    }
}

/// Returns the removals to work on: those that were interrupted, and the new one.
fn begin(config: &Config, writer: &mut Writer, request: &Request<'_>) -> Result<Vec<Removal>, Failure> {
    let store = writer.store();
    let mut removals = store.unfinished_removals().map_err(Failure::work)?;
    if !removals.is_empty() {
        print_message(format_args!("gleaner: finishing interrupted removals: {}", removals.len()));
    }
    let Some(target) = request.target.clone() else {
        if removals.is_empty() {
            return Err(Failure::Usage("name what to remove: URLs, --host or --where".into()));
        }
        return Ok(removals);
    };
    let selected = select(config, &store, request, target)?;
    if let Some(said) = removed_before(&store, request, &selected)? {
        print_message(said);
        return Ok(removals);
    }
    output::print(&preview(config, &store, &selected, request.args.keep_archive)?)?;
    let is_empty = selected.plan.urls() == 0 && selected.plan.removed_urls().is_empty();
    if is_empty {
        let said = "no document matches, so nothing is removed";
        if removals.is_empty() {
            return Err(Failure::Work(said.into()));
        }
        print_message(format_args!("gleaner: {said}"));
        return Ok(removals);
    }
    let Remove { reason, keep_archive, .. } = request.args;
    let removal = writer.begin_removal(selected.plan, reason.clone(), Timestamp::now(), *keep_archive);
    removals.push(removal.map_err(Failure::work)?);
    Ok(removals)
}

/// Says that earlier removals removed all that is wanted. Returns `None` if there is something left to remove.
fn removed_before(
    store: &Store,
    request: &Request<'_>,
    selected: &Selected,
) -> Result<Option<String>, Failure> {
    if selected.plan.documents() > 0 || request.query.is_some() {
        return Ok(None);
    }
    let hosts = request.target.as_ref().map_or(&[][..], RemovalTarget::hosts);
    let of_hosts = hosts.iter().map(|host| store.removal_of_host(host));
    let earlier = request.urls.iter().map(|url| store.removal_of(url)).chain(of_hosts);
    let mut numbers = BTreeSet::new();
    for removal in earlier {
        let removal = removal.map_err(Failure::work)?;
        // A removal that kept the archive may be followed by one that does not.
        let is_done =
            |it: &Removal| it.step == RemovalStep::Done && it.keeps_archive <= request.args.keep_archive;
        match removal.filter(is_done) {
            Some(removal) => numbers.insert(removal.number.to_string()),
            None => return Ok(None),
        };
    }
    let numbers: Vec<String> = numbers.into_iter().collect();
    let which = if numbers.len() == 1 { "removal" } else { "removals" };
    Ok(Some(format!("gleaner: already removed ({which} {}); nothing to do", numbers.join(", "))))
}

/// Removes documents and archived responses.
fn remove(
    config: &Config,
    writer: &mut Writer,
    removals: &mut [Removal],
) -> Result<RewrittenArchive, Failure> {
    for removal in removals.iter_mut().filter(|removal| removal.step == RemovalStep::Documents) {
        writer.remove_documents(removal).map_err(Failure::work)?;
    }
    let mut rewritten = RewrittenArchive::default();
    if removals.iter().any(|removal| removal.step == RemovalStep::Archive) {
        let removed = writer.store().removed_from_archive().map_err(Failure::work)?;
        if !removed.is_empty() {
            let folder = archive_folder(config);
            rewritten =
                writer.remove_from_archive(&folder, config.archive.level, &removed).map_err(Failure::work)?;
        }
    }
    for removal in removals.iter_mut().filter(|removal| removal.step == RemovalStep::Archive) {
        writer.set_removal_step(removal, RemovalStep::Files).map_err(Failure::work)?;
    }
    Ok(rewritten)
}

fn in_folder(config: &Config, request: &Request<'_>) -> CommandResult {
    let folder = Path::new(&config.store.path);
    if !folder.join("sled").exists() && !folder.join("rebuild").exists() {
        // Reports that there is no corpus.
        drop(opening::read_store(config)?);
    }
    let cache = config.store.cache.get();
    let (replacement, unreadable) = Replacement::begin(folder, cache).map_err(Failure::work)?;
    if let Some(error) = unreadable {
        return Err(Failure::work(error));
    }
    let Some(mut writer) = replacement.old().map(Store::writer).transpose().map_err(Failure::work)?.flatten()
    else {
        return Err(Failure::Work(format!("no corpus in {}", folder.display())));
    };
    if let Some(what) = opening::incomplete_reason(config, &writer.store())? {
        return Err(Failure::Work(what));
    }
    require_archive(config, &writer.store())?;
    open_archive(config, None, &mut writer).map_err(Failure::work)?;
    let mut removals = begin(config, &mut writer, request)?;
    if removals.is_empty() {
        return Ok(());
    }
    let rewritten = remove(config, &mut writer, &mut removals)?;
    require_space(config, &replacement)?;
    // The index is a cache of the documents. `gleaner serve` builds it again.
    let _ = fs::remove_dir_all(folder.join("search"));
    let unreadable = replacement.copy_after(writer, cache).map_err(Failure::work)?;
    replacement.finish_without_old().map_err(Failure::work)?;
    let mut writer = opening::open_store(config, false)?;
    open_archive(config, None, &mut writer).map_err(Failure::work)?;
    for removal in &mut removals {
        writer.set_removal_step(removal, RemovalStep::Done).map_err(Failure::work)?;
    }
    report(&removals, rewritten, unreadable)
}

/// Refuses a removal that would not find the archive.
fn require_archive(config: &Config, store: &Store) -> CommandResult {
    let Some(end) = store.archive_end().map_err(Failure::work)? else { return Ok(()) };
    let folder = archive_folder(config);
    if folder.join(&end.file).exists() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "the archive of this corpus is not in {}, which lacks {}: set archive.path as in the crawls",
        folder.display(),
        end.file
    )))
}

fn require_space(config: &Config, replacement: &Replacement) -> CommandResult {
    let needed = size_of(&Path::new(&config.store.path).join("sled"));
    let free = replacement.free_space().map_err(Failure::work)?;
    let floor = config.store.min_free_disk.get();
    if free >= needed.saturating_add(floor) {
        return Ok(());
    }
    Err(Failure::Work(format!(
        "the documents are removed, but their bytes are still in the files of the store: to write it again, {} must be \
         free above store.min_free_disk = {}, and the disk has {}; make room, then run `gleaner remove --yes`",
        bytes(needed),
        bytes(floor),
        bytes(free)
    )))
}

fn in_database(config: &Config, request: &Request<'_>) -> CommandResult {
    let folder = Path::new(&config.store.path).join("removal");
    let done = with_database(config, request, &folder);
    // This folder now contains only a lock file.
    let _ = fs::remove_dir_all(&folder);
    done
}

fn with_database(config: &Config, request: &Request<'_>, folder: &Path) -> CommandResult {
    let membership = distributed::membership(config, &StopRequest::default())?;
    let mut writer = join_alone(folder, &membership, false).map_err(Failure::work)?;
    if let Some(what) = opening::incomplete_reason(config, &writer.store())? {
        return Err(Failure::Work(what));
    }
    let mut removals = begin(config, &mut writer, request)?;
    if removals.is_empty() {
        return Ok(());
    }
    let rewritten = remove(config, &mut writer, &mut removals)?;
    let store = writer.store();
    store.compact(Extent::Rewritten).map_err(Failure::work)?;
    store.remove_unrecorded().map_err(Failure::work)?;
    for removal in &mut removals {
        writer.set_removal_step(removal, RemovalStep::Done).map_err(Failure::work)?;
    }
    report(&removals, rewritten, 0)
}

fn report(removals: &[Removal], rewritten: RewrittenArchive, unreadable: u64) -> CommandResult {
    for removal in removals {
        print_message(format_args!(
            "gleaner: removal {}: {} and {} removed",
            removal.number,
            count(removal.documents, "document"),
            count(removal.words, "word")
        ));
    }
    if rewritten.files > 0 {
        print_message(format_args!(
            "gleaner: {} removed from the archive, which is {} smaller; files written again: {}",
            count(rewritten.records, "record"),
            bytes(rewritten.bytes),
            rewritten.files
        ));
    }
    let mut faults = Vec::new();
    for part in rewritten.unreadable.iter().take(MAX_NAMED) {
        print_message(format_args!("gleaner: {part}"));
    }
    if !rewritten.unreadable.is_empty() {
        let parts = rewritten.unreadable.len();
        faults.push(format!("parts of the archive that cannot be read, and stay: {parts}"));
    }
    if unreadable > 0 {
        faults.push(format!("texts and signatures that cannot be read, and stay unreadable: {unreadable}"));
    }
    if faults.is_empty() { Ok(()) } else { Err(Failure::Work(faults.join("; "))) }
}
