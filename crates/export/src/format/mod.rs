//! The forms of an export, and a sink for each.
//!
//! What is written a line or a block a document ([`json_lines`], [`vertical`]) is rendered
//! into memory by a pure function and may be compressed on its way; Parquet compresses
//! by itself. Plain text has no sink: it is a file a document or a file a site
//! ([`text`], [`crate::folder`]).

pub mod json_lines;
pub mod packed;
pub mod parquet;
pub mod text;
pub mod vertical;

use std::io::{self, Write};

use crate::Record;
use packed::Packed;

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON object a line.
    JsonLines(Compression),
    /// Apache Parquet.
    Parquet,
    /// A token a line, for Sketch Engine and NoSketch Engine.
    Vertical(Compression),
    /// A text file a document, in a folder a host.
    TextByDocument,
    /// A text file a host.
    TextBySite,
    /// A folder for the library `datasets` of Hugging Face.
    Datasets,
}

/// How a form that is not compressed by itself is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
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
    /// The end of its files' names, such as `.jsonl.gz`.
    #[must_use]
    pub fn ending(self) -> String {
        match self {
            Self::JsonLines(compression) => format!(".jsonl{}", compression.ending()),
            Self::Vertical(compression) => format!(".vert{}", compression.ending()),
            Self::Parquet | Self::Datasets => ".parquet".into(),
            Self::TextByDocument | Self::TextBySite => ".txt".into(),
        }
    }

    /// Whether it is more than one file, so that it needs a folder.
    #[must_use]
    pub const fn needs_folder(self) -> bool {
        matches!(self, Self::TextByDocument | Self::TextBySite | Self::Datasets)
    }

    /// A sink that writes one file of it to `out`. `group` bytes of a Parquet file's rows
    /// are gathered before they are written. Plain text has none.
    ///
    /// # Errors
    /// Those of `out`.
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

/// Renders one record at the end of a buffer.
pub type Render = fn(&Record, &mut Vec<u8>);

/// Writes records to one file.
#[derive(Debug)]
#[expect(missing_docs, reason = "its parts are nobody's to touch")]
pub enum Sink<W: Write + Send> {
    /// What is rendered a document at a time.
    Lines { render: Render, out: Box<Packed<W>>, buffer: Vec<u8> },
    /// What is written a group of documents at a time.
    Parquet(Box<parquet::Parquet<W>>),
}

impl<W: Write + Send> Sink<W> {
    /// Writes one record.
    ///
    /// # Errors
    /// Those of the file.
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

    /// The file, with what has come through so far.
    pub fn out(&self) -> &W {
        match self {
            Self::Lines { out, .. } => out.inner(),
            Self::Parquet(parquet) => parquet.inner(),
        }
    }

    /// Ends the file's content and gives the file back, not flushed.
    ///
    /// # Errors
    /// Those of the file.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Lines { out, .. } => out.finish(),
            Self::Parquet(parquet) => parquet.finish(),
        }
    }
}
