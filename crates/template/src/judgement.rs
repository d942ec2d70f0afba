//! Uses the template, the model and the pins to decide for every line of a page whether it is body text.
//!
//! 1. The template's votes and the model judge each line. Pins override both.
//! 2. If the margin of this result is low, or if it has almost no text, the page is judged again without the
//!    votes. The result with the higher margin is used.
//! 3. A line of body text is dropped if its words show that it is a credit, a by-line or a "read more" line.
//! 4. Requested inserts are included ([`crate::inserts`]).
//!
//! [`SiteTemplate::extract`] returns only the text of a judgement, and [`crate::explain`] shows all of it. A
//! crawl first tries to extract the page without a judgement, by detection ([`crate::detection`]).
//! [`PreparedTemplate::classify`](crate::PreparedTemplate::classify) returns a judgement that agrees with the
//! result of a crawl.

use gleaner_corpus::{Extras, Insert};
use gleaner_extract::block_model::{self, ClassifiedBlock, Forest, PageBlocks, SiteModel};
use gleaner_html::Page;
use gleaner_html::text::{Line, PlacedLine};

use crate::article::judge_blocks;
use crate::detection::{DecidedLine, Decision, DetectionResult};
use crate::own_words::is_insert_by_its_words;
use crate::{
    ExtractedText, ExtractionMethod, PageClass, Pin, Pins, PublishedTemplate, SiteTemplate, extras, inserts,
};

pub(crate) const FEW_WORDS: u32 = 30;

/// If the margin is below this value, the page is also judged without the votes.
const UNSURE: f32 = 0.5;

/// The log-odds of a line whose words show that it is not body text. They mean near certainty.
pub(crate) const OUT: f32 = -6.0;

/// The judgement of a page's lines.
#[derive(Debug, Clone, PartialEq)]
pub struct LineClassification {
    /// The lines in page order, with their log-odds and the values from which these were computed.
    pub blocks: Vec<ClassifiedBlock>,
    /// The pin of each line, or `None` if no pin selects it.
    pub pins: Vec<Option<Pin>>,
    /// For each line that is included as an insert, the kind of the insert. `None` for all other lines.
    /// Inserts are extracted although they are not body text.
    pub inserts: Vec<Option<Insert>>,
    /// The decision of detection about each line. Empty if detection did not extract the page.
    pub decisions: Vec<Decision>,
    /// The method that judged the lines without a pin.
    pub method: ExtractionMethod,
    /// The margin of the classification, 0 to 1 ([`block_model::margin`]).
    pub margin: f32,
    /// The share of the lines, 0 to 1, that the site repeats or that are at known DOM paths
    /// ([`ExtractedText::known`]).
    pub known: f32,
    /// The share of lines that the site repeats, 0 to 1.
    pub repeated: f32,
    /// The parts of the page that are stored in addition to its text. Links are as written on the page.
    pub extras: Extras,
}

/// Whether the end of the page was not judged because the page is too large. This happens if [`Page::parse`]
/// cut the page, or if the page has more blocks than the model reads.
#[must_use]
pub fn is_cut(page: &Page) -> bool {
    page.truncated() || block_model::is_cut(page)
}

impl LineClassification {
    /// Judges a page with the template of its site, or without a template if `template` is `None`.
    #[must_use]
    pub fn new(page: &Page, template: Option<&SiteTemplate>, pins: &Pins) -> Self {
        Self::of_with(block_model::built_in(), page, template, pins)
    }

    /// Judges the lines of a page without a template, and decides whether the page is an article
    /// ([`judge`](crate::judge)). The block model runs only once. `url` is the page's canonical URL, or empty
    /// if unknown.
    #[must_use]
    pub fn with_class(page: &Page, url: &str, pins: &Pins) -> (Self, PageClass) {
        let blocks = block_model::classify(page, block_model::built_in());
        let class = judge_blocks(page, url, &blocks);
        (Self::without_template(blocks, page, pins), class)
    }

    /// Like [`new`](Self::new), but with the given model.
    #[must_use]
    pub fn of_with(model: &Forest, page: &Page, template: Option<&SiteTemplate>, pins: &Pins) -> Self {
        match published(template) {
            Some(published) => Self::by_published(published, page, pins),
            None => Self::of_blocks(model, PageBlocks::read(page), template, pins),
        }
    }

    /// Like [`of_with`](Self::of_with), for a page whose blocks were read before.
    pub(crate) fn of_blocks(
        model: &Forest,
        blocks: PageBlocks,
        template: Option<&SiteTemplate>,
        pins: &Pins,
    ) -> Self {
        let page = blocks.page();
        if let Some(published) = published(template) {
            return Self::by_published(published, page, pins);
        }
        match template.map(|template| &template.site).filter(|site| site.pages > 0) {
            Some(site) => Self::of_judged(blocks.classify(site, model), page, site, pins),
            None => Self::without_template(blocks.classify(&SiteModel::default(), model), page, pins),
        }
    }

    fn without_template(blocks: Vec<ClassifiedBlock>, page: &Page, pins: &Pins) -> Self {
        let site = SiteModel::default();
        Self::pinned(blocks, ExtractionMethod::BlockModel, &site, page, pins).with_inserts(page, pins)
    }

    /// Judges with a published method, which has no votes and no fallback, and does not check the words of
    /// lines.
    fn by_published(published: &PublishedTemplate, page: &Page, pins: &Pins) -> Self {
        let (judged, method) = (published.classify(page), published.method());
        let mut judgement = Self::pinned(judged, method, &SiteModel::default(), page, pins);
        judgement.restore_pinned(page, pins);
        judgement
    }

    pub(crate) fn of_judged(
        judged: Vec<ClassifiedBlock>,
        page: &Page,
        site: &SiteModel,
        pins: &Pins,
    ) -> Self {
        Self::more_confident(judged, page, site, pins).with_inserts(page, pins)
    }

    fn more_confident(judged: Vec<ClassifiedBlock>, page: &Page, site: &SiteModel, pins: &Pins) -> Self {
        let by_template = Self::pinned(judged, ExtractionMethod::Template, site, page, pins);
        let few = by_template.words() < FEW_WORDS;
        if !few && by_template.margin >= UNSURE {
            return by_template;
        }
        let blocks = without_votes(by_template.blocks.clone());
        let alone = Self::pinned(blocks, ExtractionMethod::BlockModel, site, page, pins);
        let surer = alone.margin > by_template.margin && (!few || alone.words() > by_template.words());
        if surer { alone } else { by_template }
    }

    /// Replaces the judgement of every line by the decision of detection.
    pub(crate) fn with_detection(self, detected: DetectionResult) -> Self {
        let DetectionResult { lines, extracted } = detected;
        let ExtractedText { method, margin, known, repeated, .. } = extracted;
        let mut lines = lines.into_iter().peekable();
        let mut decide = |mut block: ClassifiedBlock| {
            let is_it = |(placed, _): &(PlacedLine, DecidedLine)| *placed == block.placed;
            let outside = DecidedLine { decision: Decision::Subtree, log_odds: OUT };
            let DecidedLine { decision, log_odds } =
                lines.next_if(is_it).map_or(outside, |(_, decided)| decided);
            block.removed = block.removed.filter(|_| decision == Decision::Repeated);
            block.log_odds = log_odds;
            (block, decision)
        };
        let (blocks, decisions) = self.blocks.into_iter().map(&mut decide).unzip();
        Self { blocks, decisions, method, margin, known, repeated, ..self }
    }

    fn with_inserts(mut self, page: &Page, pins: &Pins) -> Self {
        self.drop_short_lines();
        self.restore_pinned(page, pins);
        self
    }

    fn pinned(
        mut blocks: Vec<ClassifiedBlock>,
        method: ExtractionMethod,
        site: &SiteModel,
        page: &Page,
        pins: &Pins,
    ) -> Self {
        let pins = pins.decide(page, &mut blocks);
        let margin = block_model::margin(&blocks);
        let share = |lines: usize| lines as f32 / blocks.len().max(1) as f32;
        let met = |block: &ClassifiedBlock| {
            site.dom_paths.get(&block.dom_path).is_some_and(|dom_path| dom_path.pages > 1)
        };
        let known = share(blocks.iter().filter(|block| block.removed.is_some() || met(block)).count());
        let repeated = share(blocks.iter().filter(|block| block.removed.is_some()).count());
        let inserts = vec![None; blocks.len()];
        let (decisions, extras) = (Vec::new(), Extras::default());
        Self { blocks, pins, inserts, decisions, method, margin, known, repeated, extras }
    }

    /// Drops lines whose words show that they are credits, by-lines or "read more" lines, unless a pin keeps
    /// them.
    fn drop_short_lines(&mut self) {
        let content = self.blocks.iter_mut().zip(&self.pins).filter(|(block, _)| block.is_content());
        for (before, (block, pin)) in content.enumerate() {
            let line = &block.placed.line;
            if pin.is_none() && is_insert_by_its_words(line, block.words, block.link_share, before) {
                block.log_odds = OUT;
            }
        }
    }

    fn restore_pinned(&mut self, page: &Page, pins: &Pins) {
        self.extras = extras::find(page, &self.blocks, pins.extras());
        self.inserts = inserts::find(page, &self.blocks, pins.inserts(), |at| self.pins[at].is_none());
        for (block, insert) in self.blocks.iter_mut().zip(&self.inserts) {
            let line = &mut block.placed.line;
            line.kind = insert.map_or(line.kind, |insert| inserts::kind(insert, line.kind));
        }
    }

    fn words(&self) -> u32 {
        self.blocks.iter().filter(|block| block.is_content()).map(|block| block.words).sum()
    }

    /// Returns the text of the page: the body text and the included inserts. If no line is body text, the
    /// text may be a guess ([`block_model::lines`]).
    #[must_use]
    pub fn extracted(self) -> ExtractedText {
        let lines = self.lines();
        let Self { method, margin, known, repeated, extras, .. } = self;
        ExtractedText { lines, method, margin, known, repeated, extras }
    }

    fn lines(&self) -> Vec<Line> {
        // Inserts are included only if there is body text.
        if self.inserts.iter().all(Option::is_none) {
            return block_model::lines(&self.blocks);
        }
        let blocks = self.blocks.iter().zip(&self.inserts);
        let extracted = blocks.filter(|(block, insert)| block.is_content() || insert.is_some());
        extracted.map(|(block, _)| block.placed.line.clone()).collect()
    }
}

fn published(template: Option<&SiteTemplate>) -> Option<&PublishedTemplate> {
    template.and_then(|template| template.published.as_ref())
}

/// Returns the judgement of the model alone, without votes and pins. Repeated lines are still excluded.
fn without_votes(mut judged: Vec<ClassifiedBlock>) -> Vec<ClassifiedBlock> {
    for judged in &mut judged {
        judged.log_odds = judged.alone;
    }
    judged
}

#[cfg(test)]
mod tests {
    use super::*;

    const STORY: &str = "<h1>Rain</h1><div class=story><p class=lead>The rain, which fell on the valley for the \
        third day in a row, went on, and the river rose above the old bridge.</p></div>\
        <div class=talk><p>I never liked that bridge, and I have said so for years, as you all know.</p></div>";

    fn text(pins: &Pins, template: Option<&SiteTemplate>) -> String {
        let extracted = LineClassification::new(&Page::parse(STORY), template, pins).extracted();
        gleaner_html::text::plain(&extracted.lines)
    }

    #[test]
    fn pins_win_with_a_template_and_without() {
        let pages = [1, 2, 3].map(|number| Page::parse(&format!("<title>{number}</title>{STORY}")));
        let pages: Vec<_> = pages.iter().map(|page| ("https://a.example/", page)).collect();
        // A template learned from one story under three titles treats all text as repeated.
        let template = SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &pages);
        assert_eq!(text(&Pins::default(), Some(&template)), "");
        let pins = Pins::new("x.toml", &[(1, "div.story")], &[(2, ".talk, h1")]).unwrap();
        for template in [Some(&template), None] {
            let text = text(&pins, template);
            assert!(text.starts_with("The rain, which") && text.ends_with("old bridge."), "{text}");
        }
    }

    #[test]
    fn what_says_itself_that_it_is_an_insert_is_out() {
        let all = Forest::new(vec![block_model::Tree { splits: Vec::new(), leaves: vec![3.0] }]);
        let cases = [
            ("<p>By Anna Weaver", true),
            ("<p>By Monday the river had risen.", false),
            ("<p>By noon it was over", false),
            ("<p>Photo: Anna Berg", true),
            ("<p>Photo: this is what the farmers had on their walls.", false),
            ("<p>Photographs hung on the walls", false),
            ("<p>Ảnh: Ngọc Thành", true),
            ("<p>Also read: <a href=/x>The bridge that nobody wanted</a>", true),
            ("<p>Xem thêm: <a href=/x>Cây cầu không ai muốn</a>", true),
            ("<p>See also what the mayor said on Monday", false),
            ("<h2>By Anna Weaver</h2>", false),
        ];
        for (html, is_out) in cases {
            let page = Page::parse(html);
            let judgement = LineClassification::of_with(&all, &page, None, &Pins::default());
            assert_eq!(judgement.extracted().lines.is_empty(), is_out, "{html}");
            let asked = Insert::ALL.into_iter().collect();
            let back = LineClassification::of_with(
                &all,
                &page,
                None,
                &Pins::default().with_inserts(asked, "--keep"),
            );
            assert!(is_out || back.inserts == [None], "{html}");
        }
    }

    #[test]
    fn without_pins_nothing_is_pinned() {
        let judgement = LineClassification::new(&Page::parse(STORY), None, &Pins::default());
        assert_eq!(judgement.pins, [None; 3]);
        assert_eq!(judgement.blocks.len(), 3);
        let nothing = LineClassification::new(&Page::parse(""), None, &Pins::default());
        assert_eq!((nothing.blocks.len(), nothing.margin), (0, 0.0));
    }
}
