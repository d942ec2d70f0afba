//! What WARC files hold: record by record, in bounded memory, past what is damaged.
//!
//! 1. A file is a row of gzip members, each a record (the usual form), or one member
//!    with all records, or the records as they are. It is told by the first byte of each.
//! 2. A record is its version line, its fields, and as many bytes as `Content-Length`
//!    says, of which a limit is kept.
//! 3. Where a record cannot be read (no version line, no length, a gzip stream that is
//!    broken or does not match its checksum, the end of the file in its middle), the
//!    damage is told with its offset, and reading goes on at the next place that looks like
//!    a record's beginning.
//!
//! The awkward truth: in a file that is one gzip member all is lost behind a damage, and
//! offsets are the member's. Files compressed by zstd are not read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::GzDecoder;

use crate::{Digest, Header, HttpMessage};

/// Bytes of a record's fields at most.
const MOST_HEAD: u64 = 1 << 20;

/// Bytes of the buffer in front of a file.
const BUFFER: usize = 256 << 10;

/// A record as it lies in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Where it begins, or the gzip member that it stands in, in bytes.
    pub offset: u64,
    /// Its named fields.
    pub header: Header,
    /// Its block, as much as is kept.
    pub block: Vec<u8>,
    /// Whether the block is longer than what is kept.
    pub is_cut: bool,
}

/// A part of a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Where it begins, in bytes.
    pub offset: u64,
    /// What is wrong.
    pub reason: String,
    /// Whether no record follows: a file that was torn off looks so.
    pub is_last: bool,
}

/// What comes next in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A sound record.
    Record(Record),
    /// A part that cannot be read; what follows it can.
    Damage(Damage),
}

impl Record {
    /// The HTTP answer in its block. `None`: it is no `response`, nor a `revisit` with a
    /// head, or its block is none.
    #[must_use]
    pub fn http(&self) -> Option<HttpMessage<'_>> {
        let is_http = self
            .header
            .get("Content-Type")
            .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("application/http"));
        let is_answer = matches!(self.header.kind().as_deref(), Some("response" | "revisit"));
        (is_http && is_answer).then(|| HttpMessage::parse(&self.block)).flatten()
    }

    /// Whether the block is the one that was written.
    ///
    /// # Errors
    /// What differs. A digest of an algorithm that is not known is not looked at, nor is
    /// one of a block that is cut. Without a digest of the block, that of its payload is
    /// looked at, if the answer is kept without codings.
    pub fn check(&self) -> Result<(), String> {
        let stated = |name| self.header.get(name).and_then(Digest::from_label);
        let (what, stated, found) = match (stated("WARC-Block-Digest"), stated("WARC-Payload-Digest")) {
            _ if self.is_cut => return Ok(()),
            (Some(stated), _) => ("block", stated, Digest::of(&self.block)),
            (None, Some(stated)) => match self.plain_payload() {
                Some(payload) => ("payload", stated, Digest::of(payload)),
                None => return Ok(()),
            },
            (None, None) => return Ok(()),
        };
        if stated == found {
            return Ok(());
        }
        Err(format!("its {what} has the digest {found}, and {stated} is stated"))
    }

    /// The body of an answer that is kept as it is read.
    fn plain_payload(&self) -> Option<&[u8]> {
        if self.header.kind().as_deref() != Some("response") {
            return None;
        }
        let message = self.http()?;
        let is_coded =
            ["content-encoding", "transfer-encoding"].iter().any(|name| message.header(name).is_some());
        (!is_coded).then_some(message.coded)
    }
}

/// The records of one file.
#[derive(Debug)]
pub struct Reader<R> {
    stream: Stream<R>,
    /// Where the current gzip member begins.
    member: u64,
    limit: usize,
}

#[derive(Debug)]
enum Stream<R> {
    /// Between members, or at a record that is not compressed.
    Between(Counted<R>),
    Member(Box<BufReader<GzDecoder<Counted<R>>>>),
    /// Read to its end, or failed.
    Ended,
}

/// Why a record cannot be read.
enum Fault {
    /// The bytes say so.
    Broken(String),
    /// The disk does.
    Disk(io::Error),
}

impl Reader<File> {
    /// Opens a file from an offset on, at which a record begins. `limit`: bytes of a block
    /// that are kept.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(path: &Path, offset: u64, limit: usize) -> io::Result<Self> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        Self::new(file, limit)
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Reads from where the source stands.
    ///
    /// # Errors
    /// The source cannot tell where it stands.
    pub fn new(mut source: R, limit: usize) -> io::Result<Self> {
        let at = source.stream_position()?;
        let input = Counted { inner: BufReader::with_capacity(BUFFER, source), at };
        Ok(Self { stream: Stream::Between(input), member: at, limit })
    }

    /// Where the next record begins, or its gzip member; `None` at the end.
    #[must_use]
    pub fn position(&self) -> Option<u64> {
        match &self.stream {
            Stream::Between(input) => Some(input.at),
            Stream::Member(_) => Some(self.member),
            Stream::Ended => None,
        }
    }

    fn step(&mut self) -> io::Result<Option<Item>> {
        loop {
            match std::mem::replace(&mut self.stream, Stream::Ended) {
                Stream::Ended => return Ok(None),
                Stream::Between(mut input) => match input.fill_buf()?.first() {
                    None => return Ok(None),
                    Some(0x1f) => {
                        self.member = input.at;
                        self.stream = Stream::Member(Box::new(BufReader::new(GzDecoder::new(input))));
                    }
                    Some(b'\r' | b'\n') => {
                        input.consume(1);
                        self.stream = Stream::Between(input);
                    }
                    Some(_) => return self.plain(input),
                },
                Stream::Member(mut member) => match read_record(&mut *member, self.limit) {
                    Ok(None) => {
                        self.stream = Stream::Between(member.into_inner().into_inner());
                    }
                    Ok(Some((header, block, is_cut))) => {
                        if let Err(reason) = ends_well(&mut *member) {
                            return self.damage(member.into_inner().into_inner(), self.member, reason);
                        }
                        self.stream = Stream::Member(member);
                        return Ok(Some(Item::Record(Record { offset: self.member, header, block, is_cut })));
                    }
                    Err(Fault::Broken(reason)) => {
                        return self.damage(member.into_inner().into_inner(), self.member, reason);
                    }
                    Err(Fault::Disk(error)) => return Err(error),
                },
            }
        }
    }

    fn plain(&mut self, mut input: Counted<R>) -> io::Result<Option<Item>> {
        let offset = input.at;
        match read_record(&mut input, self.limit) {
            Ok(None) => Ok(None),
            Ok(Some((header, block, is_cut))) => {
                self.stream = Stream::Between(input);
                Ok(Some(Item::Record(Record { offset, header, block, is_cut })))
            }
            Err(Fault::Broken(reason)) => self.damage(input, offset, reason),
            Err(Fault::Disk(error)) => Err(error),
        }
    }

    /// Tells a damage, and goes to what looks like the next record.
    fn damage(&mut self, input: Counted<R>, offset: u64, reason: String) -> io::Result<Option<Item>> {
        let mut source = input.inner.into_inner();
        let next = next_record(&mut source, offset + 1)?;
        if let Some(at) = next {
            source.seek(SeekFrom::Start(at))?;
            self.stream = Stream::Between(Counted { inner: BufReader::with_capacity(BUFFER, source), at });
        }
        Ok(Some(Item::Damage(Damage { offset, reason, is_last: next.is_none() })))
    }
}

impl<R: Read + Seek> Iterator for Reader<R> {
    type Item = io::Result<Item>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

/// A source that knows how far it was read.
#[derive(Debug)]
struct Counted<R> {
    inner: BufReader<R>,
    at: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl<R: Read> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.at += count as u64;
        self.inner.consume(count);
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // What the decompressor says of its input.
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
                Self::Broken(error.to_string())
            }
            _ => Self::Disk(error),
        }
    }
}

fn broken<T>(reason: &str) -> Result<T, Fault> {
    Err(Fault::Broken(reason.into()))
}

type Parts = (Header, Vec<u8>, bool);

/// Reads one record; `None` at the end of the input.
fn read_record(input: &mut impl BufRead, limit: usize) -> Result<Option<Parts>, Fault> {
    if skip_blank(input)? {
        return Ok(None);
    }
    let head = read_head(input)?;
    let header = Header::parse(&head);
    let Some(length) = header.length() else { return broken("it has no Content-Length") };
    let mut block = Vec::new();
    input.by_ref().take(length.min(limit as u64)).read_to_end(&mut block)?;
    let rest = length.saturating_sub(limit as u64);
    let skipped = io::copy(&mut input.by_ref().take(rest), &mut io::sink())?;
    if block.len() as u64 + skipped < length {
        return broken("the file ends within it");
    }
    Ok(Some((header, block, rest > 0)))
}

/// Whether a member ends behind a record, with its checksum, or goes on with another.
fn ends_well(member: &mut impl BufRead) -> Result<(), String> {
    let is_end = skip_blank(member).map_err(|error| error.to_string())?;
    let next = if is_end { &[] } else { member.fill_buf().map_err(|error| error.to_string())? };
    let is_record = b"WARC/".starts_with(&next[..next.len().min(5)]);
    if is_record { Ok(()) } else { Err("it is longer than its Content-Length".into()) }
}

/// Passes over line breaks; whether the input ends there.
fn skip_blank(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(true);
        }
        let blank = buffer.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let is_all = blank == buffer.len();
        input.consume(blank);
        if !is_all {
            return Ok(false);
        }
    }
}

/// The lines of a record's fields, without the version's.
fn read_head(input: &mut impl BufRead) -> Result<Vec<u8>, Fault> {
    let mut input = input.by_ref().take(MOST_HEAD);
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    if !line.starts_with(b"WARC/") {
        return broken("no record begins there");
    }
    let mut head = Vec::new();
    loop {
        let from = head.len();
        if input.read_until(b'\n', &mut head)? == 0 {
            return broken(if input.limit() == 0 {
                "its fields have no end"
            } else {
                "the file ends within it"
            });
        }
        if head[from..].trim_ascii().is_empty() {
            head.truncate(from);
            return Ok(head);
        }
    }
}

/// Bytes that are searched for a record at once.
const WINDOW: usize = 256 << 10;

/// Bytes that a window shares with the one before.
const OVERLAP: usize = 8;

/// Where the first record begins at or behind an offset, as far as its first bytes tell.
fn next_record(source: &mut (impl Read + Seek), from: u64) -> io::Result<Option<u64>> {
    let mut window = Vec::new();
    let mut at = from;
    loop {
        source.seek(SeekFrom::Start(at))?;
        window.clear();
        source.by_ref().take(WINDOW as u64).read_to_end(&mut window)?;
        for place in 0..window.len() {
            let rest = &window[place..];
            let is_plain = rest.starts_with(b"\nWARC/1.");
            if is_plain {
                return Ok(Some(at + place as u64 + 1));
            }
            if rest.starts_with(&[0x1f, 0x8b, 8]) && begins_record(source, at + place as u64)? {
                return Ok(Some(at + place as u64));
            }
        }
        if window.len() < WINDOW {
            return Ok(None);
        }
        at += (WINDOW - OVERLAP) as u64;
    }
}

/// Whether a gzip member at an offset begins like a record.
fn begins_record(source: &mut (impl Read + Seek), at: u64) -> io::Result<bool> {
    source.seek(SeekFrom::Start(at))?;
    let mut first = [0; 5];
    Ok(flate2::read::GzDecoder::new(source).read_exact(&mut first).is_ok() && &first == b"WARC/")
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    fn plain(number: usize) -> Vec<u8> {
        let block = format!("HTTP/1.1 200 OK\r\n\r\n<p>Rain {number}");
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/{number}\r\nContent-Type: application/http\r\nWARC-Block-Digest: {}\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            Digest::of(block.as_bytes()),
            block.len()
        )
        .into_bytes()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Bodies of the records, and damages as `!`.
    fn read(bytes: &[u8]) -> Vec<String> {
        let items = Reader::new(Cursor::new(bytes), 1 << 20).unwrap();
        items
            .map(|item| match item.unwrap() {
                Item::Record(record) => {
                    assert_eq!(record.check(), Ok(()));
                    String::from_utf8(record.http().unwrap().payload(1 << 20).body).unwrap()
                }
                Item::Damage(damage) => format!("!{}", if damage.is_last { " end" } else { "" }),
            })
            .collect()
    }

    #[test]
    fn every_form_of_a_file_is_read() {
        let expected = ["<p>Rain 0", "<p>Rain 1", "<p>Rain 2"];
        let each = |one: fn(&[u8]) -> Vec<u8>| (0..3).flat_map(|n| one(&plain(n))).collect::<Vec<u8>>();
        assert_eq!(read(&each(|bytes| bytes.to_vec())), expected);
        assert_eq!(read(&each(gzip)), expected);
        assert_eq!(read(&gzip(&each(|bytes| bytes.to_vec()))), expected);
        assert_eq!(read(b""), [""; 0]);
    }

    #[test]
    fn a_record_is_read_by_its_offset() {
        let first = gzip(&plain(0));
        let both = [first.clone(), gzip(&plain(1))].concat();
        let offsets: Vec<u64> = Reader::new(Cursor::new(&both), 100)
            .unwrap()
            .map(|item| match item.unwrap() {
                Item::Record(record) => record.offset,
                Item::Damage(damage) => panic!("{damage:?}"),
            })
            .collect();
        assert_eq!(offsets, [0, first.len() as u64]);
        assert_eq!(read(&both[first.len()..]), ["<p>Rain 1"]);
    }

    #[test]
    fn a_damaged_record_costs_no_other() {
        let members: Vec<Vec<u8>> = (0..3).map(|n| gzip(&plain(n))).collect();
        let flipped = |at: usize| {
            let mut middle = members[1].clone();
            middle[at] ^= 0x10;
            [&members[0][..], &middle, &members[2]].concat()
        };
        for at in 3..members[1].len() {
            let read = read(&flipped(at));
            let lost = ["<p>Rain 0", "!", "<p>Rain 2"];
            let kept = ["<p>Rain 0", "<p>Rain 1", "<p>Rain 2"];
            assert!(read == lost || read == kept, "{at}: {read:?}");
        }
        let mut plain: Vec<u8> = (0..3).flat_map(plain).collect();
        let at = plain.windows(16).position(|window| window == b"Content-Length: ").unwrap();
        plain[at] = b'X';
        assert_eq!(read(&plain), ["!", "<p>Rain 1", "<p>Rain 2"]);
    }

    #[test]
    fn a_torn_file_says_so() {
        let whole = [gzip(&plain(0)), gzip(&plain(1))].concat();
        let first = gzip(&plain(0)).len();
        for end in first + 1..whole.len() {
            assert_eq!(read(&whole[..end]), ["<p>Rain 0", "! end"], "{end}");
        }
        for end in 1..plain(0).len() - 4 {
            assert_eq!(read(&plain(0)[..end]), ["! end"], "{end}");
        }
    }

    #[test]
    fn long_blocks_and_heads_are_bounded() {
        let mut reader = Reader::new(Cursor::new([plain(0), plain(1)].concat()), 20).unwrap();
        let Some(Ok(Item::Record(record))) = reader.next() else { panic!("no record") };
        assert!(record.is_cut && record.block.len() == 20 && record.check().is_ok());
        assert!(matches!(reader.next(), Some(Ok(Item::Record(_)))));
        let endless = [b"WARC/1.1\r\n".as_slice(), "a: b\r\n".repeat(300_000).as_bytes()].concat();
        assert_eq!(read(&endless), ["! end"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_bytes_make_it_fail_or_hang(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            for bytes in [bytes.clone(), gzip(&bytes), [gzip(&bytes), gzip(&plain(1))].concat()] {
                let count = Reader::new(Cursor::new(&bytes), 100).unwrap().count();
                prop_assert!(count <= bytes.len() + 1);
            }
        }
    }
}
