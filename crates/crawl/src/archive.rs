//! Archives every response before its page counts as fetched.
//!
//! 1. Worker threads build and compress the records of a response and its request ([`RecordBuilder`]).
//! 2. The owner appends them before it changes the store for that response.
//! 3. Each flush of the store writes the archive to disk first (`store/src/archive.rs`).
//!
//! A response becomes a revisit record if its status is 304, or if its body equals the last archived body of
//! the URL. The body of a 404 or 410 is not archived by default, because nothing reads it. Failed requests (timeout, too large, wrong type) are not archived.

use std::path::{Path, PathBuf};

use crate::settings::Config;
use gleaner_archive::files::{self, ArchiveOptions};
use gleaner_archive::{Capture, Digest, Digests, Revisit};
use gleaner_corpus::ContentHash;
use gleaner_extract::pins::HostPins;
use gleaner_fetch::Response;
use gleaner_store::{ArchivePosition, StoreError, Writer};
use jiff::Timestamp;

use crate::error::CrawlError;

pub(crate) const ROLE: &str = "Gleaner-Role";

/// The value of the header field [`ROLE`] in the record of a robots.txt, which has no role in the frontier.
pub(crate) const ROBOTS: &str = "robots";

/// The same for a tdmrep.json.
pub(crate) const TDMREP: &str = "tdmrep";

#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordBuilder {
    level: u32,
    keeps_error_bodies: bool,
}

#[derive(Debug)]
pub(crate) struct WarcRecords {
    pub(crate) bytes: Vec<u8>,
    pub(crate) records: u64,
    pub(crate) at: Timestamp,
    /// Digests of the body. `None` for a revisit record and for a response other than 2xx.
    pub(crate) digests: Option<Digests>,
}

impl RecordBuilder {
    /// Returns `None` if the settings switch the archive off.
    pub(crate) fn from_config(config: &Config) -> Option<Self> {
        let (level, keeps_error_bodies) = (config.archive.level, config.archive.error_bodies);
        config.archive.keep.then_some(Self { level, keeps_error_bodies })
    }

    pub(crate) fn record(
        self,
        url: &str,
        role: &str,
        response: &Response,
        at: Timestamp,
        last: Option<ArchivePosition>,
    ) -> WarcRecords {
        let omits_body = !self.keeps_error_bodies && matches!(response.status, 404 | 410);
        let capture = Capture {
            url,
            at,
            status: response.status,
            headers: &response.headers,
            body: if omits_body { &[] } else { &response.body },
            coded: response.coded.as_deref().filter(|_| !omits_body),
            is_cut: response.is_cut || (omits_body && !response.body.is_empty()),
            request: if omits_body { &[] } else { &response.sent },
            fields: &[(ROLE, role)],
        };
        let (digests, records) = (capture.digests(), capture.records());
        let is_known = |last: &ArchivePosition| {
            response.status == 304 || Digest::from_bytes(last.digest) == digests.content
        };
        match last.filter(is_known) {
            Some(last) => {
                let payload = Digest::from_bytes(last.payload.unwrap_or(last.digest));
                let bytes = capture.revisit(Revisit { at: last.at, payload }, self.level);
                WarcRecords { bytes, records, at, digests: None }
            }
            None => {
                let is_body = (200..300).contains(&response.status);
                let bytes = capture.response(digests.payload, self.level);
                WarcRecords { bytes, records, at, digests: is_body.then_some(digests) }
            }
        }
    }
}

/// Builds the position of a response in the archive. Omits a payload digest that equals the content digest.
pub(crate) fn archived(file: u32, offset: u64, at: Timestamp, digests: Digests) -> ArchivePosition {
    let Digests { content, payload } = digests;
    let payload = (payload != content).then_some(*payload.as_bytes());
    ArchivePosition { file, offset, at, digest: *content.as_bytes(), payload }
}

/// Returns the folder of the archive.
#[must_use]
pub fn archive_folder(config: &Config) -> PathBuf {
    match config.archive.path.as_str() {
        "" => Path::new(&config.store.path).join("archive"),
        path => PathBuf::from(path),
    }
}

/// Opens the archive for the responses and changes of a writer. Does nothing if the settings switch the archive off.
/// `pins` are those with which texts are extracted, or `None` if the writer extracts none.
///
/// # Errors
/// The archive cannot be read or written.
pub fn open_archive(config: &Config, pins: Option<&HostPins>, writer: &mut Writer) -> Result<(), StoreError> {
    if !config.archive.keep {
        return Ok(());
    }
    let info = [
        ("software", concat!("gleaner/", env!("CARGO_PKG_VERSION")).to_owned()),
        ("format", "WARC File Format 1.1".to_owned()),
        ("http-header-user-agent", config.fetch.agent()),
        ("robots", "classic".to_owned()),
    ];
    let options = ArchiveOptions {
        rotate: config.archive.rotate.get(),
        level: config.archive.level,
        info: info.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        of_changes: fields_of_changes(config, pins),
    };
    writer.open_archive(&archive_folder(config), options)
}

/// The header fields of each record with changes: what the texts in it depend on besides pages and templates.
fn fields_of_changes(config: &Config, pins: Option<&HostPins>) -> Vec<(String, String)> {
    let software = concat!("gleaner/", env!("CARGO_PKG_VERSION")).to_owned();
    let mut fields = vec![
        ("Gleaner-Software".to_owned(), software),
        ("Gleaner-Settings".to_owned(), hash_of(&text_settings(config))),
    ];
    fields.extend(pins.map(|pins| ("Gleaner-Pins".to_owned(), hash_of(&format!("{pins:?}")))));
    fields
}

/// Returns the settings that affect a page's text and its admission, as text.
pub(crate) fn text_settings(config: &Config) -> String {
    let (mut template, mut corpus) = (config.template.clone(), config.corpus.clone());
    // These two settings change no document and may differ between workers.
    template.pins = String::new();
    corpus.index_memory = Config::default().corpus.index_memory;
    let languages = config.site.iter().map(|(name, site)| (name, &site.languages, site.published_after));
    let sites: Vec<_> = languages.collect();
    let (first, robots) = (config.crawl.published_after, &config.crawl.robots_meta);
    format!("{template:?} {corpus:?} {:?} {first:?} {robots:?} {sites:?}", config.text)
}

/// Returns the first 16 hexadecimal digits of a hash of the text.
pub(crate) fn hash_of(text: &str) -> String {
    ContentHash::from_text(text).to_string().chars().take(16).collect()
}

/// Returns the paths of the archive's files, oldest first.
///
/// # Errors
/// The folder cannot be read.
pub fn archive_files(config: &Config) -> Result<Vec<PathBuf>, CrawlError> {
    let folder = archive_folder(config);
    Ok(files::names(&folder)?.into_iter().map(|name| folder.join(name)).collect())
}
