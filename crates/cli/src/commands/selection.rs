//! Converts the options that select documents to a filter.

use std::path::Path;

use gleaner_corpus::query::period;
use gleaner_corpus::{Query, is_of_host};
use gleaner_crawl::settings::DurationSetting as Age;
use gleaner_crawl::similar_hosts;
use gleaner_export::{Filter, Manifest, Property, TextFilter, UrlPatterns};
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{HostRecord, Store};
use jiff::Timestamp;

use crate::CommandResult;
use crate::args::Selection;
use crate::failure::Failure;

pub(crate) fn refuse_unknown(store: &Store, filter: &Filter) -> CommandResult {
    let languages: Vec<String> = store.totals().map_err(Failure::work)?.languages.into_keys().collect();
    let is_known = |tag: &String| languages.contains(tag);
    if !filter.languages.is_empty() && !filter.languages.iter().any(is_known) {
        return Err(no_match("--language", &filter.languages, "languages", &languages));
    }
    if filter.hosts.is_empty() {
        return Ok(());
    }
    let records: Vec<HostRecord> = store.hosts().collect::<Result<_, _>>().map_err(Failure::work)?;
    let is_wanted = |record: &HostRecord| filter.hosts.iter().any(|wanted| is_of_host(&record.name, wanted));
    if records.iter().any(is_wanted) {
        return Ok(());
    }
    Err(no_match("--host", &filter.hosts, "hosts", &by_likeness(&records, &filter.hosts)))
}

/// Returns the names of the hosts. Those that the user may have meant by the wanted names come first.
fn by_likeness(records: &[HostRecord], wanted: &[String]) -> Vec<String> {
    let similar: Vec<&str> = wanted.iter().flat_map(|wanted| similar_hosts(records, wanted)).collect();
    let is_part = |name: &str| wanted.iter().any(|wanted| name.contains(wanted.as_str()));
    let mut names: Vec<String> = records.iter().map(|record| record.name.clone()).collect();
    names.sort_by_key(|name| {
        let position = similar.iter().position(|similar| similar == name).unwrap_or(similar.len());
        (position, if is_part(name) { name.len() } else { usize::MAX })
    });
    names
}

const MAX_LISTED: usize = 10;

fn no_match(option: &str, wanted: &[String], what: &str, known: &[String]) -> Failure {
    let listed = known.iter().take(MAX_LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = known.len().saturating_sub(MAX_LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let listed = if known.is_empty() { "none".to_owned() } else { listed };
    let wanted = wanted.join(", ");
    Failure::Work(format!("no document matches {option} {wanted}; {what} in this corpus: {listed}{more}"))
}

/// Refuses a crawler about which the documents record nothing.
pub(crate) fn require_known_agents(wanted: &[String], known: &[String]) -> Result<(), Failure> {
    let is_known = |name: &&String| known.iter().any(|agent| agent.eq_ignore_ascii_case(name));
    match wanted.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => Err(Failure::Usage(format!(
            "--not-barred {name}: the documents do not record this crawler, only those of corpus.agents: {}",
            known.join(", ")
        ))),
    }
}

/// Returns the filter of the options. It includes near-duplicates.
pub(crate) fn filter(args: &Selection) -> Result<Filter, Failure> {
    let query =
        |text: &String| text.parse::<Query>().map_err(|error| Failure::Usage(format!("--where {error}")));
    let hosts = |option, hosts: &[String]| {
        hosts.iter().map(|host| host_of(option, host)).collect::<Result<Vec<String>, Failure>>()
    };
    Ok(Filter {
        hosts: hosts("--host", &args.host)?,
        excluded_hosts: hosts("--exclude-host", &args.exclude_host)?,
        excluded_urls: UrlPatterns::new(&args.exclude_url)
            .map_err(|error| Failure::Usage(format!("--exclude-url {error}")))?,
        languages: args.language.iter().map(|tag| tag.to_ascii_lowercase()).collect(),
        texts: searched(args).map(|(property, wanted)| TextFilter::new(property, wanted)).collect(),
        allowed: args.allowed.clone(),
        explicitly_allowed: args.explicitly_allowed.clone(),
        not_barred: args.not_barred.clone(),
        members: true,
        conditions: args.conditions.iter().map(query).collect::<Result<_, _>>()?,
        ..times(args)?
    })
}

/// Returns the host that an option names. Its value may also be a URL.
fn host_of(option: &str, text: &str) -> Result<String, Failure> {
    if !text.contains("://") {
        return Ok(text.to_ascii_lowercase());
    }
    let url =
        CanonicalUrl::parse(text).map_err(|refusal| Failure::Usage(format!("{option} {text}: {refusal}")))?;
    Ok(url.host().to_owned())
}

fn times(args: &Selection) -> Result<Filter, Failure> {
    let of = |option, text: &Option<String>| text.as_deref().map(|text| time(option, text)).transpose();
    let filter = Filter {
        since: args.since.as_deref().map(since).transpose()?,
        until: of("--until", &args.until)?,
        published_since: of("--published-from", &args.published_from)?,
        published_until: args.published_to.as_deref().map(published_until).transpose()?,
        ..Filter::default()
    };
    for (options, begin, end) in [
        ("--since is after --until", filter.since, filter.until),
        ("--published-from is after --published-to", filter.published_since, filter.published_until),
    ] {
        if begin.zip(end).is_some_and(|(begin, end)| begin >= end) {
            return Err(Failure::Usage(format!("{options}: no time is between them")));
        }
    }
    Ok(filter)
}

pub(crate) fn searched(args: &Selection) -> impl Iterator<Item = (Property, &[String])> {
    let wanted = |property| match property {
        Property::Title => &*args.title,
        Property::Section => &args.section,
        Property::Author => &args.author,
        Property::Tag => &args.tag,
    };
    Property::ALL
        .into_iter()
        .map(move |property| (property, wanted(property)))
        .filter(|(_, wanted)| !wanted.is_empty())
}

/// Returns the end of the time range of `--published-to`, which includes the value of the option.
fn published_until(text: &str) -> Result<Timestamp, Failure> {
    period_of("--published-to", text).map(|(_, end)| end)
}

fn since(text: &str) -> Result<Timestamp, Failure> {
    let path = Path::new(text);
    if time("--since", text).is_ok() || !path.exists() {
        return time("--since", text);
    }
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    match Manifest::read(folder).map_err(Failure::usage)? {
        Some(manifest) if manifest.complete => Ok(manifest.until),
        Some(_) => Err(Failure::Usage(format!("--since {text}: that export is not complete"))),
        None => Err(Failure::Usage(format!("--since {text}: the folder has no manifest.json"))),
    }
}

/// Returns the time that the value of an option names, or the begin of the year, month or day.
pub(crate) fn time(option: &str, text: &str) -> Result<Timestamp, Failure> {
    period_of(option, text).map(|(begin, _)| begin)
}

/// Returns the begin and the end of the year, month, day or time that the value of an option names.
fn period_of(option: &str, text: &str) -> Result<(Timestamp, Timestamp), Failure> {
    let ago = |age: Age| Timestamp::now().checked_sub(age.get()).ok();
    let age = || text.parse::<Age>().ok().and_then(ago).map(|at| (at, at));
    period(text).ok().or_else(age).ok_or_else(|| {
        Failure::Usage(format!(
            "{option} {text}: expected a year such as 2026, a month such as 2026-11, a day such as 2026-11-20, a time \
such as 2026-11-20T02:30:00Z, or an age such as 7d"
        ))
    })
}

#[cfg(test)]
mod tests {
    use gleaner_store::HostId;

    use super::*;

    #[test]
    fn the_hosts_that_may_be_meant_come_first() {
        let names = ["a.example", "epaper.bao.example", "bao.example", "vnexpress.net", "z.example"];
        let record = |name: &str| HostRecord::new(HostId(1), name, name);
        let records = names.map(record);
        for (wanted, first) in [
            ("vnexpres.net", "vnexpress.net"),
            ("vnexpress", "vnexpress.net"),
            ("bao", "bao.example"),
            ("nosuch.com", "a.example"),
        ] {
            let known = by_likeness(&records, &[wanted.to_owned()]);
            assert_eq!((known.len(), known[0].as_str()), (5, first), "{wanted}");
        }
    }

    #[test]
    fn days_and_times_are_read() {
        let read = |text| time("--since", text).map(|time| time.to_string()).ok();
        assert_eq!(read("2026-11-20").as_deref(), Some("2026-11-20T00:00:00Z"));
        assert_eq!(read("2026-11-20T09:30:00+07:00").as_deref(), Some("2026-11-20T02:30:00Z"));
        assert_eq!(read("yesterday"), None);
        let ago = time("--since", "7d").unwrap().duration_until(Timestamp::now());
        assert!((7 * 24..8 * 24).contains(&ago.as_hours()), "{ago}");
        assert_eq!(host_of("--host", "https://VnExpress.net/thoi-su?a=1").unwrap(), "vnexpress.net");
    }

    #[test]
    fn the_last_day_of_publication_is_whole() {
        let until = |text| published_until(text).unwrap().to_string();
        assert_eq!(until("2026-11-20"), "2026-11-21T00:00:00Z");
        assert_eq!(until("2026-11-20T02:30:00Z"), "2026-11-20T02:30:00.000000001Z");
    }
}
