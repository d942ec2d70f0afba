//! Determines the declared type of an article.

use serde::{Deserialize, Serialize};

use super::Sources;

/// The type of an article.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArticleType {
    /// A news report (schema.org `NewsArticle`, `ReportageNewsArticle`, `AnalysisNewsArticle`).
    News,
    /// A comment, column, editorial or letter.
    Opinion,
    /// A live blog.
    Live,
    /// A page about a video.
    Video,
    /// A series of images.
    Gallery,
    /// An advertisement in the form of an article.
    Sponsored,
}

impl ArticleType {
    /// Returns the name: `news`, `opinion`, `live`, `video`, `gallery` or `sponsored`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::News => "news",
            Self::Opinion => "opinion",
            Self::Live => "live",
            Self::Video => "video",
            Self::Gallery => "gallery",
            Self::Sponsored => "sponsored",
        }
    }
}

/// Lower-case names of sections and URL directories that indicate a type.
const NAMES: [(ArticleType, &[&str]); 5] = [
    (
        ArticleType::Sponsored,
        &[
            "sponsored",
            "sponsored content",
            "advertorial",
            "paid content",
            "partner content",
            "brandcontent",
            "paidpost",
            "paid-content",
            "partner-content",
            "sponsored-content",
            "branded-content",
            "anzeige",
            "publirreportaje",
            "thông tin doanh nghiệp",
            "tin tài trợ",
        ],
    ),
    (
        ArticleType::Live,
        &[
            "live",
            "live blog",
            "liveblog",
            "live-blog",
            "liveticker",
            "ticker",
            "trực tiếp",
            "truc-tiep",
            "en-direct",
        ],
    ),
    (
        ArticleType::Opinion,
        &[
            "opinion",
            "opinions",
            "editorial",
            "editorials",
            "op-ed",
            "commentisfree",
            "columnists",
            "commentary",
            "letters",
            "meinung",
            "kommentar",
            "kommentare",
            "opinión",
            "opinione",
            "opinioni",
            "tribune",
            "tribunes",
            "debat",
            "debatt",
            "bình luận",
            "góc nhìn",
            "ý kiến",
            "goc-nhin",
            "y-kien",
            "binh-luan",
            "мнения",
            "γνώμες",
            "opinie",
            "社说",
            "社論",
            "社説",
            "quan điểm",
            "quan-diem",
            "comment",
            "columns",
            "رأي",
        ],
    ),
    (ArticleType::Video, &["video", "videos", "watch", "vídeo", "vidéo", "видео", "βίντεο"]),
    (
        ArticleType::Gallery,
        &[
            "gallery",
            "galleries",
            "photos",
            "photo",
            "pictures",
            "in-pictures",
            "photogallery",
            "photo-gallery",
            "bildergalerie",
            "fotostrecke",
            "diaporama",
            "fotogaleria",
            "ảnh",
            "anh",
            "photostory",
        ],
    ),
];

/// Returns the type of the article from the first of these sources that shows a type: the schema.org types of
/// the article, the section, the directories of the address, `og:type`, and the other schema.org types of the
/// page. If several schema.org types match, the first in the order of [`by_schema`] is used.
pub(super) fn article_type(sources: &Sources, section: Option<&str>) -> Option<ArticleType> {
    let declared = &sources.article.kinds;
    let by_graph = || {
        let kind = sources.meta.get(&["og:type"])?;
        kind.starts_with("video").then_some(ArticleType::Video)
    };
    let is_article = !declared.is_empty();
    let is_news = declared.iter().any(|kind| kind.ends_with("NewsArticle"));
    // An article may contain a video, so the types of media count only on pages without an article.
    let media = || if is_article { None } else { by_schema(&sources.kinds, &OF_MEDIA) };
    by_schema(declared, &OF_ARTICLES)
        .or_else(|| by_schema(&sources.kinds, &OF_ARTICLES))
        .or_else(|| section.and_then(named))
        .or_else(|| directories(sources.known()).find_map(named))
        .or_else(by_graph)
        .or_else(media)
        .or(is_news.then_some(ArticleType::News))
}

/// Types of schema.org, most specific first.
const OF_ARTICLES: [(&str, ArticleType); 3] = [
    ("LiveBlogPosting", ArticleType::Live),
    ("AdvertiserContentArticle", ArticleType::Sponsored),
    ("OpinionNewsArticle", ArticleType::Opinion),
];
const OF_MEDIA: [(&str, ArticleType); 3] = [
    ("ImageGallery", ArticleType::Gallery),
    ("MediaGallery", ArticleType::Gallery),
    ("VideoObject", ArticleType::Video),
];

fn by_schema(kinds: &[String], types: &[(&str, ArticleType)]) -> Option<ArticleType> {
    types
        .iter()
        .find(|(name, _)| kinds.iter().any(|kind| kind == name))
        .map(|(_, article_type)| *article_type)
}

fn named(name: &str) -> Option<ArticleType> {
    let name = name.trim().to_lowercase();
    NAMES.iter().find_map(|(article_type, names)| names.contains(&name.as_str()).then_some(*article_type))
}

fn directories(address: &str) -> impl Iterator<Item = &str> {
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let directories = path.rsplit_once('/').map_or("", |(directories, _)| directories);
    directories.split('/').skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Page;
    use crate::metadata::metadata_at;

    #[track_caller]
    fn check(html: &str, address: &str, expected: Option<ArticleType>) {
        assert_eq!(metadata_at(&Page::parse(html), address).article_type, expected, "{html} {address}");
    }

    fn typed(kind: &str) -> String {
        format!(r#"<script type="application/ld+json">{{"@type":"{kind}","headline":"H"}}</script>"#)
    }

    fn several(kinds: &str) -> String {
        format!(r#"<script type="application/ld+json">{{"@type":{kinds},"headline":"H"}}</script>"#)
    }

    #[test]
    fn types_that_pages_declare() {
        check(&typed("NewsArticle"), "https://a.vn/world/rain", Some(ArticleType::News));
        check(&typed("NewsArticle"), "https://a.vn/opinion/rain", Some(ArticleType::Opinion));
        check(&typed("LiveBlogPosting"), "https://a.vn/opinion/rain", Some(ArticleType::Live));
        check(&typed("AdvertiserContentArticle"), "", Some(ArticleType::Sponsored));
        check(
            "<meta property=article:section content='Góc nhìn'>",
            "https://a.vn/x",
            Some(ArticleType::Opinion),
        );
        check("<meta property=og:type content=video.other>", "https://a.vn/x", Some(ArticleType::Video));
        check("<title>x</title>", "https://a.vn/gallery/2026/rain", Some(ArticleType::Gallery));
        for kinds in [r#"["NewsArticle","LiveBlogPosting"]"#, r#"["LiveBlogPosting","NewsArticle"]"#] {
            check(&several(kinds), "", Some(ArticleType::Live));
        }
        check(&several(r#"["NewsArticle","OpinionNewsArticle"]"#), "", Some(ArticleType::Opinion));
        check(&several(r#"["Article","OpinionNewsArticle"]"#), "", Some(ArticleType::Opinion));
        check(&several(r#"["NewsArticle","AdvertiserContentArticle"]"#), "", Some(ArticleType::Sponsored));
        let nodes = format!("{}{}", typed("NewsArticle"), typed("LiveBlogPosting"));
        check(&nodes, "https://a.vn/x", Some(ArticleType::Live));
        let other = several(r#""LiveBlogPosting","url":"https://a.vn/other""#);
        check(&format!("{}{other}", typed("NewsArticle")), "https://a.vn/x", Some(ArticleType::News));
        check(&typed("VideoObject"), "https://a.vn/x", Some(ArticleType::Video));
        check(&format!("{}{}", typed("NewsArticle"), typed("VideoObject")), "", Some(ArticleType::News));
        for kind in ["ImageGallery", "MediaGallery"] {
            check(&typed(kind), "https://a.vn/x", Some(ArticleType::Gallery));
        }
        for (section, expected) in [
            ("Quan điểm", ArticleType::Opinion),
            ("Comment", ArticleType::Opinion),
            ("رأي", ArticleType::Opinion),
            ("社説", ArticleType::Opinion),
            ("Tin tài trợ", ArticleType::Sponsored),
        ] {
            let section = format!("<meta property=article:section content='{section}'>");
            check(&format!("{section}{}", typed("NewsArticle")), "", Some(expected));
        }
        check(&typed("NewsArticle"), "https://a.vn/truc-tiep/x", Some(ArticleType::Live));
        for address in ["https://a.vn/video", "https://video/x", "https://a.vn/videos-of-rain/x", ""] {
            check(&typed("Article"), address, None);
        }
    }
}
