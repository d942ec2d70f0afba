//! Classifies the lines of a document's page.
//!
//! The page comes from the archive or, while the page is buffered for training, from the store. It is
//! classified with the host's newest template.
//!
//! Limitation: the stored text and the classified lines can differ, because the template can be newer than
//! the text, or the archive can contain a later version of the page.

use gleaner_corpus::Document;
use gleaner_crawl::{PageError, stored_page};
use gleaner_extract::template::{Extraction, PreparedTemplate, SiteTemplate};
use gleaner_frontier::UrlKey;
use gleaner_html::embedded::complete;
use gleaner_store::StoreError;

use crate::status::explain::{ExplanationInput, ListedLine, listed};
use crate::status::served::ServedCorpus;

pub(crate) const MAX_LINES: usize = 1_500;

/// The lines of a page, and the file to which the user adds pins for its host.
pub(crate) struct ClassifiedPage {
    pub(crate) lines: Vec<ListedLine>,
    pub(crate) pins_file: String,
}

pub(crate) fn classified(
    corpus: &ServedCorpus,
    document: &Document,
) -> Result<Option<ClassifiedPage>, StoreError> {
    let Some(html) = html(corpus, document)? else { return Ok(None) };
    let page = complete(&html);
    let template = corpus.store.template(&document.host)?;
    let template = template.and_then(|json| SiteTemplate::from_json(&json).ok()).map(PreparedTemplate::new);
    let pins = corpus.pins.for_host(&document.host);
    let judgement = match &template {
        Some(template) => template.extract(&page, pins),
        None => Extraction::cold(&page, pins),
    };
    let (url, template) = (Some(document.url.as_str()), template.as_ref().map(PreparedTemplate::template));
    let pins_file = pins.file_to_edit(&corpus.config.template.pins, &document.host);
    let file = Some(pins_file.as_str());
    let explained =
        ExplanationInput { page: &page, url, template, pins, pins_file: file, judgement: &judgement };
    Ok(Some(ClassifiedPage { lines: listed(&explained, MAX_LINES), pins_file }))
}

/// Returns the HTML of the document's page, or `None` if the corpus has no page or cannot read it. `gleaner
/// verify` reports unreadable pages.
pub(crate) fn html(corpus: &ServedCorpus, document: &Document) -> Result<Option<String>, StoreError> {
    let key = UrlKey::from_bytes(document.id.0);
    match stored_page(&corpus.config, &corpus.store, key) {
        Ok(page) => Ok(page.map(|page| page.html)),
        Err(PageError::Store(error)) => Err(error),
        Err(_) => Ok(None),
    }
}
