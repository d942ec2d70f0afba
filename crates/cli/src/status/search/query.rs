//! Parses what a user searches for. The command line and the status page use the same syntax.
//!
//! | part | meaning |
//! |---|---|
//! | `hòa bình` | both words, anywhere in the title or text |
//! | `"hòa bình"` | these words next to each other |
//! | `mưa OR lũ` | one of the two. `OR` binds closer than a space |
//! | `phát*` | all words that begin with `phát` |
//! | `-bão` | no document with this word |
//! | `host:a.example` | only this host and its subdomains; `-host:` leaves it out |
//! | `language:vi` | only this language; `-language:` leaves it out |
//! | `from:2026-11`, `to:2026` | only days from the beginning or up to the end of a year, month or day |
//!
//! Other punctuation separates words. Parts of one word, as in `covid-19`, must be next to each other. What has no
//! meaning is refused with a message that says what to write instead.

use std::str::FromStr;

use gleaner_corpus::query::period;
use gleaner_crawl::render::language::Bilingual;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::words::{is_too_long, key, without_diacritics, words};

/// Maximum number of words in a search.
const MAX_WORDS: usize = 32;

/// Minimum number of letters before `*`.
const MIN_PREFIX: usize = 2;

const FIELDS: &str = "host, language, from, to";

/// Signs that have a meaning in other search programs, but not here.
const UNKNOWN_SIGNS: [char; 13] = ['(', ')', '[', ']', '{', '}', '|', '~', '^', '=', '<', '>', '\\'];

/// A search. A document matches if all conditions hold. Empty fields are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SearchQuery {
    /// Of each list, one phrase must occur.
    pub(crate) phrases: Vec<Vec<Phrase>>,
    /// Phrases that must not occur.
    pub(crate) excluded: Vec<Phrase>,
    /// Hosts, or domains that also select their subdomains. One must match.
    pub(crate) hosts: Vec<String>,
    pub(crate) excluded_hosts: Vec<String>,
    /// One must match.
    pub(crate) languages: Vec<String>,
    pub(crate) excluded_languages: Vec<String>,
    pub(crate) from: Option<Date>,
    pub(crate) to: Option<Date>,
}

/// Adjacent words, or a single word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Phrase(pub(crate) Vec<WordPattern>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WordPattern {
    /// The key of the word, or of its beginning.
    pub(crate) key: String,
    /// Whether the word only has to begin with the key.
    pub(crate) is_prefix: bool,
}

impl SearchQuery {
    /// Returns the query without its words. Its documents are those among which the words are searched.
    pub(crate) fn without_words(&self) -> Self {
        Self { phrases: Vec::new(), excluded: Vec::new(), ..self.clone() }
    }

    /// Adds a condition, such as `host` with `a.example`. An empty value adds nothing.
    pub(crate) fn add(&mut self, field: &str, value: &str, is_excluded: bool) -> Result<(), Bilingual> {
        let value = value.trim().to_lowercase();
        match (field, is_excluded) {
            _ if value.is_empty() => {}
            ("host", false) => self.hosts.push(value),
            ("host", true) => self.excluded_hosts.push(value),
            ("language", false) => self.languages.push(value),
            ("language", true) => self.excluded_languages.push(value),
            ("from" | "to", true) => return Err(excluded_time(field)),
            ("from", false) => set(&mut self.from, field, days(&value)?.0)?,
            ("to", false) => set(&mut self.to, field, days(&value)?.1)?,
            _ => return Err(unknown_field(field, &value)),
        }
        match self.from.zip(self.to) {
            Some((from, to)) if from > to => Err(Bilingual::new(
                format!("“from” ({from}) is after “to” ({to})"),
                format!("ngày bắt đầu ({from}) muộn hơn ngày kết thúc ({to})"),
            )),
            _ => Ok(()),
        }
    }
}

fn set(day: &mut Option<Date>, field: &str, value: Date) -> Result<(), Bilingual> {
    match day.replace(value) {
        None => Ok(()),
        Some(_) => Err(Bilingual::new(
            format!("“{field}” is given twice; write it once"),
            format!("“{field}” được ghi hai lần; chỉ ghi một lần"),
        )),
    }
}

/// Returns the first and the last day of a day, a month (`2026-11`) or a year (`2026`), or the day before today by an
/// age (`7d`).
pub(crate) fn days(text: &str) -> Result<(Date, Date), Bilingual> {
    let of_age = || {
        let (begin, end) = period(text).ok().filter(|(begin, end)| begin == end)?;
        let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).date();
        Some((day(begin), day(end)))
    };
    gleaner_corpus::query::days(text).or_else(of_age).ok_or_else(|| {
        Bilingual::new(
            format!("“{text}” is not a day; write 2026-11-22, 2026-11, 2026 or, for days before today, 7d"),
            format!(
                "“{text}” không phải là ngày; hãy viết 2026-11-22, 2026-11, 2026 hoặc 7d (bảy ngày trước)"
            ),
        )
    })
}

impl FromStr for SearchQuery {
    type Err = Bilingual;

    fn from_str(text: &str) -> Result<Self, Bilingual> {
        let text = text.replace(['“', '”', '„'], "\"");
        let mut query = Self::default();
        let mut rest = text.trim();
        // Whether the last part was a phrase, and whether `OR` follows it.
        let (mut follows_phrase, mut is_joined) = (false, false);
        while !rest.is_empty() {
            let (part, end) = next_part(rest)?;
            rest = end.trim_start();
            if part == Part::Or {
                if !follows_phrase || is_joined {
                    return Err(misplaced_or());
                }
                is_joined = true;
                continue;
            }
            let was_joined = std::mem::take(&mut is_joined);
            let is_phrase = matches!(part, Part::Phrase { is_excluded: false, .. });
            if was_joined && !is_phrase {
                return Err(misplaced_or());
            }
            follows_phrase = is_phrase;
            match part {
                Part::Phrase { phrase, is_excluded: true } => query.excluded.push(phrase),
                Part::Phrase { phrase, .. } if was_joined => {
                    query.phrases.last_mut().expect("OR follows a phrase").push(phrase);
                }
                Part::Phrase { phrase, .. } => query.phrases.push(vec![phrase]),
                Part::Field { name, value, is_excluded } => query.add(name, value, is_excluded)?,
                Part::Or => {}
            }
        }
        if is_joined {
            return Err(misplaced_or());
        }
        let all = query.phrases.iter().flatten().chain(&query.excluded);
        if all.map(|phrase| phrase.0.len()).sum::<usize>() > MAX_WORDS {
            return Err(Bilingual::new(
                format!("a search has at most {MAX_WORDS} words; search for a shorter phrase"),
                format!("mỗi lần tìm tối đa {MAX_WORDS} từ; hãy tìm cụm từ ngắn hơn"),
            ));
        }
        Ok(query)
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Part<'a> {
    Or,
    Phrase { phrase: Phrase, is_excluded: bool },
    Field { name: &'a str, value: &'a str, is_excluded: bool },
}

/// Reads the first part of a text that does not begin with a space. Returns it with the rest of the text.
fn next_part(text: &str) -> Result<(Part<'_>, &str), Bilingual> {
    let (is_excluded, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    if is_excluded && (text.is_empty() || text.starts_with(char::is_whitespace)) {
        return Err(Bilingual::new(
            "“-” stands directly before the word to leave out, as in -rain; for a dash in a phrase, use quotation marks",
            "“-” phải đứng liền trước từ cần loại, như -mưa; nếu là gạch nối trong cụm từ, hãy dùng ngoặc kép",
        ));
    }
    if is_excluded && text.starts_with('-') {
        return Err(Bilingual::new(
            "“--” has no meaning in a search; write options before the query, and -word to leave out a word",
            "“--” không có nghĩa khi tìm; hãy viết -từ để loại một từ",
        ));
    }
    if text.starts_with('"') {
        let (quoted, rest) = quotation(text)?;
        return Ok((Part::Phrase { phrase: phrase(quoted)?, is_excluded }, rest));
    }
    let end = text.find(|c: char| c.is_whitespace() || c == '"').unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    let field = word.split_once(':').filter(|(name, _)| is_name(name));
    if let Some((name, value)) = field {
        if value.is_empty() && rest.starts_with('"') {
            let (value, rest) = quotation(rest)?;
            return Ok((Part::Field { name, value, is_excluded }, rest));
        }
        if !value.is_empty() || FIELDS.split(", ").any(|known| known == name) {
            return Ok((Part::Field { name, value: some_value(name, value)?, is_excluded }, rest));
        }
    }
    if word == "OR" && !is_excluded {
        return Ok((Part::Or, rest));
    }
    check_word(word)?;
    Ok((Part::Phrase { phrase: phrase(word)?, is_excluded }, rest))
}

/// Refuses words and signs that have a meaning in other search programs.
fn check_word(word: &str) -> Result<(), Bilingual> {
    match word {
        "AND" => Err(Bilingual::new(
            "omit AND: all words must occur anyway; for the word itself, write it in lower case",
            "hãy bỏ AND: mọi từ đều phải có; nếu tìm chính từ này, hãy viết chữ thường",
        )),
        "NOT" => Err(Bilingual::new(
            "write -word instead of NOT word; for the word itself, write it in lower case",
            "hãy viết -từ thay cho NOT từ; nếu tìm chính từ này, hãy viết chữ thường",
        )),
        _ if word.trim_end_matches('?').contains('?') => Err(Bilingual::new(
            "“?” does not stand for a letter; write the beginning of the word and *, as in rai*",
            "“?” không thay cho một chữ; hãy viết phần đầu của từ rồi *, như phát*",
        )),
        _ => word.chars().find(|c| UNKNOWN_SIGNS.contains(c)).map_or(Ok(()), |sign| Err(unknown_sign(sign))),
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(char::is_alphabetic)
}

fn some_value<'a>(name: &str, value: &'a str) -> Result<&'a str, Bilingual> {
    if !value.is_empty() {
        return Ok(value);
    }
    Err(Bilingual::new(
        format!("“{name}:” has no value; write it without a space, as in host:paper.example"),
        format!("“{name}:” chưa có giá trị; hãy viết liền, như host:paper.example"),
    ))
}

/// Returns the text between the quotation mark with which `text` begins and the next one, and the rest.
fn quotation(text: &str) -> Result<(&str, &str), Bilingual> {
    text[1..].split_once('"').ok_or_else(|| {
        Bilingual::new(
            format!("a quotation mark is missing at the end of {text}"),
            format!("thiếu dấu ngoặc kép ở cuối {text}"),
        )
    })
}

/// Splits a text into words that must be next to each other.
fn phrase(text: &str) -> Result<Phrase, Bilingual> {
    let mut patterns = Vec::new();
    for part in text.split_whitespace() {
        let stem = part.strip_suffix('*').unwrap_or(part);
        let is_prefix = stem.len() < part.len();
        let found: Vec<&str> = words(stem).map(|range| &stem[range]).collect();
        if stem.contains('*') || (is_prefix && !found.last().is_some_and(|last| stem.ends_with(last))) {
            return Err(misplaced_asterisk());
        }
        if is_too_long(stem) {
            return Err(Bilingual::new(
                "a word is too long to be searched for",
                "có từ quá dài, không tìm được",
            ));
        }
        patterns.extend(found.iter().map(|word| WordPattern { key: key(word), is_prefix: false }));
        if let Some(last) = patterns.last_mut().filter(|_| is_prefix) {
            last.is_prefix = true;
            if without_diacritics(&last.key).chars().count() < MIN_PREFIX {
                return Err(Bilingual::new(
                    format!("write at least {MIN_PREFIX} letters before *"),
                    format!("hãy viết ít nhất {MIN_PREFIX} chữ trước *"),
                ));
            }
        }
    }
    if patterns.is_empty() {
        return Err(Bilingual::new(
            format!("“{text}” has no letter or digit; omit it"),
            format!("“{text}” không có chữ hay số; hãy bỏ đi"),
        ));
    }
    if patterns.iter().filter(|pattern| pattern.is_prefix).count() > 1 {
        return Err(Bilingual::new(
            "a phrase can have one * only; write the other words in full",
            "mỗi cụm từ chỉ có một *; hãy viết đủ các từ khác",
        ));
    }
    Ok(Phrase(patterns))
}

fn misplaced_or() -> Bilingual {
    Bilingual::new(
        "OR stands between two words or phrases, as in rain OR flood; for the word itself, write it in lower case",
        "OR đứng giữa hai từ hoặc cụm từ, như mưa OR lũ; nếu tìm chính từ này, hãy viết chữ thường",
    )
}

fn misplaced_asterisk() -> Bilingual {
    Bilingual::new(
        "“*” stands only at the end of a word, as in rain*; it cannot replace its beginning or middle",
        "“*” chỉ đứng ở cuối từ, như phát*; không thay được phần đầu hay giữa từ",
    )
}

fn unknown_sign(sign: char) -> Bilingual {
    let (english, vietnamese) = match sign {
        '(' | ')' => (
            "omit parentheses: OR binds closer than a space, as in rain OR flood valley",
            "hãy bỏ ngoặc đơn: OR gắn chặt hơn dấu cách, như mưa OR lũ miền",
        ),
        '|' => ("write OR instead, as in rain OR flood", "hãy viết OR, như mưa OR lũ"),
        _ => (
            "to search for a text that contains it, use quotation marks",
            "muốn tìm văn bản có dấu này, hãy dùng ngoặc kép",
        ),
    };
    Bilingual::new(
        format!("“{sign}” has no meaning in a search; {english}"),
        format!("“{sign}” không có nghĩa khi tìm; {vietnamese}"),
    )
}

fn unknown_field(name: &str, value: &str) -> Bilingual {
    Bilingual::new(
        format!(
            "there is no field “{name}”, only {FIELDS}; to search for the text, write \"{name}:{value}\""
        ),
        format!(
            "không có trường “{name}”, chỉ có “{FIELDS}”; muốn tìm văn bản này, hãy viết \"{name}:{value}\""
        ),
    )
}

fn excluded_time(field: &str) -> Bilingual {
    Bilingual::new(
        format!("“-{field}:” is not possible; write from: or to: without “-”"),
        format!("không dùng được “-{field}:”; hãy viết “from:” hoặc “to:”, không có “-”"),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> SearchQuery {
        text.parse().unwrap_or_else(|error: Bilingual| panic!("{text}: {}", error.english))
    }

    /// Returns phrases as text: `|` joins alternatives, `_` adjacent words.
    fn written(phrases: &[Vec<Phrase>]) -> String {
        let word = |word: &WordPattern| without_diacritics(&word.key) + if word.is_prefix { "*" } else { "" };
        let phrase = |phrase: &Phrase| phrase.0.iter().map(word).collect::<Vec<_>>().join("_");
        let any = |any: &Vec<Phrase>| any.iter().map(phrase).collect::<Vec<_>>().join("|");
        phrases.iter().map(any).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn words_phrases_or_and_prefixes_are_read() {
        for (text, expected) in [
            ("", ""),
            ("Hòa bình", "hoa binh"),
            ("\"hòa bình\"", "hoa_binh"),
            ("“hòa bình” hồ", "hoa_binh ho"),
            ("mưa OR lũ OR \"bão lớn\" miền", "mua|lu|bao_lon mien"),
            ("phát*", "phat*"),
            ("\"nước sạch* đô thị\"", "nuoc_sach*_do_thi"),
            ("covid-19, it's Nội: 12:30 why?", "covid_19 it_s noi 12_30 why"),
            ("or not and", "or not and"),
        ] {
            assert_eq!(written(&parsed(text).phrases), expected, "{text}");
        }
        let query = parsed("mưa -bão -\"hồ lớn\"");
        assert_eq!(written(&query.phrases), "mua");
        assert_eq!(written(&[query.excluded]), "bao|ho_lon");
    }

    #[test]
    fn fields_restrict_the_documents() {
        let query =
            parsed("mưa host:Bao.example -host:b.example language:vi -language:\"en\" from:2026-02 to:2026");
        assert_eq!(
            (query.hosts, query.excluded_hosts),
            (vec!["bao.example".into()], vec!["b.example".into()])
        );
        assert_eq!((query.languages, query.excluded_languages), (vec!["vi".into()], vec!["en".into()]));
        let day = |text: &str| text.parse::<Date>().ok();
        assert_eq!((query.from, query.to), (day("2026-02-01"), day("2026-12-31")));
        assert_eq!(parsed("to:2024-02").to, day("2024-02-29"));
        assert_eq!(parsed("host:a.example host:b.example").hosts.len(), 2);
    }

    #[test]
    fn what_is_not_understood_is_refused_with_advice() {
        let long = "z".repeat(100);
        let many = "mưa ".repeat(33);
        for (text, advice) in [
            ("\"hòa bình", "a quotation mark is missing"),
            ("mưa - lũ", "stands directly before the word"),
            ("mưa -", "stands directly before the word"),
            ("mưa --lũ", "“--” has no meaning"),
            ("th*ng", "only at the end of a word"),
            ("*ng", "only at the end of a word"),
            ("*", "only at the end of a word"),
            ("m*", "at least 2 letters"),
            ("\"nướ* sạ*\"", "one * only"),
            ("OR mưa", "OR stands between"),
            ("mưa OR", "OR stands between"),
            ("mưa OR OR lũ", "OR stands between"),
            ("mưa OR -lũ", "OR stands between"),
            ("host:a.example OR mưa", "OR stands between"),
            ("mưa AND lũ", "omit AND"),
            ("mưa NOT lũ", "write -word"),
            ("(mưa OR lũ) miền", "omit parentheses"),
            ("mưa|lũ", "write OR instead"),
            ("[word=\"mưa\"]", "“[” has no meaning"),
            ("m?a", "does not stand for a letter"),
            ("title:mưa", "there is no field “title”, only host, language, from, to"),
            ("https://a.example/", "write \"https:"),
            ("host: a.example", "has no value"),
            ("from:yesterday", "is not a day"),
            ("from:2026-13", "is not a day"),
            ("-from:2026", "is not possible"),
            ("from:2026 from:2025", "is given twice"),
            ("from:2026 to:2025", "is after"),
            ("mưa & lũ", "has no letter or digit"),
            ("\"...\"", "has no letter or digit"),
            (long.as_str(), "too long"),
            (many.as_str(), "at most 32 words"),
        ] {
            let error = text.parse::<SearchQuery>().expect_err(text);
            assert!(error.english.contains(advice), "{text}: {}", error.english);
            assert_ne!(error.english, error.vietnamese, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_is_read_or_refused(text in "[ a-cđòOR:\"*()?“-]{0,40}|\\PC*") {
            let _ = text.parse::<SearchQuery>();
        }
    }
}
