//! Finds the hyperlinks in a source, and decides which of them are complete.
//!
//! A hyperlink is an `a` with an `href`. `<a name=x>` is only a link target. A hyperlink is complete if the
//! next `a` tag is an end tag ("a complete Hyperlink tag has two markups", Line-Block, IV.A). Without this
//! rule, an unclosed link would include the rest of the page.
//!
//! Limitation: the comma score counts every visible `a` as an anchor, with or without `href`. Its paper
//! writes "anchor", and the Line-Block paper writes "hyperlink".

use gleaner_html::source::{PieceKind, pieces};

/// Returns, for each start tag of an `a` in order, whether the element is a complete hyperlink. Takes linear
/// time.
pub(crate) fn complete(source: &str) -> Vec<bool> {
    let is_anchor = |name: &str| name.eq_ignore_ascii_case("a");
    let mut complete = Vec::new();
    for piece in pieces(source) {
        match (piece.kind, complete.last_mut()) {
            (PieceKind::Start { name }, _) if is_anchor(name) => complete.push(false),
            (PieceKind::End { name }, Some(last)) if is_anchor(name) => *last = true,
            _ => {}
        }
    }
    complete
}

pub(crate) fn has_address(tag: &str) -> bool {
    attributes(tag).any(|name| name.eq_ignore_ascii_case("href"))
}

/// Returns the attribute names of a start tag. Names end as in browsers.
fn attributes(tag: &str) -> impl Iterator<Item = &str> {
    let mut rest = tag.find(|c: char| is_space(c) || c == '/').map_or("", |at| &tag[at..]);
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| is_space(c) || c == '/');
        // A name may begin with '='. Any further '=' ends the name.
        let first = rest.chars().next().filter(|c| *c != '>')?.len_utf8();
        let ends = |c: char| is_space(c) || matches!(c, '/' | '>' | '=');
        let (name, behind) = rest.split_at(rest[first..].find(ends).map_or(rest.len(), |at| first + at));
        let behind = behind.trim_start_matches(is_space);
        rest =
            behind.strip_prefix('=').map_or(behind, |value| behind_value(value.trim_start_matches(is_space)));
        Some(name)
    })
}

fn behind_value(value: &str) -> &str {
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) => value[1..].split_once(quote).map_or("", |(_, behind)| behind),
        _ => value.find(|c: char| is_space(c) || c == '>').map_or("", |at| &value[at..]),
    }
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace()
}

#[cfg(test)]
mod tests {
    use gleaner_html::Page;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_link_has_an_href_of_its_own() {
        for tag in
            ["<a href>", "<A\nHREF = 'x>y'>", "<a name=x href=y>", "<a title='a href'/href=z>", "<a =x href>"]
        {
            assert!(has_address(tag), "{tag}");
        }
        for tag in
            ["<a>", "<a/>", "<a name=x data-href=y>", "<a title=' href=x'>", "<a hrefs=x>", "<a x=href>"]
        {
            assert!(!has_address(tag), "{tag}");
        }
    }

    #[test]
    fn a_link_is_complete_where_its_end_comes_before_the_next() {
        assert_eq!(complete("</a><a>x</A><a><a>y</a></a><a>"), [true, false, true, false]);
        assert!(complete("").is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn attributes_are_those_of_the_parser(inside in "( |/|=|'|\"|href|x|\n|>){0,12}") {
            let source = format!("<a {inside}");
            let first = pieces(&source).next().expect("the source is not empty");
            prop_assume!(matches!(first.kind, PieceKind::Start { .. }));
            let page = Page::parse(&source);
            let parsed = page.elements("a").next().is_some_and(|id| page.attribute(id, "href").is_some());
            prop_assert_eq!(has_address(&source[first.range]), parsed);
        }
    }
}
