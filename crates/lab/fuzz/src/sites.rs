//! Checks the properties of methods that compare the pages of a site: extraction accepts any bytes, no line is empty, and no
//! character occurs more often in the ASCII words of the lines than in the page's texts.

use std::collections::HashMap;

use gleaner_html::Page;
use gleaner_html::decode::decode;
use gleaner_html::text::Line;
use gleaner_html::words::words;

/// Separates the pages of a site in the fuzzer's bytes.
const BORDER: &[u8] = b"<hr>";

/// Splits the fuzzer's bytes into at most eight pages of one site.
#[must_use]
pub fn site(bytes: &[u8]) -> Vec<Page> {
    let text = decode(bytes, None).text;
    let border = std::str::from_utf8(BORDER).expect("ASCII");
    text.split(border).take(8).map(Page::parse).collect()
}

/// Checks that no line is empty, and that no character occurs more often in the ASCII words of the lines than
/// in the page's texts.
///
/// # Panics
/// If one of these properties does not hold.
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
