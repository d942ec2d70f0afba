//! Defines the rules by which a user excludes URLs of a site.
//!
//! | rule | applies to | excludes |
//! |---|---|---|
//! | `exclude` | all URLs except seeds | URLs that match one of the patterns |
//! | `sections` | pages | URLs that are not at or below one of the paths |
//! | `include` | pages | URLs that match none of the patterns |
//! | `published_after` | pages whose address does not look like a section | articles known to be older |
//!
//! The last three rules do not apply to feeds and sitemaps, because these only list other URLs. Patterns are
//! regular expressions that may match anywhere in the canonical URL, as in Scrapy, Heritrix and Fundus. Glob
//! patterns would not suffice, because many sites distinguish articles only by a number.
//!
//! The date that a feed or sitemap states may be the date of the last change. If the stated date is before
//! the first wanted day, the article is older than that day. If the stated date is later, the age of the
//! article is unknown. The day begins at midnight in the easternmost time zone, where it begins first.

use crate::{CanonicalUrl, FoundUrl, Role, UrlRefusal, shape};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use regex::RegexSet;
use thiserror::Error;

/// The offset of the time zone where a day begins first.
const EARLIEST_ZONE: SignedDuration = SignedDuration::from_hours(14);

/// The rules of a site as the user wrote them. The default has no rules.
#[derive(Debug, Clone, Default)]
pub struct SiteLimits {
    /// Paths with a leading slash. Only pages at or below one of them are fetched. If empty, all pages are fetched.
    pub sections: Vec<String>,
    /// Regular expressions. Only pages that match one of them are fetched. If empty, all pages are fetched.
    pub include: Vec<String>,
    /// Regular expressions. URLs that match one of them are not fetched.
    pub exclude: Vec<String>,
    /// The first wanted day of publication. `None` if all days are wanted.
    pub published_after: Option<Date>,
}

/// The compiled rules of a site. The default excludes nothing.
#[derive(Debug, Clone)]
pub struct SiteRules {
    /// Canonical paths without a final slash. The empty path means the whole site.
    sections: Vec<String>,
    include: RegexSet,
    exclude: RegexSet,
    /// The first wanted day, and the time at which this day begins in the easternmost time zone.
    first: Option<(Date, Timestamp)>,
}

/// A pattern or path that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{list}: \"{text}\": {reason}")]
pub struct PatternError {
    /// The name of the list: `sections`, `include` or `exclude`.
    pub list: &'static str,
    /// The pattern or path as the user wrote it.
    pub text: String,
    /// Why the pattern or path cannot be used, on one line.
    pub reason: String,
}

impl Default for SiteRules {
    fn default() -> Self {
        Self { sections: Vec::new(), include: RegexSet::empty(), exclude: RegexSet::empty(), first: None }
    }
}

impl SiteRules {
    /// Compiles the rules.
    ///
    /// # Errors
    /// A path or pattern cannot be used. The error describes the first such path or pattern.
    ///
    /// ```
    /// use gleaner_frontier::{CanonicalUrl, FoundUrl, Role, SiteLimits, SiteRules};
    ///
    /// let limits = SiteLimits { sections: vec!["/news".into()], ..SiteLimits::default() };
    /// let rules = SiteRules::new(&limits)?;
    /// let url = CanonicalUrl::parse("https://www.bbc.com/sport").expect("a valid address");
    /// let found = FoundUrl { url, role: Role::Page, dated: None, news: false };
    /// assert_eq!(rules.refusal(&found).map(|refusal| refusal.label()).as_deref(), Some("excluded: outside sections"));
    /// # Ok::<(), gleaner_frontier::PatternError>(())
    /// ```
    pub fn new(limits: &SiteLimits) -> Result<Self, PatternError> {
        let begins = |day: Date| {
            let midnight = day.to_zoned(TimeZone::UTC).ok()?.timestamp();
            Some((day, midnight.checked_sub(EARLIEST_ZONE).ok()?))
        };
        Ok(Self {
            sections: limits.sections.iter().map(|path| section(path)).collect::<Result<_, _>>()?,
            include: patterns("include", &limits.include)?,
            exclude: patterns("exclude", &limits.exclude)?,
            first: limits.published_after.and_then(begins),
        })
    }

    /// Returns why a URL of the site is not fetched, or `None` if the rules allow it.
    #[must_use]
    pub fn refusal(&self, found: &FoundUrl) -> Option<UrlRefusal> {
        let FoundUrl { url, role, dated, .. } = found;
        if *role == Role::Front {
            return None;
        }
        let excluded = |rule: String| Some(UrlRefusal::Excluded { rule });
        if let Some(pattern) = self.exclude.matches(url.as_str()).iter().next() {
            return excluded(format!("exclude {}", self.exclude.patterns()[pattern]));
        }
        if matches!(role, Role::Feed | Role::Sitemap) {
            return None;
        }
        if !self.sections.is_empty() && !self.sections.iter().any(|section| is_below(url, section)) {
            return excluded("outside sections".into());
        }
        if !self.include.is_empty() && !self.include.is_match(url.as_str()) {
            return excluded("no include matches".into());
        }
        let (day, begins) = self.first.filter(|_| !shape::looks_like_section(url))?;
        let is_older = dated.is_some_and(|dated| dated < begins)
            || shape::latest_day(url).is_some_and(|published| published < day);
        if is_older { excluded(format!("published before {day}")) } else { None }
    }
}

fn section(path: &str) -> Result<String, PatternError> {
    let bad = |reason: String| PatternError { list: "sections", text: path.to_owned(), reason };
    if !path.starts_with('/') {
        return Err(bad("a section begins with /, such as /news".into()));
    }
    let url = CanonicalUrl::parse(&format!("https://a.example{path}"))
        .map_err(|refusal| bad(format!("not a path: {refusal}")))?;
    Ok(url.path().trim_end_matches('/').to_owned())
}

fn is_below(url: &CanonicalUrl, section: &str) -> bool {
    let rest = url.path().strip_prefix(section);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn patterns(list: &'static str, texts: &[String]) -> Result<RegexSet, PatternError> {
    for text in texts {
        regex::Regex::new(text).map_err(|error| PatternError {
            list,
            text: text.clone(),
            reason: in_one_line(&error),
        })?;
    }
    RegexSet::new(texts).map_err(|error| PatternError {
        list,
        text: texts.join(" "),
        reason: in_one_line(&error),
    })
}

/// Returns the last line of a syntax error, which says what is wrong. The other lines only show the position.
fn in_one_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default().trim();
    format!("not a valid regular expression: {}", last.trim_start_matches("error: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(sections: &[&str], include: &[&str], exclude: &[&str], day: &str) -> SiteLimits {
        let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        SiteLimits {
            sections: owned(sections),
            include: owned(include),
            exclude: owned(exclude),
            published_after: day.parse().ok(),
        }
    }

    fn label(rules: &SiteRules, role: Role, address: &str, dated: Option<&str>) -> String {
        let url = CanonicalUrl::parse(address).unwrap();
        let dated = dated.map(|text| text.parse().unwrap());
        let refusal = rules.refusal(&FoundUrl { url, role, dated, news: false });
        refusal.map(|refusal| refusal.label().into_owned()).unwrap_or_default()
    }

    #[test]
    fn rules_apply_by_role() {
        let rules = SiteRules::new(&limits(
            &["/news", "/thể-thao/"],
            &["/news$", r"-\d+"],
            &["/live/", "sitemap-old"],
            "",
        ));
        let rules = rules.unwrap();
        let outside = "excluded: outside sections";
        for (role, path, expected) in [
            (Role::Page, "news/a-1", ""),
            (Role::Section, "news", ""),
            (Role::Section, "news/asia", "excluded: no include matches"),
            (Role::Page, "newsletter-1", outside),
            (Role::Page, "th%E1%BB%83-thao/b-2", ""),
            (Role::Page, "sport/a-1", outside),
            (Role::Page, "news/live/a-1", "excluded: exclude /live/"),
            (Role::Front, "live/", ""),
            (Role::Feed, "sport/rss.xml", ""),
            (Role::Feed, "live/rss.xml", "excluded: exclude /live/"),
            (Role::Sitemap, "sitemap.xml", ""),
            (Role::Sitemap, "sitemap-old.xml", "excluded: exclude sitemap-old"),
        ] {
            assert_eq!(label(&rules, role, &format!("https://www.a.vn/{path}"), None), expected, "{path}");
        }
    }

    #[test]
    fn what_is_known_to_be_older_is_excluded() {
        let rules = SiteRules::new(&limits(&[], &[], &[], "2026-01-01")).unwrap();
        let old = "excluded: published before 2026-01-01";
        for (role, path, dated, expected) in [
            (Role::Page, "2025/12/31/a", None, old),
            (Role::Page, "2026/01/01/a", None, ""),
            (Role::Page, "2025/12/a-title", None, old),
            (Role::Page, "a-title-in-five-words-1", Some("2025-12-31T09:59:59Z"), old),
            // The first wanted day has already begun in some time zone.
            (Role::Page, "a-title-in-five-words-1", Some("2025-12-31T10:00:00Z"), ""),
            (Role::Page, "2025/12/31/a", Some("2026-03-01T00:00:00Z"), old),
            (Role::Page, "world", Some("2019-01-01T00:00:00Z"), ""),
            (Role::Page, "a-title-in-five-words-1", None, ""),
            (Role::Section, "2025/12/31/a", None, old),
            (Role::Sitemap, "sitemap-2019.xml", Some("2019-01-01T00:00:00Z"), ""),
            (Role::Feed, "2019/05/31/rss.xml", Some("2019-01-01T00:00:00Z"), ""),
            (Role::Front, "2019/05/31/", None, ""),
        ] {
            let address = format!("https://a.vn/{path}");
            assert_eq!(label(&rules, role, &address, dated), expected, "{path} {dated:?}");
        }
    }

    #[test]
    fn a_bad_pattern_is_named() {
        for (limits, expected) in [
            (
                limits(&[], &["/a", "(b"], &[], ""),
                "include: \"(b\": not a valid regular expression: unclosed group",
            ),
            (
                limits(&[], &[], &["*"], ""),
                "exclude: \"*\": not a valid regular expression: repetition operator",
            ),
            (limits(&["news"], &[], &[], ""), "sections: \"news\": a section begins with /"),
        ] {
            let message = SiteRules::new(&limits).unwrap_err().to_string();
            assert!(message.starts_with(expected) && !message.contains('\n'), "{message}");
        }
        let large = limits(&[], &[r"\w{1000}{1000}"], &[], "");
        let message = SiteRules::new(&large).unwrap_err().to_string();
        assert!(message.contains("size limit") && !message.contains('\n'), "{message}");
    }
}
