//! Settings of the comma score.

use super::Marks;

/// Settings of [`extract`](super::extract). The default settings are the paper's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommaScoreParams {
    /// The names of the elements that are "parts of the web page", in lower case.
    pub elements: Vec<String>,
    /// Which characters are commas and full stops.
    pub marks: Marks,
    /// The exponent of the number of commas.
    pub comma_power: i32,
    /// The exponent of the number of commas and full stops in anchors.
    pub anchor_power: i32,
    /// Which of the parts above the average are extracted.
    pub position: Position,
}

/// The parts of the tree from which text is extracted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Position {
    /// Only parts below the parent of the best part: position control.
    #[default]
    BelowTheBestsParent,
    /// All parts, as in the paper if "searching direct parent of best evaluated" fails.
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
