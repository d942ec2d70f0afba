//! Checks the properties of single-page methods. Any bytes can be extracted, and no extracted line is
//! empty. The words of all lines together have at most as many characters as the page, and contain each ASCII
//! letter and digit at most as often.
//!
//! Limitation: whole words cannot be compared with those of the page. If a method removes the text between
//! "a" and "b", the result is "ab", which is not a word of the page. In addition, composition (NFC) merges
//! two characters into one. The crate's property tests compare words, on pages whose words end in a space.

/// Included by its path, because the rest of the laboratory needs the libraries of a crawl.
#[path = "../../src/methods/mod.rs"]
pub mod methods;
pub mod sites;

use gleaner_corpus::Method;
use gleaner_html::Page;
use gleaner_html::decode::decode;
use gleaner_html::source::{PieceKind, pieces, resolve};
use gleaner_html::text::{Line, tidy};
use gleaner_html::words::words;
use methods::{Input, extract};

/// Parses bytes as one page and runs every single-page method whose name starts with `prefix`.
///
/// # Panics
/// If a method returns an empty line, or if the words of its lines have more characters than the page or
/// contain an ASCII letter or digit more often.
pub fn single_page(bytes: &[u8], prefix: &str) {
    let source = decode(bytes, None).text;
    let page = Page::parse(&source);
    let (characters, letters) = (all_chars(&source, &page), all_letters(&source, &page));
    for method in Method::ALL.into_iter().filter(|method| method.name().starts_with(prefix)) {
        let lines = extract(method, Input { source: &source, page: &page }).expect("a single-page method");
        assert!(lines.iter().all(|line| !line.text.is_empty()), "{method}");
        assert!(chars(&lines) <= characters, "{method}");
        let given = lines.iter().map(|line| Letters::from_text(&line.text)).fold(Letters::default(), Letters::and);
        assert!(given.are_among(&letters), "{method}");
    }
}

fn chars(lines: &[Line]) -> usize {
    lines.iter().flat_map(|line| words(&line.text)).map(|word| word.chars().count()).sum()
}

/// How often each ASCII letter and digit occurs in a text.
#[derive(Clone)]
struct Letters([usize; 128]);

impl Default for Letters {
    fn default() -> Self {
        Self([0; 128])
    }
}

impl Letters {
    fn from_text(text: &str) -> Self {
        let mut letters = Self::default();
        text.bytes().filter(u8::is_ascii_alphanumeric).for_each(|b| letters.0[usize::from(b)] += 1);
        letters
    }

    /// Counts a text before and after composition (NFC), and returns the greater count of each letter. The
    /// counts differ because composition can remove an `e`, and turns the kelvin sign into a `K`.
    fn of_either(text: &str) -> Self {
        Self::from_text(text).or(&Self::from_text(&tidy(text)))
    }

    fn and(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
        self
    }

    fn or(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(count, other)| *count = other.max(*count));
        self
    }

    fn are_among(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(count, other)| *count <= other)
    }
}

/// Counts the letters in the source's texts and scripts, and in the parsed page. Returns the greater counts.
fn all_letters(source: &str, page: &Page) -> Letters {
    let written = pieces(source)
        .filter(|piece| matches!(piece.kind, PieceKind::Text | PieceKind::Raw))
        .map(|piece| {
            let raw = &source[piece.range];
            Letters::of_either(&resolve(raw)).or(&Letters::of_either(raw))
        })
        .fold(Letters::default(), Letters::and);
    let parsed = (0..page.len() as u32).filter_map(|id| page.text(id)).map(Letters::of_either);
    written.or(&parsed.fold(Letters::default(), Letters::and))
}

/// Counts the characters of words in the source's texts and scripts, and in the parsed page. Texts are
/// composed (NFC) like the lines. Returns the greater count.
fn all_chars(source: &str, page: &Page) -> usize {
    let count = |text: &str| words(&tidy(text)).map(|word| word.chars().count()).sum::<usize>();
    let written: usize = pieces(source)
        .filter(|piece| matches!(piece.kind, PieceKind::Text | PieceKind::Raw))
        .map(|piece| count(&resolve(&source[piece.range])))
        .sum();
    let parsed: usize = (0..page.len() as u32).filter_map(|id| page.text(id)).map(count).sum();
    written.max(parsed)
}
