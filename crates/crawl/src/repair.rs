//! Repairs single texts and signatures that cannot be read, while the corpus stays in service.
//!
//! A text is extracted again from the archived response of its page, with the template that the store has. A
//! signature is computed again from its text. If another process has the data folder open, that process does
//! it: a crawl at its next tick, and a daemon also between its crawls.
//!
//! Limitation: the archive's position of an earlier revision is not stored. Only a rebuild restores such a text.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use crate::settings::Config;
use gleaner_archive::{ArchiveReader, Item};
use gleaner_corpus::Admission;
use gleaner_extract::draft::{Origin, draft};
use gleaner_extract::pins::HostPins;
use gleaner_fetch::RobotsRecord;
use gleaner_frontier::{CanonicalUrl, Scope, UrlKey};
use gleaner_html::decode::decode;
use gleaner_html::embedded::complete;
use gleaner_store::{
    DamagedRecord, HostRecord, PackedDocument, Repairs, Store, StoreError, UrlRecord, Writer,
};
use serde::{Deserialize, Serialize};
use tracing::warn;

use crate::archive::{archive_files, archive_folder, open_archive};
use crate::error::CrawlError;
use crate::extraction::AdmissionRules;
use crate::known_links::KnownLinks;
use crate::learner::current_template;
use crate::page_robots::PageRobots;
use crate::process::{Content, read};
use crate::replay::{ArchivedResponse, BodyLimits, RecordPlace};
use crate::request_file::RequestFile;
use crate::stored_page::archive_place;
use crate::usage::{SiteUsage, known_usage};
use crate::visit::Visit;

const FILE: RequestFile = RequestFile { name: "repair" };

/// Number of repaired records after which the store is flushed.
const FLUSH_AFTER: usize = 100;

/// What a repair needs to extract texts as a crawl does.
#[derive(Debug, Clone, Copy)]
pub struct RepairRules<'a> {
    /// The settings.
    pub config: &'a Config,
    /// The user's pins, by host.
    pub pins: &'a HostPins,
    /// The rules that decide which documents enter the corpus.
    pub admission: &'a Admission,
}

/// The result of a repair.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    /// Number of texts that were extracted again.
    pub texts: u64,
    /// Number of signatures that were computed again.
    pub signatures: u64,
    /// Whether the store was copied to the archive, because changes in the archive were damaged.
    #[serde(default)]
    pub has_copied_store: bool,
    /// The records that cannot be repaired, each with the reason, for people.
    pub failed: Vec<String>,
}

/// Repairs these records. If it is killed, the last of them are still damaged, and a further call repairs them.
///
/// # Errors
/// The store cannot be written, or cannot be read at all.
pub fn repair(
    rules: RepairRules<'_>,
    writer: &mut Writer,
    records: &[DamagedRecord],
) -> Result<Repaired, CrawlError> {
    let mut repaired = Repaired::default();
    // A repair does not create a missing archive.
    if !archive_files(rules.config)?.is_empty() {
        open_archive(rules.config, Some(rules.pins), writer)?;
        repaired.has_copied_store = writer.complete_log(&archive_folder(rules.config))?;
    }
    // A signature is computed from its text. In the order of the enum, the texts come first.
    let mut records = records.to_vec();
    records.sort();
    let repairs = Repairs::new(&writer.store(), &records)?;
    for (count, record) in records.iter().enumerate() {
        if count % FLUSH_AFTER == 0 {
            writer.flush()?;
        }
        match record {
            DamagedRecord::Text(id) => {
                let key = UrlKey::from_bytes(id.0);
                let known = writer.store().url(key)?;
                match extracted(rules, &writer.store(), key, known.as_ref()) {
                    Ok(document) => {
                        repairs.text(writer, document)?;
                        repaired.texts += 1;
                    }
                    Err(reason) => {
                        let url = known.map_or_else(|| format!("the document {id}"), |known| known.url);
                        repaired.failed.push(format!("the text of {url}: {reason}"));
                    }
                }
            }
            DamagedRecord::Revision(id, number) => {
                let url = url_of(&writer.store(), UrlKey::from_bytes(id.0))?;
                let advice = "only `gleaner rebuild` restores an earlier revision";
                repaired.failed.push(format!("revision {number} of {url}: {advice}"));
            }
            DamagedRecord::Signature(key) => match repairs.signature(writer, key)? {
                true => repaired.signatures += 1,
                false => {
                    repaired.failed.push(format!("the signature {key}: the text of its document is missing"))
                }
            },
        }
    }
    writer.flush()?;
    Ok(repaired)
}

fn url_of(store: &Store, key: UrlKey) -> Result<String, StoreError> {
    Ok(store.url(key)?.map_or_else(|| format!("the document {key}"), |known| known.url))
}

/// Extracts the text of a page from its archived response. If no text results, returns the reason in words for users.
fn extracted(
    rules: RepairRules<'_>,
    store: &Store,
    key: UrlKey,
    known: Option<&UrlRecord>,
) -> Result<PackedDocument, String> {
    let record = known.ok_or("the store has no record of its page")?;
    let answer = archived_response(rules.config, store, record)?;
    if answer.url.key() != key {
        return Err("the archive has another page at its position".into());
    }
    let url = CanonicalUrl::parse(&record.url).map_err(|error| error.to_string())?;
    let host = store.host(url.host()).map_err(|error| error.to_string())?;
    let host = host.ok_or("the store has no record of its host")?;
    let robots = PageRobots::from_config(rules.config);
    let pins = rules.pins.for_host(url.host());
    let admission = AdmissionRules { pins, admission: rules.admission, robots: &robots };
    let origin = Origin { url, fetched: answer.at };
    let html = decode(&answer.response.body, answer.response.content_type.as_deref()).text.into_owned();
    let headers = answer.response.headers.clone();
    let visit = visit(rules.config, store, record, &host, &answer, key)?;
    let known = KnownLinks::new(Arc::new(Scope::new(Vec::<String>::new())));
    let max_list = rules.config.fetch.max_sitemap.get();
    match read(&visit, answer.response, answer.at, &known, admission, max_list).content {
        Content::Article(article) => article.document,
        // The host has no template, so the page is extracted on its own.
        Content::Raw(_) => {
            let page = complete(&html);
            let usage = visit.usage.of_page(origin.url.url(), &page, &headers, &robots.agent);
            admission.admit_draft(draft(&page, &origin, None, admission.pins), usage)
        }
        Content::NotArticle(reason) => {
            return Err(format!("by today's rules it is not an article ({reason})"));
        }
        Content::Excluded(rule) => return Err(format!("today's settings refuse it ({rule})")),
        Content::List | Content::Unreadable(_) => return Err("its archived response is not a page".into()),
    }
    .map_err(|outcome| format!("today's settings refuse it ({})", outcome.reason()))
}

fn archived_response(config: &Config, store: &Store, record: &UrlRecord) -> Result<ArchivedResponse, String> {
    let archived =
        record.archived.ok_or("its page is not in the archive; if it was ingested, ingest it again")?;
    let (file, offset) = archive_place(config, store, &archived).map_err(|error| error.to_string())?;
    let limits = BodyLimits::from_config(config);
    let wrong = |reason: String| format!("the record at byte {offset} of {}: {reason}", file.display());
    let item = ArchiveReader::open(&file, offset, limits.of_record()).map(|mut reader| reader.next());
    let found = match item.map_err(|error| wrong(error.to_string()))? {
        Some(Ok(Item::Record(found))) => found,
        Some(Ok(Item::Damage(damage))) => return Err(wrong(damage.reason)),
        Some(Err(error)) => return Err(wrong(error.to_string())),
        None => return Err(wrong("the file ends before it".into())),
    };
    let place = RecordPlace { file: 0, offset };
    let answer = ArchivedResponse::from_record(&found, place, limits, |_| true);
    match answer.map_err(|reason| wrong(format!("not a page ({reason})")))? {
        Some(answer) if answer.unread.is_none() && answer.is_success() => Ok(answer),
        _ => Err(wrong("not a complete page".into())),
    }
}

fn visit(
    config: &Config,
    store: &Store,
    record: &UrlRecord,
    host: &HostRecord,
    answer: &ArchivedResponse,
    key: UrlKey,
) -> Result<Visit, String> {
    let template =
        current_template(host, store, config.template.method).map_err(|error| error.to_string())?;
    let robots = store.robots::<RobotsRecord>(&host.name).map_err(|error| error.to_string())?;
    let site = robots.map(|robots| Arc::new(SiteUsage::new(&robots, config))).unwrap_or_default();
    Ok(Visit {
        key,
        url: answer.url.clone(),
        record: UrlRecord { role: answer.role.unwrap_or(record.role), ..record.clone() },
        group: Arc::from(host.name.as_str()),
        begun: Instant::now(),
        at: answer.at,
        lease: store.lease_of(host.id),
        template: template.map(Arc::new),
        usage: known_usage(store, site, &answer.url, answer.at).map_err(|error| error.to_string())?,
        chain: None,
    })
}

/// Requests a repair from the process that has the data folder open.
///
/// # Errors
/// The request file cannot be written.
pub fn request(data: &Path, records: &[DamagedRecord]) -> std::io::Result<()> {
    FILE.send(data, &serde_json::to_vec(records).expect("records are plain data"))
}

/// Withdraws the request if no process has handled it.
pub fn withdraw(data: &Path) {
    FILE.withdraw(data);
}

/// Reads and removes the answer to a request. Returns `None` if there is no answer yet, and `Err` with the
/// reason if the repair failed.
#[must_use]
pub fn answer(data: &Path) -> Option<Result<Repaired, String>> {
    let text = FILE.answer(data)?;
    Some(serde_json::from_str(&text).unwrap_or_else(|error| Err(error.to_string())))
}

/// Handles a pending request while no crawl runs.
pub fn follow(rules: RepairRules<'_>, store: &Store) {
    let data = Path::new(&rules.config.store.path);
    if !FILE.is_pending(data) {
        return;
    }
    match store.writer() {
        Ok(Some(mut writer)) => handle(rules, &mut writer),
        // A crawl has begun. It handles the request.
        Ok(None) => {}
        Err(error) => warn!(%error, "the store cannot be repaired"),
    }
}

/// Handles a pending request with the writer of the store.
pub(crate) fn handle(rules: RepairRules<'_>, writer: &mut Writer) {
    let data = Path::new(&rules.config.store.path);
    let Some(request) = FILE.take(data) else { return };
    let repaired = serde_json::from_str::<Vec<DamagedRecord>>(&request)
        .map_err(|error| error.to_string())
        .and_then(|records| repair(rules, writer, &records).map_err(|error| error.to_string()));
    let answer = serde_json::to_string(&repaired).expect("a result is plain data");
    if let Err(error) = FILE.leave_answer(data, &answer) {
        warn!(%error, "the result of the repair cannot be written");
    }
}
