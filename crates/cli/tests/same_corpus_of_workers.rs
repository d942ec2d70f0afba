//! Tests with real processes that a corpus of three workers, after nights with kills, pins, a redesign, a removal, changed
//! settings and ingested files, moves to a folder, and that the archive there restores the same corpus.

use std::fs;
use std::process::{Output, Stdio};

use gleaner_corpus::Document;
use gleaner_testkit::{Newspaper, NewspaperOptions};

use crate::distributed::{Cluster, documents};
use crate::newspaper::crawled;
use crate::removal::files_with;

/// Starts a cluster with two newspapers, one of which gets a new design during the crawl.
fn cluster() -> Option<Cluster> {
    let mut cluster = Cluster::new()?;
    let options =
        NewspaperOptions { redesigned_after: Some(60), faults: false, ..NewspaperOptions::default() };
    cluster.newspaper = Newspaper::start_in_background(options).unwrap();
    cluster.gap = std::time::Duration::from_millis(5);
    fs::write(cluster.folder.path().join("seeds.txt"), Newspaper::seeds().join("\n")).unwrap();
    Some(cluster)
}

fn told(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    format!("{out}{err}")
}

fn version(stats: &str) -> &str {
    let line = stats.lines().find_map(|line| line.strip_prefix("Version of the corpus: "));
    line.unwrap_or_else(|| panic!("{stats}"))
}

/// Returns a document of a host, and a part of it that no other document has.
fn with_own_sentence<'a>(documents: &'a [Document], host: &str) -> (&'a Document, String) {
    let is_own = |part: &String| documents.iter().filter(|it| it.text.contains(part.as_str())).count() == 1;
    let part_of = |document: &'a Document| {
        let lines = document.text.lines().rev().filter(|line| line.chars().count() > 80);
        let mut parts = lines.map(|line| line.chars().take(60).collect::<String>());
        Some((document, parts.find(is_own)?))
    };
    documents.iter().filter(|document| document.host == host).find_map(part_of).unwrap()
}

/// Several workers run a command to its end.
fn night(cluster: &Cluster, arguments: &[&str]) {
    let workers = ["one", "two", "three"].map(|name| cluster.worker_that(name, arguments));
    workers.into_iter().for_each(|worker| drop(worker.ends()));
}

#[test]
fn a_corpus_of_three_workers_is_restored_in_a_folder_after_four_nights() {
    let Some(cluster) = cluster() else { return };
    let crawl = ["crawl", "--seeds", "seeds.txt", "--now"];
    // Two workers are killed in the first night.
    let [one, two, three] = ["one", "two", "three"].map(|name| cluster.worker(name));
    for (worker, requests) in [(one, 30), (two, 90)] {
        assert!(cluster.newspaper.wait_for_requests(requests, std::time::Duration::from_secs(60)));
        worker.kill();
    }
    three.ends();
    cluster.wait_for_leases();

    let pins = cluster.folder.path().join("pins");
    fs::create_dir(&pins).unwrap();
    fs::write(pins.join("villagepost.example.toml"), "drop = [\"h2\", \"h3\"]").unwrap();
    night(&cluster, &["reextract", "--set", "template.pins=pins"]);
    night(&cluster, &crawl);

    let all = ["export", "--members", "--confidence", "0"];
    let store = cluster.store();
    let stored: Vec<Document> = store.documents().map(Result::unwrap).collect();
    let (removed, sentence) = with_own_sentence(&stored, "villagepost.example");
    let objects = cluster.folder.path().join("objects");
    assert!(!files_with(&objects, &sentence).is_empty());
    told(&cluster.run(&["remove", &removed.url, "--reason", "a letter", "--yes"]));
    night(&cluster, &[&crawl[..], &["--set", "corpus.keep_if=['words>=60']"]].concat());

    // The other archive has the removed page too.
    let other = crawled();
    let archive = other.folder.path().join("data/archive");
    night(&cluster, &["ingest", archive.to_str().unwrap()]);
    night(&cluster, &["reextract", "--set", "corpus.tones=new"]);
    night(&cluster, &crawl);
    assert_eq!(files_with(&objects, &sentence), [""; 0]);
    assert!(cluster.store().document(removed.id).unwrap().is_none());

    let (shared, stats) = (told(&cluster.run(&all)), told(&cluster.run(&["stats"])));
    let alone = |folder: &str, arguments: &[&str]| {
        told(&cluster.alone(folder, arguments).stdout(Stdio::piped()).output().unwrap())
    };
    let migrate = ["migrate", "--from", &cluster.address, "--to", "sled", "--objects", &cluster.objects.0];
    alone("back", &[&migrate[..], &["--set", "workers.lease=3s"]].concat());
    let moved = alone("back", &all);
    assert_eq!(documents(&moved), documents(&shared));
    assert_eq!(version(&alone("back", &["stats"])), version(&stats));
    told(&cluster.alone("back", &["verify"]).stdout(Stdio::piped()).output().unwrap());

    alone("back", &["rebuild"]);
    assert_eq!(alone("back", &all), moved);

    let [from, to] = ["back", "there"].map(|name| cluster.folder.path().join(name).join("archive"));
    fs::create_dir_all(&to).unwrap();
    for file in fs::read_dir(from).unwrap().map(Result::unwrap) {
        fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
    assert_eq!(version(&alone("there", &["rebuild"])), version(&stats));
    assert_eq!(alone("there", &all), moved);
    for folder in ["back", "there"] {
        assert_eq!(files_with(&cluster.folder.path().join(folder), &sentence), [""; 0], "{folder}");
    }
}
