//! Writes WARC files with the pages of the documents: for each, the archived response and its request.
//!
//! The records are copied as they are, so each keeps its digest and its record id. Each record is a gzip member of its
//! own, as WARC readers expect of a `.warc.gz` file.

use gleaner_archive::write::warcinfo;
use jiff::Timestamp;

use crate::Record;

const LEVEL: u32 = 6;

/// Appends the `warcinfo` record of a file.
pub fn head(out: &mut Vec<u8>) {
    let software = concat!("gleaner/", env!("CARGO_PKG_VERSION"));
    let fields = [
        ("software", software),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        ("description", "the pages of the documents that an export selected"),
    ];
    out.extend(warcinfo(None, Timestamp::now(), &fields, LEVEL));
}

/// Appends the records of a page. Appends nothing if the record has no [page](crate::RecordContext::page).
pub fn render(record: &Record, out: &mut Vec<u8>) {
    out.extend(record.page().into_iter().flat_map(|page| &page.members));
}
