//! Recognizes pages that are shown instead of an article: bot check, consent wall, login wall, "not found"
//! with status 200, gallery without text.
//!
//! A wall has a typical phrase in its title, a heading or a short line, and little other prose. There is an
//! exception: a page that declares an article with a publication time is not a wall if it has a few sentences
//! and no such phrase in its title. This exception does not apply to login walls, because they often follow
//! the first sentences of an article. The lists contain common phrases in Vietnamese, English, Russian,
//! Chinese, Polish and Greek, and the most frequent phrases in German, French and Spanish.
//!
//! Limitation: a wall with other phrases is rejected only if its text is too short for an article. A "not
//! found" page with long teasers is at best classified as a hub. An article of three sentences that does not
//! declare itself an article is rejected if one of the sentences states that a page no longer exists.

use std::collections::HashSet;
use std::sync::LazyLock;

use gleaner_corpus::language;
use gleaner_html::metadata::Metadata;
use gleaner_html::text::{LineKind, tidy};
use gleaner_html::words::count_words;
use gleaner_html::{NodeId, Page};

use crate::article::phrases::Phrases;
use crate::block_model::{ClassifiedBlock, kinds_of_element, phrase_kinds_of};

mod phrases;

use super::NotArticleReason;
use super::features::{CAPTION_NAMES, is_caption};
use phrases::WALLS;

struct Wall {
    reason: NotArticleReason,
    /// Phrases that occur only on this kind of wall, in a title, a heading or a line.
    phrases: &'static [&'static str],
    /// A page with at least this many words of other prose is not a wall.
    most_other: f32,
}

/// Minimum number of different phrases of a consent wall. A report on a data leak may contain only one.
const CONSENT_PHRASES: usize = 3;

/// Maximum number of words of a line with a wall's phrase.
const LINE: u32 = 40;
/// Maximum number of words of a paragraph that asks for consent.
const PARAGRAPH: u32 = 180;

const LONGEST: usize = 4_000;

const PROSE: u32 = 8;

const CAPTIONS: usize = 5;
/// Maximum number of words outside captions on a gallery page.
const BESIDES: f32 = 90.0;

/// A declared article with a publication time is not a wall if it has at least this number of words of prose.
const FEW_SENTENCES: f32 = 25.0;

const NEAR: usize = 4;

const PICTURES: usize = 6;

/// Minimum number of words of a text whose language is compared.
const MIN_COMPARED: usize = 60;

/// Minimum probability of a language that differs from the declared one.
const MIN_OTHER_LANGUAGE: f64 = 0.8;

/// Whether the letters of the body text are shifted, so that it is in no language: the page is not free, and the
/// language of the second half of its body text is not the declared one, but no other language is probable.
pub(super) fn is_scrambled(stated: &Metadata, judged: &[ClassifiedBlock]) -> bool {
    let (Some(true), Some(declared)) = (stated.paywalled, stated.language.as_deref()) else { return false };
    let body: Vec<&ClassifiedBlock> = judged.iter().filter(|block| block.is_content()).collect();
    let all: u32 = body.iter().map(|block| block.words).sum();
    let mut before = 0;
    let mut is_in_second_half = |block: &&&ClassifiedBlock| {
        before += block.words;
        2 * before > all
    };
    let half: Vec<&str> =
        body.iter().filter(|block| is_in_second_half(block)).map(|block| &*block.placed.line.text).collect();
    let text = half.join("\n");
    let found = language(&text, None);
    count_words(&text) >= MIN_COMPARED && found.tag != declared && found.probability < MIN_OTHER_LANGUAGE
}

/// Whether the page contains a phrase of a wall. If not, it cannot be a wall. `lines` are all its lines.
pub(super) fn may_be_wall(page: &Page, lines: &[ClassifiedBlock]) -> bool {
    let lines = lines.iter().map(|line| (line.placed.line.text.as_str(), line.words, line.link_share));
    has_phrase(&title(page), lines)
}

/// Whether the title or one of the lines contains a phrase of a wall. Each line is given as its text, its
/// number of words, and the share of the words that are in links.
fn has_phrase<'a>(title: &str, mut lines: impl Iterator<Item = (&'a str, u32, f32)>) -> bool {
    static PHRASES: LazyLock<Phrases> =
        LazyLock::new(|| Phrases::new(WALLS.iter().flat_map(|wall| wall.phrases.iter().copied())));
    let says = |(text, words, link_share): (&str, u32, f32)| {
        words <= PARAGRAPH && link_share <= 0.5 && PHRASES.is_in(&lower(text))
    };
    PHRASES.is_in(title) || lines.any(says)
}

fn title(page: &Page) -> String {
    page.elements("title").next().map(|id| lower(&tidy(&page.raw_text(id)))).unwrap_or_default()
}

/// Returns the kind of wall, or `None` if the page is not a wall. `is_dated_article` says whether the page
/// declares an article with a publication time. The time is linear.
pub(super) fn wall(
    page: &Page,
    judged: &[ClassifiedBlock],
    is_dated_article: bool,
) -> Option<NotArticleReason> {
    let title = title(page);
    let lines = judged.iter().map(|block| (block.placed.line.text.as_str(), block.words, block.link_share));
    if !has_phrase(&title, lines) {
        return None;
    }
    let is_wall = |wall: &&Wall| wall.is(page, &title, judged, is_dated_article);
    WALLS.iter().find(is_wall).map(|wall| wall.reason)
}

/// Returns a text in lower case with plain apostrophes. A text that is too long for a wall becomes empty.
fn lower(text: &str) -> String {
    if text.len() > LONGEST { String::new() } else { text.to_lowercase().replace('’', "'") }
}

impl Wall {
    fn is(&self, page: &Page, title: &str, judged: &[ClassifiedBlock], is_dated_article: bool) -> bool {
        let in_title = self.contains_phrase(title);
        let is_believed = is_dated_article && !in_title && self.reason != NotArticleReason::LoginWall;
        let most = if is_believed { FEW_SENTENCES } else { self.most_other };
        self.has_less_than(most, judged)
            && if self.reason == NotArticleReason::ConsentWall {
                self.matched_phrases(judged) >= CONSENT_PHRASES && self.is_the_text(page, judged)
            } else {
                in_title || judged.iter().any(|block| self.line_matches(page, block, LINE))
            }
    }

    fn contains_phrase(&self, text: &str) -> bool {
        self.phrases.iter().any(|phrase| text.contains(phrase))
    }

    fn matched_phrases(&self, judged: &[ClassifiedBlock]) -> usize {
        let lines = judged.iter().filter(|block| block.words <= PARAGRAPH && block.link_share <= 0.5);
        let text: String = lines.flat_map(|block| [lower(&block.placed.line.text), "\n".into()]).collect();
        self.phrases.iter().filter(|phrase| text.contains(*phrase)).count()
    }

    /// Whether a line of body text contains one of the phrases. Also `true` if the page has no body text.
    /// Because of this test, a page with a short text and a consent banner is not a wall.
    fn is_the_text(&self, page: &Page, judged: &[ClassifiedBlock]) -> bool {
        let mut content = judged.iter().filter(|block| block.is_content()).peekable();
        content.peek().is_none() || content.any(|block| self.line_matches(page, block, PARAGRAPH))
    }

    /// Whether a line has at most `most` words and one of the phrases. Log-ins for comments do not count.
    fn line_matches(&self, page: &Page, block: &ClassifiedBlock, most: u32) -> bool {
        let text = &block.placed.line.text;
        block.words <= most
            && block.link_share <= 0.5
            && self.contains_phrase(&lower(text))
            && !(self.reason == NotArticleReason::LoginWall && is_of_comments(page, block))
    }

    /// Whether the page has fewer than `most` words of prose. Equal lines are counted once. Lines with a
    /// phrase are not counted if they are short enough for a wall.
    fn has_less_than(&self, most: f32, judged: &[ClassifiedBlock]) -> bool {
        let longest = if self.reason == NotArticleReason::ConsentWall { PARAGRAPH } else { LINE };
        let mut seen = HashSet::new();
        let mut words = 0.0;
        for block in judged {
            let text = block.placed.line.text.as_str();
            let is_prose = block.is_content() && block.words >= PROSE && block.link_share < 0.5;
            let says = || block.words <= longest && self.contains_phrase(&lower(text));
            if is_prose && seen.insert(text) && !says() {
                words += weight(block);
                if words >= most {
                    return false;
                }
            }
        }
        true
    }
}

fn is_of_comments(page: &Page, block: &ClassifiedBlock) -> bool {
    const SPOKEN: [&str; 6] = ["discussion", "thảo luận", "forum", "diskus", "dyskus", "discusión"];
    let text = lower(&block.placed.line.text);
    phrase_kinds_of(&text).any(|saying| saying == "comments")
        || SPOKEN.iter().any(|word| text.contains(word))
        || page
            .ancestors(block.placed.block)
            .take(NEAR)
            .any(|node| kinds_of_element(page, node).any(|kind| kind == "comment"))
}

/// Returns the number of words. A Chinese or Japanese character counts as half a word.
fn weight(block: &ClassifiedBlock) -> f32 {
    let is_east = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    let east = block.placed.line.text.chars().filter(|c| is_east(*c)).count() as f32;
    block.words as f32 - 0.5 * east.min(block.words as f32)
}

/// Whether the body text consists of captions. A page without body text is a gallery too if it has captions and hardly
/// any other prose: the text of such a page would be the captions.
pub(super) fn is_gallery(judged: &[ClassifiedBlock]) -> bool {
    let content: Vec<&ClassifiedBlock> = judged.iter().filter(|block| block.is_content()).collect();
    if content.is_empty() {
        let is_prose = |block: &&ClassifiedBlock| block.words >= PROSE && block.link_share < 0.5;
        let prose: f32 =
            judged.iter().filter(|block| is_prose(block) && !is_caption(block)).map(weight).sum();
        return prose < BESIDES && judged.iter().filter(is_caption).count() >= CAPTIONS;
    }
    let (captions, others): (Vec<&ClassifiedBlock>, Vec<&ClassifiedBlock>) =
        content.into_iter().partition(is_caption);
    let long = captions.iter().filter(|block| block.words >= PROSE).count();
    let besides: f32 = others
        .iter()
        .filter(|block| block.placed.line.kind != LineKind::Heading)
        .map(|block| weight(block))
        .sum();
    let words: f32 = captions.iter().map(|block| weight(block)).sum();
    long >= CAPTIONS && besides < BESIDES && words > 2.0 * besides
}

/// Whether the page may be a gallery, whichever lines the block model classifies as body text.
pub(super) fn may_be_gallery(page: &Page, lines: &[ClassifiedBlock]) -> bool {
    let is_named = |id: NodeId| {
        let names = [page.tag(id), page.attribute(id, "class"), page.attribute(id, "id")];
        let is_one = |name: &str| {
            let name = name.to_ascii_lowercase();
            CAPTION_NAMES.iter().any(|part| name.contains(part))
        };
        names.into_iter().flatten().any(is_one)
    };
    let may_be_caption = |line: &&ClassifiedBlock| {
        let block = line.placed.block;
        line.words >= PROSE
            && (line.placed.line.kind == LineKind::Caption
                || is_named(block)
                || is_named(page.node(block).parent))
    };
    lines.iter().filter(may_be_caption).take(CAPTIONS).count() == CAPTIONS
}

pub(super) fn shows_pictures(page: &Page) -> bool {
    page.elements("img").count() >= PICTURES
}
