//! Finds the name of a weekday. Today's date in a page header usually has a weekday. A weekday also shows the
//! order of day and month in a numeric date.

use jiff::civil::Weekday;

use crate::month_names::folded;

/// Folded weekday names by language, from Monday on.
const WEEKDAYS: [[&str; 7]; 17] = [
    ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
    ["δευτερα", "τριτη", "τεταρτη", "πεμπτη", "παρασκευη", "σαββατο", "κυριακη"],
    ["понедельник", "вторник", "среда", "четверг", "пятница", "суббота", "воскресенье"],
    ["понедiлок", "вiвторок", "середа", "четвер", "п'ятниця", "субота", "недiля"],
    ["poniedziałek", "wtorek", "sroda", "czwartek", "piatek", "sobota", "niedziela"],
    ["pondeli", "utery", "streda", "ctvrtek", "patek", "sobota", "nedele"],
    ["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"],
    ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"],
    ["lunedi", "martedi", "mercoledi", "giovedi", "venerdi", "sabato", "domenica"],
    ["lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo"],
    ["segunda", "terca", "quarta", "quinta", "sexta", "sabado", "domingo"],
    ["maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag"],
    ["pazartesi", "sali", "carsamba", "persembe", "cuma", "cumartesi", "pazar"],
    ["senin", "selasa", "rabu", "kamis", "jumat", "sabtu", "minggu"],
    ["mandag", "tirsdag", "onsdag", "torsdag", "fredag", "lordag", "sondag"],
    ["mandag", "tisdag", "onsdag", "torsdag", "fredag", "lordag", "sondag"],
];

/// Folded second words of the Vietnamese names from Monday on, and their numbers.
const VIETNAMESE: [[&str; 2]; 6] =
    [["hai", "2"], ["ba", "3"], ["tu", "4"], ["nam", "5"], ["sau", "6"], ["bay", "7"]];

/// Chinese, Japanese and Korean characters of the weekdays, from Monday on.
const CHINESE: &str = "一二三四五六日";
const JAPANESE: &str = "月火水木金土日";
const KOREAN: &str = "월화수목금토일";

pub(crate) fn has_weekday(text: &str) -> bool {
    weekday(text).is_some() || text.contains("星期") || {
        let text = folded(text);
        text.split(|c: char| !c.is_alphanumeric()).any(|word| word == "sonnabend" || word == "thu")
    }
}

/// Returns the first weekday in a text. `thu` means Thursday, unless the next word makes it a Vietnamese
/// weekday, such as `thu hai` for Monday.
pub(crate) fn weekday(text: &str) -> Option<Weekday> {
    let plain = folded(text);
    let words: Vec<&str> =
        plain.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    let at = (0..words.len()).find_map(|at| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        match words[at] {
            "chu" if next == "nhat" => Some(6),
            "thu" if VIETNAMESE.iter().any(|names| names.contains(&next)) => {
                VIETNAMESE.iter().position(|names| names.contains(&next))
            }
            word => WEEKDAYS.iter().find_map(|names| names.iter().position(|name| *name == word)),
        }
    });
    at.or_else(|| east_asian(text)).and_then(|at| Weekday::from_monday_zero_offset(at as i8).ok())
}

/// Parses `星期三`, `水曜`, `(水)`, `수요일` and `(수)`. Returns the number of days since Monday.
fn east_asian(text: &str) -> Option<usize> {
    if text.is_ascii() {
        return None;
    }
    let of = |letters: &str, c: char| letters.chars().position(|letter| letter == c);
    let behind = |word: &str| text.split_once(word).and_then(|(_, rest)| rest.chars().next());
    let before = |word: &str| text.split_once(word).and_then(|(rest, _)| rest.chars().next_back());
    let alone = text.split(['(', '（']).nth(1).and_then(|rest| {
        let mut rest = rest.chars();
        rest.next().filter(|_| matches!(rest.next(), Some(')' | '）')))
    });
    let chinese = ["星期", "礼拜", "禮拜", "周", "週"].iter().find_map(|word| of(CHINESE, behind(word)?));
    chinese
        .or_else(|| behind("星期").filter(|c| *c == '天').map(|_| 6))
        .or_else(|| of(JAPANESE, before("曜")?))
        .or_else(|| of(KOREAN, before("요일")?))
        .or_else(|| of(JAPANESE, alone?))
        .or_else(|| of(KOREAN, alone?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weekdays_in_many_languages() {
        let dates = [
            ("Fri, 20 Nov 2026", Weekday::Friday),
            ("Thu, 19 Nov 2026", Weekday::Thursday),
            ("Chủ nhật, 22/11/2026", Weekday::Sunday),
            ("Thứ Tư, 04/03/2026", Weekday::Wednesday),
            ("Thứ 6, 20/11/2026", Weekday::Friday),
            ("Παρασκευή 20 Νοεμβρίου 2026", Weekday::Friday),
            ("2026年11月20日 星期五", Weekday::Friday),
            ("2026年11月22日 星期天", Weekday::Sunday),
            ("2026年3月4日(水)", Weekday::Wednesday),
            ("2026年3月4日 水曜日", Weekday::Wednesday),
            ("2026.03.04. (수)", Weekday::Wednesday),
            ("2026년 3월 4일 수요일", Weekday::Wednesday),
            ("Freitag, 20. November 2026", Weekday::Friday),
            ("samedi 21 novembre 2026", Weekday::Saturday),
            ("Venerdì 20 novembre 2026", Weekday::Friday),
            ("Miércoles, 18 de noviembre de 2026", Weekday::Wednesday),
            ("4 Mart 2026 Çarşamba", Weekday::Wednesday),
        ];
        for (date, expected) in dates {
            assert_eq!(weekday(date), Some(expected), "{date}");
            assert!(has_weekday(date), "{date}");
        }
        assert!(!has_weekday("20. November 2026") && !has_weekday("20/11/2026"));
        assert_eq!(weekday("2026年3月4日"), None);
    }
}
