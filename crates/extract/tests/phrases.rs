//! Tests the example of the FastContentExtractor paper: a phrase that spans inline tags.

use gleaner_extract::site_methods::content_extractor::{self, Search, SiteBlocks};
use gleaner_extract::site_methods::fast_content_extractor::{FastContentExtractorParams, prepare};
use gleaner_html::Page;
use gleaner_html::text::plain;

/// The markup of the paper's figure 2.
const PARAGRAPH: &str = r#"<p> On Sept. 27, the US <span
class="yshortcuts"
id="lw_1223369478_0">House of
Representatives</span> unanimously passed
a resolution recognizing <span
class="yshortcuts"
id="lw_1223369478_1">The Christian
Science Monitor</span> on its centennial.
The measure was sponsored by <span
class="yshortcuts"
id="lw_1223369478_2">Rep. Lamar
Smith</span> (R) of Texas who once served
on the Monitor staff. It was cosponsored
by 40 other <span class="yshortcuts"
id="lw_1223369478_3">members of
Congress</span>. </p>"#;

/// The text in the paper's figure 1.
const TEXT: &str = "On Sept. 27, the US House of Representatives unanimously passed a resolution recognizing \
The Christian Science Monitor on its centennial. The measure was sponsored by Rep. Lamar Smith (R) of Texas who once \
served on the Monitor staff. It was cosponsored by 40 other members of Congress.";

fn page(content: &str) -> Page {
    Page::parse(&format!(
        "<table><tr><td>Home News Sport</td></tr></table>{content}<p>All rights reserved.</p>"
    ))
}

/// The blocks in the paper's figure 3.
const BLOCKS: [&str; 5] = [
    "House of Representatives",
    "The Christian Science Monitor",
    "Rep. Lamar Smith",
    "members of Congress",
    "On Sept. 27, the US unanimously passed a resolution recognizing on its centennial. The measure was sponsored by \
(R) of Texas who once served on the Monitor staff. It was cosponsored by 40 other .",
];

fn learned() -> [Page; 3] {
    [
        page("<p>A first story of <span>some</span> length.</p>"),
        page("<p>The second one tells <span>of rain</span> and wind.</p>"),
        page("<p>And a third, which has <span>nothing more</span> to say.</p>"),
    ]
}

#[test]
fn content_extractor_tears_the_phrase_apart() {
    for params in [
        content_extractor::ContentExtractorParams::default(),
        content_extractor::ContentExtractorParams::of_the_paper(),
    ] {
        for search in [Search::Exhaustive, Search::Indexed] {
            let site = SiteBlocks::new(
                &learned(),
                &content_extractor::ContentExtractorParams { search, ..params.clone() },
            );
            assert_eq!(site.num_block_temp(), 2, "the bar above and the line below");
            let found = site.find(&page(PARAGRAPH));
            let texts: Vec<&str> = found.placed.iter().map(|placed| placed.line.text.as_str()).collect();
            assert_eq!(texts, BLOCKS);
            assert!(!plain(&found.lines()).contains("the US House of Representatives"));
            assert_eq!((found.blocks, found.compared_with, found.exact), (7, site.blocks(), true));
        }
    }
}

#[test]
fn fast_content_extractor_keeps_the_phrase_whole() {
    let learned = learned();
    for params in [FastContentExtractorParams::default(), FastContentExtractorParams::of_the_paper()] {
        let template = prepare(&learned, &params);
        assert!(template.content_paths().contains_key("HTML.BODY.P.SPAN"));
        let found = template.find(&page(PARAGRAPH));
        assert_eq!((found.blocks, found.parts, found.non_content), (2, 6, 1));
        assert_eq!(plain(&template.detect(&page(PARAGRAPH))), TEXT);
        let wordless = template.find(&page("<p> | </p>"));
        assert_eq!((wordless.blocks, wordless.parts), (1, 1), "the line below only");
    }
}

#[test]
fn an_unknown_part_is_cut_out_by_the_second_rule() {
    let learned = [
        page("<p>One story of rain.</p>"),
        page("<p>Two words on wind.</p>"),
        page("<p>Three trains a day.</p>"),
    ];
    let template = prepare(&learned, &FastContentExtractorParams::of_the_paper());
    let detect = |html: &str| plain(&template.detect(&page(html)));
    assert_eq!(detect("<p>Kept <span>lost</span> words, kept.</p>"), "Kept words, kept.");
    assert_eq!(
        detect("<div><div>lost</div><p>Kept again.</p></div>"),
        "",
        "HTML.BODY.DIV.P is not a path of the template"
    );
}

#[test]
fn a_part_that_leads_to_content_is_kept_by_the_second_rule() {
    let story = |words: &str| page(&format!("<div>{words}<ul><li><p>More on {words}.</p></li></ul></div>"));
    let template =
        prepare(&[story("rain"), story("wind"), story("snow")], &FastContentExtractorParams::of_the_paper());
    assert!(!template.content_paths().contains_key("HTML.BODY.DIV.UL"));
    assert!(template.content_paths().contains_key("HTML.BODY.DIV.UL.P"));
    let new = page("<div>hail<ul>own text of the list<li><p>More on hail.</p></li></ul></div>");
    assert_eq!(plain(&template.detect(&new)), "hail\nown text of the list\nMore on hail.");
}

#[test]
fn a_block_is_compared_as_it_was_extracted() {
    let story =
        |words: &str| page(&format!("<div>{words} <span>{words} again</span></div><div>one two three</div>"));
    let template =
        prepare(&[story("rain"), story("wind"), story("snow")], &FastContentExtractorParams::default());
    let detect = |html: &str| plain(&template.detect(&page(html)));
    assert_eq!(detect("<div>one two <span>words</span></div>"), "one two words");
    assert_eq!(detect("<div>one two <span>three</span></div>"), "", "the whole is a stored block");
    assert_eq!(detect("<div>one two <p>cut out</p> <span>three</span></div>"), "", "less what was cut out");
}
