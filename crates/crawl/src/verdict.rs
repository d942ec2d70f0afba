//! Describes in one sentence whether gleaner gets documents from a host and, if not, why. `gleaner doctor`
//! and the status page begin with this sentence.

use gleaner_render::text::count;
use gleaner_store::Counts;

use crate::host_view::HostView;
use crate::report::cause::explained;
use crate::report::{GroupedCounts, Report};

/// With fewer pages than this, a share of the pages means nothing.
const FEW_PAGES: u64 = 5;

/// Returns the sentence. `in_scope` says whether the host belongs to a seed site. Pass `true` if the seeds
/// are unknown. `report` is the newest report.
#[must_use]
pub fn verdict(host: &HostView, in_scope: bool, report: Option<&Report>) -> String {
    if host.record.paused {
        return "paused by the user; not crawled".into();
    }
    if !in_scope {
        return "not among the seed sites; not crawled".into();
    }
    let forbidden = host.robots.as_ref().and_then(|robots| robots.forbidden.as_ref());
    if let Some(reason) = forbidden {
        return format!("nothing can be fetched now: {reason}");
    }
    if let Some(rule) = host.robots.as_ref().and_then(|robots| robots.front_page_rule.as_ref()) {
        return format!("its robots.txt disallows the front page by `{rule}`");
    }
    let findings = report.map_or(&[][..], |report| &report.findings);
    let gravest = findings.iter().find(|finding| finding.host.as_ref() == Some(&host.record.name));
    gravest.map_or_else(|| given(host), |finding| finding.text.clone())
}

fn few_pages(all: &GroupedCounts, worst: Option<(&str, u64)>) -> String {
    let read = format!("front pages, sections, feeds and sitemaps read: {}", all.listings());
    let pages = match worst {
        Some((reason, _)) => format!(", other pages: {}, most often {}", all.pages(), explained(reason)),
        None => ", other pages: none".to_owned(),
    };
    let refused = all.refused.iter().max_by_key(|(_, count)| **count);
    let links = refused.map(|(reason, count)| format!("; links not followed: {count} ({reason})"));
    read + &pages + &links.unwrap_or_default()
}

fn given(host: &HostView) -> String {
    let seen: Vec<&Counts> = host.counts.iter().flatten().collect();
    let mut all = Counts::default();
    seen.iter().for_each(|counts| all.add(counts));
    let last = seen.first().map(|counts| GroupedCounts::from_counts(counts)).unwrap_or_default();
    let all = GroupedCounts::from_counts(&all);
    let last_runs = match seen.len() {
        1 => "the last run".to_owned(),
        runs => format!("the last {}", count(runs as u64, "run")),
    };
    let documents = |number| count(number, "new document");
    match (last.new, all.new, all.worst()) {
        (0, 0, _) if seen.is_empty() => "it was not crawled in the last runs".into(),
        (0, 0, _) if host.template.buffered > 0 => format!(
            "no new documents in {last_runs}: {} wait until there are enough for a template",
            count(host.template.buffered.into(), "page")
        ),
        (0, 0, Some((reason, worst))) if all.pages() >= FEW_PAGES => format!(
            "no new documents in {last_runs}: {}% of its pages: {}",
            worst * 100 / all.pages(),
            explained(reason)
        ),
        (0, 0, worst) => format!("no new documents in {last_runs}: {}", few_pages(&all, worst)),
        (last, _, _) if seen.len() == 1 => format!("{} in {last_runs}", documents(last)),
        (0, all, _) => format!("no new documents in the newest run, {} in {last_runs}", documents(all)),
        (last, all, _) => format!("{} in the newest run, {all} in {last_runs}", documents(last)),
    }
}
