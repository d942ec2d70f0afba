//! Interprets what a site and a page state about the use of a document.
//!
//! 1. Each [`Statement`] has a source and a name ([`FORMS`]), which determines how its value is read. Values that cannot
//!    be read and unknown labels state nothing, but all statements are kept as written.
//! 2. A label names purposes ([`LABELS`]). If a statement names no label for a purpose, its wider labels count, such as
//!    `bots` for all purposes.
//! 3. Of the statements of TDMRep, only those of the first source count that states something: the page, then the
//!    header, then tdmrep.json.
//! 4. For each purpose, the most restrictive statement counts: disallow, then allow, then unknown.
//!
//! docs/usage-preferences.md describes the specifications.

mod dictionary;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A purpose for which a document may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// Training of AI models that generate text or other content.
    TrainAi,
    /// Search with links to the page and short excerpts.
    Search,
    /// Input of a model at the time of a request, as in answers that cite pages.
    AiInput,
    /// Text and data mining.
    Tdm,
}

use Purpose::{AiInput, Search, Tdm, TrainAi};

impl Purpose {
    /// All purposes.
    pub const ALL: [Self; 4] = [TrainAi, Search, AiInput, Tdm];

    /// Returns the name in settings and options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TrainAi => "train-ai",
            Search => "search",
            AiInput => "ai-input",
            Tdm => "tdm",
        }
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Purpose {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let known = Self::ALL.into_iter().find(|purpose| purpose.name() == text);
        known.ok_or_else(|| format!("there is no purpose \"{text}\"; there are {}", names()))
    }
}

/// What is stated about a purpose. A later one is more restrictive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preference {
    /// Nothing is stated.
    #[default]
    Unknown,
    /// The use is allowed.
    Allow,
    /// The use is not allowed.
    Disallow,
}

impl Preference {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Unknown, Self::Allow, Self::Disallow];

    /// Returns the name in exports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Allow => "allow",
            Self::Disallow => "disallow",
        }
    }

    /// Returns the value with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preference| preference.name() == name)
    }
}

/// What was stated about the use of a document when it was fetched. The default is that nothing was stated, or that
/// nothing was read. A store keeps the default in one byte.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<StoredUsage>", into = "Option<StoredUsage>")]
pub struct Usage {
    /// Whether the document may be used to train generative AI models.
    pub use_train_ai: Preference,
    /// Whether search engines may use the document.
    pub use_search: Preference,
    /// Whether the document may be the input of AI models.
    pub use_ai_input: Preference,
    /// Whether the document may be used for text and data mining.
    pub use_tdm: Preference,
    /// The statements as written, each after its source and name.
    pub use_statements: Vec<String>,
    /// The crawlers of `corpus.agents` that robots.txt bars from the page.
    pub barred_agents: Vec<String>,
    /// `WARC-Date` of the robots.txt in force.
    pub robots_fetched: Option<Timestamp>,
    /// `WARC-Date` of the tdmrep.json in force.
    pub tdmrep_fetched: Option<Timestamp>,
}

/// The stored form of [`Usage`]: the preferences as digits of one number, texts, and times in microseconds. The fields are
/// stored by position, so a new field must be last and have a default.
#[derive(Clone, Serialize, Deserialize)]
struct StoredUsage {
    preferences: u8,
    statements: Vec<String>,
    barred: Vec<String>,
    robots: Option<i64>,
    tdmrep: Option<i64>,
}

impl From<Usage> for Option<StoredUsage> {
    fn from(usage: Usage) -> Self {
        if usage == Usage::default() {
            return None;
        }
        let digits = Purpose::ALL.map(|purpose| usage.preference(purpose) as u8);
        let micros = |time: Timestamp| time.as_microsecond();
        Some(StoredUsage {
            preferences: digits.into_iter().fold(0, |number, digit| number * 3 + digit),
            robots: usage.robots_fetched.map(micros),
            tdmrep: usage.tdmrep_fetched.map(micros),
            statements: usage.use_statements,
            barred: usage.barred_agents,
        })
    }
}

impl From<Option<StoredUsage>> for Usage {
    fn from(stored: Option<StoredUsage>) -> Self {
        let Some(stored) = stored else { return Self::default() };
        let time = |micros: i64| Timestamp::from_microsecond(micros).ok();
        let mut usage = Self {
            use_statements: stored.statements,
            barred_agents: stored.barred,
            robots_fetched: stored.robots.and_then(time),
            tdmrep_fetched: stored.tdmrep.and_then(time),
            ..Self::default()
        };
        let mut rest = stored.preferences;
        for purpose in Purpose::ALL.into_iter().rev() {
            *usage.preference_mut(purpose) = Preference::ALL[usize::from(rest % 3)];
            rest /= 3;
        }
        usage
    }
}

/// Where a statement comes from. Of the statements of TDMRep, those of an earlier source count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A `<meta>` or `<link>` element of the page.
    Page,
    /// A header of the response.
    Header,
    /// The host's tdmrep.json.
    TdmRep,
    /// The host's robots.txt.
    Robots,
}

impl Source {
    const fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Header => "header",
            Self::TdmRep => "tdmrep.json",
            Self::Robots => "robots.txt",
        }
    }
}

/// A statement about the use of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement<'a> {
    /// Where it comes from.
    pub source: Source,
    /// Its name, such as `Content-Usage`, in upper or lower case. Other names state nothing.
    pub name: &'a str,
    /// The pattern of the paths to which it applies, if the statement has one.
    pub path: Option<&'a str>,
    /// Its value, as written.
    pub value: Cow<'a, str>,
}

/// How a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A dictionary of structured fields with the tokens `y` and `n`.
    Dictionary,
    /// A list of `label=yes` and `label=no`.
    Signals,
    /// 1 if the rights of text and data mining are reserved, 0 if they are not.
    Reservation,
    /// Directives for crawlers. Only `noai` states something, and only `noai` and `noimageai` are kept.
    Directives,
    /// A text that is only kept.
    Text,
}

/// The names of statements, each with its form.
const FORMS: [(&str, Form); 7] = [
    ("content-usage", Form::Dictionary),
    ("content-signal", Form::Signals),
    ("tdm-reservation", Form::Reservation),
    ("tdm-policy", Form::Text),
    ("robots", Form::Directives),
    ("x-robots-tag", Form::Directives),
    ("license", Form::Text),
];

/// A label, the purposes that it names, and the wider ones.
type Label = (&'static str, &'static [Purpose], &'static [Purpose]);

/// The labels of dictionaries and signals. A label also concerns its wider purposes if the statement has no label that
/// names them. Add the labels of new drafts here.
const LABELS: [Label; 12] = [
    ("train-ai", &[TrainAi], &[]),
    ("train-genai", &[TrainAi], &[]),
    ("ai-train", &[TrainAi], &[]),
    ("ai", &[TrainAi], &[]),
    ("genai", &[TrainAi], &[]),
    ("search", &[Search], &[]),
    ("ai-use", &[AiInput], &[]),
    ("ai-input", &[AiInput], &[]),
    ("ai-output", &[AiInput], &[]),
    ("tdm", &[Tdm], &[TrainAi]),
    ("bots", &[], &Purpose::ALL),
    ("all", &[], &Purpose::ALL),
];

/// Maximum number of statements that are kept with a document. The others count too.
const MAX_STATEMENTS: usize = 20;
/// Maximum length of a kept statement in characters.
const MAX_STATEMENT_LENGTH: usize = 300;

impl Usage {
    /// Interprets statements. The result has no barred crawlers and no times.
    #[must_use]
    pub fn from_statements<'a>(statements: impl IntoIterator<Item = Statement<'a>>) -> Self {
        let mut usage = Self::default();
        let mut reservation: Option<(Source, Preference)> = None;
        for statement in statements {
            let is_it = |(name, _): &&(&str, Form)| statement.name.eq_ignore_ascii_case(name);
            let Some((_, form)) = FORMS.iter().find(is_it) else { continue };
            let value = statement.value.trim();
            match form {
                Form::Dictionary => usage.apply_labels(&dictionary_labels(value)),
                Form::Signals => usage.apply_labels(&signal_labels(value)),
                Form::Directives if has_directive(value, "noai") => {
                    usage.restrict(TrainAi, Preference::Disallow);
                }
                Form::Directives if !has_directive(value, "noimageai") => continue,
                Form::Reservation => {
                    let stated = reserved(value).map(|preference| (statement.source, preference));
                    reservation = strongest(reservation, stated);
                }
                Form::Directives | Form::Text => {}
            }
            usage.keep(&statement);
        }
        if let Some((_, preference)) = reservation {
            usage.restrict(Tdm, preference);
        }
        usage
    }

    /// Returns what is stated about a purpose.
    #[must_use]
    pub const fn preference(&self, purpose: Purpose) -> Preference {
        match purpose {
            TrainAi => self.use_train_ai,
            Search => self.use_search,
            AiInput => self.use_ai_input,
            Tdm => self.use_tdm,
        }
    }

    /// Returns the purposes about which something is stated.
    pub fn stated(&self) -> impl Iterator<Item = (Purpose, Preference)> + use<> {
        let all = Purpose::ALL.map(|purpose| (purpose, self.preference(purpose)));
        all.into_iter().filter(|(_, preference)| *preference != Preference::Unknown)
    }

    const fn preference_mut(&mut self, purpose: Purpose) -> &mut Preference {
        match purpose {
            TrainAi => &mut self.use_train_ai,
            Search => &mut self.use_search,
            AiInput => &mut self.use_ai_input,
            Tdm => &mut self.use_tdm,
        }
    }

    fn restrict(&mut self, purpose: Purpose, preference: Preference) {
        let known = self.preference_mut(purpose);
        *known = preference.max(*known);
    }

    /// Applies the labels of one statement.
    fn apply_labels(&mut self, labels: &[(&str, Preference)]) {
        let strictest = |is_about: &dyn Fn(&Label) -> bool| {
            let about =
                |(label, _): &&(&str, Preference)| LABELS.iter().any(|row| row.0 == *label && is_about(row));
            labels.iter().filter(about).map(|(_, preference)| *preference).max()
        };
        for purpose in Purpose::ALL {
            let named = strictest(&|(_, named, _)| named.contains(&purpose));
            let stated = named.or_else(|| strictest(&|(.., wider)| wider.contains(&purpose)));
            self.restrict(purpose, stated.unwrap_or_default());
        }
    }

    fn keep(&mut self, statement: &Statement<'_>) {
        if self.use_statements.len() == MAX_STATEMENTS {
            return;
        }
        let path = statement.path.map(|path| format!("{path} ")).unwrap_or_default();
        let Statement { source, name, value, .. } = statement;
        let text = format!("{} {name}: {path}{}", source.name(), value.trim());
        let text: String = text.chars().take(MAX_STATEMENT_LENGTH).collect();
        if !self.use_statements.contains(&text) {
            self.use_statements.push(text);
        }
    }
}

fn strongest(
    known: Option<(Source, Preference)>,
    stated: Option<(Source, Preference)>,
) -> Option<(Source, Preference)> {
    match (known, stated) {
        (Some(known), Some(stated)) if known.0 == stated.0 => Some((known.0, known.1.max(stated.1))),
        (Some(known), Some(stated)) => Some(if stated.0 < known.0 { stated } else { known }),
        (known, stated) => known.or(stated),
    }
}

fn dictionary_labels(value: &str) -> Vec<(&str, Preference)> {
    let members = dictionary::parse(value).unwrap_or_default();
    let labels = LABELS.iter().filter_map(|(label, ..)| {
        let preference = match dictionary::value_of(&members, label)? {
            "y" => Preference::Allow,
            "n" => Preference::Disallow,
            _ => return None,
        };
        Some((*label, preference))
    });
    labels.collect()
}

fn signal_labels(value: &str) -> Vec<(&'static str, Preference)> {
    let signals = value.split(',').filter_map(|signal| {
        let (label, value) = signal.split_once('=')?;
        let (label, value) = (label.trim(), value.trim());
        let (label, ..) = LABELS.iter().find(|(known, ..)| label.eq_ignore_ascii_case(known))?;
        let preference = match value {
            _ if value.eq_ignore_ascii_case("yes") => Preference::Allow,
            _ if value.eq_ignore_ascii_case("no") => Preference::Disallow,
            _ => return None,
        };
        Some((*label, preference))
    });
    signals.collect()
}

fn reserved(value: &str) -> Option<Preference> {
    match value {
        "1" => Some(Preference::Disallow),
        "0" => Some(Preference::Allow),
        _ => None,
    }
}

fn has_directive(value: &str, wanted: &str) -> bool {
    value
        .split(|c: char| c.is_ascii_whitespace() || matches!(c, ',' | ';'))
        .any(|word| word.eq_ignore_ascii_case(wanted))
}
