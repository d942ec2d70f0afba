//! Reads the reports in the data folder.
//!
//! Limitation: each worker writes its reports into its own data folder. The page for a shared corpus shows
//! only the reports in the data folder of its own process.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gleaner_crawl::render::language::Bilingual;
use gleaner_crawl::render::text::count;
use gleaner_crawl::report::{Grade, Report, RunStatus, folder, groups};
use jiff::Timestamp;
use tracing::warn;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReportSummary {
    /// The name of the report's file without the extension.
    pub(crate) name: String,
    pub(crate) run: u32,
    pub(crate) started: Timestamp,
    pub(crate) status: RunStatus,
    /// The most severe finding. `None` if nothing is unusual.
    pub(crate) why: Option<Bilingual>,
    /// Number of notes. Notes with the same cause count once.
    pub(crate) notes: usize,
}

/// The reports that were already read, by path. `None` for a file that is unreadable. A finished report never
/// changes, so only the newest report is read more than once.
#[derive(Debug, Default)]
pub(crate) struct ReportCache(Mutex<HashMap<PathBuf, Option<Arc<ReportSummary>>>>);

impl ReportCache {
    /// Returns summaries of at most `limit` reports in the data folder `data`, newest first, and the newest
    /// report in full. Unreadable reports are omitted with a warning.
    pub(crate) fn newest(&self, data: &Path, limit: usize) -> (Vec<Arc<ReportSummary>>, Option<Report>) {
        let paths = folder::list(&folder::reports_folder(data)).unwrap_or_else(|error| {
            warn!(%error, "cannot list the reports");
            Vec::new()
        });
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut now = HashMap::new();
        let mut newest = None;
        for path in paths.iter().take(limit) {
            let summary = match cached.get(path) {
                Some(Some(summary)) if newest.is_some() => Some(Arc::clone(summary)),
                Some(None) => None,
                _ => read(path).map(|report| {
                    let summary = Arc::new(summary(path, &report));
                    newest.get_or_insert(report);
                    summary
                }),
            };
            now.insert(path.clone(), summary);
        }
        *cached = now;
        let summaries = paths.iter().filter_map(|path| cached.get(path)?.clone()).collect();
        (summaries, newest)
    }
}

fn read(path: &Path) -> Option<Report> {
    let report = folder::read(path);
    report.inspect_err(|error| warn!(%error, "a report cannot be read")).ok()
}

pub(crate) fn path_of(data: &Path, name: &str) -> Option<PathBuf> {
    let paths = folder::list(&folder::reports_folder(data)).ok()?;
    paths.into_iter().find(|path| file_stem(path) == name)
}

fn file_stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn summary(path: &Path, report: &Report) -> ReportSummary {
    let (run, started, status) = (report.run, report.started, report.status);
    let notes = groups(&report.findings).iter().filter(|group| group.grade == Grade::Note).count();
    ReportSummary { name: file_stem(path), run, started, status, why: why(report), notes }
}

fn why(report: &Report) -> Option<Bilingual> {
    let groups = groups(&report.findings);
    let severe = groups.iter().filter(|group| RunStatus::from(group.grade) == report.status);
    let mut severe = severe.filter(|_| report.status != RunStatus::Fine);
    let first = severe.next()?;
    let hosts = first.findings.len();
    let sentence = match first.findings[..] {
        [only] => {
            let host = only.host.as_ref().map(|host| format!("{host}: ")).unwrap_or_default();
            only.sentence().map(|text| format!("{host}{text}"))
        }
        [first, ..] => {
            let cause = first.explained_cause();
            Bilingual::new(
                format!("{hosts} hosts: {}", cause.english),
                format!("{hosts} trang báo: {}", cause.vietnamese),
            )
        }
        [] => return None,
    };
    Some(match severe.count() {
        0 => sentence.map(|text| format!("{text}.")),
        more => Bilingual::new(
            format!("{}; and {}.", sentence.english, count(more as u64, "more finding")),
            format!("{}; và {more} điều khác.", sentence.vietnamese),
        ),
    })
}
