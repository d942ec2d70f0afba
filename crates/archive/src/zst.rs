//! Reads the frames of `.warc.zst` files (IIPC, Zstandard Compression for WARC Files 1.0).
//!
//! 1. A file may begin with a skippable frame (magic number 0x184D2A5D) that contains a dictionary,
//!    compressed or not. The dictionary applies to all frames.
//! 2. A record consists of one or more frames. The reader also accepts a frame with several records.
//! 3. The reader ignores other skippable frames.
//!
//! If a record does not end with its frame, it continues in the next frame, unless that frame begins like a
//! record. In that case, the `Content-Length` is wrong, and the next frame is read as a new record.
//!
//! Limitation: to bound memory, a window above 128 MiB and a dictionary above 8 MiB count as damage. The
//! program `zstd` also rejects such a window by default.

use std::fmt;
use std::io::{self, BufRead, Read, Seek};

use zstd::stream::raw::{DParameter, Decoder, Operation};

use crate::counted::{CountingReader, is_of_the_bytes};

pub(crate) const FIRST: u8 = 0x28;

pub(crate) const MAGIC: [u8; 4] = [FIRST, 0xb5, 0x2f, 0xfd];

/// The first bytes of an uncompressed dictionary (RFC 8878, 5).
const DICTIONARY_MAGIC: [u8; 4] = [0x37, 0xa4, 0x30, 0xec];

const OF_DICTIONARY: u8 = 0x5d;

/// The second to fourth byte of a skippable frame (RFC 8878, 3.1.2).
const SKIPPABLE: [u8; 3] = [0x2a, 0x4d, 0x18];

/// Base-2 logarithm of the largest window in bytes.
const MAX_WINDOW: u32 = 27;

/// Maximum size of a dictionary in bytes. The specification requires decoders to accept this size.
const MAX_DICTIONARY: u64 = 8 << 20;

const OUT: usize = 128 << 10;

/// Whether a skippable frame begins with this byte. Excludes 0x57, which is the `W` of `WARC/`.
pub(crate) const fn is_skippable(first: u8) -> bool {
    matches!(first, 0x50..=0x5f) && first != b'W'
}

pub(crate) struct ZstdDecoder {
    decoder: Decoder<'static>,
    out: Vec<u8>,
}

impl fmt::Debug for ZstdDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unpacker").finish_non_exhaustive()
    }
}

impl ZstdDecoder {
    pub(crate) fn with_dictionary(dictionary: &[u8]) -> io::Result<Self> {
        let mut decoder = Decoder::with_dictionary(dictionary)?;
        decoder.set_parameter(DParameter::WindowLogMax(MAX_WINDOW))?;
        Ok(Self { decoder, out: vec![0; OUT] })
    }

    /// Returns a decoder with the dictionary at the beginning of the file, if there is one. If the dictionary
    /// is broken, the frames that need it are reported as damage later.
    pub(crate) fn from_file(source: &mut (impl Read + Seek)) -> io::Result<Self> {
        let mut beginning = CountingReader::from_offset(source, 0)?;
        let has_dictionary = beginning.fill_buf()?.first() == Some(&OF_DICTIONARY);
        let found = if has_dictionary { skip(&mut beginning) } else { Ok(None) };
        match found {
            Ok(Some(unpacker)) => Ok(unpacker),
            Err(error) if !is_of_the_bytes(&error) => Err(error),
            Ok(None) | Err(_) => Self::with_dictionary(&[]),
        }
    }
}

/// Reads a skippable frame. If it contains a dictionary, returns a decoder for the next frames. If the frame
/// is broken, the error is `InvalidData` or `UnexpectedEof`.
pub(crate) fn skip(input: &mut impl BufRead) -> io::Result<Option<ZstdDecoder>> {
    let mut head = [0; 8];
    input.read_exact(&mut head)?;
    let [kind, magic @ .., a, b, c, d] = head;
    if magic != SKIPPABLE {
        return Err(invalid("no record begins there"));
    }
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    let mut content = input.take(length);
    if kind == OF_DICTIONARY {
        let dictionary = dictionary(content)?;
        return Ok(Some(ZstdDecoder::with_dictionary(&dictionary)?));
    }
    if io::copy(&mut content, &mut io::sink())? < length {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends within a skippable frame"));
    }
    Ok(None)
}

fn dictionary(content: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    content.take(MAX_DICTIONARY + 1).read_to_end(&mut bytes)?;
    if bytes.starts_with(&MAGIC) && bytes.len() as u64 <= MAX_DICTIONARY {
        let packed = std::mem::take(&mut bytes);
        let unpacked = zstd::Decoder::with_buffer(packed.as_slice())?.single_frame();
        let read = unpacked.take(MAX_DICTIONARY + 1).read_to_end(&mut bytes);
        read.map_err(|error| invalid(&format!("its dictionary cannot be unpacked: {error}")))?;
    }
    if bytes.len() as u64 > MAX_DICTIONARY {
        return Err(invalid("its dictionary is larger than 8 MiB"));
    }
    if !bytes.starts_with(&DICTIONARY_MAGIC) {
        return Err(invalid("its dictionary is not a Zstandard dictionary"));
    }
    Ok(bytes)
}

fn invalid(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[derive(Debug)]
pub(crate) struct Frames<R> {
    input: CountingReader<R>,
    unpacker: ZstdDecoder,
    /// The offset of the frame that contains the next byte.
    pub(crate) begin: u64,
    ready: std::ops::Range<usize>,
    is_open: bool,
    /// Whether a record is being read. If so, its data may continue in the next frame.
    pub(crate) is_within: bool,
}

impl<R: Read> Frames<R> {
    pub(crate) fn new(input: CountingReader<R>, mut unpacker: ZstdDecoder) -> io::Result<Self> {
        // The decoder may still be in a frame that was not read to its end.
        unpacker.decoder.reinit()?;
        let begin = input.at;
        Ok(Self { input, unpacker, begin, ready: 0..0, is_open: true, is_within: false })
    }

    pub(crate) fn into_parts(self) -> (CountingReader<R>, ZstdDecoder) {
        (self.input, self.unpacker)
    }

    fn refill(&mut self) -> io::Result<()> {
        while self.ready.is_empty() {
            if self.is_open {
                self.decode()?;
            } else if !self.has_more()? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn decode(&mut self) -> io::Result<()> {
        let was_full = self.ready.end == OUT;
        let input = self.input.fill_buf()?;
        // If the output buffer was filled, the decoder may have more output without further input.
        if input.is_empty() && !was_full {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file ends within its frame"));
        }
        let status = self
            .unpacker
            .decoder
            .run_on_buffers(input, &mut self.unpacker.out)
            .map_err(|error| invalid(&format!("its frame cannot be decoded: {error}")))?;
        self.input.consume(status.bytes_read);
        self.ready = 0..status.bytes_written;
        self.is_open = status.remaining > 0;
        Ok(())
    }

    fn has_more(&mut self) -> io::Result<bool> {
        if !self.is_within {
            return Ok(false);
        }
        while self.input.fill_buf()?.first().is_some_and(|first| is_skippable(*first)) {
            skip(&mut self.input)?;
        }
        if self.input.fill_buf()?.first() != Some(&FIRST) {
            return Ok(false);
        }
        self.begin = self.input.at;
        self.ready = 0..0;
        self.is_open = true;
        self.decode()?;
        let is_another = self.unpacker.out[self.ready.clone()].starts_with(b"WARC/1.");
        if is_another {
            (self.ready, self.is_open) = (0..0, false);
        }
        Ok(!is_another)
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Frames<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.refill()?;
        Ok(&self.unpacker.out[self.ready.clone()])
    }

    fn consume(&mut self, count: usize) {
        self.ready.start += count;
    }
}
