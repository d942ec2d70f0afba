//! Writes plain text or Markdown, one file per document: `HOST/ID.txt` or `HOST/ID.md`.
//!
//! `SHA256SUMS` has a line for each file, in the format of `sha256sum`. The line is written before the file.
//! Therefore `SHA256SUMS` lists every file, even after an interruption. The manifest lists only `SHA256SUMS`.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Layout, damaged};
use crate::format::text::file_name;
use crate::manifest::{DataFile, hash_file, hex, sync_folder};
use crate::{ExportError, Fields, Format, Record};

const SUMS: &str = "SHA256SUMS";

#[derive(Debug)]
pub(super) struct TextFiles {
    folder: PathBuf,
    format: Format,
    sums: File,
    hash: Sha256,
    bytes: u64,
    documents: u64,
    hosts: HashSet<String>,
    /// Bytes written since the last call of `close`.
    fresh: u64,
}

impl TextFiles {
    /// Continues `SHA256SUMS` after the part that was flushed to disk.
    pub(super) fn begin(folder: &Path, format: Format, whole: &[DataFile]) -> Result<Self, ExportError> {
        let path = folder.join(SUMS);
        let (bytes, documents) = whole.first().map_or((0, 0), |list| (list.bytes, list.documents));
        let sums = File::options().create(true).append(true).open(&path);
        let sums = sums.map_err(ExportError::writing(&path))?;
        let hash =
            hash_file(&path, bytes).map_err(|error| damaged(path.clone(), folder, error.to_string()))?;
        if whole.first().is_some_and(|list| list.sha256 != hex(hash.clone())) {
            return Err(damaged(path, folder, "it was changed since it was written"));
        }
        remove_unlisted(folder, &path, bytes).map_err(ExportError::writing(&path))?;
        sums.set_len(bytes).map_err(ExportError::writing(&path))?;
        let (folder, hosts) = (folder.into(), HashSet::new());
        Ok(Self { folder, format, sums, hash, bytes, documents, hosts, fresh: 0 })
    }

    fn put(&mut self, name: &str, text: &[u8]) -> io::Result<()> {
        let line = format!("{}  {name}\n", hex(Sha256::new_with_prefix(text)));
        self.sums.write_all(line.as_bytes())?;
        self.hash.update(line.as_bytes());
        self.bytes += line.len() as u64;
        self.fresh += line.len() as u64 + text.len() as u64;
        fs::write(self.folder.join(name), text)
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
        let name = format!("{host}/{}{}", record.id(), self.format.ending());
        let mut text = Vec::new();
        self.format.render(record, &Fields::default(), &mut text);
        let folder = self.folder.join(&host);
        if self.hosts.insert(host) {
            fs::create_dir_all(&folder).map_err(ExportError::writing(folder))?;
        }
        self.put(&name, &text).map_err(ExportError::writing(self.folder.join(&name)))?;
        self.documents += 1;
        Ok(self.fresh)
    }

    fn close(&mut self, files: &mut Vec<DataFile>) -> Result<(), ExportError> {
        let synced = self.sums.sync_all().and_then(|()| sync_folder(&self.folder));
        synced.map_err(ExportError::writing(self.folder.join(SUMS)))?;
        self.fresh = 0;
        *files = vec![DataFile {
            path: SUMS.into(),
            documents: self.documents,
            bytes: self.bytes,
            sha256: hex(self.hash.clone()),
        }];
        Ok(())
    }
}
