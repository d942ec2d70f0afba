//! Lists the most frequent words of the documents of a search.
//!
//! Limitation: a Vietnamese word of several syllables counts as its syllables, because nothing here knows which
//! syllables form a word.

use std::collections::HashMap;

use gleaner_corpus::{DocumentId, folded};
use serde::Serialize;

use super::words::words;
use super::{ReadDocument, SearchError};

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WordList {
    /// The most frequent words, the most frequent first.
    pub(crate) words: Vec<WordCount>,
    /// Number of documents that match the search.
    pub(crate) documents: usize,
    /// Number of documents whose words were counted.
    pub(crate) counted: u64,
    /// Number of words in these documents.
    pub(crate) all: u64,
    /// Number of different words.
    pub(crate) different: usize,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct WordCount {
    /// The word in lower case.
    pub(crate) word: String,
    /// Number of occurrences.
    pub(crate) count: u64,
    /// Number of documents with the word.
    pub(crate) documents: u64,
}

impl WordList {
    /// Returns how often a word occurs in a million words.
    pub(crate) fn per_million(&self, word: &WordCount) -> f64 {
        if self.all == 0 { 0.0 } else { word.count as f64 * 1e6 / self.all as f64 }
    }
}

#[derive(Default)]
struct Count {
    count: u64,
    documents: u64,
    last_document: u64,
}

/// Returns the most frequent words of the titles and texts. `read` returns a document, or `None` if it cannot be
/// read.
pub(super) fn most_frequent(
    ids: impl Iterator<Item = Result<DocumentId, SearchError>>,
    limit: usize,
    read: &mut ReadDocument<'_>,
) -> Result<WordList, SearchError> {
    let mut list = WordList::default();
    let mut counts: HashMap<String, Count> = HashMap::new();
    for id in ids {
        let Some(document) = read(id?)? else { continue };
        list.counted += 1;
        for text in [document.title.as_deref().unwrap_or_default(), &document.text] {
            for range in words(text) {
                list.all += 1;
                let count = counts.entry(folded(&text[range])).or_default();
                count.count += 1;
                count.documents += u64::from(count.last_document != list.counted);
                count.last_document = list.counted;
            }
        }
    }
    list.different = counts.len();
    let word =
        |(word, count): (String, Count)| WordCount { word, count: count.count, documents: count.documents };
    list.words = counts.into_iter().map(word).collect();
    list.words.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.word.cmp(&other.word)));
    list.words.truncate(limit);
    Ok(list)
}
