//! Converts whatlang's ISO 639-3 codes and declared language tags to BCP 47 primary tags.

use whatlang::Lang;

pub(super) fn tag(lang: Lang) -> &'static str {
    let code = lang.code();
    TWO_LETTERS.iter().find(|(three, _)| *three == code).map_or(code, |(_, two)| two)
}

/// Returns the primary tag of a declaration in lower case, such as `vi` for `vi-VN`. Returns `None` if the
/// tag does not have two or three letters, or if it means no language (`und`, `mul`, `zxx`).
pub(super) fn primary(declared: &str) -> Option<String> {
    let primary = declared.trim().split(['-', '_']).next()?.to_ascii_lowercase();
    let is_tag = (2..=3).contains(&primary.len()) && primary.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_tag && !["und", "mul", "zxx"].contains(&primary.as_str())).then_some(primary)
}

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

    #[test]
    fn every_language_of_the_detector_has_a_tag() {
        for lang in Lang::all() {
            assert!(TWO_LETTERS.iter().any(|(three, _)| *three == lang.code()), "{lang}");
            assert_eq!(tag(*lang).len(), 2, "{lang}");
        }
    }

    #[test]
    fn what_is_declared_is_cut_to_its_primary_tag() {
        let cases = [
            ("vi-VN", Some("vi")),
            (" EN_us", Some("en")),
            ("fil", Some("fil")),
            ("x-klingon", None),
            ("und", None),
            ("", None),
            ("Vietnamese", None),
            ("tiếng", None),
        ];
        for (declared, expected) in cases {
            assert_eq!(primary(declared).as_deref(), expected, "{declared}");
        }
    }
}
