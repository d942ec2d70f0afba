//! Describes a template as text, for `gleaner template show`.

use std::fmt::Write;

use gleaner_extract::block_model::Place;

use crate::{Health, SiteTemplate};

const MOST_PLACES: usize = 40;

/// Returns a description of several lines: the template's origin, then the 40 places with the most body text,
/// each with its estimated share of body text, its number of blocks and its number of pages.
#[must_use]
pub fn describe(template: &SiteTemplate) -> String {
    let site = &template.site;
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string cannot fail");
    line(format!("host      {}", template.host));
    line(format!("version   {}", template.version));
    line(format!("learned   {} from {} pages", template.learned, site.pages));
    line(format!("holds     {} places, {} repeated texts", site.places.len(), site.repeated.len()));
    line(format!("health    {}", health(&template.health)));
    line(String::new());
    line("content  blocks  pages  place".into());
    let mut places: Vec<(&String, &Place)> = site.places.iter().collect();
    places.sort_by(|a, b| b.1.content.total_cmp(&a.1.content).then_with(|| a.0.cmp(b.0)));
    for (name, place) in places.iter().take(MOST_PLACES) {
        let share = 100.0 * place.content / place.words;
        line(format!("{share:6.0}%  {:6}  {:5}  {name}", place.blocks, place.pages));
    }
    if places.len() > MOST_PLACES {
        line(format!("... and {} more; all are in --json", places.len() - MOST_PLACES));
    }
    out
}

fn health(health: &Health) -> String {
    let Health { words, confidence, known, repeated, alone } = health;
    format!(
        "{words} words, confidence {confidence:.2}, {:.0}% of lines at known places, {:.0}% repeated; {:.0}% of pages judged alone",
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
            lines[..5],
            [
                "host      a.example",
                "version   1",
                "learned   1970-01-01T00:00:00Z from 3 pages",
                "holds     1 places, 1 repeated texts",
                "health    0 words, confidence 0.00, 100% of lines at known places, 50% repeated; 0% of pages judged alone",
            ]
        );
        assert!(lines[7].ends_with("       3      3  body > p"), "{text}");
    }
}
