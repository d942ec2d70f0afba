//! Writes one stream of documents: to standard output, or atomically to one file.
//!
//! There is no manifest, and an interrupted export starts from the beginning. A device or a pipe is
//! written directly.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use gleaner_corpus::Document;

use crate::format::Sink;
use crate::{Beside, ExportError, Filter, Format, Selection, Tally};

/// Bytes of rows buffered for one row group of a Parquet file.
pub(crate) const GROUP: u64 = 32 << 20;

/// Writes selected documents to a writer.
#[derive(Debug)]
pub struct Stream<W: Write + Send> {
    sink: Sink<W>,
    selection: Selection,
}

impl<W: Write + Send> Stream<W> {
    /// Begins a stream. `format` must be one that writes a single file.
    ///
    /// # Errors
    /// If `out` cannot be written.
    ///
    /// # Panics
    /// If `format` is plain text, which [needs a folder](Format::needs_folder).
    pub fn new(out: W, format: Format, filter: Filter) -> io::Result<Self> {
        let sink = format.sink(out, GROUP)?.expect("forms of many files are refused before");
        Ok(Self { sink, selection: Selection::new(filter, Tally::default()) })
    }

    /// Writes a document with its additional data, if it passes the filter.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn write(&mut self, document: &Document, beside: &Beside) -> io::Result<()> {
        match self.selection.take(document, beside) {
            Some(record) => self.sink.write(&record),
            None => Ok(()),
        }
    }

    /// Finishes and flushes the stream; returns the writer and the counts.
    ///
    /// # Errors
    /// If the writer fails.
    pub fn finish(self) -> io::Result<(W, Tally)> {
        let mut out = self.sink.finish()?;
        out.flush()?;
        Ok((out, self.selection.tally().clone()))
    }
}

/// Writes documents to one file, under a temporary name in the same folder until it is complete.
#[derive(Debug)]
pub struct Single {
    stream: Stream<BufWriter<File>>,
    /// The file's final name.
    target: PathBuf,
    /// The temporary name; `None` for a device or a pipe.
    part: Option<PathBuf>,
}

impl Single {
    /// Creates the file, under its temporary name.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn begin(path: &Path, format: Format, filter: Filter) -> Result<Self, ExportError> {
        // Resolve symbolic links, so that a link stays a link.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let is_special = fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file());
        let part = (!is_special).then(|| {
            let mut name = target.as_os_str().to_owned();
            name.push(".part");
            PathBuf::from(name)
        });
        let file = match &part {
            Some(part) => File::create(part),
            None => File::options().write(true).open(&target),
        };
        let stream = file.and_then(|file| Stream::new(BufWriter::new(file), format, filter));
        Ok(Self { stream: stream.map_err(ExportError::writing(path))?, target, part })
    }

    /// Writes a document, if it passes the filter.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, document: &Document, beside: &Beside) -> Result<(), ExportError> {
        self.stream
            .write(document, beside)
            .map_err(|error| abandon(self.part.as_deref(), &self.target, error))
    }

    /// Finishes the file, flushes it to disk, renames it and returns the counts.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> Result<Tally, ExportError> {
        let Self { stream, target, part } = self;
        let finished = stream.finish().and_then(|(out, tally)| {
            if let Some(part) = &part {
                out.get_ref().sync_all()?;
                fs::rename(part, &target)?;
            }
            Ok(tally)
        });
        finished.map_err(|error| abandon(part.as_deref(), &target, error))
    }
}

/// Removes the partial file, so that it does not fill the disk.
fn abandon(part: Option<&Path>, target: &Path, error: io::Error) -> ExportError {
    if let Some(part) = part {
        // The first error is reported.
        let _ = fs::remove_file(part);
    }
    ExportError::writing(target)(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Compression;
    use crate::record::tests::documents;

    #[test]
    fn a_file_has_its_name_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        let format = Format::JsonLines(Compression::None);
        let mut single = Single::begin(&path, format, Filter::default()).unwrap();
        for document in documents() {
            assert!(!path.exists());
            single.write(&document, &Beside::default()).unwrap();
        }
        assert_eq!(single.finish().unwrap().documents, 3);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_said_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("absent/out.jsonl");
        for path in [path.as_path(), folder.path()] {
            let error = Single::begin(path, Format::Parquet, Filter::default()).unwrap_err();
            assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
