//! Executes the changes that the buttons request, and checks the token.
//!
//! During a crawl, only the crawl writes to the store. The page sends it a command
//! ([`gleaner_crawl::Control`]), which the crawl executes at its next tick. Without a crawl, the page writes
//! the change itself.

use std::sync::Arc;
use std::time::Duration;

use axum::Form;
use axum::extract::State;
use axum::http::header::{HeaderName, HeaderValue, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use gleaner_crawl::{Command, follow};
use serde::Deserialize;

use crate::asked::{Asked, encoded};
use crate::key::COOKIE_NAME;
use crate::pages;
use crate::site::Site;

/// How often, and at which interval, a request checks whether the crawl has executed its command.
const PATIENCE: u32 = 20;
const LOOK: Duration = Duration::from_millis(50);

#[derive(Debug, Deserialize)]
pub(crate) struct ActionForm {
    /// `pause`, `resume`, `learn`, `crawl` or `stop`.
    what: String,
    #[serde(default)]
    host: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Typed {
    token: String,
    /// The path to open after the token was accepted.
    #[serde(default)]
    back: String,
}

pub(crate) async fn act(
    State(site): State<Arc<Site>>,
    asked: Asked,
    Form(form): Form<ActionForm>,
) -> Response {
    if !asked.has_key {
        return (StatusCode::FORBIDDEN, pages::key::page(&asked, "", true)).into_response();
    }
    match form.what.as_str() {
        "crawl" => return crawl(&site, &asked),
        "stop" => return stop(&site, &asked),
        _ => {}
    }
    let host = form.host.clone();
    let command = match form.what.as_str() {
        "pause" => Command::Pause(form.host),
        "resume" => Command::Resume(form.host),
        "learn" => Command::LearnAgain(form.host),
        _ => {
            return fault(
                &asked,
                StatusCode::BAD_REQUEST,
                asked.say("There is no such action.", "Không có nút này."),
            );
        }
    };
    match carry_out(&site, command).await {
        Ok(true) => {
            site.changed();
            to(&format!("/hosts/{}", encoded(&host)))
        }
        Ok(false) => {
            fault(&asked, StatusCode::NOT_FOUND, asked.say("Unknown host.", "Không có trang báo này."))
        }
        Err(message) => fault(&asked, StatusCode::SERVICE_UNAVAILABLE, &message),
    }
}

fn crawl(site: &Site, asked: &Asked) -> Response {
    let Some(crawl_now) = &site.hooks.crawl_now else {
        return fault(
            asked,
            StatusCode::NOT_FOUND,
            asked.say("This process cannot start crawls.", "Tiến trình này không thu thập."),
        );
    };
    match crawl_now() {
        Ok(()) => to("/"),
        Err(message) => fault(asked, StatusCode::CONFLICT, &message),
    }
}

fn stop(site: &Site, asked: &Asked) -> Response {
    let Some(running) = site.live.running() else {
        return fault(
            asked,
            StatusCode::CONFLICT,
            asked.say("No crawl is running in this process.", "Tiến trình này không có lượt nào đang chạy."),
        );
    };
    running.stop.request();
    to("/")
}

async fn carry_out(site: &Arc<Site>, command: Command) -> Result<bool, String> {
    let store = site.corpus.store.clone();
    let text = |error: gleaner_store::StoreError| error.to_string();
    let Some(running) = site.live.running() else {
        if store.is_shared() {
            return Err("this page is read-only: only workers can change this corpus".into());
        }
        let mut writer = store.writer().map_err(text)?.ok_or("the store is busy; try again in a moment")?;
        let followed = tokio::task::spawn_blocking(move || follow(&mut writer, &command)).await;
        return followed.map_err(|error| error.to_string())?.map_err(text);
    };
    if store.host(command.host()).map_err(text)?.is_none() {
        return Ok(false);
    }
    if !running.progress.control().request(command.clone()) {
        return Err("the crawl has not yet processed the earlier request".into());
    }
    for _ in 0..PATIENCE {
        let host = store.host(command.host()).map_err(text)?;
        let is_done = host.is_some_and(|host| match command {
            Command::Pause(_) => host.paused,
            Command::Resume(_) => !host.paused,
            Command::LearnAgain(_) => host.outdated || host.template == 0,
        });
        if is_done {
            break;
        }
        tokio::time::sleep(LOOK).await;
    }
    Ok(true)
}

pub(crate) async fn sign_in(
    State(site): State<Arc<Site>>,
    headers: HeaderMap,
    asked: Asked,
    Form(Typed { token, back }): Form<Typed>,
) -> Response {
    if !site.key.opens(&token) {
        return (StatusCode::FORBIDDEN, pages::key::page(&asked, &back, true)).into_response();
    }
    let is_tls = headers.get("x-forwarded-proto").is_some_and(|value| value == "https");
    // The redirect must stay on this server. Browsers read `//` and `\` as the start of another host's name.
    let back =
        if back.starts_with('/') && !back.starts_with("//") && !back.contains('\\') { &back } else { "/" };
    with_cookie(to(back), &site.key.cookie(), is_tls)
}

pub(crate) async fn sign_out() -> Response {
    with_cookie(to("/"), "; Max-Age=0", false)
}

fn with_cookie(mut response: Response, value: &str, is_tls: bool) -> Response {
    let secure = if is_tls { "; Secure" } else { "" };
    let cookie = format!("{COOKIE_NAME}={value}; Path=/; HttpOnly; SameSite=Strict{secure}");
    put(&mut response, SET_COOKIE, &cookie);
    response
}

fn to(place: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    put(&mut response, LOCATION, place);
    response
}

fn put(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().append(name, value);
    }
}

fn fault(asked: &Asked, status: StatusCode, message: &str) -> Response {
    (status, pages::fault(asked, message)).into_response()
}
