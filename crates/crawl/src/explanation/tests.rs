//! Tests that every reason of an outcome, a wait or a link is explained in both languages.

use std::time::Duration;

use gleaner_extract::NotArticleReason;
use gleaner_fetch::{FetchError, RobotsRecord};
use gleaner_frontier::{Outcome, UrlKey, UrlRefusal};
use jiff::Timestamp;

use super::*;
use crate::page_robots::NOINDEX;

/// Returns one error of each kind that can end a request. Two kinds do not end one: a page of another type is
/// an outcome, and without a permit no request is sent.
fn errors() -> Vec<FetchError> {
    let detail = || "errno 111".to_owned();
    let tls = TlsFault::ALL.into_iter().map(|fault| FetchError::Tls { fault, detail: "alert 40".to_owned() });
    let others = [
        FetchError::Dns(detail()),
        FetchError::Connect(detail()),
        FetchError::NoFile,
        FetchError::HeadersTooLarge { bytes: 1, lines: 2 },
        FetchError::Timeout { limit: Duration::from_secs(30) },
        FetchError::Broken(detail()),
        FetchError::UnknownCoding { coding: "x".into() },
        FetchError::TooLarge { limit: 9 },
        FetchError::PrivateAddress { address: "10.0.0.1".parse().unwrap() },
        FetchError::BadProxy(detail()),
        FetchError::BadUrl,
    ];
    tls.chain(others).collect()
}

/// Returns outcomes of each kind, with every label that their details can have.
fn outcomes() -> Vec<Outcome> {
    let of = UrlKey::from_bytes([0; 16]);
    let (status, language, to) = (404, "en".to_owned(), String::new);
    let mut all = vec![
        Outcome::Stored,
        Outcome::Revised,
        Outcome::Duplicate { of },
        Outcome::NearDuplicate { of, similarity: 90 },
        Outcome::Listing,
        Outcome::Unchanged,
        Outcome::Redirected { to: to() },
        Outcome::Disallowed { rule: "Disallow: /".into() },
        Outcome::Gone { status },
        Outcome::Rejected { status: 403 },
        Outcome::Rejected { status: 418 },
        Outcome::TooLarge { limit: 1 },
        Outcome::WrongType { content_type: "image/png".into() },
        Outcome::PrivateAddress,
        Outcome::Unreadable { reason: String::new() },
        Outcome::OtherLanguage { language },
        Outcome::Filtered { condition: "words >= 50".into() },
    ];
    let rules = [
        "outside sections",
        "no include matches",
        "exclude /tag/",
        "published before 2026-01-01",
        NOINDEX,
        "crawl.skip_traps: nothing new at /calendar/#",
        "crawl.skip_traps: session parameter token",
    ];
    all.extend(rules.map(|rule| Outcome::Excluded { rule: rule.into() }));
    let pages = NotArticleReason::ALL.map(NotArticleReason::label);
    all.extend(
        pages.into_iter().chain(["no_text"]).map(|reason| Outcome::NotArticle { reason: reason.into() }),
    );
    let failed = |reason: &str| Outcome::Failed { reason: reason.into() };
    all.extend(errors().iter().map(|error| failed(error.label())));
    all.extend(["http_503", "redirect_without_location"].map(failed));
    let links = UrlRefusal::one_of_each().map(|refusal| refusal.label().into_owned());
    let links = links.into_iter().chain(["too_many_redirects", "redirect_to_itself"].map(str::to_owned));
    all.extend(links.map(|reason| Outcome::RedirectRefused { to: to(), reason }));
    let cuts = [
        "length",
        "time",
        "disconnect",
        "unspecified",
        "segmented",
        "partial_content",
        "content_length",
        "coding",
        "html",
    ];
    all.extend(cuts.map(|reason| Outcome::Truncated { reason: reason.into() }));
    all
}

/// Whether a text is Vietnamese: apart from quotations and labels in parentheses, it has a letter that English
/// does not have.
fn is_vietnamese(text: &str) -> bool {
    let own = text.split(" (").next().unwrap_or_default();
    own.chars().any(|c| c.is_alphabetic() && !c.is_ascii())
}

#[test]
fn the_reason_of_every_outcome_is_explained_in_both_languages() {
    for outcome in outcomes() {
        let reason = outcome.reason();
        let words = explained(&reason);
        assert!(is_vietnamese(&words.vietnamese), "{reason}: {words:?}");
        let is_code = matches!(reason.split(": ").next(), Some("other_language" | "filtered"))
            || reason == "rejected: http_418"
            || outcome.label() == reason
            || matches!(reason.as_str(), "failed: too_large" | "failed: private_address");
        let detail = detail_in_words(&reason);
        assert_eq!(detail.is_none(), is_code, "{reason}: {detail:?}");
        assert!(detail.is_none_or(|detail| is_vietnamese(&detail.vietnamese)), "{reason}");
    }
}

#[test]
fn every_label_of_links_is_explained_in_both_languages() {
    let labels = [
        "nofollow",
        "beyond_the_limit_of_a_page",
        "beyond_the_limit_of_a_list",
        "feed_of_a_page",
        "too_many_redirects",
    ];
    let labels = labels.map(str::to_owned).into_iter();
    for label in labels.chain(UrlRefusal::one_of_each().map(|refusal| refusal.label().into_owned())) {
        let words = explained(&label);
        assert!(words.english.contains(&label) && is_vietnamese(&words.vietnamese), "{label}: {words:?}");
    }
}

#[test]
fn every_failure_of_a_robots_txt_is_translated() {
    let others = [
        "status 503",
        "it leads to a host that asked to wait",
        "it redirects to a host that asked to wait",
        "it redirects to an invalid URL",
        "its redirects form a loop",
        "its redirects are invalid or too many",
        "it redirects to https://b.example/robots.txt; waiting for that robots.txt",
    ];
    let errors = errors().iter().map(ToString::to_string).collect::<Vec<_>>();
    for reason in errors.into_iter().chain(others.map(str::to_owned)) {
        let record = RobotsRecord::failed(reason.clone(), None, Timestamp::UNIX_EPOCH);
        let gleaner_fetch::Access::AllDisallowed { reason: why } = record.rules("gleaner") else {
            panic!("{record:?}");
        };
        let words = explained_hold(&why);
        assert!(words.english.ends_with(&reason), "{words:?}");
        let cause = words.vietnamese.strip_prefix("không đọc được robots.txt: ").unwrap();
        assert!(is_vietnamese(cause) || cause == "HTTP 503", "{words:?}");
        assert!(!cause.starts_with("lỗi ("), "{reason} has no translation of its own");
    }
}

#[test]
fn reasons_are_explained_and_named() {
    for (reason, said) in [
        ("failed: dns", "the host's name cannot be resolved (failed: dns)"),
        ("rejected: http_403", "the site refuses the crawler (rejected: http_403)"),
        ("failed: http_502", "the server has an error (failed: http_502)"),
        ("too_large", "responses that are too large (too_large)"),
        ("excluded: outside sections", "excluded: outside sections"),
        ("out_of_scope", "not on one of the seed sites (out_of_scope)"),
        ("something new", "something new"),
    ] {
        assert_eq!(explained(reason).english, said);
    }
    let expired = explained("failed: certificate_expired");
    assert!(expired.english.contains("has expired") && expired.vietnamese.contains("đã hết hạn"));
    assert_eq!(explained("gone: http_404").vietnamese, "trang không còn tồn tại (gone: http_404)");
    assert_eq!(
        explained("excluded: published before 2026-01-01").vietnamese,
        "bị loại theo cài đặt: xuất bản trước 2026-01-01"
    );
    assert_eq!(
        explained("excluded: the page says noindex").vietnamese,
        "bị loại theo cài đặt: trang yêu cầu không lưu (noindex)"
    );
    assert_eq!(explained_retry("http_503").vietnamese, "máy chủ bị lỗi");
    assert_eq!(explained_retry("something new"), Bilingual::same("something new"));
}

#[test]
fn reasons_to_wait_are_translated() {
    for (why, vietnamese) in [
        ("robots.txt is unavailable: HTTP 502", "không đọc được robots.txt: HTTP 502"),
        (
            "robots.txt is unavailable: no connection: Connection refused (os error 111)",
            "không đọc được robots.txt: không có kết nối (“Connection refused (os error 111)”)",
        ),
        (
            "robots.txt is unavailable: TLS failed: the certificate has expired (invalid peer certificate: Expired)",
            "không đọc được robots.txt: chứng chỉ đã hết hạn (“invalid peer certificate: Expired”)",
        ),
        ("robots.txt is unavailable: a new error", "không đọc được robots.txt: lỗi (“a new error”)"),
        (ON_HOLD, "tạm ngừng sau các lần thất bại hoặc theo yêu cầu của máy chủ"),
        ("crawl.max_pages reached", "đã đạt crawl.max_pages"),
        ("the host is paused", "trang báo đang tạm dừng"),
        ("another reason", "another reason"),
    ] {
        assert_eq!(explained_hold(why), Bilingual::new(why, vietnamese));
    }
    let sitemap = broken_list("sitemap is not readable: gone: http_404");
    assert_eq!(sitemap.english, "a sitemap is not readable: gone: http_404");
    assert_eq!(sitemap.vietnamese, "sitemap không đọc được: trang không còn tồn tại (gone: http_404)");
}
