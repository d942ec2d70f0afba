//! Tests `gleaner migrate` with the real binary. A corpus moves from a folder into PostgreSQL and object
//! storage, where the crawl continues, and then back into a folder.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::distributed::documents;
use crate::newspaper::{Crawl, check_gaps};
use gleaner_store::{Migration, StoreOptions, open};
use gleaner_testkit::postgres::Postgres;

const GAP: Duration = Duration::from_millis(20);

/// Runs `gleaner` in the folder of a crawl.
fn gleaner(crawl: &Crawl, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    command.current_dir(crawl.folder.path()).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command that must succeed. Returns its standard output.
fn done(crawl: &Crawl, arguments: &[&str]) -> String {
    let output = gleaner(crawl, arguments);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{arguments:?}: {:?}\n{out}\n{err}", output.status);
    out
}

/// Runs a command that must fail with `code`. Returns its standard error.
fn refused(crawl: &Crawl, arguments: &[&str], code: i32) -> String {
    let output = gleaner(crawl, arguments);
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {err}");
    err
}

#[test]
fn a_crawl_goes_on_in_a_database_and_comes_back() {
    let Some(server) = Postgres::shared() else { return };
    let address = server.database();
    let crawl = Crawl::new(GAP);
    let first = crawl.run(&["crawl", "--seeds", "seeds.txt", "--max-pages", "60"]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let before = done(&crawl, &["export", "--data", "data"]);
    assert!(before.lines().count() > 5, "{before}");
    let there = ["--store", &address, "--objects", "objects", "--data", "worker"];

    let out = ["migrate", "--from", "sled", "--to", &address, "--objects", "objects", "--data", "data"];
    let moved = done(&crawl, &out);
    assert!(moved.starts_with("Moved ") && moved.contains("archive files: 1 "), "{moved}");
    let figures: Vec<&str> = moved.lines().skip(2).map(|line| line.rsplit(": ").next().unwrap()).collect();
    assert_eq!((figures.len(), figures[0]), (2, figures[1]), "{moved}");
    assert!(!crawl.folder.path().join("data/migration").exists());
    assert_eq!(done(&crawl, &[&["export"], &there[..]].concat()), before, "to the byte");
    assert_eq!(done(&crawl, &["export", "--data", "data"]), before, "the source is as it was");
    let search = ["search", "the", "--sort", "right", "--limit", "0"];
    let found = done(&crawl, &[&search[..], &there].concat());
    assert_eq!(found, done(&crawl, &[&search[..], &["--data", "data"]].concat()));
    let options = gleaner_store::objects::StorageOptions::default();
    let objects = crawl.folder.path().join("objects");
    let objects = gleaner_store::objects::Objects::open(objects.to_str().unwrap(), options).unwrap();
    let count = |folder| objects.list(folder).unwrap().len();
    assert_eq!((count("spool"), count("documents")), (0, 1), "the documents are merged");
    assert!(done(&crawl, &[&["verify"], &there[..]].concat()).contains("No fault was found"));
    let again = refused(&crawl, &out, 1);
    assert!(again.contains("the target already has URLs") && !again.contains("complete"), "{again}");

    let secret = format!("{address}?password=hushpw");
    let report = crawl.run(&["crawl", "--seeds", "seeds.txt", "--store", &secret, "--objects", "objects"]);
    let (said, beside) = (text(&report.stdout), text(&report.stderr));
    assert!(report.status.success(), "{said}\n{beside}");
    assert!(said.contains(&format!("gleaner export --store {address} --objects objects")), "{said}");
    assert!(beside.contains("the corpus in the folder data is not used"), "{beside}");
    let stats = done(&crawl, &["stats", "--store", &secret, "--objects", "objects"]);
    assert!(stats.contains(&address), "{stats}");
    assert!(![said, beside, stats].iter().any(|text| text.contains("hushpw")));
    check_gaps(&crawl.newspaper.requests(), GAP);
    let whole = done(&crawl, &[&["export"], &there[..]].concat());
    assert_eq!(whole.lines().count(), crawl.newspaper.expected().len());

    // Simulate an interrupted migration into the folder.
    let options = StoreOptions { cache: 16 << 20, create: true };
    let source = open(&crawl.folder.path().join("data"), &options).unwrap();
    let mut target = open(&crawl.folder.path().join("back"), &options).unwrap();
    drop(Migration::begin(&source.store(), &mut target).unwrap());
    drop((source, target));
    let unfinished = refused(&crawl, &["export", "--data", "back"], 1);
    assert!(unfinished.contains("`gleaner migrate` is running or was interrupted"), "{unfinished}");
    let back = ["migrate", "--from", &address, "--to", "sled", "--objects", "objects", "--data", "back"];
    done(&crawl, &back);
    assert_eq!(documents(&done(&crawl, &["export", "--data", "back"])), documents(&whole));
    assert!(done(&crawl, &["verify", "--data", "back"]).contains("No fault was found"));
    let again = refused(&crawl, &back, 1);
    assert!(again.contains("already exists"), "{again}");
    // The moved archive is complete and in order, so a rebuild can create the store from it.
    let settings = ["--seeds", "seeds.txt", "--set", "fetch.contact=test@gleaner.invalid", "--data", "back"];
    done(&crawl, &[&["rebuild"], &settings[..]].concat());
    assert_eq!(done(&crawl, &["export", "--data", "back"]).lines().count(), whole.lines().count());

    a_text_is_lost(&crawl, &there);
}

/// Removes a file of texts from the object storage. Checks that `verify` and `export` report it, and that
/// wrong object storage is refused.
fn a_text_is_lost(crawl: &Crawl, there: &[&str]) {
    let days = fs::read_dir(crawl.folder.path().join("objects/documents")).unwrap();
    let files = days.flat_map(|day| fs::read_dir(day.unwrap().path()).unwrap());
    let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    fs::remove_file(files.iter().max().unwrap()).unwrap();
    let name = files.iter().max().unwrap().file_name().unwrap().to_str().unwrap();
    let output = gleaner(crawl, &[&["verify"], there].concat());
    let (said, end) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{said}\n{end}");
    let faults: Vec<&str> = said.lines().filter(|line| line.starts_with("fault: ")).collect();
    let names = |line: &&str| line.contains(" of http") && line.contains(name);
    assert!(!faults.is_empty() && faults.iter().all(names), "{said}");
    assert!(said.contains("archive records"), "{said}");
    // Only the first faults are printed, and all are counted.
    let count = end.split("faults: ").nth(1).and_then(|rest| rest.split(';').next()).unwrap();
    assert!(count.parse::<usize>().unwrap() >= faults.len(), "{end}");
    let unread = refused(crawl, &[&["export"], there].concat(), 1);
    assert!(
        unread.contains(name) && unread.contains("restore the missing files in object storage"),
        "{unread}"
    );
    let elsewhere = ["--store", there[1], "--objects", "elsewhere", "--data", "worker"];
    let wrong = refused(crawl, &[&["export"], &elsewhere[..]].concat(), 1);
    assert!(wrong.contains("no such folder; is it mounted?"), "{wrong}");
    fs::create_dir(crawl.folder.path().join("elsewhere")).unwrap();
    for command in ["verify", "export"] {
        let wrong = refused(crawl, &[&[command], &elsewhere[..]].concat(), 1);
        assert!(wrong.contains("is not the storage of this corpus"), "{wrong}");
    }
}

#[test]
fn other_stores_are_refused_by_name() {
    let crawl = Crawl::new(GAP);
    let database = "postgres://an:secret@db.example/news";
    for (from, to, said) in [
        ("sled", "mysql://db/news", "not mysql://db/news"),
        ("mysql://an:secret@db/news", "sled", "not mysql://an@db/news"),
        ("sled", "sled", "not sled to sled"),
        (database, database, "must be sled"),
        ("folder", database, "--from folder"),
    ] {
        let message = refused(&crawl, &["migrate", "--from", from, "--to", to], 2);
        assert!(message.contains(said) && !message.contains("secret"), "{message}");
    }
    let both = refused(&crawl, &["migrate", "--from", "sled", "--to", database, "--store", "sled"], 2);
    assert!(both.contains("instead of --store"), "{both}");
    let objects = refused(&crawl, &["migrate", "--from", database, "--to", "sled", "--data", "nothing"], 2);
    assert!(objects.contains("--objects"), "{objects}");
    let nothing = ["migrate", "--from", "sled", "--to", database, "--objects", "o", "--data", "nothing"];
    assert!(refused(&crawl, &nothing, 1).contains("no corpus in nothing"));
}
