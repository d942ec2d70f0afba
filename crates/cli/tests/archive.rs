//! Tests a crawl's archive. A rebuild creates the store again, even if the old store is damaged or missing. A
//! new extraction reads the archived pages. Another corpus ingests the archive like files of other programs.

use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::process::Output;
use std::time::Duration;

use crate::newspaper::{Crawl, crawled};
use gleaner_testkit::NewspaperOptions;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Number of kills during one rebuild, or 50 with `GLEANER_LONG=1`.
const KILLS: usize = 6;

/// Builds the store from the archived responses.
fn relearn(crawl: &Crawl) -> Output {
    crawl.run(&["rebuild", "--relearn", "--seeds", "seeds.txt"])
}

/// Restores the store from the changes in the archive.
fn restore(crawl: &Crawl) -> Output {
    crawl.run(&["rebuild"])
}

fn exported(crawl: &Crawl) -> Vec<serde_json::Value> {
    crawl.export(&["--confidence", "0"])
}

/// Checks that both lists have the same documents, and prints the URLs of those that differ.
fn assert_same(after: &[serde_json::Value], before: &[serde_json::Value]) {
    let url = |document: &&serde_json::Value| document["url"].to_string();
    let gone: Vec<_> =
        before.iter().filter(|document| !after.contains(document)).map(|it| url(&it)).collect();
    let new: Vec<_> = after.iter().filter(|document| !before.contains(document)).map(|it| url(&it)).collect();
    assert!(gone.is_empty() && new.is_empty(), "gone or changed: {gone:#?}\nnew or changed: {new:#?}");
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn archive(crawl: &Crawl) -> Vec<PathBuf> {
    let folder = crawl.folder.path().join("data/archive");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Returns the byte range of the largest record of a file that is a page, or that has changes of the store.
fn largest_record(bytes: &[u8], is_of_changes: bool) -> Range<usize> {
    let items = gleaner_archive::ArchiveReader::new(std::io::Cursor::new(bytes), 0).unwrap();
    let records: Vec<(usize, bool)> = items
        .map(|item| match item.unwrap() {
            gleaner_archive::Item::Record(record) => {
                let is_page = record.header.get("Gleaner-Role") == Some("page");
                let is_chosen = if is_of_changes { gleaner_store::is_of_changes(&record) } else { is_page };
                (record.offset as usize, is_chosen)
            }
            gleaner_archive::Item::Damage(damage) => (damage.offset as usize, false),
        })
        .collect();
    let ends = records.iter().skip(1).map(|(offset, _)| *offset).chain([bytes.len()]);
    let chosen = records.iter().zip(ends).filter(|((_, is_chosen), _)| *is_chosen);
    chosen.map(|((begin, _), end)| *begin..end).max_by_key(Range::len).unwrap()
}

/// Damages a record after its gzip header, since readers ignore some bytes of the header.
fn damage(path: &std::path::Path, record: &Range<usize>) {
    let mut bytes = fs::read(path).unwrap();
    bytes[record.start + 20..record.start + 36].iter_mut().for_each(|byte| *byte ^= 0xff);
    fs::write(path, bytes).unwrap();
}

fn check(crawl: &Crawl) {
    let output = crawl.run(&["verify"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("No fault was found."), "{told}{}", said(&output));
}

#[test]
fn the_store_made_anew_is_the_one_that_was() {
    let crawl = crawled();
    let before = exported(&crawl);
    assert!(before.len() > 50);
    check(&crawl);
    let output = relearn(&crawl);
    assert!(output.status.success(), "{}", said(&output));
    check(&crawl);
    assert!(said(&output).contains("the old store is kept as data/sled.old-1"), "{}", said(&output));
    assert_same(&exported(&crawl), &before);
    // Without the store, the corpus consists only of the archive.
    fs::remove_dir_all(crawl.folder.path().join("data/sled")).unwrap();
    for command in ["stats", "verify", "export"] {
        let output = crawl.run(&[command]);
        assert!(
            said(&output).contains("but an archive: `gleaner rebuild` restores the corpus from it"),
            "{}",
            said(&output)
        );
    }
    assert!(relearn(&crawl).status.success());
    // The rebuild found all URLs that the crawl had found, so the next crawl requests no page twice.
    let requests = crawl.newspaper.request_count();
    crawl.to_its_end();
    let asked: Vec<_> = crawl.newspaper.requests().split_off(requests);
    let pages = asked
        .iter()
        .filter(|request| before.iter().any(|it| it["url"].as_str().unwrap().ends_with(&request.path)));
    assert_eq!(pages.count(), 0);
    assert_same(&exported(&crawl), &before);
}

#[test]
fn a_rebuilding_goes_on_after_kills() {
    let crawl = crawled();
    let before = exported(&crawl);
    let kills = if std::env::var_os("GLEANER_LONG").is_some() { 50 } else { KILLS };
    let mut random = StdRng::seed_from_u64(7);
    for _ in 0..kills {
        let mut child = crawl.command(&["rebuild", "--relearn", "--seeds", "seeds.txt"]).spawn().unwrap();
        // A rebuild takes some tenths of a second, so this kills it at any point of its work.
        std::thread::sleep(Duration::from_millis(random.random_range(20..400)));
        child.kill().unwrap();
        child.wait().unwrap();
        // The old store stays in use until the new one is complete.
        assert_same(&exported(&crawl), &before);
    }
    let output = relearn(&crawl);
    assert!(output.status.success(), "{}", said(&output));
    assert_same(&exported(&crawl), &before);
    check(&crawl);
}

#[test]
fn a_damaged_store_is_named_and_made_anew() {
    let crawl = crawled();
    let before = exported(&crawl);
    let path = crawl.folder.path().join("data/sled/db");
    let mut damages = vec![(0.0, 0.5), (0.25, 0.75), (0.4, 0.6), (0.6, 0.61), (0.9, 1.0)];
    let mut random = StdRng::seed_from_u64(9);
    damages.extend((0..10).map(|_| random.random_range(0.0..0.99)).map(|at| (at, at)));
    for (from, to) in damages {
        let mut bytes = fs::read(&path).unwrap();
        let share = |share: f64| (bytes.len() as f64 * share) as usize;
        let damaged = share(from)..share(to).max(share(from) + 8);
        bytes[damaged.clone()].fill(0x5a);
        fs::write(&path, bytes).unwrap();
        for command in ["export", "verify"] {
            let broken = crawl.run(&[command]);
            // sled may recover an older state, in which documents are missing.
            assert!(!said(&broken).contains("panicked"), "{damaged:?}: {}", said(&broken));
            if broken.status.code() != Some(0) {
                assert!(
                    said(&broken).contains("gleaner rebuild") || said(&broken).contains("the store failed"),
                    "{damaged:?}: {}",
                    said(&broken)
                );
            }
        }
        let output = restore(&crawl);
        assert!(output.status.success(), "{damaged:?}: {}", said(&output));
        assert_same(&exported(&crawl), &before);
    }
}

#[test]
fn an_unfinished_rebuilding_is_begun_anew_by_force() {
    let crawl = crawled();
    let before = exported(&crawl);
    let mut child = crawl.command(&["rebuild", "--relearn", "--seeds", "seeds.txt"]).spawn().unwrap();
    let begun = crawl.folder.path().join("data/rebuild/sled/db");
    while !begun.exists() {
        assert!(child.try_wait().unwrap().is_none(), "the new store is not begun");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let output = crawl.run(&["rebuild", "--relearn", "--seeds", "seeds.txt", "--force"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(!said(&output).contains("resuming"), "{}", said(&output));
    assert_same(&exported(&crawl), &before);
}

#[test]
fn a_damaged_archive_costs_what_is_damaged() {
    let crawl = crawled();
    let before = exported(&crawl);
    let path = archive(&crawl).remove(0);
    damage(&path, &largest_record(&fs::read(&path).unwrap(), false));
    let verified = crawl.run(&["verify"]);
    assert_eq!(verified.status.code(), Some(1));
    let faults = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(
        faults.contains("00001.warc.gz, from byte ") && faults.contains("is not in the archive"),
        "{faults}"
    );
    // The changes in the archive have the text of the page.
    let output = restore(&crawl);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("the corpus is complete"), "{}", said(&output));
    assert_same(&exported(&crawl), &before);
    assert_eq!(crawl.run(&["verify"]).status.code(), Some(1), "the archive is still damaged");
    let output = relearn(&crawl);
    assert_eq!(output.status.code(), Some(1));
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(table.contains("Unreadable parts of files") && table.contains("00001.warc.gz"), "{table}");
    assert!(
        said(&output).contains("unreadable parts of files: 1; everything else was processed"),
        "{}",
        said(&output)
    );
    assert!(exported(&crawl).len() + 2 > before.len());
}

#[test]
fn a_damaged_change_costs_no_document() {
    let crawl = crawled();
    let urls = || -> std::collections::BTreeSet<String> { crawl.corpus().into_values().flatten().collect() };
    let before = urls();
    let path = archive(&crawl).remove(0);
    damage(&path, &largest_record(&fs::read(&path).unwrap(), true));
    // While the store can be read, a rebuild copies it to the archive first.
    let output = restore(&crawl);
    assert!(said(&output).contains("the corpus is complete"), "{}", said(&output));
    assert_eq!(urls(), before);
    let path = archive(&crawl).pop().unwrap();
    damage(&path, &largest_record(&fs::read(&path).unwrap(), true));
    fs::remove_dir_all(crawl.folder.path().join("data/sled")).unwrap();
    let output = restore(&crawl);
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("changes are missing in the archive"), "{}", said(&output));
    let after = urls();
    assert!(after.is_superset(&before), "{:?}", before.difference(&after).collect::<Vec<_>>());
    let verified = crawl.run(&["verify"]);
    let told = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert_eq!(told.matches("fault: ").count(), 2, "only the damaged records: {told}");
}

#[test]
fn a_repair_copies_the_store_to_an_archive_with_damaged_changes() {
    let crawl = crawled();
    let before = exported(&crawl);
    let path = archive(&crawl).remove(0);
    damage(&path, &largest_record(&fs::read(&path).unwrap(), true));
    let repaired = crawl.run(&["verify", "--repair"]);
    assert!(said(&repaired).contains("copied the store to the archive"), "{}", said(&repaired));
    let output = restore(&crawl);
    assert!(said(&output).contains("the corpus is complete"), "{}", said(&output));
    assert_same(&exported(&crawl), &before);
}

#[test]
fn pages_extracted_again_keep_their_names() {
    let crawl = crawled();
    let ids = |documents: &[serde_json::Value]| -> Vec<String> {
        documents.iter().map(|document| document["id"].to_string()).collect()
    };
    let before = exported(&crawl);
    let output = crawl.run(&["reextract"]);
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && table.contains("texts changed: 0;"), "{table}{}", said(&output));
    assert_eq!(ids(&exported(&crawl)), ids(&before));
}

#[test]
fn an_archived_page_gives_the_text_that_the_crawl_stored() {
    let crawl = crawled();
    let stored = exported(&crawl);
    let urls: Vec<&str> = stored.iter().map(|document| document["url"].as_str().unwrap()).collect();
    let output = crawl.run(&[&["extract", "--archived", "--format", "jsonl"][..], &urls].concat());
    assert!(output.status.success(), "{}", said(&output));
    let extracted = String::from_utf8(output.stdout).unwrap();
    let extracted: Vec<serde_json::Value> =
        extracted.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(extracted.len(), stored.len());
    for (extracted, stored) in extracted.iter().zip(&stored) {
        for field in ["url", "text", "method", "confidence", "template_version", "title", "published"] {
            assert_eq!(extracted[field], stored[field], "{field} of {}", stored["url"]);
        }
    }
}

#[test]
fn pages_without_a_template_are_extracted_again_too() {
    let crawl = Crawl::with_options(
        NewspaperOptions { faults: false, ..NewspaperOptions::default() },
        Duration::ZERO,
    );
    let pages = ["--set", "template.prepare_pages=200", "--set", "template.min_pages=200"];
    let first = crawl.run(&[&["crawl", "--seeds", "seeds.txt"][..], &pages].concat());
    assert!(first.status.success(), "{}", said(&first));
    let before = exported(&crawl);
    assert!(before.iter().all(|document| document["method"] == "block-model"));
    let words = |crawl: &Crawl| -> u64 {
        let all = crawl.export(&["--members", "--confidence", "0"]).into_iter();
        let of_host = all.filter(|document| document["host"] == "villagepost.example");
        of_host.map(|document| document["words"].as_u64().unwrap()).sum()
    };
    let words_before = words(&crawl);
    let pins = crawl.folder.path().join("pins");
    fs::create_dir(&pins).unwrap();
    fs::write(pins.join("villagepost.example.toml"), "drop = [\"h2\", \"h3\"]").unwrap();
    fs::write(pins.join("www.villagepost.example.toml"), "drop = [\"p\"]").unwrap();
    fs::write(pins.join("example.org.toml"), "# drop = [\"p\"]").unwrap();
    let output = crawl.run(&[&["reextract", "--set", "template.pins=pins"][..], &pages].concat());
    let (table, told) = (String::from_utf8_lossy(&output.stdout).into_owned(), said(&output));
    let misnamed = "pins/www.villagepost.example.toml has no effect: the corpus has no host \
        www.villagepost.example; did you mean villagepost.example?";
    assert!(output.status.success() && told.contains(misnamed), "{table}{told}");
    assert_eq!(told.matches("pins/www.villagepost.example.toml").count(), 1, "{told}");
    assert!(!told.contains("pins/villagepost.example.toml") && !told.contains("example.org"), "{told}");
    let row = table.lines().find(|line| line.contains(" villagepost.example")).expect(&table);
    let figures: Vec<u64> =
        row.split_whitespace().filter_map(|word| word.replace(',', "").parse().ok()).collect();
    assert_eq!(figures[3..], [words_before, words(&crawl)], "{table}");
    fs::write(pins.join("villagepost.example.toml"), "drop = [\"article p\", \"div p\"]").unwrap();
    let emptied = said(&crawl.run(&[&["reextract", "--set", "template.pins=pins"][..], &pages].concat()));
    assert!(emptied.contains("villagepost.example lost more than half of its words: "), "{emptied}");
    assert!(!emptied.contains("baolang.example lost"), "{emptied}");
    fs::write(pins.join("villagepost.example.toml"), "drop = [\"h2\", \"h3\"]").unwrap();
    crawl.run(&[&["reextract", "--set", "template.pins=pins"][..], &pages].concat());
    let is_pinned = |document: &&serde_json::Value| document["host"] == "villagepost.example";
    let texts = |documents: &[serde_json::Value], pinned: bool| -> Vec<String> {
        let of = documents.iter().filter(|document| is_pinned(document) == pinned);
        of.map(|document| document["text"].to_string()).collect()
    };
    let after = exported(&crawl);
    assert_eq!(texts(&after, false), texts(&before, false));
    assert_ne!(texts(&after, true), texts(&before, true));
    let back = crawl.run(&[&["reextract"][..], &pages].concat());
    assert!(back.status.success(), "{}", said(&back));
    assert_same(&exported(&crawl), &before);
}

#[test]
fn an_extraction_goes_on_after_kills() {
    let crawl = crawled();
    let read = |output: &Output| -> u64 {
        let table = String::from_utf8_lossy(&output.stdout).into_owned();
        let (_, rest) = table.split_once("responses read: ").expect(&table);
        rest.split_once(';').expect(&table).0.parse().unwrap()
    };
    let all = read(&crawl.run(&["reextract"]));
    let before = exported(&crawl);
    let none = ["reextract", "--set", "corpus.keep_if=['words>=1000000']", "--set", "store.flush_pages=2"];
    let mut random = StdRng::seed_from_u64(8);
    for _ in 0..4 {
        let mut child = crawl.command(&none).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(random.random_range(20..250)));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let output = crawl.run(&none);
    assert!(output.status.success() && read(&output) <= all, "{}", said(&output));
    assert!(exported(&crawl).is_empty());
    let output = crawl.run(&["reextract"]);
    assert_eq!(read(&output), all, "what has ended begins anew");
    assert_same(&exported(&crawl), &before);
}

#[test]
fn an_archive_is_taken_into_another_corpus() {
    let crawl = crawled();
    let before = crawl.corpus();
    let folder = crawl.folder.path().join("warc");
    fs::rename(crawl.folder.path().join("data/archive"), &folder).unwrap();
    fs::remove_dir_all(crawl.folder.path().join("data")).unwrap();
    for round in 0..2 {
        let output = crawl.run(&["ingest", "warc"]);
        assert!(output.status.success(), "{}", said(&output));
        assert_eq!(crawl.corpus(), before, "round {round}");
    }
    let empty = crawl.run(&["ingest", "data"]);
    assert!(
        said(&empty).contains("has no file whose name ends in .warc, .warc.gz or .warc.zst"),
        "{}",
        said(&empty)
    );
}

#[test]
fn what_asks_nobody_needs_no_certificates() {
    let crawl = crawled();
    let before = exported(&crawl);
    let without_roots = |arguments: &[&str]| {
        let nowhere = crawl.folder.path().join("nowhere");
        crawl
            .command(arguments)
            .env("SSL_CERT_FILE", &nowhere)
            .env("SSL_CERT_DIR", &nowhere)
            .output()
            .unwrap()
    };
    let refused = without_roots(&["crawl", "--seeds", "seeds.txt"]);
    assert!(!refused.status.success() && said(&refused).contains("certificates"), "{}", said(&refused));
    for command in [&["rebuild", "--relearn", "--seeds", "seeds.txt"][..], &["reextract"]] {
        let output = without_roots(command);
        assert!(output.status.success(), "{command:?}: {}", said(&output));
        // The extraction method may change; the text does not.
        let texts = |documents: &[serde_json::Value]| -> Vec<String> {
            documents.iter().map(|document| document["text"].to_string()).collect()
        };
        assert_eq!(texts(&exported(&crawl)), texts(&before));
    }
    fs::rename(crawl.folder.path().join("data"), crawl.folder.path().join("other")).unwrap();
    let output = without_roots(&["ingest", "other/archive"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(exported(&crawl).len(), before.len());
}

#[test]
fn an_index_names_the_records_that_are_taken() {
    let crawl = crawled();
    let file = archive(&crawl).remove(0);
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let mut offsets = Vec::new();
    for item in gleaner_archive::ArchiveReader::open(&file, 0, 1 << 24).unwrap() {
        if let gleaner_archive::Item::Record(record) = item.unwrap()
            && record.http().is_some_and(|http| http.status == 200)
            && record.header.get("Gleaner-Role") == Some("page")
        {
            offsets.push(record.offset);
        }
    }
    let lines: String = offsets
        .iter()
        .map(|offset| format!("x 2026 {{\"filename\": \"{name}\", \"offset\": {offset}}}\n"))
        .collect();
    fs::write(file.with_file_name("index.cdxj"), lines).unwrap();
    let before = crawl.corpus();
    fs::rename(crawl.folder.path().join("data/sled"), crawl.folder.path().join("old")).unwrap();
    let output = crawl.run(&["ingest", "data/archive/index.cdxj"]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(crawl.corpus(), before);
}

#[test]
fn without_an_archive_nothing_is_made_anew() {
    let crawl = Crawl::with_options(
        NewspaperOptions { faults: false, ..NewspaperOptions::default() },
        Duration::ZERO,
    );
    let off = crawl.run(&["crawl", "--seeds", "seeds.txt", "--set", "archive.keep=false"]);
    assert!(off.status.success(), "{}", said(&off));
    assert!(!crawl.folder.path().join("data/archive").exists());
    for command in [&["rebuild", "--relearn", "--seeds", "seeds.txt"][..], &["reextract"]] {
        let output = crawl.run(command);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains("there is no archive in data/archive"), "{}", said(&output));
    }
    assert!(exported(&crawl).len() > 50, "the store is left alone");
}

#[test]
fn a_snapshot_of_a_running_crawl_is_a_corpus() {
    let crawl = Crawl::with_options(
        NewspaperOptions { faults: false, ..NewspaperOptions::default() },
        Duration::from_millis(60),
    );
    let mut child = crawl.spawn();
    assert!(crawl.newspaper.wait_for_requests(90, Duration::from_secs(30)));
    let output = crawl.run(&["snapshot", "copy"]);
    assert!(output.status.success() && said(&output).contains("requested a copy"), "{}", said(&output));
    assert!(child.try_wait().unwrap().is_none(), "the crawl goes on");
    child.kill().unwrap();
    child.wait().unwrap();

    let of_copy = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.current_dir(crawl.folder.path()).args(arguments).args(["--data", "copy"]).output().unwrap()
    };
    let verified = of_copy(&["verify"]);
    assert!(verified.status.success(), "{}{}", String::from_utf8_lossy(&verified.stdout), said(&verified));
    let before = of_copy(&["export", "--confidence", "0"]).stdout;
    assert!(!before.is_empty());
    let rebuilt = of_copy(&["rebuild", "--relearn", "--seeds", "seeds.txt"]);
    assert!(rebuilt.status.success(), "{}", said(&rebuilt));
    assert_eq!(of_copy(&["export", "--confidence", "0"]).stdout, before);

    let again = crawl.run(&["snapshot", "copy"]);
    assert_eq!(again.status.code(), Some(2));
    let still = crawl.run(&["snapshot", "second"]);
    assert!(still.status.success(), "without a crawl: {}", said(&still));
    assert!(crawl.folder.path().join("second/sled").exists());
}

#[test]
fn a_store_is_not_given_up_for_an_archive_that_is_cut() {
    let crawl = crawled();
    let before = exported(&crawl);
    let path = archive(&crawl).remove(0);
    let content = fs::read(&path).unwrap();
    let largest = largest_record(&content, false);
    for cut in [0, largest.start] {
        fs::write(&path, &content[..cut]).unwrap();
        let output = relearn(&crawl);
        assert_eq!(output.status.code(), Some(1));
        assert!(said(&output).contains("the archive has no page for some documents"), "{}", said(&output));
        assert_same(&exported(&crawl), &before);
    }
    // Damage within a file is found only when the file is read. The chosen text has only one URL, so its
    // document is lost.
    let only = |document: &&serde_json::Value| document["urls"].as_array().unwrap().len() == 1;
    let place = before.iter().find(only).unwrap()["archive_offset"].as_u64().unwrap();
    let at = usize::try_from(place).unwrap();
    let mut damaged = content;
    damaged[at + 20..at + 36].iter_mut().for_each(|byte| *byte ^= 0xff);
    fs::write(&path, damaged).unwrap();
    let output = relearn(&crawl);
    let is_told =
        said(&output).contains(" documents, 1 more than the new one; to restore it, move data/sled.old-1");
    assert!(output.status.code() == Some(1) && is_told, "{}", said(&output));
}

#[test]
fn what_was_ingested_is_not_lost_unasked() {
    let (crawl, other) = (crawled(), Crawl::with_options(NewspaperOptions::default(), Duration::ZERO));
    let file = archive(&crawl).remove(0);
    let bytes = fs::read(&file).unwrap();
    // Ingesting a file that another program is still writing resumes where the incomplete record begins.
    let growing = other.folder.path().join("growing.warc.gz");
    let broken = largest_record(&bytes, false);
    fs::write(&growing, &bytes[..broken.start + broken.len() / 2]).unwrap();
    let name = growing.to_str().unwrap();
    assert_eq!(other.run(&["ingest", name]).status.code(), Some(1));
    fs::write(&growing, &bytes).unwrap();
    let whole = other.run(&["ingest", name]);
    assert!(whole.status.success(), "{}", said(&whole));
    assert_eq!(exported(&other).len(), exported(&crawl).len());

    // The other corpus gets its own archive, which does not contain the ingested pages.
    other.to_its_end();
    let before = exported(&other);
    let refused = relearn(&other);
    assert_eq!(refused.status.code(), Some(1));
    assert!(said(&refused).contains("the archive has no page") && said(&refused).contains("--force"));
    assert_same(&exported(&other), &before);
    // The archive has their texts.
    assert!(restore(&other).status.success());
    assert_same(&exported(&other), &before);
}

#[test]
fn a_damaged_archive_is_no_reason_to_rebuild_a_whole_store() {
    let crawl = crawled();
    fs::remove_file(archive(&crawl).remove(0)).unwrap();
    let verified = crawl.run(&["verify"]);
    assert_eq!(verified.status.code(), Some(1));
    assert!(said(&verified).contains("the store itself has none: keep it"), "{}", said(&verified));
}

#[test]
fn pages_that_are_extracted_again_are_not_counted_as_visits() {
    let crawl = crawled();
    let table = |crawl: &Crawl| {
        let output = crawl.run(&["stats"]);
        assert!(output.status.success(), "{}", said(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        text[text.find("Host").unwrap()..].to_owned()
    };
    let before = table(&crawl);
    let again = crawl.run(&["reextract"]);
    assert!(again.status.success(), "{}", said(&again));
    assert!(String::from_utf8_lossy(&again.stdout).contains("stored"), "{again:?}");
    assert_eq!(table(&crawl), before);
}
