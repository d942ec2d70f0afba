//! Renders a report as plain text for a mail, a chat or a terminal.

use std::fmt::Write;

use gleaner_render::text::{bytes, count, duration, minute, number};

use super::findings::{Finding, Grade};
use super::run_data::Ending;
use super::{Report, Status};

const SHOWN: usize = 30;

/// Renders the headline and the findings, one line each.
#[must_use]
pub fn short(report: &Report) -> String {
    format!("{}\n{}", headline(report), sentences(report))
}

/// Renders the findings, one line each, gravest first. Long lists are cut, with a line that states how many
/// findings are missing.
#[must_use]
pub fn sentences(report: &Report) -> String {
    let mut text = String::new();
    for finding in report.findings.iter().take(SHOWN) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{} {}", mark(finding.grade), sentence(finding));
    }
    if report.findings.len() > SHOWN {
        let _ = writeln!(text, "- and {} more in the full report", report.findings.len() - SHOWN);
    }
    text
}

/// Renders the result of a run in one line.
#[must_use]
pub fn headline(report: &Report) -> String {
    let totals = &report.totals;
    let status = match report.status {
        Status::Fine => "fine",
        Status::Unusual => "UNUSUAL",
        Status::Failed => "FAILED",
    };
    let outcomes = [
        format!("{} new", number(totals.new)),
        format!("{} changed", number(totals.revised)),
        count(totals.duplicates, "duplicate"),
        count(totals.near_duplicates, "near-duplicate"),
        format!("{} failed of {}", number(totals.failed()), count(totals.visits(), "URL")),
    ];
    format!(
        "Run {} of {} UTC: {status}; {}; {}, {} in {}; {}; {}",
        report.run,
        minute(report.started),
        outcomes.join(", "),
        count(totals.fetched, "page"),
        bytes(totals.bytes),
        duration(report.seconds()),
        ending(report),
        count(report.documents, "document"),
    )
}

/// Describes how a run ended.
#[must_use]
pub fn ending(report: &Report) -> String {
    match &report.ending {
        Ending::Quiet => "ended with nothing due".into(),
        Ending::Budget { key } => format!("ended at {key}"),
        Ending::Failed { .. } => "aborted".into(),
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
