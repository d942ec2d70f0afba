//! Names of authors: by-lines found, labels cut off, several names parted.
//!
//! What is stated (JSON-LD, `<meta>`) goes first; then `rel=author` and
//! `itemprop=author`; then small elements whose class or id speaks of an author or a
//! by-line, near the headline or the only ones of the page; then a line near the
//! headline that begins with a label such as `By` or `Tác giả:`; then a name set to the right at the
//! article's end. A name that is the
//! site's or its host's is none, so that the next source is asked.
//!
//! The awkward truth: an agency, a desk (`Staff`) and a nickname are names as good as any
//! here, and a comma or a dash parts names only if both sides look like names of persons,
//! so that `An Example, Hanoi Times` and `An Example - Hanoi` may give two.

use crate::month_names::folded;
use crate::printed_date::is_aside;
use crate::small_text::{ancestors, small_text};
use crate::text::tidy;
use crate::title::{Site, is_site};
use crate::{NodeId, Page};

/// Authors kept of one page.
const MOST_AUTHORS: usize = 20;

/// Texts that are read for them.
const MOST_STATED: usize = 200;

/// Characters of the longest name of an author; longer ones are sentences.
const LONGEST: usize = 80;

/// How far behind the headline a by-line is believed, and before it, in nodes.
const REACH: u32 = 150;
const REACH_BEFORE: u32 = 40;

/// Words of the longest name that is parted from others by a comma.
const NAME_WORDS: usize = 5;

/// What stands before a name, folded; a colon or a space follows.
const LABELS: [&str; 38] = [
    "additional reporting by",
    "reporting and writing by",
    "reporting by",
    "written by",
    "authored by",
    "posted by",
    "reported by",
    "words by",
    "story by",
    "text by",
    "published by",
    "by",
    "author",
    "authors",
    "tac gia",
    "bai viet",
    "bai va anh",
    "bai",
    "thuc hien",
    "γραφει ο",
    "γραφει η",
    "γραφει",
    "συντακτης",
    "του",
    "της",
    "autor",
    "autorka",
    "autorzy",
    "opracowal",
    "tekst",
    "автор",
    "авторы",
    "текст",
    "作者",
    "记者",
    "por",
    "par",
    "von",
];

/// Labels that are believed on the page only, with a colon or a capital behind them.
const WORDS_OF_NAMES: [&str; 5] = ["του", "της", "por", "par", "von"];

/// Labels of others than authors: photographs, sources, editors in charge.
const OTHERS: [&str; 8] = ["photo", "photos", "anh", "theo", "source", "фото", "责任编辑", "编辑"];

/// Where others than authors begin within a by-line, in lower case: `An Example; editing by ...`.
const OTHERS_BEHIND: [&str; 7] =
    ["editing by", "edited by", "photos by", "photo by", "photographs by", "photography by", "graphics by"];

/// What stands between a person and where they write from or for.
const PLACES: [&str; 5] = [" in ", " at ", " for ", " from ", " of "];

/// The authors by the first of the sources that names one.
pub(crate) fn authors(
    page: &Page,
    stated: impl IntoIterator<Item = Vec<String>>,
    headline: Option<NodeId>,
    site: &Site,
) -> Vec<String> {
    let mut sources = stated.into_iter().map(|texts| names(&texts, site));
    sources
        .find(|names| !names.is_empty())
        .or_else(|| Some(names(&marked(page, headline), site)).filter(|names| !names.is_empty()))
        .or_else(|| Some(names(&classed(page, headline), site)).filter(|names| !names.is_empty()))
        .or_else(|| Some(names(&labelled(page, headline), site)).filter(|names| !names.is_empty()))
        .unwrap_or_else(|| names(&signed(page, headline), site))
}

/// The last short paragraph that is set to the right and holds a person's name and no
/// more: how Vietnamese papers sign an article.
fn signed(page: &Page, headline: Option<NodeId>) -> Vec<String> {
    let is_right = |id: &NodeId| {
        let style = page.attribute(*id, "style").unwrap_or_default();
        let style: String =
            style.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
        style.contains("text-align:right")
            || page.attribute(*id, "align").is_some_and(|a| a.eq_ignore_ascii_case("right"))
    };
    let from = headline.unwrap_or(0);
    let paragraphs = page.elements("p").filter(|id| *id > from && is_right(id) && !is_of_others(page, *id));
    let names =
        paragraphs.filter_map(|id| small_text(page, id)).filter(|text| text.split(" - ").all(is_person));
    names.last().map(|text| text.split(" - ").map(str::to_owned).collect()).unwrap_or_default()
}

/// Texts of `rel=author` and `itemprop=author`.
fn marked(page: &Page, headline: Option<NodeId>) -> Vec<String> {
    let has = |id, key, name: &str| {
        page.attribute(id, key)
            .is_some_and(|v: &str| v.split_ascii_whitespace().any(|t| t.eq_ignore_ascii_case(name)))
    };
    let is_author = |id: &NodeId| has(*id, "itemprop", "author") || has(*id, "rel", "author");
    let found: Vec<NodeId> = page.iter().map(|(id, _)| id).filter(is_author).take(MOST_AUTHORS).collect();
    // In a list, these are the authors of other articles.
    let of_article: Vec<NodeId> = found.iter().copied().filter(|id| !is_of_others(page, *id)).collect();
    let near: Vec<NodeId> = of_article.iter().copied().filter(|id| is_near(*id, headline)).collect();
    let chosen = [near, of_article, found].into_iter().find(|ids| !ids.is_empty()).unwrap_or_default();
    let name = |id| {
        let inner = page.subtree(id).find(|n| has(*n, "itemprop", "name"));
        inner
            .and_then(|id| page.attribute(id, "content").map(str::to_owned))
            .or_else(|| small_text(page, inner.unwrap_or(id)))
    };
    chosen.into_iter().filter_map(name).collect()
}

fn is_of_others(page: &Page, id: NodeId) -> bool {
    ancestors(page, id).any(|at| {
        matches!(page.tag(at), Some("aside" | "nav" | "footer"))
            || names_a_class(page, at, &["comment", "related"])
    })
}

/// Whether an element's class or id holds one of these words. Not asked of what holds the
/// whole page: `<body class="comments-open">` says nothing of its parts.
pub(crate) fn names_a_class(page: &Page, id: NodeId, words: &[&str]) -> bool {
    if matches!(page.tag(id), Some("html" | "body" | "main" | "article")) {
        return false;
    }
    ["class", "id"].iter().filter_map(|key| page.attribute(id, key)).any(|name| {
        let name = name.to_ascii_lowercase();
        words.iter().any(|word| name.contains(word))
    })
}

/// Texts of elements named for an author, near the headline, or the one of the page.
fn classed(page: &Page, headline: Option<NodeId>) -> Vec<String> {
    const NAMES: [&str; 5] = ["author", "byline", "by-line", "by_line", "tacgia"];
    const PARTS: [&str; 8] = ["bio", "avatar", "image", "photo", "social", "date", "title", "follow"];
    let mut found: Vec<(NodeId, String)> = Vec::new();
    let mut behind = 0;
    for id in page.iter().map(|(id, _)| id) {
        if id < behind
            || !names_a_class(page, id, &NAMES)
            || names_a_class(page, id, &PARTS)
            || is_of_others(page, id)
        {
            continue;
        }
        let Some(text) = first_names(page, id) else { continue };
        behind = page.node(id).end;
        found.push((id, text));
        if found.len() >= 200 {
            break;
        }
    }
    let near: Vec<&(NodeId, String)> = found.iter().filter(|(id, _)| is_near(*id, headline)).collect();
    match (near.first(), &found[..]) {
        (Some((_, text)), _) => vec![text.clone()],
        (None, [(id, text)]) if !is_aside(page, *id) => vec![text.clone()],
        _ => Vec::new(),
    }
}

/// The text of a by-line without what follows the names in elements of its own: a desk,
/// a date. Names are parted there by commas and words for `and`.
fn first_names(page: &Page, id: NodeId) -> Option<String> {
    let whole = small_text(page, id).filter(|text| !text.is_empty())?;
    let pieces = page.subtree(id).filter_map(|id| page.text(id)).map(tidy).filter(|text| !text.is_empty());
    let mut names = String::new();
    let mut joins = true;
    for piece in pieces {
        let person = label(&piece).map_or(piece.as_str(), |(_, rest)| rest);
        if joins && is_person(person) {
            names.push_str(if names.is_empty() { "" } else { "; " });
            names.push_str(person);
            joins = false;
        } else if !names.is_empty() {
            joins = matches!(folded(&piece).as_str(), "," | "and" | ", and" | "&" | "va" | "και" | "и" | "i");
            if !joins {
                break;
            }
        }
    }
    Some(if names.is_empty() { whole } else { names })
}

fn is_near(id: NodeId, headline: Option<NodeId>) -> bool {
    headline.is_some_and(|headline| (headline.saturating_sub(REACH_BEFORE)..=headline + REACH).contains(&id))
}

/// The first line near the headline that begins with a label and holds nothing but names.
fn labelled(page: &Page, headline: Option<NodeId>) -> Vec<String> {
    let Some(headline) = headline else { return Vec::new() };
    let end = (headline + REACH).min(page.len() as NodeId);
    let line = |id| {
        let text = small_text(page, id).filter(|text| text.len() < 200)?;
        let (label, rest) = label(&text)?;
        let is_sure = text[..text.len() - rest.len()].trim_end().ends_with([':', '：']);
        let follows = if is_sure || label == "by" { before_date(rest) } else { "" };
        let is_short = is_sure || follows.split_whitespace().count() < NAME_WORDS;
        (is_short && !follows.is_empty() && follows.split(',').all(is_person)).then(|| follows.to_owned())
    };
    (headline..end)
        .filter(|id| page.tag(*id).is_some_and(|tag| tag != "a"))
        .find_map(line)
        .into_iter()
        .collect()
}

/// The label that a text begins with, folded, and what follows it.
fn label(text: &str) -> Option<(&'static str, &str)> {
    let starts = |label: &&'static str| {
        let rest = after_folded(text, label)?;
        let parts = rest.starts_with([' ', ':', '：', '/']) || rest.starts_with(char::is_whitespace);
        let rest = rest.trim_start_matches([' ', ':', '：', '/', '\u{a0}']);
        (parts && rest.chars().next().is_some_and(|c| c.is_uppercase() || !c.is_lowercase()))
            .then_some((*label, rest))
    };
    LABELS.iter().chain(&OTHERS).filter_map(starts).min_by_key(|(_, rest)| rest.len())
}

/// What stands behind a folded label at a text's start.
fn after_folded<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let length = label.chars().count();
    // Folding drops accents, which are no characters of their own in NFC.
    let (end, last) = text.char_indices().nth(length.checked_sub(1)?)?;
    let end = end + last.len_utf8();
    (folded(&text[..end]) == label).then(|| &text[end..])
}

/// A by-line's names before a date, a bar or a dot between.
fn before_date(text: &str) -> &str {
    let end = text.find(['|', '·', '•', '–', '—', '(', '[', '\n']).unwrap_or(text.len());
    let text = &text[..end];
    text[..text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len())].trim_matches([' ', ',', '-', '/'])
}

/// Names of persons in texts that are stated as such, each once, none the site's.
pub(crate) fn names(stated: &[String], site: &Site) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for text in stated.iter().take(MOST_STATED) {
        let text = tidy(text);
        for name in of_authors(&text).split([';', '；']).filter_map(unlabelled).flat_map(parted) {
            let name = name.trim_matches(|c: char| {
                c.is_whitespace() || matches!(c, ',' | '|' | '/' | '-' | ':' | '·' | '•' | '"' | '“' | '”')
            });
            if is_name(name)
                && !is_site(name, site)
                && !holds_host(name, site)
                && out.len() < MOST_AUTHORS
                && !out.iter().any(|other| other == name)
            {
                out.push(name.to_owned());
            }
        }
    }
    out
}

/// A by-line up to where it names its editors and photographers.
fn of_authors(text: &str) -> &str {
    let lower = text.to_ascii_lowercase();
    let starts = |at: &usize| !lower[..*at].ends_with(char::is_alphanumeric);
    let end = OTHERS_BEHIND.iter().filter_map(|label| lower.find(&format!("{label} "))).filter(starts).min();
    &text[..end.unwrap_or(text.len())]
}

/// A text without its label; `None` if that names others than authors.
fn unlabelled(text: &str) -> Option<&str> {
    let text = text.trim();
    let label = label(text).filter(|(label, rest)| {
        let marked = text[..text.len() - rest.len()].trim_end().ends_with([':', '：']);
        marked || !WORDS_OF_NAMES.contains(label)
    });
    let rest = match label {
        Some((label, _)) if OTHERS.contains(&label) => return None,
        Some((_, rest)) => rest,
        None => text,
    };
    Some(reporter(rest).unwrap_or(rest))
}

/// Whether a name holds the site's host, as `the-paper.vn - News company` does.
fn holds_host(name: &str, site: &Site) -> bool {
    let rest = site.address.and_then(|address| Some(address.split_once("://")?.1)).unwrap_or_default();
    let host = rest.split(['/', ':', '?', '#']).next().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    host.contains('.') && name.to_lowercase().contains(host)
}

/// The name behind the Chinese word for reporter: `【某報╱記者張三／即時報導】`.
fn reporter(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("記者").or_else(|| text.split_once("记者"))?;
    let rest = rest.trim_start_matches([' ', '：', ':']);
    let is_end = |c: char| !('\u{4E00}'..='\u{9FFF}').contains(&c);
    let name = &rest[..rest.find(is_end).unwrap_or(rest.len())];
    is_person(name).then_some(name)
}

/// A text at what parts names, where that leaves names of persons.
fn parted(text: &str) -> Vec<&str> {
    if text.len() > 1_000 {
        return Vec::new();
    }
    let text = text.split(['|', '、', '\n', '•', '·']).flat_map(|part| part.split(" / "));
    text.flat_map(|part| {
        let names: Vec<&str> = at_words(part)
            .into_iter()
            .flat_map(|p| p.split([',', '，']))
            .flat_map(at_dashes)
            .map(|name| without_place(name.trim()))
            .filter(|p| !p.is_empty())
            .collect();
        let persons = names.iter().take_while(|name| is_person(name)).count();
        match (persons, &names[..]) {
            // One name of another kind, or none.
            (0, _) => vec![part],
            // `An Example, Health correspondent`: persons and what they are.
            (persons, names) => names[..persons].to_vec(),
        }
    })
    .collect()
}

/// A text at its dashes, if each side is a person's name.
fn at_dashes(text: &str) -> Vec<&str> {
    for dash in [" - ", " – "] {
        if text.contains(dash) && text.split(dash).all(is_person) {
            return text.split(dash).collect();
        }
    }
    vec![text]
}

/// A person's name without the place or the paper: `An Example in Hanoi`.
fn without_place(name: &str) -> &str {
    let is_capital = |rest: &str| rest.trim_start_matches("the ").starts_with(char::is_uppercase);
    let cut = |place: &&str| {
        let (person, rest) = name.split_once(*place)?;
        (is_person(person) && is_capital(rest)).then_some(person)
    };
    PLACES.iter().find_map(cut).unwrap_or(name)
}

/// A text at each word for `and`.
fn at_words(text: &str) -> Vec<&str> {
    let mut parts = vec![text];
    for and in [" and ", " & ", " và ", " και ", " и ", " oraz ", " und ", " y ", " et "] {
        parts = parts.into_iter().flat_map(|part| part.split(and)).collect();
    }
    parts
}

/// Whether a text looks like a person's full name: two to five words with capitals, or
/// two to four ideographs.
fn is_person(name: &str) -> bool {
    const PARTICLES: [&str; 12] =
        ["de", "van", "von", "der", "da", "di", "del", "la", "al", "bin", "den", "dos"];
    const TITLES: [&str; 9] = [
        "correspondent",
        "editor",
        "reporter",
        "news",
        "staff",
        "writer",
        "times",
        "columnist",
        "contributor",
    ];
    let name = name.trim();
    let words: Vec<&str> = name.split_whitespace().collect();
    let is_capital = |word: &&str| word.chars().next().is_some_and(char::is_uppercase);
    if words.len() == 1 {
        return (2..=4).contains(&name.chars().count())
            && name.chars().all(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c));
    }
    (2..=NAME_WORDS).contains(&words.len())
        && !name.chars().any(|c| c.is_ascii_digit())
        && words.iter().all(|word| is_capital(word) || PARTICLES.contains(word))
        && !words.iter().any(|word| TITLES.contains(&word.to_lowercase().as_str()))
}

/// Whether a text that is stated as a name can be one: no address, no sentence.
fn is_name(name: &str) -> bool {
    let lower = name.to_lowercase();
    let is_mail = name.contains('@') && name.contains('.');
    name.chars().filter(|c| c.is_alphabetic()).count() > usize::from(name.is_ascii())
        && name.chars().count() <= LONGEST
        && !name.contains("://")
        && !lower.starts_with("www.")
        && !name.starts_with(['@', '{', '[', '/', '#'])
        && !is_mail
        && !matches!(
            lower.as_str(),
            "admin" | "administrator" | "author" | "unknown" | "null" | "undefined" | "none" | "n/a"
        )
        && !lower.ends_with("_admin")
        && crate::date::date(name).is_none()
        && lower.split_whitespace().count() <= 12
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: Site = Site { name: Some("Báo Mới"), address: Some("https://the-paper.vn/a") };

    #[test]
    fn names_are_cleaned_and_parted() {
        let cases: [(&str, &[&str]); 46] = [
            ("\"An Example\"", &["An Example"]),
            ("Authored by: An Example", &["An Example"]),
            ("【某報╱記者張三／即時報導】", &["張三"]),
            ("the-paper.vn — The Publishing Company", &[]),
            ("An Nguyễn", &["An Nguyễn"]),
            ("By An Example", &["An Example"]),
            ("by: An Example", &["An Example"]),
            ("Written by An Example and Bo Sample", &["An Example", "Bo Sample"]),
            ("By An Example, Bo Sample & Cy Other", &["An Example", "Bo Sample", "Cy Other"]),
            ("An Example, Health Correspondent", &["An Example"]),
            ("An Example, MD", &["An Example"]),
            ("Byron Bay", &["Byron Bay"]),
            ("Tác giả: Nguyễn An", &["Nguyễn An"]),
            ("Nguyễn An và Trần Bình", &["Nguyễn An", "Trần Bình"]),
            ("Bài và ảnh: Nguyễn An", &["Nguyễn An"]),
            ("Nguyễn An - Trần Bình", &["Nguyễn An", "Trần Bình"]),
            ("Nguyễn Văn A – Trần Thị B", &["Nguyễn Văn A", "Trần Thị B"]),
            ("Nguyễn An - theo Tin Xa", &["Nguyễn An - theo Tin Xa"]),
            ("By An Example and Bo Sample, political editor", &["An Example", "Bo Sample"]),
            ("An Example, Bo Sample and Cy Other, in Hanoi", &["An Example", "Bo Sample", "Cy Other"]),
            ("Reporting by An Example", &["An Example"]),
            ("Reporting by An Example; editing by Bo Sample", &["An Example"]),
            (
                "Reporting by An Example; Additional reporting by Cy Other; Editing by Bo Sample",
                &["An Example", "Cy Other"],
            ),
            ("Reporting by An Example and Cy Other Editing by Bo Sample", &["An Example", "Cy Other"]),
            ("editing by Bo Sample", &[]),
            ("By An Example in Harbour Town", &["An Example"]),
            ("An Example in Hanoi and Bo Sample for the News", &["An Example", "Bo Sample"]),
            ("Ministry of Rain", &["Ministry of Rain"]),
            ("Ảnh: Nguyễn An", &[]),
            ("Theo Tin Xa", &[]),
            ("Γράφει ο Νίκος Παράδειγμα", &["Νίκος Παράδειγμα"]),
            ("Συντάκτης: Νίκος Παράδειγμα", &["Νίκος Παράδειγμα"]),
            ("Autor: Jan Przykład", &["Jan Przykład"]),
            ("Jan Przykład oraz Ewa Wzór", &["Jan Przykład", "Ewa Wzór"]),
            ("Автор: Иван Примеров", &["Иван Примеров"]),
            ("Иван Примеров и Анна Другая", &["Иван Примеров", "Анна Другая"]),
            ("作者：張三", &["張三"]),
            ("張三、李四", &["張三", "李四"]),
            ("责任编辑：李四", &[]),
            ("Von der Sample", &["Von der Sample"]),
            ("BÁO MỚI", &[]),
            ("the-paper.vn", &[]),
            ("https://the-paper.vn/an", &[]),
            ("an@the-paper.vn", &[]),
            ("admin", &[]),
            ("@x", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(names(&[text.to_owned()], &SITE), expected, "{text}");
        }
    }

    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        let page = Page::parse(html);
        let headline = page.elements("h1").next();
        assert_eq!(authors(&page, [], headline, &SITE), expected, "{html}");
    }

    #[test]
    fn by_lines_on_the_page() {
        check("<h1>H</h1><p class=byline>By An Example</p>", &["An Example"]);
        check(
            "<h1>H</h1><p class=byline>By <b>An Example</b><i>Health editor, The News</i></p>",
            &["An Example"],
        );
        check(
            "<h1>H</h1><p class=byline><a>An Example</a> and <a>Bo Sample</a> <i>Wire Service</i></p>",
            &["An Example", "Bo Sample"],
        );
        check("<h1>H</h1><div class=author-name>Nguyễn An</div>", &["Nguyễn An"]);
        check("<h1>H</h1><p>By An Example | 20 Nov 2026</p>", &["An Example"]);
        check("<h1>H</h1><p>Tác giả: Nguyễn An</p>", &["Nguyễn An"]);
        check("<h1>H</h1><p>x</p><p style='text-align: right'><b>Nguyễn An</b></p>", &["Nguyễn An"]);
        check("<h1>H</h1><p align=right>Nguyễn An - Trần Bình</p>", &["Nguyễn An", "Trần Bình"]);
        check("<h1>H</h1><p align=right>More of today's news</p>", &[]);
        check("<h1>H</h1><p>By the time it rained, all were gone.</p>", &[]);
        check("<h1>H</h1><p>By Friday Evening Trains Stood Still</p>", &[]);
        check("<h1>H</h1><div class=comments><b class=author>Somebody Else</b></div>", &[]);
        let far = "<p>x".repeat(300);
        check(&format!("<h1>H</h1>{far}<p class=author_mail><b>Nguyễn An</b>"), &["Nguyễn An"]);
        check(&format!("<h1>H</h1>{far}<p class=author>An Ba<p class=author>Bo Ba"), &[]);
    }

    #[test]
    fn stated_names_come_first_unless_they_are_the_sites() {
        let page = Page::parse("<h1>H</h1><p class=byline>By An Example</p>");
        let of = |stated: &str| authors(&page, [vec![stated.to_owned()]], page.elements("h1").next(), &SITE);
        assert_eq!(of("Bo Sample"), ["Bo Sample"]);
        assert_eq!(of("Báo Mới"), ["An Example"]);
    }
}
