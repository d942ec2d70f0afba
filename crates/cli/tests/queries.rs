//! Runs the SQL statements of docs/workers.md on a crawled database.

use std::fs;
use std::path::Path;

use gleaner_store::{WorkerParams, join};
use gleaner_testkit::GeneratedPapers;

use crate::distributed::{Cluster, LEASE};

/// Returns each statement of the section "Queries" with the text before it.
fn statements() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/workers.md");
    let text = fs::read_to_string(path).unwrap();
    let (_, section) = text.split_once("\n## Queries\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let mut statements = Vec::new();
    let mut rest = section;
    while let Some((before, after)) = rest.split_once("```sql\n") {
        let (sql, after) = after.split_once("```").unwrap();
        let title = before.rsplit("**").nth(1).unwrap_or_default();
        statements.push((title.to_owned(), sql.to_owned()));
        rest = after;
    }
    statements
}

#[test]
fn the_statements_of_the_documentation_answer() {
    // Some papers copy articles of others, and two pages per host are missing.
    let generated = GeneratedPapers { hosts: 12, articles: 40, listed: 38, wire: 3, redirected: 0 };
    let Some(cluster) = Cluster::with_papers(generated, &["fsync=off"]) else { return };
    cluster.worker("worker-1").ends();
    let objects = gleaner_store::objects::Objects::open(
        &cluster.objects.0,
        gleaner_store::objects::StorageOptions::default(),
    );
    let membership = WorkerParams {
        address: cluster.address.clone(),
        objects: objects.unwrap(),
        name: "worker-3".into(),
        lease: LEASE,
        patience: LEASE,
        should_stop: std::sync::Arc::new(|| false),
        settings: std::collections::BTreeMap::new(),
        waits: false,
    };
    let _worker = join(&cluster.folder.path().join("worker-3"), &membership).unwrap();
    let query = |sql: &str| cluster.postgres.query(&cluster.address, sql);
    // These statements add what a crawl of a month would have: a host without documents, a second template,
    // and a cluster.
    for sql in [
        "INSERT INTO templates SELECT host, 2, now(), template FROM templates ORDER BY host LIMIT 1",
        "UPDATE documents SET fetched = fetched - interval '8 days' WHERE host = 'paper-1.example'",
        "UPDATE documents SET cluster = 1, number = 1 WHERE id = (SELECT id FROM documents ORDER BY id LIMIT 1)",
        "INSERT INTO clusters VALUES (1, 1, 2)",
    ] {
        let _ = query(sql);
    }
    let _ = query(
        "UPDATE urls SET state = 'buffered', sequence = 1 \
         WHERE key = (SELECT key FROM urls WHERE state = 'done' AND twin_of IS NOT NULL ORDER BY url LIMIT 1)",
    );
    let statements = statements();
    assert_eq!(statements.len(), 8);
    let statement = |title: &str| &statements.iter().find(|(found, _)| found.starts_with(title)).unwrap().1;
    let by_day = statement("Documents by host and day");
    let of_zone = |zone: &str| query(&format!("SET TIME ZONE '{zone}'; {by_day}"));
    assert_eq!(of_zone("Pacific/Kiritimati"), of_zone("Etc/GMT+12"), "the days are those of UTC");
    for host in query(statement("The queue by host")).lines() {
        let columns: Vec<&str> = host.split('|').collect();
        let queued: u64 = columns[1..4].iter().map(|count| count.parse::<u64>().unwrap()).sum();
        let known = query(&format!("SELECT queued FROM hosts WHERE name = '{}'", columns[0]));
        assert_eq!(queued.to_string(), known, "{host}");
    }
    let unclear = "SELECT count(*) FROM urls_without_document WHERE reason IS NULL OR target !~ '^http://'";
    assert_eq!(query(unclear), "0");
    for (title, sql) in statements {
        let answer = query(&sql);
        assert!(!answer.is_empty(), "{title}: nothing\n{sql}");
        println!("{title}\n{answer}\n");
    }
    let documents: u64 = query("SELECT count(*) FROM documents").parse().unwrap();
    assert_eq!(documents, cluster.store().totals().unwrap().documents());
    let excess = query("SELECT count(*) FROM documents LEFT JOIN urls ON key = id WHERE key IS NULL");
    assert_eq!(excess, "0", "each document is a URL's");
}
