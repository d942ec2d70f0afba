//! Computes the features of the page model.
//!
//! Groups, in order: the body text found by the block model and its position, words and links, cards,
//! controls, headline and date, declarations, the URL. Logarithms are `ln(1 + x)`. Most unknown values are
//! -1.

use std::collections::HashSet;

use gleaner_extract::block_model::{self, Judged};
use gleaner_extract::words;
use gleaner_html::metadata::metadata;
use gleaner_html::text::LineKind;
use gleaner_html::{Page, metadata::Metadata};

use super::address::Address;
use super::cards::{Cards, has_date, has_price};
use super::controls::{Controls, links_below};
use super::declared::{Declared, json_ld_types};
use super::signals::Signals;

pub(super) type Row = Vec<(&'static str, f32)>;

/// Minimum number of words of a paragraph of body text.
const PARAGRAPH: u32 = 20;
/// Minimum number of words of a long paragraph of body text.
const LONG: u32 = 40;

/// Minimum number of words of a block of links that separates stretches of body text.
const TINY: u32 = 3;

/// Number of blocks, starting with the headline, that are searched for a date.
const NEAR: usize = 8;

pub(super) fn features(page: &Page, url: &str, judged: &[Judged]) -> Row {
    let mut row = Row::with_capacity(90);
    let stated = metadata(page);
    let content: Vec<&Judged> = judged.iter().filter(|block| block.is_content()).collect();
    let total: f32 = judged.iter().map(|block| block.words as f32).sum();
    content_features(judged, &content, total, &mut row);
    stretch_features(judged, &mut row);
    page_features(page, judged, total, &mut row);
    card_features(&Cards::new(page, judged), total, &mut row);
    control_features(page, judged, url, &stated, &mut row);
    headline_features(judged, &content, &stated, &mut row);
    statement_features(page, &stated, &mut row);
    address_features(url, &mut row);
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

fn sum<'a>(blocks: impl Iterator<Item = &'a Judged>) -> f32 {
    blocks.map(|block| block.words as f32).sum()
}

fn content_features(judged: &[Judged], content: &[&Judged], total: f32, row: &mut Row) {
    let own = sum(content.iter().copied());
    let chance = |block: &Judged| block.words as f32 / (1.0 + (-block.log_odds).exp());
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
    let headed = |block: &&Judged| block.link_share > 0.5;
    row.push(("linked headings in content, log", ln(kind(LineKind::Heading).filter(headed).count() as f32)));
    row.push(("share of content in items", share(sum(kind(LineKind::Item)), own)));
    row.push(("share of content in captions", share(sum(content.iter().copied().filter(is_caption)), own)));
    let mut places: Vec<(&str, f32)> = content.iter().map(|b| (b.place.as_str(), b.words as f32)).collect();
    places.sort_unstable_by_key(|(place, _)| *place);
    let sums: Vec<f32> =
        places.chunk_by(|a, b| a.0 == b.0).map(|chunk| chunk.iter().map(|(_, words)| words).sum()).collect();
    row.push(("places of content, log", ln(sums.len() as f32)));
    row.push(("share of content at one place", share(sums.iter().copied().fold(0.0, f32::max), own)));
}

pub(super) fn is_caption(block: &&Judged) -> bool {
    let place = block.place.to_ascii_lowercase();
    block.placed.line.kind == LineKind::Caption
        || ["caption", "gallery", "slide", "photo-", "legend"].iter().any(|word| place.contains(word))
}

fn stretch_features(judged: &[Judged], row: &mut Row) {
    let first = judged.iter().position(Judged::is_content);
    let last = judged.iter().rposition(Judged::is_content);
    let span = match (first, last) {
        (Some(first), Some(last)) => &judged[first..=last],
        _ => &[],
    };
    let parts = |block: &Judged| block.link_share > 0.5 && block.words >= TINY && !block.is_content();
    let stretches: Vec<f32> = span
        .split(|block| parts(block))
        .map(|run| sum(run.iter().filter(|b| b.is_content())))
        .filter(|words| *words > 0.0)
        .collect();
    let longest = stretches.iter().copied().fold(0.0, f32::max);
    let content = sum(span.iter().filter(|block| block.is_content()));
    let heads = |block: &&Judged| block.link_share > 0.5 && block.words >= TINY;
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

fn page_features(page: &Page, judged: &[Judged], total: f32, row: &mut Row) {
    let signals = Signals::from_page(page);
    row.push(("words, log", ln(signals.words as f32)));
    row.push(("link share", signals.link_share() as f32));
    row.push(("lines of links, log", ln(signals.link_lines as f32)));
    row.push(("prose, log", ln(signals.prose as f32)));
    row.push(("longest stretch of prose, log", ln(signals.stretch as f32)));
    row.push(("share of prose in its longest stretch", share(signals.stretch as f32, signals.prose as f32)));
    row.push(("words of prose for a linked one", share(signals.stretch as f32, signals.linked as f32)));
    row.push(("blocks, log", ln(judged.len() as f32)));
    let short = |block: &&Judged| block.words <= 12;
    let dates = judged.iter().filter(short).filter(|block| has_date(&block.placed.line.text)).count() as f32;
    let prices =
        judged.iter().filter(short).filter(|block| has_price(&block.placed.line.text)).count() as f32;
    row.push(("short lines with a date, log", ln(dates)));
    row.push(("short lines with a price, log", ln(prices)));
    let headings = |block: &&Judged| block.placed.line.kind == LineKind::Heading;
    let all = judged.iter().filter(headings).count() as f32;
    let linked = judged.iter().filter(headings).filter(|block| block.link_share > 0.5).count() as f32;
    row.push(("headings, log", ln(all)));
    row.push(("share of headings in links", share(linked, all)));
    let mut texts: Vec<&str> = judged.iter().map(|block| block.placed.line.text.as_str()).collect();
    texts.sort_unstable();
    let most = texts.chunk_by(|a, b| a == b).map(<[&str]>::len).max().unwrap_or(0);
    row.push(("times one text stands, log", ln(most as f32)));
    let elements = |tags: &[&str]| {
        page.iter().filter(|(id, _)| page.tag(*id).is_some_and(|tag| tags.contains(&tag))).count() as f32
    };
    let images = elements(&["img", "picture"]);
    row.push(("images, log", ln(images)));
    row.push(("images for a hundred words, log", ln(100.0 * share(images, total))));
    row.push(("article elements, log", ln(elements(&["article"]))));
    row.push(("time elements, log", ln(elements(&["time"]))));
    row.push(("buttons and fields, log", ln(elements(&["button", "input", "select"]))));
    row.push(("h1 elements", elements(&["h1"]).min(5.0)));
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

fn control_features(page: &Page, judged: &[Judged], url: &str, stated: &Metadata, row: &mut Row) {
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
    let address = if url.is_empty() { stated.canonical.as_deref().unwrap_or_default() } else { url };
    let (below, further) = links_below(page, address).unwrap_or((-1.0, -1.0));
    row.push(("links below its address, log", if below < 0.0 { -1.0 } else { ln(below) }));
    row.push(("links to further pages, log", if further < 0.0 { -1.0 } else { ln(further) }));
}

fn headline_features(judged: &[Judged], content: &[&Judged], stated: &Metadata, row: &mut Row) {
    let title = lower(stated.title.as_deref().unwrap_or_default());
    let at = headline(judged, &title);
    let first = judged.iter().position(|block| block.is_content() && block.words >= PARAGRAPH);
    let heading = |at: usize| flag(judged[at].placed.line.kind == LineKind::Heading);
    let between =
        |(at, first): (usize, usize)| if first > at { ln(sum(judged[at..first].iter())) } else { 0.0 };
    let dated = |block: &Judged| block.words <= PARAGRAPH && has_date(&block.placed.line.text);
    row.push(("words of the title", title.len() as f32));
    row.push(("headline is there", flag(at.is_some())));
    row.push(("headline is a heading", at.map_or(-1.0, heading)));
    row.push(("headline is a link", at.map_or(-1.0, |at| judged[at].link_share)));
    row.push(("words from headline to content, log", at.zip(first).map_or(-1.0, between)));
    row.push((
        "date near the headline",
        at.map_or(-1.0, |at| flag(judged.iter().skip(at).take(NEAR).any(dated))),
    ));
    let text: HashSet<String> = content.iter().flat_map(|block| lower(&block.placed.line.text)).collect();
    let taken_up = |said: &HashSet<String>| {
        let common = said.iter().filter(|word| text.contains(*word)).count() as f32;
        share(common, said.len() as f32)
    };
    let description = lower(stated.description.as_deref().unwrap_or_default());
    row.push(("share of the title's words in content", taken_up(&title)));
    let described = if description.is_empty() { -1.0 } else { taken_up(&description) };
    row.push(("share of the description's words in content", described));
}

fn lower(text: &str) -> HashSet<String> {
    words(text).map(str::to_lowercase).collect()
}

/// Returns the first block with at least 80% of the title's words and few other words.
fn headline(judged: &[Judged], title: &HashSet<String>) -> Option<usize> {
    let size = title.len() as f32;
    let is_headline = |block: &Judged| {
        block.words as f32 <= 1.6 * size + 2.0
            && lower(&block.placed.line.text).intersection(title).count() as f32 >= 0.8 * size
    };
    if title.is_empty() { None } else { judged.iter().position(is_headline) }
}

fn statement_features(page: &Page, stated: &Metadata, row: &mut Row) {
    let declared = match Declared::from_page(page) {
        Declared::Listing => -1.0,
        Declared::Nothing => 0.0,
        Declared::Article => 1.0,
    };
    let types = json_ld_types(page);
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
    row.push(("authors are stated", flag(!stated.authors.is_empty())));
    row.push(("section is stated", flag(stated.section.is_some())));
}

fn address_features(url: &str, row: &mut Row) {
    let address = Address::from_url(url);
    let mut put = |name, value: fn(&Address) -> f32| row.push((name, address.as_ref().map_or(-1.0, value)));
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
