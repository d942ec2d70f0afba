//! Classifies the lines of a document's page.
//!
//! The page comes from the archive, or from the store while it is buffered. It is classified as in a crawl,
//! with the host's newest template.
//!
//! Limitation: the two columns differ if the template is newer than the stored text's, or the archive has a
//! later version of the page.

use gleaner_corpus::Document;
use gleaner_crawl::{PageError, stored_page};
use gleaner_frontier::UrlKey;
use gleaner_html::Page;
use gleaner_store::StoreError;
use gleaner_template::explain::{Explained, Listed, listed};
use gleaner_template::{Judgement, SiteTemplate};

use crate::site::Corpus;

pub(crate) const MOST_LINES: usize = 1_500;

pub(crate) fn lines(corpus: &Corpus, document: &Document) -> Result<Option<Vec<Listed>>, StoreError> {
    let Some(text) = text(corpus, document)? else { return Ok(None) };
    let page = Page::parse(&text);
    let template = corpus.store.template(&document.host)?;
    let template = template.and_then(|json| SiteTemplate::from_json(&json).ok());
    let pins = corpus.pins.of(&document.host);
    let judgement = Judgement::new(&page, template.as_ref(), pins);
    let url = Some(document.url.as_str());
    let explained = Explained { page: &page, url, template: template.as_ref(), pins, judgement: &judgement };
    Ok(Some(listed(&explained, MOST_LINES)))
}

/// Returns the document's page; `None`: the corpus has none, or it cannot be read (see `gleaner verify`).
pub(crate) fn text(corpus: &Corpus, document: &Document) -> Result<Option<String>, StoreError> {
    let key = UrlKey::from_bytes(document.id.0);
    match stored_page(&corpus.config, &corpus.store, key) {
        Ok(page) => Ok(page.map(|page| page.html)),
        Err(PageError::Store(error)) => Err(error),
        Err(_) => Ok(None),
    }
}
