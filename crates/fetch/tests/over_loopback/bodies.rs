//! Tests bodies in each coding, complete and broken, over HTTP/1.1.

use std::io::Write;

use crate::server::{Answer, Server, answer, settings};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use gleaner_fetch::{Client, FetchError, ROBOTS_LIMIT, Request, RequestKind, RequestLease, Response};

const HTML: &str = "Content-Type: text/html";

fn text() -> Vec<u8> {
    "<p>Ch\u{e0}o b\u{1ea1}n".repeat(50).into_bytes()
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn zlib(body: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn deflate(body: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

fn zstd(body: &[u8]) -> Vec<u8> {
    zstd::encode_all(body, 3).unwrap()
}

/// Stores `text` uncompressed in a Brotli stream: one uncompressed meta-block and an empty last meta-block
/// (RFC 7932, 9.2).
fn brotli(text: &[u8]) -> Vec<u8> {
    let length = u32::try_from(text.len() - 1).unwrap();
    assert!(length < 1 << 16);
    let header = (length << 4 | 1 << 20).to_le_bytes();
    [&header[..3], text, &[3]].concat()
}

fn chunked(headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut out = b"HTTP/1.1 200 OK\r\n".to_vec();
    headers.iter().for_each(|header| write!(out, "{header}\r\n").unwrap());
    out.extend_from_slice(b"\r\n");
    let (first, second) = body.split_at(body.len() / 2);
    for chunk in [first, second] {
        write!(out, "{:x}\r\n", chunk.len()).unwrap();
        out.extend_from_slice(chunk);
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b"0\r\n\r\n");
    out
}

/// Returns a response without a length: its body ends when the connection closes.
fn unmeasured(headers: &[&str], body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\n{}\r\n\r\n", headers.join("\r\n"));
    [head.as_bytes(), body].concat()
}

async fn get(sets: &[&str], sent: Vec<u8>, want: RequestKind) -> Result<Response, FetchError> {
    let server = Server::always(sent).await;
    Client::new(&settings(sets))
        .unwrap()
        .get(&Request::new(server.url("/"), want), &RequestLease::unlimited())
        .await
}

async fn page(sent: Vec<u8>) -> Result<Response, FetchError> {
    get(&[], sent, RequestKind::Page).await
}

#[tokio::test]
async fn every_coding_is_undone() {
    let text = text();
    let (first, second) = text.split_at(100);
    let two_members = [gzip(first), gzip(second)].concat();
    for (coding, coded) in [
        ("gzip", gzip(&text)),
        ("x-gzip", gzip(&text)),
        ("GZIP", gzip(&text)),
        ("gzip", two_members.clone()),
        ("gzip", [gzip(&text), vec![0; 5]].concat()),
        ("deflate", zlib(&text)),
        ("deflate", deflate(&text)),
        ("zstd", zstd(&text)),
        ("zstd", [zstd(first), zstd(second)].concat()),
        ("br", brotli(&text)),
        ("gzip, br", brotli(&gzip(&text))),
        ("deflate,identity, gzip", gzip(&zlib(&text))),
        ("identity", text.clone()),
        ("", text.clone()),
        // These values contain words that are not codings.
        ("utf-8", text.clone()),
        ("none", text.clone()),
        ("gzip, utf-8", gzip(&text)),
    ] {
        let header = format!("Content-Encoding: {coding}");
        let headers = [HTML, header.as_str()];
        let chunks = [HTML, header.as_str(), "Transfer-Encoding: chunked"];
        for sent in
            [answer("200 OK", &headers, &coded), chunked(&chunks, &coded), unmeasured(&headers, &coded)]
        {
            let got = page(sent).await.unwrap();
            assert_eq!((got.body, got.is_cut), (text.clone(), false), "{coding}");
            let is_known = !["identity", "", "utf-8", "none", "gzip, utf-8"].contains(&coding);
            assert!(got.coded == is_known.then(|| coded.clone()), "{coding}");
        }
    }
    // The codings are listed in several header lines.
    let lines = [HTML, "Content-Encoding: gzip", "Content-Encoding: br"];
    let got = page(answer("200 OK", &lines, &brotli(&gzip(&text)))).await.unwrap();
    assert!(got.body == text && got.coded == Some(brotli(&gzip(&text))));
}

#[tokio::test]
async fn transfer_codings_are_undone_too() {
    let text = text();
    for (transfer, content, coded) in [
        ("gzip, chunked", "identity", gzip(&text)),
        ("x-gzip,chunked", "identity", gzip(&text)),
        ("deflate, chunked", "identity", deflate(&text)),
        ("gzip, chunked", "deflate", gzip(&zlib(&text))),
    ] {
        let (transfer, content) =
            (format!("Transfer-Encoding: {transfer}"), format!("Content-Encoding: {content}"));
        let got = page(chunked(&[HTML, &transfer, &content], &coded)).await.unwrap();
        assert_eq!((got.body, got.coded), (text.clone(), None), "{transfer} {content}");
    }
    let alone = unmeasured(&[HTML, "Transfer-Encoding: gzip"], &gzip(&text));
    assert_eq!(page(alone).await.unwrap().body, text);
}

#[tokio::test]
async fn an_empty_body_is_none_in_any_coding() {
    for coding in ["gzip", "deflate", "br", "zstd", "lz4"] {
        let header = format!("Content-Encoding: {coding}");
        let got = page(answer("200 OK", &[HTML, &header], b"")).await.unwrap();
        assert_eq!((got.body.len(), got.coded, got.is_cut), (0, None, false), "{coding}");
    }
}

#[tokio::test]
async fn a_body_that_ends_within_its_coding_is_a_broken_answer() {
    let text = text();
    for (coding, coded) in [
        ("gzip", gzip(&text)),
        ("deflate", zlib(&text)),
        ("deflate", deflate(&text)),
        ("zstd", zstd(&text)),
        ("br", brotli(&text)),
        ("gzip, br", brotli(&gzip(&text))),
    ] {
        let header = format!("Content-Encoding: {coding}");
        // A gzip member without its trailer of eight bytes is complete.
        let least = if coding == "gzip" { 9 } else { 1 };
        for cut in [least, coded.len() / 2] {
            let cut = &coded[..coded.len() - cut];
            // The `Content-Length` is right, so only the coding shows that the body is incomplete.
            let got = page(answer("200 OK", &[HTML, &header], cut)).await;
            assert!(matches!(got, Err(FetchError::Broken(_))), "{coding}: {got:?}");
            let got = page(unmeasured(&[HTML, &header], cut)).await;
            assert!(matches!(got, Err(FetchError::Broken(_))), "{coding}: {got:?}");
        }
    }
    let second_cut = [gzip(&text), gzip(&text)[..30].to_vec()].concat();
    let got = page(answer("200 OK", &[HTML, "Content-Encoding: gzip"], &second_cut)).await;
    assert!(matches!(got, Err(FetchError::Broken(_))), "{got:?}");
    let transfer = [HTML, "Transfer-Encoding: gzip, chunked"];
    let got = page(chunked(&transfer, &gzip(&text)[..30])).await;
    assert!(matches!(got, Err(FetchError::Broken(_))), "{got:?}");
}

#[tokio::test]
async fn text_that_is_labelled_as_compressed_is_read_as_it_is() {
    let binary = [&b"\0\x01\x02"[..], &[7; 400]].concat();
    for coding in ["gzip", "deflate", "br", "zstd", "gzip, br"] {
        let header = format!("Content-Encoding: {coding}");
        for text in ["<p>plain", "<!DOCTYPE html><html><p>Ch\u{e0}o</html>", &"<p>plain\n".repeat(900)] {
            let got = page(answer("200 OK", &[HTML, &header], text.as_bytes())).await.unwrap();
            assert_eq!((got.body.as_slice(), got.coded), (text.as_bytes(), None), "{coding}");
            // Not all of the text arrived.
            let sent =
                format!("HTTP/1.1 200 OK\r\n{HTML}\r\n{header}\r\nContent-Length: 99999\r\n\r\n<p>{text}");
            let got = page(sent.into_bytes()).await;
            assert_eq!(matches!(got, Err(FetchError::Broken(_))), !text.ends_with("</html>"), "{coding}");
        }
        let rules = b"User-agent: *\nDisallow: /secret/\n";
        let got = get(&[], answer("200 OK", &[&header], rules), RequestKind::Robots).await.unwrap();
        assert_eq!(got.body, rules, "{coding}");
        let got = page(answer("200 OK", &[HTML, &header], &binary)).await;
        assert!(matches!(got, Err(FetchError::Broken(_))), "{coding}: {got:?}");
    }
    let deep = page(answer("200 OK", &[HTML, "Content-Encoding: gzip,gzip,gzip,gzip,gzip"], b"x")).await;
    assert!(matches!(deep, Err(FetchError::Broken(_))), "{deep:?}");
}

#[tokio::test]
async fn a_coding_that_is_not_known_is_named() {
    let coded = b"\x04\x22\x4d\x18\x60\x40\x82\x00\x00\x00";
    for (coding, body) in [("lz4", coded.to_vec()), ("gzip, aes128gcm", coded.to_vec())] {
        let header = format!("Content-Encoding: {coding}");
        for want in [RequestKind::Page, RequestKind::Robots, RequestKind::List] {
            let error = get(&[], answer("200 OK", &[HTML, &header], &body), want).await.unwrap_err();
            let coding = coding.rsplit(", ").next().unwrap().to_owned();
            assert_eq!(error, FetchError::UnknownCoding { coding });
            assert_eq!((error.label(), error.is_transient()), ("unknown_coding", false));
        }
    }
}

fn measured(length: usize, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let length = format!("Content-Length: {length}");
    unmeasured(&[headers, &[&length]].concat(), body)
}

#[tokio::test]
async fn a_body_is_complete_if_its_coding_or_its_end_tag_shows_it() {
    let (half, gz) = (text(), "Content-Encoding: gzip");
    let whole = [&half[..], b"</html>\n"].concat();
    let chunks = chunked(&[HTML, "Transfer-Encoding: chunked"], &whole);
    for (name, sent, is_archived_coded) in [
        ("a length that is too large", measured(whole.len() + 10, &[HTML], &whole), false),
        ("no last chunk", chunks[..chunks.len() - 5].to_vec(), false),
        ("no end of a chunk", chunks[..chunks.len() - 7].to_vec(), false),
        ("the length of the text", measured(whole.len(), &[HTML, gz], &gzip(&whole)), true),
        ("a coded length that is too large", measured(9999, &[HTML, gz], &gzip(&half)), true),
        ("no trailer", measured(gzip(&half).len() - 8, &[HTML, gz], &gzip(&half)), false),
        ("a length that cuts the trailer", measured(gzip(&half).len() - 1, &[HTML, gz], &gzip(&half)), false),
        (
            "no end of deflate",
            measured(zlib(&whole).len() - 4, &[HTML, "Content-Encoding: deflate"], &zlib(&whole)),
            false,
        ),
    ] {
        let got = page(sent).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        let body = if got.body.ends_with(b"</html>\n") { &whole } else { &half };
        assert!(got.body == *body && !got.is_cut, "{name}");
        assert_eq!(got.coded.is_some(), is_archived_coded, "{name}");
    }
}

#[tokio::test]
async fn a_body_that_really_breaks_off_is_a_broken_answer() {
    let (text, gz) = (text(), "Content-Encoding: gzip");
    let chunks = chunked(&[HTML, "Transfer-Encoding: chunked"], &text);
    for (name, sent) in [
        ("a length that is too large", measured(text.len() + 1, &[HTML], &text)),
        ("no last chunk", chunks[..chunks.len() - 5].to_vec()),
        ("no body", measured(9, &[HTML], b"")),
        ("no coded body", measured(9, &[HTML, gz], b"")),
        ("half of the data", measured(9999, &[HTML, gz], &gzip(&text)[..30])),
        ("a length that cuts the data", measured(gzip(&text).len() - 9, &[HTML, gz], &gzip(&text))),
    ] {
        let got = page(sent).await;
        assert!(matches!(got, Err(FetchError::Broken(_))), "{name}: {got:?}");
    }
    // An uncoded body ends at its `Content-Length` (RFC 9112, 6.3). Only its text can show that it was longer.
    let got = page(measured(text.len() - 7, &[HTML], &text)).await.unwrap();
    assert_eq!(got.body, text[..text.len() - 7]);
    let begun = [b"<html>", &text[..]].concat();
    let got = page(measured(text.len() - 7, &[HTML], &begun)).await;
    assert!(matches!(got, Err(FetchError::Broken(_))), "{got:?}");
    // The coding has an end of its own, and a minified page may end within its text.
    let got = page(measured(gzip(&begun).len(), &[HTML, gz], &gzip(&begun))).await.unwrap();
    assert_eq!(got.body, begun);
}

#[tokio::test]
async fn a_transfer_that_stalls_after_the_end_tag_is_complete() {
    for (body, is_complete) in [("<p>Rain</html>", true), ("<p>Rain", false)] {
        let sent = measured(99, &[HTML], body.as_bytes());
        let server = Server::start(move |_| Answer::Stall(sent.clone())).await;
        let client = Client::new(&settings(&["fetch.timeout=300ms"])).unwrap();
        let request = Request::new(server.url("/"), RequestKind::Page);
        let got = client.get(&request, &RequestLease::unlimited()).await;
        assert_eq!(got.is_ok(), is_complete, "{got:?}");
        assert!(is_complete || matches!(got, Err(FetchError::Timeout { .. })), "{got:?}");
    }
}

#[tokio::test]
async fn a_206_is_complete_only_with_the_whole_range() {
    let text = text();
    let of = |headers: &[&str]| answer("206 Partial Content", &[&[HTML], headers].concat(), &text);
    let (part, whole) = (
        format!("Content-Range: bytes 0-{}/9999", text.len() - 1),
        format!("Content-Range: bytes 0-{}/{}", text.len() - 1, text.len()),
    );
    for kind in [RequestKind::Page, RequestKind::Robots, RequestKind::List] {
        for sent in [of(&[]), of(&[&part])] {
            let got = get(&[], sent, kind).await;
            assert!(matches!(got, Err(FetchError::Broken(_))), "{got:?}");
        }
        assert_eq!(get(&[], of(&[&whole]), kind).await.unwrap().body, text);
    }
}

#[tokio::test]
async fn a_bomb_is_cut_off_at_the_limit() {
    let spaces = vec![b' '; 20 << 20];
    for (coding, bomb) in [
        ("gzip", gzip(&spaces)),
        ("deflate", zlib(&spaces)),
        ("zstd", zstd(&spaces)),
        ("gzip, gzip", gzip(&gzip(&spaces))),
    ] {
        assert!(bomb.len() < 64 << 10);
        let header = format!("Content-Encoding: {coding}");
        let sent = answer("200 OK", &[HTML, &header], &bomb);
        let error = get(&["fetch.max_page=1MiB"], sent.clone(), RequestKind::Page).await.unwrap_err();
        assert_eq!(error, FetchError::TooLarge { limit: 1 << 20 }, "{coding}");
        let robots = get(&[], sent, RequestKind::Robots).await.unwrap();
        assert_eq!((robots.body.len(), robots.is_cut), (ROBOTS_LIMIT, true), "{coding}");
    }
}

#[tokio::test]
async fn a_body_that_never_gives_anything_ends_too() {
    let head = unmeasured(&[HTML, "Content-Encoding: zstd"], b"");
    // A skippable frame of 4,096 bytes (RFC 8878, 3.1.2).
    let frame = [&[0x50, 0x2a, 0x4d, 0x18, 0, 16, 0, 0][..], &[0; 4096]].concat();
    let server = Server::start(move |_| Answer::Endless(head.clone(), frame.clone())).await;
    let client = Client::new(&settings(&["fetch.max_page=1MiB"])).unwrap();
    let error = client
        .get(&Request::new(server.url("/"), RequestKind::Page), &RequestLease::unlimited())
        .await
        .unwrap_err();
    assert_eq!(error, FetchError::TooLarge { limit: 1 << 20 });
}

#[tokio::test]
async fn a_refusal_in_a_broken_coding_is_an_answer() {
    let got = page(answer("404 Not Found", &["Content-Encoding: gzip"], &gzip(&text())[..30])).await.unwrap();
    assert_eq!((got.status, got.is_cut), (404, true));
    let got = page(answer("403 Forbidden", &["Content-Encoding: gzip"], &gzip(b"no"))).await.unwrap();
    assert_eq!((got.status, got.body.as_slice(), got.is_cut), (403, b"no".as_slice(), false));
}
