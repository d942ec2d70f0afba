//! Learns a host's template from its buffered pages, and extracts these pages.
//!
//! Runs on a worker thread and reads the raw pages from the store. If there are too few pages for a template,
//! extracts each page on its own.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use gleaner_corpus::{ContentHash, Document, Method, Usage};
use gleaner_extract::Pins;
use gleaner_extract::template::{PreparedTemplate, SiteTemplate};
use gleaner_frontier::{CanonicalUrl, Outcome, UrlKey};
use gleaner_html::Page;
use gleaner_html::decode::decode;
use gleaner_html::embedded::complete;
use gleaner_store::{HostId, PackedDocument, RawPage, Store, StoreError, UrlWithPage};
use jiff::Timestamp;

use crate::extraction::AdmissionRules;
use crate::frontier::schedule::GroupName;
use gleaner_extract::draft::{Origin, draft};

/// A job for the buffered articles of one host: learn a template from them, or extract each on its own.
#[derive(Debug)]
pub(crate) struct TrainingJob {
    pub(crate) host: HostId,
    pub(crate) name: String,
    pub(crate) group: GroupName,
    /// The version of the template to learn. `None` if there are too few pages.
    pub(crate) version: Option<u32>,
    pub(crate) method: Method,
}

#[derive(Debug)]
pub(crate) struct TrainingResult {
    pub(crate) template: Option<PreparedTemplate>,
    pub(crate) pages: Vec<BufferedPage>,
}

/// Maximum number of pages per job. A host has more buffered pages only after its training failed.
const MOST: usize = 200;

/// Number of pages per read request to the store.
const AT_ONCE: usize = 20;

/// The document of one page: `None` if the page has no text, and an error if the page cannot be processed.
type DraftResult = Result<Option<Document>, String>;

#[derive(Debug)]
pub(crate) struct BufferedPage {
    pub(crate) key: UrlKey,
    pub(crate) document: Result<PackedDocument, Outcome>,
}

struct ParsedPage {
    origin: Origin,
    page: Page,
    usage: Usage,
}

pub(crate) fn train(
    job: &TrainingJob,
    store: &Store,
    now: Timestamp,
    rules: AdmissionRules<'_>,
) -> Result<TrainingResult, StoreError> {
    let pins = rules.pins;
    let (mut kept, mut keys, mut unreadable) = (Vec::new(), Vec::new(), Vec::new());
    let mut buffered = store.buffered(job.host)?;
    buffered.truncate(MOST);
    for part in buffered.chunks(AT_ONCE) {
        for (key, read) in part.iter().copied().zip(store.urls_with_pages(part)?) {
            match guarded(|| parsed(read)) {
                Ok(page) => {
                    keys.push(key);
                    kept.push(page);
                }
                Err(reason) => {
                    unreadable.push(BufferedPage { key, document: Err(Outcome::Unreadable { reason }) })
                }
            }
        }
    }
    let earlier = store.template(&job.name)?.and_then(|json| SiteTemplate::from_json(&json).ok());
    let is_outdated = store.host(&job.name)?.is_none_or(|host| host.outdated);
    let learn = |version| {
        let mut learned = SiteTemplate::learn_by(job.method, &job.name, version, now, &named(&kept));
        match &earlier {
            Some(earlier) if is_outdated => learned.remember(earlier),
            Some(earlier) => learned.extend(earlier),
            None => {}
        }
        learned
    };
    let template = job.version.map(learn).map(PreparedTemplate::new);
    let extract =
        |kept: &ParsedPage| guarded(|| Ok(draft(&kept.page, &kept.origin, template.as_ref(), pins)));
    let mut drafts: Vec<_> = kept.iter().map(extract).collect();
    if template.is_none() {
        separate_equal_texts(job, now, &kept, &mut drafts, pins);
    }
    let packed = |draft: DraftResult, usage| {
        rules.admit_draft(draft.map_err(|reason| Outcome::Unreadable { reason })?, usage)
    };
    let usages = kept.into_iter().map(|kept| kept.usage);
    let pages = keys.into_iter().zip(drafts).zip(usages);
    let pages = pages.map(|((key, draft), usage)| BufferedPage { key, document: packed(draft, usage) });
    Ok(TrainingResult { template, pages: pages.chain(unreadable).collect() })
}

fn parsed(read: UrlWithPage) -> Result<ParsedPage, String> {
    let (record, page) = read.map_err(|error| error.to_string())?;
    let record = record.ok_or("its URL has no record")?;
    let RawPage { body, content_type, fetched, usage } = page.ok_or("its raw page is missing")?;
    let url = CanonicalUrl::parse(&record.url).map_err(|error| error.to_string())?;
    let page = complete(&decode(&body, content_type.as_deref()).text);
    Ok(ParsedPage { origin: Origin { url, fetched }, page, usage })
}

fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("an error in gleaner".into()))
}

fn named(kept: &[ParsedPage]) -> Vec<(&str, &Page)> {
    kept.iter().map(|kept| (kept.origin.url.as_str(), &kept.page)).collect()
}

/// Finds pages with different titles from which the single-page method extracted the same text. This text is
/// boilerplate, and all but one of the pages would be lost as duplicates. Extracts these pages again, after a
/// comparison with all other pages.
fn separate_equal_texts(
    job: &TrainingJob,
    now: Timestamp,
    kept: &[ParsedPage],
    drafts: &mut [DraftResult],
    pins: &Pins,
) {
    let mut titles: HashMap<ContentHash, HashSet<Option<String>>> = HashMap::new();
    for document in drafts.iter().flatten().flatten() {
        titles.entry(document.content_hash).or_default().insert(document.title.clone());
    }
    let is_twin = |document: &Document| titles[&document.content_hash].len() > 1;
    if !drafts.iter().flatten().flatten().any(is_twin) {
        return;
    }
    let compared = PreparedTemplate::new(SiteTemplate::learn(&job.name, 0, now, &named(kept)));
    for (kept, slot) in kept.iter().zip(drafts) {
        if slot.as_ref().is_ok_and(|document| document.as_ref().is_some_and(is_twin))
            && let Some(mut better) = draft(&kept.page, &kept.origin, Some(&compared), pins)
        {
            better.template_version = None;
            *slot = Ok(Some(better));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(number: usize, story: &str) -> ParsedPage {
        let terms = "<p>All rights in these pages, their pictures and their sounds are reserved by the publisher, and whoever wants to use them has to ask for leave.</p>";
        let html = format!(
            "<title>Story {number}</title><article>{}{}</article><footer class=footer><p>{story} It was number {number}, and all went home.</p><p>{story} And so on.</p></footer>",
            terms.repeat(3),
            terms.replace("publisher", "owner").repeat(3)
        );
        let url = CanonicalUrl::parse(&format!("http://a.example/{number}")).unwrap();
        let (origin, page) = (Origin { url, fetched: Timestamp::UNIX_EPOCH }, Page::parse(&html));
        ParsedPage { origin, page, usage: Usage::default() }
    }

    #[test]
    fn different_articles_do_not_become_twins_by_their_boilerplate() {
        let stories = [
            "The bridge over the brook was opened by the oldest man of the village on Sunday.",
            "Nobody had expected the choir to win, least of all its conductor, who was asleep.",
            "Three lambs were found in the church this morning, warm and without any harm.",
        ];
        let kept: Vec<ParsedPage> =
            stories.iter().enumerate().map(|(number, story)| kept(number, story)).collect();
        let mut drafts: Vec<_> =
            kept.iter().map(|kept| Ok(draft(&kept.page, &kept.origin, None, &Pins::default()))).collect();
        let same = |drafts: &[DraftResult]| {
            let hashes = drafts.iter().flatten().flatten().map(|document| document.content_hash);
            hashes.collect::<HashSet<_>>().len() < drafts.len()
        };
        assert!(same(&drafts), "the single-page method is expected to fail here");
        let job = TrainingJob {
            host: HostId(0),
            name: "a.example".into(),
            group: "a.example".into(),
            version: None,
            method: Method::Template,
        };
        separate_equal_texts(&job, Timestamp::UNIX_EPOCH, &kept, &mut drafts, &Pins::default());
        assert!(!same(&drafts), "{drafts:#?}");
    }
}
