//! Settings of the comma score.

use super::Marks;

/// Settings of [`extract`](super::extract); the default is the paper's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommaScoreParams {
    /// The elements that are "parts of the web page", as lower-case names.
    pub elements: Vec<String>,
    /// Which characters are commas and full stops.
    pub marks: Marks,
    /// The power of the number of commas.
    pub comma_power: i32,
    /// The power of the number of commas and full stops in anchors.
    pub anchor_power: i32,
    /// Which of the parts above the average are taken.
    pub position: Position,
}

/// Whether a part's place in the tree counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Position {
    /// Only parts below the parent of the best part: position control.
    #[default]
    BelowTheBestsParent,
    /// All parts, as when "searching direct parent of best evaluated" fails.
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
