//! Renders a report as one HTML file without scripts or external resources.

use std::collections::BTreeMap;

use gleaner_render::page::{self, Column};
use gleaner_render::text::{bytes, count, duration, minute, number};
use maud::{Markup, html};

use super::data::Host;
use super::findings::Grade;
use super::text::{ending, sentence};
use super::{GroupedCounts, Report};

/// Returns the HTML page of a report.
#[must_use]
pub fn page(report: &Report) -> String {
    let status = report.status.label();
    let body = html! {
        main {
            h1 { "Run " (report.run) " " span.status.(status) { (status) } }
            (summary(report))
            (findings(report))
            h2 { "Hosts" }
            (table(report))
            h2 { "Reasons" }
            @for host in report.lively() { (reasons(host)) }
        }
    };
    page::file(&format!("Run {}: {status}", report.run), include_str!("page.css"), &body)
}

fn summary(report: &Report) -> Markup {
    html! {
        p {
            (minute(report.started)) " UTC to " (minute(report.ended)) " UTC (" (duration(report.seconds()))
            @if report.resumed { ", resumed after an interruption" }
            "), " (ending(report)) ". Documents in the corpus: " (number(report.documents))
            @if let Some(free) = report.free_disk { "; free disk space: " (bytes(free)) }
            @if let Some(due) = report.next_due { "; next URL due: " (minute(due)) " UTC" }
            ". Compared with " (count(report.compared as u64, "earlier run")) "."
        }
    }
}

fn findings(report: &Report) -> Markup {
    let name = |grade| match grade {
        Grade::Note => "note",
        Grade::Unusual => "unusual",
        Grade::Failed => "failed",
    };
    html! {
        @if report.findings.is_empty() {
            p { "Nothing is unusual." }
        } @else {
            ul.findings {
                @for finding in &report.findings {
                    @let grade = name(finding.grade);
                    li.(grade) { b { (grade) } " " (sentence(finding)) }
                }
            }
        }
    }
}

fn table(report: &Report) -> Markup {
    let numbers =
        ["New", "Usual", "Changed", "Dupl.", "Near-dupl.", "Failed", "URLs", "Pages", "Size", "Left"];
    let columns: Vec<Column<'_>> = [Column::text("Host")]
        .into_iter()
        .chain(numbers.map(Column::number))
        .chain([Column::text("Template")])
        .collect();
    let rows = html! {
        tbody {
            @for host in report.lively() { (row(&host.name, &host.figures, host.usual, left(host), &template(host))) }
        }
        tfoot {
            @let left = report.hosts.iter().map(left).sum();
            (row("all hosts", &report.totals, None, left, ""))
        }
    };
    page::table("Hosts", &columns, &rows)
}

/// Returns how many URLs are left for the next run.
fn left(host: &Host) -> u64 {
    host.held.iter().map(|held| held.urls).sum()
}

fn row(name: &str, counts: &GroupedCounts, usual: Option<f64>, left: u64, template: &str) -> Markup {
    let cells = [
        number(counts.new),
        usual.map_or_else(|| "–".to_owned(), |usual| format!("{usual:.0}")),
        number(counts.revised),
        number(counts.duplicates),
        number(counts.near_duplicates),
        number(counts.failed()),
        number(counts.visits()),
        number(counts.fetched),
        bytes(counts.bytes),
        number(left),
    ];
    html! {
        tr {
            th scope="row" { (name) }
            @for cell in cells { td.number { (cell) } }
            td { (template) }
        }
    }
}

/// Returns a description of a host's template.
#[must_use]
pub fn template(host: &Host) -> String {
    if host.paused { "paused".into() } else { host.template.to_string() }
}

fn reasons(host: &Host) -> Markup {
    let counts = &host.figures;
    let held: BTreeMap<String, u64> = host.held.iter().map(|held| (held.why.clone(), held.urls)).collect();
    let lists = [
        ("failed", &counts.failures),
        ("other outcomes", &counts.others),
        ("links not followed", &counts.refused),
        ("left for the next run", &held),
    ];
    html! {
        details {
            summary { (host.name) }
            dl {
                @for (title, list) in lists {
                    @if !list.is_empty() {
                        dt { (title) }
                        @for (reason, count) in list { dd { (number(*count)) " " (reason) } }
                    }
                }
                dt { "time" }
                dd { (duration(counts.millis / 1000)) }
            }
        }
    }
}
