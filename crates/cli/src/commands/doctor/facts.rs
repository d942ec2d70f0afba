//! Collects the facts for `gleaner doctor`. Each fact is a label and a text.

use std::fmt::Write;

use console::Term;
use serde_json::{Map, Value};

use crate::table::wrapped_at;

#[derive(Debug, Default)]
pub(super) struct Facts(Vec<(&'static str, String)>);

impl Facts {
    pub(super) fn add(&mut self, what: &'static str, says: impl Into<String>) {
        self.0.push((what, says.into()));
    }

    pub(super) fn lead(&mut self, what: &'static str, says: impl Into<String>) {
        self.0.insert(0, (what, says.into()));
    }

    pub(super) fn text(&self) -> String {
        let width = self.0.iter().map(|(what, _)| what.len()).max().unwrap_or_default();
        let (mut text, mut last) = (String::new(), "");
        for (what, says) in &self.0 {
            let shown = if *what == last { "" } else { *what };
            let line = format!("{shown:width$}  {says}");
            let _ = writeln!(text, "{}", wrapped_at(&line, width + 2, &Term::stdout()));
            last = what;
        }
        text
    }

    pub(super) fn json(&self) -> String {
        let mut object = Map::new();
        for (what, says) in &self.0 {
            let entry = object.entry(what.replace(' ', "_")).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(list) = entry {
                list.push(Value::String(says.clone()));
            }
        }
        format!("{}\n", Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_one_kind_stand_together() {
        let mut facts = Facts::default();
        facts.add("last answer", "a");
        facts.add("last answer", "b");
        facts.lead("url", "c");
        assert_eq!(facts.text(), "url          c\nlast answer  a\n             b\n");
        assert_eq!(facts.json(), "{\"last_answer\":[\"a\",\"b\"],\"url\":[\"c\"]}\n");
    }
}
