//! Writes plain text or Markdown, one file per document: `HOST/DATE_TITLE_ID.txt` or `.md`, with the day of
//! publication and the first eight digits of the document's id.
//!
//! `metadata.csv` has a row for each file. `SHA256SUMS` has a line for each file, in the format of `sha256sum`. The
//! line is written before the file. Therefore `SHA256SUMS` lists every file, even after an interruption. The manifest
//! lists only `SHA256SUMS` and `metadata.csv`.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Layout, damaged};
use crate::format::csv::{self, CsvVariant};
use crate::format::text::{file_name, title_name};
use crate::manifest::{DataFile, hash_file, hex, sync_folder};
use crate::{ExportError, Fields, Format, Record};

const SUMS: &str = "SHA256SUMS";
const METADATA: &str = "metadata.csv";

/// The columns of `metadata.csv` after the name of the file.
const METADATA_FIELDS: &str = "id,url,host,language,title,authors,section,published,fetched,words";

#[derive(Debug)]
pub(super) struct TextFiles {
    folder: PathBuf,
    format: Format,
    sums: List,
    metadata: List,
    fields: Fields,
    documents: u64,
    hosts: HashSet<String>,
    /// Bytes written since the last call of `close`.
    fresh: u64,
}

/// A file with a line for each document.
#[derive(Debug)]
struct List {
    name: &'static str,
    path: PathBuf,
    file: File,
    hash: Sha256,
    bytes: u64,
}

impl List {
    /// Opens a list. `whole` is the part of it that was flushed to disk before an interruption.
    fn open(folder: &Path, name: &'static str, whole: Option<&DataFile>) -> Result<Self, ExportError> {
        let path = folder.join(name);
        let file = File::options().create(true).append(true).open(&path);
        let file = file.map_err(ExportError::writing(&path))?;
        let bytes = whole.map_or(0, |list| list.bytes);
        let hash =
            hash_file(&path, bytes).map_err(|error| damaged(path.clone(), folder, error.to_string()))?;
        if whole.is_some_and(|list| list.sha256 != hex(hash.clone())) {
            return Err(damaged(path, folder, "it was changed since it was written"));
        }
        Ok(Self { name, path, file, hash, bytes })
    }

    /// Removes what was written after the last flush to disk.
    fn truncate(&self) -> Result<(), ExportError> {
        self.file.set_len(self.bytes).map_err(ExportError::writing(&self.path))
    }

    fn append(&mut self, line: &[u8]) -> Result<(), ExportError> {
        self.file.write_all(line).map_err(ExportError::writing(&self.path))?;
        self.hash.update(line);
        self.bytes += line.len() as u64;
        Ok(())
    }

    fn sync(&self, documents: u64) -> Result<DataFile, ExportError> {
        self.file.sync_all().map_err(ExportError::writing(&self.path))?;
        Ok(DataFile { path: self.name.into(), documents, bytes: self.bytes, sha256: hex(self.hash.clone()) })
    }
}

impl TextFiles {
    /// Continues the lists after the parts that were flushed to disk.
    pub(super) fn begin(folder: &Path, format: Format, whole: &[DataFile]) -> Result<Self, ExportError> {
        let of = |name: &str| whole.iter().find(|list| list.path == name);
        let documents = of(SUMS).map_or(0, |list| list.documents);
        let sums = List::open(folder, SUMS, of(SUMS))?;
        let mut metadata = List::open(folder, METADATA, of(METADATA))?;
        if of(SUMS).is_some() && of(METADATA).is_none() {
            return Err(damaged(metadata.path, folder, "an older version of gleaner began the export"));
        }
        remove_unlisted(folder, &sums.path, sums.bytes).map_err(ExportError::writing(&sums.path))?;
        sums.truncate()?;
        metadata.truncate()?;
        let fields: Fields = METADATA_FIELDS.parse().expect("the fields exist");
        if metadata.bytes == 0 {
            let mut head = b"file,".to_vec();
            csv::head(&fields, CsvVariant::Plain, &mut head);
            metadata.append(&head)?;
        }
        let (folder, hosts) = (folder.into(), HashSet::new());
        Ok(Self { folder, format, sums, metadata, fields, documents, hosts, fresh: 0 })
    }

    /// Returns the path of the document's file. A name that exists already gets the whole id.
    fn free_name(&self, host: &str, record: &Record) -> String {
        let ending = self.format.ending();
        let title = title_name(record.title());
        let day = record.document().published.as_deref().and_then(|published| published.get(..10));
        let begin: String =
            [day.map(file_name), title].into_iter().flatten().map(|part| part + "_").collect();
        let short = format!("{host}/{begin}{}{ending}", &record.id()[..8]);
        match self.folder.join(&short).exists() {
            true => format!("{host}/{begin}{}{ending}", record.id()),
            false => short,
        }
    }
}

/// Removes the files that `list` names after its first `bytes` bytes.
fn remove_unlisted(folder: &Path, list: &Path, bytes: u64) -> io::Result<()> {
    let text = fs::read(list)?;
    let rest = text.get(usize::try_from(bytes).unwrap_or(usize::MAX)..).unwrap_or_default();
    for line in String::from_utf8_lossy(rest).lines() {
        let Some((_, name)) = line.split_once("  ") else { continue };
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

impl Layout for TextFiles {
    fn write(&mut self, record: &Record) -> Result<u64, ExportError> {
        let host = file_name(&record.document().host);
        let folder = self.folder.join(&host);
        let name = self.free_name(&host, record);
        if self.hosts.insert(host) {
            fs::create_dir_all(&folder).map_err(ExportError::writing(folder))?;
        }
        let mut text = Vec::new();
        self.format.render(record, &Fields::default(), &mut text);
        let sum = format!("{}  {name}\n", hex(Sha256::new_with_prefix(&text)));
        self.sums.append(sum.as_bytes())?;
        let mut row = format!("{name},").into_bytes();
        csv::render(record, &self.fields, CsvVariant::Plain, &mut row);
        self.metadata.append(&row)?;
        let path = self.folder.join(&name);
        fs::write(&path, &text).map_err(ExportError::writing(path))?;
        self.fresh += (sum.len() + row.len() + text.len()) as u64;
        self.documents += 1;
        Ok(self.fresh)
    }

    fn close(&mut self, files: &mut Vec<DataFile>) -> Result<(), ExportError> {
        *files = vec![self.sums.sync(self.documents)?, self.metadata.sync(self.documents)?];
        sync_folder(&self.folder).map_err(ExportError::writing(&self.folder))?;
        self.fresh = 0;
        Ok(())
    }
}
