//! Finds what a removal would remove, and describes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use gleaner_corpus::{Document, DocumentId, is_of_host};
use gleaner_crawl::render::text::{bytes, count};
use gleaner_crawl::settings::Config;
use gleaner_crawl::{archive_files, archive_folder};
use gleaner_export::Record;
use gleaner_frontier::{CanonicalUrl, UrlKey};
use gleaner_store::{ContextReader, HostRecord, RemovalPlan, RemovalTarget, Store, StoreError, old_stores};

use super::Request;
use crate::commands::known_hosts::did_you_mean;
use crate::commands::rebuild_store::size_of;
use crate::distributed;
use crate::failure::Failure;

/// Maximum number of documents, near-duplicates and hosts that the preview names.
pub(super) const MAX_NAMED: usize = 10;

/// What a removal would remove, and what the preview shows of it.
pub(super) struct Selected {
    pub(super) plan: RemovalPlan,
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
pub(super) fn select(
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
        let reader = ContextReader::new(store.clone(), &archive_folder(config)).map_err(Failure::work)?;
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

pub(super) fn preview(
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
        if CanonicalUrl::parse(url).is_ok_and(|url| url.url().path() == "/") {
            text += "To remove a whole host, use --host.\n";
        }
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
