//! Parses `/.well-known/tdmrep.json` (TDM Reservation Protocol of the W3C community group).
//!
//! The file is a list of rules. Each has the pattern of a path (`location`), and says whether the rights of text and
//! data mining are reserved (`tdm-reservation`, 1 or 0) and where the policy is (`tdm-policy`). Patterns are those of
//! robots.txt. The first rule whose pattern matches decides. Other values of `tdm-reservation` state nothing.

use serde::Deserialize;
use serde_json::Value;

use crate::robots::matcher::Matcher;
use crate::robots::normal::{Pattern, Text};

/// Path of the file on its host.
pub const TDMREP_PATH: &str = "/.well-known/tdmrep.json";

/// The rules of a tdmrep.json.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TdmRules {
    /// The rules, the first of the file last.
    rules: Vec<TdmRule>,
    matcher: Box<Matcher>,
}

/// A rule of a tdmrep.json.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TdmRule {
    /// The pattern of the path, as written.
    pub location: String,
    /// The value of `tdm-reservation` as text. `None` if it is missing.
    pub reservation: Option<String>,
    /// The address of the policy.
    pub policy: Option<String>,
}

#[derive(Deserialize)]
struct WrittenRule {
    location: String,
    #[serde(rename = "tdm-reservation")]
    reservation: Option<Value>,
    #[serde(rename = "tdm-policy")]
    policy: Option<Value>,
}

impl TdmRules {
    /// Parses a file. Rules without a `location` are ignored, and so is a text that is no list in JSON.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let written: Vec<Value> = serde_json::from_str(text).unwrap_or_default();
        let rules = written.into_iter().rev().filter_map(|rule| WrittenRule::deserialize(rule).ok());
        let rules: Vec<TdmRule> = rules.map(TdmRule::from).collect();
        let patterns: Vec<Pattern> = rules.iter().map(TdmRule::pattern).collect();
        Self { matcher: Box::new(Matcher::new(&patterns)), rules }
    }

    /// Returns the rule for `path_and_query`, such as `/news?page=2`.
    #[must_use]
    pub fn rule_for(&self, path_and_query: &str) -> Option<&TdmRule> {
        let found = self.matcher.find(&Text::new(path_and_query.as_bytes()));
        found.pattern.map(|rank| &self.rules[rank])
    }
}

impl From<WrittenRule> for TdmRule {
    fn from(written: WrittenRule) -> Self {
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        Self {
            location: written.location,
            reservation: written.reservation.map(text),
            policy: written.policy.map(text),
        }
    }
}

impl TdmRule {
    /// Returns the pattern. A location that begins with neither `/` nor `*` is relative to the root.
    fn pattern(&self) -> Pattern {
        let location = self.location.trim();
        let slash = if location.starts_with(['/', '*']) { "" } else { "/" };
        Pattern::parse(format!("{slash}{location}").as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_matching_rule_decides() {
        let rules = TdmRules::parse(
            r#"[{"location": "/open/*.html$", "tdm-reservation": 0},
                {"location": "/open/", "tdm-reservation": 1, "tdm-policy": "https://a.example/policy"},
                {"tdm-reservation": 1},
                {"location": "free", "tdm-reservation": 0},
                {"location": "*.pdf", "tdm-reservation": 2}]"#,
        );
        let reservation = |path| rules.rule_for(path).and_then(|rule| rule.reservation.as_deref());
        assert_eq!(reservation("/open/1.html"), Some("0"));
        assert_eq!(reservation("/open/1.html?print"), Some("1"));
        assert_eq!(reservation("/free/1"), Some("0"));
        assert_eq!(reservation("/a/b.pdf"), Some("2"));
        assert_eq!(reservation("/a"), None);
        assert_eq!(rules.rule_for("/open/").unwrap().policy.as_deref(), Some("https://a.example/policy"));
    }

    #[test]
    fn other_texts_have_no_rules() {
        for text in ["", "<html>", "{\"location\": \"/\"}", "[1, null, []]", "[{\"location\": 1}]"] {
            assert_eq!(TdmRules::parse(text), TdmRules::parse("[]"), "{text}");
        }
        assert!(TdmRules::parse(&"[".repeat(400_000)).rule_for("/").is_none());
    }
}
