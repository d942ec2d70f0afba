//! Shows the workers of a shared corpus in a section of the overview.

use gleaner_crawl::render::page::{Column, table};
use gleaner_store::WorkerStatus;
use maud::{Markup, html};

use super::tile;
use crate::status::request::PageRequest;
use crate::status::workers::{WorkerState, WorkersView};

pub(crate) fn workers(request: &PageRequest, workers: &WorkersView) -> Markup {
    let number = |value| request.language.number(value);
    let without = workers.partitions_without();
    let columns = [
        Column::text(request.translate("Worker", "Tiến trình")),
        Column::number(request.translate("Partitions", "Phần việc")),
        Column::number(request.translate("Pages", "Trang đã đọc")),
        Column::number(request.translate("Pages/s", "Mỗi giây")),
        Column::text(request.translate("State", "Trạng thái")),
        Column::number(request.translate("Silent, s", "Im lặng, giây")),
        Column::text(request.translate("Version", "Phiên bản")),
    ];
    let rows: Vec<Vec<Markup>> = workers.all.iter().map(|worker| row(request, workers, worker)).collect();
    html! {
        dl.tiles {
            (tile(request.translate("Pages per second, all", "Trang mỗi giây, tất cả"), &format!("{:.1}", workers.rate()), &html!{}))
            @for state in WorkerState::ALL {
                (tile(name(request, state), &number(workers.count(state)), &html!{}))
            }
        }
        @if without > 0 {
            p.notice role="alert" {
                (number(without)) " "
                (request.translate("of 256 partitions have no worker.", "trên 256 phần việc chưa có tiến trình nào nhận."))
            }
        }
        (table(request.translate("Workers by name", "Các tiến trình theo tên"), &columns, &rows, &[]))
    }
}

fn row(request: &PageRequest, workers: &WorkersView, worker: &WorkerStatus) -> Vec<Markup> {
    let number = |value| html! { (request.language.number(value)) };
    let state = workers.state(worker);
    vec![
        html! { (worker.name) },
        number(worker.partitions),
        number(worker.pages),
        html! { @if state == WorkerState::Gone { "–" } @else { (format!("{:.1}", worker.rate)) } },
        html! { @if state == WorkerState::Gone { span.mark { (name(request, state)) } } @else { (name(request, state)) } },
        html! { (format!("{:.0}", worker.silent)) },
        html! { (worker.version) },
    ]
}

const fn name(request: &PageRequest, state: WorkerState) -> &'static str {
    match state {
        WorkerState::Working => request.translate("Working", "Đang làm"),
        WorkerState::Idle => request.translate("Idle", "Đang rảnh"),
        WorkerState::Waiting => request.translate("Waiting", "Đang chờ"),
        WorkerState::Gone => request.translate("Not responding", "Mất liên lạc"),
    }
}
