//! Parses a time of day next to a date, and the time zone after the time.
//!
//! Limitation: `9.30` is read as a time only after a word for "o'clock", or before a time zone, AM or PM.

use jiff::civil::{Date, Time};

use super::zone::{is_zone, zone};
use super::{Reader, Token, number};
use crate::month_names::folded;

pub(super) struct Clock {
    pub(super) time: Time,
    /// Whether AM or PM, written in English, follows the time.
    pub(super) has_english_half: bool,
    pub(super) end: usize,
}

/// Parses the time at a token: `9:30`, `09:30:00.123`, `9h30`, `9 giờ 30`, `9:30 p.m.`, `9.30 GMT`, or
/// `093000` after a `T`.
pub(super) fn time_at(tokens: &[Token], at: usize) -> Option<Clock> {
    let clock = |hour, minute, second, end| {
        Some(Clock { time: Time::new(hour, minute, second, 0).ok()?, has_english_half: false, end })
    };
    if let Some(Token::Number(n)) = tokens.get(at)
        && matches!(n.len(), 4 | 6)
        && at > 0
        && matches!(tokens[at - 1], Token::Word("T" | "t"))
    {
        let two = |i: usize| n.get(i..i + 2).map_or(Some(0), |d| d.parse().ok());
        return clock(two(0)?, two(2)?, two(4)?, at + 1);
    }
    if at > 0 && tokens[at - 1] == Token::Mark(':') {
        return None; // The minutes of a rejected hour.
    }
    let part = |i: usize, digits| number(tokens.get(i), digits).and_then(|n| i8::try_from(n).ok());
    let hour = part(at, 1..=2)?;
    let minutes = minutes_at(tokens, at)?;
    let minute = part(minutes, 2..=2)?;
    let mut end = minutes + 1;
    let mut second = 0;
    if tokens.get(end) == Some(&Token::Mark(':'))
        && let Some(stated) = part(end + 1, 2..=2)
    {
        second = stated.min(59);
        end += 2;
        if matches!(tokens.get(end), Some(Token::Mark('.' | ',')))
            && matches!(tokens.get(end + 1), Some(Token::Number(_)))
        {
            end += 2;
        }
    }
    let before =
        || is_afternoon_before(tokens, at).then_some(HalfDay { is_afternoon: true, is_english: false, end });
    match half_of_day(tokens, end).or_else(before) {
        Some(half) if (1..=12).contains(&hour) => {
            let hour = hour % 12 + if half.is_afternoon { 12 } else { 0 };
            Some(Clock { has_english_half: half.is_english, ..clock(hour, minute, second, half.end)? })
        }
        _ => clock(hour, minute, second, end),
    }
}

struct HalfDay {
    is_afternoon: bool,
    is_english: bool,
    end: usize,
}

fn minutes_at(tokens: &[Token], hour: usize) -> Option<usize> {
    let is_time = match tokens.get(hour + 1)? {
        Token::Mark(':') | Token::Word("h" | "H" | "时" | "時" | "点" | "點") => true,
        Token::Mark('.') => is_announced(tokens, hour) || is_followed(tokens, hour + 3),
        _ => false,
    };
    if is_time {
        return Some(hour + 2);
    }
    let word = behind_spaces(tokens, hour + 1);
    let is_hour = matches!(tokens.get(word), Some(Token::Word(word)) if word.to_lowercase() == "giờ");
    is_hour.then(|| behind_spaces(tokens, word + 1))
}

fn is_followed(tokens: &[Token], at: usize) -> bool {
    let next = behind_spaces(tokens, at);
    let is_zone = matches!(tokens.get(next), Some(Token::Word(word)) if word.len() > 1 && is_zone(word));
    let is_half = matches!(tokens.get(next), Some(Token::Word("am" | "pm" | "AM" | "PM" | "a" | "p")));
    is_zone || is_half && half_of_day(tokens, at).is_some()
}

/// Whether a word for "o'clock" is before this token: `godz. 9.30`, `kl. 9.30`.
fn is_announced(tokens: &[Token], at: usize) -> bool {
    let is_word = |token: &&Token| matches!(token, Token::Word(_));
    let before = tokens[..at].iter().rev().take(3).find(is_word);
    matches!(before, Some(Token::Word(word)) if matches!(folded(word).as_str(), "godz" | "kl" | "klo" | "ore" | "ωρα"))
}

/// Whether a word for the afternoon is before this token, as in `下午3:05`.
fn is_afternoon_before(tokens: &[Token], at: usize) -> bool {
    let word = tokens[..at].iter().rev().take(2).find(|token| **token != Token::Mark(' '));
    let ends = |word: &str| ["下午", "午后", "午後", "晚上", "오후"].iter().any(|end| word.ends_with(end));
    matches!(word, Some(Token::Word(word)) if ends(word))
}

fn half_of_day(tokens: &[Token], at: usize) -> Option<HalfDay> {
    let at = if tokens.get(at) == Some(&Token::Mark(' ')) { at + 1 } else { at };
    let Some(Token::Word(word)) = tokens.get(at) else { return None };
    let word = word.to_lowercase();
    let (is_afternoon, is_english, end) = match (word.as_str(), tokens.get(at + 1), tokens.get(at + 2)) {
        ("am" | "pm", ..) => (word == "pm", true, at + 1),
        ("πμ" | "sa", ..) => (false, false, at + 1),
        ("μμ" | "ch", ..) => (true, false, at + 1),
        ("a" | "p" | "π" | "μ", Some(Token::Mark('.')), Some(Token::Word("m" | "M" | "μ" | "Μ"))) => {
            (word == "p" || word == "μ", word == "a" || word == "p", at + 4)
        }
        _ => return None,
    };
    Some(HalfDay { is_afternoon, is_english, end })
}

/// Parses the offset after a time, in minutes: `Z`, `+07:00`, `+0700`, `(GMT+7)`, `GMT +7`, `EST`.
pub(super) fn offset_at(tokens: &[Token], at: usize, day: Date, reader: &Reader) -> Option<i32> {
    let mut at = at;
    while matches!(tokens.get(at), Some(Token::Mark(' ' | '(' | ',' | '|'))) {
        at += 1;
    }
    match tokens.get(at)? {
        Token::Mark(_) => signed(tokens, at),
        Token::Word(word) => match zone(word, day, reader)? {
            0 => Some(signed_behind(tokens, at + 1).unwrap_or(0)),
            minutes => Some(minutes),
        },
        Token::Number(_) => None,
    }
}

/// Parses the offset after `GMT` or `UTC`. The offset may contain spaces: `GMT +7`, `(GMT + 7)`. After a
/// minus and a space, the offset must end with a parenthesis, because `2:00 GMT - 3:00 GMT` is a time span.
fn signed_behind(tokens: &[Token], at: usize) -> Option<i32> {
    let at = behind_spaces(tokens, at);
    let sign = *tokens.get(at)?;
    let value = behind_spaces(tokens, at + 1);
    let is_span =
        value > at + 1 && sign != Token::Mark('+') && tokens.get(value + 1) != Some(&Token::Mark(')'));
    if is_span { None } else { signed_by(sign, tokens, value) }
}

/// Parses `+07:00`, `-0500` or `+7`. No space may follow the sign, because `2:00 - 3:00` is a time span.
fn signed(tokens: &[Token], at: usize) -> Option<i32> {
    signed_by(*tokens.get(at)?, tokens, at + 1)
}

fn signed_by(sign: Token, tokens: &[Token], at: usize) -> Option<i32> {
    let sign = match sign {
        Token::Mark('+') => 1,
        Token::Mark('-' | '−') => -1,
        _ => return None,
    };
    let Some(Token::Number(n)) = tokens.get(at) else { return None };
    let stated: i32 = n.parse().ok()?;
    let (hours, minutes) = match n.len() {
        1 | 2 => {
            let colon = tokens.get(at + 1) == Some(&Token::Mark(':'));
            (stated, if colon { i32::from(number(tokens.get(at + 2), 2..=2)?) } else { 0 })
        }
        3 | 4 => (stated / 100, stated % 100),
        _ => return None,
    };
    let offset = hours * 60 + minutes;
    (minutes < 60 && offset <= 14 * 60).then_some(sign * offset)
}

pub(super) fn behind_spaces(tokens: &[Token], at: usize) -> usize {
    let spaces = tokens.iter().skip(at).take_while(|token| **token == Token::Mark(' '));
    at + spaces.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_has_at_most_59_minutes() {
        let cases = [
            ("+0545", Some(345)),
            ("-03:30", Some(-210)),
            ("+0659", Some(419)),
            ("+0790", None),
            ("+07:60", None),
            ("+1430", None),
        ];
        let day = jiff::civil::date(2026, 11, 20);
        for (text, expected) in cases {
            assert_eq!(
                offset_at(&super::super::tokens(text), 0, day, &Reader::default()),
                expected,
                "{text}"
            );
        }
    }
}
