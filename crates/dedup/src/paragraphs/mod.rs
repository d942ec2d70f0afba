//! Paragraphs that stand in many documents: boilerplate that slipped through.
//!
//! Counting comes first ([`Paragraphs::count`] as each document is stored), removing
//! later ([`Paragraphs::repeated`] at export): the first document with "Follow us on..."
//! cannot know. Two reasons to call a paragraph repeated, each switchable in [`Params`]:
//! * within its site, in at least so many documents and such a share of them;
//! * across sites: in several documents of each of several sites. A paragraph that
//!   stands once on each of twenty sites is wire copy and is left alone.
//!
//! Nothing is removed here: each answer says where the paragraph stands, which hash it
//! has and in how many documents or sites it was counted, to be kept as provenance
//! beside the text that is exported without it.
//!
//! Memory: [`Counts`] of a site are bounded and never count too high, so what is called
//! repeated was repeated; what is rare enough may be missed (with the default 4,096
//! counters and twenty paragraphs a document, what stands in one document of 200). A site
//! whose counts are full, after some 400 documents, takes 200 KB; a caller with thousands
//! of sites keeps them elsewhere ([`Paragraphs::release`]).
//!
//! Limitation: a by-line or a dateline of five words is a paragraph like others,
//! and so is a refrain. Duplicates of a document should not be counted, or the copies of
//! one article make its paragraphs repeated: count heads of clusters only.
//!
//! ```
//! use gleaner_dedup::paragraphs::{Paragraphs, Params, Reason};
//! let mut paragraphs = Paragraphs::new(Params::default());
//! let text = |n: u32| format!("Story number {n} about the rain.\nFollow us on every network there is.");
//! (0..40).for_each(|n| paragraphs.count("a.example", &text(n)));
//! let repeated = paragraphs.repeated("a.example", &text(7));
//! assert_eq!((repeated.len(), repeated[0].line), (1, 1));
//! assert_eq!(repeated[0].reason, Reason::Site { documents: 40, of: 40 });
//! ```

mod across;
mod counts;

use std::collections::BTreeMap;

pub use across::Across;
pub use counts::Counts;

use crate::mix::{mix, step};
use crate::tokens::Tokens;

/// When a paragraph is repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Params {
    /// Words below which a paragraph is never counted nor removed.
    pub words: usize,
    /// Documents of a site in which a paragraph stands at least.
    pub documents: u32,
    /// Share of the site's documents in which it stands at least, 0 to 1.
    pub share: f64,
    /// Sites on which it is repeated at least; `None` to look within sites only.
    pub sites: Option<u32>,
    /// Documents of a site in which it stands to be repeated there, for [`Self::sites`].
    pub documents_a_site: u32,
    /// Paragraphs that are counted of a site at a time, and of all sites.
    pub counted: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self { words: 5, documents: 5, share: 0.02, sites: Some(3), documents_a_site: 3, counted: 4_096 }
    }
}

/// Why a paragraph is called repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It stands in many documents of its site.
    Site {
        /// In so many, at least.
        documents: u32,
        /// Of so many that were counted.
        of: u32,
    },
    /// It is repeated on several sites.
    Across {
        /// On so many, at least.
        sites: u32,
    },
}

/// A paragraph that is repeated: the provenance of its removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeated {
    /// Its line in the text, counted from 0.
    pub line: usize,
    /// Its hash, [`key`].
    pub key: u64,
    /// Why it is called so.
    pub reason: Reason,
}

/// The hash of a paragraph's tokens, by which paragraphs are the same; `None` below so
/// many words. Case, punctuation and the place of tone marks do not count, digits do.
#[must_use]
pub fn key(paragraph: &str, words: usize) -> Option<u64> {
    let tokens = Tokens::from_text(paragraph);
    let hash = || mix(tokens.hashes().iter().fold(0, |hash, token| step(hash, *token)));
    (tokens.len() >= words.max(1)).then(hash)
}

/// What was counted of a site.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Site {
    /// Documents that were counted.
    pub documents: u32,
    /// In how many of them each paragraph stands.
    pub counts: Counts,
}

/// Counts of paragraphs, a line of a text each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Paragraphs {
    params: Params,
    sites: BTreeMap<String, Site>,
    /// On which sites each paragraph is repeated.
    across: Across,
}

impl Paragraphs {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(params: Params) -> Self {
        Self { params, ..Self::default() }
    }

    /// Counts the paragraphs of a new document, each once.
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

    /// The paragraphs of a text that are repeated, by what was counted until now.
    #[must_use]
    pub fn repeated(&self, site: &str, text: &str) -> Vec<Repeated> {
        let keys = text.lines().map(|line| key(line, self.params.words)).enumerate();
        let keys = keys.filter_map(|(line, key)| Some((line, key?)));
        keys.filter_map(|(line, key)| Some(Repeated { line, key, reason: self.reason(site, key)? })).collect()
    }

    fn reason(&self, site: &str, key: u64) -> Option<Reason> {
        let within = self.sites.get(site).and_then(|site| {
            let (documents, of) = (site.counts.of(key), site.documents);
            let is_repeated = documents >= self.params.documents.max(2)
                && f64::from(documents) >= self.params.share * f64::from(of);
            is_repeated.then_some(Reason::Site { documents, of })
        });
        within.or_else(|| {
            let sites = self.across.of(key);
            (sites >= self.params.sites?.max(2)).then_some(Reason::Across { sites })
        })
    }

    /// What was counted of a site, to be kept; `None` of an unknown one.
    #[must_use]
    pub fn site(&self, site: &str) -> Option<&Site> {
        self.sites.get(site)
    }

    /// On which sites paragraphs are repeated, to be kept.
    #[must_use]
    pub const fn across(&self) -> &Across {
        &self.across
    }

    /// Gives a site's counts away, to be kept elsewhere until [`Self::restore`].
    pub fn release(&mut self, site: &str) -> Option<Site> {
        self.sites.remove(site)
    }

    /// Goes on from what was kept.
    pub fn restore(&mut self, sites: impl IntoIterator<Item = (String, Site)>, across: Across) {
        self.sites.extend(sites);
        self.across = across;
    }
}

/// A text without the lines that are repeated.
#[must_use]
pub fn without(text: &str, repeated: &[Repeated]) -> String {
    let is_kept = |at: &usize| !repeated.iter().any(|of| of.line == *at);
    let lines = text.lines().enumerate().filter(|(at, _)| is_kept(at)).map(|(_, line)| line);
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLLOW: &str = "Follow us on every network there is.";

    fn counted(texts: impl IntoIterator<Item = (&'static str, String)>) -> Paragraphs {
        let mut paragraphs = Paragraphs::new(Params::default());
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
        // 50 of 2,500 documents are two in a hundred, 5 are the fewest.
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
        let reasons: Vec<Reason> =
            boilerplate.repeated("new.example", FOLLOW).iter().map(|of| of.reason).collect();
        assert_eq!(reasons, [Reason::Across { sites: 4 }]);
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
        let mut later = Paragraphs::new(Params::default());
        later.restore([("a.example".to_owned(), site)], paragraphs.across().clone());
        assert_eq!(later.repeated("a.example", FOLLOW), []);
        later.count("a.example", FOLLOW);
        assert_eq!(later.repeated("a.example", FOLLOW)[0].reason, Reason::Site { documents: 5, of: 5 });
    }

    #[test]
    fn a_key_is_of_the_words() {
        assert_eq!(key("Theo dõi chúng tôi: hoà", 5), key("THEO DÕI chúng tôi hòa!", 5));
        assert_ne!(key("one two three four 5", 5), key("one two three four 6", 5));
        assert_eq!((key("one two three four", 5), key("", 0)), (None, None));
    }
}
