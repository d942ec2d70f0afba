//! Shows the overview: the last run with its findings, the running crawl, the corpus, its growth and the
//! runs.

use gleaner_crawl::HostView;
use gleaner_crawl::render::text::{Notation, minute_without_zone};
use gleaner_crawl::report::{Report, groups, page as report_page};
use gleaner_store::{Counts, Run};
use jiff::Timestamp;
use maud::{Markup, html};

use super::reports::{self, RunState};
use super::{RenderError, Rendered, host_link, hosts, layout, running_crawl, tile, time_with_zone};
use crate::status::app_state::AppState;
use crate::status::charts::{Bar, ChartFrame, area, axis_top_of_bars, axis_top_of_counts, bars};
use crate::status::corpus_view::{CorpusView, failures, new_documents};
use crate::status::language::axis_labels;
use crate::status::request::PageRequest;

const RUNS_LISTED: usize = 10;

const HOSTS_NAMED: usize = 12;

pub(crate) fn page(app: &AppState, request: &PageRequest, _: &str) -> Result<Rendered, RenderError> {
    let view = app.corpus_view()?;
    let content = html! {
        (last(app, request, &view))
        (running_crawl::section(app, request, &view))
        (totals(request, &view))
        (growth(request, &view))
        section aria-labelledby="runs" {
            h2 #runs { (request.translate("Last runs", "Các lượt gần đây")) }
            (reports::runs(app, request, &view, RUNS_LISTED, false))
            @if !view.runs.is_empty() { p { a href="/reports" { (request.translate("All runs with reasons", "Mọi lượt kèm lý do")) } } }
        }
    };
    Ok(Rendered::Page(layout(request, request.translate("Overview", "Tổng quan"), &content)))
}

/// Shows the last finished run with status, reason and findings, and the next start.
fn last(app: &AppState, request: &PageRequest, view: &CorpusView) -> Markup {
    let states = view.runs.iter().rev().map(|run| (run, reports::state(app, view, &run.0)));
    let last = states.into_iter().find(|(_, state)| !matches!(state, RunState::Running));
    let grade = match &last {
        Some((_, RunState::Reported(summary))) => summary.status.label(),
        _ => "",
    };
    html! {
        section.band.(grade) #last data-live aria-labelledby="last-run" {
            h2 #last-run { (request.translate("Last run", "Lượt gần nhất")) }
            @match &last {
                None => p { (request.translate("No run has ended yet.", "Chưa có lượt nào kết thúc.")) },
                Some((run, state)) => (band(request, view, run, state)),
            }
            (next(app, request))
        }
    }
}

fn band(
    request: &PageRequest,
    view: &CorpusView,
    (run, counts): &(Run, Counts),
    state: &RunState<'_>,
) -> Markup {
    let number = |value| request.language.number(value);
    let is_reported = |report: &&Report| report.run == run.number && report.started == run.started;
    let report = view.newest_report.as_ref().filter(is_reported);
    // If there is only one cause, the text already states it as the reason.
    let has_one_cause = report.is_some_and(|report| groups(&report.findings).len() == 1);
    html! {
        p.headline {
            (reports::mark(request, state)) " "
            strong { (request.translate("Run", "Lượt")) " " (run.number) } " "
            span { (time_with_zone(run.started)) }
            @if let RunState::Reported(summary) = state { " " a href={ "/reports/" (summary.name) } { (request.translate("Report", "Báo cáo")) } }
        }
        @match state {
            RunState::Reported(_) if has_one_cause => {}
            RunState::Reported(summary) => p.why { (reports::why(request.language, summary)) },
            RunState::Interrupted => p.why { (request.translate("It was interrupted; the next crawl continues it.", "Lượt bị ngắt; lượt sau sẽ chạy tiếp.")) },
            RunState::Running | RunState::Ended => p.why { (request.translate("There is no report of it here.", "Không có báo cáo ở đây.")) },
        }
        @if let Some(report) = report.filter(|report| !report.findings.is_empty()) {
            (report_page::findings(&report.findings, &host_link, request.language))
        }
        p.faint {
            (number(new_documents(counts))) " " (request.translate("new", "mới")) " · "
            (number(failures(counts))) " " (request.translate("failed", "thất bại")) " · "
            (number(counts.outcomes.values().sum())) " " (request.translate("URLs", "địa chỉ")) " · "
            (request.language.bytes(counts.bytes))
        }
        @if report.is_none() { (watch(request, view)) }
    }
}

fn next(app: &AppState, request: &PageRequest) -> Markup {
    let now = Timestamp::now();
    let Some(at) = app.next_start().filter(|at| *at > now) else { return html! {} };
    let seconds = u64::try_from(at.duration_since(now).as_secs()).unwrap_or_default();
    html! {
        p.next {
            (request.translate("Next crawl:", "Lượt kế tiếp:")) " " strong { (time_with_zone(at)) } " "
            span.faint { "(" (request.translate("in", "còn")) " " (request.language.duration(seconds)) ")" }
        }
    }
}

fn totals(request: &PageRequest, view: &CorpusView) -> Markup {
    let number = |value| request.language.number(value);
    let totals = &view.totals;
    let mut languages: Vec<(&String, u64)> =
        totals.languages.iter().map(|(tag, (documents, _))| (tag, *documents)).collect();
    languages.sort_by_key(|(tag, documents)| (std::cmp::Reverse(*documents), *tag));
    let percentages =
        whole_percentages(&languages.iter().map(|(_, documents)| *documents).collect::<Vec<_>>());
    let shares = html! {
        span.faint {
            @for (at, ((tag, _), percentage)) in languages.iter().zip(percentages).take(3).enumerate() {
                @if at > 0 { " · " } (tag) " " (percentage) "%"
            }
        }
    };
    html! {
        section aria-labelledby="corpus" {
            h2 #corpus { (request.translate("Corpus", "Kho ngữ liệu")) }
            dl.tiles {
                (tile(request.translate("Documents", "Văn bản"), &number(totals.documents()), &shares))
                (tile(request.translate("Words", "Từ"), &number(totals.words()), &html!{}))
                (tile(request.translate("Near-duplicates", "Gần trùng"), &number(totals.near_duplicates),
                    &html!{ span.faint { (number(totals.clusters)) " " (request.translate("clusters", "nhóm")) } }))
                (tile(request.translate("Hosts", "Trang báo"), &number(view.hosts.len() as u64), &html!{}))
                (tile(request.translate("On disk", "Trên đĩa"), &request.language.bytes(view.disk),
                    &html!{ span.faint { (request.translate("store and archive", "kho và bản lưu trữ")) } }))
            }
            @if let Some((_, version)) = &view.version {
                p.faint {
                    (request.translate("Version of the corpus:", "Phiên bản của kho:")) " " code { (version) }
                }
            }
        }
    }
}

/// Returns the percentage of each count without decimals. The percentages add up to 100, because the counts
/// with the largest remainders are rounded up. If all counts are 0, all percentages are 0.
fn whole_percentages(counts: &[u64]) -> Vec<u64> {
    let total: u128 = counts.iter().map(|count| u128::from(*count)).sum();
    let total = total.max(1);
    let scaled = |at: usize| 100 * u128::from(counts[at]);
    let mut percentages: Vec<u64> = (0..counts.len()).map(|at| (scaled(at) / total) as u64).collect();
    let mut by_remainder: Vec<usize> = (0..counts.len()).filter(|at| scaled(*at) % total > 0).collect();
    by_remainder.sort_by_key(|at| std::cmp::Reverse(scaled(*at) % total));
    let missing = 100_u64.saturating_sub(percentages.iter().sum());
    for at in by_remainder.into_iter().take(missing as usize) {
        percentages[at] += 1;
    }
    percentages
}

/// Shows the hosts that need attention, for runs without a report.
fn watch(request: &PageRequest, view: &CorpusView) -> Markup {
    let is_template_unwell = |host: &HostView| host.record.template > 0 && host.template.needs_attention();
    let is_found = |host: &&HostView| {
        let news = view.new_documents_by_run(host);
        let is_silent = news.last() == Some(&0) && news.iter().sum::<u64>() > 0;
        !host.record.paused && (is_silent || is_template_unwell(host))
    };
    let found: Vec<_> = view.hosts.iter().filter(is_found).collect();
    html! {
        @if !found.is_empty() {
            h3 { (request.translate("Needs attention", "Cần xem lại")) }
            ul.chips {
                @for host in found.iter().take(HOSTS_NAMED) {
                    li {
                        (host_link(&host.record.name)) " "
                        @if is_template_unwell(host) { (request.translate("template", "mẫu trang")) " " (hosts::template(request, host)) }
                        @else { span.faint { (request.translate("no new documents", "không có bài mới")) } }
                    }
                }
                @if found.len() > HOSTS_NAMED { li { a href="/hosts?sort=-new" { "+" (found.len() - HOSTS_NAMED) } } }
            }
        }
    }
}

fn growth(request: &PageRequest, view: &CorpusView) -> Markup {
    let starts: Vec<Timestamp> = view.runs.iter().map(|(run, _)| run.started).collect();
    let (x, notation) = (axis_labels(&starts), request.language.notation());
    html! {
        @if view.runs.len() > 1 {
            section aria-labelledby="growth" {
                h2 #growth { (request.translate("Growth", "Tăng trưởng")) }
                div.charts { (total(request, view, &x, notation)) (by_run(request, view, &x, notation)) }
            }
        }
    }
}

fn total(request: &PageRequest, view: &CorpusView, x: &[String], notation: Notation) -> Markup {
    let now = view.totals.documents();
    let news: Vec<u64> = view.runs.iter().map(|(_, counts)| new_documents(counts)).collect();
    // The number of documents before the first run in the chart. It is approximate, because documents that
    // were removed later are missing.
    let first = now.saturating_sub(news.iter().fold(0, |sum: u64, count| sum.saturating_add(*count)));
    let sums = news.iter().scan(first, |sum, count| {
        *sum = sum.saturating_add(*count);
        Some(*sum)
    });
    let sums: Vec<u64> = sums.collect();
    let ends: Vec<String> = x.first().into_iter().chain(x.last()).cloned().collect();
    let frame = ChartFrame {
        title: request
            .translate("Documents in the corpus after each run", "Số văn bản trong kho sau mỗi lượt"),
        top: axis_top_of_counts(sums.iter().copied()),
        x: &ends,
        labels_positions: false,
        legend: html! {},
        notation,
    };
    area(&frame, &sums.iter().map(|sum| *sum as f64).collect::<Vec<_>>())
}

fn by_run(request: &PageRequest, view: &CorpusView, x: &[String], notation: Notation) -> Markup {
    let bar = |(run, counts): &(Run, Counts)| {
        let count = new_documents(counts);
        Bar {
            label: format!("{}: {}", minute_without_zone(run.started), notation.number(count)),
            parts: vec![("new", count)],
        }
    };
    let all: Vec<Bar> = view.runs.iter().map(bar).collect();
    let frame = ChartFrame {
        title: request.translate("New documents by run", "Văn bản mới theo lượt"),
        top: axis_top_of_bars(&all),
        x,
        labels_positions: true,
        legend: html! {},
        notation,
    };
    bars(&frame, &all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_add_up_to_100() {
        assert_eq!(whole_percentages(&[33, 25]), [57, 43]);
        assert_eq!(whole_percentages(&[1, 1, 1]), [34, 33, 33]);
        assert_eq!(whole_percentages(&[u64::MAX, 0, 0]), [100, 0, 0]);
        assert_eq!(whole_percentages(&[0, 0]), [0, 0]);
        assert!(whole_percentages(&[]).is_empty());
    }
}
