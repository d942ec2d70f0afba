//! Reads a response and its request as the bytes that an archive file contains, to copy them to another file.

use std::io::{self, Read, Seek, SeekFrom};

use jiff::Timestamp;

use crate::{ArchiveReader, Item, Record};

/// Enough bytes of a block for the headers of a response.
const HEAD: usize = 1 << 16;

/// A `response` record and the `request` record that follows it, as compressed members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The members of both records, unchanged.
    pub members: Vec<u8>,
    /// The length in bytes of the member of the response, which is first.
    pub length: u64,
    /// The URL of the response.
    pub url: String,
    /// The time of the response.
    pub at: Timestamp,
    /// The HTTP status.
    pub status: u16,
    /// The media type of the body without parameters, in lower case. Empty if the response states none.
    pub media_type: String,
    /// The digest of the body, such as `sha1:ABC`. `None` if the record states none.
    pub digest: Option<String>,
}

impl Exchange {
    /// Reads the response whose member begins at `offset`, and its request.
    ///
    /// # Errors
    /// The file cannot be read, or at the offset there is no intact response. The error says which.
    pub fn read(file: &mut (impl Read + Seek), offset: u64) -> io::Result<Self> {
        let end_of_file = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(offset))?;
        let mut reader = ArchiveReader::new(&mut *file, HEAD)?;
        let response = match reader.next() {
            Some(item) => intact(item?)?,
            None => return Err(io::Error::other("the file ends before it")),
        };
        let next = reader.next().transpose()?;
        let response_end = next.as_ref().map_or(end_of_file, offset_of);
        if let (Some(request), Some(Item::Damage(damage))) =
            (response.header.get("WARC-Concurrent-To"), &next)
        {
            return Err(io::Error::other(format!("its request {request} is damaged: {}", damage.reason)));
        }
        let has_request = matches!(&next, Some(Item::Record(next)) if is_request_of(next, &response));
        let end = match has_request {
            true => reader.next().transpose()?.as_ref().map_or(end_of_file, offset_of),
            false => response_end,
        };
        drop(reader);
        if response_end == offset || (has_request && end == response_end) {
            return Err(io::Error::other("it shares a compressed member with another record"));
        }
        let mut members = Vec::new();
        file.seek(SeekFrom::Start(offset))?;
        file.take(end - offset).read_to_end(&mut members)?;
        describe(&response, members, response_end - offset)
    }
}

fn intact(item: Item) -> io::Result<Record> {
    match item {
        Item::Record(record) => Ok(record),
        Item::Damage(damage) => Err(io::Error::other(damage.reason)),
    }
}

const fn offset_of(item: &Item) -> u64 {
    match item {
        Item::Record(record) => record.offset,
        Item::Damage(damage) => damage.offset,
    }
}

fn is_request_of(next: &Record, response: &Record) -> bool {
    next.header.kind().as_deref() == Some("request")
        && next.header.get("WARC-Concurrent-To") == response.header.get("WARC-Record-ID")
}

fn describe(response: &Record, members: Vec<u8>, length: u64) -> io::Result<Exchange> {
    let missing = |what| io::Error::other(format!("it has no {what}"));
    let http = response.http().ok_or_else(|| missing("HTTP response"))?;
    let media_type = http.header("content-type").unwrap_or_default();
    Ok(Exchange {
        members,
        length,
        url: response.header.target().ok_or_else(|| missing("WARC-Target-URI"))?.to_owned(),
        at: response.header.date().ok_or_else(|| missing("WARC-Date"))?,
        status: http.status,
        media_type: media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase(),
        digest: response.header.get("WARC-Payload-Digest").map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::Capture;

    fn capture<'a>(url: &'a str, request: &'a [(String, String)]) -> Capture<'a> {
        Capture {
            url,
            at: "2026-11-21T02:00:00Z".parse().unwrap(),
            status: 200,
            headers: &[],
            body: b"<p>rain</p>",
            coded: None,
            is_cut: false,
            request,
            fields: &[],
        }
    }

    #[test]
    fn a_response_is_read_with_its_own_request_only() {
        let request = [("Host".to_owned(), "a.example".to_owned())];
        let mut file = Vec::new();
        let mut offsets = Vec::new();
        for (url, request) in [
            ("http://a.example/1", &request[..]),
            ("http://a.example/2", &[]),
            ("http://a.example/3", &request),
        ] {
            offsets.push(file.len() as u64);
            let one = capture(url, request);
            file.extend(one.response(one.digests().payload, 6));
        }
        offsets.push(file.len() as u64);
        for (at, number) in offsets.windows(2).zip(1..) {
            let found = Exchange::read(&mut Cursor::new(&file), at[0]).unwrap();
            assert_eq!(found.url, format!("http://a.example/{number}"));
            assert_eq!(found.members, &file[at[0] as usize..at[1] as usize]);
            assert_eq!(found.length < found.members.len() as u64, number != 2);
            assert_eq!((found.status, found.media_type.as_str()), (200, ""));
        }
        let mut damaged = file.clone();
        let request =
            offsets[0] as usize + Exchange::read(&mut Cursor::new(&file), 0).unwrap().length as usize;
        damaged[request + 40..request + 60].fill(0);
        let error = Exchange::read(&mut Cursor::new(&damaged), 0).unwrap_err();
        assert!(error.to_string().contains("is damaged"), "{error}");
        let error = Exchange::read(&mut Cursor::new(&file), offsets[1] + 1).unwrap_err();
        assert!(!error.to_string().is_empty());
        let error = Exchange::read(&mut Cursor::new(&file), offsets[3]).unwrap_err();
        assert_eq!(error.to_string(), "the file ends before it");
    }
}
