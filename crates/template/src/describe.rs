//! Describes a template as text, for `gleaner template show`.

use std::fmt::Write;

use gleaner_extract::block_model::DomPathStats;

use crate::{Health, PublishedTemplate, SiteTemplate};

const MOST_PLACES: usize = 40;

/// Returns a description of several lines: first the template's origin, then the 40 DOM paths with the most
/// body text, each with its estimated share of body text, number of blocks and number of pages. For a
/// published method, the description lists what the method learned instead of DOM paths.
#[must_use]
pub fn describe(template: &SiteTemplate) -> String {
    let site = &template.site;
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string cannot fail");
    line(format!("host      {}", template.host));
    line(format!("version   {}", template.version));
    line(format!("learned   {} from {} pages", template.learned, site.pages));
    line(format!("method    {}", template.method()));
    if let Some(published) = &template.published {
        return out + &describe_published(published);
    }
    line(format!("holds     {} places, {} repeated texts", site.dom_paths.len(), site.repeated.len()));
    line(format!("health    {}", health(&template.health)));
    line(String::new());
    line("content  blocks  pages  place".into());
    let mut dom_paths: Vec<(&String, &DomPathStats)> = site.dom_paths.iter().collect();
    dom_paths.sort_by(|a, b| b.1.content.total_cmp(&a.1.content).then_with(|| a.0.cmp(b.0)));
    for (name, dom_path) in dom_paths.iter().take(MOST_PLACES) {
        let share = 100.0 * dom_path.content / dom_path.words;
        line(format!("{share:6.0}%  {:6}  {:5}  {name}", dom_path.blocks, dom_path.pages));
    }
    if dom_paths.len() > MOST_PLACES {
        line(format!("... and {} more; all are in --json", dom_paths.len() - MOST_PLACES));
    }
    out
}

fn describe_published(published: &PublishedTemplate) -> String {
    let template = match published {
        PublishedTemplate::FastContentExtractor(template) => template,
        PublishedTemplate::ContentExtractor(site) => return format!("holds     {} blocks\n", site.blocks()),
    };
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string cannot fail");
    let (mut paths, stored) = (template.content_paths().iter().collect::<Vec<_>>(), template.non_content());
    paths.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    line(format!("holds     {} content paths, {} non-content blocks", paths.len(), stored.len()));
    line("\nblocks  path of content blocks".into());
    for (path, blocks) in paths.iter().take(MOST_PLACES) {
        line(format!("{blocks:6}  {path}"));
    }
    line("\n pages  beginning of a non-content block".into());
    for block in stored.iter().take(MOST_PLACES) {
        line(format!("{:6}  {}", block.pages, block.beginning));
    }
    if paths.len().max(stored.len()) > MOST_PLACES {
        line(format!("Only {MOST_PLACES} of each are listed; all are in --json."));
    }
    out
}

fn health(health: &Health) -> String {
    let Health { words, margin, known, repeated, alone } = health;
    format!(
        "{words} words, margin {margin:.2}, {:.0}% of lines at known places, {:.0}% repeated; {:.0}% of pages judged alone",
        100.0 * known,
        100.0 * repeated,
        100.0 * alone
    )
}

#[cfg(test)]
mod tests {
    use gleaner_html::Page;

    use super::*;

    #[test]
    fn a_template_in_words() {
        let page = |text: &str| {
            let html = format!("<p>{text}</p><p><a href=/>All rights</a> reserved.</p>");
            Page::parse(&html)
        };
        let pages = ["rain", "wind", "snow"].map(page);
        let pages: Vec<_> = pages.iter().map(|page| ("https://a.example/", page)).collect();
        let template = SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &pages);
        let text = describe(&template);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..6],
            [
                "host      a.example",
                "version   1",
                "learned   1970-01-01T00:00:00Z from 3 pages",
                "method    gleaner",
                "holds     1 places, 1 repeated texts",
                "health    0 words, margin 0.00, 100% of lines at known places, 50% repeated; 0% of pages judged alone",
            ]
        );
        assert!(lines[8].ends_with("       3      3  body > p"), "{text}");
    }
}
