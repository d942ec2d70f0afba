//! Parses and evaluates conditions on a document's measured values (figures), such as `words>=100`.
//!
//! If a document lacks the figure, the condition holds. For example, some extraction methods do not estimate
//! a confidence, and most languages have no stop-word list.

use std::fmt;
use std::str::FromStr;

/// The figures that a condition can use, with their greatest values and descriptions.
pub const FIGURES: [(&str, f64, &str); 9] = [
    ("words", f64::MAX, "words of the text"),
    ("sentence_length", f64::MAX, "mean words per sentence"),
    ("stop_word_share", 1.0, "share of the words that are stop words (vi and en)"),
    ("repeated_line_share", 1.0, "share of the lines that repeat an earlier one"),
    ("symbol_share", 1.0, "share of the characters that are neither letters nor digits"),
    ("confidence", 1.0, "confidence of the extraction"),
    ("similarity", 1.0, "similarity to the cluster's representative (with --members)"),
    ("near_duplicates", f64::MAX, "documents of its cluster without the representative"),
    ("language_probability", 1.0, "probability of the language"),
];

/// The comparison signs. Longer signs come first, so that `>=` is not read as `>`.
const SIGNS: [(&str, Sign); 5] =
    [(">=", Sign::AtLeast), ("<=", Sign::AtMost), (">", Sign::Above), ("<", Sign::Below), ("=", Sign::Equal)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    AtLeast,
    AtMost,
    Above,
    Below,
    Equal,
}

/// A condition: a figure, a comparison sign and a number.
///
/// ```
/// use gleaner_corpus::Condition;
/// let condition: Condition = " words >= 100".parse().unwrap();
/// assert_eq!(condition.to_string(), "words>=100");
/// let error = "length>=100".parse::<Condition>().unwrap_err();
/// assert!(error.contains("no figure \"length\"") && error.contains("words, sentence_length"));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    figure: &'static str,
    sign: Sign,
    number: f64,
}

impl Condition {
    /// Returns the condition that the extraction's confidence is at least `least`, 0 to 1.
    #[must_use]
    pub const fn confidence(least: f64) -> Self {
        Self { figure: "confidence", sign: Sign::AtLeast, number: least }
    }

    /// Returns the name of the condition's figure.
    #[must_use]
    pub const fn figure(&self) -> &'static str {
        self.figure
    }

    /// Whether the condition holds. `figures` returns a figure by name, or `None` if the document lacks it.
    /// If the document lacks the figure, the condition holds.
    pub fn holds(&self, figures: impl Fn(&str) -> Option<f64>) -> bool {
        self.holds_if_known(figures).unwrap_or(true)
    }

    /// Whether the condition holds, or `None` if the document lacks the figure.
    pub fn holds_if_known(&self, figures: impl Fn(&str) -> Option<f64>) -> Option<bool> {
        figures(self.figure).map(|figure| match self.sign {
            Sign::AtLeast => figure >= self.number,
            Sign::AtMost => figure <= self.number,
            Sign::Above => figure > self.number,
            Sign::Below => figure < self.number,
            Sign::Equal => figure == self.number,
        })
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "write a figure, one of >= <= > < =, and a number, such as words>=100";
        let at = text.find(['<', '>', '=']).ok_or_else(|| format!("\"{text}\" compares nothing; {form}"))?;
        let (name, rest) = text.split_at(at);
        let name = name.trim();
        let names = || FIGURES.map(|(name, ..)| name).join(", ");
        let (figure, most, _) = FIGURES
            .into_iter()
            .find(|(known, ..)| *known == name)
            .ok_or_else(|| format!("\"{text}\": there is no figure \"{name}\"; there are {}", names()))?;
        let (sign, rest) = SIGNS
            .into_iter()
            .find_map(|(sign, meaning)| Some((meaning, rest.strip_prefix(sign)?)))
            .expect("the text was split before a sign");
        let number: Option<f64> = rest.trim().parse().ok().filter(|number: &f64| number.is_finite());
        let number =
            number.ok_or_else(|| format!("\"{text}\": \"{}\" is not a number; {form}", rest.trim()))?;
        if most <= 1.0 && !(0.0..=most).contains(&number) {
            return Err(format!("\"{text}\": {figure} is between 0 and 1, such as {figure}>=0.8"));
        }
        Ok(Self { figure, sign, number })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, _) =
            SIGNS.iter().find(|(_, meaning)| *meaning == self.sign).expect("every sign is in the list");
        write!(f, "{}{sign}{}", self.figure, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(name: &str) -> Option<f64> {
        match name {
            "words" => Some(13.0),
            "repeated_line_share" => Some(0.0),
            "confidence" => Some(0.87),
            _ => None,
        }
    }

    #[test]
    fn conditions_hold_or_do_not() {
        let cases = [
            ("words>=13", true),
            ("words>13", false),
            ("words<14", true),
            ("words<=12.5", false),
            ("words=13", true),
            ("confidence>=0.87", true),
            ("confidence>=0.88", false),
            ("repeated_line_share<=0", true),
            // A condition on a figure that the document lacks does not exclude the document.
            ("language_probability>=1", true),
        ];
        for (text, holds) in cases {
            let condition: Condition = text.parse().unwrap();
            assert_eq!(condition.holds(figures), holds, "{text}");
            assert_eq!(condition.to_string(), text);
        }
        assert!(!Condition::confidence(1.0).holds(figures));
    }

    #[test]
    fn wrong_conditions_say_what_is_wrong() {
        let cases = [
            ("words", "compares nothing"),
            ("", "compares nothing"),
            ("url=1", "no figure \"url\""),
            ("words=>1", "\">1\" is not a number"),
            ("words>=many", "\"many\" is not a number"),
            ("words>=NaN", "is not a number"),
            ("confidence>=86", "confidence is between 0 and 1"),
        ];
        for (text, part) in cases {
            let error = text.parse::<Condition>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
