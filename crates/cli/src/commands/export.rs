//! Runs `gleaner export`: writes documents of the corpus to files or standard output.
//!
//! This module selects the documents and the target; the crate `export` writes the formats.

use std::collections::HashMap;
use std::io::{self, BufWriter, IsTerminal};
use std::path::{Path, PathBuf};

use gleaner_archive::Place;
use gleaner_config::Config;
use gleaner_corpus::{Condition, Document, DocumentId, Tones, with_tones};
use gleaner_crawl::archive_files;
use gleaner_export::filter::NEAR_DUPLICATE;
use gleaner_export::{
    Beside, Compression, ExportError, Filter, Folder, Format, Manifest, Repeats, Request, Single, Stream,
    Tally,
};
use gleaner_frontier::UrlKey;
use gleaner_store::{FileRecord, History, Store, StoreError};
use indicatif::ProgressBar;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::args::{Common, Compress, Export, ExportFormat};
use crate::aside::say;
use crate::failure::Failure;
use crate::watching::documents_bar;
use crate::{Done, settings};

pub(crate) fn run(common: &Common, args: Export) -> Done {
    let config = settings::load(common)?;
    let format = format(&args)?;
    let filter = filter(&args)?;
    let source = Source::new(&config, &args)?;
    let tally = match (&args.into, &args.out) {
        (Some(path), _) => into_folder(&source, path, format, filter, args.shard_size)?,
        (None, Some(path)) if path.as_os_str() != "-" => to_file(&source, path, format, filter)?,
        _ => to_standard_output(&source, format, filter)?,
    };
    tell(&tally);
    Ok(())
}

struct Source {
    store: Store,
    repeats: Option<Repeats>,
    files: HashMap<u32, String>,
    tones: Tones,
    revisions: bool,
}

impl Source {
    fn new(config: &Config, args: &Export) -> Result<Self, Failure> {
        let store = settings::store(config, false)?;
        let repeats =
            if args.without_repeated { Some(counted(&store).map_err(Failure::work)?) } else { None };
        let files = files_by_number(config, &store)?;
        Ok(Self { store, repeats, files, tones: args.tones, revisions: args.revisions })
    }

    fn complete(&self, mut document: Document) -> Result<(Document, Beside), StoreError> {
        let urls = self.store.urls_of(&document)?;
        let removed =
            self.repeats.as_ref().map(|repeats| repeats.leave_out(&mut document)).unwrap_or_default();
        let archived = self.archived(&document)?;
        document = with_tones(document, self.tones);
        let History { earlier, gone } = self.store.history(document.id)?;
        let mut beside = Beside { urls, removed, archived, earlier, gone, ..Beside::default() };
        if let Some(likeness) = self.store.likeness(document.id)? {
            beside.head = Some(likeness.head).filter(|head| *head != document.id);
            beside.similarity = likeness.similarity;
            beside.near_duplicates = likeness.members;
            beside.related = likeness.related.iter().map(|(id, _)| id.to_string()).collect();
        }
        Ok((document, beside))
    }

    /// Returns the earlier revisions of a document, oldest first. They have no archive position, since the
    /// store does not record it.
    fn earlier(&self, id: DocumentId) -> Result<Vec<(Document, Beside)>, StoreError> {
        if !self.revisions {
            return Ok(Vec::new());
        }
        let gone = self.store.history(id)?.gone;
        let numbered = (0..).zip(self.store.revisions(id)?);
        let complete = |(earlier, document): (u32, Document)| {
            let urls = vec![document.url.clone()];
            (document, Beside { urls, earlier, gone, ..Beside::default() })
        };
        Ok(numbered.map(complete).collect())
    }

    fn archived(&self, document: &Document) -> Result<Option<(String, u64)>, StoreError> {
        let record = self.store.url(UrlKey::from_bytes(document.id.0))?;
        let place = record.and_then(|record| record.archived);
        Ok(place.and_then(|place| Some((self.files.get(&place.file)?.clone(), place.offset))))
    }
}

fn files_by_number(config: &Config, store: &Store) -> Result<HashMap<u32, String>, Failure> {
    if store.is_shared() {
        let file = |(number, file): (u32, FileRecord)| {
            (number, file.name.rsplit('/').next().unwrap_or_default().to_owned())
        };
        return store.archive_files().map(|named| named.map(file).map_err(Failure::work)).collect();
    }
    let named = |path: PathBuf| {
        let file = path.file_name()?.to_string_lossy().into_owned();
        Some((Place { file: file.clone(), offset: 0 }.number(), file))
    };
    Ok(archive_files(config).map_err(Failure::work)?.into_iter().filter_map(named).collect())
}

/// Counts the paragraphs of all documents except near-duplicates that another document represents.
fn counted(store: &Store) -> Result<Repeats, StoreError> {
    let mut repeats = Repeats::default();
    let bar = documents_bar(store)?;
    for document in store.documents() {
        let document = document?;
        if !store.is_member(document.id)? {
            repeats.count(&document);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(repeats)
}

/// Returns the export format; an error if it cannot be written to the target.
fn format(args: &Export) -> Result<Format, Failure> {
    let compression = match args.compress {
        Compress::None => Compression::None,
        Compress::Gzip => Compression::Gzip,
        Compress::Zstd => Compression::Zstd,
    };
    let format = match args.format {
        ExportFormat::Jsonl => Format::JsonLines(compression),
        ExportFormat::Vertical => Format::Vertical(compression),
        ExportFormat::Parquet => Format::Parquet,
        ExportFormat::Text => Format::TextByDocument,
        ExportFormat::TextBySite => Format::TextBySite,
        ExportFormat::Datasets => Format::Datasets,
    };
    if format.needs_folder() && args.into.is_none() {
        return Err(Failure::Usage("this format has several files: set --into DIR to a new folder".into()));
    }
    let compresses = matches!(format, Format::JsonLines(_) | Format::Vertical(_));
    if args.compress != Compress::None && !compresses {
        return Err(Failure::Usage("--compress requires --format jsonl or vertical".into()));
    }
    let is_binary = args.compress != Compress::None || format == Format::Parquet;
    if is_binary && args.into.is_none() && args.out.is_none() && io::stdout().is_terminal() {
        return Err(Failure::Usage("this format cannot be written to a terminal: set --out FILE".into()));
    }
    Ok(format)
}

fn filter(args: &Export) -> Result<Filter, Failure> {
    let asked = args
        .conditions
        .iter()
        .map(|text| text.parse::<Condition>().map_err(|error| Failure::Usage(format!("--where {error}"))));
    let sure = (args.confidence > 0.0).then(|| Ok(Condition::confidence(args.confidence)));
    Ok(Filter {
        hosts: args.host.iter().map(|host| host.to_ascii_lowercase()).collect(),
        languages: args.language.iter().map(|tag| tag.to_ascii_lowercase()).collect(),
        since: args.since.as_deref().map(since).transpose()?,
        until: args.until.as_deref().map(|text| time("--until", text)).transpose()?,
        members: args.members,
        conditions: sure.into_iter().chain(asked).collect::<Result<_, _>>()?,
    })
}

/// Parses a day or a time, or reads the end time of an earlier export.
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

fn into_folder(
    source: &Source,
    path: &Path,
    format: Format,
    filter: Filter,
    shard_size: u64,
) -> Result<Tally, Failure> {
    let command = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let request = Request { format, filter, shard_size, command, started: Timestamp::now() };
    let mut folder = Folder::begin(path, request).map_err(|error| match error {
        ExportError::Nameless { .. } => Failure::usage(error),
        error => Failure::work(error),
    })?;
    let kept = format!("complete files are kept in {}; the same command resumes", folder.part().display());
    let bar = documents_bar(&source.store).map_err(Failure::work)?;
    let before: u64 = folder.tally().documents + folder.tally().held_back.values().sum::<u64>();
    if before > 0 {
        say(format_args!("gleaner: resuming an interrupted export; documents already written: {before}"));
        bar.set_position(before);
    }
    for document in source.store.documents_after(folder.last()) {
        let document = document.map_err(Failure::work)?;
        let (document, beside) = source.complete(document).map_err(Failure::work)?;
        folder.write(&document, &beside).map_err(|error| Failure::Work(format!("{error}; {kept}")))?;
        bar.inc(1);
    }
    let manifest = folder.finish().map_err(|error| Failure::Work(format!("{error}; {kept}")))?;
    bar.finish_and_clear();
    say(format_args!("documents written: {}, to {}", manifest.tally.documents, path.display()));
    Ok(manifest.tally)
}

fn to_file(source: &Source, path: &Path, format: Format, filter: Filter) -> Result<Tally, Failure> {
    let mut single = Single::begin(path, format, filter).map_err(failure)?;
    let bar = documents_bar(&source.store).map_err(Failure::work)?;
    each(source, &bar, |document, beside| single.write(document, beside).map_err(failure))?;
    let tally = single.finish().map_err(failure)?;
    bar.finish_and_clear();
    say(format_args!("documents written: {}, to {}", tally.documents, path.display()));
    Ok(tally)
}

fn to_standard_output(source: &Source, format: Format, filter: Filter) -> Result<Tally, Failure> {
    let failed = |error| Failure::writing("standard output")(error);
    // Standard output is not locked, because the Parquet writer may move it to another thread.
    let mut stream = Stream::new(BufWriter::new(io::stdout()), format, filter).map_err(failed)?;
    let write = |document: &Document, beside: &Beside| stream.write(document, beside).map_err(failed);
    each(source, &ProgressBar::hidden(), write)?;
    let (_, tally) = stream.finish().map_err(failed)?;
    if tally.documents == 0 {
        say("gleaner: no document matches");
    }
    Ok(tally)
}

fn each(source: &Source, bar: &ProgressBar, mut write: impl FnMut(&Document, &Beside) -> Done) -> Done {
    for document in source.store.documents() {
        let document = document.map_err(Failure::work)?;
        for (document, beside) in source.earlier(document.id).map_err(Failure::work)? {
            write(&document, &beside)?;
        }
        let (document, beside) = source.complete(document).map_err(Failure::work)?;
        write(&document, &beside)?;
        bar.inc(1);
    }
    Ok(())
}

/// A closed pipe on standard output is not a failure.
fn failure(error: ExportError) -> Failure {
    match error.io().map(io::Error::kind) {
        Some(io::ErrorKind::BrokenPipe) => Failure::NobodyReads,
        _ => Failure::work(error),
    }
}

fn tell(tally: &Tally) {
    for (filter, documents) in &tally.held_back {
        if filter == NEAR_DUPLICATE {
            say(format_args!(
                "gleaner: near-duplicates excluded: {documents}; use --members to include them"
            ));
        }
        if filter.contains(['<', '>', '=']) {
            let hint =
                if filter.starts_with("confidence>=") { "; use --confidence 0 to include all" } else { "" };
            say(format_args!("gleaner: documents excluded by {filter}: {documents}{hint}"));
        }
    }
}

fn time(option: &str, text: &str) -> Result<Timestamp, Failure> {
    let day = || text.parse::<Date>().ok()?.to_zoned(TimeZone::UTC).ok().map(|day| day.timestamp());
    text.parse::<Timestamp>().ok().or_else(day).ok_or_else(|| {
        Failure::Usage(format!(
            "{option} {text}: expected a day such as 2026-11-20, or a time such as 2026-11-20T02:30:00Z"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_times_are_read() {
        let read = |text| time("--since", text).map(|time| time.to_string()).ok();
        assert_eq!(read("2026-11-20").as_deref(), Some("2026-11-20T00:00:00Z"));
        assert_eq!(read("2026-11-20T09:30:00+07:00").as_deref(), Some("2026-11-20T02:30:00Z"));
        assert_eq!(read("yesterday"), None);
    }
}
