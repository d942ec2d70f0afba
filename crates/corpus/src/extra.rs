//! Defines the parts of a page, other than body text, that a corpus can store in separate fields.

use serde::{Deserialize, Serialize};

/// A kind of page part that is stored in a separate field on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extra {
    /// Readers' comments.
    Comments,
    /// The texts below pictures.
    Captions,
    /// Links in the text.
    Links,
}

impl Extra {
    /// All kinds, in display order.
    pub const ALL: [Self; 3] = [Self::Comments, Self::Captions, Self::Links];

    /// Returns the name in settings, which is also the serialized name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Comments => "comments",
            Self::Captions => "captions",
            Self::Links => "links",
        }
    }

    /// Returns the kind with this name. Returns `None` if the name is unknown.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|extra| extra.name() == name)
    }
}

/// The parts of a page that were stored in addition to its text. All lists are empty if no parts were
/// requested. Stores serialize the fields by position, so a new field must be last and have a default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Extras {
    /// Lines of readers' comments, in page order.
    pub comments: Vec<String>,
    /// Captions in the article, in page order.
    pub captions: Vec<String>,
    /// Addresses of the links in the text, in page order. In a document, they are absolute.
    pub links: Vec<String>,
    /// The linked text of each address in [`Self::links`].
    pub link_texts: Vec<String>,
}
