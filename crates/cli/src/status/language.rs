//! Selects the language of a request. Names outcomes and times in this language.
//!
//! Limitation: details that come from other programs, such as the error of a connection, are English.

pub(crate) use gleaner_crawl::render::language::{Bilingual, UiLanguage};
use gleaner_crawl::render::text::zone;
use gleaner_crawl::{detail_in_words, explained_retry};
use jiff::Timestamp;

/// Parses `Accept-Language` (RFC 9110, 12.5.4) and returns the preferred supported language. Returns English
/// if the browser accepts neither language.
pub(crate) fn from_accept_language(header: &str) -> UiLanguage {
    let weighted = header.split(',').take(20).filter_map(|range| {
        let (tag, weight) = range.split_once(";q=").unwrap_or((range, "1"));
        Some((UiLanguage::from_tag(tag)?, weight.trim().parse::<f32>().unwrap_or(0.0)))
    });
    let best = weighted.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.filter(|(_, weight)| *weight > 0.0).map_or(UiLanguage::English, |(language, _)| language)
}

/// Names an outcome. `label` is the part of its reason before the colon.
pub(crate) fn outcome(language: UiLanguage, label: &str) -> String {
    let words = match label {
        "stored" => language.choose("new", "mới"),
        "revised" => language.choose("changed", "đã sửa"),
        "duplicate" => language.choose("duplicate", "trùng"),
        "near_duplicate" => language.choose("near-duplicate", "gần trùng"),
        "not_article" => language.choose("not an article", "không phải bài"),
        "listing" => language.choose("listing", "trang mục"),
        "unchanged" => language.choose("unchanged", "không đổi"),
        "redirected" => language.choose("redirected", "chuyển hướng"),
        "redirect_refused" => language.choose("redirect not followed", "không theo chuyển hướng"),
        "disallowed" => language.choose("disallowed by robots.txt", "robots.txt cấm"),
        "gone" => language.choose("gone", "đã gỡ"),
        "rejected" => language.choose("refused by the server", "máy chủ từ chối"),
        "too_large" => language.choose("too large", "quá lớn"),
        "wrong_type" => language.choose("not a page", "không phải trang"),
        "private_address" => language.choose("private address", "địa chỉ nội bộ"),
        "unreadable" => language.choose("unreadable", "không đọc được"),
        "truncated" => language.choose("truncated", "bị cắt"),
        "failed" => language.choose("failed", "thất bại"),
        "other_language" => language.choose("another language", "ngôn ngữ khác"),
        "filtered" => language.choose("filtered", "bị lọc"),
        "excluded" => language.choose("excluded by the settings", "bị loại theo cài đặt"),
        "buffered" => language.choose("fetched, waits for a template", "đã gom, chờ mẫu trang"),
        other => return other.replace('_', " "),
    };
    words.to_owned()
}

/// Explains an error. The error's own text is English, so it is quoted after the Vietnamese words.
pub(crate) fn quoted(vietnamese: &str, error: impl std::fmt::Display) -> Bilingual {
    Bilingual::new(error.to_string(), format!("{vietnamese} (“{error}”)"))
}

/// Names the last outcome of a host in a running crawl ([`ActiveHost::last`](gleaner_crawl::ActiveHost)).
pub(crate) fn last_outcome(language: UiLanguage, last: &str) -> String {
    if let Some(reason) = last.strip_prefix("will retry: ") {
        let why = explained_retry(reason);
        return format!("{}: {}", language.choose("will retry", "sẽ thử lại"), why.in_language(language));
    }
    let (label, detail) = last.split_once(": ").unwrap_or((last, ""));
    match (detail_in_words(last), detail) {
        (Some(words), _) => format!("{}: {}", outcome(language, label), words.in_language(language)),
        (None, "") => outcome(language, label),
        (None, detail) => format!("{}: {detail}", outcome(language, label)),
    }
}

/// Returns short labels for a time axis: times of day if all times are within 48 hours, otherwise days.
pub(crate) fn axis_labels(times: &[Timestamp]) -> Vec<String> {
    let span = times.first().zip(times.last()).map(|(first, last)| last.duration_since(*first));
    let format = if span.is_some_and(|span| span.as_hours() < 48) { "%H:%M" } else { "%m-%d" };
    times.iter().map(|at| at.to_zoned(zone()).strftime(format).to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_outcome_is_named_with_its_reason() {
        for (last, english, vietnamese) in [
            ("stored", "new", "mới"),
            ("buffered", "fetched, waits for a template", "đã gom, chờ mẫu trang"),
            ("gone: http_404", "gone: not found (404)", "đã gỡ: không tìm thấy (404)"),
            ("failed: timeout", "failed: no response in time", "thất bại: không phản hồi kịp"),
            ("will retry: http_503", "will retry: the server has an error", "sẽ thử lại: máy chủ bị lỗi"),
            (
                "not_article: too_little_text",
                "not an article: pages with too little text",
                "không phải bài: trang có quá ít chữ",
            ),
        ] {
            assert_eq!(last_outcome(UiLanguage::English, last), english);
            assert_eq!(last_outcome(UiLanguage::Vietnamese, last), vietnamese);
        }
    }

    #[test]
    fn axes_have_days_or_times_of_day() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let days = axis_labels(&[at("2026-11-01T12:00:00Z"), at("2026-11-04T12:00:00Z")]);
        assert!(days[0].starts_with("11-0"), "{days:?}");
        let times = axis_labels(&[at("2026-11-01T12:30:00Z"), at("2026-11-01T13:45:00Z")]);
        assert!(times[0].ends_with(":30") && times[1].ends_with(":45"), "{times:?}");
        assert!(axis_labels(&[]).is_empty());
    }

    #[test]
    fn browsers_get_the_language_that_they_would_rather_have() {
        let cases = [
            ("vi-VN,vi;q=0.9,en;q=0.8", UiLanguage::Vietnamese),
            ("en;q=0.5, vi;q=0.7", UiLanguage::Vietnamese),
            ("fr, en;q=0.2", UiLanguage::English),
            ("vi;q=0", UiLanguage::English),
            ("", UiLanguage::English),
            (";q=;q=,,x", UiLanguage::English),
        ];
        for (header, expected) in cases {
            assert_eq!(from_accept_language(header), expected, "{header}");
        }
    }
}
