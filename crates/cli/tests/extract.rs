//! Tests of `gleaner extract` with every method, on one page and with `--beside`.

use std::fs;
use std::process::{Command, Output};

use gleaner_eval::Method;
use tempfile::TempDir;

const LEAD: &str = "On Monday, the council agreed, after long talks, on a bridge across the river.";

/// Creates pages of one paper; the first page has the story.
fn site() -> TempDir {
    let folder = TempDir::new().unwrap();
    let stories = [
        [LEAD, "Work begins in spring, the mayor said, and will take two years, perhaps three, to finish."],
        [
            "Rain fell on the hills all day, the office said, and more is to come.",
            "Rivers rose, slowly, in the north.",
        ],
        [
            "The mill is for sale, its owner said, to whoever wants it.",
            "It has stood, unused, since last winter.",
        ],
    ];
    for (number, story) in stories.iter().enumerate() {
        let menu = "<ul>\n<li><a href=/>Home</a></li>\n<li><a href=/n>News</a></li>\n</ul>";
        let text = story.map(|p| format!("<p>{p}</p>\n")).concat();
        let page = format!(
            "<html lang=en>\n<head><title>Bridge agreed on</title></head>\n<body>\n<div>{menu}</div>\n<div>\n{text}</div>\n\
             <div>\n<a href=/a>About us</a>\n</div>\n</body></html>\n"
        );
        fs::write(folder.path().join(format!("{number}.html")), page).unwrap();
    }
    folder
}

fn extract(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    command.current_dir(folder.path()).args(["extract", "0.html"]).args(arguments).output().unwrap()
}

#[test]
fn every_method_finds_the_story() {
    let folder = site();
    for method in Method::all() {
        let beside = ["--beside", "1.html", "--beside", "2.html"];
        let beside: &[&str] = if method.uses_site() { &beside } else { &[] };
        let output = extract(&folder, &[&["--method", method.name()], beside].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(LEAD), "{method}: {text}");
    }
}

#[test]
fn what_a_site_method_needs_is_said() {
    let folder = site();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::write(folder.path().join("empty/notes.txt"), "none").unwrap();
    let cases = [
        (&["--method", "content-extractor"][..], "add other pages with --beside PAGES"),
        (&["--method", "fast-content-extractor"], "add other pages with --beside PAGES"),
        (&["--method", "nonsense"], "possible values: bte-original"),
        (&["--beside", "absent"], "cannot read absent"),
        (&["--beside", "1.html", "--template", "x.json"], "cannot be used with"),
        (&["--method", "bte-linear", "--template", "x.json"], "--template requires --method gleaner"),
        (&["--method", "content-extractor", "--template", "x.json"], "--template requires --method gleaner"),
        (&["--method", "bte-linear", "--beside", "1.html"], "--beside requires a method that learns a site"),
        (
            &["--method", "bte-linear", "--keep", "captions"],
            "--keep requires --method gleaner without --beside",
        ),
        (&["--keep", "captions", "--beside", "1.html"], "--keep requires --method gleaner without --beside"),
        (&["--keep", "bylines"], "possible values: captions, credits, by-lines, read-more"),
        (&["--set", "text.keep=[\"all\"]"], "expected one of `captions`, `credits`, `by-lines`, `read-more`"),
        (&["--beside", "empty"], "empty has no page: no file name ends in .html"),
    ];
    for (arguments, expected) in cases {
        let output = extract(&folder, arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said} lacks {expected}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn text_is_printed_where_nobody_can_be_told() {
    let folder = site();
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    // A front page causes a message that it does not look like an article.
    let teasers: String =
        (0..40).map(|at| format!("<li><a href=/a/{at}>Teaser number {at} of the day</a></li>")).collect();
    fs::write(folder.path().join("0.html"), format!("<ul>{teasers}</ul><p>{LEAD}</p>")).unwrap();
    let told = String::from_utf8(extract(&folder, &["--method", "bte-linear"]).stderr).unwrap();
    assert!(told.contains("does not look like an article"), "{told}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    let arguments = ["extract", "0.html", "--method", "bte-linear"];
    let output = command.current_dir(folder.path()).args(arguments).stderr(full()).output().unwrap();
    assert!(output.status.success() && output.stdout.len() > 500, "{output:?}");
}

/// Regression: pages in UTF-16 or UTF-32 were decoded as UTF-8 with NULs, and their markup was printed as
/// text.
#[test]
fn wide_letters_are_read_or_refused() {
    let folder = site();
    let page = fs::read_to_string(folder.path().join("0.html")).unwrap();
    let write = |bytes: Vec<u8>| fs::write(folder.path().join("0.html"), bytes).unwrap();
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        write(page.encode_utf16().flat_map(order).collect());
        let output = extract(&folder, &["--method", "bte-linear"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(LEAD) && !text.contains('<'), "{text}");
    }
    write(page.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect());
    let output = extract(&folder, &["--method", "bte-linear"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("0.html looks like UTF-32"), "{said}");
}

#[test]
fn json_names_the_method() {
    let folder = site();
    let output = extract(&folder, &["--method", "line-block", "--format", "json"]);
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["method"], "line-block");
    assert!(record["template_version"].is_null() && record["text"].as_str().unwrap().contains(LEAD));
}

/// Creates a page with all kinds of inserts that can be kept, and with metadata.
fn page_with_inserts() -> TempDir {
    let folder = TempDir::new().unwrap();
    let said = "Work begins in spring, the mayor said, and will take two years, perhaps three, to finish.";
    let page = format!(
        "<html lang=en><head><title>Bridge agreed on</title><meta property=article:section content=Local>\
         <meta property=article:published_time content=2026-11-20T09:30:00+07:00>\
         <meta property=article:modified_time content=2026-11-21T09:30:00+07:00>\
         <meta name=author content='Anna Weaver'><link rel=canonical href=/bridge></head><body><article>\
         <h1>Bridge agreed on</h1><p class=byline>By Anna Weaver</p><div class=body><p>{LEAD}</p>\
         <figure><p>The old bridge</p><p class=credit>Photo: Bob</p></figure><p>{said}</p>\
         <p><a href=/choir>Read more about the choir</a></p><p>{said}</p></div></article>"
    );
    fs::write(folder.path().join("0.html"), page).unwrap();
    fs::create_dir(folder.path().join("pins")).unwrap();
    fs::write(folder.path().join("pins/a.example.toml"), "inserts = [\"credits\"]").unwrap();
    folder
}

#[test]
fn what_is_left_out_can_be_kept() {
    let folder = page_with_inserts();
    let (set, pins, host) = ("text.keep=[\"captions\"]", "template.pins=pins", "http://a.example/bridge");
    let cases: [(&[&str], &[&str]); 6] = [
        (&[], &[]),
        (&["--keep", "captions,credits"], &["The old bridge", "Photo: Bob"]),
        (&["--keep", "by-lines", "--keep", "read-more"], &["By Anna Weaver", "Read more about the choir"]),
        (&["--set", set], &["The old bridge"]),
        (&["--set", set, "--set", pins, "--url", host], &["Photo: Bob"]),
        (&["--keep", "by-lines", "--set", set, "--set", pins, "--url", host], &["By Anna Weaver"]),
    ];
    let all = ["By Anna Weaver", "The old bridge", "Photo: Bob", "Read more about the choir"];
    for (arguments, expected) in cases {
        let text = String::from_utf8(extract(&folder, arguments).stdout).unwrap();
        let found: Vec<&str> = all.into_iter().filter(|line| text.lines().any(|it| it == *line)).collect();
        assert!(found == expected && text.contains(LEAD), "{arguments:?}: {text}");
    }
}

#[test]
fn json_has_what_documents_have() {
    let folder = page_with_inserts();
    let json = |arguments: &[&str]| -> serde_json::Value {
        let output =
            extract(&folder, &[&["--format", "json", "--keep", "captions,by-lines"], arguments].concat());
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let record = json(&["--url", "http://a.example/bridge?from=feed"]);
    let expected = [
        ("kinds", "ppfpp"),
        ("section", "Local"),
        ("canonical", "http://a.example/bridge"),
        ("published", "2026-11-20T09:30:00+07:00"),
        ("modified", "2026-11-21T09:30:00+07:00"),
        ("language", "en"),
        ("method", "block-model"),
    ];
    for (key, value) in expected {
        assert_eq!(record[key], value, "{key}");
    }
    assert_eq!(record["authors"], serde_json::json!(["Anna Weaver"]));
    assert!((0.5..=1.0).contains(&record["confidence"].as_f64().unwrap()), "{record}");
    // Without the page's URL, a relative canonical URL cannot be resolved.
    assert!(json(&[])["canonical"].is_null());
    let other = extract(&folder, &["--format", "json", "--method", "bte-linear"]);
    let other: serde_json::Value = serde_json::from_slice(&other.stdout).unwrap();
    assert!(other["confidence"].is_null() && other["kinds"].as_str().is_some_and(|kinds| !kinds.is_empty()));
}
