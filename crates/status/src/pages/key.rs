//! Shows the form for the token.

use axum::response::Html;
use maud::html;

use super::{Fault, Made, framed};
use crate::asked::Asked;
use crate::site::Site;

pub(crate) fn form(_: &Site, asked: &Asked, _: &str) -> Result<Made, Fault> {
    Ok(Made::Page(page(asked, asked.get("back"), false)))
}

pub(crate) fn page(asked: &Asked, back: &str, was_wrong: bool) -> Html<String> {
    let content = html! {
        @if was_wrong {
            p.notice role="alert" { (asked.say("Changes require the right token.", "Muốn thay đổi cần mã đúng.")) }
        }
        @if asked.has_key {
            p { (asked.say("This browser has the token.", "Trình duyệt này đã có mã.")) }
            form method="post" action="/token/forget" {
                button type="submit" { (asked.say("Forget it", "Quên mã")) }
            }
        } @else {
            p { (asked.say(
                "The token is in the file status.token in the data folder, or in the file given with --token-file.",
                "Mã nằm trong tệp status.token của thư mục dữ liệu, hoặc trong tệp do --token-file chỉ ra.",
            )) }
            form.filter method="post" action="/token" {
                input type="hidden" name="back" value=(back);
                label { (asked.say("Token", "Mã"))
                    input type="password" name="token" autocomplete="current-password" required autofocus;
                }
                button type="submit" { (asked.say("Use it", "Dùng mã")) }
            }
        }
    };
    framed(asked, asked.say("Token", "Mã"), &content)
}
