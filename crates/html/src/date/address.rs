//! Finds a day in an address.

use jiff::civil::Date;

use super::{FIRST_YEAR, Token, compact, day, numbers, tokens, year_first, year_then_month};

/// Returns the day in the path or query of an address, in forms such as `/2026/11/20/`, `-20261120`,
/// `/2026-11-20-`, `/20-11-2026/`, `/2026/nov/20/` and `A2026112009300005196`. Returns `None` if there is no
/// complete day from 1990 on, or if there are several different days. A day between two words of a slug
/// (`anniversary-of-2001-09-11-attacks`) does not count. In a form such as `03-04-2026`, the first number is
/// the day.
#[must_use]
pub fn in_address(address: &str) -> Option<Date> {
    let (_, path) =
        address.split_once("://").map_or(("", address), |(_, rest)| rest.split_once('/').unwrap_or_default());
    let tokens = tokens(path.get(..1024).unwrap_or(path));
    let parts = |at: usize| at == 0 || !matches!(tokens[at - 1], Token::Number(_));
    let mut days = (0..tokens.len()).filter(|at| parts(*at)).filter_map(|at| {
        let found = compact(&tokens, at)
            .or_else(|| year_first(&tokens, at).filter(|(_, end)| !is_within_slug(&tokens, at, *end)))
            .or_else(|| in_path(&tokens, at))
            .or_else(|| whole_part(&tokens, at));
        found.map(|(day, _)| day).or_else(|| begins_with_time(tokens[at]))
    });
    let day = days.next().filter(|day| day.year() >= FIRST_YEAR)?;
    days.all(|other| other == day).then_some(day)
}

fn is_within_slug(tokens: &[Token], from: usize, to: usize) -> bool {
    let is_joint = |at: usize| matches!(tokens.get(at), Some(Token::Mark('-' | '_' | '+')));
    let is_word = |at: usize| matches!(tokens.get(at), Some(Token::Word(_)));
    from >= 2 && is_joint(from - 1) && is_word(from - 2) && is_joint(to) && is_word(to + 1)
}

fn whole_part(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let is_end = |token: Option<&Token>| matches!(token, None | Some(Token::Mark('/' | '?' | '#')));
    let begins = at == 0 || is_end(tokens.get(at - 1));
    let dashes = [at + 1, at + 3].iter().all(|at| tokens.get(*at) == Some(&Token::Mark('-')));
    let (found, end) = numbers(tokens, at).filter(|_| begins && dashes)?;
    is_end(tokens.get(end)).then_some((found.day, end))
}

fn in_path(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let parts = tokens.get(at..at + 5)?;
    let stroke = Token::Mark('/');
    (parts[1] == stroke && parts[3] == stroke).then(|| year_then_month(parts, 0)).flatten()
}

/// Parses a long number that begins with a day and a time, such as an article's id.
fn begins_with_time(token: Token) -> Option<Date> {
    let Token::Number(digits) = token else { return None };
    let part = |range: std::ops::Range<usize>| digits.get(range)?.parse::<i16>().ok();
    let is_time = digits.len() >= 12 && part(8..10)? < 24 && part(10..12)? < 60;
    is_time.then(|| day(part(0..4)?, part(4..6)?, part(6..8)?)).flatten()
}
