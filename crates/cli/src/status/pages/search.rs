//! Searches the corpus by words, host, language and days. Links narrow or download the result.

use std::sync::atomic::Ordering;

use gleaner_corpus::Document;
use jiff::civil::Date;
use maud::{Markup, html};

use super::{RenderError, Rendered, host_link, layout};
use crate::status::app_state::AppState;
use crate::status::download::MAX_DOCUMENTS;
use crate::status::request::PageRequest;
use crate::status::search::snippet::snippet;
use crate::status::search::{Facets, SearchQuery};

const PER_PAGE: usize = 20;

/// Returns the query that a request contains, or an error message if a day is invalid.
pub(crate) fn parse_query(request: &PageRequest) -> Result<SearchQuery, &'static str> {
    let day = |name| match request.parameter(name) {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            request.translate(
                "Invalid day; write it as 2026-11-22.",
                "Ngày không hợp lệ; hãy viết như 2026-11-22.",
            )
        }),
    };
    Ok(SearchQuery {
        words: request.parameter("q").to_owned(),
        host: request.parameter("host").to_owned(),
        language: request.parameter("language").to_owned(),
        from: day("from")?,
        to: day("to")?,
    })
}

pub(crate) fn page(app: &AppState, request: &PageRequest, _: &str) -> Result<Rendered, RenderError> {
    let title = request.translate("Search", "Tìm kiếm");
    let query = match parse_query(request) {
        Ok(query) => query,
        Err(message) => return Ok(invalid(request, &SearchQuery::default(), message)),
    };
    if query.from.zip(query.to).is_some_and(|(from, to)| from > to) {
        let message = request.translate("“From” is after “To”.", "“Từ ngày” muộn hơn “Đến ngày”.");
        return Ok(invalid(request, &query, message));
    }
    let skip = (request.page_number() - 1) * PER_PAGE;
    let found = app.search.find(&query, skip, PER_PAGE)?;
    let facets = app.search.facets(&query)?;
    let mut documents = Vec::new();
    for id in &found.ids {
        // A document can be missing because it was removed after the last index update.
        documents.extend(app.corpus.store.document(*id)?);
    }
    let content = html! {
        (form(request, &query))
        (summary(app, request, found.count))
        div.faceted {
            (narrow(request, &query, &facets))
            div {
                @if found.count == 0 { p.quiet { (nothing_yet(app, request)?) } }
                ol.results start=(skip + 1) { @for document in &documents { (result(document, &query)) } }
                (super::pager(request, found.count > skip + PER_PAGE))
            }
        }
    };
    Ok(Rendered::Page(layout(request, title, &content)))
}

fn invalid(request: &PageRequest, query: &SearchQuery, message: &str) -> Rendered {
    let content = html! { (form(request, query)) p role="alert" { (message) } };
    Rendered::Page(layout(request, request.translate("Search", "Tìm kiếm"), &content))
}

fn nothing_yet(app: &AppState, request: &PageRequest) -> Result<&'static str, RenderError> {
    Ok(if app.search.is_updating.load(Ordering::Relaxed) {
        request.translate("The index is still being built.", "Chỉ mục đang được lập.")
    } else if app.monitor.running().is_some() || app.corpus_view()?.workers_crawl() {
        request.translate(
            "Nothing found. Documents of a running crawl can be found after it ends.",
            "Không tìm thấy gì. Văn bản của lượt đang chạy sẽ tìm được sau khi lượt kết thúc.",
        )
    } else {
        request.translate("Nothing found.", "Không tìm thấy gì.")
    })
}

fn form(request: &PageRequest, query: &SearchQuery) -> Markup {
    let day = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
    html! {
        form.filter method="get" role="search" {
            label.grow { (request.translate("Words", "Từ"))
                input type="search" name="q" value=(query.words) placeholder="hoa binh, \"hòa bình\"";
            }
            label { (request.translate("Host", "Trang báo")) input type="text" name="host" value=(query.host) autocapitalize="off"; }
            label { (request.translate("From", "Từ ngày")) input type="date" name="from" value=(day(query.from)); }
            label { (request.translate("To", "Đến ngày")) input type="date" name="to" value=(day(query.to)); }
            @if !query.language.is_empty() { input type="hidden" name="language" value=(query.language); }
            button type="submit" { (request.translate("Search", "Tìm")) }
        }
    }
}

fn summary(app: &AppState, request: &PageRequest, found: usize) -> Markup {
    let number = |value: usize| request.language.number(value as u64);
    html! {
        div.summary {
            span role="status" {
                strong { (number(found)) } " " (request.translate("documents", "văn bản"))
                @if app.search.is_updating.load(Ordering::Relaxed) {
                    " " span.mark { (request.translate("the index is being updated", "chỉ mục đang được cập nhật")) }
                }
            }
            @if found > 0 {
                a.button href=(request.path_with_parameters("/search.jsonl", &[("page", "")])) download {
                    (request.translate("Export as JSON Lines", "Xuất JSON Lines"))
                    @if found > MAX_DOCUMENTS { " (" (request.translate("the first", "phần đầu:")) " " (number(MAX_DOCUMENTS)) ")" }
                }
            }
        }
    }
}

/// Shows the active filters with links that remove them, and the facets with links that narrow the result.
fn narrow(request: &PageRequest, query: &SearchQuery, facets: &Facets) -> Markup {
    let to = |changes: &[(&str, &str)]| request.with_parameters(&[changes, &[("page", "")]].concat());
    let month = |first: &Date| {
        let (from, until) = (first.to_string(), first.last_of_month().to_string());
        (first.strftime("%Y-%m").to_string(), to(&[("from", &from), ("to", &until)]))
    };
    let languages =
        facets.languages.values.iter().map(|(tag, count)| ((tag.clone(), to(&[("language", tag)])), *count));
    let hosts =
        facets.hosts.values.iter().map(|(host, count)| ((host.clone(), to(&[("host", host)])), *count));
    let months = facets.months.values.iter().map(|(first, count)| (month(first), *count));
    let used = [
        ("language", query.language.clone()),
        ("host", query.host.clone()),
        ("from", query.from.map(|day| format!("≥ {day}")).unwrap_or_default()),
        ("to", query.to.map(|day| format!("≤ {day}")).unwrap_or_default()),
    ];
    html! {
        nav.facets aria-label=(request.translate("Narrow the result", "Thu hẹp kết quả")) {
            @if used.iter().any(|(_, value)| !value.is_empty()) {
                ul.chips { @for (name, value) in used.iter().filter(|(_, value)| !value.is_empty()) {
                    li { a href=(to(&[(name, "")])) { (value) " ×" span.hidden { " " (request.translate("remove", "bỏ")) } } }
                } }
            }
            (facet(request, request.translate("Language", "Ngôn ngữ"), languages.collect(), facets.languages.rest))
            (facet(request, request.translate("Host", "Trang báo"), hosts.collect(), facets.hosts.rest))
            (facet(request, request.translate("Month", "Tháng"), months.collect(), facets.months.rest))
        }
    }
}

/// Shows a facet: each value as a link with its count, and the count of all other documents.
fn facet(request: &PageRequest, name: &str, values: Vec<((String, String), u64)>, rest: u64) -> Markup {
    html! {
        @if !values.is_empty() {
            section {
                h2 { (name) }
                ul { @for ((value, address), count) in &values {
                    li { a href=(address) { (value) } " " span.faint { (request.language.number(*count)) } }
                } }
                @if rest > 0 { p.faint { (request.translate("others:", "khác:")) " " (request.language.number(rest)) } }
            }
        }
    }
}

fn result(document: &Document, query: &SearchQuery) -> Markup {
    let day = document.published.as_deref().and_then(|text| text.get(..10));
    html! {
        li {
            a href={ "/documents/" (document.id) } lang=(document.language) { (super::document::title(document)) }
            div.faint { (host_link(&document.host)) @if let Some(day) = day { " · " (day) } " · " (document.language) }
            p.snippet lang=(document.language) {
                @for (piece, is_wanted) in snippet(&document.text, &query.words) {
                    @if is_wanted { mark { (piece) } } @else { (piece) }
                }
                " …"
            }
        }
    }
}
