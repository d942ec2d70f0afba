//! Runs `gleaner report`: prints the reports of the last runs.

use std::fmt::Write as _;
use std::path::Path;

use console::Term;
use gleaner_crawl::render::text::{duration, minute};
use gleaner_crawl::report::{Report, folder, text};
use gleaner_crawl::settings::Config;
use gleaner_store::StoreError;

use crate::args::{self, Common};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::run_tables::HostRow;
use crate::table::{table, wrapped};
use crate::{CommandResult, opening, output, run_tables, settings};

pub(crate) fn run(common: &Common, args: &args::Report) -> CommandResult {
    let config = settings::load(common)?;
    let folder = folder::reports_folder(Path::new(&config.store.path));
    let wanted = if args.list { usize::MAX } else { usize::try_from(args.last).unwrap_or(usize::MAX) };
    let paths = folder::list(&folder).map_err(Failure::work)?;
    let unfinished = unfinished(&config).map_err(Failure::work)?;
    if args.json {
        unfinished.iter().for_each(|text| print_message(format_args!("gleaner: {text}")));
    }
    if paths.is_empty() && unfinished.is_none() {
        let folder = folder.display();
        return Err(Failure::Work(format!(
            "there is no report in {folder}; `gleaner crawl` writes one when it ends"
        )));
    }
    let mut reports = Vec::new();
    let read = paths.iter().filter_map(|path| match folder::read(path) {
        Ok(report) => Some(report),
        Err(error) => {
            print_message(format_args!("gleaner: {error}; skipped"));
            None
        }
    });
    reports.extend(read.take(wanted));
    if reports.is_empty() && !paths.is_empty() {
        return Err(Failure::Work(format!("no report in {} can be read", folder.display())));
    }
    let shown = if args.json {
        reports
            .iter()
            .map(|report| serde_json::to_string(report).map(|line| line + "\n"))
            .collect::<Result<_, _>>()
            .map_err(Failure::work)?
    } else if args.list {
        let list = if reports.is_empty() { String::new() } else { listed(&reports) };
        unfinished.map(|text| text + "\n").unwrap_or_default() + &list
    } else {
        let unfinished = unfinished.map(|text| wrapped(&(text + "\n"), &Term::stdout()));
        let reports = reports.iter().map(|report| one(report, &folder));
        unfinished.into_iter().chain(reports).collect::<Vec<_>>().join("\n")
    };
    output::print(&shown)
}

/// Describes the last crawl if it has not ended. Such a crawl has no report yet.
fn unfinished(config: &Config) -> Result<Option<String>, StoreError> {
    // If the store cannot be opened, the reports can still be shown.
    let Ok(store) = opening::read_store(config) else { return Ok(None) };
    let Some(run) = store.last_run()?.filter(|run| run.ended.is_none() && !run.replayed) else {
        return Ok(None);
    };
    let so_far = run_tables::format_progress(&store.counts(run.number)?, &gleaner_crawl::buffered(&store)?);
    let (number, began) = (run.number, minute(run.started));
    Ok(Some(format!(
        "Run {number} of {began} has not ended: {so_far}; unless it is still running, `gleaner crawl` continues it"
    )))
}

fn listed(reports: &[Report]) -> String {
    let row = |report: &Report| {
        let totals = &report.totals;
        vec![
            report.run.to_string(),
            minute(report.started),
            duration(report.seconds()),
            report.status.label().to_owned(),
            totals.new.to_string(),
            totals.failed().to_string(),
            text::first_finding(report),
        ]
    };
    let head = ["Run", "Began", "Took", "Status", "New", "Failed", "First finding"];
    format!("{}\n", table(&head, reports.iter().map(row)))
}

fn one(report: &Report, folder: &Path) -> String {
    let mut shown = wrapped(&text::short(report), &Term::stdout());
    let rows = report.active_hosts().map(HostRow::from).collect();
    let _ = writeln!(shown, "\n{}", run_tables::hosts(rows, usize::MAX));
    let _ = writeln!(shown, "For all reasons, see the pages in {}", folder.display());
    shown
}
