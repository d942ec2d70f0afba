//! Runs `gleaner reextract` and `ingest`, and replays responses for `rebuild`: updates a corpus from WARC files.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use flate2::read::MultiGzDecoder;
use gleaner_archive::cdx::{CdxLine, CdxReader};
use gleaner_corpus::Admission;
use gleaner_crawl::render::text::number;
use gleaner_crawl::settings::Config;
use gleaner_crawl::{
    Changes, Progress, Purpose, Replay, ReplaySummary, StopRequest, WarcFile, archive_files, archive_folder,
};
use gleaner_extract::pins::HostPins;
use gleaner_frontier::Seed;
use gleaner_store::{StoreError, Writer};
use indicatif::ProgressBar;

use crate::args::{Color, Common, Ingest};
use crate::distributed::SharedSettings;
use crate::failure::Failure;
use crate::messages::print_message;
use crate::progress::ProgressDisplay;
use crate::table::table;
use crate::{CommandResult, distributed, logging, opening, output, progress, settings, signals};

pub(crate) fn reextract(common: &Common) -> CommandResult {
    let config = settings::load(common)?;
    let rules = ExtractionRules::from_config(&config)?;
    let context = ReplayContext::begin(common, &config)?;
    let (writer, sources) = match distributed::is_shared(&config) {
        false => {
            let sources = own_archive(&config)?;
            (writer(&config, false)?, sources)
        }
        true => {
            let shared = SharedSettings::new(&config, "reextract", None, &settings::pins_text(&config)?)?;
            let writer = distributed::join(&config, shared, false, &context.stop)?;
            let files = writer.store().archive_files().map(|file| {
                let (number, file) = file?;
                Ok(WarcFile::from_file(number, &file))
            });
            let sources: Vec<_> = files.collect::<Result<_, StoreError>>().map_err(Failure::work)?;
            if sources.is_empty() {
                return Err(Failure::Usage(no_archive(&config.store.objects)));
            }
            (writer, sources)
        }
    };
    let rules =
        ExtractionRules { unknown_hosts: settings::report_unknown_pins(&config, &writer.store())?, ..rules };
    let purpose = Purpose::Reextract;
    let replayed =
        replay(context, ReplayStart { config, rules, purpose, seeds: Vec::new(), writer, sources })?;
    finish(purpose, &replayed)
}

pub(crate) fn ingest(common: &Common, args: &Ingest) -> CommandResult {
    let config = settings::load(common)?;
    let sources = sources(&args.files)?;
    let rules = ExtractionRules::from_config(&config)?;
    let context = ReplayContext::begin(common, &config)?;
    let writer = match distributed::is_shared(&config) {
        false => writer(&config, true)?,
        true => {
            let shared = SharedSettings::new(&config, "ingest", None, &settings::pins_text(&config)?)?;
            // Each worker reads all files, but processes only the pages in its own partitions.
            let shared = shared.and("the list of files", &listed(&sources)?);
            distributed::join(&config, shared, false, &context.stop)?
        }
    };
    let purpose = Purpose::Ingest;
    let replayed =
        replay(context, ReplayStart { config, rules, purpose, seeds: Vec::new(), writer, sources })?;
    finish(purpose, &replayed)
}

/// Lists the files with their length in bytes and their number of selected records. The list must be the same
/// for all workers.
fn listed(sources: &[WarcFile]) -> Result<String, Failure> {
    let line = |source: &WarcFile| {
        let path = source.path.display();
        let length = fs::metadata(&source.path)
            .map_err(|error| Failure::Usage(format!("cannot read {path}: {error}")))?
            .len();
        Ok(format!("{path} {length} {:?}\n", source.offsets.as_ref().map(Vec::len)))
    };
    sources.iter().map(line).collect()
}

fn writer(config: &Config, create: bool) -> Result<Writer, Failure> {
    let writer = opening::open_store(config, create)?;
    match opening::incomplete_reason(config, &writer.store())? {
        Some(what) => Err(Failure::Work(what)),
        None => Ok(writer),
    }
}

pub(super) fn own_archive(config: &Config) -> Result<Vec<WarcFile>, Failure> {
    let files = archive_files(config).map_err(Failure::work)?;
    if files.is_empty() {
        return Err(Failure::Usage(no_archive(archive_folder(config).display())));
    }
    Ok(files.into_iter().map(WarcFile::file).collect())
}

fn no_archive(place: impl Display) -> String {
    format!(
        "there is no archive in {place}: `gleaner crawl` writes one unless archive.keep is false; to extract \
         ingested pages again, ingest them again"
    )
}

pub(super) struct ExtractionRules {
    pins: HostPins,
    admission: Admission,
    /// Hosts with pins that are not in the corpus, and were already named.
    unknown_hosts: Vec<String>,
}

impl ExtractionRules {
    pub(super) fn from_config(config: &Config) -> Result<Self, Failure> {
        let (pins, admission) = (settings::pins(config)?, settings::admission(config)?);
        Ok(Self { pins, admission, unknown_hosts: Vec::new() })
    }
}

pub(super) struct ReplayContext {
    bar: ProgressBar,
    color: Color,
    stop: StopRequest,
}

impl ReplayContext {
    pub(super) fn begin(common: &Common, config: &Config) -> Result<Self, Failure> {
        let (bar, color) = (progress::bar(), common.color);
        logging::begin(&config.log, &bar, color.wanted_on_stderr())?;
        Ok(Self { bar, color, stop: StopRequest::default() })
    }
}

pub(super) struct ReplayStart {
    pub(super) config: Config,
    pub(super) rules: ExtractionRules,
    pub(super) purpose: Purpose,
    pub(super) seeds: Vec<Seed>,
    pub(super) writer: Writer,
    pub(super) sources: Vec<WarcFile>,
}

pub(super) fn replay(context: ReplayContext, start: ReplayStart) -> Result<ReplaySummary, Failure> {
    let ReplayContext { bar, color, stop } = context;
    let ReplayStart { config, rules, purpose, seeds, writer, sources } = start;
    let ExtractionRules { pins, admission, unknown_hosts } = rules;
    let used_pins = pins.clone();
    // The runtime only handles signals, because a replay sends no requests.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(Failure::work)?;
    let progress = Arc::new(Progress::default());
    signals::listen(runtime.handle(), stop.clone(), {
        let bar = bar.clone();
        move || {
            bar.suspend(|| {
                print_message("gleaner: finishing the current work; press Ctrl-C again to quit at once")
            })
        }
    });
    let began = Instant::now();
    let display = ProgressDisplay::start(
        Arc::clone(&progress),
        bar,
        config.crawl.progress.get(),
        color.wanted_on_stderr(),
    );
    let store = writer.store();
    let start = Replay { purpose, config, seeds, pins, admission, writer, sources, stop, progress };
    let replayed = gleaner_crawl::replay(start);
    drop(display);
    let replayed = replayed.map_err(Failure::work)?;
    distributed::end_work(&store, !replayed.complete);
    runtime.shutdown_background();
    drop(store);
    let text = report(purpose, &replayed, began.elapsed().as_secs_f64());
    output::print(&text)?;
    for (host, changes) in replayed.changes.iter().filter(|(_, changes)| has_lost_much(changes)) {
        let (before, after) = (number(changes.words_before), number(changes.words_after));
        print_message(format_args!(
            "gleaner: {host} lost more than half of its words: {before} before, {after} after; \
             `gleaner template explain URL --archived` shows why"
        ));
    }
    for pin in used_pins.unused(&unknown_hosts).filter(|_| replayed.complete && !replayed.resumed) {
        print_message(format_args!("gleaner: a pin selected nothing on any page: {pin}"));
    }
    Ok(replayed)
}

fn has_lost_much(changes: &Changes) -> bool {
    changes.words_after * 2 < changes.words_before
}

/// Reasons why a page that is extracted again keeps its old text.
const TEXT_KEPT: [&str; 2] = ["no_text_today", "no_article_today"];

fn report(purpose: Purpose, replayed: &ReplaySummary, seconds: f64) -> String {
    let changed = match purpose {
        Purpose::Reextract => {
            let sum = |one: fn(&Changes) -> u64| replayed.changes.values().map(one).sum::<u64>();
            let counted = |what: &str, count: u64| match count {
                0 => String::new(),
                count => format!("{what}: {count}; "),
            };
            format!(
                "texts changed: {}; {}{}",
                sum(|host| host.changed),
                counted("documents added", sum(|host| host.new)),
                counted("documents removed", sum(|host| host.withdrawn))
            )
        }
        Purpose::Rebuild | Purpose::Ingest => String::new(),
    };
    let mut text = format!(
        "{:.0} s; responses read: {}; {changed}documents in the corpus: {}\n",
        seconds, replayed.read, replayed.documents
    );
    let rows = |counts: &mut dyn Iterator<Item = (String, u64)>| -> Vec<Vec<String>> {
        counts.map(|(reason, count)| vec![count.to_string(), reason]).collect()
    };
    let outcomes = rows(&mut replayed.outcomes.iter().map(|(reason, count)| (reason.clone(), *count)));
    if !outcomes.is_empty() {
        text += &format!("\n{}\n", table(&["URLs", "Outcome"], outcomes));
    }
    let has_changed =
        |(_, changes): &(&String, &Changes)| changes.changed + changes.new + changes.withdrawn > 0;
    let changes = replayed.changes.iter().filter(has_changed).map(|(host, changes)| {
        let Changes { new, changed, withdrawn, words_before, words_after } = *changes;
        let figures = [changed, new, withdrawn, words_before, words_after].map(number);
        figures.into_iter().chain([host.clone()]).collect()
    });
    let changes: Vec<Vec<String>> = changes.collect();
    if !changes.is_empty() {
        let head = ["Texts changed", "Added", "Removed", "Words before", "After", "Host"];
        text += &format!("\n{}\n", table(&head, changes));
    }
    let passed = rows(&mut replayed.passed_over.iter().map(|(reason, count)| ((*reason).into(), *count)));
    if !passed.is_empty() {
        text += &format!("\nRecords that changed nothing\n{}\n", table(&["Records", "Why"], passed));
        if TEXT_KEPT.iter().any(|reason| replayed.passed_over.contains_key(reason)) {
            text += "If a page has no text or no article by today's rules and pins, its document, if any, keeps the stored text.\n\
                     `gleaner doctor URL` shows why a page has none.\n";
        }
    }
    let damaged: Vec<Vec<String>> = replayed
        .damaged
        .iter()
        .map(|(path, offset, reason)| vec![path.display().to_string(), offset.to_string(), reason.clone()])
        .collect();
    if !damaged.is_empty() {
        text += &format!("\nUnreadable parts of files\n{}\n", table(&["File", "At byte", "Why"], damaged));
    }
    if replayed.resumed {
        text += "\nResumed after an interruption; earlier work is not counted here.\n";
    }
    if !replayed.complete {
        text += "\nInterrupted. Nothing is lost; the same command resumes.\n";
    }
    text
}

pub(super) fn finish(purpose: Purpose, replayed: &ReplaySummary) -> CommandResult {
    if !replayed.complete {
        return Err(Failure::Interrupted);
    }
    match replayed.damaged.len() {
        0 => Ok(()),
        parts => {
            let kept = match purpose {
                Purpose::Reextract => "; the documents of their pages are unchanged",
                Purpose::Rebuild | Purpose::Ingest => "",
            };
            Err(Failure::Work(format!(
                "unreadable parts of files: {parts}; everything else was processed{kept}"
            )))
        }
    }
}

fn sources(paths: &[PathBuf]) -> Result<Vec<WarcFile>, Failure> {
    let mut sources = Vec::new();
    for path in paths {
        let wrong = |error: io::Error| Failure::Usage(format!("cannot read {}: {error}", path.display()));
        // The store identifies a file by its absolute path.
        let path = fs::canonicalize(path).map_err(wrong)?;
        if path.is_dir() {
            let entries = fs::read_dir(&path).map_err(wrong)?;
            let mut files: Vec<PathBuf> =
                entries.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>().map_err(wrong)?;
            files.retain(|file| ends(file, &[".warc", ".warc.gz", ".warc.zst"]));
            if files.is_empty() {
                return Err(Failure::Usage(format!(
                    "{} has no file whose name ends in .warc, .warc.gz or .warc.zst",
                    path.display()
                )));
            }
            files.sort();
            sources.extend(files.into_iter().map(WarcFile::file));
        } else if ends(&path, &[".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz"]) {
            sources.extend(indexed(&path)?);
        } else {
            sources.push(WarcFile::file(path));
        }
    }
    Ok(sources)
}

fn ends(path: &Path, endings: &[&str]) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}

/// Reads the file names and record offsets of an index. Paths in it are relative to its folder.
fn indexed(path: &Path) -> Result<Vec<WarcFile>, Failure> {
    let wrong = |error: io::Error| Failure::Usage(format!("cannot read {}: {error}", path.display()));
    let file = File::open(path).map_err(wrong)?;
    let input: Box<dyn Read> = if ends(path, &[".gz"]) {
        Box::new(MultiGzDecoder::new(BufReader::new(file)))
    } else {
        Box::new(file)
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    let (mut columns, mut unreadable) = (CdxReader::default(), 0_u64);
    let mut offsets: BTreeMap<PathBuf, Vec<u64>> = BTreeMap::new();
    for line in BufReader::new(input).lines() {
        match columns.read(&line.map_err(wrong)?) {
            CdxLine::Record(place) => offsets.entry(folder.join(place.file)).or_default().push(place.offset),
            CdxLine::Nothing => {}
            CdxLine::Unreadable => unreadable += 1,
        }
    }
    if unreadable > 0 {
        print_message(format_args!("gleaner: lines without a record: {unreadable}, in {}", path.display()));
    }
    if offsets.is_empty() {
        return Err(Failure::Usage(format!("{} lists no records", path.display())));
    }
    let source = |(path, mut offsets): (PathBuf, Vec<u64>)| {
        offsets.sort_unstable();
        offsets.dedup();
        WarcFile { offsets: Some(offsets), ..WarcFile::file(path) }
    };
    Ok(offsets.into_iter().map(source).collect())
}
