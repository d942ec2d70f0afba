//! Settings of the comma score.

use super::Marks;

/// Settings of [`extract`](super::extract), by default the paper's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommaScoreParams {
    /// The lower-case names of the elements that are "parts of the web page".
    pub elements: Vec<String>,
    /// Defines commas and full stops.
    pub marks: Marks,
    /// The exponent of the number of commas.
    pub comma_power: i32,
    /// The exponent of the number of commas and full stops in anchors.
    pub anchor_power: i32,
    /// Selects the parts above the average that are extracted.
    pub position: Position,
}

/// The parts of the tree from which text is extracted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Position {
    /// Only parts below the parent of the best part: position control.
    #[default]
    BelowTheBestsParent,
    /// All parts. The paper uses them if "searching direct parent of best evaluated" fails.
    Anywhere,
}

impl Default for CommaScoreParams {
    fn default() -> Self {
        Self {
            elements: vec!["div".into()],
            marks: Marks::Both,
            comma_power: 3,
            anchor_power: 2,
            position: Position::BelowTheBestsParent,
        }
    }
}
