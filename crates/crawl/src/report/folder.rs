//! Stores reports on disk: `DATA/reports/2026-11-22T02-00-00Z.json` and an `.html` file with the same name.
//!
//! Files are written under a temporary name and renamed, so readers never see partial files. Only the newest
//! `report.keep` reports remain.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::render::visible::visible;
use gleaner_archive::files::make_folder;
use jiff::tz::TimeZone;
use thiserror::Error;

use super::{Report, page};

/// Why a report cannot be written or read.
#[derive(Debug, Error)]
pub enum FolderError {
    /// A file or folder cannot be used.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file is not a report.
    #[error("{} is not a report: {source}", path.display())]
    NoReport {
        /// The file.
        path: PathBuf,
        /// The parse error.
        source: serde_json::Error,
    },
}

/// The files of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportFiles {
    /// The JSON file, for programs.
    pub json: PathBuf,
    /// The HTML file, for people.
    pub html: PathBuf,
}

fn wrong(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::File { path, source }
}

/// Returns the folder of the reports in the data folder `data`.
#[must_use]
pub fn reports_folder(data: &Path) -> PathBuf {
    data.join("reports")
}

/// Writes a report into the folder. The file name is the time at which the run ended. Does not overwrite
/// other reports. Then removes the oldest reports, so that `keep` reports remain. If `keep` is 0, removes
/// none.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path, report: &Report, keep: usize) -> Result<ReportFiles, FolderError> {
    make_folder(folder).map_err(wrong(folder))?;
    let name = report.ended.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H-%M-%SZ").to_string();
    let json = serde_json::to_string_pretty(report).expect("a report is plain data");
    let named = |name: &str| ReportFiles {
        json: folder.join(format!("{name}.json")),
        html: folder.join(format!("{name}.html")),
    };
    // Two runs may end in the same second. An underscore sorts after a dot, so the file of the second report
    // counts as newer.
    let further = (2..).map(|number: u32| named(&format!("{name}_{number}")));
    let mut free = std::iter::once(named(&name)).chain(further).filter(|written| !written.json.exists());
    let written = free.next().expect("numbers do not end");
    put(&written.html, &page::page(report))?;
    put(&written.json, &json)?;
    if keep > 0 {
        for old in list(folder)?.iter().skip(keep) {
            for path in [old.clone(), old.with_extension("html")] {
                // Another process may have removed the file.
                let _ = fs::remove_file(path);
            }
        }
    }
    Ok(written)
}

/// Writes a file of a report. Control characters become visible, because people also read the file on a
/// terminal. JSON keeps its values.
fn put(path: &Path, text: &str) -> Result<(), FolderError> {
    let part = path.with_extension("part");
    fs::write(&part, visible(text).as_bytes()).and_then(|()| fs::rename(&part, path)).map_err(wrong(path))
}

/// Returns the JSON files of all reports, newest first. The list is empty if the folder does not exist.
///
/// # Errors
/// The folder cannot be read.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, FolderError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(wrong(folder))?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(wrong(folder))?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    paths.reverse();
    Ok(paths)
}

/// Reads a report.
///
/// # Errors
/// The file cannot be read or is not a report.
pub fn read(path: &Path) -> Result<Report, FolderError> {
    let text = fs::read_to_string(path).map_err(wrong(path))?;
    serde_json::from_str(&text).map_err(|source| FolderError::NoReport { path: path.into(), source })
}
