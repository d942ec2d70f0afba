//! Makes control characters visible, so that a text from outside cannot control what shows it.
//!
//! Titles, addresses, headers, rules of robots.txt and error messages come from sites. A terminal obeys the
//! escape sequences in them: it could change the window's title, move the cursor over other lines, or write to
//! the clipboard. Characters that reverse the direction of a line can make it look like another one.
//!
//! Everything that people see on a terminal, in a log or in a report passes [`visible`] or [`visible_line`].
//! The callers are few, at the places where all such output is written: `cli/src/output.rs`,
//! `cli/src/messages.rs`, `cli/src/progress_lines.rs`, [`crate::render::page`] and `crawl/src/report/folder.rs`.
//!
//! A character becomes `\u` and four hexadecimal digits, as in JSON. So a text in JSON keeps its value.

use std::borrow::Cow;
use std::fmt::Write;

/// Makes all control characters of a text visible except line breaks and tabs.
///
/// ```
/// use gleaner_crawl::render::visible::visible;
///
/// assert_eq!(visible("a\u{1b}[2J\tb\n"), "a\\u001b[2J\tb\n");
/// assert_eq!(visible("Mưa lớn"), "Mưa lớn");
/// ```
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// Makes all control characters of a line visible except tabs. So the line stays one line: a line break
/// becomes `\n`.
#[must_use]
pub fn visible_line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && c != '\t')
}

/// Whether a character is a control character (C0, DEL or C1), a separator of lines or paragraphs, or a
/// character that sets the direction of the text after it (Unicode Standard Annex 9, section 2).
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}') || c.is_control()
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' if is_escaped(c) => out.push_str("\\n"),
            c if is_escaped(c) => {
                // Writing to a `String` cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_visible() {
        let cases = [
            ("\u{1b}]0;x\u{7}", "\\u001b]0;x\\u0007"),
            ("a\rb\u{8}\0", "a\\u000db\\u0008\\u0000"),
            ("\u{7f}\u{9b}31m\u{85}", "\\u007f\\u009b31m\\u0085"),
            ("\u{202e}gpj.exe\u{202c} \u{2066}x\u{2069}", "\\u202egpj.exe\\u202c \\u2066x\\u2069"),
            ("a\u{2028}b", "a\\u2028b"),
            ("Hòa Bình ’–\u{a0}\u{ad}\u{200d} 中文 😀", "Hòa Bình ’–\u{a0}\u{ad}\u{200d} 中文 😀"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text), expected, "{text:?}");
            assert_eq!(visible_line(text), expected, "{text:?}");
        }
        assert_eq!(visible("a\n\tb"), "a\n\tb");
        assert_eq!(visible_line("a\n\tb"), "a\\n\tb");
    }

    #[test]
    fn a_visible_text_stays_as_it_is() {
        let once = visible("\u{1b}\\u001b").into_owned();
        assert_eq!(visible(&once), once);
    }
}
