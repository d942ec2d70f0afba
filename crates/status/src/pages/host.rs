//! Shows one host: its template, latest documents, runs and failures.

use std::collections::BTreeMap;

use gleaner_crawl::HostView;
use gleaner_frontier::Class;
use gleaner_render::page::{Column, table};
use gleaner_store::{Counts, Run};
use gleaner_template::SiteTemplate;
use gleaner_template::describe::describe;
use maud::{Markup, html};

use super::{Fault, Made, button, framed, hosts, tile, time};
use crate::asked::{Asked, encoded, link};
use crate::corpus_view::{duplicates, failures, new, newest};
use crate::language::clock_time;
use crate::pictures::{Bar, stacked};
use crate::search::Question;
use crate::site::Site;

const LATEST: usize = 12;

const REASONS: usize = 20;

const SUMMARY: usize = 14;

pub(crate) fn page(site: &Site, asked: &Asked, name: &str) -> Result<Made, Fault> {
    let view = site.corpus_view()?;
    let host = view.host(&name.to_lowercase()).ok_or(Fault::Nothing)?;
    let runs = view.runs_of(host);
    let content = html! {
        (state(asked, host))
        (actions(asked, host))
        (outcomes(asked, &runs))
        (faults(asked, &runs))
        (latest(site, asked, host)?)
        (template(site, asked, host)?)
    };
    Ok(Made::Page(framed(asked, &host.record.name, &content)))
}

/// Returns the newest template as a file for `extract --template`.
pub(crate) fn template_file(site: &Site, _: &Asked, name: &str) -> Result<Made, Fault> {
    let json = site.corpus.store.template(&name.to_lowercase())?.ok_or(Fault::Nothing)?;
    Ok(Made::Plain("application/json", json))
}

fn state(asked: &Asked, host: &HostView) -> Markup {
    let record = &host.record;
    let number = |value| asked.language.number(value);
    html! {
        dl.tiles {
            (tile(asked.say("New in the last run", "Mới trong lượt cuối"), &number(new(&newest(host))), &html!{}))
            (tile(asked.say("Queue", "Hàng đợi"), &number(record.queued), &html!{}))
            (tile(asked.say("Gap", "Khoảng nghỉ"), &format!("{:.1} s", host.gap.as_secs_f64()), &html!{}))
            div.tile { dt { (asked.say("Template", "Mẫu trang")) } dd { (hosts::template(asked, host)) } }
            div.tile { dt { (asked.say("Last success", "Lần cuối có bài")) } dd { (time(host.last_new)) } }
            @if record.held_until.is_some_and(|at| at > jiff::Timestamp::now()) {
                div.tile { dt { (asked.say("Held until", "Chờ đến")) } dd { (time(record.held_until)) } }
            }
        }
    }
}

fn actions(asked: &Asked, host: &HostView) -> Markup {
    let name = &host.record.name;
    let here = format!("/hosts/{}", encoded(name));
    html! {
        div.actions {
            @if host.record.paused { span.mark { (asked.say("paused", "tạm dừng")) } }
            @if asked.has_key {
                @if host.record.paused {
                    (button("resume", name, asked.say("Resume", "Tiếp tục")))
                } @else {
                    (button("pause", name, asked.say("Pause", "Tạm dừng")))
                }
                @if host.record.template > 0 && !host.record.outdated {
                    (button("learn", name, asked.say("Learn the template again", "Học lại mẫu trang")))
                }
            } @else {
                a href=(link("/token", [("back", here.as_str())])) {
                    (asked.say("Pause or learn again (needs the token)", "Tạm dừng hoặc học lại (cần mã)"))
                }
            }
        }
    }
}

/// The classes of a bar's parts, from bottom to top.
const BAR_PARTS: [&str; 4] = ["new", "duplicate", "neutral", "failed"];

fn parts(counts: &Counts) -> Vec<(&'static str, u64)> {
    let (stored, duplicate) = (counts.of_class(|class| class == Class::Stored), duplicates(counts));
    let failed = failures(counts);
    let others = counts.outcomes.values().sum::<u64>() - stored - duplicate - failed;
    BAR_PARTS.into_iter().zip([stored, duplicate, others, failed]).collect()
}

fn outcomes(asked: &Asked, runs: &[(&Run, Counts)]) -> Markup {
    let name = |class: &str| match class {
        "new" => asked.say("new", "mới"),
        "duplicate" => asked.say("duplicates", "trùng"),
        "failed" => asked.say("failed", "thất bại"),
        _ => asked.say("others", "khác"),
    };
    let bar = |(run, counts): &(&Run, Counts)| Bar { label: clock_time(run.started), parts: parts(counts) };
    let bars: Vec<Bar> = runs.iter().map(bar).collect();
    let columns: Vec<Column<'_>> = [Column::text(asked.say("Run", "Lượt"))]
        .into_iter()
        .chain(BAR_PARTS.map(|class| Column::number(name(class))))
        .chain([Column::number(asked.say("Bytes", "Dung lượng"))])
        .collect();
    let rows = html! {
        tbody { @for (run, counts) in runs.iter().rev() { tr {
            th scope="row" { (time(Some(run.started))) }
            @for (_, count) in parts(counts) { td.number { (asked.language.number(count)) } }
            td.number { (asked.language.bytes(counts.bytes)) }
        } } }
    };
    html! {
        @if !runs.is_empty() { section aria-labelledby="outcomes" {
            h2 #outcomes { (asked.say("Outcomes by run", "Kết quả theo lượt")) }
            figure {
                (stacked(&bars, asked.say("Outcomes by run; the table below has the figures", "Kết quả theo lượt; số liệu ở bảng dưới")))
                figcaption { @for class in BAR_PARTS { span.key.(class) {} (name(class)) " " } }
            }
            details {
                summary { (asked.say("Figures", "Số liệu")) }
                (table(asked.say("Outcomes by run, newest first", "Kết quả theo lượt, mới nhất trước"), &columns, &rows))
            }
        } }
    }
}

/// Shows the outcomes without a document, with their reasons, the most frequent first.
fn faults(asked: &Asked, runs: &[(&Run, Counts)]) -> Markup {
    let mut all: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (_, counts) in runs {
        for (reason, count) in &counts.outcomes {
            all.entry(reason).or_default().0 += count;
        }
    }
    for (reason, count) in runs.last().into_iter().flat_map(|(_, counts)| &counts.outcomes) {
        all.entry(reason).or_default().1 = *count;
    }
    let dull = ["stored", "revised", "duplicate", "near_duplicate", "listing", "unchanged", "redirected"];
    let mut reasons: Vec<(&str, (u64, u64))> =
        all.into_iter().filter(|(reason, _)| !dull.contains(reason)).collect();
    reasons.sort_by_key(|(reason, (count, _))| (std::cmp::Reverse(*count), *reason));
    let columns = [
        Column::text(asked.say("Outcome", "Kết quả")),
        Column::text(asked.say("Reason", "Lý do")),
        Column::number(asked.say("Last run", "Lượt cuối")),
        Column::number(asked.say("14 runs", "14 lượt")),
    ];
    let rows = html! {
        tbody { @for (reason, (count, last)) in reasons.iter().take(REASONS) {
            @let (label, why) = reason.split_once(": ").unwrap_or((reason, ""));
            tr {
                th scope="row" { (asked.language.outcome(label)) }
                td { @if why.is_empty() { span.faint { "–" } } @else { code { (why) } } }
                td.number { (asked.language.number(*last)) }
                td.number { (asked.language.number(*count)) }
            }
        } }
    };
    html! {
        @if !reasons.is_empty() { section aria-labelledby="faults" {
            h2 #faults { (asked.say("Outcomes without a document", "Không thành văn bản")) }
            (table(asked.say("Reasons, most frequent first", "Lý do, nhiều nhất trước"), &columns, &rows))
        } }
    }
}

/// Shows the latest documents in the search index.
fn latest(site: &Site, asked: &Asked, host: &HostView) -> Result<Markup, Fault> {
    let name = &host.record.name;
    let question = Question { host: name.clone(), ..Question::default() };
    let found = site.search.find(&question, 0, LATEST)?;
    let mut documents = Vec::new();
    for id in found.ids {
        documents.extend(site.corpus.store.document(id)?);
    }
    Ok(html! {
        section aria-labelledby="latest" {
            h2 #latest { (asked.say("Latest documents", "Văn bản mới nhất")) }
            @if documents.is_empty() {
                p.quiet { (super::search::nothing_yet(site, asked)) }
            } @else {
                ul.list {
                    @for document in &documents { li {
                        a href={ "/documents/" (document.id) } lang=(document.language) { (super::document::title(document)) }
                        " " span.faint { (time(Some(document.fetched))) }
                    } }
                }
                p { a href=(link("/search", [("host", name.as_str())])) {
                    (asked.language.number(found.count as u64)) " " (asked.say("documents", "văn bản"))
                } }
            }
        }
    })
}

fn template(site: &Site, asked: &Asked, host: &HostView) -> Result<Markup, Fault> {
    let name = &host.record.name;
    let json = site.corpus.store.template(name)?;
    let Some(template) = json.and_then(|json| SiteTemplate::from_json(&json).ok()) else {
        return Ok(html! {});
    };
    let summary = describe(&template);
    let lines: Vec<&str> = summary.lines().take(SUMMARY).collect();
    Ok(html! {
        section aria-labelledby="template" {
            h2 #template { (asked.say("Template", "Mẫu trang")) " v" (template.version) }
            pre tabindex="0" lang="en" { (lines.join("\n")) }
            p { a href={ "/hosts/" (encoded(name)) "/template.json" } { (asked.say("Full template as JSON", "Toàn bộ dạng JSON")) } }
        }
    })
}
