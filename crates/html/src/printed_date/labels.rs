//! Recognizes labels for dates of publication and of the last change.

use std::sync::LazyLock;

use super::line::{MAX_LINE_LENGTH, years};
use crate::month_names::folded;

const CHANGED: [&str; 34] = [
    "updated",
    "update",
    "modified",
    "edited",
    "reviewed",
    "cap nhat",
    "ενημερωση",
    "ανανεωση",
    "aktualizac",
    "aktualizova",
    "zmodyfikowano",
    "обновлен",
    "изменен",
    "оновлен",
    "更新",
    "修改",
    "aktualisiert",
    "actualizado",
    "actualizac",
    "mis a jour",
    "mise a jour",
    "aggiornato",
    "geandert",
    "atualizado",
    "atualizac",
    "modifie",
    "bijgewerkt",
    "uppdatera",
    "oppdatert",
    "opdateret",
    "guncelle",
    "diperbarui",
    "수정",
    "업데이트",
];

const PUBLISHED: [&str; 50] = [
    "this entry was",
    "this post was",
    "dieser beitrag wurde",
    "dieser eintrag wurde",
    "published",
    "posted",
    "first",
    "created",
    "xuat ban",
    "dang luc",
    "ngay dang",
    "δημοσι",
    "opublikowan",
    "data publikac",
    "publikac",
    "data utworz",
    "utworz",
    "data dodania",
    "dodano",
    "опубликован",
    "опублiкован",
    "发布",
    "發布",
    "公開",
    "掲載",
    "配信",
    "veroffentlicht",
    "erstellt",
    "publie",
    "publicado",
    "pubblicato",
    "gepubliceerd",
    "publicat",
    "publicerad",
    "publisert",
    "publikova",
    "zverejn",
    "vydano",
    "written",
    "yayin",
    "giris",
    "diterbitkan",
    "기사입력",
    "입력",
    "등록",
    "승인",
    "발행",
    "게재",
    "작성",
    "เผยแพร่",
];

/// The labels, normalized by [`plain`].
static FOLDED: LazyLock<[Vec<String>; 2]> = LazyLock::new(|| {
    [&CHANGED[..], &PUBLISHED[..]].map(|labels| labels.iter().map(|it| plain(it)).collect())
});

fn plain(text: &str) -> String {
    folded(text).replace('đ', "d")
}

pub(super) fn split_parts(text: &str) -> Vec<&str> {
    if text.len() > MAX_LINE_LENGTH || years(text) != 2 {
        return vec![text];
    }
    // East Asian labels may follow other text without a space.
    let is_start =
        |at: usize, c: char| at > 0 && (c >= '\u{3040}' || !text[..at].ends_with(char::is_alphanumeric));
    let begins = |at: usize| {
        let rest = plain(&text[at..]);
        FOLDED.iter().flatten().any(|label| rest.starts_with(label.as_str()))
    };
    let starts = text.char_indices().filter(|(at, c)| is_start(*at, *c) && begins(*at)).map(|(at, _)| at);
    let mut parts = Vec::new();
    let mut from = 0;
    for at in starts.chain([text.len()]) {
        parts.push(&text[from..at]);
        from = at;
    }
    // A part without a year is the first word of a label: `Last | updated`.
    parts.retain(|part| years(part) > 0);
    parts
}

pub(crate) fn is_change(text: &str) -> bool {
    let text = plain(text);
    let first = |labels: &[String]| labels.iter().filter_map(|label| text.find(label.as_str())).min();
    first(&FOLDED[0]).is_some_and(|changed| first(&FOLDED[1]).is_none_or(|published| changed < published))
}

pub(crate) fn has_publication_label(text: &str) -> bool {
    let text = text.trim_start();
    let beginning = text.char_indices().nth(20).map_or(text, |(at, _)| &text[..at]);
    // Checking the first letter rejects most texts without folding them.
    let is_first = |c: char| !c.is_ascii() || b"pfcxndvegwouzyt".contains(&(c.to_ascii_lowercase() as u8));
    if !beginning.starts_with(is_first) {
        return false;
    }
    let beginning = plain(beginning);
    FOLDED[1].iter().any(|label| beginning.starts_with(label.as_str()))
}
