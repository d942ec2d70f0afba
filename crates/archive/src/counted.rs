//! A buffered reader that counts the bytes that were read.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

const BUFFER: usize = 256 << 10;

#[derive(Debug)]
pub(crate) struct CountingReader<R> {
    inner: BufReader<R>,
    pub(crate) at: u64,
}

impl<R: Read + Seek> CountingReader<R> {
    pub(crate) fn from_offset(mut source: R, at: u64) -> io::Result<Self> {
        source.seek(SeekFrom::Start(at))?;
        Ok(Self { inner: BufReader::with_capacity(BUFFER, source), at })
    }
}

impl<R> CountingReader<R> {
    pub(crate) fn into_inner(self) -> R
    where
        R: Read,
    {
        self.inner.into_inner()
    }
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl<R: Read> BufRead for CountingReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.at += count as u64;
        self.inner.consume(count);
    }
}

/// Whether the content of the file caused the error. `false` if the disk caused it.
pub(crate) fn is_of_the_bytes(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof
    )
}
