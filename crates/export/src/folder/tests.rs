//! Tests exports into folders: complete, interrupted, resumed and damaged exports, and existing folders.

use std::collections::BTreeMap;

use gleaner_corpus::ContentHash;

use super::*;
use crate::record::tests::documents;
use crate::{Compression, FORMATS};

/// Returns each format, and JSON Lines with each compression.
/// Returns the formats that need no archive, also compressed.
fn formats() -> Vec<Format> {
    let jsonl = Format::named("jsonl").unwrap();
    let compressed =
        [Compression::Gzip, Compression::Zstd].map(|compression| Format { compression, ..jsonl });
    let kinds = FORMATS.iter().filter(|kind| !kind.has_pages);
    kinds.map(|kind| Format::named(kind.name).unwrap()).chain(compressed).collect()
}

fn corpus(count: u8) -> Vec<Document> {
    let document = |n: u8| {
        let [first, ..] = &documents()[..] else { unreachable!("there are three") };
        let text = format!("{}\nĐoạn {n}.", first.text).repeat(usize::from(n % 7) + 1);
        Document {
            id: DocumentId([n; 16]),
            host: format!("site{}.example", n % 5),
            title: Some(format!("Bài {n}")),
            content_hash: ContentHash::from_text(&text),
            text,
            confidence: Some(if n.is_multiple_of(10) { 10 } else { 90 }),
            ..first.clone()
        }
    };
    (0..count).map(document).collect()
}

fn request(format: Format) -> ExportRequest {
    ExportRequest {
        format,
        fields: Fields::default(),
        filter: Filter {
            conditions: vec![gleaner_corpus::Condition::confidence(0.3).into()],
            ..Filter::default()
        },
        shard_size: 4096,
        tagged: false,
        command: vec!["export".into()],
        started: "2026-11-21T00:00:00Z".parse().unwrap(),
    }
}

fn feed(folder: &mut FolderExport, corpus: &[Document], limit: usize) {
    let last = folder.last();
    for document in corpus.iter().filter(|document| Some(document.id) > last).take(limit) {
        let urls = vec![document.url.clone()];
        folder.write(document, &RecordContext { urls, ..RecordContext::default() }).unwrap();
    }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

fn in_one_go(format: Format, corpus: &[Document], path: &Path) -> Manifest {
    let mut folder = FolderExport::begin(path, request(format)).unwrap();
    feed(&mut folder, corpus, usize::MAX);
    folder.finish().unwrap()
}

#[test]
fn an_interrupted_export_goes_on_and_gives_the_same_files() {
    let corpus = corpus(60);
    for format in formats() {
        let home = tempfile::tempdir().unwrap();
        let whole = home.path().join("whole");
        let manifest = in_one_go(format, &corpus, &whole);
        assert!(manifest.complete && manifest.tally.documents == 54, "{format:?}");
        let parts = home.path().join("parts");
        for limit in [1, 7, 0, 30, 59, 60] {
            let mut folder = FolderExport::begin(&parts, request(format)).unwrap();
            feed(&mut folder, &corpus, limit);
            assert!(!parts.exists());
            // Dropped without finishing, as if the process were killed. Buffered data may be lost.
        }
        let mut folder = FolderExport::begin(&parts, request(format)).unwrap();
        feed(&mut folder, &corpus, usize::MAX);
        assert_eq!(folder.finish().unwrap(), manifest, "{format:?}");
        assert_eq!(files(&parts), files(&whole), "{format:?}");
        assert!(!home.path().join("parts.part").exists());
    }
}

#[test]
fn shards_are_numbered_and_of_the_size() {
    let home = tempfile::tempdir().unwrap();
    let manifest = in_one_go(formats()[0], &corpus(60), &home.path().join("out"));
    assert!(manifest.files.len() > 3, "{manifest:?}");
    for (at, file) in manifest.files.iter().enumerate() {
        assert_eq!(file.path, format!("documents-{at:05}.jsonl"));
        assert!(file.bytes < 4096 + 4096 && (file.bytes >= 4096 || at + 1 == manifest.files.len()));
    }
    assert_eq!(manifest.files.iter().map(|file| file.documents).sum::<u64>(), 54);
    assert_eq!(manifest.tally.held_back["confidence>=0.3"], 6);
    assert_eq!(Manifest::read(&home.path().join("out")).unwrap(), Some(manifest));
}

#[test]
fn the_manifest_says_what_is_on_disk() {
    for format in formats() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("out");
        let manifest = in_one_go(format, &corpus(20), &out);
        for file in &manifest.files {
            let bytes = fs::read(out.join(&file.path)).unwrap();
            assert_eq!(bytes.len() as u64, file.bytes, "{format:?}");
            let hash = crate::manifest::hash_file(&out.join(&file.path), file.bytes).unwrap();
            assert_eq!(crate::manifest::hex(hash), file.sha256, "{format:?}");
        }
    }
}

#[test]
fn an_export_of_nothing_is_a_folder_that_can_be_read() {
    for format in formats() {
        let home = tempfile::tempdir().unwrap();
        let manifest = in_one_go(format, &[], &home.path().join("out"));
        assert_eq!(manifest.tally.documents, 0);
        let files = match format.kind.layout {
            format::Layout::FilePerHost => 0,
            format::Layout::FilePerDocument => 2,
            format::Layout::Shards(_) => 1,
        };
        assert_eq!(manifest.files.len(), files, "{format:?}");
    }
}

#[test]
fn what_is_fetched_later_is_the_next_exports() {
    let home = tempfile::tempdir().unwrap();
    let mut late = corpus(3);
    late[1].fetched = "2026-11-22T00:00:00Z".parse().unwrap();
    let first = in_one_go(formats()[0], &late, &home.path().join("first"));
    assert_eq!((first.tally.documents, first.tally.held_back["until"]), (1, 1));
    let mut next = request(formats()[0]);
    (next.started, next.filter.since) = ("2026-11-23T00:00:00Z".parse().unwrap(), Some(first.until));
    let mut folder = FolderExport::begin(&home.path().join("next"), next).unwrap();
    feed(&mut folder, &late, usize::MAX);
    assert_eq!(folder.finish().unwrap().tally.documents, 1);
}

#[test]
fn nothing_that_is_there_is_overwritten() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("out");
    fs::create_dir(&out).unwrap();
    in_one_go(formats()[0], &corpus(3), &out);
    let error = |path: &Path, request| FolderExport::begin(path, request).unwrap_err().to_string();
    assert!(error(&out, request(formats()[0])).contains("is there already"));
    fs::write(home.path().join("file"), "").unwrap();
    assert!(error(&home.path().join("file"), request(formats()[0])).contains("is there already"));
    for nameless in ["/", "..", "."] {
        assert!(error(Path::new(nameless), request(formats()[0])).contains("no name of its own"));
    }
    fs::create_dir_all(home.path().join("other.part/x")).unwrap();
    assert!(error(&home.path().join("other"), request(formats()[0])).contains("other.part is there already"));
}

#[test]
fn another_command_does_not_go_on() {
    let home = tempfile::tempdir().unwrap();
    let out = home.path().join("out");
    drop(FolderExport::begin(&out, request(formats()[0])).unwrap());
    let other =
        ExportRequest { command: vec!["export".into(), "--language".into()], ..request(formats()[0]) };
    let error = FolderExport::begin(&out, other).unwrap_err().to_string();
    assert!(error.contains("another export (gleaner export, gleaner 0."), "{error}");
}

#[test]
fn a_damaged_shard_is_named() {
    // Compressed formats are excluded, because the compressor buffers such a small corpus until the end.
    let is_packed = |format: &Format| format.compression != Compression::None;
    for format in formats().into_iter().filter(|format| !is_packed(format)) {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("out");
        let mut folder = FolderExport::begin(&out, request(format)).unwrap();
        feed(&mut folder, &corpus(60), usize::MAX);
        let part = folder.part().to_owned();
        drop(folder);
        let first = Manifest::read(&part).unwrap().unwrap().files.remove(0);
        let mut bytes = fs::read(part.join(&first.path)).unwrap();
        bytes[9] ^= 1;
        fs::write(part.join(&first.path), &bytes).unwrap();
        let error = FolderExport::begin(&out, request(format)).unwrap_err().to_string();
        assert!(error.contains("was changed") && error.contains(&first.path), "{error}");
        fs::write(part.join(&first.path), &bytes[..8]).unwrap();
        let error = FolderExport::begin(&out, request(format)).unwrap_err().to_string();
        assert!(error.contains(&first.path) && error.contains("export again"), "{error}");
    }
}
