//! Parses an article in `articles/`: lines `key: value`, an empty line, then blocks separated by empty lines.
//!
//! ```text
//! title: Weir repaired before the winter floods
//! author: Hester Quill
//! section: village
//! date: 2026-11-20T09:30:00+00:00
//! tags: river, weir
//! caption: The weir on the morning the boards were lifted.
//!
//! The first block is the standfirst.
//!
//! A paragraph with *italics*, **bold** and [a link](12) to article 12, or to
//! [another site](http://example.org/). Lines of one block are joined by a space.
//!
//! ## A subheading
//! ```
//!
//! There are no other marks, and marks do not nest. An unclosed asterisk or bracket is an error, so no
//! article is served with unintended marks.

use jiff::{Timestamp, civil::DateTime};
use thiserror::Error;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Article {
    /// The number in the file name. It is unique within the newspaper.
    pub number: u32,
    /// The article's name in the file name and in the address.
    pub slug: String,
    pub title: String,
    pub author: String,
    pub section: String,
    pub published: Published,
    pub tags: Vec<String>,
    pub caption: String,
    /// The first block. One of the papers shows it outside the article's body.
    pub standfirst: Vec<Span>,
    pub body: Vec<Block>,
}

#[derive(Debug)]
pub(crate) struct Agency {
    pub slug: &'static str,
    pub name: &'static str,
    pub tail: &'static str,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    Paragraph(Vec<Span>),
    Subheading(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Span {
    Text(String),
    Italic(String),
    Bold(String),
    /// `target` is the number of another article, or an absolute URL.
    Link {
        text: String,
        target: String,
    },
}

/// A time and the UTC offset of the paper.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Published {
    pub iso: String,
    pub moment: Timestamp,
    pub local: DateTime,
}

#[derive(Debug, Error, PartialEq)]
pub(crate) enum ArticleError {
    #[error("the header has no `{0}:` line")]
    Missing(&'static str),
    #[error("`{0}` is no RFC 3339 time with an offset")]
    Date(String),
    #[error("a mark is opened and not closed in `{0}`")]
    Unclosed(String),
    #[error("the file name `{0}` is not of the form NN-slug")]
    Name(String),
    #[error("there is no paragraph under the header")]
    Empty,
}

impl Article {
    /// Parses one file. `name` is the file name without `.txt`, such as `07-new-bridge`.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, ArticleError> {
        let (number, slug) = name
            .split_once('-')
            .and_then(|(number, slug)| Some((number.parse().ok()?, slug)))
            .ok_or_else(|| ArticleError::Name(name.to_owned()))?;
        let (header, rest) = text.split_once("\n\n").ok_or(ArticleError::Empty)?;
        let mut blocks = rest.split("\n\n").map(joined).filter(|b| !b.is_empty());
        let standfirst = spans(&blocks.next().ok_or(ArticleError::Empty)?)?;
        Ok(Self {
            number,
            slug: slug.to_owned(),
            title: value(header, "title")?,
            author: value(header, "author")?,
            section: value(header, "section")?,
            published: Published::parse(&value(header, "date")?)?,
            tags: value(header, "tags")?.split(',').map(|tag| tag.trim().to_owned()).collect(),
            caption: value(header, "caption")?,
            standfirst,
            body: blocks.map(|block| Block::parse(&block)).collect::<Result<_, _>>()?,
        })
    }

    /// Returns a news agency's copy of the article. The copy has another headline and author, and a paragraph
    /// of the agency replaces the last paragraph.
    pub(crate) fn wire(&self, agency: &Agency) -> Self {
        let mut body = self.body.clone();
        body.pop();
        body.push(Block::Paragraph(vec![Span::Text(agency.tail.to_owned())]));
        Self {
            number: self.number + 6000,
            slug: format!("{}-{}", agency.slug, self.slug),
            title: format!("{}: {}", agency.name, self.title),
            author: agency.name.to_owned(),
            body,
            ..self.clone()
        }
    }

    /// Returns the gold text: standfirst and paragraphs, without marks and without subheadings.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let body = self.body.iter().filter_map(|block| match block {
            Block::Paragraph(spans) => Some(plain(spans)),
            Block::Subheading(_) => None,
        });
        std::iter::once(plain(&self.standfirst)).chain(body).collect()
    }

    pub(crate) fn subheadings(&self) -> Vec<String> {
        let headings = self.body.iter().filter_map(|block| match block {
            Block::Subheading(text) => Some(text.clone()),
            Block::Paragraph(_) => None,
        });
        headings.collect()
    }
}

impl Block {
    fn parse(text: &str) -> Result<Self, ArticleError> {
        match text.strip_prefix("## ") {
            Some(heading) => Ok(Self::Subheading(heading.trim().to_owned())),
            None => spans(text).map(Self::Paragraph),
        }
    }
}

impl Published {
    pub(crate) fn parse(text: &str) -> Result<Self, ArticleError> {
        let bad = || ArticleError::Date(text.to_owned());
        let moment: Timestamp = text.parse().map_err(|_| bad())?;
        let local: DateTime = text.get(..19).and_then(|t| t.parse().ok()).ok_or_else(bad)?;
        Ok(Self { iso: text.to_owned(), moment, local })
    }

    pub(crate) fn later(&self, minutes: i64) -> DateTime {
        let later = self.local.checked_add(jiff::Span::new().minutes(minutes));
        later.unwrap_or(self.local)
    }
}

pub(crate) fn plain(spans: &[Span]) -> String {
    let text = spans.iter().map(|span| match span {
        Span::Text(text) | Span::Italic(text) | Span::Bold(text) | Span::Link { text, .. } => text.as_str(),
    });
    text.collect()
}

fn value(header: &str, key: &'static str) -> Result<String, ArticleError> {
    let found = header.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    });
    found.ok_or(ArticleError::Missing(key))
}

fn joined(block: &str) -> String {
    let words: Vec<_> = block.split_whitespace().collect();
    words.join(" ")
}

fn spans(text: &str) -> Result<Vec<Span>, ArticleError> {
    let mut spans = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['*', '[']) {
        if at > 0 {
            spans.push(Span::Text(rest[..at].to_owned()));
        }
        let (span, left) = marked(&rest[at..]).ok_or_else(|| ArticleError::Unclosed(text.to_owned()))?;
        spans.push(span);
        rest = left;
    }
    if !rest.is_empty() {
        spans.push(Span::Text(rest.to_owned()));
    }
    Ok(spans)
}

fn marked(text: &str) -> Option<(Span, &str)> {
    if let Some(bold) = text.strip_prefix("**") {
        let (inner, rest) = bold.split_once("**")?;
        return Some((Span::Bold(inner.to_owned()), rest));
    }
    if let Some(italic) = text.strip_prefix('*') {
        let (inner, rest) = italic.split_once('*')?;
        return Some((Span::Italic(inner.to_owned()), rest));
    }
    let (inner, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (target, rest) = rest.split_once(')')?;
    let link = Span::Link { text: inner.to_owned(), target: target.to_owned() };
    Some((link, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str =
        "title: T\nauthor: A\nsection: s\ndate: 2026-11-20T09:30:00+07:00\ntags: a, b\ncaption: C\n\n";

    #[test]
    fn marks_are_taken_apart_and_gone_from_the_gold_text() {
        let text = format!("{HEADER}Lead.\n\nOne *two* **three**\n[four](4).\n\n## Head\n\nLast.\n");
        let article = Article::parse("07-a-slug", &text).unwrap();
        assert_eq!((article.number, article.slug.as_str(), article.tags.len()), (7, "a-slug", 2));
        assert_eq!(article.paragraphs(), ["Lead.", "One two three four.", "Last."]);
        assert_eq!(article.subheadings(), ["Head"]);
        let Block::Paragraph(spans) = &article.body[0] else {
            panic!("a paragraph comes first");
        };
        assert_eq!(spans[1], Span::Italic("two".into()));
        assert_eq!(spans[3], Span::Bold("three".into()));
    }

    #[test]
    fn a_date_keeps_the_papers_own_clock() {
        let date = Published::parse("2026-11-20T23:50:00+07:00").unwrap();
        assert_eq!(date.moment.to_string(), "2026-11-20T16:50:00Z");
        assert_eq!(date.later(15).to_string(), "2026-11-21T00:05:00");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("07", format!("{HEADER}x"), ArticleError::Name("07".into())),
            ("07-s", "title: T\n\nx".into(), ArticleError::Missing("author")),
            ("07-s", HEADER.into(), ArticleError::Empty),
            ("07-s", format!("{HEADER}a *b"), ArticleError::Unclosed("a *b".into())),
            (
                "07-s",
                format!("{HEADER}x").replace("+07:00", ""),
                ArticleError::Date("2026-11-20T09:30:00".into()),
            ),
        ];
        for (name, text, error) in cases {
            assert_eq!(Article::parse(name, &text), Err(error), "{name}: {text}");
        }
    }
}
