//! Finds paragraphs that many documents repeat. They are boilerplate that extraction did not remove.
//!
//! A single document does not show that its line "Follow us on..." is repeated. Therefore paragraphs are
//! counted when each document is stored ([`Paragraphs::count`]), and removed only at export
//! ([`Paragraphs::repeated`]). A paragraph is repeated in one of two cases, with thresholds in
//! [`ParagraphParams`]:
//! * Within its site: a minimum number and share of the site's documents contain it.
//! * Across sites: on each of several sites, several documents contain it. A paragraph that occurs once on
//!   each of twenty sites is news agency copy and does not count as repeated.
//!
//! [`Paragraphs::repeated`] only reports paragraphs and does not remove them. Each result contains the
//! paragraph's position, its hash and the number of documents or sites. Store it with the exported text to
//! document the removal.
//!
//! Memory: a site's [`ParagraphCounts`] have a limited size. Counts are never too high, so every reported
//! paragraph is really repeated. Rare paragraphs may be missed. With the default 4,096 counters and twenty
//! paragraphs per document, a paragraph is rare if it is in fewer than one of 200 documents. The counts of a
//! site reach their maximum size of 200 KB after about 400 documents. A caller with thousands of sites can
//! store these counts elsewhere ([`Paragraphs::release`]).
//!
//! Limitation: by-lines and datelines of five words, and refrains, are treated like other paragraphs. Count
//! only the representatives of clusters. Otherwise, the copies of an article would make its paragraphs count
//! as repeated.
//!
//! ```
//! use gleaner_corpus::dedup::paragraphs::{Paragraphs, ParagraphParams, RepetitionReason};
//! let mut paragraphs = Paragraphs::new(ParagraphParams::default());
//! let text = |n: u32| format!("Story number {n} about the rain.\nFollow us on every network there is.");
//! (0..40).for_each(|n| paragraphs.count("a.example", &text(n)));
//! let repeated = paragraphs.repeated("a.example", &text(7));
//! assert_eq!((repeated.len(), repeated[0].line), (1, 1));
//! assert_eq!(repeated[0].reason, RepetitionReason::Site { documents: 40, of: 40 });
//! ```

mod counts;
mod cross_site;

use std::collections::BTreeMap;

pub use counts::ParagraphCounts;
pub use cross_site::CrossSiteCounts;

use crate::dedup::mix::{mix, step};
use crate::dedup::tokens::Tokens;

/// Thresholds for repeated paragraphs.
#[derive(Debug, Clone, PartialEq)]
pub struct ParagraphParams {
    /// Minimum number of words of a paragraph. Shorter paragraphs are neither counted nor removed.
    pub words: usize,
    /// Minimum number of the site's documents that contain the paragraph.
    pub documents: u32,
    /// Minimum share of the site's documents that contain the paragraph, 0 to 1.
    pub share: f64,
    /// Minimum number of sites that repeat the paragraph, at most 16. If `None`, paragraphs are compared only
    /// within sites.
    pub sites: Option<u32>,
    /// A site counts for [`Self::sites`] if at least this number of its documents contain the paragraph.
    pub documents_a_site: u32,
    /// Number of paragraphs to count, for each site and across sites.
    pub counted: usize,
}

impl Default for ParagraphParams {
    fn default() -> Self {
        Self { words: 5, documents: 5, share: 0.02, sites: Some(3), documents_a_site: 3, counted: 4_096 }
    }
}

/// Why a paragraph is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepetitionReason {
    /// The paragraph is in many documents of its site.
    Site {
        /// Number of the site's documents that contain the paragraph. The true number may be higher.
        documents: u32,
        /// Number of the site's counted documents.
        of: u32,
    },
    /// The paragraph is repeated on several sites.
    Across {
        /// Number of sites that repeat the paragraph. The true number may be higher.
        sites: u32,
    },
}

/// A repeated paragraph. Stored with an exported text, it documents why the paragraph was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatedParagraph {
    /// The paragraph's line in the text, counted from 0.
    pub line: usize,
    /// The paragraph's hash ([`key`]).
    pub key: u64,
    /// Why the paragraph is repeated.
    pub reason: RepetitionReason,
}

/// Returns the hash of a paragraph's tokens, or `None` if it has fewer than `words` words. The hash does not
/// depend on case, punctuation or the position of tone marks, but depends on digits.
#[must_use]
pub fn key(paragraph: &str, words: usize) -> Option<u64> {
    let tokens = Tokens::from_text(paragraph);
    let hash = || mix(tokens.hashes().iter().fold(0, |hash, token| step(hash, *token)));
    (tokens.len() >= words.max(1)).then(hash)
}

/// The counts of a site.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SiteParagraphs {
    /// Number of counted documents.
    pub documents: u32,
    /// Number of these documents that contain each paragraph. The key is the paragraph's hash.
    pub counts: ParagraphCounts,
}

/// Counts of paragraphs per site and across sites. A paragraph is a line of a text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Paragraphs {
    params: ParagraphParams,
    sites: BTreeMap<String, SiteParagraphs>,
    across: CrossSiteCounts,
}

impl Paragraphs {
    /// Returns empty counts.
    #[must_use]
    pub fn new(params: ParagraphParams) -> Self {
        Self { params, ..Self::default() }
    }

    /// Counts each distinct paragraph of a new document once.
    pub fn count(&mut self, site: &str, text: &str) {
        let mut keys: Vec<u64> = text.lines().filter_map(|line| key(line, self.params.words)).collect();
        keys.sort_unstable();
        keys.dedup();
        let of = self.sites.entry(site.to_owned()).or_default();
        of.documents = of.documents.saturating_add(1);
        for key in keys {
            if of.counts.add(key, self.params.counted) == self.params.documents_a_site {
                self.across.add(key, site, self.params.counted);
            }
        }
    }

    /// Returns the paragraphs of a text that are repeated according to the counts so far.
    #[must_use]
    pub fn repeated(&self, site: &str, text: &str) -> Vec<RepeatedParagraph> {
        let keys = text.lines().map(|line| key(line, self.params.words)).enumerate();
        let keys = keys.filter_map(|(line, key)| Some((line, key?)));
        keys.filter_map(|(line, key)| Some(RepeatedParagraph { line, key, reason: self.reason(site, key)? }))
            .collect()
    }

    fn reason(&self, site: &str, key: u64) -> Option<RepetitionReason> {
        let within = self.sites.get(site).and_then(|site| {
            let (documents, of) = (site.counts.get(key), site.documents);
            let is_repeated = documents >= self.params.documents.max(2)
                && f64::from(documents) >= self.params.share * f64::from(of);
            is_repeated.then_some(RepetitionReason::Site { documents, of })
        });
        within.or_else(|| {
            let sites = self.across.get(key);
            (sites >= self.params.sites?.max(2)).then_some(RepetitionReason::Across { sites })
        })
    }

    /// Returns the counts of a site, for storage. Returns `None` if the site is unknown.
    #[must_use]
    pub fn site(&self, site: &str) -> Option<&SiteParagraphs> {
        self.sites.get(site)
    }

    /// Returns the sites on which paragraphs are repeated, for storage.
    #[must_use]
    pub const fn across(&self) -> &CrossSiteCounts {
        &self.across
    }

    /// Removes and returns a site's counts, so that the caller can store them until [`Self::restore`].
    /// Returns `None` if the site is unknown.
    pub fn release(&mut self, site: &str) -> Option<SiteParagraphs> {
        self.sites.remove(site)
    }

    /// Adds stored counts of sites. Replaces the counts across sites.
    pub fn restore(
        &mut self,
        sites: impl IntoIterator<Item = (String, SiteParagraphs)>,
        across: CrossSiteCounts,
    ) {
        self.sites.extend(sites);
        self.across = across;
    }
}

/// Returns a text without its repeated lines.
#[must_use]
pub fn without(text: &str, repeated: &[RepeatedParagraph]) -> String {
    let is_kept = |at: &usize| !repeated.iter().any(|of| of.line == *at);
    let lines = text.lines().enumerate().filter(|(at, _)| is_kept(at)).map(|(_, line)| line);
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLLOW: &str = "Follow us on every network there is.";

    fn counted(texts: impl IntoIterator<Item = (&'static str, String)>) -> Paragraphs {
        let mut paragraphs = Paragraphs::new(ParagraphParams::default());
        texts.into_iter().for_each(|(site, text)| paragraphs.count(site, &text));
        paragraphs
    }

    #[test]
    fn what_a_site_repeats_is_found_and_what_is_rare_or_short_is_not() {
        let text = |n: u32| {
            let follow = if n.is_multiple_of(51) { FOLLOW } else { "" };
            format!(
                "The rain of day {n} fell on us.\nRead more\n{follow}\nSaid the same, the same, the same on day {}.",
                n / 3
            )
        };
        // 50 of 2,500 documents are 2%; the minimum is 5 documents.
        for (documents, expected) in [(2_500, 1), (2_550, 0), (204, 0), (205, 1)] {
            let paragraphs = counted((0..documents).map(|n| ("a.example", text(n))));
            let repeated = paragraphs.repeated("a.example", &text(0));
            assert_eq!(repeated.len(), expected, "{documents}: {repeated:?}");
            assert!(repeated.iter().all(|of| of.line == 2 && Some(of.key) == key(FOLLOW, 5)));
            assert_eq!(paragraphs.repeated("b.example", &text(0)), []);
        }
    }

    #[test]
    fn a_paragraph_counts_once_a_document() {
        let text = format!("{FOLLOW}\n").repeat(30);
        let paragraphs = counted([("a.example", text.clone())]);
        assert_eq!(paragraphs.repeated("a.example", &text), []);
        assert_eq!(paragraphs.site("a.example").map(|site| site.documents), Some(1));
    }

    #[test]
    fn sites_that_repeat_it_count_and_not_sites_that_have_it() {
        let sites = ["a.example", "b.example", "c.example", "d.example"];
        let own = |site: &str, n: u32| format!("{site} wrote about day number {n}.\n{FOLLOW}");
        let wire = counted(sites.into_iter().flat_map(|site| [(site, own(site, 1)), (site, own(site, 2))]));
        assert_eq!(wire.repeated("a.example", FOLLOW), []);
        let texts = sites.into_iter().flat_map(|site| (0..3).map(move |n| (site, own(site, n))));
        let boilerplate = counted(texts);
        let reasons: Vec<RepetitionReason> =
            boilerplate.repeated("new.example", FOLLOW).iter().map(|of| of.reason).collect();
        assert_eq!(reasons, [RepetitionReason::Across { sites: 4 }]);
    }

    #[test]
    fn what_is_removed_is_the_line_alone() {
        let text = format!("One of the first lines.\n{FOLLOW}\nTwo.");
        let paragraphs = counted((0..5).map(|_| ("a.example", format!("{FOLLOW} \n"))));
        let repeated = paragraphs.repeated("a.example", &text);
        assert_eq!(without(&text, &repeated), "One of the first lines.\nTwo.");
        assert_eq!(without(&text, &[]), text);
    }

    #[test]
    fn what_was_kept_goes_on() {
        let mut paragraphs = counted((0..4).map(|_| ("a.example", FOLLOW.to_owned())));
        let site = paragraphs.release("a.example").unwrap();
        assert_eq!(paragraphs.release("a.example"), None);
        let mut later = Paragraphs::new(ParagraphParams::default());
        later.restore([("a.example".to_owned(), site)], paragraphs.across().clone());
        assert_eq!(later.repeated("a.example", FOLLOW), []);
        later.count("a.example", FOLLOW);
        assert_eq!(
            later.repeated("a.example", FOLLOW)[0].reason,
            RepetitionReason::Site { documents: 5, of: 5 }
        );
    }

    #[test]
    fn a_key_is_of_the_words() {
        assert_eq!(key("Theo dõi chúng tôi: hoà", 5), key("THEO DÕI chúng tôi hòa!", 5));
        assert_ne!(key("one two three four 5", 5), key("one two three four 6", 5));
        assert_eq!((key("one two three four", 5), key("", 0)), (None, None));
    }
}
