//! Shows the workers of a shared corpus in a section of the overview.

use gleaner_render::page::{Column, table};
use gleaner_store::WorkerStatus;
use maud::{Markup, html};

use super::tile;
use crate::asked::Asked;
use crate::workers::{State, Workers};

pub(crate) fn workers(asked: &Asked, workers: &Workers) -> Markup {
    let number = |value| asked.language.number(value);
    let without = workers.partitions_without();
    let columns = [
        Column::text(asked.say("Worker", "Tiến trình")),
        Column::number(asked.say("Partitions", "Phần việc")),
        Column::number(asked.say("Pages", "Trang đã đọc")),
        Column::number(asked.say("Pages/s", "Mỗi giây")),
        Column::text(asked.say("State", "Trạng thái")),
        Column::number(asked.say("Silent, s", "Im lặng, giây")),
        Column::text(asked.say("Version", "Phiên bản")),
    ];
    let rows: Vec<Vec<Markup>> = workers.all.iter().map(|worker| row(asked, workers, worker)).collect();
    html! {
        dl.tiles {
            (tile(asked.say("Pages per second, all", "Trang mỗi giây, tất cả"), &format!("{:.1}", workers.rate()), &html!{}))
            @for state in State::ALL {
                (tile(name(asked, state), &number(workers.count(state)), &html!{}))
            }
        }
        @if without > 0 {
            p.notice role="alert" {
                (number(without)) " "
                (asked.say("of 256 partitions have no worker.", "trên 256 phần việc chưa có tiến trình nào nhận."))
            }
        }
        (table(asked.say("Workers by name", "Các tiến trình theo tên"), &columns, &rows, &[]))
    }
}

fn row(asked: &Asked, workers: &Workers, worker: &WorkerStatus) -> Vec<Markup> {
    let number = |value| html! { (asked.language.number(value)) };
    let state = workers.state(worker);
    vec![
        html! { (worker.name) },
        number(worker.partitions),
        number(worker.pages),
        html! { @if state == State::Gone { "–" } @else { (format!("{:.1}", worker.rate)) } },
        html! { @if state == State::Gone { span.mark { (name(asked, state)) } } @else { (name(asked, state)) } },
        html! { (format!("{:.0}", worker.silent)) },
        html! { (worker.version) },
    ]
}

const fn name(asked: &Asked, state: State) -> &'static str {
    match state {
        State::AtWork => asked.say("Working", "Đang làm"),
        State::Idle => asked.say("Idle", "Đang rảnh"),
        State::Waiting => asked.say("Waiting", "Đang chờ"),
        State::Gone => asked.say("Not responding", "Mất liên lạc"),
    }
}
