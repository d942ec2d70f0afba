//! Shows how often the words of a search occur by month, year, host, language or section.

use gleaner_crawl::render::page::{Column, table};
use maud::{Markup, html};

use super::{links, narrowed, nothing, updating};
use crate::status::app_state::AppState;
use crate::status::charts::{Bar, ChartFrame, area, axis_top, axis_top_of_bars, bars, share_bar};
use crate::status::request::PageRequest;
use crate::status::search::{Frequency, Grouping, SearchError, SearchQuery, with_all_months};

/// Maximum number of months or years in a chart. The latest are shown.
const MAX_BARS: usize = 60;

const MAX_ROWS: usize = 500;

pub(super) const fn name(request: &PageRequest, grouping: Grouping) -> &'static str {
    match grouping {
        Grouping::Month => request.translate("Month", "Tháng"),
        Grouping::Year => request.translate("Year", "Năm"),
        Grouping::Host => request.translate("Host", "Trang báo"),
        Grouping::Language => request.translate("Language", "Ngôn ngữ"),
        Grouping::Section => request.translate("Section", "Chuyên mục"),
    }
}

pub(super) fn view(
    app: &AppState,
    request: &PageRequest,
    query: &SearchQuery,
) -> Result<Markup, SearchError> {
    let is_it = |grouping: &Grouping| grouping.name() == request.parameter("by");
    let grouping = Grouping::ALL.into_iter().find(is_it).unwrap_or(Grouping::Month);
    let counts = app.search.frequencies(query, &[grouping])?.remove(0);
    let has_words = !query.phrases.is_empty();
    let total = Frequency::total(&counts);
    let choices = Grouping::ALL
        .map(|one| (name(request, one), request.with_parameters(&[("by", one.name())]), one == grouping));
    Ok(html! {
        div.summary {
            span role="status" { (summary(request, &total, has_words)) (updating(app, request)) }
            (links(request.translate("Count by", "Đếm theo"), choices))
        }
        @if total.found == 0 { (nothing(app, request)?) }
        @if total.found > 0 && grouping.is_time() { (charts(request, grouping, &counts, has_words)) }
        @if total.found > 0 { (rows(request, grouping, &counts, &total, has_words)) }
        @if counts.len() > MAX_ROWS {
            p.faint {
                (request.translate("Further groups are not shown:", "Số nhóm không hiển thị:"))
                " " (request.language.number((counts.len() - MAX_ROWS) as u64))
            }
        }
        @if has_words {
            p.faint { (request.translate(
                "A million words: of the titles and texts of all documents of the same group that meet the other conditions. Near-duplicates count, too.",
                "Một triệu từ: của tiêu đề và nội dung mọi văn bản cùng nhóm thỏa các điều kiện khác. Văn bản gần trùng cũng được tính.",
            )) }
        }
    })
}

fn summary(request: &PageRequest, total: &Frequency, has_words: bool) -> Markup {
    html! {
        @if has_words {
            strong { (request.language.count(total.hits, "hit", "lần xuất hiện")) } " " (request.translate("in", "trong")) " "
        }
        (request.language.count(total.found, "document", "văn bản"))
        @if has_words {
            " · " (request.language.notation().decimal(total.per_million())) " "
            (request.translate("in a million words", "trong một triệu từ"))
        }
    }
}

fn charts(request: &PageRequest, grouping: Grouping, counts: &[Frequency], has_words: bool) -> Markup {
    let counts = with_all_months(grouping, counts, MAX_BARS);
    let x: Vec<String> = counts.iter().map(|count| count.group.clone()).collect();
    let notation = request.language.notation();
    let shown = |count: &Frequency| if has_words { count.hits } else { count.found };
    let bar = |count: &Frequency| Bar {
        label: format!("{}: {}", count.group, notation.number(shown(count))),
        parts: vec![("new", shown(count))],
    };
    let all: Vec<Bar> = counts.iter().map(bar).collect();
    let title = match has_words {
        true => request.translate("Hits", "Số lần xuất hiện"),
        false => request.translate("Documents", "Số văn bản"),
    };
    let frame = |title, top, x, labels_positions| ChartFrame {
        title,
        top,
        x,
        labels_positions,
        legend: html! {},
        notation,
    };
    let shares: Vec<f64> = counts.iter().map(Frequency::per_million).collect();
    let ends: Vec<String> = x.first().into_iter().chain(x.last().filter(|_| x.len() > 1)).cloned().collect();
    let top = axis_top(shares.iter().copied().fold(0.0, f64::max));
    let per_million = request.translate("Hits in a million words", "Số lần trong một triệu từ");
    html! {
        div.charts {
            (bars(&frame(title, axis_top_of_bars(&all), &x, true), &all))
            @if has_words && counts.len() > 1 { (area(&frame(per_million, top, &ends, false), &shares)) }
        }
    }
}

fn rows(
    request: &PageRequest,
    grouping: Grouping,
    counts: &[Frequency],
    total: &Frequency,
    has_words: bool,
) -> Markup {
    let text = |text| Column::text(text);
    let mut columns = vec![
        text(name(request, grouping)),
        Column::number(request.translate("Hits", "Lần xuất hiện")),
        Column::number(request.translate("In a million words", "Trong một triệu từ")),
        text(request.translate("Compared", "So sánh")),
        Column::number(request.translate("Documents with hits", "Văn bản có từ tìm")),
        Column::number(request.translate("All documents", "Mọi văn bản")),
        Column::number(request.translate("All words", "Mọi từ")),
    ];
    let most = counts.iter().map(Frequency::per_million).fold(0.0, f64::max);
    let row = |count: &Frequency, first: Markup, bar: Markup| {
        let number = |value: u64| html! { (request.language.number(value)) };
        let per_million = html! { (request.language.notation().decimal(count.per_million())) };
        let cells = [number(count.hits), per_million, bar, number(count.found)];
        let kept = if has_words { cells.into_iter().collect() } else { Vec::new() };
        let all = [number(count.documents), number(count.words)];
        [vec![first], kept, all.into()].concat()
    };
    if !has_words {
        columns.drain(1..5);
    }
    let rows: Vec<Vec<Markup>> = counts
        .iter()
        .take(MAX_ROWS)
        .map(|count| {
            let share = if most > 0.0 { count.per_million() / most } else { 0.0 };
            let bar = if count.hits > 0 {
                share_bar(share)
            } else {
                html! {}
            };
            row(count, group(request, grouping, &count.group), bar)
        })
        .collect();
    let foot = row(total, html! { (request.translate("Total", "Tổng")) }, html! {});
    table(request.translate("Frequencies", "Tần suất"), &columns, &rows, &foot)
}

/// Shows a group as a link that narrows the search to it, if there is such a condition.
fn group(request: &PageRequest, grouping: Grouping, group: &str) -> Markup {
    let narrowed = || narrowed(request, grouping, group, &["page", "view", "by"]);
    html! {
        @if group.is_empty() { span.faint { "–" } }
        @else if grouping == Grouping::Section { (group) }
        @else { a href=(narrowed()) { (group) } }
    }
}
