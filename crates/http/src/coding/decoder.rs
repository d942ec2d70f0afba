//! Decodes a body with several codings, piece by piece as it arrives.

use thiserror::Error;

use crate::coding::gunzip::lacks_only_trailer;
use crate::coding::stage::Stage;
use crate::coding::{Coding, CodingEnd};

/// Maximum number of bytes that one decoder stage passes to the next in one step.
const BUFFER: usize = 8 << 10;

/// Why decoding stopped. The output up to that point is kept.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The output exceeds the limit.
    #[error("longer than the limit")]
    Full,
    /// The input is not encoded correctly.
    #[error("{0}")]
    Broken(String),
}

/// Decodes the codings of one body.
#[derive(Debug)]
pub struct Decoder {
    /// One stage for each coding. The first stage decodes the coding that was applied last.
    stages: Vec<Stage>,
}

impl Decoder {
    /// Creates a decoder. `codings` are in the order in which the server applied them.
    #[must_use]
    pub fn new(codings: &[Coding]) -> Self {
        Self { stages: codings.iter().rev().map(|coding| Stage::new(*coding)).collect() }
    }

    /// Decodes the next piece of input and appends the output to `body`. `limit` is the maximum length of `body`.
    ///
    /// # Errors
    /// The output exceeds the limit, or the piece is not encoded correctly. Do not call `push` after an error.
    pub fn push(&mut self, piece: &[u8], body: &mut Vec<u8>, limit: usize) -> Result<(), DecodeError> {
        feed(&mut self.stages, piece, body, limit)
    }

    /// Returns how the codings end. `coded` is everything that was pushed, and `body` is the whole output. If
    /// `coded` is unknown, it may be empty. Then a missing trailer is not distinguished from missing data.
    #[must_use]
    pub fn end(&self, coded: &[u8], body: &[u8]) -> CodingEnd {
        let end = self.stages.iter().map(Stage::end).max().unwrap_or_default();
        let is_gzip = matches!(self.stages.as_slice(), [stage] if stage.is_gzip());
        if end == CodingEnd::Cut && is_gzip && lacks_only_trailer(coded, body) {
            return CodingEnd::WithoutTrailer;
        }
        end
    }
}

fn feed(stages: &mut [Stage], mut piece: &[u8], body: &mut Vec<u8>, limit: usize) -> Result<(), DecodeError> {
    let Some((stage, rest)) = stages.split_first_mut() else {
        let room = limit.saturating_sub(body.len());
        body.extend_from_slice(&piece[..piece.len().min(room)]);
        return if piece.len() > room { Err(DecodeError::Full) } else { Ok(()) };
    };
    let mut buffer = vec![0; BUFFER];
    loop {
        let (read, written) = stage.step(piece, &mut buffer).map_err(DecodeError::Broken)?;
        piece = &piece[read..];
        feed(rest, &buffer[..written], body, limit)?;
        // If the buffer is full, the stage may have more output, so it is called again.
        if written < BUFFER && (piece.is_empty() || read + written == 0) {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    const TEXT: &[u8] = b"Rain fell on the valley for the third day in a row.";
    const ALL: [Coding; 4] = [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd];

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn deflate(body: &[u8]) -> Vec<u8> {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn coded(coding: Coding, body: &[u8]) -> Vec<u8> {
        match coding {
            Coding::Gzip => gzip(body),
            Coding::Deflate => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(body).unwrap();
                encoder.finish().unwrap()
            }
            Coding::Brotli => {
                let mut coded = Vec::new();
                brotli::CompressorReader::new(body, 4096, 5, 20).read_to_end(&mut coded).unwrap();
                coded
            }
            Coding::Zstd => zstd::encode_all(body, 1).unwrap(),
        }
    }

    /// Passes `coded` to a decoder in pieces of `size` bytes. Returns the output, and whether all data are there.
    fn decoded(
        codings: &[Coding],
        coded: &[u8],
        size: usize,
        limit: usize,
    ) -> Result<(Vec<u8>, bool), DecodeError> {
        let (mut decoder, mut body) = (Decoder::new(codings), Vec::new());
        for piece in coded.chunks(size) {
            decoder.push(piece, &mut body, limit)?;
        }
        let end = decoder.end(coded, &body);
        Ok((body, matches!(end, CodingEnd::None | CodingEnd::Whole)))
    }

    #[test]
    fn what_is_coded_is_decoded_in_pieces_of_any_size() {
        let text = TEXT.repeat(2_000);
        for coding in ALL {
            for size in [1, 7, 1 << 10, 1 << 20] {
                let got = decoded(&[coding], &coded(coding, &text), size, text.len());
                assert_eq!(got, Ok((text.clone(), true)), "{coding:?} in pieces of {size}");
            }
        }
        assert_eq!(decoded(&[], TEXT, 5, 100), Ok((TEXT.to_vec(), true)));
    }

    #[test]
    fn codings_in_a_row_are_undone_from_the_last() {
        let both = coded(Coding::Brotli, &gzip(TEXT));
        for size in [1, 1000] {
            let got = decoded(&[Coding::Gzip, Coding::Brotli], &both, size, 100);
            assert_eq!(got, Ok((TEXT.to_vec(), true)));
        }
    }

    #[test]
    fn several_members_and_frames_are_one_body() {
        let twice = [TEXT, TEXT].concat();
        for (coding, coded) in [
            (Coding::Gzip, [gzip(TEXT), gzip(b""), gzip(TEXT)].concat()),
            (Coding::Zstd, [coded(Coding::Zstd, TEXT), coded(Coding::Zstd, TEXT)].concat()),
        ] {
            for size in [1, 10, 1000] {
                assert_eq!(decoded(&[coding], &coded, size, 1000), Ok((twice.clone(), true)), "{coding:?}");
            }
        }
        let endless = gzip(b"").repeat(10_001);
        assert!(matches!(decoded(&[Coding::Gzip], &endless, 1000, 1000), Err(DecodeError::Broken(_))));
    }

    #[test]
    fn deflate_without_zlib_is_read() {
        assert_eq!(decoded(&[Coding::Deflate], &deflate(TEXT), 1, 100), Ok((TEXT.to_vec(), true)));
    }

    #[test]
    fn what_follows_the_end_is_ignored() {
        for coding in [Coding::Gzip, Coding::Deflate, Coding::Brotli] {
            for behind in [&b"\0\0\0"[..], b"\r\n", b"<!-- cached -->"] {
                let coded = [&coded(coding, TEXT), behind].concat();
                for size in [1, 1000] {
                    assert_eq!(
                        decoded(&[coding], &coded, size, 100),
                        Ok((TEXT.to_vec(), true)),
                        "{coding:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_body_that_is_cut_anywhere_is_not_whole() {
        let text: Vec<u8> =
            (0..2_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let mut cases: Vec<_> = ALL.map(|coding| (vec![coding], coded(coding, &text))).into();
        cases.push((vec![Coding::Deflate], deflate(&text)));
        cases.push((vec![Coding::Gzip, Coding::Gzip], gzip(&gzip(&text))));
        for (codings, coded) in cases {
            for end in (1..coded.len()).rev().step_by(97).chain([1, 2, coded.len() - 1]) {
                let got = decoded(&codings, &coded[..end], 1000, 1 << 20);
                assert!(got.is_ok_and(|(_, is_whole)| !is_whole), "{codings:?} cut at {end}");
            }
            // The server sent an empty body.
            assert_eq!(decoded(&codings, &[], 1000, 100), Ok((Vec::new(), true)));
        }
        // Only the first byte of the second member arrived.
        let cut = [gzip(TEXT), vec![0x1f]].concat();
        assert_eq!(decoded(&[Coding::Gzip], &cut, 1000, 100), Ok((TEXT.to_vec(), false)));
    }

    #[test]
    fn a_gzip_member_that_lacks_only_its_trailer_has_all_its_data() {
        for text in [TEXT.repeat(200), TEXT.to_vec(), Vec::new()] {
            let coded = gzip(&text);
            let end = |coded: &[u8]| {
                let (mut decoder, mut body) = (Decoder::new(&[Coding::Gzip]), Vec::new());
                decoder.push(coded, &mut body, 1 << 20).unwrap();
                decoder.end(coded, &body)
            };
            assert_eq!(end(&coded), CodingEnd::Whole);
            for missing in 1..=8 {
                assert_eq!(end(&coded[..coded.len() - missing]), CodingEnd::WithoutTrailer, "{missing}");
            }
            for missing in 9..coded.len() {
                assert_eq!(end(&coded[..coded.len() - missing]), CodingEnd::Cut, "{missing}");
            }
            assert_eq!(end(&[]), CodingEnd::None);
            // Data that end within a second member are incomplete.
            assert_eq!(end(&[&coded[..], &coded[..12]].concat()), CodingEnd::Cut);
        }
        // A server that flushes its compressor, but does not end it.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(TEXT).unwrap();
        encoder.flush().unwrap();
        let (mut decoder, mut body) = (Decoder::new(&[Coding::Gzip]), Vec::new());
        decoder.push(encoder.get_ref(), &mut body, 100).unwrap();
        assert_eq!((body.as_slice(), decoder.end(encoder.get_ref(), &body)), (TEXT, CodingEnd::Cut));
    }

    #[test]
    fn what_is_not_coded_so_is_broken() {
        for coding in ALL {
            assert!(
                matches!(decoded(&[coding], b"<p>plain", 100, 100), Err(DecodeError::Broken(_))),
                "{coding:?}"
            );
        }
        let mut flipped = gzip(&TEXT.repeat(9));
        let checksum = flipped.len() - 8;
        flipped[checksum] ^= 1;
        assert!(matches!(decoded(&[Coding::Gzip], &flipped, 100, 1000), Err(DecodeError::Broken(_))));
    }

    #[test]
    fn a_small_body_that_unpacks_to_a_huge_one_stops_at_the_limit() {
        let huge = vec![b' '; 32 << 20];
        let mut cases: Vec<_> = ALL.map(|coding| (vec![coding], coded(coding, &huge))).into();
        cases.push((vec![Coding::Gzip, Coding::Brotli], coded(Coding::Brotli, &gzip(&huge))));
        for (codings, coded) in cases {
            let (mut decoder, mut body) = (Decoder::new(&codings), Vec::new());
            assert_eq!(decoder.push(&coded, &mut body, 1000), Err(DecodeError::Full), "{codings:?}");
            assert_eq!((body.len(), body.capacity() < 1 << 20), (1000, true));
        }
    }

    #[test]
    fn windows_larger_than_the_standards_allow_are_refused() {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(26).unwrap();
        encoder.write_all(&[7; 100]).unwrap();
        encoder.flush().unwrap();
        let wide = encoder.finish().unwrap();
        assert!(matches!(decoded(&[Coding::Zstd], &wide, 1000, 1000), Err(DecodeError::Broken(_))));
        // These bytes begin a header of large-window Brotli: 0x11 and the size of the window in bits.
        assert!(matches!(
            decoded(&[Coding::Brotli], &[0x11, 30, 3], 1000, 1000),
            Err(DecodeError::Broken(_))
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_bytes_in_any_pieces_end(
            bytes in proptest::collection::vec(any::<u8>(), 0..400),
            size in 1usize..50,
            codings in proptest::collection::vec(proptest::sample::select(&ALL[..]), 1..3),
        ) {
            if let Ok((body, _)) = decoded(&codings, &bytes, size, 200) {
                prop_assert!(body.len() <= 200);
            }
        }

        #[test]
        fn any_text_in_any_pieces_comes_back(
            text in proptest::collection::vec(any::<u8>(), 0..400),
            size in 1usize..50,
            coding in proptest::sample::select(&ALL[..]),
        ) {
            prop_assert_eq!(decoded(&[coding], &coded(coding, &text), size, 400), Ok((text, true)));
        }
    }
}
