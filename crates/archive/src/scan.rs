//! Finds the next record after damage.
//!
//! A record may begin at a line that looks like the beginning of an uncompressed record. A record may also
//! begin with a gzip member or Zstandard frame whose first decoded bytes look like a record.

use std::io::{self, Read, Seek, SeekFrom};

use crate::counted::CountingReader;
use crate::zst::{self, Frames, ZstdDecoder};

const WINDOW: usize = 256 << 10;

const OVERLAP: usize = 8;

/// Returns the offset of the first record at or after `from`, or `None` if no record follows.
pub(crate) fn next_record(
    source: &mut (impl Read + Seek),
    from: u64,
    unpacker: &mut Option<ZstdDecoder>,
) -> io::Result<Option<u64>> {
    let mut window = Vec::new();
    let mut at = from;
    loop {
        source.seek(SeekFrom::Start(at))?;
        window.clear();
        source.by_ref().take(WINDOW as u64).read_to_end(&mut window)?;
        for place in 0..window.len() {
            let (rest, found) = (&window[place..], at + place as u64);
            if rest.starts_with(b"\nWARC/1.") {
                return Ok(Some(found + 1));
            }
            let begins = (rest.starts_with(&[0x1f, 0x8b, 8]) && begins_member(source, found)?)
                || (rest.starts_with(&zst::MAGIC) && begins_frame(source, found, unpacker)?);
            if begins {
                return Ok(Some(found));
            }
        }
        if window.len() < WINDOW {
            return Ok(None);
        }
        at += (WINDOW - OVERLAP) as u64;
    }
}

fn begins_member(source: &mut (impl Read + Seek), at: u64) -> io::Result<bool> {
    source.seek(SeekFrom::Start(at))?;
    Ok(begins_record(flate2::read::GzDecoder::new(source)))
}

fn begins_frame(
    source: &mut (impl Read + Seek),
    at: u64,
    unpacker: &mut Option<ZstdDecoder>,
) -> io::Result<bool> {
    let with = match unpacker.take() {
        Some(unpacker) => unpacker,
        None => ZstdDecoder::from_file(source)?,
    };
    let mut frames = Frames::new(CountingReader::from_offset(source, at)?, with)?;
    let begins = begins_record(&mut frames);
    *unpacker = Some(frames.into_parts().1);
    Ok(begins)
}

fn begins_record(mut content: impl Read) -> bool {
    let mut first = [0; 5];
    content.read_exact(&mut first).is_ok() && &first == b"WARC/"
}
