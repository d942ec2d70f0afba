//! Builds the document of a page.

use gleaner_corpus::{ContentHash, Document, DocumentId, language};
use gleaner_frontier::CanonicalUrl;
use gleaner_html::Page;
use gleaner_html::embedded::is_completed;
use gleaner_html::metadata::metadata_at;
use gleaner_html::text::{Line, LineKind, plain};
use gleaner_template::{Extracted, Judgement, Method, Pins, SiteTemplate};
use jiff::Timestamp;

/// The origin of a page.
#[derive(Debug, Clone)]
pub struct Origin {
    /// The URL of the page.
    pub url: CanonicalUrl,
    /// When the page was fetched.
    pub fetched: Timestamp,
}

/// A document that is not yet in the corpus.
#[derive(Debug)]
pub struct Draft {
    /// The document.
    pub document: Document,
}

/// Builds the document of a page. The text is extracted with the host's pins and template, or with the
/// single-page method if there is no template. Returns `None` if no text was found.
#[must_use]
pub fn draft(page: &Page, origin: &Origin, template: Option<&SiteTemplate>, pins: &Pins) -> Option<Draft> {
    draft_from(page, origin, &Judgement::new(page, template, pins).extracted(), template)
}

pub(crate) fn draft_from(
    page: &Page,
    origin: &Origin,
    extracted: &Extracted,
    template: Option<&SiteTemplate>,
) -> Option<Draft> {
    let Extracted { lines, method, confidence, .. } = extracted;
    let by_template = template.filter(|_| *method != Method::BlockModel);
    let version = by_template.map(|template| template.version);
    let is_embedded = *method != Method::Detection && is_completed(page);
    let suffix = if is_embedded { "+embedded" } else { "" };
    let mut draft = draft_of(page, origin, lines, &format!("{method}{suffix}"), version)?;
    draft.document.confidence = method.has_confidence().then(|| (100.0 * confidence).round() as u8);
    Some(draft)
}

/// Builds the document of a page with the text `lines`. Returns `None` if the text is empty.
#[must_use]
pub fn draft_of(
    page: &Page,
    origin: &Origin,
    lines: &[Line],
    method: &str,
    template_version: Option<u32>,
) -> Option<Draft> {
    let text = plain(lines);
    if text.is_empty() {
        return None;
    }
    let metadata = metadata_at(page, origin.url.as_str());
    let language = language(&text, metadata.language.as_deref());
    let document = Document {
        id: DocumentId(*origin.url.key().as_bytes()),
        url: origin.url.as_str().into(),
        host: origin.url.host().into(),
        title: metadata.title,
        language_probability: Some(language.hundredths()),
        language: language.tag,
        fetched: origin.fetched,
        published: metadata.published,
        modified: metadata.modified,
        kinds: kinds(lines),
        authors: metadata.authors,
        section: metadata.section,
        canonical: metadata.canonical,
        content_hash: ContentHash::from_text(&text),
        method: method.into(),
        template_version,
        confidence: None,
        text,
    };
    Some(Draft { document })
}

/// Returns the value of [`Document::kinds`]. Only preformatted lines contain line breaks.
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
    fn every_line_of_the_text_has_its_kind() {
        let page = Page::parse(
            "<h2>Rain</h2><p>It rains.<ul><li>here<li>there</ul><pre>a\n b</pre><blockquote>So what",
        );
        let lines = gleaner_html::text::lines(&page, 0, |_| true);
        assert_eq!(kinds(&lines), "hpiixxq");
        assert_eq!(kinds(&lines).len(), plain(&lines).split('\n').count());
    }
}
