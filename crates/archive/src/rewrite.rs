//! Plans and writes a file without some of its records.
//!
//! 1. [`RewritePlan::new`] reads every record and asks a function what happens to it.
//! 2. [`RewritePlan::write`] copies the bytes of the kept records, and writes the replaced records again.
//!
//! A kept record is not decompressed and compressed again, so its bytes stay the same. Only its offset changes
//! ([`RewritePlan::moved_to`]).
//!
//! Limitation: a part of the file that cannot be read is kept as it is.

use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::{ArchiveReader, Damage, Item, Record, write};

/// What happens to a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordChange {
    /// The record stays as it is.
    Keep,
    /// The record is left out.
    Drop,
    /// The record keeps its header, and gets this block.
    Replace(Vec<u8>),
}

/// A part of the file: a compressed member, or a record that is not compressed.
#[derive(Debug)]
struct Part {
    /// The offset in the old file.
    from: u64,
    /// The offset in the new file.
    to: u64,
    content: PartContent,
}

#[derive(Debug)]
enum PartContent {
    /// The bytes of the old file, up to the next part.
    Unchanged,
    /// These bytes. Empty if all records of the part are left out.
    New(Vec<u8>),
}

/// How a file is written again.
#[derive(Debug)]
pub struct RewritePlan {
    parts: Vec<Part>,
    old_length: u64,
    length: u64,
    dropped: u64,
    replaced: u64,
    damages: Vec<Damage>,
}

impl RewritePlan {
    /// Reads all records of a file from its beginning. `decide` returns what happens to each. `level` is the
    /// compression level of replaced records, 1 (fast) to 9 (small).
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn new(
        source: &mut (impl Read + Seek),
        level: u32,
        mut decide: impl FnMut(&Record) -> RecordChange,
    ) -> io::Result<Self> {
        let old_length = source.seek(SeekFrom::End(0))?;
        source.seek(SeekFrom::Start(0))?;
        let mut plan =
            Self { parts: Vec::new(), old_length, length: 0, dropped: 0, replaced: 0, damages: Vec::new() };
        // Several records may share one compressed member.
        let mut member: Vec<(Record, RecordChange)> = Vec::new();
        for item in ArchiveReader::new(source, usize::MAX)? {
            match item? {
                Item::Record(record) => {
                    if member.first().is_some_and(|(first, _)| first.offset != record.offset) {
                        plan.add_member(&mut member, level);
                    }
                    let change = decide(&record);
                    member.push((record, change));
                }
                Item::Damage(damage) => {
                    plan.add_member(&mut member, level);
                    plan.add(damage.offset, PartContent::Unchanged);
                    plan.damages.push(damage);
                }
            }
        }
        plan.add_member(&mut member, level);
        plan.set_offsets();
        Ok(plan)
    }

    fn add_member(&mut self, member: &mut Vec<(Record, RecordChange)>, level: u32) {
        let Some(offset) = member.first().map(|(record, _)| record.offset) else { return };
        if member.iter().all(|(_, change)| *change == RecordChange::Keep) {
            member.clear();
            return self.add(offset, PartContent::Unchanged);
        }
        let mut bytes = Vec::new();
        for (record, change) in member.drain(..) {
            match change {
                RecordChange::Keep => bytes.extend(write::with_block(&record.header, &record.block, level)),
                RecordChange::Drop => self.dropped += 1,
                RecordChange::Replace(block) => {
                    bytes.extend(write::with_block(&record.header, &block, level));
                    self.replaced += 1;
                }
            }
        }
        self.add(offset, PartContent::New(bytes));
    }

    fn add(&mut self, from: u64, content: PartContent) {
        // A damaged member may begin with intact records, which then have its offset.
        if self.parts.last().is_none_or(|last| last.from != from) {
            self.parts.push(Part { from, to: 0, content });
        }
    }

    fn set_offsets(&mut self) {
        // Bytes before the first part, such as a dictionary, are copied too.
        let mut to = self.parts.first().map_or(self.old_length, |first| first.from);
        for at in 0..self.parts.len() {
            self.parts[at].to = to;
            to += match &self.parts[at].content {
                PartContent::Unchanged => self.end_of(at) - self.parts[at].from,
                PartContent::New(bytes) => bytes.len() as u64,
            };
        }
        self.length = to;
    }

    /// Returns the offset in the old file at which a part ends.
    fn end_of(&self, part: usize) -> u64 {
        self.parts.get(part + 1).map_or(self.old_length, |next| next.from)
    }

    /// Whether no record is left out or replaced.
    #[must_use]
    pub const fn is_unchanged(&self) -> bool {
        self.dropped + self.replaced == 0
    }

    /// Returns the number of records that are left out.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the length of the new file in bytes.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }

    /// Returns the length of the old file in bytes.
    #[must_use]
    pub const fn old_length(&self) -> u64 {
        self.old_length
    }

    /// Returns the parts of the file that cannot be read. They are kept.
    #[must_use]
    pub fn damages(&self) -> &[Damage] {
        &self.damages
    }

    /// Returns the offset in the new file of a record that had this offset. The result has no meaning for a record
    /// that is left out.
    #[must_use]
    pub fn moved_to(&self, offset: u64) -> Option<u64> {
        let part = self.parts.binary_search_by_key(&offset, |part| part.from).ok()?;
        Some(self.parts[part].to)
    }

    /// Writes the new file. `source` must have the content from which the plan was made.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn write(&self, source: &mut (impl Read + Seek), out: &mut impl Write) -> io::Result<()> {
        let first = self.parts.first().map_or(self.old_length, |first| first.from);
        copy(source, 0, first, out)?;
        for (at, part) in self.parts.iter().enumerate() {
            match &part.content {
                PartContent::Unchanged => copy(source, part.from, self.end_of(at) - part.from, out)?,
                PartContent::New(bytes) => out.write_all(bytes)?,
            }
        }
        Ok(())
    }
}

fn copy(source: &mut (impl Read + Seek), from: u64, length: u64, out: &mut impl Write) -> io::Result<()> {
    source.seek(SeekFrom::Start(from))?;
    let copied = io::copy(&mut source.by_ref().take(length), out)?;
    if copied == length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use jiff::Timestamp;

    use super::*;
    use crate::Capture;

    const NAMES: [&str; 5] = ["frost", "rain", "snow", "fog", "hail"];

    fn record(number: usize) -> Vec<u8> {
        let url = format!("http://a.example/{}", NAMES[number]);
        let capture = Capture {
            url: &url,
            at: Timestamp::UNIX_EPOCH,
            status: 200,
            headers: &[],
            body: b"<p>Weather",
            coded: None,
            is_cut: false,
            request: &[],
            fields: &[],
        };
        capture.response(capture.digests().payload, 1)
    }

    fn records(bytes: &[u8]) -> Vec<Record> {
        let items = ArchiveReader::new(Cursor::new(bytes), 1 << 20).unwrap();
        let record = |item: io::Result<Item>| match item.unwrap() {
            Item::Record(record) => {
                assert_eq!(record.check(), Ok(()));
                Some(record)
            }
            Item::Damage(_) => None,
        };
        items.filter_map(record).collect()
    }

    fn is_of(record: &Record, name: &str) -> bool {
        record.header.target().is_some_and(|target| target.ends_with(name))
    }

    fn rewritten(bytes: &[u8], decide: impl FnMut(&Record) -> RecordChange) -> (RewritePlan, Vec<u8>) {
        let mut source = Cursor::new(bytes);
        let plan = RewritePlan::new(&mut source, 1, decide).unwrap();
        let mut out = Vec::new();
        plan.write(&mut source, &mut out).unwrap();
        assert_eq!(plan.length(), out.len() as u64);
        (plan, out)
    }

    fn without(name: &str) -> impl FnMut(&Record) -> RecordChange + '_ {
        move |record| if is_of(record, name) { RecordChange::Drop } else { RecordChange::Keep }
    }

    #[test]
    fn dropped_records_leave_and_the_others_keep_their_bytes() {
        let members: Vec<Vec<u8>> = (0..5).map(record).collect();
        let file = members.concat();
        let (plan, out) = rewritten(&file, without("snow"));
        assert_eq!(out, [0, 1, 3, 4].map(|number: usize| members[number].as_slice()).concat());
        assert_eq!((plan.dropped(), plan.is_unchanged()), (1, false));
        let after = records(&out);
        for old in records(&file).iter().filter(|record| !is_of(record, "snow")) {
            let new = after.iter().find(|new| new.header == old.header).unwrap();
            assert_eq!(plan.moved_to(old.offset), Some(new.offset));
        }
    }

    #[test]
    fn a_replaced_record_has_a_new_block_and_digest() {
        let file = [record(0), record(1), record(2)].concat();
        let block = b"HTTP/1.1 200 OK\r\n\r\n<p>Weather".to_vec();
        let (plan, out) = rewritten(&file, |record| match is_of(record, "rain") {
            true => RecordChange::Replace(block.clone()),
            false => RecordChange::Keep,
        });
        let (before, after) = (records(&file), records(&out));
        assert_eq!(after.len(), 3);
        assert_eq!((&after[1].block, after[1].header.target()), (&block, before[1].header.target()));
        assert_eq!((plan.is_unchanged(), plan.dropped()), (false, 0));
        assert_eq!(plan.moved_to(before[2].offset), Some(after[2].offset));
    }

    #[test]
    fn a_member_with_several_records_loses_only_the_dropped_one() {
        let plain = |number| {
            let record = records(&record(number)).remove(0);
            let lines: String =
                record.header.fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            [format!("WARC/1.1\r\n{lines}\r\n").as_bytes(), &record.block, b"\r\n\r\n"].concat()
        };
        let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        (0..3).for_each(|number| member.write_all(&plain(number)).unwrap());
        let file = [member.finish().unwrap(), record(3)].concat();
        let (plan, out) = rewritten(&file, without("rain"));
        let targets: Vec<Record> = records(&out);
        let names = ["frost", "snow", "fog"];
        assert!(targets.iter().zip(names).all(|(record, name)| is_of(record, name)) && targets.len() == 3);
        assert_eq!(plan.dropped(), 1);
    }

    #[test]
    fn damage_is_kept_with_the_records_around_it() {
        let mut damaged = record(1);
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
        let file = [record(0), damaged, record(2)].concat();
        let (plan, out) = rewritten(&file, without("snow"));
        assert_eq!((plan.damages().len(), plan.dropped()), (1, 1));
        assert_eq!(out, file[..out.len()]);
    }

    #[test]
    fn a_file_without_dropped_records_is_unchanged() {
        let file = [record(0), record(1)].concat();
        let (plan, out) = rewritten(&file, |_| RecordChange::Keep);
        assert!(plan.is_unchanged());
        assert_eq!(out, file);
        assert_eq!(rewritten(b"", |_| RecordChange::Drop).1, b"");
    }
}
