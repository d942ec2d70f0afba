//! Lists the last runs with their status, and shows the report of a run.

use gleaner_crawl::report::{Report, Status, folder, page as report_page};
use gleaner_render::page::{Column, table};
use gleaner_render::text::duration;
use gleaner_store::{Counts, Run};
use jiff::Timestamp;
use maud::{Markup, html};

use super::{Fault, Made, framed, host_link, time};
use crate::asked::Asked;
use crate::corpus_view::{CorpusView, RUNS, duplicates, failures, new};
use crate::reports::{Brief, path_of};
use crate::site::Site;

pub(crate) fn page(site: &Site, asked: &Asked, _: &str) -> Result<Made, Fault> {
    let view = site.corpus_view()?;
    let content = html! {
        (runs(site, asked, &view, RUNS, true))
        p.faint { (asked.say(
            "The last 60 runs. `gleaner report --list` lists all reports.",
            "60 lượt gần nhất. `gleaner report --list` liệt kê mọi báo cáo.",
        )) }
    };
    Ok(Made::Page(framed(asked, asked.say("Runs", "Các lượt"), &content)))
}

pub(crate) fn one(site: &Site, asked: &Asked, name: &str) -> Result<Made, Fault> {
    let report = read(site, name)?;
    let content = html! {
        p.headline {
            (status(asked, report.status)) " "
            a href={ "/reports/" (name) "/report.json" } { "JSON" } " · "
            a href="/reports" { (asked.say("All runs", "Mọi lượt")) }
        }
        div lang="en" { (report_page::content(&report, &host_link)) }
    };
    let title = format!("{} {}", asked.say("Run", "Lượt"), report.run);
    Ok(Made::Page(framed(asked, &title, &content)))
}

pub(crate) fn json(site: &Site, _: &Asked, name: &str) -> Result<Made, Fault> {
    let json = serde_json::to_string_pretty(&read(site, name)?).expect("a report is plain data");
    Ok(Made::Plain("application/json", json))
}

fn read(site: &Site, name: &str) -> Result<Report, Fault> {
    let path = path_of(site.corpus.store.folder(), name).ok_or(Fault::Nothing)?;
    folder::read(&path).map_err(|error| Fault::Failed(error.to_string()))
}

pub(crate) fn status(asked: &Asked, status: Status) -> Markup {
    let name = match status {
        Status::Fine => asked.say("fine", "bình thường"),
        Status::Unusual => asked.say("unusual", "khác thường"),
        Status::Failed => asked.say("failed", "thất bại"),
    };
    html! { span.status.(status.label()) { (name) } }
}

pub(crate) enum State<'a> {
    Running,
    Interrupted,
    Reported(&'a Brief),
    /// The run has ended, but its report was deleted or is in the data folder of another process.
    Ended,
}

pub(crate) fn state<'a>(site: &Site, view: &'a CorpusView, run: &Run) -> State<'a> {
    let is_last = view.runs.last().is_some_and(|(last, _)| last.number == run.number);
    match (run.ended, view.report_of(run)) {
        (None, _) if is_last && (site.live.running().is_some() || view.workers_crawl()) => State::Running,
        (_, Some(brief)) => State::Reported(brief),
        (None, None) => State::Interrupted,
        (Some(_), None) => State::Ended,
    }
}

pub(crate) fn mark(asked: &Asked, state: &State<'_>) -> Markup {
    html! {
        @match state {
            State::Running => span.mark { (asked.say("running", "đang chạy")) },
            State::Interrupted => span.mark { (asked.say("interrupted", "bị ngắt")) },
            State::Reported(brief) => a href={ "/reports/" (brief.name) } { (status(asked, brief.status)) },
            State::Ended => span.faint { (asked.say("no report", "không có báo cáo")) },
        }
    }
}

/// Shows at most `most` runs, newest first. `with_why` adds the reasons for their status.
pub(crate) fn runs(site: &Site, asked: &Asked, view: &CorpusView, most: usize, with_why: bool) -> Markup {
    let names = [
        Column::text(asked.say("Run", "Lượt")),
        Column::text(asked.say("Status", "Trạng thái")),
        Column::text(asked.say("Started", "Bắt đầu")),
        Column::text(asked.say("Duration", "Thời gian")),
        Column::number(asked.say("New", "Mới")),
        Column::number(asked.say("Duplicates", "Trùng")),
        Column::number(asked.say("Failed", "Thất bại")),
        Column::number(asked.say("Size", "Dung lượng")),
        Column::text(asked.say("Why", "Vì sao")),
    ];
    let columns = if with_why { &names[..] } else { &names[..names.len() - 1] };
    let rows: Vec<Vec<Markup>> =
        view.runs.iter().rev().take(most).map(|run| row(asked, run, &state(site, view, &run.0))).collect();
    html! {
        @if rows.is_empty() {
            p.quiet { (asked.say("There are no runs yet.", "Chưa có lượt nào.")) }
        } @else {
            (table(asked.say("Runs, newest first", "Các lượt, mới nhất trước"), columns, &rows, &[]))
        }
    }
}

fn row(asked: &Asked, (run, counts): &(Run, Counts), state: &State<'_>) -> Vec<Markup> {
    let number = |value| html! { (asked.language.number(value)) };
    let name = html! { "#" (run.number) };
    vec![
        match state {
            State::Reported(brief) => html! { a href={ "/reports/" (brief.name) } { (name) } },
            _ => name,
        },
        mark(asked, state),
        time(Some(run.started)),
        html! { @match run.ended {
            Some(ended) => (duration(seconds(run.started, ended))),
            None => span.faint { "–" },
        } },
        html! { strong { (asked.language.number(new(counts))) } },
        number(duplicates(counts)),
        number(failures(counts)),
        html! { (asked.language.bytes(counts.bytes)) },
        html! { @if let State::Reported(brief) = state { span lang="en" { (brief.why) } } },
    ]
}

fn seconds(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_second() - from.as_second()).unwrap_or_default()
}
