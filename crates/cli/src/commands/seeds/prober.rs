//! Sends the requests of `gleaner seeds check` as politely as a crawl: robots.txt first, one request at a
//! time, with delays between them.

use std::collections::HashMap;
use std::time::Duration;

use gleaner_crawl::settings::Config;
use gleaner_fetch::{
    Access, Fetcher, Request, RequestKind, RequestLease, Response, RobotsAnswer, RobotsDecision,
    RobotsRequest,
};
use gleaner_frontier::{CanonicalUrl, RemovedUrls};
use jiff::Timestamp;
use url::Url;

/// Longest back-off of a host for which the check waits. It is longer than the back-off after a single 503.
const MAX_BACK_OFF: Duration = Duration::from_secs(15);

#[derive(Debug)]
pub(super) enum NotFetched {
    /// The URL was not requested, or its response has an error status. Other URLs of the host may work.
    Url(String),
    /// The host does not respond or requires a pause.
    Host(String),
}

#[derive(Debug)]
pub(super) struct Prober<'a> {
    pub(super) config: &'a Config,
    pub(super) fetcher: &'a Fetcher,
    removed: &'a RemovedUrls,
    access: HashMap<String, Access>,
}

/// What the user removed from the corpus gets no request, as in a crawl.
fn removed(url: &CanonicalUrl) -> NotFetched {
    let advice = "`gleaner removals` has its number N, and `gleaner removals --take-back N` allows it again";
    NotFetched::Url(format!("{url} was removed from this corpus; {advice}"))
}

impl NotFetched {
    pub(super) fn reason(&self) -> &str {
        match self {
            Self::Url(reason) | Self::Host(reason) => reason,
        }
    }
}

impl<'a> Prober<'a> {
    pub(super) fn new(config: &'a Config, fetcher: &'a Fetcher, removed: &'a RemovedUrls) -> Self {
        Self { config, fetcher, removed, access: HashMap::new() }
    }

    fn group(&self, url: &CanonicalUrl) -> String {
        self.config.fetch.gap_scope.group(url.domain(), url.host()).to_owned()
    }

    /// Returns the robots.txt rules for the URL's host. Requests each robots.txt only once.
    pub(super) async fn access(&mut self, url: &CanonicalUrl) -> Result<Access, NotFetched> {
        if let Some(known) = self.access.get(url.host()) {
            return Ok(known.clone());
        }
        if self.removed.contains_host(url.host()) {
            return Err(removed(url));
        }
        let group = self.group(url);
        let delay = self.config.delay_of(url.host());
        self.fetcher.gates().raise_delay(&group, delay.get());
        let group_of = |url: &Url| CanonicalUrl::parse(url.as_str()).ok().map(|url| self.group(&url));
        let lease = RequestLease::unlimited();
        let is_refused =
            |url: &Url| CanonicalUrl::parse(url.as_str()).is_ok_and(|url| self.removed.contains(&url));
        let request = RobotsRequest {
            is_refused: &is_refused,
            ..RobotsRequest::new(url.url(), &group_of, &lease, Timestamp::now())
        };
        let RobotsAnswer::Record(record) = self.fetcher.robots(request, &mut |_, _| {}).await else {
            return Err(NotFetched::Host("its robots.txt redirects to no web address".into()));
        };
        let access = record.rules(self.config.fetch.product());
        self.fetcher.gates().raise_delay(&group, access.effective_delay(delay, &self.config.fetch));
        self.access.insert(url.host().to_owned(), access.clone());
        Ok(access)
    }

    fn refused(&self, url: &CanonicalUrl, status: u16) -> NotFetched {
        let backoff = self.fetcher.backoffs().remaining(url.host());
        if backoff > MAX_BACK_OFF {
            return NotFetched::Host(format!("HTTP {status}; backing off for {} s", backoff.as_secs()));
        }
        NotFetched::Url(format!("HTTP {status}"))
    }

    /// Requests a URL and follows its redirects. Returns the last URL and its 2xx response.
    pub(super) async fn get(
        &mut self,
        url: &CanonicalUrl,
        want: RequestKind,
    ) -> Result<(CanonicalUrl, Response), NotFetched> {
        let mut url = url.clone();
        for _ in 0..=self.config.fetch.max_redirects {
            if self.removed.contains(&url) {
                return Err(removed(&url));
            }
            let access = self.access(&url).await?;
            if let RobotsDecision::Disallowed { rule } =
                access.verdict(&url.url()[url::Position::BeforePath..])
            {
                return Err(NotFetched::Url(format!("robots.txt disallows {url}: {rule}")));
            }
            let request = Request::new(url.url().clone(), want);
            let answer = self.fetcher.page(&request, &self.group(&url), &RequestLease::unlimited()).await;
            let response = answer.map_err(|error| match error {
                error @ gleaner_fetch::FetchError::WrongType { .. } => NotFetched::Url(error.to_string()),
                error => NotFetched::Host(error.to_string()),
            })?;
            match (response.status, &response.location) {
                (200..300, _) => return Ok((url, response)),
                (300..400, Some(next)) => {
                    url = CanonicalUrl::parse(next.as_str())
                        .map_err(|refusal| NotFetched::Url(format!("it redirects to {next}: {refusal}")))?;
                }
                (status, _) => return Err(self.refused(&url, status)),
            }
        }
        Err(NotFetched::Url(format!("more than {} redirects", self.config.fetch.max_redirects)))
    }
}
