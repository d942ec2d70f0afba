//! Recognizes query parameters that are session ids.
//!
//! A server that writes a new session id into each link gives each page any number of addresses. A parameter is
//! a session parameter of a host if all of this holds:
//!
//! * Its values look like ids.
//! * At least [`MIN_REPEATED`] visits gave the text of a page whose URL differs only in this parameter, and
//!   these were at least [`MIN_PAGES`] different pages.
//! * No two URLs that differ only in this parameter gave different texts.
//! * One of these pages has the same text without the parameter. The crawl requests this page if needed.
//!
//! From then on, the crawl removes the parameter from links. If [`MAX_MISSING`] pages in a row do not exist
//! without it, the crawl stops doing so.

use std::collections::{HashMap, HashSet};

use gleaner_frontier::{CanonicalUrl, UrlKey};

use super::{EndedPage, PageResult};

const MIN_REPEATED: u32 = 10;
const MIN_PAGES: usize = 3;
const MAX_MISSING: u32 = 5;
/// Maximum number of parameters of a host that are examined.
const MAX_PARAMETERS: usize = 16;
/// Maximum number of pages that are remembered for each parameter.
const MAX_PAGES: usize = 1_000;
/// Minimum length of a value that looks like an id.
const MIN_ID: usize = 8;

#[derive(Debug, Default)]
pub(super) struct Parameters(HashMap<String, Parameter>);

#[derive(Debug, Default)]
struct Parameter {
    /// The documents of the pages, by URL without the parameter.
    documents: HashMap<UrlKey, UrlKey>,
    /// The pages that were visited with several values, by URL without the parameter.
    repeated: HashSet<UrlKey>,
    /// Number of visits that gave the known text of a page.
    repeats: u32,
    values: u32,
    ids: u32,
    state: State,
    /// The URLs from which the parameter was removed.
    cleaned: HashSet<UrlKey>,
    missing: u32,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Examined,
    /// The page `url`, without the parameter, is requested. It must have the text of `document`.
    Probed {
        url: UrlKey,
        document: UrlKey,
    },
    Session,
    /// Different values give different pages, or the page does not exist without the parameter.
    Needed,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Request this URL.
    Probe(CanonicalUrl),
    /// The parameter is a session parameter, or none any more.
    Changed(String, bool),
}

impl Parameters {
    pub(super) fn load(&mut self, name: &str) {
        self.0.entry(name.to_owned()).or_default().state = State::Session;
    }

    pub(super) fn ended(&mut self, page: &EndedPage) -> Option<Step> {
        let key = page.url.key();
        let document = match page.result {
            PageResult::New => Some(key),
            PageResult::Repeated(of) => Some(of),
            PageResult::NoArticle | PageResult::Missing | PageResult::Unknown => None,
        };
        let redirected = page.target.as_ref().and_then(|to| self.redirected(key, to));
        let step =
            redirected.or_else(|| self.answered(page, document)).or_else(|| self.missed(key, page.result));
        if step.is_some() {
            return step;
        }
        let document = document?;
        let names: Vec<(String, bool)> =
            page.url.parameters().map(|(name, value)| (name.to_owned(), is_id(value))).collect();
        names.into_iter().find_map(|(name, is_id)| self.examine(&page.url, name, is_id, document))
    }

    /// Compares the page with the pages whose URLs differ only in this parameter.
    fn examine(&mut self, url: &CanonicalUrl, name: String, is_id: bool, document: UrlKey) -> Option<Step> {
        if self.0.len() >= MAX_PARAMETERS && !self.0.contains_key(&name) {
            return None;
        }
        let plain = url.without_parameter(&name)?;
        let parameter = self.0.entry(name.clone()).or_default();
        parameter.add(plain.key(), document, is_id);
        if !parameter.is_suspicious() {
            return None;
        }
        if document == plain.key() {
            parameter.state = State::Session;
            return Some(Step::Changed(name, true));
        }
        parameter.state = State::Probed { url: plain.key(), document };
        Some(Step::Probe(plain))
    }

    /// Considers a visit of the page that a step requested. After a failed visit, another page is requested.
    fn answered(&mut self, page: &EndedPage, document: Option<UrlKey>) -> Option<Step> {
        if page.result != PageResult::Unknown {
            return self.probed(page.url.key(), document);
        }
        self.unanswered(page.url.key());
        None
    }

    /// Forgets the page that a step requested, because its visit failed.
    pub(super) fn unanswered(&mut self, key: UrlKey) {
        let is_it = |state| matches!(state, State::Probed { url, .. } if url == key);
        for parameter in self.0.values_mut().filter(|parameter| is_it(parameter.state)) {
            parameter.state = State::default();
        }
    }

    /// Considers the page that a step requested. `document` is the URL of the document with its text.
    pub(super) fn probed(&mut self, key: UrlKey, document: Option<UrlKey>) -> Option<Step> {
        let is_it = |state| matches!(state, State::Probed { url, .. } if url == key);
        let (name, parameter) = self.0.iter_mut().find(|(_, parameter)| is_it(parameter.state))?;
        let State::Probed { document: expected, .. } = parameter.state else { return None };
        let is_same = document == Some(expected);
        parameter.state = if is_same { State::Session } else { State::Needed };
        is_same.then(|| Step::Changed(name.clone(), true))
    }

    /// Considers a redirect from the page that a step requested. If it only adds the parameter, the parameter
    /// is a session id.
    fn redirected(&mut self, from: UrlKey, to: &CanonicalUrl) -> Option<Step> {
        let name = to.parameters().map(|(name, _)| name).find(|name| {
            let state = self.0.get(*name).map(|parameter| parameter.state);
            matches!(state, Some(State::Probed { url, .. }) if url == from)
                && to.without_parameter(name).is_some_and(|plain| plain.key() == from)
        })?;
        self.0.get_mut(name)?.state = State::Session;
        Some(Step::Changed(name.to_owned(), true))
    }

    /// Counts pages that do not exist without a session parameter.
    fn missed(&mut self, key: UrlKey, result: PageResult) -> Option<Step> {
        let (name, parameter) = self.0.iter_mut().find(|(_, parameter)| parameter.cleaned.contains(&key))?;
        match result {
            PageResult::Missing => parameter.missing += 1,
            PageResult::New | PageResult::Repeated(_) => parameter.missing = 0,
            PageResult::NoArticle | PageResult::Unknown => {}
        }
        if parameter.missing < MAX_MISSING {
            return None;
        }
        let name = name.clone();
        self.0.insert(name.clone(), Parameter { state: State::Needed, ..Parameter::default() });
        Some(Step::Changed(name, false))
    }

    /// Returns a URL without session parameters, and the name of one. Returns `None` if it has none.
    pub(super) fn cleaned(&mut self, url: &CanonicalUrl) -> Option<(CanonicalUrl, String)> {
        let mut cleaned: Option<(CanonicalUrl, String)> = None;
        for (name, parameter) in self.0.iter_mut().filter(|(_, parameter)| parameter.state == State::Session)
        {
            let before = cleaned.as_ref().map_or(url, |(url, _)| url);
            if let Some(plain) = before.without_parameter(name) {
                if parameter.cleaned.len() < MAX_PAGES {
                    parameter.cleaned.insert(plain.key());
                }
                cleaned = Some((plain, name.clone()));
            }
        }
        cleaned
    }
}

impl Parameter {
    fn add(&mut self, plain: UrlKey, document: UrlKey, is_id: bool) {
        self.values += 1;
        self.ids += u32::from(is_id);
        let known = self.documents.get(&plain).copied().or((document == plain).then_some(plain));
        match known {
            Some(known) if known == document => {
                self.repeats += 1;
                self.repeated.insert(plain);
            }
            Some(_) if self.state == State::Examined => self.state = State::Needed,
            Some(_) => {}
            None => {}
        }
        if self.documents.len() < MAX_PAGES {
            self.documents.entry(plain).or_insert(document);
        }
    }

    fn is_suspicious(&self) -> bool {
        self.state == State::Examined
            && self.repeats >= MIN_REPEATED
            && self.repeated.len() >= MIN_PAGES
            && self.ids * 10 >= self.values * 9
    }
}

/// Whether a value looks like an id: letters and digits, and not a date or a short number.
fn is_id(value: &str) -> bool {
    let is_date = value.len() == MIN_ID
        && (value.starts_with("19") || value.starts_with("20"))
        && value.bytes().all(|byte| byte.is_ascii_digit());
    value.len() >= MIN_ID
        && !is_date
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' && value.len() >= 2 * MIN_ID)
}
