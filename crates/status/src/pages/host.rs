//! Shows one host: verdict, state, outcomes, latest documents and template.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use gleaner_crawl::report::Status;
use gleaner_crawl::{HostView, verdict};
use gleaner_frontier::CanonicalUrl;
use gleaner_render::page::{Column, table};
use gleaner_store::{Counts, Run};
use gleaner_template::SiteTemplate;
use gleaner_template::describe::describe;
use jiff::Timestamp;
use maud::{Markup, html};

use super::{Fault, Made, button, framed, hosts, tile, time};
use crate::asked::{Asked, encoded, link};
use crate::corpus_view::{CorpusView, new, newest};
use crate::family::Family;
use crate::language::{axis_labels, clock_time};
use crate::pictures::{Bar, Frame, bars, top_of};
use crate::search::Question;
use crate::site::Site;

const LATEST: usize = 12;

const REASONS: usize = 40;

const SUMMARY: usize = 14;

pub(crate) fn page(site: &Site, asked: &Asked, name: &str) -> Result<Made, Fault> {
    let view = site.corpus_view()?;
    let host = view.host(&name.to_lowercase()).ok_or(Fault::Nothing)?;
    let runs = view.runs_of(host);
    let content = html! {
        (says(site, asked, &view, host))
        (state(asked, host))
        (actions(asked, host))
        (outcomes(asked, &runs))
        (latest(site, asked, host)?)
        (template(site, asked, host)?)
    };
    Ok(Made::Page(framed(asked, &host.record.name, &content)))
}

pub(crate) fn template_file(site: &Site, _: &Asked, name: &str) -> Result<Made, Fault> {
    let json = site.corpus.store.template(&name.to_lowercase())?.ok_or(Fault::Nothing)?;
    Ok(Made::Plain("application/json", json))
}

/// Shows the verdict that `gleaner doctor` prints, and whether the crawl may request the host.
fn says(site: &Site, asked: &Asked, view: &CorpusView, host: &HostView) -> Markup {
    let front = CanonicalUrl::parse(&format!("http://{}/", host.record.name)).ok();
    let is_in_scope = |url: &CanonicalUrl| site.corpus.scope.as_ref().is_none_or(|scope| scope.contains(url));
    let in_scope = front.as_ref().is_none_or(is_in_scope);
    let report = view.newest_report.as_ref();
    let findings = report.into_iter().flat_map(|report| &report.findings);
    let mut own = findings.filter(|finding| finding.host.as_ref() == Some(&host.record.name));
    let grade = match own.next().map(|gravest| Status::from(gravest.grade)) {
        Some(status) if status > Status::Fine => status.label(),
        None if view.news(host).iter().any(|new| *new > 0) => Status::Fine.label(),
        _ => "",
    };
    html! {
        section.band.(grade) aria-label=(asked.say("Verdict", "Kết luận")) {
            p.why lang="en" { (verdict(host, in_scope, report)) }
            p.faint { (asked.say("Requests:", "Yêu cầu:")) " " span lang="en" { (host.request_state(Timestamp::now())) } }
        }
    }
}

fn state(asked: &Asked, host: &HostView) -> Markup {
    let record = &host.record;
    let number = |value| asked.language.number(value);
    let usual = host.usual.map(|usual| {
        html! {
            span.faint { (asked.say("usually", "thường")) " " (format!("{usual:.0}")) }
        }
    });
    let settings = html! { span.faint { (asked.say("with these settings", "theo cấu hình này")) } };
    html! {
        dl.tiles {
            (tile(asked.say("New in the last run", "Mới trong lượt cuối"), &number(new(&newest(host))), &usual.unwrap_or_default()))
            (tile(asked.say("Queue", "Hàng đợi"), &number(record.queued), &html!{}))
            (tile(asked.say("Gap", "Khoảng nghỉ"), &format!("{:.1} s", host.gap.as_secs_f64()), &settings))
            div.tile { dt { (asked.say("Template", "Mẫu trang")) } dd { (hosts::template(asked, host)) } }
            div.tile { dt { (asked.say("Last success", "Lần cuối có bài")) } dd { (time(host.last_new)) } }
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

fn outcomes(asked: &Asked, runs: &[(&Run, Counts)]) -> Markup {
    let is_empty = runs.iter().all(|(_, counts)| counts.outcomes.is_empty());
    html! {
        section aria-labelledby="outcomes" {
            h2 #outcomes { (asked.say("Outcomes", "Kết quả")) }
            @if is_empty {
                p.quiet { (asked.say("No URL of this host was visited in the last runs.", "Chưa đọc địa chỉ nào của trang báo này trong các lượt gần đây.")) }
            } @else {
                (by_run(asked, runs))
                (reasons(asked, runs))
            }
        }
    }
}

fn by_run(asked: &Asked, runs: &[(&Run, Counts)]) -> Markup {
    let number = |count| asked.language.number(count);
    let sums: Vec<[u64; Family::ALL.len()]> = runs.iter().map(|(_, counts)| Family::sums(counts)).collect();
    let present: Vec<(usize, Family)> =
        Family::ALL.into_iter().enumerate().filter(|(at, _)| sums.iter().any(|sums| sums[*at] > 0)).collect();
    let bar = |((run, _), sums): (&(&Run, Counts), &[u64; Family::ALL.len()])| {
        let parts: Vec<_> = present.iter().map(|(at, family)| (family.class(), sums[*at])).collect();
        let said = |(at, family): &(usize, Family)| format!("{} {}", number(sums[*at]), family.name(asked));
        let said: Vec<String> = present.iter().filter(|(at, _)| sums[*at] > 0).map(said).collect();
        Bar { label: format!("{}: {}", clock_time(run.started), said.join(", ")), parts }
    };
    let all: Vec<Bar> = runs.iter().zip(&sums).map(bar).collect();
    let starts: Vec<Timestamp> = runs.iter().map(|(run, _)| run.started).collect();
    let frame = Frame {
        title: asked.say("URLs by run and outcome", "Số địa chỉ theo lượt và kết quả"),
        top: top_of(&all),
        x: &axis_labels(&starts),
        has_places: true,
        legend: html! { @for (_, family) in &present { span.named { span.key.(family.class()) {} (family.name(asked)) } } },
        notation: asked.language.notation(),
    };
    bars(&frame, &all)
}

fn reasons(asked: &Asked, runs: &[(&Run, Counts)]) -> Markup {
    let mut all: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (age, (_, counts)) in runs.iter().rev().enumerate() {
        for (reason, count) in &counts.outcomes {
            let (last, sum) = all.entry(reason).or_default();
            *sum += count;
            *last += if age == 0 { *count } else { 0 };
        }
    }
    let mut all: Vec<(&str, (u64, u64))> = all.into_iter().collect();
    all.sort_by_key(|(reason, (_, sum))| (Family::of(reason), Reverse(*sum), *reason));
    let unit = asked.say(if runs.len() == 1 { "run" } else { "runs" }, "lượt");
    let sums = format!("{} {unit}", runs.len());
    let columns = [
        Column::text(asked.say("Outcome", "Kết quả")),
        Column::text(asked.say("Reason", "Lý do")),
        Column::number(asked.say("Last run", "Lượt cuối")),
        Column::number(&sums),
    ];
    let row = |(reason, (last, sum)): &(&str, (u64, u64))| {
        let (label, why) = reason.split_once(": ").unwrap_or((reason, ""));
        vec![
            html! { @if let Some(family) = Family::of(reason) { span.key.(family.class()) {} " " } (asked.language.outcome(label)) },
            html! { @if why.is_empty() { span.faint { "–" } } @else { code { (why) } } },
            html! { (asked.language.number(*last)) },
            html! { (asked.language.number(*sum)) },
        ]
    };
    let rows: Vec<Vec<Markup>> = all.iter().take(REASONS).map(row).collect();
    table(asked.say("All outcomes with their reasons", "Mọi kết quả và lý do"), &columns, &rows, &[])
}

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
                p.quiet { (asked.say("The search index has no documents of this host.", "Chỉ mục tìm kiếm chưa có văn bản của trang báo này.")) }
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
            h2 #template { (asked.say("Template", "Mẫu trang")) " " (hosts::template(asked, host)) }
            pre tabindex="0" lang="en" { (lines.join("\n")) }
            p { a href={ "/hosts/" (encoded(name)) "/template.json" } { (asked.say("Full template as JSON", "Toàn bộ dạng JSON")) } }
        }
    })
}
