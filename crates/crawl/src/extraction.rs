//! Extracts the document of a page in a worker thread, or tells why the page is not an article.

use gleaner_corpus::{Admission, AdmissionRefusal, Document, Usage};
use gleaner_extract::article::judge;
use gleaner_extract::draft::{Origin, draft_from};
use gleaner_extract::template::{Extraction, PreparedTemplate};
use gleaner_extract::{NotArticleReason, PageClass, PageFit, Pins};
use gleaner_frontier::{Outcome, Role};
use gleaner_html::{Page, PartialPage};
use gleaner_store::{PackedDocument, PackedPage, RawPage};
use jiff::Timestamp;

use crate::page_robots::PageRobots;
use crate::visit::Visit;

/// The label of a page with hardly any words and few links, such as the notice that a site is down.
const NEARLY_EMPTY: &str = "nearly_empty";
/// Maximum number of links of a nearly empty page.
const MAX_MENU_LINKS: usize = 30;

#[derive(Debug)]
pub(crate) struct ExtractedArticle {
    pub(crate) document: Result<PackedDocument, Outcome>,
    pub(crate) fit: PageFit,
    /// The raw page, if it differs from the template's training pages.
    pub(crate) raw: Option<PackedPage>,
}

/// The pins of a host, and the rules that decide which documents enter the corpus and which links are followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AdmissionRules<'a> {
    pub(crate) pins: &'a Pins,
    pub(crate) admission: &'a Admission,
    pub(crate) robots: &'a PageRobots,
}

impl AdmissionRules<'_> {
    /// Turns a draft into a document for the store, or into an outcome if the document is refused.
    pub(crate) fn admit_draft(
        self,
        draft: Option<Document>,
        usage: Usage,
    ) -> Result<PackedDocument, Outcome> {
        let draft = draft.ok_or_else(|| Outcome::NotArticle { reason: "no_text".into() })?;
        self.admission
            .admit(Document { usage, ..draft })
            .map(PackedDocument::from_document)
            .map_err(outcome_of)
    }
}

pub(crate) fn outcome_of(refusal: AdmissionRefusal) -> Outcome {
    match refusal {
        AdmissionRefusal::Language(language) => Outcome::OtherLanguage { language },
        AdmissionRefusal::Condition(condition) => Outcome::Filtered { condition },
        refusal @ (AdmissionRefusal::PublishedBefore(_) | AdmissionRefusal::Disallowed(_)) => {
            Outcome::Excluded { rule: refusal.to_string() }
        }
    }
}

/// Extracts an article with only the DOM paths in its host's template, without parsing the whole page.
///
/// This function does not call [`judge`](gleaner_extract::article::judge). In a test with 23 pages that are not
/// articles, from two sites, it accepted none of them, and `judge` accepted two.
pub(crate) fn detected(
    visit: &Visit,
    prepared: &PreparedTemplate,
    partly: &PartialPage,
    fetched: Timestamp,
    usage: &Usage,
    rules: AdmissionRules<'_>,
) -> Option<ExtractedArticle> {
    let extracted = prepared.detect(partly)?;
    let origin = Origin { url: visit.url.clone(), fetched };
    let draft = draft_from(&partly.page, &origin, &extracted, Some(prepared.template()));
    let fit = prepared.template().compare(&extracted);
    Some(ExtractedArticle { document: rules.admit_draft(draft, usage.clone()), fit, raw: None })
}

/// Extracts an article with its host's template and pins. The template's health is measured on the text
/// without pins. Pins would hide failures of the template, or make every page differ from the training pages.
///
/// # Errors
/// The label of the reason why the page is not an article.
pub(crate) fn extracted(
    visit: &Visit,
    page: &Page,
    html: &str,
    raw: RawPage,
    prepared: &PreparedTemplate,
    rules: AdmissionRules<'_>,
) -> Result<ExtractedArticle, &'static str> {
    let (pins, template) = (rules.pins, prepared.template());
    let origin = Origin { url: visit.url.clone(), fetched: raw.fetched };
    let unpinned = article_of(visit.record.role, prepared, visit.url.as_str(), html, page)?;
    let fit = template.compare(&unpinned);
    let extracted = if pins.is_empty() { unpinned } else { prepared.extract(page, pins) };
    let draft = draft_from(page, &origin, &extracted, Some(template));
    let kept = fit.is_worth_keeping().then(|| PackedPage::from_page(&raw));
    Ok(ExtractedArticle { document: rules.admit_draft(draft, raw.usage), fit, raw: kept })
}

/// Returns the label of the reason why a page is not an article, or `None` if the page is an article.
///
/// For [`Role::Page`], a crawl calls this function only if detection did not extract the page. `template`
/// belongs to the page's host. `html` is the decoded source, and `page` is the parsed source.
#[must_use]
pub fn rejection(
    role: Role,
    template: Option<&PreparedTemplate>,
    url: &str,
    html: &str,
    page: &Page,
) -> Option<&'static str> {
    match template {
        Some(template) => article_of(role, template, url, html, page).err(),
        None => rejection_of_unknown(role, url, html, page),
    }
}

/// Like [`rejection`], for a page of a host without a template.
pub(crate) fn rejection_of_unknown(role: Role, url: &str, html: &str, page: &Page) -> Option<&'static str> {
    let class = || match judge(page, url) {
        PageClass::NotArticle(reason) => Some(label(reason, page)),
        // A front page is never an article.
        PageClass::Article => (role == Role::Front).then_some("front_page"),
    };
    refused_source(role, html).or_else(class)
}

/// Extracts a page without pins, if it is an article. The error is the label of the reason why it is not.
fn article_of(
    role: Role,
    template: &PreparedTemplate,
    url: &str,
    html: &str,
    page: &Page,
) -> Result<Extraction, &'static str> {
    if let Some(refused) = refused_source(role, html) {
        return Err(refused);
    }
    match template.extract_article(page, url, &Pins::default()) {
        Ok(_) if role == Role::Front => Err("front_page"),
        extracted => extracted.map_err(|reason| label(reason, page)),
    }
}

fn refused_source(role: Role, html: &str) -> Option<&'static str> {
    (role != Role::Front && is_binary(html)).then_some("binary")
}

fn label(reason: NotArticleReason, page: &Page) -> &'static str {
    match reason {
        NotArticleReason::TooLittleText if has_few_links(page) => NEARLY_EMPTY,
        reason => reason.label(),
    }
}

/// Whether a page has at most a menu of links. With hardly any text, it may be the notice of a server in trouble. Pages
/// of videos and lists have more links.
fn has_few_links(page: &Page) -> bool {
    gleaner_html::links::links(page).anchors.len() <= MAX_MENU_LINKS
}

/// Whether a page is binary data: over 2% of the characters are control characters or undecodable.
fn is_binary(text: &str) -> bool {
    let is_odd = |byte: &&u8| matches!(byte, 0..=8 | 14..=31 | 127);
    // In UTF-8, the control characters from U+0080 to U+009F have two bytes. U+0085 is white space.
    let is_odd_pair = |pair: &&[u8]| matches!(pair, [0xC2, 0x80..=0x84 | 0x86..=0x9F]);
    let bytes = text.as_bytes();
    let count = bytes.iter().filter(is_odd).count() + bytes.windows(2).filter(is_odd_pair).count();
    (count + text.matches(char::REPLACEMENT_CHARACTER).count()) * 50 > text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_data_is_no_page() {
        for (text, expected) in [
            ("Rain fell\ton the valley.\r\n", false),
            ("", false),
            ("PK\u{3}\u{4}\u{14}", true),
            ("\u{FFFD}PNG\u{85}", true),
            ("\u{80}\u{9F}", true),
            ("\u{A0}\u{C2}\u{85}", false),
        ] {
            assert_eq!(is_binary(text), expected, "{text:?}");
        }
        assert!(!is_binary(&format!("{}\u{7F}", "a".repeat(49))));
        assert!(is_binary(&format!("{}\u{7F}", "a".repeat(48))));
    }
}
