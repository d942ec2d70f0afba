//! Runs `gleaner extract`: prints the text of one page.

use std::io::{self, Write};

use gleaner_corpus::{Document, words};
use gleaner_crawl::{Draft, Origin, draft, draft_of};
use gleaner_eval::{Learned, Method};
use gleaner_extract::block_model;
use gleaner_frontier::CanonicalUrl;
use gleaner_html::Page;
use gleaner_methods::Input;
use gleaner_template::{Verdict, is_cut};
use jiff::Timestamp;
use serde::Serialize;

use crate::args::{Common, Extract, PageFormat};
use crate::aside::say;
use crate::commands::one_page::{self, Knowledge, OnePage};
use crate::commands::pages;
use crate::failure::Failure;
use crate::{Done, settings};

/// Used as the page's URL if it is unknown.
const NOWHERE: &str = "http://unknown.invalid/";

/// The JSON output: the fields of an exported document, without those that need a corpus.
#[derive(Serialize)]
struct Record<'a> {
    url: Option<&'a str>,
    /// Why a crawl would reject the page, such as `login_wall`.
    not_article: Option<&'static str>,
    title: Option<&'a str>,
    language: &'a str,
    language_probability: Option<f32>,
    published: Option<&'a str>,
    modified: Option<&'a str>,
    authors: &'a [String],
    section: Option<&'a str>,
    canonical: Option<&'a str>,
    words: u64,
    method: &'a str,
    template_version: Option<u32>,
    confidence: Option<f32>,
    kinds: &'a str,
    text: &'a str,
}

pub(crate) fn run(common: &Common, args: Extract) -> Done {
    let config = settings::load(common)?;
    refuse_what_has_no_effect(&args)?;
    let OnePage { source, page, url, verdict } = one_page::read(&args.page, &config)?;
    let nowhere = || CanonicalUrl::parse(NOWHERE).expect("a URL that is written here");
    let origin = Origin { url: url.clone().unwrap_or_else(nowhere), fetched: Timestamp::now() };
    let knowledge = || one_page::knowledge(&args.page, common, &config, url.as_ref());
    let input = Input { source: &source, page: &page };
    let Some(draft) = by_method(&args, input, &origin, knowledge)? else {
        let why = match verdict {
            Verdict::NotArticle(reason) => format!("; the page does not look like an article: {reason}"),
            Verdict::Article => String::new(),
        };
        return Err(Failure::Work(format!("{} found no text on this page{why}", args.method)));
    };
    if is_cut(&page) {
        say("gleaner: the page is too large; its end was not read");
    }
    if let Verdict::NotArticle(reason) = verdict {
        say(format_args!("gleaner: the page does not look like an article: {reason}"));
    }
    let text = match args.format {
        PageFormat::Text => draft.document.text + "\n",
        PageFormat::Json => json(&draft.document, url.as_ref(), verdict),
    };
    io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::writing("standard output"))
}

fn refuse_what_has_no_effect(args: &Extract) -> Done {
    let method = args.method;
    let reason = if args.page.template.is_some() && method != Method::Gleaner {
        format!("--template requires --method {}: {method} does not use templates", Method::Gleaner)
    } else if !args.page.keep.is_empty() && (method != Method::Gleaner || !args.beside.is_empty()) {
        format!("--keep requires --method {} without --beside", Method::Gleaner)
    } else if !args.beside.is_empty() && !method.uses_site() {
        let of_sites: Vec<&str> = Method::all().filter(|other| other.uses_site()).map(Method::name).collect();
        format!(
            "--beside requires a method that learns a site ({}): {method} reads one page",
            of_sites.join(", ")
        )
    } else {
        return Ok(());
    };
    Err(Failure::Usage(reason))
}

fn by_method(
    args: &Extract,
    input: Input<'_>,
    origin: &Origin,
    knowledge: impl Fn() -> Result<Knowledge, Failure>,
) -> Result<Option<Draft>, Failure> {
    let method = args.method;
    if method == Method::Gleaner && args.beside.is_empty() {
        let Knowledge { template, pins } = knowledge()?;
        return Ok(draft(input.page, origin, template.as_ref(), &pins));
    }
    let learned = if method.uses_site() { learned(args, origin)? } else { Learned::default() };
    let lines = method.extract(input, &learned, block_model::built_in());
    Ok(draft_of(input.page, origin, &lines, method.name(), None))
}

fn learned(args: &Extract, origin: &Origin) -> Result<Learned, Failure> {
    let method = args.method;
    let pages: Vec<(String, Page)> = pages::files(&args.beside)?
        .into_iter()
        .map(|path| {
            let name = path.display().to_string();
            Ok((name.clone(), gleaner_html::embedded::complete(&pages::source(&name)?)))
        })
        .collect::<Result<_, Failure>>()?;
    if !pages.is_empty() {
        let pages: Vec<(&str, &Page)> = pages.iter().map(|(name, page)| (name.as_str(), page)).collect();
        return Ok(Learned::from_pages(&[method], block_model::built_in(), origin.url.host(), &pages));
    }
    Err(Failure::Usage(format!("{method} compares pages of one site: add other pages with --beside PAGES")))
}

fn json(document: &Document, url: Option<&CanonicalUrl>, verdict: Verdict) -> String {
    // If the page's URL is unknown, a relative canonical URL is meaningless.
    let is_somewhere = |address: &&str| !address.starts_with(NOWHERE);
    let record = Record {
        url: url.map(CanonicalUrl::as_str),
        not_article: match verdict {
            Verdict::Article => None,
            Verdict::NotArticle(reason) => Some(reason.label()),
        },
        title: document.title.as_deref(),
        language: &document.language,
        language_probability: document.language_probability.map(|hundredths| f32::from(hundredths) / 100.0),
        published: document.published.as_deref(),
        modified: document.modified.as_deref(),
        authors: &document.authors,
        section: document.section.as_deref(),
        canonical: document.canonical.as_deref().filter(is_somewhere),
        words: words(&document.text),
        method: &document.method,
        template_version: document.template_version,
        confidence: document.confidence.map(|hundredths| f32::from(hundredths) / 100.0),
        kinds: &document.kinds,
        text: &document.text,
    };
    serde_json::to_string(&record).expect("texts and numbers are JSON") + "\n"
}
