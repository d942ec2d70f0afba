//! Decodes a complete gzip body in one call of libdeflate, which is faster than decoding it piece by piece.

use libdeflater::{Crc, Decompressor};

/// The first bytes of a gzip member that is compressed with deflate (RFC 1952, 2.3.1).
const MEMBER: [u8; 3] = [0x1f, 0x8b, 8];

/// The maximum ratio of deflate: 258 bytes from 2 bits.
const MAX_RATIO: usize = 1_032;

/// Decodes a complete gzip body that has one member and at most `limit` bytes after decoding.
///
/// Returns `None` for every other body: longer, damaged, incomplete, or possibly with several members or with
/// bytes after its end. [`Decoder`](crate::coding::Decoder) decodes these bodies, or reports what is wrong. The memory is at most `limit`, and at most 1,032 times the length of `coded`.
#[must_use]
pub fn gunzip(coded: &[u8], limit: usize) -> Option<Vec<u8>> {
    let rest = coded.strip_prefix(&MEMBER)?;
    // libdeflate ignores all that follows the first member.
    if memchr::memmem::find(rest, &MEMBER).is_some() {
        return None;
    }
    let stated = u32::from_le_bytes(*coded.last_chunk()?) as usize;
    if stated > limit || stated / MAX_RATIO > coded.len() {
        return None;
    }
    let mut body = vec![0; stated];
    let written = Decompressor::new().gzip_decompress(coded, &mut body).ok()?;
    (written == stated).then_some(body)
}

/// Whether `coded` is a gzip body of one member that lacks only its trailer, or the end of its trailer, and
/// decodes to `body`.
pub(crate) fn lacks_only_trailer(coded: &[u8], body: &[u8]) -> bool {
    let Ok(length) = u32::try_from(body.len()) else { return false };
    let mut checksum = Crc::new();
    checksum.update(body);
    let trailer = [checksum.sum().to_le_bytes(), length.to_le_bytes()].concat();
    let mut there = (0..trailer.len()).filter(|there| coded.ends_with(&trailer[..*there]));
    there.any(|there| gunzip(&[coded, &trailer[there..]].concat(), body.len()).is_some())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;
    use crate::coding::{Coding, CodingEnd, Decoder};

    const TEXT: &[u8] = b"Rain fell on the valley for the third day in a row.";

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_complete_member_is_decoded_up_to_the_limit() {
        for text in [TEXT.repeat(2_000), TEXT.to_vec(), Vec::new()] {
            let coded = gzip(&text);
            assert_eq!(gunzip(&coded, text.len()).as_ref(), Some(&text));
            assert_eq!(gunzip(&coded, text.len().wrapping_sub(1)).is_some(), text.is_empty());
        }
    }

    #[test]
    fn all_other_bodies_are_left_to_the_decoder() {
        let coded = gzip(TEXT);
        let mut flipped = coded.clone();
        flipped[coded.len() - 8] ^= 1;
        let mut huge = coded.clone();
        huge.splice(coded.len() - 4.., u32::MAX.to_le_bytes());
        for other in [
            [coded.clone(), coded.clone()].concat(),
            [&coded[..], b"\0\0\0\0"].concat(),
            coded[..coded.len() - 1].to_vec(),
            flipped,
            huge,
            b"<p>plain".to_vec(),
            MEMBER.to_vec(),
            Vec::new(),
        ] {
            assert_eq!(gunzip(&other, usize::MAX), None, "{other:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn damaged_bodies_have_the_result_of_the_decoder(
            text in proptest::collection::vec(any::<u8>(), 0..300),
            at in any::<proptest::sample::Index>(),
            bit in 0u8..8,
            behind in proptest::collection::vec(any::<u8>(), 0..6),
        ) {
            let mut coded = gzip(&text);
            let length = coded.len();
            coded[at.index(length)] ^= 1 << bit;
            coded.extend(behind);
            if let Some(body) = gunzip(&coded, 1_000) {
                let (mut decoder, mut expected) = (Decoder::new(&[Coding::Gzip]), Vec::new());
                prop_assert_eq!(decoder.push(&coded, &mut expected, 1_000), Ok(()));
                prop_assert_eq!(decoder.end(&coded, &expected), CodingEnd::Whole);
                prop_assert_eq!(body, expected);
            }
        }
    }
}
