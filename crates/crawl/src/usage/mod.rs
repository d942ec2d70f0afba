//! Collects what a site and a page state about the use of the page, at the time of the fetch.
//!
//! robots.txt and tdmrep.json are in the record of the host's robots.txt, headers and elements in the response. A replay
//! takes all of them from the archive ([`site_files`]), so it finds the same statements.
//! [`Usage::from_statements`] interprets them.

pub(crate) mod site_files;

use std::borrow::Cow;
use std::sync::Arc;

use gleaner_corpus::{Source, Statement, Usage};
use gleaner_fetch::{RobotsRecord, RobotsRules, RobotsState, RobotsUsage, TdmRules};
use gleaner_frontier::CanonicalUrl;
use gleaner_html::Page;
use gleaner_html::robots::directives_for;
use gleaner_html::usage::usage_elements;
use gleaner_store::{Store, StoreError, document_id};
use jiff::Timestamp;
use url::Url;

use crate::settings::Config;
use crate::visit::robots_path;

/// The headers that are statements as they are. Several lines of the first two are one statement.
const HEADERS: [&str; 4] = ["Content-Usage", "Content-Signal", "tdm-reservation", "tdm-policy"];

/// Maximum number of header lines with one name that are read.
const MAX_LINES: usize = 20;

/// What the files of a host state about the use of its pages. The default is that they state nothing.
#[derive(Debug, Default)]
pub(crate) struct SiteUsage {
    /// When the robots.txt was requested. The files are in force since then.
    since: Timestamp,
    robots: RobotsUsage,
    /// The rules for our crawler. A path that it must not request has no statements in robots.txt.
    ours: Arc<RobotsRules>,
    /// The crawlers of `corpus.agents`, each with its rules.
    agents: Vec<(String, Arc<RobotsRules>)>,
    robots_fetched: Option<Timestamp>,
    tdmrep: TdmRules,
    tdmrep_fetched: Option<Timestamp>,
}

/// The statements that apply to the response of a visit.
#[derive(Debug)]
pub(crate) enum UsageSource {
    /// Read the response. These are the files of its host.
    Response(Arc<SiteUsage>),
    /// The statements were read before, in the crawl.
    Known(Usage),
}

impl SiteUsage {
    pub(crate) fn new(record: &RobotsRecord, config: &Config) -> Self {
        let (product, agents) = (config.fetch.product(), &config.corpus.agents);
        let names: Vec<&str> = [product].into_iter().chain(agents.iter().map(String::as_str)).collect();
        let mut rules = record.rules_of(&names).into_iter();
        Self {
            since: record.at,
            robots: RobotsUsage::parse(record.text().unwrap_or_default().as_bytes(), product),
            ours: rules.next().unwrap_or_default(),
            agents: agents.iter().cloned().zip(rules).collect(),
            robots_fetched: matches!(record.state, RobotsState::Rules { .. }).then_some(record.at),
            tdmrep: record.tdmrep.as_ref().map(|file| TdmRules::parse(&file.text)).unwrap_or_default(),
            tdmrep_fetched: record.tdmrep.as_ref().map(|file| file.at),
        }
    }

    /// Returns what is stated about the page at `url`. `agent` is our name.
    pub(crate) fn of_page(&self, url: &Url, page: &Page, headers: &[(String, String)], agent: &str) -> Usage {
        let path = robots_path(url);
        let robots = self.robots_statements(&path);
        let tdmrep = self.tdmrep_statements(&path);
        let (from_robots, from_tdmrep) = (!robots.is_empty(), !tdmrep.is_empty());
        let of_page = usage_elements(page, agent).into_iter().map(|(name, value)| Statement {
            source: Source::Page,
            name,
            path: None,
            value: value.into(),
        });
        let statements =
            robots.into_iter().chain(tdmrep).chain(header_statements(headers, agent)).chain(of_page);
        let is_barred = |(_, rules): &&(String, Arc<RobotsRules>)| !rules.verdict(&path).is_allowed();
        let barred_agents: Vec<String> =
            self.agents.iter().filter(is_barred).map(|(name, _)| name.clone()).collect();
        Usage {
            robots_fetched: self.robots_fetched.filter(|_| from_robots || !barred_agents.is_empty()),
            tdmrep_fetched: self.tdmrep_fetched.filter(|_| from_tdmrep),
            barred_agents,
            ..Usage::from_statements(statements)
        }
    }

    fn robots_statements(&self, path: &str) -> Vec<Statement<'_>> {
        let statement = |name, path, value: &'_ str| Statement {
            source: Source::Robots,
            name,
            path,
            value: value.to_owned().into(),
        };
        let lines = self.robots.lines_for(path).into_iter();
        let lines = lines.map(|line| statement(line.key, line.path.as_deref(), &line.value));
        let licenses = self.robots.licenses().iter().map(|license| statement("License", None, license));
        let statements: Vec<_> = lines.chain(licenses).collect();
        if statements.is_empty() || self.ours.verdict(path).is_allowed() { statements } else { Vec::new() }
    }

    fn tdmrep_statements(&self, path: &str) -> Vec<Statement<'_>> {
        let Some(rule) = self.tdmrep.rule_for(path) else { return Vec::new() };
        let values = [("tdm-reservation", &rule.reservation), ("tdm-policy", &rule.policy)];
        let statement = |(name, value): (&'static str, &Option<String>)| {
            let value = value.clone()?.into();
            Some(Statement { source: Source::TdmRep, name, path: Some(rule.location.as_str()), value })
        };
        values.into_iter().filter_map(statement).collect()
    }
}

impl UsageSource {
    /// Returns what is stated about the page of a response.
    pub(crate) fn of_page(&self, url: &Url, page: &Page, headers: &[(String, String)], agent: &str) -> Usage {
        match self {
            Self::Response(site) => site.of_page(url, page, headers, agent),
            Self::Known(usage) => usage.clone(),
        }
    }
}

/// Returns the statements about an archived page that is extracted again. Those in its document count, because the
/// files of its host may have changed. Without such a document, the response is read, with the files of the host (`site`)
/// if those of the fetch are still in force.
///
/// # Errors
/// The store cannot be read.
pub(crate) fn known_usage(
    store: &Store,
    site: Arc<SiteUsage>,
    url: &CanonicalUrl,
    fetched: Timestamp,
) -> Result<UsageSource, StoreError> {
    let document = match store.document(document_id(url.key())) {
        Err(StoreError::Lost { .. }) => None,
        read => read?.filter(|document| document.fetched == fetched && document.usage != Usage::default()),
    };
    Ok(match document {
        Some(document) => UsageSource::Known(document.usage),
        None if site.since <= fetched => UsageSource::Response(site),
        None => UsageSource::Response(Arc::default()),
    })
}

/// Returns what the files of a host state about its page at `url`. `record` is the record of the host's robots.txt.
#[must_use]
pub fn stated_by_host(record: &RobotsRecord, config: &Config, url: &Url) -> Usage {
    SiteUsage::new(record, config).of_page(url, &Page::parse(""), &[], config.fetch.product())
}

fn header_statements<'a>(headers: &'a [(String, String)], agent: &str) -> Vec<Statement<'a>> {
    let lines = |name: &str| -> Vec<&'a str> {
        let is_it = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name);
        headers.iter().filter(is_it).take(MAX_LINES).map(|(_, value)| value.as_str()).collect()
    };
    let statement = |name: &'static str, value: Cow<'a, str>| Statement {
        source: Source::Header,
        name,
        path: None,
        value,
    };
    let mut found = Vec::new();
    for name in HEADERS {
        let lines = lines(name);
        match lines.as_slice() {
            [] => {}
            lines if name.starts_with("Content-") => found.push(statement(name, lines.join(", ").into())),
            lines => found.extend(lines.iter().map(|line| statement(name, Cow::Borrowed(*line)))),
        }
    }
    for line in lines("X-Robots-Tag") {
        let directives: Vec<&str> = directives_for(line, agent).map(str::trim).collect();
        found.push(statement("X-Robots-Tag", directives.join(", ").into()));
    }
    let licenses = lines("Link").into_iter().flat_map(licenses);
    found.extend(licenses.map(|target| statement("license", target.into())));
    found
}

/// Returns the targets of the links with `rel=license` in a `Link` header (RFC 8288).
fn licenses(header: &str) -> Vec<&str> {
    let (mut found, mut rest) = (Vec::new(), header);
    while let Some((_, after)) = rest.split_once('<')
        && let Some((target, parameters)) = after.split_once('>')
    {
        let mut is_quoted = false;
        let end = parameters.find(|c| {
            is_quoted ^= c == '"';
            c == ',' && !is_quoted
        });
        let (parameters, next) = parameters.split_at(end.unwrap_or(parameters.len()));
        let is_license = |parameter: &str| {
            let (name, value) = parameter.split_once('=').unwrap_or_default();
            let mut relations = value.trim().trim_matches('"').split_ascii_whitespace();
            name.trim().eq_ignore_ascii_case("rel") && relations.any(|it| it.eq_ignore_ascii_case("license"))
        };
        if parameters.split(';').any(is_license) {
            found.push(target);
        }
        rest = next;
    }
    found
}

#[cfg(test)]
mod tests;
