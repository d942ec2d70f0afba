//! Runs `gleaner learn`: learns a template from pages of one site.

use std::collections::BTreeMap;
use std::fs;

use gleaner_frontier::CanonicalUrl;
use gleaner_html::Page;
use gleaner_html::metadata::metadata;
use gleaner_template::{SiteTemplate, Verdict, judge};
use jiff::Timestamp;

use crate::args::{Common, Learn};
use crate::aside::say;
use crate::commands::pages;
use crate::commands::template::holds;
use crate::failure::Failure;
use crate::{Done, settings};

/// Maximum number of pages from which a template is learned (20 to 30 in the paper).
const MOST: usize = 30;

pub(crate) fn run(common: &Common, args: Learn) -> Done {
    let config = settings::load(common)?;
    let mut kept: Vec<(String, Page)> = Vec::new();
    for path in pages::files(&args.pages)? {
        let name = path.display().to_string();
        let page = gleaner_html::embedded::complete(&pages::source(&name)?);
        match judge(&page, "") {
            Verdict::Article => kept.push((name, page)),
            Verdict::NotArticle(reason) => say(format_args!("{name}: skipped, not an article: {reason}")),
        }
        if kept.len() == MOST {
            say(format_args!("{MOST} articles are enough; the other pages are skipped"));
            break;
        }
    }
    if kept.len() < 2 {
        return Err(Failure::Usage(format!(
            "cannot learn a template: article pages found: {}; at least 2 are needed, {} or more are recommended",
            kept.len(),
            config.template.min_pages
        )));
    }
    let host = args.host.unwrap_or_else(|| host_of(&kept));
    let pages: Vec<(&str, &Page)> = kept.iter().map(|(name, page)| (name.as_str(), page)).collect();
    let template = SiteTemplate::learn_by(config.template.method, &host, 1, Timestamp::now(), &pages);
    fs::write(&args.out, template.to_json()).map_err(Failure::writing(args.out.display()))?;
    say(format_args!(
        "{host}: learned from {} pages ({}); written to {}",
        kept.len(),
        holds(&template),
        args.out.display()
    ));
    Ok(())
}

/// Returns the most frequent host of the pages' canonical URLs, or `unknown`. Warns if there are several
/// hosts, since a template belongs to one site.
fn host_of(pages: &[(String, Page)]) -> String {
    let mut hosts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, page) in pages {
        let stated = metadata(page).canonical.and_then(|url| CanonicalUrl::parse(&url).ok());
        if let Some(url) = stated {
            *hosts.entry(url.host().to_owned()).or_default() += 1;
        }
    }
    if hosts.len() > 1 {
        let counts: Vec<String> = hosts.iter().map(|(host, pages)| format!("{host} ({pages})")).collect();
        say(format_args!(
            "the pages have several hosts: {}; learn a template for each site separately",
            counts.join(", ")
        ));
    }
    let most = hosts.into_iter().max_by_key(|(_, pages)| *pages);
    most.map_or_else(|| "unknown".into(), |(host, _)| host)
}
