//! Selects documents by texts in their metadata.

use gleaner_corpus::{Document, SearchText};

/// Metadata that a [`TextFilter`] searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Property {
    /// The headline.
    Title,
    /// The section.
    Section,
    /// The authors. At least one name must match.
    Author,
    /// The keywords. At least one keyword must match.
    Tag,
}

impl Property {
    /// All properties.
    pub const ALL: [Self; 4] = [Self::Title, Self::Section, Self::Author, Self::Tag];

    /// Returns the name of the command-line option. It is also the key in [`crate::FilterCounts::held_back`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Section => "section",
            Self::Author => "author",
            Self::Tag => "tag",
        }
    }

    fn values(self, document: &Document) -> impl Iterator<Item = &String> {
        let values: &[String] = match self {
            Self::Title => document.title.as_slice(),
            Self::Section => document.section.as_slice(),
            Self::Author => &document.authors,
            Self::Tag => &document.keywords,
        };
        values.iter()
    }
}

/// Selects documents whose metadata contain a text, as a [`SearchText`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFilter {
    pub(super) property: Property,
    wanted: Vec<SearchText>,
}

impl TextFilter {
    /// Returns a filter for documents whose property contains at least one of the texts in `wanted`.
    #[must_use]
    pub fn new(property: Property, wanted: &[String]) -> Self {
        Self { property, wanted: wanted.iter().map(|wanted| SearchText::new(wanted)).collect() }
    }

    pub(super) fn holds(&self, document: &Document) -> bool {
        self.property.values(document).any(|value| self.wanted.iter().any(|wanted| wanted.is_in(value)))
    }
}
