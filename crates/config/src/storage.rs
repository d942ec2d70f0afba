//! Defines the settings for the store, the archive and the workers that share a corpus.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Span};

/// The location and options of the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Store {
    /// `sled` for a store in the corpus folder, or the URL of a PostgreSQL database that several workers may
    /// share. The option `--store` overrides it.
    pub engine: String,
    /// Where texts and WARC files are stored if the store is a database: `s3://bucket/prefix`, or a folder
    /// that all workers can access. The option `--objects` overrides it.
    pub objects: String,
    /// How long a worker retries while the database or the object storage is unavailable.
    pub patience: Span,
    /// Folder of the corpus. The option `--data` overrides it.
    pub path: String,
    /// Memory for the store's page cache, in bytes.
    pub cache: Bytes,
    /// Number of pages after which the store is flushed to disk.
    pub flush_pages: usize,
    /// Longest time between two flushes while pages arrive.
    pub flush_every: Span,
    /// Free disk space below which the crawl stops.
    pub min_free_disk: Bytes,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            engine: "sled".into(),
            objects: String::new(),
            patience: Span::seconds(600),
            path: "data".into(),
            cache: Bytes::mebibytes(64),
            flush_pages: 200,
            flush_every: Span::seconds(2),
            min_free_disk: Bytes::mebibytes(256),
        }
    }
}

/// Settings of the workers that share a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Workers {
    /// The name of this worker, shown to users. If empty, it is the machine's name and the process number.
    pub name: String,
    /// How long a worker may be silent before other workers take over its partitions.
    pub lease: Span,
}

impl Default for Workers {
    fn default() -> Self {
        Self { name: String::new(), lease: Span::seconds(30) }
    }
}

/// Whether and how responses are archived in WARC files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Archive {
    /// Whether to archive responses.
    pub keep: bool,
    /// Folder of the WARC files. If empty, it is `archive` in the folder of the corpus.
    pub path: String,
    /// Size at which a new WARC file is started.
    pub rotate: Bytes,
    /// Compression level of records, from 1 to 9.
    pub level: u32,
}

impl Default for Archive {
    fn default() -> Self {
        Self { keep: true, path: String::new(), rotate: Bytes::mebibytes(1024), level: 1 }
    }
}
