//! Reads the file with a host's pins, the rules with which a user corrects the host's template.
//!
//! `config/pins/vnexpress.net.toml` has three optional lists:
//!
//! ```toml
//! keep = ["p.lead"]
//! drop = [".comments", "aside"]
//! inserts = ["captions"]
//! ```
//!
//! This module checks only the form of the file. The template crate checks that the texts are CSS selectors.
//! Its messages use the line numbers from this module.

use gleaner_corpus::Insert;
use serde::de::Deserializer;
use serde::{Deserialize, Serialize, Serializer};
use toml::Spanned;

use crate::settings::reader::{error_position, invalid_setting, line_of};
use crate::settings::{ConfigError, ConfigFile};

/// The content of a pins file, or of the table `pins` of a site.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PinsFile {
    /// CSS selectors of elements that are content.
    pub keep: Vec<SettingText>,
    /// CSS selectors of elements that are never content.
    pub drop: Vec<SettingText>,
    /// Kinds of lines to keep. They replace [`crate::settings::TextSettings::keep`]. `None` if the file does not set
    /// them.
    pub inserts: Option<Vec<Insert>>,
}

/// A text of a settings file with its line number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingText {
    /// The text.
    pub text: String,
    /// The number of the line in the file, from 1.
    pub line: usize,
}

/// Reads a text. At first, `line` is the text's byte position in the file. The caller replaces the position
/// with the line number.
impl<'de> Deserialize<'de> for SettingText {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = Spanned::<String>::deserialize(d)?;
        Ok(Self { line: text.span().start, text: text.into_inner() })
    }
}

impl Serialize for SettingText {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.text)
    }
}

/// Reads a pins file.
///
/// # Errors
/// The TOML is invalid, a key is unknown, or a value is not a list of texts. The message is one line, with
/// the file and the line number.
///
/// ```
/// use gleaner_crawl::settings::{ConfigFile, read_pins};
///
/// let pins = read_pins(&ConfigFile { file: "a.example.toml", text: "drop = [\"aside\"]" })?;
/// assert_eq!((pins.drop[0].text.as_str(), pins.drop[0].line), ("aside", 1));
/// let error = read_pins(&ConfigFile { file: "a.example.toml", text: "remove = []" }).unwrap_err();
/// assert!(error.to_string().starts_with("a.example.toml, line 1: unknown field `remove`"));
/// # Ok::<(), gleaner_crawl::settings::ConfigError>(())
/// ```
pub fn read_pins(origin: &ConfigFile<'_>) -> Result<PinsFile, ConfigError> {
    let ConfigFile { file, text } = *origin;
    let mut pins: PinsFile = toml::from_str(text)
        .map_err(|error| invalid_setting(&error_position(file, text, &error), &with_list(error.message())))?;
    pins.keep.iter_mut().chain(&mut pins.drop).for_each(|one| one.line = line_of(text, one.line));
    Ok(pins)
}

/// Adds the correct form to the message about a text that must be in a list.
fn with_list(message: &str) -> String {
    let text = message.strip_prefix("invalid type: string ");
    match text.and_then(|rest| rest.strip_suffix(", expected a sequence")) {
        Some(text) => format!("{message}; write a list: [{text}]"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PinsFile, ConfigError> {
        read_pins(&ConfigFile { file: "x.toml", text })
    }

    #[test]
    fn lines_are_those_of_the_texts() {
        let pins = read("# why\nkeep = [\n  \"p.lead\",\n  'h2',\n]\n").unwrap();
        let found: Vec<(&str, usize)> = pins.keep.iter().map(|one| (&*one.text, one.line)).collect();
        assert_eq!(found, [("p.lead", 3), ("h2", 4)]);
        assert!(pins.drop.is_empty());
        assert_eq!(read("").unwrap(), PinsFile::default());
        assert_eq!(read("inserts = []").unwrap().inserts, Some(vec![]));
        assert_eq!(read("inserts = ['by-lines']").unwrap().inserts, Some(vec![Insert::ByLines]));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        let cases = [
            ("drop = []\nkeeps = []", "x.toml, line 2: unknown field `keeps`"),
            (
                "keep = \"p\"",
                "x.toml, line 1, keep: invalid type: string \"p\", expected a sequence; write a list: [\"p\"]",
            ),
            ("\ndrop = [1]", "x.toml, line 2, drop: invalid type: integer `1`, expected a string"),
            (
                "\ninserts = ['bylines']",
                "x.toml, line 2: unknown variant `bylines`, expected one of `captions`, `credits`, `by-lines`, `read-more`",
            ),
            ("drop = [", "x.toml, line 1: "),
            ("drop = []\ndrop = []", "x.toml, line 2: duplicate key"),
        ];
        for (text, expected) in cases {
            let message = read(text).unwrap_err().to_string();
            assert!(message.starts_with(expected) && !message.contains('\n'), "{message}");
        }
    }
}
