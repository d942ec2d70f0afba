//! Implements a minimal HTTP/2 server (RFC 9113), for tests that end connections and streams in various ways.
//!
//! Frames are written as bytes, so that a test controls their timing. Header blocks are literals without
//! indexing (RFC 7541, 6.2.2), which every decoder can read. Requests are stored undecoded.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::tls::Stream;

/// The error code `NO_ERROR` (RFC 9113, 7).
pub const NO_ERROR: u32 = 0;
/// The error code `INTERNAL_ERROR`.
pub const INTERNAL_ERROR: u32 = 2;
/// The error code `REFUSED_STREAM`.
pub const REFUSED_STREAM: u32 = 7;
/// The error code `CANCEL`.
pub const CANCEL: u32 = 8;
/// The error code `ENHANCE_YOUR_CALM`.
pub const ENHANCE_YOUR_CALM: u32 = 11;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;

/// The frame size that every peer must accept (RFC 9113, 4.2).
const MAX_FRAME: usize = 16_384;

/// The server's side of an HTTP/2 connection.
#[derive(Debug)]
pub struct Http2 {
    stream: Stream,
}

/// A request on one stream.
#[derive(Debug)]
pub struct Http2Request {
    /// The stream's number: 1, 3, 5 and so on.
    pub stream: u32,
    /// The header block as received, in HPACK with Huffman codes.
    pub block: Vec<u8>,
}

impl Http2 {
    /// Reads the client's preface and sends the server's preface. Returns `None` if the connection ended.
    pub async fn accept(mut stream: Stream) -> Option<Self> {
        let mut preface = [0; 24];
        stream.read_exact(&mut preface).await.ok()?;
        let mut http2 = Self { stream };
        http2.send(SETTINGS, 0, 0, &[]).await;
        Some(http2)
    }

    /// Returns the next request, or `None` if the connection ended. Acknowledges settings, and ignores all
    /// other frames.
    pub async fn next(&mut self) -> Option<Http2Request> {
        loop {
            let mut head = [0; 9];
            self.stream.read_exact(&mut head).await.ok()?;
            let mut body = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
            self.stream.read_exact(&mut body).await.ok()?;
            match (head[3], head[4]) {
                (SETTINGS, flags) if flags & ACK == 0 => self.send(SETTINGS, ACK, 0, &[]).await,
                (HEADERS, _) => {
                    let stream = u32::from_be_bytes([head[5] & 0x7f, head[6], head[7], head[8]]);
                    return Some(Http2Request { stream, block: body });
                }
                _ => {}
            }
        }
    }

    /// Sends the headers of a response. `is_end` means that the response has no body.
    pub async fn headers(&mut self, stream: u32, status: u16, headers: &[(&str, &str)], is_end: bool) {
        let status = status.to_string();
        let mut block = Vec::new();
        for (name, value) in [(":status", status.as_str())].iter().chain(headers) {
            block.push(0);
            literal(&mut block, name);
            literal(&mut block, value);
        }
        let pieces: Vec<&[u8]> = block.chunks(MAX_FRAME).collect();
        for (at, piece) in pieces.iter().enumerate() {
            let kind = if at == 0 { HEADERS } else { CONTINUATION };
            let end = if is_end && at == 0 { END_STREAM } else { 0 };
            let last = if at + 1 == pieces.len() { END_HEADERS } else { 0 };
            self.send(kind, end | last, stream, piece).await;
        }
    }

    /// Sends a piece of a response's body, at most 16 KiB. `is_end` means that this is the last piece.
    pub async fn data(&mut self, stream: u32, body: &[u8], is_end: bool) {
        self.send(DATA, if is_end { END_STREAM } else { 0 }, stream, body).await;
    }

    /// Resets one stream with the error code `code`.
    pub async fn reset(&mut self, stream: u32, code: u32) {
        self.send(RST_STREAM, 0, stream, &code.to_be_bytes()).await;
    }

    /// Announces that streams after `last` will not be processed (GOAWAY). `code` is the error code.
    pub async fn go_away(&mut self, last: u32, code: u32) {
        self.send(GOAWAY, 0, 0, &[last.to_be_bytes(), code.to_be_bytes()].concat()).await;
    }

    async fn send(&mut self, kind: u8, flags: u8, stream: u32, body: &[u8]) {
        let length = u32::try_from(body.len()).expect("a frame is short").to_be_bytes();
        let mut frame = vec![length[1], length[2], length[3], kind, flags];
        frame.extend(stream.to_be_bytes());
        frame.extend(body);
        let _ = self.stream.write_all(&frame).await;
        let _ = self.stream.flush().await;
    }
}

fn literal(block: &mut Vec<u8>, text: &str) {
    let mut length = text.len();
    if length < 127 {
        block.push(u8::try_from(length).expect("less than 127"));
    } else {
        block.push(127);
        length -= 127;
        while length >= 128 {
            block.push(u8::try_from(length % 128).expect("less than 128") | 128);
            length /= 128;
        }
        block.push(u8::try_from(length).expect("less than 128"));
    }
    block.extend(text.as_bytes());
}
