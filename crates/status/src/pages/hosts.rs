//! Shows the table of hosts. Links sort and filter the table; a script does the same without reloading.

use std::cmp::Ordering;

use gleaner_crawl::HostView;
use gleaner_render::page::wide;
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
            Self::New => asked.say("New per run", "Mới mỗi lượt"),
            Self::Duplicates => asked.say("Duplicates", "Trùng"),
            Self::Failures => asked.say("Failed", "Thất bại"),
            Self::Gap => asked.say("Gap", "Khoảng nghỉ"),
            Self::Template => asked.say("Template", "Mẫu trang"),
            Self::Success => asked.say("Last success", "Lần cuối có bài"),
        }
    }

    /// Whether the first click sorts in ascending order. Names and gaps start with the smallest, all other
    /// columns with the largest.
    const fn is_ascending_first(self) -> bool {
        matches!(self, Self::Name | Self::Gap)
    }

    fn compare(self, one: &HostView, other: &HostView) -> Ordering {
        match self {
            Self::Name => one.record.name.cmp(&other.record.name),
            _ => self.figure(one).cmp(&self.figure(other)),
        }
    }

    /// Returns the sort key of a cell, which the script also uses.
    fn figure(self, host: &HostView) -> u64 {
        match self {
            Self::Name => 0,
            Self::New => new(&newest(host)),
            Self::Duplicates => duplicates(&newest(host)),
            Self::Failures => failures(&newest(host)),
            Self::Gap => u64::try_from(host.gap.as_millis()).unwrap_or(u64::MAX),
            // From worst to best: no template, then an outdated one, then by version.
            Self::Template => match (host.record.template, host.template.is_unwell()) {
                (0, _) => 0,
                (_, true) => 1,
                (version, false) => 1 + u64::from(version),
            },
            Self::Success => host.last_new.map_or(0, |at| u64::try_from(at.as_second()).unwrap_or(0)),
        }
    }
}

/// Parses the requested order: `new` is the column's first order, `-new` the reverse. Returns the column and
/// whether it is ascending.
fn order(asked: &Asked) -> (Sort, bool) {
    let text = asked.get("sort");
    let (is_other, name) = text.strip_prefix('-').map_or((false, text), |name| (true, name));
    let sort = Sort::ALL.into_iter().find(|sort| sort.name() == name).unwrap_or(Sort::Name);
    (sort, sort.is_ascending_first() != is_other)
}

pub(crate) fn page(site: &Site, asked: &Asked, _: &str) -> Result<Made, Fault> {
    let view = site.corpus_view()?;
    let wanted = asked.get("q").to_lowercase();
    let mut hosts: Vec<&HostView> =
        view.hosts.iter().filter(|host| host.record.name.contains(&wanted)).collect();
    let (sort, is_ascending) = order(asked);
    // Hosts with equal values are sorted by name from a to z.
    hosts.sort_by(|one, other| {
        let by = sort.compare(one, other);
        let by = if is_ascending { by } else { by.reverse() };
        by.then_with(|| one.record.name.cmp(&other.record.name))
    });
    let (found, first) = (hosts.len(), (asked.page() - 1) * ON_A_PAGE);
    let shown: Vec<&HostView> = hosts.into_iter().skip(first).take(ON_A_PAGE).collect();
    let content = html! {
        form.filter method="get" role="search" {
            label { (asked.say("Filter", "Lọc"))
                input #filter type="search" name="q" value=(asked.get("q")) placeholder="vnexpress" autocomplete="off";
            }
            @if !asked.get("sort").is_empty() { input type="hidden" name="sort" value=(asked.get("sort")); }
            button type="submit" { (asked.say("Filter", "Lọc")) }
            span.count role="status" { output #count { (found) } " " (asked.say("hosts", "trang báo")) }
        }
        @if view.hosts.is_empty() {
            p.quiet { (asked.say("There are no hosts yet.", "Chưa có trang báo nào.")) }
        } @else {
            (table(asked, &view, &shown, (sort, is_ascending)))
            (super::pager(asked, found > first + ON_A_PAGE))
        }
    };
    Ok(Made::Page(framed(asked, asked.say("Hosts", "Trang báo"), &content)))
}

fn table(asked: &Asked, view: &CorpusView, hosts: &[&HostView], order: (Sort, bool)) -> Markup {
    let table = html! {
        table #hosts data-sorts {
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
    let counts = newest(host);
    let value = |sort: Sort| sort.figure(host);
    html! {
        tr data-name=(host.record.name) {
            th scope="row" data-value=(host.record.name) {
                (host_link(&host.record.name))
                @if host.record.paused { " " span.mark { (asked.say("paused", "tạm dừng")) } }
            }
            td.number.news data-value=(value(Sort::New)) {
                (spark(&view.news(host), asked.say("New documents per run", "Văn bản mới mỗi lượt")))
                span { (number(new(&counts))) }
            }
            td.number data-value=(value(Sort::Duplicates)) { (number(duplicates(&counts))) }
            td.number.bad[failures(&counts) > 0] data-value=(value(Sort::Failures)) { (number(failures(&counts))) }
            td.number data-value=(value(Sort::Gap)) { (format!("{:.1} s", host.gap.as_secs_f64())) }
            td data-value=(value(Sort::Template)) { (template(asked, host)) }
            td data-value=(value(Sort::Success)) { (time(host.last_new)) }
        }
    }
}

/// Shows a template's version and how well it fits.
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
