//! Computes the features of the page model.
//!
//! The groups are, in order: the body text that the block model found and its position, words and links,
//! cards, controls, headline and date, declarations, and the URL. Logarithms are `ln(1 + x)`. Most unknown
//! values are -1.

use std::collections::{BTreeSet, HashMap};

use gleaner_extract::block_model::{self, ClassifiedBlock};
use gleaner_extract::word_hashes;
use gleaner_html::text::LineKind;
use gleaner_html::{Page, metadata::Metadata};

use super::address::UrlFeatures;
use super::cards::{Cards, LineMarks, has_date};
use super::controls::{Controls, links_below};
use super::declared::DeclaredType;
use super::evidence::Evidence;

pub(super) type Row = Vec<(&'static str, f32)>;

/// Minimum number of words of a paragraph of body text.
const PARAGRAPH: u32 = 20;
const LONG: u32 = 40;

/// A block of links with at least this number of words separates sequences of body text.
const TINY: u32 = 3;

/// Number of blocks in which a date is searched, starting with the headline.
const NEAR: usize = 8;

pub(super) fn features(
    evidence: &Evidence,
    judged: &[ClassifiedBlock],
    marks: &[LineMarks],
    cards: &Cards,
) -> Row {
    let mut row = Row::with_capacity(90);
    let stated = evidence.metadata();
    let content: Vec<&ClassifiedBlock> = judged.iter().filter(|block| block.is_content()).collect();
    let total: f32 = judged.iter().map(|block| block.words as f32).sum();
    content_features(judged, &content, total, &mut row);
    stretch_features(judged, &mut row);
    page_features(evidence, judged, marks, total, &mut row);
    card_features(cards, total, &mut row);
    control_features(evidence, judged, &mut row);
    headline_features(judged, &content, stated, &mut row);
    statement_features(evidence, &mut row);
    address_features(evidence.address, &mut row);
    row
}

fn ln(x: f32) -> f32 {
    x.max(0.0).ln_1p()
}

fn share(part: f32, whole: f32) -> f32 {
    part / whole.max(1.0)
}

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

fn sum<'a>(blocks: impl Iterator<Item = &'a ClassifiedBlock>) -> f32 {
    blocks.map(|block| block.words as f32).sum()
}

fn content_features(judged: &[ClassifiedBlock], content: &[&ClassifiedBlock], total: f32, row: &mut Row) {
    let own = sum(content.iter().copied());
    let chance = |block: &ClassifiedBlock| block.words as f32 / (1.0 + (-block.log_odds).exp());
    let linked: f32 = content.iter().map(|block| block.link_share * block.words as f32).sum();
    let of = |least: u32| content.iter().filter(move |block| block.words >= least).copied();
    let kind = |kind: LineKind| content.iter().filter(move |block| block.placed.line.kind == kind).copied();
    row.push(("content words, log", ln(own)));
    row.push(("confidence", block_model::margin(judged)));
    row.push(("share of words in content", share(own, total)));
    row.push(("expected words of content, log", ln(judged.iter().map(chance).sum())));
    row.push(("content blocks, log", ln(content.len() as f32)));
    row.push(("words a content block", share(own, content.len() as f32)));
    row.push(("paragraphs of content, log", ln(of(PARAGRAPH).count() as f32)));
    row.push(("long paragraphs of content, log", ln(of(LONG).count() as f32)));
    row.push(("share of content in long paragraphs", share(sum(of(LONG)), own)));
    row.push((
        "longest block of content, log",
        ln(content.iter().map(|b| b.words).max().unwrap_or(0) as f32),
    ));
    row.push(("link share of content", share(linked, own)));
    let odds = content.iter().map(|block| block.log_odds * block.words as f32).sum();
    row.push(("mean log-odds of content", share(odds, own)));
    row.push(("greatest log-odds", content.iter().map(|b| b.log_odds).fold(0.0, f32::max)));
    row.push(("headings in content, log", ln(kind(LineKind::Heading).count() as f32)));
    let headed = |block: &&ClassifiedBlock| block.link_share > 0.5;
    row.push(("linked headings in content, log", ln(kind(LineKind::Heading).filter(headed).count() as f32)));
    row.push(("share of content in items", share(sum(kind(LineKind::Item)), own)));
    row.push(("share of content in captions", share(sum(content.iter().copied().filter(is_caption)), own)));
    let mut dom_paths: Vec<(&str, f32)> =
        content.iter().map(|b| (b.dom_path.as_str(), b.words as f32)).collect();
    dom_paths.sort_unstable_by_key(|(dom_path, _)| *dom_path);
    let sums: Vec<f32> = dom_paths
        .chunk_by(|a, b| a.0 == b.0)
        .map(|chunk| chunk.iter().map(|(_, words)| words).sum())
        .collect();
    row.push(("places of content, log", ln(sums.len() as f32)));
    row.push(("share of content at one place", share(sums.iter().copied().fold(0.0, f32::max), own)));
}

/// Parts of the names of DOM paths with captions.
pub(super) const CAPTION_NAMES: [&str; 5] = ["caption", "gallery", "slide", "photo-", "legend"];

pub(super) fn is_caption(block: &&ClassifiedBlock) -> bool {
    let dom_path = block.dom_path.to_ascii_lowercase();
    block.placed.line.kind == LineKind::Caption || CAPTION_NAMES.iter().any(|word| dom_path.contains(word))
}

fn stretch_features(judged: &[ClassifiedBlock], row: &mut Row) {
    let first = judged.iter().position(ClassifiedBlock::is_content);
    let last = judged.iter().rposition(ClassifiedBlock::is_content);
    let span = match (first, last) {
        (Some(first), Some(last)) => &judged[first..=last],
        _ => &[],
    };
    let parts =
        |block: &ClassifiedBlock| block.link_share > 0.5 && block.words >= TINY && !block.is_content();
    let stretches: Vec<f32> = span
        .split(|block| parts(block))
        .map(|run| sum(run.iter().filter(|b| b.is_content())))
        .filter(|words| *words > 0.0)
        .collect();
    let longest = stretches.iter().copied().fold(0.0, f32::max);
    let content = sum(span.iter().filter(|block| block.is_content()));
    let heads = |block: &&ClassifiedBlock| block.link_share > 0.5 && block.words >= TINY;
    let links = span.iter().filter(heads).count() as f32;
    row.push(("stretches of content, log", ln(stretches.len() as f32)));
    row.push(("longest stretch of content, log", ln(longest)));
    row.push(("share of content in the longest stretch", share(longest, content)));
    row.push(("share of content between first and last", share(content, sum(span.iter()))));
    row.push(("blocks of links between first and last, log", ln(links)));
    row.push(("words of content for each of those, log", ln(content / (links + 1.0))));
    row.push((
        "share of words before content",
        match first {
            Some(first) => share(sum(judged[..first].iter()), sum(judged.iter())),
            None => -1.0,
        },
    ));
}

fn page_features(
    evidence: &Evidence,
    judged: &[ClassifiedBlock],
    marks: &[LineMarks],
    total: f32,
    row: &mut Row,
) {
    let Evidence { page, signals, .. } = evidence;
    row.push(("words, log", ln(signals.words as f32)));
    row.push(("link share", signals.link_share() as f32));
    row.push(("lines of links, log", ln(signals.link_lines as f32)));
    row.push(("prose, log", ln(signals.prose as f32)));
    row.push(("longest stretch of prose, log", ln(signals.stretch as f32)));
    row.push(("share of prose in its longest stretch", share(signals.stretch as f32, signals.prose as f32)));
    row.push(("words of prose for a linked one", share(signals.stretch as f32, signals.linked as f32)));
    row.push(("blocks, log", ln(judged.len() as f32)));
    let dates = marks.iter().filter(|mark| mark.has_date).count() as f32;
    let prices = marks.iter().filter(|mark| mark.has_price).count() as f32;
    row.push(("short lines with a date, log", ln(dates)));
    row.push(("short lines with a price, log", ln(prices)));
    let headings = |block: &&ClassifiedBlock| block.placed.line.kind == LineKind::Heading;
    let all = judged.iter().filter(headings).count() as f32;
    let linked = judged.iter().filter(headings).filter(|block| block.link_share > 0.5).count() as f32;
    row.push(("headings, log", ln(all)));
    row.push(("share of headings in links", share(linked, all)));
    let mut times: HashMap<&str, u32> = HashMap::with_capacity(judged.len());
    judged.iter().for_each(|block| *times.entry(&block.placed.line.text).or_default() += 1);
    row.push(("times one text stands, log", ln(times.into_values().max().unwrap_or(0) as f32)));
    let [images, articles, times, controls, headings] = counts(page);
    row.push(("images, log", ln(images)));
    row.push(("images for a hundred words, log", ln(100.0 * share(images, total))));
    row.push(("article elements, log", ln(articles)));
    row.push(("time elements, log", ln(times)));
    row.push(("buttons and fields, log", ln(controls)));
    row.push(("h1 elements", headings.min(5.0)));
}

/// Returns the numbers of images, articles, times, buttons and fields, and main headings of a page.
fn counts(page: &Page) -> [f32; 5] {
    let mut counts = [0.0; 5];
    for (id, _) in page.iter() {
        let at = match page.tag(id) {
            Some("img" | "picture") => 0,
            Some("article") => 1,
            Some("time") => 2,
            Some("button" | "input" | "select") => 3,
            Some("h1") => 4,
            _ => continue,
        };
        counts[at] += 1.0;
    }
    counts
}

fn card_features(cards: &Cards, total: f32, row: &mut Row) {
    row.push(("cards, log", ln(cards.count)));
    row.push(("cards of the largest group, log", ln(cards.largest)));
    row.push(("share of words in the largest group", share(cards.largest_words, total)));
    row.push(("share of words in cards", share(cards.words, total)));
    row.push(("share of cards that is content", share(cards.content, cards.words)));
    row.push(("words of a card", share(cards.words, cards.count)));
    row.push(("dated cards, log", ln(cards.dated)));
    row.push(("priced cards, log", ln(cards.priced)));
}

fn control_features(evidence: &Evidence, judged: &[ClassifiedBlock], row: &mut Row) {
    let Evidence { page, url, .. } = evidence;
    let controls = Controls::new(page, judged);
    row.push(("words of shops, log", ln(controls.of_shops)));
    row.push(("words of lists, log", ln(controls.of_lists)));
    row.push(("words of teasers, log", ln(controls.of_teasers)));
    row.push(("names of a list", controls.list_names.min(5.0)));
    row.push(("names of an article", controls.article_names.min(5.0)));
    row.push(("types of a list in scripts", controls.list_types.min(5.0)));
    row.push(("types of an article in scripts", controls.article_types.min(5.0)));
    row.push(("elements of goods, log", ln(controls.goods)));
    row.push(("elements of pages and filters, log", ln(controls.pages)));
    let canonical = || evidence.metadata().canonical.as_deref().unwrap_or_default();
    let address = if url.is_empty() { canonical() } else { url };
    let (below, further) = links_below(page, address).unwrap_or((-1.0, -1.0));
    row.push(("links below its address, log", if below < 0.0 { -1.0 } else { ln(below) }));
    row.push(("links to further pages, log", if further < 0.0 { -1.0 } else { ln(further) }));
}

fn headline_features(
    judged: &[ClassifiedBlock],
    content: &[&ClassifiedBlock],
    stated: &Metadata,
    row: &mut Row,
) {
    let title = Words::from_text(stated.title.as_deref().unwrap_or_default());
    let at = headline(judged, &title);
    let first = judged.iter().position(|block| block.is_content() && block.words >= PARAGRAPH);
    let heading = |at: usize| flag(judged[at].placed.line.kind == LineKind::Heading);
    let between =
        |(at, first): (usize, usize)| if first > at { ln(sum(judged[at..first].iter())) } else { 0.0 };
    let dated = |block: &ClassifiedBlock| block.words <= PARAGRAPH && has_date(&block.placed.line.text);
    row.push(("words of the title", title.len() as f32));
    row.push(("headline is there", flag(at.is_some())));
    row.push(("headline is a heading", at.map_or(-1.0, heading)));
    row.push(("headline is a link", at.map_or(-1.0, |at| judged[at].link_share)));
    row.push(("words from headline to content, log", at.zip(first).map_or(-1.0, between)));
    row.push((
        "date near the headline",
        at.map_or(-1.0, |at| flag(judged.iter().skip(at).take(NEAR).any(dated))),
    ));
    let content = || content.iter().map(|block| block.placed.line.text.as_str());
    let taken_up = |said: &Words| share(said.found_in(content()) as f32, said.len() as f32);
    let description = Words::from_text(stated.description.as_deref().unwrap_or_default());
    row.push(("share of the title's words in content", taken_up(&title)));
    let described = if description.len() == 0 { -1.0 } else { taken_up(&description) };
    row.push(("share of the description's words in content", described));
}

/// The hashes of the different words of a text.
struct Words(BTreeSet<u64>);

impl Words {
    fn from_text(text: &str) -> Self {
        Self(word_hashes(text).collect())
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn found_in<'a>(&self, texts: impl Iterator<Item = &'a str>) -> usize {
        let mut missing = self.0.clone();
        let mut words = texts.flat_map(word_hashes);
        while !missing.is_empty()
            && let Some(word) = words.next()
        {
            missing.remove(&word);
        }
        self.len() - missing.len()
    }
}

/// Returns the first block with at least 80% of the title's words and few other words.
fn headline(judged: &[ClassifiedBlock], title: &Words) -> Option<usize> {
    let size = title.len() as f32;
    let is_headline = |block: &ClassifiedBlock| {
        block.words as f32 <= 1.6 * size + 2.0
            && title.found_in(std::iter::once(block.placed.line.text.as_str())) as f32 >= 0.8 * size
    };
    if title.len() == 0 { None } else { judged.iter().position(is_headline) }
}

fn statement_features(evidence: &Evidence, row: &mut Row) {
    let Evidence { types, declared, .. } = evidence;
    let stated = evidence.metadata();
    let declared = match declared {
        DeclaredType::Listing => -1.0,
        DeclaredType::Nothing => 0.0,
        DeclaredType::Article => 1.0,
    };
    let count = |names: &[&str]| types.iter().filter(|t| names.contains(&t.as_str())).count() as f32;
    let articles = types.iter().filter(|t| t.ends_with("Article") || *t == "BlogPosting").count() as f32;
    row.push(("declared an article", declared));
    row.push(("articles in JSON-LD", articles.min(4.0)));
    row.push((
        "lists in JSON-LD, log",
        ln(count(&["ItemList", "CollectionPage", "ListItem", "OfferCatalog"])),
    ));
    row.push((
        "goods in JSON-LD, log",
        ln(count(&["Product", "Offer", "AggregateRating", "AggregateOffer"])),
    ));
    row.push(("publishing time is stated", flag(stated.published.is_some())));
    row.push(("authors are stated", flag(!stated.authors.is_empty() || !stated.credits.is_empty())));
    row.push(("section is stated", flag(stated.section.is_some())));
}

fn address_features(address: Option<UrlFeatures>, row: &mut Row) {
    let mut put =
        |name, value: fn(&UrlFeatures) -> f32| row.push((name, address.as_ref().map_or(-1.0, value)));
    put("segments of the path", |a| a.segments);
    put("words of the slug", |a| a.slug_words);
    put("characters of the slug", |a| a.slug_length);
    put("digits in a row", |a| a.digits);
    put("ends in a slash", |a| flag(a.ends_in_slash));
    put("has an extension", |a| flag(a.has_extension));
    put("has a query", |a| flag(a.has_query));
    put("names a year", |a| flag(a.has_year));
    put("segments behind a word of listings", |a| a.behind_listing.map_or(9.0, |n| n as f32));
    put("asks for a list", |a| flag(a.asks_list));
    put("is a front page", |a| flag(a.is_front_page()));
}
