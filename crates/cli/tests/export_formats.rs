//! Tests what `gleaner export` selects: filters on metadata, samples, limits and fields. Also reads each
//! format with the tools for which it is meant.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::export::{json, run, said, with_corpus};
use crate::readers::python;

/// Number of documents in the corpus. 270 of them reach the default `--confidence`.
const DOCUMENTS: u64 = 300;

/// The Python code that reads the JSON Lines export.
const EXPECTED: &str = r#"
import json
rows = [json.loads(line) for line in open("expected.jsonl", encoding="utf-8")]
assert len(rows) == 270, len(rows)
"#;

fn ids(lines: &str) -> BTreeSet<String> {
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    lines.lines().map(id).collect()
}

#[test]
fn documents_are_chosen_by_publication_and_metadata() {
    let home = with_corpus(DOCUMENTS);
    // All generated documents are published on 2026-11-20 at 02:00 UTC, in the section "Kinh tế".
    for (arguments, expected, told) in [
        (&["--published-from", "2026-11-20", "--published-to", "2026-11-20"][..], 270, ""),
        (&["--published-to", "2026-11-20T02:00:00Z"], 270, ""),
        (&["--published-to", "2026-11-19"], 0, "excluded by --published-from or --published-to: 300"),
        (&["--published-from", "2026-11-20T09:00:01+07:00"], 0, "--published-to: 300"),
        (&["--section", "KINH TẾ"], 270, ""),
        (&["--title", "\"7"], 8, "documents excluded by --title: 292"),
        (&["--title", "\"77", "--title", "\"78\""], 1, ""),
        (&["--author", "giả 1", "--tag", "khóa 1"], 90, "documents excluded by --author: 200"),
        (&["--tag", "nosuch"], 0, "no document matches --tag nosuch"),
        (&["--section", "kinh tế", "--title", "x,y"], 0, "no document matches --title x,y --section kinh tế"),
    ] {
        let output = run(home.path(), &[&["export"], arguments].concat());
        let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        assert_eq!(out.lines().count(), expected, "{arguments:?}: {err}");
        assert_eq!(output.status.code(), Some(i32::from(expected == 0)), "{arguments:?}: {err}");
        assert!(err.contains(told), "{arguments:?}: {err}");
    }
    said(home.path(), &["export", "--tag", "khóa 1", "--published-to", "2026-11-19", "--into", "none"]);
    assert_eq!(json(&home.path().join("none/manifest.json"))["held_back"]["published"], 300);
}

#[test]
fn a_sample_is_the_same_in_every_form_and_after_an_interruption() {
    let home = with_corpus(DOCUMENTS);
    let sample = ["export", "--sample", "40", "--seed", "7"];
    let (lines, told) = said(home.path(), &sample);
    let chosen = ids(&lines);
    assert_eq!(chosen.len(), 40);
    assert!(told.contains("documents excluded by --sample: 230"), "{told}");
    said(home.path(), &[&sample[..], &["--into", "out", "--shard-size", "16KiB"]].concat());
    let shards = fs::read_dir(home.path().join("out")).unwrap().map(|entry| entry.unwrap().path());
    let shards = shards.filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    let texts: Vec<String> = shards.map(|path| fs::read_to_string(path).unwrap()).collect();
    assert!(texts.len() > 1 && ids(&texts.concat()) == chosen);
    assert_eq!(json(&home.path().join("out/manifest.json"))["held_back"]["sample"], 230);
    let (larger, _) = said(home.path(), &["export", "--sample", "60", "--seed", "7", "--fields", "id"]);
    assert!(ids(&larger).is_superset(&chosen) && larger.lines().count() == 60);
    let (other, _) = said(home.path(), &["export", "--sample", "40", "--fields", "id"]);
    assert_ne!(ids(&other), chosen);
}

#[test]
fn a_limit_takes_the_first_documents() {
    let home = with_corpus(DOCUMENTS);
    let (all, _) = said(home.path(), &["export"]);
    let (some, told) = said(home.path(), &["export", "--limit", "7"]);
    assert_eq!(some, all.split_inclusive('\n').take(7).collect::<String>());
    assert!(told.contains("stopped at --limit 7"), "{told}");
    said(home.path(), &["export", "--limit", "7", "--into", "out"]);
    assert_eq!(json(&home.path().join("out/manifest.json"))["documents"], 7);
}

#[test]
fn chosen_fields_are_written_in_their_order() {
    let home = with_corpus(3);
    let fields = ["export", "--confidence", "0", "--fields", "words,id,authors", "--limit", "1"];
    let (line, _) = said(home.path(), &fields);
    assert!(line.starts_with("{\"words\":") && line.ends_with("\"authors\":[]}\n"), "{line}");
    let (csv, _) = said(home.path(), &[&fields[..], &["--format", "csv"]].concat());
    assert!(csv.starts_with("words,id,authors\r\n") && csv.lines().count() == 2, "{csv}");
    said(home.path(), &[&fields[..], &["--format", "datasets", "--into", "out"]].concat());
    let card = fs::read_to_string(home.path().join("out/README.md")).unwrap();
    assert!(card.ends_with("| `words` | int64 |\n| `id` | string |\n| `authors` | list of strings |\n"));
    let program = "
import pyarrow.parquet as pq
assert pq.read_table('out/data/documents-00000.parquet').column_names == ['words', 'id', 'authors']
";
    python(home.path(), &["pyarrow"], program);
    let refused = |arguments: &[&str], part: &str| {
        let output = run(home.path(), &[&["export"], arguments].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && told.contains(part), "{arguments:?}: {told}");
    };
    refused(&["--fields", "id,length"], "there is no field \"length\"; the fields are id, url, host,");
    refused(&["--fields", "id", "--format", "tei"], "--fields requires --format jsonl, csv, parquet");
    refused(&["--seed", "1"], "--sample");
    refused(&["--title", ""], "--title");
    refused(&["--published-from", "May"], "--published-from \"May\" is not a year");
}

fn exported(documents: u64, arguments: &[&str]) -> tempfile::TempDir {
    let home = with_corpus(documents);
    said(home.path(), &["export", "--out", "expected.jsonl"]);
    said(home.path(), &[&["export"], arguments].concat());
    home
}

fn read(home: &Path, modules: &[&str], program: &str) {
    python(home, modules, &format!("{EXPECTED}{program}"));
}

#[test]
fn csv_is_read_by_python_and_pandas() {
    let home = exported(DOCUMENTS, &["--out", "out.csv"]);
    let program = r#"
import csv
table = list(csv.DictReader(open("out.csv", encoding="utf-8", newline="")))
assert list(table[0]) == list(rows[0])
def cell(value):
    if isinstance(value, bool): return str(value).lower()
    if isinstance(value, list): return "|".join(value)
    return "" if value is None else str(value)
for row, read in zip(rows, table, strict=True):
    numbers = [name for name, value in row.items() if isinstance(value, float)]
    assert all(float(read[name]) == row[name] for name in numbers)
    assert {name: read[name] for name in row if name not in numbers} == {
        name: cell(value) for name, value in row.items() if name not in numbers}
"#;
    read(home.path(), &["csv"], program);
    let program = r#"
import pandas
table = pandas.read_csv("out.csv", keep_default_na=False)
assert len(table) == 270 and list(table["text"]) == [row["text"] for row in rows]
assert table["words"].sum() == sum(row["words"] for row in rows)
assert list(table["keywords"].str.split("|")) == [row["keywords"] or [""] for row in rows]
times = pandas.to_datetime(table["fetched"])
assert (times.dt.year == 2026).all()
"#;
    read(home.path(), &["pandas"], program);
}

#[test]
fn tei_is_valid_by_the_schema_and_has_the_texts() {
    let home = exported(DOCUMENTS, &["--format", "tei", "--into", "out", "--shard-size", "64KiB"]);
    let program = r#"
import glob, os, schemas
from lxml import etree
rng = etree.RelaxNG(etree.parse(os.path.join(os.path.dirname(schemas.__file__), "tei_all.rng")))
broken = etree.fromstring('<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader/></TEI>')
assert not rng.validate(broken)
tei = "{http://www.tei-c.org/ns/1.0}"
files = sorted(glob.glob("out/*.xml"))
assert len(files) > 1
found = []
for file in files:
    tree = etree.parse(file)
    assert rng.validate(tree), rng.error_log
    found += tree.getroot().findall(tei + "TEI")
for row, document in zip(rows, found, strict=True):
    header, text = document
    title = header.find(f".//{tei}titleStmt/{tei}title").text
    assert (title or "") == (row["title"] or "")
    assert [author.text for author in header.findall(f".//{tei}titleStmt/{tei}author")] == row["authors"]
    assert header.find(f".//{tei}ref").get("target") == row["url"]
    assert header.find(f".//{tei}date[@type='published']").get("when") == row["published"]
    assert header.find(f".//{tei}language").get("ident") == row["language"]
    assert [line.text for line in text.iter(tei + "p")] == row["text"].split("\n")
"#;
    read(home.path(), &["lxml", "schemas"], program);
}

#[test]
fn markdown_is_read_by_a_parser_and_by_yaml() {
    let home = exported(DOCUMENTS, &["--format", "markdown", "--into", "out"]);
    said(home.path(), &["export", "--out", "out.md"]);
    let program = r#"
import csv, hashlib, yaml
from markdown_it import MarkdownIt
names = {row["id"]: row["file"] for row in csv.DictReader(open("out/metadata.csv", encoding="utf-8", newline=""))}
stream = open("out.md", encoding="utf-8").read()
whole = ""
for row in rows:
    file = open("out/" + names[row["id"]], encoding="utf-8").read()
    whole += file
    _, front, body = file.split("---\n", 2)
    front = yaml.safe_load(front)
    assert {name: row[name] for name in front} == front
    tokens = MarkdownIt("commonmark").parse(body)
    texts = ["".join(part.content for part in token.children) for token in tokens if token.type == "inline"]
    assert texts == ([row["title"]] if row["title"] else []) + row["text"].split("\n"), texts
    assert all(part.type in ("text", "text_special") for token in tokens for part in token.children or [])
assert whole == stream
sums = [line.rstrip("\n").split("  ") for line in open("out/SHA256SUMS")]
assert len(sums) == 270
for hash, name in sums:
    assert hashlib.sha256(open("out/" + name, "rb").read()).hexdigest() == hash
"#;
    read(home.path(), &["markdown_it", "yaml"], program);
}

#[test]
fn conllu_is_read_by_conllu() {
    let home = exported(DOCUMENTS, &["--out", "out.conllu"]);
    let program = r#"
import conllu
sentences = conllu.parse(open("out.conllu", encoding="utf-8").read())
documents, ids = [], set()
for sentence in sentences:
    metadata = sentence.metadata
    if "newdoc id" in metadata:
        documents.append({"id": metadata["newdoc id"], "url": metadata["url"], "lines": [], "sentences": 0, "tokens": 0})
    document = documents[-1]
    text = ""
    for token in sentence:
        text += token["form"] + ("" if token["misc"] == {"SpaceAfter": "No"} else " ")
    assert text.rstrip() == metadata["text"], (text, metadata["text"])
    if "newpar id" in metadata:
        document["lines"].append("")
    document["lines"][-1] += text
    document["sentences"] += 1
    document["tokens"] += len(sentence)
    assert [token["id"] for token in sentence] == list(range(1, len(sentence) + 1))
    ids.add(metadata["sent_id"])
assert len(ids) == len(sentences) > 5000
for row, document in zip(rows, documents, strict=True):
    assert (document["id"], document["url"]) == (row["id"], row["url"])
    assert [line.rstrip() for line in document["lines"]] == row["text"].split("\n")
    assert (document["sentences"], document["tokens"]) == (row["sentences"], row["tokens"])
"#;
    read(home.path(), &["conllu"], program);
}
