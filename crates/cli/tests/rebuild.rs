//! Tests that a rebuild builds the new store beside the old one, which stays in use until the end.

use std::fs;
use std::process::Output;

use crate::newspaper::crawled;

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn reading_commands_work_during_a_rebuild() {
    let crawl = crawled();
    let before = crawl.corpus();
    // The flushes after each page make the rebuild slower.
    let arguments = ["rebuild", "--set", "store.flush_pages=1"];
    let mut child = crawl.command(&arguments).spawn().unwrap();
    let begun = crawl.folder.path().join("data/rebuild/sled/db");
    while !begun.exists() {
        assert!(child.try_wait().unwrap().is_none(), "the new store is not begun");
    }
    let mut reads = 0;
    while child.try_wait().unwrap().is_none() {
        assert_eq!(crawl.corpus(), before);
        reads += 1;
    }
    assert!(reads > 0);
    let refused_crawls = child.wait_with_output().unwrap();
    assert!(refused_crawls.status.success(), "{}", said(&refused_crawls));
    assert_eq!(crawl.corpus(), before);
    assert!(!crawl.folder.path().join("data/rebuild").exists());
    assert!(crawl.folder.path().join("data/sled.old-1/db").exists());
}

#[test]
fn a_rebuild_without_enough_free_space_is_refused_first() {
    let crawl = crawled();
    let before = crawl.corpus();
    let arguments = ["rebuild", "--set", "store.min_free_disk=900000GiB"];
    let refused = crawl.run(&arguments);
    assert_eq!(refused.status.code(), Some(1));
    let said = said(&refused);
    assert!(said.contains("a rebuild needs about ") && said.contains("make room"), "{said}");
    assert!(!crawl.folder.path().join("data/rebuild/sled").exists());
    assert!(!crawl.folder.path().join("data/sled.old-1").exists());
    assert_eq!(crawl.corpus(), before);
}

#[test]
fn a_crawl_and_a_rebuild_exclude_each_other() {
    let crawl = crawled();
    let mut child = crawl.command(&["rebuild"]).spawn().unwrap();
    let begun = crawl.folder.path().join("data/rebuild/sled/db");
    while !begun.exists() {
        assert!(child.try_wait().unwrap().is_none(), "the new store is not begun");
    }
    let refused = crawl.run(&["crawl", "--seeds", "seeds.txt"]);
    let is_over = child.try_wait().unwrap().is_some();
    assert!(is_over || said(&refused).contains("is in use by `gleaner rebuild"), "{}", said(&refused));
    assert!(child.wait().unwrap().success());
    let _ = fs::remove_dir_all(crawl.folder.path().join("data/sled.old-1"));
}
