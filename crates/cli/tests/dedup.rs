//! Tests of `gleaner dedup --global` with real processes: its representatives are those of the store, even
//! after kills and if tasks run one by one; and error messages name the faulty file or option.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use gleaner_corpus::{ContentHash, Document};
use gleaner_frontier::UrlKey;
use gleaner_store::{Duplicates, Levels, Options, PackedDocument, open};
use jiff::{Timestamp, ToSpan};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use tempfile::TempDir;

/// Number of documents in the corpus; every third is an edited copy of an earlier one.
const DOCUMENTS: u64 = 900;

/// Generates document `number`; each is fetched one second after the document before it.
fn document(number: u64) -> Document {
    let mut document = crate::generated::document(number);
    document.fetched = "2026-11-22T00:00:00Z".parse::<Timestamp>().unwrap() + (number as i64).seconds();
    if number % 3 == 2 {
        let mut random = StdRng::seed_from_u64(number);
        // The original may be a copy itself.
        let of = self::document(random.random_range(0..number));
        let every = random.random_range(8..60);
        let words = of.text.split(' ').enumerate();
        let edited = words.map(|(at, word)| match at % every {
            5 => format!("edited{}", "abcdefgh".chars().nth(random.random_range(0..8)).unwrap()),
            _ => word.to_owned(),
        });
        document.text = edited.collect::<Vec<_>>().join(" ");
        document.content_hash = ContentHash::from_text(&document.text);
    }
    document
}

/// Creates a folder with a corpus in `data` and its export, in shards, in `exports`.
fn exported(format: &str) -> TempDir {
    let home = TempDir::new().unwrap();
    let mut writer = open(&home.path().join("data"), &Options { cache: 64 << 20, create: true }).unwrap();
    let mut duplicates = Duplicates::new(&writer.store(), &Levels::default()).unwrap();
    let mut change = writer.begin();
    for number in 0..DOCUMENTS {
        let document = document(number);
        let key = UrlKey::from_bytes(document.id.0);
        change.place(key, PackedDocument::from_document(document), &mut duplicates).unwrap();
    }
    writer.commit(change).unwrap();
    writer.flush().unwrap();
    drop((writer, duplicates));
    let arguments =
        ["export", "--members", "--confidence", "0", "--shard-size", "200KiB", "--into", "exports"];
    said(home.path(), &[&arguments[..], &["--format", format]].concat());
    home
}

fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    command.current_dir(home).args(arguments);
    command
}

fn dedup<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["dedup", "--global"][..], arguments].concat()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a command that must succeed; returns its standard output.
fn said(home: &Path, arguments: &[&str]) -> String {
    let output = command(home, arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", told(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must fail with `code`; returns its standard error.
fn refused(home: &Path, arguments: &[&str], code: i32) -> String {
    let output = command(home, arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", told(&output));
    told(&output)
}

fn lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Reads all files of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    names(folder).into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

#[test]
fn heads_are_those_of_the_store() {
    let home = exported("parquet");
    said(home.path(), &["export", "--members", "--confidence", "0", "--out", "all.jsonl"]);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let online: BTreeMap<String, String> = lines(&home.path().join("all.jsonl"))
        .iter()
        .map(|document| (text(&document["id"]), text(&document["cluster"])))
        .filter(|(id, head)| id != head)
        .collect();
    said(home.path(), &dedup(&["exports", "--work", "work", "--out", "out.jsonl", "--write", "unique"]));
    let offline: BTreeMap<String, String> = lines(&home.path().join("out.jsonl"))
        .iter()
        .map(|one| (text(&one["id"]), text(&one["head"])))
        .collect();
    let same = online.iter().filter(|(id, head)| offline.get(*id) == Some(head)).count();
    println!(
        "{same} of {} members of the store have the same head offline, which has {}",
        online.len(),
        offline.len()
    );
    assert!(online.len() > 200 && same == online.len() && offline.len() == same);
    // The written files contain only representatives, in the same format.
    let manifest: Value =
        serde_json::from_slice(&fs::read(home.path().join("unique/manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["documents"].as_u64().unwrap(), DOCUMENTS - offline.len() as u64);
    assert_eq!(manifest["files"].as_array().unwrap().len() + 1, names(&home.path().join("unique")).len());
    let again = refused(home.path(), &dedup(&["exports", "--work", "work2", "--write", "unique"]), 2);
    assert!(again.contains("unique is not empty"), "{again}");
    said(home.path(), &dedup(&["unique", "--work", "work3", "--out", "none.jsonl"]));
    // A copy of a copy may be similar to a representative with which it was not compared.
    assert!(lines(&home.path().join("none.jsonl")).len() <= offline.len() / 50);
}

#[test]
fn killed_again_and_again_the_result_is_the_same() {
    let home = exported("jsonl");
    let undisturbed = dedup(&["exports", "--work", "whole", "--write", "expected"]);
    said(home.path(), &undisturbed);
    let mut random = StdRng::seed_from_u64(20_261_122);
    let mut kills = 0;
    let arguments =
        dedup(&["exports", "--work", "work", "--write", "out", "--memory", "1MiB", "--threads", "1"]);
    for _ in 0..60 {
        let mut child = command(home.path(), &arguments).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(random.random_range(5..40)));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
    }
    said(home.path(), &arguments);
    assert!(kills >= 5, "{kills}");
    for (one, other) in [("whole/clusters", "work/clusters"), ("expected", "out")] {
        let visible = |folder: &str| {
            let mut files = files(&home.path().join(folder));
            files.retain(|name, _| !name.starts_with('.'));
            files
        };
        assert_eq!(visible(one).keys().collect::<Vec<_>>(), visible(other).keys().collect::<Vec<_>>());
        assert!(visible(one) == visible(other), "{one} and {other} differ after {kills} kills");
    }
    let left: Vec<String> =
        names(&home.path().join("work")).into_iter().filter(|it| it.ends_with(".part")).collect();
    assert_eq!(left, [""; 0]);
    assert_eq!(names(&home.path().join("out")).iter().filter(|it| it.starts_with('.')).count(), 0);
}

#[test]
fn tasks_are_done_one_by_one_also_by_two_at_once() {
    let home = exported("jsonl");
    said(home.path(), &dedup(&["exports", "--work", "whole"]));
    let all = dedup(&["exports", "--work", "work", "--list-tasks"]);
    let listed = said(home.path(), &all);
    let tasks: Vec<&str> = listed.lines().map(|line| line.strip_suffix("\tleft").unwrap()).collect();
    let shards = names(&home.path().join("exports")).len() - 1;
    assert_eq!((tasks.len(), tasks[0], tasks[shards]), (shards + 44, "sign:0", "exact"));
    let early = refused(home.path(), &dedup(&["exports", "--work", "work", "--task", "band:3"]), 1);
    assert!(early.contains("band:3 needs sign:0, which is not done: run that first"), "{early}");
    for name in ["band:42", "sign:99", "write:0"] {
        let none = refused(home.path(), &dedup(&["exports", "--work", "work", "--task", name]), 2);
        assert!(none.contains(&format!("no task {name}")), "{none}");
    }
    for task in &tasks[..=shards] {
        said(home.path(), &dedup(&["exports", "--work", "work", "--task", task]));
    }
    said(home.path(), &dedup(&["exports", "--work", "work"]));
    // Two runs at once share all tasks.
    let runs: Vec<_> = (0..2)
        .map(|_| {
            command(home.path(), &dedup(&["exports", "--work", "twice"]))
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for run in runs {
        let output = run.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
    }
    assert!(said(home.path(), &all).lines().all(|line| line.ends_with("\tdone")));
    let result = |work: &str| fs::read(home.path().join(work).join("clusters/duplicates.jsonl")).unwrap();
    assert!(result("work") == result("whole") && result("twice") == result("whole"));
}

#[test]
fn what_is_not_as_it_was_is_refused_by_name() {
    let home = TempDir::new().unwrap();
    let shards = home.path().join("in");
    fs::create_dir_all(&shards).unwrap();
    let text = "one two three four five six seven eight nine ten eleven";
    let line = |id: u32| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    fs::write(shards.join("a.jsonl"), line(1) + "{\"id\":\n" + &line(2)).unwrap();
    let run = |more: &[&'static str]| dedup(&[&["in", "--work", "work"][..], more].concat());
    let output = command(home.path(), &run(&[])).output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
    assert!(
        told(&output).contains("lines that are not documents: 1; the first is line 2: EOF"),
        "{}",
        told(&output)
    );
    assert!(
        told(&output)
            .contains("documents: 2; kept: 1; representatives: 1; exact duplicates: 1; near-duplicates: 0")
    );

    let check = |arguments: &[&str], code: i32, expected: &str| {
        let told = refused(home.path(), arguments, code);
        assert!(told.contains(expected), "{arguments:?}: {told}");
    };
    check(&run(&["--similarity", "0.6"]), 2, "--similarity was 0.5 and is 0.6");
    check(&run(&["--head", "longest"]), 2, "--head was first and is longest");
    check(&dedup(&["in", "in/a.jsonl", "--work", "work"]), 2, "a.jsonl is named twice");
    check(&dedup(&["in", "--work", "in/work"]), 2, "which is read: name a folder elsewhere");
    check(&dedup(&["in", "--work", "."]), 2, "is not empty and no work folder of this command");
    check(&dedup(&["absent", "--work", "w"]), 1, "cannot read absent");
    check(&dedup(&["work", "--work", "w"]), 1, "duplicates.jsonl: none of 1 lines is a document");
    check(&["dedup", "in", "--work", "w"], 2, "--global");
    fs::write(shards.join("a.jsonl"), line(1) + &line(3)).unwrap();
    check(&run(&[]), 2, "a.jsonl was changed since");
    fs::write(shards.join("b.jsonl"), line(1)).unwrap();
    check(&dedup(&["in/b.jsonl", "in/a.jsonl", "--work", "work"]), 2, "a shard was");

    fs::write(shards.join("a.jsonl"), "{\"text\":\"a\"}\n{\"text\":\"b\"}\n").unwrap();
    check(&dedup(&["in", "--work", "w1"]), 1, "a.jsonl: none of 2 lines is a document; line 1: no field id");
    fs::write(shards.join("a.jsonl.zst"), "no zstd").unwrap();
    fs::remove_file(shards.join("a.jsonl")).unwrap();
    check(&dedup(&["in", "--work", "w2"]), 1, "cannot read");
    fs::rename(shards.join("a.jsonl.zst"), shards.join("a.parquet")).unwrap();
    check(&dedup(&["in", "--work", "w3"]), 1, "finished work is kept in w3");
    assert!(home.path().join("w3/sign-00001/summary.json").exists());
}

/// A limit on the size of files acts like a full disk.
#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_said_so_and_leaves_nothing_half() {
    let home = exported("jsonl");
    let gleaner = env!("CARGO_BIN_EXE_gleaner");
    let line = format!("trap '' XFSZ; ulimit -f 100; exec '{gleaner}' dedup --global exports --work work");
    let output = Command::new("sh").current_dir(home.path()).args(["-c", &line]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("cannot write work/sign-"), "{}", told(&output));
    assert!(told(&output).contains("File too large"), "{}", told(&output));
    assert_eq!(names(&home.path().join("work")).into_iter().collect::<Vec<_>>(), ["plan.json"]);
    said(home.path(), &dedup(&["exports", "--work", "work"]));
}
