//! Writes plain text with one file per site: `HOST.txt`, with two empty lines between documents.
//!
//! The documents of a host are not consecutive, so the export appends to all files until it ends. It opens
//! the file for each document, because there can be more hosts than a process may have open files. The
//! manifest states for each file the length up to which the file is complete. A resumed export truncates the
//! file to this length.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{Layout, damaged};
use crate::format::text::{file_name, render};
use crate::manifest::{DataFile, hash_file, hex, sync_folder};
use crate::{ExportError, Record};

#[derive(Debug)]
pub(super) struct HostFiles {
    folder: PathBuf,
    sites: BTreeMap<String, HostFile>,
    /// Names of files written since the last call of `close`.
    touched: BTreeSet<String>,
    fresh: u64,
}

#[derive(Debug)]
struct HostFile {
    bytes: u64,
    documents: u64,
    hash: Sha256,
}

impl HostFiles {
    /// Checks the part of each existing file that the manifest lists, and truncates the file to this part.
    pub(super) fn begin(folder: &Path, whole: &[DataFile]) -> Result<Self, ExportError> {
        let mut sites = BTreeMap::new();
        for file in whole {
            let path = folder.join(&file.path);
            let hash = hash_file(&path, file.bytes);
            let hash = hash.map_err(|error| damaged(path.clone(), folder, error.to_string()))?;
            if hex(hash.clone()) != file.sha256 {
                return Err(damaged(path, folder, "it was changed since it was written"));
            }
            let cut = File::options().write(true).open(&path).and_then(|open| open.set_len(file.bytes));
            cut.map_err(ExportError::writing(path))?;
            sites.insert(file.path.clone(), HostFile { bytes: file.bytes, documents: file.documents, hash });
        }
        remove_unlisted(folder, &sites).map_err(ExportError::writing(folder))?;
        Ok(Self { folder: folder.into(), sites, touched: BTreeSet::new(), fresh: 0 })
    }
}

fn remove_unlisted(folder: &Path, sites: &BTreeMap<String, HostFile>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".txt") && !sites.contains_key(&*name) {
            fs::remove_file(folder.join(&*name))?;
        }
    }
    Ok(())
}

impl Layout for HostFiles {
    fn write(&mut self, record: &Record) -> Result<u64, ExportError> {
        let name = format!("{}.txt", file_name(&record.document().host));
        let path = self.folder.join(&name);
        let fresh = || HostFile { bytes: 0, documents: 0, hash: Sha256::new() };
        let site = self.sites.entry(name.clone()).or_insert_with(fresh);
        let mut text = if site.bytes > 0 { b"\n\n".to_vec() } else { Vec::new() };
        let parting = text.len();
        render(record, &mut text);
        if text.len() == parting {
            // A document without headline and text adds nothing to the file.
            return Ok(self.fresh);
        }
        let file = File::options().create(true).append(true).open(&path);
        file.and_then(|mut file| file.write_all(&text)).map_err(ExportError::writing(path))?;
        site.hash.update(&text);
        site.bytes += text.len() as u64;
        site.documents += 1;
        self.fresh += text.len() as u64;
        self.touched.insert(name);
        Ok(self.fresh)
    }

    fn close(&mut self, files: &mut Vec<DataFile>) -> Result<(), ExportError> {
        for name in std::mem::take(&mut self.touched) {
            let path = self.folder.join(name);
            File::open(&path).and_then(|file| file.sync_all()).map_err(ExportError::writing(path))?;
        }
        sync_folder(&self.folder).map_err(ExportError::writing(&self.folder))?;
        self.fresh = 0;
        let whole = self.sites.iter().filter(|(_, site)| site.bytes > 0);
        let file = |(name, site): (&String, &HostFile)| DataFile {
            path: name.clone(),
            documents: site.documents,
            bytes: site.bytes,
            sha256: hex(site.hash.clone()),
        };
        *files = whole.map(file).collect();
        Ok(())
    }
}
