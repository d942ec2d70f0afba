//! Explains one host: the results of the last runs, and why the host has no documents.

use std::path::Path;

use gleaner_crawl::render::text::{count, minute};
use gleaner_crawl::report::{Finding, Grade, Report, folder, text};
use gleaner_crawl::{HostView, host_summary, is_similar, pages_without_outcome};
use gleaner_frontier::CanonicalUrl;
use gleaner_store::Counts;
use jiff::Timestamp;

use super::DoctorContext;
use super::facts::Facts;
use crate::failure::Failure;

const REASONS: usize = 12;

pub(super) fn facts(context: &DoctorContext, name: &str, fetch: bool) -> Result<Facts, Failure> {
    let mut facts = Facts::default();
    let url = CanonicalUrl::parse(&format!("http://{name}/"))
        .map_err(|refusal| Failure::Usage(format!("{name} is neither a URL nor a host: {refusal}")))?;
    if let Some(removal) = context.removal(&url)? {
        facts.add("host", url.host());
        facts.add("why", removal);
        return Ok(facts);
    }
    let Some(host) = context.store.host(url.host()).map_err(Failure::work)? else {
        facts.add("host", url.host());
        facts.add("why", "no page, feed or sitemap that was read links to it");
        facts.add("scope", context.scope(url.domain()));
        context.add_neighbours(&mut facts, &url)?;
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
    facts.add_first("why", host_summary(&host, context.is_in_scope(&url), report.as_ref()).english);
    facts.add_first("host", host.record.name);
    Ok(facts)
}

impl DoctorContext {
    /// Adds the known hosts of the same site and the hosts with a similar name. Names with and without `www.`
    /// are easily confused.
    fn add_neighbours(&self, facts: &mut Facts, url: &CanonicalUrl) -> Result<(), Failure> {
        for host in self.store.hosts() {
            let host = host.map_err(Failure::work)?;
            if host.domain == url.domain() {
                facts.add("known hosts", host.name);
            } else if is_similar(&host.name, url.host()) {
                facts.add("similar host", host.name);
            }
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
            let attempts = format!("(last attempt {at} UTC, next attempt {next} UTC or later)");
            facts.add("robots.txt", format!("{robots} {attempts}"));
            return;
        }
        facts.add("robots.txt", format!("{robots} (fetched {at} UTC)"));
        facts.add("robots.txt", format!("names {}", count(robots.sitemaps as u64, "sitemap")));
        let domain = &host.record.domain;
        facts.add(
            "gap",
            format!(
                "with these settings, a crawl waits {} s between two requests to {domain}",
                host.delay.as_secs_f64()
            ),
        );
    }

    fn add_state(&self, facts: &mut Facts, host: &HostView) -> Result<(), Failure> {
        facts.add("state", host.request_state(Timestamp::now()).to_string());
        facts.add("queue", format!("URLs ready or waiting: {}", host.record.queued));
        if let Some((_, next)) = self.store.next_ready(host.record.id).map_err(Failure::work)? {
            facts.add("queue", format!("next URL: {}", next.url));
        }
        facts.add("template", host.template.to_string());
        let buffered = u64::from(host.record.buffered);
        let waiting = pages_without_outcome(&self.store, &host.record).map_err(Failure::work)?;
        if buffered > waiting {
            let extracted = buffered - waiting;
            facts.add("template", format!("buffered pages already extracted without one: {extracted}"));
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
            format!("nothing unusual (run {} of {} UTC)", report.run, minute(report.started)),
        );
    }
    for finding in found {
        facts.add("last report", text::sentence(finding));
    }
    for held in report.hosts.iter().filter(|other| other.name == host).flat_map(|host| &host.held) {
        facts.add("left", format!("{}: {}", count(held.urls, "URL"), held.why));
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
