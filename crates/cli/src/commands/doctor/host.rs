//! Explains one host: the results of the last runs, and why it has no documents.

use std::path::Path;

use gleaner_crawl::HostView;
use gleaner_crawl::report::{GroupedCounts, folder, text};
use gleaner_frontier::CanonicalUrl;
use gleaner_render::text::count;
use gleaner_store::Counts;
use jiff::Timestamp;

use super::DoctorContext;
use super::facts::Facts;
use crate::failure::Failure;

const REASONS: usize = 12;

pub(super) fn facts(context: &DoctorContext, name: &str) -> Result<Facts, Failure> {
    let mut facts = Facts::default();
    let url = CanonicalUrl::parse(&format!("http://{name}/"))
        .map_err(|refusal| Failure::Usage(format!("{name} is neither a URL nor a host: {refusal}")))?;
    let Some(host) = context.store.host(url.host()).map_err(Failure::work)? else {
        facts.add("host", url.host());
        facts.add("why", "no page, feed or sitemap that was read links to it");
        facts.add("scope", context.scope(url.domain()));
        context.add_neighbours(&mut facts, &url)?;
        return Ok(facts);
    };
    facts.add("scope", context.scope(url.domain()));
    let host = context.view(host).map_err(Failure::work)?;
    let said = context.add_findings(&mut facts, &host.record.name)?;
    let nothing_allowed = context.add_robots(&mut facts, &host);
    context.add_state(&mut facts, &host)?;
    let given = add_counts(&mut facts, &host);
    let why = match (host.record.paused, context.is_in_scope(&url)) {
        (true, _) => "paused by the user; not crawled".into(),
        (false, false) => "not among the seed sites; not crawled".into(),
        (false, true) => nothing_allowed.or(said).unwrap_or(given),
    };
    facts.lead("why", why);
    facts.lead("host", host.record.name);
    Ok(facts)
}

fn given(last: &GroupedCounts, all: &GroupedCounts, runs: usize) -> String {
    let last_runs = format!("the last {}", count(runs as u64, "run"));
    match (last.new, all.new, all.worst()) {
        (0, 0, _) if runs == 0 => "it was not crawled in the last runs".into(),
        (0, 0, Some((reason, count))) => format!(
            "no documents in {last_runs}: {}% of its pages end as {reason}",
            count * 100 / all.pages().max(1)
        ),
        (0, 0, None) => {
            format!("no documents in {last_runs}: its front page and sections link to no new pages")
        }
        (0, all, _) => format!("no documents in the newest run, {all} in {last_runs}"),
        (last, all, _) => format!("documents: {last} in the newest run, {all} in {last_runs}"),
    }
}

impl DoctorContext {
    /// Adds the known hosts of the same site: names with and without `www.` are easily confused.
    fn add_neighbours(&self, facts: &mut Facts, url: &CanonicalUrl) -> Result<(), Failure> {
        for host in self.store.hosts() {
            let host = host.map_err(Failure::work)?;
            if host.domain == url.domain() {
                facts.add("known hosts", host.name);
            }
        }
        Ok(())
    }

    /// Adds the findings of the last report; returns the most serious one.
    fn add_findings(&self, facts: &mut Facts, host: &str) -> Result<Option<String>, Failure> {
        let paths = folder::list(&folder::of(Path::new(&self.config.store.path))).map_err(Failure::work)?;
        let Some(report) = paths.first().map(|path| folder::read(path)).transpose().map_err(Failure::work)?
        else {
            return Ok(None);
        };
        let of_host = report.findings.iter().filter(|finding| finding.host.as_deref() == Some(host));
        let mut found = of_host.peekable();
        let first = found.peek().map(|finding| finding.text.clone());
        if found.peek().is_none() {
            facts.add("last report", format!("nothing unusual (run {} of {})", report.run, report.started));
        }
        for finding in found {
            facts.add("last report", text::sentence(finding));
        }
        for held in report.hosts.iter().filter(|other| other.name == host).flat_map(|host| &host.held) {
            facts.add("left", format!("{}: {}", count(held.urls, "URL"), held.why));
        }
        Ok(first)
    }

    /// Adds the facts on robots.txt. If nothing can be fetched, returns the reason.
    fn add_robots(&self, facts: &mut Facts, host: &HostView) -> Option<String> {
        let Some(robots) = &host.robots else {
            facts.add("robots.txt", "not fetched yet");
            return None;
        };
        facts.add("robots.txt", format!("{robots} (fetched at {})", robots.at));
        facts.add("robots.txt", format!("names {}", count(robots.sitemaps as u64, "sitemap")));
        let domain = &host.record.domain;
        facts.add("gap", format!("{} s between two requests to {domain}", host.gap.as_secs_f64()));
        robots.forbidden.as_ref().map(|reason| format!("nothing can be fetched now: {reason}"))
    }

    fn add_state(&self, facts: &mut Facts, host: &HostView) -> Result<(), Failure> {
        facts.add("state", host.request_state(Timestamp::now()).to_string());
        facts.add("queue", format!("URLs ready or waiting: {}", host.record.queued));
        if let Some((_, next)) = self.store.next_ready(host.record.id).map_err(Failure::work)? {
            facts.add("queue", format!("next URL: {}", next.url));
        }
        facts.add("template", host.template.to_string());
        Ok(())
    }
}

/// Adds the outcomes of the newest run and of all last runs together, the most frequent first. Returns a
/// sentence that summarizes them.
fn add_counts(facts: &mut Facts, host: &HostView) -> String {
    let seen: Vec<&Counts> = host.counts.iter().flatten().collect();
    let last = seen.first().copied().cloned().unwrap_or_default();
    let mut all = Counts::default();
    seen.iter().for_each(|counts| all.add(counts));
    let runs = count(seen.len() as u64, "run");
    for (kind, last, all) in
        [("outcomes", &last.outcomes, &all.outcomes), ("links not followed", &last.refused, &all.refused)]
    {
        let mut sorted: Vec<(&String, &u64)> = all.iter().collect();
        sorted.sort_by(|a, b| b.1.cmp(a.1));
        for (reason, count) in sorted.into_iter().take(REASONS) {
            let newest = last.get(reason).copied().unwrap_or_default();
            facts.add(kind, format!("{count:>7} in the last {runs}, {newest:>7} in the newest: {reason}"));
        }
    }
    if all.outcomes.is_empty() {
        facts.add("outcomes", format!("none in the last {runs}"));
    }
    given(&GroupedCounts::from_counts(&last), &GroupedCounts::from_counts(&all), seen.len())
}
