//! Lists the last runs with their status, and shows the report of a run.

use gleaner_crawl::render::page::{Column, table};
use gleaner_crawl::report::{Report, RunStatus, folder, page as report_page};
use gleaner_store::{Counts, Run};
use jiff::Timestamp;
use maud::{Markup, html};

use super::{RenderError, Rendered, host_link, layout, time};
use crate::status::app_state::AppState;
use crate::status::corpus_view::{CorpusView, RUNS, duplicates, failures, new_documents};
use crate::status::language::UiLanguage;
use crate::status::report_cache::{ReportSummary, path_of};
use crate::status::request::PageRequest;

pub(crate) fn page(app: &AppState, request: &PageRequest, _: &str) -> Result<Rendered, RenderError> {
    let view = app.corpus_view()?;
    let content = html! {
        (runs(app, request, &view, RUNS, true))
        p.faint {
            (request.translate("The last 60 runs. All reports:", "60 lượt gần nhất. Mọi báo cáo:")) " "
            code { "gleaner report --list" }
        }
    };
    Ok(Rendered::Page(layout(request, request.translate("Runs", "Các lượt"), &content)))
}

pub(crate) fn one(app: &AppState, request: &PageRequest, name: &str) -> Result<Rendered, RenderError> {
    let report = read(app, name)?;
    let content = html! {
        p.headline {
            (status(request, report.status)) " "
            a href={ "/reports/" (name) "/report.json" } { "JSON" } " · "
            a href="/reports" { (request.translate("All runs", "Mọi lượt")) }
        }
        (report_page::content(&report, &host_link, request.language))
    };
    let title = format!("{} {}", request.translate("Run", "Lượt"), report.run);
    Ok(Rendered::Page(layout(request, &title, &content)))
}

pub(crate) fn json(app: &AppState, _: &PageRequest, name: &str) -> Result<Rendered, RenderError> {
    let json = serde_json::to_string_pretty(&read(app, name)?).expect("a report is plain data");
    Ok(Rendered::Text("application/json", json))
}

fn read(app: &AppState, name: &str) -> Result<Report, RenderError> {
    let path = path_of(app.corpus.store.folder(), name).ok_or(RenderError::NotFound)?;
    folder::read(&path).map_err(|error| RenderError::Internal(error.to_string()))
}

pub(crate) fn status(request: &PageRequest, status: RunStatus) -> Markup {
    let name = match status {
        RunStatus::Fine => request.translate("fine", "bình thường"),
        RunStatus::Unusual => request.translate("unusual", "khác thường"),
        RunStatus::Failed => request.translate("failed", "thất bại"),
    };
    html! { span.status.(status.label()) { (name) } }
}

/// Shows the reason for a run's status: the most severe finding, or that there are only notes or no findings.
pub(crate) fn why(language: UiLanguage, summary: &ReportSummary) -> Markup {
    html! {
        @match (&summary.why, summary.notes) {
            (Some(why), _) => (why.in_language(language)),
            (None, 0) => (language.choose("Nothing is unusual.", "Không có gì khác thường.")),
            (None, 1) => (language.choose("1 note.", "1 ghi chú.")),
            (None, notes) => { (language.number(notes as u64)) " " (language.choose("notes.", "ghi chú.")) }
        }
    }
}

pub(crate) enum RunState<'a> {
    Running,
    Interrupted,
    Reported(&'a ReportSummary),
    /// The run has ended, but its report was deleted or is in the data folder of another process.
    Ended,
}

pub(crate) fn state<'a>(app: &AppState, view: &'a CorpusView, run: &Run) -> RunState<'a> {
    let is_last = view.runs.last().is_some_and(|(last, _)| last.number == run.number);
    match (run.ended, view.report_of(run)) {
        (None, _) if is_last && (app.monitor.running().is_some() || view.workers_crawl()) => {
            RunState::Running
        }
        (_, Some(summary)) => RunState::Reported(summary),
        (None, None) => RunState::Interrupted,
        (Some(_), None) => RunState::Ended,
    }
}

pub(crate) fn mark(request: &PageRequest, state: &RunState<'_>) -> Markup {
    html! {
        @match state {
            RunState::Running => span.mark { (request.translate("running", "đang chạy")) },
            RunState::Interrupted => span.mark { (request.translate("interrupted", "bị ngắt")) },
            RunState::Reported(summary) => a href={ "/reports/" (summary.name) } { (status(request, summary.status)) },
            RunState::Ended => span.faint { (request.translate("no report", "không có báo cáo")) },
        }
    }
}

/// Shows at most `most` runs, newest first. `with_why` adds the reasons for their status.
pub(crate) fn runs(
    app: &AppState,
    request: &PageRequest,
    view: &CorpusView,
    most: usize,
    with_why: bool,
) -> Markup {
    let names = [
        Column::text(request.translate("Run", "Lượt")),
        Column::text(request.translate("Status", "Trạng thái")),
        Column::text(request.translate("Started", "Bắt đầu")),
        Column::text(request.translate("Duration", "Thời gian")),
        Column::number(request.translate("New", "Mới")),
        Column::number(request.translate("Duplicates", "Trùng")),
        Column::number(request.translate("Failed", "Thất bại")),
        Column::number(request.translate("Received", "Đã nhận")),
        Column::sentences(request.translate("Why", "Vì sao")),
    ];
    let columns = if with_why { &names[..] } else { &names[..names.len() - 1] };
    let rows: Vec<Vec<Markup>> =
        view.runs.iter().rev().take(most).map(|run| row(request, run, &state(app, view, &run.0))).collect();
    html! {
        @if rows.is_empty() {
            p.quiet { (request.translate("There are no runs yet.", "Chưa có lượt nào.")) }
        } @else {
            (table(request.translate("Runs, newest first", "Các lượt, mới nhất trước"), columns, &rows, &[]))
        }
    }
}

fn row(request: &PageRequest, (run, counts): &(Run, Counts), state: &RunState<'_>) -> Vec<Markup> {
    let number = |value| html! { (request.language.number(value)) };
    let name = html! { "#" (run.number) };
    vec![
        match state {
            RunState::Reported(summary) => html! { a href={ "/reports/" (summary.name) } { (name) } },
            _ => name,
        },
        mark(request, state),
        time(Some(run.started)),
        html! { @match run.ended {
            Some(ended) => (request.language.duration(seconds(run.started, ended))),
            None => span.faint { "–" },
        } },
        html! { strong { (request.language.number(new_documents(counts))) } },
        number(duplicates(counts)),
        number(failures(counts)),
        html! { (request.language.bytes(counts.bytes)) },
        html! { @if let RunState::Reported(summary) = state { (why(request.language, summary)) } },
    ]
}

fn seconds(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_second() - from.as_second()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::language::Bilingual;

    #[test]
    fn notes_are_counted() {
        let mut summary = ReportSummary {
            name: "run".into(),
            run: 1,
            started: Timestamp::UNIX_EPOCH,
            status: RunStatus::Fine,
            why: None,
            notes: 0,
        };
        let shown = |summary: &ReportSummary, language| why(language, summary).into_string();
        assert_eq!(shown(&summary, UiLanguage::English), "Nothing is unusual.");
        assert_eq!(shown(&summary, UiLanguage::Vietnamese), "Không có gì khác thường.");
        summary.notes = 2;
        assert_eq!(shown(&summary, UiLanguage::English), "2 notes.");
        summary.why = Some(Bilingual::new("It failed.", "Lượt thất bại."));
        assert_eq!(shown(&summary, UiLanguage::Vietnamese), "Lượt thất bại.");
    }
}
