//! Tests folders that cannot be written, names that are not UTF-8, and the permissions of the data folder.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};
use std::time::Duration;

use crate::faults::{Disk, succeeds};
use crate::newspaper::Crawl;
use gleaner_testkit::NewspaperOptions;

/// Commands that only read the corpus.
const READING: [&[&str]; 9] = [
    &["export"],
    &["stats"],
    &["hosts"],
    &["verify"],
    &["doctor", "baolang.example"],
    &["template", "list"],
    &["duplicates"],
    &["search", "the"],
    &["report"],
];

fn quiet() -> Crawl {
    Crawl::with_options(NewspaperOptions { faults: false, ..NewspaperOptions::default() }, Duration::ZERO)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Checks that all reading commands work, and remove their copies of the store.
fn check_reading(crawl: &Crawl, place: &str) {
    let copies = crawl.folder.path().join("copies");
    fs::create_dir_all(&copies).unwrap();
    for arguments in READING {
        let output = crawl.command(arguments).env("TMPDIR", &copies).output().unwrap();
        assert!(output.status.success(), "{place}: {arguments:?} {}", said(&output));
        assert_eq!(fs::read_dir(&copies).unwrap().count(), 0, "{place}: {arguments:?}");
    }
}

#[test]
fn a_corpus_on_a_read_only_disk_is_read() {
    let crawl = quiet();
    let Some(disk) = Disk::over(&crawl.folder.path().join("data"), "size=3g") else { return };
    crawl.to_its_end();
    let before = crawl.corpus();
    disk.becomes("ro");
    check_reading(&crawl, "read-only");
    assert_eq!(crawl.corpus(), before);
}

/// The group of the data folder may read it, and another user of this group cannot write.
#[test]
fn a_member_of_the_group_reads_the_corpus_and_others_do_not() {
    let crawl = quiet();
    crawl.to_its_end();
    let before = crawl.export(&[]).len();
    fs::set_permissions(crawl.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let as_user = |group: &str| {
        let user = ["--reuid", "65534", "--regid", group, "--clear-groups", "--"];
        let mut command = Command::new("setpriv");
        command.args(user).arg(env!("CARGO_BIN_EXE_gleaner")).args(["export", "--data", "data"]);
        command.current_dir(crawl.folder.path()).output()
    };
    if !succeeds("setpriv", &["--reuid", "65534", "--regid", "0", "--clear-groups", "true"]) {
        println!("skipped: only root can run a command as another user");
        return;
    }
    let member = as_user("0").unwrap();
    assert!(member.status.success(), "{}", said(&member));
    assert_eq!(String::from_utf8(member.stdout).unwrap().lines().count(), before);
    let other = as_user("65534").unwrap();
    assert_eq!(other.status.code(), Some(1));
    assert!(said(&other).contains("Permission denied"), "{}", said(&other));
}

#[test]
fn a_corpus_on_a_full_disk_is_read() {
    let crawl = quiet();
    let data = crawl.folder.path().join("data");
    let Some(disk) = Disk::over(&data, "size=3g") else { return };
    crawl.to_its_end();
    let before = crawl.corpus();
    disk.becomes("size=64m");
    let mut filler = fs::File::create(data.join("filler")).unwrap();
    while std::io::Write::write_all(&mut filler, &[1; 4096]).is_ok() {}
    check_reading(&crawl, "full");
    assert_eq!(crawl.corpus(), before);
}

#[test]
fn a_crawl_on_a_full_disk_prints_one_message() {
    let crawl = quiet();
    let Some(disk) = Disk::over(&crawl.folder.path().join("data"), "size=3g") else { return };
    disk.becomes("size=1m");
    let full = crawl.run(&["crawl", "--seeds", "seeds.txt", "--set", "store.min_free_disk=0B"]);
    let said = said(&full);
    assert_eq!(full.status.code(), Some(1), "{said}");
    assert!(said.contains("No space left on device") && said.contains("make room"), "{said}");
    let about: Vec<&str> = said.lines().filter(|line| line.contains("No space left")).collect();
    assert_eq!(about.len(), 1, "{said}");
    assert!(!said.contains("Os {"), "{said}");
}

#[test]
fn names_that_are_not_utf_8_end_in_an_error_or_work() {
    let crawl = quiet();
    crawl.to_its_end();
    let odd = OsStr::from_bytes(b"odd-\xff\xfe");
    let run = |arguments: &[&OsStr]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.current_dir(crawl.folder.path()).args(arguments).output().unwrap()
    };
    let o = OsStr::new;
    let cases: [&[&OsStr]; 16] = [
        &[o("export"), o("--data"), odd],
        &[o("crawl"), o("--data"), odd, o("http://a.example/")],
        &[o("crawl"), o("--data"), o("data"), odd],
        &[o("crawl"), o("--data"), o("data"), o("--seeds"), odd],
        &[o("export"), o("--data"), o("data"), o("--out"), odd],
        &[o("export"), o("--data"), o("data"), o("--into"), o("x"), o("--host"), odd],
        &[o("stats"), o("--data"), o("data"), o("--svg"), odd],
        &[o("extract"), odd],
        &[o("learn"), odd, o("--host"), o("a.example")],
        &[o("ingest"), o("--data"), o("data"), odd],
        &[o("snapshot"), o("--data"), o("data"), odd],
        &[o("rebuild"), o("--data"), o("data"), o("--seeds"), odd],
        &[o("stats"), o("--config"), odd],
        &[o("doctor"), o("--data"), o("data"), odd],
        &[o("init"), odd],
        &[o("man"), odd],
    ];
    for arguments in cases {
        let output = run(arguments);
        let code = output.status.code();
        assert!(matches!(code, Some(0..=3)), "{arguments:?}: {code:?} {}", said(&output));
        assert!(!said(&output).contains("panicked"), "{arguments:?} {}", said(&output));
    }
    assert!(said(&run(cases[0])).contains("the name is not valid UTF-8"));
}

#[test]
fn others_cannot_read_the_data_folder() {
    let crawl = quiet();
    crawl.to_its_end();
    let data = crawl.folder.path().join("data");
    for folder in ["", "archive", "sled", "sled/texts", "reports"] {
        let mode = fs::metadata(data.join(folder)).unwrap().permissions().mode();
        assert_eq!(mode & 0o007, 0, "{folder}: {mode:o}");
    }
    assert!(crawl.run(&["snapshot", "copy"]).status.success());
    let mode = fs::metadata(crawl.folder.path().join("copy")).unwrap().permissions().mode();
    assert_eq!(mode & 0o007, 0, "{mode:o}");
}
