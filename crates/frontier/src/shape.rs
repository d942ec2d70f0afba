//! Guesses from an address whether it is a file, a feed, a section or an article.
//!
//! The rules are based on the usual addresses of newspapers. They affect the order of fetching and the
//! expected [`Role`]. Only the list of file extensions refuses URLs. This list also refuses an article whose
//! slug ends in `.js` or similar, which is rare.

use jiff::civil::Date;

use crate::{CanonicalUrl, Role, UrlRefusal};

#[rustfmt::skip]
const NOT_PAGES: &[&str] = &[
    "jpg", "jpeg", "png", "gif", "webp", "avif", "svg", "ico", "bmp", "tif", "tiff", "heic", "psd", "eps",
    "mp3", "m4a", "aac", "ogg", "oga", "wav", "flac", "wma", "m3u8", "m3u", "pls",
    "mp4", "m4v", "webm", "ogv", "mov", "avi", "wmv", "flv", "mkv", "mpg", "mpeg", "3gp", "swf", "ts",
    "css", "js", "mjs", "map", "json", "jsonp", "wasm", "woff", "woff2", "ttf", "otf", "eot",
    "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "csv", "txt", "epub", "mobi",
    "zip", "gz", "tgz", "bz2", "xz", "7z", "rar", "tar", "exe", "msi", "dmg", "pkg", "deb", "rpm", "apk", "iso",
    "torrent", "ics", "vcf", "webmanifest", "xsl", "xsd", "kml", "kmz",
];

/// File extensions of pages. Articles have them more often than hubs.
#[rustfmt::skip]
const PAGE_ENDINGS: &[&str] = &[
    "html", "htm", "shtml", "story", "tpo", "html5", "chn", "epi", "vnp", "vov", "ldo", "antd", "ece", "cms", "aspx", "stm",
];

#[rustfmt::skip]
const LISTINGS: &[&str] = &[
    "tag", "tags", "topic", "topics", "author", "authors", "tac-gia", "chu-de", "su-kien", "category", "categories",
    "page", "trang", "search", "tim-kiem", "by", "profile", "profiles", "people", "person", "staff", "contributors",
    "archive", "archives", "user", "users", "login", "dang-nhap", "rss", "feeds", "video-hub", "live-tv", "lien-he",
    "about", "contact", "help", "terms", "privacy", "subscribe", "newsletter", "newsletters",
];

/// Returns the role that the file extension of a link suggests, or refuses a file that is not a page.
pub(crate) fn expected_role(url: &CanonicalUrl) -> Result<Role, UrlRefusal> {
    let name = last_segment(url).to_ascii_lowercase();
    let Some((stem, extension)) = name.rsplit_once('.') else {
        // A feed with a longer path contains the comments on one article (WordPress).
        let feed = matches!(name.as_str(), "feed" | "atom") && segments(url).count() <= 2;
        return Ok(if feed { Role::Feed } else { Role::Page });
    };
    match extension {
        "xml" | "gz" | "txt" if stem.contains("sitemap") => Ok(Role::Sitemap),
        "gz" if stem.ends_with(".xml") => Ok(Role::Sitemap),
        "rss" | "atom" | "rdf" | "xml" => Ok(Role::Feed),
        _ => match NOT_PAGES.iter().find(|known| **known == extension) {
            Some(extension) => Err(UrlRefusal::NotAPage { extension }),
            None => Ok(Role::Page),
        },
    }
}

pub(crate) fn has_news_name(url: &CanonicalUrl) -> bool {
    last_segment(url)
        .to_ascii_lowercase()
        .split(|c: char| !c.is_ascii_alphabetic())
        .any(|word| matches!(word, "news" | "googlenews" | "newssitemap" | "sitemapnews"))
}

pub(crate) fn looks_like_section(url: &CanonicalUrl) -> bool {
    let mut segments = segments(url);
    let parts: Vec<&str> = segments.by_ref().take(3).collect();
    (1..=2).contains(&parts.len())
        && url.url().query().is_none()
        && !is_listing(url)
        && !looks_like_article(url)
        && parts.iter().all(|part| {
            let stem = part.split('.').next().unwrap_or_default();
            stem.len() <= 40 && !stem.bytes().any(|byte| byte.is_ascii_digit())
        })
}

pub(crate) fn looks_like_article(url: &CanonicalUrl) -> bool {
    url.is_article_like(|| points_to_article(url))
}

fn points_to_article(url: &CanonicalUrl) -> bool {
    let last = last_segment(url);
    if last.is_empty() || is_listing(url) || expected_role(url) != Ok(Role::Page) {
        return false;
    }
    let (stem, ending) = last.rsplit_once('.').unwrap_or((last, ""));
    let hyphens = stem.bytes().filter(|byte| matches!(byte, b'-' | b'_')).count();
    let paged = PAGE_ENDINGS.contains(&ending.to_ascii_lowercase().as_str());
    let points = [
        (hyphens >= 4, 2),
        (hyphens >= 2 && stem.len() >= 16, 1),
        (has_long_number(stem), 2),
        (segments(url).any(has_long_number), 1),
        (has_date(url), 2),
        (has_article_number(url), 2),
        (paged, 1),
        (segments(url).any(|part| matches!(part, "article" | "articles" | "story" | "bai-viet")), 1),
    ];
    points.iter().filter(|(holds, _)| *holds).map(|(_, worth)| worth).sum::<u32>() >= 2
}

fn is_listing(url: &CanonicalUrl) -> bool {
    segments(url).any(|part| {
        let part = part.to_ascii_lowercase();
        let stem = part.split('.').next().unwrap_or_default();
        LISTINGS.contains(&stem) || numbered_page(stem)
    })
}

fn numbered_page(stem: &str) -> bool {
    ["trang", "page", "p"].iter().any(|word| {
        stem.strip_prefix(word).is_some_and(|rest| {
            let number = rest.trim_start_matches('-');
            (1..=4).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    })
}

/// Whether the text has five consecutive digits, as in `-4226358` or `cj4x5k81234o`.
fn has_long_number(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_digit()).any(|run| run.len() >= 5)
}

/// Whether the path contains a date, as in `/2024/05/31/`, `/2024-05-31`, `/20240531`, `/2024/may/31/`.
fn has_date(url: &CanonicalUrl) -> bool {
    let is_year =
        |part: &str| part.len() == 4 && (part.starts_with("19") || part.starts_with("20")) && digits(part);
    let is_day = |part: &str| (1..=2).contains(&part.len()) && digits(part);
    let is_month =
        |part: &str| is_day(part) || (part.len() == 3 && part.bytes().all(|b| b.is_ascii_alphabetic()));
    let parts: Vec<&str> = segments(url).flat_map(|part| part.split(['-', '_', '.'])).collect();
    parts.windows(3).any(|w| is_year(w[0]) && is_month(w[1]) && is_day(w[2]))
        || parts.iter().any(|part| part.len() == 8 && digits(part) && part.starts_with("20"))
}

/// Returns the day in the path, as in `/2024/05/31/` or `/2024-05-31/`, or `None` if the path has no date.
/// For `/2024/05/a-title`, returns the last day of the month. If there are several dates, returns the last.
/// Numbers such as `20240531` do not count as dates, because they may be the numbers of articles.
pub(crate) fn latest_day(url: &CanonicalUrl) -> Option<Date> {
    let parts: Vec<&str> = segments(url).collect();
    let single = parts.iter().filter(|part| part.len() == 10).filter_map(|part| part.parse().ok());
    let dated = parts.windows(3).filter_map(|parts| {
        let (year, month) = (year(parts[0])?, month(parts[1])?);
        let day = Some(parts[2]).filter(|day| day.len() <= 2 && digits(day));
        match day.map(str::parse) {
            Some(Ok(day)) => Date::new(year, month, day).ok(),
            Some(Err(_)) => None,
            None => Date::new(year, month, 1).ok().map(Date::last_of_month),
        }
    });
    single.chain(dated).max()
}

fn year(part: &str) -> Option<i16> {
    let is_year = part.len() == 4 && digits(part) && (part.starts_with("19") || part.starts_with("20"));
    is_year.then(|| part.parse().ok())?
}

fn month(part: &str) -> Option<i8> {
    const NAMES: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let name = part.to_ascii_lowercase();
    let named = (1..).zip(NAMES).find(|(_, known)| *known == name).map(|(number, _)| number);
    let written = || Some(part).filter(|part| part.len() <= 2 && digits(part))?.parse().ok();
    named.or_else(written).filter(|number| (1..=12).contains(number))
}

/// Whether the parameters contain an article number, as in `?aid=432511` or `article?id=77`.
fn has_article_number(url: &CanonicalUrl) -> bool {
    url.url().query_pairs().any(|(name, value)| {
        let named = matches!(
            name.to_ascii_lowercase().as_str(),
            "id" | "aid"
                | "article"
                | "articleid"
                | "article_id"
                | "newsid"
                | "news_id"
                | "storyid"
                | "story_id"
                | "sid"
                | "p"
        );
        named && value.len() >= 2 && digits(&value)
    })
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn segments(url: &CanonicalUrl) -> impl Iterator<Item = &str> {
    url.path().split('/').filter(|part| !part.is_empty())
}

fn last_segment(url: &CanonicalUrl) -> &str {
    segments(url).last().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{expected_role, latest_day, looks_like_article, looks_like_section};
    use crate::{CanonicalUrl, Role};

    fn parse(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).unwrap()
    }

    #[test]
    fn articles() {
        for url in [
            "https://vnexpress.net/do-kha-nang-nhan-biet-quoc-ky-4226358.html",
            "https://dantri.com.vn/the-gioi/ten-bai-bao-kha-dai-20240531101112131.htm",
            "https://vov.vn/xa-hoi/ten-bai-viet-post1098765.vov",
            "https://laodong.vn/thoi-su/ten-bai-1345678.ldo",
            "https://www.nytimes.com/2024/05/31/world/asia/vietnam.html",
            "https://www.theguardian.com/world/2024/may/31/a-title-of-words",
            "https://www.bbc.com/news/articles/cj4x5k81234o",
            "https://www.bbc.co.uk/news/health-16508982",
            "https://apnews.com/article/some-words-in-a-slug-0a1b2c3d4e5f",
            "https://www.tovima.gr/health-fitness/article/?aid=430951",
            "https://example.com/article?id=77",
            "https://www.bostonglobe.com/metro/2016/02/16/some-title/gccY9joWpqwUmeYBIAtzKP/story.html",
            "https://edition.cnn.com/2024/05/31/asia/a-title-intl-hnk/index.html",
            "https://www.npr.org/2024/05/31/nx-s1-4987654/title",
        ] {
            assert!(looks_like_article(&parse(url)), "{url}");
            assert!(!looks_like_section(&parse(url)), "{url}");
        }
    }

    #[test]
    fn days_of_addresses() {
        for (path, day) in [
            ("2024/05/31/a-title", Some("2024-05-31")),
            ("sport/2024/5/1", Some("2024-05-01")),
            ("world/2024/may/31/a-title", Some("2024-05-31")),
            ("2024/02/a-title", Some("2024-02-29")),
            ("2024-05-31/a-title", Some("2024-05-31")),
            ("2023/12/31/2024-01-01", Some("2024-01-01")),
            ("2024/13/31/a", None),
            ("2024/02/31/a", None),
            ("tag/2024/05", None),
            ("what-happened-on-2024-05-31.html", None),
            ("a-title-20240531.html", None),
            ("1024/05/31", None),
            ("", None),
        ] {
            let found = latest_day(&parse(&format!("https://a.vn/{path}")));
            assert_eq!(found.map(|day| day.to_string()).as_deref(), day, "{path}");
        }
    }

    #[test]
    fn hubs() {
        for url in [
            "https://vnexpress.net/",
            "https://vnexpress.net/the-thao",
            "https://vnexpress.net/bong-da/giai-ngoai-hang-anh",
            "https://vnexpress.net/tac-gia/ho-quoc-tuan-1028.html",
            "https://dantri.com.vn/the-gioi.htm",
            "https://tuoitre.vn/the-gioi/trang-2.htm",
            "https://example.com/tag/some-long-tag-with-hyphens-12345",
            "https://example.com/author/anna-b-c-d-e-f",
            "https://example.com/news/page/2",
            "https://www.bbc.com/news/world/asia",
            "https://example.com/search?id=12345",
            "https://example.com/a-photo-with-a-long-name-12345.jpg",
            "https://example.com/news-sitemap-2024-05-31.xml",
        ] {
            assert!(!looks_like_article(&parse(url)), "{url}");
        }
    }

    #[test]
    fn sections() {
        for (url, expected) in [
            ("https://vnexpress.net/the-thao", true),
            ("https://vnexpress.net/bong-da/giai-ngoai-hang-anh", true),
            ("https://dantri.com.vn/the-gioi.htm", true),
            ("https://www.bbc.com/news/world", true),
            ("https://www.bbc.com/", false),
            ("https://www.bbc.com/news/world/asia", false),
            ("https://example.com/login", false),
            ("https://example.com/a?b=1", false),
            ("https://example.com/tag/a", false),
        ] {
            assert_eq!(looks_like_section(&parse(url)), expected, "{url}");
        }
    }

    #[test]
    fn roles_by_ending() {
        for (url, expected) in [
            ("https://a.vn/a.html", Ok(Role::Page)),
            ("https://a.vn/a", Ok(Role::Page)),
            ("https://a.vn/node-v2.0", Ok(Role::Page)),
            ("https://a.vn/main.jhtml?xml=/a.jpg", Ok(Role::Page)),
            ("https://a.vn/rss/tin-moi.rss", Ok(Role::Feed)),
            ("https://a.vn/news/rss.xml", Ok(Role::Feed)),
            ("https://a.vn/feed/", Ok(Role::Feed)),
            ("https://a.vn/2024/05/a-title/feed/", Ok(Role::Page)),
            ("https://a.vn/sitemap_index.XML", Ok(Role::Sitemap)),
            ("https://a.vn/maps/2024.xml.gz", Ok(Role::Sitemap)),
            ("https://a.vn/sitemap.txt", Ok(Role::Sitemap)),
            ("https://a.vn/a.JPG", Err("not_a_page")),
            ("https://a.vn/a.pdf?download=1", Err("not_a_page")),
            ("https://a.vn/all.tar.gz", Err("not_a_page")),
        ] {
            let role = expected_role(&parse(url)).map_err(|refusal| refusal.code());
            assert_eq!(role, expected, "{url}");
        }
    }
}
