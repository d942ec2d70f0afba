//! Determines the kind of a short line, such as a heading over comments, a credit, an offer or a by-line.
//!
//! Limitation: a phrase is found anywhere in the line, so a headline that contains `share` counts as an
//! offer. The training of the model determines how much this matters.

use std::sync::LazyLock;

use super::{Entry, Parts, names};

pub(in crate::block_model) const SAYING_COUNT: usize = 5;

pub(in crate::block_model) const COMMENTS: usize = 0;

pub(in crate::block_model) const RELATED: usize = 1;

const SAYINGS: [Entry; SAYING_COUNT] = [
    Entry {
        name: "comments",
        parts: &[
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
        whole: &[],
    },
    Entry {
        name: "related",
        parts: &[
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
        whole: &[],
    },
    Entry {
        name: "credit",
        parts: &[
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
        whole: &[],
    },
    Entry {
        name: "offer",
        parts: &[
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
        whole: &[],
    },
    Entry {
        name: "by-line",
        parts: &[
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
        whole: &[],
    },
];

pub(in crate::block_model) const SAYING_NAMES: [&str; SAYING_COUNT] = names(&SAYINGS);

/// The maximum length of a line that has a kind, in bytes.
const MAX_SAYING_LENGTH: usize = 160;

/// Returns the kinds of a line as a bit set: bit `n` is `SAYING_NAMES[n]`. The result is 0 for a long line.
pub(in crate::block_model) fn phrase_kind_bits(line: &str) -> u32 {
    if line.len() > MAX_SAYING_LENGTH {
        return 0;
    }
    static PARTS: LazyLock<Parts> = LazyLock::new(|| Parts::from_entries(&SAYINGS));
    PARTS.find(line)
}

#[cfg(test)]
mod tests {
    use super::super::named;
    use super::*;

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
            assert_eq!(named(phrase_kind_bits(line), &SAYING_NAMES), expected, "{line}");
        }
        assert_eq!(phrase_kind_bits(&"comments ".repeat(30)), 0);
    }
}
