//! Defines the formats of an export, and a writer ([`Sink`]) for each format.
//!
//! To add a format, write a file with its renderer, and add a row to [`FORMATS`].
//!
//! For [`json_lines`], [`csv`], [`vertical`], [`conllu`], [`tei`] and [`markdown`], pure functions render
//! each document into memory. The output of these formats can be compressed. Parquet has its own compression.
//! Plain text is written to one file per document or site ([`text`], [`crate::folder`]). [`warc`] and [`cdxj`] write
//! the pages of the documents instead of their texts.

pub mod cdxj;
pub mod compressed;
pub mod conllu;
pub mod csv;
pub mod json_lines;
pub mod markdown;
pub mod parquet;
pub mod tei;
pub mod text;
pub mod vertical;
pub mod warc;

use std::io::{self, Write};

use crate::record::Fields;
use crate::{Manifest, Record, dataset_card};
use compressed::CompressedWriter;
use csv::CsvVariant;

/// What a format is.
#[derive(Debug)]
pub struct FormatKind {
    /// The name in settings, such as `jsonl`.
    pub name: &'static str,
    /// What it writes, for the help.
    pub help: &'static str,
    /// The extensions of file names that mean this format. Written files have the first.
    pub extensions: &'static [&'static str],
    /// Whether the format consists of several files and therefore needs a folder.
    pub needs_folder: bool,
    /// Whether the user can choose the fields of a record.
    pub has_fields: bool,
    /// Whether [`CsvVariant`] matters.
    pub is_csv: bool,
    /// Whether the tokens of an external [tagger](crate::Tagger) are written.
    pub has_tokens: bool,
    /// Whether the archived page of each document is written ([`RecordContext::page`](crate::RecordContext::page)).
    pub has_pages: bool,
    /// Whether a file is a sequence of gzip members.
    pub is_gzip: bool,
    /// How a folder distributes documents over files.
    pub layout: Layout,
    /// A further file in the folder: its name and its text.
    pub(crate) companion: Option<Companion>,
    content: Content,
}

/// How a folder distributes documents over files.
#[derive(Debug)]
pub enum Layout {
    /// Numbered files of a requested size, in this subfolder.
    Shards(&'static str),
    /// One file per document.
    FilePerDocument,
    /// One file per host.
    FilePerHost,
}

#[derive(Debug)]
enum Content {
    Parquet,
    /// A text for each document, between a head and a tail.
    Texts {
        head: fn(&Fields, CsvVariant, &mut Vec<u8>),
        render: Render,
        tail: &'static [u8],
    },
}

type Companion = (&'static str, fn(&Manifest, &Fields) -> String);
type Render = fn(&Record, &Fields, CsvVariant, &mut Vec<u8>);

const fn texts(render: Render) -> Content {
    Texts { head: |_, _, _| (), render, tail: b"" }
}

/// Declares the formats: each has a name, the help, the extensions of file names (new files have the first), how a
/// folder distributes documents over files, the content, the properties that hold, and a further file in the folder.
macro_rules! formats {
    ($($name:literal $help:literal [$($extension:literal)+] $layout:expr, $content:expr, [$($option:ident)*]
        $(with $companion:expr)?;)*) => {
        /// All formats, in the order of the help.
        pub static FORMATS: &[FormatKind] = &[$(FormatKind {
            name: $name,
            help: $help,
            extensions: &[$($extension),+],
            layout: $layout,
            content: $content,
            $($option: true,)*
            $(companion: Some($companion),)?
            ..FORMAT
        }),*];
    };
}

const FORMAT: FormatKind = FormatKind {
    name: "",
    help: "",
    extensions: &[],
    needs_folder: false,
    has_fields: false,
    is_csv: false,
    has_tokens: false,
    has_pages: false,
    is_gzip: false,
    layout: Shards(""),
    companion: None,
    content: Parquet,
};

use Content::{Parquet, Texts};
use Layout::{FilePerDocument, FilePerHost, Shards};

formats! {
    "jsonl" "One JSON object per line" ["jsonl" "ndjson"]
        Shards(""), texts(|record, fields, _, out| json_lines::render(record, fields, out)), [has_fields];
    "csv" "Comma-separated values with a header line" ["csv"]
        Shards(""), Texts { head: csv::head, render: csv::render, tail: b"" }, [has_fields is_csv];
    "parquet" "Apache Parquet with zstd compression" ["parquet"]
        Shards(""), Parquet, [has_fields];
    "vertical" "Vertical text, one token per line, for Sketch Engine and NoSketch Engine" ["vert" "vertical"]
        Shards(""), texts(|record, _, _, out| vertical::render(record, out)), [has_tokens]
        with ("registry", |manifest, _| dataset_card::registry(manifest));
    "conllu" "CoNLL-U, one token per line, for taggers and parsers" ["conllu"]
        Shards(""), texts(|record, _, _, out| conllu::render(record, out)), [has_tokens];
    "tei" "TEI P5 XML" ["xml" "tei"]
        Shards(""), Texts { head: |_, _, out| tei::head(out), render: |it, _, _, out| tei::render(it, out), tail: tei::TAIL }, [];
    "markdown" "Markdown with YAML front matter; with --into one file per document" ["md" "markdown"]
        FilePerDocument, texts(|record, _, _, out| markdown::render(record, out)), [];
    "text" "One text file per document, in one folder per host (with --into)" ["txt"]
        FilePerDocument, texts(|record, _, _, out| text::render(record, out)), [needs_folder];
    "text-by-site" "One text file per host (with --into)" ["txt"]
        FilePerHost, texts(|record, _, _, out| text::render(record, out)), [needs_folder];
    "datasets" "A folder for the Hugging Face library `datasets` (with --into)" ["parquet"]
        Shards("data/"), Parquet, [needs_folder has_fields]
        with ("README.md", dataset_card::readme);
    "warc" "WARC, with the archived response and request of each document" ["warc"]
        Shards(""), Texts { head: |_, _, out| warc::head(out), render: |it, _, _, out| warc::render(it, out), tail: b"" },
        [has_pages is_gzip];
    "cdxj" "CDXJ, an index of the archive's WARC files" ["cdxj"]
        Shards(""), texts(|record, _, _, out| cdxj::render(record, out)), [has_pages];
}

impl FormatKind {
    /// Returns the format of one file that a file name extension means, in lower case and without the dot.
    #[must_use]
    pub fn with_extension(extension: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|kind| !kind.needs_folder && kind.extensions.contains(&extension))
    }

    /// Returns the ending of names of uncompressed files, such as `.jsonl`, or `.warc.gz` if the files are a sequence of
    /// gzip members.
    #[must_use]
    pub fn ending(&self) -> String {
        let compression = if self.is_gzip { Compression::Gzip } else { Compression::None };
        format!(".{}{}", self.extensions[0], compression.ending())
    }

    /// Whether the files are not text.
    #[must_use]
    pub const fn is_binary(&self) -> bool {
        matches!(self.content, Parquet) || self.is_gzip
    }

    /// Whether files of this format can be compressed.
    #[must_use]
    pub const fn can_be_compressed(&self) -> bool {
        !self.is_binary() && !self.needs_folder
    }
}

/// The format of an export with its options.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// What the format is.
    pub kind: &'static FormatKind,
    /// The compression, if the format [can be compressed](FormatKind::can_be_compressed).
    pub compression: Compression,
    /// The variant of CSV, if the format [is CSV](FormatKind::is_csv).
    pub csv: CsvVariant,
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
    /// Returns the format with this name, uncompressed and, if it is CSV, plain.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let kind = FORMATS.iter().find(|kind| kind.name == name)?;
        Some(Self { kind, compression: Compression::None, csv: CsvVariant::Plain })
    }

    /// Returns the ending of file names, such as `.jsonl.gz`.
    #[must_use]
    pub fn ending(self) -> String {
        self.kind.ending() + self.compression.ending()
    }

    /// Returns a sink that writes one file of this format to `out`. Only formats that [have
    /// fields](FormatKind::has_fields) use `fields`. `group` is the size in bytes of a Parquet row group before
    /// compression.
    ///
    /// # Errors
    /// An error means that `out` cannot be written.
    pub fn sink<W: Write + Send>(self, out: W, fields: &Fields, group: u64) -> io::Result<Sink<W>> {
        let Texts { head, .. } = self.kind.content else {
            return Ok(Sink::Parquet(Box::new(parquet::Parquet::new(out, fields, group)?)));
        };
        let mut out = Box::new(CompressedWriter::new(out, self.compression)?);
        let mut buffer = Vec::new();
        head(fields, self.csv, &mut buffer);
        out.write_all(&buffer)?;
        Ok(Sink::Lines { format: self, fields: fields.clone(), out, buffer })
    }

    pub(crate) fn render(self, record: &Record, fields: &Fields, out: &mut Vec<u8>) {
        match self.kind.content {
            Texts { render, .. } => render(record, fields, self.csv, out),
            Parquet => unreachable!("Parquet is written by columns"),
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
#[expect(missing_docs, reason = "variants are internal")]
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
                if let Texts { tail, .. } = format.kind.content {
                    out.write_all(tail)?;
                }
                out.finish()
            }
            Self::Parquet(parquet) => parquet.finish(),
        }
    }
}
