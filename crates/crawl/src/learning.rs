//! Learning a host's template from its gathered pages, and going back over them.
//!
//! Runs on a worker thread and reads the raw pages from the store. A host with too
//! few pages gets no template; its pages are then extracted one by one.

use gleaner_frontier::{CanonicalUrl, UrlKey};
use gleaner_html::Page;
use gleaner_html::decode::decode;
use gleaner_store::{RawPage, Store, StoreError, UrlRecord};
use gleaner_template::SiteTemplate;
use jiff::Timestamp;

use crate::job::Lesson;
use crate::reading::{Draft, Origin, draft};

/// What a lesson gave.
#[derive(Debug)]
pub(crate) struct Learned {
    /// The template; `None` where there were too few pages.
    pub(crate) template: Option<SiteTemplate>,
    /// The gathered pages in the order in which they were gathered.
    pub(crate) pages: Vec<Gathered>,
}

/// One gathered page, extracted.
#[derive(Debug)]
pub(crate) struct Gathered {
    pub(crate) key: UrlKey,
    pub(crate) record: UrlRecord,
    /// `None`: no text was found in it.
    pub(crate) draft: Option<Draft>,
}

struct Kept {
    key: UrlKey,
    record: UrlRecord,
    origin: Origin,
    page: Page,
}

/// Works through a host's gathered pages.
pub(crate) fn learn(lesson: &Lesson, store: &Store, now: Timestamp) -> Result<Learned, StoreError> {
    let mut kept = Vec::new();
    for key in store.gathered(lesson.host)? {
        let damaged = |reason: &str| StoreError::Damaged { what: "a gathered page", reason: reason.into() };
        let record = store.url(key)?.ok_or_else(|| damaged("its URL has no record"))?;
        let RawPage { body, content_type, fetched } =
            store.page(key)?.ok_or_else(|| damaged("its bytes are not there"))?;
        let url = CanonicalUrl::parse(&record.url).map_err(|error| damaged(&error.to_string()))?;
        let page = Page::parse(&decode(&body, content_type.as_deref()).text);
        kept.push(Kept { key, record, origin: Origin { url, fetched }, page });
    }
    let template = lesson.version.map(|version| {
        let pages =
            kept.iter().map(|kept| (kept.origin.url.as_str().to_owned(), kept.page.clone())).collect();
        SiteTemplate::learn(&lesson.name, version, now, pages)
    });
    let extract = |Kept { key, record, origin, page }| Gathered {
        key,
        record,
        draft: draft(&page, &origin, template.as_ref()),
    };
    let pages = kept.into_iter().map(extract).collect();
    Ok(Learned { template, pages })
}
