//! Executes the changes that the buttons request, and checks the token.
//!
//! During a crawl, only the crawl writes to the store. The page queues a command
//! ([`gleaner_crawl::Control`]), which the crawl executes at its next tick. If no crawl is running, the page
//! writes the change itself.

use std::sync::Arc;
use std::time::Duration;

use axum::Form;
use axum::extract::State;
use axum::http::header::{HeaderName, HeaderValue, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use gleaner_crawl::{Command, follow, open_archive};
use serde::Deserialize;

use crate::status::access_token::COOKIE_NAME;
use crate::status::app_state::AppState;
use crate::status::language::{Bilingual, quoted};
use crate::status::pages::{self, error_response};
use crate::status::request::{PageRequest, percent_encoded};

/// How often a request checks whether the crawl has executed its command, and the pause between two checks.
const MAX_CHECKS: u32 = 20;
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

#[derive(Debug, Deserialize)]
pub(crate) struct ActionForm {
    /// `pause`, `resume`, `learn`, `crawl` or `stop`.
    what: String,
    #[serde(default)]
    host: String,
}

#[derive(Debug, Deserialize)]
pub(crate) struct SignInForm {
    token: String,
    /// The path to open after the token was accepted.
    #[serde(default)]
    back: String,
}

pub(crate) async fn act(
    State(app): State<Arc<AppState>>,
    request: PageRequest,
    Form(form): Form<ActionForm>,
) -> Response {
    if !request.is_authorized {
        return (StatusCode::FORBIDDEN, pages::sign_in::page(&request, "", true)).into_response();
    }
    match form.what.as_str() {
        "crawl" => return crawl(&app, &request),
        "stop" => return stop(&app, &request),
        _ => {}
    }
    let host = form.host.clone();
    let command = match form.what.as_str() {
        "pause" => Command::Pause(form.host),
        "resume" => Command::Resume(form.host),
        "learn" => Command::LearnAgain(form.host),
        _ => {
            return error_response(
                &request,
                StatusCode::BAD_REQUEST,
                request.translate("There is no such action.", "Không có nút này."),
            );
        }
    };
    match execute(&app, command).await {
        Ok(true) => {
            app.invalidate_view();
            redirect_to(&format!("/hosts/{}", percent_encoded(&host)))
        }
        Ok(false) => error_response(
            &request,
            StatusCode::NOT_FOUND,
            request.translate("Unknown host.", "Không có trang báo này."),
        ),
        Err(message) => {
            let message = message.in_language(request.language);
            error_response(&request, StatusCode::SERVICE_UNAVAILABLE, message)
        }
    }
}

fn crawl(app: &AppState, request: &PageRequest) -> Response {
    let Some(crawl_now) = &app.hooks.crawl_now else {
        return error_response(
            request,
            StatusCode::NOT_FOUND,
            request.translate("This process cannot start crawls.", "Tiến trình này không thu thập."),
        );
    };
    match crawl_now() {
        Ok(()) => redirect_to("/"),
        Err(message) => error_response(request, StatusCode::CONFLICT, message.in_language(request.language)),
    }
}

fn stop(app: &AppState, request: &PageRequest) -> Response {
    let Some(running) = app.monitor.running() else {
        return error_response(
            request,
            StatusCode::CONFLICT,
            request.translate(
                "No crawl is running in this process.",
                "Tiến trình này không có lượt nào đang chạy.",
            ),
        );
    };
    running.stop.request();
    redirect_to("/")
}

async fn execute(app: &Arc<AppState>, command: Command) -> Result<bool, Bilingual> {
    let store = app.corpus.store.clone();
    let text = |error: gleaner_store::StoreError| quoted("không đọc hay ghi được kho", error);
    let Some(running) = app.monitor.running() else {
        if store.is_shared() {
            return Err(Bilingual::new(
                "this page is read-only: only workers can change this corpus",
                "trang này chỉ để đọc: chỉ các tiến trình thu thập mới thay đổi được kho này",
            ));
        }
        let busy = || {
            Bilingual::new(
                "the store is busy; try again in a moment",
                "kho đang bận; hãy thử lại sau giây lát",
            )
        };
        let mut writer = store.writer().map_err(text)?.ok_or_else(busy)?;
        let config = app.corpus.config.clone();
        let followed = tokio::task::spawn_blocking(move || {
            open_archive(&config, None, &mut writer)?;
            follow(&mut writer, &command)
        })
        .await;
        return followed.map_err(|error| quoted("gleaner gặp lỗi", error))?.map_err(text);
    };
    if store.host(command.host()).map_err(text)?.is_none() {
        return Ok(false);
    }
    if !running.progress.control().request(command.clone()) {
        return Err(Bilingual::new(
            "the crawl has not yet processed the earlier request",
            "lượt đang chạy chưa xử lý yêu cầu trước",
        ));
    }
    for _ in 0..MAX_CHECKS {
        let host = store.host(command.host()).map_err(text)?;
        let is_done = host.is_some_and(|host| match command {
            Command::Pause(_) => host.paused,
            Command::Resume(_) => !host.paused,
            Command::LearnAgain(_) => host.outdated || host.template == 0,
        });
        if is_done {
            break;
        }
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
    Ok(true)
}

pub(crate) async fn sign_in(
    State(app): State<Arc<AppState>>,
    headers: HeaderMap,
    request: PageRequest,
    Form(SignInForm { token, back }): Form<SignInForm>,
) -> Response {
    if !app.token.matches(&token) {
        return (StatusCode::FORBIDDEN, pages::sign_in::page(&request, &back, true)).into_response();
    }
    let is_tls = headers.get("x-forwarded-proto").is_some_and(|value| value == "https");
    with_cookie(redirect_to(path_on_this_server(&back)), &app.token.cookie_value(), is_tls)
}

/// Returns `path` if it is a path on this server, and `/` otherwise. Browsers remove tabs and line breaks
/// from an address, read `\` as `/`, and read `//` as the start of another server's name (the URL standard,
/// <https://url.spec.whatwg.org/#url-parsing>).
fn path_on_this_server(path: &str) -> &str {
    let is_plain = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_plain && path.starts_with('/') && !path.starts_with("//") { path } else { "/" }
}

pub(crate) async fn sign_out() -> Response {
    with_cookie(redirect_to("/"), "; Max-Age=0", false)
}

fn with_cookie(mut response: Response, value: &str, is_tls: bool) -> Response {
    let secure = if is_tls { "; Secure" } else { "" };
    let cookie = format!("{COOKIE_NAME}={value}; Path=/; HttpOnly; SameSite=Strict{secure}");
    append_header(&mut response, SET_COOKIE, &cookie);
    response
}

fn redirect_to(path: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    append_header(&mut response, LOCATION, path);
    response
}

fn append_header(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().append(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_on_this_server_is_opened_after_signing_in() {
        for path in ["/", "/hosts/bao.example", "/search?q=m%C6%B0a&host=bao.example", "/a//b", "/.//b"] {
            assert_eq!(path_on_this_server(path), path);
        }
        for path in [
            "",
            "hosts",
            "//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "/\r\n/evil.example",
            "\t//evil.example",
            " //evil.example",
            "https://evil.example/",
            "javascript:alert(1)",
        ] {
            assert_eq!(path_on_this_server(path), "/", "{path:?}");
        }
    }
}
