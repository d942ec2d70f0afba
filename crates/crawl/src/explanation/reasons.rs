//! Explains labels in words: outcomes, their details, and the reasons why a link is not followed.

use crate::render::language::Bilingual;
use gleaner_fetch::TlsFault;

use super::of_tls;
use crate::page_robots::NOINDEX;
use crate::traps::rule_parts;

type Words = Option<(&'static str, &'static str)>;

fn both(words: Words) -> Option<Bilingual> {
    words.map(|(english, vietnamese)| Bilingual::new(english, vietnamese))
}

/// Explains the label of an outcome.
pub(super) fn of_label(label: &str) -> Option<Bilingual> {
    both(Some(match label {
        "stored" => ("new documents", "văn bản mới"),
        "revised" => ("documents whose text has changed", "văn bản đã sửa"),
        "duplicate" | "near_duplicate" => ("texts that are already in the corpus", "văn bản đã có trong kho"),
        "other_language" => ("texts in other languages", "văn bản bằng ngôn ngữ khác"),
        "filtered" => ("texts that do not meet a condition", "văn bản không đạt điều kiện"),
        "listing" => ("pages that list articles", "trang liệt kê bài báo"),
        "unchanged" => ("pages that have not changed", "trang không thay đổi"),
        "redirected" => ("redirects to other URLs", "chuyển hướng đến địa chỉ khác"),
        "redirect_refused" => ("redirects that were not followed", "chuyển hướng không được theo"),
        "disallowed" => ("URLs that robots.txt disallows", "địa chỉ bị robots.txt cấm"),
        "gone" => ("pages that no longer exist", "trang không còn tồn tại"),
        "rejected" => ("the server refuses the requests", "máy chủ từ chối yêu cầu"),
        "too_large" => ("responses that are too large", "phản hồi quá lớn"),
        "wrong_type" => ("files that are not pages", "tệp không phải trang web"),
        "private_address" => ("the host's address is not public", "địa chỉ máy chủ không công khai"),
        "unreadable" => ("responses that cannot be read", "phản hồi không đọc được"),
        "truncated" => ("responses of which only a part is there", "phản hồi chỉ còn một phần"),
        "failed" => ("the requests fail", "yêu cầu thất bại"),
        _ => return None,
    }))
}

/// Explains the label of an error or a status without a usable response.
pub(super) fn of_failure(detail: &str) -> Option<Bilingual> {
    if let Some(fault) = TlsFault::from_label(detail) {
        return Some(Bilingual::new(fault.to_string(), of_tls(fault)));
    }
    both(Some(match detail {
        "dns" => ("the host's name cannot be resolved", "không phân giải được tên miền"),
        "connect" => ("no connection", "không có kết nối"),
        "timeout" => ("no response in time", "không phản hồi kịp"),
        "bad_proxy" => ("the proxy does not respond", "máy chủ trung gian (proxy) không phản hồi"),
        "bad_url" => ("not an http or https address", "không phải địa chỉ http hay https"),
        "no_file" => ("this machine has too many open files", "máy này mở quá nhiều tệp"),
        "headers_too_large" => ("the headers of the response are too large", "phần đầu phản hồi quá lớn"),
        "broken" => ("the response is broken", "phản hồi bị hỏng"),
        "unknown_coding" => {
            ("the response has an unknown coding", "phản hồi được nén theo cách không đọc được")
        }
        "redirect_without_location" => ("a redirect without a target", "chuyển hướng không có đích"),
        "http_401" | "http_407" => ("the site requires a login", "trang báo đòi đăng nhập"),
        "http_403" => ("the site refuses the crawler", "trang báo từ chối trình thu thập"),
        "http_429" => ("the site limits the rate of requests", "trang báo giới hạn số yêu cầu"),
        "http_451" => ("blocked for legal reasons", "bị chặn vì lý do pháp lý"),
        detail if detail.starts_with("http_5") => ("the server has an error", "máy chủ bị lỗi"),
        _ => return None,
    }))
}

/// Explains the status of a page that was not found.
pub(super) fn of_missing(detail: &str) -> Option<Bilingual> {
    both(Some(match detail {
        "http_404" => ("not found (404)", "không tìm thấy (404)"),
        "http_410" => ("removed for good (410)", "đã gỡ hẳn (410)"),
        _ => return None,
    }))
}

/// Explains why a page is not an article.
pub(super) fn of_page(detail: &str) -> Option<Bilingual> {
    both(Some(match detail {
        "challenge" => {
            ("tests for human visitors instead of articles", "trang kiểm tra người dùng thay cho bài báo")
        }
        "not_found" => ("pages that say that they do not exist", "trang báo rằng nội dung không tồn tại"),
        "login_wall" => ("login pages instead of articles", "trang đăng nhập thay cho bài báo"),
        "consent_wall" => ("consent dialogs instead of articles", "hộp thoại xin đồng ý thay cho bài báo"),
        "gallery" => ("pictures with nothing but captions", "trang ảnh chỉ có chú thích"),
        "needs_browser" => ("pages that need a browser", "trang cần trình duyệt mới đọc được"),
        "too_little_text" => ("pages with too little text", "trang có quá ít chữ"),
        "nearly_empty" => ("pages with hardly any text and links", "trang hầu như không có chữ và liên kết"),
        "declared_listing" => {
            ("pages that call themselves lists or products", "trang tự khai là danh sách hay sản phẩm")
        }
        "listing" => ("lists of a category, a tag or a search", "danh sách theo mục, thẻ hay tìm kiếm"),
        "shop" => ("pages of a shop", "trang bán hàng"),
        "hub" => ("pages that lead to articles", "trang dẫn đến các bài báo"),
        "no_text" => ("pages without text", "trang không có văn bản"),
        _ => return None,
    }))
}

/// Explains why a link or redirect is not followed.
pub(super) fn of_link(label: &str) -> Option<Bilingual> {
    both(Some(match label {
        "out_of_scope" => ("not on one of the seed sites", "ngoài các trang cần thu thập"),
        "not_http" => ("not an http or https address", "không phải địa chỉ http hay https"),
        "unparsable" => ("not a valid address", "địa chỉ không hợp lệ"),
        "bad_host" => ("not a valid host name", "tên miền không hợp lệ"),
        "too_long" => ("the address is too long", "địa chỉ quá dài"),
        "repeated_segment" => {
            ("a part of the path is repeated too often", "một phần đường dẫn lặp lại quá nhiều lần")
        }
        "too_deep" => ("too many links away from a seed", "cách trang gốc quá nhiều liên kết"),
        "not_a_page" => ("a picture, a video or another file", "ảnh, video hoặc tệp khác"),
        "user_info" => {
            ("the address has a user name or a password", "địa chỉ có tên người dùng hoặc mật khẩu")
        }
        "nofollow" => ("the page asks not to follow its links", "trang yêu cầu không theo liên kết của nó"),
        "beyond_the_limit_of_a_page" => {
            ("more links than a page may have", "vượt số liên kết tối đa của một trang")
        }
        "beyond_the_limit_of_a_list" => {
            ("more entries than a list may have", "vượt số mục tối đa của một danh sách")
        }
        "feed_of_a_page" => ("the feed of a single page", "feed của một trang riêng lẻ"),
        "too_many_redirects" => ("too many redirects in a row", "quá nhiều lần chuyển hướng liên tiếp"),
        "redirect_to_itself" => ("a redirect to itself", "chuyển hướng về chính nó"),
        _ => return None,
    }))
}

/// Explains why only a part of a response is in the archive.
pub(super) fn of_truncation(detail: &str) -> Option<Bilingual> {
    both(Some(match detail {
        "length" => ("longer than the archive's limit", "dài hơn giới hạn của bản lưu trữ"),
        "time" => ("slower than the archive's limit", "chậm hơn giới hạn của bản lưu trữ"),
        "disconnect" => ("the connection ended early", "kết nối bị ngắt sớm"),
        "unspecified" => ("without a stated reason", "không nêu lý do"),
        "segmented" => ("in several records of the archive", "nằm trong nhiều bản ghi lưu trữ"),
        "partial_content" => ("the server sent a part only", "máy chủ chỉ gửi một phần"),
        "content_length" => ("shorter than its stated length", "ngắn hơn độ dài đã nêu"),
        "coding" => ("the compressed data end early", "dữ liệu nén bị ngắt sớm"),
        "html" => ("the page ends within its text or a tag", "trang bị ngắt giữa chừng"),
        _ => return None,
    }))
}

/// Translates a rule of the settings that excludes a URL or an article.
pub(super) fn of_rule(rule: &str) -> String {
    match (rule, rule.split_once(' ')) {
        (NOINDEX, _) => "trang yêu cầu không lưu (noindex)".to_owned(),
        ("outside sections", _) => "ngoài các mục đã chọn (sections)".to_owned(),
        ("no include matches", _) => "không khớp mẫu include nào".to_owned(),
        (_, Some(("exclude", pattern))) => format!("khớp mẫu exclude {pattern}"),
        _ => match (rule.strip_prefix("published before "), rule_parts(rule)) {
            (Some(day), _) => format!("xuất bản trước {day}"),
            (None, Some(Ok(pattern))) => format!("không có gì mới ở {pattern} (crawl.skip_traps)"),
            (None, Some(Err(name))) => format!("{name} là tham số phiên (crawl.skip_traps)"),
            (None, None) => match rule.strip_prefix("the site disallows ") {
                Some(purpose) => format!("trang báo không cho dùng văn bản vào {purpose}"),
                None => rule.to_owned(),
            },
        },
    }
}
