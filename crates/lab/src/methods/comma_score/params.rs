//! Defines the settings of the comma score.

use super::Marks;

/// Settings of [`extract`](super::extract). The default values are from the paper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommaScoreParams {
    /// The elements that count as "parts of the web page", in lower case.
    pub elements: Vec<String>,
    /// The writing systems whose commas and full stops count.
    pub marks: Marks,
    /// The exponent of the number of commas.
    pub comma_power: i32,
    /// The exponent of the number of commas and full stops in anchors.
    pub anchor_power: i32,
    /// Which parts with a score above the average are extracted.
    pub position: Position,
}

/// The positions in the tree at which parts can be extracted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Position {
    /// Only parts below the parent of the best part. This is the paper's position control.
    #[default]
    BelowTheBestsParent,
    /// All parts. The paper uses this if "searching direct parent of best evaluated" fails.
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
