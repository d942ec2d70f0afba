//! Shows the overview: the last run with its findings, the running crawl, the corpus, its growth and the runs.

use gleaner_crawl::HostView;
use gleaner_crawl::report::{Report, groups, page as report_page};
use gleaner_render::text::{Notation, duration};
use gleaner_store::{Counts, Run};
use jiff::Timestamp;
use maud::{Markup, html};

use super::reports::{self, State};
use super::{Fault, Made, framed, host_link, hosts, now, tile, time};
use crate::asked::Asked;
use crate::corpus_view::{CorpusView, failures, new};
use crate::language::{axis_labels, clock_time};
use crate::pictures::{Bar, Frame, area, bars, top_of, top_of_counts};
use crate::site::Site;

const LISTED: usize = 10;

const NAMED: usize = 12;

pub(crate) fn page(site: &Site, asked: &Asked, _: &str) -> Result<Made, Fault> {
    let view = site.corpus_view()?;
    let content = html! {
        (last(site, asked, &view))
        (now::section(site, asked, &view))
        (totals(asked, &view))
        (grown(asked, &view))
        section aria-labelledby="runs" {
            h2 #runs { (asked.say("Last runs", "Các lượt gần đây")) }
            (reports::runs(site, asked, &view, LISTED, false))
            @if !view.runs.is_empty() { p { a href="/reports" { (asked.say("All runs with reasons", "Mọi lượt kèm lý do")) } } }
        }
    };
    Ok(Made::Page(framed(asked, asked.say("Overview", "Tổng quan"), &content)))
}

/// Shows the last finished run with status, reason and findings, and the next start.
fn last(site: &Site, asked: &Asked, view: &CorpusView) -> Markup {
    let states = view.runs.iter().rev().map(|run| (run, reports::state(site, view, &run.0)));
    let last = states.into_iter().find(|(_, state)| !matches!(state, State::Running));
    let grade = match &last {
        Some((_, State::Reported(brief))) => brief.status.label(),
        _ => "",
    };
    html! {
        section.band.(grade) #last data-live aria-labelledby="last-run" {
            h2 #last-run { (asked.say("Last run", "Lượt gần nhất")) }
            @match &last {
                None => p { (asked.say("No run has ended yet.", "Chưa có lượt nào kết thúc.")) },
                Some((run, state)) => (band(asked, view, run, state)),
            }
            (next(site, asked))
        }
    }
}

fn band(asked: &Asked, view: &CorpusView, (run, counts): &(Run, Counts), state: &State<'_>) -> Markup {
    let number = |value| asked.language.number(value);
    let is_reported = |report: &&Report| report.run == run.number && report.started == run.started;
    let report = view.newest_report.as_ref().filter(is_reported);
    // If there is only one cause, the text already states it as the reason.
    let has_one_cause = report.is_some_and(|report| groups(&report.findings).len() == 1);
    html! {
        p.headline {
            (reports::mark(asked, state)) " "
            strong { (asked.say("Run", "Lượt")) " " (run.number) } " "
            span { (time(Some(run.started))) }
            @if let State::Reported(brief) = state { " " a href={ "/reports/" (brief.name) } { (asked.say("Report", "Báo cáo")) } }
        }
        @match state {
            State::Reported(_) if has_one_cause => {}
            State::Reported(brief) => p.why lang="en" { (brief.why) },
            State::Interrupted => p.why { (asked.say("It was interrupted; the next crawl continues it.", "Lượt bị ngắt; lượt sau sẽ chạy tiếp.")) },
            State::Running | State::Ended => p.why { (asked.say("There is no report of it here.", "Không có báo cáo ở đây.")) },
        }
        @if let Some(report) = report.filter(|report| !report.findings.is_empty()) {
            div lang="en" { (report_page::findings(&report.findings, &host_link)) }
        }
        p.faint {
            (number(new(counts))) " " (asked.say("new", "mới")) " · "
            (number(failures(counts))) " " (asked.say("failed", "thất bại")) " · "
            (number(counts.outcomes.values().sum())) " " (asked.say("URLs", "địa chỉ")) " · "
            (asked.language.bytes(counts.bytes))
        }
        @if report.is_none() { (watch(asked, view)) }
    }
}

fn next(site: &Site, asked: &Asked) -> Markup {
    let now = Timestamp::now();
    let Some(at) = site.next_start().filter(|at| *at > now) else { return html! {} };
    let seconds = u64::try_from(at.duration_since(now).as_secs()).unwrap_or_default();
    html! {
        p.next {
            (asked.say("Next crawl:", "Lượt kế tiếp:")) " " strong { (time(Some(at))) } " "
            span.faint { "(" (asked.say("in", "còn")) " " (duration(seconds)) ")" }
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

/// Shows the hosts that need attention. Used if there is no report.
fn watch(asked: &Asked, view: &CorpusView) -> Markup {
    let is_template_unwell = |host: &HostView| host.record.template > 0 && host.template.is_unwell();
    let is_found = |host: &&HostView| {
        let news = view.news(host);
        let is_silent = news.last() == Some(&0) && news.iter().sum::<u64>() > 0;
        !host.record.paused && (is_silent || is_template_unwell(host))
    };
    let found: Vec<_> = view.hosts.iter().filter(is_found).collect();
    html! {
        @if !found.is_empty() {
            h3 { (asked.say("Needs attention", "Cần xem lại")) }
            ul.chips {
                @for host in found.iter().take(NAMED) {
                    li {
                        (host_link(&host.record.name)) " "
                        @if is_template_unwell(host) { (asked.say("template", "mẫu trang")) " " (hosts::template(asked, host)) }
                        @else { span.faint { (asked.say("no new documents", "không có bài mới")) } }
                    }
                }
                @if found.len() > NAMED { li { a href="/hosts?sort=-new" { "+" (found.len() - NAMED) } } }
            }
        }
    }
}

fn grown(asked: &Asked, view: &CorpusView) -> Markup {
    let starts: Vec<Timestamp> = view.runs.iter().map(|(run, _)| run.started).collect();
    let (x, notation) = (axis_labels(&starts), asked.language.notation());
    html! {
        @if view.runs.len() > 1 {
            section aria-labelledby="growth" {
                h2 #growth { (asked.say("Growth", "Tăng trưởng")) }
                div.charts { (total(asked, view, &x, notation)) (by_run(asked, view, &x, notation)) }
            }
        }
    }
}

fn total(asked: &Asked, view: &CorpusView, x: &[String], notation: Notation) -> Markup {
    let now = view.totals.documents();
    let news: Vec<u64> = view.runs.iter().map(|(_, counts)| new(counts)).collect();
    // The number of documents before the first run in the chart. It is approximate, because documents that
    // were removed later are not counted.
    let first = now.saturating_sub(news.iter().fold(0, |sum: u64, count| sum.saturating_add(*count)));
    let sums = news.iter().scan(first, |sum, count| {
        *sum = sum.saturating_add(*count);
        Some(*sum)
    });
    let sums: Vec<u64> = sums.collect();
    let ends: Vec<String> = x.first().into_iter().chain(x.last()).cloned().collect();
    let frame = Frame {
        title: asked.say("Documents in the corpus after each run", "Số văn bản trong kho sau mỗi lượt"),
        top: top_of_counts(sums.iter().copied()),
        x: &ends,
        has_places: false,
        legend: html! {},
        notation,
    };
    area(&frame, &sums.iter().map(|sum| *sum as f64).collect::<Vec<_>>())
}

fn by_run(asked: &Asked, view: &CorpusView, x: &[String], notation: Notation) -> Markup {
    let bar = |(run, counts): &(Run, Counts)| {
        let count = new(counts);
        Bar {
            label: format!("{}: {}", clock_time(run.started), notation.number(count)),
            parts: vec![("new", count)],
        }
    };
    let all: Vec<Bar> = view.runs.iter().map(bar).collect();
    let frame = Frame {
        title: asked.say("New documents by run", "Văn bản mới theo lượt"),
        top: top_of(&all),
        x,
        has_places: true,
        legend: html! {},
        notation,
    };
    bars(&frame, &all)
}
