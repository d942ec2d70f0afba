//! Reads the strings of a script's data, each with its path.
//!
//! A script may be JSON, an assignment of an object (`window.__STATE__ = {...}`) or a call
//! (`self.__next_f.push([1, "..."])`). Only the common parts of JSON and JavaScript objects are read:
//! double-quoted strings, brackets and keys. Everything else is skipped, so a script that is code yields only
//! a few short strings. A string that itself contains data is read in the same way, up to three levels deep.
//!
//! Cost: linear in the length of the script.

use memchr::memchr2;

const MIN: usize = 60;

/// Number of bytes at the start of a string that are examined to decide whether it contains data.
const START: usize = 2_000;

/// Maximum number of levels of strings within strings.
const DEEPEST: usize = 3;

/// Maximum number of open brackets. Deeper data are skipped.
const MAX_OPEN: usize = 64;

const MAX_KEY_LENGTH: usize = 64;

#[derive(Debug, Default)]
struct Frame {
    is_array: bool,
    index: u32,
    key: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EmbeddedText {
    /// The keys that lead to the string. `[]` replaces the index in an array.
    pub(super) path: String,
    /// The string's index in each array of `path`.
    pub(super) indexes: Vec<u32>,
    pub(super) text: String,
}

pub(super) fn strings(script: &str) -> Vec<EmbeddedText> {
    let mut reader = Reader { found: Vec::new(), frames: Vec::new() };
    reader.read(script, 0);
    reader.found
}

struct Reader {
    found: Vec<EmbeddedText>,
    frames: Vec<Frame>,
}

impl Reader {
    fn read(&mut self, script: &str, level: usize) {
        let bytes = script.as_bytes();
        let base = self.frames.len();
        let mut at = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'"' => {
                    let Some(end) = end_of_string(bytes, at + 1) else { break };
                    self.string(script, at..end, level);
                    at = end;
                }
                b'{' | b'[' if self.frames.len() < MAX_OPEN => {
                    let frame = Frame { is_array: bytes[at] == b'[', ..Frame::default() };
                    self.frames.push(frame);
                }
                b'}' | b']' if self.frames.len() > base => drop(self.frames.pop()),
                b',' => {
                    if let Some(frame) = self.frames.last_mut() {
                        frame.index += u32::from(frame.is_array);
                        frame.key.clear();
                    }
                }
                byte if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' => {
                    let is_name = |byte: &u8| !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'));
                    let end = bytes[at..].iter().position(is_name).map_or(bytes.len(), |size| at + size);
                    if is_key(bytes, end) {
                        self.set_key(&script[at..end]);
                    }
                    at = end;
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        self.frames.truncate(base);
    }

    fn string(&mut self, script: &str, quotes: std::ops::Range<usize>, level: usize) {
        let raw = &script[quotes.start + 1..quotes.end];
        if is_key(script.as_bytes(), quotes.end + 1) {
            self.set_key(raw);
            return;
        }
        if raw.len() < MIN {
            return;
        }
        let Ok(text) = serde_json::from_str::<String>(&script[quotes.start..=quotes.end]) else { return };
        self.text(&text, level);
    }

    fn text(&mut self, mut text: &str, level: usize) {
        // Rows of a React server response: `24:T1a3b,`, followed by 0x1a3b bytes of text.
        while let Some((row, rest)) = server_row(text) {
            self.put(row);
            text = rest;
        }
        let start = &text[..text.floor_char_boundary(START)];
        let is_data =
            ["\":\"", "\":{", "\":[", "\": \"", "\": {", "\": ["].iter().any(|sign| start.contains(sign));
        if is_data && level < DEEPEST {
            self.read(text, level + 1);
        } else {
            self.put(text);
        }
    }

    fn put(&mut self, text: &str) {
        if text.len() < MIN {
            return;
        }
        let (mut path, mut indexes) = (String::new(), Vec::new());
        for frame in &self.frames {
            if frame.is_array {
                path.push_str("[]");
                indexes.push(frame.index);
            } else {
                path.push('.');
                path.push_str(&frame.key);
            }
        }
        self.found.push(EmbeddedText { path, indexes, text: text.to_owned() });
    }

    fn set_key(&mut self, name: &str) {
        if let Some(frame) = self.frames.last_mut().filter(|frame| !frame.is_array) {
            frame.key.clear();
            frame.key.push_str(&name[..name.floor_char_boundary(MAX_KEY_LENGTH)]);
        }
    }
}

fn end_of_string(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        from += memchr2(b'"', b'\\', bytes.get(from..)?)?;
        if bytes[from] == b'"' {
            return Some(from);
        }
        from += 2;
    }
}

fn is_key(bytes: &[u8], from: usize) -> bool {
    bytes[from.min(bytes.len())..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

/// Splits `24:T1a3b,TEXT REST` into text and rest. Returns `None` for any other form.
fn server_row(text: &str) -> Option<(&str, &str)> {
    let (id, rest) = text.split_once(":T")?;
    let (size, rest) = rest.split_once(',')?;
    let is_hex =
        |part: &str| !part.is_empty() && part.len() <= 8 && part.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_hex(id) || !is_hex(size) {
        return None;
    }
    let size = usize::from_str_radix(size, 16).ok()?.min(rest.len());
    Some(rest.split_at(rest.floor_char_boundary(size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAIN: &str = "Rain fell on the valley for the third day, and the river rose above the bridge.";

    fn paths(script: &str) -> Vec<(String, Vec<u32>)> {
        strings(script).into_iter().map(|found| (found.path, found.indexes)).collect()
    }

    #[test]
    fn strings_have_the_keys_above_them() {
        let cases = [
            (format!(r#"{{"a":{{"body":"{RAIN}"}},"b":"short"}}"#), ".a.body", vec![]),
            (
                format!(r#"window.__X__ = {{page: {{items: [1, {{"text": "{RAIN}"}}]}}}};"#),
                ".page.items[].text",
                vec![1],
            ),
            (format!(r#"f.push([1,"{{\"body\":\"{RAIN}\"}}"])"#), "[].body", vec![1]),
            (format!(r#"f.push([1,"24:T53,{RAIN}"])"#), "[]", vec![1]),
        ];
        for (script, path, indexes) in cases {
            assert_eq!(paths(&script), [(path.to_owned(), indexes)], "{script}");
        }
    }

    #[test]
    fn what_is_no_data_gives_nothing() {
        for script in ["", "\"", "{{{{", "\\\"", "if (a) { b(\"x\") }", "]]]}", "{\"a\":\"unended"] {
            assert_eq!(strings(script), [], "{script}");
        }
        let rows = serde_json::Value::from("1:T1,x".repeat(200_000)).to_string();
        assert_eq!(strings(&rows), []);
        let deep = format!("{}\"{RAIN}\"", "[".repeat(10_000));
        assert_eq!(strings(&deep).len(), 1);
    }
}
