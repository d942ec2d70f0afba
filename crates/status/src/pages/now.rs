//! Shows the running crawl in the overview: duration, counters, hosts in progress and stop button.

use std::time::Duration;

use gleaner_crawl::{Active, Snapshot};
use gleaner_render::page::{Column, table};
use gleaner_render::text::duration;
use maud::{Markup, html};
use serde_json::json;

use super::workers::workers;
use super::{Fault, Made, button, host_link, tile};
use crate::asked::Asked;
use crate::corpus_view::CorpusView;
use crate::pictures::{Frame, area, top};
use crate::site::Site;

const HOSTS: usize = 12;

pub(crate) fn json(site: &Site, _: &Asked, _: &str) -> Result<Made, Fault> {
    let value = match site.live.snapshot() {
        None => json!({ "running": false }),
        Some(now) => json!({
            "running": true, "responses": now.responses, "stored": now.stored, "duplicates": now.duplicates,
            "near_duplicates": now.near_duplicates, "failures": now.failures, "hosts": now.hosts,
            "queue": now.queue, "buffered": now.buffered, "in_flight": now.in_flight,
            "responses_per_second": site.live.rates().last().copied().unwrap_or_default(),
            "elapsed_seconds": site.live.elapsed().unwrap_or_default().as_secs(),
        }),
    };
    Ok(Made::Plain("application/json", value.to_string()))
}

pub(crate) fn section(site: &Site, asked: &Asked, view: &CorpusView) -> Markup {
    let now = site.live.snapshot();
    html! {
        section #live data-live aria-labelledby="now" {
            h2 #now { (asked.say("Now", "Hiện tại")) }
            @match &now {
                None if view.workers.is_some() => {}
                None => p.quiet { (asked.say("No crawl is running.", "Không có lượt thu thập nào đang chạy.")) },
                Some(now) => (running(site, asked, now)),
            }
            @if let Some(all) = &view.workers { (workers(asked, all)) }
            @if site.hooks.crawl_now.is_some() && now.is_none() {
                (change(asked, "crawl", asked.say("Crawl now", "Thu thập ngay")))
            }
        }
    }
}

fn running(site: &Site, asked: &Asked, now: &Snapshot) -> Markup {
    let number = |value| asked.language.number(value);
    let Snapshot { responses, stored, queue, in_flight, buffered, failures, .. } = *now;
    let elapsed = site.live.elapsed().unwrap_or_default().as_secs();
    html! {
        dl.tiles {
            (tile(asked.say("Running for", "Đã chạy"), &duration(elapsed), &html!{}))
            (tile(asked.say("Responses", "Phản hồi"), &number(responses), &html!{}))
            (tile(asked.say("New", "Mới"), &number(stored), &html!{}))
            (tile(asked.say("Failed", "Thất bại"), &number(failures), &html!{}))
            (tile(asked.say("Queue", "Hàng đợi"), &number(queue), &html!{}))
            (tile(asked.say("In flight", "Đang tải"), &number(in_flight), &html!{}))
            @if buffered > 0 {
                (tile(asked.say("Buffered for a template", "Gom để học mẫu"), &number(buffered), &html!{}))
            }
        }
        (rates(site, asked))
        (hosts(site, asked))
        (stop(site, asked))
    }
}

fn rates(site: &Site, asked: &Asked) -> Markup {
    let rates = site.live.rates();
    let ends =
        [asked.say("two minutes ago", "hai phút trước"), asked.say("now", "bây giờ")].map(str::to_owned);
    let ends = if rates.len() * 2 >= 118 {
        ends
    } else {
        [asked.say("start", "bắt đầu").to_owned(), ends[1].clone()]
    };
    let frame = Frame {
        title: asked.say("Responses per second", "Phản hồi mỗi giây"),
        top: top(rates.iter().copied().fold(0.0, f64::max)),
        x: &ends,
        has_places: false,
        legend: html! {},
        notation: asked.language.notation(),
    };
    html! { @if rates.len() > 1 { (area(&frame, &rates)) } }
}

fn hosts(site: &Site, asked: &Asked) -> Markup {
    let (active, more) = site.live.hosts(HOSTS);
    let columns = [
        Column::text(asked.say("Host", "Trang báo")),
        Column::number(asked.say("Visits", "Lượt đọc")),
        Column::number(asked.say("New", "Mới")),
        Column::text(asked.say("State", "Trạng thái")),
        Column::text(asked.say("Last outcome", "Kết quả cuối")),
    ];
    let row = |host: &Active| {
        vec![
            host_link(&host.host),
            html! { (asked.language.number(host.visits)) },
            html! { (asked.language.number(host.stored)) },
            state(host, asked),
            html! { @if host.last.is_empty() { span.faint { "–" } } @else { span lang="en" { (host.last) } } },
        ]
    };
    let rows: Vec<Vec<Markup>> = active.iter().map(row).collect();
    html! {
        @if !rows.is_empty() {
            h3 { (asked.say("Hosts in progress", "Trang báo đang đọc")) }
            (table(asked.say("Hosts in progress", "Trang báo đang đọc"), &columns, &rows, &[]))
            @if more > 0 { p.faint { "+" (asked.language.number(more as u64)) } }
        }
    }
}

fn state(host: &Active, asked: &Asked) -> Markup {
    let seconds = |wait: Duration| format!("{} s", asked.language.number(wait.as_secs().max(1)));
    html! {
        @match (host.asked, host.waits, &host.waits_for) {
            (true, ..) => { (asked.say("requested", "đang tải")) }
            (false, Some(wait), Some(reason)) => {
                (asked.say("waits ", "chờ ")) (seconds(wait)) ": " span lang="en" { (reason) }
            }
            (false, Some(_), None) => { (asked.say("waiting for its gap", "chờ khoảng nghỉ")) }
            (false, None, _) => { (asked.say("no request now", "chưa có yêu cầu")) }
        }
    }
}

fn stop(site: &Site, asked: &Asked) -> Markup {
    let is_stopping = site.live.running().is_some_and(|running| running.stop.is_requested());
    let how = match (&site.hooks.next_start, &site.hooks.crawl_now) {
        (Some(_), _) => asked.say(
            "A stopped run keeps what it has read. “Crawl now” or the next scheduled start continues it.",
            "Lượt bị dừng giữ mọi thứ đã đọc. “Thu thập ngay” hoặc lượt theo lịch sẽ chạy tiếp.",
        ),
        (None, Some(_)) => asked.say(
            "A stopped run keeps what it has read. “Crawl now” continues it.",
            "Lượt bị dừng giữ mọi thứ đã đọc. “Thu thập ngay” sẽ chạy tiếp.",
        ),
        (None, None) => asked.say(
            "A stopped run keeps what it has read. The same command continues it.",
            "Lượt bị dừng giữ mọi thứ đã đọc. Lệnh cũ sẽ chạy tiếp.",
        ),
    };
    html! {
        div.actions {
            @if is_stopping {
                span.mark role="status" { (asked.say("stopping: finishing the requests in flight", "đang dừng: chờ các trang đang tải")) }
            } @else {
                (change(asked, "stop", asked.say("Stop", "Dừng")))
            }
            span.faint { (how) }
        }
    }
}

/// Shows a button. Users who have not entered the token see a link to the form for the token.
fn change(asked: &Asked, what: &str, name: &str) -> Markup {
    html! {
        @if asked.has_key { (button(what, "", name)) }
        @else { a.button href="/token?back=%2F" { (name) " " (asked.say("(needs the token)", "(cần mã)")) } }
    }
}
