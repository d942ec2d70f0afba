//! Pages that stand where an article should: challenge, consent wall, login wall,
//! "not found" with a status of 200, a gallery without text.
//!
//! Each is known by what it says in its title, in a heading or in a short line, and by
//! little prose besides: an article about cookies says "cookies" too, and goes on. A page
//! that declares an article and its date is believed to be one if a few sentences are
//! there, unless its title says otherwise; only a log-in wall may follow sentences of an
//! article. The phrases are those that such pages have everywhere, in Vietnamese, English,
//! Russian, Chinese, Polish and Greek, and the commonest in German, French and Spanish.
//!
//! Limitation: a wall that says it otherwise passes for what its length makes of
//! it, "not found" on a page with long teasers besides passes for a hub at best, and an
//! article of three sentences, undeclared, of which one speaks of what no longer exists,
//! is refused.

use std::collections::HashSet;

use gleaner_extract::block_model::{Judged, kinds_of_element, sayings_of};
use gleaner_html::text::{LineKind, tidy};
use gleaner_html::{NodeId, Page};

mod phrases;

use super::Reason;
use super::features::is_caption;
use phrases::WALLS;

/// What one kind of page says.
struct Wall {
    reason: Reason,
    /// Said by such pages only, in a title, a heading or a line.
    phrases: &'static [&'static str],
    /// Words of other prose from which the page is no wall.
    most_other: f32,
}

/// Phrases from which a page that speaks of consent is a wall: one has every page, and a
/// report on a leak of personal data says just that again and again.
const CONSENT_PHRASES: usize = 3;

/// Words of a line in which a wall may say what it is; a paragraph that asks for consent
/// is longer.
const LINE: u32 = 40;
const PARAGRAPH: u32 = 180;

/// Bytes above which a line says nothing.
const LONGEST: usize = 4_000;

/// Words of a line that is prose.
const PROSE: u32 = 8;

/// Captions from which a page is a gallery, and the most words that it has besides.
const CAPTIONS: usize = 5;
const BESIDES: f32 = 90.0;

/// Words of prose from which a page is an article if it says so, and when it was published.
const FEW_SENTENCES: f32 = 25.0;

/// Elements around a line that may be named after comments.
const NEAR: usize = 4;

/// Pictures of a page without text from which it is a gallery.
const PICTURES: usize = 6;

/// Which kind of wall the page is, if any. `is_dated_article`: it declares itself an
/// article and says when it was published. Time linear in the page: an article is let go
/// after its first paragraphs.
pub(super) fn wall(page: &Page, judged: &[Judged], is_dated_article: bool) -> Option<Reason> {
    let title = page.elements("title").next().map(|id| lower(&tidy(&page.raw_text(id)))).unwrap_or_default();
    let is_wall = |wall: &&Wall| wall.is(page, &title, judged, is_dated_article);
    WALLS.iter().find(is_wall).map(|wall| wall.reason)
}

/// A line in lower case with plain apostrophes; empty for one that is too long to be
/// a wall's.
fn lower(text: &str) -> String {
    if text.len() > LONGEST { String::new() } else { text.to_lowercase().replace('’', "'") }
}

impl Wall {
    fn is(&self, page: &Page, title: &str, judged: &[Judged], is_dated_article: bool) -> bool {
        let in_title = self.says(title);
        let is_believed = is_dated_article && !in_title && self.reason != Reason::LoginWall;
        let most = if is_believed { FEW_SENTENCES } else { self.most_other };
        self.has_less_than(most, judged)
            && if self.reason == Reason::ConsentWall {
                self.phrases_said(judged) >= CONSENT_PHRASES && self.is_the_text(page, judged)
            } else {
                in_title || judged.iter().any(|block| self.speaks(page, block, LINE))
            }
    }

    fn says(&self, text: &str) -> bool {
        self.phrases.iter().any(|phrase| text.contains(phrase))
    }

    /// How many different things of the kind the page's lines say.
    fn phrases_said(&self, judged: &[Judged]) -> usize {
        let lines = judged.iter().filter(|block| block.words <= PARAGRAPH && block.link_share <= 0.5);
        let text: String = lines.flat_map(|block| [lower(&block.placed.line.text), "\n".into()]).collect();
        self.phrases.iter().filter(|phrase| text.contains(*phrase)).count()
    }

    /// Whether what is content says it, or there is none: no banner beside a short text.
    fn is_the_text(&self, page: &Page, judged: &[Judged]) -> bool {
        let mut content = judged.iter().filter(|block| block.is_content()).peekable();
        content.peek().is_none() || content.any(|block| self.speaks(page, block, PARAGRAPH))
    }

    /// Whether a line says it; one among the readers' comments asks to log in to comment.
    fn speaks(&self, page: &Page, block: &Judged, most: u32) -> bool {
        let text = &block.placed.line.text;
        block.words <= most
            && block.link_share <= 0.5
            && self.says(&lower(text))
            && !(self.reason == Reason::LoginWall && is_of_comments(page, block))
    }

    /// Whether there is less prose than so many words, each text once. What says a thing
    /// of the kind is none, as long as it is no longer than a wall's line.
    fn has_less_than(&self, most: f32, judged: &[Judged]) -> bool {
        let longest = if self.reason == Reason::ConsentWall { PARAGRAPH } else { LINE };
        let mut seen = HashSet::new();
        let mut words = 0.0;
        for block in judged {
            let text = block.placed.line.text.as_str();
            let is_prose = block.is_content() && block.words >= PROSE && block.link_share < 0.5;
            let says = || block.words <= longest && self.says(&lower(text));
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

/// Whether a line speaks of readers' comments or stands among them.
fn is_of_comments(page: &Page, block: &Judged) -> bool {
    const SPOKEN: [&str; 6] = ["discussion", "thảo luận", "forum", "diskus", "dyskus", "discusión"];
    let text = lower(&block.placed.line.text);
    let up = |node: &NodeId| Some(page.node(*node).parent).filter(|parent| parent != node);
    sayings_of(&text).any(|saying| saying == "comments")
        || SPOKEN.iter().any(|word| text.contains(word))
        || std::iter::successors(Some(block.placed.block), up)
            .take(NEAR)
            .any(|node| kinds_of_element(page, node).any(|kind| kind == "comment"))
}

/// Words of a block, a Chinese or Japanese character as half a word.
fn weight(block: &Judged) -> f32 {
    let is_east = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    let east = block.placed.line.text.chars().filter(|c| is_east(*c)).count() as f32;
    block.words as f32 - 0.5 * east.min(block.words as f32)
}

/// Whether what is content is captions, with hardly a paragraph besides.
pub(super) fn is_gallery(judged: &[Judged]) -> bool {
    let content: Vec<&Judged> = judged.iter().filter(|block| block.is_content()).collect();
    let (captions, others): (Vec<&Judged>, Vec<&Judged>) = content.into_iter().partition(is_caption);
    let long = captions.iter().filter(|block| block.words >= PROSE).count();
    let besides: f32 = others
        .iter()
        .filter(|block| block.placed.line.kind != LineKind::Heading)
        .map(|block| weight(block))
        .sum();
    let words: f32 = captions.iter().map(|block| weight(block)).sum();
    long >= CAPTIONS && besides < BESIDES && words > 2.0 * besides
}

/// Whether a page without text shows pictures.
pub(super) fn shows_pictures(page: &Page) -> bool {
    page.elements("img").count() >= PICTURES
}
