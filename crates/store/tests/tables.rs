//! Tests what people see who query the tables with SQL.

use std::collections::BTreeMap;

use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role};
use gleaner_store::{QueuePosition, UrlRecord, Writer};
use jiff::{SignedDuration, Timestamp};

use crate::common::Place;

fn page(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.example/{path}")).unwrap()
}

fn discover(writer: &mut Writer, url: &CanonicalUrl) -> UrlRecord {
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    let mut change = writer.begin();
    change.discover(None, &found, 0, 0, QueuePosition::default()).unwrap();
    writer.commit(change).unwrap();
    writer.store().url(url.key()).unwrap().unwrap()
}

/// One outcome of each kind that leaves a URL without a document.
fn outcomes() -> Vec<Outcome> {
    let to = || page("target").as_str().to_owned();
    let (status, language, reason) = (404, "en".to_owned(), || "timeout".to_owned());
    vec![
        Outcome::Duplicate { of: page("target").key() },
        Outcome::NotArticle { reason: "hub".into() },
        Outcome::Listing,
        Outcome::Unchanged,
        Outcome::Redirected { to: to() },
        Outcome::RedirectRefused { to: to(), reason: "out_of_scope".into() },
        Outcome::Disallowed { rule: "Disallow: /".into() },
        Outcome::Gone { status },
        Outcome::Rejected { status },
        Outcome::TooLarge { limit: 9 },
        Outcome::WrongType { content_type: "image/png".into() },
        Outcome::PrivateAddress,
        Outcome::Unreadable { reason: reason() },
        Outcome::Truncated { reason: "length".into() },
        Outcome::OtherLanguage { language },
        Outcome::Filtered { condition: "words >= 50".into() },
        Outcome::Excluded { rule: "outside sections".into() },
        Outcome::Failed { reason: reason() },
    ]
}

#[test]
fn every_url_without_a_document_has_a_reason_in_words() {
    let Some(place) = Place::database() else { return };
    let (server, address) = place.server();
    let mut writer = place.open();
    let _ = discover(&mut writer, &page("target"));
    for outcome in outcomes() {
        let url = page(outcome.label());
        let record = discover(&mut writer, &url);
        let mut change = writer.begin();
        change.end(url.key(), record, outcome, None).unwrap();
        writer.commit(change).unwrap();
    }
    let (retried, buffered) = (page("retried"), page("buffered"));
    let record = discover(&mut writer, &retried);
    let mut change = writer.begin();
    let record = UrlRecord { tries: 2, failure: Some("http_503".into()), ..record };
    change.retry(retried.key(), record, Timestamp::UNIX_EPOCH).unwrap();
    writer.commit(change).unwrap();
    let record = discover(&mut writer, &buffered);
    let mut change = writer.begin();
    let _ = change.buffer(buffered.key(), record).unwrap();
    writer.commit(change).unwrap();
    writer.flush().unwrap();

    let reasons = |of: &str| -> BTreeMap<String, (String, String)> {
        let sql = format!("SELECT url, reason, target FROM urls_without_document WHERE {of}");
        let rows = server.query(address, &sql);
        let row = |row: &str| {
            let columns: Vec<String> = row.split('|').map(str::to_owned).collect();
            let [url, reason, target] = <[String; 3]>::try_from(columns).unwrap();
            (url, (reason, target))
        };
        rows.lines().map(row).collect()
    };
    let target = page("target");
    let all = reasons("true");
    assert_eq!(all.len(), outcomes().len() + 3);
    for outcome in outcomes() {
        let (reason, to) = &all[page(outcome.label()).as_str()];
        // The target is in a separate column.
        let (expected, leads) = match &outcome {
            Outcome::Duplicate { .. } => ("its text is the document of another URL".to_owned(), true),
            Outcome::Redirected { .. } => ("redirected to another URL".to_owned(), true),
            Outcome::RedirectRefused { reason, .. } => {
                (format!("redirected to a URL that is not followed: {reason}"), true)
            }
            other => (other.to_string(), false),
        };
        assert_eq!((reason, to.as_str()), (&expected, if leads { target.as_str() } else { "" }));
    }
    let reason = |url: &CanonicalUrl| reasons("true")[url.as_str()].0.clone();
    assert_eq!(reason(&target), "waits for its turn");
    assert_eq!(
        reason(&buffered),
        "its page was fetched; its document follows when its host's template is learned"
    );
    assert_eq!(reason(&retried), "waits for a retry; failed attempts: 2, the last with: http_503");
    assert_eq!(reasons("due = to_timestamp(0)").len(), 1, "the time of the retry");

    let mut change = writer.begin();
    let mut host = change.host("a.example", "a.example").unwrap();
    host.held_until = Some(Timestamp::now() + SignedDuration::from_hours(1));
    change.put_host(&host);
    writer.commit(change).unwrap();
    writer.flush().unwrap();
    assert_eq!(reason(&target), "its host has a back-off");
    assert_eq!(reasons("due > now()").len(), 2);
    let mut change = writer.begin();
    host.paused = true;
    change.put_host(&host);
    writer.commit(change).unwrap();
    writer.flush().unwrap();
    assert_eq!(reason(&target), "its host is paused");
}

#[test]
fn every_table_and_column_has_a_comment() {
    let Some(place) = Place::database() else { return };
    let (server, address) = place.server();
    drop(place.open());
    let without = server.query(
        address,
        "SELECT relname, attname FROM pg_class LEFT JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 \
         AND NOT attisdropped WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') \
         AND (obj_description(pg_class.oid, 'pg_class') IS NULL OR col_description(pg_class.oid, attnum) IS NULL)",
    );
    assert_eq!(without, "", "these have no comment");
    let comment = |column: &str| {
        let sql = format!(
            "SELECT col_description('urls'::regclass, attnum) FROM pg_attribute \
             WHERE attrelid = 'urls'::regclass AND attname = '{column}'"
        );
        server.query(address, &sql)
    };
    let explained = comment("outcome");
    let documents = ["stored", "revised", "near_duplicate"];
    let labels = outcomes();
    for label in labels.iter().map(Outcome::label).chain(documents) {
        assert!(
            explained.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == label),
            "{label}"
        );
    }
    let explained = comment("state");
    for state in ["ready", "retry", "revisit", "buffered", "done", "kept"] {
        assert!(explained.contains(&format!("{state}: ")), "{state}");
    }
}
