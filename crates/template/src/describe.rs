//! A template in words, for `gleaner template show`.

use std::collections::HashMap;
use std::fmt::Write;

use gleaner_extract::fast_content_extractor::NonContent;

use crate::SiteTemplate;

/// The template as text of several lines: where it comes from, its content paths
/// with the number of content blocks on each, most first, and the non-content
/// blocks stored for each path with their first words.
#[must_use]
pub fn describe(template: &SiteTemplate) -> String {
    let method = &template.method;
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    line(format!("host      {}", template.host));
    line(format!("version   {}", template.version));
    line(format!("learned   {} from {} pages", template.learned, method.pages()));
    line(format!(
        "stored    {} content paths, {} non-content blocks",
        method.content_paths().len(),
        method.num_block_temp()
    ));
    let mut paths: Vec<(&String, &u32)> = method.content_paths().iter().collect();
    paths.sort_by(|a, b| b.1.cmp(a.1).then_with(|| a.0.cmp(b.0)));
    let mut stored: HashMap<&str, Vec<&NonContent>> = HashMap::new();
    for block in method.non_content() {
        stored.entry(&block.path).or_default().push(block);
    }
    for (path, count) in paths {
        line(String::new());
        line(format!("{path}  ({count} content blocks)"));
        for block in stored.get(path.as_str()).into_iter().flatten() {
            line(non_content(block));
        }
    }
    out
}

fn non_content(block: &NonContent) -> String {
    let mut text = format!("  not \"{}\" (on {} pages", block.beginning, block.pages);
    for (count, name) in [(block.links, "links"), (block.images, "images"), (block.scripts, "scripts")] {
        if count > 0 {
            write!(text, ", {count} {name}").expect("writing to a string cannot fail");
        }
    }
    text.push(')');
    text
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
        assert_eq!(
            describe(&template),
            "host      a.example\n\
             version   1\n\
             learned   1970-01-01T00:00:00Z from 3 pages\n\
             stored    1 content paths, 1 non-content blocks\n\
             \n\
             HTML.BODY.P  (3 content blocks)\n  \
             not \"All rights reserved.\" (on 3 pages, 1 links)\n"
        );
    }
}
