//! Evaluates metadata: how often a value is found, and how often the headline equals the gold headline.
//!
//! The gold headline is the `title` in the manifest. Sets have no gold values for dates, authors and
//! sections, so only the share of pages with a value is reported for these fields. Before two headlines are
//! compared, they are converted to NFC and lower case, white space is collapsed, and quotation marks, dashes
//! and dots are unified.
//!
//! Limitation: a value that is found may be wrong. Gold headlines have errors too: some contain the name of
//! the site, some are cut off, and some are the title for social media.

use gleaner_html::metadata::{Metadata, metadata_at};
use gleaner_html::text::tidy;
use rayon::prelude::*;

use crate::measure::words::{WordBag, normal};
use crate::parallel::in_order;
use crate::{Dataset, DatasetError};

/// The metadata of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageMetadata {
    /// The page's id in its set.
    pub id: String,
    /// The page's URL. Empty if the manifest does not state the URL.
    pub url: String,
    /// The gold headline. `None` if the manifest does not state it.
    pub gold: Option<String>,
    /// The page's metadata.
    pub metadata: Metadata,
}

/// The results for one or several sets. All fields except [`Coverage::words`] are numbers of pages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Coverage {
    /// Pages in the set.
    pub pages: usize,
    /// Pages with a headline.
    pub title: usize,
    /// Pages with a date of publication.
    pub published: usize,
    /// Pages whose date of publication has a time of day.
    pub timed: usize,
    /// Pages whose date of publication has a time zone.
    pub zoned: usize,
    /// Pages with an author or a credit.
    pub authors: usize,
    /// Pages with a section.
    pub section: usize,
    /// Pages with a language.
    pub language: usize,
    /// Pages with a canonical URL.
    pub canonical: usize,
    /// Pages with a gold headline.
    pub gold: usize,
    /// Pages whose headline equals the gold headline.
    pub same: usize,
    /// Mean word F1 of the headlines against the gold headlines, from 0 to 1. It is 0 if there is no gold
    /// headline.
    pub words: f64,
}

/// Reads the metadata of every page of a set, in the order of the manifest.
///
/// # Errors
/// A page cannot be read. Returns the [`DatasetError`] of the first such page.
pub fn read(set: &Dataset) -> Result<Vec<PageMetadata>, DatasetError> {
    in_order(set.entries.par_iter().map(|entry| {
        let metadata = metadata_at(&entry.read()?.page, &entry.url);
        Ok(PageMetadata { id: entry.id.clone(), url: entry.url.clone(), gold: entry.title.clone(), metadata })
    }))
}

impl PageMetadata {
    /// Whether the headline equals the gold headline. Returns `None` if there is no gold headline.
    #[must_use]
    pub fn is_same(&self) -> Option<bool> {
        let gold = self.gold.as_deref()?;
        Some(self.metadata.title.as_deref().is_some_and(|title| comparable(title) == comparable(gold)))
    }

    fn word_f1(&self) -> Option<f64> {
        let gold = WordBag::from_text(self.gold.as_deref()?);
        Some(
            WordBag::from_text(self.metadata.title.as_deref().unwrap_or_default()).against(&gold).ratios().f1,
        )
    }
}

impl Coverage {
    /// Summarizes the pages of one or several sets.
    #[must_use]
    pub fn from_pages<'a>(pages: impl IntoIterator<Item = &'a PageMetadata>) -> Self {
        let mut sum = Self::default();
        for page in pages {
            let Metadata { title, published, authors, section, language, canonical, .. } = &page.metadata;
            let date = published.as_deref().unwrap_or_default();
            sum.pages += 1;
            sum.title += usize::from(title.is_some());
            sum.published += usize::from(published.is_some());
            sum.timed += usize::from(date.contains('T'));
            sum.zoned += usize::from(date.len() > "2026-11-20T09:30:00".len() || date.ends_with('Z'));
            sum.authors += usize::from(!authors.is_empty());
            sum.section += usize::from(section.is_some());
            sum.language += usize::from(language.is_some());
            sum.canonical += usize::from(canonical.is_some());
            sum.gold += usize::from(page.gold.is_some());
            sum.same += usize::from(page.is_same() == Some(true));
            sum.words += page.word_f1().unwrap_or_default();
        }
        sum.words /= sum.gold.max(1) as f64;
        sum
    }
}

fn comparable(title: &str) -> String {
    let one_form = |c: char| match c {
        '‘' | '’' | '‚' | '′' | '`' | '´' => "'".to_owned(),
        '“' | '”' | '„' | '«' | '»' | '″' => "\"".to_owned(),
        '‐' | '‑' | '‒' | '–' | '—' | '−' => "-".to_owned(),
        '…' => "...".to_owned(),
        c => c.to_string(),
    };
    tidy(&normal(title).chars().map(one_form).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(title: Option<&str>, gold: Option<&str>, published: Option<&str>) -> PageMetadata {
        let own = |text: Option<&str>| text.map(str::to_owned);
        let metadata = Metadata { title: own(title), published: own(published), ..Metadata::default() };
        PageMetadata { id: String::new(), url: String::new(), gold: own(gold), metadata }
    }

    #[test]
    fn headlines_are_compared_as_readers_would() {
        let cases = [
            ("Rain  ends", "rain ends", true),
            ("“Rain” ends – at last…", "\"Rain\" ends - at last...", true),
            ("Mu\u{31B}a tạnh", "Mưa tạnh", true),
            ("Rain ends", "Rain ended", false),
        ];
        for (title, gold, expected) in cases {
            assert_eq!(page(Some(title), Some(gold), None).is_same(), Some(expected), "{title}");
        }
        assert_eq!(page(None, Some("x"), None).is_same(), Some(false));
        assert_eq!(page(Some("x"), None, None).is_same(), None);
    }

    #[test]
    fn pages_are_counted() {
        let pages = [
            page(Some("Rain ends"), Some("Rain ends"), Some("2026-11-20")),
            page(Some("Rain ends"), Some("Rain came"), Some("2026-11-20T09:30:00")),
            page(Some("x"), None, Some("2026-11-20T09:30:00Z")),
            page(None, None, None),
        ];
        let sum = Coverage::from_pages(&pages);
        assert_eq!((sum.pages, sum.title, sum.gold, sum.same, sum.words), (4, 3, 2, 1, 0.75));
        assert_eq!((sum.published, sum.timed, sum.zoned, sum.authors), (3, 2, 1, 0));
        assert_eq!(Coverage::from_pages([]), Coverage::default());
    }
}
