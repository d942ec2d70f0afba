//! Tests report files: they are complete, listed newest first, and limited in number.

use std::fs;

use crate::histories::{gives, run_data};
use gleaner_crawl::report::{Report, folder};
use tempfile::TempDir;

/// Returns the report of the night with this number.
fn report(night: usize) -> Report {
    Report::new(&run_data(&[("a.example", vec![gives(10); night + 1])]))
}

#[test]
fn reports_are_whole_and_the_oldest_are_removed() {
    let data = TempDir::new().unwrap();
    let folder = folder::of(data.path());
    assert!(folder::list(&folder).unwrap().is_empty(), "a folder that is not there has none");
    for night in 0..5 {
        let written = folder::write(&folder, &report(night), 3).unwrap();
        assert_eq!(folder::read(&written.json).unwrap(), report(night));
        assert_eq!(folder::list(&folder).unwrap()[0], written.json, "the newest first");
    }
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let days = ["04", "05", "06"];
    let expected: Vec<String> = days
        .iter()
        .flat_map(|day| ["html", "json"].map(|ending| format!("2026-11-{day}T22-00-00Z.{ending}")))
        .collect();
    assert_eq!(names, expected, "two files each, and nothing half-written");
}

#[test]
fn what_is_no_report_is_named() {
    let data = TempDir::new().unwrap();
    let path = data.path().join("x.json");
    fs::write(&path, "{}").unwrap();
    let said = folder::read(&path).unwrap_err().to_string();
    assert!(said.contains("x.json is not a report: missing field"), "{said}");
    let said = folder::write(&path, &report(0), 0).unwrap_err().to_string();
    assert!(said.contains("x.json"), "{said}");
}

#[test]
fn runs_that_end_in_one_second_have_a_report_each() {
    let data = TempDir::new().unwrap();
    let written: Vec<_> = (0..3).map(|_| folder::write(data.path(), &report(1), 0).unwrap().json).collect();
    let listed = folder::list(data.path()).unwrap();
    assert_eq!(listed.into_iter().rev().collect::<Vec<_>>(), written);
}
