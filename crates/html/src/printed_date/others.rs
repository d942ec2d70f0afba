//! Recognizes today's date, and the dates of comments, related stories and footers.

use crate::author::{OF_OTHERS, has_class_word};
use crate::class_words::ClassWords;
use crate::small_text::ancestors;
use crate::weekdays::has_weekday;
use crate::{NodeId, Page};

/// Words in class names and ids of elements that contain other articles or copyright notes.
const OTHERS: [&str; 9] = [
    "latest",
    "newest",
    "trending",
    "popular",
    "recommended",
    "recommendations",
    "copyright",
    "mostread",
    "readmore",
];

/// Words in the classes of comments and of other stories.
static OF_STORIES: ClassWords = ClassWords::new(&["comment", "related", "teaser"]);

/// Words in class names and ids of elements with today's date.
const TODAY: [&str; 8] =
    ["today", "todays", "todaysdate", "currentdate", "currenttime", "datenow", "clock", "datetoday"];

/// Words that may accompany `date` or `time` in a name. `NOW` anywhere in the name, or `OF_HEADER` at its
/// beginning, indicates today's date. `OF_ARTICLE` indicates the article's date.
const NOW: [&str; 2] = ["current", "now"];
const OF_HEADER: [&str; 3] = ["header", "topbar", "masthead"];
const OF_ARTICLE: [&str; 6] = ["article", "entry", "post", "story", "news", "content"];

/// Maximum number of elements around a date whose names are checked for today's date.
const MAX_AROUND: usize = 4;

pub(crate) fn is_aside(page: &Page, id: NodeId) -> bool {
    ancestors(page, id).any(|at| {
        matches!(page.tag(at), Some("li" | "aside" | "nav" | "footer"))
            || has_class_word(page, at, &OF_OTHERS)
    })
}

/// Whether an element is in comments, related or latest stories, or the footer of the page. An element that
/// also contains the headline belongs to the article.
pub(super) fn is_of_others(page: &Page, id: NodeId, headline: Option<NodeId>) -> bool {
    let holds_headline = |at: &NodeId| headline.is_some_and(|headline| page.subtree(*at).contains(&headline));
    let is_wrapper = |at: &NodeId| matches!(page.tag(*at), Some("html" | "body" | "main" | "article"));
    // The class of an article's own footer, such as `post-footer`, names the article.
    let is_pages = |at: NodeId| !has_word(page, at, &["post", "entry", "article", "story"]);
    let is_footer =
        |at: NodeId| page.tag(at) == Some("footer") || has_word(page, at, &["footer"]) && is_pages(at);
    let in_article = || ancestors(page, id).any(|at| page.tag(at) == Some("article"));
    let around = ancestors(page, id).take_while(|at| !holds_headline(at));
    around.filter(|at| !is_wrapper(at)).any(|at| {
        has_class_word(page, at, &OF_STORIES) || has_word(page, at, &OTHERS) || is_footer(at) && !in_article()
    })
}

/// Whether a date is today's date: an element around it has a name for today's date, or the date has a
/// weekday and is above the `article` or `main` that contains the headline.
pub(super) fn is_todays(page: &Page, id: NodeId, text: &str, headline: Option<NodeId>) -> bool {
    let holds_headline = |at: &NodeId| headline.is_some_and(|headline| page.subtree(*at).contains(&headline));
    let mut around = ancestors(page, id).take(MAX_AROUND).take_while(|at| !holds_headline(at));
    let is_before = headline.is_some_and(|headline| id < headline);
    around.any(|at| is_named_for_today(page, at, is_before))
        || is_above(page, id, headline) && has_weekday(text)
}

fn is_above(page: &Page, id: NodeId, headline: Option<NodeId>) -> bool {
    let Some(headline) = headline else { return false };
    let holds = |at: &NodeId| matches!(page.tag(*at), Some("main" | "article"));
    ancestors(page, headline).filter(holds).last().is_some_and(|outermost| id < outermost)
}

/// Whether the element's name indicates today's date. Header names count only above the headline, because an
/// article may also have a header.
fn is_named_for_today(page: &Page, id: NodeId, is_before: bool) -> bool {
    if matches!(page.tag(id), Some("html" | "body" | "main" | "article")) {
        return false;
    }
    has_word(page, id, &TODAY)
        || page.class_and_id(id).into_iter().flat_map(str::split_ascii_whitespace).any(|name| {
            let has = |words: &[&str]| parts(name).any(|part| is_one(part, words));
            let begins = is_before && parts(name).next().is_some_and(|part| is_one(part, &OF_HEADER));
            (has(&NOW) || begins) && has(&["date", "time", "day", "datetime"]) && !has(&OF_ARTICLE)
        })
}

fn has_word(page: &Page, id: NodeId, words: &[&str]) -> bool {
    page.class_and_id(id).into_iter().flat_map(parts).any(|part| is_one(part, words))
}

fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty())
}

fn is_one(part: &str, words: &[&str]) -> bool {
    words.iter().any(|word| part.eq_ignore_ascii_case(word))
}
