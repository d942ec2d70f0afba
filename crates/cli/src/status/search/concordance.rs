//! Shows the occurrences of words with their context, one per line (KWIC).

use std::cmp::Reverse;
use std::ops::Range;

use gleaner_corpus::{Document, DocumentId};
use jiff::civil::Date;
use serde::{Serialize, Serializer};
use tantivy::{DocAddress, Searcher};

use super::index::{Fields, GAP, MAX_WORDS, date, day, fingerprint};
use super::matches::{IndexQuery, Occurrence};
use super::query::SearchQuery;
use super::words::{key, without_diacritics, words};
use super::{FoundDocument, ReadDocument, SearchError, fingerprint_of, id_of};

/// Maximum number of words of the context by which lines are sorted.
const MAX_SORT_WORDS: usize = 5;

/// The order of the lines. Lines that are equal in this order begin with the newest document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LineOrder {
    /// By day, the newest first
    Time,
    /// By host
    Host,
    /// By the words before the hit, the nearest word first
    Left,
    /// By the words after the hit
    Right,
}

impl LineOrder {
    pub(crate) const ALL: [Self; 4] = [Self::Time, Self::Host, Self::Left, Self::Right];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Host => "host",
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    pub(crate) const fn needs_texts(self) -> bool {
        matches!(self, Self::Left | Self::Right)
    }
}

/// Which lines to show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineOptions {
    pub(crate) order: LineOrder,
    /// Maximum number of characters before and after a hit.
    pub(crate) width: usize,
    pub(crate) skip: usize,
    pub(crate) limit: usize,
    /// Maximum number of documents that are read to sort lines by their context. The newest are read.
    pub(crate) max_sorted: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Concordance {
    pub(crate) lines: Vec<Line>,
    /// Number of all hits.
    pub(crate) hits: u64,
    /// Number of all documents with hits.
    pub(crate) documents: usize,
    /// Number of documents whose lines were sorted.
    pub(crate) sorted: usize,
}

/// A hit with its context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Line {
    /// The day of publication or, if unknown, of fetching.
    pub(crate) day: Date,
    pub(crate) host: String,
    pub(crate) language: String,
    pub(crate) title: String,
    /// Whether the hit is in the title.
    pub(crate) in_title: bool,
    pub(crate) left: String,
    pub(crate) hit: String,
    pub(crate) right: String,
    pub(crate) url: String,
    #[serde(serialize_with = "as_text")]
    pub(crate) id: DocumentId,
}

fn as_text<S: Serializer>(id: &DocumentId, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(id)
}

/// A document with hits. The day, and so the order, comes from the index.
struct Found {
    address: DocAddress,
    day: i64,
    fetched: i64,
    host: String,
    occurrences: Vec<Occurrence>,
}

/// Returns the lines of a search. `read` returns a document, or `None` if it cannot be read.
pub(super) fn lines(
    searcher: &Searcher,
    fields: &Fields,
    query: &SearchQuery,
    options: &LineOptions,
    read: &mut ReadDocument<'_>,
) -> Result<Concordance, SearchError> {
    let mut found = found(searcher, fields, query)?;
    let newest = |found: &Found| (Reverse((found.day, found.fetched)), found.address);
    match options.order {
        LineOrder::Host => found.sort_by_cached_key(|one| (one.host.clone(), newest(one))),
        LineOrder::Time | LineOrder::Left | LineOrder::Right => found.sort_by_key(newest),
    }
    let hits = found.iter().map(|found| found.occurrences.len() as u64).sum();
    let documents = found.len();
    let mut lines_of = |found: &Found| lines_of_document(searcher, fields, found, options.width, &mut *read);
    let end = options.skip.saturating_add(options.limit);
    let mut lines: Vec<Line> = Vec::new();
    let mut first = 0;
    if options.order.needs_texts() {
        let mut keyed: Vec<(String, Line)> = Vec::new();
        for found in found.iter().take(options.max_sorted) {
            keyed.extend(lines_of(found)?.into_iter().map(|line| (sort_key(&line, options.order), line)));
            // Only the first lines are kept in memory.
            if keyed.len() / 2 > end.max(1_000) {
                keyed.sort_by(|one, other| one.0.cmp(&other.0));
                keyed.truncate(end);
            }
        }
        keyed.sort_by(|one, other| one.0.cmp(&other.0));
        lines.extend(keyed.into_iter().map(|(_, line)| line));
    } else {
        let mut before = 0;
        for found in &found {
            let after = before + found.occurrences.len();
            if after > options.skip && before < end {
                if lines.is_empty() {
                    first = before;
                }
                lines.extend(lines_of(found)?);
            }
            before = after;
        }
    }
    let lines = lines.into_iter().skip(options.skip - first).take(options.limit).collect();
    Ok(Concordance { lines, hits, documents, sorted: documents.min(options.max_sorted) })
}

fn found(searcher: &Searcher, fields: &Fields, query: &SearchQuery) -> Result<Vec<Found>, SearchError> {
    let matches = IndexQuery::new(searcher, fields, query)?.matches(searcher, fields.words)?;
    let mut all = Vec::new();
    for (number, (segment, matches)) in (0..).zip(searcher.segment_readers().iter().zip(&matches)) {
        let columns = segment.fast_fields();
        let (days, fetched, hosts) = (columns.i64("day")?, columns.i64("fetched")?, columns.str("site")?);
        for (document, occurrences) in matches.by_document() {
            let mut host = String::new();
            if let Some(hosts) = &hosts
                && let Some(at) = hosts.term_ords(document).next()
            {
                hosts.ord_to_str(at, &mut host).map_err(tantivy::TantivyError::from)?;
            }
            all.push(Found {
                address: DocAddress::new(number, document),
                day: days.first(document).unwrap_or_default(),
                fetched: fetched.first(document).unwrap_or_default(),
                host,
                occurrences: occurrences.to_vec(),
            });
        }
    }
    Ok(all)
}

/// Returns the lines of one document. There are none if the document has changed since the last update of
/// the index, because its words then have other positions.
fn lines_of_document(
    searcher: &Searcher,
    fields: &Fields,
    found: &Found,
    width: usize,
    read: &mut ReadDocument<'_>,
) -> Result<Vec<Line>, SearchError> {
    let Some(id) = id_of(searcher, fields, found.address)? else { return Ok(Vec::new()) };
    let Some(document) = read(id)? else { return Ok(Vec::new()) };
    if fingerprint_of(searcher, found.address)? != Some(fingerprint(&document)) {
        return Ok(Vec::new());
    }
    let title = document.title.clone().unwrap_or_default();
    let line = |(in_title, range): (bool, Range<usize>)| {
        let text = if in_title { &title } else { &document.text };
        Line {
            day: date(day(&document)),
            host: document.host.clone(),
            language: document.language.clone(),
            title: title.clone(),
            in_title,
            left: before(&text[..range.start], width),
            hit: one_line(&text[range.clone()]),
            right: after(&text[range.end..], width),
            url: document.url.clone(),
            id,
        }
    };
    Ok(places(&title, &document.text, &found.occurrences).into_iter().map(line).collect())
}

/// Number of words of a snippet before the first hit, and in total.
const SNIPPET_BEFORE: usize = 8;
const MAX_SNIPPET: usize = 40;

/// Returns the part of a document's text around the first hit: pieces of text, and whether each is a hit.
pub(crate) fn snippet<'a>(document: &'a Document, found: &FoundDocument) -> Vec<(&'a str, bool)> {
    let text = document.text.as_str();
    let is_current = found.fingerprint == Some(fingerprint(document));
    let occurrences = if is_current { &found.occurrences[..] } else { &[] };
    let places = places(document.title.as_deref().unwrap_or_default(), text, occurrences);
    let hits: Vec<Range<usize>> =
        places.into_iter().filter(|(in_title, _)| !in_title).map(|(_, range)| range).collect();
    let before = hits.first().map_or(0, |hit| hit.start);
    let (mut shown, mut first) = (words(text).take(MAX_SNIPPET).collect::<Vec<_>>(), 0);
    if before > 0 {
        let earlier: Vec<Range<usize>> = words(&text[..before]).collect();
        first = earlier.len().saturating_sub(SNIPPET_BEFORE);
        shown = words(text).skip(first).take(MAX_SNIPPET).collect();
    }
    let mut pieces = Vec::new();
    let (Some(begin), Some(end)) = (shown.first(), shown.last()) else { return pieces };
    let mut at = if first == 0 { 0 } else { begin.start };
    for hit in hits.into_iter().filter(|hit| hit.end <= end.end) {
        // Hits may overlap.
        if hit.start >= at {
            pieces.push((&text[at..hit.start], false));
            pieces.push((&text[hit.clone()], true));
            at = hit.end;
        }
    }
    pieces.push((&text[at..end.end], false));
    pieces.retain(|(piece, _)| !piece.is_empty());
    pieces
}

/// Returns where each occurrence is: whether in the title, and its bytes there.
fn places(title: &str, text: &str, occurrences: &[Occurrence]) -> Vec<(bool, Range<usize>)> {
    let title_words: Vec<Range<usize>> = words(title).take(MAX_WORDS).collect();
    let text_words: Vec<Range<usize>> = words(text).take(MAX_WORDS).collect();
    let place = |found: &Occurrence| {
        let (position, length) = (found.position as usize, found.words as usize);
        let in_title = position < title_words.len();
        let (words, first) = match in_title {
            true => (&title_words, position),
            false => (&text_words, position.checked_sub(title_words.len() + GAP)?),
        };
        let last = words.get(first + length.checked_sub(1)?)?;
        Some((in_title, words[first].start..last.end))
    };
    occurrences.iter().filter_map(place).collect()
}

/// Returns the end of a text in one line of at most `width` characters. Omits the rest of a word that does not
/// fit.
fn before(text: &str, width: usize) -> String {
    let start = text.char_indices().rev().take(2 * width).last().map_or(text.len(), |(at, _)| at);
    let line = one_line(&text[start..]);
    let line = if text.ends_with(char::is_whitespace) { line + " " } else { line };
    let cut = line.chars().count().saturating_sub(width);
    let at = line.char_indices().nth(cut).map_or(line.len(), |(at, _)| at);
    let is_within_word = (cut > 0 || start > 0) && !line[..at].ends_with(' ');
    let shown = &line[at..];
    match shown.find(' ') {
        Some(end) if is_within_word && end < shown.len() / 2 => shown[end + 1..].to_owned(),
        _ => shown.to_owned(),
    }
}

/// Returns the beginning of a text in one line of at most `width` characters. Omits the beginning of a word that
/// does not fit.
fn after(text: &str, width: usize) -> String {
    let end = text.char_indices().nth(2 * width).map_or(text.len(), |(at, _)| at);
    let line = one_line(&text[..end]);
    let line = if text.starts_with(char::is_whitespace) { format!(" {line}") } else { line };
    let at = line.char_indices().nth(width).map_or(line.len(), |(at, _)| at);
    let is_within_word = (at < line.len() || end < text.len()) && !line[at..].starts_with(' ');
    let shown = &line[..at];
    match shown.rfind(' ') {
        Some(begin) if is_within_word && begin > shown.len() / 2 => shown[..begin].to_owned(),
        _ => shown.to_owned(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text by which lines are sorted: the words of the context without diacritics, then with them.
fn sort_key(line: &Line, order: LineOrder) -> String {
    let context = if order == LineOrder::Left { &line.left } else { &line.right };
    let mut keys: Vec<String> = words(context).map(|range| key(&context[range])).collect();
    if order == LineOrder::Left {
        keys.reverse();
    }
    keys.truncate(MAX_SORT_WORDS);
    let plain: Vec<String> = keys.iter().map(|key| without_diacritics(key)).collect();
    // Shorter words come first, because these separators sort before all letters.
    plain.join("\u{1}") + "\0" + &keys.join("\u{1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_has_whole_words_and_one_line() {
        let text = "Heavy rain fell on\nthe village  of Alder before the flood came down the valley.";
        let at = text.find("flood").unwrap();
        assert_eq!(before(&text[..at], 200), "Heavy rain fell on the village of Alder before the ");
        assert_eq!(before(&text[..at], 20), "of Alder before the ");
        assert_eq!(before(&text[..at], 18), "Alder before the ");
        assert_eq!(after(&text[at + 5..], 200), " came down the valley.");
        assert_eq!(after(&text[at + 5..], 12), " came down");
        assert_eq!((before("", 10), after("", 10)), (String::new(), String::new()));
        assert_eq!((before("«", 10), after("».", 10)), ("«".into(), "».".into()));
    }

    #[test]
    fn a_text_without_spaces_is_cut_between_characters() {
        let text = "雨".repeat(100);
        assert_eq!((before(&text, 7).chars().count(), after(&text, 7).chars().count()), (7, 7));
        let spaces = " ".repeat(10_000);
        assert!(before(&spaces, 10).len() <= 10 && after(&spaces, 10).len() <= 10);
    }

    #[test]
    fn occurrences_are_placed_in_title_and_text() {
        let occurrence = |position, words| Occurrence { document: 0, position, words };
        let found = [occurrence(1, 1), occurrence(12, 2), occurrence(13, 9)];
        let (title, text) = ("Hồ cạn", "«Hòa Bình» cạn nước");
        let places = places(title, text, &found);
        assert_eq!(places.len(), 2);
        assert_eq!((places[0].0, &title[places[0].1.clone()]), (true, "cạn"));
        assert_eq!((places[1].0, &text[places[1].1.clone()]), (false, "Hòa Bình"));
    }

    #[test]
    fn a_snippet_begins_before_the_first_hit_in_the_text() {
        let text = format!("{}«Hòa Bình» cạn nước. {}", "hồ ".repeat(1_000), "hồ ".repeat(1_000));
        let document = Document { title: Some("Hòa".into()), text, ..Document::default() };
        let occurrence = |position, words| Occurrence { document: 0, position, words };
        let found = |occurrences| FoundDocument {
            id: document.id,
            fingerprint: Some(fingerprint(&document)),
            occurrences,
        };
        let found = found(vec![occurrence(0, 1), occurrence(1_011, 2)]);
        let pieces = snippet(&document, &found);
        assert_eq!(pieces[..2], [("hồ hồ hồ hồ hồ hồ hồ hồ «", false), ("Hòa Bình", true)]);
        assert_eq!(pieces.len(), 3);
        let outdated = FoundDocument { fingerprint: None, ..found };
        assert_eq!(snippet(&document, &outdated).len(), 1);
        assert_eq!(snippet(&Document::default(), &outdated), []);
    }

    #[test]
    fn lines_are_sorted_by_their_context() {
        let line = |left: &str, right: &str| Line {
            day: Date::default(),
            host: String::new(),
            language: String::new(),
            title: String::new(),
            in_title: false,
            left: left.into(),
            hit: "mưa".into(),
            right: right.into(),
            url: String::new(),
            id: DocumentId::default(),
        };
        let sorted = |order| {
            let mut lines = [line("b. Trời", "to"), line("An trời", "tố"), line("trờ", "to gió")];
            lines.sort_by_cached_key(|line| sort_key(line, order));
            lines.map(|line| line.left)
        };
        assert_eq!(sorted(LineOrder::Left), ["trờ", "An trời", "b. Trời"]);
        assert_eq!(sorted(LineOrder::Right), ["b. Trời", "An trời", "trờ"]);
    }
}
