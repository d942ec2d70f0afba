//! Renders the pages, one file for each. This file has the page layout and the shared elements.

pub(crate) mod document;
pub(crate) mod duplicates;
pub(crate) mod host;
pub(crate) mod hosts;
pub(crate) mod overview;
pub(crate) mod reports;
pub(crate) mod running_crawl;
pub(crate) mod search;
pub(crate) mod sign_in;
pub(crate) mod workers;

use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use gleaner_crawl::render::page::page;
use gleaner_crawl::render::text::{minute, minute_without_zone};
use gleaner_store::StoreError;
use jiff::Timestamp;
use maud::{Markup, html};

use crate::status::language::UiLanguage;
use crate::status::request::{PageRequest, link, percent_encoded};
use crate::status::search::SearchError;

pub(crate) enum Rendered {
    Page(Html<String>),
    Text(&'static str, String),
}

pub(crate) enum RenderError {
    NotFound,
    /// The corpus has no host with this name. Names the hosts that the user may have meant.
    UnknownHost {
        name: String,
        similar: Vec<String>,
    },
    Internal(String),
}

impl From<StoreError> for RenderError {
    fn from(error: StoreError) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<SearchError> for RenderError {
    fn from(error: SearchError) -> Self {
        Self::Internal(error.to_string())
    }
}

pub(crate) fn layout(request: &PageRequest, title: &str, content: &Markup) -> Html<String> {
    let head = html! {
        link rel="icon" href="data:,";
        link rel="stylesheet" href="/page.css";
        link rel="stylesheet" href="/colours.css";
        link rel="stylesheet" href="/report.css";
        link rel="stylesheet" href="/style.css";
        script src="/script.js" defer {}
        @if request.path == "/" { noscript { meta http-equiv="refresh" content="10"; } }
    };
    let body = html! {
        a.skip href="#main" { (request.translate("Skip to the content", "Đến nội dung")) }
        header.top { div.inside {
            a.brand href="/" { "gleaner" }
            (navigation(request))
            (languages(request))
        } }
        main #main tabindex="-1" {
            h1 { (title) }
            (content)
        }
    };
    Html(page(request.language.tag(), &format!("{title} · gleaner"), &head, &body))
}

fn navigation(request: &PageRequest) -> Markup {
    let places = [
        ("/", request.translate("Overview", "Tổng quan")),
        ("/hosts", request.translate("Hosts", "Trang báo")),
        ("/reports", request.translate("Runs", "Các lượt")),
        ("/search", request.translate("Search", "Tìm kiếm")),
        ("/duplicates", request.translate("Duplicates", "Trùng lặp")),
    ];
    let is_here = |path: &str| match path {
        "/" => request.path == "/",
        "/search" => request.path.starts_with("/search") || request.path.starts_with("/documents"),
        path => request.path.starts_with(path),
    };
    html! {
        nav aria-label=(request.translate("Pages", "Các trang")) { ul {
            @for (path, name) in places {
                li { a href=(path) aria-current=[is_here(path).then_some("page")] { (name) } }
            }
        } }
    }
}

fn languages(request: &PageRequest) -> Markup {
    let both = [(UiLanguage::Vietnamese, "Tiếng Việt", "VI"), (UiLanguage::English, "English", "EN")];
    html! {
        nav.languages aria-label=(request.translate("Language", "Ngôn ngữ")) { ul {
            @for (language, name, short) in both {
                li { a href=(request.with_parameters(&[("lang", language.tag())])) lang=(language.tag()) hreflang=(language.tag())
                    title=(name) aria-current=[(language == request.language).then_some("true")] { (short) } }
            }
            li { a.token href=(link("/token", [("back", request.path.as_str())])) title=(request.translate("Token for changes", "Mã để thay đổi")) {
                span aria-hidden="true" { @if request.is_authorized { "●" } @else { "○" } }
                " " (request.translate("Token", "Mã"))
            } }
        } }
    }
}

pub(crate) fn error_response(request: &PageRequest, status: StatusCode, message: &str) -> Response {
    error_with_links(request, status, message, &html! {})
}

/// Says that the corpus has no host with this name, and links to the hosts that the user may have meant.
pub(crate) fn unknown_host(request: &PageRequest, name: &str, similar: &[String]) -> Response {
    let text = request.translate("The corpus has no host with this name:", "Kho không có trang báo tên này:");
    let meant = html! {
        @if !similar.is_empty() {
            p {
                (request.translate("Did you mean", "Có phải bạn tìm")) " "
                @for (at, host) in similar.iter().enumerate() { @if at > 0 { ", " } (host_link(host)) }
                "?"
            }
        }
    };
    error_with_links(request, StatusCode::NOT_FOUND, &format!("{text} {name}"), &meant)
}

fn error_with_links(request: &PageRequest, status: StatusCode, message: &str, links: &Markup) -> Response {
    let content = html! {
        p.notice role="alert" { (message) }
        (links)
        p { a href="/" { (request.translate("To the overview", "Về trang tổng quan")) } }
    };
    let page = layout(request, request.translate("Request failed", "Không thực hiện được"), &content);
    (status, page).into_response()
}

pub(crate) fn tile(name: &str, value: &str, below: &Markup) -> Markup {
    html! { div.tile { dt { (name) } dd { strong { (value) } (below) } } }
}

/// Shows a time with its time zone, for use outside a table.
pub(crate) fn time_with_zone(at: Timestamp) -> Markup {
    html! { time datetime=(at.to_string()) { (minute(at)) } }
}

pub(crate) fn time(at: Option<Timestamp>) -> Markup {
    html! {
        @match at {
            Some(at) => time datetime=(at.to_string()) { (minute_without_zone(at)) },
            None => span.faint { "–" },
        }
    }
}

pub(crate) fn host_link(host: &str) -> Markup {
    html! { a href={ "/hosts/" (percent_encoded(host)) } { (host) } }
}

pub(crate) fn pager(request: &PageRequest, has_more: bool) -> Markup {
    let page = request.page_number();
    let to = |page: usize| request.with_parameters(&[("page", page.to_string().as_str())]);
    html! {
        @if page > 1 || has_more {
            nav.pager aria-label=(request.translate("More results", "Thêm kết quả")) {
                @if page > 1 { a rel="prev" href=(to(page - 1)) { "← " (request.translate("Previous", "Trước")) } }
                span { (page) }
                @if has_more { a rel="next" href=(to(page + 1)) { (request.translate("Next", "Sau")) " →" } }
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
