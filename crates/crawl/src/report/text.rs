//! Renders a report as plain text for a mail, a chat or a terminal.

use std::fmt::Write;

use crate::render::language::Bilingual;
use crate::render::text::{bytes, count, duration, minute, number};

use super::findings::{Finding, FindingGroup, Grade, as_before, groups};
use super::run_data::RunEnding;
use super::{Report, RunStatus};

const SHOWN: usize = 20;
const NAMED: usize = 5;

/// Renders the headline and the findings.
#[must_use]
pub fn short(report: &Report) -> String {
    format!("{}\n{}", headline(report), sentences(report, ""))
}

/// Renders the findings by cause, most severe first, each with the command to run next. If there are too many
/// causes, the last line says how many were left out. `options` are the command-line options that select the
/// corpus. They are added to each gleaner command.
#[must_use]
pub fn sentences(report: &Report, options: &str) -> String {
    let mut text = String::new();
    let (repeated, groups): (Vec<_>, Vec<_>) =
        groups(&report.findings).into_iter().partition(FindingGroup::is_repeated_note);
    for group in groups.iter().take(SHOWN) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{} {}", mark(group.grade), group_sentence(group));
        if let Some(next) = &group.findings[0].next {
            let options = if next.starts_with("gleaner ") { options } else { "" };
            let _ = writeln!(text, "    next: {}", format!("{next} {options}").trim_end());
        }
    }
    if groups.len() > SHOWN {
        let _ = writeln!(text, "- and {} more in the full report", groups.len() - SHOWN);
    }
    if !repeated.is_empty() {
        let _ = writeln!(text, "- {}; `gleaner doctor HOST` shows it", repeated_notes(&repeated));
    }
    text
}

/// Renders the most severe finding that the last report did not have as a note too. If there is none, only counts
/// the notes.
#[must_use]
pub fn first_finding(report: &Report) -> String {
    let (repeated, groups): (Vec<_>, Vec<_>) =
        groups(&report.findings).into_iter().partition(FindingGroup::is_repeated_note);
    match groups.first() {
        Some(group) => group_sentence(group),
        None if repeated.is_empty() => String::new(),
        None => repeated_notes(&repeated),
    }
}

/// Names the notes that the last report had too.
fn repeated_notes(notes: &[FindingGroup<'_>]) -> String {
    let findings = notes.iter().flat_map(|group| &group.findings);
    let hosts: Vec<&str> = findings.filter_map(|finding| finding.host.as_deref()).collect();
    let runs = notes.iter().map(FindingGroup::repeated).min().unwrap_or_default();
    format!("{}{}: {}", count(notes.len() as u64, "note"), as_before(runs).english, named(&hosts))
}

/// Names the first hosts, and counts the others.
fn named(hosts: &[&str]) -> String {
    let more = hosts.len().saturating_sub(NAMED);
    let mut named: Vec<String> = hosts.iter().take(NAMED).map(ToString::to_string).collect();
    if more > 0 {
        named.push(format!("and {more} more"));
    }
    named.join(", ")
}

/// Renders findings with the same cause in one sentence.
#[must_use]
pub fn group_sentence(group: &FindingGroup<'_>) -> String {
    let before = as_before(group.repeated()).english;
    let [finding] = group.findings.as_slice() else {
        let hosts: Vec<&str> = group.findings.iter().filter_map(|finding| finding.host.as_deref()).collect();
        return format!("{} hosts: {}: {}{before}", hosts.len(), group.cause, named(&hosts));
    };
    sentence(finding) + &before
}

/// Renders the result of a run in one line.
#[must_use]
pub fn headline(report: &Report) -> String {
    let totals = &report.totals;
    let status = match report.status {
        RunStatus::Fine => "fine",
        RunStatus::Unusual => "UNUSUAL",
        RunStatus::Failed => "FAILED",
    };
    let outcomes = [
        format!("{} new", number(totals.new)),
        format!("{} changed", number(totals.revised)),
        count(totals.duplicates, "duplicate"),
        count(totals.near_duplicates, "near-duplicate"),
        format!("{} not found", number(totals.missing())),
        format!("{} failed of {}", number(totals.failed()), count(totals.visits(), "URL")),
    ];
    format!(
        "Run {} of {}: {status}; {}; {}, {} in {}; {}; {}",
        report.run,
        minute(report.started),
        outcomes.join(", "),
        count(totals.fetched, "page"),
        bytes(totals.bytes),
        duration(report.seconds()),
        ending(report).english,
        count(report.documents, "document"),
    )
}

/// Describes how a run ended.
#[must_use]
pub fn ending(report: &Report) -> Bilingual {
    match &report.ending {
        RunEnding::Quiet => {
            Bilingual::new("complete, no URL is due any more", "hoàn tất, không còn địa chỉ nào đến hạn")
        }
        RunEnding::Budget { key } => Bilingual::new(format!("ended at {key}"), format!("kết thúc ở {key}")),
        RunEnding::Failed { .. } => Bilingual::new("aborted", "bị hủy"),
    }
}

/// Renders a finding with its host.
#[must_use]
pub fn sentence(finding: &Finding) -> String {
    match &finding.host {
        Some(host) => format!("{host}: {}", finding.text),
        None => finding.text.clone(),
    }
}

const fn mark(grade: Grade) -> &'static str {
    match grade {
        Grade::Failed => "!!",
        Grade::Unusual => "!",
        Grade::Note => "-",
    }
}
