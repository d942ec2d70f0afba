//! Explains one host: the results of its last runs, and what prevents documents.

use std::path::Path;

use gleaner_crawl::report::{Figures, folder, text};
use gleaner_fetch::{Access, RobotsRecord};
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{Counts, HostRecord};
use jiff::Timestamp;

use super::DoctorContext;
use super::facts::{Facts, patience};
use crate::commands::hosts;
use crate::failure::Failure;

const RUNS: usize = 14;
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
    let said = context.add_findings(&mut facts, &host)?;
    let nothing_allowed = context.add_robots(&mut facts, &host)?;
    context.add_state(&mut facts, &host)?;
    let given = context.add_counts(&mut facts, &host)?;
    let why = match (host.paused, context.is_in_scope(&url)) {
        (true, _) => "paused by the user; not crawled".into(),
        (false, false) => "not among the seed sites; not crawled".into(),
        (false, true) => nothing_allowed.or(said).unwrap_or(given),
    };
    facts.lead("why", why);
    facts.lead("host", host.name);
    Ok(facts)
}

fn given(last: &Figures, all: &Figures, runs: usize) -> String {
    match (last.new, all.new, all.worst()) {
        (0, 0, _) if runs == 0 => "it was not crawled in the last runs".into(),
        (0, 0, Some((reason, count))) => format!(
            "no documents in the last {runs} runs: {}% of its pages end as {reason}",
            count * 100 / all.pages().max(1)
        ),
        (0, 0, None) => {
            format!("no documents in the last {runs} runs: its front page and sections link to no new pages")
        }
        (0, all, _) => format!("no documents in the newest run, {all} in the last {runs}"),
        (last, all, _) => format!("documents: {last} in the newest run, {all} in the last {runs}"),
    }
}

impl DoctorContext {
    /// Known hosts of the same site: a name with or without `www.` is easily confused.
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
    fn add_findings(&self, facts: &mut Facts, host: &HostRecord) -> Result<Option<String>, Failure> {
        let paths = folder::list(&folder::of(Path::new(&self.config.store.path))).map_err(Failure::work)?;
        let Some(report) = paths.first().map(|path| folder::read(path)).transpose().map_err(Failure::work)?
        else {
            return Ok(None);
        };
        let of_host = report.findings.iter().filter(|finding| finding.host.as_deref() == Some(&host.name));
        let mut found = of_host.peekable();
        let first = found.peek().map(|finding| finding.text.clone());
        if found.peek().is_none() {
            facts.add("last report", format!("nothing unusual (run {} of {})", report.run, report.started));
        }
        for finding in found {
            facts.add("last report", text::sentence(finding));
        }
        for held in report.hosts.iter().filter(|other| other.name == host.name).flat_map(|host| &host.held) {
            facts.add("left", format!("{} URLs: {}", held.urls, held.why));
        }
        Ok(first)
    }

    fn add_robots(&self, facts: &mut Facts, host: &HostRecord) -> Result<Option<String>, Failure> {
        let kept = self.store.robots::<RobotsRecord>(&host.name).map_err(Failure::work)?;
        let Some(robots) = kept else {
            facts.add("robots.txt", "not fetched yet");
            return Ok(None);
        };
        let access = robots.rules(self.config.fetch.product());
        let says = match &access {
            Access::AllAllowed => "not found: everything is allowed".to_owned(),
            Access::AllDisallowed { reason } => format!("nothing is allowed: {reason}"),
            Access::Rules(rules) => match rules.verdict("/") {
                gleaner_fetch::Verdict::Disallowed { rule } => {
                    format!("the front page is disallowed by `{rule}`")
                }
                gleaner_fetch::Verdict::Allowed { .. } => "has rules; the front page is allowed".into(),
            },
        };
        facts.add("robots.txt", format!("{says} (fetched at {})", robots.at));
        facts.add("robots.txt", format!("names {} sitemaps", access.sitemaps().len()));
        let gap = hosts::gap(&self.config, Some(&access));
        facts.add("gap", format!("{} s between two requests to {}", gap.as_secs_f64(), host.domain));
        Ok(match access {
            Access::AllDisallowed { reason } => Some(format!("nothing can be fetched now: {reason}")),
            Access::AllAllowed | Access::Rules(_) => None,
        })
    }

    fn add_state(&self, facts: &mut Facts, host: &HostRecord) -> Result<(), Failure> {
        facts.add("state", patience(host, Timestamp::now()));
        facts.add("queue", format!("URLs ready or waiting: {}", host.queued));
        if let Some((_, next)) = self.store.next_ready(host.id).map_err(Failure::work)? {
            facts.add("queue", format!("next URL: {}", next.url));
        }
        let template = hosts::template(&self.store, host).map_err(Failure::work)?;
        facts.add("template", format!("{template}; buffered pages: {}", host.buffered));
        Ok(())
    }

    /// Outcomes of the last run and of the last runs together, the most frequent first.
    fn add_counts(&self, facts: &mut Facts, host: &HostRecord) -> Result<String, Failure> {
        let (mut last, mut all, mut seen) = (Counts::default(), Counts::default(), 0);
        for run in self.store.runs(RUNS).map_err(Failure::work)? {
            let counts = self.store.counts(run.number).map_err(Failure::work)?;
            let Some((_, counts)) = counts.into_iter().find(|(name, _)| *name == host.name) else { continue };
            if seen == 0 {
                last = counts.clone();
            }
            all.add(&counts);
            seen += 1;
        }
        for (kind, last, all) in
            [("outcomes", &last.outcomes, &all.outcomes), ("links not followed", &last.refused, &all.refused)]
        {
            let mut sorted: Vec<(&String, &u64)> = all.iter().collect();
            sorted.sort_by(|a, b| b.1.cmp(a.1));
            for (reason, count) in sorted.into_iter().take(REASONS) {
                let newest = last.get(reason).copied().unwrap_or_default();
                facts.add(
                    kind,
                    format!("{count:>7} in the last {seen} runs, {newest:>7} in the newest: {reason}"),
                );
            }
        }
        if all.outcomes.is_empty() {
            facts.add("outcomes", format!("none in the last {seen} runs"));
        }
        Ok(given(&Figures::from_counts(&last), &Figures::from_counts(&all), seen))
    }
}
