//! Builds the document of a page, for a corpus.

use gleaner_corpus::{ContentHash, Document, DocumentId, Extras, Method, document_fields, language};
use gleaner_frontier::CanonicalUrl;
use gleaner_html::Page;
use gleaner_html::embedded::is_completed;
use gleaner_html::metadata::{Metadata, metadata_fetched};
use gleaner_html::text::{Line, LineKind, plain};
use jiff::Timestamp;

use crate::pins::Pins;
use crate::template::{Extraction, PreparedTemplate, SiteTemplate};

const MIN_DECLARED: u64 = 50;

/// Limits for the number of words in the text, relative to the number that the page declares. A text is
/// complete from `WHOLE` on, and incomplete below `PART`.
const WHOLE: f64 = 0.8;
const PART: f64 = 0.5;

/// The address of a page and the time of fetching.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The URL of the page.
    pub url: CanonicalUrl,
    /// When the page was fetched.
    pub fetched: Timestamp,
}

/// Builds the document of a page. Extracts the text with `template` or, if it is `None`, with the block model
/// alone. `pins` corrects the result. Returns `None` if no text was found.
#[must_use]
pub fn draft(
    page: &Page,
    origin: &Origin,
    template: Option<&PreparedTemplate>,
    pins: &Pins,
) -> Option<Document> {
    let extracted = match template {
        Some(template) => template.extract(page, pins),
        None => Extraction::cold(page, pins),
    };
    draft_from(page, origin, &extracted, template.map(PreparedTemplate::template))
}

/// Builds the document of a page from text that was extracted before. If a template was used for the
/// extraction, `template` must be this template. Returns `None` if no text was found.
#[must_use]
pub fn draft_from(
    page: &Page,
    origin: &Origin,
    extracted: &Extraction,
    template: Option<&SiteTemplate>,
) -> Option<Document> {
    let method = extracted.method;
    let by_template = template.filter(|_| method != Method::BlockModel);
    let version = by_template.map(|template| template.version);
    let is_embedded = method != Method::Detection && is_completed(page);
    let suffix = if is_embedded { "+embedded" } else { "" };
    let name = format!("{}{suffix}", method.name());
    let mut document = document_of(page, origin, &extracted.lines(), &name, version);
    if document.text.is_empty() {
        return None;
    }
    document.extras = absolute(&extracted.extras, page, origin);
    document.confidence = extracted.confidence().map(|it| (100.0 * it).round() as u8);
    Some(document)
}

/// Builds the document of a page with the text `lines`, which may be empty. `method` is the name of the extraction
/// method.
#[must_use]
pub fn document_of(
    page: &Page,
    origin: &Origin,
    lines: &[Line],
    method: &str,
    template_version: Option<u32>,
) -> Document {
    let text = plain(lines);
    let metadata = metadata_fetched(page, origin.url.as_str(), origin.fetched);
    let language = language(&text, metadata.language.as_deref());
    let mut document = Document {
        id: DocumentId(*origin.url.key().as_bytes()),
        url: origin.url.as_str().into(),
        host: origin.url.host().into(),
        language_probability: Some(language.hundredths()),
        language: language.tag,
        fetched: origin.fetched,
        complete: is_complete(&text, &metadata),
        article_type: metadata.article_type.map(|it| it.name().to_owned()),
        kinds: kinds(lines),
        content_hash: ContentHash::from_text(&text),
        method: method.into(),
        template_version,
        text,
        ..Document::default()
    };
    macro_rules! copy {
        ($($(#[doc = $meaning:literal])* $name:ident: $type:ty, page, $scope:ident, $position:literal;)*) => {
            $(document.$name = metadata.$name;)*
        };
    }
    document_fields!(page copy);
    document
}

/// Returns the extras with absolute links. Links that are not web URLs are dropped.
fn absolute(extras: &Extras, page: &Page, origin: &Origin) -> Extras {
    let base = page.iter().map(|(id, _)| id).find(|id| page.tag(*id) == Some("base"));
    let base =
        base.and_then(|id| page.attribute(id, "href")).and_then(|href| origin.url.url().join(href).ok());
    let base = base.as_ref().unwrap_or(origin.url.url());
    let links = extras.links.iter().zip(&extras.link_texts).filter_map(|(href, text)| {
        let url = base.join(href).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        Some((url.into(), text.clone()))
    });
    let (links, link_texts): (Vec<String>, Vec<String>) = links.unzip();
    Extras { links, link_texts, ..extras.clone() }
}

/// Decides whether a text is complete, from the declared number of words, an ellipsis at the end of the text,
/// and a declaration that the article is free. Returns `None` if none of them decides.
///
/// Limitation: words are sequences between white space. In languages without white space, the declared number
/// is ignored.
fn is_complete(text: &str, metadata: &Metadata) -> Option<bool> {
    let words = text.split_whitespace().count();
    let has_spaces = words > 0 && text.len() / words < 20;
    let declared = metadata.declared_words.filter(|declared| has_spaces && *declared >= MIN_DECLARED);
    let share = declared.map(|declared| words as f64 / declared as f64);
    match share {
        Some(share) if share >= WHOLE => Some(true),
        Some(share) if share < PART => Some(false),
        _ if text.ends_with(['…']) || text.ends_with("...") || text.ends_with("[...]") => Some(false),
        _ => metadata.paywalled.filter(|paywalled| !paywalled).map(|_| !text.is_empty()),
    }
}

/// Returns the value of [`Document::kinds`]. A preformatted block has one letter for each of its lines.
fn kinds(lines: &[Line]) -> String {
    let letter = |kind| match kind {
        LineKind::Paragraph => "p",
        LineKind::Heading => "h",
        LineKind::Item => "i",
        LineKind::Quote => "q",
        LineKind::Cell => "c",
        LineKind::Caption => "f",
        LineKind::Pre => "x",
    };
    lines.iter().map(|line| letter(line.kind).repeat(line.text.split('\n').count())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_whole_by_what_the_page_declares() {
        let cases = [
            ("x ".repeat(90), Some(100), None, Some(true)),
            ("x ".repeat(40), Some(100), None, Some(false)),
            ("x ".repeat(60), Some(100), None, None),
            ("x ".repeat(60), Some(100), Some(false), Some(true)),
            ("x ".repeat(9), Some(10), None, None),
            ("It rains …".to_owned(), None, Some(false), Some(false)),
            ("It rains.".to_owned(), None, Some(true), None),
            ("雨".repeat(60), Some(60), None, None),
        ];
        for (text, declared_words, paywalled, expected) in cases {
            let metadata = Metadata { declared_words, paywalled, ..Metadata::default() };
            assert_eq!(is_complete(&text, &metadata), expected, "{text} {metadata:?}");
        }
    }

    #[test]
    fn every_line_of_the_text_has_its_kind() {
        let page = Page::parse(
            "<h2>Rain</h2><p>It rains.<ul><li>here<li>there</ul><pre>a\n b</pre><blockquote>So what",
        );
        let lines = gleaner_html::text::lines(&page, 0, |_| true);
        assert_eq!(kinds(&lines), "hpiixxq");
        assert_eq!(kinds(&lines).len(), plain(&lines).split('\n').count());
    }
}
