//! Writes documents as one stream: to standard output, or atomically to one file.
//!
//! There is no manifest, so an interrupted export must start over. Devices and pipes are written directly,
//! without a temporary file.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use gleaner_corpus::Document;

use crate::format::Sink;
use crate::{ExportError, Fields, Filter, FilterCounts, Format, RecordContext, Selection};

/// Size in bytes of a Parquet row group before compression.
pub(crate) const GROUP: u64 = 32 << 20;

/// Writes the selected documents to a writer.
#[derive(Debug)]
pub struct StreamExport<W: Write + Send> {
    sink: Sink<W>,
    selection: Selection,
}

impl<W: Write + Send> StreamExport<W> {
    /// Begins a stream. The format must not [need a folder](crate::FormatKind::needs_folder).
    ///
    /// # Errors
    /// An error means that `out` cannot be written.
    pub fn new(out: W, format: Format, fields: &Fields, filter: Filter) -> io::Result<Self> {
        let sink = format.sink(out, fields, GROUP)?;
        let selection = Selection::new(filter, FilterCounts::default()).with_pages(format.kind.has_pages);
        Ok(Self { sink, selection })
    }

    /// Whether the filter's limit is reached. If so, further documents are not written.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.selection.is_full()
    }

    /// Writes a document with its context if it passes the filter.
    ///
    /// # Errors
    /// An error means that the writer failed.
    pub fn write(&mut self, document: &Document, context: &RecordContext) -> io::Result<()> {
        match self.selection.take(document, context) {
            Some(record) => self.sink.write(&record),
            None => Ok(()),
        }
    }

    /// Finishes and flushes the stream. Returns the writer and the counts.
    ///
    /// # Errors
    /// An error means that the writer failed.
    pub fn finish(self) -> io::Result<(W, FilterCounts)> {
        let mut out = self.sink.finish()?;
        out.flush()?;
        Ok((out, self.selection.tally().clone()))
    }
}

/// Writes documents to one file. The file has a temporary name in the same folder until it is complete.
#[derive(Debug)]
pub struct FileExport {
    stream: StreamExport<BufWriter<File>>,
    target: PathBuf,
    /// The temporary path, or `None` for a device or pipe.
    part: Option<PathBuf>,
}

impl FileExport {
    /// Creates the file under its temporary name. A device or a pipe is opened directly.
    ///
    /// # Errors
    /// An error means that the file cannot be created.
    pub fn begin(path: &Path, format: Format, fields: &Fields, filter: Filter) -> Result<Self, ExportError> {
        // Symbolic links are resolved, so that the export replaces the file and not the link.
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
        let stream = file.and_then(|file| StreamExport::new(BufWriter::new(file), format, fields, filter));
        Ok(Self { stream: stream.map_err(ExportError::writing(path))?, target, part })
    }

    /// Whether the filter's limit is reached. If so, further documents are not written.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.stream.is_full()
    }

    /// Writes a document if it passes the filter.
    ///
    /// # Errors
    /// An error means that the file cannot be written.
    pub fn write(&mut self, document: &Document, context: &RecordContext) -> Result<(), ExportError> {
        self.stream
            .write(document, context)
            .map_err(|error| abandon(self.part.as_deref(), &self.target, error))
    }

    /// Returns the counts of exported and excluded documents.
    #[must_use]
    pub const fn tally(&self) -> &FilterCounts {
        self.stream.selection.tally()
    }

    /// Ends the export without creating a file, and returns the counts. An existing file stays.
    #[must_use]
    pub fn discard(self) -> FilterCounts {
        if let Some(part) = &self.part {
            // If the file cannot be removed, the next export overwrites it.
            let _ = fs::remove_file(part);
        }
        self.tally().clone()
    }

    /// Finishes the file, flushes it to disk, renames it and returns the counts.
    ///
    /// # Errors
    /// An error means that the file cannot be written, or that an export without documents would replace a
    /// file that is not empty.
    pub fn finish(self) -> Result<FilterCounts, ExportError> {
        let Self { stream, target, part } = self;
        if let Some(part) = &part
            && stream.selection.tally().documents == 0
            && fs::metadata(&target).is_ok_and(|target| target.len() > 0)
        {
            // The next error matters more than an error of the removal.
            let _ = fs::remove_file(part);
            return Err(ExportError::WouldEmpty { path: target });
        }
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

/// Removes the partial file, so that it does not take up disk space. Returns `error` with the path.
fn abandon(part: Option<&Path>, target: &Path, error: io::Error) -> ExportError {
    if let Some(part) = part {
        // Only the first error is reported.
        let _ = fs::remove_file(part);
    }
    ExportError::writing(target)(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::documents;

    #[test]
    fn a_file_has_its_name_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        let format = Format::named("jsonl").unwrap();
        let mut single = FileExport::begin(&path, format, &Fields::default(), Filter::default()).unwrap();
        for document in documents() {
            assert!(!path.exists());
            single.write(&document, &RecordContext::default()).unwrap();
        }
        assert_eq!(single.finish().unwrap().documents, 3);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn no_document_replaces_no_file_with_documents() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.jsonl");
        let format = Format::named("jsonl").unwrap();
        let empty = || FileExport::begin(&path, format, &Fields::default(), Filter::default()).unwrap();
        for before in ["", "{}\n"] {
            fs::write(&path, before).unwrap();
            assert_eq!(empty().finish().is_ok(), before.is_empty());
            assert_eq!(fs::read_to_string(&path).unwrap(), before);
            assert_eq!(empty().discard().documents, 0);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }

    #[test]
    fn what_cannot_be_written_is_said_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("absent/out.jsonl");
        for path in [path.as_path(), folder.path()] {
            let error = FileExport::begin(
                path,
                Format::named("parquet").unwrap(),
                &Fields::default(),
                Filter::default(),
            )
            .unwrap_err();
            assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
