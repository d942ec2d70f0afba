//! Shows the documents of a search, best first, and links that narrow the result.

use std::cmp::Reverse;

use gleaner_corpus::Document;
use maud::{Markup, html};

use super::{narrowed, nothing, read, updating};
use crate::status::app_state::AppState;
use crate::status::download::MAX_DOCUMENTS;
use crate::status::pages::{document, host_link, pager};
use crate::status::request::PageRequest;
use crate::status::search::{FoundDocument, Frequency, Grouping, SearchError, SearchQuery, snippet};

const PER_PAGE: usize = 20;

/// Maximum number of languages, hosts and months that narrow the result. Others are only counted.
const MAX_VALUES: [usize; 3] = [8, 10, 12];

pub(super) fn view(
    app: &AppState,
    request: &PageRequest,
    query: &SearchQuery,
) -> Result<Markup, SearchError> {
    let skip = (request.page_number() - 1) * PER_PAGE;
    let found = app.search.find(query, skip, PER_PAGE)?;
    let counts = app.search.frequencies(query, &[Grouping::Language, Grouping::Host, Grouping::Month])?;
    let mut documents = Vec::new();
    for found in &found.documents {
        documents.extend(read(app, found.id)?.map(|document| (document, found)));
    }
    Ok(html! {
        (summary(app, request, found.count))
        div.faceted {
            (narrow(request, counts))
            div {
                @if found.count == 0 { (nothing(app, request)?) }
                ol.results start=(skip + 1) { @for (document, found) in &documents { (result(document, found)) } }
                (pager(request, found.count > skip + PER_PAGE))
            }
        }
    })
}

fn summary(app: &AppState, request: &PageRequest, found: usize) -> Markup {
    let number = |value: usize| request.language.number(value as u64);
    html! {
        div.summary {
            span role="status" {
                strong { (number(found)) } " " (request.translate("documents", "văn bản")) (updating(app, request))
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

/// Shows the counts with links that narrow the result.
fn narrow(request: &PageRequest, counts: Vec<Vec<Frequency>>) -> Markup {
    let groupings = [Grouping::Language, Grouping::Host, Grouping::Month].into_iter().zip(MAX_VALUES);
    html! {
        nav.facets aria-label=(request.translate("Narrow the result", "Thu hẹp kết quả")) {
            @for ((grouping, limit), counts) in groupings.zip(counts) {
                (facet(request, grouping, counts, limit))
            }
        }
    }
}

/// Shows the largest groups (of months: the latest) as links with their counts, and the count of all others.
fn facet(request: &PageRequest, grouping: Grouping, mut counts: Vec<Frequency>, limit: usize) -> Markup {
    counts.retain(|count| count.found > 0);
    match grouping.is_time() {
        true => counts.reverse(),
        false => counts.sort_by_key(|count| Reverse(count.found)),
    }
    let rest = counts.split_off(counts.len().min(limit)).iter().map(|count| count.found).sum();
    html! {
        @if !counts.is_empty() {
            section {
                h2 { (super::frequency::name(request, grouping)) }
                ul { @for count in &counts {
                    li { a href=(narrowed(request, grouping, &count.group, &["page"])) { (count.group) } " " span.faint { (request.language.number(count.found)) } }
                } }
                @if rest > 0 { p.faint { (request.translate("others:", "khác:")) " " (request.language.number(rest)) } }
            }
        }
    }
}

fn result(document: &Document, found: &FoundDocument) -> Markup {
    let day = document.published.as_deref().and_then(|text| text.get(..10));
    html! {
        li {
            a href={ "/documents/" (document.id) } lang=(document.language) { (document::title(document)) }
            div.faint { (host_link(&document.host)) @if let Some(day) = day { " · " (day) } " · " (document.language) }
            p.snippet lang=(document.language) {
                @for (piece, is_hit) in snippet(document, found) {
                    @if is_hit { mark { (piece) } } @else { (piece) }
                }
                " …"
            }
        }
    }
}
