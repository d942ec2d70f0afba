//! Renders the pages, one file for each. This file has the page layout and the shared elements.

pub(crate) mod document;
pub(crate) mod duplicates;
pub(crate) mod host;
pub(crate) mod hosts;
pub(crate) mod key;
pub(crate) mod now;
pub(crate) mod overview;
pub(crate) mod reports;
pub(crate) mod search;
pub(crate) mod workers;

use axum::response::Html;
use gleaner_render::page::page;
use gleaner_store::StoreError;
use jiff::Timestamp;
use maud::{Markup, html};

use crate::asked::{Asked, encoded, link};
use crate::language::{Language, clock_time};
use crate::search::SearchError;

pub(crate) enum Made {
    Page(Html<String>),
    Plain(&'static str, String),
}

pub(crate) enum Fault {
    Nothing,
    Failed(String),
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<SearchError> for Fault {
    fn from(error: SearchError) -> Self {
        Self::Failed(error.to_string())
    }
}

pub(crate) fn framed(asked: &Asked, title: &str, content: &Markup) -> Html<String> {
    let head = html! {
        link rel="icon" href="data:,";
        link rel="stylesheet" href="/page.css";
        link rel="stylesheet" href="/colours.css";
        link rel="stylesheet" href="/report.css";
        link rel="stylesheet" href="/style.css";
        script src="/script.js" defer {}
        @if asked.path == "/" { noscript { meta http-equiv="refresh" content="10"; } }
    };
    let body = html! {
        a.skip href="#main" { (asked.say("Skip to the content", "Đến nội dung")) }
        header.top { div.inside {
            a.brand href="/" { "gleaner" }
            (navigation(asked))
            (languages(asked))
        } }
        main #main tabindex="-1" {
            h1 { (title) }
            (content)
        }
    };
    Html(page(asked.language.tag(), &format!("{title} · gleaner"), &head, &body))
}

fn navigation(asked: &Asked) -> Markup {
    let places = [
        ("/", asked.say("Overview", "Tổng quan")),
        ("/hosts", asked.say("Hosts", "Trang báo")),
        ("/reports", asked.say("Runs", "Các lượt")),
        ("/search", asked.say("Search", "Tìm kiếm")),
        ("/duplicates", asked.say("Duplicates", "Trùng lặp")),
    ];
    let is_here = |path: &str| match path {
        "/" => asked.path == "/",
        "/search" => asked.path.starts_with("/search") || asked.path.starts_with("/documents"),
        path => asked.path.starts_with(path),
    };
    html! {
        nav aria-label=(asked.say("Pages", "Các trang")) { ul {
            @for (path, name) in places {
                li { a href=(path) aria-current=[is_here(path).then_some("page")] { (name) } }
            }
        } }
    }
}

fn languages(asked: &Asked) -> Markup {
    let both = [(Language::Vietnamese, "Tiếng Việt", "VI"), (Language::English, "English", "EN")];
    html! {
        nav.languages aria-label=(asked.say("Language", "Ngôn ngữ")) { ul {
            @for (language, name, short) in both {
                li { a href=(asked.with(&[("lang", language.tag())])) lang=(language.tag()) hreflang=(language.tag())
                    title=(name) aria-current=[(language == asked.language).then_some("true")] { (short) } }
            }
            li { a.token href=(link("/token", [("back", asked.path.as_str())])) title=(asked.say("Token for changes", "Mã để thay đổi")) {
                span aria-hidden="true" { @if asked.has_key { "●" } @else { "○" } }
                " " (asked.say("Token", "Mã"))
            } }
        } }
    }
}

pub(crate) fn fault(asked: &Asked, message: &str) -> Html<String> {
    let content = html! {
        p.notice role="alert" { (message) }
        p { a href="/" { (asked.say("To the overview", "Về trang tổng quan")) } }
    };
    framed(asked, asked.say("Request failed", "Không thực hiện được"), &content)
}

pub(crate) fn tile(name: &str, value: &str, below: &Markup) -> Markup {
    html! { div.tile { dt { (name) } dd { strong { (value) } (below) } } }
}

pub(crate) fn time(at: Option<Timestamp>) -> Markup {
    html! {
        @match at {
            Some(at) => time datetime=(at.to_string()) { (clock_time(at)) },
            None => span.faint { "–" },
        }
    }
}

pub(crate) fn host_link(host: &str) -> Markup {
    html! { a href={ "/hosts/" (encoded(host)) } { (host) } }
}

pub(crate) fn pager(asked: &Asked, has_more: bool) -> Markup {
    let page = asked.page();
    let to = |page: usize| asked.with(&[("page", page.to_string().as_str())]);
    html! {
        @if page > 1 || has_more {
            nav.pager aria-label=(asked.say("More results", "Thêm kết quả")) {
                @if page > 1 { a rel="prev" href=(to(page - 1)) { "← " (asked.say("Previous", "Trước")) } }
                span { (page) }
                @if has_more { a rel="next" href=(to(page + 1)) { (asked.say("Next", "Sau")) " →" } }
            }
        }
    }
}

pub(crate) fn button(what: &str, host: &str, name: &str) -> Markup {
    html! {
        form method="post" action="/actions" {
            input type="hidden" name="what" value=(what);
            @if !host.is_empty() { input type="hidden" name="host" value=(host); }
            button type="submit" { (name) }
        }
    }
}
