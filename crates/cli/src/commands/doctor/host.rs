//! One host: what its last runs gave, and what stands in its way.

use std::path::Path;

use gleaner_fetch::{Access, RobotsRecord};
use gleaner_frontier::CanonicalUrl;
use gleaner_report::{folder, text};
use gleaner_store::{Counts, HostRecord};
use jiff::Timestamp;

use super::Clinic;
use super::facts::{Facts, patience};
use crate::commands::hosts;
use crate::failure::Failure;

/// Runs that are added up.
const RUNS: usize = 14;
/// Reasons that are shown.
const REASONS: usize = 12;

/// All that is known of a host.
pub(super) fn facts(clinic: &Clinic, name: &str) -> Result<Facts, Failure> {
    let mut facts = Facts::default();
    let url = CanonicalUrl::parse(&format!("http://{name}/"))
        .map_err(|refusal| Failure::Usage(format!("{name} is neither a URL nor a host: {refusal}")))?;
    facts.add("host", url.host());
    facts.add("scope", clinic.scope(url.domain()));
    let Some(host) = clinic.store.host(url.host()).map_err(Failure::work)? else {
        facts.add("state", "unknown: nothing that was read has led to it");
        clinic.add_neighbours(&mut facts, &url)?;
        return Ok(facts);
    };
    clinic.add_findings(&mut facts, &host)?;
    clinic.add_robots(&mut facts, &host)?;
    clinic.add_state(&mut facts, &host)?;
    clinic.add_counts(&mut facts, &host)?;
    Ok(facts)
}

impl Clinic {
    /// Hosts of the same site that are known: a name with or without `www.` is easily mistaken.
    fn add_neighbours(&self, facts: &mut Facts, url: &CanonicalUrl) -> Result<(), Failure> {
        for host in self.store.hosts() {
            let host = host.map_err(Failure::work)?;
            if host.domain == url.domain() {
                facts.add("known hosts", host.name);
            }
        }
        Ok(())
    }

    /// What the last report says of it.
    fn add_findings(&self, facts: &mut Facts, host: &HostRecord) -> Result<(), Failure> {
        let paths = folder::list(&folder::of(Path::new(&self.config.store.path))).map_err(Failure::work)?;
        let Some(report) = paths.first().map(|path| folder::read(path)).transpose().map_err(Failure::work)?
        else {
            return Ok(());
        };
        let of_host = report.findings.iter().filter(|finding| finding.host.as_deref() == Some(&host.name));
        let mut found = of_host.peekable();
        if found.peek().is_none() {
            facts.add("last report", format!("nothing unusual (run {} of {})", report.run, report.started));
        }
        for finding in found {
            facts.add("last report", text::sentence(finding));
        }
        for held in report.hosts.iter().filter(|other| other.name == host.name).flat_map(|host| &host.held) {
            facts.add("left", format!("{} URLs: {}", held.urls, held.why));
        }
        Ok(())
    }

    fn add_robots(&self, facts: &mut Facts, host: &HostRecord) -> Result<(), Failure> {
        let kept = self.store.robots::<RobotsRecord>(&host.name).map_err(Failure::work)?;
        let Some(robots) = kept else {
            facts.add("robots.txt", "not asked for yet");
            return Ok(());
        };
        let access = robots.rules(self.config.fetch.product());
        let says = match &access {
            Access::AllAllowed => "there is none: everything may be asked for".to_owned(),
            Access::AllDisallowed { reason } => format!("nothing may be asked for: {reason}"),
            Access::Rules(rules) => match rules.verdict("/") {
                gleaner_fetch::Verdict::Disallowed { rule } => {
                    format!("the front page is forbidden by `{rule}`")
                }
                gleaner_fetch::Verdict::Allowed { .. } => "there are rules; the front page is allowed".into(),
            },
        };
        facts.add("robots.txt", format!("{says} (asked for at {})", robots.at));
        facts.add("robots.txt", format!("names {} sitemaps", access.sitemaps().len()));
        let gap = hosts::gap(&self.config, Some(&access));
        facts.add("gap", format!("{} s between two requests to {}", gap.as_secs_f64(), host.domain));
        Ok(())
    }

    fn add_state(&self, facts: &mut Facts, host: &HostRecord) -> Result<(), Failure> {
        facts.add("state", patience(host, Timestamp::now()));
        facts.add("queue", format!("{} URLs are ready or waiting", host.queued));
        if let Some((_, next)) = self.store.next_ready(host.id).map_err(Failure::work)? {
            facts.add("queue", format!("the next is {}", next.url));
        }
        let template = hosts::template(&self.store, host).map_err(Failure::work)?;
        facts.add("template", format!("{template}; {} pages are gathered", host.gathered));
        Ok(())
    }

    /// Outcomes of the last run and of the last runs together, the commonest first.
    fn add_counts(&self, facts: &mut Facts, host: &HostRecord) -> Result<(), Failure> {
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
        Ok(())
    }
}
