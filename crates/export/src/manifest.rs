//! Defines the file `manifest.json`. It lists the files, so that users can verify them and an interrupted
//! export can be resumed.
//!
//! Whenever a file is complete, the manifest is written atomically. Therefore the manifest lists exactly the
//! complete files on disk, which contain the documents up to `last_id`. Documents are exported in the order
//! of their ids, so `last_id` suffices to resume.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use gleaner_corpus::CorpusVersion;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{ExportError, FilterCounts};

/// The manifest's file name.
pub const NAME: &str = "manifest.json";

/// The version of the manifest format that this program writes.
pub const VERSION: u32 = 1;

/// The description of an export, and the content of `manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the manifest format, see [`VERSION`].
    pub manifest_version: u32,
    /// The version of gleaner that wrote the export.
    pub gleaner: String,
    /// The version of the corpus at the end of the export. `None` before, and in exports of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus_version: Option<CorpusVersion>,
    /// The command line without the program's name.
    pub command: Vec<String>,
    /// Whether the export is complete. Always true if the folder has its final name.
    pub complete: bool,
    /// When the export began.
    pub started: Timestamp,
    /// Documents fetched before this time are excluded. `None` if there is no such limit.
    pub since: Option<Timestamp>,
    /// Documents fetched at this time or later are excluded. To continue from this time, pass it to the next
    /// export with `--since`.
    pub until: Timestamp,
    /// Counts of exported and excluded documents.
    #[serde(flatten)]
    pub tally: FilterCounts,
    /// The id of the last processed document, or `None` if no document was processed yet.
    pub last_id: Option<String>,
    /// The data files, in the order of their documents.
    pub files: Vec<DataFile>,
    /// Whether the tokens have a tag and a lemma, because an external tagger gave them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tagged: bool,
    /// The texts that could not be read, and are not in the files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadableText>,
    /// The file with the ids of the documents that were removed since [`Self::since`], one per line. `None` if the
    /// export is not incremental.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<DataFile>,
}

/// A text of the corpus that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadableText {
    /// The id of the document.
    pub id: String,
    /// The number of the earlier revision. `None` for the current text.
    pub revision: Option<u32>,
    /// The URL of the document.
    pub url: String,
    /// Why the text cannot be read.
    pub reason: String,
}

/// A complete data file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataFile {
    /// The file's path relative to the manifest's folder. The separator is `/` on every system.
    pub path: String,
    /// Number of documents in the file.
    pub documents: u64,
    /// The file's size in bytes.
    pub bytes: u64,
    /// SHA-256 of the file as 64 hexadecimal digits, the format of `sha256sum`.
    pub sha256: String,
}

impl Manifest {
    /// Reads the manifest in a folder. Returns `None` if the folder has no manifest.
    ///
    /// # Errors
    /// An error means that the manifest cannot be read.
    pub fn read(folder: &Path) -> Result<Option<Self>, ExportError> {
        let path = folder.join(NAME);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(ExportError::reading(path)(error)),
        };
        serde_json::from_slice(&text)
            .map(Some)
            .map_err(|error| ExportError::reading(path)(io::Error::new(io::ErrorKind::InvalidData, error)))
    }

    /// Writes the manifest atomically into a folder.
    ///
    /// # Errors
    /// An error means that the manifest cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), ExportError> {
        let path = folder.join(NAME);
        let new = folder.join("manifest.json.new");
        let mut text =
            serde_json::to_vec_pretty(self).expect("a manifest has text keys, and memory takes all");
        text.push(b'\n');
        let written = write_synced(&new, &text)
            .and_then(|()| fs::rename(&new, &path))
            .and_then(|()| sync_folder(folder));
        written.map_err(ExportError::writing(path))
    }
}

pub(crate) fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    // Windows cannot open folders, and does not require them to be flushed.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[derive(Debug)]
pub(crate) struct HashingWriter<W> {
    out: W,
    bytes: u64,
    hash: Sha256,
}

impl<W: Write> HashingWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, bytes: 0, hash: Sha256::new() }
    }

    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn into_parts(self) -> (W, u64, String) {
        (self.out, self.bytes, hex(self.hash))
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

pub(crate) fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hashes the first `bytes` bytes of a file. The caller can add further bytes to the returned hash.
pub(crate) fn hash_file(path: &Path, bytes: u64) -> io::Result<Sha256> {
    let mut hash = Sha256::new();
    let mut counted = io::Read::take(File::open(path)?, bytes);
    let read = io::copy(&mut counted, &mut HashSink(&mut hash))?;
    if read < bytes { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(hash) }
}

struct HashSink<'a>(&'a mut Sha256);

impl Write for HashSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        // The example of FIPS 180-2, appendix B.1.
        let mut counted = HashingWriter::new(Vec::new());
        counted.write_all(b"abc").unwrap();
        let (out, bytes, hash) = counted.into_parts();
        assert_eq!((out.as_slice(), bytes), (&b"abc"[..], 3));
        assert_eq!(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn a_folder_without_a_manifest_has_none_and_a_broken_one_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Manifest::read(folder.path()).unwrap().is_none());
        fs::write(folder.path().join(NAME), "{").unwrap();
        assert!(Manifest::read(folder.path()).unwrap_err().to_string().contains("cannot read"));
    }
}
