//! Month names in the languages of news, and the folding of words for comparison.
//!
//! Names are compared in lower case without accents, because Greek moves the accent between cases
//! (`Ιανουάριος`, `Ιανουαρίου`) and many pages drop it. The list has nominatives, genitives and the
//! usual abbreviations.
//!
//! Limitation: abbreviations that are English words are missing (`out` is October in Portuguese,
//! `set` September). A name for different months in different languages (`listopad`) has its
//! meaning in Polish, Czech and Ukrainian.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Names of the months from January on, without accents; each name occurs once.
const MONTHS: [&str; 12] = [
    "january jan januar janvier janv enero gennaio janeiro januari ocak ianuarie leden ledna styczen stycznia sty январь января янв сiчень сiчня ιανουαριος ιανουαριου ιαν",
    "february feb febr februar fevrier fevr febrero febbraio fevereiro februari subat februarie unor unora luty lutego lut февраль февраля фев февр лютии лютого φεβρουαριος φεβρουαριου φεβ",
    "march mar marz maerz mars marzo marco maart mart maret martie brezen brezna marzec marca март марта мар березень березня μαρτιος μαρτιου μαρ",
    "april apr avril avr abril abr aprile nisan aprilie duben dubna kwiecien kwietnia kwi апрель апреля апр квiтень квiтня απριλιος απριλιου απρ",
    "may mai mayo maggio maio mei mayis kveten kvetna maj maja маи мая травень травня μαιος μαιου μαι",
    "june jun juni juin junio giugno junho haziran iunie cerven cervna czerwiec czerwca cze июнь июня июн червень червня ιουνιος ιουνιου ιουν",
    "july jul juli juillet juil julio luglio julho temmuz iulie cervenec cervence lipiec lipca lip июль июля июл липень липня ιουλιος ιουλιου ιουλ",
    "august aug aout agosto ago augustus augusti agustus agu agustos srpen srpna sierpien sierpnia sie август августа авг серпень серпня αυγουστος αυγουστου αυγ",
    "september sep sept septembre septiembre settembre setembro eylul septembrie zari wrzesien wrzesnia wrz сентябрь сентября сен сент вересень вересня σεπτεμβριος σεπτεμβριου σεπ σεπτ",
    "october oct okt oktober octobre octubre ottobre outubro ekim octombrie rijen rijna pazdziernik pazdziernika paz октябрь октября окт жовтень жовтня οκτωβριος οκτωβριου οκτ",
    "november nov novembre noviembre novembro kasim noiembrie listopad listopadu listopada lis ноябрь ноября ноя нояб νοεμβριος νοεμβριου νοε",
    "december dec dez dezember decembre diciembre dicembre dezembro desember aralik decembrie prosinec prosince grudzien grudnia gru декабрь декабря дек грудень грудня δεκεμβριος δεκεμβριου δεκ",
];

/// Maximum length of a word that is looked up, in bytes.
const LONGEST: usize = 40;

static BY_NAME: LazyLock<HashMap<&'static str, i16>> = LazyLock::new(|| {
    let numbered = (1..).zip(MONTHS);
    numbered.flat_map(|(number, names)| names.split(' ').map(move |name| (name, number))).collect()
});

pub(crate) fn month(word: &str) -> Option<i16> {
    // Every name has at least three bytes. Most words on a page are rejected here or by the lookup.
    if !(3..=LONGEST).contains(&word.len()) {
        return None;
    }
    BY_NAME.get(folded(word).as_str()).copied()
}

/// Returns a word in lower case without accents; Ukrainian `і` and Turkish `ı` become Latin `i`.
pub(crate) fn folded(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let plain: String = word.to_lowercase().nfd().filter(|c| !is_combining_mark(*c)).collect();
    plain.replace(['і', 'ı'], "i")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_in_many_languages() {
        let cases = [
            ("November", 11),
            ("NOV", 11),
            ("Sept", 9),
            ("Νοεμβρίου", 11),
            ("ΙΑΝΟΥΑΡΙΟΣ", 1),
            ("Μαΐου", 5),
            ("października", 10),
            ("мая", 5),
            ("Май", 5),
            ("січня", 1),
            ("décembre", 12),
            ("März", 3),
            ("Mayıs", 5),
            ("července", 7),
        ];
        for (word, expected) in cases {
            assert_eq!(month(word), Some(expected), "{word}");
        }
        for word in ["", "mayor", "market", "out", "set", "年", &"a".repeat(10_000)] {
            assert_eq!(month(word), None, "{word}");
        }
    }

    #[test]
    fn no_name_stands_for_two_months() {
        let all: Vec<&str> = MONTHS.iter().flat_map(|names| names.split(' ')).collect();
        for (at, name) in all.iter().enumerate() {
            assert_eq!(folded(name), *name);
            assert!(!all[..at].contains(name), "{name}");
        }
    }
}
