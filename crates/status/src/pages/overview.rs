//! Shows the overview: the running crawl, the corpus, its growth and the last runs.

use gleaner_crawl::{HostView, Snapshot};
use gleaner_render::page::{Column, table};
use gleaner_render::text::duration;
use gleaner_store::{Counts, Run};
use jiff::Timestamp;
use maud::{Markup, html};
use serde_json::json;

use super::workers::workers;
use super::{Fault, Made, button, framed, host_link, tile, time};
use crate::asked::Asked;
use crate::corpus_view::{CorpusView, duplicates, failures, new};
use crate::pictures::{curve, growth};
use crate::site::Site;

const LISTED: usize = 10;

const NAMED: usize = 12;

pub(crate) fn page(site: &Site, asked: &Asked, _: &str) -> Result<Made, Fault> {
    let view = site.corpus_view()?;
    let content = html! {
        (now(site, asked, &view))
        (totals(asked, &view))
        (watch(asked, &view))
        (grown(asked, &view))
        (runs(asked, &view))
    };
    Ok(Made::Page(framed(asked, asked.say("Overview", "Tổng quan"), &content)))
}

/// Returns the counters as JSON.
pub(crate) fn live(site: &Site, _: &Asked, _: &str) -> Result<Made, Fault> {
    let value = match site.live.snapshot() {
        None => json!({ "running": false }),
        Some(now) => json!({
            "running": true, "pages": now.pages, "stored": now.stored, "duplicates": now.duplicates,
            "near_duplicates": now.near_duplicates, "failures": now.failures, "hosts": now.hosts,
            "queue": now.queue, "buffered": now.buffered, "in_flight": now.in_flight,
            "pages_per_second": site.live.rates().last().copied().unwrap_or_default(),
        }),
    };
    Ok(Made::Plain("application/json", value.to_string()))
}

fn now(site: &Site, asked: &Asked, view: &CorpusView) -> Markup {
    let number = |value| asked.language.number(value);
    html! {
        section #live data-live aria-labelledby="now" {
            h2 #now { (asked.say("Now", "Hiện tại")) }
            @match site.live.snapshot() {
                None if view.workers.is_some() => {}
                None => p.quiet { (asked.say("No crawl is running.", "Không có lượt thu thập nào đang chạy.")) },
                Some(Snapshot { pages, stored, queue, in_flight, buffered, failures, .. }) => {
                    @let rates = site.live.rates();
                    @let rate = rates.last().copied().unwrap_or_default();
                    dl.tiles {
                        (tile(asked.say("Pages per second", "Trang mỗi giây"), &format!("{rate:.1}"),
                            &curve(&rates, asked.say("Pages per second in the last two minutes", "Số trang mỗi giây trong hai phút qua"))))
                        (tile(asked.say("Queue", "Hàng đợi"), &number(queue), &html!{}))
                        (tile(asked.say("In flight", "Đang tải"), &number(in_flight), &html!{}))
                        (tile(asked.say("Pages", "Trang đã đọc"), &number(pages), &html!{}))
                        (tile(asked.say("New", "Mới"), &number(stored), &html!{}))
                        (tile(asked.say("Failed", "Thất bại"), &number(failures), &html!{}))
                        @if buffered > 0 {
                            (tile(asked.say("Buffered for a template", "Gom để học mẫu"), &number(buffered), &html!{}))
                        }
                    }
                }
            }
            @if let Some(all) = &view.workers { (workers(asked, all)) }
            @if site.hooks.crawl_now.is_some() && site.live.snapshot().is_none() {
                @if asked.has_key {
                    (button("crawl", "", asked.say("Crawl now", "Thu thập ngay")))
                } @else {
                    p { a href="/token?back=%2F" { (asked.say("Crawl now (needs the token)", "Thu thập ngay (cần mã)")) } }
                }
            }
        }
    }
}

fn totals(asked: &Asked, view: &CorpusView) -> Markup {
    let number = |value| asked.language.number(value);
    let totals = &view.totals;
    let total = totals.documents().max(1);
    let mut languages: Vec<(&String, u64)> =
        totals.languages.iter().map(|(tag, (documents, _))| (tag, *documents)).collect();
    languages.sort_by_key(|(tag, documents)| (std::cmp::Reverse(*documents), *tag));
    let shares = html! {
        span.faint {
            @for (at, (tag, documents)) in languages.iter().take(3).enumerate() {
                @if at > 0 { " · " } (tag) " " (100 * documents / total) "%"
            }
        }
    };
    html! {
        section aria-labelledby="corpus" {
            h2 #corpus { (asked.say("Corpus", "Kho ngữ liệu")) }
            dl.tiles {
                (tile(asked.say("Documents", "Văn bản"), &number(totals.documents()), &shares))
                (tile(asked.say("Words", "Từ"), &number(totals.words()), &html!{}))
                (tile(asked.say("Near-duplicates", "Gần trùng"), &number(totals.near_duplicates),
                    &html!{ span.faint { (number(totals.clusters)) " " (asked.say("clusters", "nhóm")) } }))
                (tile(asked.say("Hosts", "Trang báo"), &number(view.hosts.len() as u64), &html!{}))
                (tile(asked.say("On disk", "Trên đĩa"), &asked.language.bytes(view.disk), &html!{}))
            }
        }
    }
}

fn watch(asked: &Asked, view: &CorpusView) -> Markup {
    let silent = |host: &&HostView| {
        let news = view.news(host);
        let is_silent = news.last() == Some(&0) && news.iter().sum::<u64>() > 0;
        !host.record.paused && (is_silent || (host.record.template > 0 && host.template.is_unwell()))
    };
    let found: Vec<_> = view.hosts.iter().filter(silent).collect();
    html! {
        @if !found.is_empty() {
            section aria-labelledby="look" {
                h2 #look { (asked.say("Needs attention", "Cần xem lại")) }
                ul.chips {
                    @for host in found.iter().take(NAMED) {
                        li {
                            (host_link(&host.record.name)) " "
                            span.faint {
                                @if host.record.template > 0 && host.template.is_unwell() {
                                    (asked.say("template", "mẫu trang"))
                                } @else { (asked.say("no new documents", "không có bài mới")) }
                            }
                        }
                    }
                    @if found.len() > NAMED { li { a href="/hosts?sort=new" { "+" (found.len() - NAMED) } } }
                }
            }
        }
    }
}

fn grown(asked: &Asked, view: &CorpusView) -> Markup {
    let news: Vec<u64> = view.runs.iter().map(|(_, counts)| new(counts)).collect();
    let total = view.totals.documents();
    let said = format!(
        "{}: {}",
        asked.say("Documents in total, and new ones by run", "Tổng số văn bản, và số mới theo lượt"),
        asked.language.number(total)
    );
    html! {
        @if news.len() > 1 {
            section aria-labelledby="growth" {
                h2 #growth { (asked.say("Growth", "Tăng trưởng")) }
                figure {
                    (growth(&news, total, &said))
                    figcaption {
                        span.key.line-key {} (asked.say("total", "tổng số")) " "
                        span.key.bar-key {} (asked.say("new by run", "mới theo lượt"))
                        span.ends {
                            (time(view.runs.first().map(|(run, _)| run.started))) " – "
                            (time(view.runs.last().map(|(run, _)| run.started)))
                        }
                    }
                }
            }
        }
    }
}

fn runs(asked: &Asked, view: &CorpusView) -> Markup {
    let columns = [
        Column::text("#"),
        Column::text(asked.say("Started", "Bắt đầu")),
        Column::text(asked.say("Duration", "Thời gian")),
        Column::number(asked.say("New", "Mới")),
        Column::number(asked.say("Duplicates", "Trùng")),
        Column::number(asked.say("Failed", "Thất bại")),
        Column::number(asked.say("Bytes", "Dung lượng")),
    ];
    let rows = html! {
        tbody { @for (run, counts) in view.runs.iter().rev().take(LISTED) { (row(asked, run, counts)) } }
    };
    html! {
        section aria-labelledby="runs" {
            h2 #runs { (asked.say("Last runs", "Các lượt gần đây")) }
            @if view.runs.is_empty() {
                p.quiet { (asked.say("There are no runs yet.", "Chưa có lượt nào.")) }
            } @else {
                (table(asked.say("Last runs, newest first", "Các lượt gần đây, mới nhất trước"), &columns, &rows))
            }
        }
    }
}

fn row(asked: &Asked, run: &Run, counts: &Counts) -> Markup {
    let number = |value| asked.language.number(value);
    html! {
        tr {
            th scope="row" { (run.number) }
            td { (time(Some(run.started))) }
            td { @match run.ended {
                Some(ended) => (duration(seconds(run.started, ended))),
                None => span.mark { (asked.say("not completed", "chưa xong")) },
            } }
            td.number { strong { (number(new(counts))) } }
            td.number { (number(duplicates(counts))) }
            td.number { (number(failures(counts))) }
            td.number { (asked.language.bytes(counts.bytes)) }
        }
    }
}

/// Returns the seconds between two times.
fn seconds(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_second() - from.as_second()).unwrap_or_default()
}
