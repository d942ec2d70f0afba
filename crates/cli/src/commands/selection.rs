//! Converts the options that select documents to a filter.

use gleaner_corpus::is_of_host;
use gleaner_crawl::similar_hosts;
use gleaner_export::filter::unmatched;
use gleaner_export::{Filter, Property, SelectionRequest, TextFilter};
use gleaner_store::{HostRecord, Store};
use jiff::Timestamp;

use crate::CommandResult;
use crate::args::Selection;
use crate::commands::known_hosts::host_named;
use crate::failure::Failure;

/// Refuses languages of which the corpus has no document, and hosts that it does not know.
pub(crate) fn refuse_unknown(store: &Store, filter: &Filter) -> CommandResult {
    let languages: Vec<String> = store.totals().map_err(Failure::work)?.languages.into_keys().collect();
    let is_known = |tag: &String| languages.contains(tag);
    if !filter.languages.is_empty() && !filter.languages.iter().any(is_known) {
        return Err(Failure::Work(unmatched("--language", &filter.languages, "languages", &languages)));
    }
    if filter.hosts.is_empty() {
        return Ok(());
    }
    let records: Vec<HostRecord> = store.hosts().collect::<Result<_, _>>().map_err(Failure::work)?;
    let is_unknown = |wanted: &&String| !records.iter().any(|record| is_of_host(&record.name, wanted));
    let unknown: Vec<String> = filter.hosts.iter().filter(is_unknown).cloned().collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let known = by_likeness(&records, &unknown);
    Err(Failure::Work(unmatched("--host", &unknown, "hosts", &known)))
}

/// Returns the names of the hosts. Those that the user may have meant by the wanted names come first, and then those
/// with a template.
fn by_likeness(records: &[HostRecord], wanted: &[String]) -> Vec<String> {
    let similar: Vec<&str> = wanted.iter().flat_map(|wanted| similar_hosts(records, wanted)).collect();
    let is_part = |name: &str| wanted.iter().any(|wanted| name.contains(wanted.as_str()));
    let mut known: Vec<&HostRecord> = records.iter().collect();
    known.sort_by_key(|record| {
        let name = record.name.as_str();
        let position = similar.iter().position(|similar| *similar == name).unwrap_or(similar.len());
        (position, if is_part(name) { name.len() } else { usize::MAX }, record.template == 0)
    });
    known.into_iter().map(|record| record.name.clone()).collect()
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

/// Returns the filter of the options. It includes near-duplicates. `confidence` is the smallest one, 0 to 1.
pub(crate) fn filter(args: &Selection, confidence: f64) -> Result<Filter, Failure> {
    let request = SelectionRequest {
        languages: args.language.clone(),
        since: args.since.clone(),
        until: args.until.clone(),
        published_from: args.published_from.clone(),
        published_to: args.published_to.clone(),
        exclude_urls: args.exclude_url.clone(),
        conditions: args.conditions.clone(),
        confidence,
    };
    let filter = request.filter(|name| format!("--{name}")).map_err(Failure::Usage)?;
    Ok(Filter {
        hosts: hosts("--host", &args.host)?,
        excluded_hosts: hosts("--exclude-host", &args.exclude_host)?,
        texts: searched(args).map(|(property, wanted)| TextFilter::new(property, wanted)).collect(),
        allowed: args.allowed.clone(),
        explicitly_allowed: args.explicitly_allowed.clone(),
        not_barred: args.not_barred.clone(),
        members: true,
        ..filter
    })
}

fn hosts(option: &str, named: &[String]) -> Result<Vec<String>, Failure> {
    named.iter().map(|text| host_named(option, text)).collect()
}

/// Returns the properties that are searched, with the texts of their options.
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

/// Reads the value of an option that names a time.
pub(crate) fn time(option: &str, text: &str) -> Result<Timestamp, Failure> {
    gleaner_export::filter::time(option, text).map_err(Failure::Usage)
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
}
