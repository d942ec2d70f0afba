//! Tests that other programs read a corpus in object storage without gleaner and without the database, and
//! that a compaction may be killed at any time.
//!
//! The tests print a line and are skipped if PostgreSQL is not installed.

use std::net::{Ipv4Addr, SocketAddr};

use gleaner_testkit::s3::{Keys, S3Server, serve};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::distributed::{Cluster, PAPERS, documents};
use crate::readers::python;
use gleaner_testkit::GeneratedPapers;

const FEW: GeneratedPapers = GeneratedPapers { hosts: 12, ..PAPERS };

/// Python: compares the open files with an export, and counts the responses in the WARC files.
const CHECK: &str = r#"
import glob, json
import pyarrow.dataset
from warcio.archiveiterator import ArchiveIterator

rows = pyarrow.dataset.dataset("documents", partitioning="hive").to_table().to_pylist()
exported = {row["id"]: row for row in map(json.loads, open("export.jsonl", encoding="utf-8"))}
assert len(rows) == len(exported) > 100, (len(rows), len(exported))
for row in rows:
    expected = exported[row["id"]]
    assert row.pop("date"), row
    for name, value in row.items():
        if name in ("fetched", "published_utc", "robots_fetched"):
            value = value and value.strftime("%Y-%m-%dT%H:%M:%S")
            assert (expected[name] or "").split(".")[0].rstrip("Z") == (value or ""), (name, value, expected[name])
        else:
            assert value == expected[name], (name, value, expected[name])

responses = set()
for path in glob.glob("archive/*.warc.gz"):
    with open(path, "rb") as stream:
        records = ArchiveIterator(stream, check_digests=True)
        for record in records:
            if record.rec_type == "response":
                responses.add((path.split("/")[-1], records.get_record_offset()))
                record.content_stream().read()
                assert record.digest_checker.passed, record.rec_headers
places = {(row["archive_file"], row["archive_offset"]) for row in exported.values()}
assert places <= responses, sorted(places - responses)[:3]
"#;

/// Python: runs the statement of docs/workers.md, also when each file has a later copy, so that every row is
/// outdated.
const STATEMENT: &str = r#"
import glob, json, shutil
import duckdb

statement = open("statement.sql", encoding="utf-8").read()
exported = {row["id"] for row in map(json.loads, open("export.jsonl", encoding="utf-8"))}
for is_copied in [False, True]:
    if is_copied:
        for path in glob.glob("documents/*/*.parquet"):
            shutil.copy(path, path.replace("/0", "/9"))
    rows = duckdb.sql(statement)
    id = rows.columns.index("id")
    assert sorted(row[id] for row in rows.fetchall()) == sorted(exported), is_copied
"#;

/// Returns the DuckDB statement of docs/workers.md, with the addresses of local files.
fn documented_statement() -> String {
    let page = include_str!("../../../docs/workers.md");
    let begin = page.find("SELECT * FROM read_parquet(").expect("the statement");
    let length = page[begin..].find("```").expect("the end of the statement");
    page[begin..begin + length].replace("s3://bucket/news/", "")
}

fn cluster(files: &TempDir) -> Option<(Cluster, S3Server)> {
    let mut cluster = Cluster::with_papers(FEW, &["fsync=off"])?;
    let storage = serve(files.path(), SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), Keys::default()).unwrap();
    storage.make_bucket("news").unwrap();
    cluster.objects = ("s3://news/corpus".into(), storage.environment());
    Some((cluster, storage))
}

fn objects(cluster: &Cluster, storage: &S3Server, folder: &str) -> Vec<String> {
    let options = gleaner_store::objects::StorageOptions {
        environment: storage.environment().into_iter().collect(),
        ..gleaner_store::objects::StorageOptions::default()
    };
    let objects = gleaner_store::objects::Objects::open(&cluster.objects.0, options).unwrap();
    objects.list(folder).unwrap().into_iter().map(|object| object.name).collect()
}

fn export(cluster: &Cluster) -> String {
    let output = cluster.run(&["export"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Crawls with a worker that is killed when it has stored documents, and then with another.
fn leave_small_files(cluster: &Cluster, storage: &S3Server) {
    let mut one = cluster.worker("one");
    one.wait_until(|| objects(cluster, storage, "spool").len() >= 8);
    one.kill();
    cluster.worker("two").ends();
    remove_leftovers(cluster);
}

/// Removes the files in object storage that no record names. A process that is killed may leave one.
fn remove_leftovers(cluster: &Cluster) -> usize {
    let store = cluster.store();
    let leftovers = store.leftovers(Timestamp::now() + SignedDuration::from_hours(1)).unwrap();
    store.remove_leftovers(&leftovers).unwrap();
    leftovers.len()
}

#[test]
fn other_programs_read_the_documents_and_the_archive() {
    let files = TempDir::new().unwrap();
    let Some((cluster, storage)) = cluster(&files) else { return };
    leave_small_files(&cluster, &storage);
    // The worker merged its files. The command merges those of the killed worker, too.
    assert_eq!(objects(&cluster, &storage, "documents").len(), 1);
    assert!(!objects(&cluster, &storage, "spool").is_empty());
    let before = documents(&export(&cluster));
    let output = cluster.run(&["compact"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.starts_with("New files: 1 of documents and 1 of the archive"), "{told}");
    assert_eq!(objects(&cluster, &storage, "spool"), [""; 0]);
    assert_eq!(objects(&cluster, &storage, "documents").len(), 1);
    assert_eq!(objects(&cluster, &storage, "archive").len(), 1);
    cluster.check();
    let after = export(&cluster);
    assert_eq!(documents(&after), before);
    let corpus = files.path().join("news/corpus");
    std::fs::write(corpus.join("export.jsonl"), &after).unwrap();
    let _ = python(&corpus, &["pyarrow.dataset", "warcio"], CHECK);
    std::fs::write(corpus.join("statement.sql"), documented_statement()).unwrap();
    let _ = python(&corpus, &["duckdb"], STATEMENT);
}

#[test]
fn a_worker_that_is_stopped_merges_its_documents() {
    let files = TempDir::new().unwrap();
    let Some((cluster, storage)) = cluster(&files) else { return };
    let mut one = cluster.worker("one");
    one.wait_until(|| objects(&cluster, &storage, "spool").len() >= 4);
    one.signal("-TERM");
    let status = one.child.wait().unwrap();
    assert_eq!(status.code(), Some(130), "{}", one.says());
    assert!(one.says().contains("merging this worker's files in object storage"), "{}", one.says());
    assert_eq!(objects(&cluster, &storage, "spool"), [""; 0]);
    assert_eq!(objects(&cluster, &storage, "documents").len(), 1);
    cluster.worker("two").ends();
    cluster.check();
}

#[test]
fn a_compaction_that_is_killed_again_and_again_loses_nothing() {
    let files = TempDir::new().unwrap();
    let Some((cluster, storage)) = cluster(&files) else { return };
    leave_small_files(&cluster, &storage);
    let before = documents(&export(&cluster));
    let (mut kills, mut allowed) = (0, 0);
    loop {
        allowed += 4;
        let first = storage.requests().len();
        let mut compaction = cluster.command("compactor", &["compact"]).spawn().unwrap();
        let is_over = loop {
            if compaction.try_wait().unwrap().is_some() {
                break true;
            }
            if storage.requests().len() - first >= allowed {
                compaction.kill().unwrap();
                compaction.wait().unwrap();
                break false;
            }
            std::thread::yield_now();
        };
        assert_eq!(documents(&export(&cluster)), before, "after {allowed} requests");
        if is_over {
            break;
        }
        kills += 1;
    }
    assert!(kills > 3, "{kills}");
    println!("{kills} kills left {} unused objects", remove_leftovers(&cluster));
    assert_eq!(documents(&export(&cluster)), before);
    assert_eq!(objects(&cluster, &storage, "spool"), [""; 0]);
    assert_eq!(objects(&cluster, &storage, "documents").len(), 1);
    cluster.check_documents();
}
