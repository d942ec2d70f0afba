//! Shows the form for the token.

use axum::response::Html;
use maud::html;

use super::{RenderError, Rendered, layout};
use crate::status::app_state::AppState;
use crate::status::request::PageRequest;

pub(crate) fn form(_: &AppState, request: &PageRequest, _: &str) -> Result<Rendered, RenderError> {
    Ok(Rendered::Page(page(request, request.parameter("back"), false)))
}

pub(crate) fn page(request: &PageRequest, back: &str, was_wrong: bool) -> Html<String> {
    let content = html! {
        @if was_wrong {
            p.notice role="alert" { (request.translate("Changes require the right token.", "Muốn thay đổi cần mã đúng.")) }
        }
        @if request.is_authorized {
            p { (request.translate("This browser has the token.", "Trình duyệt này đã có mã.")) }
            form method="post" action="/token/forget" {
                button type="submit" { (request.translate("Forget it", "Quên mã")) }
            }
        } @else {
            p { (request.translate(
                "The token is in the file status.token in the data folder, or in the file given with --token-file.",
                "Mã nằm trong tệp status.token của thư mục dữ liệu, hoặc trong tệp do --token-file chỉ ra.",
            )) }
            form.filter method="post" action="/token" {
                input type="hidden" name="back" value=(back);
                label { (request.translate("Token", "Mã"))
                    input type="password" name="token" autocomplete="current-password" required autofocus;
                }
                button type="submit" { (request.translate("Use it", "Dùng mã")) }
            }
        }
    };
    layout(request, request.translate("Token", "Mã"), &content)
}
