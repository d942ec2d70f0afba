//! Searches the corpus by words, host and days.

use std::sync::atomic::Ordering;

use gleaner_corpus::Document;
use maud::{Markup, html};

use super::{Fault, Made, framed, host_link};
use crate::asked::Asked;
use crate::search::Question;
use crate::search::snippet::snippet;
use crate::site::Site;

const ON_A_PAGE: usize = 20;

pub(crate) fn page(site: &Site, asked: &Asked, _: &str) -> Result<Made, Fault> {
    let question = Question {
        words: asked.get("q").to_owned(),
        host: asked.get("host").to_owned(),
        from: asked.get("from").parse().ok(),
        to: asked.get("to").parse().ok(),
    };
    let is_no_day =
        |name| !asked.get(name).is_empty() && asked.get(name).parse::<jiff::civil::Date>().is_err();
    if is_no_day("from") || is_no_day("to") {
        let content = html! {
            (form(asked, &question))
            p role="alert" {
                (asked.say("Invalid day; write it as 2026-11-22.", "Ngày không hợp lệ; hãy viết như 2026-11-22."))
            }
        };
        return Ok(Made::Page(framed(asked, asked.say("Search", "Tìm kiếm"), &content)));
    }
    let skip = (asked.page() - 1) * ON_A_PAGE;
    let found = site.search.find(&question, skip, ON_A_PAGE)?;
    let mut documents = Vec::new();
    for id in &found.ids {
        // Skips a document that was removed after the last update of the index.
        documents.extend(site.corpus.store.document(*id)?);
    }
    let content = html! {
        (form(asked, &question))
        p role="status" {
            strong { (asked.language.number(found.count as u64)) } " " (asked.say("documents", "văn bản"))
            @if site.search.is_updating.load(Ordering::Relaxed) {
                " " span.mark { (asked.say("the index is being updated", "chỉ mục đang được cập nhật")) }
            }
        }
        @if found.count == 0 { p.quiet { (nothing_yet(site, asked)) } }
        ol.results start=(skip + 1) { @for document in &documents { (result(document, &question)) } }
        (super::pager(asked, found.count > skip + ON_A_PAGE))
    };
    Ok(Made::Page(framed(asked, asked.say("Search", "Tìm kiếm"), &content)))
}

pub(crate) fn nothing_yet(site: &Site, asked: &Asked) -> &'static str {
    if site.search.is_updating.load(Ordering::Relaxed) {
        asked.say("The index is still being built.", "Chỉ mục đang được lập.")
    } else {
        asked.say(
            "Nothing found. Documents of a running crawl can be found after it ends.",
            "Không tìm thấy gì. Văn bản của lượt đang chạy sẽ tìm được sau khi lượt kết thúc.",
        )
    }
}

fn form(asked: &Asked, question: &Question) -> Markup {
    let day = |day: Option<jiff::civil::Date>| day.map(|day| day.to_string()).unwrap_or_default();
    html! {
        form.filter method="get" role="search" {
            label.grow { (asked.say("Words", "Từ"))
                input type="search" name="q" value=(question.words) placeholder="hoa binh, \"hòa bình\"";
            }
            label { (asked.say("Host", "Trang báo")) input type="text" name="host" value=(question.host) autocapitalize="off"; }
            label { (asked.say("From", "Từ ngày")) input type="date" name="from" value=(day(question.from)); }
            label { (asked.say("To", "Đến ngày")) input type="date" name="to" value=(day(question.to)); }
            button type="submit" { (asked.say("Search", "Tìm")) }
        }
    }
}

fn result(document: &Document, question: &Question) -> Markup {
    let day = document.published.as_deref().and_then(|text| text.get(..10));
    html! {
        li {
            a href={ "/documents/" (document.id) } lang=(document.language) { (super::document::title(document)) }
            div.faint { (host_link(&document.host)) " · " (day.unwrap_or_default()) " · " (document.language) }
            p.snippet lang=(document.language) {
                @for (piece, is_wanted) in snippet(&document.text, &question.words) {
                    @if is_wanted { mark { (piece) } } @else { (piece) }
                }
                " …"
            }
        }
    }
}
