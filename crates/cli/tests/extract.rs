//! Tests `gleaner extract` with every method of the program, on one page and with `--beside`.

use std::fs;
use std::process::{Command, Output};

use gleaner_corpus::Method;
use tempfile::TempDir;

const LEAD: &str = "On Monday, the council agreed, after long talks, on a bridge across the river.";

/// Creates pages of one paper. The first page has the story.
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
    for method in Method::choices().filter(|method| !method.is_published() || method.needs_site()) {
        let beside = ["--beside", "1.html", "--beside", "2.html"];
        let beside: &[&str] = if method.uses_site() { &beside } else { &[] };
        let output = extract(&folder, &[&["--method", method.setting()], beside].concat());
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
        (&["--method", "nonsense"], "possible values: block-model, content-extractor"),
        (&["--method", "bte-linear"], "possible values: block-model, content-extractor"),
        (&["--beside", "absent"], "cannot read absent"),
        (&["--beside", "1.html", "--template", "x.json"], "cannot be used with"),
        (&["--method", "block-model", "--template", "x.json"], "--template requires --method gleaner"),
        (&["--method", "content-extractor", "--template", "x.json"], "--template requires --method gleaner"),
        (&["--method", "block-model", "--beside", "1.html"], "--beside requires a method that learns a site"),
        (
            &["--method", "block-model", "--keep", "captions"],
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
    // For a front page, the command prints that it does not look like an article.
    let teasers: String =
        (0..40).map(|at| format!("<li><a href=/a/{at}>Teaser number {at} of the day</a></li>")).collect();
    fs::write(folder.path().join("0.html"), format!("<ul>{teasers}</ul><p>{LEAD}</p>")).unwrap();
    let told = String::from_utf8(extract(&folder, &["--method", "block-model"]).stderr).unwrap();
    assert!(told.contains("does not look like an article"), "{told}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    let arguments = ["extract", "0.html", "--method", "block-model"];
    let output = command.current_dir(folder.path()).args(arguments).stderr(full()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains(LEAD));
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
        let output = extract(&folder, &["--method", "block-model"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.contains(LEAD) && !text.contains('<'), "{text}");
    }
    write(page.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect());
    let output = extract(&folder, &["--method", "block-model"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && said.contains("0.html looks like UTF-32"), "{said}");
}

#[test]
fn json_names_the_method() {
    let folder = site();
    let output = extract(&folder, &["--method", "block-model", "--format", "json"]);
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["method"], "block-model");
    assert!(record["template_version"].is_null() && record["text"].as_str().unwrap().contains(LEAD));
}

/// Creates a page with metadata and with all kinds of inserts that `text.keep` can name.
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
fn a_page_without_text_has_metadata() {
    let folder = TempDir::new().unwrap();
    let page =
        "<title>Rain</title><meta name=pubdate content=2026-11-20><meta name=keywords content='rain, hail'>";
    fs::write(folder.path().join("0.html"), page).unwrap();
    let output = extract(&folder, &["--format", "json"]);
    let record: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&record["title"], &record["text"]), (&"Rain".into(), &"".into()));
    assert_eq!(
        (&record["published"], &record["keywords"]),
        (&"2026-11-20".into(), &serde_json::json!(["rain", "hail"]))
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("found no text on this page"));
    assert_eq!(extract(&folder, &[]).status.code(), Some(1));
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
        ("published_utc", "2026-11-20T02:30:00Z"),
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
    let other = extract(&folder, &["--format", "json", "--method", "block-model"]);
    let other: serde_json::Value = serde_json::from_slice(&other.stdout).unwrap();
    assert!(other["confidence"].is_null() && other["kinds"].as_str().is_some_and(|kinds| !kinds.is_empty()));
}

/// Runs `gleaner extract` with only these arguments. Returns the exit code, the lines as JSON, and standard
/// error.
fn extract_many(folder: &TempDir, arguments: &[&str]) -> (Option<i32>, Vec<serde_json::Value>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    let output = command.current_dir(folder.path()).arg("extract").args(arguments).output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (output.status.code(), lines, String::from_utf8(output.stderr).unwrap())
}

#[test]
fn many_pages_are_lines_in_the_order_of_the_arguments() {
    let folder = site();
    fs::create_dir(folder.path().join("more")).unwrap();
    let page = fs::read_to_string(folder.path().join("1.html")).unwrap();
    for number in 0..40 {
        let name = format!("more/{number:02}.html");
        fs::write(folder.path().join(name), page.replace("The mill", &format!("The mill {number}"))).unwrap();
    }
    let (code, lines, said) =
        extract_many(&folder, &["2.html", "more", "[01].html", "more/3?.html", "--format", "jsonl"]);
    assert!(code == Some(0) && said.is_empty(), "{said}");
    let files: Vec<&str> = lines.iter().map(|line| line["file"].as_str().unwrap()).collect();
    let more = |numbers: std::ops::Range<u32>| numbers.map(|number| format!("more/{number:02}.html"));
    let expected: Vec<String> = std::iter::once("2.html".to_owned())
        .chain(more(0..40))
        .chain(["0.html".into(), "1.html".into()])
        .chain(more(30..40))
        .collect();
    assert_eq!(files, expected);
    assert!(lines.iter().all(|line| line["error"].is_null() && line["language"] == "en"));
    let (_, alone, _) = extract_many(&folder, &["0.html", "--format", "json"]);
    let mut first = lines[41].clone();
    first.as_object_mut().unwrap().retain(|key, _| !["file", "error"].contains(&key.as_str()));
    assert_eq!(first, alone[0]);
}

/// The program `script` of util-linux runs a command on a terminal of its own. On other systems, its options
/// differ.
fn has_terminal() -> bool {
    let version = Command::new("script").arg("--version").output();
    let is_known = version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("util-linux"));
    if !is_known {
        println!("skipped: a terminal needs the program script of util-linux");
    }
    is_known
}

#[test]
fn many_pages_show_a_progress_bar_on_a_terminal() {
    if !has_terminal() {
        return;
    }
    let folder = site();
    let gleaner = env!("CARGO_BIN_EXE_gleaner");
    let command = format!("stty rows 24 cols 80; '{gleaner}' extract *.html --format jsonl > pages.jsonl");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]).current_dir(folder.path());
    let output = script.env("SHELL", "/bin/sh").env("TERM", "xterm").output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && shown.contains(" of 3 pages"), "{shown:?}");
    let lines = fs::read_to_string(folder.path().join("pages.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 3, "the bar is not part of the output: {lines}");
}

#[test]
fn a_page_that_cannot_be_read_is_a_line_and_an_exit_code() {
    let folder = site();
    fs::write(folder.path().join("image.png"), b"\x89PNG\r\n\x1a\n\0\0\0").unwrap();
    fs::write(folder.path().join("empty.html"), "").unwrap();
    let pages = ["0.html", "image.png", "absent.html", "empty.html", "1.html", "--format", "jsonl"];
    let (code, lines, said) = extract_many(&folder, &pages);
    assert_eq!(code, Some(1), "{said}");
    let image = "image.png is not an HTML page (PNG image)";
    assert_eq!(lines[1], serde_json::json!({ "file": "image.png", "error": image }));
    let is_read: Vec<bool> = lines.iter().map(|line| line["text"].is_string()).collect();
    assert_eq!(is_read, [true, false, false, false, true]);
    for part in [image, "cannot read absent.html", "empty.html is empty", "could not be read: 3 of 5"] {
        assert!(said.contains(part), "{said} lacks {part}");
    }
    let (code, _, said) = extract_many(&folder, &["image.png"]);
    assert_eq!((code, said.as_str()), (Some(1), format!("gleaner: {image}\n").as_str()));
}

#[test]
fn what_many_pages_exclude_is_refused() {
    let folder = site();
    let cases = [
        (&["0.html", "1.html"][..], "several pages need --format jsonl"),
        (&["."], "several pages need --format jsonl"),
        (&["*.html", "--format", "json"], "several pages need --format jsonl"),
        (&["0.html", "-", "--format", "jsonl"], "- must be the only page"),
        (&["0.html", "1.html", "--url", "http://a.example/", "--format", "jsonl"], "--url is for one page"),
        (&["*.xhtml", "--format", "jsonl"], "*.xhtml matches no file"),
        (&["0.html", "--also", "links"], "--also requires --format json or jsonl"),
        (&["0.html", "--also", "notes"], "possible values: comments, captions, links"),
    ];
    for (arguments, expected) in cases {
        let (code, _, said) = extract_many(&folder, arguments);
        assert!(code == Some(2) && said.contains(expected), "{arguments:?}: {said}");
    }
}

#[test]
fn comments_captions_and_links_are_fields_on_request() {
    let folder = page_with_inserts();
    let page = fs::read_to_string(folder.path().join("0.html")).unwrap();
    let linked = page.replacen("the council", "the <a href=/council>council</a>", 1);
    let comments = "<div class=comments><p>I never liked the old one.</p></div>";
    fs::write(folder.path().join("0.html"), linked + comments).unwrap();
    let url = ["0.html", "--format", "json", "--url", "http://a.example/bridge"];
    let (_, plain, _) = extract_many(&folder, &url);
    let (_, also, _) = extract_many(&folder, &[&url[..], &["--also", "comments,captions,links"]].concat());
    let set = ["--set", "text.also=[\"captions\"]"];
    let (_, captions, _) = extract_many(&folder, &[&url[..], &set].concat());
    let fields = |line: &serde_json::Value| {
        ["comments", "captions", "links", "link_texts"].map(|name| line[name].to_string())
    };
    assert_eq!(fields(&plain[0]), ["[]", "[]", "[]", "[]"]);
    let (comment, caption) = ("[\"I never liked the old one.\"]", "[\"The old bridge\"]");
    assert_eq!(fields(&also[0]), [comment, caption, "[\"http://a.example/council\"]", "[\"council\"]"]);
    assert_eq!(fields(&captions[0]), ["[]", caption, "[]", "[]"]);
    assert_eq!(also[0]["text"], plain[0]["text"]);
}
