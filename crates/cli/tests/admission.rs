//! Tests with the real binary which documents the settings admit in a crawl, a rebuild and a new extraction.

use std::process::Output;
use std::time::Duration;

use crate::newspaper::Crawl;
use gleaner_corpus::{Tones, unify_tone_marks};
use gleaner_testkit::NewspaperOptions;
use serde_json::Value;

fn fresh() -> Crawl {
    Crawl::with_options(NewspaperOptions { faults: false, ..NewspaperOptions::default() }, Duration::ZERO)
}

fn exported(crawl: &Crawl) -> Vec<Value> {
    crawl.export(&["--confidence", "0"])
}

fn texts(documents: &[&Value]) -> Vec<String> {
    let fields = ["id", "title", "language", "content_hash", "text"];
    let text = |document: &&Value| fields.map(|field| document[field].to_string()).join("\n");
    documents.iter().map(text).collect()
}

/// Returns the standard output of a command, which must have succeeded.
fn told(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    out.into_owned()
}

#[test]
fn what_is_kept_out_has_its_reason_and_comes_back() {
    let crawl = fresh();
    crawl.to_its_end();
    let all = exported(&crawl);
    let vietnamese: Vec<&Value> = all.iter().filter(|document| document["language"] == "vi").collect();
    let mut words: Vec<u64> = vietnamese.iter().map(|document| document["words"].as_u64().unwrap()).collect();
    words.sort_unstable();
    let least = words[words.len() / 2];
    let long: Vec<&Value> =
        vietnamese.into_iter().filter(|document| document["words"].as_u64().unwrap() >= least).collect();
    assert!(!long.is_empty() && long.len() < words.len());

    let settings = ["corpus.languages=[\"vi\"]".to_owned(), format!("corpus.keep_if=[\"words >= {least}\"]")];
    let set = ["--set", &settings[0], "--set", &settings[1]];
    let again = told(&crawl.run(&[&["reextract"][..], &set].concat()));
    assert!(again.contains("other_language: en"), "{again}");
    assert!(again.contains(&format!("filtered: words>={least}")), "{again}");
    // The new extraction may use another method for a page than the crawl did.
    let after = exported(&crawl);
    assert_eq!(texts(&after.iter().collect::<Vec<_>>()), texts(&long));
    assert!(told(&crawl.run(&["verify"])).contains("No fault was found."));

    let rebuilt = told(&crawl.run(&[&["rebuild", "--relearn", "--seeds", "seeds.txt"][..], &set].concat()));
    assert!(rebuilt.contains("other_language: en") && rebuilt.contains("filtered: words>="), "{rebuilt}");
    // If a document is not admitted, its duplicate is no longer counted either.
    assert_eq!(texts(&exported(&crawl).iter().collect::<Vec<_>>()), texts(&long));

    told(&crawl.run(&["rebuild", "--relearn", "--seeds", "seeds.txt"]));
    assert_eq!(exported(&crawl), all);
}

#[test]
fn a_crawl_keeps_other_languages_out() {
    let crawl = fresh();
    let set =
        ["crawl", "--seeds", "seeds.txt", "--set", "corpus.languages=[\"en\"]", "--set", "corpus.tones=old"];
    let report = told(&crawl.run(&set));
    assert!(report.contains("other_language: vi"), "{report}");
    let documents = exported(&crawl);
    assert!(documents.len() > 20);
    for document in &documents {
        assert_eq!(document["language"], "en");
        assert!(document["language_probability"].as_f64().unwrap() > 0.9, "{document}");
        let file = document["archive_file"].as_str().unwrap();
        assert!(file.starts_with("gleaner-") && file.ends_with("-00001.warc.gz"), "{file}");
        assert!(document["archive_offset"].as_u64().unwrap() > 0);
    }
}

#[test]
fn tones_are_put_in_one_place_when_asked() {
    let crawl = fresh();
    crawl.to_its_end();
    let written = exported(&crawl);
    for (name, placement) in [("old", Tones::Old), ("new", Tones::New)] {
        let expected: Vec<String> = written
            .iter()
            .map(|document| match document["language"].as_str() {
                Some("vi") => unify_tone_marks(document["text"].as_str().unwrap(), placement),
                _ => document["text"].as_str().unwrap().to_owned(),
            })
            .collect();
        let at_export = crawl.export(&["--confidence", "0", "--tones", name]);
        let own: Vec<&str> = at_export.iter().map(|document| document["text"].as_str().unwrap()).collect();
        assert_eq!(own, expected);
        told(&crawl.run(&["reextract", "--set", &format!("corpus.tones={name}")]));
        let after = exported(&crawl);
        assert_eq!(texts(&after.iter().collect::<Vec<_>>()), texts(&at_export.iter().collect::<Vec<_>>()));
    }
}

#[test]
fn wrong_settings_are_refused_on_one_line() {
    let crawl = fresh();
    for (set, part) in [
        ("corpus.keep_if=[\"length>=3\"]", "corpus.keep_if: \"length>=3\": there is no figure \"length\""),
        ("corpus.languages=[\"vi-VN\"]", "corpus.languages: \"vi-VN\" is not a primary language tag"),
        ("corpus.tones=hoà", "expected one of `as-written`, `old`, `new`"),
    ] {
        let output = crawl.run(&["crawl", "--seeds", "seeds.txt", "--set", set]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(part) && said.lines().count() == 1, "{said}");
    }
    assert_eq!(crawl.newspaper.request_count(), 0);
}
