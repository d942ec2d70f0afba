//! Reads WARC files record by record, in bounded memory, and continues after damage.
//!
//! 1. A file consists of parts. A part is one gzip member, one or more Zstandard frames (module `zst`), or
//!    one uncompressed record. The first byte of a part determines the part's format. A compressed part
//!    usually contains one record, but may contain more.
//! 2. A record has a version line, named fields, and as many bytes as `Content-Length` states. The reader
//!    keeps at most `limit` of these bytes.
//! 3. A record is damaged if it has no version line or length, its compressed stream is broken, its checksum
//!    differs, or the file ends within it. The reader returns the damage with its offset, and continues where
//!    the next record seems to begin.
//!
//! Limitation: if a file is a single gzip member or Zstandard frame, everything after damage is lost. All
//! records of such a file have the same offset: the offset of the member or frame.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::bufread::GzDecoder;

use crate::Header;
use crate::counted::{CountingReader, is_of_the_bytes};
use crate::record::{Damage, Item, Record};
use crate::scan::next_record;
use crate::zst::{self, Frames, ZstdDecoder};

const MAX_HEAD: u64 = 1 << 20;

/// An iterator over the records of one file.
#[derive(Debug)]
pub struct ArchiveReader<R> {
    stream: Stream<R>,
    /// The decoder of Zstandard frames. `None` while a frame is being read, and before the first frame.
    unpacker: Option<ZstdDecoder>,
    limit: usize,
}

#[derive(Debug)]
enum Stream<R> {
    Between(CountingReader<R>),
    Packed(CompressedPart<R>),
    Ended,
}

/// A compressed part of a file. It contains one record, several records, or a part of a record.
#[derive(Debug)]
enum CompressedPart<R> {
    Gzip(u64, Box<BufReader<GzDecoder<CountingReader<R>>>>),
    Zstd(Frames<R>),
}

impl<R: Read> CompressedPart<R> {
    fn begin(&self) -> u64 {
        match self {
            Self::Gzip(begin, _) => *begin,
            Self::Zstd(frames) => frames.begin,
        }
    }

    fn record(&mut self, limit: usize) -> Result<Option<Parts>, ReadError> {
        match self {
            Self::Gzip(_, member) => read_record(&mut **member, limit),
            Self::Zstd(frames) => {
                if skip_blank(frames)? {
                    return Ok(None);
                }
                frames.is_within = true;
                let record = read_record(frames, limit);
                frames.is_within = false;
                record
            }
        }
    }

    /// Checks that the part ends after the record with a valid checksum, or contains another record.
    fn ends_well(&mut self) -> Result<(), String> {
        match self {
            Self::Gzip(_, member) => ends_well(&mut **member),
            Self::Zstd(frames) => ends_well(frames),
        }
    }

    fn into_parts(self) -> (CountingReader<R>, Option<ZstdDecoder>) {
        match self {
            Self::Gzip(_, member) => (member.into_inner().into_inner(), None),
            Self::Zstd(frames) => {
                let (input, unpacker) = frames.into_parts();
                (input, Some(unpacker))
            }
        }
    }
}

enum ReadError {
    Broken(String),
    Disk(io::Error),
}

impl ArchiveReader<File> {
    /// Opens a file at an offset where a record begins. Each returned block has at most `limit` bytes.
    ///
    /// # Errors
    /// The file cannot be opened or read.
    pub fn open(path: &Path, offset: u64, limit: usize) -> io::Result<Self> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        Self::new(file, limit)
    }
}

impl<R: Read + Seek> ArchiveReader<R> {
    /// Reads from the source's current position. Each returned block has at most `limit` bytes.
    ///
    /// # Errors
    /// The position cannot be determined, or the source cannot be read.
    pub fn new(mut source: R, limit: usize) -> io::Result<Self> {
        let at = source.stream_position()?;
        let stream = Stream::Between(CountingReader::from_offset(source, at)?);
        Ok(Self { stream, unpacker: None, limit })
    }

    /// Returns the offset of the next record or of the compressed part that contains it. Returns `None` at
    /// the end of the file.
    #[must_use]
    pub fn position(&self) -> Option<u64> {
        match &self.stream {
            Stream::Between(input) => Some(input.at),
            Stream::Packed(packed) => Some(packed.begin()),
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
                        let member =
                            CompressedPart::Gzip(input.at, Box::new(BufReader::new(GzDecoder::new(input))));
                        self.stream = Stream::Packed(member);
                    }
                    Some(&zst::FIRST) => self.stream = self.frames(input)?,
                    Some(first) if zst::is_skippable(*first) => {
                        if let Some(item) = self.skippable(input)? {
                            return Ok(Some(item));
                        }
                    }
                    Some(b'\r' | b'\n') => {
                        input.consume(1);
                        self.stream = Stream::Between(input);
                    }
                    Some(_) => return self.plain(input),
                },
                Stream::Packed(packed) => {
                    if let Some(item) = self.packed(packed)? {
                        return Ok(Some(item));
                    }
                }
            }
        }
    }

    fn packed(&mut self, mut packed: CompressedPart<R>) -> io::Result<Option<Item>> {
        let offset = packed.begin();
        let reason = match packed.record(self.limit) {
            Ok(None) => {
                let input = self.put_back(packed);
                self.stream = Stream::Between(input);
                return Ok(None);
            }
            Ok(Some((header, block, is_cut))) => match packed.ends_well() {
                Ok(()) => {
                    self.stream = Stream::Packed(packed);
                    return Ok(Some(Item::Record(Record { offset, header, block, is_cut })));
                }
                Err(reason) => reason,
            },
            Err(ReadError::Broken(reason)) => reason,
            Err(ReadError::Disk(error)) => return Err(error),
        };
        let input = self.put_back(packed);
        self.damage(input, offset, reason)
    }

    fn plain(&mut self, mut input: CountingReader<R>) -> io::Result<Option<Item>> {
        let offset = input.at;
        match read_record(&mut input, self.limit) {
            Ok(None) => Ok(None),
            Ok(Some((header, block, is_cut))) => {
                self.stream = Stream::Between(input);
                Ok(Some(Item::Record(Record { offset, header, block, is_cut })))
            }
            Err(ReadError::Broken(reason)) => self.damage(input, offset, reason),
            Err(ReadError::Disk(error)) => Err(error),
        }
    }

    fn skippable(&mut self, mut input: CountingReader<R>) -> io::Result<Option<Item>> {
        let offset = input.at;
        match zst::skip(&mut input).map_err(ReadError::from) {
            Ok(found) => {
                self.unpacker = found.or(self.unpacker.take());
                self.stream = Stream::Between(input);
                Ok(None)
            }
            Err(ReadError::Broken(reason)) => self.damage(input, offset, reason),
            Err(ReadError::Disk(error)) => Err(error),
        }
    }

    fn frames(&mut self, input: CountingReader<R>) -> io::Result<Stream<R>> {
        let frames = match self.unpacker.take() {
            Some(unpacker) => Frames::new(input, unpacker)?,
            None => {
                let (at, mut source) = (input.at, input.into_inner());
                let unpacker = ZstdDecoder::from_file(&mut source)?;
                Frames::new(CountingReader::from_offset(source, at)?, unpacker)?
            }
        };
        Ok(Stream::Packed(CompressedPart::Zstd(frames)))
    }

    fn put_back(&mut self, packed: CompressedPart<R>) -> CountingReader<R> {
        let (input, unpacker) = packed.into_parts();
        self.unpacker = unpacker.or(self.unpacker.take());
        input
    }

    fn damage(&mut self, input: CountingReader<R>, offset: u64, reason: String) -> io::Result<Option<Item>> {
        let mut source = input.into_inner();
        let next = next_record(&mut source, offset + 1, &mut self.unpacker)?;
        if let Some(at) = next {
            self.stream = Stream::Between(CountingReader::from_offset(source, at)?);
        }
        Ok(Some(Item::Damage(Damage { offset, reason, is_last: next.is_none() })))
    }
}

impl<R: Read + Seek> Iterator for ArchiveReader<R> {
    type Item = io::Result<Item>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        if is_of_the_bytes(&error) { Self::Broken(error.to_string()) } else { Self::Disk(error) }
    }
}

fn broken<T>(reason: &str) -> Result<T, ReadError> {
    Err(ReadError::Broken(reason.into()))
}

type Parts = (Header, Vec<u8>, bool);

fn read_record(input: &mut impl BufRead, limit: usize) -> Result<Option<Parts>, ReadError> {
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

fn ends_well(member: &mut impl BufRead) -> Result<(), String> {
    let is_end = skip_blank(member).map_err(|error| error.to_string())?;
    let next = if is_end { &[] } else { member.fill_buf().map_err(|error| error.to_string())? };
    let is_record = b"WARC/".starts_with(&next[..next.len().min(5)]);
    if is_record { Ok(()) } else { Err("it is longer than its Content-Length".into()) }
}

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

fn read_head(input: &mut impl BufRead) -> Result<Vec<u8>, ReadError> {
    let mut input = input.by_ref().take(MAX_HEAD);
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

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;
    use crate::Digest;

    fn plain(number: usize) -> Vec<u8> {
        let block = format!("HTTP/1.1 200 OK\r\n\r\n<p>Rain {number}");
        format!(
            "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/{number}\r\nContent-Type: application/http\r\nWARC-Block-Digest: {}\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            Digest::from_content(block.as_bytes()),
            block.len()
        )
        .into_bytes()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Compresses `bytes` into a frame with its length and a checksum, as the specification requires.
    fn zstd(bytes: &[u8]) -> Vec<u8> {
        zstd_with(bytes, &[])
    }

    fn zstd_with(bytes: &[u8], dictionary: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::Encoder::with_dictionary(Vec::new(), 3, dictionary).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.set_pledged_src_size(Some(bytes.len() as u64)).unwrap();
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn skippable(kind: u8, content: &[u8]) -> Vec<u8> {
        [&[0x50 | kind, 0x2a, 0x4d, 0x18], &(content.len() as u32).to_le_bytes()[..], content].concat()
    }

    fn read(bytes: &[u8]) -> Vec<String> {
        let items = ArchiveReader::new(Cursor::new(bytes), 1 << 20).unwrap();
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
        assert_eq!(read(&each(zstd)), expected);
        assert_eq!(read(&zstd(&each(|bytes| bytes.to_vec()))), expected);
        assert_eq!(read(b""), [""; 0]);
    }

    #[test]
    fn a_record_may_have_several_frames_and_frames_be_skipped() {
        let expected = ["<p>Rain 0", "<p>Rain 1", "<p>Rain 2"];
        let parts = |bytes: &[u8]| bytes.chunks(50).flat_map(zstd).collect::<Vec<u8>>();
        let records: Vec<Vec<u8>> = (0..3).map(|n| parts(&plain(n))).collect();
        assert_eq!(read(&records.concat()), expected);
        let between = [zstd(b""), skippable(0, b"rain"), skippable(0xf, b"")].concat();
        assert_eq!(read(&[&between[..], &records.join(&between[..]), &between].concat()), expected);
        // The boundaries of frames are not those of records.
        let all: Vec<u8> = (0..3).flat_map(plain).collect();
        for size in [40, 100, 300] {
            assert_eq!(read(&all.chunks(size).flat_map(zstd).collect::<Vec<u8>>()), expected, "{size}");
        }
    }

    #[test]
    fn a_wrong_length_costs_no_other_frame() {
        let text = String::from_utf8(plain(1)).unwrap();
        let (head, behind) = text.split_once("Content-Length: ").unwrap();
        let (_, rest) = behind.split_once("\r\n").unwrap();
        let long = format!("{head}Content-Length: 200\r\n{rest}");
        let file = [zstd(&plain(0)), zstd(long.as_bytes()), zstd(&plain(2))].concat();
        assert_eq!(read(&file), ["<p>Rain 0", "!", "<p>Rain 2"]);
    }

    #[test]
    fn a_dictionary_at_the_beginning_is_used() {
        let samples: Vec<Vec<u8>> = (0..500).map(plain).collect();
        let dictionary = zstd::dict::from_samples(&samples, 4 << 10).unwrap();
        let frames: Vec<Vec<u8>> = (0..3).map(|n| zstd_with(&plain(n), &dictionary)).collect();
        for content in [dictionary.clone(), zstd(&dictionary)] {
            let file = [skippable(0xd, &content), frames.concat()].concat();
            assert_eq!(read(&file), ["<p>Rain 0", "<p>Rain 1", "<p>Rain 2"]);
            let mut source = Cursor::new(&file);
            source.set_position((file.len() - frames[2].len()) as u64);
            let mut reader = ArchiveReader::new(source, 1000).unwrap();
            let Some(Ok(Item::Record(record))) = reader.next() else { panic!("no record") };
            assert_eq!(record.header.target(), Some("http://a.example/2"));
            assert!(reader.next().is_none());
            let mut damaged = file.clone();
            let at = file.len() - frames[2].len() - 10;
            damaged[at] ^= 0x10;
            assert_eq!(read(&damaged), ["<p>Rain 0", "!", "<p>Rain 2"]);
        }
        for content in [b"rain".to_vec(), zstd(b"rain"), zstd(&dictionary)[..100].to_vec(), Vec::new()] {
            let file = [skippable(0xd, &content), frames.concat()].concat();
            assert_eq!(read(&file), ["! end"]);
        }
        assert_eq!(read(&frames.concat()), ["! end"]);
    }

    #[test]
    fn what_would_need_too_much_memory_is_damage() {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(28).unwrap();
        encoder.write_all(&plain(0)).unwrap();
        // A frame that does not state its content length needs memory for its window.
        encoder.flush().unwrap();
        let wide = encoder.finish().unwrap();
        let Some(Ok(Item::Damage(damage))) = ArchiveReader::new(Cursor::new(&wide), 1000).unwrap().next()
        else {
            panic!("it is read")
        };
        assert!(damage.reason.contains("too much memory"), "{}", damage.reason);
        assert_eq!(read(&[wide, zstd(&plain(1))].concat()), ["!", "<p>Rain 1"]);
        let large = skippable(0xd, &zstd(&vec![0; 9 << 20]));
        assert_eq!(read(&[large, zstd(&plain(1))].concat()), ["!", "<p>Rain 1"]);
        let endless = zstd(&[b"WARC/1.1\r\n".as_slice(), "a: b\r\n".repeat(300_000).as_bytes()].concat());
        assert_eq!(read(&[endless, zstd(&plain(1))].concat()), ["!", "<p>Rain 1"]);
    }

    #[test]
    fn a_record_is_read_by_its_offset() {
        let first = gzip(&plain(0));
        let both = [first.clone(), gzip(&plain(1))].concat();
        let offsets: Vec<u64> = ArchiveReader::new(Cursor::new(&both), 100)
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
        for (pack, from) in [(gzip as fn(&[u8]) -> Vec<u8>, 3), (zstd, 0)] {
            let members: Vec<Vec<u8>> = (0..3).map(|n| pack(&plain(n))).collect();
            for at in from..members[1].len() {
                let mut middle = members[1].clone();
                middle[at] ^= 0x10;
                let read = read(&[&members[0][..], &middle, &members[2]].concat());
                let lost = ["<p>Rain 0", "!", "<p>Rain 2"];
                let kept = ["<p>Rain 0", "<p>Rain 1", "<p>Rain 2"];
                assert!(read == lost || read == kept, "{at}: {read:?}");
            }
        }
        let mut plain: Vec<u8> = (0..3).flat_map(plain).collect();
        let at = plain.windows(16).position(|window| window == b"Content-Length: ").unwrap();
        plain[at] = b'X';
        assert_eq!(read(&plain), ["!", "<p>Rain 1", "<p>Rain 2"]);
    }

    #[test]
    fn a_torn_file_says_so() {
        for pack in [gzip as fn(&[u8]) -> Vec<u8>, zstd] {
            let whole = [pack(&plain(0)), pack(&plain(1))].concat();
            let first = pack(&plain(0)).len();
            for end in first + 1..whole.len() {
                assert_eq!(read(&whole[..end]), ["<p>Rain 0", "! end"], "{end}");
            }
        }
        for end in 1..plain(0).len() - 4 {
            assert_eq!(read(&plain(0)[..end]), ["! end"], "{end}");
        }
    }

    #[test]
    fn long_blocks_and_heads_are_bounded() {
        let mut reader = ArchiveReader::new(Cursor::new([plain(0), plain(1)].concat()), 20).unwrap();
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
            let packed = [gzip(&bytes), zstd(&bytes), skippable(0xd, &bytes), zstd(&plain(1))];
            for bytes in [bytes.clone(), gzip(&bytes), zstd(&bytes), packed.concat()] {
                let count = ArchiveReader::new(Cursor::new(&bytes), 100).unwrap().count();
                prop_assert!(count <= bytes.len() + 1);
            }
        }
    }
}
