//! Tests `gleaner search` on a crawled newspaper: concordance lines, frequencies, word lists, formats, and what is
//! said about queries that are not understood.

use std::collections::BTreeMap;
use std::process::{Output, Stdio};
use std::sync::LazyLock;
use std::time::Duration;

use gleaner_testkit::NewspaperOptions;
use serde_json::Value;

use crate::newspaper::{Crawl, crawled};

static CRAWLED: LazyLock<Crawl> = LazyLock::new(crawled);

fn search(arguments: &[&str]) -> Output {
    CRAWLED.run(&[&["search"], arguments].concat())
}

fn out(arguments: &[&str]) -> String {
    let output = search(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", said(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Returns all rows of a search.
fn rows(arguments: &[&str]) -> Vec<Value> {
    let text = out(&[arguments, &["--format", "jsonl", "--limit", "0"]].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn sum(rows: &[Value], field: &str) -> u64 {
    rows.iter().map(|row| row[field].as_u64().unwrap()).sum()
}

/// Returns all documents, as an export writes them.
fn documents() -> Vec<Value> {
    CRAWLED.export(&["--members", "--confidence", "0"])
}

/// Returns the words of the title and text of a document, in lower case.
fn words(document: &Value) -> Vec<String> {
    let text = format!("{} {}", document["title"].as_str().unwrap(), document["text"].as_str().unwrap());
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn count(word: &str) -> u64 {
    documents().iter().map(|document| words(document).iter().filter(|own| *own == word).count() as u64).sum()
}

#[test]
fn a_concordance_has_every_hit_with_its_context() {
    let lines = rows(&["village"]);
    assert_eq!(lines.len() as u64, count("village"));
    let texts: BTreeMap<String, String> = documents()
        .into_iter()
        .map(|document| {
            let field = |name: &str| document[name].as_str().unwrap().to_owned();
            let one_line = format!("{} {}", field("title"), field("text"));
            (field("id"), one_line.split_whitespace().collect::<Vec<_>>().join(" "))
        })
        .collect();
    for line in &lines {
        let part = |name: &str| line[name].as_str().unwrap();
        assert_eq!(part("hit").to_lowercase(), "village");
        let around = format!("{}{}{}", part("left"), part("hit"), part("right"));
        assert!(texts[part("id")].contains(around.trim()), "{around}");
        assert!(part("left").chars().count() <= 50 && part("right").chars().count() <= 50, "{around}");
    }
    let text = out(&["village", "--limit", "2", "--width", "20"]);
    assert!(text.starts_with(&format!("{} hits in ", lines.len())), "{text}");
    let several = search(&["the", "village"]);
    assert!(said(&several).contains("for a phrase, write"), "{}", said(&several));
    assert!(text.contains("2 of ") && text.lines().count() == 3 && text.contains("[village]"), "{text}");
}

#[test]
fn words_phrases_or_minus_and_prefixes_select_hits() {
    let hits = |query: &str| rows(&[query]).len() as u64;
    assert_eq!(hits("rain OR flood"), count("rain") + count("flood"));
    assert!(hits("\"the village\"") < hits("the village"));
    let of_documents = |query: &str| rows(&[query, "--documents"]).len();
    assert_eq!(of_documents("the"), of_documents("the village") + of_documents("the -village"));
    let begun = |prefix: &str| -> u64 {
        documents()
            .iter()
            .map(|one| words(one).iter().filter(|word| word.starts_with(prefix)).count() as u64)
            .sum()
    };
    assert_eq!(hits("vill*"), begun("vill"));
    assert!(hits("\"the vil*\"") >= hits("\"the village\""));
}

#[test]
fn a_word_without_diacritics_finds_all_and_with_them_only_itself() {
    let forms = |query: &str| -> Vec<String> {
        let mut forms: Vec<String> =
            rows(&[query]).iter().map(|line| line["hit"].as_str().unwrap().to_lowercase()).collect();
        forms.sort();
        forms.dedup();
        forms
    };
    assert_eq!(forms("nước"), ["nước"]);
    let plain = forms("nuoc");
    assert!(plain.contains(&"nước".to_owned()), "{plain:?}");
    let begun = forms("nư*");
    assert!(begun.contains(&"nước".to_owned()), "{begun:?}");
    let has_mark = |word: &String| word.chars().nth(1).is_some_and(|c| "ưứừửữự".contains(c));
    assert!(begun.iter().all(has_mark), "{begun:?}");
}

#[test]
fn lines_are_sorted_as_wanted() {
    let values = |order: &str, field: &str| -> Vec<String> {
        let lines = rows(&["the", "--sort", order]);
        lines.iter().map(|line| line[field].as_str().unwrap().to_owned()).collect()
    };
    assert!(values("time", "day").is_sorted_by(|one, other| one >= other));
    assert!(values("host", "host").is_sorted());
    let words = |order: &str| -> Vec<Vec<String>> {
        let is_separator = |c: char| !c.is_alphanumeric();
        let words = |text: &String| {
            text.split(is_separator).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
        };
        values(order, order).iter().map(words).collect()
    };
    let right: Vec<String> =
        words("right").into_iter().filter_map(|words| words.into_iter().next()).collect();
    let left: Vec<String> = words("left").into_iter().filter_map(|mut words| words.pop()).collect();
    for nearest in [left, right] {
        let ascii: Vec<&String> = nearest.iter().filter(|word| word.is_ascii()).collect();
        assert!(ascii.len() > 100 && ascii.is_sorted(), "{ascii:?}");
    }
}

#[test]
fn hosts_languages_and_days_restrict_a_search() {
    let all = rows(&["--documents"]);
    for (options, query, field, value) in [
        (["--host", "baolang.example"], "host:baolang.example", "host", "baolang.example"),
        (["--host", "http://baolang.example/x"], "host:baolang.example", "host", "baolang.example"),
        (["--language", "vi"], "language:vi", "language", "vi"),
    ] {
        let found = rows(&[&["--documents"], &options[..]].concat());
        assert!(!found.is_empty() && found.iter().all(|one| one[field] == value), "{query}");
        assert_eq!(found.len(), all.iter().filter(|one| one[field] == value).count());
        assert_eq!(rows(&[query, "--documents"]).len(), found.len());
        let without = rows(&["--documents", &format!(" -{query}")]);
        assert_eq!(without.len() + found.len(), all.len(), "{query}");
    }
    let days = rows(&["the", "--from", "2026-11", "--to", "2026-11-10"]);
    assert!(!days.is_empty());
    let is_between = |day: &str| ("2026-11-01"..="2026-11-10").contains(&day);
    assert!(days.iter().all(|line| is_between(line["day"].as_str().unwrap())));
}

#[test]
fn frequencies_of_each_grouping_have_the_same_sums() {
    let lines = rows(&["the"]).len() as u64;
    let all_words: u64 = documents().iter().map(|document| words(document).len() as u64).sum();
    for grouping in ["month", "year", "host", "language", "section"] {
        let counts = rows(&["the", "--by", grouping]);
        assert_eq!(sum(&counts, "hits"), lines, "{grouping}");
        assert_eq!(sum(&counts, "documents"), documents().len() as u64, "{grouping}");
        assert_eq!(sum(&counts, "words"), all_words, "{grouping}");
        for count in &counts {
            let per_million = count["hits"].as_f64().unwrap() * 1e6 / count["words"].as_f64().unwrap();
            assert!((count["per_million"].as_f64().unwrap() - per_million).abs() < 0.01, "{count}");
        }
    }
    let of_vi = rows(&["the", "--by", "host", "--language", "vi"]);
    assert!(of_vi.iter().all(|count| count["group"] == "baolang.example"), "{of_vi:?}");
    let text = out(&["the", "--by", "month"]);
    assert!(
        text.contains("Per million words") && text.contains("2026-11") && text.contains("total"),
        "{text}"
    );
}

#[test]
fn a_word_list_counts_the_words_of_the_selection() {
    let list = rows(&["--word-list", "--language", "en"]);
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for document in documents().iter().filter(|document| document["language"] == "en") {
        words(document).into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    assert_eq!(list.len(), counts.len());
    assert!(list.iter().all(|row| counts[row["word"].as_str().unwrap()] == row["count"].as_u64().unwrap()));
    assert!(list.is_sorted_by_key(|row| std::cmp::Reverse(row["count"].as_u64())));
    let text = out(&["--word-list", "--language", "en", "--limit", "3"]);
    assert!(text.contains("the") && text.contains("3 of "), "{text}");
}

#[test]
fn csv_has_the_rows_of_json_lines() {
    let csv = out(&["\"the village\"", "--format", "csv", "--limit", "0"]);
    let lines = rows(&["\"the village\""]);
    assert!(csv.starts_with("day,host,language,title,in_title,left,hit,right,url,id\r\n"), "{csv}");
    assert_eq!(csv.matches("\r\n").count(), 1 + lines.len());
    for line in &lines {
        assert!(csv.contains(line["url"].as_str().unwrap()));
    }
    let frequencies = out(&["the", "--by", "host", "--format", "csv"]);
    let head = "group,hits,per_million,documents_with_hits,documents,words\r\n";
    assert!(frequencies.starts_with(head), "{frequencies}");
}

#[test]
fn a_query_that_is_not_understood_is_refused_with_advice() {
    for (arguments, parts) in [
        (&["title:mưa"][..], &["no field “title”", "host, language, from, to"][..]),
        (&["\"the village"], &["a quotation mark is missing"]),
        (&["th*s"], &["only at the end of a word"]),
        (&["the - village"], &["directly before the word to leave out"]),
        (&["(rain OR flood)"], &["omit parentheses"]),
        (&["the", "--from", "soon"], &["“soon” is not a day"]),
        (&["the", "--from", "2026", "--to", "2025"], &["is after"]),
        (&["the", "host:a.example", "from:2026", "--from", "2025"], &["is given twice"]),
        (&["the", "--width", "1001"], &["--width is at most 1000", "gleaner export"]),
        (&["m*"], &["at least 2 letters"]),
        (&["the &"], &["has no letter or digit"]),
        (&[], &["name a word to search for", "--word-list"]),
        (&["the", "--guard-formulas"], &["requires --format csv"]),
    ] {
        let output = search(arguments);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
        for part in parts {
            assert!(said.contains(part), "{arguments:?}: {said} lacks {part}");
        }
    }
}

#[test]
fn an_empty_result_is_explained_and_has_exit_code_1() {
    for (arguments, part) in [
        (&["nowordlikethis"][..], "nothing found"),
        (&["the", "--language", "xx"], "languages in this corpus: en, vi"),
        (&["the", "--host", "baolang.exampel"], "did you mean baolang.example?"),
        (&["nowordlikethis", "--by", "month"], "nothing found"),
    ] {
        let output = search(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(said(&output).contains(part), "{arguments:?}: {}", said(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_search_finds_what_a_running_crawl_has_stored() {
    let options = NewspaperOptions { faults: false, ..NewspaperOptions::default() };
    let crawl = Crawl::with_options(options, Duration::ZERO);
    let begun = crawl.run(&["crawl", "--seeds", "seeds.txt", "--max-pages", "60"]);
    assert!(begun.status.success(), "{}", said(&begun));
    let requests = crawl.newspaper.request_count();
    let mut slow = crawl.command(&["crawl", "--seeds", "seeds.txt"]);
    let mut running =
        slow.args(["--set", "fetch.delay=2s"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(crawl.newspaper.wait_for_requests(requests + 1, Duration::from_secs(30)));
    let found = crawl.run(&["search", "the", "--documents", "--limit", "0", "--format", "jsonl"]);
    assert!(found.status.success(), "{}", said(&found));
    assert!(!found.stdout.is_empty());
    assert!(running.try_wait().unwrap().is_none(), "the crawl still runs");
    running.kill().unwrap();
    running.wait().unwrap();
}

#[test]
fn a_damaged_index_is_built_again() {
    let crawl = crawled();
    let missing = crawl.run(&["search", "village", "--no-update"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(said(&missing).contains("omit --no-update"), "{}", said(&missing));
    let lines = |crawl: &Crawl| crawl.run(&["search", "village", "--limit", "0"]).stdout;
    let before = lines(&crawl);
    assert!(!before.is_empty());
    assert_eq!(crawl.run(&["search", "village", "--limit", "0", "--no-update"]).stdout, before);
    for entry in std::fs::read_dir(crawl.folder.path().join("data/search")).unwrap() {
        std::fs::write(entry.unwrap().path(), "damaged").unwrap();
    }
    assert_eq!(lines(&crawl), before);
}

/// Splits a command line into its arguments. Only single quotes are known.
fn arguments(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let split = |(at, part): (usize, &str)| -> Vec<String> {
        let is_quoted = at % 2 == 1;
        if is_quoted { vec![part.to_owned()] } else { part.split_whitespace().map(str::to_owned).collect() }
    };
    parts.flat_map(split).collect()
}

#[test]
fn the_documentation_shows_what_is_printed() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/search.md");
    let text = std::fs::read_to_string(file).unwrap();
    let mut examples = 0;
    for block in text.split("```console\n$ gleaner ").skip(1) {
        let (command, rest) = block.split_once('\n').unwrap();
        let arguments = arguments(&command.replace(" --data demo", ""));
        let output = CRAWLED.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        // Other tests search the same corpus.
        let said =
            said(&output).replace("gleaner: waiting for another process that updates the search index\n", "");
        let printed = said + &String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed, rest.split("```").next().unwrap(), "{command}");
        examples += 1;
    }
    assert_eq!(examples, 4);
}
