//! Options of `gleaner urls`.

use std::str::FromStr;

use clap::ValueEnum;
use gleaner_frontier::Outcome;

use super::operations::number;

pub(super) const URLS_HELP: &str = "An OUTCOME is a word such as not_article, or a word with its reason such as \
'not_article: hub' or 'gone: http_404'. The URLs without an outcome are those that no visit has ended for: they wait \
for a request, a retry or a template. The report and `gleaner doctor HOST` count visits, not URLs. \
`gleaner doctor URL` explains one URL. The command also works during a crawl.

Examples:
  gleaner urls --outcome not_article --host vnexpress.net
  gleaner urls --outcome 'gone: http_404' --format csv > missing.csv
  gleaner urls --outcome failed --outcome rejected --limit 20
  gleaner urls --outcome none --format jsonl";

#[derive(Debug, clap::Args)]
pub(crate) struct Urls {
    /// List only URLs whose last visit had this outcome, or with none, URLs without an outcome; repeatable
    #[arg(long, value_name = "OUTCOME", value_parser = WantedOutcome::from_str)]
    pub(crate) outcome: Vec<WantedOutcome>,
    /// List only URLs of this host, or the host of this URL, and its subdomains; repeatable
    #[arg(long)]
    pub(crate) host: Vec<String>,
    /// List only the N URLs that were visited last, the newest first; 0 for all, in no particular order
    /// [default: 100 in a table, otherwise 0]
    #[arg(long, value_name = "N", value_parser = number::<0>)]
    pub(crate) limit: Option<u64>,
    /// Output format
    #[arg(long, value_enum, default_value_t = UrlFormat::Table)]
    pub(crate) format: UrlFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UrlFormat {
    /// A table for people
    Table,
    /// CSV with a header line
    Csv,
    /// One JSON object per line
    Jsonl,
}

/// The outcomes that the user wants to see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WantedOutcome {
    /// No visit has ended.
    None,
    /// A label such as `not_article`, or a reason such as `not_article: hub`.
    Reason(String),
}

impl WantedOutcome {
    /// Returns the label of a wanted reason, such as `gone` of `gone: http_404`.
    pub(crate) fn label_of_reason(&self) -> Option<&str> {
        match self {
            Self::None => None,
            Self::Reason(reason) => reason.split_once(": ").map(|(label, _)| label),
        }
    }

    pub(crate) fn matches(&self, outcome: Option<&Outcome>) -> bool {
        match (self, outcome) {
            (Self::None, outcome) => outcome.is_none(),
            (Self::Reason(wanted), Some(outcome)) => wanted == outcome.label() || *wanted == outcome.reason(),
            (Self::Reason(_), None) => false,
        }
    }
}

impl FromStr for WantedOutcome {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (label, reason) =
            text.split_once(':').map_or((text, None), |(label, reason)| (label, Some(reason)));
        match reason {
            None if label == "none" => Ok(Self::None),
            None if Outcome::LABELS.contains(&label) => Ok(Self::Reason(label.to_owned())),
            Some(reason) if Outcome::LABELS.contains(&label) => {
                Ok(Self::Reason(format!("{label}: {}", reason.trim_start())))
            }
            _ => Err(format!("the outcomes are none, {}", Outcome::LABELS.join(", "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_wanted_by_its_label_or_its_reason() {
        let hub = Outcome::NotArticle { reason: "hub".into() };
        for (text, matches) in [
            ("not_article", true),
            ("not_article: hub", true),
            ("not_article:hub", true),
            ("not_article: shop", false),
            ("gone", false),
            ("none", false),
        ] {
            let wanted: WantedOutcome = text.parse().unwrap();
            assert_eq!(wanted.matches(Some(&hub)), matches, "{text}");
            assert_eq!(wanted.matches(None), text == "none", "{text}");
        }
        assert!("hub".parse::<WantedOutcome>().unwrap_err().contains("none, stored, "));
    }
}
