//! Converts the options of an export to a format and a filter. Refuses options that contradict each other.

use std::path::Path;

use gleaner_corpus::is_of_host;
use gleaner_crawl::similar_hosts;
use gleaner_export::filter::unmatched;
use gleaner_export::format::Layout;
use gleaner_export::{
    Compression, FORMATS, Filter, Format, FormatKind, Formulas, Property, SelectionRequest, TextFilter,
};
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{HostRecord, Store};
use jiff::Timestamp;

use crate::args::{Compress, Export};
use crate::failure::Failure;
use crate::{CommandResult, output};

/// Returns the export format from the options or the file extension. Fails if they contradict each other, or
/// if the format cannot be written to the target.
pub(super) fn format(args: &Export) -> Result<Format, Failure> {
    let (by_name, compressed) = args.out.as_deref().map(by_ending).unwrap_or_default();
    let contradicts = args.format.zip(by_name).is_some_and(|(format, named)| format.name != named.name)
        || args.compress.zip(compressed).is_some_and(|(compress, named)| compress != named);
    if contradicts {
        let name = args.out.as_deref().unwrap_or(Path::new("")).display();
        return Err(Failure::Usage(format!(
            "--format or --compress contradicts the ending of {name}: omit the option, or choose another name"
        )));
    }
    if let (None, None, Some(ending)) = (args.format, by_name, args.out.as_deref().and_then(unknown_ending)) {
        let of_file = FORMATS.iter().filter(|kind| !kind.needs_folder);
        let endings = one_of(of_file.map(|kind| format!(".{}", kind.extensions[0])));
        return Err(Failure::Usage(format!(
            "no format of one file has the ending .{ending}: choose {endings}, or set --format (text needs --into DIR)"
        )));
    }
    let compress = args.compress.or(compressed).unwrap_or(Compress::None);
    let kind = args.format.or(by_name).unwrap_or(&FORMATS[0]);
    if kind.needs_folder && args.into.is_none() {
        return Err(Failure::Usage("this format has several files: set --into DIR to a new folder".into()));
    }
    if compress != Compress::None && !kind.can_be_compressed() {
        let what = if args.compress.is_some() { "--compress" } else { "the ending .gz or .zst" };
        return Err(Failure::Usage(format!(
            "{what} is not possible: this format has a compression of its own, or plain text files"
        )));
    }
    if compress != Compress::None && matches!(kind.layout, Layout::FilePerDocument) && args.into.is_some() {
        return Err(Failure::Usage(format!(
            "--compress is not possible: --into writes {} as one file per document",
            kind.name
        )));
    }
    if args.fields.is_some() && !kind.has_fields {
        return Err(requires("--fields", |kind| kind.has_fields));
    }
    if args.guard_formulas && !kind.has_formulas {
        return Err(requires("--guard-formulas", |kind| kind.has_formulas));
    }
    let is_binary = compress != Compress::None || kind.is_binary();
    if is_binary && args.into.is_none() && args.out.is_none() && output::is_terminal() {
        return Err(Failure::Usage("this format cannot be written to a terminal: set --out FILE".into()));
    }
    let compression = match compress {
        Compress::None => Compression::None,
        Compress::Gzip => Compression::Gzip,
        Compress::Zstd => Compression::Zstd,
    };
    let formulas = if args.guard_formulas { Formulas::Guarded } else { Formulas::Unchanged };
    Ok(Format { kind, compression, formulas })
}

fn requires(option: &str, fits: fn(&FormatKind) -> bool) -> Failure {
    let names = one_of(FORMATS.iter().filter(|kind| fits(kind)).map(|kind| kind.name.to_owned()));
    Failure::Usage(format!("{option} requires --format {names}"))
}

fn one_of(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// Returns the format and the compression that the extensions of a file name state, as in `x.parquet`,
/// `x.jsonl.gz` or `x.vert.zst`.
fn by_ending(path: &Path) -> (Option<&'static FormatKind>, Option<Compress>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let (name, compress) = match name.rsplit_once('.') {
        Some((name, "gz")) => (name, Some(Compress::Gzip)),
        Some((name, "zst")) => (name, Some(Compress::Zstd)),
        _ => (name.as_str(), None),
    };
    (name.rsplit_once('.').and_then(|(_, ending)| FormatKind::with_extension(ending)), compress)
}

/// Returns the extension of a file name if it consists only of letters and does not name a compression. Other
/// extensions, such as numbers or dates, are part of the name.
fn unknown_ending(path: &Path) -> Option<String> {
    let ending = path.extension()?.to_string_lossy().to_lowercase();
    let is_word = ending.chars().all(|c| c.is_ascii_alphabetic()) && !matches!(&*ending, "gz" | "zst");
    is_word.then_some(ending)
}

pub(super) fn refuse_unknown(store: &Store, filter: &Filter) -> CommandResult {
    let languages: Vec<String> = store.totals().map_err(Failure::work)?.languages.into_keys().collect();
    let is_known = |tag: &String| languages.contains(tag);
    if !filter.languages.is_empty() && !filter.languages.iter().any(is_known) {
        let message = unmatched("--language", &filter.languages, "languages", &languages);
        return Err(Failure::Work(message));
    }
    if filter.hosts.is_empty() {
        return Ok(());
    }
    let records: Vec<HostRecord> = store.hosts().collect::<Result<_, _>>().map_err(Failure::work)?;
    let is_wanted = |record: &HostRecord| filter.hosts.iter().any(|wanted| is_of_host(&record.name, wanted));
    if records.iter().any(is_wanted) {
        return Ok(());
    }
    let known = by_likeness(&records, &filter.hosts);
    Err(Failure::Work(unmatched("--host", &filter.hosts, "hosts", &known)))
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

/// Refuses a crawler about which the documents record nothing.
pub(super) fn require_known_agents(wanted: &[String], known: &[String]) -> Result<(), Failure> {
    let is_known = |name: &&String| known.iter().any(|agent| agent.eq_ignore_ascii_case(name));
    match wanted.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(name) => Err(Failure::Usage(format!(
            "--not-barred {name}: the documents do not record this crawler, only those of corpus.agents: {}",
            known.join(", ")
        ))),
    }
}

pub(super) fn filter(args: &Export) -> Result<Filter, Failure> {
    let request = SelectionRequest {
        languages: args.language.clone(),
        since: args.since.clone(),
        until: args.until.clone(),
        published_from: args.published_from.clone(),
        published_to: args.published_to.clone(),
        conditions: args.conditions.clone(),
        confidence: args.confidence,
    };
    let filter = request.filter(|name| format!("--{name}")).map_err(Failure::Usage)?;
    Ok(Filter {
        hosts: args.host.iter().map(|host| host_of(host)).collect::<Result<_, _>>()?,
        texts: searched(args).map(|(property, wanted)| TextFilter::new(property, wanted)).collect(),
        allowed: args.allowed.clone(),
        explicitly_allowed: args.explicitly_allowed.clone(),
        not_barred: args.not_barred.clone(),
        members: args.members,
        limit: args.limit,
        ..filter
    })
}

fn host_of(text: &str) -> Result<String, Failure> {
    CanonicalUrl::host_named(text).map_err(|refusal| Failure::Usage(format!("--host {text}: {refusal}")))
}

pub(super) fn searched(args: &Export) -> impl Iterator<Item = (Property, &[String])> {
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

pub(crate) fn time(option: &str, text: &str) -> Result<Timestamp, Failure> {
    gleaner_export::filter::time(option, text).map_err(Failure::Usage)
}

#[cfg(test)]
mod tests {
    use gleaner_store::HostId;

    use super::*;

    #[test]
    fn endings_of_names() {
        let of = |name: &str| {
            let (kind, compress) = by_ending(Path::new(name));
            (kind.map(|kind| kind.name), compress)
        };
        assert_eq!(of("a/x.parquet"), (Some("parquet"), None));
        assert_eq!(of("x.JSONL.gz"), (Some("jsonl"), Some(Compress::Gzip)));
        assert_eq!(of("x.vert.zst"), (Some("vertical"), Some(Compress::Zstd)));
        assert_eq!(of("x.gz"), (None, Some(Compress::Gzip)));
        assert_eq!(of("x.csv.gz"), (Some("csv"), Some(Compress::Gzip)));
        assert_eq!(of("x.xml"), (Some("tei"), None));
        for name in ["x", "x.txt", "parquet", "-", ""] {
            assert_eq!(of(name), (None, None), "{name}");
        }
        let unknown = |name: &str| unknown_ending(Path::new(name));
        assert_eq!(unknown("x.TXT").as_deref(), Some("txt"));
        for name in ["x", "x.gz", "x.2026-11-20", "x.1", "-", ""] {
            assert_eq!(unknown(name), None, "{name}");
        }
    }

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
