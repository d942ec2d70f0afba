//! Tests report files: they are complete, listed newest first, and limited in number.

use std::fs;

use crate::histories::{counts, gives, run_data};
use gleaner_crawl::render::language::UiLanguage;
use gleaner_crawl::report::{DeferredUrls, Report, folder, page};
use tempfile::TempDir;

fn report(night: usize) -> Report {
    Report::new(&run_data(&[("a.example", vec![gives(10); night + 1])]))
}

#[test]
fn reports_are_whole_and_the_oldest_are_removed() {
    let data = TempDir::new().unwrap();
    let folder = folder::reports_folder(data.path());
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
fn the_page_of_a_report_folds_quiet_hosts_and_names_each_grade_once() {
    let quiet = counts(&[("listing", 2)]);
    let mut data = run_data(&[
        ("a.example", vec![gives(10)]),
        ("b.example", vec![gives(30)]),
        ("c.example", vec![quiet.clone()]),
        ("d.example", vec![quiet.clone()]),
        ("e.example", vec![quiet]),
    ]);
    data.hosts.iter_mut().for_each(|host| host.seed = Some(host.name.clone()));
    data.hosts[4].held = vec![DeferredUrls { urls: 3, why: "the host asked to wait".into() }];
    let report = Report::new(&data);
    let shown =
        |language| page::content(&report, &|host| maud::html! { i { (host) } }, language).into_string();
    let english = shown(UiLanguage::English);
    assert_eq!(english.matches("<b>notes</b>").count(), 1, "{english}");
    assert_eq!(english.matches("<b>").count(), 1, "{english}");
    let (active, quiet) = english.split_once("<details class=\"quiet-hosts\">").unwrap();
    let table = active.split("<tbody>").nth(1).unwrap();
    assert!(table.find("b.example") < table.find("a.example"), "most new documents first: {table}");
    assert!(quiet.starts_with("<summary>3 hosts without new, changed or failed pages"), "{quiet}");
    // A card omits a 0, but not the number of new documents.
    assert!(table.contains("<td class=\"number nothing\" data-label=\"Failed\">0</td>"), "{table}");
    assert!(quiet.contains("data-label=\"New\"><strong>0</strong></td>"), "{quiet}");
    assert!(quiet.contains("Left: URLs that were due and wait for the next run."), "{quiet}");
    let vietnamese = shown(UiLanguage::Vietnamese);
    for part in [
        "Điều nhận thấy",
        "<b>ghi chú</b>",
        "chưa có văn bản nào:",
        "hoàn tất, không còn địa chỉ nào đến hạn",
        "3 trang báo không có trang mới",
        "3 máy chủ yêu cầu chờ",
        "mọi trang báo",
    ] {
        assert!(vietnamese.contains(part), "{part}: {vietnamese}");
    }
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
