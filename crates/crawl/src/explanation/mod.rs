//! Explains in English and Vietnamese why visits ended as they did, why links are not followed, and why hosts
//! wait.
//!
//! Records, counts and logs have short English reasons. Only this module translates them. A detail that comes
//! from the operating system, a library or a server stays English, and is quoted after the translated cause.

mod reasons;
mod waits;

use crate::render::language::Bilingual;
use gleaner_extract::NotArticleReason;
use gleaner_fetch::TlsFault;
use gleaner_frontier::Outcome;

use reasons::{of_failure, of_label, of_link, of_missing, of_page, of_rule, of_truncation};
pub(crate) use waits::ON_HOLD;
pub use waits::{explained_hold, is_without_connection};

/// Explains the reason of an outcome ([`Outcome::reason`](gleaner_frontier::Outcome::reason)), or the label
/// of links that are not followed. If the reason consists of labels, it follows in parentheses, because logs
/// and counts use it.
#[must_use]
pub fn explained(reason: &str) -> Bilingual {
    if let Some((before, rule)) = reason.split_once("excluded: ") {
        let redirect = if before.is_empty() { "" } else { "chuyển hướng không được theo; " };
        return Bilingual::new(reason, format!("{redirect}bị loại theo cài đặt: {}", of_rule(rule)));
    }
    let label = reason.split_once(": ").map_or(reason, |(label, _)| label);
    let detailed = matches!(label, "failed" | "rejected" | "not_article").then(|| detail_in_words(reason));
    match detailed.flatten().or_else(|| of_label(label)).or_else(|| of_link(label)) {
        Some(words) => words.map(|words| format!("{words} ({reason})")),
        None => Bilingual::same(reason),
    }
}

/// Explains the part of a reason after its label, such as `timeout` in `failed: timeout`. Returns `None` if the
/// detail is empty, or if it is the same in all languages, such as a status or a language tag.
#[must_use]
pub fn detail_in_words(reason: &str) -> Option<Bilingual> {
    let (label, detail) = reason.split_once(": ")?;
    match label {
        "failed" | "rejected" => of_failure(detail),
        "gone" => of_missing(detail),
        "not_article" => of_page(detail),
        "redirect_refused" => match detail.strip_prefix("excluded: ") {
            Some(rule) => Some(Bilingual::new(rule, of_rule(rule))),
            None => of_link(detail),
        },
        "truncated" => of_truncation(detail),
        "excluded" => Some(Bilingual::new(detail, of_rule(detail))),
        _ => None,
    }
}

/// Describes the outcome of the last visit of one URL.
#[must_use]
pub fn explained_visit(outcome: &Outcome) -> String {
    let Outcome::NotArticle { reason } = outcome else { return outcome.to_string() };
    let known = NotArticleReason::ALL.iter().find(|known| known.label() == reason);
    let words = known.map_or_else(|| reason.replace('_', " "), ToString::to_string);
    format!("not an article: {words} ({reason})")
}

/// Explains why a visit will be retried. `reason` is the label of an error or a status, such as `timeout`.
#[must_use]
pub fn explained_retry(reason: &str) -> Bilingual {
    of_failure(reason).unwrap_or_else(|| Bilingual::same(reason))
}

/// Explains why a sitemap or feed was not read. `failure` is a key of `Counts::broken_lists`.
pub(crate) fn broken_list(failure: &str) -> Bilingual {
    let vietnamese = match failure.split_once(" is not readable: ") {
        Some((list, reason)) => format!("{list} không đọc được: {}", explained(reason).vietnamese),
        None => failure.to_owned(),
    };
    Bilingual::new(format!("a {failure}"), vietnamese)
}

const fn of_tls(fault: TlsFault) -> &'static str {
    match fault {
        TlsFault::Expired => "chứng chỉ đã hết hạn",
        TlsFault::NotValidYet => "chứng chỉ chưa có hiệu lực, hoặc đồng hồ của máy này chạy chậm",
        TlsFault::WrongName => "chứng chỉ cấp cho tên miền khác",
        TlsFault::UnknownIssuer => "không rõ bên cấp chứng chỉ",
        TlsFault::SelfSigned => "chứng chỉ tự ký",
        TlsFault::BadCertificate => "không chấp nhận được chứng chỉ",
        TlsFault::NothingInCommon => "máy chủ không có bộ mã hóa chung",
        TlsFault::Other => "không có kết nối TLS",
    }
}

#[cfg(test)]
mod tests;
