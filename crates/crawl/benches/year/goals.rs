//! Describes the results of a simulation, with their goals.

use std::fmt::Write as _;

use serde::Serialize;

/// The results of a simulation.
#[derive(Debug, Default, Serialize)]
pub struct Results {
    pub seed: u64,
    pub nights: u32,
    pub rows: Vec<Row>,
}

/// One result.
#[derive(Debug, Serialize)]
pub struct Row {
    pub name: String,
    pub value: f64,
    /// The goal. `None` if the value is only for information.
    pub goal: Option<Goal>,
    /// What misses the goal, such as nights and sites.
    pub examples: Vec<String>,
}

/// A bound of a value.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    AtLeast(f64),
    AtMost(f64),
}

impl Row {
    fn is_met(&self) -> bool {
        match self.goal {
            Some(Goal::AtLeast(least)) => self.value >= least,
            Some(Goal::AtMost(most)) => self.value <= most,
            None => true,
        }
    }
}

impl Results {
    pub fn add(&mut self, name: &str, value: f64, goal: Option<Goal>, examples: Vec<String>) {
        self.rows.push(Row { name: name.into(), value, goal, examples });
    }

    pub fn is_met(&self) -> bool {
        self.rows.iter().all(Row::is_met)
    }

    /// Returns the table for people. Missed goals have up to five examples.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let goal = match row.goal {
                Some(Goal::AtLeast(least)) => format!(">= {least}"),
                Some(Goal::AtMost(most)) => format!("<= {most}"),
                None => String::new(),
            };
            let mark = if row.is_met() { "" } else { "MISSED" };
            let _ = writeln!(text, "{:<56} {:>12.4} {goal:>10} {mark}", row.name, row.value);
            if !row.is_met() {
                row.examples.iter().take(5).for_each(|example| _ = writeln!(text, "    {example}"));
            }
        }
        text
    }
}
