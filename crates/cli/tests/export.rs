//! Tests `gleaner export` and `gleaner stats` with real processes on a generated corpus. A standard reader
//! reads each format back. Other tests kill an export, or fill the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;

use crate::readers::python;
use serde_json::Value;
use tempfile::TempDir;

/// Number of documents in the corpus that tests read and do not change. 270 of them reach the default
/// `--confidence`.
const DOCUMENTS: u64 = 300;

/// Creates a folder with a corpus in `data`.
pub(crate) fn with_corpus(documents: u64) -> TempDir {
    let home = TempDir::new().unwrap();
    crate::generated::corpus(&home.path().join("data"), documents);
    home
}

pub(crate) fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    command.current_dir(home).args(arguments);
    command
}

pub(crate) fn run(home: &Path, arguments: &[&str]) -> Output {
    command(home, arguments).output().unwrap()
}

/// Runs a command that must succeed. Returns its standard output and standard error.
pub(crate) fn said(home: &Path, arguments: &[&str]) -> (String, String) {
    let output = run(home, arguments);
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(output.status.success(), "{arguments:?}: {err}");
    (out, err)
}

pub(crate) fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Reads all files in a folder and its subfolders, except the manifest, by path.
fn data_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.ends_with("manifest.json") {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

/// The Python code that reads the JSON Lines export and converts times to Python's types.
const EXPECTED: &str = r#"
import json, datetime
def expected(path="expected.jsonl"):
    rows = [json.loads(line) for line in open(path, encoding="utf-8")]
    for row in rows:
        assert row["fetched"].endswith(".123456789Z")
        row["fetched"] = datetime.datetime.fromisoformat(row["fetched"][:26] + "+00:00")
        if row["published_utc"]:
            row["published_utc"] = datetime.datetime.fromisoformat(row["published_utc"].replace("Z", "+00:00"))
    assert len(rows) == 270, len(rows)
    return rows
"#;

#[test]
fn json_lines_are_read_by_python() {
    let home = with_corpus(DOCUMENTS);
    said(home.path(), &["export", "--out", "expected.jsonl"]);
    said(home.path(), &["export", "--compress", "gzip", "--out", "out.jsonl.gz"]);
    said(home.path(), &["export", "--compress", "zstd", "--out", "out.jsonl.zst"]);
    let program = "
import gzip, json
plain = open('expected.jsonl', 'rb').read()
assert gzip.open('out.jsonl.gz').read() == plain
rows = [json.loads(line) for line in plain.splitlines()]
assert len(rows) == 270 and all(row['stop_word_share'] > 0.2 for row in rows)
assert [row['id'] for row in rows] == sorted(row['id'] for row in rows)
";
    python(home.path(), &["json"], program);
    let program = "
import pyarrow
plain = open('expected.jsonl', 'rb').read()
assert pyarrow.input_stream('out.jsonl.zst', compression='zstd').read() == plain
";
    python(home.path(), &["pyarrow"], program);
}

#[test]
fn parquet_is_read_by_pyarrow() {
    let home = with_corpus(DOCUMENTS);
    said(home.path(), &["export", "--out", "expected.jsonl"]);
    said(home.path(), &["export", "--format", "parquet", "--into", "out", "--shard-size", "64KiB"]);
    let program = format!(
        "{EXPECTED}
import pyarrow.parquet as pq, glob
files = sorted(glob.glob('out/*.parquet'))
assert len(files) > 1
rows = [row for file in files for row in pq.read_table(file).to_pylist()]
assert rows == expected()
schema = pq.read_schema(files[0])
types = {{name: str(schema.field(name).type) for name in schema.names}}
assert types['fetched'] == types['published_utc'] == 'timestamp[us, tz=UTC]', types
assert types['paywalled'] == 'bool', types
assert types['urls'] == 'list<element: string not null>' or types['urls'].startswith('list<'), types
assert (types['text'], types['words'], types['confidence']) == ('string', 'int64', 'double'), types
assert not schema.field('text').nullable and schema.field('title').nullable
assert list(rows[0]) == list(expected()[0])
"
    );
    python(home.path(), &["pyarrow"], &program);
}

#[test]
fn the_folder_for_datasets_is_loaded_by_datasets() {
    let home = with_corpus(DOCUMENTS);
    said(home.path(), &["export", "--out", "expected.jsonl"]);
    said(home.path(), &["export", "--format", "datasets", "--into", "out", "--shard-size", "64KiB"]);
    let card = fs::read_to_string(home.path().join("out/README.md")).unwrap();
    assert!(card.starts_with("---\nlanguage:\n") && card.contains("- vi\n") && card.contains("- n<1K\n"));
    let program = format!(
        "{EXPECTED}
import datasets
loaded = datasets.load_dataset('out', split='train', cache_dir='cache')
assert loaded.num_rows == 270
rows = [dict(row) for row in loaded]
assert rows == expected()
"
    );
    python(home.path(), &["datasets"], &program);
}

#[test]
fn vertical_text_is_well_formed() {
    let home = with_corpus(DOCUMENTS);
    said(home.path(), &["export", "--out", "expected.jsonl"]);
    said(home.path(), &["export", "--format", "vertical", "--into", "out"]);
    assert!(fs::read_to_string(home.path().join("out/registry")).unwrap().contains("STRUCTURE doc {"));
    let program = format!(
        "{EXPECTED}
import xml.etree.ElementTree as tree, re
text = open('out/documents-00000.vert', encoding='utf-8').read()
docs = tree.fromstring('<corpus>' + text + '</corpus>').findall('doc')
rows = expected()
assert len(docs) == len(rows)
for doc, row in zip(docs, rows):
    assert doc.get('id') == row['id'] and doc.get('url') == row['url'], doc.attrib
    assert doc.get('title') == (row['title'] or '') and doc.get('authors') == '|'.join(row['authors'])
    lines, sentences, tokens = [], 0, 0
    for paragraph in doc.findall('p'):
        line, glued = '', True
        for part in paragraph.iter():
            glued |= part.tag == 'g'
            sentences += part.tag == 's'
            for token in ((part.text or '') + (part.tail or '') if part.tag != 's' else part.text).split():
                line += token if glued else ' ' + token
                glued = False
                tokens += 1
        lines.append(line)
    assert '\\n'.join(lines) == row['text'], (lines, row['text'])
    assert (sentences, tokens) == (row['sentences'], row['tokens'])
"
    );
    python(home.path(), &["xml.etree.ElementTree"], &program);
}

#[test]
fn plain_text_is_a_file_a_document_or_a_file_a_site() {
    let home = with_corpus(DOCUMENTS);
    said(home.path(), &["export", "--out", "expected.jsonl"]);
    said(home.path(), &["export", "--format", "text", "--into", "texts"]);
    said(home.path(), &["export", "--format", "text-by-site", "--into", "sites"]);
    let program = format!(
        "{EXPECTED}
import csv, os, hashlib, collections
names = {{row['id']: row['file'] for row in csv.DictReader(open('texts/metadata.csv', encoding='utf-8', newline=''))}}
sites = collections.defaultdict(list)
for row in expected():
    whole = (row['title'] + '\\n\\n' if row['title'] else '') + row['text'] + '\\n'
    name = names[row['id']]
    words = ''.join(c if c.isalnum() else ' ' for c in row['title'] or '').split()
    title = '-'.join(words) + '_' if words else ''
    assert name == f\"{{row['host']}}/2026-11-20_{{title}}{{row['id'][:8]}}.txt\", name
    assert open('texts/' + name, encoding='utf-8').read() == whole
    sites[row['host']].append(whole)
for host, texts in sites.items():
    whole = open(f'sites/{{host}}.txt', encoding='utf-8').read()
    assert [text + '\\n' for text in whole.rstrip('\\n').split('\\n\\n\\n')] == texts, host
sums = [line.rstrip('\\n').split('  ') for line in open('texts/SHA256SUMS')]
assert len(sums) == 270
for hash, name in sums:
    assert hashlib.sha256(open('texts/' + name, 'rb').read()).hexdigest() == hash
"
    );
    python(home.path(), &["json"], &program);
}

#[test]
fn what_filters_hold_back_is_told_and_in_the_manifest() {
    let home = with_corpus(DOCUMENTS);
    let arguments = [
        "export",
        "--into",
        "out",
        "--language",
        "vi",
        "--where",
        "sentence_length<1000",
        "--where",
        "words>9999",
    ];
    let (_, told) = said(home.path(), &arguments);
    assert!(told.contains("documents excluded by confidence>=0.1: 30; use --confidence 0"), "{told}");
    assert!(told.contains("documents excluded by words>9999: 120"), "{told}");
    let manifest = json(&home.path().join("out/manifest.json"));
    assert_eq!(manifest["held_back"]["language"], 150);
    assert_eq!(manifest["held_back"]["words>9999"], 120);
    assert_eq!((&manifest["documents"], &manifest["complete"]), (&0.into(), &true.into()));
    assert_eq!(manifest["command"][0], "export");
}

#[test]
fn the_next_export_takes_what_is_new() {
    let home = with_corpus(DOCUMENTS);
    said(home.path(), &["export", "--until", "2026-11-11", "--into", "first"]);
    said(home.path(), &["export", "--since", "first", "--into", "next"]);
    let count =
        |name: &str| json(&home.path().join(name).join("manifest.json"))["documents"].as_u64().unwrap();
    assert!(count("first") > 0 && count("next") > 0);
    assert_eq!(count("first") + count("next"), 270);
    let (_, told) = said(home.path(), &["export", "--since", "next", "--out", "none.jsonl"]);
    assert!(told.contains("documents written: 0"), "{told}");
}

#[test]
fn the_form_follows_the_ending_and_no_file_is_emptied() {
    let home = with_corpus(10);
    said(home.path(), &["export", "--out", "z.parquet"]);
    let bytes = std::fs::read(home.path().join("z.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    said(home.path(), &["export", "--out", "z.jsonl.gz"]);
    assert!(std::fs::read(home.path().join("z.jsonl.gz")).unwrap().starts_with(&[0x1f, 0x8b]));
    let output = run(home.path(), &["export", "--where", "words>99999", "--out", "z.parquet"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(1) && told.contains("no document matches; z.parquet is not written"),
        "{told}"
    );
    assert_eq!(std::fs::read(home.path().join("z.parquet")).unwrap(), bytes);
    let output = run(home.path(), &["export", "--published-to", "1999-01-01", "--out", "new.csv"]);
    assert!(output.status.code() == Some(1) && !home.path().join("new.csv").exists());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("; to select by the time of the fetch: --until 1999-01-01"), "{told}");
    let output = run(home.path(), &["export", "--published-from", "2h"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("; to select by the time of the fetch: --since 2h"), "{told}");
    let (_, told) = said(home.path(), &["export", "--sample", "500", "--out", "z.parquet"]);
    assert!(told.contains("to z.parquet, which replaces an earlier file"), "{told}");
    assert!(told.contains("only 9 documents match, fewer than --sample 500"), "{told}");
}

#[test]
fn two_exports_do_not_write_into_one_folder() {
    let home = with_corpus(1);
    let part = home.path().join("two.part");
    std::fs::create_dir(&part).unwrap();
    let held = std::fs::File::open(&part).unwrap();
    held.lock().unwrap();
    let output = run(home.path(), &["export", "--into", "two"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(1) && told.contains("another export is writing two"), "{told}");
    drop(held);
    said(home.path(), &["export", "--into", "two"]);
}

#[test]
fn wrong_wishes_are_refused_on_one_line() {
    static HOME: LazyLock<TempDir> = LazyLock::new(|| with_corpus(1));
    let refused = |arguments: &[&str], code: i32, part: &str| {
        let output = run(HOME.path(), &[&["export"], arguments].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        assert!(told.contains(part) && told.lines().count() == 1, "{arguments:?}: {told}");
    };
    refused(&["--where", "length>=3"], 2, "--where \"length>=3\": there is no field \"length\"");
    refused(&["--where", "weather=rain"], 2, "export to Parquet and use a program such as DuckDB");
    refused(&["--where", "words"], 2, "write a field");
    refused(&["--exclude-url", "("], 2, "--exclude-url (: unclosed group");
    refused(&["--format", "text"], 2, "set --into DIR to a new folder");
    refused(&["--format", "datasets", "--out", "x"], 2, "set --into DIR to a new folder");
    refused(&["--format", "datasets", "--out", "q.parquet"], 2, "set --into DIR to a new folder");
    refused(&["--since", "nosuch"], 2, "or the folder of an earlier export, which does not exist");
    refused(&["--format", "parquet", "--compress", "gzip"], 2, "--compress is not possible");
    refused(&["--since", "data"], 2, "has no manifest.json");
    refused(&["--format", "jsonl", "--out", "z.parquet"], 2, "contradicts the ending of z.parquet");
    refused(&["--compress", "gzip", "--out", "z.jsonl.zst"], 2, "contradicts the ending of z.jsonl.zst");
    refused(&["--compress", "gzip", "--out", "z.parquet"], 2, "--compress is not possible");
    refused(
        &["--language", "english"],
        1,
        "no document matches --language english; languages in this corpus: vi",
    );
    refused(&["--host", "nosuch.com"], 1, "no document matches --host nosuch.com; hosts in this corpus:");
    refused(&["--host", "https://nosuch.com/a"], 1, "no document matches --host nosuch.com");
    refused(&["--out", "b.parquet.gz"], 2, "the ending .gz or .zst is not possible");
    refused(&["--out", "b.txt"], 2, "text needs --into DIR");
    refused(&["--out", "b.mp3.gz"], 2, "no format of one file has the ending .mp3");
    refused(&["--excel"], 2, "--excel requires --format csv");
    refused(&["--tagger", "cat", "--format", "tei"], 2, "--tagger requires --format vertical or conllu");
    refused(
        // The only document has a low confidence, so there are no sentences.
        &["--tagger", "exit 3", "--format", "conllu"],
        1,
        "the tagger `exit 3` failed: exit status: 3",
    );
    refused(&["--into", ".."], 2, "no name of its own");
    refused(&["--into", "data"], 2, "data is inside the corpus data");
    refused(&["--out", "absent/out.jsonl"], 1, "cannot write absent/out.jsonl: its folder does not exist");
}

#[test]
fn a_killed_export_goes_on_and_gives_the_same_files() {
    let home = with_corpus(2000);
    for (name, arguments) in [
        ("lines", &["--compress", "zstd", "--shard-size", "16KiB"][..]),
        ("parquet", &["--format", "parquet", "--shard-size", "64KiB"]),
        ("sites", &["--format", "text-by-site", "--shard-size", "64KiB"]),
        ("texts", &["--format", "text", "--shard-size", "64KiB"]),
    ] {
        let whole = format!("{name}-whole");
        said(home.path(), &[&["export", "--into", &whole], arguments].concat());
        let parts = [&["export", "--into", name], arguments].concat();
        let part = home.path().join(format!("{name}.part"));
        let mut kills = 0;
        let mut before = 0;
        for _ in 0..3 {
            let mut child = command(home.path(), &parts).stderr(Stdio::null()).spawn().unwrap();
            // Kill the export once it has written more documents than the previous one.
            while child.try_wait().unwrap().is_none() {
                let documents = fs::read_to_string(part.join("manifest.json"))
                    .ok()
                    .and_then(|text| serde_json::from_str::<Value>(&text).ok())
                    .and_then(|manifest| manifest["documents"].as_u64());
                if documents.is_some_and(|documents| documents > before) {
                    before = documents.unwrap();
                    child.kill().unwrap();
                    kills += 1;
                }
                std::thread::yield_now();
            }
            assert!(!home.path().join(name).join("manifest.json.new").exists());
        }
        assert!(kills > 0, "{name}: it was never in the middle");
        if part.exists() {
            let (_, told) = said(home.path(), &parts);
            assert!(told.contains("resuming an interrupted export"), "{name}: {told}");
        }
        let (one, other) = (home.path().join(name), home.path().join(whole));
        assert_eq!(data_files(&one), data_files(&other), "{name}");
        let [mut one, mut other] = [one, other].map(|folder| json(&folder.join("manifest.json")));
        for manifest in [&mut one, &mut other] {
            for key in ["command", "started", "until"] {
                manifest[key].take();
            }
        }
        assert_eq!(one, other, "{name}");
    }
}

/// Runs shell commands with a small file system that is mounted at `mnt` with `options`. Prints a line and
/// returns `None` if the user may not mount one.
fn on_a_small_disk(home: &Path, options: &str, commands: &str) -> Option<String> {
    fs::create_dir_all(home.join("mnt")).unwrap();
    let script = format!("mount -t tmpfs -o {options} none mnt || exit 77\n{commands}");
    let output = Command::new("unshare").args(["-Urm", "sh", "-c", &script]).current_dir(home).output();
    match output {
        Ok(output) if output.status.success() => Some(String::from_utf8(output.stdout).unwrap()),
        _ => {
            println!("skipped: needs the right to mount in a namespace of its own");
            None
        }
    }
}

#[test]
fn a_full_disk_is_said_so_and_leaves_nothing_half() {
    let home = with_corpus(DOCUMENTS);
    let gleaner = env!("CARGO_BIN_EXE_gleaner");
    for (arguments, expected) in [
        ("--out mnt/out.jsonl", "cannot write mnt/out.jsonl: No space left on device"),
        ("--format parquet --out mnt/out.parquet", ""),
        ("--into mnt/out --shard-size 100KiB", "complete files are kept in mnt/out.part"),
        ("--format text --into mnt/out --shard-size 100KiB", "No space left on device"),
        ("--format text-by-site --into mnt/out --shard-size 100KiB", "No space left on device"),
    ] {
        let commands = format!(
            "'{gleaner}' export {arguments} 2>&1; echo \"code $?\"; find mnt | sort; \
             [ ! -e mnt/out.part ] || wc -c mnt/out.part/*.jsonl 2>/dev/null; true"
        );
        let Some(told) = on_a_small_disk(home.path(), "size=300k", &commands) else { return };
        if expected.is_empty() {
            // A compressed export may fit on the disk. If it does, it must be complete.
            assert!(told.contains("code 0") != told.contains("No space"), "{told}");
            continue;
        }
        assert!(told.contains(expected) && told.contains("No space left on device"), "{arguments}: {told}");
        assert!(told.contains("code 1"), "{arguments}: {told}");
        let names: Vec<&str> = told.lines().filter(|line| line.starts_with("mnt/")).collect();
        assert!(!names.contains(&"mnt/out") && !names.contains(&"mnt/out.jsonl"), "{told}");
        assert!(!names.contains(&"mnt/out.jsonl.part"), "{told}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let home = with_corpus(3);
    let gleaner = env!("CARGO_BIN_EXE_gleaner");
    for (arguments, target) in [("--out mnt/out.jsonl", "mnt/out.jsonl"), ("--into mnt/out", "mnt/out.part")]
    {
        let commands = format!("'{gleaner}' export {arguments} 2>&1; echo \"code $?\"; find mnt");
        let Some(told) = on_a_small_disk(home.path(), "ro", &commands) else { return };
        let expected = format!("gleaner: cannot write {target}: Read-only file system");
        assert!(told.contains(&expected) && told.contains("code 1"), "{told}");
        assert!(told.ends_with("mnt\n"), "{told}");
    }
}

#[test]
fn stats_tell_types_growth_and_hosts() {
    let home = with_corpus(DOCUMENTS);
    let (text, _) = said(home.path(), &["stats", "--svg", "growth.svg"]);
    assert!(text.starts_with("Documents: 300;") && text.contains("Types (distinct words"), "{text}");
    assert!(text.contains("2026-11-20") && text.contains('█'), "{text}");
    let svg = fs::read_to_string(home.path().join("growth.svg")).unwrap();
    assert_eq!(svg.matches("fill=\"#9db8dd\"").count(), 20);
    let figures: Value = serde_json::from_str(&said(home.path(), &["stats", "--json"]).0).unwrap();
    assert_eq!((&figures["documents"], figures["days"].as_array().unwrap().len()), (&300.into(), 20));
    let days = figures["days"].as_array().unwrap();
    let words: u64 = days.iter().map(|day| day["words"].as_u64().unwrap()).sum();
    assert_eq!(figures["words"], words);
    let vietnamese =
        figures["languages"].as_array().unwrap().iter().find(|one| one["language"] == "vi").unwrap();
    // The types are the syllables of the generator, and numbers.
    let types = vietnamese["types"].as_u64().unwrap();
    assert!((150..250).contains(&types), "{types}");
    assert!(
        figures["disk"]["store"].as_u64().unwrap() > 100_000 && text.contains("\nDisk: archive "),
        "{text}"
    );
    let quick: Value = serde_json::from_str(&said(home.path(), &["stats", "--json", "--quick"]).0).unwrap();
    assert_eq!(
        (&quick["documents"], &quick["types"], &quick["days"]),
        (&300.into(), &Value::Null, &Value::Null)
    );
}

#[test]
fn exports_and_stats_take_the_same_conditions() {
    let home = with_corpus(DOCUMENTS);
    let selections: [&[&str]; 8] = [
        &["--where", "host=site0.example"],
        &["--exclude-host", "site0.example", "--exclude-host", "http://site1.example/a"],
        &["--exclude-url", "/[0-9]*7[?]"],
        &["--where", "host=site0.example or not sentence_length>=10"],
        &["--where", "published>=2026 and not article_type=opinion"],
        &["--since", "2026-11-10", "--published-from", "2026", "--published-to", "2026-11"],
        &["--until", "2026-11-10", "--language", "vi"],
        &["--title", "thu hai"],
    ];
    let all = ids(home.path(), &[]);
    assert_eq!(all.len() as u64, DOCUMENTS);
    for selection in selections {
        let selected = ids(home.path(), selection);
        let stats: Value =
            serde_json::from_str(&said(home.path(), &[&["stats", "--json"], selection].concat()).0).unwrap();
        let (days, hosts) = (stats["days"].as_array().unwrap(), stats["hosts"].as_array().unwrap());
        let sum = |rows: &[Value]| rows.iter().map(|row| row["documents"].as_u64().unwrap()).sum::<u64>();
        assert!(!selected.is_empty() && selected.len() < all.len(), "{selection:?}: {}", selected.len());
        assert_eq!(stats["documents"], selected.len(), "{selection:?}");
        assert_eq!((sum(days), sum(hosts)), (selected.len() as u64, selected.len() as u64), "{selection:?}");
        assert!(selected.is_subset(&all));
    }
    let (text, _) = said(home.path(), &["stats", "--where", "host=site0.example"]);
    assert!(text.starts_with("Selected documents: ") && !text.contains("site1.example"), "{text}");
    let refused = run(home.path(), &["stats", "--quick", "--language", "vi"]);
    assert_eq!(refused.status.code(), Some(2));
}

/// Returns the ids of the selected documents, with all degrees of confidence.
fn ids(home: &Path, selection: &[&str]) -> BTreeSet<String> {
    let arguments = [&["export", "--members", "--confidence", "0", "--fields", "id"], selection].concat();
    let (lines, _) = said(home, &arguments);
    lines.lines().map(str::to_owned).collect()
}

#[test]
fn a_tagger_gives_the_tokens_of_vertical_text_and_conllu() {
    let home = with_corpus(20);
    let tagger = r"while read -r line; do echo $line | tr ' ' '\n' | sed 's/$/\tX\tl/'; echo; done";
    let (text, _) = said(home.path(), &["export", "--format", "conllu", "--tagger", tagger]);
    let tokens: Vec<&str> =
        text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert!(tokens.len() > 1000 && tokens.iter().all(|line| line.split('\t').nth(2) == Some("l")), "{text}");
    assert!(tokens.iter().all(|line| line.split('\t').nth(3) == Some("X")));
    said(home.path(), &["export", "--format", "vertical", "--tagger", tagger, "--into", "tagged"]);
    let registry = fs::read_to_string(home.path().join("tagged/registry")).unwrap();
    assert!(registry.contains("ATTRIBUTE tag") && registry.contains("ATTRIBUTE lemma"), "{registry}");
    let vertical = fs::read_to_string(home.path().join("tagged/documents-00000.vert")).unwrap();
    let rows = vertical.lines().filter(|line| !line.starts_with('<'));
    assert!(rows.clone().count() == tokens.len() && rows.clone().all(|row| row.ends_with("\tX\tl")));
}

#[test]
fn an_empty_corpus_gives_no_file() {
    let home = with_corpus(0);
    for arguments in [&["export", "--out", "x.jsonl"][..], &["search", "rain"]] {
        let output = run(home.path(), arguments);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {told}");
        assert!(told.contains("the corpus has no documents yet"), "{arguments:?}: {told}");
    }
    assert!(!home.path().join("x.jsonl").exists());
}
