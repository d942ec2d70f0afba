//! Serves pages that are neither articles nor lists: traps, consent and login pages, redirects, disallowed
//! pages, missing pages, and other files.
//!
//! The traps are endless. A crawler leaves them only if it uses canonical addresses, or if it limits the
//! depth, the repeated path segments or the number of pages.

use crate::markup::digest;
use crate::page_response::PageResponse;
use crate::paper::Language;
use crate::site::{Site, special};
use hyper::StatusCode;
use std::fmt::Write;

pub(crate) const ELSEWHERE: &str = "http://elsewhere.example/";

pub(crate) fn answer(site: &Site, path: &str, query: Option<&str>) -> Option<PageResponse> {
    let odd = &site.paper.odd;
    if path == odd.elsewhere || path.starts_with(odd.ads) {
        return Some(PageResponse::redirect(StatusCode::FOUND, ELSEWHERE.to_owned()));
    }
    if path == odd.print {
        return Some(PageResponse::ok("application/pdf", PDF.as_bytes().to_vec(), site.pressed()));
    }
    if path == odd.wall {
        return Some(wall(site));
    }
    if path == odd.members || path == odd.search {
        return Some(forbidden(site));
    }
    if path == odd.classifieds {
        return Some(classifieds(site, query.unwrap_or_default()));
    }
    moved(site, path)
        .or_else(|| calendar(site, path.strip_prefix(odd.calendar)?))
        .or_else(|| about(site, path))
}

fn moved(site: &Site, path: &str) -> Option<PageResponse> {
    let number = path.strip_prefix(site.paper.odd.old)?;
    let article = site.articles.get(special::MOVED)?;
    let found = number == article.number.to_string();
    found.then(|| PageResponse::redirect(StatusCode::MOVED_PERMANENTLY, site.paper.url(&site.path(article))))
}

/// Renders the page that is shown instead of an article: a consent page in one paper, and a login page in the
/// other.
fn wall(site: &Site) -> PageResponse {
    let main = match site.paper.language {
        Language::Vietnamese => {
            "<div class=\"dong-y\"><p>Báo Làng dùng cookie để ghi nhớ lựa chọn của bạn đọc. \
             Bấm “Đồng ý” để xem tiếp.</p><button>Đồng ý</button> <button>Từ chối</button></div>\n"
        }
        Language::English => {
            "<form class=\"login\"><p>Please log in to read this page. Subscribers have full access.</p>\
             <input name=\"user\"><input name=\"pass\" type=\"password\"><button>Log in</button></form>\n"
        }
    };
    site.framed(site.paper.odd.wall_title, main)
}

/// Renders a page that robots.txt disallows. The response looks like any other, so only the access log shows
/// whether a crawler requested it.
fn forbidden(site: &Site) -> PageResponse {
    match site.paper.language {
        Language::Vietnamese => site.framed("Góc thành viên", "<p>Trang này không dành cho máy đọc.</p>\n"),
        Language::English => site.framed("Members' corner", "<p>This page is not for robots.</p>\n"),
    }
}

fn classifieds(site: &Site, query: &str) -> PageResponse {
    let path = site.paper.odd.classifieds;
    let next = digest(query.as_bytes());
    let (title, more, wares) = match site.paper.language {
        Language::Vietnamese => ("Rao vặt", "Xem thêm", ["Bán xe đạp", "Cho thuê thuyền", "Tìm mèo lạc"]),
        Language::English => ("Classifieds", "More", ["Bicycle for sale", "Boat to let", "Lost cat"]),
    };
    let mut main = String::from("<ul>\n");
    for (n, ware) in wares.iter().enumerate() {
        let _ = writeln!(main, "<li>{ware}: 00000 {:06}</li>", (next >> (8 * n)) % 1_000_000);
    }
    let _ = writeln!(main, "</ul><a href=\"{path}?sid={next:016x}\">{more}</a>");
    site.framed(title, &main)
}

/// Renders a month of an endless calendar, with links to the previous and the next month.
fn calendar(site: &Site, rest: &str) -> Option<PageResponse> {
    let (year, month) = rest.strip_prefix('/')?.split_once('/')?;
    let (year, month) = (year.parse::<u32>().ok()?, month.parse::<u32>().ok()?);
    if !(1..=9999).contains(&year) || !(1..=12).contains(&month) {
        return None;
    }
    let path = site.paper.odd.calendar;
    let after = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let before = if month == 1 { (year - 1, 12) } else { (year, month - 1) };
    let (title, none) = match site.paper.language {
        Language::Vietnamese => (format!("Lịch làng tháng {month}/{year}"), "Không có việc làng."),
        Language::English => (format!("What's on, {month}/{year}"), "Nothing is planned."),
    };
    let main = format!(
        "<p>{none}</p><a href=\"{path}/{}/{:02}\">&laquo;</a> <a href=\"{path}/{}/{:02}\">&raquo;</a>\n",
        before.0, before.1, after.0, after.1
    );
    Some(site.framed(&title, &main))
}

/// Renders the page about the paper. A relative link on this page resolves to a longer path that repeats the
/// last segment.
fn about(site: &Site, path: &str) -> Option<PageResponse> {
    let odd = &site.paper.odd;
    let mut rest = path.strip_prefix('/').filter(|rest| !rest.is_empty())?;
    while let Some(shorter) = rest.strip_prefix(odd.about_segment) {
        rest = shorter;
    }
    if !rest.is_empty() {
        return None;
    }
    let (title, text) = match site.paper.language {
        Language::Vietnamese => ("Giới thiệu", "Báo Làng do người làng viết cho người làng đọc."),
        Language::English => ("About us", "The Post is written by those who read it."),
    };
    let main = format!("<p>{text}</p><a href=\"{}\">{title}</a>\n", odd.about_segment);
    Some(site.framed(title, &main))
}

/// A PDF with one blank page and no cross-reference table. PDF readers rebuild the table.
const PDF: &str = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\n\
trailer<</Root 1 0 R>>\n%%EOF\n";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::PAPERS;

    fn body(site: &Site, path: &str, query: Option<&str>) -> String {
        let answer = answer(site, path, query).unwrap_or_else(|| panic!("{path} is odd"));
        assert_eq!(answer.status, 200);
        String::from_utf8(answer.body).unwrap()
    }

    #[test]
    fn traps_lead_ever_deeper() {
        for paper in &PAPERS {
            let site = Site::new(paper, 6, false, None);
            let odd = &paper.odd;
            let december = body(&site, &format!("{}/2026/12", odd.calendar), None);
            assert!(december.contains(&format!("{}/2027/01", odd.calendar)));
            assert!(december.contains(&format!("{}/2026/11", odd.calendar)));
            assert!(answer(&site, &format!("{}/2026/13", odd.calendar), None).is_none());

            let about = format!("{}{}{}", odd.about, odd.about_segment, odd.about_segment);
            assert!(body(&site, &about, None).contains(&format!("<a href=\"{}\"", odd.about_segment)));
            assert!(answer(&site, "/", None).is_none());

            let sid = |query| {
                let html = body(&site, odd.classifieds, Some(query));
                let links = html.split("?sid=").skip(1).map(|s| s[..16].to_owned());
                links.last().unwrap()
            };
            assert_eq!(sid("sid=1"), sid("sid=1"));
            assert_ne!(sid("sid=1"), sid("sid=2"));
        }
    }

    #[test]
    fn redirects_lead_to_the_new_address_and_out_of_scope() {
        for paper in &PAPERS {
            let site = Site::new(paper, 6, false, None);
            let article = &site.articles[special::MOVED];
            let to = |path: &str| answer(&site, path, None).and_then(|a| a.header).map(|(_, to)| to);
            let old = format!("{}{}", paper.odd.old, article.number);
            assert_eq!(to(&old), Some(paper.url(&site.path(article))));
            for path in [paper.odd.elsewhere, &format!("{}3", paper.odd.ads)] {
                assert_eq!(to(path).as_deref(), Some(ELSEWHERE));
            }
            assert_eq!(answer(&site, &format!("{}x", paper.odd.old), None), None);
        }
    }
}
