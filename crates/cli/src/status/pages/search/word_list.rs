//! Shows the most frequent words of the documents of a search.

use gleaner_crawl::render::page::{Column, table};
use maud::{Markup, html};

use super::{CONDITIONS, MAX_READ, nothing, partly_read, read, updating};
use crate::status::app_state::AppState;
use crate::status::request::{PageRequest, link};
use crate::status::search::{SearchError, SearchQuery, WordList};

const MAX_SHOWN: usize = 200;

pub(super) fn view(
    app: &AppState,
    request: &PageRequest,
    query: &SearchQuery,
) -> Result<Markup, SearchError> {
    let list = app.search.word_list(query, MAX_READ, MAX_SHOWN, &mut |id| read(app, id))?;
    let number = |value: u64| request.language.number(value);
    Ok(html! {
        div.summary { span role="status" {
            strong { (number(list.different as u64)) } " " (request.translate("different words among", "từ khác nhau trong")) " "
            (number(list.all)) " " (request.translate("words of", "từ của")) " "
            (number(list.counted)) " " (request.translate("documents", "văn bản")) (updating(app, request))
        } }
        (partly_read(request, list.counted, list.documents))
        @if list.words.is_empty() { (nothing(app, request)?) } @else { (rows(request, &list)) }
        p.faint { (request.translate(
            "A Vietnamese word of several syllables counts as its syllables. To count the whole word, search for it in quotation marks.",
            "Từ tiếng Việt nhiều âm tiết được đếm theo từng âm tiết. Muốn đếm cả từ, hãy tìm từ đó trong ngoặc kép.",
        )) }
    })
}

fn rows(request: &PageRequest, list: &WordList) -> Markup {
    let columns = [
        Column::text(request.translate("Word", "Từ")),
        Column::number(request.translate("Count", "Số lần")),
        Column::number(request.translate("In a million words", "Trong một triệu từ")),
        Column::number(request.translate("Documents", "Văn bản")),
    ];
    let number = |value: u64| html! { (request.language.number(value)) };
    let rows: Vec<Vec<Markup>> = list
        .words
        .iter()
        .map(|word| {
            let conditions = CONDITIONS.map(|name| (name, request.parameter(name)));
            let to = [("q", word.word.as_str()), ("view", "concordance")].into_iter().chain(conditions);
            let per_million = html! { (request.language.notation().decimal(list.per_million(word))) };
            vec![
                html! { a href=(link("/search", to)) { (word.word) } },
                number(word.count),
                per_million,
                number(word.documents),
            ]
        })
        .collect();
    table(request.translate("Most frequent words", "Các từ thường gặp nhất"), &columns, &rows, &[])
}
