//! Tests edge cases: no page, empty pages, one page, copies, deep pages, huge pages, input that is not HTML.

use std::fmt::Write;

use gleaner_extract::site_methods::content_extractor::{self, Search, SiteBlocks};
use gleaner_extract::site_methods::fast_content_extractor::{FastContentExtractorParams, Template, prepare};
use gleaner_html::Page;
use gleaner_html::text::plain;
use proptest::prelude::*;

fn detected(template: &Template, page: &Page) -> String {
    plain(&template.detect(page))
}

fn compared(pages: &[Page], page: &Page) -> String {
    let by = |search| {
        let params = content_extractor::ContentExtractorParams { search, ..Default::default() };
        plain(&SiteBlocks::new(pages, &params).extract(page))
    };
    let found = by(Search::Exhaustive);
    assert_eq!(found, by(Search::Indexed));
    found
}

#[test]
fn no_page_and_empty_pages_give_nothing() {
    let page = Page::parse("<p>Some words here.</p>");
    for pages in [vec![], vec![Page::default(); 3], vec![Page::parse(""); 3]] {
        let template = prepare(&pages, &FastContentExtractorParams::default());
        assert_eq!((template.content_paths().len(), template.num_block_temp()), (0, 0));
        assert_eq!(detected(&template, &page), "");
        assert_eq!(compared(&pages, &page), "Some words here.", "nothing is repeated");
        let site = SiteBlocks::new(&pages, &content_extractor::ContentExtractorParams::default());
        assert_eq!((site.blocks(), site.num_block_temp()), (0, 0));
    }
    let template = prepare(std::slice::from_ref(&page), &FastContentExtractorParams::default());
    assert_eq!(detected(&template, &Page::default()), "");
    for empty in ["", "\0\0", "<frameset><frame src=a></frameset>", "<p> | </p>"] {
        assert_eq!(compared(std::slice::from_ref(&page), &Page::parse(empty)), "");
    }
}

#[test]
fn of_one_page_all_is_content() {
    let page = Page::parse("<div>Home</div><p>Some words here.</p>");
    let template = prepare(std::slice::from_ref(&page), &FastContentExtractorParams::default());
    assert_eq!(detected(&template, &page), "Home\nSome words here.");
    let site =
        SiteBlocks::new(std::slice::from_ref(&page), &content_extractor::ContentExtractorParams::default());
    assert_eq!(plain(&site.find_without(0, &page).lines()), "Home\nSome words here.");
    assert_eq!(site.num_block_temp(), 0);
}

#[test]
fn copies_of_one_page_have_no_content() {
    let page = Page::parse("<div>Home</div><p>Some words here.</p>");
    let template = prepare(&vec![page.clone(); 30], &FastContentExtractorParams::default());
    assert!(template.content_paths().is_empty());
    assert_eq!(detected(&template, &page), "");
    assert_eq!(compared(&vec![page.clone(); 30], &page), "");
    assert_eq!(compared(std::slice::from_ref(&page), &page), "");
}

#[test]
fn ten_thousand_nested_elements() {
    for tag in ["div", "b", "span"] {
        let html = |words: &str| format!("{}{words}", format!("<{tag}>").repeat(10_000));
        let pages: Vec<Page> =
            ["rain today", "wind tomorrow", "snow on sunday"].map(|w| Page::parse(&html(w))).into();
        let template = prepare(&pages, &FastContentExtractorParams::default());
        assert!(!template.content_paths().is_empty(), "{tag}");
        assert!(template.content_paths().keys().all(|path| path.split('.').count() <= 201), "{tag}");
        assert_eq!(compared(&pages, &Page::parse(&html("some words"))), "some words", "{tag}");
        assert_eq!(compared(&pages, &pages[1]), "", "{tag}");
    }
}

#[test]
fn a_hundred_thousand_blocks_a_page() {
    let page = |seed: usize| {
        let mut html = String::new();
        for n in 0..100_000 {
            write!(html, "<p>item {} of {}", n % 700 + seed, n % 13).unwrap();
        }
        Page::parse(&html)
    };
    let pages: Vec<Page> = (0..3).map(|n| page(n * 300)).collect();
    let template = prepare(&pages, &FastContentExtractorParams::default());
    let found = template.find(&pages[0]);
    // Items 0 to 299 are only on the first page; items 300 to 699 are on the second page too.
    let content = (0..100_000).filter(|n| n % 700 < 300).count();
    assert_eq!((found.parts, found.non_content), (100_000, 100_000 - content));
    assert_eq!(found.text_nodes.len(), content);
}

#[test]
fn blocks_made_to_be_compared_cost_bounded_work() {
    let page = |seed: usize| {
        let mut html = String::new();
        for n in 0..30_000 {
            let word = |k: usize| (n * 7 + seed + n / 31_usize.pow(k as u32)) % 30;
            write!(html, "<p>w{} w{} w{} w{} w{}", word(0), word(1), word(2), word(3), word(4)).unwrap();
        }
        Page::parse(&html)
    };
    let pages: Vec<Page> = (0..4).map(|n| page(n * 17)).collect();
    let params = FastContentExtractorParams { max_work: 2_000_000, ..FastContentExtractorParams::default() };
    assert!(prepare(&pages, &params).find(&pages[0]).parts > 0);
    for search in [Search::Exhaustive, Search::Indexed] {
        let params =
            content_extractor::ContentExtractorParams { search, max_work: 2_000_000, ..Default::default() };
        let found = SiteBlocks::new(&pages, &params).find(&pages[0]);
        assert_eq!((found.blocks, found.exact), (30_000, false));
    }
}

#[test]
fn a_million_tiny_blocks() {
    let page = |seed: usize| {
        let mut html = String::new();
        for n in 0..1_000_000 {
            write!(html, "<p>{}", n + seed).unwrap();
        }
        Page::parse(&html)
    };
    let pages = [page(0), page(400_000)];
    assert!(pages[0].truncated());
    for search in [Search::Exhaustive, Search::Indexed] {
        let params =
            content_extractor::ContentExtractorParams { search, max_work: 10_000_000, ..Default::default() };
        let site = SiteBlocks::new(&pages[1..], &params);
        let found = site.find(&pages[0]);
        assert!(found.blocks > 400_000 && found.compared_with > 400_000, "{found:?}", found = found.blocks);
        assert_eq!(found.exact, search == Search::Indexed);
        if found.exact {
            assert_eq!((found.placed.len(), found.placed[0].line.text.as_str()), (400_000, "0"));
        }
    }
}

/// Returns blocks of six words out of twelve. No two of them are similar: their cosine is at most 5/6.
fn unlike_blocks(more: &str) -> Vec<String> {
    let of_six = (0_u32..1 << 12).filter(|set| set.count_ones() == 6);
    let words = |set: u32| (0..12).filter(move |bit| set >> bit & 1 == 1).map(|bit| format!("w{bit} "));
    of_six.map(|set| format!("<p>{}{more}", words(set).collect::<String>())).collect()
}

fn pages_with(blocks: &[String]) -> [Page; 3] {
    ["rain today", "wind tomorrow", "snow on sunday"]
        .map(|own| Page::parse(&format!("{}<p>{own}", blocks.concat())))
}

#[test]
fn repeated_blocks_are_recognised_however_many_are_stored() {
    let blocks = unlike_blocks("");
    assert_eq!(blocks.len(), 924);
    let pages = pages_with(&blocks);
    let template = prepare(&pages, &FastContentExtractorParams::default());
    assert_eq!(template.num_block_temp(), 924);
    let found = template.find(&pages[0]);
    assert_eq!((found.parts, found.non_content, found.exact), (925, 924, true));
    let site = SiteBlocks::new(&pages, &content_extractor::ContentExtractorParams::default());
    assert_eq!(site.num_block_temp(), 924);
}

#[test]
fn detection_costs_bounded_work() {
    let params = FastContentExtractorParams { max_work: 30_000_000, ..FastContentExtractorParams::default() };
    let template = prepare(&pages_with(&unlike_blocks("")), &params);
    assert_eq!(template.num_block_temp(), 924, "the work suffices to prepare");
    let of_images = |images: usize| unlike_blocks(&"<img>".repeat(images)).concat();
    let page = |blocks: Vec<String>| Page::parse(&blocks.concat());
    let found = template.find(&page((2..22).map(of_images).collect()));
    assert_eq!((found.parts, found.exact), (20 * 924, false));
    // Equal blocks are looked up once.
    let found = template.find(&page(vec!["<p>w1 w2 w3 w4 w5 w6<img><img><img>".into(); 20_000]));
    assert_eq!((found.parts, found.non_content, found.exact), (20_000, 0, true));
}

#[test]
fn a_template_is_no_longer_than_its_limit() {
    let boxes: String = (0..300).fold(String::new(), |mut html, n| {
        html.push_str("<p>");
        (0..50).for_each(|k| write!(html, "term{n}x{k} ").unwrap());
        html
    });
    let paths: String = (0_u32..2_000).fold(String::new(), |mut html, n| {
        let tag = |bit: u32| if n >> bit & 1 == 0 { "div" } else { "section" };
        let (open, close): (Vec<_>, Vec<_>) =
            (0..11).map(|bit| (format!("<{}>", tag(bit)), format!("</{}>", tag(10 - bit)))).unzip();
        write!(html, "{}OWN{n}{}", open.concat(), close.concat()).unwrap();
        html
    });
    let pages = ["rain", "wind", "snow"].map(|own| {
        Page::parse(&format!("{boxes}<p>{own}</p><p>{own} again</p>{}", paths.replace("OWN", own)))
    });
    for max_bytes in [0, 20_000] {
        let template = prepare(
            &pages,
            &FastContentExtractorParams { max_bytes, ..FastContentExtractorParams::default() },
        );
        assert_eq!(template.num_block_temp() > 0, max_bytes > 0);
        // The path with the most blocks is kept first.
        assert_eq!(template.content_paths().contains_key("HTML.BODY.P"), max_bytes > 0);
        let written = serde_json::to_string(&template).unwrap().len();
        assert!(written < 2_000 + 2 * max_bytes, "{written}");
    }
    let whole = prepare(&pages, &FastContentExtractorParams::default());
    assert_eq!((whole.num_block_temp(), whole.content_paths().len() > 2_000), (300, true));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_input_is_a_page(html in "(<(p|div|span|/p|/div|table|td|a href=x|script|b)>|[a-z]{1,5} |[<>&\"\\x00. ]|更){0,60}") {
        let pages = [Page::parse(&html), Page::parse("<p>other words</p>"), Page::parse(&html.replace('a', "b"))];
        let template = prepare(&pages, &FastContentExtractorParams::default());
        let all = plain(&gleaner_html::text::lines(&pages[0], 0, |_| true));
        let words: Vec<&str> = gleaner_html::words::words(&all).collect();
        for text in [detected(&template, &pages[0]), compared(&pages[1..], &pages[0])] {
            prop_assert!(gleaner_html::words::words(&text).all(|word| words.contains(&word)), "{text:?} of {all:?}");
        }
    }
}
