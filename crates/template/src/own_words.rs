//! What a line says of itself by its own words: a credit, a by-line, a pointer to another
//! story.
//!
//! Limitation: the words are a short list in a few languages; "Photo: ..." over a
//! paragraph on a photo is a credit if it is short.

use gleaner_extract::block_model::sayings_of;
use gleaner_html::text::{Line, LineKind};

use crate::class::{MOSTLY_LINKS, WORDS_MORE};

/// Words of a line that its own first words make one.
pub(crate) const MOST_WORDS_SAYING: u32 = 12;

/// Lines of content at a text's beginning among which by-lines are.
const EARLY: usize = 3;

/// Characters at a line's beginning that say what it is.
const OPENING: usize = 20;

/// Content that is a credit, a by-line or a "read more" line by its own words, whatever it
/// stands in: it is out unless it is asked for. `link_share`: share of its words in links,
/// 0 to 1. `before`: the lines of content before it; by-lines are among the first.
pub(crate) fn is_insert_by_its_words(line: &Line, words: u32, link_share: f32, before: usize) -> bool {
    if line.kind == LineKind::Heading {
        return false;
    }
    let text = line.text.as_str();
    let is_sentence = text.ends_with(['.', '!', '?', '…', '。', '！', '？', ':']);
    let points = || {
        link_share >= MOSTLY_LINKS
            && words <= *WORDS_MORE.end()
            && (opens(text, "related")
                || POINTERS.iter().any(|pointer| text.to_lowercase().starts_with(pointer)))
    };
    let signs = || {
        before < EARLY
            && !is_sentence
            && words <= MOST_WORDS_BY_LINE
            && opens(text, "by-line")
            && names_somebody(text)
    };
    let credits = || !is_sentence && words <= MOST_WORDS_SAYING && is_credit(text);
    points() || credits() || signs()
}

/// What opens a line that points to another story, besides what the lexicon knows.
const POINTERS: [&str; 4] = ["also read", "read also", "read:", "watch:"];

/// Words of a line that its own words make a by-line.
const MOST_WORDS_BY_LINE: u32 = 8;

/// Whether a word behind the first begins with a capital, or letters have no case.
fn names_somebody(text: &str) -> bool {
    let mut behind = text.split_whitespace().skip(1).filter_map(|word| word.chars().next());
    let has_no_case =
        text.chars().filter(|c| c.is_alphabetic()).all(|c| !c.is_lowercase() && !c.is_uppercase());
    has_no_case || behind.any(char::is_uppercase)
}

/// Whether a line's words make it a credit.
pub(crate) fn is_credit(text: &str) -> bool {
    let is_marked = text.contains([':', '/', '|', '©', '：', '∕']) || text.to_lowercase().contains(" by ");
    text.starts_with('©') || (is_marked && opens(text, "credit"))
}

/// Whether a line's first words say such a thing.
pub(crate) fn opens(text: &str, saying: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = text.char_indices().nth(OPENING).map_or(text.len(), |(end, _)| end);
    sayings_of(&text[..end]).any(|said| said == saying)
}
