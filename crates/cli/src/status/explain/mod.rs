//! Renders the judgement of a page for a corpus editor (`gleaner template explain`, and the status page): every
//! line with its class ([`gleaner_extract::lines::class`]), its probabilities, and the reason for its judgement.
//!
//! | file | content |
//! |---|---|
//! | `why` | the reason, in a sentence |
//! | `class_names` | the names of the classes |
//! | `pinning` | selectors for pins |
//! | `view` | the layout |
//!
//! The result is one HTML file without scripts, pictures or fonts. It is built from the lines of the page and
//! never from the markup. Every text is escaped, and a content security policy forbids all external
//! resources. Therefore the page's scripts, styles and trackers cannot run.
//!
//! Limitation: the file shows lines, not the layout of the page. It does not show whether text was hidden,
//! moved or coloured. Only the beginning of a huge page is listed ([`view::MAX_BYTES`]), but all lines are
//! counted.

mod class_names;
mod pinning;
mod view;
mod why;

use gleaner_corpus::Insert;
use gleaner_crawl::render::language::Bilingual;
use gleaner_extract::Pins;
use gleaner_extract::lines::class::{ClassReason, LineClass, Named, classify};
use gleaner_extract::template::{Extraction, SiteTemplate};
use gleaner_html::Page;

pub(crate) use class_names::{CLASSES, class_words, style_name};

use pinning::{pin, suggestions};

/// The style sheet for the classes of lines. It defines `--colour` and `--tint` for every
/// class of lines, for light and dark pages.
pub(crate) const COLOURS: &str = include_str!("colours.css");

/// The input of an explanation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExplanationInput<'a> {
    /// The page.
    pub(crate) page: &'a Page,
    /// The page's URL, if known.
    pub(crate) url: Option<&'a str>,
    /// The template used for the judgement, if any.
    pub(crate) template: Option<&'a SiteTemplate>,
    /// The pins used for the judgement.
    pub(crate) pins: &'a Pins,
    /// The file to which the user adds pins ([`Pins::file_to_edit`]). `None` if the page's host is unknown.
    pub(crate) pins_file: Option<&'a str>,
    /// The extraction of this page with this template and these pins.
    pub(crate) judgement: &'a Extraction,
}

/// Returns the explanation as an HTML document. Its size is at most about [`view::MAX_BYTES`].
#[must_use]
pub(crate) fn explain(explained: &ExplanationInput<'_>) -> String {
    view::ExplanationView::from_explained(explained).file()
}

/// A listed line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ListedLine {
    /// The line's text as on the page, not escaped for HTML.
    pub(crate) text: String,
    /// The line's class.
    pub(crate) class: LineClass,
    /// The final probability that the line is body text, 0 to 1.
    pub(crate) chance: f32,
    /// The reason for the judgement, in one or more sentences.
    pub(crate) why: Bilingual,
    /// The pin that corrects the line, as in a pins file, such as `drop = ["p.note"]`. `None` if a pin already
    /// decides about the line.
    pub(crate) pin: Option<String>,
}

/// Returns the first lines of the page, at most `limit`, for callers that render the explanation themselves.
#[must_use]
pub(crate) fn listed(explained: &ExplanationInput<'_>, limit: usize) -> Vec<ListedLine> {
    let classes = classes(explained);
    let is_content: Vec<bool> = classes.iter().map(|(class, _)| *class == LineClass::Content).collect();
    let selectors = suggestions(explained.page, &explained.judgement.blocks, &is_content);
    let classes = classes.into_iter().take(limit).enumerate();
    let one = |(at, (class, because)): (usize, (LineClass, ClassReason))| {
        let block = &explained.judgement.blocks[at];
        ListedLine {
            text: block.placed.line.text.clone(),
            class,
            chance: why::chance(block.log_odds),
            why: why::why(explained, at, class, because),
            pin: selectors[at]
                .first()
                .filter(|_| explained.judgement.pins[at].is_none())
                .map(|first| pin(class, &first.selector)),
        }
    };
    classes.map(one).collect()
}

fn classes(explained: &ExplanationInput<'_>) -> Vec<(LineClass, ClassReason)> {
    let named = classify(explained.page, &explained.judgement.blocks);
    let named = named.into_iter().zip(&explained.judgement.inserts);
    let class = |(named, insert): (Named, &Option<Insert>)| {
        (if insert.is_some() { LineClass::Content } else { named.class }, named.because)
    };
    named.map(class).collect()
}

#[cfg(test)]
mod tests {
    use gleaner_extract::block_model::{self, Forest, Split, Tree};

    use super::view::MAX_BYTES;
    use super::*;
    use gleaner_extract::template::PreparedTemplate;

    /// Returns a model that labels lines of more than seven words body text.
    fn long_lines() -> Forest {
        let words = block_model::feature_names().iter().position(|name| name == "words, log").unwrap();
        let split = Split { feature: words as u16, left: -1, right: -2, threshold: 8.0_f32.ln() };
        Forest::new(vec![Tree { splits: vec![split], leaves: vec![-3.0, 3.0] }])
    }

    fn page(number: usize, story: &str) -> Page {
        Page::parse(&format!(
            "<html lang=en><title>Story {number} &amp; more</title><nav><a href=/>Home</a></nav><h1>Story {number}</h1>\
             <div class=story onclick=evil()><p>{story}</p><p class=note>Nobody was hurt in the whole of the long and wet night.</p>\
             <figure><img src=//evil.example/x.png><figcaption>Bridge <b>{number}</b></figcaption></figure></div>\
             <div class=comments><p>Well said, {number}</p></div><ul class=related><li><a href=/{number}>Choir {number}x</a></ul>\
             <script>evil()</script><p>{number} \"q\" <i>&lt;script></i></p>"
        ))
    }

    #[test]
    fn lines_are_listed_up_to_the_limit() {
        let (page, pins) =
            (Page::parse("<p>Rain <script>alert(1)</script>fell.<p>Snow fell."), Pins::default());
        let judgement = Extraction::cold(&page, &pins);
        let (url, template, pins_file) = (None, None, None);
        let explained =
            ExplanationInput { page: &page, url, template, pins: &pins, pins_file, judgement: &judgement };
        let texts = |limit| listed(&explained, limit).into_iter().map(|line| line.text).collect::<Vec<_>>();
        assert_eq!(texts(10), ["Rain fell.", "Snow fell."]);
        assert_eq!(texts(1), ["Rain fell."]);
    }

    const STORIES: [&str; 4] = [
        "Rain fell on the valley all day and the river rose <b>fast</b>",
        "The bridge was opened by the oldest man of the village",
        "Nobody had expected that the choir would win the prize",
        "Three lambs were found in the church on a cold morning",
    ];

    fn template() -> SiteTemplate {
        let pages: Vec<Page> = (1..).zip(&STORIES[1..]).map(|(number, story)| page(number, story)).collect();
        let pages: Vec<_> = pages.iter().map(|page| ("https://a.example/", page)).collect();
        SiteTemplate::learn_with(&long_lines(), "a.example", 2, jiff::Timestamp::UNIX_EPOCH, &pages)
    }

    fn explained(page: &Page, template: Option<&SiteTemplate>, pins: &Pins) -> String {
        let judgement = match template {
            Some(template) => PreparedTemplate::new(template.clone()).extract_with(&long_lines(), page, pins),
            None => Extraction::cold_with(&long_lines(), page, pins),
        };
        let url = Some("https://a.example/?a=1&b=<2>");
        let pins_file = Some("pins/a.example.toml");
        explain(&ExplanationInput { page, url, template, pins, pins_file, judgement: &judgement })
    }

    #[test]
    fn a_page_of_all_classes() {
        let pins = Pins::new("pins/a.example.toml", &[(2, "h1")], &[(1, ".ad, .note")]).unwrap();
        let html = explained(&page(9, STORIES[0]), Some(&template()), &pins);
        let body = html.split("<body>").nth(1).unwrap().replace("<li ", "\n<li ").replace("<div>", "\n<div>");
        // The snapshot was inspected in a browser. A new snapshot must be inspected too.
        assert_eq!(body, include_str!("snapshot.html"));
    }

    #[test]
    fn detection_gives_its_own_reasons() {
        let sentence = "Rain fell on the valley for the third day in a row, and the river rose above it.";
        let talk = |number: usize| format!("<div class=talk><p>I said so, says reader {number}.</p></div>");
        let page = |number: usize, more: &str, end: &str| {
            let paragraphs = (0..4).map(|at| format!("<p>{sentence} Story {number}, part {at}.</p>"));
            let story: String = paragraphs.collect();
            Page::parse(&format!(
                "<title>Story {number}</title><ul class=menu><li><a href=/>Home of the news</a><li><a href=/{number}>\
                 Choir {number}</a></ul><div class=story>{story}{more}{story}</div><p>All rights are reserved.</p>{end}"
            ))
        };
        let pages: Vec<Page> = (0..8).map(|number| page(number, "", &talk(number))).collect();
        let pages: Vec<_> = pages.iter().map(|page| ("https://a.example/", page)).collect();
        let learned = SiteTemplate::learn("a.example", 2, jiff::Timestamp::UNIX_EPOCH, &pages);
        let template = PreparedTemplate::new(learned);
        let page = page(70, "<p>Photo: Anna Berg</p><blockquote>So it was.</blockquote>", "");
        let pins = Pins::default();
        let judgement = template.extract(&page, &pins);
        let template = Some(template.template());
        let html = explain(&ExplanationInput {
            page: &page,
            url: None,
            template,
            pins: &pins,
            pins_file: None,
            judgement: &judgement,
        });
        for expected in [
            "detection with template 2 of a.example",
            "Its place decides: 8 of 8 pages have lines of this length at ",
            "Its words, or what is around it, are those of a caption, a credit",
            "It is between lines of content, and nothing strong speaks against it.",
            "It is in an element that had no content",
            "The site repeats it",
        ] {
            assert!(html.contains(expected), "{expected}");
        }
    }

    #[test]
    fn what_came_back_says_so() {
        let pins = Pins::default().with_inserts(vec![Insert::Captions], "text.keep");
        let html = explained(&page(9, STORIES[0]), None, &pins);
        let row = html.split("<li ").find(|row| row.contains("Bridge 9")).unwrap();
        assert!(
            row.contains("class=\"line content pinned\"") && row.contains("<small>kept</small>"),
            "{row}"
        );
        assert!(
            row.contains("Kept: caption (text.keep). 5% by") && row.contains(" Called a caption for "),
            "{row}"
        );
        assert!(!html.contains("<dt>Pinned</dt>"));
    }

    #[test]
    fn nothing_of_the_page_runs_or_loads() {
        let template = template();
        for template in [Some(&template), None] {
            let html = explained(&page(9, STORIES[0]), template, &Pins::default());
            for forbidden in ["<script", "<img", "<iframe", "<link", "onclick", "evil", "javascript:", "url("]
            {
                assert!(!html.contains(forbidden), "{forbidden}");
            }
            assert!(html.contains("default-src 'none'") && html.contains("&lt;script&gt;"));
        }
    }

    #[test]
    fn names_of_elements_are_escaped() {
        let page = Page::parse("<div class='x\"><script>alert(1)</script>'><p>one two three</p></div>");
        let html = explained(&page, None, &Pins::default());
        assert!(!html.contains("<script") && html.contains("&lt;script&gt;"), "{html}");
    }

    #[test]
    fn huge_pages_are_cut_and_say_so() {
        let page = Page::parse(&format!("<p>{}</p>", "<p>word & word & word & word &</p>".repeat(30_000)));
        let html = explained(&page, None, &Pins::default());
        assert!(html.len() < MAX_BYTES + 100_000, "{}", html.len());
        assert!(
            html.contains("of 30,000 lines") && html.contains(" lines more are not listed"),
            "{}",
            html.len()
        );
        let long = Page::parse(&format!("<p>{}", "word\u{0} ".repeat(200_000)));
        let html = explained(&long, None, &Pins::default());
        assert!(html.len() < 100_000 && html.contains("characters more"), "{}", html.len());
        let deep = Page::parse(&format!("{}one", "<div class=comment>".repeat(10_000)));
        assert!(explained(&deep, None, &Pins::default()).contains("comment"));
        assert!(explained(&Page::default(), None, &Pins::default()).contains("no text on this page"));
    }

    #[test]
    fn the_style_sheet_knows_all_names() {
        for class in CLASSES {
            assert!(COLOURS.contains(&format!(".{} {{", style_name(class))), "{class:?}");
        }
    }

    /// Returns the relative luminance (WCAG 2.2, section 1.4.3) of a colour such as `#126b34`.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    #[test]
    fn colours_can_be_told_from_their_ground() {
        let sheets = [COLOURS, gleaner_crawl::render::page::STYLE];
        let schemes = sheets.map(|sheet| sheet.split_once("prefers-color-scheme: dark").unwrap());
        let (light, dark) =
            (schemes.map(|(light, _)| light).concat(), schemes.map(|(_, dark)| dark).concat());
        for scheme in [light, dark] {
            let colour = |name: &str| {
                let value = scheme.split(&format!("--{name}: #")).nth(1).unwrap().split(';').next().unwrap();
                let long = if value.len() == 3 { value.repeat(2) } else { value.to_owned() };
                luminance(&format!("#{long}"))
            };
            let check = |ink: &str, ground: &str| {
                let (a, b) = (colour(ink), colour(ground));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                assert!(contrast >= 4.5, "{ink} on {ground}: {contrast:.2}");
            };
            for class in CLASSES.map(style_name) {
                let ground = format!("{class}-paper");
                check(class, &ground);
                check("ink", &ground);
                check("faint", &ground);
            }
            check("faint", "paper");
        }
    }
}
