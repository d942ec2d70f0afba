//! Shows the stored text of a document, and the lines of its page in colors by class.
//!
//! Crawled HTML is never output as HTML. Its lines are escaped, and its source is sent as plain text.

use gleaner_corpus::{Document, DocumentId};
use gleaner_crawl::archive_folder;
use gleaner_crawl::render::text::percent;
use gleaner_extract::lines::class::LineClass;
use gleaner_frontier::UrlKey;
use gleaner_store::{ContextReader, SimilarityInfo, Store, StoreError};
use maud::{Markup, html};

use super::{RenderError, Rendered, host_link, layout, time_with_zone};
use crate::status::app_state::AppState;
use crate::status::explain::{CLASSES, ListedLine, class_words, style_name};
use crate::status::request::PageRequest;
use crate::status::{download, page_lines};

const MAX_LINE_CHARS: usize = 4_000;

const MAX_LINES: usize = 5_000;

/// Minimum number of consecutive lines of one class that are folded. Lines of body text are never folded.
const MIN_FOLDED: usize = 5;

pub(crate) fn page(app: &AppState, request: &PageRequest, id: &str) -> Result<Rendered, RenderError> {
    let document = find(app, id)?;
    let page = page_lines::classified(&app.corpus, &document)?;
    let similarity_info = app.corpus.store.similarity_info(document.id)?;
    let content = html! {
        (facts(request, &document))
        (links(request, &document, similarity_info.as_ref(), page.is_some()))
        (related_documents(&app.corpus.store, request, document.id, similarity_info.as_ref())?)
        div.beside {
            section aria-labelledby="text" {
                h2 #text { (request.translate("Text", "Văn bản")) }
                (text(&document))
            }
            section aria-labelledby="page" {
                h2 #page { (request.translate("Its page, line by line", "Trang gốc, theo dòng")) }
                @match page {
                    Some(page) => {
                        (legend(request, &page.lines))
                        (how_to_correct(request, &document, &page.pins_file))
                        (listed(request, &page.lines))
                    }
                    None => p.quiet { (request.translate("The original page was not kept.", "Trang gốc không được lưu.")) },
                }
            }
        }
    };
    Ok(Rendered::Page(layout(request, &title(&document), &content)))
}

pub(crate) fn record(app: &AppState, _: &PageRequest, id: &str) -> Result<Rendered, RenderError> {
    let document = find(app, id)?;
    let context = ContextReader::new(app.corpus.store.clone(), &archive_folder(&app.corpus.config));
    let context = context.map_err(|error| RenderError::Internal(error.to_string()))?;
    let record =
        download::line(&context, &document).map_err(|error| RenderError::Internal(error.to_string()))?;
    Ok(Rendered::Text("application/json", String::from_utf8_lossy(&record).into_owned()))
}

pub(crate) fn archived(app: &AppState, _: &PageRequest, id: &str) -> Result<Rendered, RenderError> {
    let text = page_lines::html(&app.corpus, &find(app, id)?)?.ok_or(RenderError::NotFound)?;
    Ok(Rendered::Text("text/plain; charset=utf-8", text))
}

fn find(app: &AppState, id: &str) -> Result<Document, RenderError> {
    let id: DocumentId = id.parse().map_err(|_| RenderError::NotFound)?;
    app.corpus.store.document(id)?.ok_or(RenderError::NotFound)
}

pub(crate) fn title(document: &Document) -> String {
    let own = document.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    own.map_or_else(|| document.text.chars().take(80).collect(), str::to_owned)
}

fn facts(request: &PageRequest, document: &Document) -> Markup {
    let fact = |name: &str, value: Markup| gleaner_crawl::render::page::fact(name, &value);
    let words = gleaner_corpus::words(&document.text);
    let byline = document.authors.join(", ");
    let uses = document.usage.stated().map(|(purpose, stated)| format!("{purpose}: {}", stated.name()));
    let uses: Vec<String> = uses.collect();
    let is_link = document.url.starts_with("https://") || document.url.starts_with("http://");
    html! {
        dl.facts {
            (fact(request.translate("Host", "Trang báo"), host_link(&document.host)))
            @if let Some(published) = &document.published { (fact(request.translate("Published", "Xuất bản"), published_time(published))) }
            (fact(request.translate("Fetched", "Tải về"), time_with_zone(document.fetched)))
            @if !byline.is_empty() { (fact(request.translate("By", "Tác giả"), html! { (byline) })) }
            @if let Some(section) = &document.section { (fact(request.translate("Section", "Chuyên mục"), html! { (section) })) }
            (fact(request.translate("Language", "Ngôn ngữ"), html! { (document.language) }))
            (fact(request.translate("Words", "Số từ"), html! { (request.language.number(words as u64)) }))
            (fact(request.translate("Extracted by", "Trích bằng"), html! {
                (document.method) @if let Some(version) = document.template_version { " v" (version) }
                @if let Some(confidence) = document.confidence { " · " (confidence) "%" }
            }))
            @if !uses.is_empty() { (fact(request.translate("Stated use", "Quyền sử dụng"), html! { (uses.join(", ")) })) }
            div.whole {
                dt { (request.translate("Address", "Địa chỉ")) }
                dd { @if is_link { a href=(document.url) rel="noreferrer noopener" { (document.url) } } @else { (document.url) } }
            }
        }
    }
}

/// Formats the stated publication time like the time of the fetch. A day without a time is shown as stated.
fn published_time(published: &str) -> Markup {
    match published.parse() {
        Ok(at) => time_with_zone(at),
        Err(_) => html! { (published) },
    }
}

fn links(
    request: &PageRequest,
    document: &Document,
    similarity_info: Option<&SimilarityInfo>,
    has_page: bool,
) -> Markup {
    let here = format!("/documents/{}", document.id);
    let cluster = similarity_info.filter(|similarity_info| similarity_info.members > 0);
    html! {
        ul.chips {
            li { a href={ (here) "/record.json" } { (request.translate("Record (JSON)", "Bản ghi (JSON)")) } }
            @if has_page {
                li { a href={ (here) "/page.txt" } { (request.translate("Archived page (source)", "Trang đã lưu (mã nguồn)")) } }
            }
            @if let Some(similarity_info) = cluster {
                li { a href={ "/duplicates/" (similarity_info.representative) } {
                    (request.translate("Cluster of near-duplicates:", "Nhóm gần trùng:")) " "
                    (request.language.number(similarity_info.members + 1)) " " (request.translate("documents", "văn bản"))
                } }
            }
        }
    }
}

fn related_documents(
    store: &Store,
    request: &PageRequest,
    id: DocumentId,
    similarity_info: Option<&SimilarityInfo>,
) -> Result<Markup, StoreError> {
    let Some(similarity_info) = similarity_info else { return Ok(html! {}) };
    let head = (
        request.translate("near-duplicate of", "gần trùng với"),
        similarity_info.representative,
        similarity_info.similarity.unwrap_or_default(),
    );
    let head = Some(head).filter(|(_, head, _)| *head != id);
    let related = similarity_info
        .related
        .iter()
        .map(|(other, share)| (request.translate("related to", "liên quan đến"), *other, *share));
    let mut named = Vec::new();
    for (what, other, share) in head.into_iter().chain(related) {
        named.push((what, other, share, store.url(UrlKey::from_bytes(other.0))?.map(|record| record.url)));
    }
    Ok(html! {
        @if !named.is_empty() { ul.alike { @for (what, other, share, url) in &named {
            li { (what) " " a href={ "/documents/" (other) } { (url.as_deref().unwrap_or("?")) } " " span.faint { (percent(*share)) } }
        } } }
    })
}

fn text(document: &Document) -> Markup {
    let kinds = document.kinds.chars().chain(std::iter::repeat('p'));
    html! {
        article.text lang=(document.language) dir="auto" {
            @for (line, kind) in document.text.lines().zip(kinds).take(MAX_LINES) {
                @match kind {
                    'h' => h3 { (line) },
                    'i' => p.item { (line) },
                    'q' => blockquote { (line) },
                    'x' => pre { (line) },
                    _ => p { (line) },
                }
            }
        }
    }
}

fn class_name(request: &PageRequest, class: LineClass) -> String {
    class_words(class).in_language(request.language).to_owned()
}

fn legend(request: &PageRequest, lines: &[ListedLine]) -> Markup {
    let count = |class| lines.iter().filter(|line| line.class == class).count();
    html! {
        ul.legend {
            @for class in CLASSES.into_iter().filter(|class| count(*class) > 0) {
                li.line.(style_name(class)) { (class_name(request, class)) " " span.faint { (count(class)) } }
            }
        }
    }
}

/// Says how to correct the class of a line with the pin that the line shows.
fn how_to_correct(request: &PageRequest, document: &Document, pins_file: &str) -> Markup {
    html! {
        details.how {
            summary { (request.translate("A line is wrong?", "Có dòng sai?")) }
            p {
                (request.translate(
                    "A line opens to the reason for its class and a pin that corrects it. Add the pin to",
                    "Mỗi dòng mở ra lý do phân loại và một ghim để sửa. Thêm ghim vào",
                )) " "
                code { (pins_file) } " " (request.translate("and run", "rồi chạy")) " " code { "gleaner reextract" } ". "
                (request.translate("All figures of each line:", "Mọi số liệu của từng dòng:"))
            }
            pre tabindex="0" { "gleaner template explain " (shell_argument(&document.url)) " --archived" }
        }
    }
}

/// Quotes a URL for a shell. A URL has no quotes, because they are percent-encoded.
fn shell_argument(url: &str) -> String {
    format!("'{url}'")
}

fn listed(request: &PageRequest, lines: &[ListedLine]) -> Markup {
    let runs = lines.chunk_by(|one, other| one.class == other.class);
    html! {
        div.page {
            @for run in runs {
                @if run[0].class != LineClass::Content && run.len() >= MIN_FOLDED {
                    details { summary.line.(style_name(run[0].class)) { (run.len()) " " (class_name(request, run[0].class)) } (lines_of_class(request, run)) }
                } @else { (lines_of_class(request, run)) }
            }
            @if lines.len() == page_lines::MAX_LINES { p.quiet { (request.translate("More lines are not shown.", "Các dòng sau không hiển thị.")) } }
        }
    }
}

fn lines_of_class(request: &PageRequest, lines: &[ListedLine]) -> Markup {
    html! {
        @for line in lines {
            @let shown = line.text.char_indices().nth(MAX_LINE_CHARS).map_or(line.text.as_str(), |(end, _)| &line.text[..end]);
            details.line.(style_name(line.class)) {
                summary {
                    span.kind { (class_name(request, line.class)) " " (percent(line.chance.into())) }
                    span dir="auto" { (shown) }
                }
                p.reason { (line.why.in_language(request.language)) }
                @if let Some(pin) = &line.pin { p.reason { code { (pin) } } }
            }
        }
    }
}
