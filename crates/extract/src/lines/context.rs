//! Corrects the judgement of lines by what is around them. The model and the template judge each line alone.
//!
//! * A data table between lines of body text is judged as a whole, by the mean log-odds of its cells.
//! * A heading between two lines of body text, with at most one other line beside it, is body text, unless its words
//!   or strong evidence speak against it.
//! * A line right after an image that ends with a credit, and a table cell below the only image of its table, are
//!   captions. If an element's name says so, the model decides.
//! * Emphasised lines at the end of the body text that contain an e-mail address, or begin with a by-line or the name
//!   of an author, are notes about the author or from the editors.
//! * Lines after a heading such as "Comments" are readers' comments, if several of them name a reader and a date.
//! * If no line is body text, a guess is made only within the element around the headline.

use std::collections::BTreeMap;

use gleaner_html::metadata::metadata;
use gleaner_html::text::LineKind;
use gleaner_html::{NodeId, Page};

use crate::block_model::{
    ClassifiedBlock, MAX_LOG_ODDS, MIN_CHANCE, Reason, kinds_of_element, phrase_kinds_of,
};
use crate::lines::class::MAX_WORDS_CAPTION;
use crate::lines::own_words::{ends_with_credit, opens};

/// The log-odds of a line between lines of body text. It is slightly more likely to be body text than not.
pub(crate) const BETWEEN: f32 = 0.4;

/// A heading or a table with lower log-odds stays out.
const MIN_LOG_ODDS: f32 = -1.0;

/// Maximum number of lines between two lines of body text with a heading.
const MAX_BESIDE_HEADING: usize = 2;

/// Minimum number of cells of a data table.
const MIN_CELLS: usize = 4;

/// Maximum number of lines of a table that contains only an image and its caption.
const MAX_PICTURE_LINES: usize = 2;

/// Maximum number of words of a note.
const MAX_NOTE_WORDS: u32 = 60;

/// Maximum number of notes at the end of the body text.
const MAX_NOTES: usize = 3;

/// Minimum number of readers that a thread of comments names, and maximum number of words of a line that names one.
const MIN_READERS: usize = 3;
const MAX_READER_WORDS: u32 = 14;

/// Minimum number of words of body text before comments, and maximum number of words of their heading.
const MIN_BEFORE_COMMENTS: u32 = 60;
const MAX_COMMENTS_HEADING: u32 = 4;

/// The number of elements around a line that are searched, and the number of those whose names count.
const REACH: usize = 12;
const NAMED: usize = 2;

/// Corrects the log-odds of the lines of a page, which are in page order. `left_out` has the outermost elements, sorted,
/// whose lines are not in `blocks`.
pub(crate) fn correct(page: &Page, left_out: &[NodeId], blocks: &mut [ClassifiedBlock]) {
    let content = content(blocks);
    let (Some(first), Some(last)) = (content.first(), content.last()) else {
        return narrow_guess(page, blocks);
    };
    let within = *first..*last;
    let tables = tables(page, blocks);
    keep_headings(blocks, &content);
    for lines in tables.values().filter(|lines| within.contains(&lines[0])) {
        keep_table(blocks, lines, *last);
    }
    for at in captions(page, left_out, blocks, &tables) {
        leave_out(&mut blocks[at]);
    }
    drop_comments(blocks);
    drop_notes(page, blocks);
}

fn content(blocks: &[ClassifiedBlock]) -> Vec<usize> {
    (0..blocks.len()).filter(|at| blocks[*at].is_content()).collect()
}

fn leave_out(block: &mut ClassifiedBlock) {
    (block.log_odds, block.reason) = (-MAX_LOG_ODDS, Reason::Words);
}

fn keep(block: &mut ClassifiedBlock) {
    if !block.is_content() {
        (block.log_odds, block.reason) = (BETWEEN, Reason::Between);
    }
}

/// Whether a line may be body text although its own log-odds say otherwise.
fn may_be_text(block: &ClassifiedBlock) -> bool {
    block.removed.is_none() && !block.is_link()
}

fn narrow_guess(page: &Page, blocks: &mut [ClassifiedBlock]) {
    let Some(headline) = page.elements("h1").next() else { return };
    let heading = page.subtree(headline);
    let starts: Vec<NodeId> = blocks
        .iter()
        .filter(|block| block.log_odds >= MIN_CHANCE && !heading.contains(&block.placed.nodes.start))
        .map(|block| block.placed.nodes.start)
        .collect();
    let holds = |id: &NodeId| starts.iter().any(|start| page.subtree(*id).contains(start));
    let Some(story) = page.ancestors(headline).take(REACH).find(holds) else { return };
    let story = page.subtree(story);
    let outside = blocks.iter_mut().filter(|block| !story.contains(&block.placed.nodes.start));
    outside.for_each(|block| block.log_odds = -MAX_LOG_ODDS);
}

fn keep_headings(blocks: &mut [ClassifiedBlock], content: &[usize]) {
    for pair in content.windows(2).filter(|pair| pair[1] - pair[0] <= MAX_BESIDE_HEADING + 1) {
        for block in &mut blocks[pair[0] + 1..pair[1]] {
            let line = &block.placed.line;
            let is_heading = line.kind == LineKind::Heading && phrase_kinds_of(&line.text).next().is_none();
            if is_heading && block.log_odds > MIN_LOG_ODDS && may_be_text(block) {
                keep(block);
            }
        }
    }
}

/// Returns the lines in cells of each table, by the innermost table around them.
fn tables(page: &Page, blocks: &[ClassifiedBlock]) -> BTreeMap<NodeId, Vec<usize>> {
    let mut tables: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
    for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.placed.line.kind == LineKind::Cell)
    {
        let around = page.ancestors(block.placed.block).take(REACH);
        if let Some(table) = around.into_iter().find(|id| page.tag(*id) == Some("table")) {
            tables.entry(table).or_default().push(at);
        }
    }
    tables
}

fn keep_table(blocks: &mut [ClassifiedBlock], lines: &[usize], last: usize) {
    let sum: f32 = lines.iter().map(|at| blocks[*at].log_odds).sum();
    let is_text = lines.len() >= MIN_CELLS
        && lines.iter().all(|at| *at < last && blocks[*at].removed.is_none())
        && lines.iter().filter(|at| blocks[**at].is_link()).count() * 3 < lines.len()
        && sum > MIN_LOG_ODDS * lines.len() as f32;
    if is_text {
        lines.iter().for_each(|at| keep(&mut blocks[*at]));
    }
}

fn captions(
    page: &Page,
    left_out: &[NodeId],
    blocks: &[ClassifiedBlock],
    tables: &BTreeMap<NodeId, Vec<usize>>,
) -> Vec<usize> {
    let is_outside = |id: NodeId| {
        let after = left_out.partition_point(|element| *element <= id);
        after == 0 || !page.subtree(left_out[after - 1]).contains(&id)
    };
    let is_image = |id: NodeId| matches!(page.tag(id), Some("img" | "picture")) && is_outside(id);
    let is_caption = |at: &usize| {
        let block = &blocks[*at];
        let is_cell = block.placed.line.kind == LineKind::Cell;
        let is_credited = || ends_with_credit(&block.placed.line.text);
        // The model knows the names of captions.
        let is_decided = || block.reason != Reason::Between && is_named_caption(page, block);
        if !block.is_content()
            || block.words > MAX_WORDS_CAPTION
            || !is_cell && !is_credited()
            || is_decided()
        {
            return false;
        }
        let start = block.placed.nodes.start;
        let before = at.checked_sub(1).map_or(0, |before| blocks[before].placed.nodes.end);
        let Some(image) = (before..start).rev().find(|id| is_image(*id)) else { return false };
        let holds = |(table, lines): (&NodeId, &Vec<usize>)| {
            lines.len() <= MAX_PICTURE_LINES && lines.contains(at) && page.subtree(*table).contains(&image)
        };
        is_credited() || tables.iter().any(holds)
    };
    (0..blocks.len()).filter(is_caption).collect()
}

fn is_named_caption(page: &Page, block: &ClassifiedBlock) -> bool {
    let mut around = page.ancestors(block.placed.block).take(NAMED);
    around.any(|id| kinds_of_element(page, id).any(|kind| kind == "caption"))
}

fn drop_comments(blocks: &mut [ClassifiedBlock]) {
    let content = content(blocks);
    let names_reader = |at: &&usize| {
        let ClassifiedBlock { words, placed, .. } = &blocks[**at];
        let text = placed.line.text.as_str();
        *words <= MAX_READER_WORDS && text.contains(|c: char| c.is_ascii_digit()) && opens(text, "by-line")
    };
    let mut readers = content.iter().filter(names_reader);
    let (Some(first), Some(_)) = (readers.next().copied(), readers.nth(MIN_READERS - 2)) else { return };
    let is_heading = |at: &usize| {
        let ClassifiedBlock { words, placed, .. } = &blocks[*at];
        *words <= MAX_COMMENTS_HEADING && phrase_kinds_of(&placed.line.text).any(|kind| kind == "comments")
    };
    let Some(heading) = (0..first).rev().find(is_heading) else { return };
    let before = blocks[..heading].iter().filter(|block| block.is_content());
    if before.map(|block| block.words).sum::<u32>() >= MIN_BEFORE_COMMENTS {
        blocks[heading..].iter_mut().filter(|block| block.is_content()).for_each(leave_out);
    }
}

fn drop_notes(page: &Page, blocks: &mut [ClassifiedBlock]) {
    let content = content(blocks);
    for at in content.into_iter().skip(1).rev().take(MAX_NOTES) {
        if !is_note(page, &blocks[at]) {
            return;
        }
        leave_out(&mut blocks[at]);
    }
}

/// Whether a line is a note about the author or from the editors, if it is at the end of the body text.
fn is_note(page: &Page, block: &ClassifiedBlock) -> bool {
    let line = &block.placed.line;
    let begins_with_author = || metadata(page).authors.iter().any(|author| line.text.starts_with(author));
    block.words <= MAX_NOTE_WORDS
        && line.kind != LineKind::Heading
        && is_emphasised(page, block)
        && (line.text.split_whitespace().any(is_address)
            || opens(&line.text, "by-line")
            || begins_with_author())
}

fn is_emphasised(page: &Page, block: &ClassifiedBlock) -> bool {
    let placed = &block.placed;
    let is_bare = |id: &NodeId| {
        let inside = page.ancestors(*id).take(REACH).take_while(|above| *above != placed.block);
        page.text(*id).is_some_and(|text| text.contains(char::is_alphabetic))
            && !inside.into_iter().any(|id| matches!(page.tag(id), Some("em" | "i" | "b" | "strong")))
    };
    !placed.nodes.clone().any(|id| is_bare(&id))
}

/// Whether a word is an e-mail address.
fn is_address(word: &str) -> bool {
    word.split_once('@')
        .is_some_and(|(name, host)| !name.is_empty() && host.trim_end_matches('.').contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_model::{Forest, Tree};
    use crate::lines::class::tests::long_lines;
    use crate::pins::Pins;
    use crate::template::Extraction;

    const STORY: &str = "<p>Rain fell on the valley all day long, and the river rose.</p>";

    /// Returns the lines of the text other than [`STORY`], with a model that takes only long lines for body text, whose
    /// log-odds for other lines are `short`.
    fn texts(html: &str, short: f32) -> Vec<String> {
        let page = Page::parse(html);
        let tree = |tree: &Tree| Tree { leaves: vec![short, 3.0], ..tree.clone() };
        let model = Forest::new(long_lines().trees().iter().map(tree).collect());
        let lines = Extraction::cold_with(&model, &page, &Pins::default()).lines();
        lines.into_iter().map(|line| line.text).filter(|text| !STORY.contains(text.as_str())).collect()
    }

    #[test]
    fn tables_and_headings_between_body_text_are_kept() {
        let table = "<table><tr><th>Year<th>Tonnes<tr><td>2024<td>640,000</table>";
        let cells = ["Year", "Tonnes", "2024", "640,000"];
        let cases: [(String, f32, &[&str]); 8] = [
            (format!("{STORY}{table}{STORY}"), -0.5, &cells),
            (format!("{STORY}{table}{STORY}"), -3.0, &[]),
            (format!("{STORY}{table}"), -0.5, &[]),
            (format!("{STORY}{}{STORY}", table.replace("640,000", "<a href=/>640,000</a>")), -0.5, &cells),
            (format!("{STORY}{}{STORY}", table.replace("<td>", "<td><a href=/>")), -0.5, &[]),
            (
                format!("{STORY}<div><h2>In the north</h2><a href=#n>Link</a></div>{STORY}"),
                -0.5,
                &["In the north"],
            ),
            (format!("{STORY}<h2>Subscribe now</h2>{STORY}"), -0.5, &[]),
            (format!("{STORY}<h2>One</h2><h2>Two</h2><h2>Three</h2>{STORY}"), -0.5, &[]),
        ];
        for (html, short, expected) in cases {
            assert_eq!(texts(&html, short), expected, "{html}");
        }
    }

    #[test]
    fn captions_are_left_out() {
        let caption = "The old bridge, seen from the hill on Monday morning.";
        let cases = [
            (format!("{STORY}<p><img src=a.jpg></p><p>{caption} Photo: Anna Weaver</p>{STORY}"), 0),
            (format!("{STORY}<p><img src=a.jpg></p><p>{caption} (Ảnh: Ngọc Thành)</p>{STORY}"), 0),
            (format!("{STORY}<p><img src=a.jpg></p><p>{caption}</p>{STORY}"), 1),
            (format!("{STORY}<p>{caption} Photo: Anna Weaver</p>{STORY}"), 1),
            (format!("{STORY}<table><tr><td><img src=a.jpg><tr><td>{caption}</table>{STORY}"), 0),
            (format!("{STORY}<p><img src=a.jpg></p><table><tr><td>{caption}</table>{STORY}"), 1),
        ];
        for (html, expected) in cases {
            assert_eq!(texts(&html, -3.0).len(), expected, "{html}");
        }
    }

    #[test]
    fn notes_at_the_end_are_left_out() {
        let head = "<meta name=author content='Anna Weaver'>";
        let note = |text: &str| format!("{head}{STORY}{STORY}{text}");
        let cases = [
            ("<p><em>Anna Weaver writes about rivers and bridges for this newspaper.</em></p>", 0),
            ("<p><i>Written by Anna Weaver, with material from an agency of the north</i></p>", 0),
            (
                "<p><em>Mời bạn đọc gửi ý kiến về tòa soạn theo địa chỉ <a href=x>toasoan@a.example</a>.</em></p>",
                0,
            ),
            ("<p><em>Nobody knows when the rain will end, or who will pay.</em></p>", 1),
            ("<p>Anna Weaver writes about rivers and bridges for this newspaper.</p>", 1),
        ];
        for (html, expected) in cases {
            assert_eq!(texts(&note(html), -3.0).len(), expected, "{html}");
            assert_eq!(texts(&note(&format!("{html}{STORY}")), -3.0).len(), 1, "{html}");
        }
    }

    #[test]
    fn a_thread_of_comments_is_left_out() {
        let comment = |number: u32| {
            format!(
                "<p>I never liked that bridge, and said so in year {number}.</p>\
                 <p>Posted by Reader {number} of the old town on January 1{number}, 2008</p>"
            )
        };
        let (two, three) = (comment(1) + &comment(2), comment(1) + &comment(2) + &comment(3));
        let story = STORY.repeat(6);
        let cases = [
            (format!("{story}<p>Comments</p>{three}"), 0),
            (format!("{story}<p>Comments</p>{two}"), 4),
            (format!("{story}<p>Chapters</p>{three}"), 6),
            (format!("{}<p>Comments</p>{three}", STORY.repeat(3)), 6),
        ];
        for (html, expected) in cases {
            assert_eq!(texts(&html, -3.0).len(), expected, "{html}");
        }
    }

    #[test]
    fn a_guess_is_made_around_the_headline() {
        let story =
            "<main><article><h1>Rain</h1><p>It rained.</p></article><p>We have a newsletter.</p></main>";
        assert_eq!(texts(story, -2.0), ["It rained."]);
        assert_eq!(texts(&story.replace("<h1>Rain</h1>", ""), -2.0).len(), 2);
        assert_eq!(texts(story, -4.0), [""; 0]);
    }
}
