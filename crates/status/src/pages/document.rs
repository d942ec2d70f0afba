//! Shows the stored text of a document, and the lines of its page in the color of their class.
//!
//! Crawled HTML is never output as HTML. Its lines are escaped, and its source is sent as plain text.

use gleaner_corpus::{Document, DocumentId};
use gleaner_crawl::ContextReader;
use gleaner_frontier::UrlKey;
use gleaner_render::text::percent;
use gleaner_store::{Likeness, Store, StoreError};
use gleaner_template::class::Class;
use gleaner_template::explain::Listed;
use maud::{Markup, html};

use super::{Fault, Made, framed, host_link, time};
use crate::asked::Asked;
use crate::site::Site;
use crate::{beside, download};

const LONGEST: usize = 4_000;

const MOST_LINES: usize = 5_000;

/// Minimum number of consecutive lines of the same class to fold. Lines of body text are not folded.
const FOLD_FROM: usize = 5;

pub(crate) fn page(site: &Site, asked: &Asked, id: &str) -> Result<Made, Fault> {
    let document = find(site, id)?;
    let lines = beside::lines(&site.corpus, &document)?;
    let likeness = site.corpus.store.likeness(document.id)?;
    let content = html! {
        (facts(asked, &document))
        (links(asked, &document, likeness.as_ref(), lines.is_some()))
        (alike(&site.corpus.store, asked, document.id, likeness.as_ref())?)
        div.beside {
            section aria-labelledby="text" {
                h2 #text { (asked.say("Text", "Văn bản")) }
                (text(&document))
            }
            section aria-labelledby="page" {
                h2 #page { (asked.say("Its page, line by line", "Trang gốc, theo dòng")) }
                @match lines {
                    Some(lines) => { (legend(asked, &lines)) (listed(asked, &lines)) }
                    None => p.quiet { (asked.say("The original page was not kept.", "Trang gốc không được lưu.")) },
                }
            }
        }
    };
    Ok(Made::Page(framed(asked, &title(&document), &content)))
}

pub(crate) fn record(site: &Site, _: &Asked, id: &str) -> Result<Made, Fault> {
    let document = find(site, id)?;
    let beside = ContextReader::new(&site.corpus.config, site.corpus.store.clone());
    let beside = beside.map_err(|error| Fault::Failed(error.to_string()))?;
    let record = download::line(&beside, &document).map_err(|error| Fault::Failed(error.to_string()))?;
    Ok(Made::Plain("application/json", String::from_utf8_lossy(&record).into_owned()))
}

pub(crate) fn archived(site: &Site, _: &Asked, id: &str) -> Result<Made, Fault> {
    let text = beside::text(&site.corpus, &find(site, id)?)?.ok_or(Fault::Nothing)?;
    Ok(Made::Plain("text/plain; charset=utf-8", text))
}

fn find(site: &Site, id: &str) -> Result<Document, Fault> {
    let id: DocumentId = id.parse().map_err(|_| Fault::Nothing)?;
    site.corpus.store.document(id)?.ok_or(Fault::Nothing)
}

pub(crate) fn title(document: &Document) -> String {
    let own = document.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    own.map_or_else(|| document.text.chars().take(80).collect(), str::to_owned)
}

fn facts(asked: &Asked, document: &Document) -> Markup {
    let fact = |name: &str, value: Markup| gleaner_render::page::fact(name, &value);
    let words = gleaner_corpus::words(&document.text);
    let is_link = document.url.starts_with("https://") || document.url.starts_with("http://");
    html! {
        dl.facts {
            (fact(asked.say("Host", "Trang báo"), host_link(&document.host)))
            (fact(asked.say("Address", "Địa chỉ"), html! {
                @if is_link { a href=(document.url) rel="noreferrer noopener" { (document.url) } } @else { (document.url) }
            }))
            @if let Some(published) = &document.published { (fact(asked.say("Published", "Xuất bản"), html! { (published) })) }
            (fact(asked.say("Fetched", "Tải về"), time(Some(document.fetched))))
            @if !document.authors.is_empty() { (fact(asked.say("By", "Tác giả"), html! { (document.authors.join(", ")) })) }
            @if let Some(section) = &document.section { (fact(asked.say("Section", "Chuyên mục"), html! { (section) })) }
            (fact(asked.say("Language", "Ngôn ngữ"), html! { (document.language) }))
            (fact(asked.say("Words", "Số từ"), html! { (asked.language.number(words as u64)) }))
            (fact(asked.say("Extracted by", "Trích bằng"), html! {
                (document.method) @if let Some(version) = document.template_version { " v" (version) }
                @if let Some(confidence) = document.confidence { " · " (confidence) "%" }
            }))
        }
    }
}

fn links(asked: &Asked, document: &Document, likeness: Option<&Likeness>, has_page: bool) -> Markup {
    let here = format!("/documents/{}", document.id);
    let cluster = likeness.filter(|likeness| likeness.members > 0);
    html! {
        ul.chips {
            li { a href={ (here) "/record.json" } { (asked.say("Record (JSON)", "Bản ghi (JSON)")) } }
            @if has_page {
                li { a href={ (here) "/page.txt" } { (asked.say("Archived page (source)", "Trang đã lưu (mã nguồn)")) } }
            }
            @if let Some(likeness) = cluster {
                li { a href={ "/duplicates/" (likeness.head) } {
                    (asked.say("Cluster of near-duplicates:", "Nhóm gần trùng:")) " "
                    (asked.language.number(likeness.members + 1)) " " (asked.say("documents", "văn bản"))
                } }
            }
        }
    }
}

fn alike(
    store: &Store,
    asked: &Asked,
    id: DocumentId,
    likeness: Option<&Likeness>,
) -> Result<Markup, StoreError> {
    let Some(likeness) = likeness else { return Ok(html! {}) };
    let head = (
        asked.say("near-duplicate of", "gần trùng với"),
        likeness.head,
        likeness.similarity.unwrap_or_default(),
    );
    let head = Some(head).filter(|(_, head, _)| *head != id);
    let related = likeness
        .related
        .iter()
        .map(|(other, share)| (asked.say("related to", "liên quan đến"), *other, *share));
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
            @for (line, kind) in document.text.lines().zip(kinds).take(MOST_LINES) {
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

fn named(asked: &Asked, class: Class) -> &'static str {
    let vietnamese = match class {
        Class::Content => "nội dung",
        Class::Repeated => "lặp lại",
        Class::LinkList => "danh sách liên kết",
        Class::Caption => "chú thích ảnh",
        Class::Credit => "nguồn ảnh",
        Class::ByLine => "tác giả, ngày",
        Class::ReadMore => "xem thêm",
        Class::Comment => "bình luận",
        Class::Other => "khác",
    };
    asked.say(class.label(), vietnamese)
}

fn legend(asked: &Asked, lines: &[Listed]) -> Markup {
    let count = |class| lines.iter().filter(|line| line.class == class).count();
    html! {
        ul.legend {
            @for class in Class::ALL.into_iter().filter(|class| count(*class) > 0) {
                li.line.(class.name()) { (named(asked, class)) " " span.faint { (count(class)) } }
            }
        }
    }
}

fn listed(asked: &Asked, lines: &[Listed]) -> Markup {
    let runs = lines.chunk_by(|one, other| one.class == other.class);
    html! {
        div.page {
            @for run in runs {
                @if run[0].class != Class::Content && run.len() >= FOLD_FROM {
                    details { summary.line.(run[0].class.name()) { (run.len()) " " (named(asked, run[0].class)) } (of_one_kind(asked, run)) }
                } @else { (of_one_kind(asked, run)) }
            }
            @if lines.len() == beside::MOST_LINES { p.quiet { (asked.say("More lines are not shown.", "Các dòng sau không hiển thị.")) } }
        }
    }
}

fn of_one_kind(asked: &Asked, lines: &[Listed]) -> Markup {
    html! {
        @for line in lines {
            @let shown = line.text.char_indices().nth(LONGEST).map_or(line.text.as_str(), |(end, _)| &line.text[..end]);
            p.line.(line.class.name()) title=(line.why) {
                span.kind { (named(asked, line.class)) " " (percent(line.chance.into())) }
                span dir="auto" { (shown) }
            }
        }
    }
}
