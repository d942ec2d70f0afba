//! Tests the frontier, also after crashes: the ready URLs, their order, and the waiting URLs.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role, UrlKey};
use gleaner_store::{
    PackedPage, QueuePosition, RawPage, Run, StoreError, StoreOptions, UrlState, WaitReason, Writer, open,
};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::common::{Place, on_each_engine};

const OPTIONS: StoreOptions = StoreOptions { cache: 16 << 20, create: true };
const NOW: Timestamp = Timestamp::constant(1_795_000_000, 0);

on_each_engine!(
    urls_come_by_rank_then_by_discovery_and_each_once,
    long_lists_come_in_their_order_between_two_flushes,
    what_was_handed_out_but_not_ended_is_still_there_after_a_crash,
    a_retry_waits_for_its_time_and_keeps_its_rank,
    the_same_page_under_https_is_asked_again_at_once,
    a_host_that_an_earlier_version_took_for_one_can_be_ended,
    buffered_pages_keep_their_bytes_until_their_end,
    a_kept_page_can_be_gathered_or_let_go,
    a_change_that_is_not_committed_leaves_no_trace,
    a_run_goes_on_until_it_is_ended,
    a_reader_beside_a_flush_misses_nothing,
);

fn fresh() -> (TempDir, Writer) {
    let folder = TempDir::new().unwrap();
    let writer = open(folder.path(), &OPTIONS).unwrap();
    (folder, writer)
}

fn found(url: &str) -> FoundUrl {
    FoundUrl { url: CanonicalUrl::parse(url).unwrap(), role: Role::Page, dated: None, news: false }
}

fn key(url: &str) -> UrlKey {
    CanonicalUrl::parse(url).unwrap().key()
}

fn discover(writer: &mut Writer, urls: &[(&str, u8)]) {
    let mut change = writer.begin();
    for (url, rank) in urls {
        change.discover(None, &found(url), 0, 0, QueuePosition { rank: *rank, fresh: None }).unwrap();
    }
    writer.commit(change).unwrap();
}

fn next(writer: &Writer, host: &str) -> Option<String> {
    let store = writer.store();
    let id = store.host(host).unwrap()?.id;
    Some(store.next_ready(id).unwrap()?.1.url)
}

fn end(writer: &mut Writer, url: &str, outcome: Outcome) {
    let mut change = writer.begin();
    let record = change.url(key(url)).unwrap().unwrap();
    change.end(key(url), record, outcome, None).unwrap();
    writer.commit(change).unwrap();
}

fn a_host_that_an_earlier_version_took_for_one_can_be_ended(place: &Place) {
    let mut writer = place.open();
    let url = CanonicalUrl::from_record("https://www..a.example/1").unwrap();
    let mut change = writer.begin();
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    change.discover(None, &found, 0, 0, QueuePosition { rank: 0, fresh: None }).unwrap();
    writer.commit(change).unwrap();
    assert_eq!(next(&writer, "www..a.example").as_deref(), Some(url.as_str()));
    let mut change = writer.begin();
    let record = change.url(url.key()).unwrap().unwrap();
    change.end(url.key(), record, Outcome::Failed { reason: "dns".into() }, None).unwrap();
    writer.commit(change).unwrap();
    assert_eq!(next(&writer, "www..a.example"), None);
}

fn urls_come_by_rank_then_by_discovery_and_each_once(place: &Place) {
    let mut writer = place.open();
    discover(
        &mut writer,
        &[
            ("http://a.example/3", 3),
            ("http://a.example/1", 1),
            ("http://a.example/2", 1),
            ("http://b.example/", 0),
        ],
    );
    discover(&mut writer, &[("https://a.example/1#top", 0), ("http://a.example/0", 0)]);
    let mut order = Vec::new();
    while let Some(url) = next(&writer, "a.example") {
        order.push(url.clone());
        end(&mut writer, &url, Outcome::Stored);
    }
    assert_eq!(
        order,
        ["http://a.example/0", "http://a.example/1", "http://a.example/2", "http://a.example/3"]
    );
    assert_eq!(next(&writer, "b.example").as_deref(), Some("http://b.example/"));
    assert_eq!(writer.store().host("a.example").unwrap().unwrap().queued, 0);
}

fn long_lists_come_in_their_order_between_two_flushes(place: &Place) {
    let mut writer = place.open();
    let url = |host: &str, number: usize| format!("http://{host}.example/{number}");
    let hosts = ["a", "b", "c"];
    for (host, count) in hosts.into_iter().zip([30, 8, 3]) {
        let urls: Vec<String> = (0..count).map(|number| url(host, number)).collect();
        discover(&mut writer, &urls.iter().map(|url| (url.as_str(), 1)).collect::<Vec<_>>());
    }
    writer.flush().unwrap();
    let ids = hosts.map(|host| writer.store().host(&format!("{host}.example")).unwrap().unwrap().id);
    writer.store().read_ready_ahead(ids).unwrap();
    for number in 0..30 {
        assert_eq!(next(&writer, "a.example"), Some(url("a", number)));
        end(&mut writer, &url("a", number), Outcome::Stored);
        if number == 15 {
            discover(&mut writer, &[("http://a.example/first", 0)]);
            assert_eq!(next(&writer, "a.example").as_deref(), Some("http://a.example/first"));
            end(&mut writer, "http://a.example/first", Outcome::Stored);
        }
    }
    assert_eq!(next(&writer, "a.example"), None);
    for (host, count) in [("b", 8), ("c", 3)] {
        for number in 0..count {
            assert_eq!(next(&writer, &format!("{host}.example")), Some(url(host, number)));
            end(&mut writer, &url(host, number), Outcome::Stored);
        }
        assert_eq!(next(&writer, &format!("{host}.example")), None);
    }
}

fn what_was_handed_out_but_not_ended_is_still_there_after_a_crash(place: &Place) {
    let mut writer = place.open();
    discover(&mut writer, &[("http://a.example/1", 1)]);
    assert!(next(&writer, "a.example").is_some());
    let writer = place.again(writer);
    assert_eq!(next(&writer, "a.example").as_deref(), Some("http://a.example/1"));
}

fn a_retry_waits_for_its_time_and_keeps_its_rank(place: &Place) {
    let mut writer = place.open();
    discover(&mut writer, &[("http://a.example/1", 1), ("http://a.example/2", 2)]);
    let (late, url) = (NOW + SignedDuration::from_secs(60), "http://a.example/1");
    let mut change = writer.begin();
    let record = change.url(key(url)).unwrap().unwrap();
    change.retry(key(url), record, late).unwrap();
    assert!(change.queued().values().all(|by| *by == 0));
    writer.commit(change).unwrap();
    assert_eq!(next(&writer, "a.example").as_deref(), Some("http://a.example/2"));
    assert_eq!(writer.store().next_due(WaitReason::Retry).unwrap(), Some(1_795_000_060));

    for (now, expected) in [(NOW, 0), (late, 1), (late, 0)] {
        let mut change = writer.begin();
        assert_eq!(change.promote(WaitReason::Retry, now, 10).unwrap(), expected);
        writer.commit(change).unwrap();
    }
    assert_eq!(next(&writer, "a.example").as_deref(), Some("http://a.example/1"));
    assert_eq!(writer.store().next_due(WaitReason::Retry).unwrap(), None);
}

fn the_same_page_under_https_is_asked_again_at_once(place: &Place) {
    let mut writer = place.open();
    discover(&mut writer, &[("http://a.example/", 0)]);
    let mut change = writer.begin();
    let record = change.url(key("http://a.example/")).unwrap().unwrap();
    let to = CanonicalUrl::parse("https://a.example/").unwrap();
    change.rename(to.key(), record, &to).unwrap();
    writer.commit(change).unwrap();
    assert_eq!(next(&writer, "a.example").as_deref(), Some("https://a.example/"));
    assert_eq!(writer.store().url(to.key()).unwrap().unwrap().hops, 1);
}

fn buffered_pages_keep_their_bytes_until_their_end(place: &Place) {
    let mut writer = place.open();
    let urls = ["http://a.example/2", "http://a.example/1"];
    discover(&mut writer, &urls.map(|url| (url, 1)));
    let page = RawPage {
        body: b"<p>Ch\xe1\xbb\xa3".to_vec(),
        content_type: None,
        fetched: NOW,
        ..RawPage::default()
    };
    for (at, url) in (1..).zip(urls) {
        let mut change = writer.begin();
        change.put_page(key(url), PackedPage::from_page(&page));
        let record = change.url(key(url)).unwrap().unwrap();
        assert_eq!(change.buffer(key(url), record).unwrap(), at);
        writer.commit(change).unwrap();
    }
    let mut writer = place.again(writer);
    let store = writer.store();
    let host = store.host("a.example").unwrap().unwrap();
    assert_eq!(store.buffered(host.id).unwrap(), urls.map(key));
    assert_eq!(store.page(key(urls[0])).unwrap(), Some(page));
    end(&mut writer, urls[0], Outcome::Stored);
    assert_eq!(store.page(key(urls[0])).unwrap(), None);
    assert_eq!(store.buffered(host.id).unwrap(), [key(urls[1])]);
    assert_eq!(store.host("a.example").unwrap().unwrap().buffered, 1);
}

fn a_kept_page_can_be_gathered_or_let_go(place: &Place) {
    let mut writer = place.open();
    let urls = ["http://a.example/1", "http://a.example/2", "http://a.example/3"];
    discover(&mut writer, &urls.map(|url| (url, 1)));
    let page = RawPage { body: b"x".to_vec(), content_type: None, fetched: NOW, ..RawPage::default() };
    for url in urls {
        let mut change = writer.begin();
        change.put_page(key(url), PackedPage::from_page(&page));
        let record = change.url(key(url)).unwrap().unwrap();
        assert!(!change.keep(key(url)).unwrap(), "its visit has not ended");
        assert_ne!(change.url(key(url)).unwrap().unwrap().state, UrlState::Kept);
        change.end(key(url), record, Outcome::Stored, None).unwrap();
        assert!(change.keep(key(url)).unwrap());
        writer.commit(change).unwrap();
    }
    // A later visit replaces the kept page.
    let mut change = writer.begin();
    let (later, record) =
        (RawPage { body: b"y".to_vec(), ..page }, change.url(key(urls[0])).unwrap().unwrap());
    change.end(key(urls[0]), record, Outcome::Stored, None).unwrap();
    change.put_page(key(urls[0]), PackedPage::from_page(&later));
    assert!(change.keep(key(urls[0])).unwrap());
    writer.commit(change).unwrap();
    let mut writer = place.again(writer);
    assert_eq!(writer.store().page(key(urls[0])).unwrap(), Some(later));
    let mut change = writer.begin();
    let record = change.url(key(urls[0])).unwrap().unwrap();
    assert_eq!(record.state, UrlState::Kept);
    assert_eq!(change.buffer(key(urls[0]), record).unwrap(), 1);
    change.release_page(key(urls[1])).unwrap();
    change.release_page(key(urls[1])).unwrap();
    change.seed(&FoundUrl { role: Role::Front, ..found(urls[2]) }, QueuePosition::default()).unwrap();
    writer.commit(change).unwrap();
    let kept = urls.map(|url| writer.store().page(key(url)).unwrap().is_some());
    assert_eq!(kept, [true, false, false], "buffered, let go, asked again as a seed");
    assert_eq!(writer.store().url(key(urls[1])).unwrap().unwrap().state, UrlState::Done);
    assert_eq!(next(&writer, "a.example").as_deref(), Some(urls[2]));
}

#[test]
fn a_raw_page_that_no_url_names_is_swept_away() {
    let (folder, mut writer) = fresh();
    discover(&mut writer, &[("http://a.example/1", 1)]);
    let page = RawPage { body: b"x".to_vec(), content_type: None, fetched: NOW, ..RawPage::default() };
    let mut change = writer.begin();
    change.put_page(key("http://a.example/1"), PackedPage::from_page(&page));
    writer.commit(change).unwrap();
    writer.flush().unwrap();
    drop(writer);
    let writer = open(folder.path(), &OPTIONS).unwrap();
    assert_eq!(writer.store().page(key("http://a.example/1")).unwrap(), None);
    let state = writer.store().url(key("http://a.example/1")).unwrap().unwrap().state;
    assert!(matches!(state, UrlState::Ready { .. }), "{state:?}");
}

fn a_change_that_is_not_committed_leaves_no_trace(place: &Place) {
    let writer = place.open();
    let mut change = writer.begin();
    assert!(
        change
            .discover(None, &found("http://a.example/1"), 0, 0, QueuePosition { rank: 1, fresh: None })
            .unwrap()
    );
    assert!(
        !change
            .discover(None, &found("http://a.example/1"), 0, 0, QueuePosition { rank: 1, fresh: None })
            .unwrap()
    );
    assert_eq!(change.touched().len(), 1);
    drop(change);
    assert_eq!(next(&writer, "a.example"), None);
}

/// A reader finds everything that was committed before it began, even if a flush happens meanwhile.
fn a_reader_beside_a_flush_misses_nothing(place: &Place) {
    let mut writer = place.open();
    let store = writer.store();
    let committed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let reading = scope.spawn(|| {
            while committed.load(Ordering::SeqCst) < 60 {
                let before = committed.load(Ordering::SeqCst);
                let host = store.host("a.example").unwrap();
                let count = host.map_or(0, |host| store.count_ready(host.id, 1_000).unwrap());
                assert!(count as usize >= before, "{count} of {before}");
            }
        });
        for number in 1..=60 {
            discover(&mut writer, &[(&format!("http://a.example/{number}"), 1)]);
            committed.store(number, Ordering::SeqCst);
            writer.flush().unwrap();
        }
        reading.join().unwrap();
    });
}

fn a_run_goes_on_until_it_is_ended(place: &Place) {
    let mut writer = place.open();
    for (number, resumed, ended) in [(1, false, false), (1, true, true), (2, false, true)] {
        let (run, goes_on) = writer.begin_run(NOW, false).unwrap();
        assert_eq!((run.number, goes_on), (number, resumed));
        if ended {
            writer.end_run(&run, NOW).unwrap();
        }
    }
    // Reading an archive is a separate run. Only the last run can be ended, and only once.
    let (crawl, _) = writer.begin_run(NOW, false).unwrap();
    let (replay, goes_on) = writer.begin_run(NOW, true).unwrap();
    assert_eq!((replay.number, goes_on), (4, false));
    writer.end_run(&crawl, NOW).unwrap();
    assert_eq!(writer.store().last_run().unwrap(), Some(replay.clone()));
    let later = NOW + SignedDuration::from_secs(9);
    writer.end_run(&replay, NOW).unwrap();
    writer.end_run(&replay, later).unwrap();
    assert_eq!(writer.store().last_run().unwrap(), Some(Run { ended: Some(NOW), ..replay }));
}

#[test]
fn a_folder_has_one_writer_and_says_who() {
    let (folder, writer) = fresh();
    let refused = open(folder.path(), &OPTIONS).unwrap_err();
    assert!(
        matches!(&refused, StoreError::Busy { holder, .. } if holder.contains(&std::process::id().to_string()))
    );
    drop(writer);
    assert!(open(folder.path(), &OPTIONS).is_ok());
}

#[test]
fn a_folder_without_a_corpus_is_named_as_such() {
    let folder = TempDir::new().unwrap();
    let refused = open(folder.path(), &StoreOptions { create: false, ..OPTIONS }).unwrap_err();
    assert!(matches!(refused, StoreError::Nothing { .. }), "{refused}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_waits_is_moved_when_the_clock_was_set_back() {
    let (_folder, mut writer) = fresh();
    let ahead = NOW + SignedDuration::from_hours(8000);
    let minutes = SignedDuration::from_mins;
    discover(&mut writer, &[("http://a.example/", 0)]);
    let mut change = writer.begin();
    let record = change.url(key("http://a.example/")).unwrap().unwrap();
    change.retry(key("http://a.example/"), record, ahead + minutes(5)).unwrap();
    change.put_clock(ahead).unwrap();
    change.put_clock(NOW).unwrap();
    writer.commit(change).unwrap();

    assert_eq!(writer.adjust_clock(ahead - minutes(9)).unwrap(), None);
    assert_eq!(writer.adjust_clock(NOW).unwrap(), Some(SignedDuration::from_hours(8000)));
    let due = u64::try_from((NOW + minutes(5)).as_second()).unwrap();
    assert_eq!(writer.store().next_due(WaitReason::Retry).unwrap(), Some(due));
    assert_eq!(writer.adjust_clock(NOW).unwrap(), None);

    let mut change = writer.begin();
    assert_eq!(change.promote(WaitReason::Retry, NOW + minutes(5), 10).unwrap(), 1);
    writer.commit(change).unwrap();
    assert_eq!(next(&writer, "a.example").unwrap(), "http://a.example/");
}

#[test]
fn a_store_that_lost_what_was_flushed_says_so() {
    let (folder, mut writer) = fresh();
    let (sled, old) = (folder.path().join("sled"), folder.path().join("old"));
    discover(&mut writer, &[("http://a.example/", 0)]);
    writer.flush().unwrap();
    drop(writer);
    // Simulates a file system that returns an older state after a failure.
    copy(&sled, &old);
    let mut writer = open(folder.path(), &OPTIONS).unwrap();
    discover(&mut writer, &[("http://b.example/", 0)]);
    writer.flush().unwrap();
    drop(writer);
    std::fs::remove_dir_all(&sled).unwrap();
    copy(&old, &sled);
    let error = open(folder.path(), &OPTIONS).unwrap_err().to_string();
    assert!(error.contains("flushed 2 times and ends with flush 1"), "{error}");
    std::fs::write(folder.path().join("flushed"), "torn").unwrap();
    drop(open(folder.path(), &OPTIONS).unwrap());
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn a_store_has_one_writer_at_a_time_and_may_have_another_after_it() {
    let (folder, writer) = fresh();
    let store = writer.store();
    assert!(store.writer().unwrap().is_none());
    drop(writer);
    let mut second = store.writer().unwrap().unwrap();
    assert!(store.writer().unwrap().is_none());
    second.flush().unwrap();
    drop(second);
    drop(store);
    open(folder.path(), &OPTIONS).unwrap();
}
