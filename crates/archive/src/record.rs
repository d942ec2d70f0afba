//! Defines the items of a WARC file: records and damage.

use crate::{Digest, Header, HttpMessage};

/// A record of a WARC file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The offset in bytes of the record, or of the gzip member or Zstandard frame that contains it.
    pub offset: u64,
    /// The named fields of the record.
    pub header: Header,
    /// The beginning of the record's block, up to the reader's limit.
    pub block: Vec<u8>,
    /// Whether the whole block is longer than [`Self::block`].
    pub is_cut: bool,
}

/// A part of a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The offset in bytes of the damaged record, or of the gzip member or Zstandard frame that contains it.
    pub offset: u64,
    /// Why this part cannot be read.
    pub reason: String,
    /// Whether no record follows, as in a truncated file.
    pub is_last: bool,
}

/// A record, or a part of a file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// An intact record.
    Record(Record),
    /// A part that cannot be read. Reading continues after it, unless [`Damage::is_last`] is set.
    Damage(Damage),
}

impl Record {
    /// Returns the HTTP response in the block. Returns `None` if the type of the record is not `response` or
    /// `revisit`, its `Content-Type` is not `application/http`, or the block does not begin with a status
    /// line.
    #[must_use]
    pub fn http(&self) -> Option<HttpMessage<'_>> {
        let is_http = self
            .header
            .get("Content-Type")
            .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("application/http"));
        let is_answer = matches!(self.header.kind().as_deref(), Some("response" | "revisit"));
        (is_http && is_answer).then(|| HttpMessage::parse(&self.block)).flatten()
    }

    /// Returns the reason for an incomplete block that the record states (WARC 1.1, 5.13). Returns
    /// `segmented` for a segment of a record, because the reader does not join segments (WARC 1.1, 7).
    /// Returns `None` if the record states no reason.
    #[must_use]
    pub fn truncated(&self) -> Option<&'static str> {
        if self.header.get("WARC-Segment-Number").is_some() {
            return Some("segmented");
        }
        let stated = self.header.get("WARC-Truncated")?;
        let known = ["length", "time", "disconnect"];
        Some(known.into_iter().find(|known| stated.eq_ignore_ascii_case(known)).unwrap_or("unspecified"))
    }

    /// Checks the SHA-1 digests that the record states for its block and its payload. If the block is cut
    /// ([`Self::is_cut`]), nothing is checked. The digest of the payload is checked only in `response` and
    /// `resource` records that have no codings and no segments.
    ///
    /// # Errors
    /// A digest differs. The message contains both digests.
    pub fn check(&self) -> Result<(), String> {
        if self.is_cut {
            return Ok(());
        }
        let payload = self.plain_payload();
        let parts = [
            ("block", "WARC-Block-Digest", Some(self.block.as_slice())),
            ("payload", "WARC-Payload-Digest", payload),
        ];
        for (what, field, bytes) in parts {
            let stated = self.header.get(field).and_then(Digest::from_label);
            let Some((stated, bytes)) = stated.zip(bytes) else { continue };
            let found = Digest::from_content(bytes);
            if stated != found {
                return Err(format!("its {what} has the digest {found}, but {stated} is stated"));
            }
        }
        Ok(())
    }

    fn plain_payload(&self) -> Option<&[u8]> {
        if self.header.get("WARC-Segment-Number").is_some() {
            return None;
        }
        match self.header.kind().as_deref() {
            Some("resource") => Some(&self.block),
            Some("response") => {
                let message = self.http()?;
                let is_coded = ["content-encoding", "transfer-encoding"]
                    .iter()
                    .any(|name| message.header(name).is_some());
                (!is_coded).then_some(message.coded)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(fields: &str, block: &[u8]) -> Record {
        let header = Header::parse(fields.as_bytes());
        Record { offset: 0, header, block: block.to_vec(), is_cut: false }
    }

    #[test]
    fn a_writer_says_that_a_block_is_not_whole() {
        let cases = [
            ("WARC-Type: response", None),
            ("WARC-Truncated: length", Some("length")),
            ("WARC-Truncated: Time", Some("time")),
            ("warc-truncated: disconnect", Some("disconnect")),
            ("WARC-Truncated: unspecified", Some("unspecified")),
            ("WARC-Truncated: ", Some("unspecified")),
            ("WARC-Truncated: future-reason", Some("unspecified")),
            ("WARC-Segment-Number: 1", Some("segmented")),
        ];
        for (field, expected) in cases {
            assert_eq!(record(field, b"").truncated(), expected, "{field}");
        }
    }

    #[test]
    fn block_and_payload_are_held_to_their_digests() {
        let (right, wrong) = (Digest::from_content(b"rain"), Digest::from_content(b"snow"));
        let (http, is_http) = (b"HTTP/1.1 200 OK\r\n\r\nrain".as_slice(), "Content-Type: application/http");
        let block = Digest::from_content(http);
        let cases = [
            (
                format!(
                    "WARC-Type: response\n{is_http}\nWARC-Block-Digest: {block}\nWARC-Payload-Digest: {right}"
                ),
                true,
            ),
            (
                format!(
                    "WARC-Type: response\n{is_http}\nWARC-Block-Digest: {block}\nWARC-Payload-Digest: {wrong}"
                ),
                false,
            ),
            (
                format!(
                    "WARC-Type: response\n{is_http}\nWARC-Block-Digest: {right}\nWARC-Payload-Digest: {right}"
                ),
                false,
            ),
            (
                format!(
                    "WARC-Type: revisit\n{is_http}\nWARC-Block-Digest: {block}\nWARC-Payload-Digest: {wrong}"
                ),
                true,
            ),
            (format!("WARC-Type: request\n{is_http}\nWARC-Block-Digest: {wrong}"), false),
            (format!("WARC-Type: resource\nWARC-Payload-Digest: {block}"), true),
            (format!("WARC-Type: resource\nWARC-Payload-Digest: {right}"), false),
            (format!("WARC-Type: resource\nWARC-Segment-Number: 1\nWARC-Payload-Digest: {right}"), true),
            ("WARC-Type: response\nWARC-Block-Digest: md5:0".into(), true),
        ];
        for (fields, is_right) in cases {
            assert_eq!(record(&fields, http).check().is_ok(), is_right, "{fields}");
        }
    }
}
