//! Runs `gleaner urls`: lists URLs with the outcome of their last visit.
//!
//! The command reads the records of all known URLs once. In memory, it keeps the names of the hosts and, with
//! a limit, the URLs that it will show.

use std::collections::BTreeMap;
use std::io::Write;

use gleaner_corpus::is_of_host;
use gleaner_crawl::explained_visit;
use gleaner_crawl::render::text::{count, minute};
use gleaner_crawl::render::visible::visible_line;
use gleaner_export::CsvVariant;
use gleaner_export::format::csv;
use gleaner_frontier::Outcome;
use gleaner_store::{HostId, HostRecord, Store, StoreError, UrlRecord, UrlState};
use jiff::Timestamp;
use serde::Serialize;

use crate::args::{Common, UrlFormat, Urls, WantedOutcome};
use crate::commands::doctor::without_outcome;
use crate::commands::known_hosts::{did_you_mean, host_named};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::table::{NOTHING, table};
use crate::{CommandResult, opening, output, settings};

/// The default limit of a table.
const MAX_ROWS: u64 = 100;

/// Maximum number of reasons in the message that no URL matches.
const MAX_REASONS: usize = 5;

/// A URL as the command shows it. CSV has these columns in this order.
#[derive(Debug, Serialize)]
struct UrlLine {
    url: String,
    host: String,
    role: &'static str,
    /// The label of the outcome, such as `not_article`.
    outcome: Option<&'static str>,
    /// The label with its reason, such as `not_article: hub`.
    reason: Option<String>,
    explanation: String,
    visited: Option<Timestamp>,
    next_visit: Option<Timestamp>,
}

const COLUMNS: [&str; 8] =
    ["url", "host", "role", "outcome", "reason", "explanation", "visited", "next_visit"];

pub(crate) fn run(common: &Common, args: &Urls) -> CommandResult {
    let config = settings::load(common)?;
    let store = opening::read_store(&config)?;
    let hosts = wanted_hosts(&store, &args.host)?;
    let is_wanted = |record: &UrlRecord| {
        let outcome = record.last.as_ref();
        args.outcome.is_empty() || args.outcome.iter().any(|wanted| wanted.matches(outcome))
    };
    let found = store.urls().filter_map(|record| {
        let line = |record: UrlRecord| {
            let host = hosts.get(&record.host)?;
            is_wanted(&record).then(|| UrlLine::new(record, host.clone()))
        };
        record.map(line).transpose()
    });
    let limit = args.limit.unwrap_or(if args.format == UrlFormat::Table { MAX_ROWS } else { 0 });
    let (shown, all) = match limit {
        0 => {
            let all = print_all(found, args.format)?;
            (all, all)
        }
        limit => {
            let (lines, all) = newest(found, limit).map_err(Failure::work)?;
            (print_all(lines.into_iter().map(Ok), args.format)?, all)
        }
    };
    if all == 0 {
        print_message(format_args!("gleaner: no URL matches{}", existing_reasons(&store, args, &hosts)?));
    } else if shown < all {
        let more = count(all - shown, "more URL");
        print_message(format_args!("gleaner: and {more}; --limit 0 lists all"));
    }
    Ok(())
}

/// Names the reasons that the URLs of the wanted hosts have, for the outcomes of which a reason is wanted. Returns an
/// empty text if there are none.
fn existing_reasons(store: &Store, args: &Urls, hosts: &BTreeMap<HostId, String>) -> Result<String, Failure> {
    let labels: Vec<&str> = args.outcome.iter().filter_map(WantedOutcome::label_of_reason).collect();
    if labels.is_empty() {
        return Ok(String::new());
    }
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    for record in store.urls() {
        let record = record.map_err(Failure::work)?;
        let outcome = record.last.as_ref().filter(|outcome| labels.contains(&outcome.label()));
        if let Some(outcome) = outcome.filter(|_| hosts.contains_key(&record.host)) {
            *reasons.entry(visible_line(&outcome.reason()).into_owned()).or_default() += 1;
        }
    }
    let mut named: Vec<(String, u64)> = reasons.into_iter().collect();
    named.sort_by_key(|(_, urls)| std::cmp::Reverse(*urls));
    named.truncate(MAX_REASONS);
    let named: Vec<String> =
        named.into_iter().map(|(reason, urls)| format!("'{reason}' ({})", count(urls, "URL"))).collect();
    Ok(if named.is_empty() { String::new() } else { format!("; there are {}", named.join(", ")) })
}

/// Returns the names of the hosts whose URLs are listed.
fn wanted_hosts(store: &Store, wanted: &[String]) -> Result<BTreeMap<HostId, String>, Failure> {
    let known: Vec<HostRecord> = store.hosts().collect::<Result<_, _>>().map_err(Failure::work)?;
    let wanted: Vec<String> =
        wanted.iter().map(|host| host_named("--host", host)).collect::<Result<_, _>>()?;
    for host in &wanted {
        if !known.iter().any(|record| is_of_host(&record.name, host)) {
            let meant = did_you_mean(store, host, |_| true)?;
            return Err(Failure::Work(format!("the corpus has no host {host}{meant}")));
        }
    }
    let is_wanted =
        |host: &HostRecord| wanted.is_empty() || wanted.iter().any(|wanted| is_of_host(&host.name, wanted));
    Ok(known.into_iter().filter(is_wanted).map(|host| (host.id, host.name)).collect())
}

/// Returns the `limit` URLs that were visited last, newest first, and the number of all URLs.
fn newest(
    found: impl Iterator<Item = Result<UrlLine, StoreError>>,
    limit: u64,
) -> Result<(Vec<UrlLine>, u64), StoreError> {
    let (mut kept, mut all) = (BTreeMap::new(), 0);
    for line in found {
        let line = line?;
        kept.insert((line.visited, line.url.clone()), line);
        all += 1;
        if kept.len() as u64 > limit {
            kept.pop_first();
        }
    }
    Ok((kept.into_values().rev().collect(), all))
}

/// Prints the URLs and returns their number.
fn print_all(
    found: impl Iterator<Item = Result<UrlLine, StoreError>>,
    format: UrlFormat,
) -> Result<u64, Failure> {
    let mut out = output::data();
    let mut rows = Vec::new();
    let mut number = 0;
    let mut line = Vec::new();
    if format == UrlFormat::Csv {
        line = format!("{}\r\n", COLUMNS.join(",")).into_bytes();
    }
    for found in found {
        let found = found.map_err(Failure::work)?;
        number += 1;
        match format {
            UrlFormat::Table => rows.push(found.row()),
            UrlFormat::Csv => found.append_csv(&mut line),
            UrlFormat::Jsonl => {
                serde_json::to_writer(&mut line, &found).map_err(Failure::work)?;
                line.push(b'\n');
            }
        }
        out.write_all(&line).map_err(Failure::writing("standard output"))?;
        line.clear();
    }
    out.write_all(&line).map_err(Failure::writing("standard output"))?;
    if !rows.is_empty() {
        output::print(&format!("{}\n", table(&["URL", "Outcome", "Visited", "Why"], rows)))?;
    }
    Ok(number)
}

impl UrlLine {
    /// Control characters of sites, which may be in rules and types, become visible in all formats.
    fn new(record: UrlRecord, host: String) -> Self {
        let time = |second: u64| Timestamp::from_second(i64::try_from(second).ok()?).ok();
        let next = match record.state {
            UrlState::Waiting { due, .. } => time(due),
            UrlState::Ready { .. } | UrlState::Buffered { .. } | UrlState::Done | UrlState::Kept => None,
        };
        let explanation = record.last.as_ref().map_or_else(|| without_outcome(&record), explained_visit);
        Self {
            host,
            role: record.role.label(),
            outcome: record.last.as_ref().map(Outcome::label),
            reason: record.last.as_ref().map(|outcome| visible_line(&outcome.reason()).into_owned()),
            explanation: visible_line(&explanation).into_owned(),
            visited: Some(record.revisits.last).filter(|second| *second > 0).and_then(time),
            next_visit: next,
            url: record.url,
        }
    }

    fn row(&self) -> Vec<String> {
        let or_nothing = |text: Option<String>| text.unwrap_or_else(|| NOTHING.to_owned());
        vec![
            self.url.clone(),
            or_nothing(self.reason.clone()),
            or_nothing(self.visited.map(minute)),
            self.explanation.clone(),
        ]
    }

    fn append_csv(&self, out: &mut Vec<u8>) {
        let time = |at: Option<Timestamp>| at.map(|at| at.to_string());
        let values = [
            Some(self.url.clone()),
            Some(self.host.clone()),
            Some(self.role.to_owned()),
            self.outcome.map(str::to_owned),
            self.reason.clone(),
            Some(self.explanation.clone()),
            time(self.visited),
            time(self.next_visit),
        ];
        csv::row(values, CsvVariant::Guarded, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(url: &str, visited: i64) -> Result<UrlLine, StoreError> {
        Ok(UrlLine {
            url: url.into(),
            host: "a.example".into(),
            role: "page",
            outcome: Some("gone"),
            reason: Some("gone: http_404".into()),
            explanation: "not found: HTTP 404".into(),
            visited: Timestamp::from_second(visited).ok(),
            next_visit: None,
        })
    }

    #[test]
    fn a_limit_keeps_the_newest_visits() {
        let lines = [line("b", 20), line("a", 30), line("c", 10), line("d", 30)];
        let (kept, all) = newest(lines.into_iter(), 3).unwrap();
        let kept: Vec<&str> = kept.iter().map(|line| line.url.as_str()).collect();
        assert_eq!((kept, all), (vec!["d", "a", "b"], 4));
    }

    #[test]
    fn a_csv_record_has_all_columns() {
        let mut out = Vec::new();
        line("https://a.example/x,y", 0).unwrap().append_csv(&mut out);
        let record = String::from_utf8(out).unwrap();
        let expected = "\"https://a.example/x,y\",a.example,page,gone,gone: http_404,not found: HTTP 404,1970-01-01T00:00:00Z,\r\n";
        assert_eq!(record, expected);
    }
}
