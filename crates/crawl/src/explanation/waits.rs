//! Explains why URLs wait, and why a robots.txt cannot be read.

use crate::render::language::Bilingual;
use gleaner_fetch::TlsFault;

use super::of_tls;

/// The reason of a host whose back-off has not ended.
pub(crate) const ON_HOLD: &str = "on hold after failures or at the host's request";

/// Explains why a host waits now, or why its URLs were left for the next run (`crate::summary`).
#[must_use]
pub fn explained_hold(why: &str) -> Bilingual {
    let vietnamese = if let Some(error) = why.strip_prefix("robots.txt is unavailable: ") {
        format!("không đọc được robots.txt: {}", of_robots_failure(error))
    } else if let Some(setting) = why.strip_suffix(" reached") {
        format!("đã đạt {setting}")
    } else {
        match why {
            ON_HOLD => "tạm ngừng sau các lần thất bại hoặc theo yêu cầu của máy chủ",
            "waiting for a retry" => "chờ thử lại",
            "fetched; waiting for a template" => "đã tải; chờ mẫu trang",
            "the host is paused" => "trang báo đang tạm dừng",
            "the run was interrupted" => "lượt bị ngắt",
            "the host asked to wait" => "máy chủ yêu cầu chờ",
            other => other,
        }
        .to_owned()
    };
    Bilingual::new(why, vietnamese)
}

/// Whether an error says that a host was not reached at all. If no host was reached, this machine may be offline.
#[must_use]
pub fn is_without_connection(error: &str) -> bool {
    WITH_DETAIL.iter().any(|(cause, _)| *cause != BROKEN && error.contains(cause))
}

const BROKEN: &str = "broken answer: ";

/// Causes that are followed by a detail: the English prefix, and the translated cause.
const WITH_DETAIL: [(&str, &str); 5] = [
    ("the host's name could not be resolved: ", "không phân giải được tên miền"),
    ("no connection: the proxy could not reach the host: ", "máy chủ proxy không nối được đến trang báo"),
    ("no connection: ", "không có kết nối"),
    (BROKEN, "phản hồi bị hỏng"),
    ("the proxy failed: ", "máy chủ proxy không phản hồi"),
];

/// Causes without a detail, or with a detail that the cause need not repeat.
const WITHOUT_DETAIL: [(&str, &str); 9] = [
    ("the limit of open files is reached", "máy này mở quá nhiều tệp; hãy tăng giới hạn (`ulimit -n 4096`)"),
    ("the answer's headers are larger than ", "phần đầu phản hồi quá lớn"),
    ("the body is coded as ", "phản hồi được nén theo cách không đọc được"),
    ("not an http or https address", "không phải địa chỉ http hay https"),
    ("it leads to a host that asked to wait", "nó chuyển hướng đến máy chủ đang yêu cầu chờ"),
    ("it redirects to a host that asked to wait", "nó chuyển hướng đến máy chủ đang yêu cầu chờ"),
    ("it redirects to an invalid URL", "nó chuyển hướng đến địa chỉ không hợp lệ"),
    ("its redirects form a loop", "nó chuyển hướng thành vòng lặp"),
    ("its redirects are invalid or too many", "nó chuyển hướng sai hoặc quá nhiều lần"),
];

/// Translates the reason of `gleaner_fetch::RobotsState::Unreachable`: a status, a redirect, or a
/// `gleaner_fetch::FetchError` in words.
fn of_robots_failure(reason: &str) -> String {
    let quoted = |(prefix, cause): &(&str, &str)| {
        reason.strip_prefix(prefix).map(|detail| format!("{cause} (“{detail}”)"))
    };
    let known = |(prefix, cause): &(&str, &str)| reason.starts_with(prefix).then(|| (*cause).to_owned());
    WITH_DETAIL
        .iter()
        .find_map(quoted)
        .or_else(|| WITHOUT_DETAIL.iter().find_map(known))
        .or_else(|| of_tls_failure(reason))
        .or_else(|| with_value(reason))
        .unwrap_or_else(|| format!("lỗi (“{reason}”)"))
}

/// Translates a failure that contains a number or an address.
fn with_value(reason: &str) -> Option<String> {
    let between =
        |prefix: &str, suffix: &str| reason.strip_prefix(prefix).and_then(|rest| rest.split(suffix).next());
    let is_address = reason.contains(" is not a public address");
    between("status ", " ")
        .or_else(|| between("HTTP ", " "))
        .map(|status| format!("HTTP {status}"))
        .or_else(|| {
            between("no complete answer within ", " ").map(|limit| format!("không phản hồi trong {limit}"))
        })
        .or_else(|| between("larger than ", " bytes").map(|limit| format!("lớn hơn {limit} byte")))
        .or_else(|| {
            between("it redirects to ", ";")
                .map(|url| format!("nó chuyển hướng đến {url}; đang chờ robots.txt ở đó"))
        })
        .or_else(|| {
            between("", " ")
                .filter(|_| is_address)
                .map(|address| format!("{address} không phải địa chỉ công khai"))
        })
}

fn of_tls_failure(reason: &str) -> Option<String> {
    let rest = reason.strip_prefix("TLS failed: ")?;
    let fault = TlsFault::ALL.into_iter().find(|fault| rest.starts_with(&fault.to_string()))?;
    let detail = rest[fault.to_string().len()..].trim_start_matches(" (").trim_end_matches(')');
    Some(format!("{} (“{detail}”)", of_tls(fault)))
}
