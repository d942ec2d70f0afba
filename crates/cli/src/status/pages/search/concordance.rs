//! Shows a search as a concordance: each hit with its context.

use gleaner_crawl::render::page::wide;
use maud::{Markup, html};

use super::{MAX_READ, links, nothing, partly_read, read, updating};
use crate::status::app_state::AppState;
use crate::status::pages::{host_link, pager};
use crate::status::request::PageRequest;
use crate::status::search::{Line, LineOptions, LineOrder, SearchError, SearchQuery};

const PER_PAGE: usize = 50;

/// Numbers of characters before and after a hit. The first one is the default.
const WIDTHS: [usize; 3] = [50, 100, 200];

pub(super) fn view(
    app: &AppState,
    request: &PageRequest,
    query: &SearchQuery,
) -> Result<Markup, SearchError> {
    if query.phrases.is_empty() {
        return Ok(html! { p.quiet {
            (request.translate("Write a word to see it in its contexts.", "Hãy nhập một từ để xem các ngữ cảnh của từ đó."))
        } });
    }
    let options = LineOptions {
        order: order(request),
        width: width(request),
        skip: (request.page_number() - 1) * PER_PAGE,
        limit: PER_PAGE,
        max_sorted: MAX_READ,
    };
    let found = app.search.concordance(query, &options, &mut |id| read(app, id))?;
    let is_last = (options.skip + PER_PAGE) as u64 >= found.hits;
    let is_sorted_in_part = options.order.needs_texts() && found.sorted < found.documents;
    Ok(html! {
        div.summary {
            span role="status" {
                strong { (request.language.count(found.hits, "hit", "lần xuất hiện")) } " " (request.translate("in", "trong")) " "
                (request.language.count(found.documents as u64, "document", "văn bản")) (updating(app, request))
            }
            (widths(request))
        }
        @if is_sorted_in_part { (partly_read(request, found.sorted as u64, found.documents)) }
        @if found.hits == 0 { (nothing(app, request)?) }
        @if !found.lines.is_empty() { (table(request, &found.lines)) }
        (pager(request, !is_last && !found.lines.is_empty()))
    })
}

fn order(request: &PageRequest) -> LineOrder {
    let is_it = |order: &LineOrder| order.name() == request.parameter("sort");
    LineOrder::ALL.into_iter().find(is_it).unwrap_or(LineOrder::Time)
}

fn width(request: &PageRequest) -> usize {
    let wanted = request.parameter("width").parse().ok();
    wanted.filter(|width| WIDTHS.contains(width)).unwrap_or(WIDTHS[0])
}

fn widths(request: &PageRequest) -> Markup {
    let names = WIDTHS.map(|width| width.to_string());
    let current = width(request).to_string();
    let all = names
        .iter()
        .map(|name| (name.as_str(), request.with_parameters(&[("width", name)]), *name == current));
    html! {
        div.labelled {
            span.faint { (request.translate("Characters on each side:", "Số ký tự mỗi bên:")) }
            (links(request.translate("Width of the context", "Độ dài ngữ cảnh"), all))
        }
    }
}

fn table(request: &PageRequest, lines: &[Line]) -> Markup {
    let caption = request.translate(
        "Hits with their context; select a column head to sort by it",
        "Các lần xuất hiện với ngữ cảnh; bấm đầu cột để sắp xếp",
    );
    let table = html! {
        table.kwic {
            caption.hidden { (caption) }
            thead { tr {
                (head(request, LineOrder::Left, request.translate("Before", "Phía trước")))
                th scope="col" { (request.translate("Hit", "Từ tìm")) }
                (head(request, LineOrder::Right, request.translate("After", "Phía sau")))
                (head(request, LineOrder::Time, request.translate("Day", "Ngày")))
                (head(request, LineOrder::Host, request.translate("Host", "Trang báo")))
            } }
            tbody { @for line in lines { tr {
                td.left lang=(line.language) { (line.left) }
                th scope="row" lang=(line.language) { a href={ "/documents/" (line.id) } title=(line.title) { (line.hit) } }
                td.right lang=(line.language) {
                    (line.right)
                    @if line.in_title { " " span.faint { "(" (request.translate("title", "tiêu đề")) ")" } }
                }
                td.source { (line.day) }
                td.source { (host_link(&line.host)) }
            } } }
        }
    };
    wide(request.translate("Concordance", "Dòng ngữ cảnh"), &table)
}

fn head(request: &PageRequest, order: LineOrder, name: &str) -> Markup {
    let is_by = order == self::order(request);
    let state = is_by.then_some(if order == LineOrder::Time { "descending" } else { "ascending" });
    let class = match order {
        LineOrder::Left => Some("left"),
        _ => None,
    };
    html! {
        th class=[class] scope="col" aria-sort=[state] {
            a href=(request.with_parameters(&[("sort", order.name()), ("page", "")])) { (name) }
        }
    }
}
