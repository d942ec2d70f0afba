//! Reads one page for `gleaner extract` and `gleaner template explain`, with its template and pins.

use std::path::Path;

use gleaner_config::Config;
use gleaner_fetch::{Fetcher, Request, Right, RobotsAnswer, RobotsRequest, Verdict as Rule, Want};
use gleaner_frontier::CanonicalUrl;
use gleaner_html::Page;
use gleaner_html::decode::decode;
use gleaner_html::embedded::complete;
use gleaner_html::metadata::metadata;
use gleaner_template::{Pins, SiteTemplate, Verdict, judge};
use jiff::Timestamp;

use crate::args::{self, Common};
use crate::aside::say;
use crate::commands::pages;
use crate::failure::Failure;
use crate::{distributed, settings};

pub(crate) struct OnePage {
    pub(crate) source: String,
    pub(crate) page: Page,
    /// The URL that was fetched, else that of `--url`, else the canonical URL stated in the page.
    pub(crate) url: Option<CanonicalUrl>,
    pub(crate) verdict: Verdict,
}

pub(crate) struct Knowledge {
    pub(crate) template: Option<SiteTemplate>,
    pub(crate) pins: Pins,
}

pub(crate) struct Fetched {
    pub(crate) source: String,
    pub(crate) url: Option<CanonicalUrl>,
}

pub(crate) fn read(args: &args::OnePage, config: &Config) -> Result<OnePage, Failure> {
    if args.url.is_some() && is_url(&args.page) {
        let reason = format!("--url is for files: {} is already a URL", args.page);
        return Err(Failure::Usage(reason));
    }
    let Fetched { source, url } = input(args, config)?;
    if source.is_empty() {
        let name = if args.page == "-" { "standard input" } else { &args.page };
        return Err(Failure::Work(format!("{name} is empty")));
    }
    let page = complete(&source);
    let stated = || CanonicalUrl::parse(&metadata(&page).canonical?).ok();
    let url = url.or_else(stated);
    let verdict = judge(&page, url.as_ref().map_or("", CanonicalUrl::as_str));
    Ok(OnePage { source, page, url, verdict })
}

fn is_url(page: &str) -> bool {
    page.contains("://")
}

/// Finds the template and pins of a page. The pins are those of the page's host or, if the host is unknown,
/// of the template's host. `--keep` overrides the inserts of the pins.
pub(crate) fn knowledge(
    args: &args::OnePage,
    common: &Common,
    config: &Config,
    url: Option<&CanonicalUrl>,
) -> Result<Knowledge, Failure> {
    let template = template(args, common, config, url)?;
    let host = url.map(CanonicalUrl::host).or(template.as_ref().map(|template| template.host.as_str()));
    let pins = settings::pins_of(config, host)?;
    let pins = match args.keep.as_slice() {
        [] => pins,
        inserts => pins.with_inserts(inserts.iter().copied().collect(), "--keep"),
    };
    Ok(Knowledge { template, pins })
}

fn input(args: &args::OnePage, config: &Config) -> Result<Fetched, Failure> {
    if is_url(&args.page) {
        return fetch(&args.page, config);
    }
    let url = args.url.as_deref().map(|url| {
        CanonicalUrl::parse(url).map_err(|refusal| Failure::Usage(format!("--url {url}: {refusal}")))
    });
    Ok(Fetched { source: pages::source(&args.page)?, url: url.transpose()? })
}

/// Fetches one page as a crawl would: requests robots.txt first, and keeps the gap between requests.
pub(crate) fn fetch(url: &str, config: &Config) -> Result<Fetched, Failure> {
    let mut url = CanonicalUrl::parse(url).map_err(|refusal| Failure::Usage(format!("{url}: {refusal}")))?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::work)?;
    runtime.block_on(async {
        let fetcher = Fetcher::new(&config.fetch).map_err(Failure::work)?;
        for _ in 0..=config.fetch.max_redirects {
            let group_of = |url: &url::Url| Some(url.host_str().unwrap_or_default().to_owned());
            let (group, right) = (group_of(url.url()).unwrap_or_default(), Right::unlimited());
            let request = RobotsRequest::new(url.url(), &group_of, &right, Timestamp::now());
            let RobotsAnswer::Record(robots) = fetcher.robots(request, &mut |_, _| {}).await else {
                return Err(Failure::Work(format!("{url}: its robots.txt was not fetched")));
            };
            let access = robots.rules(config.fetch.product());
            if let Rule::Disallowed { rule } = access.verdict(&url.url()[url::Position::BeforePath..]) {
                return Err(Failure::Work(format!("{url} is disallowed by robots.txt: {rule}")));
            }
            fetcher.gates().set_gap(&group, access.effective_delay(&config.fetch));
            let answer = fetcher.page(&Request::new(url.url().clone(), Want::Page), &group, &right).await;
            let response = answer.map_err(|error| Failure::Work(format!("{url}: {error}")))?;
            match (response.status, response.location) {
                (200..300, _) => {
                    return Ok(Fetched {
                        source: decode(&response.body, response.content_type.as_deref()).text,
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

/// Finds the template: the file of `--template`, else the template of the page's host in the corpus.
fn template(
    args: &args::OnePage,
    common: &Common,
    config: &Config,
    url: Option<&CanonicalUrl>,
) -> Result<Option<SiteTemplate>, Failure> {
    if args.no_template {
        return Ok(None);
    }
    if let Some(path) = &args.template {
        let json = settings::read_text(path)?;
        return SiteTemplate::from_json(&json)
            .map(Some)
            .map_err(|error| Failure::Usage(format!("{}: {error}", path.display())));
    }
    let asked = common.data.is_some()
        || Path::new(&config.store.path).join("sled").exists()
        || distributed::is_shared(config);
    let (true, Some(url)) = (asked, url) else { return Ok(None) };
    let store = match settings::store(config, false) {
        Ok(store) => store,
        // The user did not name this corpus; a crawl may be using it.
        Err(Failure::Work(message)) if common.data.is_none() => {
            say(format_args!("gleaner: extracted without a template: {message}"));
            return Ok(None);
        }
        Err(failure) => return Err(failure),
    };
    match store.template(url.host()).map_err(Failure::work)? {
        Some(json) => SiteTemplate::from_json(&json).map(Some).map_err(Failure::work),
        None => Ok(None),
    }
}
