//! Shows the table of hosts, sorted by new documents, and folds the hosts without new documents. Links sort
//! and filter the table. With JavaScript, a script does this without loading the page again.

use std::cmp::Ordering;

use gleaner_crawl::HostView;
use gleaner_render::page::wide;
use jiff::Timestamp;
use maud::{Markup, html};

use super::{Fault, Made, framed, host_link, time};
use crate::asked::Asked;
use crate::corpus_view::{CorpusView, duplicates, failures, new, newest};
use crate::pictures::spark;
use crate::site::Site;

const ON_A_PAGE: usize = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Name,
    New,
    Duplicates,
    Failures,
    Gap,
    Template,
    Success,
}

impl Sort {
    const ALL: [Self; 7] =
        [Self::Name, Self::New, Self::Duplicates, Self::Failures, Self::Gap, Self::Template, Self::Success];

    const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::New => "new",
            Self::Duplicates => "duplicates",
            Self::Failures => "failures",
            Self::Gap => "gap",
            Self::Template => "template",
            Self::Success => "success",
        }
    }

    const fn head(self, asked: &Asked) -> &'static str {
        match self {
            Self::Name => asked.say("Host", "Trang báo"),
            Self::New => asked.say("New", "Mới"),
            Self::Duplicates => asked.say("Duplicates", "Trùng"),
            Self::Failures => asked.say("Failed", "Thất bại"),
            Self::Gap => asked.say("Gap", "Khoảng nghỉ"),
            Self::Template => asked.say("Template", "Mẫu trang"),
            Self::Success => asked.say("Last success", "Lần cuối có bài"),
        }
    }

    /// Whether the first click on the column sorts in ascending order.
    const fn is_ascending_first(self) -> bool {
        matches!(self, Self::Name | Self::Gap)
    }

    fn compare(self, one: &HostView, other: &HostView) -> Ordering {
        match self {
            Self::Name => one.record.name.cmp(&other.record.name),
            _ => self.figure(one).cmp(&self.figure(other)),
        }
    }

    /// Returns the number by which a cell is sorted. The script uses the same number.
    fn figure(self, host: &HostView) -> u64 {
        match self {
            Self::Name => 0,
            Self::New => new(&newest(host)),
            Self::Duplicates => duplicates(&newest(host)),
            Self::Failures => failures(&newest(host)),
            Self::Gap => u64::try_from(host.gap.as_millis()).unwrap_or(u64::MAX),
            // From worst to best: no template, an outdated template, then by version.
            Self::Template => match (host.record.template, host.template.is_unwell()) {
                (0, _) => 0,
                (_, true) => 1,
                (version, false) => 1 + u64::from(version),
            },
            Self::Success => host.last_new.map_or(0, |at| u64::try_from(at.as_second()).unwrap_or(0)),
        }
    }
}

/// Parses the requested order. `new` requests the default order of the column "new", and `-new` the reverse.
/// Returns the column and whether the order is ascending.
fn order(asked: &Asked) -> (Sort, bool) {
    let text = asked.get("sort");
    let (is_other, name) = text.strip_prefix('-').map_or((false, text), |name| (true, name));
    let sort = Sort::ALL.into_iter().find(|sort| sort.name() == name).unwrap_or(Sort::New);
    (sort, sort.is_ascending_first() != is_other)
}

pub(crate) fn page(site: &Site, asked: &Asked, _: &str) -> Result<Made, Fault> {
    let view = site.corpus_view()?;
    let wanted = asked.get("q").to_lowercase();
    let (active, silent): (Vec<&HostView>, Vec<&HostView>) = sorted(asked, &view, &wanted)
        .into_iter()
        .partition(|host| view.news(host).iter().any(|new| *new > 0));
    let (found, count) = (active.len() + silent.len(), active.len());
    let first = (asked.page() - 1) * ON_A_PAGE;
    let active: Vec<&HostView> = active.into_iter().skip(first).take(ON_A_PAGE).collect();
    let rest = (first.saturating_sub(count), ON_A_PAGE - active.len());
    let silent: Vec<&HostView> = silent.into_iter().skip(rest.0).take(rest.1).collect();
    let content = html! {
        (filter(asked, found))
        @if view.hosts.is_empty() {
            p.quiet { (asked.say("There are no hosts yet.", "Chưa có trang báo nào.")) }
        }
        @if !active.is_empty() {
            (table(asked, &view, &active))
            p.faint { (asked.say(
                "The bars are the new documents of the last 14 runs, the last run at the right. Each host has its own scale; its largest number is beside the bars.",
                "Các cột là số văn bản mới của 14 lượt gần nhất, lượt cuối ở bên phải. Mỗi trang báo có thang riêng; số lớn nhất ghi cạnh các cột.",
            )) }
        }
        (folded(asked, &silent, !wanted.is_empty() || (active.is_empty() && first == 0)))
        (super::pager(asked, found > first + ON_A_PAGE))
    };
    Ok(Made::Page(framed(asked, asked.say("Hosts", "Trang báo"), &content)))
}

fn sorted<'a>(asked: &Asked, view: &'a CorpusView, wanted: &str) -> Vec<&'a HostView> {
    let mut hosts: Vec<&HostView> =
        view.hosts.iter().filter(|host| host.record.name.contains(wanted)).collect();
    let (sort, is_ascending) = order(asked);
    // Hosts with equal values are sorted by name.
    hosts.sort_by(|one, other| {
        let by = sort.compare(one, other);
        let by = if is_ascending { by } else { by.reverse() };
        by.then_with(|| one.record.name.cmp(&other.record.name))
    });
    hosts
}

fn filter(asked: &Asked, found: usize) -> Markup {
    html! {
        form.filter method="get" role="search" {
            label { (asked.say("Filter", "Lọc"))
                input #filter type="search" name="q" value=(asked.get("q")) placeholder="vnexpress" autocomplete="off";
            }
            @if !asked.get("sort").is_empty() { input type="hidden" name="sort" value=(asked.get("sort")); }
            button type="submit" { (asked.say("Filter", "Lọc")) }
            span.count role="status" { output #count { (found) } " " (asked.say("hosts", "trang báo")) }
        }
    }
}

fn folded(asked: &Asked, hosts: &[&HostView], is_open: bool) -> Markup {
    let now = Timestamp::now();
    let columns = [
        asked.say("Host", "Trang báo"),
        asked.say("Requests", "Yêu cầu"),
        asked.say("Failed", "Thất bại"),
        asked.say("Queue", "Hàng đợi"),
        asked.say("Template", "Mẫu trang"),
    ];
    let row = |host: &HostView| {
        html! {
            tr data-name=(host.record.name) {
                th scope="row" { (host_link(&host.record.name)) }
                td data-label=(columns[1]) lang="en" { (host.request_state(now)) }
                td.number data-label=(columns[2]) { (asked.language.number(failures(&newest(host)))) }
                td.number data-label=(columns[3]) { (asked.language.number(host.record.queued)) }
                td data-label=(columns[4]) { (template(asked, host)) }
            }
        }
    };
    let table = html! {
        table.cards data-filtered {
            caption.hidden { (asked.say("Hosts without new documents", "Các trang báo không có văn bản mới")) }
            thead { tr { @for (at, title) in columns.iter().enumerate() {
                th.number[at == 2 || at == 3] scope="col" { (title) }
            } } }
            tbody { @for host in hosts { (row(host)) } }
        }
    };
    html! {
        @if !hosts.is_empty() {
            details #silent open[is_open] {
                summary { (asked.language.number(hosts.len() as u64)) " " (asked.say(
                    "hosts without new documents in the last 14 runs",
                    "trang báo không có văn bản mới trong 14 lượt gần nhất",
                )) }
                (wide(asked.say("Hosts without new documents", "Các trang báo không có văn bản mới"), &table))
            }
        }
    }
}

fn table(asked: &Asked, view: &CorpusView, hosts: &[&HostView]) -> Markup {
    let order = order(asked);
    let table = html! {
        table.cards #hosts data-sorts data-filtered {
            caption.hidden { (asked.say(
                "Hosts with the figures of the last run; select a column head to sort by it",
                "Các trang báo với số liệu của lượt gần nhất; bấm đầu cột để sắp xếp",
            )) }
            thead { tr { @for sort in Sort::ALL { (head(asked, sort, order)) } } }
            tbody { @for host in hosts { (row(asked, view, host)) } }
        }
    };
    wide(asked.say("Hosts", "Trang báo"), &table)
}

fn head(asked: &Asked, sort: Sort, (by, is_ascending): (Sort, bool)) -> Markup {
    let is_by = sort == by;
    let is_first_order = sort.is_ascending_first() == is_ascending;
    let other = if is_by && is_first_order { format!("-{}", sort.name()) } else { sort.name().to_owned() };
    let state = is_by.then_some(if is_ascending { "ascending" } else { "descending" });
    let first = if sort.is_ascending_first() { "ascending" } else { "descending" };
    let is_number = !matches!(sort, Sort::Name | Sort::Template | Sort::Success);
    html! {
        th.number[is_number] scope="col" aria-sort=[state] data-first=(first) {
            a href=(asked.with(&[("sort", &other), ("page", "")])) { (sort.head(asked)) }
        }
    }
}

fn row(asked: &Asked, view: &CorpusView, host: &HostView) -> Markup {
    let number = |value| asked.language.number(value);
    let (counts, news) = (newest(host), view.news(host));
    let value = |sort: Sort| sort.figure(host);
    let label = |sort: Sort| sort.head(asked);
    html! {
        tr data-name=(host.record.name) {
            th scope="row" data-value=(host.record.name) {
                (host_link(&host.record.name))
                @if host.record.paused { " " span.mark { (asked.say("paused", "tạm dừng")) } }
            }
            td.number.news.whole data-label=(label(Sort::New)) data-value=(value(Sort::New)) {
                span.most { (number(news.iter().copied().max().unwrap_or_default())) }
                (spark(&news, asked.say("New documents per run", "Văn bản mới mỗi lượt")))
                strong { (number(new(&counts))) }
            }
            td.number data-label=(label(Sort::Duplicates)) data-value=(value(Sort::Duplicates)) { (number(duplicates(&counts))) }
            td.number.bad[failures(&counts) > 0] data-label=(label(Sort::Failures)) data-value=(value(Sort::Failures)) { (number(failures(&counts))) }
            td.number data-label=(label(Sort::Gap)) data-value=(value(Sort::Gap)) { (format!("{:.1} s", host.gap.as_secs_f64())) }
            td data-label=(label(Sort::Template)) data-value=(value(Sort::Template)) { (template(asked, host)) }
            td data-label=(label(Sort::Success)) data-value=(value(Sort::Success)) { (time(host.last_new)) }
        }
    }
}

/// Shows the version of a host's template, and how well it fits the host's pages.
pub(crate) fn template(asked: &Asked, host: &HostView) -> Markup {
    let (unlike, of) = (host.template.unlike, host.template.watched);
    html! {
        @match host.record.template {
            0 => span.faint { (asked.say("none yet", "chưa có")) },
            version => {
                "v" (version) " "
                @if host.record.outdated {
                    span.health.sick { (asked.say("out of date", "lỗi thời")) }
                } @else if of == 0 || unlike == 0 {
                    span.health.well { (asked.say("fits", "khớp")) }
                } @else {
                    span.health.sick[host.template.is_unwell()] { (of - unlike) "/" (of) " " (asked.say("fit", "khớp")) }
                }
            }
        }
    }
}
