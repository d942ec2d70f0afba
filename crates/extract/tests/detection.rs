//! Tests that detection finds the same text on a page without boilerplate subtrees and on the whole page from
//! the reference parser. The pages are generated and, if present, recorded.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use gleaner_corpus::Method;
use gleaner_extract::Pins;
use gleaner_extract::template::{Extraction, PreparedTemplate, SiteTemplate};
use gleaner_html::links::{Links, links};
use gleaner_html::text::plain;
use gleaner_html::{Page, decode};
use proptest::prelude::*;

fn learn<'a>(pages: impl Iterator<Item = (&'a str, &'a Page)>) -> SiteTemplate {
    let pages: Vec<_> = pages.collect();
    SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &pages)
}

/// Returns the text and the margin of a page that needs no model.
fn detected(extraction: Extraction) -> Option<(String, f32)> {
    let extraction = Some(extraction).filter(|it| it.method == Method::Detection);
    extraction.map(|it| (plain(&it.lines()), it.margin))
}

/// Returns the links without node ids, because these differ if subtrees are skipped.
fn followed(page: &Page) -> Links {
    let mut links = links(page);
    links.anchors.iter_mut().for_each(|anchor| anchor.node = 0);
    links
}

fn sources(folder: &Path) -> Vec<(String, String)> {
    let manifest = fs::read_to_string(folder.join("manifest.jsonl")).expect("a set has a manifest");
    let read = |record: &str| {
        let record: serde_json::Value = serde_json::from_str(record).unwrap();
        let mut bytes = Vec::new();
        let file = File::open(folder.join(format!("{}.html.gz", record["id"].as_str().unwrap()))).unwrap();
        MultiGzDecoder::new(file).read_to_end(&mut bytes).unwrap();
        (
            record["url"].as_str().unwrap().to_owned(),
            decode::decode(&bytes, Some("text/html")).text.into_owned(),
        )
    };
    manifest.lines().map(read).collect()
}

/// Extracts every page with a template learned from at most 24 other pages of its site.
#[test]
fn recorded_pages_give_the_text_of_the_reference() {
    let sets = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/sets/sites"));
    if !sets.is_dir() {
        println!("skipped: no recorded pages beside the project (../shared/sets)");
        return;
    }
    let (mut pages, mut known, mut others) = (0, 0, Vec::new());
    for site in fs::read_dir(sets).unwrap() {
        let site = site.unwrap().path();
        let sources = sources(&site);
        let parsed: Vec<Page> = sources.iter().map(|(_, html)| Page::parse(html)).collect();
        for fold in 0..5 {
            let teachers = (0..sources.len()).filter(|at| at % 5 != fold).take(24);
            let template =
                PreparedTemplate::new(learn(teachers.map(|at| (sources[at].0.as_str(), &parsed[at]))));
            for at in (fold..sources.len()).step_by(5) {
                let reference = Page::parse_reference(&sources[at].1);
                let reference = detected(template.extract(&reference, &Pins::default()));
                let partly = template.read(&sources[at].1);
                pages += 1;
                known += usize::from(reference.is_some());
                let same_text = template.detect(&partly).and_then(detected) == reference;
                if !same_text || followed(&partly.page) != followed(&parsed[at]) {
                    let reason = if same_text { "other links" } else { "another text" };
                    others.push(format!("{} {at}: {reason}", site.display()));
                }
            }
        }
    }
    println!("{known} of {pages} pages detected; otherwise than by the reference: {others:#?}");
    assert!(others.len() * 200 <= pages, "{} of {pages}", others.len());
    assert!(known * 2 >= pages, "{known} of {pages}");
}

const PARTS: [&str; 40] = [
    "<div class=menu>",
    "<ul class=links>",
    "<div class=story>",
    "</div>",
    "</div>",
    "</ul>",
    "<li>",
    "</li>",
    "<p>",
    "</p>",
    "<a href=/x rel=nofollow>",
    "</a>",
    "<b>",
    "</b>",
    "<span>",
    "</span>",
    "<table><tr><td>",
    "</td></tr></table>",
    "</table>",
    "<select><option>a<option>b</select>",
    "<form>",
    "</form>",
    "<button>",
    "</button>",
    "<h2>",
    "</h2>",
    "<h1>",
    "</h1>",
    "<script>if (a < b) '</div>'</script>",
    "<script type=application/ld+json>{}</script>",
    "<!-- </div> -->",
    "<svg><title>x</title><path d='M0'/></svg>",
    "<svg><g>",
    "<img alt='</ul>'>",
    "<input>",
    "<br>",
    "<textarea></div></textarea>",
    "<object><param>",
    "</object>",
    "Rain fell on the valley all day, and the river rose by two metres. ",
];

fn soup() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&PARTS), 0..40).prop_map(|parts| parts.concat())
}

/// Returns a page of the generated site. The menu and the list after the story are boilerplate.
fn generated(number: usize, menu: &str, story: &str) -> String {
    let paragraphs = (0..5).map(|at| {
        format!(
            "<p>The council met {number} times, said clerk {at}{number}, and agreed on the old bridge.</p>"
        )
    });
    let [first, second] =
        [number, number + 9].map(|n| format!("<li><a href=/{n}>Story of the day {n}</a></li>"));
    format!(
        "<title>{number}</title><div class=menu><ul class=links>{first}{second}</ul>{menu}</div>\
         <div class=story>{}{story}</div><ul class=links>{second}{menu}</ul>",
        paragraphs.collect::<String>()
    )
}

fn site() -> SiteTemplate {
    let pages: Vec<Page> = (0..8).map(|number| Page::parse(&generated(number, "", ""))).collect();
    learn(pages.iter().map(|page| ("", page)))
}

#[test]
fn menus_are_barren_and_stories_are_not() {
    let prepared = PreparedTemplate::new(site());
    let template = prepared.template();
    let boilerplate: Vec<&str> = template.boilerplate.iter().map(String::as_str).collect();
    assert_eq!(boilerplate, ["body > div.menu", "body > ul.links"]);
    let html = generated(70, "", "");
    let partly = prepared.read(&html);
    assert_eq!(partly.left_out.len(), 2);
    assert!(!partly.page.raw_text(0).contains("Story of the day"));
    assert_eq!(followed(&partly.page), followed(&Page::parse(&html)));
    assert!(prepared.detect(&partly).is_some());
    assert_eq!(partly.into_whole(&html), Page::parse(&html));
    let story = "<div class=story><p>Rain fell on the valley all day.</div>";
    assert_eq!(prepared.read(story).into_whole(story), Page::parse(story));
}

#[test]
fn the_model_is_asked_about_lines_at_unknown_paths() {
    let template = PreparedTemplate::new(site());
    let aside = format!("<aside><p>{}</p></aside>", "So it was said on the day. ".repeat(9));
    let stories =
        [("", Method::Detection), ("<p>By Anna Weaver", Method::Detection), (&aside, Method::Template)];
    for (story, method) in stories {
        let page = Page::parse(&generated(70, "", story));
        let extracted = template.extract(&page, &Pins::default());
        assert_eq!(extracted.method, method, "{story}");
    }
    let other =
        Page::parse(&format!("<main><p>{}</main>", "Rain fell on the valley all day long. ".repeat(20)));
    assert_eq!(template.extract(&other, &Pins::default()).method, Method::BlockModel);
    let pins = Pins::new("a.toml", &[], &[(1, ".story")]).unwrap();
    let page = Page::parse(&generated(71, "", ""));
    assert!(template.extract(&page, &pins).lines().is_empty());
}

#[test]
fn a_template_remembers_the_layouts_of_earlier_versions() {
    let other = |number: usize| {
        generated(number, "", "").replace("class=story", "class=opinion").replace("<p>", "<p class=o>")
    };
    let pages: Vec<Page> = (0..8).map(|number| Page::parse(&other(number))).collect();
    let mut second = learn(pages.iter().map(|page| ("", page)));
    let first = Page::parse(&generated(70, "", ""));
    let method = |template: &SiteTemplate, page: &Page| {
        PreparedTemplate::new(template.clone()).extract(page, &Pins::default()).method
    };
    assert_eq!(method(&second, &first), Method::BlockModel);
    second.remember(&site());
    for page in [&first, &Page::parse(&other(71))] {
        assert_eq!(method(&second, page), Method::Detection);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn generated_pages_give_the_text_of_the_reference(soups in proptest::collection::vec((soup(), soup()), 8)) {
        let template = PreparedTemplate::new(site());
        for (number, (menu, story)) in soups.iter().enumerate() {
            let html = generated(70 + number, menu, story);
            let reference = Page::parse_reference(&html);
            let partly = template.read(&html);
            let expected = detected(template.extract(&reference, &Pins::default()));
            prop_assert_eq!(template.detect(&partly).and_then(detected), expected, "{}", html);
            prop_assert_eq!(followed(&partly.page), followed(&reference), "{}", html);
            let page = Page::parse(&html);
            prop_assert_eq!(&partly.into_whole(&html), &page, "{}", html);
        }
    }
}
