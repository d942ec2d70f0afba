//! Shows the table of hosts, sorted by new documents. The hosts without new documents are folded. Links sort
//! and filter the table. If JavaScript is available, a script does this without loading the page again.

use std::cmp::Ordering;

use gleaner_crawl::render::page::wide;
use gleaner_crawl::{HostView, RequestState};
use jiff::Timestamp;
use maud::{Markup, html};

use super::{RenderError, Rendered, host_link, layout, time, time_with_zone};
use crate::status::app_state::AppState;
use crate::status::charts::sparkline;
use crate::status::corpus_view::{CorpusView, duplicates, failures, last_counts, new_documents};
use crate::status::language::{Bilingual, UiLanguage};
use crate::status::request::PageRequest;

const PER_PAGE: usize = 500;

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

    const fn head(self, request: &PageRequest) -> &'static str {
        match self {
            Self::Name => request.translate("Host", "Trang báo"),
            Self::New => request.translate("New", "Mới"),
            Self::Duplicates => request.translate("Duplicates", "Trùng"),
            Self::Failures => request.translate("Failed", "Thất bại"),
            Self::Gap => request.translate("Delay", "Khoảng nghỉ"),
            Self::Template => request.translate("Template", "Mẫu trang"),
            Self::Success => request.translate("Last success", "Lần cuối có bài"),
        }
    }

    /// Whether the first click on the column sorts in ascending order.
    const fn is_ascending_first(self) -> bool {
        matches!(self, Self::Name | Self::Gap)
    }

    fn compare(self, one: &HostView, other: &HostView) -> Ordering {
        match self {
            Self::Name => one.record.name.cmp(&other.record.name),
            _ => self.sort_value(one).cmp(&self.sort_value(other)),
        }
    }

    /// Returns the number by which a cell is sorted. The script uses the same number.
    fn sort_value(self, host: &HostView) -> u64 {
        match self {
            Self::Name => 0,
            Self::New => new_documents(&last_counts(host)),
            Self::Duplicates => duplicates(&last_counts(host)),
            Self::Failures => failures(&last_counts(host)),
            Self::Gap => u64::try_from(host.delay.as_millis()).unwrap_or(u64::MAX),
            // From worst to best: no template, an outdated template, then by version.
            Self::Template => match (host.record.template, host.template.needs_attention()) {
                (0, _) => 0,
                (_, true) => 1,
                (version, false) => 1 + u64::from(version),
            },
            Self::Success => host.last_new.map_or(0, |at| u64::try_from(at.as_second()).unwrap_or(0)),
        }
    }
}

/// Parses the requested order. `new` requests the default order of the column "new", and `-new` the reverse
/// order. Returns the column, and whether the order is ascending.
fn order(request: &PageRequest) -> (Sort, bool) {
    let text = request.parameter("sort");
    let (is_other, name) = text.strip_prefix('-').map_or((false, text), |name| (true, name));
    let sort = Sort::ALL.into_iter().find(|sort| sort.name() == name).unwrap_or(Sort::New);
    (sort, sort.is_ascending_first() != is_other)
}

pub(crate) fn page(app: &AppState, request: &PageRequest, _: &str) -> Result<Rendered, RenderError> {
    let view = app.corpus_view()?;
    let name_part = request.parameter("q").to_lowercase();
    let (with_new, without_new): (Vec<&HostView>, Vec<&HostView>) = sorted(request, &view, &name_part)
        .into_iter()
        .partition(|host| view.new_documents_by_run(host).iter().any(|new| *new > 0));
    let (found, count, count_without) =
        (with_new.len() + without_new.len(), with_new.len(), without_new.len());
    let first = (request.page_number() - 1) * PER_PAGE;
    let with_new: Vec<&HostView> = with_new.into_iter().skip(first).take(PER_PAGE).collect();
    let rest = (first.saturating_sub(count), PER_PAGE - with_new.len());
    let without_new: Vec<&HostView> = without_new.into_iter().skip(rest.0).take(rest.1).collect();
    let content = html! {
        (filter(request, found))
        @if view.hosts.is_empty() {
            p.quiet { (request.translate("There are no hosts yet.", "Chưa có trang báo nào.")) }
        }
        @if !with_new.is_empty() {
            (table(request, &view, &with_new))
            p.faint { (request.translate(
                "The bars are the new documents of the last 14 runs, the last run at the right. Each host has its own scale; its largest number is beside the bars.",
                "Các cột là số văn bản mới của 14 lượt gần nhất, lượt cuối ở bên phải. Mỗi trang báo có thang riêng; số lớn nhất ghi cạnh các cột.",
            )) }
        }
        (folded_table(request, &without_new, count_without, !name_part.is_empty() || (with_new.is_empty() && first == 0)))
        (super::pager(request, found > first + PER_PAGE))
    };
    Ok(Rendered::Page(layout(request, request.translate("Hosts", "Trang báo"), &content)))
}

fn sorted<'a>(request: &PageRequest, view: &'a CorpusView, name_part: &str) -> Vec<&'a HostView> {
    let mut hosts: Vec<&HostView> =
        view.hosts.iter().filter(|host| host.record.name.contains(name_part)).collect();
    let (sort, is_ascending) = order(request);
    // Hosts with equal values are sorted by name.
    hosts.sort_by(|one, other| {
        let by = sort.compare(one, other);
        let by = if is_ascending { by } else { by.reverse() };
        by.then_with(|| one.record.name.cmp(&other.record.name))
    });
    hosts
}

fn filter(request: &PageRequest, found: usize) -> Markup {
    html! {
        form.filter method="get" role="search" {
            label { (request.translate("Filter", "Lọc"))
                input #filter type="search" name="q" value=(request.parameter("q")) placeholder="vnexpress" autocomplete="off";
            }
            @if !request.parameter("sort").is_empty() { input type="hidden" name="sort" value=(request.parameter("sort")); }
            button type="submit" { (request.translate("Filter", "Lọc")) }
            span.count role="status" { output #count { (found) } " " (request.translate("hosts", "trang báo")) }
        }
    }
}

/// Shows those hosts without new documents that are on this page of the list, and the count of all hosts
/// without new documents.
fn folded_table(request: &PageRequest, hosts: &[&HostView], count: usize, is_open: bool) -> Markup {
    let columns = [
        request.translate("Host", "Trang báo"),
        request.translate("Requests", "Yêu cầu"),
        request.translate("Failed", "Thất bại"),
        request.translate("Queue", "Hàng đợi"),
        request.translate("Template", "Mẫu trang"),
    ];
    let row = |host: &HostView| {
        html! {
            tr data-name=(host.record.name) {
                th scope="row" { (host_link(&host.record.name)) }
                td data-label=(columns[1]) { (request_state(request, host)) }
                td.number data-label=(columns[2]) { (request.language.number(failures(&last_counts(host)))) }
                td.number data-label=(columns[3]) { (request.language.number(host.record.queued)) }
                td data-label=(columns[4]) { (template(request, host)) }
            }
        }
    };
    let table = html! {
        table.cards data-filtered {
            caption.hidden { (request.translate("Hosts without new documents", "Các trang báo không có văn bản mới")) }
            thead { tr { @for (at, title) in columns.iter().enumerate() {
                th.number[at == 2 || at == 3] scope="col" { (title) }
            } } }
            tbody { @for host in hosts { (row(host)) } }
        }
    };
    html! {
        @if !hosts.is_empty() {
            details #silent open[is_open] {
                summary { (summary(request.language, hosts.len(), count)) }
                (wide(request.translate("Hosts without new documents", "Các trang báo không có văn bản mới"), &table))
            }
        }
    }
}

/// Shows whether a host may be requested now and, if not, why.
pub(crate) fn request_state(request: &PageRequest, host: &HostView) -> Markup {
    let state = host.request_state(Timestamp::now());
    let vietnamese = match state {
        RequestState::Removed => "đã xóa khỏi kho ngữ liệu",
        RequestState::Paused => "tạm dừng",
        RequestState::OutOfScope => "không nằm trong các trang cần thu thập",
        RequestState::RobotsUnreachable => "không đọc được robots.txt",
        RequestState::Disallowed => "bị robots.txt cấm",
        RequestState::Held(until) => {
            return html! { (request.translate("held until", "ngừng đến")) " " (time_with_zone(until)) };
        }
        RequestState::NotRequested => "chưa yêu cầu lần nào",
        RequestState::Failing => "mọi yêu cầu đều thất bại",
        RequestState::Open => "được phép",
    };
    let state = Bilingual::new(state.to_string(), vietnamese);
    html! { (state.in_language(request.language)) }
}

/// Counts the hosts without new documents, and those of them that this page of the list shows.
fn summary(language: UiLanguage, shown: usize, count: usize) -> String {
    let number = |count: usize| language.number(count as u64);
    let hosts = language.choose(
        "hosts without new documents in the last 14 runs",
        "trang báo không có văn bản mới trong 14 lượt gần nhất",
    );
    if shown == count {
        return format!("{} {hosts}", number(count));
    }
    format!("{} {hosts}, {} {}", number(count), number(shown), language.choose("on this page", "ở trang này"))
}

fn table(request: &PageRequest, view: &CorpusView, hosts: &[&HostView]) -> Markup {
    let order = order(request);
    let table = html! {
        table.cards #hosts data-sorts data-filtered {
            caption.hidden { (request.translate(
                "Hosts with the figures of the last run; select a column head to sort by it",
                "Các trang báo với số liệu của lượt gần nhất; bấm đầu cột để sắp xếp",
            )) }
            thead { tr { @for sort in Sort::ALL { (head(request, sort, order)) } } }
            tbody { @for host in hosts { (row(request, view, host)) } }
        }
    };
    wide(request.translate("Hosts", "Trang báo"), &table)
}

fn head(request: &PageRequest, sort: Sort, (by, is_ascending): (Sort, bool)) -> Markup {
    let is_by = sort == by;
    let is_first_order = sort.is_ascending_first() == is_ascending;
    let other = if is_by && is_first_order { format!("-{}", sort.name()) } else { sort.name().to_owned() };
    let state = is_by.then_some(if is_ascending { "ascending" } else { "descending" });
    let first = if sort.is_ascending_first() { "ascending" } else { "descending" };
    let is_number = !matches!(sort, Sort::Name | Sort::Template | Sort::Success);
    html! {
        th.number[is_number] scope="col" aria-sort=[state] data-first=(first) {
            a href=(request.with_parameters(&[("sort", &other), ("page", "")])) { (sort.head(request)) }
        }
    }
}

fn row(request: &PageRequest, view: &CorpusView, host: &HostView) -> Markup {
    let number = |value| request.language.number(value);
    let (counts, news) = (last_counts(host), view.new_documents_by_run(host));
    let value = |sort: Sort| sort.sort_value(host);
    let label = |sort: Sort| sort.head(request);
    html! {
        tr data-name=(host.record.name) {
            th scope="row" data-value=(host.record.name) {
                (host_link(&host.record.name))
                @if host.record.paused { " " span.mark { (request.translate("paused", "tạm dừng")) } }
            }
            td.number.news.whole data-label=(label(Sort::New)) data-value=(value(Sort::New)) {
                span.most { (number(news.iter().copied().max().unwrap_or_default())) }
                (sparkline(&news, request.translate("New documents per run", "Văn bản mới mỗi lượt")))
                strong { (number(new_documents(&counts))) }
            }
            td.number.nothing[duplicates(&counts) == 0] data-label=(label(Sort::Duplicates)) data-value=(value(Sort::Duplicates)) { (number(duplicates(&counts))) }
            td.number.bad[failures(&counts) > 0].nothing[failures(&counts) == 0] data-label=(label(Sort::Failures)) data-value=(value(Sort::Failures)) { (number(failures(&counts))) }
            td.number data-label=(label(Sort::Gap)) data-value=(value(Sort::Gap)) { (format!("{:.1} s", host.delay.as_secs_f64())) }
            td data-label=(label(Sort::Template)) data-value=(value(Sort::Template)) { (template(request, host)) }
            td data-label=(label(Sort::Success)) data-value=(value(Sort::Success)) { (time(host.last_new)) }
        }
    }
}

/// Shows the version of a host's template, and how well it fits the host's pages.
pub(crate) fn template(request: &PageRequest, host: &HostView) -> Markup {
    let (unlike, of) = (host.template.unlike, host.template.watched);
    html! {
        @match host.record.template {
            0 => span.faint { (request.translate("none yet", "chưa có")) },
            version => {
                "v" (version) " "
                @if host.record.outdated {
                    span.health.sick { (request.translate("out of date", "lỗi thời")) }
                } @else if of == 0 || unlike == 0 {
                    span.health.well { (request.translate("fits", "khớp")) }
                } @else {
                    span.health.sick[host.template.needs_attention()] { (of - unlike) "/" (of) " " (request.translate("fit", "khớp")) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_hosts_without_new_documents_are_counted() {
        let hosts = "hosts without new documents in the last 14 runs";
        assert_eq!(summary(UiLanguage::English, 494, 494), format!("494 {hosts}"));
        assert_eq!(summary(UiLanguage::English, 57, 1_494), format!("1,494 {hosts}, 57 on this page"));
    }
}
