//! Reads documents from JSON Lines, with one line in memory at a time.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use jiff::Timestamp;
use serde::Deserialize;

use super::Article;
use crate::{Compression, ExportError};

/// A longer line, in bytes, counts as damaged: no article is this long.
pub(super) const LONGEST: usize = 64 << 20;

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    text: Option<String>,
    #[serde(borrow)]
    fetched: Option<Cow<'a, str>>,
}

pub(super) fn open(path: &Path, compression: Compression) -> io::Result<Box<dyn BufRead>> {
    let file = BufReader::new(File::open(path)?);
    Ok(match compression {
        Compression::None => Box::new(file),
        Compression::Gzip => Box::new(BufReader::new(MultiGzDecoder::new(file))),
        Compression::Zstd => Box::new(BufReader::new(zstd::Decoder::with_buffer(file)?)),
    })
}

pub(super) fn each<E: From<ExportError>>(
    path: &Path,
    compression: Compression,
    mut take: impl FnMut(u64, Result<Article, String>) -> Result<(), E>,
) -> Result<(), E> {
    let mut lines = open(path, compression).map_err(ExportError::reading(path))?;
    let (mut line, mut number) = (Vec::new(), 0);
    while read_line(&mut lines, &mut line).map_err(ExportError::reading(path))? {
        number += 1;
        if !line.trim_ascii().is_empty() {
            take(number, article(&line))?;
        }
    }
    Ok(())
}

/// Reads the next line with its line end. Of a line above the limit, reads one byte more than the limit and
/// skips the rest. Returns `false` at the end of the file.
pub(super) fn read_line(lines: &mut dyn BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    let read = lines.take(LONGEST as u64 + 1).read_until(b'\n', line)?;
    if line.len() > LONGEST && line.last() != Some(&b'\n') {
        pass_over(lines)?;
    }
    Ok(read > 0)
}

fn pass_over(lines: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let buffer = lines.fill_buf()?;
        let (length, end) = (buffer.len(), buffer.iter().position(|byte| *byte == b'\n'));
        lines.consume(end.map_or(length, |at| at + 1));
        if end.is_some() || length == 0 {
            return Ok(());
        }
    }
}

pub(super) fn article(line: &[u8]) -> Result<Article, String> {
    if line.len() > LONGEST {
        return Err(format!("longer than {} MiB", LONGEST >> 20));
    }
    let fields: Fields = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let fetched = fields.fetched.as_deref().map(str::parse::<Timestamp>);
    Ok(Article {
        id: fields.id.ok_or("no field id")?.into_owned(),
        text: fields.text.ok_or("no field text")?,
        fetched: match fetched {
            Some(Ok(time)) => Some(time.as_microsecond()),
            Some(Err(error)) => return Err(format!("fetched: {error}")),
            None => None,
        },
    })
}
