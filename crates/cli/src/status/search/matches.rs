//! Finds the documents of a search, and where in them its words occur.
//!
//! tantivy finds the documents. The positions of the words come from the same index, so no text is read to
//! count them. Of occurrences that begin at the same word, the longest counts.

use std::collections::BTreeSet;
use std::ops::Bound;

use gleaner_crawl::render::language::Bilingual;
use jiff::civil::Date;
use tantivy::collector::DocSetCollector;
use tantivy::postings::Postings;
use tantivy::query::{AllQuery, BooleanQuery, EmptyQuery, Occur, PhraseQuery, Query, RangeQuery, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocId, DocSet, Searcher, SegmentReader, TERMINATED, TantivyError, Term};

use super::SearchError;
use super::index::{Fields, number_of_day};
use super::query::{Phrase, SearchQuery, WordPattern};
use super::words::{begins_with, letters_and_tones};

/// Maximum number of different words that begin with one prefix of a query.
const MAX_WORDS_OF_PREFIX: usize = 5_000;

/// For each word of a phrase, the terms of the index that match it.
type PhraseTerms = Vec<Vec<Term>>;

/// A query whose prefixes are replaced by the words of the index.
pub(super) struct IndexQuery {
    pub(super) documents: BooleanQuery,
    phrases: Vec<PhraseTerms>,
}

/// The documents of one segment that match, and the occurrences in them, both in ascending order.
pub(super) struct SegmentMatches {
    pub(super) documents: Vec<DocId>,
    pub(super) occurrences: Vec<Occurrence>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Occurrence {
    pub(super) document: DocId,
    /// Position of the first word.
    pub(super) position: u32,
    /// Number of words.
    pub(super) words: u32,
}

impl IndexQuery {
    pub(super) fn new(
        searcher: &Searcher,
        fields: &Fields,
        query: &SearchQuery,
    ) -> Result<Self, SearchError> {
        let mut parts: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut phrases = Vec::new();
        for alternatives in &query.phrases {
            let mut any: Vec<Box<dyn Query>> = Vec::new();
            for phrase in alternatives {
                let terms = terms_of_phrase(searcher, fields.words, phrase)?;
                any.push(phrase_query(&terms));
                phrases.push(terms);
            }
            parts.push((Occur::Must, union(any)));
        }
        for phrase in &query.excluded {
            let terms = terms_of_phrase(searcher, fields.words, phrase)?;
            parts.push((Occur::MustNot, phrase_query(&terms)));
        }
        for (field, values, occur) in [
            (fields.host, &query.hosts, Occur::Must),
            (fields.host, &query.excluded_hosts, Occur::MustNot),
            (fields.language, &query.languages, Occur::Must),
            (fields.language, &query.excluded_languages, Occur::MustNot),
        ] {
            if !values.is_empty() {
                let terms = values.iter().map(|value| Term::from_field_text(field, value));
                let one = |term| Box::new(TermQuery::new(term, IndexRecordOption::Basic)) as Box<dyn Query>;
                parts.push((occur, union(terms.map(one).collect())));
            }
        }
        if query.from.is_some() || query.to.is_some() {
            let bound = |day: Option<Date>| {
                let term = |day| Term::from_field_i64(fields.day, number_of_day(day));
                day.map_or(Bound::Unbounded, |day| Bound::Included(term(day)))
            };
            parts.push((Occur::Must, Box::new(RangeQuery::new(bound(query.from), bound(query.to)))));
        }
        if parts.iter().all(|(occur, _)| *occur == Occur::MustNot) {
            parts.push((Occur::Must, Box::new(AllQuery)));
        }
        Ok(Self { documents: BooleanQuery::new(parts), phrases })
    }

    /// Returns the matches of each segment, in the order of the searcher's segments.
    pub(super) fn matches(
        &self,
        searcher: &Searcher,
        words: Field,
    ) -> Result<Vec<SegmentMatches>, SearchError> {
        let mut documents = vec![Vec::new(); searcher.segment_readers().len()];
        for address in searcher.search(&self.documents, &DocSetCollector)? {
            documents[address.segment_ord as usize].push(address.doc_id);
        }
        let segments = searcher.segment_readers().iter().zip(documents);
        segments
            .map(|(segment, mut documents)| {
                documents.sort_unstable();
                let occurrences = occurrences(segment, words, &self.phrases, &documents)?;
                Ok(SegmentMatches { documents, occurrences })
            })
            .collect()
    }

    /// Returns the occurrences in one document.
    pub(super) fn occurrences(
        &self,
        searcher: &Searcher,
        words: Field,
        address: DocAddress,
    ) -> Result<Vec<Occurrence>, SearchError> {
        let segment = searcher.segment_reader(address.segment_ord);
        occurrences(segment, words, &self.phrases, &[address.doc_id])
    }
}

impl SegmentMatches {
    /// Returns each document with its occurrences.
    pub(super) fn by_document(&self) -> impl Iterator<Item = (DocId, &[Occurrence])> {
        let mut rest = &self.occurrences[..];
        self.documents.iter().map(move |&document| {
            let (own, others) = rest.split_at(rest.partition_point(|found| found.document <= document));
            rest = others;
            (document, own)
        })
    }
}

fn union(mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    match queries.len() {
        1 => queries.remove(0),
        _ => Box::new(BooleanQuery::union(queries)),
    }
}

fn phrase_query(terms: &PhraseTerms) -> Box<dyn Query> {
    if let [words] = &terms[..] {
        let one = |term: &Term| {
            Box::new(TermQuery::new(term.clone(), IndexRecordOption::WithFreqs)) as Box<dyn Query>
        };
        return if words.is_empty() { Box::new(EmptyQuery) } else { union(words.iter().map(one).collect()) };
    }
    // At most one word has several terms.
    let several = terms.iter().find(|words| words.len() != 1).unwrap_or(&terms[0]);
    let with = |term: &Term| {
        let word = |words: &Vec<Term>| if words.len() == 1 { words[0].clone() } else { term.clone() };
        Box::new(PhraseQuery::new(terms.iter().map(word).collect())) as Box<dyn Query>
    };
    if several.is_empty() { Box::new(EmptyQuery) } else { union(several.iter().map(with).collect()) }
}

fn terms_of_phrase(searcher: &Searcher, field: Field, phrase: &Phrase) -> Result<PhraseTerms, SearchError> {
    phrase.0.iter().map(|pattern| terms_of_word(searcher, field, pattern)).collect()
}

fn terms_of_word(searcher: &Searcher, field: Field, pattern: &WordPattern) -> Result<Vec<Term>, SearchError> {
    if !pattern.is_prefix {
        return Ok(vec![Term::from_field_text(field, &pattern.key)]);
    }
    let (letters, _) = letters_and_tones(&pattern.key);
    let mut found: BTreeSet<String> = BTreeSet::new();
    for segment in searcher.segment_readers() {
        let inverted = segment.inverted_index(field)?;
        let mut terms = inverted.terms().range().ge(letters).into_stream().map_err(TantivyError::from)?;
        while terms.advance() {
            let Ok(term) = str::from_utf8(terms.key()) else { continue };
            if !term.starts_with(letters) {
                break;
            }
            if begins_with(term, &pattern.key) {
                found.insert(term.to_owned());
            }
            if found.len() > MAX_WORDS_OF_PREFIX {
                return Err(SearchError::Query(too_short(letters)));
            }
        }
    }
    Ok(found.iter().map(|term| Term::from_field_text(field, term)).collect())
}

fn too_short(letters: &str) -> Bilingual {
    Bilingual::new(
        format!("more than {MAX_WORDS_OF_PREFIX} words begin with “{letters}”; write more letters before *"),
        format!("hơn {MAX_WORDS_OF_PREFIX} từ bắt đầu bằng “{letters}”; hãy viết thêm chữ trước *"),
    )
}

/// Returns the occurrences of the phrases in `documents`, which are in ascending order.
fn occurrences(
    segment: &SegmentReader,
    field: Field,
    phrases: &[PhraseTerms],
    documents: &[DocId],
) -> Result<Vec<Occurrence>, SearchError> {
    let mut all = Vec::new();
    for phrase in phrases {
        let mut words = phrase.iter();
        let Some(first) = words.next() else { continue };
        let mut begins = positions(segment, field, first, documents)?;
        for (distance, word) in (1..).zip(words) {
            let next = positions(segment, field, word, documents)?;
            let mut next = next.iter().peekable();
            begins.retain(|&(document, position)| {
                let wanted = (document, position + distance);
                while next.next_if(|found| **found < wanted).is_some() {}
                next.peek() == Some(&&wanted)
            });
        }
        let words = u32::try_from(phrase.len()).unwrap_or(u32::MAX);
        all.extend(begins.into_iter().map(|(document, position)| Occurrence { document, position, words }));
    }
    all.sort_unstable_by_key(|found| (found.document, found.position, u32::MAX - found.words));
    all.dedup_by_key(|found| (found.document, found.position));
    Ok(all)
}

/// Returns the positions of the terms in `documents`, in ascending order.
fn positions(
    segment: &SegmentReader,
    field: Field,
    terms: &[Term],
    documents: &[DocId],
) -> Result<Vec<(DocId, u32)>, SearchError> {
    let inverted = segment.inverted_index(field)?;
    let (mut all, mut positions) = (Vec::new(), Vec::new());
    for term in terms {
        let option = IndexRecordOption::WithFreqsAndPositions;
        let Some(mut postings) = inverted.read_postings(term, option).map_err(TantivyError::from)? else {
            continue;
        };
        let mut wanted = documents;
        while postings.doc() != TERMINATED {
            let found = postings.doc();
            wanted = &wanted[wanted.partition_point(|document| *document < found)..];
            match wanted.first() {
                None => break,
                Some(&document) if document == found => {
                    postings.positions(&mut positions);
                    all.extend(positions.iter().map(|position| (found, *position)));
                    postings.advance();
                }
                Some(&document) => {
                    postings.seek(document);
                }
            }
        }
    }
    all.sort_unstable();
    Ok(all)
}
