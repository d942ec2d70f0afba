//! Shows one host: verdict, state, outcomes, latest documents and template.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use gleaner_crawl::render::page::{Column, table};
use gleaner_crawl::render::text::minute_without_zone;
use gleaner_crawl::report::RunStatus;
use gleaner_crawl::{HostView, detail_in_words, host_summary, similar_hosts};
use gleaner_extract::template::SiteTemplate;
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{Counts, Run};
use jiff::Timestamp;
use maud::{Markup, html};

use super::{RenderError, Rendered, button, hosts, layout, tile, time_with_zone};
use crate::status::app_state::AppState;
use crate::status::charts::{Bar, ChartFrame, axis_top_of_bars, bars};
use crate::status::corpus_view::{CorpusView, last_counts, new_documents};
use crate::status::describe;
use crate::status::language::{axis_labels, outcome};
use crate::status::outcome_group::OutcomeGroup;
use crate::status::request::{PageRequest, link, percent_encoded};
use crate::status::search::SearchQuery;

const MAX_LATEST: usize = 12;

const MAX_REASONS: usize = 40;

const SUMMARY_LINES: usize = 14;

pub(crate) fn page(app: &AppState, request: &PageRequest, name: &str) -> Result<Rendered, RenderError> {
    let view = app.corpus_view()?;
    let host = view.host(&name.to_lowercase()).ok_or_else(|| unknown(&view, name))?;
    let runs = view.runs_of(host);
    let content = html! {
        (verdict_band(app, request, &view, host))
        (state(request, host))
        (actions(request, host))
        (outcomes(request, &runs))
        (latest(app, request, host)?)
        (template(app, request, host)?)
    };
    Ok(Rendered::Page(layout(request, &host.record.name, &content)))
}

fn unknown(view: &CorpusView, name: &str) -> RenderError {
    let known = view.hosts.iter().map(|host| &host.record);
    let similar = similar_hosts(known, &name.to_lowercase()).into_iter().map(str::to_owned).collect();
    RenderError::UnknownHost { name: name.to_owned(), similar }
}

pub(crate) fn template_file(app: &AppState, _: &PageRequest, name: &str) -> Result<Rendered, RenderError> {
    let json = app.corpus.store.template(&name.to_lowercase())?.ok_or(RenderError::NotFound)?;
    Ok(Rendered::Text("application/json", json))
}

/// Shows the verdict that `gleaner doctor` prints, and whether the crawl may request the host.
fn verdict_band(app: &AppState, request: &PageRequest, view: &CorpusView, host: &HostView) -> Markup {
    let front = CanonicalUrl::parse(&format!("http://{}/", host.record.name)).ok();
    let is_in_scope = |url: &CanonicalUrl| app.corpus.scope.as_ref().is_none_or(|scope| scope.contains(url));
    let in_scope = front.as_ref().is_none_or(is_in_scope);
    let report = view.newest_report.as_ref();
    let findings = report.into_iter().flat_map(|report| &report.findings);
    let mut of_host = findings.filter(|finding| finding.host.as_ref() == Some(&host.record.name));
    let grade = match of_host.next().map(|gravest| RunStatus::from(gravest.grade)) {
        Some(status) if status > RunStatus::Fine => status.label(),
        None if view.new_documents_by_run(host).iter().any(|new| *new > 0) => RunStatus::Fine.label(),
        _ => "",
    };
    html! {
        section.band.(grade) aria-label=(request.translate("Verdict", "Kết luận")) {
            p.why { (host_summary(host, in_scope, report).in_language(request.language)) }
            p.faint { (request.translate("Requests:", "Yêu cầu:")) " " (hosts::request_state(request, host)) }
        }
    }
}

fn state(request: &PageRequest, host: &HostView) -> Markup {
    let record = &host.record;
    let number = |value| request.language.number(value);
    let usual = host.usual.map(|usual| {
        html! {
            span.faint { (request.translate("usually", "thường")) " " (format!("{usual:.0}")) }
        }
    });
    let settings = html! { span.faint { (request.translate("with these settings", "theo cấu hình này")) } };
    let due_or_waiting =
        html! { span.faint { (request.translate("due or later", "đến hạn hoặc muộn hơn")) } };
    html! {
        dl.tiles {
            (tile(request.translate("New in the last run", "Mới trong lượt cuối"), &number(new_documents(&last_counts(host))), &usual.unwrap_or_default()))
            (tile(request.translate("Queue", "Hàng đợi"), &number(record.queued), &due_or_waiting))
            (tile(request.translate("Gap", "Khoảng nghỉ"), &format!("{:.1} s", host.delay.as_secs_f64()), &settings))
            div.tile { dt { (request.translate("Template", "Mẫu trang")) } dd { (hosts::template(request, host)) } }
            div.tile { dt { (request.translate("Last success", "Lần cuối có bài")) } dd { @if let Some(at) = host.last_new { (time_with_zone(at)) } @else { span.faint { "–" } } } }
        }
    }
}

fn actions(request: &PageRequest, host: &HostView) -> Markup {
    let name = &host.record.name;
    let here = format!("/hosts/{}", percent_encoded(name));
    html! {
        div.actions {
            @if host.record.paused { span.mark { (request.translate("paused", "tạm dừng")) } }
            @if request.is_authorized {
                @if host.record.paused {
                    (button("resume", name, request.translate("Resume", "Tiếp tục")))
                } @else {
                    (button("pause", name, request.translate("Pause", "Tạm dừng")))
                }
                @if host.record.template > 0 && !host.record.outdated {
                    (button("learn", name, request.translate("Learn the template again", "Học lại mẫu trang")))
                }
            } @else {
                a href=(link("/token", [("back", here.as_str())])) {
                    (request.translate("Pause or learn again (needs the token)", "Tạm dừng hoặc học lại (cần mã)"))
                }
            }
        }
    }
}

fn outcomes(request: &PageRequest, runs: &[(&Run, Counts)]) -> Markup {
    let is_empty = runs.iter().all(|(_, counts)| counts.outcomes.is_empty());
    html! {
        section aria-labelledby="outcomes" {
            h2 #outcomes { (request.translate("Outcomes", "Kết quả")) }
            @if is_empty {
                p.quiet { (request.translate("No URL of this host was visited in the last runs.", "Chưa đọc địa chỉ nào của trang báo này trong các lượt gần đây.")) }
            } @else {
                // One bar shows no more than its numbers in the table.
                @if runs.len() > 1 { (by_run(request, runs)) }
                (reasons(request, runs))
            }
        }
    }
}

fn by_run(request: &PageRequest, runs: &[(&Run, Counts)]) -> Markup {
    let number = |count| request.language.number(count);
    let sums: Vec<[u64; OutcomeGroup::ALL.len()]> =
        runs.iter().map(|(_, counts)| OutcomeGroup::sums(counts)).collect();
    let present: Vec<(usize, OutcomeGroup)> = OutcomeGroup::ALL
        .into_iter()
        .enumerate()
        .filter(|(at, _)| sums.iter().any(|sums| sums[*at] > 0))
        .collect();
    let bar = |((run, _), sums): (&(&Run, Counts), &[u64; OutcomeGroup::ALL.len()])| {
        let parts: Vec<_> = present.iter().map(|(at, group)| (group.css_class(), sums[*at])).collect();
        let parts_text =
            |(at, group): &(usize, OutcomeGroup)| format!("{} {}", number(sums[*at]), group.name(request));
        let parts_text: Vec<String> =
            present.iter().filter(|(at, _)| sums[*at] > 0).map(parts_text).collect();
        Bar { label: format!("{}: {}", minute_without_zone(run.started), parts_text.join(", ")), parts }
    };
    let all: Vec<Bar> = runs.iter().zip(&sums).map(bar).collect();
    let starts: Vec<Timestamp> = runs.iter().map(|(run, _)| run.started).collect();
    let frame = ChartFrame {
        title: request.translate("URLs by run and outcome", "Số địa chỉ theo lượt và kết quả"),
        top: axis_top_of_bars(&all),
        x: &axis_labels(&starts),
        labels_positions: true,
        legend: html! { @for (_, group) in &present { span.named { span.key.(group.css_class()) {} (group.name(request)) } } },
        notation: request.language.notation(),
    };
    bars(&frame, &all)
}

fn reasons(request: &PageRequest, runs: &[(&Run, Counts)]) -> Markup {
    let mut all: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (age, (_, counts)) in runs.iter().rev().enumerate() {
        for (reason, count) in &counts.outcomes {
            let (last, sum) = all.entry(reason).or_default();
            *sum += count;
            *last += if age == 0 { *count } else { 0 };
        }
    }
    let mut all: Vec<(&str, (u64, u64))> = all.into_iter().collect();
    all.sort_by_key(|(reason, (_, sum))| (OutcomeGroup::from_reason(reason), Reverse(*sum), *reason));
    let sums = format!("{} {}", runs.len(), request.translate("runs", "lượt"));
    let mut columns = vec![
        Column::text(request.translate("Outcome", "Kết quả")),
        Column::text(request.translate("Reason", "Lý do")),
        Column::number(request.translate("Last run", "Lượt cuối")),
    ];
    // With one run, both numbers are equal.
    if runs.len() > 1 {
        columns.push(Column::number(&sums));
    }
    let row = |(reason, (last, sum)): &(&str, (u64, u64))| {
        let (label, why) = reason.split_once(": ").unwrap_or((reason, ""));
        vec![
            html! { @if let Some(group) = OutcomeGroup::from_reason(reason) { span.key.(group.css_class()) {} " " } (outcome(request.language, label)) },
            html! { @if why.is_empty() { span.faint { "–" } } @else { (detail(request, reason, why)) } },
            html! { (request.language.number(*last)) },
            html! { (request.language.number(*sum)) },
        ]
    };
    let rows: Vec<Vec<Markup>> = all.iter().take(MAX_REASONS).map(row).collect();
    table(request.translate("All outcomes with their reasons", "Mọi kết quả và lý do"), &columns, &rows, &[])
}

/// Shows the detail of a reason in words. A detail without words is a code, such as a status.
fn detail(request: &PageRequest, reason: &str, why: &str) -> Markup {
    let words = detail_in_words(reason);
    html! {
        @match &words {
            Some(words) => (words.in_language(request.language)),
            None => code { (why) },
        }
    }
}

fn latest(app: &AppState, request: &PageRequest, host: &HostView) -> Result<Markup, RenderError> {
    let name = &host.record.name;
    let query = SearchQuery { hosts: vec![name.clone()], ..SearchQuery::default() };
    let found = app.search.find(&query, 0, MAX_LATEST)?;
    let mut documents = Vec::new();
    for found in found.documents {
        documents.extend(app.corpus.store.document(found.id)?);
    }
    Ok(html! {
        section aria-labelledby="latest" {
            h2 #latest { (request.translate("Latest documents", "Văn bản mới nhất")) }
            @if documents.is_empty() {
                p.quiet { (request.translate("The search index has no documents of this host.", "Chỉ mục tìm kiếm chưa có văn bản của trang báo này.")) }
            } @else {
                ul.list {
                    @for document in &documents { li {
                        a href={ "/documents/" (document.id) } lang=(document.language) { (super::document::title(document)) }
                        " " span.faint { (time_with_zone(document.fetched)) }
                    } }
                }
                p { a href=(link("/search", [("host", name.as_str())])) {
                    (request.language.number(found.count as u64)) " " (request.translate("documents", "văn bản"))
                } }
            }
        }
    })
}

fn template(app: &AppState, request: &PageRequest, host: &HostView) -> Result<Markup, RenderError> {
    let name = &host.record.name;
    let json = app.corpus.store.template(name)?;
    let Some(template) = json.and_then(|json| SiteTemplate::from_json(&json).ok()) else {
        return Ok(html! {});
    };
    let summary = describe(&template, request.language);
    let lines: Vec<&str> = summary.lines().take(SUMMARY_LINES).collect();
    Ok(html! {
        section aria-labelledby="template" {
            h2 #template { (request.translate("Template", "Mẫu trang")) " " (hosts::template(request, host)) }
            pre tabindex="0" { (lines.join("\n")) }
            p { a href={ "/hosts/" (percent_encoded(name)) "/template.json" } { (request.translate("Full template as JSON", "Toàn bộ dạng JSON")) } }
        }
    })
}
