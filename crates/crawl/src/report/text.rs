//! Renders a report as plain text for a mail, a chat or a terminal.

use std::fmt::Write;

use super::findings::{Finding, Grade};
use super::told::Ending;
use super::usual::minute;
use super::{Report, Status};

const SHOWN: usize = 30;

/// The headline and the findings, one line each.
#[must_use]
pub fn short(report: &Report) -> String {
    format!("{}\n{}", headline(report), sentences(report))
}

/// The findings of a report, one line each, gravest first.
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

/// The result of a run in one line.
#[must_use]
pub fn headline(report: &Report) -> String {
    let totals = &report.totals;
    let status = match report.status {
        Status::Fine => "fine",
        Status::Unusual => "UNUSUAL",
        Status::Failed => "FAILED",
    };
    format!(
        "Run {} of {}: {status}; {} new, {} changed, {} duplicates, {} near-duplicates, {} failed of {} URLs; {} pages, {} in {}; {}; {} documents",
        report.run,
        minute(report.started),
        totals.new,
        totals.revised,
        totals.duplicates,
        totals.near_duplicates,
        totals.failed(),
        totals.visits(),
        totals.fetched,
        size(totals.bytes),
        duration(report.seconds()),
        ending(report),
        report.documents,
    )
}

/// How a run ended, for people.
#[must_use]
pub fn ending(report: &Report) -> String {
    match &report.ending {
        Ending::Quiet => "ended with nothing due".into(),
        Ending::Budget { key } => format!("ended at {key}"),
        Ending::Failed { .. } => "aborted".into(),
    }
}

/// A finding with its host.
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

/// A number of bytes, for people.
#[must_use]
pub fn size(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", units[unit]) }
}

/// A number of seconds, for people.
#[must_use]
pub fn duration(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_short() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(5 << 30), "5.0 GiB");
        assert_eq!(duration(42), "42 s");
        assert_eq!(duration(7199), "1 h 59 min");
    }
}
