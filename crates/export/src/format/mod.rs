//! The formats of an export, and a sink for each format.
//!
//! Line and block formats ([`json_lines`], [`vertical`]) are rendered into memory by a pure function and
//! may be compressed; Parquet has its own compression. Plain text has no sink, because it has one file
//! per document or per site ([`text`], [`crate::folder`]).

pub mod json_lines;
pub mod packed;
pub mod parquet;
pub mod text;
pub mod vertical;

use std::io::{self, Write};

use crate::Record;
use packed::Packed;

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line.
    JsonLines(Compression),
    /// Apache Parquet.
    Parquet,
    /// One token per line (vertical text), for Sketch Engine and NoSketch Engine.
    Vertical(Compression),
    /// One text file per document, in one folder per host.
    TextByDocument,
    /// One text file per host.
    TextBySite,
    /// A folder for the Hugging Face library `datasets`.
    Datasets,
}

/// The compression of a format that has none of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    None,
    /// gzip.
    Gzip,
    /// Zstandard, with a checksum.
    Zstd,
}

impl Compression {
    const fn ending(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }
}

impl Format {
    /// Returns the file extension, such as `.jsonl.gz`.
    #[must_use]
    pub fn ending(self) -> String {
        match self {
            Self::JsonLines(compression) => format!(".jsonl{}", compression.ending()),
            Self::Vertical(compression) => format!(".vert{}", compression.ending()),
            Self::Parquet | Self::Datasets => ".parquet".into(),
            Self::TextByDocument | Self::TextBySite => ".txt".into(),
        }
    }

    /// Whether the format has several files and needs a folder.
    #[must_use]
    pub const fn needs_folder(self) -> bool {
        matches!(self, Self::TextByDocument | Self::TextBySite | Self::Datasets)
    }

    /// Returns a sink that writes one file of this format to `out`; `None` for plain text. `group` is
    /// the number of bytes of rows that are buffered for a row group of Parquet.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn sink<W: Write + Send>(self, out: W, group: u64) -> io::Result<Option<Sink<W>>> {
        let (render, compression): (Render, Compression) = match self {
            Self::JsonLines(compression) => (json_lines::render, compression),
            Self::Vertical(compression) => (vertical::render, compression),
            Self::Parquet | Self::Datasets => {
                return Ok(Some(Sink::Parquet(Box::new(parquet::Parquet::new(out, group)?))));
            }
            Self::TextByDocument | Self::TextBySite => return Ok(None),
        };
        let out = Box::new(Packed::new(out, compression)?);
        Ok(Some(Sink::Lines { render, out, buffer: Vec::new() }))
    }
}

/// A function that appends one record to a buffer.
pub type Render = fn(&Record, &mut Vec<u8>);

/// Writes records to one file.
#[derive(Debug)]
#[expect(missing_docs, reason = "its parts are nobody's to touch")]
pub enum Sink<W: Write + Send> {
    /// Sink of formats that are rendered one document at a time.
    Lines { render: Render, out: Box<Packed<W>>, buffer: Vec<u8> },
    /// Sink of Parquet, which is written in groups of documents.
    Parquet(Box<parquet::Parquet<W>>),
}

impl<W: Write + Send> Sink<W> {
    /// Writes one record.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        match self {
            Self::Lines { render, out, buffer } => {
                buffer.clear();
                render(record, buffer);
                out.write_all(buffer)
            }
            Self::Parquet(parquet) => parquet.write(record),
        }
    }

    /// Returns the file, with the data written so far.
    pub fn out(&self) -> &W {
        match self {
            Self::Lines { out, .. } => out.inner(),
            Self::Parquet(parquet) => parquet.inner(),
        }
    }

    /// Finishes the content and returns the file, not flushed.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Lines { out, .. } => out.finish(),
            Self::Parquet(parquet) => parquet.finish(),
        }
    }
}
