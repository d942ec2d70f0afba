//! Tests a crawl under faults of the machine: a full or read-only disk, a clock that jumps, a second process.
//! After each fault, the same command resumes the crawl, and the corpus equals the corpus of an undisturbed
//! crawl. `kill.rs` tests kills, and `archive.rs` tests damaged files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use crate::newspaper::{Crawl, check_gaps};
use gleaner_testkit::NewspaperOptions;

const GAP: Duration = Duration::from_millis(40);

fn quiet(gap: Duration) -> Crawl {
    Crawl::with_options(NewspaperOptions { faults: false, ..NewspaperOptions::default() }, gap)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let status = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// A file system in memory, mounted over a folder. Dropping it unmounts the file system.
pub struct Disk(PathBuf);

impl Disk {
    /// Mounts the file system. Prints a line and returns `None` if this user may not mount one.
    pub fn over(folder: &Path, options: &str) -> Option<Self> {
        fs::create_dir_all(folder).unwrap();
        let path = folder.to_str().unwrap();
        if succeeds("mount", &["-t", "tmpfs", "-o", options, "tmpfs", path]) {
            return Some(Self(folder.to_path_buf()));
        }
        println!("skipped: a disk of its own can be mounted by root only");
        None
    }

    pub fn becomes(&self, options: &str) {
        let options = format!("remount,{options}");
        assert!(succeeds("mount", &["-o", &options, self.0.to_str().unwrap()]));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        succeeds("umount", &["--lazy", self.0.to_str().unwrap()]);
    }
}

/// Checks that the corpus is complete: each document is stored once, and the store agrees with the archive.
fn assert_whole(crawl: &Crawl, undisturbed: &Crawl) {
    let verified = crawl.run(&["verify"]);
    let told = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(verified.status.success(), "{told}{}", said(&verified));
    let (corpus, expected) = (crawl.corpus(), undisturbed.corpus());
    assert_eq!(corpus.len(), expected.len());
    assert!(corpus == expected, "texts differ from those of the undisturbed crawl");
}

#[test]
fn a_crawl_goes_on_when_a_full_disk_has_room_again() {
    let undisturbed = quiet(Duration::ZERO);
    undisturbed.to_its_end();
    let crawl = quiet(Duration::ZERO);
    let Some(disk) = Disk::over(&crawl.folder.path().join("data"), "size=1m") else { return };
    let crawling = ["crawl", "--seeds", "seeds.txt"];

    // By default, a crawl ends before the disk is full.
    let early = crawl.run(&crawling);
    assert_eq!(early.status.code(), Some(1));
    assert!(said(&early).contains("less than store.min_free_disk = 256MiB; make room"), "{}", said(&early));

    // Without that check, the crawl fails on the full disk, at a different place for each size.
    let mut ends = 0;
    for size in ["1m", "1200k", "1500k", "1800k", "2200k"] {
        disk.becomes(&format!("size={size}"));
        let full = crawl.run(&[&crawling[..], &["--set", "store.min_free_disk=0B"]].concat());
        if full.status.success() {
            break;
        }
        ends += 1;
        let said = said(&full);
        assert_eq!(full.status.code(), Some(1), "{said}");
        assert!(said.contains("No space left on device") && said.contains("make room"), "{said}");
        assert!(!said.contains("panicked"), "{said}");
    }
    assert!(ends > 0, "the disk never was full");
    disk.becomes("size=3g");
    crawl.to_its_end();
    assert_whole(&crawl, &undisturbed);
}

#[test]
fn a_folder_that_cannot_be_written_is_refused_and_left_as_it_is() {
    let crawl = quiet(Duration::ZERO);
    let Some(disk) = Disk::over(&crawl.folder.path().join("data"), "size=3g") else { return };
    disk.becomes("ro");
    let refused = crawl.run(&["crawl", "--seeds", "seeds.txt"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(said(&refused).contains("data folder data: Read-only file system"), "{}", said(&refused));
    assert_eq!(crawl.newspaper.request_count(), 0);

    disk.becomes("rw");
    crawl.to_its_end();
    let corpus = crawl.corpus();
    disk.becomes("ro");
    for arguments in
        [&["crawl", "--seeds", "seeds.txt"][..], &["reextract"], &["rebuild", "--seeds", "seeds.txt"]]
    {
        let refused = crawl.run(arguments);
        assert_eq!(refused.status.code(), Some(1), "{arguments:?}");
        assert!(said(&refused).contains("Read-only file system"), "{arguments:?} {}", said(&refused));
        assert!(!said(&refused).contains("panicked"), "{}", said(&refused));
    }
    disk.becomes("rw");
    assert_eq!(crawl.corpus(), corpus);
}

#[test]
fn a_second_process_is_refused_by_name() {
    let crawl = quiet(GAP);
    let mut first = crawl.spawn();
    assert!(crawl.newspaper.wait_for_requests(5, Duration::from_secs(30)));
    let name = format!("(process {})", first.id());
    let seeds = ["--seeds", "seeds.txt"];
    for arguments in [&["crawl", seeds[0], seeds[1]][..], &["rebuild", seeds[0], seeds[1]]] {
        let refused = crawl.run(arguments);
        assert_eq!(refused.status.code(), Some(1), "{arguments:?}");
        let said = said(&refused);
        assert!(
            said.contains("is in use by `gleaner crawl ") && said.contains(&name),
            "{arguments:?} {said}"
        );
    }
    let reading = [
        &["export", "--since", "1d"][..],
        &["stats"],
        &["hosts"],
        &["verify"],
        &["doctor", "baolang.example"],
        &["template", "list"],
        &["duplicates"],
        &["urls"],
    ];
    for arguments in reading {
        let read = crawl.run(arguments);
        assert!(read.status.success(), "{arguments:?} {}", said(&read));
    }
    assert!(first.wait().unwrap().success());
    check_gaps(&crawl.newspaper.requests(), GAP);
    let urls: Vec<_> =
        crawl.newspaper.requests().into_iter().map(|request| (request.host, request.path)).collect();
    let distinct: BTreeSet<_> = urls.iter().collect();
    assert_eq!(urls.len(), distinct.len(), "a URL was requested twice");
}

#[test]
fn pages_are_extracted_with_the_corpus_while_a_crawl_has_it() {
    // Slow enough that the crawl goes on while the pages are extracted.
    let crawl = quiet(5 * GAP);
    let mut first = crawl.spawn();
    let wait_for_a_document = |requests| {
        assert!(crawl.newspaper.wait_for_requests(requests, Duration::from_secs(60)));
        crawl.export(&[]).into_iter().next()
    };
    let stored = (10..).step_by(10).find_map(wait_for_a_document).unwrap();
    let url = stored["url"].as_str().unwrap();
    let story =
        |day| format!("<p>Rain fell on the valley on day {day}, and the river rose above the bridge.</p>");
    let story: String = (1..10).map(story).collect();
    let page = format!("<html lang=en><title>Rain</title><article>{story}</article>");
    fs::write(crawl.folder.path().join("page.html"), page).unwrap();
    let archived = crawl.run(&["extract", "--archived", url, "--format", "json"]);
    let of_file = crawl.run(&["extract", "page.html", "--url", url, "--format", "json"]);
    assert!(first.try_wait().unwrap().is_none(), "the crawl ended too early for this test");
    first.kill().unwrap();
    first.wait().unwrap();
    for output in [&archived, &of_file] {
        assert!(output.status.success(), "{}", said(output));
    }
    let extracted: serde_json::Value = serde_json::from_slice(&archived.stdout).unwrap();
    for field in ["url", "text", "method", "template_version", "title"] {
        assert_eq!(extracted[field], stored[field], "{field} of {url}");
    }
    let text = String::from_utf8(of_file.stdout).unwrap();
    assert!(text.contains("Rain fell on the valley"), "{text}");
}

/// Finds the library that gives a process a different clock.
fn faketime() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let found = folders.map(|folder| folder.join("faketime/libfaketimeMT.so.1")).find(|path| path.exists());
    if found.is_none() {
        println!("skipped: a clock that jumps needs the library of Debian's package faketime");
    }
    found
}

/// Returns a crawl command whose clock is ahead by the offset in the file `clock`.
fn ahead(crawl: &Crawl, library: &Path, arguments: &[&str]) -> Command {
    let mut command = crawl.command(arguments);
    command
        .env("LD_PRELOAD", library)
        .env("FAKETIME_TIMESTAMP_FILE", crawl.folder.path().join("clock"))
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    command
}

#[test]
fn a_clock_that_jumps_costs_nothing() {
    let Some(library) = faketime() else { return };
    let undisturbed = quiet(Duration::ZERO);
    undisturbed.to_its_end();
    let crawl = quiet(GAP);
    let whole = undisturbed.newspaper.request_count();
    let set = |days: &str| {
        let (part, file) = (crawl.folder.path().join("part"), crawl.folder.path().join("clock"));
        fs::write(&part, days).and_then(|()| fs::rename(part, file)).unwrap();
    };
    set("+400d");
    let mut child = ahead(&crawl, &library, &["crawl", "--seeds", "seeds.txt"]).spawn().unwrap();
    for (share, days) in [(4, "-3d"), (3, "+30d")] {
        assert!(crawl.newspaper.wait_for_requests(whole / share, Duration::from_secs(60)));
        set(days);
    }
    assert!(crawl.newspaper.wait_for_requests(whole / 2, Duration::from_secs(60)));
    assert!(child.try_wait().unwrap().is_none(), "the crawl ended before it was killed");
    child.kill().unwrap();
    child.wait().unwrap();
    let out = crawl.to_its_end();
    check_gaps(&crawl.newspaper.requests(), GAP);
    assert_whole(&crawl, &undisturbed);

    // According to the old clock, URLs had to wait for a day. According to the real clock, they are due.
    assert!(!out.contains("The next URL is due at 2027-12"), "{out}");
    let before = crawl.newspaper.request_count();
    set("+2d");
    let later = ahead(&crawl, &library, &["crawl", "--seeds", "seeds.txt"]).output().unwrap();
    assert_eq!(later.status.code(), Some(3), "{later:?}");
    assert!(String::from_utf8_lossy(&later.stdout).contains("the clock of this machine went back"));
    assert!(crawl.newspaper.request_count() > before);
    let back = crawl.run(&["crawl", "--seeds", "seeds.txt"]);
    let said = String::from_utf8_lossy(&back.stderr).into_owned();
    assert!(said.contains("the clock is 47 h 5"), "{said}");
    assert!(said.contains(" min behind the last run; moving all due times"), "{said}");
}
