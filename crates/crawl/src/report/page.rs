//! Renders a report as one HTML file without scripts or external resources. The status page uses parts of
//! this module.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::render::language::{Bilingual, UiLanguage};
use crate::render::page::{self, Column};
use crate::render::text::minute;
use maud::{Markup, html};

use super::data::HostReport;
use super::findings::{Finding, FindingGroup, Grade, as_before, groups};
use super::text::ending;
use super::{GroupedCounts, Report};
use crate::explanation::{explained, explained_hold};

/// The style sheet of [`content`]. Pages also need the general style sheet.
pub const STYLE: &str = include_str!("page.css");

/// Maximum number of hosts named with a cause. A list that the reader can open has all of them.
const NAMED: usize = 8;

/// A function that renders the name of a host, for example as a link.
pub type HostName<'a> = &'a dyn Fn(&str) -> Markup;

/// Returns the English HTML page of a report.
#[must_use]
pub fn page(report: &Report) -> String {
    let status = report.status.label();
    let body = html! {
        main {
            h1 { "Run " (report.run) " " span.status.(status) { (status) } }
            (content(report, &|host| html! { (host) }, UiLanguage::English))
        }
    };
    page::file(&format!("Run {}: {status}", report.run), STYLE, &body)
}

/// Renders a report without its headline. `host` renders the names of hosts. The page needs [`STYLE`].
#[must_use]
pub fn content(report: &Report, host: HostName<'_>, language: UiLanguage) -> Markup {
    html! {
        div.report {
            p { (summary(report, language)) }
            h2 { (language.choose("Findings", "Điều nhận thấy")) }
            (findings(&report.findings, host, language))
            h2 { (language.choose("Hosts", "Trang báo")) }
            (hosts(report, host, language))
            h2 { (language.choose("Reasons", "Lý do")) }
            details {
                summary {
                    (language.choose("Outcomes and remaining URLs by host", "Kết quả và địa chỉ còn lại theo trang báo"))
                }
                @for host in report.active_hosts() { (reasons(host, language)) }
            }
        }
    }
}

fn summary(report: &Report, language: UiLanguage) -> String {
    let (from, to) = (minute(report.started), minute(report.ended));
    let (took, ending) = (language.duration(report.seconds()), ending(report));
    let ending = ending.in_language(language);
    let mut facts = vec![format!(
        "{}: {}",
        language.choose("Documents in the corpus", "Số văn bản trong kho"),
        language.number(report.documents)
    )];
    if let Some(free) = report.free_disk {
        let name = language.choose("free disk space", "đĩa còn trống");
        facts.push(format!("{name}: {}", language.bytes(free)));
    }
    if let Some(due) = report.next_due {
        let name = language.choose("next URL due", "địa chỉ kế tiếp đến hạn lúc");
        facts.push(format!("{name}: {}", minute(due)));
    }
    let facts = facts.join("; ");
    let compared = language.count(report.compared as u64, "earlier run", "lượt trước");
    let resumed = match report.resumed {
        true => language.choose(", resumed after an interruption", ", chạy tiếp sau khi bị ngắt"),
        false => "",
    };
    match language {
        UiLanguage::English => {
            format!("{from} to {to} ({took}{resumed}), {ending}. {facts}. Compared with {compared}.")
        }
        UiLanguage::Vietnamese => {
            format!("Từ {from} đến {to} ({took}{resumed}), {ending}. {facts}. So sánh với {compared}.")
        }
    }
}

/// Renders findings: for each grade a list with one entry per cause. `findings` must be sorted by grade. The
/// lists have the same order. `host` renders the names of hosts.
#[must_use]
pub fn findings(findings: &[Finding], host: HostName<'_>, language: UiLanguage) -> Markup {
    let groups = groups(findings);
    html! {
        @if groups.is_empty() {
            p { (language.choose("Nothing is unusual.", "Không có gì khác thường.")) }
        }
        @for of_grade in groups.chunk_by(|one, other| one.grade == other.grade) {
            @let (class, name) = grade(of_grade[0].grade, of_grade.len(), language);
            div.findings.(class) {
                b { (name) }
                @let (repeated, told): (Vec<_>, Vec<_>) =
                    of_grade.iter().partition(|group| group.is_repeated_note());
                @if !told.is_empty() {
                    ul { @for group in told { li { (of_group(group, host, language)) } } }
                }
                @if !repeated.is_empty() {
                    details {
                        summary {
                            (language.count(repeated.len() as u64, "note", "ghi chú"))
                            (language.choose(" that the last report had too", " như ở báo cáo trước"))
                        }
                        ul { @for group in repeated { li { (of_group(group, host, language)) } } }
                    }
                }
            }
        }
    }
}

/// Returns the CSS class of a grade and the name above its findings.
const fn grade(grade: Grade, causes: usize, language: UiLanguage) -> (&'static str, &'static str) {
    match grade {
        Grade::Note if causes > 1 => ("note", language.choose("notes", "ghi chú")),
        Grade::Note => ("note", language.choose("note", "ghi chú")),
        Grade::Unusual => ("unusual", language.choose("unusual", "khác thường")),
        Grade::Failed => ("failed", language.choose("failed", "thất bại")),
    }
}

fn of_group(group: &FindingGroup<'_>, host: HostName<'_>, language: UiLanguage) -> Markup {
    let named = |finding: &Finding| finding.host.as_deref().map(host).unwrap_or_default();
    let sentence = |finding: &Finding| finding.sentence().in_language(language).to_owned();
    let first = group.findings.iter().take(NAMED).map(|finding| named(finding));
    html! {
        @if let [only] = group.findings[..] {
            @if only.host.is_some() { (named(only)) ": " (sentence(only)) }
            @else { div.sentence { (sentence(only)) } }
        } @else {
            (language.count(group.findings.len() as u64, "host", "trang báo")) ": "
            (group.findings[0].explained_cause().in_language(language))
            div {
                @for (at, name) in first.enumerate() { @if at > 0 { ", " } (name) }
                @if group.findings.len() > NAMED { ", …" }
            }
            details {
                summary { (language.choose("Each host", "Từng trang báo")) }
                ul { @for finding in &group.findings { li { (named(finding)) ": " (sentence(finding)) } } }
            }
        }
        (as_before(group.repeated()).in_language(language))
        @if let Some(next) = &group.findings[0].next {
            div { (language.choose("Next:", "Làm tiếp:")) " " (command(next)) }
        }
    }
}

/// Renders a command that does not break within an option.
fn command(command: &str) -> Markup {
    html! {
        code {
            @for (at, word) in command.split(' ').enumerate() {
                @if at > 0 { " " }
                @if word.starts_with('-') { span.option { (word) } } @else { (word) }
            }
        }
    }
}

/// Renders a table of the hosts, most new documents first, and folds hosts without new, changed or failed
/// pages.
fn hosts(report: &Report, name: HostName<'_>, language: UiLanguage) -> Markup {
    let is_active = |host: &&HostReport| {
        let figures = &host.figures;
        figures.new + figures.revised + figures.failed() > 0 || host.usual.is_some_and(|usual| usual > 0.0)
    };
    let (mut active, quiet): (Vec<&HostReport>, Vec<&HostReport>) =
        report.active_hosts().partition(is_active);
    active.sort_by_key(|host| Reverse((host.figures.new, host.figures.failed())));
    let columns = columns(language);
    let of_host = |host: &&HostReport| {
        let template = template(host).in_language(language).to_owned();
        row(language, name(&host.name), &host.figures, host.usual, left(host), &template)
    };
    let left = report.hosts.iter().map(left).sum();
    let all = html! { (language.choose("all hosts", "mọi trang báo")) };
    let foot = row(language, all, &report.totals, None, left, "");
    let active: Vec<Vec<Markup>> = active.iter().map(of_host).collect();
    let quiet: Vec<Vec<Markup>> = quiet.iter().map(of_host).collect();
    let title = language.choose("Hosts", "Trang báo");
    let without =
        language.choose("without new, changed or failed pages", "không có trang mới, đã sửa hay thất bại");
    html! {
        (page::table(title, &columns, &active, &foot))
        @if !quiet.is_empty() {
            details.quiet-hosts open[active.is_empty()] {
                summary { (language.count(quiet.len() as u64, "host", "trang báo")) " " (without) }
                (page::table(without, &columns, &quiet, &[]))
            }
        }
        p.meaning { (meaning(language)) }
    }
}

const fn meaning(language: UiLanguage) -> &'static str {
    language.choose(
        "Usual: new documents in a usual run. URLs: ended visits. Pages: responses with a body. Received: the size of these bodies. Left: URLs that were due and wait for the next run. The queue on a host's page also counts URLs that are due later.",
        "Thường: số văn bản mới trong một lượt thông thường. Địa chỉ: số lần đọc đã kết thúc. Trang: số phản hồi có nội dung. Đã nhận: dung lượng các nội dung đó. Để lại: địa chỉ đã đến hạn, chờ lượt sau. Hàng đợi ở trang của từng báo tính cả địa chỉ đến hạn muộn hơn.",
    )
}

fn columns(language: UiLanguage) -> Vec<Column<'static>> {
    let numbers = [
        language.choose("New", "Mới"),
        language.choose("Usual", "Thường"),
        language.choose("Changed", "Đã sửa"),
        language.choose("Dupl.", "Trùng"),
        language.choose("Near-dupl.", "Gần trùng"),
        language.choose("Failed", "Thất bại"),
        language.choose("URLs", "Địa chỉ"),
        language.choose("Pages", "Trang"),
        language.choose("Received", "Đã nhận"),
        language.choose("Left", "Để lại"),
    ];
    [Column::text(language.choose("Host", "Trang báo"))]
        .into_iter()
        .chain(numbers.map(Column::number))
        .chain([Column::text(language.choose("Template", "Mẫu trang"))])
        .collect()
}

fn left(host: &HostReport) -> u64 {
    host.held.iter().map(|held| held.urls).sum()
}

fn row(
    language: UiLanguage,
    name: Markup,
    counts: &GroupedCounts,
    usual: Option<f64>,
    left: u64,
    template: &str,
) -> Vec<Markup> {
    let number = |value| language.number(value);
    let cells = [
        usual.map_or_else(|| "–".to_owned(), |usual| format!("{usual:.0}")),
        number(counts.revised),
        number(counts.duplicates),
        number(counts.near_duplicates),
        number(counts.failed()),
        number(counts.visits()),
        number(counts.fetched),
        language.bytes(counts.bytes),
        number(left),
        template.to_owned(),
    ];
    // On a small screen, a card omits a bare 0, but never the number of new documents.
    let new = html! { strong { (number(counts.new)) } };
    [name, new].into_iter().chain(cells.map(|cell| html! { (cell) })).collect()
}

/// Describes a host's template. Returns `paused` for a paused host.
fn template(host: &HostReport) -> Bilingual {
    if host.paused { Bilingual::new("paused", "tạm dừng") } else { host.template.describe() }
}

fn reasons(host: &HostReport, language: UiLanguage) -> Markup {
    let counts = &host.figures;
    let held: BTreeMap<String, u64> = host.held.iter().map(|held| (held.why.clone(), held.urls)).collect();
    let lists = [
        (language.choose("failed", "thất bại"), &counts.failures),
        (language.choose("other outcomes", "kết quả khác"), &counts.others),
        (language.choose("links not followed", "liên kết không theo"), &counts.refused),
    ];
    let shown = |reason: &Bilingual| reason.in_language(language).to_owned();
    html! {
        details {
            summary { (host.name) }
            dl {
                @for (title, list) in lists {
                    @if !list.is_empty() {
                        dt { (title) }
                        @for (reason, count) in list { dd { (language.number(*count)) " " (shown(&explained(reason))) } }
                    }
                }
                @if !held.is_empty() {
                    dt { (language.choose("left for the next run", "để lại cho lượt sau")) }
                    @for (why, urls) in &held { dd { (language.number(*urls)) " " (shown(&explained_hold(why))) } }
                }
                dt { (language.choose("time", "thời gian")) }
                dd { (language.duration(counts.millis / 1000)) }
            }
        }
    }
}
