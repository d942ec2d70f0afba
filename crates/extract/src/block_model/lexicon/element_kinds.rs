//! Determines the kinds of an element from the words in its class, id and similar attributes.
//!
//! Limitation: long words match anywhere in a name, so `authority` counts as `author`. Short words must match
//! a whole word of the name, so `shadow` does not count as `ad`.

use std::sync::LazyLock;

use gleaner_html::{NodeId, Page};

use super::super::hashing::{ByHash, hash_in_lower_case};
use super::super::memo::Memo;
use super::{Entry, Parts, names};

const KINDS: [Entry; KIND_COUNT] = [
    Entry {
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
        ],
        whole: &["thread", "ugc"],
    },
    Entry {
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
    Entry {
        name: "share",
        parts: &[
            "share", "sharing", "social", "facebook", "twitter", "addthis", "tweet", "follow", "whatsapp",
            "telegram", "print", "email", "e-mail", "bookmark", "toolbar", "toolbox", "utility", "plusone",
        ],
        whole: &["sns", "fb", "like", "tools", "actions", "tool"],
    },
    Entry {
        name: "navigation",
        parts: &["navi", "menu", "breadcrumb", "crumb", "pagination", "pager", "sitemap", "topbar", "skip-"],
        whole: &["nav", "tab", "tabs", "toc", "jump", "skip", "pages", "paging", "navbar"],
    },
    Entry {
        name: "foot",
        parts: &["foot", "copyright", "legal", "disclaimer", "colophon"],
        whole: &["bottom"],
    },
    Entry { name: "head", parts: &["masthead", "banner", "branding"], whole: &["header", "logo", "top"] },
    Entry {
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
    Entry {
        name: "advertisement",
        parts: &["advert", "sponsor", "commercial", "adsense", "quangcao", "doubleclick", "partner"],
        whole: &["ad", "ads", "adv", "advt", "dfp", "gpt", "qc", "paid", "promoted"],
    },
    Entry {
        name: "caption",
        parts: &[
            "caption", "credit", "photo", "image", "galler", "slide", "video", "figure", "media", "thumb",
            "picture", "player", "lightbox", "cutline",
        ],
        whole: &["img", "pic", "pics", "fig"],
    },
    Entry {
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
    Entry {
        name: "tag",
        parts: &["keyword", "topic", "categor", "taxonomy", "hashtag"],
        whole: &["tag", "tags", "label", "labels", "filed"],
    },
    Entry {
        name: "body",
        parts: &["body", "content", "article", "story", "entry", "paragraph", "prose", "noidung", "noi-dung"],
        whole: &["text", "post", "main", "detail", "details", "news", "rich", "copy", "hentry", "txt"],
    },
    Entry { name: "title", parts: &["title", "headline", "heading", "tieude"], whole: &["h1", "hl"] },
    Entry {
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
    Entry {
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
            "supporter",
            "membership",
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
    // Names that consent platforms use, and common names of dialogs that sites make themselves.
    Entry {
        name: "consent",
        parts: &[
            "onetrust",
            "optanon",
            "didomi",
            "usercentrics",
            "cookiebot",
            "cybot",
            "cookieconsent",
            "cookie-consent",
            "cookie-banner",
            "cookiebanner",
            "cookie-notice",
            "cookienotice",
            "cookie-law",
            "cookie-policy",
            "cmplz",
            "cookieyes",
            "iubenda",
            "osano",
            "truste-",
            "trustarc",
            "qc-cmp",
            "quantcast",
            "sp_message",
            "borlabs",
            "moove_gdpr",
            "moove-gdpr",
            "gdpr",
            "ccpa",
            "consent",
        ],
        whole: &["cookie", "cookies", "cky", "optout"],
    },
];

pub(in crate::block_model) const KIND_COUNT: usize = 16;

pub(in crate::block_model) const SIDE: u32 = 1 << 6;

pub(in crate::block_model) const CAPTION: u32 = 1 << 8;

pub(in crate::block_model) const BY_LINE: u32 = 1 << 9;

pub(in crate::block_model) const OFFER: u32 = 1 << 14;

pub(in crate::block_model) const CONSENT: u32 = 1 << 15;

/// Names of boxes about the author, and of boxes that ask for a subscription or a donation. Hyphens replace
/// underscores.
const BOXES: [&str; 24] = [
    "author-box",
    "authorbox",
    "author-bio",
    "authorbio",
    "author-desc",
    "author-profile",
    "author-card",
    "about-author",
    "about-the-author",
    "aboutauthor",
    "bio-box",
    "biobox",
    "supporter",
    "donation",
    "donate",
    "newsletter-sign",
    "newsletter-form",
    "newsletter-box",
    "newsletter-promo",
    "newsletter-cta",
    "subscribe-box",
    "subscription-box",
    "signup-box",
    "signup-form",
];

/// Names of boxes with facts beside the text. Hyphens replace underscores.
const FACT_BOXES: [&str; 4] = ["factbox", "fact-box", "infobox", "info-box"];

/// Names of captions and of credits of pictures. Hyphens replace underscores.
const CAPTIONS: [&str; 5] =
    ["image-caption", "photo-caption", "image-credit", "photo-credit", "picture-credit"];

/// Whether a class or id names a box about the author, or a box that asks for a subscription or a donation.
pub(in crate::block_model) fn names_box(names: &str) -> bool {
    contains_any(names, &BOXES)
}

/// Whether a class or id names a box with facts beside the text.
pub(in crate::block_model) fn names_fact_box(names: &str) -> bool {
    contains_any(names, &FACT_BOXES)
}

/// Whether a class or id names a caption or the credit of a picture.
pub(in crate::block_model) fn names_caption(names: &str) -> bool {
    contains_any(names, &CAPTIONS)
}

fn contains_any(names: &str, parts: &[&str]) -> bool {
    if names.is_empty() || names.len() > MAX_NAMES_LENGTH {
        return false;
    }
    let names = names.to_lowercase().replace('_', "-");
    parts.iter().any(|part| names.contains(part))
}

pub(in crate::block_model) const KIND_NAMES: [&str; KIND_COUNT] = names(&KINDS);

const MAX_NAMES_LENGTH: usize = 400;

#[derive(Debug, Default)]
pub(in crate::block_model) struct ElementKinds<'a>(Memo<'a, 1, u32>);

impl<'a> ElementKinds<'a> {
    /// Returns the kinds of an element as a bit set: bit `n` is `KIND_NAMES[n]`.
    pub(in crate::block_model) fn kinds_of(&mut self, page: &'a Page, element: NodeId) -> u32 {
        let (mut kinds, mut length) = (0, 0);
        for (name, value) in page.attributes(element) {
            if matches!(
                name,
                "class"
                    | "id"
                    | "role"
                    | "itemprop"
                    | "data-testid"
                    | "data-component"
                    | "data-module"
                    | "data-qa"
                    | "data-type"
                    | "data-role"
                    | "aria-label"
            ) && length < MAX_NAMES_LENGTH
            {
                let is_short = value.len() <= MAX_NAMES_LENGTH;
                let cut = || value.char_indices().nth(MAX_NAMES_LENGTH).map_or(value.len(), |(at, _)| at);
                let end = if is_short { value.len() } else { cut() };
                let names = &value[..end];
                kinds |= *self.0.get([names], || kinds_of_names(names));
                length += end + 1;
            }
        }
        kinds
    }
}

fn kinds_of_names(names: &str) -> u32 {
    static PARTS: LazyLock<Parts> = LazyLock::new(|| Parts::from_entries(&KINDS));
    static WHOLE: LazyLock<ByHash<u32>> = LazyLock::new(whole);
    let mut kinds = PARTS.find(names);
    each_word(names, |word| kinds |= WHOLE.get(&hash_in_lower_case(word)).copied().unwrap_or_default());
    kinds
}

fn whole() -> ByHash<u32> {
    let mut kinds = ByHash::default();
    for (at, kind) in KINDS.iter().enumerate() {
        for word in kind.whole {
            *kinds.entry(hash_in_lower_case(word)).or_default() |= 1 << at;
        }
    }
    kinds
}

/// Splits names into words, at capitals after lower-case letters and at characters that are neither letters nor
/// digits. A word that ends with digits is given with and without the digits: `relatedNews2` yields `related`, `News`
/// and `News2`.
fn each_word<'a>(names: &'a str, mut take: impl FnMut(&'a str)) {
    let mut take_with_bare = |word: &'a str| {
        let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
        if bare.len() < word.len() {
            take(bare);
        }
        take(word);
    };
    for part in names.split(|c: char| !c.is_alphanumeric()) {
        let (mut start, mut lower) = (0, false);
        for (at, c) in part.char_indices() {
            if lower && c.is_uppercase() {
                take_with_bare(&part[start..at]);
                start = at;
            }
            lower = c.is_lowercase();
        }
        take_with_bare(&part[start..]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::named;
    use super::*;

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
        let mut kinds = ElementKinds::default();
        let mut of = |tag| kinds.kinds_of(&page, page.elements(tag).next().unwrap());
        assert_eq!(named(of("div"), &KIND_NAMES), ["navigation"]);
        assert_eq!(of("p"), 0);
    }
}
