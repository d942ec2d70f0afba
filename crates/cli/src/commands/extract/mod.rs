//! Runs `gleaner extract`: prints the text of one page, or one JSON object for each of many pages.

mod batch;

use gleaner_corpus::Method;
use gleaner_crawl::settings::Config;
use gleaner_extract::block_model;
use gleaner_extract::draft::document_of;
use gleaner_extract::template::LearnedTemplates;
use gleaner_extract::{Document, Page, extract_with};
use serde::Serialize;

use crate::args::{Common, Extract, PageFormat};
use crate::commands::page_files;
use crate::commands::page_reader::{PageReader, TemplateAndPins};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::{CommandResult, output, settings};

pub(crate) fn run(common: &Common, args: Extract) -> CommandResult {
    let config = settings::load(common)?;
    refuse_options_without_effect(&args)?;
    let extractor = Extractor::new(&args, common, &config)?;
    match (args.format, args.pages.as_slice()) {
        (PageFormat::Jsonl, _) => batch::run(&extractor),
        (_, [page]) if !batch::is_batch(page) => print(&extractor, page),
        _ => Err(Failure::Usage("several pages need --format jsonl".into())),
    }
}

fn print(extractor: &Extractor, name: &str) -> CommandResult {
    let args = extractor.args;
    let Extracted { document, is_cut } = extractor.read(name)?;
    if is_cut {
        print_message("gleaner: the page is too large; its end was not read");
    }
    let looks =
        document.not_article.map(|reason| format!("the page does not look like an article: {reason}"));
    let no_text = document.text.is_empty().then(|| format!("{} found no text on this page", args.method));
    let said = no_text.into_iter().chain(looks).collect::<Vec<_>>().join("; ");
    if document.text.is_empty() && args.format == PageFormat::Text {
        return Err(Failure::Work(said));
    }
    if !said.is_empty() {
        print_message(format_args!("gleaner: {said}"));
    }
    let text = match args.format {
        PageFormat::Text => document.text + "\n",
        _ => json(&document),
    };
    output::print_data(&text)
}

struct Extracted {
    document: Document,
    /// Whether the end of the page was not read because the page is too large.
    is_cut: bool,
}

struct Extractor<'a> {
    args: &'a Extract,
    source: PageReader<'a>,
    learned: LearnedTemplates,
}

impl<'a> Extractor<'a> {
    fn new(args: &'a Extract, common: &'a Common, config: &'a Config) -> Result<Self, Failure> {
        let source = PageReader::new(&args.how, common, config)?;
        let needs = args.method.uses_site() && (args.method != Method::Template || !args.beside.is_empty());
        let learned = if needs { learned(args)? } else { LearnedTemplates::default() };
        Ok(Self { args, source, learned })
    }

    fn read(&self, name: &str) -> Result<Extracted, Failure> {
        let page = self.source.read(name)?;
        let document = self.by_method(&page)?;
        Ok(Extracted { document, is_cut: page.is_cut() })
    }

    fn by_method(&self, page: &Page) -> Result<Document, Failure> {
        let method = self.args.method;
        if method == Method::Template && self.args.beside.is_empty() {
            let TemplateAndPins { template, pins } = self.source.template_and_pins(page.canonical_url())?;
            let found = extract_with(page, template.as_deref(), &pins);
            return Ok(found.unwrap_or_else(|| Document::without_text(page, method.setting())));
        }
        let lines = self.learned.extract(method, page.tree(), block_model::built_in());
        let document = document_of(page.tree(), &page.origin(), &lines, method.setting(), None);
        Ok(Document::from_corpus(page, document))
    }
}

fn refuse_options_without_effect(args: &Extract) -> CommandResult {
    let method = args.method;
    let reason = if args.how.template.is_some() && method != Method::Template {
        format!("--template requires --method {}: {method} does not use templates", Method::Template)
    } else if !args.how.keep.is_empty() && (method != Method::Template || !args.beside.is_empty()) {
        format!("--keep requires --method {} without --beside", Method::Template)
    } else if !args.how.also.is_empty() && (method != Method::Template || !args.beside.is_empty()) {
        format!("--also requires --method {} without --beside", Method::Template)
    } else if !args.how.also.is_empty() && args.format == PageFormat::Text {
        "--also requires --format json or jsonl: plain text has no fields".to_owned()
    } else if !args.beside.is_empty() && !method.uses_site() {
        let of_sites: Vec<&str> =
            Method::choices().filter(|other| other.uses_site()).map(Method::setting).collect();
        format!(
            "--beside requires a method that learns a site ({}): {method} reads one page",
            of_sites.join(", ")
        )
    } else {
        return Ok(());
    };
    Err(Failure::Usage(reason))
}

fn learned(args: &Extract) -> Result<LearnedTemplates, Failure> {
    let method = args.method;
    let pages: Vec<(String, gleaner_html::Page)> = page_files::files(&args.beside)?
        .into_iter()
        .map(|path| {
            let name = path.display().to_string();
            Ok((name.clone(), gleaner_html::embedded::complete(&page_files::source(&name)?)))
        })
        .collect::<Result<_, Failure>>()?;
    if !pages.is_empty() {
        let pages: Vec<_> = pages.iter().map(|(name, page)| (name.as_str(), page)).collect();
        return Ok(LearnedTemplates::from_pages(&[method], block_model::built_in(), "unknown", &pages));
    }
    Err(Failure::Usage(format!("{method} compares pages of one site: add other pages with --beside PAGES")))
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers are JSON") + "\n"
}
