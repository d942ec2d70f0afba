//! Writes an explained page: its header, the legend, and one row per line.

use std::fmt::{Display, Write};

use gleaner_extract::block_model::Judged;
use gleaner_html::metadata::metadata;
use gleaner_html::text::LineKind;

use super::why::{chance, percent, place, selector, why};
use super::{Explained, classes};
use crate::class::{Because, Class};
use crate::{Method, Pin, Verdict, judge};

/// Most bytes of rows; a longer page is cut, with a note.
pub const MOST_BYTES: usize = 3 << 20;

const MOST_CHARACTERS: usize = 4_000;

/// A run of one class is folded from this many lines on, and how many stay visible.
const FOLD_FROM: usize = 6;
const UNFOLDED: usize = 3;

const MOST_INDENT: u32 = 12;

/// Probabilities between which a line is in doubt.
const DOUBT: std::ops::Range<f32> = 0.3..0.7;

const MOST_DOUBTS: usize = 12;

const COLUMNS: &str = "<main>\n<p class=\"note\">A line opens to the reasons, the figures and a selector to pin it \
    with. A box above hides the lines of its kind; ? marks a line in doubt.</p>\n\
    <div class=\"columns\"><span>Line</span>\
    <span title=\"chance that it is content, all things considered\">Content</span>\
    <span title=\"chance by the model alone\">Model</span>\
    <span title=\"chance by what stood at its place on other pages\">Place</span>\
    <span title=\"number of words\">Words</span><span title=\"share of words in links\">Links</span></div>\n";

pub(super) struct View<'a> {
    explained: &'a Explained<'a>,
    classes: Vec<(Class, Because)>,
    /// The smallest number of elements above a line.
    least_depth: u32,
    out: String,
}

macro_rules! put {
    ($view:expr, $($text:tt)*) => {{ let _ = write!($view.out, $($text)*); }};
}

struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c if c.is_control() && !c.is_whitespace() => f.write_char('\u{FFFD}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A number with commas between thousands.
fn number(of: usize) -> String {
    let digits = of.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn lines(count: usize) -> String {
    if count == 1 { "1 line".into() } else { format!("{} lines", number(count)) }
}

impl<'a> View<'a> {
    pub(super) fn from_explained(explained: &'a Explained<'a>) -> Self {
        let blocks = &explained.judgement.blocks;
        let depth = |block: &Judged| explained.page.node(block.placed.block).depth;
        Self {
            explained,
            classes: classes(explained),
            least_depth: blocks.iter().map(depth).min().unwrap_or(0),
            out: String::new(),
        }
    }

    pub(super) fn write(mut self) -> String {
        let stated = metadata(self.explained.page);
        let title = stated.title.as_deref().unwrap_or("A page without a title").to_owned();
        self.head(&title);
        put!(
            self,
            "<header>\n<p class=\"program\">gleaner template explain</p>\n<h1 dir=\"auto\">{}</h1>\n",
            Escaped(&title)
        );
        if let Some(url) = self.explained.url {
            put!(self, "<p class=\"url\">{}</p>\n", Escaped(url));
        }
        self.facts();
        self.legend();
        self.out += "</header>\n";
        self.rows(stated.language.as_deref());
        self.out += "</body>\n</html>\n";
        self.out
    }

    fn head(&mut self, title: &str) {
        put!(
            self,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"robots\" content=\"noindex\">\n\
             <title>{} - explained</title>\n<style>\n{}{}</style>\n</head>\n<body>\n",
            Escaped(title),
            super::COLOURS,
            include_str!("style.css"),
        );
    }

    fn facts(&mut self) {
        self.out += "<dl class=\"facts\">\n";
        self.fact("Judged by", &self.judged_by());
        self.fact("Confidence", &percent(self.explained.judgement.confidence));
        let (count, words) = self.sum(|class| class == Class::Content);
        let (all, all_words) = self.sum(|_| true);
        let found = format!(
            "{} of {} words, in {} of {}",
            number(words),
            number(all_words),
            number(count),
            lines(all)
        );
        self.fact("Content", &found);
        if let Verdict::NotArticle(reason) =
            judge(self.explained.page, self.explained.url.unwrap_or_default())
        {
            self.fact("Looks like", &format!("no article: {reason}"));
        }
        if !self.explained.pins.selects_nothing() {
            let pins = &self.explained.judgement.pins;
            let kept = pins.iter().filter(|pin| matches!(pin, Some(Pin::Keep(_)))).count();
            let dropped = pins.iter().flatten().count() - kept;
            let file = self.explained.pins.file();
            self.fact("Pinned", &format!("{} kept, {} dropped by {file}", lines(kept), number(dropped)));
        }
        self.doubts();
        if self.explained.page.truncated() {
            self.fact("Cut", "the page was too costly to parse whole; its end is missing");
        }
        self.out += "</dl>\n";
    }

    fn fact(&mut self, name: &str, value: &str) {
        put!(self, "<div><dt>{name}</dt><dd>{}</dd></div>\n", Escaped(value));
    }

    fn judged_by(&self) -> String {
        let Explained { template, judgement, .. } = self.explained;
        match (template.filter(|template| template.site.pages > 0), judgement.method) {
            (Some(template), Method::Template | Method::Detection) => format!(
                "template {} of {}, learned {} from {} pages",
                template.version,
                template.host,
                template.learned.strftime("%Y-%m-%d"),
                template.site.pages
            ),
            (Some(template), Method::BlockModel) => format!(
                "the model alone, since template {} of {} is unsure of this page",
                template.version, template.host
            ),
            (None, _) => "the model alone, without a template".into(),
        }
    }

    /// Number of lines of matching classes, and of their words.
    fn sum(&self, is: impl Fn(Class) -> bool) -> (usize, usize) {
        let blocks = self.explained.judgement.blocks.iter().zip(&self.classes);
        let those = blocks.filter(|(_, (class, _))| is(*class));
        those.fold((0, 0), |(count, words), (block, _)| (count + 1, words + block.words as usize))
    }

    fn is_in_doubt(&self, at: usize) -> bool {
        let judgement = self.explained.judgement;
        let block = &judgement.blocks[at];
        judgement.pins[at].is_none()
            && judgement.inserts[at].is_none()
            && !block.repeated
            && DOUBT.contains(&chance(block.log_odds))
    }

    fn doubts(&mut self) {
        let doubts: Vec<usize> = (0..self.classes.len()).filter(|at| self.is_in_doubt(*at)).collect();
        put!(self, "<div><dt>In doubt</dt><dd>");
        if doubts.is_empty() {
            self.out += "no line";
        } else {
            put!(self, "{}:", lines(doubts.len()));
            for at in doubts.iter().take(MOST_DOUBTS) {
                put!(self, " <a href=\"#l{0}\">{0}</a>", at + 1);
            }
            if doubts.len() > MOST_DOUBTS {
                self.out += " ...";
            }
        }
        self.out += "</dd></div>\n";
    }

    /// Counts of each class, as a bar and as boxes that toggle its lines.
    fn legend(&mut self) {
        let sums = Class::ALL.map(|class| (class, self.sum(|other| other == class)));
        self.out += "<div class=\"bar\" aria-hidden=\"true\">";
        for (class, (_, words)) in sums.iter().filter(|(_, (_, words))| *words > 0) {
            put!(self, "<i class=\"{}\" style=\"flex-grow:{words}\"></i>", class.name());
        }
        self.out += "</div>\n<div class=\"legend\" role=\"group\" aria-label=\"Which lines are shown\">\n";
        for (class, (count, words)) in sums {
            put!(
                self,
                "<label class=\"{name}\"><input type=\"checkbox\" id=\"show-{name}\" checked> <b>{}</b> \
                 <span>{}, {} words</span></label>\n",
                class.label(),
                lines(count),
                number(words),
                name = class.name(),
            );
        }
        self.out += "</div>\n";
    }

    fn rows(&mut self, language: Option<&str>) {
        self.out += COLUMNS;
        put!(self, "<ol lang=\"{}\">\n", Escaped(language.unwrap_or_default()));
        let begun = self.out.len();
        let mut at = 0;
        while at < self.classes.len() && self.out.len() - begun < MOST_BYTES {
            at = self.run(at, begun);
        }
        self.out += "</ol>\n";
        let left = self.classes.len() - at;
        if left > 0 {
            put!(self, "<p class=\"note\">{} more are not listed: the page is too long.</p>\n", lines(left));
        }
        if self.classes.is_empty() {
            self.out += "<p class=\"note\">There is no text on this page.</p>\n";
        }
        self.out += "</main>\n";
    }

    /// Writes the lines of one class from a line on; folds a long run of boilerplate. Returns the
    /// first unwritten line.
    fn run(&mut self, from: usize, begun: usize) -> usize {
        let class = self.classes[from].0;
        let is_like = |at: &usize| {
            self.classes[*at].0 == class
                && !self.is_in_doubt(*at)
                && self.explained.judgement.pins[*at].is_none()
        };
        let to = if class == Class::Content || !is_like(&from) {
            from + 1
        } else {
            (from..self.classes.len()).find(|at| !is_like(at)).unwrap_or(self.classes.len())
        };
        let shown = if to - from >= FOLD_FROM { from + UNFOLDED } else { to };
        let mut at = from;
        while at < to && self.out.len() - begun < MOST_BYTES {
            if at == shown {
                let folded = format!("{} more: {}", number(to - shown), class.label());
                put!(
                    self,
                    "<li class=\"fold {}\" style=\"--indent:{}\"><details><summary>{folded}</summary><ol>\n",
                    class.name(),
                    self.indent(from),
                );
            }
            self.row(at);
            at += 1;
        }
        if at > shown {
            self.out += "</ol></details></li>\n";
        }
        at
    }

    /// Indentation steps of a line: elements above it, minus the page's minimum.
    fn indent(&self, at: usize) -> u32 {
        let block = self.explained.judgement.blocks[at].placed.block;
        (self.explained.page.node(block).depth - self.least_depth).min(MOST_INDENT)
    }

    fn row(&mut self, at: usize) {
        let block = &self.explained.judgement.blocks[at];
        let (class, because) = self.classes[at];
        let why = why(self.explained, at, class, because);
        let pin = self.explained.judgement.pins[at];
        let is_said = pin.is_some() || self.explained.judgement.inserts[at].is_some();
        let (doubt, pinned) =
            (if self.is_in_doubt(at) { " doubt" } else { "" }, if is_said { " pinned" } else { "" });
        put!(
            self,
            "<li id=\"l{}\" class=\"line {}{doubt}{pinned}\" style=\"--indent:{}\"><details><summary title=\"{}\">",
            at + 1,
            class.name(),
            self.indent(at),
            Escaped(&why),
        );
        self.text(block);
        let mark = match pin {
            _ if self.explained.judgement.inserts[at].is_some() => "kept",
            Some(Pin::Keep(_)) => "kept",
            Some(Pin::Drop(_)) => "dropped",
            None => class.label(),
        };
        let vote = block.vote.map_or("-".into(), |vote| percent(chance(vote)));
        put!(
            self,
            "<span class=\"chance\">{} <small>{mark}</small></span><span class=\"figure\">{}</span>\
             <span class=\"figure\">{}</span><span class=\"figure\">{}</span><span class=\"figure\">{}</span></summary>\n",
            percent(chance(block.log_odds)),
            if block.repeated { "-".into() } else { percent(chance(block.alone)) },
            if block.repeated { "-".into() } else { vote },
            number(block.words as usize),
            percent(block.link_share),
        );
        self.figures(block, &why);
        self.out += "</details></li>\n";
    }

    fn text(&mut self, block: &Judged) {
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
        put!(self, "<span class=\"text {kind}\" dir=\"auto\">");
        let end = line.text.char_indices().nth(MOST_CHARACTERS).map(|(end, _)| end);
        put!(self, "{}", Escaped(&line.text[..end.unwrap_or(line.text.len())]));
        if let Some(end) = end {
            let left = number(line.text[end..].chars().count());
            put!(self, " <em>... and {left} characters more</em>");
        }
        self.out += "</span>";
    }

    fn figures(&mut self, block: &Judged, why: &str) {
        put!(self, "<div class=\"why\" lang=\"en\"><p>{}</p><dl>", Escaped(why));
        let mut figure = |name: &str, value: &str| {
            put!(self, "<div><dt>{name}</dt><dd>{}</dd></div>", Escaped(value));
        };
        if !block.repeated {
            figure("Model alone", &percent(chance(block.alone)));
        }
        if let Some(seen) = place(self.explained.template, block) {
            let vote = percent(chance(seen.log_odds()));
            figure("Place votes", &format!("{vote}, {} blocks on {} pages", seen.blocks, seen.pages));
        }
        let words = number(block.words as usize);
        figure("Words", &format!("{words}, {} in links", percent(block.link_share)));
        figure("Place", &block.place);
        put!(
            self,
            "<div><dt>To pin it</dt><dd><code>{}</code></dd></div></dl></div>",
            Escaped(&selector(self.explained.page, block.placed.block, 2))
        );
    }
}
