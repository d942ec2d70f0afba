//! `gleaner extract`: the text of one page.

use std::io::{self, Write};
use std::path::Path;

use gleaner_config::Config;
use gleaner_corpus::{Document, words};
use gleaner_crawl::{Draft, Origin, draft, draft_of};
use gleaner_eval::{Learned, Method};
use gleaner_extract::{Input, block_model};
use gleaner_fetch::{Fetcher, Request, Verdict as Rule, Want};
use gleaner_frontier::CanonicalUrl;
use gleaner_html::Page;
use gleaner_html::decode::decode;
use gleaner_html::metadata::metadata;
use gleaner_template::{SiteTemplate, Verdict, judge};
use jiff::Timestamp;
use serde::Serialize;

use crate::args::{Common, Extract, PageFormat};
use crate::aside::say;
use crate::commands::pages;
use crate::failure::Failure;
use crate::{Done, settings};

/// Stands in for the URL of a page whose URL is not known.
const NOWHERE: &str = "http://unknown.invalid/";

/// The page as one JSON object.
#[derive(Serialize)]
struct Record<'a> {
    url: Option<&'a str>,
    title: Option<&'a str>,
    language: &'a str,
    published: Option<&'a str>,
    authors: &'a [String],
    words: u64,
    method: &'a str,
    template_version: Option<u32>,
    text: &'a str,
}

struct Fetched {
    source: String,
    url: Option<CanonicalUrl>,
}

pub(crate) fn run(common: &Common, args: Extract) -> Done {
    let config = settings::load(common)?;
    refuse_what_has_no_effect(&args)?;
    let Fetched { source, url } = input(&args, &config)?;
    if source.is_empty() {
        let name = if args.page == "-" { "standard input" } else { &args.page };
        return Err(Failure::Work(format!("{name} is empty")));
    }
    let page = Page::parse(&source);
    let stated = || CanonicalUrl::parse(&metadata(&page).canonical?).ok();
    let url = url.or_else(stated);
    let verdict = judge(&page, url.as_ref().map_or("", CanonicalUrl::as_str));
    let nowhere = || CanonicalUrl::parse(NOWHERE).expect("a URL that is written here");
    let origin = Origin { url: url.clone().unwrap_or_else(nowhere), fetched: Timestamp::now() };
    let template = || template(&args, common, &config, url.as_ref());
    let input = Input { source: &source, page: &page };
    let Some(draft) = by_method(&args, input, &origin, template)? else {
        let why = match verdict {
            Verdict::NotArticle(reason) => format!(", which looks like no article: {reason}"),
            Verdict::Article => String::new(),
        };
        return Err(Failure::Work(format!("no text was found by {} on this page{why}", args.method)));
    };
    if let Verdict::NotArticle(reason) = verdict {
        say(format_args!("gleaner: this page looks like no article: {reason}"));
    }
    let text = match args.format {
        PageFormat::Text => draft.document.text + "\n",
        PageFormat::Json => json(&draft.document, url.as_ref()),
    };
    io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::writing("standard output"))
}

/// What is typed and changes nothing was meant otherwise.
fn refuse_what_has_no_effect(args: &Extract) -> Done {
    let method = args.method;
    let reason = if args.template.is_some() && method != Method::Gleaner {
        format!("--template is for --method {}: {method} does not read it", Method::Gleaner)
    } else if !args.beside.is_empty() && !method.uses_site() {
        let of_sites: Vec<&str> = Method::all().filter(|other| other.uses_site()).map(Method::name).collect();
        format!(
            "--beside is for methods that learn a site ({}): {method} reads one page",
            of_sites.join(", ")
        )
    } else if args.url.is_some() && is_url(&args.page) {
        format!("--url says where a file came from: {} is a URL itself", args.page)
    } else {
        return Ok(());
    };
    Err(Failure::Usage(reason))
}

fn is_url(page: &str) -> bool {
    page.contains("://")
}

/// The page's document by the method that was asked for, if it finds text.
fn by_method(
    args: &Extract,
    input: Input<'_>,
    origin: &Origin,
    template: impl Fn() -> Result<Option<SiteTemplate>, Failure>,
) -> Result<Option<Draft>, Failure> {
    let method = args.method;
    if method == Method::Gleaner && args.beside.is_empty() {
        return Ok(draft(input.page, origin, template()?.as_ref()));
    }
    let learned = if method.uses_site() { learned(args, origin)? } else { Learned::default() };
    let lines = method.extract(input, &learned, block_model::built_in());
    Ok(draft_of(input.page, origin, &lines, method.name(), None))
}

/// What the method learns from the pages beside this one.
fn learned(args: &Extract, origin: &Origin) -> Result<Learned, Failure> {
    let method = args.method;
    let pages: Vec<(String, Page)> = pages::files(&args.beside)?
        .into_iter()
        .map(|path| {
            let name = path.display().to_string();
            Ok((name.clone(), Page::parse(&pages::source(&name)?)))
        })
        .collect::<Result<_, Failure>>()?;
    if !pages.is_empty() {
        let pages: Vec<(&str, &Page)> = pages.iter().map(|(name, page)| (name.as_str(), page)).collect();
        return Ok(Learned::from_pages(&[method], block_model::built_in(), origin.url.host(), &pages));
    }
    Err(Failure::Usage(format!("{method} compares pages of one site: name others with --beside PAGES")))
}

fn json(document: &Document, url: Option<&CanonicalUrl>) -> String {
    let record = Record {
        url: url.map(CanonicalUrl::as_str),
        title: document.title.as_deref(),
        language: &document.language,
        published: document.published.as_deref(),
        authors: &document.authors,
        words: words(&document.text),
        method: &document.method,
        template_version: document.template_version,
        text: &document.text,
    };
    serde_json::to_string(&record).expect("texts and numbers are JSON") + "\n"
}

fn input(args: &Extract, config: &Config) -> Result<Fetched, Failure> {
    if is_url(&args.page) {
        return fetch(&args.page, config);
    }
    let url = args.url.as_deref().map(|url| {
        CanonicalUrl::parse(url).map_err(|refusal| Failure::Usage(format!("--url {url}: {refusal}")))
    });
    Ok(Fetched { source: pages::source(&args.page)?, url: url.transpose()? })
}

/// Asks for one page as the crawl would: robots.txt first, and the gap between.
fn fetch(url: &str, config: &Config) -> Result<Fetched, Failure> {
    let mut url = CanonicalUrl::parse(url).map_err(|refusal| Failure::Usage(format!("{url}: {refusal}")))?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::work)?;
    runtime.block_on(async {
        let fetcher = Fetcher::new(&config.fetch).map_err(Failure::work)?;
        for _ in 0..=config.fetch.max_redirects {
            let group_of = |url: &url::Url| url.host_str().unwrap_or_default().to_owned();
            let robots = fetcher.robots(url.url(), &group_of, None, Timestamp::now()).await;
            let access = robots.rules(config.fetch.product());
            if let Rule::Disallowed { rule } = access.verdict(&url.url()[url::Position::BeforePath..]) {
                return Err(Failure::Work(format!("{url} may not be asked for: {rule}")));
            }
            let cap = config.fetch.max_crawl_delay.get();
            fetcher.gates().set_gap(&group_of(url.url()), access.crawl_delay().unwrap_or_default().min(cap));
            let answer =
                fetcher.page(&Request::new(url.url().clone(), Want::Page), &group_of(url.url())).await;
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
                (status, _) => return Err(Failure::Work(format!("{url} answered with status {status}"))),
            }
        }
        Err(Failure::Work(format!("{url}: more than {} redirects", config.fetch.max_redirects)))
    })
}

/// The template to use: the named file; else the corpus's for the page's host, where
/// there is a corpus; else none.
fn template(
    args: &Extract,
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
    let asked = common.data.is_some() || Path::new(&config.store.path).join("sled").exists();
    let (true, Some(url)) = (asked, url) else { return Ok(None) };
    let store = match settings::store(config, false) {
        Ok(writer) => writer.store(),
        // The corpus was not asked for by name, and may be in use by a crawl.
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
