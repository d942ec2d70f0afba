//! Options that select documents: `gleaner export` and `gleaner stats`.

use std::str::FromStr;

use clap::builder::NonEmptyStringValueParser;
use gleaner_corpus::Purpose;
use gleaner_corpus::condition::FIGURES;
use gleaner_corpus::query::{TEXT_FIELDS, TIME_FIELDS};

#[derive(Debug, Default, PartialEq, Eq, clap::Args)]
pub(crate) struct Selection {
    /// Only documents of this host, or the host of this URL, and its subdomains; repeatable
    #[arg(long)]
    pub(crate) host: Vec<String>,
    /// No documents of this host, or the host of this URL, and its subdomains; repeatable
    #[arg(long, value_name = "HOST")]
    pub(crate) exclude_host: Vec<String>,
    /// No documents whose URL matches this regular expression, such as '/live/'; repeatable
    #[arg(long, value_name = "REGEX")]
    pub(crate) exclude_url: Vec<String>,
    /// Only documents in this language, such as vi; repeatable
    #[arg(long, value_name = "TAG")]
    pub(crate) language: Vec<String>,
    /// Only documents fetched in or after this year, month, day or time (UTC), or since the earlier
    /// export in this folder
    #[arg(long, value_name = "DATE|DIR")]
    pub(crate) since: Option<String>,
    /// Only documents fetched before this year, month, day or time (UTC)
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// Only documents published in or after this year, month, day or time (UTC); excludes those
    /// without a date
    #[arg(long, value_name = "DATE")]
    pub(crate) published_from: Option<String>,
    /// Only documents published up to this time (UTC), or to the end of this year, month or day;
    /// excludes those without a date
    #[arg(long, value_name = "DATE")]
    pub(crate) published_to: Option<String>,
    /// Only documents whose title contains this text, in upper or lower case; without diacritics,
    /// it also finds letters with them; repeatable, one text must match
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) title: Vec<String>,
    /// Only documents whose section contains this text, as in --title; repeatable, one
    /// text must match
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) section: Vec<String>,
    /// Only documents with an author whose name contains this text, as in --title;
    /// repeatable, one text must match
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) author: Vec<String>,
    /// Only documents with a keyword that contains this text, as in --title; repeatable, one
    /// text must match
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) tag: Vec<String>,
    /// Only documents whose site and page do not disallow this use: train-ai, search, ai-input or tdm;
    /// repeatable, all must hold. A document about which nothing is stated, or that was stored by an older
    /// version, is selected
    #[arg(long, value_name = "USE", value_parser = Purpose::from_str)]
    pub(crate) allowed: Vec<Purpose>,
    /// Only documents whose site or page explicitly allows this use; repeatable, all must hold. A
    /// document about which nothing is stated is left out
    #[arg(long, value_name = "USE", value_parser = Purpose::from_str)]
    pub(crate) explicitly_allowed: Vec<Purpose>,
    /// Only documents from whose page robots.txt does not bar this crawler, one of corpus.agents;
    /// repeatable, all must hold
    #[arg(long, value_name = "CRAWLER", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) not_barred: Vec<String>,
    /// Only documents that meet this condition, such as 'words>=100 and not section=Sport'; repeatable.
    /// The fields are listed below
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<String>,
}

/// Describes dates and conditions for the help of commands with a [`Selection`].
pub(super) fn selection_help() -> String {
    let figures = FIGURES.map(|(name, _, meaning)| format!("  {name:<20} {meaning}\n"));
    format!(
        "A DATE is a year (2026), a month (2026-11), a day (2026-11-20), a time (2026-11-20T02:30:00Z) or an age (7d: \
seven days ago; also weeks, hours and minutes: 2w, 36h, 90m). fetched>=7d is the last seven days.

Conditions for --where are joined by and, or, not and parentheses. A document without a section does not meet \
section=Sport, and meets section!=Sport and not section=Sport. A document without a figure, such as confidence, meets \
all conditions on it. Texts are compared with = != or ~ (contains), as in --title, and need quotation marks if they have \
spaces: {}. Times are DATEs, compared with = != < <= > or >= (ages not with = or !=): {}. So are figures, of which shares are 0 to 1:
{}",
        TEXT_FIELDS.join(", "),
        TIME_FIELDS.join(", "),
        figures.concat()
    )
}
