//! Recognizes credits, by-lines, links to other stories and labels of advertisements by the words of a line.
//!
//! Limitation: the word lists are short and cover only some languages. A short paragraph that begins with
//! "Photo: ..." counts as a credit.

use gleaner_html::text::{Line, LineKind};

use crate::block_model::phrase_kinds_of;
use crate::lines::class::{DIGITS_OF_DATE, MOSTLY_LINKS, WORDS_MORE};

/// Maximum number of words of a line that is classified by its first words.
pub(crate) const MAX_WORDS_SAYING: u32 = 12;

/// Number of lines at the beginning of the body text that may be by-lines.
const EARLY: usize = 3;

/// The number of characters at the beginning of a line that are searched.
const OPENING: usize = 20;

/// Whether the words of a line of body text show that it is a credit, a by-line, a "read more" line or the label of an
/// advertisement.
/// `link_share` is the share of the line's words in links, 0 to 1. `before` is the number of earlier lines of
/// body text.
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
            && opens(text, "by-line")
            && (words <= MAX_WORDS_BY_LINE && contains_name(text)
                || words <= MAX_WORDS_SAYING && digits(text) >= DIGITS_OF_DATE)
    };
    let credits = || !is_sentence && words <= MAX_WORDS_SAYING && is_credit(text);
    points()
        || credits()
        || signs()
        || (!is_sentence && words <= MAX_LABEL_WORDS && is_advertising_label(text))
}

/// Maximum number of words of the label of an advertisement.
const MAX_LABEL_WORDS: u32 = 6;

/// Labels of advertisements: the whole line, in lower case.
const ADVERTISING_LABELS: [&str; 8] =
    ["advertisement", "advertising", "quảng cáo", "anzeige", "werbung", "publicité", "publicidad", "реклама"];

/// Beginnings of labels of advertisements, in lower case.
const CONTINUATIONS: [&str; 4] =
    ["story continues below", "article continues below", "story continues after", "article continues after"];

fn is_advertising_label(text: &str) -> bool {
    let text = text.to_lowercase();
    ADVERTISING_LABELS.contains(&text.as_str()) || CONTINUATIONS.iter().any(|start| text.starts_with(start))
}

/// Beginnings of "read more" lines that are not in the lexicon of the block model.
const POINTERS: [&str; 4] = ["also read", "read also", "read:", "watch:"];

const MAX_WORDS_BY_LINE: u32 = 8;

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

/// Whether any word except the first begins with a capital letter. Also `true` if the script has no capitals.
fn contains_name(text: &str) -> bool {
    let mut behind = text.split_whitespace().skip(1).filter_map(|word| word.chars().next());
    let has_no_case =
        text.chars().filter(|c| c.is_alphabetic()).all(|c| !c.is_lowercase() && !c.is_uppercase());
    has_no_case || behind.any(char::is_uppercase)
}

pub(crate) fn is_credit(text: &str) -> bool {
    let is_marked = text.contains([':', '/', '|', '©', '：', '∕']) || text.to_lowercase().contains(" by ");
    text.starts_with('©') || (is_marked && opens(text, "credit"))
}

/// Whether the last sentence of a line, or what is in brackets at its end, is a credit.
pub(crate) fn ends_with_credit(text: &str) -> bool {
    let text = text.trim_end_matches(['.', ')', ']', ' ']);
    let end_of = |end: &str| text.rfind(end).map(|at| at + end.len());
    let last = [". ", "! ", "? ", "… ", "。", "(", "[", "|"].into_iter().filter_map(end_of).max();
    let last = &text[last.unwrap_or_default()..];
    last.split_whitespace().count() <= MAX_WORDS_BY_LINE as usize && is_credit(last.trim())
}

pub(crate) fn opens(text: &str, saying: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = text.char_indices().nth(OPENING).map_or(text.len(), |(end, _)| end);
    phrase_kinds_of(&text[..end]).any(|said| said == saying)
}
