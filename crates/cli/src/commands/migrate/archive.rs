//! Moves the archive of a corpus from files in a folder to object storage, and back.
//!
//! When files above 64 MiB are copied to object storage, they are split at the boundaries of records. The
//! first piece keeps the number of the file, and each further piece gets a new number. Numbers must follow
//! the order of the records, so later files may get new numbers too. All other files keep their name and
//! number. In the other direction, each object becomes a file.
//!
//! Limitation: only the first piece of a split file has a `warcinfo` record.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use gleaner_archive::{ArchiveReader, Item, RecordPosition};
use gleaner_crawl::settings::Config;
use gleaner_crawl::{archive_files, archive_folder};
use gleaner_store::{ARCHIVE_FOLDER, ArchiveEnd, ArchivePosition, FileRecord, Migration, Store};
use jiff::Timestamp;

use crate::failure::Failure;
use crate::messages::print_message;

/// Maximum size in bytes of a piece. Workers write objects of the same size.
const PIECE: u64 = 64 << 20;

#[derive(Debug, Default)]
pub(super) struct CopyTotals {
    pub(super) files: u64,
    pub(super) bytes: u64,
}

/// Maps the old positions of records to the new ones. An old file is copied in pieces, each to a new file.
/// For each old file number, the map lists the offset at which each piece begins, and the number of its new
/// file.
#[derive(Debug, Default)]
pub(super) struct NewPositions(HashMap<u32, Vec<(u64, u32)>>);

impl NewPositions {
    /// Returns the position of a record in the target. If its file was not copied, the position is unchanged.
    pub(super) fn translate(&self, at: ArchivePosition) -> ArchivePosition {
        let pieces = self.0.get(&at.file).map(Vec::as_slice).unwrap_or_default();
        let piece = pieces.iter().rev().find(|(begin, _)| *begin <= at.offset);
        piece.map_or(at, |(begin, number)| ArchivePosition { file: *number, offset: at.offset - begin, ..at })
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Piece {
    begin: u64,
    end: u64,
    records: u64,
}

pub(super) fn copy_to_objects(
    config: &Config,
    source: &Store,
    migration: &mut Migration<'_>,
) -> Result<(NewPositions, CopyTotals), Failure> {
    let end = source.archive_end().map_err(Failure::work)?;
    let (mut positions, mut copied, mut last) = (NewPositions::default(), CopyTotals::default(), 0);
    for path in archive_files(config).map_err(Failure::work)? {
        let read_failure =
            |error: io::Error| Failure::Work(format!("cannot read {}: {error}", path.display()));
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let number = RecordPosition { file: file.clone(), offset: 0 }.number();
        let length = match &end {
            // The store never confirmed the records after this length.
            Some(end) if end.file == file => end.length,
            _ => path.metadata().map_err(read_failure)?.len(),
        };
        for Piece { begin, end, records } in pieces(&path, length, PIECE).map_err(read_failure)? {
            last = number.max(last + 1);
            let content = read(&path, begin, end).map_err(read_failure)?;
            let name = format!("{ARCHIVE_FOLDER}/{}", renumbered(&file, last));
            let record = FileRecord { name, bytes: end - begin, records, at: Timestamp::now(), offset: 0 };
            put_file(migration, last, &record, content)?;
            positions.0.entry(number).or_default().push((begin, last));
            copied.files += 1;
            copied.bytes += end - begin;
        }
        print_message(format_args!("gleaner: copied {file} into object storage"));
    }
    Ok((positions, copied))
}

fn put_file(
    migration: &mut Migration<'_>,
    number: u32,
    record: &FileRecord,
    content: Vec<u8>,
) -> Result<(), Failure> {
    let writer = migration.target();
    writer.store().put_object(&record.name, content).map_err(Failure::work)?;
    let mut change = writer.begin();
    change.put_archive_file(number, record);
    writer.commit(change).map_err(Failure::work)
}

fn pieces(path: &Path, length: u64, size: u64) -> io::Result<Vec<Piece>> {
    let (mut pieces, mut begin, mut records) = (Vec::new(), 0, 0);
    for item in ArchiveReader::open(path, 0, 0)? {
        let Item::Record(record) = item? else { continue };
        if record.offset >= length {
            break;
        }
        if record.offset - begin >= size {
            pieces.push(Piece { begin, end: record.offset, records });
            (begin, records) = (record.offset, 0);
        }
        records += u64::from(record.header.kind().as_deref() != Some("warcinfo"));
    }
    pieces.push(Piece { begin, end: length, records });
    Ok(pieces)
}

fn read(path: &Path, begin: u64, end: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(begin))?;
    let mut content = Vec::new();
    file.take(end - begin).read_to_end(&mut content)?;
    match content.len() as u64 == end - begin {
        true => Ok(content),
        false => Err(io::Error::other("it is shorter than the store expects; run `gleaner verify`")),
    }
}

fn renumbered(file: &str, number: u32) -> String {
    let named = RecordPosition { file: file.to_owned(), offset: 0 }.number();
    let mut parts = file.splitn(3, '-');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(prefix), Some(time), Some(rest)) if named != number => {
            let rest = rest.trim_start_matches(|char: char| char.is_ascii_digit());
            format!("{prefix}-{time}-{number:05}{rest}")
        }
        _ => file.to_owned(),
    }
}

pub(super) fn refuse_existing_files(config: &Config) -> Result<(), Failure> {
    match archive_files(config).map_err(Failure::work)?.first() {
        None => Ok(()),
        Some(path) => {
            Err(Failure::Work(format!("{} already exists; the target folder must be empty", path.display())))
        }
    }
}

pub(super) fn copy_to_files(
    config: &Config,
    source: &Store,
    migration: &mut Migration<'_>,
) -> Result<CopyTotals, Failure> {
    let folder = archive_folder(config);
    let read_failure = |path: &Path| {
        let path = path.display().to_string();
        move |error: io::Error| Failure::Work(format!("cannot write {path}: {error}"))
    };
    fs::create_dir_all(&folder).map_err(read_failure(&folder))?;
    // The migration began with an empty folder, so these files come from an interrupted attempt.
    for path in archive_files(config).map_err(Failure::work)? {
        fs::remove_file(&path).map_err(read_failure(&path))?;
    }
    let (mut copied, mut end) = (CopyTotals::default(), None);
    for file in source.archive_files() {
        let (number, file) = file.map_err(Failure::work)?;
        let content =
            source.archive_content(number).map_err(|error| Failure::work(source.explained(error)))?;
        let name = renumbered(file.name.rsplit('/').next().unwrap_or_default(), number);
        let path = folder.join(&name);
        write(&path, &content).map_err(read_failure(&path))?;
        copied.files += 1;
        copied.bytes += content.len() as u64;
        end = Some(ArchiveEnd { file: name, length: content.len() as u64 });
    }
    File::open(&folder).and_then(|folder| folder.sync_all()).map_err(read_failure(&folder))?;
    if let Some(end) = end {
        let writer = migration.target();
        let mut change = writer.begin();
        change.put_archive_end(&end);
        writer.commit(change).map_err(Failure::work)?;
    }
    Ok(copied)
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use gleaner_archive::{Archive, Capture, files::ArchiveOptions};
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_file_is_cut_between_records_and_places_follow() {
        let folder = TempDir::new().unwrap();
        let options = ArchiveOptions { rotate: 1 << 30, level: 1, info: Vec::new(), of_changes: Vec::new() };
        let mut archive = Archive::open(folder.path(), options, None).unwrap();
        let mut offsets = Vec::new();
        let mut file = String::new();
        for number in 0..20 {
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
            let record = capture.response(capture.digests().payload, 1);
            let place = archive.append(&record, Timestamp::UNIX_EPOCH).unwrap();
            (file, _) = (place.file, offsets.push(place.offset));
        }
        let length = archive.sync().unwrap().unwrap().offset;
        let path = folder.path().join(file);
        let pieces = pieces(&path, length, 1_000).unwrap();
        assert!(pieces.len() > 3, "{pieces:?}");
        assert_eq!(pieces.iter().map(|piece| piece.records).sum::<u64>(), 20);
        assert!(pieces.windows(2).all(|two| two[0].end == two[1].begin));
        let numbered = pieces.iter().zip(5..).map(|(piece, number)| (piece.begin, number)).collect();
        let positions = NewPositions(HashMap::from([(1, numbered)]));
        let whole = read(&path, 0, length).unwrap();
        for offset in offsets {
            let archived = ArchivePosition {
                file: 1,
                offset,
                at: Timestamp::UNIX_EPOCH,
                digest: [0; 20],
                payload: None,
            };
            let moved = positions.translate(archived);
            let piece = &pieces[moved.file as usize - 5];
            let content = read(&path, piece.begin, piece.end).unwrap();
            assert_eq!(content[moved.offset as usize..][..20], whole[offset as usize..][..20]);
            let mut reader = ArchiveReader::new(io::Cursor::new(content), 100).unwrap();
            assert!(reader.any(|item| {
                matches!(item.unwrap(), Item::Record(record) if record.offset == moved.offset)
            }));
            assert_eq!(
                positions.translate(ArchivePosition { file: 2, ..archived }).file,
                2,
                "of no file that is there"
            );
        }
    }

    #[test]
    fn a_name_gets_another_number() {
        let name = "gleaner-20261121020000-00001.warc.gz";
        assert_eq!(renumbered(name, 1), name);
        assert_eq!(renumbered(name, 12), "gleaner-20261121020000-00012.warc.gz");
        let of_a_worker = "gleaner-20261121020000-00007-w3.warc.gz";
        assert_eq!(renumbered(of_a_worker, 100_000), "gleaner-20261121020000-100000-w3.warc.gz");
    }
}
