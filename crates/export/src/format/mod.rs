//! Defines the formats of an export, and a writer ([`Sink`]) for each format.
//!
//! For [`json_lines`], [`csv`], [`vertical`], [`conllu`], [`tei`] and [`markdown`], pure functions render
//! each document into memory. The output of these formats can be compressed. Parquet has its own compression.
//! Plain text has no sink, because an export writes one file per document or site ([`text`],
//! [`crate::folder`]).

pub mod compressed;
pub mod conllu;
pub mod csv;
pub mod json_lines;
pub mod markdown;
pub mod parquet;
pub mod tei;
pub mod text;
pub mod vertical;

use std::io::{self, Write};

use crate::Record;
use crate::record::Fields;
use compressed::CompressedWriter;
use csv::Formulas;

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per line.
    JsonLines(Compression),
    /// Comma-separated values (RFC 4180).
    Csv(Compression, Formulas),
    /// Apache Parquet.
    Parquet,
    /// Vertical text with one token per line, for Sketch Engine and NoSketch Engine.
    Vertical(Compression),
    /// CoNLL-U with one token per line, for tools of Universal Dependencies.
    Conllu(Compression),
    /// TEI P5: a `<teiCorpus>` with one `<TEI>` per document.
    Tei(Compression),
    /// Markdown with YAML front matter. In a folder, each document has its own file. Otherwise all documents
    /// are in one stream.
    Markdown(Compression),
    /// One text file per document, in one folder per host.
    TextByDocument,
    /// One text file per host.
    TextBySite,
    /// A folder for the Hugging Face library `datasets`.
    Datasets,
}

/// The compression of a format that has no compression of its own.
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
        let ending = match self {
            Self::JsonLines(_) => ".jsonl",
            Self::Csv(..) => ".csv",
            Self::Vertical(_) => ".vert",
            Self::Conllu(_) => ".conllu",
            Self::Tei(_) => ".xml",
            Self::Markdown(_) => ".md",
            Self::Parquet | Self::Datasets => ".parquet",
            Self::TextByDocument | Self::TextBySite => ".txt",
        };
        ending.to_owned() + self.compression().map_or("", Compression::ending)
    }

    /// Returns the compression of the files, or `None` if the format cannot be compressed.
    #[must_use]
    pub const fn compression(self) -> Option<Compression> {
        match self {
            Self::JsonLines(compression)
            | Self::Csv(compression, _)
            | Self::Vertical(compression)
            | Self::Conllu(compression)
            | Self::Tei(compression)
            | Self::Markdown(compression) => Some(compression),
            Self::Parquet | Self::TextByDocument | Self::TextBySite | Self::Datasets => None,
        }
    }

    /// Whether the format consists of several files and therefore needs a folder.
    #[must_use]
    pub const fn needs_folder(self) -> bool {
        matches!(self, Self::TextByDocument | Self::TextBySite | Self::Datasets)
    }

    /// Whether the user can choose the fields of a record.
    #[must_use]
    pub const fn has_fields(self) -> bool {
        matches!(self, Self::JsonLines(_) | Self::Csv(..) | Self::Parquet | Self::Datasets)
    }

    /// Returns a sink that writes one file of this format to `out`. The format must not be
    /// [`Self::TextByDocument`] or [`Self::TextBySite`], which have no sink. Only formats that [have
    /// fields](Self::has_fields) use `fields`. `group` is the size in bytes of a Parquet row group before
    /// compression.
    ///
    /// # Errors
    /// An error means that `out` cannot be written.
    pub fn sink<W: Write + Send>(self, out: W, fields: &Fields, group: u64) -> io::Result<Sink<W>> {
        let Some(compression) = self.compression() else {
            return Ok(Sink::Parquet(Box::new(parquet::Parquet::new(out, fields, group)?)));
        };
        let mut out = Box::new(CompressedWriter::new(out, compression)?);
        let mut buffer = Vec::new();
        match self {
            Self::Csv(..) => csv::head(fields, &mut buffer),
            Self::Tei(_) => tei::head(&mut buffer),
            _ => {}
        }
        out.write_all(&buffer)?;
        Ok(Sink::Lines { format: self, fields: fields.clone(), out, buffer })
    }

    pub(crate) fn render(self, record: &Record, fields: &Fields, out: &mut Vec<u8>) {
        match self {
            Self::JsonLines(_) => json_lines::render(record, fields, out),
            Self::Csv(_, formulas) => csv::render(record, fields, formulas, out),
            Self::Vertical(_) => vertical::render(record, out),
            Self::Conllu(_) => conllu::render(record, out),
            Self::Tei(_) => tei::render(record, out),
            Self::Markdown(_) => markdown::render(record, out),
            Self::TextByDocument | Self::TextBySite => text::render(record, out),
            Self::Parquet | Self::Datasets => unreachable!("Parquet is written by columns"),
        }
    }
}

pub(crate) const fn kind_name(kind: char) -> &'static str {
    match kind {
        'h' => "heading",
        'i' => "item",
        'q' => "quotation",
        'c' => "cell",
        'f' => "caption",
        'x' => "preformatted",
        _ => "paragraph",
    }
}

/// Writes the records of one file.
#[derive(Debug)]
#[expect(missing_docs, reason = "its parts are nobody's to touch")]
pub enum Sink<W: Write + Send> {
    /// Formats that are rendered one document at a time.
    Lines { format: Format, fields: Fields, out: Box<CompressedWriter<W>>, buffer: Vec<u8> },
    /// Parquet, which is written in groups of documents.
    Parquet(Box<parquet::Parquet<W>>),
}

impl<W: Write + Send> Sink<W> {
    /// Writes one record.
    ///
    /// # Errors
    /// An error means that the file cannot be written.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        match self {
            Self::Lines { format, fields, out, buffer } => {
                buffer.clear();
                format.render(record, fields, buffer);
                out.write_all(buffer)
            }
            Self::Parquet(parquet) => parquet.write(record),
        }
    }

    /// Returns the inner writer, to which the data so far were written.
    pub fn out(&self) -> &W {
        match self {
            Self::Lines { out, .. } => out.inner(),
            Self::Parquet(parquet) => parquet.inner(),
        }
    }

    /// Writes the end of the file. Returns the inner writer without flushing it.
    ///
    /// # Errors
    /// An error means that the file cannot be written.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Lines { format, mut out, .. } => {
                if let Format::Tei(_) = format {
                    out.write_all(tei::TAIL)?;
                }
                out.finish()
            }
            Self::Parquet(parquet) => parquet.finish(),
        }
    }
}
