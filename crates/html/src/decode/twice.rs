//! Undoes double encoding: UTF-8 text that was read as Latin-1 or windows-1252 and encoded again.
//!
//! The page is split into runs of non-ASCII characters. A run is suspected if each of its characters is one
//! byte in Latin-1 or windows-1252 and these bytes are valid UTF-8. A suspected run is evidence if its bytes
//! are unlikely to be valid UTF-8 by chance: it contains a control character (U+0080 to U+009F, which correct
//! text never contains), begins with `â€`, or represents at least two characters. All suspected runs are
//! decoded again if at least two are evidence and there are at least ten times as many suspected runs as
//! other runs.
//!
//! Limitation: a run that represents only one character is usually not evidence, because correct text
//! contains such runs: `É»` in `«RÉSUMÉ»`, or `é`, a no-break space and `»` in French. A page stays unchanged
//! if it mixes correct and doubly encoded text, or has only one wrong word.

use std::sync::LazyLock;

use encoding_rs::WINDOWS_1252;

/// Minimum number of runs that are evidence. One such run may be a quotation.
const MIN_EVIDENCE: usize = 2;

/// Minimum number of suspected runs for each other run.
const SUSPECTED_TO_OTHERS: usize = 10;

/// The characters of windows-1252 for the bytes 0x80 to 0x9F.
static HIGH: LazyLock<Vec<char>> = LazyLock::new(|| {
    let bytes: Vec<u8> = (0x80..=0x9F).collect();
    WINDOWS_1252.decode_without_bom_handling(&bytes).0.chars().collect()
});

pub(super) fn once(text: &str) -> Option<String> {
    if beginnings(text.as_bytes()) < MIN_EVIDENCE {
        return None;
    }
    let (mut evidence, mut suspected, mut others) = (0, 0, 0);
    for (run, _) in parts(text).filter(|(_, is_ascii)| !is_ascii) {
        match undone(run) {
            Some(found) => {
                suspected += 1;
                evidence += usize::from(is_evidence(run, &found));
            }
            None => others += 1,
        }
    }
    if evidence < MIN_EVIDENCE || suspected < others * SUSPECTED_TO_OTHERS {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    for (part, is_ascii) in parts(text) {
        match undone(part).filter(|_| !is_ascii) {
            Some(found) => out.push_str(&found),
            None => out.push_str(part),
        }
    }
    Some(out)
}

/// Counts the runs that may be evidence, up to [`MIN_EVIDENCE`]. The first byte of a multi-byte character
/// is 0xC2 to 0xF4, misread as a letter from `Â` to `ô`. The next byte is 0x80 to 0xBF, misread as a
/// non-ASCII character.
fn beginnings(bytes: &[u8]) -> usize {
    let begins = |at: &usize| {
        matches!(bytes[at + 1..], [0x82..=0xB4, 0xC2 | 0xC5 | 0xC6 | 0xCB | 0xE2, ..])
            && (*at == 0 || bytes[at - 1].is_ascii())
    };
    memchr::memchr_iter(0xC3, bytes).filter(begins).take(MIN_EVIDENCE).count()
}

fn parts(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_ascii = rest.as_bytes().first()?.is_ascii();
        let end = rest.bytes().position(|byte| byte.is_ascii() != is_ascii).unwrap_or(rest.len());
        let part = &rest[..end];
        rest = &rest[end..];
        Some((part, is_ascii))
    })
}

fn undone(run: &str) -> Option<String> {
    String::from_utf8(run.chars().map(byte).collect::<Option<_>>()?).ok()
}

fn byte(c: char) -> Option<u8> {
    let high = || (0x80..).zip(HIGH.iter()).find(|(_, high)| **high == c).map(|(byte, _)| byte);
    u8::try_from(u32::from(c)).ok().or_else(high)
}

fn is_evidence(run: &str, undone: &str) -> bool {
    run.chars().any(|c| ('\u{80}'..='\u{9F}').contains(&c))
        || run.starts_with("â€")
        || undone.chars().nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_latin_1(text: &str) -> String {
        text.bytes().map(char::from).collect()
    }

    fn as_windows_1252(text: &str) -> String {
        WINDOWS_1252.decode_without_bom_handling(text.as_bytes()).0.into_owned()
    }

    #[test]
    fn encoded_twice() {
        for text in [
            "It’s rain – and the town’s river rose.",
            "Mưa tạnh ở thành phố, người dân ra đồng từ sớm.",
            "Η βροχή σταμάτησε το πρωί και οι δρόμοι γέμισαν.",
            "The price: 20 € – or 30 €; a café’s.",
            "⭐⭐⭐ It’s good © 2026",
        ] {
            assert_eq!(once(&as_latin_1(text)).as_deref(), Some(text));
            assert_eq!(once(&as_windows_1252(text)).as_deref(), Some(text));
        }
    }

    #[test]
    fn the_beginnings_of_runs_are_known() {
        // Every misread first byte with every misread continuation byte.
        for first in '\u{C2}'..='\u{F4}' {
            for second in HIGH.iter().copied().chain('\u{80}'..='\u{BF}') {
                let run = format!("{first}{second}").repeat(2);
                assert_eq!(beginnings(format!("{run} {run}").as_bytes()), 2, "{run}");
            }
        }
        assert_eq!(beginnings("ã, Ã E ÃO\u{C3}".as_bytes()), 0);
    }

    #[test]
    fn encoded_once() {
        for text in [
            "",
            "plain",
            "It’s rain – and the town’s “river” rose.",
            "Mưa tạnh ở thành phố, người dân ra đồng từ sớm.",
            "«RÉSUMÉ» et «CAFÉ» ou « le café\u{a0}» et « la cité\u{a0}»",
            "„ABC-Ü“ und „Ä“: Zürich, Köln",
            "NÃO, SÃO e AMANHÃ; © 2026 »",
            "Pages show â€™ for an apostrophe, ‘as here’.",
            "\u{93}quoted\u{94} and \u{93}again\u{94}",
        ] {
            assert_eq!(once(text), None, "{text}");
        }
        // Correct and doubly encoded text on one page.
        let mixed = format!("{} {}", as_latin_1("It’s rain – here"), "Mưa tạnh ở thành phố");
        assert_eq!(once(&mixed), None);
    }

    #[test]
    fn what_is_no_run_stays() {
        let text = format!("{}ab ’ c", as_latin_1("It’s ").repeat(20));
        assert_eq!(once(&text), Some(format!("{}ab ’ c", "It’s ".repeat(20))));
    }
}
