//! Computes features of the block itself: its text, its position on the page, and its match with metadata.

use super::super::block::{Block, CharacterCounts};
use super::super::hashing::{SortedHashes, shared};
use super::super::lexicon::{SAYING_COUNT, SAYING_NAMES};
use super::{FAR, Features, Sink, flag, ln, share};

pub(super) const OWN: [&str; 22] = [
    "p",
    "div",
    "li",
    "td",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "figcaption",
    "article",
    "section",
    "span",
    "dd",
    "dt",
    "pre",
    "header",
    "footer",
    "aside",
    "body",
];

impl Features<'_> {
    pub(super) fn own_text(&self, at: usize, block: &Block, sink: &mut impl Sink) {
        let text = &block.placed.line.text;
        let size = block.len();
        let CharacterCounts { all: characters, upper, digits, .. } = block.characters;
        sink.put("words, log", None, ln(size));
        sink.put("characters a word", None, share(characters, size));
        sink.put("share of words in links", None, block.link_share());
        sink.put("share of words emphasised", None, share(block.emphasised, size));
        sink.put("sentences, log", None, ln(block.characters.sentences));
        sink.put("sentences a word", None, share(block.characters.sentences, size));
        sink.put("commas, log", None, ln(block.characters.commas));
        sink.put("commas a word", None, share(block.characters.commas, size));
        sink.put("ends as a sentence", None, flag(block.ends_as_sentence));
        sink.put("ends with a colon", None, flag(text.ends_with([':', '：'])));
        sink.put("share of capitals", None, share(upper, characters));
        sink.put("share of digits", None, share(digits, characters));
        sink.put("has a copyright sign", None, flag(text.contains('©') || text.contains("(c)")));
        sink.put("has a date", None, flag(block.has_date));
        sink.put("has a bar or an arrow", None, flag(text.contains('|') || text.ends_with(['»', '›'])));
        sink.put("images", None, block.images);
        sink.put("inline elements", None, block.inline);
        sink.put("share of the page's prose", None, block.prose / self.scene.whole.prose.max(1.0));
        sink.put("times its text stands, log", None, ln(self.scene.texts[&block.text] as f32 - 1.0));
        sink.put("times its text stood before", None, self.repeats[at]);
        for (number, name) in SAYING_NAMES.iter().enumerate().take(SAYING_COUNT) {
            sink.put(name, Some(-1), flag(block.sayings >> number & 1 == 1));
        }
    }

    pub(super) fn place(&self, at: usize, block: &Block, sink: &mut impl Sink) {
        let scene = self.scene;
        let depth = self.page.node(scene.elements[block.element].node).depth;
        sink.put("own tag", None, self.inherited[block.element].own_tag);
        sink.put("share of words before", None, share(self.words_before[at], scene.whole.words));
        sink.put("share of blocks before", None, (at as f32 + 0.5) / self.len() as f32);
        sink.put("depth", None, depth as f32);
        let behind = scene.headline.map(|headline| at as f32 - headline as f32);
        sink.put("blocks behind the headline", None, behind.unwrap_or(-FAR));
        sink.put(
            "side of the headline",
            None,
            behind.map_or(0.0, |behind| if behind < 0.0 { 1.0 } else { 2.0 }),
        );
        for (name, opened) in ["words since comments opened, log", "words since related opened, log"]
            .into_iter()
            .zip(&self.opened)
        {
            let since = opened[at];
            sink.put(name, None, if since < 0.0 { -1.0 } else { ln(self.words_before[at] - since) });
        }
    }

    pub(super) fn statements(&self, block: &Block, sink: &mut impl Sink) {
        let scene = self.scene;
        let words = &block.words[..block.words.len().min(200)];
        let title = &scene.stated.title;
        // Most blocks share no word with the title, so their distinct words need not be counted.
        let common: SortedHashes = words.iter().copied().filter(|word| title.contains(*word)).collect();
        let size = if common.is_empty() { 0 } else { words.iter().copied().collect::<SortedHashes>().len() };
        let common = common.len() as f32;
        sink.put("share of its words in the title", None, share(common, size as f32));
        sink.put("share of the title's words in it", None, share(common, title.len() as f32));
        sink.put("share in the description", None, shared(&block.words, &scene.stated.description));
        let declared = if scene.stated.declared.is_empty() {
            -1.0
        } else {
            shared(&block.words, &scene.stated.declared)
        };
        sink.put("share in the declared body", None, declared);
    }
}
