//! Runs `gleaner export`: writes documents of the corpus to files or standard output.
//!
//! This module selects the target. The crate `export` renders the formats.

mod document_source;
mod options;

use std::fs;
use std::io::{self, BufWriter};
use std::path::Path;

use gleaner_corpus::Document;
use gleaner_export::filter::{NEAR_DUPLICATE, NO_PAGE, PUBLISHED, UNDATED};
use gleaner_export::{
    ExportError, ExportRequest, Fields, FileExport, Filter, FilterCounts, FolderExport, Format,
    RecordContext, Sample, Sampler, StreamExport,
};
use indicatif::ProgressBar;
use jiff::Timestamp;

use crate::args::{Common, Export};
use crate::commands::selection;
use crate::failure::Failure;
use crate::messages::print_message;
use crate::progress::documents_bar;
use crate::{CommandResult, opening, output, settings};
use document_source::DocumentSource;
pub(crate) fn run(common: &Common, args: &Export) -> CommandResult {
    let config = settings::load(common)?;
    if let Some(target) = args.out.as_ref().or(args.into.as_ref()) {
        opening::refuse_inside_corpus(&config, target)?;
    }
    let format = options::format(args)?;
    let fields = args.fields.clone().unwrap_or_default();
    let filter = options::filter(args)?;
    selection::require_known_agents(&args.selection.not_barred, &config.corpus.agents)?;
    let source = DocumentSource::new(&config, args, format)?;
    selection::refuse_unknown(&source.store, &filter)?;
    let options = ExportOptions { format, fields, filter };
    let tally = match (&args.into, &args.out) {
        (Some(path), _) => into_folder(&source, path, options, args)?,
        (None, Some(path)) if path.as_os_str() != "-" => to_file(&source, path, options, args)?,
        _ => to_standard_output(&source, options, args)?,
    };
    report_excluded(&tally, args);
    source.unreadable.report("the other documents were exported")?;
    source.report_pages()?;
    match tally.documents {
        0 => report_no_match(&source, args),
        _ => Ok(()),
    }
}

/// Whether an export without documents is a failure. It is not if the export is one of a series.
fn must_match(args: &Export) -> bool {
    args.selection.since.is_none() && args.into.is_none()
}

fn report_no_match(source: &DocumentSource, args: &Export) -> CommandResult {
    let searches = selection::searched(&args.selection)
        .map(|(property, wanted)| format!(" --{} {}", property.name(), wanted.join(", ")));
    let mut message = format!("no document matches{}", searches.collect::<String>());
    if source.store.totals().map_err(Failure::work)?.documents() == 0 {
        message = "the corpus has no documents yet: run `gleaner crawl`, or see `gleaner report`".into();
    }
    if !must_match(args) {
        print_message(format_args!("gleaner: {message}"));
        return Ok(());
    }
    let file = args.out.as_ref().map(|path| format!("; {} is not written", path.display()));
    Err(Failure::Work(message + &file.unwrap_or_default() + &fetched_instead(args)))
}

/// Names the options that select by the time of the fetch, if the export selects by the time of publication.
fn fetched_instead(args: &Export) -> String {
    let options = [("--since", &args.selection.published_from), ("--until", &args.selection.published_to)];
    let options: Vec<String> = options
        .into_iter()
        .filter_map(|(option, value)| Some(format!("{option} {}", value.as_ref()?)))
        .collect();
    match options.as_slice() {
        [] => String::new(),
        options => format!("; to select by the time of the fetch: {}", options.join(" ")),
    }
}

struct ExportOptions {
    format: Format,
    fields: Fields,
    filter: Filter,
}

/// Selects the documents of `--sample` in a pass over all documents. Returns `None` without the option.
fn sample(source: &DocumentSource, filter: &Filter, args: &Export) -> Result<Option<Sample>, Failure> {
    let Some(size) = args.sample else { return Ok(None) };
    let mut sampler = Sampler::new(size, args.seed.unwrap_or_default());
    let bar = documents_bar(&source.store).map_err(Failure::work)?;
    for document in source.documents_after(None) {
        let (document, context) = document?;
        if filter.passes(&document, &context) {
            sampler.add(document.id);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(Some(sampler.sample()))
}

fn into_folder(
    source: &DocumentSource,
    path: &Path,
    options: ExportOptions,
    args: &Export,
) -> Result<FilterCounts, Failure> {
    let command = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let ExportOptions { format, fields, filter } = options;
    let shard_size = args.shard_size;
    let (started, tagged) = (Timestamp::now(), args.tagger.is_some());
    let request = ExportRequest { format, fields, filter, shard_size, tagged, command, started };
    let mut folder = FolderExport::begin(path, request).map_err(|error| match error {
        ExportError::Nameless { .. } => Failure::usage(error),
        error => Failure::work(error),
    })?;
    let resume_hint =
        format!("complete files are kept in {}; the same command resumes", folder.part().display());
    if let Some(sample) = sample(source, folder.filter(), args)? {
        folder.set_sample(sample);
    }
    let bar = documents_bar(&source.store).map_err(Failure::work)?;
    let before: u64 = folder.tally().documents + folder.tally().held_back.values().sum::<u64>();
    if before > 0 {
        print_message(format_args!(
            "gleaner: resuming an interrupted export; documents already written: {before}"
        ));
        bar.set_position(before);
    }
    let filter = folder.filter().clone();
    for document in source.selected_after(folder.last(), &filter)? {
        if folder.is_full() {
            break;
        }
        let (document, context) = match document {
            // The tokens of the earlier documents may be wrong too.
            Err(error) if args.tagger.is_some() => {
                folder.discard().map_err(Failure::work)?;
                return Err(error);
            }
            document => document?,
        };
        folder
            .write(&document, &context)
            .map_err(|error| Failure::Work(format!("{error}; {resume_hint}")))?;
        bar.inc(1);
    }
    folder.set_unreadable(source.unreadable.list());
    folder.set_corpus_version(source.store.version().map_err(Failure::work)?);
    let (since, until) = (folder.filter().since, folder.filter().until);
    if since.is_some() {
        let removed = source.store.removed_documents(since, until).map_err(Failure::work)?;
        folder.write_removed(&removed).map_err(Failure::work)?;
        if !removed.is_empty() {
            print_message(format_args!(
                "documents removed since the earlier export: {}, in removed.txt",
                removed.len()
            ));
        }
    }
    let manifest = folder.finish().map_err(|error| Failure::Work(format!("{error}; {resume_hint}")))?;
    bar.finish_and_clear();
    print_message(format_args!("documents written: {}, to {}", manifest.tally.documents, path.display()));
    Ok(manifest.tally)
}

fn to_file(
    source: &DocumentSource,
    path: &Path,
    mut options: ExportOptions,
    args: &Export,
) -> Result<FilterCounts, Failure> {
    options.filter.sample = sample(source, &options.filter, args)?;
    let replaced = fs::metadata(path).is_ok_and(|old| old.is_file() && old.len() > 0);
    let filter = options.filter.clone();
    let mut single =
        FileExport::begin(path, options.format, &options.fields, options.filter).map_err(write_failure)?;
    let bar = documents_bar(&source.store).map_err(Failure::work)?;
    for_each_document(source, &filter, &bar, |document, context| {
        single.write(document, context).map_err(write_failure)?;
        Ok(single.is_full())
    })?;
    bar.finish_and_clear();
    if single.tally().documents == 0 && must_match(args) {
        return Ok(single.discard());
    }
    let tally = single.finish().map_err(write_failure)?;
    let replaced = if replaced { ", which replaces an earlier file" } else { "" };
    print_message(format_args!("documents written: {}, to {}{replaced}", tally.documents, path.display()));
    Ok(tally)
}

fn to_standard_output(
    source: &DocumentSource,
    mut options: ExportOptions,
    args: &Export,
) -> Result<FilterCounts, Failure> {
    let failed = |error| Failure::writing("standard output")(error);
    options.filter.sample = sample(source, &options.filter, args)?;
    // Standard output is not locked, because the Parquet writer may move its handle to another thread.
    let out = BufWriter::new(output::data());
    let filter = options.filter.clone();
    let mut stream =
        StreamExport::new(out, options.format, &options.fields, options.filter).map_err(failed)?;
    for_each_document(source, &filter, &ProgressBar::hidden(), |document, context| {
        stream.write(document, context).map_err(failed)?;
        Ok(stream.is_full())
    })?;
    let (_, tally) = stream.finish().map_err(failed)?;
    Ok(tally)
}

/// Calls `write` with the earlier revisions of each document and then with the document. Ends when `write`
/// returns `true`.
fn for_each_document(
    source: &DocumentSource,
    filter: &Filter,
    bar: &ProgressBar,
    mut write: impl FnMut(&Document, &RecordContext) -> Result<bool, Failure>,
) -> CommandResult {
    for document in source.selected_after(None, filter)? {
        let (document, context) = document?;
        let mut all = source.earlier_revisions(document.id).map_err(Failure::work)?;
        all.push((document, context));
        for (document, context) in &all {
            if write(document, context)? {
                return Ok(());
            }
        }
        bar.inc(1);
    }
    Ok(())
}

/// Converts an export error. A closed pipe on standard output is not a failure.
fn write_failure(error: ExportError) -> Failure {
    match error.io().map(io::Error::kind) {
        Some(io::ErrorKind::BrokenPipe) => Failure::OutputClosed,
        _ => Failure::work(error),
    }
}

/// The filters that have the name of an option. Others are conditions of `--where`.
const OPTIONS: [&str; 11] = [
    "host",
    "exclude-host",
    "exclude-url",
    "language",
    "since",
    "until",
    "title",
    "section",
    "author",
    "tag",
    "sample",
];

fn report_excluded(tally: &FilterCounts, args: &Export) {
    for (filter, documents) in &tally.held_back {
        let (what, hint) = match filter.as_str() {
            NEAR_DUPLICATE => {
                print_message(format_args!(
                    "gleaner: near-duplicates excluded: {documents}; use --members to include them"
                ));
                continue;
            }
            NO_PAGE => {
                print_message(format_args!(
                    "gleaner: documents left out, because the archive does not have their pages or cannot give them: \
                     {documents}"
                ));
                continue;
            }
            "until" if args.selection.until.is_none() => {
                print_message(format_args!(
                    "gleaner: documents excluded: {documents}; they were fetched after this export began, by a crawl \
that is running, or the clock of this machine is behind"
                ));
                continue;
            }
            PUBLISHED => ("--published-from or --published-to".to_owned(), ""),
            UNDATED => ("--published-from or --published-to, without a date".to_owned(), ""),
            filter if filter.starts_with("confidence>=") => {
                (filter.to_owned(), "; use --confidence 0 to include all")
            }
            filter if filter.ends_with(" disallowed") || filter.ends_with(" not stated") => {
                (format!("--allowed or --explicitly-allowed, {filter}"), "")
            }
            filter if filter.ends_with(" barred") => (format!("--not-barred, {filter}"), ""),
            filter if OPTIONS.contains(&filter) => (format!("--{filter}"), ""),
            condition => (condition.to_owned(), ""),
        };
        print_message(format_args!("gleaner: documents excluded by {what}: {documents}{hint}"));
    }
    if args.limit == Some(tally.documents) {
        print_message(format_args!(
            "gleaner: stopped at --limit {}; later documents were not read",
            tally.documents
        ));
    }
    if let Some(size) = args.sample.filter(|size| (1..*size as u64).contains(&tally.documents)) {
        print_message(format_args!(
            "gleaner: only {} documents match, fewer than --sample {size}",
            tally.documents
        ));
    }
}
