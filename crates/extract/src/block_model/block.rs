//! Defines a block: a line of the page with its properties, such as words, links, dates and images.
//!
//! Limitation: a full stop ends a sentence unless an ASCII letter or digit follows, so `U.S. Senate` contains
//! the end of a sentence. A price such as 3.50 counts as a time. Thai and Lao have no full stop, so a space
//! counts as a comma, and a long line as a sentence.

use gleaner_html::Page;
use gleaner_html::text::PlacedLine;

use super::hashing::{hash, word_hashes};
use super::lexicon;
use gleaner_html::words::{UNMARKED_SENTENCE, count_words, is_of_unmarked_script};

const LEAST_PROSE: f32 = 10.0;

#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) placed: PlacedLine,
    pub(super) element: usize,
    pub(super) words: Vec<u64>,
    pub(super) linked: f32,
    pub(super) emphasised: f32,
    pub(super) characters: CharacterCounts,
    pub(super) images: f32,
    pub(super) inline: f32,
    pub(super) has_date: bool,
    pub(super) ends_as_sentence: bool,
    /// For prose, the number of words minus 1.5 times the number of words in links. For other blocks, 0.
    pub(super) prose: f32,
    pub(super) sayings: u32,
    pub(super) text: u64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CharacterCounts {
    pub(super) all: f32,
    pub(super) upper: f32,
    pub(super) digits: f32,
    pub(super) sentences: f32,
    pub(super) commas: f32,
}

impl Block {
    pub(super) fn len(&self) -> f32 {
        self.words.len() as f32
    }

    pub(super) fn link_share(&self) -> f32 {
        self.linked / self.len().max(1.0)
    }
}

/// For each node: whether it is text in a link, whether it is emphasised, and how many images and inline
/// elements precede it.
pub(super) struct NodeMarks {
    linked: Vec<bool>,
    emphasised: Vec<bool>,
    images: Vec<u32>,
    inline: Vec<u32>,
    /// A buffer for the words of a block.
    words: Vec<u64>,
}

impl NodeMarks {
    pub(super) fn from_page(page: &Page) -> Self {
        let size = page.len();
        let mut marks = Self {
            linked: vec![false; size],
            emphasised: vec![false; size],
            images: Vec::with_capacity(size + 1),
            inline: Vec::with_capacity(size + 1),
            words: Vec::new(),
        };
        let (mut link_end, mut emphasis_end, mut images, mut inline) = (0, 0, 0, 0);
        for (id, node) in page.iter() {
            marks.images.push(images);
            marks.inline.push(inline);
            match page.tag(id) {
                None => {
                    marks.linked[id as usize] = id < link_end;
                    marks.emphasised[id as usize] = id < emphasis_end;
                }
                Some("a") => link_end = link_end.max(node.end),
                Some("b" | "strong" | "i" | "em") => emphasis_end = emphasis_end.max(node.end),
                Some("img" | "picture") => images += 1,
                Some(_) => inline += u32::from(!page.is_block(id)),
            }
        }
        marks.images.push(images);
        marks.inline.push(inline);
        marks
    }

    pub(super) fn block(&mut self, page: &Page, placed: PlacedLine, element: usize) -> Block {
        let text = &placed.line.text;
        self.words.clear();
        self.words.extend(word_hashes(text));
        let words = self.words.clone();
        let size = words.len() as f32;
        let within = |marked: &[bool]| {
            let nodes = placed.nodes.clone().filter(|id| marked[*id as usize]);
            let texts = nodes.filter_map(|id| page.text(id));
            let count: usize = texts.map(|part| count_of_part(part, text, words.len())).sum();
            (count as f32).min(size)
        };
        let range =
            |counts: &[u32]| (counts[placed.nodes.end as usize] - counts[placed.nodes.start as usize]) as f32;
        let linked = within(&self.linked);
        let characters = CharacterCounts::from_text(text);
        let outside = size - 1.5 * linked;
        let is_prose = outside >= LEAST_PROSE && (characters.sentences > 0.0 || characters.commas > 0.0);
        Block {
            element,
            linked,
            emphasised: within(&self.emphasised),
            characters,
            images: range(&self.images),
            inline: range(&self.inline),
            has_date: words.len() <= 40 && has_date(text),
            ends_as_sentence: ends_as_sentence(text),
            prose: if is_prose { outside } else { 0.0 },
            sayings: lexicon::phrase_kind_bits(text),
            text: hash(text),
            words,
            placed,
        }
    }
}

/// Returns the number of words in `part`, a part of `line`. Often the part is the whole line with `words`
/// words.
pub(super) fn count_of_part(part: &str, line: &str, words: usize) -> usize {
    if part.trim_ascii() == line { words } else { count_words(part) }
}

impl CharacterCounts {
    fn from_text(text: &str) -> Self {
        if text.is_ascii() { Self::from_ascii(text.as_bytes()) } else { Self::from_any(text) }
    }

    /// Returns the same result as [`Self::from_any`] in a fraction of its time.
    fn from_ascii(text: &[u8]) -> Self {
        let count = |is: fn(u8) -> bool| text.iter().filter(|byte| is(**byte)).count();
        let is_end = |byte: u8| matches!(byte, b'.' | b'!' | b'?');
        let ends = |pair: &&[u8]| is_end(pair[0]) && !is_end(pair[1]) && !pair[1].is_ascii_alphanumeric();
        let last = text.last().is_some_and(|byte| is_end(*byte));
        Self {
            all: text.len() as f32,
            upper: count(|byte| byte.is_ascii_uppercase()) as f32,
            digits: count(|byte| byte.is_ascii_digit()) as f32,
            sentences: (text.windows(2).filter(ends).count() + usize::from(last)) as f32,
            commas: count(|byte| matches!(byte, b',' | b';' | b':')) as f32,
        }
    }

    fn from_any(text: &str) -> Self {
        let (mut all, mut upper, mut digits, mut sentences, mut commas) = (0, 0, 0, 0, 0);
        let (mut ended, mut before) = (false, [' ', ' ']);
        for c in text.chars() {
            let is_end = is_end(c);
            sentences += u32::from(ended && !is_end && !c.is_ascii_alphanumeric());
            ended = is_end;
            commas += u32::from(is_comma(c));
            all += 1;
            if c.is_ascii() {
                upper += u32::from(c.is_ascii_uppercase());
                digits += u32::from(c.is_ascii_digit());
            } else {
                let is_pause = before[1] == ' ' && [before[0], c].into_iter().all(is_of_unmarked_script);
                commas += u32::from(is_pause);
                upper += u32::from(c.is_uppercase());
                digits += u32::from(is_numeric(c));
            }
            before = [before[1], c];
        }
        sentences += u32::from(ended || is_unmarked_sentence(text));
        let [all, upper, digits, sentences, commas] =
            [all, upper, digits, sentences, commas].map(|count| count as f32);
        Self { all, upper, digits, sentences, commas }
    }
}

fn is_end(c: char) -> bool {
    if c.is_ascii() {
        matches!(c, '.' | '!' | '?')
    } else {
        matches!(c, '…' | '。' | '！' | '？' | '။' | '។' | '៕')
    }
}

fn is_comma(c: char) -> bool {
    if c.is_ascii() {
        matches!(c, ',' | ';' | ':')
    } else {
        matches!(c, '，' | '、' | '；' | '：' | '၊' | '៖')
    }
}

/// Returns the same result as `char::is_numeric`, but faster for accented letters.
fn is_numeric(c: char) -> bool {
    !matches!(c, '\u{C0}'..='\u{24F}' | '\u{370}'..='\u{52F}' | '\u{1EA0}'..='\u{1EF9}' | '\u{2010}'..='\u{2027}'
        | '\u{3041}'..='\u{30FF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}')
        && c.is_numeric()
}

fn ends_as_sentence(text: &str) -> bool {
    text.chars().next_back().is_some_and(|c| is_end(c) || matches!(c, '”' | '"' | '\'' | '»' | ')'))
        || is_unmarked_sentence(text)
}

fn is_unmarked_sentence(text: &str) -> bool {
    text.chars().next_back().is_some_and(is_of_unmarked_script) && count_words(text) >= UNMARKED_SENTENCE
}

fn has_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = 0;
    while let Some(next) = bytes[at..].iter().position(u8::is_ascii_digit) {
        at += next;
        let run = digits(at);
        let behind = at + run;
        let year = run == 4 && matches!(&bytes[at..at + 2], b"19" | b"20");
        let next = bytes.get(behind).copied().unwrap_or(b' ');
        let more = if behind + 1 < bytes.len() { digits(behind + 1) } else { 0 };
        let clock = run <= 2 && more == 2 && matches!(next, b':' | b'h' | b'.');
        let calendar = run <= 4 && more > 0 && more <= 2 && matches!(next, b'/' | b'-' | b'.') && {
            let third = behind + 1 + more;
            bytes.get(third).copied() == Some(next) && third + 1 < bytes.len() && digits(third + 1) > 0
        };
        if year || clock || calendar {
            return true;
        }
        at = behind;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_seen() {
        for text in ["at 09:30", "20/11/2026", "9h30", "in 1998", "2011-12-15"] {
            assert!(has_date(text), "{text}");
        }
        for text in ["", "12", "3,500 people", "1/2", "room 101", "7:"] {
            assert!(!has_date(text), "{text}");
        }
    }

    #[test]
    fn sentences_and_commas_are_counted() {
        let cases = [
            ("", 0.0, 0.0),
            ("One. Two, three!", 2.0, 1.0),
            ("3.5 km", 0.0, 0.0),
            ("NO!? \"Yes.\" 12; 3: ...", 3.0, 2.0),
            ("新。旧，", 2.0 - 1.0, 1.0),
        ];
        for (text, sentences, commas) in cases {
            let found = CharacterCounts::from_text(text);
            assert_eq!(found, CharacterCounts::from_any(text), "{text}");
            assert_eq!((found.sentences, found.commas), (sentences, commas), "{text}");
        }
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_numeric(c), c.is_numeric(), "{c:?}");
        }
    }
}
