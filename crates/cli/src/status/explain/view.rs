//! Renders an explained page: the header, the legend, and one row per line.

use gleaner_corpus::Method;
use gleaner_crawl::render::page::{fact, file};
use gleaner_crawl::render::text::{count, number};
use gleaner_extract::PageClass;
use gleaner_extract::article::judge;
use gleaner_extract::block_model::ClassifiedBlock;
use gleaner_extract::lines::class::{ClassReason, LineClass};
use gleaner_extract::pins::Pin;
use gleaner_extract::template::{PreparedTemplate, SiteTemplate};
use gleaner_html::metadata::metadata;
use gleaner_html::text::LineKind;
use maud::{Markup, PreEscaped, html};

use super::class_names::{CLASSES, label, style_name};
use super::pinning::{Suggestion, pin, suggestions};
use super::why::{chance, percent, why};
use super::{ExplanationInput, classes};

/// Maximum size in bytes of the rows of an explanation. A longer list is cut, and a note in the document says
/// so.
pub(crate) const MAX_BYTES: usize = 3 << 20;

const MAX_CHARACTERS: usize = 4_000;

/// Minimum number of consecutive lines of one class that are folded.
const FOLD_FROM: usize = 6;
const UNFOLDED: usize = 3;

const MAX_INDENT: u32 = 12;

/// A line with a probability in this range is in doubt.
const DOUBT: std::ops::Range<f32> = 0.3..0.7;

const MAX_DOUBTS: usize = 12;

const COLUMNS: [(&str, Option<&str>); 6] = [
    ("Line", None),
    ("Content", Some("chance that it is content, all things considered")),
    ("Model", Some("chance by the model alone")),
    ("Place", Some("chance by what stood at its place on other pages")),
    ("Words", Some("number of words")),
    ("Links", Some("share of words in links")),
];

pub(super) struct ExplanationView<'a> {
    explained: &'a ExplanationInput<'a>,
    classes: Vec<(LineClass, ClassReason)>,
    least_depth: u32,
    selectors: Vec<Vec<Suggestion>>,
}

fn lines(lines: usize) -> String {
    count(lines as u64, "line")
}

impl<'a> ExplanationView<'a> {
    pub(super) fn from_explained(explained: &'a ExplanationInput<'a>) -> Self {
        let blocks = &explained.judgement.blocks;
        let depth = |block: &ClassifiedBlock| explained.page.node(block.placed.block).depth;
        let classes = classes(explained);
        let is_content: Vec<bool> = classes.iter().map(|(class, _)| *class == LineClass::Content).collect();
        Self {
            explained,
            classes,
            selectors: suggestions(explained.page, blocks, &is_content),
            least_depth: blocks.iter().map(depth).min().unwrap_or(0),
        }
    }

    pub(super) fn file(&self) -> String {
        let stated = metadata(self.explained.page);
        let title = stated.title.as_deref().unwrap_or("A page without a title");
        let body = html! {
            header {
                p.program { "gleaner template explain" }
                h1 dir="auto" { (title) }
                @if let Some(url) = self.explained.url { p.url { (url) } }
                (self.facts())
                (self.legend())
            }
            main {
                p.note {
                    "A line opens to the reasons, the figures and pins that correct it. A box above hides the \
                     lines of its kind; ? marks a line in doubt."
                }
                p.note { (self.how_to_pin()) }
                div.columns { @for (name, meaning) in COLUMNS { span title=[meaning] { (name) } } }
                (self.list(stated.language.as_deref().unwrap_or_default()))
            }
        };
        let style = [super::COLOURS, include_str!("style.css")].concat();
        file(&format!("{title} - explained"), &style, &body)
    }

    fn facts(&self) -> Markup {
        let (content, words) = self.sum(|class| class == LineClass::Content);
        let (all, all_words) = self.sum(|_| true);
        let content = format!(
            "{} of {}, in {} of {}",
            number(words),
            count(all_words, "word"),
            number(content as u64),
            lines(all)
        );
        let ExplanationInput { page, template, judgement, .. } = self.explained;
        let url = self.explained.url.unwrap_or_default();
        let class = match template {
            Some(template) => PreparedTemplate::new(SiteTemplate::clone(template)).judge(page, url),
            None => judge(page, url),
        };
        html! {
            dl.facts {
                (fact("Judged by", &html! { (self.judged_by()) }))
                @if let Some(confidence) = judgement.confidence() {
                    (fact("Confidence", &html! { (percent(confidence)) }))
                }
                (fact("Content", &html! { (content) }))
                @if let PageClass::NotArticle(reason) = class {
                    (fact("Looks like", &html! { "no article: " (reason.to_string()) }))
                }
                @if !self.explained.pins.selects_nothing() { (fact("Pinned", &html! { (self.pinned()) })) }
                (fact("In doubt", &self.doubts()))
                @if self.explained.page.truncated() {
                    (fact("Cut", &html! { "the page was too costly to parse whole; its end is missing" }))
                }
            }
        }
    }

    fn how_to_pin(&self) -> Markup {
        html! {
            "To correct a line, add its pin to the lists "
            code { "keep" } " and " code { "drop" } " in "
            @match self.explained.pins_file {
                Some(file) => code { (file) },
                None => { code { "HOST.toml" } " in the folder of the setting " code { "template.pins" } }
            }
            ", then run " code { "gleaner reextract" } ". A pin applies to all pages of the host."
        }
    }

    fn pinned(&self) -> String {
        let pins = &self.explained.judgement.pins;
        let kept = pins.iter().filter(|pin| matches!(pin, Some(Pin::Keep(_)))).count();
        let dropped = pins.iter().flatten().count() - kept;
        format!("{} kept, {} dropped by {}", lines(kept), number(dropped as u64), self.explained.pins.file())
    }

    fn judged_by(&self) -> String {
        let ExplanationInput { template, judgement, .. } = self.explained;
        match (template.filter(|template| template.site.pages > 0), judgement.method) {
            (Some(template), Method::Template | Method::Detection) => format!(
                "{}template {} of {}, learned {} from {}",
                if judgement.method == Method::Detection { "detection with " } else { "" },
                template.version,
                template.host,
                template.learned.strftime("%Y-%m-%d"),
                count(template.site.pages.into(), "page")
            ),
            (Some(template), Method::BlockModel) => format!(
                "the model alone, since template {} of {} does not know this page",
                template.version, template.host
            ),
            (Some(template), published) => {
                format!(
                    "{}, prepared on {} of {}",
                    published,
                    count(template.site.pages.into(), "page"),
                    template.host
                )
            }
            (None, _) => "the model alone, without a template".into(),
        }
    }

    fn sum(&self, is: impl Fn(LineClass) -> bool) -> (usize, u64) {
        let blocks = self.explained.judgement.blocks.iter().zip(&self.classes);
        let those = blocks.filter(|(_, (class, _))| is(*class));
        those.fold((0, 0), |(count, words), (block, _)| (count + 1, words + u64::from(block.words)))
    }

    fn is_in_doubt(&self, at: usize) -> bool {
        let judgement = self.explained.judgement;
        let block = &judgement.blocks[at];
        judgement.pins[at].is_none()
            && judgement.inserts[at].is_none()
            && block.removed.is_none()
            && DOUBT.contains(&chance(block.log_odds))
    }

    fn doubts(&self) -> Markup {
        let doubts: Vec<usize> = (0..self.classes.len()).filter(|at| self.is_in_doubt(*at)).collect();
        html! {
            @if doubts.is_empty() {
                "no line"
            } @else {
                (lines(doubts.len())) ":"
                @for line in doubts.iter().take(MAX_DOUBTS).map(|at| at + 1) {
                    " " a href={ "#l" (line) } { (line) }
                }
                @if doubts.len() > MAX_DOUBTS { " ..." }
            }
        }
    }

    fn legend(&self) -> Markup {
        let sums = CLASSES.map(|class| (class, self.sum(|other| other == class)));
        html! {
            div.bar aria-hidden="true" {
                @for (class, (_, words)) in sums.iter().filter(|(_, (_, words))| *words > 0) {
                    i.(style_name(*class)) style={ "flex-grow:" (words) } {}
                }
            }
            div.legend role="group" aria-label="Which lines are shown" {
                @for (class, (count_of_lines, words)) in sums {
                    label.(style_name(class)) {
                        input type="checkbox" id={ "show-" (style_name(class)) } checked;
                        " " b { (label(class)) } " "
                        span { (lines(count_of_lines)) ", " (count(words, "word")) }
                    }
                }
            }
        }
    }

    fn list(&self, language: &str) -> Markup {
        let mut rows = String::new();
        let mut at = 0;
        while at < self.classes.len() && rows.len() < MAX_BYTES {
            at = self.run(at, &mut rows);
        }
        let left = self.classes.len() - at;
        html! {
            ol lang=(language) { (PreEscaped(rows)) }
            @if left > 0 { p.note { (lines(left)) " more are not listed: the page is too long." } }
            @if self.classes.is_empty() { p.note { "There is no text on this page." } }
        }
    }

    /// Adds the consecutive lines of one class, starting with line `from`. Folds a long run of boilerplate.
    /// Returns the number of the line after them.
    fn run(&self, from: usize, rows: &mut String) -> usize {
        let class = self.classes[from].0;
        let is_like = |at: &usize| {
            self.classes[*at].0 == class
                && !self.is_in_doubt(*at)
                && self.explained.judgement.pins[*at].is_none()
        };
        let to = if class == LineClass::Content || !is_like(&from) {
            from + 1
        } else {
            (from..self.classes.len()).find(|at| !is_like(at)).unwrap_or(self.classes.len())
        };
        let shown = if to - from >= FOLD_FROM { from + UNFOLDED } else { to };
        let mut at = from;
        while at < shown && rows.len() < MAX_BYTES {
            *rows += &self.row(at).into_string();
            at += 1;
        }
        let mut folded = String::new();
        while at >= shown && at < to && rows.len() + folded.len() < MAX_BYTES {
            folded += &self.row(at).into_string();
            at += 1;
        }
        if !folded.is_empty() {
            let fold = html! {
                li.fold.(style_name(class)) style={ "--indent:" (self.indent(from)) } {
                    details {
                        summary { (number((to - shown) as u64)) " more: " (label(class)) }
                        ol { (PreEscaped(folded)) }
                    }
                }
            };
            *rows += &fold.into_string();
        }
        at
    }

    /// Returns the number of elements above a line, minus the smallest such number on the page.
    fn indent(&self, at: usize) -> u32 {
        let block = self.explained.judgement.blocks[at].placed.block;
        (self.explained.page.node(block).depth - self.least_depth).min(MAX_INDENT)
    }

    fn row(&self, at: usize) -> Markup {
        let judgement = self.explained.judgement;
        let block = &judgement.blocks[at];
        let (class, because) = self.classes[at];
        let why = why(self.explained, at, class, because).english;
        let is_insert = judgement.inserts[at].is_some();
        let mark = match judgement.pins[at] {
            _ if is_insert => "kept",
            Some(Pin::Keep(_)) => "kept",
            Some(Pin::Drop(_)) => "dropped",
            None => label(class),
        };
        let is_pinned = is_insert || judgement.pins[at].is_some();
        let unless_repeated = |text: String| if block.removed.is_some() { "-".to_owned() } else { text };
        let figures = [
            if is_asked(block) { percent(chance(block.model)) } else { "-".to_owned() },
            unless_repeated(block.path.map_or_else(|| "-".into(), |path| percent(chance(path.mean)))),
            number(u64::from(block.words)),
            percent(block.link_share),
        ];
        html! {
            li.line.(style_name(class)).doubt[self.is_in_doubt(at)].pinned[is_pinned] id={ "l" (at + 1) }
                style={ "--indent:" (self.indent(at)) } {
                details {
                    summary title=(why) {
                        (text(block))
                        span.chance { (percent(chance(block.log_odds))) " " small { (mark) } }
                        @for figure in figures { span.figure { (figure) } }
                    }
                    (self.figures(at, &why))
                }
            }
        }
    }

    fn figures(&self, at: usize, why: &str) -> Markup {
        let block = &self.explained.judgement.blocks[at];
        let words = count(u64::from(block.words), "word");
        let is_pinned = self.explained.judgement.pins[at].is_some();
        html! {
            div.why lang="en" {
                p { (why) }
                dl {
                    @if is_asked(block) {
                        (fact("Model alone", &html! { (percent(chance(block.model))) }))
                    }
                    @if let Some(path) = block.path {
                        (fact("Place", &html! {
                            (percent(chance(path.mean))) " on " (count(path.pages.into(), "page"))
                        }))
                    }
                    (fact("Words", &html! { (words) ", " (percent(block.link_share)) " in links" }))
                    (fact("DOM path", &html! { (block.dom_path) }))
                    @for (number, suggestion) in self.selectors[at].iter().enumerate().filter(|_| !is_pinned) {
                        (fact(pin_title(number, self.classes[at].0), &to_pin(suggestion, self.classes[at].0)))
                    }
                }
            }
        }
    }
}

const fn pin_title(number: usize, class: LineClass) -> &'static str {
    match (number, class) {
        (0, LineClass::Content) => "To drop it",
        (0, _) => "To keep it",
        _ => "Or",
    }
}

fn to_pin(suggestion: &Suggestion, class: LineClass) -> Markup {
    html! {
        code { (pin(class, &suggestion.selector)) }
        @match suggestion.lines {
            Some((1, _)) => " selects only this line of this page",
            Some((all, content)) => {
                " selects " (lines(all)) " of this page, " (number(content as u64)) " of them content"
            }
            None => {}
        }
    }
}

/// Whether the model read the line.
fn is_asked(block: &ClassifiedBlock) -> bool {
    block.removed.is_none() && block.model != 0.0
}

fn text(block: &ClassifiedBlock) -> Markup {
    let line = &block.placed.line;
    let kind = match line.kind {
        LineKind::Paragraph => "paragraph",
        LineKind::Heading => "heading",
        LineKind::Item => "item",
        LineKind::Quote => "quote",
        LineKind::Cell => "cell",
        LineKind::Caption => "small",
        LineKind::Pre => "pre",
    };
    let end = line.text.char_indices().nth(MAX_CHARACTERS).map_or(line.text.len(), |(end, _)| end);
    let (shown, rest) = line.text.split_at(end);
    html! {
        span.text.(kind) dir="auto" {
            (shown)
            @if !rest.is_empty() {
                " " em { "... and " (count(rest.chars().count() as u64, "character")) " more" }
            }
        }
    }
}
