//! Searches the corpus by words, host, language and days. Links narrow or download the result.

use std::sync::atomic::Ordering;

use gleaner_corpus::Document;
use jiff::civil::Date;
use maud::{Markup, html};

use super::{Fault, Made, framed, host_link};
use crate::asked::Asked;
use crate::download::MOST;
use crate::search::snippet::snippet;
use crate::search::{Facets, Question};
use crate::site::Site;

const ON_A_PAGE: usize = 20;

/// Returns the query that a request contains, or an error message if a day is invalid.
pub(crate) fn question(asked: &Asked) -> Result<Question, &'static str> {
    let day = |name| match asked.get(name) {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            asked.say("Invalid day; write it as 2026-11-22.", "Ngày không hợp lệ; hãy viết như 2026-11-22.")
        }),
    };
    Ok(Question {
        words: asked.get("q").to_owned(),
        host: asked.get("host").to_owned(),
        language: asked.get("language").to_owned(),
        from: day("from")?,
        to: day("to")?,
    })
}

pub(crate) fn page(site: &Site, asked: &Asked, _: &str) -> Result<Made, Fault> {
    let title = asked.say("Search", "Tìm kiếm");
    let question = match question(asked) {
        Ok(question) => question,
        Err(message) => {
            let content = html! { (form(asked, &Question::default())) p role="alert" { (message) } };
            return Ok(Made::Page(framed(asked, title, &content)));
        }
    };
    let skip = (asked.page() - 1) * ON_A_PAGE;
    let found = site.search.find(&question, skip, ON_A_PAGE)?;
    let facets = site.search.facets(&question)?;
    let mut documents = Vec::new();
    for id in &found.ids {
        // A document can be missing because it was removed after the last index update.
        documents.extend(site.corpus.store.document(*id)?);
    }
    let content = html! {
        (form(asked, &question))
        (summary(site, asked, found.count))
        div.faceted {
            (narrow(asked, &question, &facets))
            div {
                @if found.count == 0 { p.quiet { (nothing_yet(site, asked)) } }
                ol.results start=(skip + 1) { @for document in &documents { (result(document, &question)) } }
                (super::pager(asked, found.count > skip + ON_A_PAGE))
            }
        }
    };
    Ok(Made::Page(framed(asked, title, &content)))
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
    let day = |day: Option<Date>| day.map(|day| day.to_string()).unwrap_or_default();
    html! {
        form.filter method="get" role="search" {
            label.grow { (asked.say("Words", "Từ"))
                input type="search" name="q" value=(question.words) placeholder="hoa binh, \"hòa bình\"";
            }
            label { (asked.say("Host", "Trang báo")) input type="text" name="host" value=(question.host) autocapitalize="off"; }
            label { (asked.say("From", "Từ ngày")) input type="date" name="from" value=(day(question.from)); }
            label { (asked.say("To", "Đến ngày")) input type="date" name="to" value=(day(question.to)); }
            @if !question.language.is_empty() { input type="hidden" name="language" value=(question.language); }
            button type="submit" { (asked.say("Search", "Tìm")) }
        }
    }
}

fn summary(site: &Site, asked: &Asked, found: usize) -> Markup {
    let number = |value: usize| asked.language.number(value as u64);
    html! {
        div.summary {
            span role="status" {
                strong { (number(found)) } " " (asked.say("documents", "văn bản"))
                @if site.search.is_updating.load(Ordering::Relaxed) {
                    " " span.mark { (asked.say("the index is being updated", "chỉ mục đang được cập nhật")) }
                }
            }
            @if found > 0 {
                a.button href=(asked.with_at("/search.jsonl", &[("page", "")])) download {
                    (asked.say("Export as JSON Lines", "Xuất JSON Lines"))
                    @if found > MOST { " (" (asked.say("the first", "phần đầu:")) " " (number(MOST)) ")" }
                }
            }
        }
    }
}

/// Shows the active filters with links to remove them, and the facets with links to narrow the result.
fn narrow(asked: &Asked, question: &Question, facets: &Facets) -> Markup {
    let to = |changes: &[(&str, &str)]| asked.with(&[changes, &[("page", "")]].concat());
    let month = |first: &Date| {
        let (from, until) = (first.to_string(), first.last_of_month().to_string());
        (first.strftime("%Y-%m").to_string(), to(&[("from", &from), ("to", &until)]))
    };
    let languages =
        facets.languages.values.iter().map(|(tag, count)| ((tag.clone(), to(&[("language", tag)])), *count));
    let hosts =
        facets.hosts.values.iter().map(|(host, count)| ((host.clone(), to(&[("host", host)])), *count));
    let months = facets.months.values.iter().map(|(first, count)| (month(first), *count));
    let used = [
        ("language", question.language.clone()),
        ("host", question.host.clone()),
        ("from", question.from.map(|day| format!("≥ {day}")).unwrap_or_default()),
        ("to", question.to.map(|day| format!("≤ {day}")).unwrap_or_default()),
    ];
    html! {
        nav.facets aria-label=(asked.say("Narrow the result", "Thu hẹp kết quả")) {
            @if used.iter().any(|(_, value)| !value.is_empty()) {
                ul.chips { @for (name, value) in used.iter().filter(|(_, value)| !value.is_empty()) {
                    li { a href=(to(&[(name, "")])) { (value) " ×" span.hidden { " " (asked.say("remove", "bỏ")) } } }
                } }
            }
            (facet(asked, asked.say("Language", "Ngôn ngữ"), languages.collect(), facets.languages.rest))
            (facet(asked, asked.say("Host", "Trang báo"), hosts.collect(), facets.hosts.rest))
            (facet(asked, asked.say("Month", "Tháng"), months.collect(), facets.months.rest))
        }
    }
}

/// Shows a facet: each value with its count as a link, and the count of all other documents.
fn facet(asked: &Asked, name: &str, values: Vec<((String, String), u64)>, rest: u64) -> Markup {
    html! {
        @if !values.is_empty() {
            section {
                h2 { (name) }
                ul { @for ((value, address), count) in &values {
                    li { a href=(address) { (value) } " " span.faint { (asked.language.number(*count)) } }
                } }
                @if rest > 0 { p.faint { (asked.say("others:", "khác:")) " " (asked.language.number(rest)) } }
            }
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
