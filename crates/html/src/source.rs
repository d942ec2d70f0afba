//! Splits a page's source into tags, text, scripts and remarks, in order.
//!
//! This module is for methods that read the source text instead of a tree. The splitter follows the tokenizer
//! rules of the HTML standard, so a `>` in a quoted value does not end a tag, and `a < b` does not start a
//! tag. It does not correct the structure: it does not move, close or add elements.
//!
//! Limitation: a script with `<!-- <script>` ends at the first `</script>`, but in the standard it ends at
//! the second. Foreign content is not recognized, so the content of `<svg><style>` is raw too. `<![CDATA[` is
//! always a remark.
//!
//! The time is linear, and no memory is allocated. If the last tag never ends, it is one remark that extends
//! to the end of the page.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

use gleaner_html5::tag_state::State;

/// A part of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The kind of the piece.
    pub kind: PieceKind<'a>,
    /// The byte range in the source. Pieces are contiguous and never empty.
    pub range: Range<usize>,
}

/// The kind of a [`Piece`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind<'a> {
    /// Text with unresolved references ([`resolve`]). Also the content of `title` and `textarea`.
    Text,
    /// The content of `script`, `style`, `xmp`, `iframe`, `noembed` and `noframes`. It contains no tags.
    Raw,
    /// A start tag.
    Start {
        /// The name as written, in any case.
        name: &'a str,
    },
    /// An end tag.
    End {
        /// The name as written, in any case.
        name: &'a str,
    },
    /// Markup that readers do not see: a comment, a document type, a processing instruction, or an incomplete
    /// tag at the end of the page.
    Remark,
}

/// Splits a source into pieces, in order. Together, the pieces are the whole source.
#[must_use]
pub fn pieces(source: &str) -> Pieces<'_> {
    Pieces { source, at: 0, raw: None }
}

/// The iterator returned by [`pieces`].
#[derive(Debug, Clone)]
pub struct Pieces<'a> {
    source: &'a str,
    at: usize,
    /// The element whose raw content follows, and whether this content is text for readers.
    raw: Option<(&'a str, bool)>,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let rest = &self.source[self.at..];
        if rest.is_empty() {
            return None;
        }
        let (kind, length) = match self.raw.take() {
            Some((name, is_text)) => match raw_length(rest, name) {
                0 => self.markup_or_text(rest),
                length => (if is_text { PieceKind::Text } else { PieceKind::Raw }, length),
            },
            None => self.markup_or_text(rest),
        };
        let start = self.at;
        self.at += length;
        Some(Piece { kind, range: start..self.at })
    }
}

impl<'a> Pieces<'a> {
    fn markup_or_text(&mut self, rest: &'a str) -> (PieceKind<'a>, usize) {
        let Some((kind, length)) = markup(rest) else {
            return (PieceKind::Text, text_length(rest));
        };
        if let PieceKind::Start { name } = kind {
            self.raw = raw_content(name).map(|is_text| (name, is_text));
        }
        (kind, length)
    }
}

/// Whether an element's raw content is text for readers. Returns `None` if the element has no raw content.
fn raw_content(name: &str) -> Option<bool> {
    let is = |names: &[&str]| names.iter().any(|raw| raw.eq_ignore_ascii_case(name));
    if is(&["script", "style", "xmp", "iframe", "noembed", "noframes"]) {
        Some(false)
    } else {
        is(&["title", "textarea"]).then_some(true)
    }
}

fn text_length(rest: &str) -> usize {
    let mut from = rest.chars().next().map_or(1, char::len_utf8);
    while let Some(found) = rest[from..].find('<') {
        let at = from + found;
        if starts_markup(&rest.as_bytes()[at..]) {
            return at;
        }
        from = at + 1;
    }
    rest.len()
}

fn starts_markup(bytes: &[u8]) -> bool {
    match bytes {
        [b'<', b'!' | b'?', ..] | [b'<', b'/', _, ..] => true,
        [b'<', letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

fn raw_length(rest: &str, name: &str) -> usize {
    let mut from = 0;
    while let Some(found) = rest[from..].find("</") {
        let at = from + found;
        let behind = &rest.as_bytes()[at + 2..];
        let named = behind.get(..name.len()).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()));
        let ended =
            behind.get(name.len()).is_some_and(|b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>'));
        if named && ended {
            return at;
        }
        from = at + 2;
    }
    rest.len()
}

/// Returns the tag or remark at the beginning of `rest` and its length, or `None` if `rest` begins with text.
fn markup(rest: &str) -> Option<(PieceKind<'_>, usize)> {
    let bytes = rest.as_bytes();
    if !starts_markup(bytes) {
        return None;
    }
    let until = |end: &str, from: usize| {
        rest.get(from..).and_then(|r| r.find(end)).map_or(rest.len(), |at| from + at + end.len())
    };
    let from = match bytes {
        [b'<', b'!', b'-', b'-', ..] => return Some((PieceKind::Remark, comment_length(rest))),
        [b'<', b'/', letter, ..] if letter.is_ascii_alphabetic() => 2,
        [b'<', b'!' | b'?' | b'/', ..] => return Some((PieceKind::Remark, until(">", 1))),
        _ => 1,
    };
    let name_length = rest[from..]
        .find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>'))
        .unwrap_or(rest.len() - from);
    let name = &rest[from..from + name_length];
    let mut state = State::TagName;
    for (at, byte) in bytes.iter().enumerate().skip(from + name_length) {
        match state.after(*byte) {
            Some(next) => state = next,
            None if from == 1 => return Some((PieceKind::Start { name }, at + 1)),
            None => return Some((PieceKind::End { name }, at + 1)),
        }
    }
    Some((PieceKind::Remark, rest.len()))
}

/// Returns the length of a comment with its delimiters. An unclosed comment extends to the end.
fn comment_length(rest: &str) -> usize {
    let inside = &rest[4..];
    if inside.starts_with('>') {
        return 5;
    }
    if inside.starts_with("->") {
        return 6;
    }
    let mut from = 0;
    while let Some(found) = inside[from..].find("--") {
        let at = from + found;
        match inside.as_bytes()[at + 2..] {
            [b'>', ..] => return 4 + at + 3,
            [b'!', b'>', ..] => return 4 + at + 4,
            _ => from = at + 1,
        }
    }
    rest.len()
}

/// Resolves all character references of the HTML standard in a text (`&amp;`, `&eacute;`, `&#7879;`).
#[must_use]
pub fn resolve(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut resolved = String::with_capacity(text.len());
    // `text` contains no markup, so the tokenizer must not see a `<`.
    for (number, part) in text.split('<').enumerate() {
        if number > 0 {
            resolved.push('<');
        }
        resolved.push_str(&resolved_part(part));
    }
    Cow::Owned(resolved)
}

fn resolved_part(text: &str) -> String {
    let tokenizer = Tokenizer::new(Characters::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    while tokenizer.feed(&input) != TokenizerResult::Done {}
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

#[derive(Default)]
struct Characters(RefCell<String>);

impl TokenSink for Characters {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::CharacterTokens(text) => self.0.borrow_mut().push_str(&text),
            Token::NullCharacterToken => self.0.borrow_mut().push('\u{FFFD}'),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &[&str]) {
        let shown: Vec<String> = pieces(source)
            .map(|piece| {
                let text = &source[piece.range];
                match piece.kind {
                    PieceKind::Text => format!("text {text}"),
                    PieceKind::Raw => format!("raw {text}"),
                    PieceKind::Start { name } => format!("start {name}"),
                    PieceKind::End { name } => format!("end {name}"),
                    PieceKind::Remark => format!("remark {text}"),
                }
            })
            .collect();
        assert_eq!(shown, expected, "{source}");
    }

    #[test]
    fn pieces_are_what_the_tokenizer_sees() {
        check("", &[]);
        check("a<p class='x>y'>b</P >c", &["text a", "start p", "text b", "end P", "text c"]);
        check("a < b <3 </ x>d", &["text a < b <3 ", "remark </ x>", "text d"]);
        check("<", &["text <"]);
        check("</", &["text </"]);
        check("<!DOCTYPE html><?php x?>", &["remark <!DOCTYPE html>", "remark <?php x?>"]);
        check(
            "<!-- <p> -->a<!-->b<!--->c<!-- x",
            &[
                "remark <!-- <p> -->",
                "text a",
                "remark <!-->",
                "text b",
                "remark <!--->",
                "text c",
                "remark <!-- x",
            ],
        );
        check(
            "<!-- a ---!>b<!-- a --- -->c",
            &["remark <!-- a ---!>", "text b", "remark <!-- a --- -->", "text c"],
        );
        check("<a href=it's>x</a><p a", &["start a", "text x", "end a", "remark <p a"]);
        check("<br/>x", &["start br", "text x"]);
        check("“x<b>é</b>", &["text “x", "start b", "text é", "end b"]);
    }

    #[test]
    fn scripts_hold_no_tags() {
        check(
            "<script>a<b>'</scripts>'</SCRIPT >c",
            &["start script", "raw a<b>'</scripts>'", "end SCRIPT", "text c"],
        );
        check("<script></script>", &["start script", "end script"]);
        check("<style>p{}", &["start style", "raw p{}"]);
        check("<title>a<b></title>", &["start title", "text a<b>", "end title"]);
    }

    #[test]
    fn references_are_resolved() {
        assert_eq!(resolve("no reference"), "no reference");
        assert_eq!(
            resolve("T&ocirc;i &amp; &#7879;&#x1EC7; &nbsp;< &unknown; &"),
            "Tôi & ệệ \u{a0}< &unknown; &"
        );
    }

    proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn pieces_are_the_whole_source(source in r#"([<>/!="' a&-]|--|script|<p|é|\x00){0,60}"#) {
            let mut at = 0;
            for piece in pieces(&source) {
                prop_assert_eq!(piece.range.start, at);
                prop_assert!(piece.range.end > at);
                at = piece.range.end;
                let _ = resolve(&source[piece.range]);
            }
            prop_assert_eq!(at, source.len());
        }
    }
}
