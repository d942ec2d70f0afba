//! What the names of elements and the words of short lines say in general.
//!
//! Names are class, id, role and itemprop; the words are those that web designers
//! use everywhere, never those of one site. Lines are matched in the languages of
//! the project and of its neighbours. Each list answers one question, and the
//! model learns what the answer is worth.
//!
//! The awkward truth: matching is by part of a name, so `shadow` holds `ad` only
//! because short words must stand alone, and `authority` is still an `author`.

use std::collections::HashMap;

use gleaner_html::{NodeId, Page};

/// A kind of element, by the words in its names.
struct Kind {
    name: &'static str,
    /// Long enough to be looked for anywhere in a name.
    parts: &'static [&'static str],
    /// Must be a whole part between hyphens, capitals, digits or spaces.
    whole: &'static [&'static str],
}

const KINDS: [Kind; KIND_COUNT] = [
    Kind {
        name: "comment",
        parts: &[
            "comment",
            "disqus",
            "discuss",
            "respond",
            "reply",
            "replies",
            "binhluan",
            "binh-luan",
            "ykien",
            "talkback",
            "forum",
            "livefyre",
            "kommentar",
            "komentar",
            "feedback",
            "reader-comment",
        ],
        whole: &["thread", "ugc"],
    },
    Kind {
        name: "related",
        parts: &[
            "relat",
            "recommend",
            "similar",
            "suggest",
            "lienquan",
            "lien-quan",
            "tinkhac",
            "tin-khac",
            "popular",
            "trend",
            "latest",
            "outbrain",
            "taboola",
            "teaser",
            "promo",
            "carousel",
            "archive",
            "headlines",
            "readmore",
            "read-more",
            "morefrom",
            "more-from",
            "morenews",
            "more-news",
            "morestor",
            "more-stor",
            "readnext",
            "read-next",
            "topstor",
            "top-stor",
            "mostread",
            "most-",
            "seealso",
            "see-also",
            "xemthem",
            "doc-them",
        ],
        whole: &[
            "also", "newer", "older", "prev", "previous", "next", "must", "rank", "ranking", "more", "most",
        ],
    },
    Kind {
        name: "share",
        parts: &[
            "share", "sharing", "social", "facebook", "twitter", "addthis", "tweet", "follow", "whatsapp",
            "telegram", "print", "email", "e-mail", "bookmark", "toolbar", "toolbox", "utility", "plusone",
        ],
        whole: &["sns", "fb", "like", "tools", "actions", "tool"],
    },
    Kind {
        name: "navigation",
        parts: &["navi", "menu", "breadcrumb", "crumb", "pagination", "pager", "sitemap", "topbar", "skip-"],
        whole: &["nav", "tab", "tabs", "toc", "jump", "skip", "pages", "paging", "navbar"],
    },
    Kind {
        name: "foot",
        parts: &["foot", "copyright", "legal", "disclaimer", "colophon"],
        whole: &["bottom"],
    },
    Kind { name: "head", parts: &["masthead", "banner", "branding"], whole: &["header", "logo", "top"] },
    Kind {
        name: "side",
        parts: &[
            "sidebar",
            "aside",
            "widget",
            "rightcol",
            "right-col",
            "leftcol",
            "left-col",
            "col-right",
            "col-left",
            "secondary",
            "module",
            "gadget",
        ],
        whole: &[
            "side", "rail", "box", "panel", "extra", "right", "left", "inset", "insert", "factbox", "infobox",
        ],
    },
    Kind {
        name: "advertisement",
        parts: &["advert", "sponsor", "commercial", "adsense", "quangcao", "doubleclick", "partner"],
        whole: &["ad", "ads", "adv", "advt", "dfp", "gpt", "qc", "paid", "promoted"],
    },
    Kind {
        name: "caption",
        parts: &[
            "caption", "credit", "photo", "image", "galler", "slide", "video", "figure", "media", "thumb",
            "picture", "player", "lightbox", "cutline",
        ],
        whole: &["img", "pic", "pics", "fig"],
    },
    Kind {
        name: "by-line",
        parts: &[
            "byline",
            "author",
            "writer",
            "dateline",
            "publish",
            "posted",
            "timestamp",
            "contributor",
            "signature",
            "reporter",
            "tacgia",
            "tac-gia",
        ],
        whole: &["date", "time", "meta", "info", "source", "bio", "by", "nguon", "ngay", "updated"],
    },
    Kind {
        name: "tag",
        parts: &["keyword", "topic", "categor", "taxonomy", "hashtag"],
        whole: &["tag", "tags", "label", "labels", "filed"],
    },
    Kind {
        name: "body",
        parts: &["body", "content", "article", "story", "entry", "paragraph", "prose", "noidung", "noi-dung"],
        whole: &["text", "post", "main", "detail", "details", "news", "rich", "copy", "hentry", "txt"],
    },
    Kind { name: "title", parts: &["title", "headline", "heading", "tieude"], whole: &["h1", "hl"] },
    Kind {
        name: "lead",
        parts: &[
            "intro",
            "summary",
            "standfirst",
            "abstract",
            "excerpt",
            "subhead",
            "subtitle",
            "sub-title",
            "kicker",
            "description",
            "chapo",
            "deckhead",
        ],
        whole: &["lead", "lede", "sapo", "deck", "dek", "strap", "lad", "first"],
    },
    Kind {
        name: "offer",
        parts: &[
            "newsletter",
            "subscri",
            "signup",
            "sign-up",
            "login",
            "register",
            "cookie",
            "consent",
            "paywall",
            "premium",
            "donat",
            "popup",
            "modal",
            "overlay",
            "notice",
            "search",
            "gdpr",
            "dialog",
            "tooltip",
        ],
        whole: &["alert", "message", "form", "rules", "hidden"],
    },
];

/// Number of kinds of element.
pub(super) const KIND_COUNT: usize = 15;

/// The names of the kinds, in the order of the bits that [`kinds`] sets.
pub(super) const KIND_NAMES: [&str; KIND_COUNT] = {
    let mut names = [""; KIND_COUNT];
    let mut at = 0;
    while at < KIND_COUNT {
        names[at] = KINDS[at].name;
        at += 1;
    }
    names
};

/// Characters of an element's names that are looked at.
const LONGEST_NAMES: usize = 400;

/// Kinds of elements by their names, each name looked at once.
#[derive(Debug, Default)]
pub(super) struct Kinds(HashMap<String, u32>);

impl Kinds {
    /// The kinds of an element by its class, id, role and itemprop: bit `n` for the
    /// `n`th of [`KIND_NAMES`].
    pub(super) fn of(&mut self, page: &Page, element: NodeId) -> u32 {
        let mut names = String::new();
        for (name, value) in page.attributes(element) {
            if matches!(name, "class" | "id" | "role" | "itemprop") && names.len() < LONGEST_NAMES {
                names.extend(value.chars().take(LONGEST_NAMES));
                names.push(' ');
            }
        }
        if names.trim().is_empty() {
            return 0;
        }
        if let Some(kinds) = self.0.get(&names) {
            return *kinds;
        }
        let kinds = kinds_of_names(&names);
        self.0.insert(names, kinds);
        kinds
    }
}

fn kinds_of_names(names: &str) -> u32 {
    let lower = names.to_lowercase();
    let whole: Vec<String> = name_words(names);
    let is = |kind: &Kind| {
        kind.parts.iter().any(|part| lower.contains(part))
            || whole.iter().any(|word| kind.whole.contains(&word.as_str()))
    };
    (0..).zip(&KINDS).filter(|(_, kind)| is(kind)).fold(0, |bits, (at, _)| bits | 1 << at)
}

/// Names cut at capitals and at everything that is no letter: `relatedNews-2`
/// gives `related` and `news`; `h1` stays.
fn name_words(names: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in names.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        let mut lower = false;
        for c in part.chars() {
            if c.is_uppercase() && lower {
                words.push(std::mem::take(&mut word));
            }
            lower = c.is_lowercase();
            word.extend(c.to_lowercase());
        }
        let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
        if !bare.is_empty() && bare.len() < word.len() {
            words.push(bare.to_owned());
        }
        words.push(word);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What a short line says, by the words at its beginning or in it.
struct Saying {
    name: &'static str,
    phrases: &'static [&'static str],
}

/// Number of sayings.
pub(super) const SAYING_COUNT: usize = 5;

/// Which saying opens a list of readers' comments.
pub(super) const COMMENTS: usize = 0;

/// Which saying opens a list of other stories.
pub(super) const RELATED: usize = 1;

const SAYINGS: [Saying; SAYING_COUNT] = [
    Saying {
        name: "comments",
        phrases: &[
            "comment",
            "have your say",
            "replies",
            "leave a reply",
            "bình luận",
            "ý kiến",
            "phản hồi",
            "комментар",
            "отзыв",
            "обсужд",
            "komentarz",
            "komentář",
            "σχόλι",
            "评论",
            "評論",
            "留言",
            "回應",
            "跟帖",
            "网友",
            "kommentar",
            "commentaire",
            "comentario",
            "comentário",
            "commenti",
            "댓글",
            "コメント",
            "reacties",
            "yorum",
        ],
    },
    Saying {
        name: "related",
        phrases: &[
            "related",
            "read more",
            "more on ",
            "more from",
            "see also",
            "recommended",
            "most read",
            "most popular",
            "trending",
            "you may also",
            "you might also",
            "more stories",
            "also on",
            "read next",
            "top stories",
            "latest news",
            "tin liên quan",
            "xem thêm",
            "đọc thêm",
            "tin khác",
            "cùng chuyên mục",
            "bài viết khác",
            "tin mới",
            "đọc nhiều",
            "читайте также",
            "по теме",
            "смотрите также",
            "другие новости",
            "материалы по теме",
            "czytaj też",
            "czytaj także",
            "czytaj więcej",
            "zobacz też",
            "zobacz także",
            "zobacz również",
            "powiązane",
            "podobne",
            "διαβάστε",
            "δείτε επίσης",
            "σχετικά",
            "相关",
            "相關",
            "推荐",
            "推薦",
            "延伸",
            "更多",
            "热门",
            "熱門",
            "mehr zum thema",
            "lesen sie auch",
            "lire aussi",
            "à lire",
            "ver también",
            "lea también",
            "te puede interesar",
            "leia também",
            "leia mais",
            "leggi anche",
            "lees ook",
            "関連",
            "관련기사",
            "ilgili",
        ],
    },
    Saying {
        name: "credit",
        phrases: &[
            "photo",
            "image",
            "picture",
            "credit",
            "illustration",
            "video",
            "getty",
            "ảnh",
            "фото",
            "zdjęci",
            "fot.",
            "foto",
            "φωτο",
            "图",
            "圖",
            "摄",
            "攝",
            "写真",
            "사진",
        ],
    },
    Saying {
        name: "offer",
        phrases: &[
            "subscribe",
            "sign up",
            "sign in",
            "newsletter",
            "log in",
            "register",
            "follow us",
            "follow me",
            "share",
            "download",
            "click here",
            "copyright",
            "all rights reserved",
            "terms",
            "privacy",
            "cookie",
            "advertis",
            "đăng ký",
            "đăng nhập",
            "chia sẻ",
            "bản quyền",
            "quảng cáo",
            "подпис",
            "войти",
            "реклам",
            "копирован",
            "zapisz",
            "zaloguj",
            "reklama",
            "udostępnij",
            "εγγραφ",
            "διαφήμισ",
            "订阅",
            "訂閱",
            "登录",
            "登入",
            "广告",
            "廣告",
            "免责",
            "版权",
            "版權",
            "abonnieren",
            "anzeige",
            "s'abonner",
            "publicité",
            "suscríbe",
            "publicidad",
        ],
    },
    Saying {
        name: "by-line",
        phrases: &[
            "by ",
            "published",
            "updated",
            "posted",
            "last modified",
            "source:",
            "reporting by",
            "editing by",
            "written by",
            "contact ",
            "follow ",
            "nguồn",
            "theo ",
            "tác giả",
            "cập nhật",
            "автор",
            "источник",
            "опубликован",
            "autor",
            "źródło",
            "πηγή",
            "του ",
            "来源",
            "來源",
            "记者",
            "記者",
            "责任编辑",
            "編輯",
            "编辑",
            "von ",
            "par ",
        ],
    },
];

/// The names of the sayings, in the order of the bits that [`sayings`] sets.
pub(super) const SAYING_NAMES: [&str; SAYING_COUNT] = {
    let mut names = [""; SAYING_COUNT];
    let mut at = 0;
    while at < SAYING_COUNT {
        names[at] = SAYINGS[at].name;
        at += 1;
    }
    names
};

/// Bytes of a line within which it may be a heading or a note.
const LONGEST_SAYING: usize = 160;

/// What a short line says: bit `n` for the `n`th of [`SAYING_NAMES`]; nothing for a
/// long one.
pub(super) fn sayings(line: &str) -> u32 {
    if line.len() > LONGEST_SAYING {
        return 0;
    }
    let lower = line.to_lowercase();
    let says = |saying: &Saying| saying.phrases.iter().any(|phrase| lower.contains(phrase));
    (0..).zip(&SAYINGS).filter(|(_, saying)| says(saying)).fold(0, |bits, (at, _)| bits | 1 << at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(bits: u32, names: &[&'static str]) -> Vec<&'static str> {
        (0..).zip(names).filter(|(at, _)| bits >> at & 1 == 1).map(|(_, name)| *name).collect()
    }

    #[test]
    fn elements_are_known_by_their_names() {
        let cases: [(&str, &[&str]); 7] = [
            ("shadow", &[]),
            ("commentList", &["comment"]),
            ("ad-slot", &["advertisement"]),
            ("relatedNews2", &["related", "body"]),
            ("articleBody", &["body"]),
            ("photo_caption", &["caption"]),
            ("h1", &["title"]),
        ];
        for (names, expected) in cases {
            assert_eq!(named(kinds_of_names(names), &KIND_NAMES), expected, "{names}");
        }
        let page = Page::parse("<div role=navigation></div><p>");
        let mut kinds = Kinds::default();
        let mut of = |tag| kinds.of(&page, page.elements(tag).next().unwrap());
        assert_eq!(named(of("div"), &KIND_NAMES), ["navigation"]);
        assert_eq!(of("p"), 0);
    }

    #[test]
    fn short_lines_say_what_follows() {
        let cases: [(&str, &[&str]); 6] = [
            ("Comments (12)", &["comments"]),
            ("Tin liên quan", &["related"]),
            ("Ảnh: Hoàng Long", &["credit"]),
            ("Читайте также:", &["related"]),
            ("责任编辑：王", &["by-line"]),
            ("The council met on Monday.", &[]),
        ];
        for (line, expected) in cases {
            assert_eq!(named(sayings(line), &SAYING_NAMES), expected, "{line}");
        }
        assert_eq!(sayings(&"comments ".repeat(30)), 0);
    }
}
