//! Sample records for tests.

use jiff::Timestamp;

use crate::Capture;
use crate::files::ArchiveOptions;

pub(crate) fn options(rotate: u64) -> ArchiveOptions {
    ArchiveOptions {
        rotate,
        level: 1,
        info: vec![("software".into(), "gleaner".into())],
        of_changes: Vec::new(),
    }
}

pub(crate) fn record(number: usize) -> Vec<u8> {
    let body = format!("<p>Rain {number}");
    let capture = Capture {
        url: "http://a.example/",
        at: Timestamp::UNIX_EPOCH,
        status: 200,
        headers: &[],
        body: body.as_bytes(),
        coded: None,
        is_cut: false,
        request: &[],
        fields: &[],
    };
    capture.response(capture.digests().payload, 1)
}
