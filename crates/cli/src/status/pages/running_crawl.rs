//! Shows the running crawl in the overview: duration, counters, hosts in progress and stop button.

use std::time::Duration;

use gleaner_crawl::render::page::{Column, table};
use gleaner_crawl::{ActiveHost, ProgressSnapshot, explained_hold};
use maud::{Markup, html};
use serde_json::json;

use super::workers::workers;
use super::{RenderError, Rendered, button, host_link, tile};
use crate::status::app_state::AppState;
use crate::status::charts::{ChartFrame, area, axis_top};
use crate::status::corpus_view::CorpusView;
use crate::status::language::{UiLanguage, last_outcome};
use crate::status::request::PageRequest;

const MAX_HOSTS: usize = 12;

pub(crate) fn json(app: &AppState, _: &PageRequest, _: &str) -> Result<Rendered, RenderError> {
    let value = match app.monitor.snapshot() {
        None => json!({ "running": false }),
        Some(now) => json!({
            "running": true, "responses": now.responses, "stored": now.stored, "duplicates": now.duplicates,
            "near_duplicates": now.near_duplicates, "failures": now.failures, "hosts": now.hosts,
            "queue": now.queue, "buffered": now.buffered, "in_flight": now.in_flight,
            "responses_per_second": app.monitor.rates().last().copied().unwrap_or_default(),
            "elapsed_seconds": app.monitor.elapsed().unwrap_or_default().as_secs(),
        }),
    };
    Ok(Rendered::Text("application/json", value.to_string()))
}

pub(crate) fn section(app: &AppState, request: &PageRequest, view: &CorpusView) -> Markup {
    let now = app.monitor.snapshot();
    html! {
        section #live data-live aria-labelledby="now" {
            h2 #now { (request.translate("Now", "Hiện tại")) }
            @match &now {
                None if view.workers.is_some() => {}
                None => p.quiet { (request.translate("No crawl is running.", "Không có lượt thu thập nào đang chạy.")) },
                Some(now) => (running(app, request, now)),
            }
            @if let Some(all) = &view.workers { (workers(request, all)) }
            @if app.hooks.crawl_now.is_some() && now.is_none() {
                (button_or_sign_in(request, "crawl", request.translate("Crawl now", "Thu thập ngay")))
            }
        }
    }
}

fn running(app: &AppState, request: &PageRequest, now: &ProgressSnapshot) -> Markup {
    let number = |value| request.language.number(value);
    let ProgressSnapshot { responses, stored, queue, in_flight, buffered, failures, .. } = *now;
    let elapsed = app.monitor.elapsed().unwrap_or_default().as_secs();
    html! {
        dl.tiles {
            (tile(request.translate("Running for", "Đã chạy"), &request.language.duration(elapsed), &html!{}))
            @if let Some(left) = app.monitor.time_left() {
                (tile(request.translate("Left, about", "Còn khoảng"), &request.language.duration(left.as_secs()), &html!{}))
            }
            (tile(request.translate("Responses", "Phản hồi"), &number(responses), &html!{}))
            (tile(request.translate("New", "Mới"), &number(stored), &html!{}))
            (tile(request.translate("Failed", "Thất bại"), &number(failures), &html!{}))
            (tile(request.translate("Queue", "Hàng đợi"), &number(queue), &html!{}))
            (tile(request.translate("In flight", "Đang tải"), &number(in_flight), &html!{}))
            @if buffered > 0 {
                (tile(request.translate("Waiting for a template", "Chờ mẫu trang"), &number(buffered),
                    &html!{}))
            }
        }
        (rates(app, request))
        (hosts(app, request))
        (stop(app, request))
    }
}

fn rates(app: &AppState, request: &PageRequest) -> Markup {
    let rates = app.monitor.rates();
    let ends = [request.translate("two minutes ago", "hai phút trước"), request.translate("now", "bây giờ")]
        .map(str::to_owned);
    let ends = if rates.len() * 2 >= 118 {
        ends
    } else {
        [request.translate("start", "bắt đầu").to_owned(), ends[1].clone()]
    };
    let frame = ChartFrame {
        title: request.translate("Responses per second", "Phản hồi mỗi giây"),
        top: axis_top(rates.iter().copied().fold(0.0, f64::max)),
        x: &ends,
        labels_positions: false,
        legend: html! {},
        notation: request.language.notation(),
    };
    html! { @if rates.len() > 1 { (area(&frame, &rates)) } }
}

fn hosts(app: &AppState, request: &PageRequest) -> Markup {
    let (active, more) = app.monitor.hosts(MAX_HOSTS);
    let columns = [
        Column::text(request.translate("Host", "Trang báo")),
        Column::number(request.translate("Visits", "Lượt đọc")),
        Column::number(request.translate("New", "Mới")),
        Column::text(request.translate("State", "Trạng thái")),
        Column::text(request.translate("Last outcome", "Kết quả cuối")),
    ];
    let row = |host: &ActiveHost| {
        vec![
            host_link(&host.host),
            html! { (request.language.number(host.visits)) },
            html! { (request.language.number(host.stored)) },
            state(host, request),
            html! { @if host.last.is_empty() { span.faint { "–" } } @else { (last_outcome(request.language, &host.last)) } },
        ]
    };
    let rows: Vec<Vec<Markup>> = active.iter().map(row).collect();
    html! {
        @if !rows.is_empty() {
            h3 { (request.translate("Hosts in progress", "Trang báo đang đọc")) }
            (table(request.translate("Hosts in progress", "Trang báo đang đọc"), &columns, &rows, &[]))
            @if more > 0 { p.faint { (more_hosts(request.language, more as u64)) } }
        }
    }
}

fn more_hosts(language: UiLanguage, more: u64) -> String {
    let noun = if more == 1 { "more host" } else { "more hosts" };
    format!("{} {}", language.number(more), language.choose(noun, "trang báo nữa"))
}

fn state(host: &ActiveHost, request: &PageRequest) -> Markup {
    let seconds = |wait: Duration| format!("{} s", request.language.number(wait.as_secs().max(1)));
    html! {
        @match (host.asked, host.waits, &host.waits_for) {
            (true, ..) => { (request.translate("requested", "đang tải")) }
            (false, Some(wait), Some(reason)) => {
                (request.translate("waits ", "chờ ")) (seconds(wait)) ": " (explained_hold(reason).in_language(request.language))
            }
            (false, Some(_), None) => { (request.translate("waiting for its delay", "chờ khoảng nghỉ")) }
            (false, None, _) => { (request.translate("no request now", "chưa có yêu cầu")) }
        }
    }
}

fn stop(app: &AppState, request: &PageRequest) -> Markup {
    let is_stopping = app.monitor.running().is_some_and(|running| running.stop.is_requested());
    let how = match (&app.hooks.next_start, &app.hooks.crawl_now) {
        (Some(_), _) => request.translate(
            "A stopped run keeps what it has read. “Crawl now” or the next scheduled start continues it.",
            "Lượt bị dừng giữ mọi thứ đã đọc. “Thu thập ngay” hoặc lượt theo lịch sẽ chạy tiếp.",
        ),
        (None, Some(_)) => request.translate(
            "A stopped run keeps what it has read. “Crawl now” continues it.",
            "Lượt bị dừng giữ mọi thứ đã đọc. “Thu thập ngay” sẽ chạy tiếp.",
        ),
        (None, None) => request.translate(
            "A stopped run keeps what it has read. The same command continues it.",
            "Lượt bị dừng giữ mọi thứ đã đọc. Lệnh cũ sẽ chạy tiếp.",
        ),
    };
    html! {
        div.actions {
            @if is_stopping {
                span.mark role="status" { (request.translate("stopping: finishing the requests in flight", "đang dừng: chờ các trang đang tải")) }
            } @else {
                (button_or_sign_in(request, "stop", request.translate("Stop", "Dừng")))
            }
            span.faint { (how) }
        }
    }
}

/// Shows a button. Users who have not entered the token see a link to the form for the token.
fn button_or_sign_in(request: &PageRequest, what: &str, name: &str) -> Markup {
    html! {
        @if request.is_authorized { (button(what, "", name)) }
        @else { a.button href="/token?back=%2F" { (name) " " (request.translate("(needs the token)", "(cần mã)")) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_that_are_not_listed_are_counted_in_words() {
        assert_eq!(more_hosts(UiLanguage::English, 1_702), "1,702 more hosts");
        assert_eq!(more_hosts(UiLanguage::English, 1), "1 more host");
        assert_eq!(more_hosts(UiLanguage::Vietnamese, 702), "702 trang báo nữa");
    }
}
