//! The language of a text.
//!
//! The text decides where the detector is sure; else what the page declares; else
//! the detector's guess on a text of some length. Pages copy templates, so a
//! declared language is often wrong, and a short text is easily misread.

use whatlang::{Lang, detect};

/// Characters below which a guess that is not reliable is not used.
const SHORT: usize = 200;

/// The language of `text` as a BCP 47 primary tag; `declared` is what the page
/// says, such as `vi-VN`. `und` where nothing tells.
#[must_use]
pub fn language(text: &str, declared: Option<&str>) -> String {
    let guess = detect(text);
    if let Some(sure) = guess.as_ref().filter(|guess| guess.is_reliable()) {
        return tag(sure.lang());
    }
    let declared = declared.and_then(|d| d.split(['-', '_']).next()).map(str::to_ascii_lowercase);
    if let Some(primary) =
        declared.filter(|d| (2..=3).contains(&d.len()) && d.bytes().all(|b| b.is_ascii_lowercase()))
    {
        return primary;
    }
    match guess {
        Some(guess) if text.chars().count() >= SHORT => tag(guess.lang()),
        _ => "und".into(),
    }
}

/// ISO 639-1 where there is a code of two letters, else ISO 639-3.
fn tag(lang: Lang) -> String {
    let code = lang.code();
    TWO_LETTERS.iter().find(|(three, _)| *three == code).map_or(code, |(_, two)| two).into()
}

/// ISO 639-3 to 639-1 for the languages that whatlang knows.
const TWO_LETTERS: [(&str, &str); 70] = [
    ("epo", "eo"),
    ("eng", "en"),
    ("rus", "ru"),
    ("cmn", "zh"),
    ("spa", "es"),
    ("por", "pt"),
    ("ita", "it"),
    ("ben", "bn"),
    ("fra", "fr"),
    ("deu", "de"),
    ("ukr", "uk"),
    ("kat", "ka"),
    ("ara", "ar"),
    ("hin", "hi"),
    ("jpn", "ja"),
    ("heb", "he"),
    ("yid", "yi"),
    ("pol", "pl"),
    ("amh", "am"),
    ("jav", "jv"),
    ("kor", "ko"),
    ("nob", "nb"),
    ("dan", "da"),
    ("swe", "sv"),
    ("fin", "fi"),
    ("tur", "tr"),
    ("nld", "nl"),
    ("hun", "hu"),
    ("ces", "cs"),
    ("ell", "el"),
    ("bul", "bg"),
    ("bel", "be"),
    ("mar", "mr"),
    ("kan", "kn"),
    ("ron", "ro"),
    ("slv", "sl"),
    ("hrv", "hr"),
    ("srp", "sr"),
    ("mkd", "mk"),
    ("lit", "lt"),
    ("lav", "lv"),
    ("est", "et"),
    ("tam", "ta"),
    ("vie", "vi"),
    ("urd", "ur"),
    ("tha", "th"),
    ("guj", "gu"),
    ("uzb", "uz"),
    ("pan", "pa"),
    ("aze", "az"),
    ("ind", "id"),
    ("tel", "te"),
    ("pes", "fa"),
    ("mal", "ml"),
    ("ori", "or"),
    ("mya", "my"),
    ("nep", "ne"),
    ("sin", "si"),
    ("khm", "km"),
    ("tuk", "tk"),
    ("aka", "ak"),
    ("zul", "zu"),
    ("sna", "sn"),
    ("afr", "af"),
    ("lat", "la"),
    ("slk", "sk"),
    ("cat", "ca"),
    ("tgl", "tl"),
    ("hye", "hy"),
    ("cym", "cy"),
];

#[cfg(test)]
mod tests {
    use super::*;

    const VI: &str = "Sáng nay, chợ quê họp sớm hơn thường lệ vì bà con muốn bán hết rau trước khi trời mưa. Người mua đến từ các xã bên cạnh, ai cũng mang theo giỏ tre.";
    const EN: &str = "The market opened earlier than usual this morning because the growers wanted to sell their vegetables before the rain came.";

    #[test]
    fn the_text_decides_where_it_is_clear() {
        assert_eq!(language(VI, Some("en")), "vi");
        assert_eq!(language(EN, Some("vi-VN")), "en");
        assert_eq!(
            language(
                "Οι παραγωγοί ήθελαν να πουλήσουν τα λαχανικά τους πριν αρχίσει η βροχή στο χωριό.",
                None
            ),
            "el"
        );
    }

    #[test]
    fn the_page_decides_where_the_text_does_not() {
        assert_eq!(language("2026", Some("vi_VN")), "vi");
        assert_eq!(language("", Some("x-klingon")), "und");
        assert_eq!(language("", None), "und");
    }

    #[test]
    fn every_language_of_the_detector_has_a_tag() {
        for lang in Lang::all() {
            let known = TWO_LETTERS.iter().any(|(three, _)| *three == lang.code());
            assert!(known || lang.code().len() == 3, "{lang}");
            assert!(known, "{} has no two letters in the table", lang.code());
        }
    }
}
