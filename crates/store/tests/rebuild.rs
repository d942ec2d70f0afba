//! Tests the replacement of a store by a new one, and kills during it.

use std::fs;
use std::path::Path;

use gleaner_frontier::parse_seeds;
use gleaner_store::{Replacement, StoreError, StoreOptions, Writer, open, read};
use tempfile::TempDir;

const CACHE: u64 = 1 << 20;

fn record(writer: &mut Writer, seed: &str) {
    writer.record_seeds(&parse_seeds(seed, "seeds.txt").unwrap()).unwrap();
    writer.flush().unwrap();
}

fn seed(folder: &Path) -> String {
    let writer = open(folder, &StoreOptions { cache: CACHE, create: false }).unwrap();
    writer.store().seeds().unwrap().unwrap()[0].url.to_string()
}

/// Returns a data folder with an old store and a new store that is complete, but not in its place.
fn built() -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut old = open(folder.path(), &StoreOptions { cache: CACHE, create: true }).unwrap();
    record(&mut old, "http://old.example/");
    drop(old);
    let (replacement, error) = Replacement::begin(folder.path(), CACHE).unwrap();
    assert!(error.is_none() && replacement.old().is_some() && !replacement.is_begun());
    record(&mut replacement.open(CACHE).unwrap(), "http://new.example/");
    assert!(replacement.is_begun());
    folder
}

#[test]
fn the_old_store_stays_in_use_until_the_new_one_is_complete() {
    let folder = built();
    assert_eq!(seed(folder.path()), "http://old.example/");
    let (replacement, _) = Replacement::begin(folder.path(), CACHE).unwrap();
    let reader = read(folder.path(), CACHE).unwrap();
    assert_eq!(reader.seeds().unwrap().unwrap()[0].url.as_str(), "http://old.example/");
    let refused = open(folder.path(), &StoreOptions { cache: CACHE, create: false });
    assert!(matches!(refused, Err(StoreError::Busy { .. })));
    let aside = replacement.finish().unwrap().unwrap();
    assert!(aside.ends_with("sled.old-1") && aside.join("db").exists());
    assert_eq!(seed(folder.path()), "http://new.example/");
    assert!(!folder.path().join("rebuild").exists());
}

#[test]
fn a_replacement_that_was_killed_is_finished_when_the_folder_is_opened() {
    for steps in 0..=3 {
        let folder = built();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("rebuild/complete"), "").unwrap();
        if steps > 0 {
            fs::remove_file(at("flushed")).unwrap();
            fs::rename(at("sled"), at("sled.old-1")).unwrap();
        }
        if steps > 1 {
            fs::rename(at("rebuild/sled"), at("sled")).unwrap();
        }
        if steps > 2 {
            fs::rename(at("rebuild/flushed"), at("flushed")).unwrap();
        }
        assert_eq!(seed(folder.path()), "http://new.example/", "{steps}");
        assert!(at("sled.old-1/db").exists() && !at("rebuild").exists(), "{steps}");
    }
}

#[test]
fn an_unfinished_file_of_sled_is_removed() {
    let folder = TempDir::new().unwrap();
    record(
        &mut open(folder.path(), &StoreOptions { cache: CACHE, create: true }).unwrap(),
        "http://old.example/",
    );
    let unfinished = folder.path().join("sled/snap.000000000007A120.generating");
    fs::write(&unfinished, [0; 5]).unwrap();
    assert_eq!(seed(folder.path()), "http://old.example/");
    assert!(!unfinished.exists());
}

/// Returns the names of the old stores that are kept.
fn kept(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with("sled.old")).collect()
}

#[test]
fn after_a_removal_no_old_store_is_kept() {
    let folder = built();
    fs::create_dir(folder.path().join("sled.old-1")).unwrap();
    let (replacement, _) = Replacement::begin(folder.path(), CACHE).unwrap();
    let writer = replacement.old().unwrap().writer().unwrap().unwrap();
    assert_eq!(replacement.copy_after(writer, CACHE).unwrap(), 0);
    // The copy replaces the unfinished rebuild.
    replacement.finish_without_old().unwrap();
    assert_eq!(seed(folder.path()), "http://old.example/");
    assert_eq!(kept(folder.path()), [""; 0]);
    assert!(!folder.path().join("rebuild").exists());
}

#[test]
fn old_stores_are_deleted_after_a_kill_at_any_step() {
    for done in 0..4 {
        let folder = built();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("sled.old-1")).unwrap();
        fs::write(path("rebuild/complete"), "without old\n").unwrap();
        if done >= 1 {
            fs::remove_dir_all(path("sled.old-1")).unwrap();
        }
        if done == 2 {
            fs::remove_file(path("sled/conf")).unwrap();
        }
        if done == 3 {
            fs::remove_dir_all(path("sled")).unwrap();
        }
        assert_eq!(seed(folder.path()), "http://new.example/", "{done}");
        assert_eq!(kept(folder.path()), [""; 0], "{done}");
        assert!(!path("rebuild").exists(), "{done}");
    }
}
