//! Checks properties of every page: nothing panics, subtrees nest, and lines are well-formed.

use gleaner_html::text::{LineKind, is_block, lines, never_text, plain};
use gleaner_html::{Page, date, decode, links, metadata};
use proptest::prelude::*;

fn soup() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<p>",
        "</p>",
        "<div>",
        "</div>",
        "<b>",
        "</b>",
        "<a href='/x'>",
        "</a>",
        "<table>",
        "<tr>",
        "<td>",
        "</table>",
        "<pre>",
        "</pre>",
        "<li>",
        "<ul>",
        "</ul>",
        "<br>",
        "<script>",
        "</script>",
        "<template>",
        "</template>",
        "<svg>",
        "<title>",
        "</svg>",
        "<math>",
        "<select>",
        "<option>",
        "</select>",
        "<form>",
        "<button>",
        "<h1>",
        "</h1>",
        "<body>",
        "<html lang=vi>",
        "<frameset>",
        "<!--",
        "-->",
        "<![CDATA[",
        "<p hidden>",
        "<time datetime=2026-11-20>",
        "<meta name=author content=x>",
        "<span class=date>20/11/2026 09:30</span>",
        "one",
        " two ",
        "\n",
        "\u{a0}",
        "\u{ad}",
        "\u{200d}",
        "\0",
        "&amp;",
        "&#0;",
        "é",
        "Việt",
        "漢",
        "</",
        "<",
        ">",
        "\"",
        "<script type=application/ld+json>{\"@type\":\"Article\",",
        "<base href=/>",
        "<plaintext>",
        "<annotation-xml>",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

fn letters(text: &str) -> usize {
    text.chars().filter(|c| c.is_alphanumeric()).count()
}

fn check(html: &str) -> Result<(), TestCaseError> {
    let page = Page::parse(html);
    for (id, node) in page.iter() {
        prop_assert!(node.end > id && node.end as usize <= page.len());
        prop_assert_eq!(page.is_block(id), page.tag(id).is_some_and(is_block));
        prop_assert_eq!(page.is_never_text(id), page.tag(id).is_some_and(never_text));
        if node.depth > 0 {
            prop_assert!(node.parent < id && node.end <= page.node(node.parent).end);
        }
    }
    let all = lines(&page, 0, |_| true);
    for line in &all {
        prop_assert!(!line.text.trim().is_empty());
        let is_one_line =
            line.text.trim() == line.text && !line.text.contains("  ") && !line.text.contains(['\n', '\t']);
        prop_assert!(line.kind == LineKind::Pre || is_one_line, "{:?}", line);
        let is_allowed =
            |c: char| !c.is_control() || (line.kind == LineKind::Pre && matches!(c, '\n' | '\t'));
        prop_assert!(line.text.chars().all(is_allowed), "{:?}", line);
    }
    prop_assert_eq!(plain(&all).is_empty(), all.is_empty());
    prop_assert_eq!(lines(&page, 0, |_| false), vec![]);
    let fewer =
        lines(&page, 0, |id| page.tag(id).is_none_or(|tag| !is_block(tag) || tag == "html" || tag == "body"));
    prop_assert!(letters(&plain(&fewer)) <= letters(&plain(&all)));
    let _ = links::links(&page);
    let _ = metadata::metadata(&page);
    Ok(())
}

proptest! {
    #[test]
    fn tag_soup(html in soup()) {
        check(&html)?;
    }

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text)?;
        let _ = date::date(&text);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2_000), label in "[a-z0-9-]{0,12}") {
        let decoded = decode::decode(&bytes, Some(&format!("text/html; charset={label}")));
        prop_assert!(!decoded.encoding.is_empty());
        let _ = Page::parse(&decoded.text);
    }

    #[test]
    fn utf_8_comes_back_as_it_was(
        text in "[^\\x00\u{FEFF}\u{1B}]{0,200}",
        label in prop::sample::select(vec!["utf-8", "windows-1252", "gbk", ""]),
    ) {
        let decoded = decode::decode(text.as_bytes(), Some(&format!("text/html; charset={label}")));
        prop_assert_eq!(&*decoded.text, text.as_str());
    }

    #[test]
    fn a_date_is_in_one_of_three_forms(
        text in "[0-9TZ:/. +-]{0,30}|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:?[0-9]{2})?",
    ) {
        if let Some(date) = date::date(&text) {
            prop_assert!(matches!(date.len(), 10 | 19 | 20 | 25), "{}", date);
            prop_assert_eq!(date::date(&date), Some(date.clone()));
        }
    }
}
