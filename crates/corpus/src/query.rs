//! Parses and evaluates conditions on documents, joined by `and`, `or` and `not`, such as
//! `host=paper.example and (words<50 or not language=vi)`.
//!
//! | part | form |
//! |---|---|
//! | query | tests joined by `and`, `or`, `not` and parentheses; `not` binds closest, `or` least |
//! | test | a field, one of `>= <= > < = != ~`, and a value |
//! | value | a word, or a text in `"` or `'` |
//!
//! A field is a figure of [`crate::Condition`] with a number, a text with `=`, `!=` or `~` (contains) that is
//! compared as a [`SearchText`], or a time with a year, month, day, time in UTC or age ([`period`]). `host=H` includes
//! the subdomains of H. If a field has several values, one must match, and the field may also have the name of the
//! exported list: `authors`, `keywords`.
//!
//! A document may lack a field. In [`Query::holds`], a test of the field is then neither true nor false, as in SQL: `not`
//! keeps it unknown, `and` is false if another part is false, and `or` is true if another part is true. In
//! [`Query::selects`], only a figure can be unknown. A text or time that the document lacks differs from every value.

use std::fmt;
use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, SpanRelativeTo, Timestamp, ToSpan};

use crate::{Condition, Document, SearchText, is_of_host};

/// The text fields of a query.
pub const TEXT_FIELDS: [&str; 10] = [
    "url",
    "host",
    "title",
    "language",
    "section",
    "author",
    "keyword",
    "article_type",
    "site_name",
    "method",
];

/// Other names of text fields: those of the lists in exports.
const LIST_NAMES: [(&str, &str); 2] = [("authors", "author"), ("keywords", "keyword")];

/// The time fields of a query.
pub const TIME_FIELDS: [&str; 2] = ["published", "fetched"];

/// Maximum depth of parentheses and `not`.
const MAX_DEPTH: usize = 50;

/// The signs. Longer signs come first, so that `>=` is not read as `>`.
const SIGNS: [&str; 7] = [">=", "<=", "!=", ">", "<", "=", "~"];

/// A condition on documents.
///
/// ```
/// use gleaner_corpus::Query;
/// assert!("section=Sport and not (words>=100 or language=vi)".parse::<Query>().is_ok());
/// let error = "length>5".parse::<Query>().unwrap_err();
/// assert!(error.contains("no field \"length\""));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Query {
    text: String,
    root: Node,
}

#[derive(Debug, Clone, PartialEq)]
enum Node {
    And(Vec<Self>),
    Or(Vec<Self>),
    Not(Box<Self>),
    Figure(Condition),
    Host { sign: &'static str, host: String },
    Text { field: &'static str, sign: &'static str, value: SearchText },
    Time { field: &'static str, sign: &'static str, begin: Timestamp, end: Timestamp },
}

impl Query {
    /// Whether the query holds for a document, or `None` if the document lacks a field on which the result depends.
    /// `figures` returns a figure by name, or `None` if the document lacks it.
    pub fn holds(&self, document: &Document, figures: impl Fn(&str) -> Option<f64>) -> Option<bool> {
        self.root.holds(document, &figures, true)
    }

    /// Whether the query selects a document. A text or time that the document lacks differs from every value:
    /// `section=Sport` is false without a section, and `section!=Sport` is true. A document passes if the result
    /// depends on a figure that it lacks.
    pub fn selects(&self, document: &Document, figures: impl Fn(&str) -> Option<f64>) -> bool {
        self.root.holds(document, &figures, false).unwrap_or(true)
    }

    /// Whether the query uses a figure or a field with this name.
    #[must_use]
    pub fn uses(&self, name: &str) -> bool {
        self.root.uses(name)
    }
}

impl Node {
    /// `may_be_unknown` says whether a test of a text or time that the document lacks is unknown.
    fn holds(
        &self,
        document: &Document,
        figures: &dyn Fn(&str) -> Option<f64>,
        may_be_unknown: bool,
    ) -> Option<bool> {
        let join = |nodes: &[Self], decisive| {
            joined(nodes.iter().map(|node| node.holds(document, figures, may_be_unknown)), decisive)
        };
        let of_missing = |sign: &str| (!may_be_unknown).then_some(sign == "!=");
        match self {
            Self::Not(node) => node.holds(document, figures, may_be_unknown).map(|holds| !holds),
            Self::And(nodes) => join(nodes, false),
            Self::Or(nodes) => join(nodes, true),
            Self::Figure(condition) => condition.holds_if_known(figures),
            Self::Host { sign, host } => Some(is_of_host(&document.host, host) != (*sign == "!=")),
            Self::Text { field, sign, value } => {
                let values = texts(document, field);
                let is_equal =
                    |text: &&str| if *sign == "~" { value.is_in(text) } else { value.equals(text) };
                if values.is_empty() {
                    return of_missing(sign);
                }
                Some(values.iter().any(is_equal) != (*sign == "!="))
            }
            Self::Time { field, sign, begin, end } => {
                let at = if *field == "fetched" { Some(document.fetched) } else { document.published_utc };
                let Some(at) = at else { return of_missing(sign) };
                Some(match *sign {
                    ">=" => at >= *begin,
                    ">" => at >= *end,
                    "<" => at < *begin,
                    "<=" => at < *end,
                    "!=" => at < *begin || at >= *end,
                    _ => at >= *begin && at < *end,
                })
            }
        }
    }

    fn uses(&self, name: &str) -> bool {
        match self {
            Self::Not(node) => node.uses(name),
            Self::And(nodes) | Self::Or(nodes) => nodes.iter().any(|node| node.uses(name)),
            Self::Figure(condition) => condition.figure() == name,
            Self::Host { .. } => name == "host",
            Self::Text { field, .. } | Self::Time { field, .. } => *field == name,
        }
    }
}

/// Joins the results of several nodes. One result `decisive` decides, and otherwise an unknown result does.
fn joined(results: impl Iterator<Item = Option<bool>>, decisive: bool) -> Option<bool> {
    let mut is_unknown = false;
    for result in results {
        match result {
            Some(holds) if holds == decisive => return Some(decisive),
            Some(_) => {}
            None => is_unknown = true,
        }
    }
    (!is_unknown).then_some(!decisive)
}

fn texts<'a>(document: &'a Document, field: &str) -> Vec<&'a str> {
    let one = |text: &'a Option<String>| text.iter().map(String::as_str).collect();
    match field {
        "url" => vec![&document.url],
        "host" => vec![&document.host],
        "language" => vec![&document.language],
        "title" => one(&document.title),
        "section" => one(&document.section),
        "site_name" => one(&document.site_name),
        "article_type" => document.article_type.iter().map(|kind| kind.as_str()).collect(),
        "method" => vec![document.method.as_str()],
        "author" => document.authors.iter().map(String::as_str).collect(),
        "keyword" => document.keywords.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Open,
    Close,
    Sign(&'static str),
    Word(String),
    Quoted(String),
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let (mut tokens, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
        let (token, used) = match first {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            '"' | '\'' => {
                let end = rest[1..].find(first).ok_or_else(|| format!("{first} has no end in {text}"))?;
                (Token::Quoted(rest[1..=end].to_owned()), end + 2)
            }
            _ => match sign {
                Some(sign) => (Token::Sign(sign), sign.len()),
                None => {
                    let is_end = |c: char| c.is_whitespace() || "()<>=!~\"'".contains(c);
                    // A sign that is no operator, such as a lone `!`, is a part of the word.
                    let end = rest[first.len_utf8()..]
                        .find(is_end)
                        .map_or(rest.len(), |end| end + first.len_utf8());
                    (Token::Word(rest[..end].to_owned()), end)
                }
            },
        };
        tokens.push(token);
        rest = rest[used..].trim_start();
    }
    Ok(tokens)
}

struct Parser<'a> {
    text: &'a str,
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
}

impl Parser<'_> {
    fn takes_word(&mut self, word: &str) -> bool {
        let is_it = |token: &Token| matches!(token, Token::Word(found) if found.eq_ignore_ascii_case(word));
        self.tokens.next_if(is_it).is_some()
    }

    fn either(&mut self, depth: usize) -> Result<Node, String> {
        let mut nodes = vec![self.all(depth)?];
        while self.takes_word("or") {
            nodes.push(self.all(depth)?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Or(nodes) })
    }

    fn all(&mut self, depth: usize) -> Result<Node, String> {
        let mut nodes = vec![self.one(depth)?];
        while self.takes_word("and") {
            nodes.push(self.one(depth)?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::And(nodes) })
    }

    fn one(&mut self, depth: usize) -> Result<Node, String> {
        if depth >= MAX_DEPTH {
            return Err(format!("\"{}\" is nested too deeply", self.text));
        }
        if self.takes_word("not") {
            return Ok(Node::Not(Box::new(self.one(depth + 1)?)));
        }
        if self.tokens.next_if_eq(&Token::Open).is_some() {
            let node = self.either(depth + 1)?;
            return match self.tokens.next() {
                Some(Token::Close) => Ok(node),
                _ => Err(format!("a ) is missing in \"{}\"", self.text)),
            };
        }
        self.test()
    }

    fn test(&mut self) -> Result<Node, String> {
        const FORM: &str =
            "write a field, one of >= <= > < = != ~, and a value, such as words>=100 or section=Sport";
        let wrong = |text: &str| format!("\"{text}\": {FORM}");
        let Some(Token::Word(name)) = self.tokens.next() else { return Err(wrong(self.text)) };
        let Some(Token::Sign(sign)) = self.tokens.next() else { return Err(wrong(self.text)) };
        let Some(Token::Word(value) | Token::Quoted(value)) = self.tokens.next() else {
            return Err(wrong(self.text));
        };
        let name =
            LIST_NAMES.iter().find(|(list, _)| *list == name).map_or(name, |(_, one)| (*one).to_owned());
        let refused = || Err(format!("\"{}\": {name} cannot be compared with {sign}", self.text));
        if let Some(field) = TIME_FIELDS.into_iter().find(|field| *field == name) {
            let (begin, end) = period(&value)?;
            return match sign {
                "~" => refused(),
                "=" | "!=" if begin == end => {
                    Err(format!("\"{}\": compare an age with >=, <=, > or <", self.text))
                }
                sign => Ok(Node::Time { field, sign, begin, end }),
            };
        }
        if let Some(field) = TEXT_FIELDS.into_iter().find(|field| *field == name) {
            return match (field, sign) {
                ("host", "=" | "!=") => Ok(Node::Host { sign, host: value.to_lowercase() }),
                (_, "=" | "!=" | "~") => Ok(Node::Text { field, sign, value: SearchText::new(&value) }),
                _ => refused(),
            };
        }
        let names = crate::condition::FIGURES.map(|(name, ..)| name);
        if !names.contains(&name.as_str()) {
            let known = [&names[..], &TEXT_FIELDS, &TIME_FIELDS].concat().join(", ");
            return Err(format!(
                "\"{}\": there is no field \"{name}\"; there are {known}. For other conditions, export to Parquet and \
use a program such as DuckDB",
                self.text
            ));
        }
        match sign {
            "~" => refused(),
            "!=" => Ok(Node::Not(Box::new(Node::Figure(format!("{name}={value}").parse()?)))),
            sign => Ok(Node::Figure(format!("{name}{sign}{value}").parse()?)),
        }
    }
}

/// Returns the first and the last day of a year such as `2026`, a month such as `2026-11`, or a day. Returns `None` if
/// the text has another form.
///
/// ```
/// let (first, last) = gleaner_corpus::query::days("2026-02").unwrap();
/// assert_eq!((first.to_string(), last.to_string()), ("2026-02-01".into(), "2026-02-28".into()));
/// ```
#[must_use]
pub fn days(text: &str) -> Option<(Date, Date)> {
    let day = |text: &str| (text.len() == 10).then(|| text.parse::<Date>().ok()).flatten();
    match text.len() {
        4 => day(&format!("{text}-01-01")).zip(day(&format!("{text}-12-31"))),
        7 => day(&format!("{text}-01")).map(|first| (first, first.last_of_month())),
        _ => day(text).map(|day| (day, day)),
    }
}

/// Returns the begin and the end of a period in UTC: a year such as `2026`, a month such as `2026-11`, a day or a
/// time. The end does not belong to the period. For an age, such as `7d` or `1d 12h`, both are the time that long ago.
///
/// ```
/// let (begin, end) = gleaner_corpus::query::period("2026-12").unwrap();
/// assert_eq!((begin.to_string(), end.to_string()), ("2026-12-01T00:00:00Z".into(), "2027-01-01T00:00:00Z".into()));
/// ```
///
/// # Errors
/// The text has another form. The error is a message that quotes the text.
pub fn period(text: &str) -> Result<(Timestamp, Timestamp), String> {
    let begin_of = |day: Date| day.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    if let Some((first, last)) = days(text)
        && let Some(begin) = begin_of(first)
    {
        return Ok((begin, last.tomorrow().ok().and_then(begin_of).unwrap_or(Timestamp::MAX)));
    }
    if let Some(at) = ago(text) {
        return Ok((at, at));
    }
    let at: Timestamp = text.parse().map_err(|_| {
        format!(
            "\"{text}\" is not a year such as 2026, a month such as 2026-11, a day such as 2026-11-20, a time such as \
2026-11-20T02:30:00Z, or an age such as 7d"
        )
    })?;
    Ok((at, at.checked_add(1.nanosecond()).unwrap_or(at)))
}

/// Returns the time before now by an age. Returns `None` if the text has another form.
fn ago(text: &str) -> Option<Timestamp> {
    let age = text.parse::<Span>().ok().filter(|span| !span.is_negative())?;
    let age = age.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    Timestamp::now().checked_sub(age).ok()
}

impl FromStr for Query {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parser = Parser { text, tokens: tokens(text)?.into_iter().peekable() };
        let root = parser.either(0)?;
        match parser.tokens.next() {
            None => Ok(Self { text: text.trim().to_owned(), root }),
            Some(_) => {
                Err(format!("\"{text}\": join tests by and, or and not, and quote a value with spaces"))
            }
        }
    }
}

impl From<Condition> for Query {
    fn from(condition: Condition) -> Self {
        Self { text: condition.to_string(), root: Node::Figure(condition) }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        Document {
            host: "www.paper.example".into(),
            url: "http://www.paper.example/sport/1".into(),
            language: "en".into(),
            title: Some("Rain in the Valley".into()),
            section: Some("Sport".into()),
            authors: vec!["Ada Frost".into(), "Ben Hill".into()],
            published_utc: Some("2026-11-20T09:30:00Z".parse().unwrap()),
            ..Document::default()
        }
    }

    fn figures(name: &str) -> Option<f64> {
        (name == "words").then_some(120.0)
    }

    #[test]
    fn tests_are_joined_by_and_or_and_not() {
        let (yes, no, unknown) = (Some(true), Some(false), None);
        for (text, expected) in [
            ("words>=100", yes),
            ("words != 120", no),
            ("section=sport and words<100", no),
            ("section=sport and words<100 or language=en", yes),
            ("section=sport and (words<100 or language=vi)", no),
            ("not section=sport", no),
            ("NOT (words<100 OR language=vi)", yes),
            ("host=paper.example", yes),
            ("host=aper.example", no),
            ("title~'IN THE'", yes),
            ("title=\"rain in the valley\"", yes),
            ("author='ben hill'", yes),
            ("author!='ben hill'", no),
            ("published=2026-11-20", yes),
            ("published>2026-11-20", no),
            ("published=2026", yes),
            ("published=2026-11", yes),
            ("published<2026-12", yes),
            ("published>2026", no),
            ("published<=2026-11-20", yes),
            ("published<2026-11-20T09:30:00Z", no),
            ("published=2026-11-20T09:30:00Z", yes),
            ("keyword=rain", unknown),
            ("not keyword=rain", unknown),
            ("confidence<0.5", unknown),
            ("confidence<0.5 and words<100", no),
            ("confidence<0.5 or words>100", yes),
            ("url~/sport/", yes),
        ] {
            let query: Query = text.parse().unwrap();
            assert_eq!(query.holds(&document(), figures), expected, "{text}");
            assert_eq!(query.to_string(), text);
        }
    }

    #[test]
    fn a_missing_text_differs_from_every_value_and_a_missing_figure_passes() {
        let undated = Document { published_utc: None, ..document() };
        for (text, expected) in [
            ("keyword=rain", false),
            ("keyword!=rain", true),
            ("not keyword~rain", true),
            ("keyword=rain and words>=100", false),
            ("keyword=rain or words>=100", true),
            ("published>=2020", false),
            ("not published>=2020", true),
            ("confidence>=0.5", true),
            ("confidence>=0.5 and words<100", false),
        ] {
            let query: Query = text.parse().unwrap();
            assert_eq!(query.selects(&undated, figures), expected, "{text}");
        }
    }

    #[test]
    fn an_age_counts_back_from_now() {
        for (text, hours) in [("7d", 7 * 24), ("1d 12h", 36), ("90m", 1)] {
            let (begin, end) = period(text).unwrap();
            assert_eq!(begin.duration_until(Timestamp::now()).as_hours(), hours, "{text}");
            assert_eq!(begin, end);
        }
        for text in ["-7d", "7d ago", "7", "d", "1 month", ""] {
            assert!(period(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_wrong_query_says_what_is_wrong() {
        let nested = format!("{}words>1", "not ".repeat(60));
        for (text, part) in [
            ("", "write a field"),
            ("words", "write a field"),
            ("words>=many", "is not a number"),
            ("weather=rain", "no field \"weather\""),
            ("section>sport", "cannot be compared with >"),
            ("(words>1", "a ) is missing"),
            ("section=late night", "quote a value"),
            ("title='rain", "has no end"),
            ("published>tomorrow", "is not a year"),
            ("published>2026-13", "is not a year"),
            ("published=7d", "compare an age"),
            (nested.as_str(), "nested too deeply"),
        ] {
            let error = text.parse::<Query>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
