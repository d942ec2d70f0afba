//! A template in words, for `gleaner template show`.

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
    for (path, count) in paths {
        line(String::new());
        line(format!("{path}  ({count} content blocks)"));
        for block in method.non_content().iter().filter(|block| block.path == *path) {
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
