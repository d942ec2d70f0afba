//! Tests several workers under faults, with real processes on a real database. The checks use the access log
//! of the crawled web and the final store.
//!
//! The tests print a line and are skipped if PostgreSQL is not installed. With `GLEANER_LONG=1`, the storage
//! is unavailable for two minutes.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::distributed::cut::Way;
use crate::distributed::{Cluster, LEASE, PAPERS};
use crate::status::Served;
use gleaner_testkit::GeneratedPapers;
use gleaner_testkit::s3::{Keys, Presence, serve};

/// Waits a fixed time in which a fault could show. There is no event to wait for, because the processes are
/// asleep or the server is unavailable.
fn pass(time: Duration) {
    sleep(time);
}

#[test]
fn three_workers_share_a_crawl_and_end_together() {
    let Some(cluster) = Cluster::new() else { return };
    let workers = ["one", "two", "three"].map(|name| cluster.worker(name));
    cluster.wait_for(0.5);
    let listed = cluster.run(&["workers", "--json"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed.lines().count(), 3, "{listed}");
    for worker in workers {
        let name = worker.name.clone();
        assert!(worker.ends().contains("learned a template"), "{name} had no paper");
    }
    let listed = cluster.run(&["urls", "--outcome", "stored", "--format", "jsonl"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed.lines().count() as u64, cluster.store().totals().unwrap().documents());
    cluster.check();
}

#[test]
fn what_a_killed_worker_had_is_taken_over() {
    let Some(cluster) = Cluster::new() else { return };
    let [one, two, three] = ["one", "two", "three"].map(|name| cluster.worker(name));
    cluster.wait_for(0.3);
    two.kill();
    one.ends();
    three.ends();
    cluster.check();
}

#[test]
fn a_worker_that_slept_longer_than_its_lease_writes_nothing_of_it() {
    let Some(cluster) = Cluster::new() else { return };
    let [one, two] = ["one", "two"].map(|name| cluster.worker(name));
    cluster.wait_for(0.3);
    two.signal("-STOP");
    pass(4 * LEASE);
    two.signal("-CONT");
    one.ends();
    let told = two.ends();
    assert!(told.contains("another worker has taken over"), "{told}");
    cluster.check();
}

#[test]
fn a_worker_that_wakes_when_all_is_over_changes_nothing() {
    let Some(cluster) = Cluster::new() else { return };
    let [one, two] = ["one", "two"].map(|name| cluster.worker(name));
    cluster.wait_for(0.3);
    two.signal("-STOP");
    one.ends();
    let run = cluster.store().last_run().unwrap();
    cluster.worker("three").ends();
    let next = cluster.store().last_run().unwrap();
    assert_ne!(run, next);
    two.signal("-CONT");
    two.ends();
    assert_eq!(cluster.store().last_run().unwrap(), next);
    cluster.check_documents_of(run.unwrap().number);
}

#[test]
fn the_database_is_killed_and_comes_back() {
    // The database uses fsync, so that it survives a crash.
    let Some(cluster) = Cluster::with(&["fsync=on"]) else { return };
    let [one, two] = ["one", "two"].map(|name| cluster.worker(name));
    cluster.wait_for(0.3);
    let page = Served::begin(cluster.command("page", &["serve", "--address", "127.0.0.1:0"]));
    assert_eq!(page.get("/readyz"), (200, "ok\n".into()));
    cluster.postgres.kill();
    let (status, reason) = page.get("/readyz");
    assert!(status == 503 && !reason.is_empty(), "{status} {reason}");
    assert_eq!(page.get("/healthz").0, 200);
    drop(page);
    pass(2 * LEASE);
    cluster.postgres.resume();
    one.ends();
    two.ends();
    cluster.check();
}

#[test]
fn a_standby_takes_over() {
    let Some(mut cluster) = Cluster::with(&["fsync=on"]) else { return };
    let standby = cluster.postgres.standby();
    cluster.postgres.wait_for_every_standby();
    let (first, second) = (cluster.postgres.port(), standby.port());
    cluster.address = format!(
        "postgres://gleaner@127.0.0.1:{first},127.0.0.1:{second}/news0?target_session_attrs=read-write"
    );
    let [one, two] = ["one", "two"].map(|name| cluster.worker(name));
    cluster.wait_for(0.3);
    cluster.postgres.kill();
    standby.promote();
    one.ends();
    two.ends();
    cluster.check();
}

#[test]
fn the_storage_is_away_for_a_while() {
    let Some(mut cluster) = Cluster::new() else { return };
    let keys = Keys { access: "gleaner".into(), secret: "not a secret".into() };
    let files = tempfile::TempDir::new().unwrap();
    let storage = serve(files.path(), SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), keys).unwrap();
    storage.make_bucket("news").unwrap();
    cluster.objects = ("s3://news/corpus".into(), storage.environment());
    let [one, two] = ["one", "two"].map(|name| cluster.worker(name));
    cluster.wait_for(0.3);
    storage.set_presence(Presence::Away);
    let is_long = std::env::var_os("GLEANER_LONG").is_some();
    pass(if is_long { Duration::from_secs(120) } else { 2 * LEASE });
    storage.set_presence(Presence::Here);
    one.ends();
    two.ends();
    cluster.check();
}

/// All workers wait, because a quota that is full denies the writes of all of them at once.
#[test]
fn workers_wait_while_the_quota_of_the_storage_is_full() {
    let Some(mut cluster) = Cluster::new() else { return };
    let keys = Keys { access: "gleaner".into(), secret: "not a secret".into() };
    let files = tempfile::TempDir::new().unwrap();
    let storage = serve(files.path(), SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), keys).unwrap();
    storage.make_bucket("news").unwrap();
    cluster.objects = ("s3://news/corpus".into(), storage.environment());
    let [one, two] = ["one", "two"].map(|name| cluster.worker(name));
    cluster.wait_for(0.3);
    storage.set_presence(Presence::Full);
    pass(2 * LEASE);
    storage.set_presence(Presence::Here);
    let told = [one.ends(), two.ends()].concat();
    assert!(told.contains("403 QuotaExceeded"), "{told}");
    cluster.check();
}

#[test]
fn the_way_of_one_worker_to_the_database_is_cut() {
    let Some(cluster) = Cluster::new() else { return };
    let way = Way::to(cluster.postgres.port());
    let one = cluster.worker("one");
    let two = cluster.worker_by("two", &format!("postgres://gleaner@127.0.0.1:{}/news0", way.port()));
    cluster.wait_for(0.3);
    way.set_cut(true);
    pass(4 * LEASE);
    way.set_cut(false);
    one.ends();
    two.ends();
    cluster.check();
}

/// The test cuts the connection to the database while the worker reads the URLs to dispatch, host by host.
#[test]
fn a_worker_that_comes_late_to_what_it_hands_out_sends_nothing() {
    let Some(mut cluster) = Cluster::new() else { return };
    // With this delay, the work that one worker takes over lasts until the other worker is back.
    cluster.gap = Duration::from_millis(600);
    let way = Way::to(cluster.postgres.port());
    way.set_latency(Duration::from_millis(12));
    let proxy = cluster.newspaper.another_proxy().unwrap();
    let mut one = cluster.worker("one");
    cluster.wait_for(0.02);
    let arguments = ["crawl", "--seeds", "seeds.txt"];
    let address = format!("postgres://gleaner@127.0.0.1:{}/news0", way.port());
    let mut command = cluster.command_by("two", &arguments, &address);
    command.args(["--set", &format!("fetch.proxy={}", proxy.proxy())]);
    let two = cluster.begin("two", command);
    one.wait_until(|| cluster.newspaper.requests().iter().any(|it| it.proxy == proxy.address()));
    way.set_cut(true);
    pass(4 * LEASE);
    way.set_latency(Duration::ZERO);
    way.set_cut(false);
    one.ends();
    two.ends();
    cluster.check();
}

#[test]
fn answers_are_slower_than_a_lease_that_ends() {
    let generated = GeneratedPapers { hosts: 10, articles: 20, listed: 19, ..PAPERS };
    let Some(cluster) = Cluster::with_papers(generated, &["fsync=off"]) else { return };
    let way = Way::to(cluster.postgres.port());
    let one = cluster.worker("one");
    let two = cluster.worker_by("two", &format!("postgres://gleaner@127.0.0.1:{}/news0", way.port()));
    cluster.wait_for(0.3);
    cluster.newspaper.set_latency(LEASE + Duration::from_secs(1));
    // After this time, each host has a slow request in flight.
    pass(LEASE / 3);
    way.set_cut(true);
    pass(4 * LEASE);
    cluster.newspaper.set_latency(Duration::ZERO);
    way.set_cut(false);
    one.ends();
    two.ends();
    cluster.check();
}

#[test]
fn a_robots_txt_that_redirects_to_another_workers_host_is_asked_by_that_worker() {
    let generated = GeneratedPapers { hosts: 40, articles: 10, listed: 9, wire: 0, redirected: 20 };
    let Some(cluster) = Cluster::with_papers(generated, &["fsync=off"]) else { return };
    let workers = ["one", "two"].map(|name| cluster.worker(name));
    for worker in workers {
        worker.ends();
    }
    cluster.check_documents();
    cluster.check_gaps();
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    for request in cluster.newspaper.requests().into_iter().filter(|request| request.path == "/robots.txt") {
        *asked.entry(request.host).or_default() += 1;
    }
    assert!(asked.len() == generated.hosts && asked.values().all(|times| *times == 1), "{asked:#?}");
}

#[test]
fn a_worker_that_has_what_is_wanted_of_it_dies() {
    let generated = GeneratedPapers { hosts: 40, articles: 10, listed: 9, wire: 0, redirected: 20 };
    let Some(cluster) = Cluster::with_papers(generated, &["fsync=off"]) else { return };
    let [one, two] = ["one", "two"].map(|name| cluster.worker(name));
    cluster.wait_for(0.1);
    two.kill();
    one.ends();
    cluster.check_documents();
    cluster.check_gaps();
}

/// Tests hosts that an older public suffix list assigned to different partitions than the current list.
#[test]
fn hosts_are_crawled_in_the_partitions_that_have_them() {
    let generated = GeneratedPapers { hosts: 20, articles: 10, listed: 9, ..PAPERS };
    let Some(cluster) = Cluster::with_papers(generated, &["fsync=off"]) else { return };
    let objects = gleaner_store::objects::Objects::open(
        &cluster.objects.0,
        gleaner_store::objects::StorageOptions::default(),
    );
    let membership = gleaner_store::WorkerParams {
        address: cluster.address.clone(),
        objects: objects.unwrap(),
        name: "older".into(),
        lease: LEASE,
        patience: LEASE,
        should_stop: std::sync::Arc::new(|| false),
        settings: BTreeMap::new(),
        waits: false,
    };
    let mut writer = gleaner_store::join(&cluster.folder.path().join("older"), &membership).unwrap();
    let _ = writer.store().leases().unwrap().gained();
    let mut change = writer.begin();
    for paper in 0..generated.hosts / 2 {
        change.host(&format!("paper-{paper}.example"), &format!("of-another-list-{paper}.example")).unwrap();
    }
    writer.commit(change).unwrap();
    writer.flush().unwrap();
    drop(writer);
    let forget = "DELETE FROM records WHERE key = convert_to('public suffixes', 'UTF8')";
    let _ = cluster.postgres.query(&cluster.address, forget);
    let workers = ["one", "two"].map(|name| cluster.worker(name));
    for worker in workers {
        let told = worker.ends();
        assert!(!told.contains("another worker has taken over"), "{told}");
    }
    cluster.check();
    assert_eq!(cluster.store().hosts().count(), generated.hosts);
}

/// A worker may take partitions over while it has unflushed pages, and may then be killed. Every page that
/// the store refers to must still be in the archive.
#[test]
fn workers_that_take_partitions_over_are_killed_again_and_again() {
    // There are no texts that several papers share. Otherwise, messages between workers that nobody has read
    // yet would count as faults.
    let generated = GeneratedPapers { wire: 0, ..PAPERS };
    let Some(mut cluster) = Cluster::with_papers(generated, &["fsync=off"]) else { return };
    // With this delay, each round still finds work.
    cluster.gap = Duration::from_millis(300);
    let rare = ["crawl", "--seeds", "seeds.txt", "--set", "store.flush_every=60s"];
    let rare = [&rare[..], &["--set", "store.flush_pages=100000"]].concat();
    let partitions = |name: &str| {
        // Before the tables exist, there are no workers.
        let workers = cluster.visit().and_then(|store| store.workers(LEASE)).unwrap_or_default();
        workers.into_iter().find(|worker| worker.name == name).map_or(0, |worker| worker.partitions)
    };
    for round in 1..=3 {
        let [name, other] = ["one", "two"].map(|name| format!("{name}{round}"));
        let mut one = cluster.worker_that(&name, &rare);
        let two = cluster.worker_that(&other, &rare);
        one.wait_until(|| partitions(&name) > 0 && partitions(&other) > 0);
        let so_far = cluster.newspaper.request_count();
        one.wait_until(|| cluster.newspaper.request_count() >= so_far + 100);
        two.kill();
        one.wait_until(|| partitions(&name) == 256);
        let so_far = cluster.newspaper.request_count();
        one.wait_until(|| cluster.newspaper.request_count() >= so_far + 20);
        one.kill();
        let verified = cluster.run(&["verify"]);
        let said = String::from_utf8_lossy(&verified.stdout).into_owned();
        assert!(verified.status.success(), "round {round}: {said}");
        // Wait until the leases of the killed worker end.
        pass(LEASE);
    }
    cluster.worker("last").ends();
    cluster.check();
}

#[test]
fn an_archive_is_taken_in_by_several_workers() {
    let Some(cluster) = Cluster::new() else { return };
    let archived = cluster
        .alone("folder", &["crawl", "--seeds", "seeds.txt", "--set", "archive.rotate=1MiB"])
        .args(["--set", "fetch.delay=0s"])
        .output()
        .unwrap();
    assert!(archived.status.success(), "{}", String::from_utf8_lossy(&archived.stderr));
    let ingest = ["ingest", "folder/archive", "--set", "crawl.workers=1"];
    let [mut one, two, three] = ["one", "two", "three"].map(|name| cluster.worker_that(name, &ingest));
    let documents = || cluster.visit().and_then(|store| Ok(store.totals()?.documents()));
    one.wait_until(|| documents().unwrap_or(0) >= 300);
    two.kill();
    let crawl = cluster.command("crawler", &["crawl", "--seeds", "seeds.txt"]).output().unwrap();
    let said = String::from_utf8(crawl.stderr).unwrap();
    assert!(said.contains("): the command is crawl here and ingest there; use"), "{said}");
    let other = cluster.command("other", &["ingest", "folder/archive/", "seeds.txt"]).output().unwrap();
    let said = String::from_utf8(other.stderr).unwrap();
    assert!(said.contains("the list of files is"), "{said}");
    one.ends();
    three.ends();
    let found = cluster.check_documents().totals().unwrap().documents();
    cluster.worker_that("again", &ingest).ends();
    assert_eq!(documents().unwrap(), found);
}

/// Returns an export of what is stated about the use of documents, in the order of their ids.
fn stated_use(command: &mut Command) -> Vec<String> {
    let fields = "id,host,use_train_ai,use_search,barred_agents,robots_fetched,fetched";
    let export = ["export", "--members", "--confidence", "0", "--fields", fields];
    let output = command.args(export).stdout(Stdio::piped()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    said.lines().map(str::to_owned).collect()
}

#[test]
fn statements_on_use_are_the_same_with_several_workers_and_in_replays() {
    // The robots.txt of some hosts redirects to that of a host of another worker.
    let papers = GeneratedPapers { hosts: 12, articles: 8, listed: 8, wire: 0, redirected: 4 };
    let Some(cluster) = Cluster::with_papers(papers, &["fsync=off"]) else { return };
    let workers = ["one", "two", "three"].map(|name| cluster.worker(name));
    workers.into_iter().for_each(|worker| drop(worker.ends()));
    let crawled = stated_use(&mut cluster.command("reader", &[]));
    assert!(crawled.len() >= 12 * 8, "{}", crawled.len());
    let stated = "\"use_train_ai\":\"disallow\",\"use_search\":\"allow\",\"barred_agents\":[\"CCBot\"],\"robots_fetched\":\"";
    let other: Vec<_> = crawled.iter().filter(|document| !document.contains(stated)).collect();
    assert!(other.is_empty(), "{other:#?}");
    cluster.worker_that("again", &["reextract"]).ends();
    assert_eq!(stated_use(&mut cluster.command("reader", &[])), crawled, "after reextract");
    assert!(cluster.run(&["compact"]).status.success());
    assert_eq!(stated_use(&mut cluster.command("reader", &[])), crawled, "after a compaction");
    let archive = format!("{}/archive", cluster.objects.0);
    let ingested = cluster.alone("alone", &["ingest", &archive]).output().unwrap();
    assert!(ingested.status.success(), "{}", String::from_utf8_lossy(&ingested.stderr));
    assert_eq!(stated_use(&mut cluster.alone("alone", &[])), crawled, "after ingest");
}

#[test]
fn an_archive_is_extracted_again_by_several_workers() {
    let Some(cluster) = Cluster::new() else { return };
    cluster.worker("crawler").ends();
    let texts = || -> BTreeSet<String> {
        cluster.store().documents().map(|document| document.unwrap().text).collect()
    };
    let before = texts();
    let documents = || cluster.store().totals().unwrap().documents();
    // Documents that the current settings do not admit leave the corpus. They return with other settings.
    let none = ["reextract", "--set", "crawl.workers=1", "--set", "corpus.keep_if=['words>=1000000']"];
    let [mut one, two] = ["one", "two"].map(|name| cluster.worker_that(name, &none));
    one.wait_until(|| documents() < before.len() as u64 - 200);
    two.kill();
    let crawl = cluster.command("crawler", &["crawl", "--seeds", "seeds.txt"]).output().unwrap();
    let said = String::from_utf8(crawl.stderr).unwrap();
    assert!(said.contains("): the command is crawl here and reextract there; use"), "{said}");
    one.ends();
    assert_eq!(texts(), BTreeSet::new());
    let all = ["reextract", "--set", "crawl.workers=1"];
    let [mut one, two] = ["three", "four"].map(|name| cluster.worker_that(name, &all));
    one.wait_until(|| documents() > 200);
    two.kill();
    one.ends();
    assert_eq!(texts(), before);
    cluster.check_documents_of(1);
}

#[test]
fn pages_are_fetched_again_while_no_worker_is_running() {
    let papers = GeneratedPapers { hosts: 6, articles: 12, listed: 11, wire: 0, redirected: 0 };
    let Some(cluster) = Cluster::with_papers(papers, &["fsync=off"]) else { return };
    let mut worker = cluster.worker("one");
    worker.wait_until(|| cluster.visit().is_ok_and(|store| store.hosts().count() == papers.hosts));
    let refused = cluster.run(&["refetch", "--host", "paper-1.example"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("workers are running on the database: one; stop them first"), "{said}");
    worker.ends();
    let documents: Vec<_> = cluster.store().documents().map(Result::unwrap).collect();
    let url = &documents.first().unwrap().url;
    let before = cluster.newspaper.requests().len();
    for arguments in [&["refetch", url][..], &["refetch", "--host", &documents.last().unwrap().host]] {
        let done = cluster.run(arguments);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let asked: Vec<String> = cluster.newspaper.requests()[before..]
        .iter()
        .map(|request| format!("http://{}{}", request.host, request.path))
        .collect();
    assert_eq!(asked[0], *url);
    assert_eq!(asked.len(), 1 + papers.articles, "{asked:?}");
    cluster.check_gaps();
}

#[test]
fn who_waits_for_its_night_leaves_the_crawl_to_others() {
    let Some(cluster) = Cluster::new() else { return };
    let night = ["schedule", "--seeds", "seeds.txt", "--set", "schedule.times=['0 0 29 2 *']"];
    let mut waiting = cluster.worker_that("waiting", &night);
    let listed = || {
        let output = cluster.run(&["workers"]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    waiting.wait_until(|| listed().1.contains("waiting"));
    cluster.worker("one").ends();
    cluster.check();
    let (code, table) = listed();
    assert!(code == Some(0) && table.lines().filter(|line| line.contains("waiting")).count() == 1, "{table}");
    waiting.kill();
}

#[test]
fn workers_that_do_not_agree_and_programs_that_are_too_old_are_refused() {
    let Some(cluster) = Cluster::new() else { return };
    let one = cluster.worker("one");
    cluster.wait_for(0.02);
    let other = cluster
        .command("other", &["crawl", "--seeds", "seeds.txt", "--set", "corpus.similarity=0.7"])
        .args(["--set", "fetch.delay=100ms"])
        .output()
        .unwrap();
    let said = String::from_utf8(other.stderr).unwrap();
    assert_eq!(other.status.code(), Some(1), "{said}");
    assert!(
        said.contains("corpus.similarity is 0.7 here and 0.5 there") && said.contains("fetch.delay"),
        "{said}"
    );
    assert!(said.contains("(one)"), "{said}");
    one.kill();
    let newer = "INSERT INTO gleaner_schema (version) VALUES (99)";
    let _ = cluster.postgres.query(&cluster.address, newer);
    for arguments in [&["crawl", "--seeds", "seeds.txt"][..], &["stats"]] {
        let old = cluster.command("old", arguments).output().unwrap();
        let said = String::from_utf8(old.stderr).unwrap();
        assert_eq!(old.status.code(), Some(1), "{said}");
        assert!(said.contains("version 99") && said.contains("newer gleaner"), "{said}");
    }
}
