//! Writes numbered files of a requested size, for all formats except plain text and Markdown.
//!
//! A file is closed once it reaches the size. It may exceed the size by one document, and by the data that
//! the compressor or the Parquet writer still buffers.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{Layout, damaged};
use crate::format::Sink;
use crate::manifest::{DataFile, HashingWriter, hash_file, hex, sync_folder};
use crate::single_file::GROUP;
use crate::{ExportError, Fields, Format, Record};

#[derive(Debug)]
pub(super) struct Shards {
    folder: PathBuf,
    subfolder: &'static str,
    format: Format,
    fields: Fields,
    /// Size in bytes of a Parquet row group, which is at most the size of a shard.
    group: u64,
    whole: usize,
    open: Option<Shard>,
}

#[derive(Debug)]
struct Shard {
    sink: Sink<HashingWriter<BufWriter<File>>>,
    name: String,
    documents: u64,
}

impl Shards {
    /// Checks each complete file, and continues with a new file.
    pub(super) fn begin(
        folder: &Path,
        subfolder: &'static str,
        format: Format,
        fields: &Fields,
        shard_size: u64,
        whole: &[DataFile],
    ) -> Result<Self, ExportError> {
        for file in whole {
            let path = folder.join(&file.path);
            let found = fs::metadata(&path)
                .and_then(|metadata| hash_file(&path, file.bytes).map(|hash| (metadata.len(), hex(hash))));
            let (bytes, sha256) = found.map_err(|error| damaged(path.clone(), folder, error.to_string()))?;
            if (bytes, &sha256) != (file.bytes, &file.sha256) {
                return Err(damaged(path, folder, "it was changed since it was written"));
            }
        }
        let shards = Self {
            folder: folder.into(),
            subfolder,
            format,
            fields: fields.clone(),
            group: GROUP.min(shard_size),
            whole: whole.len(),
            open: None,
        };
        match fs::remove_file(folder.join(shards.name())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(ExportError::writing(folder.join(shards.name()))(error))
            }
            _ => Ok(shards),
        }
    }

    fn name(&self) -> String {
        format!("{}documents-{:05}{}", self.subfolder, self.whole, self.format.ending())
    }

    fn open(&mut self) -> Result<&mut Shard, ExportError> {
        if self.open.is_none() {
            let name = self.name();
            let path = self.folder.join(&name);
            let sink =
                begin(&path, self.format, &self.fields, self.group).map_err(ExportError::writing(path))?;
            self.open = Some(Shard { sink, name, documents: 0 });
        }
        Ok(self.open.as_mut().expect("it was opened if it was not"))
    }

    /// Removes the partial file, so that it does not take up disk space. Returns `error` with the path.
    fn abandon(&mut self, name: &str, error: io::Error) -> ExportError {
        self.open = None;
        let path = self.folder.join(name);
        // Only the first error is reported.
        let _ = fs::remove_file(&path);
        ExportError::writing(path)(error)
    }
}

fn begin(
    path: &Path,
    format: Format,
    fields: &Fields,
    group: u64,
) -> io::Result<Sink<HashingWriter<BufWriter<File>>>> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let out = HashingWriter::new(BufWriter::new(File::create(path)?));
    format.sink(out, fields, group)
}

fn end(shard: Shard, path: &Path) -> io::Result<DataFile> {
    let Shard { sink, name, documents } = shard;
    let mut counted = sink.finish()?;
    counted.flush()?;
    let (out, bytes, sha256) = counted.into_parts();
    out.get_ref().sync_all()?;
    if let Some(folder) = path.parent() {
        sync_folder(folder)?;
    }
    Ok(DataFile { path: name, documents, bytes, sha256 })
}

impl Layout for Shards {
    fn write(&mut self, record: &Record) -> Result<u64, ExportError> {
        let shard = self.open()?;
        match shard.sink.write(record) {
            Ok(()) => {
                shard.documents += 1;
                Ok(shard.sink.out().bytes())
            }
            Err(error) => {
                let name = shard.name.clone();
                Err(self.abandon(&name, error))
            }
        }
    }

    fn close(&mut self, files: &mut Vec<DataFile>) -> Result<(), ExportError> {
        let Some(shard) = self.open.take() else { return Ok(()) };
        let name = shard.name.clone();
        let file = end(shard, &self.folder.join(&name)).map_err(|error| self.abandon(&name, error))?;
        self.whole += 1;
        files.push(file);
        Ok(())
    }

    /// Closes the last file. If there are no documents, first writes one empty file, which every reader
    /// accepts.
    fn finish(&mut self, files: &mut Vec<DataFile>) -> Result<(), ExportError> {
        if files.is_empty() {
            self.open()?;
        }
        self.close(files)
    }
}
