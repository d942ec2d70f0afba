//! Decodes one coding of a body step by step.

use std::fmt;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder as ZstdDecoder, Operation};

use crate::coding::{Coding, CodingEnd};

/// Base-2 logarithm of the window of zlib and gzip in bytes. Both allow at most 32 KiB.
const WINDOW_BITS: u8 = 15;
/// Base-2 logarithm of the largest zstd window in bytes. HTTP allows at most 8 MiB (RFC 9659, 3).
const ZSTD_WINDOW_BITS: u32 = 23;
/// Maximum number of members of one gzip body. Without this limit, empty members could take time without end.
const MAX_MEMBERS: u32 = 10_000;

type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

pub(crate) struct Stage {
    coding: Coding,
    state: State,
    members: u32,
}

enum State {
    Fresh,
    Inflating(Decompress),
    Brotli(Box<Brotli>),
    Zstd {
        decoder: ZstdDecoder<'static>,
        /// Whether the last frame has ended.
        is_between: bool,
    },
    Ended,
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stage").field("coding", &self.coding).finish_non_exhaustive()
    }
}

impl Stage {
    pub(crate) fn new(coding: Coding) -> Self {
        Self { coding, state: State::Fresh, members: 0 }
    }

    pub(crate) fn end(&self) -> CodingEnd {
        match self.state {
            State::Fresh => CodingEnd::None,
            State::Ended | State::Zstd { is_between: true, .. } => CodingEnd::Whole,
            State::Inflating(_) | State::Brotli(_) | State::Zstd { is_between: false, .. } => CodingEnd::Cut,
        }
    }

    pub(crate) fn is_gzip(&self) -> bool {
        self.coding == Coding::Gzip
    }

    /// Decodes some input. Returns the number of bytes read and written. If both are 0, more input is needed.
    pub(crate) fn step(&mut self, input: &[u8], output: &mut [u8]) -> Result<(usize, usize), String> {
        let Some(first) = input.first() else { return self.drain(output) };
        match self.state {
            State::Fresh => self.state = begin(self.coding, *first)?,
            State::Ended if self.coding == Coding::Gzip && *first == 0x1f => {
                self.members += 1;
                if self.members >= MAX_MEMBERS {
                    return Err(format!("gzip: more than {MAX_MEMBERS} members"));
                }
                self.state = begin(self.coding, *first)?;
            }
            State::Ended => return Ok((input.len(), 0)),
            State::Inflating(_) | State::Brotli(_) | State::Zstd { .. } => {}
        }
        self.advance(input, output)
    }

    /// Writes remaining output of input that was already read.
    fn drain(&mut self, output: &mut [u8]) -> Result<(usize, usize), String> {
        if self.end() == CodingEnd::Cut { self.advance(&[], output) } else { Ok((0, 0)) }
    }

    fn advance(&mut self, input: &[u8], output: &mut [u8]) -> Result<(usize, usize), String> {
        let (moved, has_ended) = match &mut self.state {
            State::Inflating(inflater) => inflate(self.coding, inflater, input, output)?,
            State::Brotli(state) => unpack(state, input, output)?,
            State::Zstd { decoder, is_between } => {
                let status =
                    decoder.run_on_buffers(input, output).map_err(|error| format!("zstd: {error}"))?;
                if status.bytes_read + status.bytes_written > 0 {
                    *is_between = status.remaining == 0;
                }
                ((status.bytes_read, status.bytes_written), false)
            }
            State::Fresh | State::Ended => ((0, 0), false),
        };
        if has_ended {
            self.state = State::Ended;
        }
        Ok(moved)
    }
}

fn begin(coding: Coding, first: u8) -> Result<State, String> {
    Ok(match coding {
        Coding::Gzip => State::Inflating(Decompress::new_gzip(WINDOW_BITS)),
        Coding::Deflate => State::Inflating(Decompress::new(is_zlib(first))),
        Coding::Brotli => {
            let [a, b, c] = [StandardAlloc::default(), StandardAlloc::default(), StandardAlloc::default()];
            State::Brotli(Box::new(BrotliState::new_strict(a, b, c)))
        }
        Coding::Zstd => {
            let set_up = || {
                let mut decoder = ZstdDecoder::new()?;
                decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_BITS))?;
                Ok(decoder)
            };
            let decoder = set_up().map_err(|error: std::io::Error| format!("zstd: {error}"))?;
            State::Zstd { decoder, is_between: false }
        }
    })
}

/// Whether `first` begins a zlib stream: method 8, and a window of at most 32 KiB (RFC 1950, 2.2). A raw
/// deflate stream with this first byte would begin with a stored block whose padding is not zero. No encoder
/// writes such a block.
const fn is_zlib(first: u8) -> bool {
    first & 0x0f == 8 && first >> 4 <= 7
}

type StepResult = ((usize, usize), bool);

fn inflate(
    coding: Coding,
    inflater: &mut Decompress,
    input: &[u8],
    output: &mut [u8],
) -> Result<StepResult, String> {
    let (read, written) = (inflater.total_in(), inflater.total_out());
    let status = inflater.decompress(input, output, FlushDecompress::None);
    let name = if coding == Coding::Gzip { "gzip" } else { "deflate" };
    let status = status.map_err(|error| format!("{name}: {error}"))?;
    // Neither difference exceeds the length of a slice, so both fit into `usize`.
    let moved = |now: u64, before: u64| usize::try_from(now - before).unwrap_or(usize::MAX);
    let moved = (moved(inflater.total_in(), read), moved(inflater.total_out(), written));
    Ok((moved, status == Status::StreamEnd))
}

fn unpack(state: &mut Brotli, input: &[u8], output: &mut [u8]) -> Result<StepResult, String> {
    let (mut left, mut read, mut room, mut written, mut total) = (input.len(), 0, output.len(), 0, 0);
    let result = BrotliDecompressStream(
        &mut left,
        &mut read,
        input,
        &mut room,
        &mut written,
        output,
        &mut total,
        state,
    );
    match result {
        BrotliResult::ResultFailure => Err("br: the stream is corrupt".into()),
        BrotliResult::ResultSuccess => Ok(((read, written), true)),
        BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => Ok(((read, written), false)),
    }
}
