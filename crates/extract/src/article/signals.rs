//! Measures how words, links and sentences are distributed over a page.

use gleaner_html::text::is_left_out;
use gleaner_html::words::{UNMARKED_SENTENCE, count_words, is_of_unmarked_script, words};
use gleaner_html::{NodeId, Page};

const SHORT: f64 = 8.0;
/// A line with fewer words does not interrupt prose, even if it consists of links.
const TINY: f64 = 3.0;

/// Counts of words and lines over the visible lines of a page. A Chinese or Japanese character counts as half
/// a word.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Signals {
    /// The number of words on the page.
    pub words: f64,
    /// The number of words in links.
    pub linked: f64,
    /// The number of words outside links on lines of prose. A line of prose has at least 8 words, at most a
    /// third of its words in links, and the end of a sentence outside links. In Thai and Lao, which have no
    /// full stop, 16 words outside links replace the end of a sentence.
    pub prose: f64,
    /// The maximum number of `prose` words on consecutive lines that no line of links interrupts.
    pub stretch: f64,
    /// The number of lines of links. A line of links has at least three words, and more than half of them are
    /// in links.
    pub link_lines: u32,
}

#[derive(Default)]
struct Line {
    words: f64,
    linked: f64,
    ends_sentence: bool,
    /// The number of words outside links that are in a script without full stops.
    unmarked: f64,
}

impl Signals {
    /// Computes the signals from the lines of a page's body. The time is linear in the page.
    #[must_use]
    pub fn from_page(page: &Page) -> Self {
        let mut signals = Self::default();
        let mut run = 0.0;
        let Some(body) = page.elements("body").next() else { return signals };
        each_line(page, body, |line| {
            signals.words += line.words;
            signals.linked += line.linked;
            if line.has_sentence() && line.words >= SHORT && line.linked * 3.0 <= line.words {
                run += line.words - line.linked;
                signals.prose += line.words - line.linked;
                signals.stretch = signals.stretch.max(run);
            } else if line.linked * 2.0 > line.words && line.words >= TINY {
                signals.link_lines += 1;
                run = 0.0;
            }
        });
        signals
    }

    /// Returns the share of words in links, 0 to 1. It is 0 if there are no words.
    #[must_use]
    pub fn link_share(&self) -> f64 {
        if self.words > 0.0 { self.linked / self.words } else { 0.0 }
    }
}

fn each_line(page: &Page, root: NodeId, mut take: impl FnMut(&Line)) {
    let mut line = Line::default();
    let mut end_line = |line: &mut Line| {
        let ended = std::mem::take(line);
        if ended.words > 0.0 {
            take(&ended);
        }
    };
    let mut block_ends: Vec<NodeId> = Vec::new();
    let mut link_end = 0;
    let mut id = root;
    while id < page.node(root).end {
        while block_ends.last().is_some_and(|end| *end <= id) {
            block_ends.pop();
            end_line(&mut line);
        }
        if let Some(text) = page.text(id) {
            line.add(text, id < link_end);
            id += 1;
            continue;
        }
        if is_left_out(page, id) {
            id = page.node(id).end;
            continue;
        }
        if page.is_block(id) {
            block_ends.push(page.node(id).end);
            end_line(&mut line);
        } else if page.tag(id) == Some("br") {
            end_line(&mut line);
        } else if page.tag(id) == Some("a") && page.attribute(id, "href").is_some() {
            link_end = page.node(id).end;
        }
        id += 1;
    }
    end_line(&mut line);
}

impl Line {
    fn add(&mut self, text: &str, in_link: bool) {
        let (mut count, mut unmarked) = (0.0, 0.0);
        if text.is_ascii() {
            count = count_words(text) as f64;
        } else {
            for word in words(text) {
                count += weight(word);
                unmarked += f64::from(u8::from(word.starts_with(is_of_unmarked_script)));
            }
        }
        self.words += count;
        if in_link {
            self.linked += count;
        } else {
            self.unmarked += unmarked;
            self.ends_sentence = self.ends_sentence || ends_sentence(text);
        }
    }

    fn has_sentence(&self) -> bool {
        self.ends_sentence || self.unmarked >= UNMARKED_SENTENCE as f64
    }
}

fn weight(word: &str) -> f64 {
    match word.chars().next() {
        Some('\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}') => 0.5,
        _ => 1.0,
    }
}

/// Whether a text contains the end of a sentence. This is an East Asian, South Asian, Burmese, Khmer or
/// Arabic mark anywhere, or a Latin mark before a space, a closing quotation mark or bracket, or the end of
/// the text.
fn ends_sentence(text: &str) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let ends = match c {
            '。' | '！' | '？' | '．' | '।' | '؟' | '۔' | '။' | '។' | '៕' => true,
            '.' | '!' | '?' | '…' => chars.peek().is_none_or(|next| {
                next.is_whitespace() || matches!(next, '"' | '\'' | '”' | '’' | '»' | ')')
            }),
            _ => false,
        };
        if ends {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_links_ends_a_stretch() {
        let p = "<p>one two three four five six seven eight.</p>";
        let cases = [
            (p.repeat(3), (24.0, 0)),
            (format!("{p}<h2>A heading</h2>{p}"), (16.0, 0)),
            (format!("{p}{p}<p><a href=/>read this too</a></p>{p}"), (16.0, 1)),
            (format!("{p}<p><a href=/>more</a></p>{p}"), (16.0, 0)),
            ("<p>one two three four five six seven eight".into(), (0.0, 0)),
            (format!("<div hidden id='S:1'>{p}</div>"), (8.0, 0)),
            ("<div hidden><p>one two three four five six seven eight.</p></div>".into(), (0.0, 0)),
        ];
        for (html, expected) in cases {
            let signals = Signals::from_page(&Page::parse(&html));
            assert_eq!((signals.stretch, signals.link_lines), expected, "{html}");
        }
    }

    #[test]
    fn ends_of_sentences() {
        for text in ["Yes.", "“Really?”", "He said so. Then", "好。", "Да!»", "तथ्य।"] {
            assert!(ends_sentence(text), "{text}");
        }
        for text in ["3.5 million", "www.example.org", "no end", ""] {
            assert!(!ends_sentence(text), "{text}");
        }
    }
}
