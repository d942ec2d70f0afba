//! Implements detection: extracts a page's text by the DOM paths of its site, without the model.
//!
//! This is the second phase of FastContentExtractor (docs/papers.md), applied to lines. Training has found
//! the DOM paths of body text, so only lookups are needed for a page.
//!
//! 1. Lines that the site repeats are dropped.
//! 2. A DOM path *decides* on a line if at least `LEAST_PAGES` training pages have the DOM path, and at least
//!    two thirds of its lines on these pages had the same result, body text or boilerplate (`DECISIVE`).
//!    Lines of similar length have a higher weight
//!    ([`log_odds_of`](gleaner_extract::block_model::DomPathStats::log_odds_of)).
//! 3. An undecided line is body text if it is between two lines of body text with the same parent element, is
//!    inside this element, and is neither a caption nor a line of links.
//! 4. Lines of body text are dropped if their words show that they are credits, by-lines or "read more"
//!    lines.
//! 5. The remaining undecided lines are dropped. Detection fails in three cases: the undecided lines that are
//!    not lines of links have more than `MOST_OPEN` times the words of the body text; the body text has fewer
//!    than 30 words; the page is unlike the training pages ([`Health`]). Then [`SiteTemplate::extract`] must
//!    extract the page.
//!
//! Boilerplate subtrees ([`crate::boilerplate`]) are ignored. [`Detector::read`] skips them during parsing.
//!
//! The three thresholds were chosen on 20 recorded sites. The model for a site was trained without this site
//! (docs/evaluation.md). If the thresholds vary by a factor of three, F1 changes by 0.001 and the share of
//! detected pages by a tenth. Three measures together improved F1 by 0.0013: the use of final judgements
//! instead of those of the model, the weighting by length, and rule 3. Without them, detection reduces F1 by
//! the same amount. Half of the improvement comes from one site that has captions and authors' names at the
//! DOM paths of paragraphs.
//!
//! Limitation: a paragraph at a new DOM path, such as a quotation in a separate box, is lost if the other
//! text is long enough. A comment at the same DOM path as the article's paragraphs is included.

use gleaner_corpus::Extras;
use gleaner_extract::block_model::{DomPathStats, Known, KnownLine};
use gleaner_html::element_kinds::ElementKinds;
use gleaner_html::embedded::CLASS;
use gleaner_html::text::{LineKind, PlacedLine};
use gleaner_html::{NodeId, Page, PartialPage};

use crate::judgement::{FEW_WORDS, OUT, is_cut};
use crate::own_words::is_insert_by_its_words;
use crate::{ExtractedText, ExtractionMethod, Health, SiteTemplate};

/// Minimum number of training pages with a DOM path that decides. A single page may be an exception.
pub(crate) const LEAST_PAGES: u32 = 2;

/// Minimum log-odds of a DOM path that decides. They mean a ratio of two to one.
pub(crate) const DECISIVE: f32 = std::f32::consts::LN_2;

/// The log-odds of an undecided line between lines of body text. It is slightly more likely to be body text
/// than not.
const BETWEEN: f32 = 0.4;

/// Maximum ratio of words in undecided lines to words of body text on a page for which detection succeeds.
const MOST_OPEN: f32 = 0.3;

/// A template prepared for the detection of many pages.
#[derive(Debug, Clone)]
pub struct Detector {
    known: Known,
    boilerplate: ElementKinds,
    health: Health,
    /// Whether the site has DOM paths of body text.
    has_text: bool,
}

/// The decision of detection about a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Body text: the lines at its DOM path on the training pages were body text.
    Content,
    /// Body text: its DOM path does not decide, but the line is between lines of body text.
    Between,
    /// Not body text: its DOM path has body text, but its words show a credit, a by-line or a "read more"
    /// line.
    Insert,
    /// Not body text: the site repeats it.
    Repeated,
    /// Not body text: the lines at its DOM path on the training pages were boilerplate.
    Boilerplate,
    /// Not body text: its DOM path does not decide.
    Undecided,
    /// Not body text: it is in a boilerplate subtree.
    Subtree,
}

/// A decision with the log-odds that the line is body text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct DecidedLine {
    pub(crate) decision: Decision,
    pub(crate) log_odds: f32,
}

impl DecidedLine {
    fn from_line(line: &KnownLine) -> Self {
        let vote =
            line.dom_path.filter(|dom_path| dom_path.pages >= LEAST_PAGES).map(|dom_path| dom_path.log_odds);
        let (decision, log_odds) = match vote {
            _ if line.repeated => (Decision::Repeated, OUT),
            Some(vote) if vote >= DECISIVE => (Decision::Content, vote),
            Some(vote) if vote <= -DECISIVE => (Decision::Boilerplate, vote),
            vote => (Decision::Undecided, vote.unwrap_or_default().min(0.0)),
        };
        Self { decision, log_odds }
    }

    fn is_content(self) -> bool {
        matches!(self.decision, Decision::Content | Decision::Between)
    }

    fn chance(self) -> f32 {
        1.0 / (1.0 + (-self.log_odds).exp())
    }
}

fn decide(page: &Page, lines: &[KnownLine]) -> Vec<DecidedLine> {
    let mut decided: Vec<DecidedLine> = lines.iter().map(DecidedLine::from_line).collect();
    let around = |at: usize| page.node(lines[at].placed.block).parent;
    let mut before = None;
    for at in 0..lines.len() {
        if !decided[at].is_content() {
            continue;
        }
        if let Some(before) = before.replace(at).filter(|before| around(*before) == around(at)) {
            let within = page.subtree(around(at));
            for open in before + 1..at {
                let PlacedLine { line, block, .. } = &lines[open].placed;
                let may_be = line.kind != LineKind::Caption && !lines[open].is_link();
                if decided[open].decision == Decision::Undecided && may_be && within.contains(block) {
                    decided[open] = DecidedLine { decision: Decision::Between, log_odds: BETWEEN };
                }
            }
        }
    }
    decided
}

/// The result of detection.
pub(crate) struct DetectionResult {
    /// The lines outside boilerplate subtrees, in page order.
    pub(crate) lines: Vec<(PlacedLine, DecidedLine)>,
    /// Everything except the lines and extras, which are empty.
    pub(crate) extracted: ExtractedText,
}

impl DetectionResult {
    fn extracted(self) -> ExtractedText {
        let content = self.lines.into_iter().filter(|(_, decided)| decided.is_content());
        ExtractedText { lines: content.map(|(placed, _)| placed.line).collect(), ..self.extracted }
    }
}

impl Detector {
    /// Prepares a template. If the template has no training pages, every detection fails. Detection also
    /// fails on a site that embeds its articles as data ([`gleaner_html::embedded`]), because
    /// [`read`](Self::read) does not insert this data into the page.
    #[must_use]
    pub fn from_template(template: &SiteTemplate) -> Self {
        let boilerplate = ElementKinds::from_names(template.boilerplate.iter().map(String::as_str));
        let is_embedded = template
            .site
            .dom_paths
            .iter()
            .any(|(name, dom_path)| name.contains(CLASS) && dom_path.content > 0.0);
        let known = if is_embedded { Known::default() } else { Known::from_site(&template.site) };
        let is_text =
            |dom_path: &DomPathStats| dom_path.pages >= LEAST_PAGES && dom_path.log_odds() >= DECISIVE;
        let has_text = !is_embedded && template.site.dom_paths.values().any(is_text);
        Self { known, boilerplate, health: template.health, has_text }
    }

    /// Returns the text of a page of this site, or `None` if detection fails.
    ///
    /// [`ExtractedText::margin`] is computed from the votes of the DOM paths, weighted by words. Undecided
    /// lines reduce it. `known` and `repeated` are shares of the lines outside boilerplate subtrees.
    #[must_use]
    pub fn detect(&self, page: &Page) -> Option<ExtractedText> {
        self.detect_lines(page).map(DetectionResult::extracted)
    }

    /// Returns the DOM paths and repeated texts of the site if some of the DOM paths have body text.
    pub(crate) fn known(&self) -> Option<&Known> {
        Some(&self.known).filter(|_| self.has_text)
    }

    /// Like [`detect`](Self::detect), but also returns the decision about each line outside boilerplate.
    pub(crate) fn detect_lines(&self, page: &Page) -> Option<DetectionResult> {
        self.detect_outside(page, &self.boilerplate.outermost(page))
    }

    /// Parses a page without this site's boilerplate subtrees. The result is sufficient for
    /// [`detect_partly`](Self::detect_partly), metadata and links.
    #[must_use]
    pub fn read(&self, html: &str) -> PartialPage {
        Page::parse_partly(html, &self.boilerplate)
    }

    /// Like [`detect`](Self::detect), for a page parsed by [`read`](Self::read).
    #[must_use]
    pub fn detect_partly(&self, partly: &PartialPage) -> Option<ExtractedText> {
        self.detect_outside(&partly.page, &partly.left_out).map(DetectionResult::extracted)
    }

    fn detect_outside(&self, page: &Page, left_out: &[NodeId]) -> Option<DetectionResult> {
        if is_cut(page) {
            return None;
        }
        let lines = self.known.lines(page, |id| left_out.binary_search(&id).is_err());
        let mut decided = decide(page, &lines);
        let (mut found, mut sure, mut open) = (0, 0.0, 0);
        for (line, decided) in lines.iter().zip(&decided) {
            if decided.is_content() {
                found += line.words;
                sure += line.words as f32 * (2.0 * decided.chance() - 1.0);
            } else if decided.decision == Decision::Undecided && !line.is_link() {
                open += line.words;
            }
        }
        if found < FEW_WORDS || open as f32 > MOST_OPEN * found as f32 {
            return None;
        }
        let words = drop_inserts(&lines, &mut decided);
        let share = |count: usize| count as f32 / lines.len().max(1) as f32;
        let is_met =
            |line: &&KnownLine| line.repeated || line.dom_path.is_some_and(|dom_path| dom_path.pages > 1);
        let extracted = ExtractedText {
            lines: Vec::new(),
            method: ExtractionMethod::Detection,
            margin: sure / (found + open) as f32,
            known: share(lines.iter().filter(is_met).count()),
            repeated: share(lines.iter().filter(|line| line.repeated).count()),
            extras: Extras::default(),
        };
        let lines = lines.into_iter().map(|line| line.placed).zip(decided).collect();
        (!self.health.is_unlike(&extracted, words)).then_some(DetectionResult { lines, extracted })
    }
}

/// Drops lines of body text whose words show that they are inserts. Returns the number of words in the other
/// lines of body text.
fn drop_inserts(lines: &[KnownLine], decided: &mut [DecidedLine]) -> u32 {
    let content = lines.iter().zip(decided).filter(|(_, decided)| decided.is_content());
    let mut words = 0;
    for (before, (line, decided)) in content.enumerate() {
        if is_insert_by_its_words(&line.placed.line, line.words, line.link_share, before) {
            *decided = DecidedLine { decision: Decision::Insert, log_odds: OUT };
        } else {
            words += line.words;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use gleaner_html::text::plain;

    use super::*;
    use crate::{NotArticleReason, article};

    const SENTENCE: &str = "Rain fell on the valley for the third day in a row, and the river rose above it.";

    fn page(number: usize, more: &str) -> Page {
        let story = (0..4).map(|at| format!("<p>{SENTENCE} It was story {number}, part {at}, of many.</p>"));
        Page::parse(&format!(
            "<title>Story {number}</title><ul class=menu><li><a href=/>Home of the news</a></ul>\
             <h1>Story {number}</h1><div class=story>{}</div>{more}\
             <div class=talk><p>I said so, says reader {number}.</p></div><p>All rights are reserved.</p>",
            story.collect::<String>()
        ))
    }

    fn template() -> SiteTemplate {
        let pages: Vec<Page> = (0..8).map(|number| page(number, "")).collect();
        let pages: Vec<_> = pages.iter().map(|page| ("https://a.example/", page)).collect();
        SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &pages)
    }

    #[test]
    fn what_stands_at_the_sites_places_is_its_text() {
        let (template, page) = (template(), page(70, ""));
        let detected = Detector::from_template(&template).detect(&page).unwrap();
        let full = template.extract(&page);
        assert_eq!(plain(&detected.lines), plain(&full.lines));
        assert!(detected.known > 0.5 && detected.repeated < full.repeated, "{detected:?}");
        assert_eq!(detected.method, ExtractionMethod::Detection);
        assert!(detected.margin > 0.5 && detected.margin <= 1.0, "{detected:?}");
        assert!(!template.health.compare(&detected).unlike);
    }

    #[test]
    fn what_places_do_not_tell_is_left_to_the_full_method() {
        let detector = Detector::from_template(&template());
        let new = |sentences: usize| format!("<section>{}</section>", SENTENCE.repeat(sentences));
        for (more, is_detected) in [(new(1), true), (new(9), false)] {
            assert_eq!(detector.detect(&page(71, &more)).is_some(), is_detected, "{more}");
        }
        let links = format!("<section><a href=/>{}</a></section>", SENTENCE.repeat(9));
        assert!(detector.detect(&page(72, &links)).is_some());
        for other in ["", "<p>All rights are reserved.</p>", "<main><p>A new design of the page.</p></main>"]
        {
            assert_eq!(detector.detect(&Page::parse(other)), None);
        }
    }

    #[test]
    fn what_stands_between_content_is_content() {
        let detector = Detector::from_template(&template());
        let story = |between: &str| {
            let paragraph = format!("<p>{SENTENCE} It was a story of two parts, of many.</p>").repeat(2);
            let page = Page::parse(&format!("<div class=story>{paragraph}{between}{paragraph}</div>"));
            detector.detect(&page).map(|detected| plain(&detected.lines).contains("on two"))
        };
        assert_eq!(story("<ul><li>Rain fell on two days.</ul>"), Some(true));
        assert_eq!(story("<figure><figcaption>Rain fell on two days.</figcaption></figure>"), Some(false));
        assert_eq!(story("<ul><li><a href=/>Rain fell on two days.</a></ul>"), Some(false));
        assert_eq!(story("</div><ul><li>Rain fell on two days.</ul><div class=story>"), Some(false));
    }

    #[test]
    fn a_hub_of_the_site_is_told_by_its_places() {
        let template = template();
        let detector = Detector::from_template(&template);
        let rejected = |detector: &Detector, page: &Page| {
            article::without_model(page, "https://a.example/news", detector.known())
        };
        let teasers = (0..9).map(|at| format!("<li><a href=/{at}>Story {at} of the valley</a> It rained."));
        let hub = Page::parse(&format!("<ul class=list>{}</ul>", teasers.collect::<String>()));
        let own = SENTENCE.repeat(3);
        let foot = "<p>This is the paper of the valley, of its people and of its river.</p>";
        let dated = "<meta property=article:published_time content=2026-11-20T08:00:00Z>";
        let news = |head: &str, dom_path: &str| {
            Page::parse(&format!(
                "{head}<h1>Story</h1><div class={dom_path}><p>{own}</p></div><ul>{}</ul>{foot}",
                "<li><a href=/>A story of the valley and of its rain</a>".repeat(9)
            ))
        };
        let undated = "<meta property=og:type content=article>";
        assert_eq!(rejected(&detector, &hub), Some(NotArticleReason::TooLittleText));
        assert_eq!(rejected(&detector, &news(undated, "other")), Some(NotArticleReason::Hub));
        assert_eq!(
            rejected(&detector, &news(undated, "story")),
            None,
            "it has a line at a place of body text"
        );
        assert_eq!(rejected(&detector, &news(dated, "other")), None, "it declares a dated article");
        let empty = SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &[]);
        assert_eq!(rejected(&Detector::from_template(&empty), &news(undated, "other")), None);
    }

    #[test]
    fn a_text_of_another_order_is_not_detected() {
        let detector = Detector::from_template(&template());
        let long =
            Page::parse(&format!("<div class=story>{}</div>", format!("<p>{SENTENCE}</p>").repeat(99)));
        assert_eq!(detector.detect(&long), None);
    }

    #[test]
    fn without_learning_pages_nothing_is_detected() {
        let empty = SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &[]);
        assert_eq!(Detector::from_template(&empty).detect(&page(1, "")), None);
    }
}
