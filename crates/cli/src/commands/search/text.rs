//! Writes the results of a search for people.

use console::Term;
use gleaner_corpus::Document;
use gleaner_crawl::render::text::Notation;
use textwrap::core::display_width;

use crate::status::{Frequency, Grouping, Line, WordCount, WordList};
use crate::table::{NOTHING, table, width};

/// Columns of a line that are not context: the day, the host and the hit.
const OTHER_COLUMNS: usize = 10 + 2 + MAX_HOST + 2 + 12;

/// Longer names of hosts lose their beginning.
const MAX_HOST: usize = 20;

const MIN_WIDTH: usize = 15;

/// Returns the number of characters on each side of a hit that fit the terminal, or `None` without a terminal.
pub(super) fn fitting_width() -> Option<usize> {
    width(&Term::stdout()).map(|columns| (columns.saturating_sub(OTHER_COLUMNS) / 2).max(MIN_WIDTH))
}

/// Writes lines such that all hits are below each other.
pub(super) fn lines(lines: &[Line]) -> String {
    let widest = lines.iter().map(|line| display_width(&line.left)).max().unwrap_or_default();
    let hosts: Vec<String> = lines.iter().map(|line| end_of(&line.host, MAX_HOST)).collect();
    let host_width = hosts.iter().map(|host| display_width(host)).max().unwrap_or_default();
    let mut out = String::new();
    for (line, host) in lines.iter().zip(&hosts) {
        let left = " ".repeat(widest - display_width(&line.left)) + &line.left;
        let host_rest = " ".repeat(host_width - display_width(host));
        let text = format!("{}  {host}{host_rest}  {left}[{}]{}", line.day, line.hit, line.right);
        out += text.trim_end();
        out.push('\n');
    }
    out
}

fn end_of(host: &str, most: usize) -> String {
    let length = host.chars().count();
    if length <= most {
        return host.to_owned();
    }
    "…".chars().chain(host.chars().skip(length + 1 - most)).collect()
}

pub(super) fn frequencies(
    counts: &[Frequency],
    total: &Frequency,
    grouping: Grouping,
    has_words: bool,
) -> String {
    let title = match grouping {
        Grouping::Month => "Month",
        Grouping::Year => "Year",
        Grouping::Host => "Host",
        Grouping::Language => "Language",
        Grouping::Section => "Section",
    };
    let total = Frequency { group: "total".into(), ..total.clone() };
    let row = |count: &Frequency| {
        let group = if count.group.is_empty() { NOTHING.to_owned() } else { count.group.clone() };
        let mut row = vec![group];
        if has_words {
            row.extend([count.hits.to_string(), decimal(count.per_million()), count.found.to_string()]);
        }
        row.extend([count.documents.to_string(), count.words.to_string()]);
        row
    };
    let rows = counts.iter().chain([&total]).map(row);
    match has_words {
        true => table(&[title, "Hits", "Per million words", "With hits", "Documents", "Words"], rows),
        false => table(&[title, "Documents", "Words"], rows),
    }
}

pub(super) fn words(list: &WordList) -> String {
    let row = |word: &WordCount| {
        let per_million = decimal(list.per_million(word));
        vec![word.word.clone(), word.count.to_string(), per_million, word.documents.to_string()]
    };
    table(&["Word", "Count", "Per million words", "Documents"], list.words.iter().map(row))
}

/// Formats a number without separators between thousands, so that the table aligns it as a number.
fn decimal(value: f64) -> String {
    if value >= 1_000.0 { format!("{value:.0}") } else { Notation::ENGLISH.decimal(value) }
}

pub(super) fn documents(documents: &[(Document, usize)]) -> String {
    let row = |(document, hits): &(Document, usize)| {
        let day = document.published.as_deref().and_then(|text| text.get(..10)).unwrap_or(NOTHING);
        let title = document.title.as_deref().unwrap_or(NOTHING);
        vec![day.to_owned(), hits.to_string(), title.to_owned(), document.url.clone()]
    };
    table(&["Published", "Hits", "Title", "URL"], documents.iter().map(row))
}
