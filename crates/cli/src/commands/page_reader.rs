//! Reads pages, and the templates and pins of their hosts, for `gleaner extract` and `gleaner template
//! explain`.

use std::path::Path;
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};

use gleaner_crawl::settings::Config;
use gleaner_crawl::stored_page;
use gleaner_extract::{Page, Pins, Template};
use gleaner_fetch::{
    Access, FetchError, Fetcher, Request, RequestKind, RequestLease, RobotsAnswer, RobotsDecision as Rule,
    RobotsRequest,
};
use gleaner_frontier::CanonicalUrl;
use gleaner_html::decode::decode;
use gleaner_store::Store;
use jiff::Timestamp;

use crate::args::{Common, ReadOptions};
use crate::commands::page_files;
use crate::distributed::{self, shell_argument};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::opening;
use crate::settings;

pub(crate) struct TemplateAndPins {
    pub(crate) template: Option<Arc<Template>>,
    pub(crate) pins: Pins,
}

pub(crate) struct PageSource {
    pub(crate) source: String,
    pub(crate) url: Option<CanonicalUrl>,
}

pub(crate) fn is_url(page: &str) -> bool {
    page.contains("://")
}

pub(crate) struct PageReader<'a> {
    how: &'a ReadOptions,
    common: &'a Common,
    config: &'a Config,
    given_template: Option<Arc<Template>>,
    /// The corpus, opened when a page first needs it. The inner `None` means that there is no corpus.
    store: OnceLock<Option<Store>>,
    /// The host of the last page and its template. Consecutive pages are often from the same host.
    last: Mutex<Option<(String, Option<Arc<Template>>)>>,
    /// Whether the user was already told about pins files of other hosts. This happens once for all pages.
    reported: Once,
}

impl<'a> PageReader<'a> {
    pub(crate) fn new(how: &'a ReadOptions, common: &'a Common, config: &'a Config) -> Result<Self, Failure> {
        let given_template = how.template.as_deref().map(|path| {
            let json = settings::read_text(path)?;
            let template = Template::from_json(&json);
            template.map(Arc::new).map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
        });
        settings::report_ignored_pins(config)?;
        let (store, last, reported) = (OnceLock::new(), Mutex::new(None), Once::new());
        Ok(Self { how, common, config, given_template: given_template.transpose()?, store, last, reported })
    }

    /// Reads a page from a URL, a file, or `-` for standard input. The page's URL is the fetched URL. If the page was
    /// not fetched, it is the URL of `--url` or, without this option, the canonical URL in the page.
    pub(crate) fn read(&self, page: &str) -> Result<Page, Failure> {
        if self.how.url.is_some() && is_url(page) {
            let reason = format!("--url is for files: {page} is already a URL");
            return Err(Failure::Usage(reason));
        }
        let PageSource { source, url } = match (self.how.archived, is_url(page)) {
            (true, _) => self.archived(page)?,
            (false, true) => fetch(page, self.config)?,
            (false, false) => self.file(page)?,
        };
        if source.is_empty() {
            let name = if page == "-" { "standard input" } else { page };
            return Err(Failure::Work(format!("{name} is empty")));
        }
        Ok(Page::at(&source, url))
    }

    fn file(&self, page: &str) -> Result<PageSource, Failure> {
        let url = self.how.url.as_deref().map(parse).transpose()?;
        Ok(PageSource { source: page_files::source(page)?, url })
    }

    fn archived(&self, page: &str) -> Result<PageSource, Failure> {
        let url = parse(page)?;
        let Some(store) = self.store()? else {
            return Err(Failure::Work("no corpus here: name its folder with --data".into()));
        };
        let found = stored_page(self.config, store, url.key()).map_err(Failure::work)?;
        let found = found.ok_or_else(|| {
            let page = shell_argument(page);
            Failure::Work(format!("the corpus has no page of {page}; `gleaner doctor {page}` says why"))
        })?;
        Ok(PageSource { source: found.html, url: Some(url) })
    }

    /// Finds the template and the pins of a page. The pins are those of the page's host or, if the host is
    /// unknown, those of the template's host. `--keep` overrides the inserts of the pins.
    pub(crate) fn template_and_pins(&self, url: Option<&CanonicalUrl>) -> Result<TemplateAndPins, Failure> {
        let template = self.template(url)?;
        let host = url.map(CanonicalUrl::host).or(template.as_ref().map(|template| template.host()));
        let pins = settings::pins_of(self.config, host)?;
        if let Some(host) = host {
            let mut named = Ok(());
            self.reported.call_once(|| named = settings::report_other_pins(self.config, host));
            named?;
        }
        let pins = match self.how.keep.as_slice() {
            [] => pins,
            inserts => pins.with_inserts(inserts.to_vec(), "--keep"),
        };
        let pins = match self.how.also.as_slice() {
            [] => pins,
            extras => pins.with_extras(extras.to_vec()),
        };
        Ok(TemplateAndPins { template, pins })
    }

    /// Returns the template in the file of `--template`. Without this option, returns the template of the
    /// page's host in the corpus.
    fn template(&self, url: Option<&CanonicalUrl>) -> Result<Option<Arc<Template>>, Failure> {
        if self.given_template.is_some() || self.how.no_template {
            return Ok(self.given_template.clone());
        }
        let Some(host) = url.map(CanonicalUrl::host) else { return Ok(None) };
        // A panic cannot leave the value incomplete.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, template)) = last.as_ref().filter(|(known, _)| known == host) {
            return Ok(template.clone());
        }
        let json = match self.store()? {
            Some(store) => store.template(host).map_err(Failure::work)?,
            None => None,
        };
        let template = json.map(|json| Template::from_json(&json).map(Arc::new).map_err(Failure::work));
        let template = template.transpose()?;
        *last = Some((host.to_owned(), template.clone()));
        Ok(template)
    }

    fn store(&self) -> Result<Option<&Store>, Failure> {
        if let Some(store) = self.store.get() {
            return Ok(store.as_ref());
        }
        let is_wanted = self.common.data.is_some()
            || Path::new(&self.config.store.path).join("sled").exists()
            || distributed::is_shared(self.config);
        let store = match is_wanted.then(|| opening::read_store(self.config)).transpose() {
            Ok(store) => store,
            // The user did not name this corpus, and a running crawl may have it open. Therefore this is not
            // a failure.
            Err(Failure::Work(message)) if self.common.data.is_none() => {
                print_message(format_args!("gleaner: extracted without a template: {message}"));
                None
            }
            Err(failure) => return Err(failure),
        };
        Ok(self.store.get_or_init(|| store).as_ref())
    }
}

fn parse(url: &str) -> Result<CanonicalUrl, Failure> {
    CanonicalUrl::parse(url).map_err(|refusal| Failure::Usage(format!("{url}: {refusal}")))
}

/// Fetches one page as politely as a crawl: it obeys robots.txt and the delay between requests. If it fails at
/// an address that is not public, the message tells how to allow the address, but only for the page that the
/// user named. A site chooses the targets of its redirects, and could name a server of the user's network.
pub(crate) fn fetch(url: &str, config: &Config) -> Result<PageSource, Failure> {
    let named = parse(url)?;
    let mut url = named.clone();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::work)?;
    runtime.block_on(async {
        let fetcher = Fetcher::new(&config.fetch).map_err(Failure::work)?;
        let group = |url: &CanonicalUrl| config.fetch.gap_scope.group(url.domain(), url.host()).to_owned();
        let group_of = |url: &url::Url| CanonicalUrl::parse(url.as_str()).ok().map(|url| group(&url));
        for _ in 0..=config.fetch.max_redirects {
            let (group, lease) = (group(&url), RequestLease::unlimited());
            let request = RobotsRequest::new(url.url(), &group_of, &lease, Timestamp::now());
            let RobotsAnswer::Record(robots) = fetcher.robots(request, &mut |_, _| {}).await else {
                return Err(Failure::Work(format!("{url}: its robots.txt was not fetched")));
            };
            let access = robots.rules(config.fetch.product());
            if let Access::AllDisallowed { reason } = &access {
                return Err(Failure::Work(format!("{url} was not requested: {reason}")));
            }
            if let Rule::Disallowed { rule } = access.verdict(&url.url()[url::Position::BeforePath..]) {
                return Err(Failure::Work(format!("{url} is disallowed by robots.txt: {rule}")));
            }
            let delay = config.delay_of(url.host());
            fetcher.gates().raise_delay(&group, access.effective_delay(delay, &config.fetch));
            let answer =
                fetcher.page(&Request::new(url.url().clone(), RequestKind::Page), &group, &lease).await;
            let response = answer.map_err(|error| not_fetched(&url, &named, &error))?;
            match (response.status, response.location) {
                (200..300, _) => {
                    return Ok(PageSource {
                        source: decode(&response.body, response.content_type.as_deref()).text.into_owned(),
                        url: Some(url),
                    });
                }
                (300..400, Some(next)) => {
                    url = CanonicalUrl::parse(next.as_str())
                        .map_err(|e| Failure::Work(format!("{next}: {e}")))?;
                }
                (status, _) => return Err(Failure::Work(format!("{url} returned HTTP {status}"))),
            }
        }
        Err(Failure::Work(format!("{url}: more than {} redirects", config.fetch.max_redirects)))
    })
}

fn not_fetched(url: &CanonicalUrl, named: &CanonicalUrl, error: &FetchError) -> Failure {
    let is_private = matches!(error, FetchError::PrivateAddress { .. });
    Failure::Work(match is_private {
        true if url == named => {
            format!("{url}: {error}; to allow it, add it to fetch.allow_addresses in the settings")
        }
        true => format!("{named}: it redirects to {url}, which was not requested: {error}"),
        false => format!("{url}: {error}"),
    })
}
