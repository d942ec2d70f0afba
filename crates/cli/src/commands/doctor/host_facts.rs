//! Explains one host: the results of the last runs, and why the host has no documents.

use std::cmp::Reverse;
use std::path::Path;

use gleaner_corpus::is_of_host;
use gleaner_crawl::render::text::{count, minute};
use gleaner_crawl::report::{Finding, Grade, Report, folder, text};
use gleaner_crawl::{HostView, RunHistory, SeedState, host_summary, pages_without_outcome};
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{Counts, HostRecord};
use jiff::Timestamp;

use super::DoctorContext;
use super::facts::Facts;
use crate::commands::known_hosts::did_you_mean;
use crate::failure::Failure;

const REASONS: usize = 12;
/// Maximum number of hosts below the host that are described.
const MAX_BELOW: usize = 10;

pub(super) fn facts(context: &DoctorContext, name: &str, fetch: bool) -> Result<Facts, Failure> {
    let mut facts = Facts::default();
    let Ok(url) = CanonicalUrl::parse(&format!("http://{name}/")) else {
        let meant = did_you_mean(&context.store, name, |_| true)?;
        return Err(Failure::Usage(format!("{name} is neither a URL nor a host{meant}")));
    };
    if let Some(removal) = context.removal(&url)? {
        facts.add("host", url.host());
        facts.add("why", removal);
        return Ok(facts);
    }
    let Some(host) = context.store.host(url.host()).map_err(Failure::work)? else {
        facts.add("host", url.host());
        let below = context.hosts_below(&url)?;
        let why = match below.len() {
            0 => {
                let meant = did_you_mean(&context.store, url.host(), |_| true)?;
                format!("no page, feed or sitemap that was read links to it{meant}")
            }
            known => format!(
                "the corpus has no page of this host itself, but {} below it",
                count(known as u64, "host")
            ),
        };
        facts.add("why", why);
        facts.add("scope", context.scope(url.domain()));
        context.add_hosts_below(&mut facts, below)?;
        return Ok(facts);
    };
    facts.add("scope", context.scope(url.domain()));
    let host = context.view(host).map_err(Failure::work)?;
    let report = context.newest_report()?;
    if let Some(report) = &report {
        add_findings(&mut facts, report, &host.record.name);
    }
    if let Some(moved) = &host.moved {
        facts.add(
            "moved",
            format!(
                "write {} instead of the seed of {}, or add it; to check it, run:",
                moved.to, moved.origin
            ),
        );
        facts.add("moved", moved.command());
    }
    context.add_robots(&mut facts, &host);
    context.add_stated_use(&mut facts, &url)?;
    context.add_state(&mut facts, &host)?;
    add_counts(&mut facts, &host);
    if fetch {
        let front = context.store.url(url.key()).map_err(Failure::work)?;
        let front = front.and_then(|front| CanonicalUrl::parse(&front.url).ok()).unwrap_or(url.clone());
        context.add_fetched(&mut facts, &front)?;
    }
    context.add_hosts_below(&mut facts, context.hosts_below(&url)?)?;
    facts.add_first("why", host_summary(&host, context.is_in_scope(&url), report.as_ref()).english);
    facts.add_first("host", host.record.name);
    Ok(facts)
}

impl DoctorContext {
    /// Returns the known hosts below a host, such as `www.bbc.co.uk` below `bbc.co.uk`.
    fn hosts_below(&self, url: &CanonicalUrl) -> Result<Vec<HostRecord>, Failure> {
        let is_below = |host: &HostRecord| host.name != url.host() && is_of_host(&host.name, url.host());
        let hosts: Vec<HostRecord> = self.store.hosts().collect::<Result<_, _>>().map_err(Failure::work)?;
        Ok(hosts.into_iter().filter(is_below).collect())
    }

    /// Describes each host in one sentence. Those with the most new documents in the last runs come first.
    fn add_hosts_below(&self, facts: &mut Facts, hosts: Vec<HostRecord>) -> Result<(), Failure> {
        let mut history = RunHistory::read(&self.store, RunHistory::KEPT).map_err(Failure::work)?;
        let view = |host| HostView::new(&self.store, &self.config, host, &mut history);
        let mut views: Vec<HostView> =
            hosts.into_iter().map(view).collect::<Result<_, _>>().map_err(Failure::work)?;
        let documents =
            |host: &HostView| host.counts.iter().flatten().map(|counts| counts.ended("stored")).sum::<u64>();
        views.sort_by_cached_key(|host| (Reverse(documents(host)), host.record.name.clone()));
        let more = views.len().saturating_sub(MAX_BELOW);
        for host in views.iter().take(MAX_BELOW) {
            let is_in_scope = host.seeding != SeedState::OutOfScope;
            let summary = host_summary(host, is_in_scope, None).english;
            facts.add("hosts below", format!("{}: {summary}", host.record.name));
        }
        if more > 0 {
            facts.add(
                "hosts below",
                format!("and {}; `gleaner hosts --all` lists all", count(more as u64, "other host")),
            );
        }
        Ok(())
    }

    fn newest_report(&self) -> Result<Option<Report>, Failure> {
        let paths = folder::list(&folder::reports_folder(Path::new(&self.config.store.path)))
            .map_err(Failure::work)?;
        paths.first().map(|path| folder::read(path)).transpose().map_err(Failure::work)
    }

    fn add_robots(&self, facts: &mut Facts, host: &HostView) {
        let Some(robots) = &host.robots else {
            facts.add("robots.txt", "not fetched yet");
            return;
        };
        let (at, next) = (minute(robots.at), minute(robots.next));
        if robots.forbidden.is_some() {
            let attempts = format!("(last attempt {at}, next attempt {next} or later)");
            facts.add("robots.txt", format!("{robots} {attempts}"));
            return;
        }
        facts.add("robots.txt", format!("{robots} (fetched {at})"));
        facts.add("robots.txt", format!("names {}", count(robots.sitemaps as u64, "sitemap")));
        let domain = &host.record.domain;
        facts.add(
            "delay",
            format!(
                "with these settings, a crawl waits {} s between two requests to {domain}",
                host.delay.as_secs_f64()
            ),
        );
    }

    fn add_state(&self, facts: &mut Facts, host: &HostView) -> Result<(), Failure> {
        facts.add("state", host.request_state(Timestamp::now()).to_string());
        facts.add(
            "queue",
            format!("URLs that wait for a request, also those due later: {}", host.record.queued),
        );
        if let Some((_, next)) = self.store.next_ready(host.record.id).map_err(Failure::work)? {
            facts.add("queue", format!("next URL: {}", next.url));
        }
        facts.add("template", host.template.to_string());
        let buffered = u64::from(host.record.buffered);
        let waiting = pages_without_outcome(&self.store, &host.record).map_err(Failure::work)?;
        if buffered > waiting {
            let extracted = buffered - waiting;
            facts.add("template", format!("kept pages that were already extracted without one: {extracted}"));
        }
        Ok(())
    }
}

fn add_findings(facts: &mut Facts, report: &Report, host: &str) {
    let of_host = |finding: &&Finding| finding.host.as_deref() == Some(host);
    let mut found: Vec<&Finding> = report.findings.iter().filter(of_host).collect();
    if found.is_empty() {
        // A finding that makes the whole run fail also concerns each host.
        found.extend(report.findings.iter().find(|finding| finding.grade == Grade::Failed));
    }
    if found.is_empty() {
        facts.add(
            "last report",
            format!("nothing unusual (run {} of {})", report.run, minute(report.started)),
        );
    }
    for finding in found {
        facts.add("last report", text::sentence(finding));
    }
    for held in report.hosts.iter().filter(|other| other.name == host).flat_map(|host| &host.held) {
        facts.add("left for the next run", format!("{}: {}", count(held.urls, "URL"), held.why));
    }
}

fn add_counts(facts: &mut Facts, host: &HostView) {
    let seen: Vec<&Counts> = host.counts.iter().flatten().collect();
    let last = seen.first().copied().cloned().unwrap_or_default();
    let mut all = Counts::default();
    seen.iter().for_each(|counts| all.add(counts));
    for (kind, last, all) in
        [("outcomes", &last.outcomes, &all.outcomes), ("links not followed", &last.refused, &all.refused)]
    {
        let mut sorted: Vec<(&String, &u64)> = all.iter().collect();
        sorted.sort_by(|a, b| b.1.cmp(a.1));
        for (reason, count) in sorted.into_iter().take(REASONS) {
            let newest = last.get(reason).copied().unwrap_or_default();
            let newest = if seen.len() > 1 { format!(" (newest run: {newest})") } else { String::new() };
            facts.add(kind, format!("{count:>6} {reason}{newest}"));
        }
    }
    if all.outcomes.is_empty() {
        facts.add("outcomes", "none in the last runs");
    }
}
