//! Tests near-duplicates with the real binary. Agency copies in the bundled newspaper become members of
//! clusters, which the commands show and export. Also tests paragraphs that a site repeats.

use std::collections::BTreeMap;
use std::process::{Command, Output};
use std::time::Duration;

use crate::newspaper::Crawl;
use gleaner_corpus::{ContentHash, Document, words};
use gleaner_frontier::UrlKey;
use gleaner_store::{DuplicateLevels, PackedDocument, open};
use gleaner_testkit::NewspaperOptions;
use serde_json::Value;

/// Runs a crawl to its end with these settings.
fn crawled(sets: &[&str]) -> Crawl {
    let crawl = Crawl::with_options(
        NewspaperOptions { faults: false, ..NewspaperOptions::default() },
        Duration::ZERO,
    );
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let arguments: Vec<&str> = ["crawl", "--seeds", "seeds.txt"].into_iter().chain(sets).collect();
    succeeded(&crawl.run(&arguments));
    crawl
}

fn succeeded(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{:?}\n{out}\n{err}", output.status);
    out.into_owned()
}

/// Exports the documents with all members of clusters, by URL.
fn exported(crawl: &Crawl) -> BTreeMap<String, Value> {
    let all = crawl.export(&["--members", "--confidence", "0"]);
    all.into_iter().map(|document| (document["url"].as_str().unwrap().to_owned(), document)).collect()
}

/// Returns the URL of each document with the URL of its representative.
fn heads(documents: &BTreeMap<String, Value>) -> BTreeMap<&str, &str> {
    let url_of = |id: &Value| documents.values().find(|document| document["id"] == *id).unwrap();
    documents
        .iter()
        .map(|(url, document)| (url.as_str(), url_of(&document["cluster"])["url"].as_str().unwrap()))
        .collect()
}

fn check(crawl: &Crawl) {
    let told = succeeded(&crawl.run(&["verify"]));
    assert!(told.contains("No fault was found."), "{told}");
}

#[test]
fn copies_are_members_and_are_kept_through_everything() {
    let crawl = crawled(&[]);
    let copies = crawl.newspaper.wire_copies();
    assert_eq!(copies.len(), 2);
    let documents = exported(&crawl);
    for (copy, original) in &copies {
        let (copy, original) = (&documents[copy], &documents[original]);
        assert_eq!((&copy["cluster"], &original["cluster"]), (&original["id"], &original["id"]));
        let similarity = copy["similarity"].as_f64().unwrap();
        assert!((0.5..0.95).contains(&similarity), "{similarity}");
        assert!(original["similarity"].is_null());
        assert_eq!((&copy["near_duplicates"], &original["near_duplicates"]), (&1.into(), &1.into()));
    }
    let alone = documents.values().filter(|document| document["near_duplicates"] == 0);
    assert!(alone.clone().all(|document| document["cluster"] == document["id"]));
    assert_eq!(alone.count() + 4, documents.len());

    // The export contains each representative without its copy, unless the user requests all members.
    let output = crawl.run(&["export"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("near-duplicates excluded: 2; use --members"), "{told}");
    assert_eq!(succeeded(&output).lines().count() + 2, documents.len());
    let alike = crawl.export(&["--members", "--confidence", "0", "--where", "similarity>=0.96"]);
    assert_eq!(alike.len() + 2, documents.len());
    let clustered = crawl.export(&["--members", "--where", "near_duplicates>=1"]);
    assert_eq!(clustered.len(), 4);

    // The statistics and the list of duplicates show the clusters.
    let stats: Value = serde_json::from_str(&succeeded(&crawl.run(&["stats", "--quick", "--json"]))).unwrap();
    assert_eq!((&stats["near_duplicates"], &stats["clusters"]), (&2.into(), &2.into()));
    assert_eq!(stats["documents"], documents.len());
    assert_eq!(
        (&stats["hosts"][0]["stored"], &stats["hosts"][0]["near_duplicates"]),
        (&36.into(), &1.into())
    );
    let listed = succeeded(&crawl.run(&["duplicates", "--json", "--host", "villagepost.example"]));
    let cluster: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(
        (&cluster["url"], &cluster["members"][0]["url"]),
        (&copies[1].1.as_str().into(), &copies[1].0.as_str().into())
    );
    let shown = succeeded(&crawl.run(&["duplicates"]));
    assert!(
        copies.iter().all(|(copy, original)| shown.contains(copy) && shown.contains(original)),
        "{shown}"
    );
    assert_eq!(succeeded(&crawl.run(&["duplicates", "--limit", "1", "--json"])).lines().count(), 1);
    check(&crawl);

    // The clusters are the same after a new extraction, and after a rebuild from the archive.
    succeeded(&crawl.run(&["reextract"]));
    check(&crawl);
    assert_eq!(heads(&exported(&crawl)), heads(&documents));
    succeeded(&crawl.run(&["rebuild", "--relearn", "--seeds", "seeds.txt"]));
    check(&crawl);
    assert_eq!(exported(&crawl), documents);
}

#[test]
fn each_level_is_switched_off_by_itself() {
    let exact = crawled(&["corpus.duplicates=[\"exact\"]"]);
    let documents = exact.export(&["--confidence", "0"]);
    assert_eq!(documents.len(), 74);
    assert!(documents.iter().all(|document| document["cluster"] == document["id"]));
    check(&exact);

    let near = crawled(&["corpus.duplicates=[\"near\"]"]);
    let documents = exported(&near);
    assert_eq!(documents.len(), 76);
    assert!(documents.values().all(|document| document["urls"].as_array().unwrap().len() == 1));
    let twins = documents.values().filter(|document| document["similarity"] == 1.0);
    assert_eq!(twins.count(), 2);
    assert_eq!(near.export(&["--confidence", "0"]).len(), 72);
    check(&near);
}

#[test]
fn what_is_not_similar_enough_is_related() {
    let crawl = crawled(&["corpus.similarity=0.99"]);
    let documents = exported(&crawl);
    let (copy, original) = &crawl.newspaper.wire_copies()[0];
    assert_eq!(documents[copy]["cluster"], documents[copy]["id"]);
    assert_eq!(documents[copy]["related"][0], documents[original]["id"]);
    assert_eq!(succeeded(&crawl.run(&["duplicates"])), "");
    let shown = succeeded(&crawl.run(&["duplicates", "--related"]));
    assert!(shown.contains(copy) && shown.contains(original), "{shown}");
    check(&crawl);
}

#[test]
fn the_longest_stands_for_its_cluster() {
    let crawl = crawled(&["corpus.head=longest"]);
    let documents = exported(&crawl);
    let words = |url: &str| documents[url]["words"].as_u64().unwrap();
    let heads = heads(&documents);
    for (copy, original) in &crawl.newspaper.wire_copies() {
        let (head, other) = match heads[copy.as_str()] == original {
            true => (original, copy),
            false => (copy, original),
        };
        assert_eq!((heads[head.as_str()], heads[other.as_str()]), (head.as_str(), head.as_str()));
        assert!(words(head) >= words(other));
    }
    check(&crawl);
}

#[test]
fn a_damaged_index_is_reported_repaired_and_built_again() {
    let mut crawl = crawled(&["corpus.index_memory=64KiB"]);
    crawl.settings.push("corpus.index_memory=64KiB".into());
    let near = crawl.folder.path().join("data/sled/near");
    let damage = || {
        let file = std::fs::read_dir(&near).unwrap().next().unwrap().unwrap().path();
        std::fs::write(file, "damaged").unwrap();
    };
    let crawl_again = || {
        let output = crawl.run(&["crawl", "--seeds", "seeds.txt"]);
        String::from_utf8_lossy(&output.stderr).matches("is built again").count()
    };
    check(&crawl);
    damage();
    let output = crawl.run(&["verify"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!output.status.success() && told.contains("the index of near-duplicates is damaged"), "{told}");
    let repaired = crawl.run(&["verify", "--repair"]);
    assert!(String::from_utf8_lossy(&repaired.stderr).contains("removed the damaged index"));
    check(&crawl);
    assert_eq!(crawl_again(), 0, "a file that was removed is not damaged");
    damage();
    assert_eq!(crawl_again(), 1);
    check(&crawl);
    assert_eq!(crawl_again(), 0);
}

/// Generates a document of one site. Every second document has the same additional paragraph.
fn with_boilerplate(number: u64) -> Document {
    let document = crate::generated::document(number);
    let text = match number % 2 {
        0 => format!("{}\nFollow us on every network that there is.", document.text),
        _ => document.text,
    };
    Document {
        host: "site.example".into(),
        kinds: "p".repeat(text.lines().count()),
        content_hash: ContentHash::from_text(&text),
        text,
        ..document
    }
}

#[test]
fn repeated_paragraphs_are_left_out_on_request_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    {
        let options = gleaner_store::StoreOptions { cache: 16 << 20, create: true };
        let mut writer = open(&data, &options).unwrap();
        writer.detect_duplicates(&DuplicateLevels::default()).unwrap();
        let mut change = writer.begin();
        for number in 0..20 {
            let document = with_boilerplate(number);
            let key = UrlKey::from_bytes(document.id.0);
            change.place(key, PackedDocument::from_document(document), &mut writer).unwrap();
        }
        writer.commit(change).unwrap();
        writer.flush().unwrap();
    }
    let export = |arguments: &[&str]| -> Vec<Value> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.current_dir(folder.path()).args(["export", "--data", "data", "--confidence", "0"]);
        let text = succeeded(&command.args(arguments).output().unwrap());
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let follows = |document: &Value| document["text"].as_str().unwrap().contains("Follow us");
    let whole = export(&[]);
    assert_eq!(whole.iter().filter(|document| follows(document)).count(), 10);
    assert!(whole.iter().all(|document| document["removed"] == Value::Array(Vec::new())));
    let stripped = export(&["--without-repeated"]);
    assert!(!stripped.iter().any(follows));
    for (whole, stripped) in whole.iter().zip(&stripped) {
        assert_eq!(stripped["removed"].as_array().unwrap().len(), usize::from(follows(whole)));
        assert_eq!(stripped["words"], words(stripped["text"].as_str().unwrap()));
        assert_eq!((&stripped["id"], &stripped["content_hash"]), (&whole["id"], &whole["content_hash"]));
    }
}
