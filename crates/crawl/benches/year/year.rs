//! Simulates the nights, and measures.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gleaner_crawl::{CrawlError, archive_folder, open_archive};
use gleaner_store::{ChangeLog, RemovalPlan, RemovalStep, RemovalTarget, Store, open};
use gleaner_testkit::tls::Authority;
use gleaner_testkit::world::{EventKind, Served, World, WorldServer, WorldSize};
use jiff::SignedDuration;

use crate::alarms::Alarms;
use crate::goals::{Goal, Results};
use crate::ledger::Ledger;
use crate::machine::{memory, size_of};
use crate::night::{CHANGED, Crawled, Night, config, options};
use crate::politeness::violations;

/// Nights after which the user adds the new domain of a site to the seeds.
const USER_REACTS: u32 = 3;
/// Number of nights of the months that are compared. The first nights fill the corpus and do not count.
const MONTH: u32 = 30;
const FIRST_MONTH: u32 = 5;
const REMOVED: usize = 3;
/// New articles a day from which the goal for requests applies. A smaller site has about as many lists, and fewer articles.
const LARGE: u64 = 30;

/// What a night cost.
#[derive(Debug, Default, Clone)]
struct Cost {
    night: u32,
    requests: u64,
    new: u64,
    /// Requests and new articles by site.
    sites: BTreeMap<usize, (u64, u64)>,
    /// Requests by what they are for.
    kinds: BTreeMap<&'static str, u64>,
    /// Responses with a body.
    pages: u64,
    bytes: u64,
    /// Number of bytes that the archive grew.
    archived: u64,
    /// The most requests to a site that gave nothing.
    dead: u64,
    processor: Duration,
    opened: Duration,
    memory: u64,
}

/// A simulation.
pub struct Year;

impl Year {
    pub fn simulate(seed: u64, size: WorldSize, authority: Authority) -> Results {
        let began = Instant::now();
        let world = Arc::new(World::new(seed, size));
        let server = WorldServer::start(Arc::clone(&world), authority).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (mut ledger, mut alarms) = (Ledger::new(&world), Alarms::new(&world));
        let (mut costs, mut impolite, mut archived) = (Vec::new(), Vec::new(), 0);
        let mut last: Option<Store> = None;
        for number in 0..size.nights {
            if is_on(&world, number, EventKind::MissedNight) {
                continue;
            }
            drop(last.take());
            server.set(world.night(number));
            let night = night(&world, number, folder.path(), &server);
            if is_on(&world, number, EventKind::Kill) {
                kill(&night, &server, number as usize * 37 % (8 * size.sites));
            }
            if is_on(&world, number, EventKind::DiskFull) {
                let crawled = fill_disk(&night);
                alarms.after_night(number, &crawled.report);
            }
            let crawled = night.crawl();
            let served = server.take();
            impolite.extend(violations(&world, number, &served));
            let new = ledger.after_night(number, &night.seeds, &crawled.store);
            alarms.after_night(number, &crawled.report);
            let mut cost = cost(&world, number, &served, &new, &crawled);
            let archive = size_of(&archive_folder(&config(folder.path(), &[])));
            cost.archived = archive.saturating_sub(std::mem::replace(&mut archived, archive));
            costs.push(cost);
            progress(costs.last().unwrap(), &crawled, &world);
            let Crawled { store, .. } = crawled;
            last = Some(store);
            if is_on(&world, number, EventKind::Removal) {
                drop(last.take());
                ledger.removed.extend(remove(&night, number, &world));
            }
        }
        let store = last.take().unwrap_or_else(|| open(folder.path(), &options()).unwrap().store());
        let mut results = Results { seed, nights: size.nights, ..Results::default() };
        add_corpus(&mut results, &ledger, &store, &world, size.nights);
        add_alarms(&mut results, &alarms);
        add_costs(&mut results, &costs);
        let impolite_count = impolite.len() as f64;
        results.add("politeness: violations", impolite_count, Some(Goal::AtMost(0.0)), impolite);
        let size = size_of(folder.path());
        let documents = store.totals().unwrap().documents();
        results.add("disk: KiB a document", size as f64 / 1024.0 / documents as f64, None, Vec::new());
        let differences = rebuild(folder.path(), &store);
        results.add("rebuild: differences", differences.len() as f64, Some(Goal::AtMost(0.0)), differences);
        results.add("minutes", began.elapsed().as_secs_f64() / 60.0, None, Vec::new());
        results
    }
}

fn is_on(world: &World, night: u32, kind: EventKind) -> bool {
    world.events().iter().any(|event| event.site.is_none() && event.kind == kind && event.covers(night))
}

fn night(world: &World, number: u32, folder: &Path, server: &WorldServer) -> Night {
    let known = number.saturating_sub(USER_REACTS);
    let seeds = (0..world.sites()).map(|site| format!("http://{}/", world.host(site, known))).collect();
    let ahead = if is_on(world, number, EventKind::ClockAhead) { 72 } else { 0 };
    let start = world.night(number) + SignedDuration::from_hours(ahead);
    let mut sets = vec![format!("fetch.proxy={}", server.proxy())];
    let changes = world.events().iter().filter(|event| event.kind == EventKind::SettingsChange);
    if changes.filter(|event| event.from <= number).count() % 2 == 1 {
        sets.extend(CHANGED.map(str::to_owned));
    }
    Night { folder: folder.to_owned(), sets, seeds, start }
}

/// Runs the night on a disk without space, which ends it with an error.
fn fill_disk(night: &Night) -> Crawled {
    let mut full = night.clone();
    full.sets.push("store.min_free_disk=1000000GiB".into());
    let crawled = full.crawl();
    assert!(matches!(crawled.summary, Err(CrawlError::DiskFull { .. })), "the run did not end");
    crawled
}

/// Runs the night in a child process, and kills it after this number of requests.
fn kill(night: &Night, server: &WorldServer, requests: usize) {
    let mut child = night.spawn();
    while server.count() < requests && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    // An error means that the child has ended.
    let _ = child.kill();
    child.wait().unwrap();
}

/// Removes some documents, as `gleaner remove` does.
fn remove(night: &Night, number: u32, world: &World) -> Vec<gleaner_corpus::DocumentId> {
    let config = config(&night.folder, &night.sets);
    let mut writer = open(&night.folder, &options()).unwrap();
    open_archive(&config, None, &mut writer).unwrap();
    let store = writer.store();
    let mut plan = RemovalPlan::new(RemovalTarget::Urls, false);
    let mut removed = Vec::new();
    for document in store.documents().skip(number as usize).step_by(50).take(REMOVED) {
        let document = document.unwrap();
        plan.add_document(&store, &document).unwrap();
        removed.push(document.id);
    }
    let mut removal = writer.begin_removal(plan, String::new(), world.night(number), false).unwrap();
    writer.remove_documents(&mut removal).unwrap();
    let urls = writer.store().removed_from_archive().unwrap();
    writer.remove_from_archive(&archive_folder(&config), config.archive.level, &urls).unwrap();
    writer.set_removal_step(&mut removal, RemovalStep::Done).unwrap();
    removed
}

fn cost(world: &World, night: u32, served: &[Served], new: &BTreeMap<usize, u64>, crawled: &Crawled) -> Cost {
    let mut sites: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    let of_sites = served.iter().filter_map(|request| world.site_of(&request.host));
    of_sites.for_each(|site| sites.entry(site).or_default().0 += 1);
    new.iter().for_each(|(site, new)| sites.entry(*site).or_default().1 += new);
    let mut kinds: BTreeMap<&'static str, u64> = BTreeMap::new();
    served.iter().for_each(|request| *kinds.entry(kind(world, request)).or_default() += 1);
    let is_dead = |site: usize| !world.is_reachable(site, night) && !world.has_wall(site, night);
    let dead = sites.iter().filter(|(site, _)| is_dead(**site)).map(|(_, (requests, _))| *requests).max();
    Cost {
        night,
        requests: served.len() as u64,
        new: new.values().sum(),
        sites,
        kinds,
        pages: served.iter().filter(|request| request.status == 200).count() as u64,
        bytes: served
            .iter()
            .filter(|request| request.status == 200)
            .map(|request| request.bytes as u64)
            .sum(),
        archived: 0,
        dead: dead.unwrap_or_default(),
        processor: crawled.processor,
        opened: crawled.opened,
        memory: memory(),
    }
}

/// Returns what a request is for.
fn kind(world: &World, request: &Served) -> &'static str {
    let path = request.path.split('?').next().unwrap_or_default();
    match path {
        "/" => "front pages",
        "/robots.txt" => "robots.txt",
        "/.well-known/tdmrep.json" => "tdmrep.json",
        "/feed.xml" => "feeds",
        path if path.contains("sitemap") => "sitemaps",
        path if path.starts_with("/calendar/") => "calendars",
        _ if world.article_at(&format!("http://{}{path}", request.host)).is_some() => "articles",
        _ => "sections",
    }
}

fn progress(cost: &Cost, crawled: &Crawled, world: &World) {
    let events = world.events().iter().filter(|event| event.from == cost.night);
    let events = events.map(|event| match event.site {
        Some(site) => format!("{:?} of site {site}", event.kind),
        None => format!("{:?}", event.kind),
    });
    if std::env::var("YEAR_DEBUG").is_ok() {
        for host in &crawled.report.hosts {
            println!("  {} {:?} {:?} {:?}", host.name, host.figures, host.held, host.usual);
        }
        crawled
            .report
            .findings
            .iter()
            .for_each(|finding| println!("  {:?} {:?} {}", finding.grade, finding.host, finding.text));
    }
    println!(
        "night {:>3}: {:>5} requests, {:>5} new, {:>7} documents, {:>6.2} s processor time, {:>4} MiB, opened in {:>4} ms; findings: {} {}",
        cost.night,
        cost.requests,
        cost.new,
        crawled.summary.as_ref().unwrap().documents,
        cost.processor.as_secs_f64(),
        cost.memory >> 20,
        cost.opened.as_millis(),
        crawled.report.findings.len(),
        events.collect::<Vec<_>>().join(", "),
    );
}

fn add_corpus(results: &mut Results, ledger: &Ledger<'_>, store: &Store, world: &World, nights: u32) {
    let result = ledger.compare(world.night(nights.saturating_sub(1)), store);
    let missed: usize = result.missed.values().map(Vec::len).sum();
    let recall = 1.0 - missed as f64 / result.due.max(1) as f64;
    let by_cause = result.missed.iter().map(|(cause, urls)| format!("{cause}: {} ({})", urls.len(), urls[0]));
    results.add(
        "recall: articles listed and reachable",
        recall,
        Some(Goal::AtLeast(0.999)),
        by_cause.collect(),
    );
    results.add("recall: articles due", result.due as f64, None, Vec::new());
    let all: u64 = ledger.lags.values().sum();
    let late = all - ledger.lags.get(&0).copied().unwrap_or_default();
    results.add(
        "lag: share not stored in the first night",
        late as f64 / all.max(1) as f64,
        None,
        Vec::new(),
    );
    results.add(
        "lag: most nights",
        ledger.lags.keys().max().copied().unwrap_or_default().into(),
        None,
        Vec::new(),
    );
    let share = result.no_articles.len() as f64 / result.documents.max(1) as f64;
    results.add(
        "precision: share of documents that are no articles",
        share,
        Some(Goal::AtMost(0.001)),
        result.no_articles,
    );
    results.add("documents", result.documents as f64, None, Vec::new());
    let worst: Vec<String> = result.worst.iter().map(|(f1, what)| format!("{f1:.3} {what}")).collect();
    results.add("word F1: mean", result.f1, Some(Goal::AtLeast(0.995)), worst.clone());
    let weeks = |of: bool| {
        let own = result.weeks.iter().filter(move |(.., is_redesign)| *is_redesign == of);
        own.map(|(f1, site, week, _)| {
            (*f1, format!("{f1:.3} site {site}, week {week} (nights {} to {})", week * 7, week * 7 + 6))
        })
    };
    let lowest = |of| weeks(of).next().map_or(1.0, |(f1, _)| f1);
    let named = |of| weeks(of).map(|(_, text)| text).chain(worst.clone()).collect::<Vec<_>>();
    results.add("word F1: worst week of a site", lowest(false), Some(Goal::AtLeast(0.98)), named(false));
    results.add(
        "word F1: mean in weeks of redesigns",
        result.f1_redesign,
        Some(Goal::AtLeast(0.97)),
        named(true),
    );
    results.add("word F1: worst week of a redesign", lowest(true), None, Vec::new());
    results.add("lost", result.lost.len() as f64, Some(Goal::AtMost(0.0)), result.lost);
    results.add("twice", result.twice.len() as f64, Some(Goal::AtMost(0.0)), result.twice);
}

fn add_alarms(results: &mut Results, alarms: &Alarms<'_>) {
    let judged = alarms.judge();
    let recall = judged.named as f64 / judged.expected.max(1) as f64;
    results.add("alarms: events", judged.expected as f64, None, Vec::new());
    results.add("alarms: recall", recall, Some(Goal::AtLeast(0.97)), judged.unnamed);
    let precision = 1.0 - judged.false_alarms.len() as f64 / judged.alarms.max(1) as f64;
    results.add("alarms: number", judged.alarms as f64, None, Vec::new());
    results.add("alarms: precision", precision, Some(Goal::AtLeast(0.95)), judged.false_alarms);
    for (kind, (expected, named)) in judged.kinds {
        results.add(
            &format!("alarms: {kind}, {expected} events"),
            named as f64 / expected as f64,
            None,
            Vec::new(),
        );
    }
}

fn add_costs(results: &mut Results, costs: &[Cost]) {
    // The first night reads what the sites published before.
    let usual = &costs[1.min(costs.len())..];
    let sum = |of: &[Cost], value: fn(&Cost) -> f64| of.iter().map(value).sum::<f64>();
    let per_new = sum(usual, |cost| cost.requests as f64) / sum(usual, |cost| cost.new as f64).max(1.0);
    results.add("cost: requests for each new article", per_new, None, Vec::new());
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    usual
        .iter()
        .flat_map(|cost| &cost.kinds)
        .for_each(|(kind, count)| *kinds.entry(kind).or_default() += count);
    for (kind, count) in kinds {
        let new = sum(usual, |cost| cost.new as f64).max(1.0);
        results.add(&format!("cost: the same, {kind}"), count as f64 / new, None, Vec::new());
    }
    let mut sites: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    for (site, (requests, new)) in usual.iter().flat_map(|cost| &cost.sites) {
        let of_site = sites.entry(*site).or_default();
        *of_site = (of_site.0 + requests, of_site.1 + new);
    }
    let ratio = |(requests, new): &(u64, u64)| *requests as f64 / (*new).max(1) as f64;
    let large = sites.iter().filter(|(_, (_, new))| *new >= LARGE * usual.len() as u64);
    let worst = large.max_by(|a, b| ratio(a.1).total_cmp(&ratio(b.1)));
    if let Some((site, of_site)) = worst {
        let name = format!("cost: the same, worst site with {LARGE} articles a day");
        results.add(
            &name,
            ratio(of_site),
            Some(Goal::AtMost(1.3)),
            vec![format!("site {site}: {of_site:?}")],
        );
    }
    let dead = costs.iter().max_by_key(|cost| cost.dead).cloned().unwrap_or_default();
    results.add(
        "cost: most requests to a dead site in a night",
        dead.dead as f64,
        Some(Goal::AtMost(20.0)),
        vec![format!("night {}", dead.night)],
    );
    let month = |from: u32| -> Vec<Cost> {
        costs.iter().filter(|cost| (from..from + MONTH).contains(&cost.night)).cloned().collect()
    };
    let end = costs.last().map_or(0, |cost| cost.night + 1);
    if end < FIRST_MONTH + 2 * MONTH {
        return;
    }
    let (first, last) = (month(FIRST_MONTH), month(end - MONTH));
    let values: [(&str, CostValue, Option<f64>); 6] = [
        ("cost: processor ms a page", |cost| cost.processor.as_secs_f64() * 1000.0, Some(1.05)),
        // The world decides how long its pages are: redesigns add and remove parts of them.
        ("cost: KiB a page", |cost| cost.bytes as f64 / 1024.0, None),
        ("cost: archived KiB a page", |cost| cost.archived as f64 / 1024.0, None),
        ("cost: requests a page", |cost| cost.requests as f64, None),
        ("cost: ms to open the store, a page", |cost| cost.opened.as_secs_f64() * 1000.0, None),
        ("memory: MiB a page", |cost| (cost.memory >> 20) as f64, None),
    ];
    for (name, value, goal) in values {
        let a_page = |of: &[Cost]| sum(of, value) / sum(of, |cost| cost.pages as f64).max(1.0);
        let (before, after) = (a_page(&first), a_page(&last));
        results.add(&format!("{name}, first month"), before, None, Vec::new());
        results.add(&format!("{name}, last month"), after, None, Vec::new());
        results.add(&format!("{name}, ratio"), after / before, goal.map(Goal::AtMost), Vec::new());
    }
}

/// Returns a figure of a night.
type CostValue = fn(&Cost) -> f64;

/// Restores the corpus from its archive in another folder. Returns what differs.
fn rebuild(folder: &Path, store: &Store) -> Vec<String> {
    let (config, new) = (config(folder, &[]), tempfile::tempdir().unwrap());
    let mut writer = open(new.path(), &options()).unwrap();
    let archive = archive_folder(&config);
    let log = writer.restore(&archive, ChangeLog::in_folder(&archive).unwrap(), |_| {}).unwrap();
    let restored = writer.store();
    let mut differences = Vec::new();
    if log.is_incomplete || !log.damaged.is_empty() {
        differences.push(format!("the archive is damaged: {:?}", log.damaged));
    }
    let (before, after) = (store.version().unwrap().to_string(), restored.version().unwrap().to_string());
    if before != after {
        differences.push(format!("version {after} instead of {before}"));
    }
    let mut others = restored.documents();
    for document in store.documents() {
        let (document, other) = (document.unwrap(), others.next().transpose().unwrap());
        if other.as_ref() != Some(&document) {
            differences.push(document.url);
        }
    }
    differences
}
