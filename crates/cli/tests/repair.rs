//! Tests texts that cannot be read: commands process the others, `verify --repair` restores them from the
//! archive while the corpus stays in service, and the check after a crawl reports damage.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use crate::newspaper::{Crawl, crawled};
use crate::nights::Nights;
use gleaner_testkit::NewspaperOptions;
use serde_json::{Value, json};

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn texts(crawl: &Crawl) -> PathBuf {
    crawl.folder.path().join("data/sled/texts/00000001.texts")
}

/// Returns the key of a document's text.
fn key_of(document: &Value) -> Vec<u8> {
    let digits = document["id"].as_str().unwrap();
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    [b'd'].into_iter().chain((0..digits.len()).step_by(2).map(byte)).collect()
}

/// Changes a byte of the text of a document.
fn damage(crawl: &Crawl, document: &Value) {
    let key = key_of(document);
    let mut bytes = fs::read(texts(crawl)).unwrap();
    let at = bytes.windows(key.len()).position(|found| found == key).unwrap();
    bytes[at + key.len() + 20] ^= 0x10;
    fs::write(texts(crawl), bytes).unwrap();
}

/// Returns the documents on standard output, and whether the export succeeded.
fn exported(crawl: &Crawl) -> (Vec<Value>, Output) {
    let output = crawl.run(&["export", "--confidence", "0"]);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    (text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(), output)
}

fn without(documents: &[Value], left_out: &Value) -> Vec<Value> {
    documents.iter().filter(|document| *document != left_out).cloned().collect()
}

fn check(crawl: &Crawl) {
    let output = crawl.run(&["verify"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("No fault was found."), "{told}{}", said(&output));
}

/// A process that has the corpus open.
struct Serving(Child);

impl Serving {
    fn of(crawl: &Crawl) -> Self {
        let mut command = crawl.command(&["serve", "--address", "127.0.0.1:0"]);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let socket = crawl.folder.path().join("data/read.socket");
        while !socket.exists() {
            std::thread::yield_now();
        }
        Self(child)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn an_export_has_all_documents_but_the_one_that_cannot_be_read() {
    let crawl = crawled();
    let (before, _) = exported(&crawl);
    damage(&crawl, &before[3]);
    let url = before[3]["url"].as_str().unwrap();
    for is_served in [false, true] {
        let _serving = is_served.then(|| Serving::of(&crawl));
        let (documents, output) = exported(&crawl);
        assert_eq!(documents, without(&before, &before[3]));
        assert_eq!(output.status.code(), Some(1));
        let said = said(&output);
        assert!(said.contains(&format!("the text of {url} cannot be read: ")), "{said}");
        assert!(said.contains("texts that cannot be read: 1;") && said.contains("verify --repair"), "{said}");
    }
    let into = crawl.run(&["export", "--confidence", "0", "--into", "folder"]);
    assert_eq!(into.status.code(), Some(1), "{}", said(&into));
    let manifest = fs::read(crawl.folder.path().join("folder/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    assert_eq!(manifest["documents"], before.len() - 1);
    assert_eq!(manifest["unreadable"][0]["url"], url);
    assert_eq!(manifest["unreadable"].as_array().unwrap().len(), 1);
    for arguments in [&["export", "--out", "one.jsonl"][..], &["stats"]] {
        let output = crawl.run(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(said(&output).contains("texts that cannot be read: 1;"), "{arguments:?} {}", said(&output));
    }
    let copied = crawl.run(&["snapshot", "copy"]);
    assert!(copied.status.code() == Some(1) && said(&copied).contains("also in the copy: 1"), "{copied:?}");
    let repaired = crawl.run(&["verify", "--repair"]);
    assert!(repaired.status.success(), "{}", said(&repaired));
    assert_eq!(exported(&crawl).0, before);
}

#[test]
fn a_text_is_repaired_while_another_process_has_the_corpus() {
    let crawl = crawled();
    let (before, _) = exported(&crawl);
    damage(&crawl, &before[5]);
    let serving = Serving::of(&crawl);
    let output = crawl.run(&["verify", "--repair"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("repaired texts: 1; signatures: 0; not repaired: 0"), "{}", said(&output));
    assert_eq!(exported(&crawl).0, before);
    drop(serving);
    assert_eq!(exported(&crawl).0, before);
    check(&crawl);
}

#[test]
fn all_texts_are_repaired_when_their_file_is_lost() {
    let crawl = crawled();
    let (before, _) = exported(&crawl);
    fs::remove_file(texts(&crawl)).unwrap();
    let (documents, output) = exported(&crawl);
    assert_eq!((documents.len(), output.status.code()), (0, Some(1)));
    let output = crawl.run(&["verify", "--repair"]);
    assert!(output.status.success(), "{}", said(&output));
    let texts = |documents: &[Value]| -> Vec<(String, String)> {
        documents.iter().map(|it| (it["url"].to_string(), it["text"].to_string())).collect()
    };
    assert_eq!(texts(&exported(&crawl).0), texts(&before));
    crawl.to_its_end();
    check(&crawl);
}

#[test]
fn a_text_without_its_archived_page_is_named() {
    let crawl = crawled();
    let (before, _) = exported(&crawl);
    damage(&crawl, &before[0]);
    let (archive, elsewhere) =
        (crawl.folder.path().join("data/archive"), crawl.folder.path().join("elsewhere"));
    fs::rename(&archive, &elsewhere).unwrap();
    let output = crawl.run(&["verify", "--repair"]);
    fs::rename(&elsewhere, &archive).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let url = before[0]["url"].as_str().unwrap();
    let said = said(&output);
    assert!(said.contains(&format!("cannot repair the text of {url}: archive file 1")), "{said}");
    assert_eq!(exported(&crawl).0, without(&before, &before[0]));
}

/// Lets the pass of the check begin 40 days earlier, so that all of it is due.
fn make_check_due(crawl: &Crawl) {
    let path = crawl.folder.path().join("data/check.json");
    let mut state: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let began: jiff::Timestamp = state["began"].as_str().unwrap().parse().unwrap();
    state["began"] = json!((began - jiff::SignedDuration::from_hours(40 * 24)).to_string());
    fs::write(path, serde_json::to_vec(&state).unwrap()).unwrap();
}

fn report(crawl: &Crawl) -> Value {
    let output = crawl.run(&["report", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn next_commands(report: &Value) -> Vec<&str> {
    report["findings"].as_array().unwrap().iter().filter_map(|finding| finding["next"].as_str()).collect()
}

#[test]
fn damage_of_store_and_archive_is_reported_after_a_crawl_until_it_is_repaired() {
    let crawl = crawled();
    let (before, _) = exported(&crawl);
    damage(&crawl, &before[3]);
    let archive = crawl.folder.path().join("data/archive");
    let archive = fs::read_dir(archive).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&archive).unwrap();
    let offset = usize::try_from(before[9]["archive_offset"].as_u64().unwrap()).unwrap();
    let mut bytes = whole.clone();
    bytes[offset + 20..offset + 36].iter_mut().for_each(|byte| *byte ^= 0xff);
    fs::write(&archive, bytes).unwrap();

    // Nothing is due in the second after the pass began.
    let crawling = ["crawl", "--seeds", "seeds.txt"];
    assert!(crawl.run(&crawling).status.success());
    make_check_due(&crawl);
    let off = crawl.run(&[&crawling[..], &["--set", "store.check_time=0s"]].concat());
    assert!(off.status.success(), "{}", said(&off));

    let output = crawl.run(&crawling);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(3), "{told}{}", said(&output));
    assert!(told.contains("the store is damaged: texts or signatures that cannot be read: 1"), "{told}");
    assert!(
        told.contains(&format!(
            "the archive is damaged at 1 places; the first is in file {}, byte {offset}",
            archive.file_name().unwrap().to_str().unwrap()
        )),
        "{told}"
    );
    let first = report(&crawl);
    assert_eq!(next_commands(&first), ["gleaner verify --repair", "gleaner verify"]);
    assert!(first["findings"][0]["vietnamese"]["text"].as_str().unwrap().contains("kho bị hỏng"));

    fs::write(&archive, whole).unwrap();
    assert!(crawl.run(&["verify", "--repair"]).status.success());
    crawl.to_its_end();
    assert!(next_commands(&report(&crawl)).is_empty());
    assert_eq!(exported(&crawl).0, before);
}

#[test]
fn a_crawl_goes_on_with_texts_and_signatures_that_cannot_be_read() {
    let crawl = crawled();
    let (before, _) = exported(&crawl);
    let mut bytes = fs::read(texts(&crawl)).unwrap();
    let middle = bytes.len() / 3..2 * bytes.len() / 3;
    bytes[middle].fill(0);
    fs::write(texts(&crawl), bytes).unwrap();
    crawl.to_its_end();
    let again = crawl.run(&["reextract"]);
    assert!(again.status.success(), "{}", said(&again));
    let repaired = crawl.run(&["verify", "--repair"]);
    assert!(repaired.status.success(), "{}{}", String::from_utf8_lossy(&repaired.stdout), said(&repaired));
    assert_eq!(exported(&crawl).0.len(), before.len());
}

#[test]
fn a_missing_archive_file_is_reported_after_a_crawl() {
    let crawl = crawled();
    make_check_due(&crawl);
    let archive = crawl.folder.path().join("data/archive");
    fs::rename(archive, crawl.folder.path().join("elsewhere")).unwrap();
    let output = crawl.run(&["crawl", "--seeds", "seeds.txt", "--set", "archive.keep=false"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("the archive is damaged at 1 places; the first is in file 1, byte 0"), "{told}");
}

/// Checks in 30 nights at the given time. A third of the nights is interrupted at once.
#[test]
fn each_byte_is_checked_within_a_month() {
    let nights = Nights::crawled(1);
    let data = nights.data();
    let config = gleaner_crawl::settings::read(None, &[format!("store.path={}", data.display())]).unwrap();
    let options = gleaner_store::StoreOptions { cache: 16 << 20, create: false };
    let (file, ids) = {
        let store = gleaner_store::open(&data, &options).unwrap().store();
        (
            data.join("sled/texts/00000001.texts"),
            store.documents().map(|it| it.unwrap().id).collect::<Vec<_>>(),
        )
    };
    let mut bytes = fs::read(&file).unwrap();
    let damaged = ids.iter().step_by(5).count();
    for id in ids.iter().step_by(5) {
        let key = [b"d", id.0.as_slice()].concat();
        let at = bytes.windows(key.len()).position(|found| found == key).unwrap();
        bytes[at + key.len() + 20] ^= 0x10;
    }
    fs::write(&file, bytes).unwrap();
    let archive = fs::read_dir(data.join("archive")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&archive).unwrap();
    let begins = |at: &usize| bytes[*at..].starts_with(&[0x1f, 0x8b, 8, 0]);
    let records: Vec<usize> = (0..bytes.len()).filter(begins).step_by(7).collect();
    for at in &records {
        bytes[at + 25] ^= 0xff;
    }
    let total = bytes.len() as f64;
    // A record is read as a whole. The largest one has the changes of the store.
    let ends: Vec<usize> = records.iter().copied().chain([bytes.len()]).collect();
    let largest = ends.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap() as f64;
    fs::write(&archive, bytes).unwrap();

    let store = gleaner_store::open(&data, &options).unwrap().store();
    let first: jiff::Timestamp = "2026-11-03T20:00:00Z".parse().unwrap();
    let state = || -> Value { serde_json::from_slice(&fs::read(data.join("check.json")).unwrap()).unwrap() };
    let checked = |state: &Value| state["archive"]["bytes"].as_f64().unwrap();
    let mut before = 0.0;
    for night in 0..30 {
        let stop = gleaner_crawl::StopRequest::default();
        if night % 3 == 1 {
            stop.request();
        }
        let now = first + jiff::SignedDuration::from_hours(24 * night);
        gleaner_crawl::integrity::check(&config, &store, now, &stop).unwrap();
        let after = checked(&state());
        assert!(
            after - before < total / 28.0 * 2.0 + largest,
            "night {night}: {before} to {after}, {largest} of {total}"
        );
        before = after;
    }
    let end = state();
    assert_ne!(end["began"], json!(first.to_string()), "the next pass has begun");
    let parts: Vec<&Value> =
        end["damages"].as_array().unwrap().iter().map(|damage| &damage["part"]).collect();
    assert_eq!(parts.iter().filter(|part| part["record"]["Text"].is_array()).count(), damaged);
    let found = parts.iter().filter(|part| part["archive"].is_object()).count();
    assert!(found >= records.len(), "{found} of {}", records.len());
}

#[test]
fn a_text_is_repaired_by_a_crawl_that_goes_on() {
    let crawl = Crawl::with_options(
        NewspaperOptions { faults: false, ..NewspaperOptions::default() },
        Duration::from_millis(150),
    );
    let mut crawling = crawl.spawn();
    let is_on_disk = |document: &Value| {
        let bytes = fs::read(texts(&crawl)).unwrap_or_default();
        bytes.windows(17).any(|found| found == key_of(document))
    };
    let stored = (10..).step_by(10).find_map(|requests| {
        assert!(crawl.newspaper.wait_for_requests(requests, Duration::from_secs(60)));
        exported(&crawl).0.into_iter().find(is_on_disk)
    });
    let stored = stored.unwrap();
    damage(&crawl, &stored);
    let output = crawl.run(&["verify", "--repair"]);
    assert!(crawling.try_wait().unwrap().is_none(), "the crawl ended too early for this test");
    crawling.kill().unwrap();
    crawling.wait().unwrap();
    let said = said(&output);
    assert!(output.status.success() && said.contains("requested a repair"), "{said}");
    assert!(said.contains("repaired texts: 1; signatures: 0; not repaired: 0"), "{said}");
    assert!(exported(&crawl).0.iter().any(|document| document["text"] == stored["text"]));
}
