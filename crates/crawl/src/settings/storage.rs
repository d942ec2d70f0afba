//! Defines the settings for the store, the archive and the workers that share a corpus.

use serde::{Deserialize, Serialize};

use crate::settings::{ByteSize, DurationSetting};

/// Settings for the location and the options of the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreSettings {
    /// `sled` for a store in the corpus folder, or the URL of a PostgreSQL database that several workers may
    /// share. The option `--store` overrides it.
    pub engine: String,
    /// Where texts and WARC files are stored if the store is a database: `s3://bucket/prefix`, or a folder
    /// that all workers can access. The option `--objects` overrides it.
    pub objects: String,
    /// How long a worker retries while the database or the object storage is unavailable.
    pub patience: DurationSetting,
    /// Folder of the corpus. The option `--data` overrides it.
    pub path: String,
    /// Memory for the store's page cache, in bytes.
    pub cache: ByteSize,
    /// Number of pages after which the store is flushed to disk.
    pub flush_pages: usize,
    /// Longest time between two flushes while pages arrive.
    pub flush_every: DurationSetting,
    /// Free disk space below which the crawl stops.
    pub min_free_disk: ByteSize,
    /// Longest time for which a crawl checks a part of store and archive at its end. Zero: no check.
    pub check_time: DurationSetting,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            engine: "sled".into(),
            objects: String::new(),
            patience: DurationSetting::seconds(600),
            path: "data".into(),
            cache: ByteSize::mebibytes(64),
            flush_pages: 200,
            flush_every: DurationSetting::seconds(2),
            min_free_disk: ByteSize::mebibytes(256),
            check_time: DurationSetting::seconds(900),
        }
    }
}

/// Settings of the workers that share a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkerSettings {
    /// The name of this worker, shown to users. If empty, it is the machine's name and the process number.
    pub name: String,
    /// How long a worker may be silent before other workers take over its partitions.
    pub lease: DurationSetting,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self { name: String::new(), lease: DurationSetting::seconds(30) }
    }
}

/// Settings for the archive of responses in WARC files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ArchiveSettings {
    /// Whether to archive responses.
    pub keep: bool,
    /// Folder of the WARC files. If empty, it is `archive` in the folder of the corpus.
    pub path: String,
    /// Size at which a new WARC file is started.
    pub rotate: ByteSize,
    /// Compression level of records, from 1 to 9.
    pub level: u32,
    /// Whether the bodies of responses 404 and 410 are archived, and their requests. The headers of these responses always
    /// are.
    pub error_bodies: bool,
}

impl Default for ArchiveSettings {
    fn default() -> Self {
        Self {
            keep: true,
            path: String::new(),
            rotate: ByteSize::mebibytes(1024),
            level: 1,
            error_bodies: false,
        }
    }
}
