//! Classifies the lines of a document's page.
//!
//! The page comes from the archive, or from the store while it is buffered. It is classified as in a crawl,
//! with the host's newest template.
//!
//! Limitation: the two columns differ if the template is newer than the stored text's, or the archive has a
//! later version of the page.

use std::io::{Cursor, Read, Seek};

use gleaner_archive::files::names;
use gleaner_archive::{Item, Place, Reader};
use gleaner_corpus::Document;
use gleaner_frontier::UrlKey;
use gleaner_html::Page;
use gleaner_html::decode::decode;
use gleaner_store::{Archived, StoreError};
use gleaner_template::explain::{Explained, Listed, listed};
use gleaner_template::{Judgement, SiteTemplate};

use crate::site::Corpus;

pub(crate) const MOST_LINES: usize = 1_500;

/// Maximum size of a page in bytes: the default limit of a crawl.
const MOST_BYTES: usize = 8 << 20;

struct Raw {
    body: Vec<u8>,
    content_type: Option<String>,
}

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

pub(crate) fn text(corpus: &Corpus, document: &Document) -> Result<Option<String>, StoreError> {
    let raw = raw(corpus, document)?;
    Ok(raw.map(|raw| decode(&raw.body, raw.content_type.as_deref()).text.to_string()))
}

fn raw(corpus: &Corpus, document: &Document) -> Result<Option<Raw>, StoreError> {
    let key = UrlKey::from_bytes(document.id.0);
    if let Some(kept) = corpus.store.page(key)? {
        return Ok(Some(Raw { body: kept.body, content_type: kept.content_type }));
    }
    let archived = corpus.store.url(key)?.and_then(|record| record.archived);
    Ok(archived.and_then(|archived| archived_page(corpus, &archived)))
}

/// Returns an archived page; `None`: the file or record is missing or damaged (see `gleaner verify`).
fn archived_page(corpus: &Corpus, archived: &Archived) -> Option<Raw> {
    if corpus.store.is_shared() {
        let is_it = |(number, _): &(u32, _)| *number == archived.file;
        let (_, file) = corpus.store.archive_files().filter_map(Result::ok).find(is_it)?;
        let content = corpus.store.object(&file.name).ok()??;
        let from = usize::try_from(archived.offset).ok()?;
        return body(Reader::new(Cursor::new(content.get(from..)?), MOST_BYTES).ok()?);
    }
    let folder = gleaner_crawl::archive_folder(&corpus.config);
    let is_it = |name: &String| Place { file: name.clone(), offset: 0 }.number() == archived.file;
    let file = names(&folder).ok()?.into_iter().find(is_it)?;
    body(Reader::open(&folder.join(file), archived.offset, MOST_BYTES).ok()?)
}

fn body<R: Read + Seek>(mut reader: Reader<R>) -> Option<Raw> {
    let Ok(Item::Record(record)) = reader.next()? else { return None };
    let http = record.http()?;
    let content_type = http.header("content-type").map(str::to_owned);
    Some(Raw { body: http.payload(MOST_BYTES).body, content_type })
}
