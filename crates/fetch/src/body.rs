//! Decodes a body while it arrives, and enforces its size limit.
//!
//! The HTTP library decodes only `chunked`, so this module decodes all other codings. Requests do not offer
//! other transfer codings. If a server uses one anyway, it is decoded like a content coding.
//!
//! [`is_complete`] decides whether a body is complete, also if its transfer broke off.
//!
//! Some servers write values into `Content-Encoding` that are not codings (`utf-8`, `none`, `text/html`). If the
//! body is text, an unknown coding is ignored, as in browsers. Otherwise the result is
//! [`FetchError::UnknownCoding`]. Other servers state a coding and send plain text. It is used as it is.
//!
//! Limitation: a `Content-Length` that is too small cuts an uncoded body without an error. The library treats
//! the remaining bytes as the next response and closes the connection, but does not report them. Only the end of a
//! page can show that it was cut (`gleaner_http::coding::breaks_off`).

use gleaner_http::coding::{Coding, CodingEnd, DecodeError, Decoder, gunzip, is_complete, listed};

use crate::error::FetchError;

const MAX_CODINGS: usize = 4;
/// Number of bytes that are examined to detect text (WHATWG MIME Sniffing).
const SNIFFED: usize = 1445;

#[derive(Debug)]
pub(crate) struct Codings {
    decoder: Decoder,
    /// Whether the body is decoded when it is complete ([`gunzip`]), and not piece by piece.
    at_once: bool,
    unknown: Option<String>,
    /// Why the body, which is text, does not have its coding.
    mislabelled: Option<String>,
    received: Option<Vec<u8>>,
    /// Number of bytes received so far, before decoding.
    came: usize,
    limit: usize,
}

impl Codings {
    /// Reads the codings from a response's headers. `limit` is the maximum size of the body in bytes, both as
    /// received and after decoding. `keeps_part` is true if the caller uses the decoded part of an incomplete
    /// or too large body.
    pub(crate) fn from_headers(
        headers: &[(String, String)],
        limit: u64,
        keeps_part: bool,
    ) -> Result<Self, FetchError> {
        let mut names = listed(headers, "content-encoding");
        let content = names.len();
        names.extend(listed(headers, "transfer-encoding").into_iter().filter(|name| name != "chunked"));
        if names.len() > MAX_CODINGS {
            return Err(FetchError::Broken(format!("more than {MAX_CODINGS} codings")));
        }
        let known: Vec<Coding> = names.iter().filter_map(|name| Coding::from_name(name)).collect();
        let is_content = !names.is_empty() && names.len() == content && known.len() == content;
        let unknown = names.into_iter().find(|name| Coding::from_name(name).is_none());
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let received = is_content.then(Vec::new);
        let at_once = is_content && known == [Coding::Gzip] && !keeps_part;
        Ok(Self {
            decoder: Decoder::new(&known),
            at_once,
            unknown,
            mislabelled: None,
            received,
            came: 0,
            limit,
        })
    }

    /// Decodes the next piece into `body`, or keeps it until the body is complete. Returns `false` if the limit
    /// is exceeded.
    pub(crate) fn push(&mut self, piece: &[u8], body: &mut Vec<u8>) -> Result<bool, FetchError> {
        self.came = self.came.saturating_add(piece.len());
        if let Some(received) = &mut self.received {
            received.extend_from_slice(piece);
        }
        // A body that is not gzip, although its header says so, fails at its first byte.
        self.at_once &= self.came > piece.len() || piece.first() == Some(&0x1f);
        let fits = self.at_once || self.decode(piece, body)?;
        // Endless empty gzip members or frames have no output, so the number of received bytes is limited too.
        Ok(fits && self.came <= self.limit)
    }

    fn decode(&mut self, piece: &[u8], body: &mut Vec<u8>) -> Result<bool, FetchError> {
        match self.decoder.push(piece, body, self.limit) {
            Ok(()) => Ok(true),
            Err(DecodeError::Full) => Ok(false),
            Err(DecodeError::Broken(reason)) => self.read_plain(reason, body),
        }
    }

    /// Reads the body without its coding if the received bytes are text. `reason` says why they do not have the
    /// coding. Further pieces are read in the same way.
    fn read_plain(&mut self, reason: String, body: &mut Vec<u8>) -> Result<bool, FetchError> {
        match self.received.take() {
            Some(received) if is_text(&received) => {
                body.clear();
                (self.decoder, self.mislabelled) = (Decoder::new(&[]), Some(reason));
                self.decode(&received, body)
            }
            _ => Err(self.broken(reason)),
        }
    }

    /// Decodes what is not yet decoded into `body`, and checks that the body is complete. `transfer` is the error
    /// with which the transfer broke off. Returns the received bytes if the body has a content coding and its
    /// data and checksums are there, so that every reader can decode them. Otherwise returns `None`, also if the
    /// body has a transfer coding.
    pub(crate) fn finish(
        mut self,
        transfer: Result<(), FetchError>,
        body: &mut Vec<u8>,
    ) -> Result<Option<Vec<u8>>, FetchError> {
        if self.at_once {
            let received = self.received.take().unwrap_or_default();
            if let Some(decoded) = gunzip(&received, self.limit) {
                *body = decoded;
                return Ok(Some(received));
            }
            if !self.decode(&received, body)? {
                return Err(FetchError::TooLarge { limit: self.limit as u64 });
            }
            self.received = Some(received);
        }
        let end = self.decoder.end(self.received.as_deref().unwrap_or_default(), body);
        if !is_complete(transfer.is_ok(), end, body) {
            transfer?;
            return Err(self.broken("the body ends within its coding".into()));
        }
        match (self.unknown, self.mislabelled) {
            (Some(coding), _) if !is_text(body) => {
                Err(FetchError::UnknownCoding { coding: shortened(&coding) })
            }
            (_, Some(reason)) if !is_text(body) => Err(FetchError::Broken(reason)),
            _ => Ok(self.received.filter(|_| end == CodingEnd::Whole)),
        }
    }

    fn broken(&self, reason: String) -> FetchError {
        match &self.unknown {
            Some(coding) => FetchError::UnknownCoding { coding: shortened(coding) },
            None => FetchError::Broken(reason),
        }
    }
}

fn shortened(coding: &str) -> String {
    coding.chars().take(50).collect()
}

/// Whether the bytes are text, which means that they begin with a byte order mark or contain no binary
/// control character (WHATWG MIME Sniffing, 7.2).
fn is_text(body: &[u8]) -> bool {
    let is_binary = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    let has_mark =
        [&[0xfe, 0xff][..], &[0xff, 0xfe], &[0xef, 0xbb, 0xbf]].iter().any(|mark| body.starts_with(mark));
    has_mark || !body.iter().take(SNIFFED).any(is_binary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_the_rest() {
        for text in [&b""[..], b"<p>Ch\xc3\xa0o\r\n\t", b"\xff\xfe<\0p\0", b"\x1b(Bab"] {
            assert!(is_text(text), "{text:?}");
        }
        for other in [&b"BZh91AY&SY\x01\x02"[..], b"a\0b", b"\x04\x22\x4d\x18"] {
            assert!(!is_text(other), "{other:?}");
        }
    }

    #[test]
    fn a_gzip_body_that_is_decoded_at_once_has_the_same_limits() {
        // 20 letters "a" as a gzip member (RFC 1952), made with `gzip -n`.
        let coded = [
            0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x4b, 0x4c, 0xc4, 0x04, 0x00, 0xce,
            0x8b, 0x6f, 0x26, 0x14, 0x00, 0x00, 0x00,
        ];
        let headers = [("Content-Encoding".to_owned(), "gzip".to_owned())];
        let read = |coded: &[u8], limit| {
            let (mut codings, mut body) =
                (Codings::from_headers(&headers, limit, false).unwrap(), Vec::new());
            for piece in coded.chunks(7) {
                if !codings.push(piece, &mut body)? {
                    return Err(FetchError::TooLarge { limit });
                }
            }
            codings.finish(Ok(()), &mut body).map(|received| (body, received))
        };
        let (body, received) = read(&coded, 23).unwrap();
        assert_eq!((body, received), (vec![b'a'; 20], Some(coded.to_vec())));
        for limit in [19, 22] {
            assert!(matches!(read(&coded, limit), Err(FetchError::TooLarge { .. })), "{limit}");
        }
        for broken in [&coded[..14][..], &[0x1f, 0x8b, 9, 0, 0, 0, 0, 0]] {
            assert!(matches!(read(broken, 100), Err(FetchError::Broken(_))), "{broken:?}");
        }
        // Without the trailer, no reader of the archive could check the data, so they are archived decoded.
        assert_eq!(read(&coded[..15], 100).unwrap(), (vec![b'a'; 20], None));
    }

    #[test]
    fn codings_without_end_are_broken() {
        let header = |value: &str| vec![("Content-Encoding".to_owned(), value.to_owned())];
        assert!(Codings::from_headers(&header("gzip, gzip, gzip, gzip"), 9, false).is_ok());
        assert!(Codings::from_headers(&header(&"gzip,".repeat(5)), 9, false).is_err());
    }
}
