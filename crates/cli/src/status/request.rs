//! Parses a request: parameters, language and token.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Query};
use axum::http::header::{ACCEPT_LANGUAGE, AUTHORIZATION, COOKIE};
use axum::http::request::Parts;

use crate::status::access_token::COOKIE_NAME;
use crate::status::app_state::AppState;
use crate::status::language::{UiLanguage, from_accept_language};

pub(crate) const LANGUAGE_COOKIE: &str = "gleaner_lang";

const MAX_PARAMETER_BYTES: usize = 500;

#[derive(Debug, Clone)]
pub(crate) struct PageRequest {
    pub(crate) language: UiLanguage,
    /// Whether a parameter of the request sets the language. If so, the response stores it in a cookie.
    pub(crate) sets_language: bool,
    pub(crate) is_authorized: bool,
    pub(crate) path: String,
    parameters: BTreeMap<String, String>,
}

impl PageRequest {
    pub(crate) fn parameter(&self, name: &str) -> &str {
        let value = self.parameters.get(name).map_or("", |value| value.trim());
        if value.len() <= MAX_PARAMETER_BYTES { value } else { "" }
    }

    pub(crate) fn page_number(&self) -> usize {
        self.parameter("page").parse().unwrap_or(1).clamp(1, 1_000)
    }

    pub(crate) const fn translate(&self, english: &'static str, vietnamese: &'static str) -> &'static str {
        self.language.choose(english, vietnamese)
    }

    /// Returns the address of this request with the parameters in `changes` replaced. Omits empty parameters.
    pub(crate) fn with_parameters(&self, changes: &[(&str, &str)]) -> String {
        self.path_with_parameters(&self.path, changes)
    }

    /// Returns the path `path` with the parameters of this request. Parameters in `changes` are replaced.
    pub(crate) fn path_with_parameters(&self, path: &str, changes: &[(&str, &str)]) -> String {
        let mut all = self.parameters.clone();
        for (name, value) in changes {
            all.insert((*name).to_owned(), (*value).to_owned());
        }
        link(path, all.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

pub(crate) fn link<'a>(path: &str, parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut out = path.to_owned();
    for (name, value) in parameters.into_iter().filter(|(_, value)| !value.is_empty()) {
        out.push(if out.contains('?') { '&' } else { '?' });
        out += &percent_encoded(name);
        out.push('=');
        out += &percent_encoded(value);
    }
    out
}

pub(crate) fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte.into()),
            byte => out += &format!("%{byte:02X}"),
        }
    }
    out
}

fn cookie<'a>(parts: &'a Parts, name: &str) -> Option<&'a str> {
    let headers = parts.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        headers.flat_map(|header| header.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}

fn is_authorized(parts: &Parts, app: &AppState) -> bool {
    let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = header.and_then(|header| header.strip_prefix("Bearer "));
    bearer.is_some_and(|token| app.token.matches(token))
        || cookie(parts, COOKIE_NAME).is_some_and(|value| app.token.matches_cookie(value))
}

impl FromRequestParts<Arc<AppState>> for PageRequest {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<AppState>) -> Result<Self, Infallible> {
        let parameters = Query::<BTreeMap<String, String>>::try_from_uri(&parts.uri);
        let mut parameters = parameters.map(|Query(all)| all).unwrap_or_default();
        let chosen = parameters.remove("lang").and_then(|tag| UiLanguage::from_tag(&tag));
        let stored = || cookie(parts, LANGUAGE_COOKIE).and_then(UiLanguage::from_tag);
        let accepted = || {
            let header = parts.headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
            from_accept_language(header.unwrap_or_default())
        };
        Ok(Self {
            language: chosen.or_else(stored).unwrap_or_else(accepted),
            sets_language: chosen.is_some(),
            is_authorized: is_authorized(parts, app),
            path: parts.uri.path().to_owned(),
            parameters,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_so_that_they_are_read_back() {
        assert_eq!(
            link("/search", [("q", "hòa & \"b\""), ("host", "")]),
            "/search?q=h%C3%B2a%20%26%20%22b%22"
        );
        assert_eq!(link("/a", [("x", "1"), ("y", "2")]), "/a?x=1&y=2");
    }
}
