//! Extracts the text of a page: one method for pages with and without a template of their site.
//!
//! The log-odds that a line is body text are the sum of the evidence: what the page itself shows (the block model), what
//! the site's template knows about the line's DOM path ([`PathEvidence`](block_model::PathEvidence)), what the site
//! repeats, what the line's own words show, and what the user's pins say. Without a template, only the template's
//! evidence is missing.
//!
//! With a template, most lines need no model:
//!
//! 1. A line that the site repeats is not body text.
//! 2. A DOM path *decides* if the model would almost certainly say the same of every line there, or if the lines of many
//!    pages are alike there ([`PathEvidence::decision`](block_model::PathEvidence::decision)).
//! 3. A line between two lines of body text with the same parent element, inside this element, is body text, unless it
//!    is a caption or a line of links. Any other line of links at an undecided DOM path is not body text. Neither is a
//!    very short line at an unknown DOM path, nor a short line away from the body text, unless its DOM path speaks for
//!    body text.
//! 4. The model decides about the other lines. If no line is left, or if the answers would hardly change the text, the
//!    page is extracted by *detection*, the second phase of FastContentExtractor (docs/papers.md) applied to lines.
//!
//! If the decided lines are hardly any text, if a main heading stands between them, which may begin another story, or if
//! the page is unlike the training pages ([`Health`](super::Health)), the template does not know the page. Then the model
//! decides about all lines, and of the template only the repeated text counts. So a template never overrules the model
//! by ignorance.
//!
//! In the end, the lines around a line correct its judgement (`lines::context`).
//!
//! The thresholds were chosen on 20 recorded sites with models that were trained without the site (docs/evaluation.md).

use crate::site_methods::PublishedTemplate;
use gleaner_corpus::{Extras, Insert, Method};
use gleaner_html::element_kinds::ElementKinds;
use gleaner_html::embedded::CLASS;
use gleaner_html::text::Line;
use gleaner_html::{NodeId, Page, PartialPage};

use crate::article::{self, NotArticleReason, PageClass, judge_blocks};
use crate::block_model::{self, ClassifiedBlock, Forest, MANY_PAGES, MAX_LOG_ODDS, PathIndex, Reason};
use crate::lines::own_words::is_insert_by_its_words;
use crate::lines::{context, extras, inserts};
use crate::pins::{Pin, Pins};
use crate::template::decide::{Decided, MIN_OUTSIDE_WORDS, decide};
use crate::template::published::classify;
use crate::template::{SiteTemplate, confidence};

/// The text of a page, and what decided about each of its lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Extraction {
    /// The lines in page order, with their log-odds and the evidence.
    pub blocks: Vec<ClassifiedBlock>,
    /// The pin of each line, or `None` if no pin selects it.
    pub pins: Vec<Option<Pin>>,
    /// For each line that is included as an insert, the kind of the insert. `None` for all other lines.
    /// Inserts are extracted although they are not body text.
    pub inserts: Vec<Option<Insert>>,
    /// The method that extracted the text.
    pub method: Method,
    /// The margin of the extraction, 0 to 1 ([`block_model::margin`]).
    pub margin: f32,
    /// The share of the page's lines, 0 to 1, that the site repeats or that are at known DOM paths. A DOM
    /// path is known if at least two training pages have a line there.
    pub known: f32,
    /// The share of the page's lines, 0 to 1, that the site repeats.
    pub repeated: f32,
    /// Whether the model decided about lines that few training pages of the template have: lines of body text, or long
    /// ones. From such a page, the template can learn.
    pub has_new_paths: bool,
    /// The parts of the page that are stored in addition to its text. Links are as written on the page.
    pub extras: Extras,
}

/// Whether the end of the page was not read because the page is too large. This happens if [`Page::parse`]
/// cut the page, or if the page has more blocks than the model reads.
#[must_use]
pub fn is_cut(page: &Page) -> bool {
    page.truncated() || block_model::is_cut(page)
}

impl Extraction {
    /// Extracts a page without a template.
    #[must_use]
    pub fn cold(page: &Page, pins: &Pins) -> Self {
        Self::cold_with(block_model::built_in(), page, pins)
    }

    /// Like [`cold`](Self::cold), but with the given model.
    #[must_use]
    pub fn cold_with(model: &Forest, page: &Page, pins: &Pins) -> Self {
        Self::of_model(block_model::classify(page, model), page, pins)
    }

    /// Like [`cold`](Self::cold), but also decides whether the page is an article ([`judge`](crate::article::judge)). The
    /// block model runs only once. `url` is the page's canonical URL, or empty if unknown.
    #[must_use]
    pub fn with_class(page: &Page, url: &str, pins: &Pins) -> (Self, PageClass) {
        let blocks = block_model::classify(page, block_model::built_in());
        let class = judge_blocks(page, url, &blocks);
        (Self::of_model(blocks, page, pins), class)
    }

    fn of_model(mut blocks: Vec<ClassifiedBlock>, page: &Page, pins: &Pins) -> Self {
        context::correct(page, &[], &mut blocks);
        Self::new(blocks, Method::BlockModel, page, pins)
    }

    /// Builds the extraction of a page whose lines have the log-odds of all evidence but their words and the pins.
    pub(crate) fn new(mut blocks: Vec<ClassifiedBlock>, method: Method, page: &Page, pins: &Pins) -> Self {
        let of_lines = pins.decide(page, &mut blocks);
        if !method.is_published() {
            drop_inserts(&mut blocks, &of_lines);
        }
        let share = |lines: usize| lines as f32 / blocks.len().max(1) as f32;
        let met = |block: &&ClassifiedBlock| {
            block.removed.is_some() || block.path.is_some_and(|path| path.pages > 1)
        };
        let known = share(blocks.iter().filter(met).count());
        let repeated = share(blocks.iter().filter(|block| block.removed.is_some()).count());
        let has_new_paths = blocks.iter().any(is_new);
        let margin = block_model::margin(&blocks);
        let extras = extras::find(page, &blocks, pins.extras());
        let inserts = inserts::find(page, &blocks, pins.inserts(), |at| of_lines[at].is_none());
        for (block, insert) in blocks.iter_mut().zip(&inserts) {
            let line = &mut block.placed.line;
            line.kind = insert.map_or(line.kind, |insert| inserts::kind(insert, line.kind));
        }
        Self { blocks, pins: of_lines, inserts, method, margin, known, repeated, has_new_paths, extras }
    }

    /// Returns the lines of the text in page order: the body text and the included inserts. If no line is body text,
    /// the text may be a guess ([`block_model::lines`]).
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        // Inserts are included only if there is body text.
        if self.inserts.iter().all(Option::is_none) {
            return block_model::lines(&self.blocks);
        }
        let blocks = self.blocks.iter().zip(&self.inserts);
        let extracted = blocks.filter(|(block, insert)| block.is_content() || insert.is_some());
        extracted.map(|(block, _)| block.placed.line.clone()).collect()
    }

    /// Returns the number of words of body text.
    #[must_use]
    pub fn words(&self) -> u32 {
        self.blocks.iter().filter(|block| block.is_content()).map(|block| block.words).sum()
    }

    /// Returns the confidence of the text: the estimated probability, 0 to 1, that its word F1 is at least 0.9. Returns
    /// `None` for the published methods.
    #[must_use]
    pub fn confidence(&self) -> Option<f32> {
        confidence(self.method, self.margin)
    }
}

/// Whether the model decided about a line of body text, or a long line, at a DOM path that few training pages have.
fn is_new(block: &ClassifiedBlock) -> bool {
    block.reason == Reason::Model
        && (block.is_content() || block.words >= MIN_OUTSIDE_WORDS)
        && block.path.is_none_or(|path| path.pages < MANY_PAGES)
}

/// Drops lines of body text whose words show that they are credits, by-lines or "read more" lines, unless a pin keeps
/// them.
fn drop_inserts(blocks: &mut [ClassifiedBlock], pins: &[Option<Pin>]) {
    let content = blocks.iter_mut().zip(pins).filter(|(block, _)| block.is_content());
    for (before, (block, pin)) in content.enumerate() {
        if pin.is_none() && is_insert_by_its_words(&block.placed.line, block.words, block.link_share, before)
        {
            (block.log_odds, block.reason) = (-MAX_LOG_ODDS, Reason::Words);
        }
    }
}

/// A template with its lookups. A crawl, `gleaner extract`, `gleaner doctor`, the status page and Python all use it to
/// extract pages, so that their results agree.
#[derive(Debug, Clone)]
pub struct PreparedTemplate {
    template: SiteTemplate,
    index: PathIndex,
    boilerplate: ElementKinds,
    has_text: bool,
    /// Whether the site embeds its articles as data ([`gleaner_html::embedded`]), which [`Self::read`] does not insert
    /// into the page.
    is_embedded: bool,
}

impl PartialEq for PreparedTemplate {
    fn eq(&self, other: &Self) -> bool {
        self.template == other.template
    }
}

impl PreparedTemplate {
    /// Prepares a template.
    #[must_use]
    pub fn new(template: SiteTemplate) -> Self {
        let index = PathIndex::from_site(&template.site);
        let boilerplate = ElementKinds::from_names(template.boilerplate.iter().map(String::as_str));
        let has_text = template.site.has_text();
        let is_embedded =
            template.site.dom_paths.iter().any(|(name, stats)| name.contains(CLASS) && stats.all().sum > 0.0);
        Self { template, index, boilerplate, has_text, is_embedded }
    }

    /// Returns the template.
    #[must_use]
    pub fn template(&self) -> &SiteTemplate {
        &self.template
    }

    pub(crate) fn into_template(self) -> SiteTemplate {
        self.template
    }

    /// Returns the DOM paths and repeated texts of the site, if some of the DOM paths decide that lines are body text.
    pub(crate) fn index(&self) -> Option<&PathIndex> {
        Some(&self.index).filter(|_| self.has_text)
    }

    /// Parses a page without this site's boilerplate subtrees. The result is sufficient for [`detect`](Self::detect),
    /// metadata and links.
    #[must_use]
    pub fn read(&self, html: &str) -> PartialPage {
        Page::parse_partly(html, &self.boilerplate)
    }

    /// Extracts a page of the site without the model. Returns `None` if the model is needed, or if the page is too large
    /// to be read as a whole.
    #[must_use]
    pub fn detect(&self, partly: &PartialPage) -> Option<Extraction> {
        if !self.has_text || is_cut(&partly.page) || self.is_embedded {
            return None;
        }
        let mut blocks = self.lines_outside(&partly.page, &partly.left_out);
        match decide(&partly.page, &mut blocks) {
            Decided::Known(asked) if asked.is_empty() => {}
            _ => return None,
        }
        context::correct(&partly.page, &partly.left_out, &mut blocks);
        let extraction = Extraction::new(blocks, Method::Detection, &partly.page, &Pins::default());
        (!self.template.is_unlike(&extraction)).then_some(extraction)
    }

    /// Extracts a page of the site. The result agrees with that of [`detect`](Self::detect), unless the pins change it.
    #[must_use]
    pub fn extract(&self, page: &Page, pins: &Pins) -> Extraction {
        self.extract_with(block_model::built_in(), page, pins)
    }

    /// Like [`extract`](Self::extract), but with the given model.
    #[must_use]
    pub fn extract_with(&self, model: &Forest, page: &Page, pins: &Pins) -> Extraction {
        let unknown = || self.extract_unknown(page, block_model::classify(page, model), pins);
        self.extract_known(page, pins, model).unwrap_or_else(unknown)
    }

    /// Extracts a page of the site, if it is an article ([`judge`](crate::article::judge)). If the template knows the page,
    /// only the rules without a model decide this. `url` is the page's canonical URL, or empty if unknown.
    ///
    /// # Errors
    /// The reason why the page is not an article.
    pub fn extract_article(
        &self,
        page: &Page,
        url: &str,
        pins: &Pins,
    ) -> Result<Extraction, NotArticleReason> {
        article::extract_article(self, page, url, pins)
    }

    /// Decides whether a page of the site is an article, in the same way as a crawl: a page that detection extracts is one,
    /// and [`extract_article`](Self::extract_article) decides about other pages.
    #[must_use]
    pub fn judge(&self, page: &Page, url: &str) -> PageClass {
        let pins = Pins::default();
        if self.extract(page, &pins).method == Method::Detection {
            return PageClass::Article;
        }
        self.extract_article(page, url, &pins).map_or_else(PageClass::NotArticle, |_| PageClass::Article)
    }

    /// Like [`extract`](Self::extract), for a training page of the template, with the answers of the model.
    pub(crate) fn extract_classified(&self, page: &Page, blocks: &[ClassifiedBlock]) -> Extraction {
        let pins = Pins::default();
        let known = self.extract_asking(page, &pins, &mut |_| blocks.to_vec());
        known.unwrap_or_else(|| self.extract_unknown(page, blocks.to_vec(), &pins))
    }

    /// Extracts a page that the template does not know. `blocks` are its lines with the answers of the model.
    pub(crate) fn extract_unknown(
        &self,
        page: &Page,
        mut blocks: Vec<ClassifiedBlock>,
        pins: &Pins,
    ) -> Extraction {
        if let Some(published) = &self.template.published {
            return by_published(published, page, pins);
        }
        self.index.mark(page, &mut blocks);
        for block in blocks.iter_mut().filter(|block| block.removed.is_some()) {
            block.add_evidence();
        }
        Extraction::of_model(blocks, page, pins)
    }

    /// Extracts a page that the template knows. Asks the model about the lines in doubt. Returns `None` if the template
    /// does not know the page.
    pub(crate) fn extract_known(&self, page: &Page, pins: &Pins, model: &Forest) -> Option<Extraction> {
        self.extract_asking(page, pins, &mut |asked| block_model::classify_some(page, model, asked))
    }

    /// Extracts a page that the template knows. `ask` returns lines of the page with the answers of the model, also for
    /// the lines that begin at the given nodes.
    fn extract_asking(
        &self,
        page: &Page,
        pins: &Pins,
        ask: &mut dyn FnMut(&[NodeId]) -> Vec<ClassifiedBlock>,
    ) -> Option<Extraction> {
        if !self.has_text || self.template.published.is_some() {
            return None;
        }
        let left_out = self.boilerplate.outermost(page);
        let mut blocks = self.lines_outside(page, &left_out);
        let Decided::Known(open) = decide(page, &mut blocks) else { return None };
        let is_detected = open.is_empty() && !is_cut(page) && !self.is_embedded;
        if !open.is_empty() {
            let asked: Vec<NodeId> = open.iter().map(|at| blocks[*at].placed.nodes.start).collect();
            let answers = ask(&asked);
            for at in open {
                let start = blocks[at].placed.nodes.start;
                if let Ok(found) = answers.binary_search_by_key(&start, |answer| answer.placed.nodes.start) {
                    let answer = &answers[found];
                    let block = &mut blocks[at];
                    (block.model, block.removed) = (answer.model, answer.removed);
                    block.add_evidence();
                }
            }
        }
        context::correct(page, &left_out, &mut blocks);
        let method = if is_detected { Method::Detection } else { Method::Template };
        let unpinned = Extraction::new(blocks.clone(), method, page, &Pins::default());
        if self.template.is_unlike(&unpinned) {
            return None;
        }
        self.add_subtrees(page, &left_out, &mut blocks);
        let pinned = Extraction::new(blocks, method, page, pins);
        let Extraction { margin, known, repeated, has_new_paths, .. } = unpinned;
        Some(Extraction { margin, known, repeated, has_new_paths, ..pinned })
    }

    fn lines_outside(&self, page: &Page, left_out: &[NodeId]) -> Vec<ClassifiedBlock> {
        self.index.lines(page, |id| left_out.binary_search(&id).is_err())
    }

    /// Adds the lines of boilerplate subtrees, and the name of each line's DOM path.
    fn add_subtrees(&self, page: &Page, left_out: &[NodeId], blocks: &mut Vec<ClassifiedBlock>) {
        if !left_out.is_empty() {
            let mut outside = std::mem::take(blocks).into_iter().peekable();
            for mut line in self.index.lines(page, |_| true) {
                (line.log_odds, line.reason) = (-MAX_LOG_ODDS, Reason::Subtree);
                blocks.push(outside.next_if(|block| block.placed == line.placed).unwrap_or(line));
            }
        }
        for block in blocks {
            block.dom_path = self.index.dom_path(page, block.placed.block, block.link_share);
        }
    }
}

/// Extracts a page with a published method, which has no evidence and no fallback, and does not check the words of
/// lines.
fn by_published(published: &PublishedTemplate, page: &Page, pins: &Pins) -> Extraction {
    Extraction::new(classify(published, page), published.method(), page, pins)
}

#[cfg(test)]
mod tests {
    use gleaner_html::text::plain;

    use super::*;

    const STORY: &str = "<h1>Rain</h1><div class=story><p class=lead>The rain, which fell on the valley for the \
        third day in a row, went on, and the river rose above the old bridge.</p></div>\
        <div class=talk><p>I never liked that bridge, and I have said so for years, as you all know.</p></div>";

    fn text(pins: &Pins, template: Option<&SiteTemplate>) -> String {
        let page = Page::parse(STORY);
        let extraction = match template {
            Some(template) => PreparedTemplate::new(template.clone()).extract(&page, pins),
            None => Extraction::cold(&page, pins),
        };
        gleaner_html::text::plain(&extraction.lines())
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
            ("<p>Story continues below advertisement", true),
            ("<p>Advertisement", true),
            ("<p>QUẢNG CÁO", true),
            ("<p>Advertisement is what pays for the paper.", false),
        ];
        for (html, is_out) in cases {
            let page = Page::parse(html);
            let extraction = Extraction::cold_with(&all, &page, &Pins::default());
            assert_eq!(extraction.lines().is_empty(), is_out, "{html}");
            let asked = Insert::ALL.into_iter().collect();
            let pins = Pins::default().with_inserts(asked, "--keep");
            let back = Extraction::cold_with(&all, &page, &pins);
            assert!(is_out || back.inserts == [None], "{html}");
        }
    }

    #[test]
    fn without_pins_nothing_is_pinned() {
        let judgement = Extraction::cold(&Page::parse(STORY), &Pins::default());
        assert_eq!(judgement.pins, [None; 3]);
        assert_eq!(judgement.blocks.len(), 3);
        let nothing = Extraction::cold(&Page::parse(""), &Pins::default());
        assert_eq!((nothing.blocks.len(), nothing.margin), (0, 0.0));
    }

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

    fn template() -> PreparedTemplate {
        let pages: Vec<Page> = (0..8).map(|number| page(number, "")).collect();
        let pages: Vec<_> = pages.iter().map(|page| ("https://a.example/", page)).collect();
        PreparedTemplate::new(SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &pages))
    }

    /// Extracts a page if the template needs no model for it.
    fn detect(template: &PreparedTemplate, page: &Page) -> Option<Extraction> {
        let extraction = template.extract(page, &Pins::default());
        Some(extraction).filter(|it| it.method == Method::Detection)
    }

    #[test]
    fn known_dom_paths_give_the_text() {
        let (template, page) = (template(), page(70, ""));
        let detected = detect(&template, &page).unwrap();
        let cold = Extraction::cold(&page, &Pins::default());
        assert_eq!(plain(&detected.lines()), plain(&cold.lines()));
        assert!(detected.known > 0.5 && detected.repeated > 0.0, "{detected:?}");
        assert!(detected.margin > 0.5 && detected.margin <= 1.0, "{detected:?}");
        assert!(!template.template().compare(&detected).unlike);
    }

    #[test]
    fn a_known_page_with_a_line_in_doubt_is_an_article_unless_the_rules_refuse_it() {
        let (template, url) = (template(), "https://a.example/story");
        let doubtful = format!("<section><p>{SENTENCE}</p></section>");
        let article = template.extract_article(&page(72, &doubtful), url, &Pins::default()).unwrap();
        assert_eq!(article.method, Method::Template);
        assert_eq!(template.judge(&page(72, &doubtful), url), PageClass::Article);
        assert_eq!(template.judge(&page(73, ""), url), PageClass::Article);
        let author = "https://a.example/staff/ann-weaver";
        let refused = template.extract_article(&page(72, &doubtful), author, &Pins::default());
        assert_eq!(refused.unwrap_err(), NotArticleReason::Listing);
        assert_eq!(
            template.judge(&page(72, &doubtful), author),
            PageClass::NotArticle(NotArticleReason::Listing)
        );
        assert_eq!(template.judge(&page(73, ""), author), PageClass::Article, "a crawl detects it first");
    }

    #[test]
    fn a_gallery_at_known_dom_paths_is_not_an_article() {
        let of_captions = |number: usize| {
            let caption = |at: usize| {
                format!("<figcaption>{SENTENCE} It was picture {number}, number {at}.</figcaption>")
            };
            let captions: String = (0..9).map(caption).collect();
            Page::parse(&format!(
                "<title>Pictures {number}</title><h1>Pictures {number}</h1><div class=story>{captions}</div>"
            ))
        };
        let mut template = template().into_template();
        let name = template.site.dom_paths.keys().find(|name| name.contains("story")).unwrap().clone();
        let stats = template.site.dom_paths[&name];
        let paths: Vec<String> = SiteTemplate::learn(
            "a.example",
            1,
            jiff::Timestamp::UNIX_EPOCH,
            &[("https://a.example/", &of_captions(1))],
        )
        .site
        .dom_paths
        .into_keys()
        .filter(|name| name.contains("figcaption"))
        .collect();
        template.site.dom_paths.extend(paths.into_iter().map(|path| (path, stats)));
        let template = PreparedTemplate::new(template);
        let extracted = template.extract(&of_captions(2), &Pins::default());
        assert!(extracted.method != Method::BlockModel && !extracted.lines().is_empty(), "{extracted:?}");
        let found = template.extract_article(&of_captions(2), "https://a.example/pictures", &Pins::default());
        assert_eq!(found.unwrap_err(), NotArticleReason::Gallery);
    }

    #[test]
    fn unknown_dom_paths_need_the_model() {
        let template = template();
        let section = |text: &str| format!("<section>{text}</section>");
        let link = section(&format!("<a href=/>{}</a>", SENTENCE.repeat(9)));
        for (more, is_detected) in
            [(section("Rain fell on it."), true), (link, true), (section(SENTENCE), false)]
        {
            assert_eq!(detect(&template, &page(71, &more)).is_some(), is_detected, "{more}");
        }
        for other in ["", "<p>All rights are reserved.</p>", "<main><p>A new design of the page.</p></main>"]
        {
            assert_eq!(detect(&template, &Page::parse(other)), None);
        }
    }

    #[test]
    fn doubtful_lines_do_not_matter_in_a_long_text() {
        let template = template();
        let story = |paragraphs: usize| {
            let story = format!("<p>{SENTENCE}</p>").repeat(paragraphs);
            Page::parse(&format!("<div class=story>{story}</div><section>{SENTENCE}</section>"))
        };
        // 18 words at an unknown DOM path count as 5.4 words, which are 0.5% of 1,080 words.
        for (paragraphs, is_detected) in [(4, false), (59, false), (61, true)] {
            assert_eq!(detect(&template, &story(paragraphs)).is_some(), is_detected, "{paragraphs}");
        }
    }

    #[test]
    fn lines_between_body_text_are_body_text() {
        let template = template();
        let story = |between: &str| {
            let paragraph = format!("<p>{SENTENCE} It was a story of two parts, of many.</p>").repeat(2);
            let page = Page::parse(&format!("<div class=story>{paragraph}{between}{paragraph}</div>"));
            detect(&template, &page).map(|detected| plain(&detected.lines()).contains("on two"))
        };
        assert_eq!(story("<ul><li>Rain fell on two days.</ul>"), Some(true));
        assert_eq!(story("<figure><figcaption>Rain fell on two days.</figcaption></figure>"), None);
        assert_eq!(story("<ul><li><a href=/>Rain fell on two days.</a></ul>"), Some(false));
        assert_eq!(story("</div><ul><li>Rain fell on two days.</ul><div class=story>"), None);
    }

    #[test]
    fn dom_paths_show_that_a_page_is_a_hub() {
        let template = template();
        let rejected = |template: &PreparedTemplate, page: &Page| {
            article::without_model(page, "https://a.example/news", template.index())
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
        assert_eq!(rejected(&template, &hub), Some(NotArticleReason::TooLittleText));
        assert_eq!(rejected(&template, &news(undated, "other")), Some(NotArticleReason::Hub));
        assert_eq!(
            rejected(&template, &news(undated, "story")),
            None,
            "it has a line at a place of body text"
        );
        assert_eq!(rejected(&template, &news(dated, "other")), None, "it declares a dated article");
        let empty = SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &[]);
        assert_eq!(rejected(&PreparedTemplate::new(empty), &news(undated, "other")), None);
    }

    #[test]
    fn a_text_of_any_length_at_known_dom_paths_is_detected() {
        for paragraphs in [2, 99] {
            let story = format!("<p>{SENTENCE}</p>").repeat(paragraphs);
            let page = Page::parse(&format!("<div class=story>{story}</div>"));
            let detected = detect(&template(), &page).map(|detected| detected.lines().len());
            assert_eq!(detected, Some(paragraphs));
        }
    }

    #[test]
    fn without_training_pages_nothing_is_detected() {
        let empty = SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &[]);
        assert_eq!(detect(&PreparedTemplate::new(empty), &page(1, "")), None);
    }
}
