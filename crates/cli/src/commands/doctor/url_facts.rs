//! Explains one URL in the order of processing: canonical form, request, response, document.

use std::time::Duration;

use gleaner_corpus::{Document, Method, Usage};
use gleaner_crawl::render::text::{count, minute};
use gleaner_crawl::{
    PageError, current_template, explained_visit, is_final_redirect, rejection, stated_by_host, stored_page,
    trap_rule,
};
use gleaner_extract::article::Signals;
use gleaner_extract::template::{Extraction, PreparedTemplate};
use gleaner_fetch::{RobotsDecision as Rule, RobotsRecord, TlsFault};
use gleaner_frontier::{CanonicalUrl, Outcome, OutcomeClass, RetryRule, Role};
use gleaner_html::embedded::complete;
use gleaner_store::{StoreError, UrlRecord, UrlState, WaitReason, document_id};
use jiff::Timestamp;

use super::DoctorContext;
use super::facts::Facts;
use crate::commands::page_reader;
use crate::failure::Failure;
use crate::settings;

pub(super) fn facts(context: &DoctorContext, text: &str, fetch: bool) -> Result<Facts, Failure> {
    let mut facts = Facts::default();
    let url = match CanonicalUrl::parse(text) {
        Ok(url) => url,
        Err(refusal) => {
            facts.add("url", text);
            facts.add("why", format!("links to it are never followed: {refusal}"));
            return Ok(facts);
        }
    };
    let why = context.add_known(&mut facts, &url, fetch)?;
    facts.add_first("why", why);
    facts.add_first("url", url.as_str());
    Ok(facts)
}

impl DoctorContext {
    /// Adds the facts about a known URL. Returns the sentence that explains why the URL has or lacks a
    /// document.
    fn add_known(&self, facts: &mut Facts, url: &CanonicalUrl, fetch: bool) -> Result<String, Failure> {
        facts.add("key", url.key().to_string());
        facts.add("scope", self.scope(url.domain()));
        if let Some(removal) = self.removal(url)? {
            facts.add("state", "unknown: the removal also removed what was stored about the URL");
            return Ok(removal);
        }
        let record = self.store.url(url.key()).map_err(Failure::work)?;
        let excluded = self.exclusion(url, record.as_ref());
        if let Some(rule) = &excluded {
            facts.add("settings", format!("they exclude it: {rule}"));
            if record.as_ref().is_some_and(is_in_corpus) {
                facts.add(
                    "settings",
                    format!("its document stays in the corpus; `gleaner remove {url}` removes it"),
                );
            }
        }
        let trap = self.trap(url)?;
        if let Some(rule) = &trap {
            facts.add("trap", format!("a crawl hardly follows links to such URLs, by {rule}"));
        }
        let robots = self.robots(url)?;
        let forbidden = robots.as_ref().and_then(|(rule, _)| match rule {
            Rule::Disallowed { rule } => Some(rule.clone()),
            Rule::Allowed { .. } => None,
        });
        facts.add("robots.txt", robots.map_or_else(|| "not fetched yet".into(), |(_, says)| says));
        self.add_stated_use(facts, url)?;
        let Some(record) = record else {
            facts.add("state", "unknown: no page, feed or sitemap that was read links to it");
            if fetch {
                self.add_fetched(facts, url)?;
            }
            return Ok(self.of_unknown(url, excluded.or(trap), forbidden.is_some(), fetch));
        };
        facts.add("state", self.state(&record)?);
        facts.add("found", found(&record));
        if let Some(outcome) = &record.last {
            facts.add("last visit", explained_visit(outcome));
            if let Outcome::Failed { reason } = outcome
                && let Some(fault) = TlsFault::from_label(reason)
            {
                facts.add("last visit", fault.to_string());
            }
            // Other URLs were named by sites, which must not be able to suggest an address.
            if matches!(outcome, Outcome::PrivateAddress) && self.is_seed(url) {
                let said =
                    "to allow the address of this seed, add it to fetch.allow_addresses in the settings";
                facts.add("last visit", said);
            }
        }
        self.add_host(facts, url)?;
        let document = self.document(&record, url)?;
        if let Some(document) = &document {
            self.add_document(facts, document, url)?;
        }
        let judged = self.add_stored(facts, &record, url)?;
        if fetch {
            self.add_fetched(facts, url)?;
        }
        Ok(why(&record, document.as_ref(), judged, forbidden.as_deref()))
    }

    fn of_unknown(
        &self,
        url: &CanonicalUrl,
        excluded: Option<String>,
        forbidden: bool,
        fetch: bool,
    ) -> String {
        if !self.is_in_scope(url) {
            return "links to it are not followed: its site is not among the seeds".into();
        }
        if let Some(rule) = excluded {
            return format!("links to it are not followed: the settings exclude it ({rule})");
        }
        if forbidden {
            return "it would not be fetched: robots.txt forbids it".into();
        }
        let more = if fetch { "" } else { "; --fetch asks for it now, politely" };
        format!("no page, feed or sitemap has named it yet; it will be fetched when one does{more}")
    }

    /// Describes the state of a URL, and when it is fetched next.
    fn state(&self, record: &UrlRecord) -> Result<String, Failure> {
        Ok(match record.state {
            UrlState::Ready { rank, sequence } => format!(
                "ready: will be fetched when it is its host's turn (rank {rank}, smaller is earlier; number {sequence})"
            ),
            UrlState::Waiting { wait: WaitReason::Retry, due, .. } => {
                format!("waiting for a retry, not before {}", time(due))
            }
            UrlState::Waiting { wait: WaitReason::Revisit, due, .. } => {
                format!("visited; due again at {}", time(due))
            }
            UrlState::Buffered { .. } => {
                "fetched: its page is kept until its host has enough pages for a template".into()
            }
            UrlState::Done => {
                let least = self.config.crawl.revisit.get();
                after_last_visit(record, least, self.is_retried(record).map_err(Failure::work)?)
            }
            UrlState::Kept => {
                "done; its raw page is kept, since its host's template may learn from it".into()
            }
        })
    }

    /// Whether later runs try to get the page, because the last visit gave none.
    fn is_retried(&self, record: &UrlRecord) -> Result<bool, StoreError> {
        let is_open = record.last.as_ref().is_some_and(|last| last.retry_rule() != RetryRule::Never);
        Ok(is_open && record.role == Role::Page && !is_final_redirect(record, |url| self.store.url(url))?)
    }

    /// Returns the rule of the setting `crawl.skip_traps` that applies to links to a URL.
    fn trap(&self, url: &CanonicalUrl) -> Result<Option<String>, Failure> {
        let Some(host) = self.store.host(url.host()).map_err(Failure::work)? else { return Ok(None) };
        let host = self.view(host).map_err(Failure::work)?;
        let newest = host.counts.iter().flatten().next();
        Ok(newest.and_then(|counts| trap_rule(counts, url)).map(str::to_owned))
    }

    fn robots(&self, url: &CanonicalUrl) -> Result<Option<(Rule, String)>, Failure> {
        let kept = self.store.robots::<RobotsRecord>(url.host()).map_err(Failure::work)?;
        Ok(kept.map(|robots| {
            let access = robots.rules(self.config.fetch.product());
            let rule = access.verdict(&url.url()[::url::Position::BeforePath..]);
            let says = match &rule {
                Rule::Allowed { rule: None } => "allowed: no rule matches".to_owned(),
                Rule::Allowed { rule: Some(rule) } => format!("allowed by `{rule}`"),
                Rule::Disallowed { rule } => format!("disallowed by `{rule}`"),
            };
            let says = format!(
                "{says} (fetched {}, next fetch after {})",
                minute(robots.at),
                minute(robots.next_ask())
            );
            (rule, says)
        }))
    }

    /// Adds what robots.txt and tdmrep.json state about the use of a page.
    pub(super) fn add_stated_use(&self, facts: &mut Facts, url: &CanonicalUrl) -> Result<(), Failure> {
        let kept = self.store.robots::<RobotsRecord>(url.host()).map_err(Failure::work)?;
        let usage = kept.map(|robots| stated_by_host(&robots, &self.config, url.url())).unwrap_or_default();
        add_use(facts, "site on use", &usage);
        Ok(())
    }

    fn add_host(&self, facts: &mut Facts, url: &CanonicalUrl) -> Result<(), Failure> {
        let Some(host) = self.store.host(url.host()).map_err(Failure::work)? else { return Ok(()) };
        let host = self.view(host).map_err(Failure::work)?;
        let state = host.request_state(Timestamp::now());
        facts.add("host", format!("{}: {state}; queued URLs: {}", host.record.name, host.record.queued));
        Ok(())
    }

    fn document(&self, record: &UrlRecord, url: &CanonicalUrl) -> Result<Option<Document>, Failure> {
        let key = record.duplicate_of.unwrap_or_else(|| url.key());
        self.store.document(document_id(key)).map_err(Failure::work)
    }

    fn add_document(
        &self,
        facts: &mut Facts,
        document: &Document,
        url: &CanonicalUrl,
    ) -> Result<(), Failure> {
        let sure = document.confidence.map(|sure| format!(", confidence {:.2}", f64::from(sure) / 100.0));
        let sure = sure.unwrap_or_default();
        facts.add(
            "document",
            format!(
                "{}: {}, language {}, extracted {}{sure}",
                document.id,
                count(gleaner_html::words::words(&document.text).count() as u64, "word"),
                document.language,
                extracted_by(&document.method, document.template_version),
            ),
        );
        if document.url != url.as_str() {
            facts.add("document", format!("the text was first found at {}", document.url));
        }
        if let Some(title) = &document.title {
            facts.add("document", format!("\"{title}\""));
        }
        add_use(facts, "use at fetch", &document.usage);
        let similarity_info = self.store.similarity_info(document.id).map_err(Failure::work)?;
        if let Some(similarity_info) =
            similarity_info.filter(|similarity_info| similarity_info.representative != document.id)
        {
            let head = self.store.document(similarity_info.representative).map_err(Failure::work)?;
            let head = head.map_or_else(|| similarity_info.representative.to_string(), |head| head.url);
            let similarity = similarity_info.similarity.unwrap_or_default();
            facts.add(
                "document",
                format!(
                    "nearly the same as {head} (similarity {similarity:.2}), which represents it in exports"
                ),
            );
        }
        Ok(())
    }

    /// Classifies the stored page with the current rules. Returns whether it is an article, or `None` if
    /// there is no readable page.
    fn add_stored(
        &self,
        facts: &mut Facts,
        record: &UrlRecord,
        url: &CanonicalUrl,
    ) -> Result<Option<bool>, Failure> {
        let page = match stored_page(&self.config, &self.store, url.key()) {
            Ok(Some(page)) => page,
            Ok(None) => return Ok(None),
            Err(PageError::Store(error)) => return Err(Failure::work(error)),
            Err(error) => {
                facts.add("archived", error.to_string());
                return Ok(None);
            }
        };
        if let (Some((file, offset)), Some(kept)) = (&page.place, &record.archived) {
            facts
                .add("archived", format!("{} at byte {offset}, fetched {}", file.display(), minute(kept.at)));
        }
        self.add_judged(facts, "judged again now", &page.html, url, record.role).map(Some)
    }

    /// Decides whether a page is an article, in the same way as a crawl. Detection comes first.
    fn add_judged(
        &self,
        facts: &mut Facts,
        what: &'static str,
        source: &str,
        url: &CanonicalUrl,
        role: Role,
    ) -> Result<bool, Failure> {
        let page = complete(source);
        let template = self.template(url)?;
        let pins = settings::pins_of(&self.config, Some(url.host()))?;
        let extracted = match &template {
            Some(template) => template.extract(&page, &pins),
            None => Extraction::cold(&page, &pins),
        };
        let is_detected = role == Role::Page && extracted.method == Method::Detection;
        let reject = || rejection(role, template.as_ref(), url.as_str(), source, &page);
        let rejected = if is_detected { None } else { reject() };
        match rejected {
            None => facts.add(what, described(&extracted, template.as_ref())),
            Some("front_page" | "hub" | "listing" | "declared_listing") if role == Role::Front => {
                facts.add(what, "a front page that leads to articles; it never becomes a document");
            }
            Some(label) => {
                facts.add(what, explained_visit(&Outcome::NotArticle { reason: label.to_owned() }));
            }
        }
        let signals = Signals::from_page(&page);
        facts.add(
            what,
            format!(
                "{:.0} words on the page, {:.0} of them in links, {:.0} in sentences, {:.0} in one stretch",
                signals.words, signals.linked, signals.prose, signals.stretch
            ),
        );
        Ok(rejected.is_none())
    }

    fn template(&self, url: &CanonicalUrl) -> Result<Option<PreparedTemplate>, Failure> {
        let Some(host) = self.store.host(url.host()).map_err(Failure::work)? else { return Ok(None) };
        current_template(&host, &self.store, self.config.template.method).map_err(Failure::work)
    }

    pub(super) fn add_fetched(&self, facts: &mut Facts, url: &CanonicalUrl) -> Result<(), Failure> {
        match page_reader::fetch(url.as_str(), &self.config) {
            Ok(fetched) => {
                let at = fetched.url.as_ref().unwrap_or(url);
                if at != url {
                    facts.add("fetched now", format!("it redirects to {at}"));
                }
                let record = self.store.url(at.key()).map_err(Failure::work)?;
                let role = record.map_or(Role::Page, |record| record.role);
                self.add_judged(facts, "fetched now", &fetched.source, at, role)?;
            }
            Err(Failure::Work(why)) => facts.add("fetched now", why),
            Err(failure) => return Err(failure),
        }
        Ok(())
    }
}

/// Adds what is stated about the use of a page. Adds nothing if nothing is stated.
fn add_use(facts: &mut Facts, what: &'static str, usage: &Usage) {
    let stated = usage.stated().map(|(purpose, preference)| format!("{purpose}: {}", preference.name()));
    let stated: Vec<String> = stated.collect();
    if !stated.is_empty() {
        facts.add(what, stated.join(", "));
    }
    usage.use_statements.iter().for_each(|statement| facts.add(what, statement));
    if !usage.barred_agents.is_empty() {
        facts.add(what, format!("robots.txt bars {}", usage.barred_agents.join(", ")));
    }
}

fn described(extracted: &Extraction, template: Option<&PreparedTemplate>) -> String {
    let by = extracted_by(&extracted.method.to_string(), template.map(|it| it.template().version));
    let confidence = extracted.confidence().map(|it| format!(", confidence {it:.2}")).unwrap_or_default();
    format!("an article: {}, extracted {by}{confidence}", count(extracted.words().into(), "word"))
}

/// Describes how a text was extracted. `method` is the name of a [`Method`].
fn extracted_by(method: &str, version: Option<u32>) -> String {
    let template = version.map(|version| format!(" with the template of its host (version {version})"));
    match template {
        Some(template) if method == Method::Detection.name() => template.trim_start().to_owned(),
        _ if method == Method::BlockModel.name() => "without a template (block model)".to_owned(),
        template => format!("by {method}{}", template.unwrap_or_default()),
    }
}

fn found(record: &UrlRecord) -> String {
    let tries = match record.tries {
        0 => String::new(),
        tries => format!(", failed attempts since: {tries}{}", last_failure(record)),
    };
    let (role, depth) = (record.role.label(), record.depth);
    format!("as a {role}, link distance {depth} from a seed, sitemap or feed{tries}")
}

/// Returns `, the last with timeout`, or nothing if the last failure is unknown.
fn last_failure(record: &UrlRecord) -> String {
    record.failure.as_ref().map(|failure| format!(", the last with {failure}")).unwrap_or_default()
}

fn time(second: u64) -> String {
    let time = i64::try_from(second).ok().and_then(|second| Timestamp::from_second(second).ok());
    time.map_or_else(|| "never".into(), minute)
}

fn is_in_corpus(record: &UrlRecord) -> bool {
    let class = record.last.as_ref().map(Outcome::class);
    matches!(class, Some(OutcomeClass::Stored | OutcomeClass::Duplicate))
        || record.role == Role::Page && record.last == Some(Outcome::Unchanged)
}

/// Says when a URL without a planned visit is fetched again. `is_retried`: a later run may try to get its page.
fn after_last_visit(record: &UrlRecord, least: Duration, is_retried: bool) -> String {
    match record.revisits.next_retry(least) {
        Some(due) if is_retried => format!(
            "done for now: a run after {} will fetch it again, if a front page, section, feed or sitemap \
             names it then",
            minute(due)
        ),
        None if is_retried => "given up: several visits in several runs gave no page".into(),
        _ if is_in_corpus(record) => {
            "done: will be fetched again only if a feed or sitemap reports a change (crawl.recheck_window); \
             crawl.recheck applies from its next visit on; `gleaner refetch` visits it now"
                .into()
        }
        _ => "done: with these settings, no page or list brings it back; `gleaner refetch` fetches it again unless \
              the settings exclude it"
            .into(),
    }
}

/// Says why the URL has no outcome yet.
pub(crate) fn without_outcome(record: &UrlRecord) -> String {
    match record.state {
        UrlState::Buffered { .. } => {
            "its page was fetched; its document follows when its host's template is learned".into()
        }
        _ if record.tries > 0 => {
            format!("{} failed{}", count(record.tries.into(), "request"), last_failure(record))
        }
        _ => "it has not been fetched yet".into(),
    }
}

/// Explains why the URL has or lacks a document. `forbidden` is the robots.txt rule that currently disallows
/// the URL, or the reason why robots.txt is unavailable.
fn why(
    record: &UrlRecord,
    document: Option<&Document>,
    judged: Option<bool>,
    forbidden: Option<&str>,
) -> String {
    let Some(outcome) = &record.last else {
        return match (&record.state, forbidden) {
            (UrlState::Buffered { .. }, _) | (_, None) => {
                let more = if record.tries > 0 { "; `--fetch` shows the response" } else { "" };
                without_outcome(record) + more
            }
            (_, Some(rule)) => format!("it has not been fetched: {rule}"),
        };
    };
    let now = match (outcome, judged) {
        (Outcome::NotArticle { .. }, Some(true)) => {
            "; by the current rules it is an article: `gleaner reextract` adds it"
        }
        _ => "",
    };
    match document {
        Some(_) => format!("its text is in the corpus: {outcome}"),
        None => format!("there is no document: {}{now}", explained_visit(outcome)),
    }
}
