//! Decides whether a page is an article, without other pages of the site.
//!
//! This check runs first and needs no knowledge of the site. Pages that are not articles would reduce the
//! quality of the template and of the corpus.
//!
//! 1. Pages such as bot checks, "not found" with status 200, log-ins and consent requests are recognized by
//!    their phrases if they have little other prose (`walls`).
//! 2. A page is rejected if it has hardly any words outside links, declares a collection or a product, is the
//!    page of an author by its URL and has no date, or has only captions as body text. A page that is not free is
//!    rejected if its body text is in no language: some sites shift the letters of a text for subscribers.
//! 3. [`Signals`] recognize hubs. An article has one long sequence of sentences that no line of links
//!    interrupts. A hub has many short sequences.
//! 4. A declared article with a publication time, a headline in its URL and long prose is an article if nothing suggests a
//!    wall or a gallery. This takes neither the block model nor the page model.
//! 5. A page model ([`feature_row`]) decides on the remaining pages. It rejects a page only if the page is
//!    almost certainly not an article. About ninety features describe the body text that the block model
//!    found, links, cards, controls, headline, declarations and address.
//!
//! Limitation: a page in doubt counts as an article, because a rejected article is lost, but an accepted hub
//! is only one bad document. Of the recorded pages, 2 of 1,340 articles and 116 of 123 other pages are
//! rejected. The model was trained on these pages. On sites that were not part of the training, 7 articles
//! and 89 other pages are rejected. The accepted pages that are not articles have text of their own: pages of
//! courses and institutes, and news lists with whole paragraphs. Each later visit of a rejected page repeats
//! the decision.

use std::fmt;

use gleaner_html::Page;
use serde::{Deserialize, Serialize};

use crate::block_model::{self, ClassifiedBlock, Forest, PathIndex};
use crate::pins::Pins;
use crate::template::{Extraction, PreparedTemplate};

mod address;
mod browser;
mod cards;
mod controls;
mod declared;
mod evidence;
mod features;
mod model;
mod phrases;
mod signals;
mod walls;

use cards::{Cards, LineMarks};
use declared::DeclaredType;
use evidence::Evidence;
use features::features;
pub use model::written;
pub use signals::Signals;

/// The classification of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageClass {
    /// An article, or a page that no check rejects.
    Article,
    /// The page is not an article, for this reason.
    NotArticle(NotArticleReason),
}

/// The reason why a page is not an article.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotArticleReason {
    /// The page checks whether the visitor is a human.
    Challenge,
    /// The page states that the requested page does not exist.
    NotFound,
    /// The text is only for users who log in or pay.
    LoginWall,
    /// The page asks for consent to cookies and shows hardly anything else.
    ConsentWall,
    /// The page shows pictures with no text except captions.
    Gallery,
    /// The text appears only when scripts run. The page has hardly any words. In addition, it has the empty
    /// root element of an application, or a request to enable JavaScript.
    NeedsBrowser,
    /// The page has hardly any words outside links.
    TooLittleText,
    /// The page declares itself a collection or a product.
    DeclaredListing,
    /// The page is a list, and its URL indicates a category, a tag, a search or a further page of a list.
    Listing,
    /// The page shows goods with prices.
    Shop,
    /// The page consists mostly of links, or its text is distributed as on a front page or section page.
    Hub,
}

impl NotArticleReason {
    /// All reasons, in the order of the checks.
    pub const ALL: [Self; 11] = [
        Self::Challenge,
        Self::NotFound,
        Self::LoginWall,
        Self::ConsentWall,
        Self::Gallery,
        Self::NeedsBrowser,
        Self::TooLittleText,
        Self::DeclaredListing,
        Self::Listing,
        Self::Shop,
        Self::Hub,
    ];

    /// Returns the name in records and tables, such as `too_little_text`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Challenge => "challenge",
            Self::NotFound => "not_found",
            Self::LoginWall => "login_wall",
            Self::ConsentWall => "consent_wall",
            Self::Gallery => "gallery",
            Self::NeedsBrowser => "needs_browser",
            Self::TooLittleText => "too_little_text",
            Self::DeclaredListing => "declared_listing",
            Self::Listing => "listing",
            Self::Shop => "shop",
            Self::Hub => "hub",
        }
    }
}

impl fmt::Display for NotArticleReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Challenge => "asks whether the visitor is a human",
            Self::NotFound => "says that the page does not exist",
            Self::LoginWall => "its text is only for users who log in or subscribe",
            Self::ConsentWall => "asks for consent and shows hardly anything else",
            Self::Gallery => "pictures with nothing but captions",
            Self::NeedsBrowser => "shows its text only in a browser that runs its scripts",
            Self::TooLittleText => "too little text outside links",
            Self::DeclaredListing => "declares itself a collection or a product",
            Self::Listing => "lists what belongs to a tag, an author or a search",
            Self::Shop => "shows goods with prices",
            Self::Hub => "leads to other pages, with prose only in snippets or beside them",
        })
    }
}

/// Minimum number of words of an article outside links. In Vietnamese, a syllable is a word. Two Chinese or
/// Japanese characters, or five Thai, Lao, Burmese or Khmer letters, count as one word.
const LEAST_WORDS: f64 = 60.0;
/// Minimum number of words outside links of a declared article with a publication time, e.g. breaking news.
const MIN_WORDS_DATED: f64 = 20.0;
const TEASER: f64 = 50.0;
/// A sequence of prose with fewer words may consist of two or three teasers.
const FEW_TEASERS: f64 = 100.0;
/// Prose is scattered if its longest sequence contains less than this share of the page's prose.
const SCATTERED: f64 = 0.2;
/// Minimum number of lines of links of a page that may be a hub.
const MANY_LINK_LINES: u32 = 25;
/// A page is a hub if its words in links times `LINKS_RULE` exceed the words of its longest sequence of
/// prose.
const LINKS_RULE: f64 = 0.04;

/// The page model rejects a page whose log-odds are below this value. In cross-validation, this happened to
/// at most one article in two hundred (docs/evaluation.md).
const DOUBT: f32 = -2.6;

/// A rejected page with at least this number of cards with prices is a shop.
const GOODS: f32 = 3.0;

/// Classifies a page. `url` is its canonical URL, or empty if unknown. The time is linear. The block model
/// runs only if the rules before it do not reject the page.
#[must_use]
pub fn judge(page: &Page, url: &str) -> PageClass {
    let evidence = Evidence::new(page, url);
    let reason = evidence.without_model(None).or_else(|| {
        if evidence.is_certain(|| PathIndex::default().lines(page, |_| true)) {
            return None;
        }
        reason(model::built_in(), &evidence, &block_model::classify(page, block_model::built_in()))
    });
    reason.map_or(PageClass::Article, PageClass::NotArticle)
}

/// Extracts a page of a site, if it is an article. Decides like [`judge`], with two differences: a page is also a hub if
/// it has little prose, many links and no line at a DOM path of body text. And the page model decides only if the template
/// does not know the page.
pub(crate) fn extract_article(
    template: &PreparedTemplate,
    page: &Page,
    url: &str,
    pins: &Pins,
) -> Result<Extraction, NotArticleReason> {
    let evidence = Evidence::new(page, url);
    if let Some(reason) = evidence.without_model(template.index()) {
        return Err(reason);
    }
    if let Some(extraction) = template.extract_known(page, pins, block_model::built_in()) {
        return wall_or_gallery(&evidence, &extraction.blocks).map_or(Ok(extraction), Err);
    }
    let blocks = block_model::classify(page, block_model::built_in());
    match reason(model::built_in(), &evidence, &blocks) {
        Some(reason) => Err(reason),
        None => Ok(template.extract_unknown(page, blocks, pins)),
    }
}

/// Returns why a page is rejected without using the block model, or `None` if it does not.
#[cfg(test)]
pub(crate) fn without_model(
    page: &Page,
    url: &str,
    site: Option<&block_model::PathIndex>,
) -> Option<NotArticleReason> {
    Evidence::new(page, url).without_model(site)
}

/// Classifies a page like [`judge`]. `judged` is the result of the built-in block model without a
/// template.
pub(crate) fn judge_blocks(page: &Page, url: &str, judged: &[ClassifiedBlock]) -> PageClass {
    judge_with(model::built_in(), page, url, judged)
}

/// Classifies a page like [`judge`], but with the given page model. `judged` is the result of the built-in
/// block model without a template. A page model without trees rejects no page, so only steps 1 to 3 of the
/// module's documentation decide.
#[must_use]
pub fn judge_with(model: &Forest, page: &Page, url: &str, judged: &[ClassifiedBlock]) -> PageClass {
    reason(model, &Evidence::new(page, url), judged).map_or(PageClass::Article, PageClass::NotArticle)
}

fn reason(model: &Forest, evidence: &Evidence, judged: &[ClassifiedBlock]) -> Option<NotArticleReason> {
    if evidence.is_certain(|| judged) {
        return None;
    }
    if let Some(reason) = wall_or_gallery(evidence, judged) {
        return Some(reason);
    }
    let marks: Vec<LineMarks> = judged.iter().map(LineMarks::from_judged).collect();
    let cards = Cards::new(evidence.page, &marks);
    let is_doubted = || {
        let row = features(evidence, judged, &marks, &cards);
        let values: Vec<f32> = row.iter().map(|(_, value)| *value).collect();
        model.log_odds(&values) < DOUBT
    };
    // A page without links leads nowhere, so it is no list.
    let has_links = evidence.signals.linked > 0.0;
    (evidence.is_hub() || has_links && is_doubted()).then(|| evidence.kind_of_hub(cards.priced))
}

fn wall_or_gallery(evidence: &Evidence, judged: &[ClassifiedBlock]) -> Option<NotArticleReason> {
    if let Some(wall) = walls::wall(evidence.page, judged, evidence.is_dated_article()) {
        return Some(wall);
    }
    if let Some(reason) = evidence.poor_or_declared() {
        return Some(reason);
    }
    if walls::is_gallery(judged) {
        return Some(NotArticleReason::Gallery);
    }
    let is_scrambled = evidence.is_paywalled() && walls::is_scrambled(evidence.metadata(), judged);
    is_scrambled.then_some(NotArticleReason::LoginWall)
}

fn is_hub(signals: &Signals, declared: DeclaredType, front_page: bool) -> bool {
    let stretch = signals.stretch;
    let links = signals.link_share();
    let scattered = stretch < SCATTERED * signals.prose && signals.link_lines >= MANY_LINK_LINES;
    let snippets = stretch < TEASER && (links > 0.4 || (links > 0.2 && declared != DeclaredType::Article));
    snippets
        || stretch < LINKS_RULE * signals.linked
        || (scattered && stretch < FEW_TEASERS && links > 0.2)
        || (scattered && front_page)
}

/// Returns all features of a page with their names, always in the same order. Training uses them. `url` is
/// described at [`judge`], and `judged` at [`judge_with`].
#[must_use]
pub fn feature_row(page: &Page, url: &str, judged: &[ClassifiedBlock]) -> Vec<(&'static str, f32)> {
    let marks: Vec<LineMarks> = judged.iter().map(LineMarks::from_judged).collect();
    features(&Evidence::new(page, url), judged, &marks, &Cards::new(page, &marks))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENTENCE: &str =
        "The council agreed on Monday to rebuild the old bridge over the river before winter.";

    fn story(paragraphs: usize) -> String {
        (0..paragraphs).map(|n| format!("<p>{SENTENCE} That was decision {n} of the day.</p>")).collect()
    }

    const THAI: [&str; 6] = [
        "เทศบาลประกาศปิดท่าเรือข้ามฟากเก่าเป็นเวลาสองเดือน เพื่อซ่อมแซมเสาและพื้นไม้ที่ผุพังหลังน้ำท่วมใหญ่เมื่อปีที่แล้ว",
        "นายกเทศมนตรีกล่าวกับผู้สื่อข่าวเมื่อวันพุธว่า งานจะเริ่มในวันจันทร์หน้า และใช้งบประมาณราวสิบสองล้านบาทจากกองทุนของจังหวัด",
        "ระหว่างการซ่อมแซม ผู้โดยสารสามารถใช้ท่าเรือชั่วคราวที่อยู่ห่างออกไปสามร้อยเมตร ซึ่งเปิดตั้งแต่ตีห้าจนถึงสามทุ่มทุกวัน",
        "ชาวบ้านหลายคนกังวลว่าร้านค้ารอบท่าเรือจะขาดรายได้ เพราะลูกค้าส่วนใหญ่เป็นคนที่รอเรือในตอนเช้าและตอนเย็น",
        "เจ้าของร้านอาหารคนหนึ่งบอกว่า เธอขายข้าวแกงที่นี่มายี่สิบปีแล้ว และหวังว่าท่าเรือใหม่จะปลอดภัยกว่าเดิมสำหรับเด็กและผู้สูงอายุ",
        "สำนักงานท่องเที่ยวคาดว่าท่าเรือจะเปิดอีกครั้งก่อนเทศกาลสงกรานต์ โดยจะมีป้ายบอกเวลาเดินเรือเป็นสองภาษา",
    ];
    const KHMER: [&str; 6] = [
        "សាលាក្រុងបានប្រកាសបិទកំពង់ផែចម្លងចាស់រយៈពេលពីរខែ ដើម្បីជួសជុលសសរ និងកម្រាលឈើដែលពុកផុយក្រោយទឹកជំនន់ឆ្នាំមុន។",
        "អភិបាលក្រុងបានប្រាប់អ្នកសារព័ត៌មាននៅថ្ងៃពុធថា ការងារនឹងចាប់ផ្តើមនៅថ្ងៃចន្ទក្រោយ ហើយចំណាយប្រហែលបីសែនដុល្លារ។",
        "ក្នុងពេលជួសជុល អ្នកដំណើរអាចប្រើកំពង់ផែបណ្តោះអាសន្នដែលនៅឆ្ងាយបីរយម៉ែត្រ ដែលបើកពីម៉ោងប្រាំព្រឹកដល់ប្រាំបួនយប់។",
        "អ្នកភូមិជាច្រើនព្រួយបារម្ភថា ហាងជុំវិញកំពង់ផែនឹងបាត់បង់ចំណូល ព្រោះអតិថិជនភាគច្រើនជាអ្នករង់ចាំទូកពេលព្រឹក។",
        "ម្ចាស់ភោជនីយដ្ឋានម្នាក់បាននិយាយថា គាត់លក់បាយនៅទីនេះអស់រយៈពេលម្ភៃឆ្នាំហើយ ហើយសង្ឃឹមថាកំពង់ផែថ្មីនឹងមានសុវត្ថិភាពជាង។",
        "ការិយាល័យទេសចរណ៍រំពឹងថា កំពង់ផែនឹងបើកឡើងវិញមុនបុណ្យចូលឆ្នាំ ដោយមានស្លាកប្រាប់ម៉ោងទូកជាពីរភាសា។",
    ];

    fn paragraphs(texts: &[&str]) -> String {
        let body: String = texts.iter().map(|text| format!("<p>{text}</p>")).collect();
        format!("<main><article><h1>{}</h1>{body}</article></main>", &texts[0].split(' ').next().unwrap())
    }

    fn judged(body: &str) -> PageClass {
        judge(&Page::parse(body), "https://paper.example/a")
    }

    #[test]
    fn prose_is_an_article_and_links_are_a_hub() {
        let link = "<li><a href=/x>Council agrees on a new bridge after years of debate</a>";
        let teaser =
            format!("<h2><a href=/x>Bridge to be built after all this time</a></h2><p>{SENTENCE}</p>");
        let cases = [
            (String::new(), PageClass::NotArticle(NotArticleReason::TooLittleText)),
            (link.repeat(80), PageClass::NotArticle(NotArticleReason::TooLittleText)),
            (story(6), PageClass::Article),
            (teaser.repeat(40), PageClass::NotArticle(NotArticleReason::Hub)),
            (format!("{}{}", story(5), link.repeat(60)), PageClass::Article),
            ("<p>市議會週一同意重建河上的舊橋。市長說工程將於春天開始。</p>".repeat(8), PageClass::Article),
            (paragraphs(&THAI), PageClass::Article),
            (paragraphs(&KHMER), PageClass::Article),
            (format!("{}{}", paragraphs(&THAI), link.repeat(2)), PageClass::Article),
        ];
        for (body, expected) in cases {
            assert_eq!(judged(&body), expected, "{}", &body[..body.len().min(80)]);
        }
    }

    #[test]
    fn the_page_of_an_author_is_a_listing() {
        let page = |more: &str| Page::parse(&format!("{more}<h1>Ann Weaver</h1>{}", story(6)));
        let listing = PageClass::NotArticle(NotArticleReason::Listing);
        let dated = "<meta property='article:published_time' content='2026-11-20T09:30:00Z'>";
        let declared = "<meta property='og:type' content='article'>";
        let cases = [
            ("https://paper.example/staff/ann-weaver", "", listing),
            ("https://paper.example/news/authors/ann-weaver/", "", listing),
            ("https://paper.example/staff/ann-weaver", dated, PageClass::Article),
            ("https://paper.example/staff/ann-weaver", declared, listing),
            ("https://paper.example/staff/rain-in-the-valley", declared, PageClass::Article),
            ("https://paper.example/staff/why-the-old-bridge-was-closed", "", PageClass::Article),
            ("https://paper.example/staff", "", PageClass::Article),
        ];
        for (url, more, expected) in cases {
            assert_eq!(judge(&page(more), url), expected, "{url} {more}");
        }
    }

    #[test]
    fn a_dated_article_with_long_prose_and_a_headline_in_its_url_is_certain() {
        let url = "https://paper.example/news/rain-in-the-valley";
        let dated = "<meta property='article:published_time' content='2026-11-20T09:30:00Z'>";
        let paid = "<script type='application/ld+json'>{\"@type\": \"NewsArticle\", \"isAccessibleForFree\": false}</script>";
        let link = "<li><a href=/x>Council agrees on a new bridge after years of debate</a>";
        let caption = format!("<figure><figcaption>{SENTENCE}</figcaption></figure>");
        let cases = [
            (url, dated.to_owned(), story(12), true),
            ("https://paper.example/news/20261120", dated.to_owned(), story(12), true),
            ("https://paper.example/in-the-news", dated.to_owned(), story(12), false),
            ("", dated.to_owned(), story(12), false),
            (url, String::new(), story(12), false),
            (url, dated.to_owned(), story(6), false),
            (url, dated.to_owned(), format!("{}{}", story(12), link.repeat(40)), false),
            (url, format!("{dated}{paid}"), story(12), false),
            (url, dated.to_owned(), format!("{}<p>Page not found</p>", story(12)), false),
            (url, dated.to_owned(), format!("{}{}", story(12), caption.repeat(5)), false),
        ];
        for (url, head, body, expected) in cases {
            let page = Page::parse(&format!("{head}<h1>Rain</h1>{body}"));
            let lines = || PathIndex::default().lines(&page, |_| true);
            assert_eq!(Evidence::new(&page, url).is_certain(lines), expected, "{url} {head} {}", body.len());
        }
    }

    #[test]
    fn a_paid_text_with_shifted_letters_is_no_article() {
        let shift = |c: char| match c {
            'a'..='y' | 'A'..='Y' => char::from(c as u8 + 1),
            c => c,
        };
        let page = |free: bool, text: &str| {
            let ld = format!("{{\"@type\": \"NewsArticle\", \"isAccessibleForFree\": {free}}}");
            Page::parse(&format!(
                "<html lang=en><script type='application/ld+json'>{ld}</script><h1>Bridge</h1><p>{SENTENCE}</p>{text}"
            ))
        };
        let shifted: String = story(8).replace("<p>", "").replace("</p>", "\n").chars().map(shift).collect();
        let shifted: String = shifted.lines().map(|line| format!("<p>{line}</p>")).collect();
        let wall = PageClass::NotArticle(NotArticleReason::LoginWall);
        for (free, text, expected) in [(false, shifted, wall), (false, story(8), PageClass::Article)] {
            assert_eq!(judge(&page(free, &text), "https://paper.example/a"), expected, "{text}");
        }
    }

    #[test]
    fn a_collection_is_believed() {
        let body = story(10);
        let html = format!(
            "<script type='application/ld+json'>{{\"@type\": [\"WebPage\", \"CollectionPage\"]}}</script>{body}"
        );
        assert_eq!(judged(&html), PageClass::NotArticle(NotArticleReason::DeclaredListing));
    }

    #[test]
    fn labels_are_what_serde_writes() {
        for reason in NotArticleReason::ALL {
            assert_eq!(serde_json::to_string(&reason).unwrap(), format!("\"{}\"", reason.label()));
        }
    }
}
