//! Searches the corpus by words, host, language and days. A search is shown as documents, as a concordance, as
//! frequencies or as a word list. Links narrow or download the result.

mod concordance;
mod documents;
mod frequency;
mod word_list;

use std::sync::atomic::Ordering;

use gleaner_corpus::{Document, DocumentId};
use gleaner_store::StoreError;
use maud::{Markup, html};

use super::{RenderError, Rendered, layout};
use crate::status::app_state::AppState;
use crate::status::language::Bilingual;
use crate::status::request::PageRequest;
use crate::status::search::{Grouping, SearchError, SearchQuery, days};

/// Maximum number of documents that are read for one page. Of more documents, the newest are read.
const MAX_READ: usize = 2_000;

/// The parameters that restrict the documents, in the order of the form.
const CONDITIONS: [&str; 4] = ["host", "language", "from", "to"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    Documents,
    Concordance,
    Frequency,
    WordList,
}

impl View {
    const ALL: [Self; 4] = [Self::Documents, Self::Concordance, Self::Frequency, Self::WordList];

    /// Returns the value of the parameter `view`.
    const fn parameter(self) -> &'static str {
        match self {
            Self::Documents => "",
            Self::Concordance => "concordance",
            Self::Frequency => "frequency",
            Self::WordList => "words",
        }
    }

    const fn name(self, request: &PageRequest) -> &'static str {
        match self {
            Self::Documents => request.translate("Documents", "Văn bản"),
            Self::Concordance => request.translate("Concordance", "Dòng ngữ cảnh"),
            Self::Frequency => request.translate("Frequency", "Tần suất"),
            Self::WordList => request.translate("Word list", "Danh sách từ"),
        }
    }

    fn of(request: &PageRequest) -> Self {
        let is_it = |view: &Self| view.parameter() == request.parameter("view");
        Self::ALL.into_iter().find(is_it).unwrap_or(Self::Documents)
    }
}

/// Returns the query that a request contains, or what is wrong with it.
pub(crate) fn parse_query(request: &PageRequest) -> Result<SearchQuery, Bilingual> {
    let mut query: SearchQuery = request.parameter("q").parse()?;
    for name in CONDITIONS {
        query.add(name, request.parameter(name), false)?;
    }
    Ok(query)
}

pub(crate) fn page(app: &AppState, request: &PageRequest, _: &str) -> Result<Rendered, RenderError> {
    let query = match parse_query(request) {
        Ok(query) => query,
        Err(message) => return Ok(invalid(request, &message)),
    };
    let shown = match View::of(request) {
        View::Documents => documents::view(app, request, &query),
        View::Concordance => concordance::view(app, request, &query),
        View::Frequency => frequency::view(app, request, &query),
        View::WordList => word_list::view(app, request, &query),
    };
    match shown {
        Ok(shown) => {
            let content =
                html! { (form(request)) (views(request)) (conditions(request)) (shown) (help(request)) };
            Ok(Rendered::Page(layout(request, request.translate("Search", "Tìm kiếm"), &content)))
        }
        Err(SearchError::Query(message)) => Ok(invalid(request, &message)),
        Err(error) => Err(error.into()),
    }
}

fn invalid(request: &PageRequest, message: &Bilingual) -> Rendered {
    let message = message.in_language(request.language);
    let content = html! { (form(request)) p.notice role="alert" { (message) } (help(request)) };
    Rendered::Page(layout(request, request.translate("Search", "Tìm kiếm"), &content))
}

/// Reads a document. Returns `None` if it was removed after the last update of the index, or is unreadable.
fn read(app: &AppState, id: DocumentId) -> Result<Option<Document>, StoreError> {
    match app.corpus.store.document(id) {
        Err(StoreError::Lost { .. }) => Ok(None),
        read => read,
    }
}

/// Returns an address like that of the request, restricted to a group of documents, such as a month. Removes the
/// parameters in `without`.
fn narrowed(request: &PageRequest, grouping: Grouping, group: &str, without: &[&str]) -> String {
    let mut changes: Vec<(&str, String)> = without.iter().map(|name| (*name, String::new())).collect();
    match (grouping, days(group)) {
        (Grouping::Month | Grouping::Year, Ok((first, last))) => {
            changes.extend([("from", first.to_string()), ("to", last.to_string())]);
        }
        _ => changes.push((grouping.name(), group.to_owned())),
    }
    let changes: Vec<(&str, &str)> = changes.iter().map(|(name, value)| (*name, value.as_str())).collect();
    request.with_parameters(&changes)
}

/// Shows the active conditions with links that remove them.
fn conditions(request: &PageRequest) -> Markup {
    let used = CONDITIONS.map(|name| (name, request.parameter(name)));
    let used: Vec<(&str, &str)> = used.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    let sign = |name| match name {
        "from" => "≥ ",
        "to" => "≤ ",
        _ => "",
    };
    html! {
        @if !used.is_empty() {
            ul.chips aria-label=(request.translate("Conditions", "Điều kiện")) { @for (name, value) in used {
                li { a href=(request.with_parameters(&[(name, ""), ("page", "")])) {
                    (sign(name)) (value) " ×" span.hidden { " " (request.translate("remove", "bỏ")) }
                } }
            } }
        }
    }
}

/// Explains what a search may contain.
fn help(request: &PageRequest) -> Markup {
    let parts = [
        (
            "hòa bình",
            request.translate("both words, anywhere in a document", "cả hai từ, ở bất kỳ đâu trong văn bản"),
        ),
        ("\"hòa bình\"", request.translate("these words next to each other", "các từ này đứng liền nhau")),
        ("mưa OR lũ", request.translate("one of the two", "một trong hai")),
        ("phát*", request.translate("all words that begin so", "mọi từ bắt đầu như vậy")),
        ("-bão", request.translate("no document with this word", "không lấy văn bản có từ này")),
        ("-host:bao.example", request.translate("no document of this host", "không lấy trang báo này")),
        ("from:2026-11 to:2026-12", request.translate("only these months", "chỉ các tháng này")),
        (
            "hoa",
            request.translate(
                "also words with marks, such as hòa and hóa; hòa finds only itself",
                "cả từ có dấu như hòa, hóa; còn hòa chỉ tìm đúng hòa",
            ),
        ),
    ];
    html! {
        details.how {
            summary { (request.translate("What you can write", "Có thể viết những gì")) }
            dl.syntax { @for (part, meaning) in parts { div { dt { code { (part) } } dd { (meaning) } } } }
        }
    }
}

/// Links to the other views of the same search.
fn views(request: &PageRequest) -> Markup {
    let to = |view: View| request.with_parameters(&[("view", view.parameter()), ("page", ""), ("sort", "")]);
    let current = View::of(request);
    links(
        request.translate("Views of the result", "Cách xem kết quả"),
        View::ALL.map(|view| (view.name(request), to(view), view == current)),
    )
}

/// Shows a choice: for each possibility its name, its address, and whether it is the current one.
fn links<'a>(label: &str, all: impl IntoIterator<Item = (&'a str, String, bool)>) -> Markup {
    html! {
        nav.choice aria-label=(label) { ul {
            @for (name, address, is_current) in all {
                li { a href=(address) aria-current=[is_current.then_some("true")] { (name) } }
            }
        } }
    }
}

/// Says that only the newest documents were read, if this is so.
fn partly_read(request: &PageRequest, read: u64, all: usize) -> Markup {
    html! {
        @if read < all as u64 {
            p.notice {
                (request.translate("Only the newest documents were read:", "Chỉ đọc các văn bản mới nhất:"))
                " " (request.language.number(read)) " / " (request.language.number(all as u64)) ". "
                (request.translate("gleaner search reads all.", "gleaner search đọc tất cả."))
            }
        }
    }
}

fn nothing(app: &AppState, request: &PageRequest) -> Result<Markup, StoreError> {
    Ok(html! { p.quiet { (nothing_yet(app, request)?) } })
}

fn nothing_yet(app: &AppState, request: &PageRequest) -> Result<&'static str, StoreError> {
    Ok(if app.search.is_updating.load(Ordering::Relaxed) {
        request.translate("The index is still being built.", "Chỉ mục đang được lập.")
    } else if app.monitor.running().is_some() || app.corpus_view()?.workers_crawl() {
        request.translate(
            "Nothing found. Documents of a running crawl can be found after it ends.",
            "Không tìm thấy gì. Văn bản của lượt đang chạy sẽ tìm được sau khi lượt kết thúc.",
        )
    } else if !app.search.exists() {
        request.translate(
            "There is no search index: it could not be written. The log of this server says why.",
            "Chưa có chỉ mục tìm kiếm: không ghi được. Nhật ký của máy chủ này cho biết lý do.",
        )
    } else {
        request.translate("Nothing found.", "Không tìm thấy gì.")
    })
}

fn form(request: &PageRequest) -> Markup {
    let value = |name| request.parameter(name);
    html! {
        form.filter method="get" role="search" {
            label.grow { (request.translate("Words", "Từ"))
                input type="search" name="q" value=(value("q")) placeholder="hoa binh, \"hòa bình\", mưa OR lũ, phát*, -bão";
            }
            label { (request.translate("Host", "Trang báo")) input type="text" name="host" value=(value("host")) autocapitalize="off"; }
            label { (request.translate("From", "Từ ngày")) input type="date" name="from" value=(value("from")); }
            label { (request.translate("To", "Đến ngày")) input type="date" name="to" value=(value("to")); }
            @for name in ["language", "view", "by", "sort", "width"] {
                @if !value(name).is_empty() { input type="hidden" name=(name) value=(value(name)); }
            }
            button type="submit" { (request.translate("Search", "Tìm")) }
        }
    }
}

fn updating(app: &AppState, request: &PageRequest) -> Markup {
    html! {
        @if app.search.is_updating.load(Ordering::Relaxed) {
            " " span.mark { (request.translate("the index is being updated", "chỉ mục đang được cập nhật")) }
        }
    }
}
