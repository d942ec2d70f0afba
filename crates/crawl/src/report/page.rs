//! Renders a report as one HTML file without scripts or external resources. Other pages use its parts.

use std::collections::BTreeMap;

use gleaner_render::page::{self, Column};
use gleaner_render::text::{bytes, count, duration, minute, number};
use maud::{Markup, html};

use super::data::Host;
use super::findings::{Finding, Grade, Group, groups};
use super::text::ending;
use super::{GroupedCounts, Report};

/// The style sheet of [`content`]. Pages also need the general style sheet.
pub const STYLE: &str = include_str!("page.css");

/// Maximum number of hosts named beside a cause. A list that the reader can unfold has all of them.
const NAMED: usize = 8;

/// A function that renders the name of a host, for example as a link.
pub type HostName<'a> = &'a dyn Fn(&str) -> Markup;

/// The words in a list of findings that a page can translate. The findings themselves are English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// The BCP 47 tag of the words' language. `None` if it is English, like the text around them.
    pub language: Option<&'static str>,
    /// The name of [`Grade::Note`].
    pub note: &'static str,
    /// The name of [`Grade::Unusual`].
    pub unusual: &'static str,
    /// The name of [`Grade::Failed`].
    pub failed: &'static str,
    /// The title of the list of hosts that the reader can unfold.
    pub each_host: &'static str,
}

impl Words {
    /// The English words.
    pub const ENGLISH: Self =
        Self { language: None, note: "note", unusual: "unusual", failed: "failed", each_host: "Each host" };

    const fn grade(&self, grade: Grade) -> &'static str {
        match grade {
            Grade::Note => self.note,
            Grade::Unusual => self.unusual,
            Grade::Failed => self.failed,
        }
    }
}

/// Returns the HTML page of a report.
#[must_use]
pub fn page(report: &Report) -> String {
    let status = report.status.label();
    let body = html! {
        main {
            h1 { "Run " (report.run) " " span.status.(status) { (status) } }
            (content(report, &|host| html! { (host) }))
        }
    };
    page::file(&format!("Run {}: {status}", report.run), STYLE, &body)
}

/// Renders a report without its headline. The page needs [`STYLE`].
#[must_use]
pub fn content(report: &Report, host: HostName<'_>) -> Markup {
    html! {
        div.report {
            (summary(report))
            h2 { "Findings" }
            (findings(&report.findings, host, &Words::ENGLISH))
            h2 { "Hosts" }
            (table(report, host))
            h2 { "Reasons" }
            @for host in report.lively() { (reasons(host)) }
        }
    }
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

/// Renders findings as a list with one entry per cause, gravest first.
#[must_use]
pub fn findings(findings: &[Finding], host: HostName<'_>, words: &Words) -> Markup {
    html! {
        @if findings.is_empty() {
            p { "Nothing is unusual." }
        } @else {
            ul.findings {
                @for group in groups(findings) {
                    li.(Words::ENGLISH.grade(group.grade)) {
                        b lang=[words.language] { (words.grade(group.grade)) } " " (of_group(&group, host, words))
                        @if let Some(next) = &group.findings[0].next { div { "Next: " code { (next) } } }
                    }
                }
            }
        }
    }
}

fn of_group(group: &Group<'_>, host: HostName<'_>, words: &Words) -> Markup {
    let named = |finding: &Finding| finding.host.as_deref().map(host).unwrap_or_default();
    let first = group.findings.iter().take(NAMED).map(|finding| named(finding));
    html! {
        @if let [only] = group.findings[..] {
            @if only.host.is_some() { (named(only)) ": " }
            (only.text)
        } @else {
            (count(group.findings.len() as u64, "host")) ": " (group.cause)
            div {
                @for (at, name) in first.enumerate() { @if at > 0 { ", " } (name) }
                @if group.findings.len() > NAMED { ", …" }
            }
            details {
                summary lang=[words.language] { (words.each_host) }
                ul { @for finding in &group.findings { li { (named(finding)) ": " (finding.text) } } }
            }
        }
    }
}

fn table(report: &Report, name: HostName<'_>) -> Markup {
    let numbers =
        ["New", "Usual", "Changed", "Dupl.", "Near-dupl.", "Failed", "URLs", "Pages", "Size", "Left"];
    let columns: Vec<Column<'_>> = [Column::text("Host")]
        .into_iter()
        .chain(numbers.map(Column::number))
        .chain([Column::text("Template")])
        .collect();
    let of_host = |host: &Host| row(name(&host.name), &host.figures, host.usual, left(host), &template(host));
    let rows: Vec<Vec<Markup>> = report.lively().map(of_host).collect();
    let left = report.hosts.iter().map(left).sum();
    let foot = row(html! { "all hosts" }, &report.totals, None, left, "");
    page::table("Hosts", &columns, &rows, &foot)
}

fn left(host: &Host) -> u64 {
    host.held.iter().map(|held| held.urls).sum()
}

fn row(name: Markup, counts: &GroupedCounts, usual: Option<f64>, left: u64, template: &str) -> Vec<Markup> {
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
        template.to_owned(),
    ];
    [name].into_iter().chain(cells.map(|cell| html! { (cell) })).collect()
}

/// Describes a host's template. Returns `paused` for a paused host.
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
