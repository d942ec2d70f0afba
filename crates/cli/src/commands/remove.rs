//! Runs `gleaner remove`: shows what a removal would remove, or removes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use gleaner_corpus::{Document, DocumentId, Query, is_of_host};
use gleaner_crawl::render::text::{bytes, count};
use gleaner_crawl::settings::Config;
use gleaner_crawl::{ContextReader, StopRequest, archive_files, archive_folder, open_archive};
use gleaner_export::Record;
use gleaner_frontier::{CanonicalUrl, UrlKey};
use gleaner_store::{
    Extent, HostRecord, Removal, RemovalPlan, RemovalStep, RemovalTarget, Replacement, RewrittenArchive,
    Store, StoreError, Writer, join_alone, old_stores,
};
use jiff::Timestamp;

use crate::args::{Common, Remove};
use crate::commands::known_hosts::did_you_mean;
use crate::failure::Failure;
use crate::messages::print_message;
use crate::{CommandResult, distributed, output, settings};

/// Maximum number of documents, near-duplicates and hosts that the preview names.
const MAX_NAMED: usize = 10;

pub(crate) fn run(common: &Common, args: &Remove) -> CommandResult {
    let config = settings::load(common)?;
    let request = Request::from_args(args)?;
    if !args.yes {
        let store = settings::read_store(&config)?;
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
            let address = if text.contains("://") { text.clone() } else { format!("https://{text}") };
            CanonicalUrl::parse(&address).map_err(|refusal| Failure::Usage(format!("{text}: {refusal}")))
        };
        let urls = args.urls.iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        let query = args.condition.as_ref().map(|text| text.parse::<Query>()).transpose();
        let query = query.map_err(|error| Failure::Usage(format!("--where {error}")))?;
        let host_of = |text: &String| {
            let address = if text.contains("://") { text.clone() } else { format!("http://{text}/") };
            let url = CanonicalUrl::parse(&address);
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

/// What a removal would remove, and what the preview shows of it.
struct Selected {
    plan: RemovalPlan,
    /// Number of bytes of the texts.
    bytes: u64,
    documents: Vec<(String, String)>,
    hosts: BTreeMap<String, u64>,
    /// Near-duplicates. Those that are removed too are taken out at the end.
    similar: BTreeSet<DocumentId>,
    /// URLs that the corpus does not know. They are not requested in future.
    unknown: Vec<String>,
    /// Hosts that the corpus does not know.
    unknown_hosts: Vec<String>,
    /// Number of texts of the removed hosts that stay under the URLs of other hosts.
    inherited: u64,
}

impl Selected {
    fn add(&mut self, store: &Store, document: &Document) -> Result<(), StoreError> {
        if !self.plan.add_document(store, document)? {
            return Ok(());
        }
        self.bytes += document.text.len() as u64;
        *self.hosts.entry(document.host.clone()).or_default() += 1;
        if self.documents.len() < MAX_NAMED {
            self.documents.push((document.url.clone(), document.title.clone().unwrap_or_default()));
        }
        if let Some(cluster) = store.cluster_of(document.id)?
            && self.similar.insert(cluster.representative)
        {
            for member in store.members(&cluster)? {
                self.similar.insert(member?.id);
            }
        }
        Ok(())
    }
}

/// Finds the documents of a request.
fn select(
    config: &Config,
    store: &Store,
    request: &Request<'_>,
    target: RemovalTarget,
) -> Result<Selected, Failure> {
    let hosts = target.hosts().to_vec();
    let mut selected = Selected {
        plan: RemovalPlan::new(target, request.args.forget_urls),
        bytes: 0,
        documents: Vec::new(),
        hosts: BTreeMap::new(),
        similar: BTreeSet::new(),
        unknown: Vec::new(),
        unknown_hosts: Vec::new(),
        inherited: 0,
    };
    for host in &hosts {
        let is_known =
            |record: Result<HostRecord, StoreError>| record.is_ok_and(|it| is_of_host(&it.name, host));
        if !store.hosts().any(is_known) {
            selected.unknown_hosts.push(host.clone());
        }
    }
    for url in &request.urls {
        selected.plan.add_url(url);
        match store.document_at(url).map_err(Failure::work)? {
            Some(document) => selected.add(store, &document).map_err(Failure::work)?,
            None => selected.unknown.push(url.as_str().to_owned()),
        }
    }
    if request.query.is_some() || !hosts.is_empty() {
        let reader = ContextReader::new(config, store.clone()).map_err(Failure::work)?;
        for document in store.documents() {
            let document = match document {
                // The text of another host does not matter.
                Err(StoreError::Lost { id, .. })
                    if !hosts.is_empty() && !is_document_at(store, id, &hosts).map_err(Failure::work)? =>
                {
                    continue;
                }
                document => document.map_err(Failure::work)?,
            };
            if is_wanted(&reader, request, &hosts, &document).map_err(Failure::work)? {
                let urls = store.urls_of(&document).map_err(Failure::work)?;
                selected.inherited +=
                    u64::from(!hosts.is_empty() && urls.iter().any(|url| !is_at(url, &hosts)));
                selected.add(store, &document).map_err(Failure::work)?;
            }
        }
    }
    let plan = &selected.plan;
    selected.similar.retain(|id| !plan.contains(*id));
    Ok(selected)
}

fn is_wanted(
    reader: &ContextReader,
    request: &Request<'_>,
    hosts: &[String],
    document: &Document,
) -> Result<bool, StoreError> {
    let Some(query) = &request.query else {
        return Ok(hosts.iter().any(|host| is_of_host(&document.host, host)));
    };
    let context = reader.read(document)?;
    let record = Record::new(document, &context);
    Ok(query.holds(document, |name| record.figure(name)) == Some(true))
}

fn is_at(url: &str, hosts: &[String]) -> bool {
    CanonicalUrl::from_record(url).is_ok_and(|url| hosts.iter().any(|host| is_of_host(url.host(), host)))
}

fn is_document_at(store: &Store, id: DocumentId, hosts: &[String]) -> Result<bool, StoreError> {
    let record = store.url(UrlKey::from_bytes(id.0))?;
    Ok(record.is_none_or(|record| is_at(&record.url, hosts)))
}

fn show(config: &Config, store: &Store, request: &Request<'_>) -> CommandResult {
    let Some(target) = request.target.clone() else { return Ok(()) };
    let selected = select(config, store, request, target)?;
    let mut text = preview(config, store, &selected, request.args.keep_archive)?;
    text += "\nNothing was changed. To remove this, run the same command with --yes.\n";
    output::print(&text)
}

fn preview(
    config: &Config,
    store: &Store,
    selected: &Selected,
    keeps_archive: bool,
) -> Result<String, Failure> {
    let plan = &selected.plan;
    let mut text = format!(
        "{}, {}, {} of text, at {}\n",
        count(plan.documents(), "document"),
        count(plan.words(), "word"),
        bytes(selected.bytes),
        count(plan.urls() as u64, "URL"),
    );
    let mut hosts: Vec<(&String, &u64)> = selected.hosts.iter().collect();
    hosts.sort_by_key(|(name, documents)| (std::cmp::Reverse(**documents), *name));
    for (host, documents) in hosts.iter().take(MAX_NAMED) {
        text += &format!("  {host}: {}\n", count(**documents, "document"));
    }
    text += &more(hosts.len());
    for (url, title) in &selected.documents {
        text += &format!("  {url}  {title}\n");
    }
    text += &more(usize::try_from(plan.documents()).unwrap_or(usize::MAX));
    let others: Vec<&str> = plan.urls_without_document().collect();
    if others.len() > selected.unknown.len() {
        text += &format!("Other URLs, most of which have the same texts: {}\n", others.len());
        others.iter().take(MAX_NAMED).for_each(|url| text += &format!("  {url}\n"));
        text += &more(others.len());
    }
    for host in &selected.unknown_hosts {
        let meant = did_you_mean(store, host, |_| true)?;
        text += &format!("The corpus has no host {host}{meant}. Nothing will be requested from it.\n");
    }
    for url in &selected.unknown {
        text += &format!("No document is at {url}, which will not be requested any more.\n");
    }
    if selected.inherited > 0 {
        text +=
            &format!("Texts that stay, because other hosts also published them: {}\n", selected.inherited);
    }
    if !selected.similar.is_empty() {
        text += &format!("Near-duplicates that stay: {}\n", selected.similar.len());
        for id in selected.similar.iter().take(MAX_NAMED) {
            let document = store.document(*id).map_err(Failure::work)?;
            text += &document.map(|document| format!("  {}\n", document.url)).unwrap_or_default();
        }
        text += &more(selected.similar.len());
    }
    text += &cost(config, keeps_archive);
    Ok(text)
}

fn more(known: usize) -> String {
    let hidden = known.saturating_sub(MAX_NAMED);
    if hidden > 0 { format!("  ... and {hidden} more\n") } else { String::new() }
}

/// Says what is read and written again.
fn cost(config: &Config, keeps_archive: bool) -> String {
    if distributed::is_shared(config) {
        return "All texts and WARC files in object storage are read, and those with removed data are written again.\n"
            .into();
    }
    let length = |path: &Path| fs::metadata(path).map_or(0, |metadata| metadata.len());
    let mut text = String::new();
    if !keeps_archive {
        let files = archive_files(config).unwrap_or_default();
        let total: u64 = files.iter().map(|path| length(path)).sum();
        text += &format!(
            "The archive ({} in {}) is read, and files with removed pages are written again.\n",
            bytes(total),
            count(files.len() as u64, "file")
        );
    }
    let folder = Path::new(&config.store.path);
    text += &format!("The store ({}) is written again.\n", bytes(size_of(&folder.join("sled"))));
    for old in old_stores(folder).unwrap_or_default() {
        text += &format!("{} ({}), which a rebuild kept, is deleted.\n", old.display(), bytes(size_of(&old)));
    }
    text
}

fn size_of(folder: &Path) -> u64 {
    super::rebuild_store::size_of(folder)
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
        drop(settings::read_store(config)?);
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
    if let Some(what) = settings::incomplete_reason(config, &writer.store())? {
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
    let mut writer = settings::open_store(config, false)?;
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
    if let Some(what) = settings::incomplete_reason(config, &writer.store())? {
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
    if rewritten.unreadable > 0 {
        faults.push(format!("parts of the archive that cannot be read, and stay: {}", rewritten.unreadable));
    }
    if unreadable > 0 {
        faults.push(format!("texts and signatures that cannot be read, and stay unreadable: {unreadable}"));
    }
    if faults.is_empty() { Ok(()) } else { Err(Failure::Work(faults.join("; "))) }
}
