//! Reading again what was exported, and shards of others in the same forms.
//!
//! A shard is a file of JSON Lines (`.jsonl`, `.jsonl.gz`, `.jsonl.zst`) or Parquet
//! (`.parquet`). Of each document `id` and `text` are read, and `fetched` where it is;
//! all else is passed over, so that shards of other programs are read, too.
//!
//! A line that is no such document is handed on as damaged, with the reason. A stream that
//! breaks off, and a Parquet file that cannot be read, are errors: what is behind the
//! damage cannot be told, so it is not passed over in silence.
//!
//! Limitation: of Parquet a batch of rows is in memory at a time, and the page that
//! it is in. A page is as large as its writer made it. Pages are read that are not
//! compressed, or by zstd or snappy; others are refused by name.

mod choice;
mod json_lines;
mod rows;

use std::path::{Path, PathBuf};

pub use choice::keep;

use crate::{Compression, ExportError};

/// What is read of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Article {
    /// Its name, as the shard has it.
    pub id: String,
    /// Its text.
    pub text: String,
    /// When it was fetched, in microseconds since 1970; `None` where the shard does not say.
    pub fetched: Option<i64>,
}

/// The form of a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A JSON object a line.
    JsonLines(Compression),
    /// Apache Parquet.
    Parquet,
}

impl Form {
    /// The form that a file's name tells; `None` where it is no shard.
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

/// Hands on the documents of a shard in their order: the number of the line or row, from
/// 1, and the document or why there is none.
///
/// # Errors
/// The shard cannot be read, is no shard, or lacks a field; and what `take` says.
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

/// The shards of a file or folder, folders inside included, in the order of their paths.
///
/// # Errors
/// A folder cannot be read, holds no shard, or has an export that has not ended.
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
