//! Collects the facts for `gleaner doctor`. Each fact is a label and a text.

use std::fmt::Write;

use console::Term;
use gleaner_crawl::render::visible::visible_line;
use serde_json::{Map, Value};

use crate::table::wrapped_at;

#[derive(Debug, Default)]
pub(super) struct Facts(Vec<(&'static str, String)>);

impl Facts {
    pub(super) fn add(&mut self, label: &'static str, value: impl Into<String>) {
        self.0.push((label, value.into()));
    }

    pub(super) fn add_first(&mut self, label: &'static str, value: impl Into<String>) {
        self.0.insert(0, (label, value.into()));
    }

    pub(super) fn text(&self) -> String {
        let width = self.0.iter().map(|(label, _)| label.len()).max().unwrap_or_default();
        let (mut text, mut last) = (String::new(), "");
        for (label, value) in &self.0 {
            let shown = if *label == last { "" } else { *label };
            // A line break in a value could make the rest look like another fact.
            let line = format!("{shown:width$}  {}", visible_line(value));
            let _ = writeln!(text, "{}", wrapped_at(&line, width + 2, &Term::stdout()));
            last = label;
        }
        text
    }

    pub(super) fn json(&self) -> String {
        let mut object = Map::new();
        for (label, value) in &self.0 {
            let entry = object.entry(label.replace(' ', "_")).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(list) = entry {
                list.push(Value::String(value.clone()));
            }
        }
        format!("{}\n", Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_with_one_label_are_together() {
        let mut facts = Facts::default();
        facts.add("last answer", "a");
        facts.add("last answer", "b");
        facts.add_first("url", "c");
        assert_eq!(facts.text(), "url          c\nlast answer  a\n             b\n");
        assert_eq!(facts.json(), "{\"last_answer\":[\"a\",\"b\"],\"url\":[\"c\"]}\n");
    }

    #[test]
    fn a_fact_is_one_line() {
        let mut facts = Facts::default();
        facts.add("last answer", "a\nwhy  forged");
        assert_eq!(facts.text(), "last answer  a\\nwhy  forged\n");
    }
}
