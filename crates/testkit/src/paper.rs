//! Defines the two papers: names, sections, addresses, and the path of each trap.
//!
//! The papers differ in every property on which a crawler must not rely: the form of article addresses,
//! pagination by path or by query, and the kind of feed. Date and author are in different parts of the page,
//! and the markup differs (`baolang.rs`, `village_post.rs`).

use crate::article::{Agency, Article, Published};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Vietnamese,
    English,
}

impl Language {
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::Vietnamese => "vi",
            Self::English => "en",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Paper {
    pub language: Language,
    /// The host name. The top-level domain `.example` is reserved (RFC 2606), so the host never exists.
    pub host: &'static str,
    pub front: &'static str,
    pub name: &'static str,
    pub sections: [Section; 4],
    pub feed: &'static str,
    pub odd: SpecialPages,
    pub agency: Agency,
    pub texts: &'static [(&'static str, &'static str)],
}

#[derive(Debug)]
pub(crate) struct Section {
    pub slug: &'static str,
    pub name: &'static str,
}

/// Paths of pages that are neither ordinary articles nor lists of articles.
#[derive(Debug)]
pub(crate) struct SpecialPages {
    /// A path that robots.txt disallows, although every page links to it.
    pub members: &'static str,
    /// A path that a prefix rule of robots.txt disallows. The pages link to this path with a query.
    pub search: &'static str,
    /// A path that returns 200 with a consent or login page instead of the article.
    pub wall: &'static str,
    pub wall_title: &'static str,
    /// A path that returns 404, although pages link to it.
    pub gone: &'static str,
    pub gone_title: &'static str,
    pub print: &'static str,
    /// A path that redirects to a host outside both papers.
    pub elsewhere: &'static str,
    /// The beginning of the paths of advertisements. These paths also redirect to a host outside both papers.
    pub ads: &'static str,
    /// A list whose links have a new session id in each response.
    pub classifieds: &'static str,
    pub calendar: &'static str,
    /// The path of a page with a relative link to itself. The link resolves to a longer path that repeats the
    /// last segment, such as `/about/about/`.
    pub about: &'static str,
    pub about_segment: &'static str,
    /// The beginning of article paths before the last redesign. The article's number follows.
    pub old: &'static str,
}

/// Both papers, in the order of [`crate::Newspaper::seeds`].
pub(crate) static PAPERS: [Paper; 2] = [BAO_LANG, VILLAGE_POST];

const BAO_LANG: Paper = Paper {
    language: Language::Vietnamese,
    host: "baolang.example",
    front: "http://baolang.example/",
    name: "Báo Làng",
    sections: [
        section("doi-song", "Đời sống"),
        section("nong-nghiep", "Nông nghiệp"),
        section("the-thao", "Thể thao"),
        section("van-hoa", "Văn hóa - Giáo dục"),
    ],
    feed: "/rss.xml",
    odd: SpecialPages {
        members: "/private/members",
        search: "/search",
        wall: "/doi-song/ban-tin-danh-rieng-cho-ban-doc-dong-hanh-4519001.html",
        wall_title: "Bản tin dành riêng cho bạn đọc đồng hành",
        gone: "/doi-song/thong-bao-da-go-4519002.html",
        gone_title: "Thông báo đã gỡ",
        print: "/so-bao/bao-lang-so-47.pdf",
        elsewhere: "/chuyen-tiep/doi-tac",
        ads: "/quang-cao/",
        classifieds: "/rao-vat",
        calendar: "/lich",
        about: "/gioi-thieu/",
        about_segment: "gioi-thieu/",
        old: "/tin/",
    },
    agency: Agency {
        slug: "tin-lien-xa",
        name: "Tin Liên Xã",
        tail: "Bản tin do hãng Tin Liên Xã gửi đi chiều nay; các báo bạn có thể đăng lại, miễn là giữ tên hãng.",
    },
    texts: crate::texts::VIETNAMESE,
};

const VILLAGE_POST: Paper = Paper {
    language: Language::English,
    host: "villagepost.example",
    front: "http://villagepost.example/",
    name: "The Village Post",
    sections: [
        section("village", "Village"),
        section("farms", "Farms and Market"),
        section("sport", "Sport"),
        section("culture", "School and Culture"),
    ],
    feed: "/atom.xml",
    odd: SpecialPages {
        members: "/private/members",
        search: "/search",
        wall: "/village/2026/11/19/letters-for-subscribers",
        wall_title: "Letters for subscribers",
        gone: "/village/2026/10/02/withdrawn-notice",
        gone_title: "Withdrawn notice",
        print: "/print/village-post-47.pdf",
        elsewhere: "/partners/elsewhere",
        ads: "/ads/",
        classifieds: "/classifieds",
        calendar: "/calendar",
        about: "/about/",
        about_segment: "about/",
        old: "/stories/",
    },
    agency: Agency {
        slug: "parish-wire",
        name: "Parish Wire",
        tail: "This report was sent out by Parish Wire this afternoon; other papers may print it under that name.",
    },
    texts: crate::texts::ENGLISH,
};

const fn section(slug: &'static str, name: &'static str) -> Section {
    Section { slug, name }
}

impl Paper {
    pub(crate) fn path(&self, article: &Article) -> String {
        self.path_of(&article.section, &article.slug, article.number, &article.published)
    }

    /// Returns the path of a second page with the same article, in another section and with another slug.
    pub(crate) fn twin(&self, article: &Article) -> String {
        let other = self.sections.iter().find(|s| s.slug != article.section);
        let section = other.map_or(self.sections[0].slug, |s| s.slug);
        let slug = match self.language {
            Language::Vietnamese => format!("doc-nhieu-{}", article.slug),
            Language::English => format!("again-{}", article.slug),
        };
        self.path_of(section, &slug, article.number + 5000, &article.published)
    }

    fn path_of(&self, section: &str, slug: &str, number: u32, published: &Published) -> String {
        match self.language {
            Language::Vietnamese => format!("/{section}/{slug}-{}.html", 4_512_000 + number),
            Language::English => {
                let day = published.local.strftime("%Y/%m/%d");
                format!("/{section}/{day}/{slug}")
            }
        }
    }

    /// Returns the path of one page of a section's list. Pages are numbered from 1.
    pub(crate) fn section_path(&self, slug: &str, page: usize) -> String {
        match (page, self.language) {
            (..=1, _) => format!("/{slug}"),
            (_, Language::Vietnamese) => format!("/{slug}/trang-{page}"),
            (_, Language::English) => format!("/{slug}?page={page}"),
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.host)
    }

    /// Returns the name of a section, or its slug if the section is unknown.
    pub(crate) fn section_name<'a>(&self, slug: &'a str) -> &'a str {
        let found = self.sections.iter().find(|s| s.slug == slug);
        found.map_or(slug, |s| s.name)
    }

    pub(crate) fn date(&self, published: &Published) -> String {
        let local = published.local;
        match self.language {
            Language::Vietnamese => {
                const DAYS: [&str; 7] = ["hai", "ba", "tư", "năm", "sáu", "bảy", "nhật"];
                let day = local.weekday().to_monday_zero_offset();
                let day = DAYS[usize::try_from(day).unwrap_or_default() % 7];
                let word = if day == "nhật" { "Chủ" } else { "Thứ" };
                format!("{word} {day}, {} (GMT+7)", local.strftime("%d/%m/%Y, %H:%M"))
            }
            Language::English => local.strftime("%A %-d %B %Y, %-I:%M %P").to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn article(date: &str) -> Article {
        let text = format!("title: T\nauthor: A\nsection: sport\ndate: {date}\ntags: t\ncaption: C\n\nLead.");
        Article::parse("07-new-bridge", &text).unwrap()
    }

    #[test]
    fn each_paper_has_its_own_addresses_and_dates() {
        let [vi, en] = &PAPERS;
        let friday = article("2026-11-20T09:30:00+07:00");
        assert_eq!(vi.path(&friday), "/sport/new-bridge-4512007.html");
        assert_eq!(vi.date(&friday.published), "Thứ sáu, 20/11/2026, 09:30 (GMT+7)");
        let sunday = article("2026-11-22T15:05:00+00:00");
        assert_eq!(vi.date(&sunday.published), "Chủ nhật, 22/11/2026, 15:05 (GMT+7)");
        assert_eq!(en.path(&sunday), "/sport/2026/11/22/new-bridge");
        assert_eq!(en.twin(&sunday), "/village/2026/11/22/again-new-bridge");
        assert_eq!(en.date(&sunday.published), "Sunday 22 November 2026, 3:05 pm");
        assert_eq!(en.section_path("sport", 2), "/sport?page=2");
        assert_eq!(vi.section_path("the-thao", 1), "/the-thao");
    }
}
