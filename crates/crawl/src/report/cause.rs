//! Explains causes in words, and names the command to run next.

use gleaner_fetch::TlsFault;
use gleaner_frontier::OutcomeClass;
use gleaner_render::language::Bilingual;

/// Explains an outcome's reason in words. Keeps the reason in parentheses, because logs and counts use it.
pub(crate) fn explained(reason: &str) -> Bilingual {
    match words(reason) {
        Some(words) => words.map(|words| format!("{words} ({reason})")),
        None => Bilingual::same(reason),
    }
}

fn words(reason: &str) -> Option<Bilingual> {
    let (label, detail) = reason.split_once(": ").unwrap_or((reason, ""));
    if let Some(fault) = TlsFault::from_label(detail).filter(|_| label == "failed") {
        return Some(Bilingual::new(fault.to_string(), of_tls(fault)));
    }
    let (english, vietnamese) = match (label, detail) {
        (_, "dns") => ("the host's name cannot be resolved", "không phân giải được tên miền"),
        (_, "connect") => ("no connection", "không có kết nối"),
        (_, "timeout") => ("no response in time", "không phản hồi kịp"),
        (_, "bad_proxy") => ("the proxy does not respond", "máy chủ trung gian (proxy) không phản hồi"),
        (_, "http_401" | "http_407") => ("the site requires a login", "trang báo đòi đăng nhập"),
        (_, "http_403") => ("the site refuses the crawler", "trang báo từ chối trình thu thập"),
        (_, "http_429") => ("the site limits the rate of requests", "trang báo giới hạn số yêu cầu"),
        (_, "http_451") => ("blocked for legal reasons", "bị chặn vì lý do pháp lý"),
        ("failed", detail) if detail.starts_with("http_5") => ("the server has an error", "máy chủ bị lỗi"),
        ("gone", _) => ("pages that no longer exist", "trang không còn tồn tại"),
        ("not_article", detail) => return Some(of_page(detail)),
        ("duplicate" | "near_duplicate", _) => {
            ("texts that are already in the corpus", "văn bản đã có trong kho")
        }
        ("other_language", _) => ("texts in other languages", "văn bản bằng ngôn ngữ khác"),
        ("listing", _) => ("pages that list articles", "trang liệt kê bài báo"),
        ("unchanged", _) => ("pages that have not changed", "trang không thay đổi"),
        ("redirected", _) => ("redirects to other URLs", "chuyển hướng đến địa chỉ khác"),
        ("redirect_refused", _) => ("redirects that were not followed", "chuyển hướng không được theo"),
        ("disallowed", _) => ("URLs that robots.txt disallows", "địa chỉ bị robots.txt cấm"),
        ("private_address", _) => ("the host's address is not public", "địa chỉ máy chủ không công khai"),
        _ => return None,
    };
    Some(Bilingual::new(english, vietnamese))
}

fn of_page(detail: &str) -> Bilingual {
    let (english, vietnamese) = match detail {
        "challenge" => {
            ("tests for human visitors instead of articles", "trang kiểm tra người dùng thay cho bài báo")
        }
        "consent_wall" => ("consent dialogs instead of articles", "hộp thoại xin đồng ý thay cho bài báo"),
        "login_wall" => ("login pages instead of articles", "trang đăng nhập thay cho bài báo"),
        "needs_browser" => ("pages that need a browser", "trang cần trình duyệt mới đọc được"),
        _ => ("pages that are not articles", "trang không phải bài báo"),
    };
    Bilingual::new(english, vietnamese)
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

/// Explains why URLs were left for the next run (`crate::summary`). The details of an error are English.
pub(crate) fn explained_hold(why: &str) -> Bilingual {
    let vietnamese = if let Some(error) = why.strip_prefix("robots.txt is unavailable: ") {
        format!("không đọc được robots.txt: {error}")
    } else if let Some(setting) = why.strip_suffix(" reached") {
        format!("đã đạt {setting}")
    } else {
        match why {
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

/// Explains why a sitemap or feed was not read. `failure` is a key of `Counts::broken_lists`.
pub(crate) fn broken_list(failure: &str) -> Bilingual {
    Bilingual::new(format!("a {failure}"), failure.replace(" is not readable: ", " không đọc được: "))
}

/// Whether a text names a certificate that has expired or is not valid yet. The clock may be wrong.
pub(crate) fn is_of_the_clock(text: &str) -> bool {
    [TlsFault::Expired, TlsFault::NotValidYet].iter().any(|fault| text.contains(&fault.to_string()))
}

/// Returns a text without details in parentheses, which may differ between hosts with the same problem.
pub(crate) fn without_details(text: &Bilingual) -> Bilingual {
    text.map(|text| text.split(" (").next().unwrap_or_default().to_owned())
}

/// Whether a site shows something else instead of its pages, such as a login or a consent dialog.
pub(crate) fn is_wall(reason: &str) -> bool {
    matches!(
        reason,
        "not_article: challenge"
            | "not_article: consent_wall"
            | "not_article: login_wall"
            | "not_article: needs_browser"
    )
}

/// Returns the command that shows more about a reason. For failed visits and walls, it sends a request.
pub(crate) fn command(host: &str, reason: &str) -> String {
    match is_wall(reason) || OutcomeClass::from_reason(reason).is_some_and(OutcomeClass::is_failure) {
        true => format!("gleaner doctor {host} --fetch"),
        false => format!("gleaner doctor {host}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_explained_and_named() {
        for (reason, said) in [
            ("failed: dns", "the host's name cannot be resolved (failed: dns)"),
            ("rejected: http_403", "the site refuses the crawler (rejected: http_403)"),
            ("failed: http_502", "the server has an error (failed: http_502)"),
            ("too_large", "too_large"),
        ] {
            assert_eq!(explained(reason).english, said);
        }
        let expired = explained("failed: certificate_expired");
        assert!(expired.english.contains("has expired") && expired.vietnamese.contains("đã hết hạn"));
        assert_eq!(explained("gone: http_404").vietnamese, "trang không còn tồn tại (gone: http_404)");
        assert_eq!(command("a.example", "failed: dns"), "gleaner doctor a.example --fetch");
        assert_eq!(command("a.example", "duplicate"), "gleaner doctor a.example");
    }

    #[test]
    fn reasons_to_wait_are_translated() {
        for (why, vietnamese) in [
            ("robots.txt is unavailable: HTTP 502", "không đọc được robots.txt: HTTP 502"),
            ("crawl.max_pages reached", "đã đạt crawl.max_pages"),
            ("the host is paused", "trang báo đang tạm dừng"),
            ("another reason", "another reason"),
        ] {
            assert_eq!(explained_hold(why), Bilingual::new(why, vietnamese));
        }
        let sitemap = broken_list("sitemap is not readable: gone: http_404");
        assert_eq!(sitemap.english, "a sitemap is not readable: gone: http_404");
        assert_eq!(sitemap.vietnamese, "sitemap không đọc được: gone: http_404");
    }
}
