//! Tests with the real binary that the archive alone restores the same corpus after a history of nights, kills, pins,
//! new extractions, changed settings, a redesign, a removal and ingested files.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use crate::newspaper::{Crawl, crawled};
use gleaner_archive::{ArchiveReader, Item};
use gleaner_testkit::NewspaperOptions;

fn told(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    format!("{out}{err}")
}

/// Returns what the commands say about the corpus: all fields of all documents, duplicates, hosts, templates and runs.
fn everything(crawl: &Crawl) -> Vec<String> {
    let commands: [&[&str]; 6] = [
        &["export", "--confidence", "0"],
        &["export", "--format", "csv", "--confidence", "0"],
        &["duplicates"],
        &["hosts"],
        &["stats", "--json"],
        &["removals"],
    ];
    let output = |command| {
        let text = String::from_utf8(crawl.run(command).stdout).unwrap();
        // The disk space depends on the history.
        match text.split_once("  \"disk\": {") {
            Some((before, disk)) => format!("{before}{}", disk.split_once('}').unwrap().1),
            None => text,
        }
    };
    commands.into_iter().map(output).collect()
}

/// Compares the results of two calls of [`everything`], and prints the first lines that differ.
fn assert_same(after: &[String], before: &[String]) {
    for (after, before) in after.iter().zip(before) {
        let pairs = after.lines().zip(before.lines()).filter(|(after, before)| after != before);
        assert!(after == before, "{:#?}", pairs.take(2).collect::<Vec<_>>());
    }
}

fn version(crawl: &Crawl, command: &str) -> String {
    let told = told(&crawl.run(&[command]));
    let line = told.lines().find_map(|line| line.strip_prefix("Version of the corpus: "));
    line.unwrap_or_else(|| panic!("{command}: {told}")).to_owned()
}

/// A history after which the texts depend on much more than the pages.
fn history() -> Crawl {
    let options = NewspaperOptions { redesigned_after: Some(40), ..NewspaperOptions::default() };
    let crawl = Crawl::with_options(options, Duration::from_millis(5));
    for requests in [40, 90] {
        let mut child = crawl.spawn();
        assert!(crawl.newspaper.wait_for_requests(requests, Duration::from_secs(30)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    // A run that ends early learns templates from few pages.
    told(&crawl.run(&[
        "crawl",
        "--seeds",
        "seeds.txt",
        "--max-pages",
        "60",
        "--set",
        "template.min_pages=3",
    ]));
    crawl.to_its_end();
    let pins = crawl.folder.path().join("pins");
    fs::create_dir(&pins).unwrap();
    fs::write(pins.join("villagepost.example.toml"), "drop = [\"h2\", \"h3\"]").unwrap();
    told(&crawl.run(&["reextract", "--set", "template.pins=pins"]));
    told(&crawl.run(&["reextract", "--set", "corpus.tones=new"]));
    let removed = crawl.export(&["--confidence", "0", "--host", "villagepost.example"])[0]["url"].to_string();
    told(&crawl.run(&["remove", removed.trim_matches('"'), "--reason", "a letter", "--yes"]));
    // The other archive has the removed page too.
    let other = crawled();
    let archive = other.folder.path().join("data/archive");
    told(&crawl.run(&["ingest", archive.to_str().unwrap(), "--set", "corpus.keep_if=[\"words >= 60\"]"]));
    crawl
}

#[test]
fn the_archive_restores_the_same_corpus_after_any_history() {
    let crawl = history();
    let (before, name) = (everything(&crawl), version(&crawl, "stats"));
    assert_eq!(version(&crawl, "verify"), name);
    // No settings, pins or seeds of today count.
    let rebuilt = told(&crawl.run(&["rebuild", "--set", "corpus.languages=[\"de\"]"]));
    assert!(rebuilt.contains(&format!("Version of the corpus: {name}")), "{rebuilt}");
    assert_same(&everything(&crawl), &before);
    assert_eq!(version(&crawl, "verify"), name);
    // The restored store can be restored again, and the next crawl requests no page again.
    told(&crawl.run(&["rebuild"]));
    assert_same(&everything(&crawl), &before);
    let stored = |crawl: &Crawl| crawl.corpus().len();
    let (documents, requests) = (stored(&crawl), crawl.newspaper.request_count());
    crawl.to_its_end();
    assert_eq!(stored(&crawl), documents);
    assert!(crawl.newspaper.request_count() < requests + 30);
}

#[test]
fn another_machine_gets_the_corpus_from_the_archive_alone() {
    let crawl = history();
    let (before, name) = (everything(&crawl), version(&crawl, "stats"));
    let data = crawl.folder.path().join("data");
    fs::rename(&data, crawl.folder.path().join("here")).unwrap();
    copy(&crawl.folder.path().join("here/archive"), &data.join("archive"));
    assert!(told(&crawl.run(&["rebuild"])).contains(&format!("Version of the corpus: {name}")));
    assert_same(&everything(&crawl), &before);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

#[test]
fn relearning_says_what_changed_and_is_restored_later() {
    let crawl = crawled();
    let pins = crawl.folder.path().join("pins");
    fs::create_dir(&pins).unwrap();
    fs::write(pins.join("villagepost.example.toml"), "drop = [\"h2\", \"h3\"]").unwrap();
    let same = told(&crawl.run(&["rebuild", "--relearn"]));
    assert!(same.contains("All texts are the same as before."), "{same}");
    let before = everything(&crawl);
    let learned = told(&crawl.run(&["rebuild", "--relearn", "--set", "template.pins=pins"]));
    let line = learned.lines().find(|line| line.contains("villagepost.example")).unwrap();
    let counts: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(counts.len() == 4 && counts[1] > 0 && counts[3] == 0, "{learned}");
    let changed = everything(&crawl);
    assert!(changed != before);
    told(&crawl.run(&["rebuild"]));
    assert_same(&everything(&crawl), &changed);
}

/// An archive of an older version has no changes. The first run of this version adds the whole store.
#[test]
fn an_archive_without_changes_gets_the_whole_store() {
    let crawl = crawled();
    // A run without the archive leaves a store that the archive does not describe.
    let without_archive = ["reextract", "--set", "archive.keep=false", "--set", "corpus.tones=new"];
    told(&crawl.run(&without_archive));
    crawl.to_its_end();
    let before = everything(&crawl);
    told(&crawl.run(&["rebuild"]));
    assert_same(&everything(&crawl), &before);
    // A rebuild adds the store too, if it is the first command that could.
    told(&crawl.run(&without_archive));
    let before = everything(&crawl);
    told(&crawl.run(&["rebuild"]));
    assert_same(&everything(&crawl), &before);
}

#[test]
fn the_archive_says_what_the_texts_depend_on() {
    let crawl = crawled();
    let folder = crawl.folder.path().join("data/archive");
    let mut changes = 0;
    for entry in fs::read_dir(folder).unwrap() {
        for item in ArchiveReader::open(&entry.unwrap().path(), 0, 1 << 24).unwrap() {
            let Item::Record(record) = item.unwrap() else { panic!("damage") };
            if gleaner_store::is_of_changes(&record) {
                changes += 1;
                record.check().unwrap();
                for field in ["Gleaner-Changes", "Gleaner-Settings", "Gleaner-Pins", "Gleaner-Software"] {
                    assert!(record.header.get(field).is_some(), "{field}");
                }
            }
        }
    }
    assert!(changes > 3);
}

#[test]
fn a_manifest_names_the_version_of_the_corpus() {
    let crawl = crawled();
    told(&crawl.run(&["export", "--format", "parquet", "--into", "out"]));
    let manifest = fs::read(crawl.folder.path().join("out/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["corpus_version"], version(&crawl, "stats"));
    let stats = crawl.run(&["stats", "--quick", "--json"]).stdout;
    let stats: serde_json::Value = serde_json::from_slice(&stats).unwrap();
    assert_eq!(manifest["corpus_version"], stats["version"]);
}

/// The folder of the archive has the seeds, so even learning again needs no store.
#[test]
fn the_seeds_are_in_the_archive() {
    let crawl = crawled();
    let before = crawl.corpus();
    fs::remove_dir_all(crawl.folder.path().join("data/sled")).unwrap();
    fs::remove_file(crawl.folder.path().join("seeds.txt")).unwrap();
    told(&crawl.run(&["rebuild", "--relearn"]));
    assert_eq!(crawl.corpus(), before);
}
