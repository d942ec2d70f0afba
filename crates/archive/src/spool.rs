//! Builds an archive file in memory. Object storage does not support appending, so only whole files can be
//! stored there.
//!
//! The file is named like the files of [`crate::files`], with a suffix for the writer:
//! `gleaner-20261121020000-00001-w3.warc.gz`. Like those files, it begins with a `warcinfo` record, and
//! [`crate::ArchiveReader`] can read it.
//!
//! Limitation: if the process ends before the file is stored, the content is lost. Therefore its records
//! count as stored only after the file is stored. The names of one writer's files sort in the order of their
//! records. The names of several writers' files sort by the time at which each file was begun.

use jiff::Timestamp;

use crate::RecordPosition;
use crate::files::{ArchiveOptions, name_of};

/// An archive file in memory.
///
/// ```
/// use gleaner_archive::{Spool, files::ArchiveOptions};
///
/// let info = vec![("software".into(), "gleaner".into())];
/// let options = ArchiveOptions { rotate: 1 << 20, level: 1, info, of_changes: Vec::new() };
/// let at = "2026-11-21T02:00:00Z".parse()?;
/// let spool = Spool::begin(7, at, &options, "w3");
/// assert!(spool.is_empty());
/// assert_eq!(spool.name(), "gleaner-20261121020000-00007-w3.warc.gz");
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Spool {
    name: String,
    content: Vec<u8>,
    /// Length of the `warcinfo` record in bytes.
    head: usize,
    rotate: u64,
}

impl Spool {
    /// Begins a file. Its name contains `number`, the time `at` and `suffix`. `number` must increase with
    /// each file of a writer. `suffix` is the name of the writer, and may be empty. In `suffix`, characters
    /// other than ASCII letters, digits, `.`, `_` and `-` become `_`.
    #[must_use]
    pub fn begin(number: u32, at: Timestamp, options: &ArchiveOptions, suffix: &str) -> Self {
        let fits = |char: char| char.is_ascii_alphanumeric() || "._-".contains(char);
        let suffix: String = suffix.chars().map(|char| if fits(char) { char } else { '_' }).collect();
        let name = name_of(number, at, &suffix);
        let content = options.head(&name, at);
        Self { name, head: content.len(), content, rotate: options.rotate }
    }

    /// Appends the records of a response ([`crate::Capture::response`] or [`crate::Capture::revisit`]).
    /// Returns the position that the first of these records will have in the stored file.
    pub fn append(&mut self, record: &[u8]) -> RecordPosition {
        let offset = self.content.len() as u64;
        self.content.extend_from_slice(record);
        RecordPosition { file: self.name.clone(), offset }
    }

    /// Returns the file's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the file's bytes so far.
    #[must_use]
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// Whether the file contains only the `warcinfo` record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.content.len() == self.head
    }

    /// Whether the file has at least [`ArchiveOptions::rotate`] bytes.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.content.len() as u64 >= self.rotate
    }

    /// Returns the file's name and bytes.
    #[must_use]
    pub fn finish(self) -> (String, Vec<u8>) {
        (self.name, self.content)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Cursor;

    use tempfile::TempDir;

    use super::*;
    use crate::samples::{options, record};
    use crate::{Archive, ArchiveReader, Item, Record};

    fn records(bytes: &[u8]) -> Vec<Record> {
        let sound = |item: std::io::Result<Item>| match item.unwrap() {
            Item::Record(record) => record,
            Item::Damage(damage) => panic!("{damage:?}"),
        };
        ArchiveReader::new(Cursor::new(bytes), 1000).unwrap().map(sound).collect()
    }

    #[test]
    fn a_file_of_memory_is_a_file_of_a_folder() {
        let folder = TempDir::new().unwrap();
        let now: Timestamp = "2026-11-21T02:03:04Z".parse().unwrap();
        let mut archive = Archive::open(folder.path(), options(1 << 20), None).unwrap();
        let mut spool = Spool::begin(1, now, &options(1 << 20), "");
        for number in 0..5 {
            let record = record(number);
            let place = archive.append(&record, now).unwrap();
            // The two `warcinfo` records have different identifiers and may differ in length.
            let spooled = spool.append(&record);
            assert_eq!((spooled.number(), spooled.file), (1, place.file));
        }
        let (name, content) = spool.finish();
        let written = fs::read(folder.path().join(&name)).unwrap();
        let (ours, theirs) = (records(&content), records(&written));
        assert_eq!(ours.len(), 6);
        assert_eq!(ours[0].header.kind(), theirs[0].header.kind());
        assert_eq!(ours[0].block, theirs[0].block);
        for (ours, theirs) in ours[1..].iter().zip(&theirs[1..]) {
            assert_eq!((&ours.header, &ours.block), (&theirs.header, &theirs.block));
        }
    }

    #[test]
    fn a_record_is_read_by_its_place_and_length_alone() {
        let mut spool = Spool::begin(1, Timestamp::UNIX_EPOCH, &options(1 << 20), "w1");
        let places: Vec<(RecordPosition, usize)> = (0..3)
            .map(|number| {
                let record = record(number);
                (spool.append(&record), record.len())
            })
            .collect();
        for (number, (place, length)) in places.iter().enumerate() {
            let from = place.offset as usize;
            let part = records(&spool.content()[from..from + length]);
            assert_eq!(part.len(), 1);
            assert_eq!(part[0].http().unwrap().coded, format!("<p>Rain {number}").as_bytes());
        }
    }

    #[test]
    fn it_is_full_from_a_size_on() {
        let mut spool = Spool::begin(1, Timestamp::UNIX_EPOCH, &options(700), "");
        assert!(spool.is_empty() && !spool.is_full());
        spool.append(&record(0));
        assert!(!spool.is_empty());
        (1..9).for_each(|number| drop(spool.append(&record(number))));
        assert!(spool.is_full());
    }

    #[test]
    fn names_are_in_the_order_of_beginning() {
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        let name =
            |number, seconds, suffix| Spool::begin(number, at(seconds), &options(1), suffix).finish().0;
        let names =
            [name(9, 0, "w2"), name(10, 0, "w1"), name(1, 1, "w1"), name(1, 1, "w2"), name(2, 1, "w/ö 3")];
        assert!(names.is_sorted(), "{names:?}");
        assert_eq!(names[4], "gleaner-19700101000001-00002-w___3.warc.gz");
    }
}
