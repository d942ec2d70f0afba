//! Reads exported shards, and shards of other programs in the same formats.
//!
//! A shard is a file of JSON Lines (`.jsonl`, `.jsonl.gz`, `.jsonl.zst`) or Parquet (`.parquet`). Only `id`,
//! `text` and, if present, `fetched` are read.
//!
//! A line without these fields is damaged and reported with the reason. A truncated stream or an unreadable
//! Parquet file is an error, because the number of lost documents is unknown.
//!
//! Limitation: a batch of Parquet rows and its page are in memory at the same time; the writer of the file
//! chose the page size. Uncompressed, zstd and snappy pages are supported. An error names any other
//! compression.

mod choice;
mod json_lines;
mod rows;

use std::path::{Path, PathBuf};

pub use choice::keep;

use crate::{Compression, ExportError};

/// The fields read from a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    /// The document's id in the shard.
    pub id: String,
    /// The document's text.
    pub text: String,
    /// Fetch time in microseconds since 1970; `None`: the shard has none.
    pub fetched: Option<i64>,
}

/// The format of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One JSON object per line.
    JsonLines(Compression),
    /// Apache Parquet.
    Parquet,
}

impl Form {
    /// Returns the format by file name; `None`: the file is not a shard.
    ///
    /// ```
    /// use gleaner_export::reading::Form;
    /// assert_eq!(Form::from_path("data/a.parquet".as_ref()), Some(Form::Parquet));
    /// assert_eq!(Form::from_path("manifest.json".as_ref()), None);
    /// ```
    #[must_use]
    pub fn from_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let endings = [
            (".jsonl", Self::JsonLines(Compression::None)),
            (".jsonl.gz", Self::JsonLines(Compression::Gzip)),
            (".jsonl.zst", Self::JsonLines(Compression::Zstd)),
            (".parquet", Self::Parquet),
        ];
        endings.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, form)| form)
    }
}

/// Passes the documents of a shard to `take` in order: the number of the line or row, from 1, and the
/// document, or why it is damaged.
///
/// # Errors
/// The shard cannot be read, is not a shard, or lacks a field. Also the errors of `take`.
pub fn each<E: From<ExportError>>(
    path: &Path,
    take: impl FnMut(u64, Result<Article, String>) -> Result<(), E>,
) -> Result<(), E> {
    match Form::from_path(path) {
        Some(Form::JsonLines(compression)) => json_lines::each(path, compression, take),
        Some(Form::Parquet) => rows::each(path, take),
        None => Err(ExportError::NoShard { path: path.into() }.into()),
    }
}

/// Returns the shards of a file or folder, with subfolders, in the order of their paths.
///
/// # Errors
/// A folder cannot be read, contains an unfinished export, or contains no shards.
pub fn shards(path: &Path) -> Result<Vec<PathBuf>, ExportError> {
    let metadata = std::fs::metadata(path).map_err(ExportError::reading(path))?;
    if !metadata.is_dir() {
        return match Form::from_path(path) {
            Some(_) => Ok(vec![path.into()]),
            None => Err(ExportError::NoShard { path: path.into() }),
        };
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        if crate::Manifest::read(&folder).is_ok_and(|manifest| manifest.is_some_and(|it| !it.complete)) {
            return Err(ExportError::Unfinished { path: folder });
        }
        for entry in std::fs::read_dir(&folder).map_err(ExportError::reading(&folder))? {
            let path = entry.map_err(ExportError::reading(&folder))?.path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.extend(Form::from_path(&path).map(|_| path)),
            }
        }
    }
    found.sort_unstable();
    if found.is_empty() { Err(ExportError::NoShards { path: path.into() }) } else { Ok(found) }
}

#[cfg(test)]
mod tests;
