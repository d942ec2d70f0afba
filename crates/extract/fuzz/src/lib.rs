//! What every fuzz target holds: any bytes end in lines, and the lines hold no word that
//! the page does not hold.

use std::collections::HashMap;

use gleaner_extract::{Input, SinglePage, words};
use gleaner_html::Page;
use gleaner_html::decode::decode;
use gleaner_html::source::{PieceKind, pieces, resolve};
use gleaner_html::text::{Line, tidy};

/// Between the pages of a site in a fuzzer's bytes.
const BORDER: &[u8] = b"<hr>";

/// Bytes as one page, through every single-page method whose name starts with `prefix`.
///
/// # Panics
/// Where a method gives an empty line, or more of a word than the page has.
pub fn single_page(bytes: &[u8], prefix: &str) {
    let source = decode(bytes, None).text;
    let page = Page::parse(&source);
    for method in SinglePage::ALL.into_iter().filter(|method| method.name().starts_with(prefix)) {
        let lines = method.extract(Input { source: &source, page: &page });
        assert!(lines.iter().all(|line| !line.text.is_empty()), "{method}");
        assert!(chars(&lines) <= all_chars(&source, &page), "{method}");
    }
}

/// Bytes as pages of one site.
#[must_use]
pub fn site(bytes: &[u8]) -> Vec<Page> {
    let text = decode(bytes, None).text;
    let border = std::str::from_utf8(BORDER).expect("ASCII");
    text.split(border).take(8).map(Page::parse).collect()
}

/// Holds that lines of a page say nothing that the page does not say.
///
/// # Panics
/// Where they do.
pub fn lines_are_of_page(lines: &[Line], page: &Page) {
    let mut left: HashMap<char, usize> = HashMap::new();
    for c in (0..page.len() as u32).filter_map(|id| page.text(id)).flat_map(str::chars) {
        *left.entry(c).or_default() += 1;
    }
    for line in lines {
        assert!(!line.text.is_empty());
        for word in words(&line.text).filter(|word| word.is_ascii()) {
            for c in word.chars() {
                let count = left.get_mut(&c).expect("a character of the page");
                *count = count.checked_sub(1).expect("no more often than in the page");
            }
        }
    }
}

fn chars(lines: &[Line]) -> usize {
    lines.iter().flat_map(|line| words(&line.text)).map(|word| word.chars().count()).sum()
}

/// Characters of words in the source's texts and scripts, or of the page where the parser
/// found more; composed, as lines are.
fn all_chars(source: &str, page: &Page) -> usize {
    let count = |text: &str| words(&tidy(text)).map(|word| word.chars().count()).sum::<usize>();
    let written: usize = pieces(source)
        .filter(|piece| matches!(piece.kind, PieceKind::Text | PieceKind::Raw))
        .map(|piece| count(&resolve(&source[piece.range])))
        .sum();
    let parsed: usize = (0..page.len() as u32).filter_map(|id| page.text(id)).map(count).sum();
    written.max(parsed)
}
