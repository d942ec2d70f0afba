//! Tests `gleaner-lab eval` and `gleaner-lab extract` on a small generated set, and on a recorded site if there is one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use gleaner_corpus::Method;
use serde_json::Value;
use tempfile::TempDir;

/// Number of pages in the set. The last page has no gold text.
const PAGES: usize = 12;

fn story(number: usize) -> String {
    let names = ["bridge", "harbour", "school", "market", "orchard", "mill", "station", "church"];
    let sentence = |at: usize| {
        let (one, other) = (names[(number * 3 + at) % 8], names[(number + at * 5) % 8]);
        format!(
            "On day {number}{at} the {one} was closed, and all who were there went to the {other} instead."
        )
    };
    let paragraph = |of: usize| (0..4).map(|at| sentence(of * 4 + at)).collect::<Vec<_>>().join(" ");
    format!("{}\n{}", paragraph(0), paragraph(1))
}

fn page(number: usize) -> String {
    let paragraphs: String = story(number).lines().map(|line| format!("<p>{line}</p>")).collect();
    let menu: String = ["News", "Sport", "Weather"].map(|name| format!("<li><a href=/x>{name}</a>")).concat();
    format!(
        "<title>Story {number}</title><ul>{menu}</ul>{paragraphs}<div>All rights reserved by the Village Post.</div>"
    )
}

/// Creates a folder with the set `post` and a set without gold text.
fn sets() -> TempDir {
    let folder = TempDir::new().unwrap();
    let post = folder.path().join("post");
    fs::create_dir(&post).unwrap();
    let mut manifest = String::new();
    for number in 0..PAGES {
        manifest += &format!(
            "{{\"id\": \"{number:02}\", \"url\": \"http://post.example/{number}\", \"site\": \"post.example\"}}\n"
        );
        fs::write(post.join(format!("{number:02}.html")), page(number)).unwrap();
        if number + 1 < PAGES {
            fs::write(post.join(format!("{number:02}.txt")), story(number)).unwrap();
        }
    }
    fs::write(post.join("manifest.jsonl"), manifest).unwrap();
    let bare = folder.path().join("bare");
    fs::create_dir(&bare).unwrap();
    fs::write(bare.join("manifest.jsonl"), "{\"id\": \"1\"}\n").unwrap();
    fs::write(bare.join("1.html"), "<p>Home").unwrap();
    folder
}

fn eval(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner-lab"));
    command.arg("eval").arg(folder).args(arguments).output().unwrap()
}

fn said(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the objects that `--json` prints.
fn rows(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let text = said(eval(folder, &[&["--json"], arguments].concat()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn json_has_a_row_a_set_and_method_and_one_for_all() {
    let folder = sets();
    let rows =
        rows(folder.path(), &["--protocol", "template", "--method", "gleaner", "--method", "bte-linear"]);
    let names: Vec<_> =
        rows.iter().map(|row| (row["set"].as_str().unwrap(), row["method"].as_str().unwrap())).collect();
    assert_eq!(
        names,
        [("post", "bte-linear"), ("post", "gleaner"), ("all", "bte-linear"), ("all", "gleaner")]
    );
    let row = rows[3].as_object().unwrap();
    let mut keys: Vec<&str> = row.keys().map(String::as_str).collect();
    keys.sort_unstable();
    let expected =
        ["below_half", "f1", "method", "pages", "precision", "protocol", "recall", "set", "site_mean_f1"];
    assert_eq!(keys, expected);
    assert_eq!((row["protocol"].as_str(), row["pages"].as_u64()), (Some("template"), Some(11)));
    assert_eq!((row["recall"].as_f64(), row["below_half"].as_u64()), (Some(1.0), Some(0)));
    assert!(row["f1"].as_f64().unwrap() > 0.95 && row["f1"] == row["site_mean_f1"], "{row:?}");
}

#[test]
fn other_measures_are_taken_when_asked_for() {
    let folder = sets();
    let rows = rows(folder.path(), &["--method", "bte-linear", "--measure", "all"]);
    let figure = |name: &str| rows[1][name].as_f64().unwrap_or_else(|| panic!("{name}: {rows:?}"));
    for name in ["block_precision", "block_recall", "block_f1", "subsequence_f1", "edit_distance_ratio"] {
        assert!((0.5..=1.0).contains(&figure(name)), "{name}: {}", figure(name));
    }
    assert!(figure("html_bytes") > figure("text_bytes") && figure("html_gzip_bytes") < figure("html_bytes"));
    assert!(figure("space_saving") > 0.05 && figure("space_saving_gzip") > 0.05);
    assert!((figure("subsequence_recall"), figure("block_recall")) == (1.0, 1.0));
    let blocks = said(eval(folder.path(), &["--csv", "--method", "bte-linear", "--measure", "blocks"]));
    assert!(blocks.lines().next().unwrap().ends_with(",below_half,block_precision,block_recall,block_f1"));
}

#[test]
fn csv_says_the_same_as_json() {
    let folder = sets();
    let csv = said(eval(folder.path(), &["--csv"]));
    let rows = rows(folder.path(), &[]);
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let lines: Vec<_> = lines.collect();
    assert_eq!(lines.len(), rows.len());
    for (cells, row) in lines.iter().zip(&rows) {
        for (name, cell) in head.iter().zip(cells) {
            let value = &row[*name];
            assert!(
                value.as_str() == Some(cell) || value.as_f64() == cell.parse().ok(),
                "{name}: {cell}, {value}"
            );
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = sets();
    let with = |threads: &str| {
        let arguments = ["--json", "--protocol", "template", "--measure", "all", "--threads", threads];
        said(eval(folder.path(), &arguments))
    };
    let one = with("1");
    assert!(one.lines().count() >= 6, "{one}");
    assert_eq!(one, with("2"));
    assert_eq!(one, with("7"));
}

/// If there were more threads than cores, they would only compete for the cores.
#[test]
fn a_senseless_number_of_threads_is_cut_or_refused() {
    let folder = sets();
    let many = said(eval(folder.path(), &["--json", "--method", "bte-linear", "--threads", "100000"]));
    assert_eq!(many, said(eval(folder.path(), &["--json", "--method", "bte-linear"])));
    for (option, number, expected) in [
        ("--threads", "0", "must be 1 or more; omit it for one thread per core"),
        ("--threads", "-1", "must be 1 or more"),
        ("--worst", "-1", "must be a number of pages, 0 or more"),
    ] {
        let output = eval(folder.path(), &[option, number]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected) && said.contains(option), "{said}");
    }
}

/// `gleaner-lab eval` prints the results even if standard error is on a full disk.
#[test]
#[cfg(target_os = "linux")]
fn rows_are_printed_where_nobody_can_be_told() {
    let folder = sets();
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner-lab"));
        command.arg("eval").arg(folder.path()).args(arguments).stderr(full()).output().unwrap()
    };
    let rows = said(run(&["--json", "--method", "bte-linear", "--worst", "2"]));
    assert_eq!(rows.lines().count(), 2, "{rows}");
    let output = run(&["--method", "nonsense"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    fs::write(folder.path().join("post/manifest.jsonl"), "nonsense").unwrap();
    let output = run(&["--json"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{output:?}");
}

#[test]
fn the_table_and_the_worst_pages_are_for_people() {
    let folder = sets();
    let gold = folder.path().join("post/04.txt");
    fs::write(&gold, "Nothing of this stands on the page").unwrap();
    let output =
        eval(folder.path(), &["--method", "gleaner", "--method", "fast-content-extractor", "--worst", "2"]);
    let remarks = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(remarks.contains("fast-content-extractor is left out: it needs pages of a site"), "{remarks}");
    assert!(remarks.contains("bare is left out: none of its pages has gold text"), "{remarks}");
    let text = said(output);
    assert!(text.contains("Site mean F1") && text.contains("ms per page"), "{text}");
    let worst = text.split("Worst pages of gleaner").nth(1).unwrap();
    let pages: Vec<&str> = worst.lines().filter(|line| line.contains(".html")).collect();
    assert_eq!(pages.len(), 2, "{worst}");
    assert!(pages[0].contains("04.html") && pages[0].trim_start().starts_with("0.0"), "{worst}");

    let output = eval(folder.path(), &["--json", "--method", "gleaner", "--worst", "1"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("04.html"), "{output:?}");
    assert!(said(output).lines().all(|line| line.starts_with('{')));
}

#[test]
fn what_cannot_be_scored_is_refused_on_one_line() {
    let folder = sets();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let refused = |set: &str, arguments: &[&str], expected: &str| {
        let output = eval(&folder.path().join(set), arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said} lacks {expected}");
        said
    };
    let one_line = |set: &str, expected: &str| {
        let said = refused(set, &[], expected);
        assert_eq!(said.lines().filter(|line| line.starts_with("gleaner-lab: ")).count(), 1, "{said}");
        assert!(said.lines().last().unwrap().contains(expected), "{said}");
    };
    one_line("absent", "cannot read");
    refused(
        "post",
        &["--method", "fast-content-extractor"],
        "gleaner-lab: fast-content-extractor is left out",
    );
    one_line("bare", "no page has gold text");
    write("post/manifest.jsonl", "{\"id\": \"00\"}\n{\"id\": \"99\"}\n");
    one_line("post", "manifest.jsonl line 2: there is neither 99.html.gz nor 99.html");
    write("post/manifest.jsonl", "{\"id\": \"00\"}\nnonsense\n");
    one_line("post", "manifest.jsonl line 2: no page: ");
    write("post/manifest.jsonl", "{\"id\": \"cut\"}\n");
    write("post/cut.txt", "Rain");
    fs::write(folder.path().join("post/cut.html.gz"), [0x1f, 0x8b, 8, 0, 0]).unwrap();
    one_line("post", "cut.html.gz: ");
    write("post/manifest.jsonl", "");
    one_line("post", "no page is named in the manifest");
    one_line("post/manifest.jsonl", "is a file: name the folder of the set");
    fs::remove_file(folder.path().join("bare/manifest.jsonl")).unwrap();
    one_line("bare", "is not a set");
    refused("post", &["--method", "nonsense"], "possible values: bte-original, bte-improved, bte-linear, ");
    refused("post", &["--protocol", "papers", "--worst", "3"], "cannot be used with --protocol papers");
    refused("post", &["--paper", "line-block"], "require --protocol papers");
    refused("post", &["--json", "--csv"], "cannot be used with");
}

/// Unreadable pages do not affect the scores of other pages. The run names all of them and fails.
#[test]
fn damaged_pages_leave_the_others_scored() {
    let folder = sets();
    let post = folder.path().join("post");
    let whole = rows(&post, &["--method", "bte-linear"]);
    fs::write(post.join("01.html.gz"), [0x1f, 0x8b, 8, 0, 0]).unwrap();
    fs::write(post.join("02.html.gz"), "").unwrap();
    fs::write(post.join("03.txt"), [0xff, 0xfe]).unwrap();
    for protocol in ["cold", "template"] {
        let output =
            eval(&post, &["--json", "--protocol", protocol, "--method", "bte-linear", "--method", "gleaner"]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        for file in ["01.html.gz: ", "02.html.gz: ", "03.txt: it is not UTF-8"] {
            assert_eq!(said.matches(file).count(), 1, "{said}");
        }
        assert!(said.contains("3 pages could not be read and are not counted; for each, fix it"), "{said}");
        let rows = String::from_utf8(output.stdout).unwrap();
        let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(rows.len() == 4 && rows.iter().all(|row| row["pages"] == 8), "{rows:?}");
    }
    assert_eq!(whole[0]["pages"], 11);
    let output = eval(&post, &["--protocol", "papers", "--paper", "line-block"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(2) && said.starts_with("gleaner-lab: 3 faults:\n  cannot read "),
        "{said}"
    );
}

/// The README of the sets defines this: an extraction without a common word has F1 0, and so has a page
/// without gold words.
#[test]
fn a_page_with_empty_gold_scores_nothing() {
    let folder = sets();
    let post = folder.path().join("post");
    let figures = |said: &Value| (said["pages"].as_u64().unwrap(), said["f1"].as_f64().unwrap());
    let (pages, f1) = figures(&rows(&post, &["--method", "bte-linear"])[0]);
    assert_eq!(pages, 11);
    fs::write(post.join("11.txt"), "").unwrap();
    let output = eval(&post, &["--json", "--method", "bte-linear"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("post: F1 is 0 on 1 page, whose gold text has no word"), "{told}");
    let (pages, with_empty) = figures(&serde_json::from_str(said(output).lines().next().unwrap()).unwrap());
    assert_eq!(pages, 12);
    assert!((with_empty - f1 * 11.0 / 12.0).abs() < 1e-5, "{with_empty} {f1}");
    fs::write(post.join("11.html"), "").unwrap();
    let nothing = &rows(&post, &["--method", "bte-linear", "--measure", "all"])[0];
    assert!((nothing["f1"].as_f64().unwrap() - with_empty).abs() < 1e-5, "{nothing}");
}

/// Comparing two very different texts of a million characters each would take a minute.
#[test]
fn a_page_too_long_and_too_unlike_does_not_stall_a_run() {
    let folder = sets();
    let post = folder.path().join("post");
    let unlike = |start: usize| {
        (start..).step_by(7_919).take(70_000).map(|n| format!("{:x} ", n * n)).collect::<String>()
    };
    fs::write(post.join("11.html"), format!("<p>{}", unlike(1))).unwrap();
    fs::write(post.join("11.txt"), unlike(4_000)).unwrap();
    let output = eval(&post, &["--json", "--method", "bte-linear", "--measure", "edit-distance"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("bte-linear: the edit distance is not measured on 1 page, too long"), "{told}");
    let row: Value = serde_json::from_str(said(output).lines().next().unwrap()).unwrap();
    assert_eq!((&row["pages"], &row["edit_distance_pages"]), (&12.into(), &11.into()));
    assert!(row["edit_distance_ratio"].as_f64().unwrap() > 0.5, "{row}");
}

/// If the protocol does not allow a method, the method is omitted. There is a message only if the user
/// requested the method. A set from which nothing can be learned is reported.
#[test]
fn remarks_are_about_what_was_asked_for() {
    let folder = sets();
    let post = folder.path().join("post");
    let told = |arguments: &[&str]| String::from_utf8(eval(&post, arguments).stderr).unwrap();
    assert_eq!(told(&["--json"]), "");
    assert!(
        told(&["--method", "gleaner", "--method", "content-extractor"]).contains("content-extractor is left")
    );
    fs::write(post.join("manifest.jsonl"), "{\"id\": \"00\"}").unwrap();
    assert!(
        told(&["--protocol", "template", "--method", "gleaner"])
            .contains("post has 1 page: too few to learn")
    );
}

/// Splits a line of CSV into cells.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut is_quoted) = (vec![String::new()], false);
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.next_if_eq(&'"').is_some() => cells.last_mut().unwrap().push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => cells.last_mut().unwrap().push(other),
        }
    }
    cells
}

#[test]
fn every_paper_has_its_tables_and_figure() {
    let folder = sets();
    let papers = |arguments: &[&str]| {
        let folder = folder.path().join("post");
        said(eval(&folder, &[&["--protocol", "papers"], arguments].concat()))
    };
    let pictures = folder.path().join("pictures");
    let text = papers(&["--pictures", pictures.to_str().unwrap()]);
    let tables = [
        "fast-content-extractor, table II: ",
        "fast-content-extractor, table III: ",
        "fast-content-extractor, table IV: ",
        "improved-bte, table 1: ",
        "improved-bte, table 2: ",
        "text-to-tag-ratio, table 2: ",
        "text-to-tag-ratio, table 3: ",
        "text-to-tag-ratio, table 4: ",
        "text-to-tag-ratio, figure 5: ",
        "line-block, table 1: ",
        "line-block, table 2: ",
        "line-block, table 2, remedy: ",
        "comma-score, statistics: ",
        "comma-score, comparison: ",
    ];
    for table in tables {
        assert!(text.contains(table), "{table} is not in {text}");
    }
    let svg = fs::read_to_string(pictures.join("text-to-tag-ratio-figure-5.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.contains("LCS"), "{svg}");

    let json = papers(&["--json", "--paper", "line-block"]);
    let rows: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.iter().all(|row| row["paper"] == "line-block"));
    let accuracy = |from: &str| {
        let row = rows.iter().find(|row| row["row"] == "all pages" && row["from"] == from);
        row.unwrap()["figures"]["Accuracy (%)"].as_f64().unwrap()
    };
    assert!((accuracy("ours") - accuracy("paper") - accuracy("difference")).abs() < 1e-9);
    let csv = papers(&["--csv"]);
    assert_eq!(csv.lines().next(), Some("paper,table,row,from,column,figure"));
    let lines: Vec<Vec<String>> = csv.lines().map(cells).collect();
    assert!(lines.iter().all(|line| line.len() == 6), "{csv}");
    let named: BTreeSet<&str> = lines.iter().map(|line| line[1].as_str()).collect();
    assert!(named.contains("table 2, lambda sigma"), "{named:?}");
    assert!(csv.contains("line-block,table 2,BBC,paper,Right Number,145\n"), "{csv}");
}

/// If the figure cannot be drawn, the command fails before it measures anything. If writing a figure fails
/// later, the tables are still printed.
#[test]
fn tables_are_not_lost_to_a_picture() {
    let folder = sets();
    let set = folder.path().join("post");
    let papers = |paper: &str, pictures: &Path| {
        let pictures = pictures.to_str().unwrap();
        let output = eval(&set, &["--protocol", "papers", "--paper", paper, "--pictures", pictures]);
        let [out, err] = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
        (output.status.code(), out, err)
    };
    let pictures = folder.path().join("pictures");
    let (code, out, err) = papers("comma-score", &pictures);
    assert_eq!((code, out.as_str(), pictures.exists()), (Some(2), "", false), "{err}");
    assert!(err.contains("only text-to-tag-ratio has a figure"), "{err}");

    let (code, out, err) = papers("text-to-tag-ratio", &set.join("00.html"));
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("cannot write"), "{err}");

    fs::create_dir_all(pictures.join("text-to-tag-ratio-figure-5.svg")).unwrap();
    let (code, out, err) = papers("text-to-tag-ratio", &pictures);
    assert_eq!(code, Some(1), "{err}");
    assert!(out.contains("text-to-tag-ratio, figure 5: ") && err.contains("cannot write"), "{out}{err}");
}

#[test]
fn remarks_and_words_are_for_programs_too() {
    let folder = sets();
    let set = folder.path().join("post");
    let bte = ["--protocol", "papers", "--paper", "improved-bte", "--paper", "improved-bte"];
    let json = rows(&set, &bte);
    let remarks: Vec<&Value> = json.iter().filter(|row| row["remarks"].is_array()).collect();
    let tables: Vec<&Value> = remarks.iter().map(|row| &row["table"]).collect();
    assert_eq!(tables, ["table 1", "table 2"], "a paper named twice is printed once");
    let text = remarks[1].to_string();
    assert!(text.contains("special structures") && text.contains("cannot be measured"), "{text}");
    let news = json.iter().find(|row| row["row"] == "Support BTE from news sites").unwrap();
    assert_eq!((&news["paper"], &news["figures"]["Original BTE"]), (&"improved-bte".into(), &"Good".into()));

    let output = eval(&set, &[&["--csv"], &bte[..]].concat());
    let err = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(err.contains("Ours: ") && err.contains("* \"Sites with special structures\""), "{err}");
    let csv = said(output);
    let poor =
        csv.lines().map(cells).filter(|cells| cells[2].ends_with("shopping sites") && cells[5] == "Poor");
    assert_eq!(poor.count(), 2, "{csv}");
}

/// The bounds are the figures that were measured when the test was written, rounded.
#[test]
fn a_recorded_site_scores_as_measured() {
    let site = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/sets/sites/vi-vnexpress.net"));
    if !site.is_dir() {
        println!("skipped: no recorded pages beside the project (../shared/sets)");
        return;
    }
    let rows = rows(site, &["--protocol", "template", "--method", "fast-content-extractor"]);
    let figure = |name: &str| rows[1][name].as_f64().unwrap();
    assert_eq!((rows.len(), figure("pages")), (2, 32.0));
    assert!(figure("f1") > 0.85 && figure("recall") > 0.9, "{rows:?}");
}

#[test]
fn help_says_what_figures_are_of() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner-lab"));
    let help = said(command.args(["eval", "--help"]).output().unwrap());
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "site_mean_f1) is the mean of the sets' means",
        "one object for each row of a table",
        "CSV on standard output",
        "times, since they vary",
        "edit_distance_pages",
    ] {
        assert!(help.contains(part), "{help} lacks {part}");
    }
}

#[test]
fn extract_runs_each_method_of_one_page() {
    let folder = sets();
    let extract = |method: &str, page: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner-lab"));
        command
            .current_dir(folder.path().join("post"))
            .args(["extract", page, "--method", method])
            .output()
            .unwrap()
    };
    for method in Method::ALL.into_iter().filter(|method| method.is_published() && !method.needs_site()) {
        let output = extract(method.name(), "00.html");
        let [text, told] = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
        // Some methods find nothing on a page with so few blocks and commas.
        let is_empty = told == format!("gleaner-lab: {method} found no text on this page\n");
        assert!(output.status.success() && !text.is_empty() || is_empty, "{method}: {text}{told}");
    }
    let text = said(extract("bte-linear", "00.html"));
    assert!(text.contains(story(0).lines().last().unwrap()), "{text}");
    let output = extract("gleaner", "00.html");
    let refused = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(2) && refused.contains("possible values: bte-original"),
        "{refused}"
    );
    assert_eq!(extract("bte-linear", "absent.html").status.code(), Some(2));
    fs::write(folder.path().join("post/empty.html"), "").unwrap();
    assert_eq!(extract("bte-linear", "empty.html").status.code(), Some(1));
}
