//! Renders a report as one HTML file without scripts or external resources.
//!
//! All text from a crawl (host names, reasons) is escaped.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::data::Host;
use super::findings::Grade;
use super::text::{duration, ending, sentence, size};
use super::usual::minute;
use super::{Figures, Report};

const STYLE: &str = include_str!("page.css");

/// The HTML page of a report.
#[must_use]
pub fn page(report: &Report) -> String {
    let mut html = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = write!(
        html,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>Run {}: {}</title><style>{STYLE}</style></head><body><main>\n",
        report.run,
        report.status.label(),
    );
    head(&mut html, report);
    findings(&mut html, report);
    table(&mut html, report);
    reasons(&mut html, report);
    html + "</main></body></html>\n"
}

fn head(html: &mut String, report: &Report) {
    let status = report.status.label();
    let _ = write!(
        html,
        "<h1>Run {} <span class=\"status {status}\">{status}</span></h1>\n<p>{} to {} ({}{}), {}.",
        report.run,
        minute(report.started),
        minute(report.ended),
        duration(report.seconds()),
        if report.resumed { ", resumed after an interruption" } else { "" },
        escape(&ending(report)),
    );
    let _ = write!(html, " Documents in the corpus: {}", report.documents);
    if let Some(free) = report.free_disk {
        let _ = write!(html, "; free disk space: {}", size(free));
    }
    if let Some(due) = report.next_due {
        let _ = write!(html, "; next URL due: {}", minute(due));
    }
    let _ = writeln!(html, ". Earlier runs compared with: {}.</p>", report.compared);
}

fn findings(html: &mut String, report: &Report) {
    if report.findings.is_empty() {
        html.push_str("<p>Nothing is unusual.</p>\n");
        return;
    }
    html.push_str("<ul class=\"findings\">\n");
    for finding in &report.findings {
        let grade = match finding.grade {
            Grade::Note => "note",
            Grade::Unusual => "unusual",
            Grade::Failed => "failed",
        };
        let _ = writeln!(html, "<li class=\"{grade}\"><b>{grade}</b> {}</li>", escape(&sentence(finding)));
    }
    html.push_str("</ul>\n");
}

const HEAD: [&str; 12] = [
    "Host",
    "New",
    "Usual",
    "Changed",
    "Dupl.",
    "Near-dupl.",
    "Failed",
    "URLs",
    "Pages",
    "Size",
    "Left",
    "Template",
];

fn table(html: &mut String, report: &Report) {
    html.push_str("<h2>Hosts</h2>\n<div class=\"wide\"><table><thead><tr>");
    for name in HEAD {
        let _ = write!(html, "<th scope=\"col\">{name}</th>");
    }
    html.push_str("</tr></thead><tbody>\n");
    for host in report.lively() {
        row(html, &host.name, host.usual, &host.figures, left(host), &template(host));
    }
    html.push_str("</tbody><tfoot>\n");
    let left = report.hosts.iter().map(left).sum();
    row(html, "all hosts", None, &report.totals, left, "");
    html.push_str("</tfoot></table></div>\n");
}

fn left(host: &Host) -> u64 {
    host.held.iter().map(|held| held.urls).sum()
}

fn row(html: &mut String, name: &str, usual: Option<f64>, figures: &Figures, left: u64, template: &str) {
    let usual = usual.map_or_else(|| "–".to_owned(), |usual| format!("{usual:.0}"));
    let _ = write!(html, "<tr><th scope=\"row\">{}</th>", escape(name));
    let numbers = [
        figures.new.to_string(),
        usual,
        figures.revised.to_string(),
        figures.duplicates.to_string(),
        figures.near_duplicates.to_string(),
        figures.failed().to_string(),
        figures.visits().to_string(),
        figures.fetched.to_string(),
        size(figures.bytes),
        left.to_string(),
    ];
    for number in numbers {
        let _ = write!(html, "<td>{number}</td>");
    }
    let _ = writeln!(html, "<td class=\"words\">{}</td></tr>", escape(template));
}

/// A description of a host's template.
#[must_use]
pub fn template(host: &Host) -> String {
    let template = &host.template;
    let learned = if template.learned { ", learned in this run" } else { "" };
    match (host.paused, template.version) {
        (true, _) => "paused".into(),
        (false, 0) if template.buffered > 0 => format!("none yet, pages buffered: {}", template.buffered),
        (false, 0) => "none".into(),
        (false, version) if template.outdated => format!("version {version}, out of date"),
        (false, version) if template.unlike > 0 => {
            format!(
                "version {version}{learned}, {} of the last {} pages unlike it",
                template.unlike, template.watched
            )
        }
        (false, version) => format!("version {version}{learned}"),
    }
}

fn reasons(html: &mut String, report: &Report) {
    html.push_str("<h2>Reasons</h2>\n");
    for host in report.lively() {
        let figures = &host.figures;
        let _ = write!(html, "<details><summary>{}</summary><dl>", escape(&host.name));
        list(html, "failed", &figures.failures);
        list(html, "other outcomes", &figures.others);
        list(html, "links not followed", &figures.refused);
        let held: BTreeMap<String, u64> =
            host.held.iter().map(|held| (held.why.clone(), held.urls)).collect();
        list(html, "left for the next run", &held);
        let _ = writeln!(html, "<dt>time</dt><dd>{}</dd></dl></details>", duration(figures.millis / 1000));
    }
}

fn list(html: &mut String, title: &str, counts: &BTreeMap<String, u64>) {
    if counts.is_empty() {
        return;
    }
    let _ = write!(html, "<dt>{title}</dt>");
    for (reason, count) in counts {
        let _ = write!(html, "<dd>{count} {}</dd>", escape(reason));
    }
}

fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}
