//! Defines the kinds of lines, other than body text, that a corpus can include in its texts.

use serde::{Deserialize, Serialize};

/// A kind of line within an article that is not body text. It is included in the text on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Insert {
    /// The text below a picture.
    Captions,
    /// The source or owner of a picture.
    Credits,
    /// Author, date or source of the article.
    ByLines,
    /// Lines between paragraphs with links to other articles.
    ReadMore,
}

impl Insert {
    /// All kinds, in display order.
    pub const ALL: [Self; 4] = [Self::Captions, Self::Credits, Self::ByLines, Self::ReadMore];

    /// Returns the name in settings, which is also the serialized name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Captions => "captions",
            Self::Credits => "credits",
            Self::ByLines => "by-lines",
            Self::ReadMore => "read-more",
        }
    }

    /// Returns the kind with this name. Returns `None` if the name is unknown.
    ///
    /// ```
    /// use gleaner_corpus::Insert;
    ///
    /// assert_eq!(Insert::from_name("by-lines"), Some(Insert::ByLines));
    /// assert_eq!(Insert::from_name("bylines"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|insert| insert.name() == name)
    }
}
