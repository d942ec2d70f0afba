//! Runs `gleaner template explain`: writes an HTML page that shows how each line was classified, and why.

use std::fs;
use std::path::{Path, PathBuf};

use crate::status::explain::{ExplanationInput, explain};
use gleaner_crawl::settings::Config;
use gleaner_extract::Template;
use gleaner_extract::template::Extraction;
use gleaner_frontier::CanonicalUrl;

use crate::CommandResult;
use crate::args::{Common, Explain};
use crate::commands::page_reader::{PageReader, TemplateAndPins};
use crate::failure::Failure;
use crate::messages::print_message;

pub(crate) fn run(common: &Common, config: &Config, args: &Explain) -> CommandResult {
    let source = PageReader::new(&args.page.how, common, config)?;
    let page = source.read(&args.page.page)?;
    let TemplateAndPins { template, pins } = source.template_and_pins(page.canonical_url())?;
    let host = page.canonical_url().map(CanonicalUrl::host).or(template.as_deref().map(Template::host));
    let pins_file = host.map(|host| pins.file_to_edit(&config.template.pins, host));
    let judgement = match template.as_deref() {
        Some(template) => template.prepared().extract(page.tree(), &pins),
        None => Extraction::cold(page.tree(), &pins),
    };
    let html = explain(&ExplanationInput {
        page: page.tree(),
        url: page.url(),
        template: template.as_deref().map(Template::site),
        pins: &pins,
        pins_file: pins_file.as_deref(),
        judgement: &judgement,
    });
    let out = args.out.clone().unwrap_or_else(|| default_name(&args.page.page));
    fs::write(&out, html).map_err(Failure::writing(out.display()))?;
    print_message(format_args!("written to {}; open it in a browser", out.display()));
    Ok(())
}

/// Returns the last path segment of a file name or URL, with `.explained.html` instead of its HTML extension.
fn default_name(page: &str) -> PathBuf {
    let path = page.split(['?', '#']).next().filter(|_| page.contains("://")).unwrap_or(page);
    let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.filter(|name| name != "-").unwrap_or_else(|| "page".into());
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let endings = [".html", ".htm", ".xhtml"];
    let name = endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    format!("{name}.explained.html").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_named_after_the_page() {
        let cases = [
            ("pages/a.html.gz", "a.explained.html"),
            ("a.b.htm", "a.b.explained.html"),
            ("-", "page.explained.html"),
            ("https://a.example/news/rain-1.html?from=rss", "rain-1.explained.html"),
            ("https://a.example/", "a.example.explained.html"),
            ("..", "page.explained.html"),
        ];
        for (page, expected) in cases {
            assert_eq!(default_name(page), Path::new(expected), "{page}");
        }
    }
}
