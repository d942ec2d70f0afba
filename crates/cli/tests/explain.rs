//! Tests `gleaner template explain`. Also tests pins in this command, in `gleaner extract` and in a crawl.

use std::fs;
use std::process::{Command, Output};

use tempfile::TempDir;

const LEAD: &str = "On Monday, the council agreed, after long talks, on a bridge across the river.";
const NOTICE: &str = "Our reporters, who write for you every day, thank you for reading this paper.";

/// Creates a folder with pages of one site and pins for its host.
fn site(pins: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let stories = [
        LEAD,
        "Rain fell on the hills all day, the office said, and more of it is to come.",
        "The mill is for sale, its owner said, to whoever wants it and can pay for it.",
    ];
    for (number, story) in stories.iter().enumerate() {
        let page = format!(
            "<title>Bridge agreed on</title><ul class=menu><li><a href=/>Home</a></ul><div class=story><p>{story}</p>\
             <p>{}</p></div>\
             <div class=thanks><p>{NOTICE} {number}</p></div><p class=mark>Seen by {number}<script>evil()</script>",
            format!("Work {number} begins in spring, the mayor said, and will take years. ").repeat(15)
        );
        fs::write(folder.path().join(format!("{number}.html")), page).unwrap();
    }
    fs::create_dir(folder.path().join("pins")).unwrap();
    fs::write(folder.path().join("pins/a.example.toml"), pins).unwrap();
    folder
}

fn gleaner(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    command.current_dir(folder.path()).args(arguments).output().unwrap()
}

const PINNED: [&str; 3] = ["--set=template.pins=pins", "--url", "http://a.example/bridge"];

#[test]
fn a_page_is_written_beside_its_name() {
    let folder = site("");
    let output = gleaner(&folder, &["template", "explain", "0.html"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("written to 0.explained.html"), "{said}");
    let html = fs::read_to_string(folder.path().join("0.explained.html")).unwrap();
    assert!(
        html.contains(LEAD) && html.contains("without a template") && !html.contains("<script"),
        "{html}"
    );
    let absent = gleaner(&folder, &["template", "explain", "absent.html"]);
    assert_eq!(absent.status.code(), Some(2));
}

#[test]
fn the_template_and_the_pins_are_named() {
    let folder = site("# ours\ndrop = [\".thanks\"]");
    let learned = gleaner(&folder, &["learn", ".", "--host", "a.example", "--out", "a.json"]);
    assert!(learned.status.success(), "{learned:?}");
    let explain = ["template", "explain", "0.html", "--template", "a.json", "--out", "seen.html"];
    let output = gleaner(&folder, &[&explain[..], &["--set", "template.pins=pins"]].concat());
    assert!(output.status.success(), "{output:?}");
    let html = fs::read_to_string(folder.path().join("seen.html")).unwrap();
    assert!(html.contains("template 1 of a.example") || html.contains("the model alone, since template 1"));
    assert!(html.contains("Pinned: drop &quot;.thanks&quot; (pins/a.example.toml, line 2)"), "{html}");
}

#[test]
fn pins_win_in_extract() {
    let folder = site("keep = [\".mark\", \".thanks\"]\ndrop = [\".story\"]");
    let alone = gleaner(&folder, &["extract", "0.html", "--url", PINNED[2]]);
    let alone = String::from_utf8(alone.stdout).unwrap();
    assert!(alone.contains(LEAD) && !alone.contains("Seen by"), "{alone}");
    gleaner(&folder, &["learn", ".", "--host", "a.example", "--out", "a.json"]);
    for more in [&["--no-template"][..], &["--template", "a.json"]] {
        let output = gleaner(&folder, &[&["extract", "0.html"], &PINNED[..], more].concat());
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text, format!("{NOTICE} 0\nSeen by 0\n"), "{more:?}");
    }
}

#[test]
fn what_is_kept_says_who_asked_for_it() {
    let folder = site("inserts = [\"by-lines\"]");
    let page = format!("<h1>Bridge</h1><p class=byline>By Ann</p><div><p>{LEAD}</p><p>{LEAD}</p></div>");
    fs::write(folder.path().join("0.html"), page).unwrap();
    let cases: [(&[&str], &str); 3] = [
        (&["--keep", "by-lines"], "Kept: by-line (--keep)."),
        (&["--set", "text.keep=['by-lines']"], "Kept: by-line (text.keep)."),
        (&PINNED, "Kept: by-line (inserts in pins/a.example.toml)."),
    ];
    for (arguments, expected) in cases {
        let output = gleaner(&folder, &[&["template", "explain", "0.html"], arguments].concat());
        let html = fs::read_to_string(folder.path().join("0.explained.html")).unwrap();
        assert!(output.status.success() && html.contains(expected), "{expected}: {html}");
    }
}

#[test]
fn what_is_wrong_with_a_file_is_named_with_its_line() {
    let cases = [
        (
            "inserts = [\"all\"]",
            "pins/a.example.toml, line 1: unknown variant `all`, expected one of `captions`",
        ),
        ("drop = []\nkeeps = []", "pins/a.example.toml, line 2: unknown field `keeps`"),
        ("keep = [\n\"p\",\n\"p:not(.a)\"]", "pins/a.example.toml, line 3: `p:not(.a)`: `:not` is not known"),
    ];
    for (pins, expected) in cases {
        let folder = site(pins);
        fs::write(folder.path().join("seeds.txt"), "http://a.example/\n").unwrap();
        for command in [
            &["extract", "0.html"][..],
            &["template", "explain", "0.html"],
            &["crawl", "--seeds", "seeds.txt"],
        ] {
            let pinned = if command[0] == "crawl" { &PINNED[..1] } else { &PINNED };
            let output = gleaner(&folder, &[command, pinned].concat());
            let said = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{command:?}: {said}");
            assert!(said.contains(expected), "{command:?}: {said}");
        }
    }
}

#[test]
fn a_folder_of_pins_that_is_not_there_and_a_file_that_is_none_are_named() {
    let folder = site("");
    let other = gleaner(&folder, &["extract", "0.html", "--set", "template.pins=pinz"]);
    let said = String::from_utf8(other.stderr).unwrap();
    assert_eq!(other.status.code(), Some(2), "{said}");
    assert!(said.contains("template.pins: cannot read the folder pinz"), "{said}");

    fs::write(folder.path().join("pins/a.example.tml"), "").unwrap();
    fs::write(folder.path().join("pins/.keep"), "").unwrap();
    let odd = gleaner(&folder, &[&["extract", "0.html"][..], &PINNED].concat());
    let said = String::from_utf8(odd.stderr).unwrap();
    assert!(odd.status.success(), "{said}");
    assert!(said.contains("pins/a.example.tml is ignored: a pin file must be named HOST.toml"), "{said}");
    assert!(!said.contains(".keep"), "{said}");

    for (url, is_named) in
        [("http://www.a.example/x", true), ("http://a.example/x", false), ("http://b.example/x", false)]
    {
        let output = gleaner(&folder, &["extract", "0.html", "--set=template.pins=pins", "--url", url]);
        let said = String::from_utf8(output.stderr).unwrap();
        let named = "pins/a.example.toml applies to the host a.example and not to www.a.example";
        assert_eq!(said.contains(named), is_named, "{url}: {said}");
    }
}

#[test]
fn a_template_is_learned_from_pages_of_one_host() {
    let folder = site("");
    let page = |number: usize| folder.path().join(format!("{number}.html"));
    for (number, host) in ["a.example", "b.example", "b.example"].iter().enumerate() {
        let stated = format!("<link rel=canonical href=http://{host}/{number}>");
        let text = fs::read_to_string(page(number)).unwrap();
        fs::write(page(number), stated + &text).unwrap();
    }
    let learn = |more: &[&str]| {
        let output = gleaner(&folder, &[&["learn", ".", "--out", "b.json"], more].concat());
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = learn(&[]);
    let hosts = "the pages are of several hosts: a.example (1), b.example (2); choose one: ";
    assert!(code == Some(2) && said.contains(hosts), "{said}");
    assert!(said.contains("gleaner learn . --host b.example --out b.json"), "{said}");
    let (code, said) = learn(&["--host", "b.example"]);
    assert!(code == Some(0) && said.contains("b.example: learned from 2 pages"), "{said}");
    let (code, said) = learn(&["--host", "a.example"]);
    assert!(code == Some(2) && said.contains("article pages found: 1"), "{said}");
    assert!(said.contains("pages of other hosts: b.example (2)"), "{said}");
}

#[test]
fn a_page_that_is_larger_than_is_read_says_so() {
    let folder = site("");
    let page = format!("<title>Long</title>{}", "<p>A line of many, the clerk said.".repeat(50_001));
    fs::write(folder.path().join("long.html"), page).unwrap();
    let output = gleaner(&folder, &["extract", "long.html"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("too large; its end was not read"), "{said}");
}
