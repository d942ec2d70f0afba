//! Manages the files of an archive. Records are appended to the newest file. The other files are complete.
//!
//! 1. When the newest file reaches a given size, a new file is begun. The name of a file contains the time
//!    and a number: `gleaner-20261121020000-00001.warc.gz`.
//! 2. [`Archive::sync`] syncs all appended records to disk. After a crash, records that were appended after
//!    the last sync may be missing, or may be in the archive although the store does not know them.
//! 3. When an archive is opened, the records after the last known synced position are checked. Intact records
//!    are kept. If the last record is incomplete, it is cut off.
//!
//! Limitation: after a crash, the archive may contain pages that the store does not know. The crawler fetches
//! and archives these pages again, so the archive then contains each of them twice.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use gleaner_http::retry::{is_out_of_files, wait_for_descriptor};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use thiserror::Error;

use crate::{ArchiveReader, Item, write};

/// Creates a folder of a corpus and its missing parents. The owner can use it and the group can read it, such as
/// that of a backup. Others cannot, because a corpus may contain pages that are not public.
///
/// # Errors
/// The folder cannot be created.
pub fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o750);
    builder.create(folder)
}

/// Returns the options for a new file of a corpus, with the permissions of [`make_folder`].
#[must_use]
pub fn new_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o640);
    options
}

/// The position of a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordPosition {
    /// The name of the file in the archive's folder.
    pub file: String,
    /// The offset of the record's first byte.
    pub offset: u64,
}

impl RecordPosition {
    /// Returns the number in the file's name, or 0 if this program did not write the file.
    #[must_use]
    pub fn number(&self) -> u32 {
        number_of(&self.file).unwrap_or(0)
    }
}

/// An error while writing or reading an archive.
#[derive(Debug, Error)]
#[error("the archive: {what} {}: {error}{}", path.display(), advice(error))]
pub struct ArchiveError {
    what: &'static str,
    path: PathBuf,
    #[source]
    error: io::Error,
}

impl ArchiveError {
    fn with_path(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self { what, path, error }
    }

    /// Whether the disk is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self.error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }
}

fn advice(error: &io::Error) -> &'static str {
    if is_out_of_files(error) {
        ": the limit of open files is reached; raise it with `ulimit -n 4096` or LimitNOFILE= of a systemd unit"
    } else {
        ""
    }
}

fn open(options: &OpenOptions, path: &Path) -> io::Result<File> {
    wait_for_descriptor(|| options.open(path))
}

/// The options for writing an archive.
#[derive(Debug, Clone)]
pub struct ArchiveOptions {
    /// When a file has at least this size in bytes, the next record begins a new file.
    pub rotate: u64,
    /// Compression level of the `warcinfo` records, 1 (fast) to 9 (small).
    pub level: u32,
    /// The fields of each file's `warcinfo` record, such as `software`.
    pub info: Vec<(String, String)>,
    /// The fields of each record with changes of the store.
    pub of_changes: Vec<(String, String)>,
}

impl ArchiveOptions {
    pub(crate) fn head(&self, name: &str, now: Timestamp) -> Vec<u8> {
        let fields: Vec<(&str, &str)> =
            self.info.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        write::warcinfo(Some(name), now, &fields, self.level)
    }
}

/// A writer of an archive.
#[derive(Debug)]
pub struct Archive {
    folder: PathBuf,
    options: ArchiveOptions,
    number: u32,
    newest: Option<NewestFile>,
}

#[derive(Debug)]
struct NewestFile {
    file: File,
    path: PathBuf,
    name: String,
    /// The offset of the end of the last complete record.
    length: u64,
    is_synced: bool,
    /// Whether the file ends with an incomplete record that could not be cut off.
    is_torn: bool,
}

const PREFIX: &str = "gleaner-";
const SUFFIX: &str = ".warc.gz";

impl Archive {
    /// Opens the archive in a folder for appending. Creates the folder if it is missing. `known` is the end
    /// of the part that is known to be intact. If `known` is `None` or in an older file, the whole newest
    /// file is checked.
    ///
    /// # Errors
    /// The folder or its newest file cannot be read or written.
    pub fn open(
        folder: &Path,
        options: ArchiveOptions,
        known: Option<&RecordPosition>,
    ) -> Result<Self, ArchiveError> {
        make_folder(folder).map_err(ArchiveError::with_path("cannot make the folder", folder))?;
        let names = names(folder)?;
        let number = names.iter().filter_map(|name| number_of(name)).max().unwrap_or(0);
        let mut archive = Self { folder: folder.to_owned(), options, number, newest: None };
        if let Some(name) = names.into_iter().next_back() {
            let from = known.filter(|place| place.file == name).map_or(0, |place| place.offset);
            archive.newest = Some(archive.reopened(name, from)?);
        }
        Ok(archive)
    }

    /// Returns the options for writing.
    #[must_use]
    pub const fn options(&self) -> &ArchiveOptions {
        &self.options
    }

    fn reopened(&self, name: String, from: u64) -> Result<NewestFile, ArchiveError> {
        let path = self.folder.join(&name);
        let wrong = || ArchiveError::with_path("cannot read", &path);
        let file = open(OpenOptions::new().read(true).append(true), &path).map_err(wrong())?;
        let whole = file.metadata().map_err(wrong())?.len();
        let mut sound = whole;
        for item in ArchiveReader::open(&path, from.min(whole), 0).map_err(wrong())? {
            if let Item::Damage(damage) = item.map_err(wrong())?
                && damage.is_last
            {
                sound = damage.offset;
            }
        }
        if sound < whole {
            file.set_len(sound).map_err(ArchiveError::with_path("cannot truncate", &path))?;
        }
        Ok(NewestFile { file, path, name, length: sound, is_synced: false, is_torn: false })
    }

    /// Appends the records of a response ([`crate::Capture::response`] or [`crate::Capture::revisit`]).
    /// Returns the position of the first record. If a new file is begun, its name contains the time `now`.
    ///
    /// # Errors
    /// The file cannot be written. If possible, the incomplete record is cut off.
    pub fn append(&mut self, record: &[u8], now: Timestamp) -> Result<RecordPosition, ArchiveError> {
        if self.newest.as_ref().is_none_or(|newest| newest.length >= self.options.rotate) {
            self.begin_file(now)?;
        }
        let newest = self.newest.as_mut().expect("a file was begun where there was none");
        let offset = newest.length;
        newest.append(record)?;
        Ok(RecordPosition { file: newest.name.clone(), offset })
    }

    /// Begins a new file, to which later records are appended. Its name contains the time `now`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn begin_file(&mut self, now: Timestamp) -> Result<(), ArchiveError> {
        self.sync()?;
        self.number += 1;
        let name = name_of(self.number, now, "");
        let path = self.folder.join(&name);
        let file = open(new_file().read(true).append(true).create_new(true), &path)
            .map_err(ArchiveError::with_path("cannot begin the file", &path))?;
        let info = self.options.head(&name, now);
        let mut newest = NewestFile { file, path, name, length: 0, is_synced: false, is_torn: false };
        newest.append(&info)?;
        self.newest = Some(newest);
        // After the folder is synced, the file's name is on disk.
        open(OpenOptions::new().read(true), &self.folder)
            .and_then(|folder| folder.sync_all())
            .map_err(ArchiveError::with_path("cannot sync", &self.folder))
    }

    /// Syncs all appended records to disk. Returns the end of the archive, or `None` if it has no file.
    ///
    /// # Errors
    /// The disk reports an error. In that case, records since the last successful call may not be on disk.
    pub fn sync(&mut self) -> Result<Option<RecordPosition>, ArchiveError> {
        let Some(newest) = &mut self.newest else { return Ok(None) };
        if !newest.is_synced {
            newest.file.sync_data().map_err(ArchiveError::with_path("cannot sync", &newest.path))?;
            newest.is_synced = true;
        }
        Ok(Some(RecordPosition { file: newest.name.clone(), offset: newest.length }))
    }
}

impl NewestFile {
    fn append(&mut self, record: &[u8]) -> Result<(), ArchiveError> {
        self.is_synced = false;
        if self.is_torn {
            self.cut().map_err(ArchiveError::with_path("cannot truncate", &self.path))?;
        }
        if let Err(error) = self.file.write_all(record) {
            self.is_torn = true;
            // If this fails, the next append or the next opening of the archive tries again.
            let _ = self.cut();
            return Err(ArchiveError::with_path("cannot write", &self.path)(error));
        }
        self.length += record.len() as u64;
        Ok(())
    }

    fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)?;
        self.is_torn = false;
        Ok(())
    }
}

/// Returns the names of an archive's files, oldest first. Returns an empty list if the folder does not exist.
///
/// # Errors
/// The folder cannot be read.
pub fn names(folder: &Path) -> Result<Vec<String>, ArchiveError> {
    let wrong = || ArchiveError::with_path("cannot read the folder", folder);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(wrong())?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(wrong())?.file_name().to_string_lossy().into_owned();
        if number_of(&name).is_some() {
            names.push(name);
        }
    }
    // The numbers determine the order, because the times would be wrong if the system's clock was set back.
    names.sort_by_key(|name| number_of(name));
    Ok(names)
}

/// Returns the name of a file that contains the records of several older files. The name contains `number`
/// and `at`, the time at which the first of the older files was stored.
#[must_use]
pub fn merged_name(number: u32, at: Timestamp) -> String {
    name_of(number, at, "merged")
}

pub(crate) fn name_of(number: u32, now: Timestamp, suffix: &str) -> String {
    let time = now.to_zoned(TimeZone::UTC).strftime("%Y%m%d%H%M%S").to_string();
    let hyphen = if suffix.is_empty() { "" } else { "-" };
    format!("{PREFIX}{time}-{number:05}{hyphen}{suffix}{SUFFIX}")
}

fn number_of(name: &str) -> Option<u32> {
    let (_, number) = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-')?;
    number.split('-').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::samples::{options, record};

    fn bodies(folder: &Path) -> Vec<String> {
        let files = names(folder).unwrap().into_iter();
        let items = files.flat_map(|name| ArchiveReader::open(&folder.join(name), 0, 1000).unwrap());
        let body = |item: io::Result<Item>| match item.unwrap() {
            Item::Record(record) => record.http().map(|http| String::from_utf8(http.coded.to_vec()).unwrap()),
            Item::Damage(damage) => panic!("{damage:?}"),
        };
        items.filter_map(body).collect()
    }

    #[cfg(unix)]
    #[test]
    fn without_a_file_descriptor_the_error_names_the_limit() {
        let error = ArchiveError::with_path("cannot begin the file", Path::new("a"))(
            io::Error::from_raw_os_error(24),
        );
        assert!(error.to_string().contains("ulimit -n"), "{error}");
    }

    #[test]
    fn what_is_appended_is_there_in_order() {
        let folder = TempDir::new().unwrap();
        let mut archive = Archive::open(folder.path(), options(700), None).unwrap();
        assert_eq!(archive.sync().unwrap(), None);
        let now: Timestamp = "2026-11-21T02:03:04Z".parse().unwrap();
        let places: Vec<RecordPosition> = (0..8)
            .map(|number| {
                archive
                    .append(&record(number), now - jiff::SignedDuration::from_hours(number as i64))
                    .unwrap()
            })
            .collect();
        assert!(places[0].file == "gleaner-20261121020304-00001.warc.gz", "{places:?}");
        assert!(names(folder.path()).unwrap().len() > 2);
        assert_eq!(
            bodies(folder.path()),
            (0..8).map(|number| format!("<p>Rain {number}")).collect::<Vec<_>>()
        );
        for (number, place) in places.iter().enumerate() {
            let mut reader =
                ArchiveReader::open(&folder.path().join(&place.file), place.offset, 1000).unwrap();
            let Some(Ok(Item::Record(record))) = reader.next() else { panic!("no record at {place:?}") };
            assert_eq!(record.http().unwrap().coded, format!("<p>Rain {number}").as_bytes());
        }
        let end = archive.sync().unwrap().unwrap();
        assert_eq!(end.offset, fs::metadata(folder.path().join(&end.file)).unwrap().len());
    }

    #[test]
    fn a_torn_end_is_cut_off() {
        let folder = TempDir::new().unwrap();
        let mut archive = Archive::open(folder.path(), options(1 << 20), None).unwrap();
        archive.append(&record(0), Timestamp::UNIX_EPOCH).unwrap();
        let known = archive.sync().unwrap().unwrap();
        archive.append(&record(1), Timestamp::UNIX_EPOCH).unwrap();
        drop(archive);
        let path = folder.path().join(&known.file);
        let whole = fs::read(&path).unwrap();
        for torn in known.offset + 1..whole.len() as u64 {
            fs::write(&path, &whole[..torn as usize]).unwrap();
            let known = (torn % 2 == 0).then_some(&known);
            let mut archive = Archive::open(folder.path(), options(1 << 20), known).unwrap();
            archive.append(&record(2), Timestamp::UNIX_EPOCH).unwrap();
            assert_eq!(bodies(folder.path()), ["<p>Rain 0", "<p>Rain 2"], "{torn}");
        }
        fs::write(&path, &whole).unwrap();
        let mut archive = Archive::open(folder.path(), options(1 << 20), Some(&known)).unwrap();
        archive.append(&record(2), Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(bodies(folder.path()), ["<p>Rain 0", "<p>Rain 1", "<p>Rain 2"]);
    }

    #[test]
    fn a_torn_record_that_could_not_be_cut_off_is_cut_off_before_the_next() {
        let folder = TempDir::new().unwrap();
        let mut archive = Archive::open(folder.path(), options(1 << 20), None).unwrap();
        archive.append(&record(0), Timestamp::UNIX_EPOCH).unwrap();
        let newest = archive.newest.as_mut().unwrap();
        let writable = std::mem::replace(&mut newest.file, File::open(&newest.path).unwrap());
        assert!(newest.append(&record(1)).is_err());
        (&writable).write_all(&record(1)[..9]).unwrap();
        assert!(newest.append(&record(2)).is_err(), "the file is still read-only");
        newest.file = writable;
        let place = archive.append(&record(3), Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(bodies(folder.path()), ["<p>Rain 0", "<p>Rain 3"]);
        let mut reader = ArchiveReader::open(&folder.path().join(&place.file), place.offset, 1000).unwrap();
        assert!(matches!(reader.next(), Some(Ok(Item::Record(_)))), "no record at {place:?}");
    }

    #[test]
    fn a_name_tells_its_number() {
        let number = |name: &str| RecordPosition { file: name.into(), offset: 0 }.number();
        assert_eq!(number("gleaner-20261121020000-00012.warc.gz"), 12);
        assert_eq!(number("gleaner-20261121020000-00012-w3-7.warc.gz"), 12);
        for other in
            ["gleaner-20261121020000.warc.gz", "gleaner-a-b.warc.gz", "CC-NEWS-20261121-00012.warc.gz"]
        {
            assert_eq!(number(other), 0, "{other}");
        }
    }

    #[test]
    fn what_cannot_be_opened_is_named() {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = Archive::open(&file, options(1), None).unwrap_err().to_string();
        assert!(
            error.starts_with("the archive: cannot make the folder") && error.contains("file"),
            "{error}"
        );
        assert_eq!(names(&folder.path().join("absent")).unwrap(), [""; 0]);
    }
}
