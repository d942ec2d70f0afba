//! Finds the proxy of a request, to name it in error messages.
//!
//! The errors of the HTTP library do not name the proxy. This module uses the same matcher as the library to
//! find it.

use std::env;

use hyper_util::client::proxy::matcher::Matcher;
use url::Url;

/// The proxies from the setting `fetch.proxy` or, if it is empty, from the environment.
#[derive(Debug)]
pub(crate) struct Proxies {
    matcher: Matcher,
    is_set: bool,
}

impl Proxies {
    /// Creates the proxies. `setting` is the value of `fetch.proxy`. If it is empty, the environment
    /// variables apply.
    pub(crate) fn new(setting: &str) -> Self {
        let is_set = !setting.is_empty();
        let of_setting = || Matcher::builder().all(setting.to_owned()).build();
        Self { matcher: if is_set { of_setting() } else { Matcher::from_system() }, is_set }
    }

    /// Returns the proxy of a URL without its credentials, and where the proxy is set. Returns `None` if the
    /// URL has no proxy.
    pub(crate) fn named(&self, url: &Url) -> Option<String> {
        let proxy = self.matcher.intercept(&url.as_str().parse().ok()?)?;
        let (scheme, authority) = (proxy.uri().scheme_str().unwrap_or("http"), proxy.uri().authority()?);
        let place = match self.is_set {
            true => "fetch.proxy",
            false => variable(url.scheme(), authority.as_str()).unwrap_or("the system's settings"),
        };
        Some(format!("{scheme}://{authority}, set by {place}"))
    }
}

/// Returns the environment variable that sets the proxy with this host and port.
fn variable(scheme: &str, authority: &str) -> Option<&'static str> {
    let of_scheme = match scheme {
        "https" => ["HTTPS_PROXY", "https_proxy"],
        _ => ["HTTP_PROXY", "http_proxy"],
    };
    let names = of_scheme.into_iter().chain(["ALL_PROXY", "all_proxy"]);
    names.into_iter().find(|name| env::var(name).is_ok_and(|value| value.contains(authority)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_named_without_its_credentials() {
        let url = Url::parse("https://a.example/x").unwrap();
        for (setting, named) in [
            ("http://127.0.0.1:9", Some("http://127.0.0.1:9, set by fetch.proxy")),
            ("proxy.lan:3128", Some("http://proxy.lan:3128, set by fetch.proxy")),
            ("http://user:secret@proxy.lan:3128/", Some("http://proxy.lan:3128, set by fetch.proxy")),
            ("socks5h://user:secret@proxy.lan", Some("socks5h://proxy.lan, set by fetch.proxy")),
            ("not a proxy", None),
        ] {
            assert_eq!(Proxies::new(setting).named(&url).as_deref(), named, "{setting}");
        }
    }
}
