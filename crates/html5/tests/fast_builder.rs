//! Compares the fast builder with html5ever: if the fast builder is sure, the pages must be equal.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use gleaner_html5::Tree;
use proptest::prelude::*;

#[track_caller]
fn check(html: &str) -> Option<&'static str> {
    let reason = Tree::left_to_reference(html);
    if reason.is_none() {
        let (fast, reference) = (Tree::parse(html), Tree::parse_reference(html));
        assert!(fast == reference, "{html:?}\n{}\n{}", outline(&fast), outline(&reference));
    }
    reason
}

fn outline(page: &Tree) -> String {
    let node = |(id, node): (u32, &gleaner_html5::Node)| {
        let attributes: Vec<_> = page.attributes(id).collect();
        match page.tag(id) {
            Some(tag) => format!("{}<{tag}>{attributes:?}", node.depth),
            None => format!("{}{:?}", node.depth, page.text(id).unwrap_or_default()),
        }
    };
    page.iter().take(400).map(node).collect::<Vec<_>>().join(" ")
}

fn recorded() -> Vec<PathBuf> {
    let mut folders =
        vec![Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/sets")).to_owned()];
    let mut pages = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(".html.gz") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

fn read(path: &Path) -> String {
    let mut bytes = Vec::new();
    let mut reader = GzDecoder::new(fs::File::open(path).expect("a recorded page"));
    reader.read_to_end(&mut bytes).expect("a gzip file");
    // Pages in other encodings have U+FFFD instead of letters. The builders must agree on them, too.
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn recorded_pages_are_the_same() {
    let paths = recorded();
    if paths.is_empty() {
        println!("skipped: no recorded pages");
        return;
    }
    let mut unsure: BTreeMap<&str, Vec<&Path>> = BTreeMap::new();
    let mut different = Vec::new();
    for path in &paths {
        let html = read(path);
        match Tree::left_to_reference(&html) {
            Some(reason) => unsure.entry(reason).or_default().push(path),
            None if Tree::parse(&html) == Tree::parse_reference(&html) => {}
            None => different.push(path),
        }
    }
    for (reason, pages) in &unsure {
        println!("{reason}: {} of {} pages left to the reference", pages.len(), paths.len());
    }
    assert!(different.is_empty(), "{} of {}: {different:?}", different.len(), paths.len());
}

/// Markup with special rules in the tokenizer or in tree construction.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "<p>", "</p>", "<div>", "</div>", "<b>", "</b>", "<i>", "</i>", "<b class=x>", "<a href='/x'>", "</a>",
    "<a>", "<nobr>", "</nobr>", "<font color=red>", "</font>", "<font>", "<span>", "</span>", "<table>",
    "</table>", "<tbody>", "</tbody>", "<thead>", "</thead>", "<tfoot>", "<tr>", "</tr>", "<td>", "</td>",
    "<th>", "</th>", "<caption>", "</caption>", "<colgroup>", "</colgroup>", "<col>", "</col>", "<ul>",
    "</ul>", "<ol>", "<li>", "</li>", "<dl>", "<dt>", "<dd>", "</dl>", "</dd>", "</dt>", "<h1>", "</h1>",
    "<h2>", "</h3>", "<br>", "</br>", "<hr>", "<img src=a>", "<image>", "<input>", "<input type=hidden>",
    "<input type=HIDDEN x>", "<form>", "</form>", "<button>", "</button>", "<select>", "</select>",
    "<option>", "</option>", "<optgroup>", "</optgroup>", "<textarea>", "</textarea>", "<textarea>\n",
    "<pre>", "<pre>\n", "</pre>", "<listing>\n\n", "<title>", "</title>", "<style>", "</style>", "<script>",
    "</script>", "<script><!--", "-->", "<!--", "--!>", "<!-->", "<!--->", "<noscript>", "</noscript>",
    "<iframe>", "</iframe>", "<xmp>", "</xmp>", "<noembed>", "<noframes>", "</noframes>", "<template>",
    "</template>", "<svg>", "</svg>", "<svg viewBox='0 0' xlink:href=a xmlns='b' id=c/>", "<path d=x />",
    "<foreignObject>", "</foreignObject>", "<desc>", "</desc>", "<math>", "</math>", "<mi>", "</mi>",
    "<mglyph>", "<annotation-xml>", "<ruby>", "<rb>", "<rt>", "<rp>", "<rtc>", "</ruby>", "<applet>",
    "</applet>", "<object>", "</object>", "<marquee>", "</marquee>", "<html>", "<html lang=vi id=a>",
    "</html>", "<head>", "</head>", "<body>", "<body class=x onload=y>", "</body>", "<frameset>", "<frame>",
    "<meta charset=utf-8>", "<link rel=x>", "<base>", "<param>", "<source>", "<embed>", "<wbr>", "<area>",
    "<keygen>", "<address>", "</address>", "<article>", "</article>", "<dialog>", "</dialog>", "<summary>",
    "<details>", "<center>", "</center>", "<plaintext>", "<custom-tag a=b>", "</custom-tag>",
    "<!doctype html>", "<!doctype>",
    "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd\">",
    "<![CDATA[", "]]>", "<?xml?>", "<!x>", "</>", "</ x>", "<", ">", "</", "&", "&amp;", "&lt", "&notit;",
    "&copy=", "&#10;", "&#13;", "&#x80;", "&nbsp;", "&#0;", "&acE;", "&;", "&#", "&#x", "a", "b c", " ",
    "\n", "\t", "\r\n", "\r", "\x0C", "é", "漢字", "\"", "'", "=", "/", "\u{feff}", "<a b='c",
    "<p a=1 a=2 A=3>", "<p / x = \"y&amp;z\" >", "<p x=y&copy=z&reg>", "<p \"'<=>", "<DIV ID=X>",
    "</DIV x='>'>", "<p title='<b>'>", "<p x/>", "<script src=a/>", "<a b=\n'c\nd'>", "&NewLine;",
    "<p data-name-two=b data-name-one=a DATA-NAME-TWO=c data-name=d>", "<p a-name-longer-than-twenty-four-x A-name-longer-than-twenty-four-a=1>",
];

/// Joins random pieces of the whole list, or of a part of it, where the same pieces occur together more
/// often.
fn soup() -> impl Strategy<Value = String> {
    let part = (0..PIECES.len(), prop::sample::select(vec![8, 30, PIECES.len()]));
    let pieces = part.prop_flat_map(|(from, width)| {
        let piece = (0..width).prop_map(move |offset| PIECES[(from + offset) % PIECES.len()]);
        prop::collection::vec(prop_oneof![4 => piece, 1 => prop::sample::select(PIECES)], 0..40)
    });
    (prop::bool::ANY, pieces).prop_map(|(has_type, pieces)| {
        format!("{}{}", if has_type { "<!doctype html>" } else { "" }, pieces.concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tag_soup_is_the_same(html in soup()) {
        check(&html);
    }

    #[test]
    fn any_characters_are_the_same(html in "[<>/&=!?a-dA-D0-9'\"# \n\r;\u{a0}é-]{0,60}") {
        check(&html);
    }
}

#[test]
fn what_needs_care_is_built() {
    for html in [
        // The adoption agency algorithm: one block, copies in between, a block in a block, at most
        // three copies.
        "<a>1<div>2</a>3</div>4",
        "<b>1<i>2<u>3<p>4</b>5</p>6",
        "<b><i><u><s><em><p>1</b>2",
        "<a><div><div><p></a>x<a>y",
        "<form><b><div></form></b>x",
        // Reconstruction, and Noah's Ark clause.
        "<p><b><i>1<p>2</i><p>3",
        "<p><b><b><b><b><b class=x><p>1",
        "<table><td><b>1<td>2</table>3",
        // Content after the head and after the body.
        "<head></head> <script>a</script> <!-- --> <link> <body>x",
        "<body>a</body> </html> <!-- --> b",
        "<html a=1><body b=2><html a=3 c=4><body d=5>",
        // Scripts in comments in scripts.
        "<script><!-- <script>a</script> b --></script>c",
        "<script><!-- <script> --></script>c",
        // Foreign content.
        "<svg viewbox=1 xmlns=a xlink:href=b id=c><title><p>1</title><path/><p>2",
        "<math><mi>1<b>2</mi><mo/></math><svg><style><![CDATA[a<b]]></style></svg>",
        "<template><tr><td>1</template><table><caption>1<tr>2",
    ] {
        assert_eq!(
            check(html),
            if html.ends_with("<tr>2") { Some("text in a table") } else { None },
            "{html}"
        );
    }
}

#[test]
fn what_cannot_be_built_is_left() {
    for (html, reason) in [
        ("<table><div>", "element in a table"),
        ("<table>x", "text in a table"),
        ("a\0", "NUL or byte order mark"),
        ("<script></script>\u{FEFF}", "NUL or byte order mark"),
        ("<frameset>", "frameset"),
        ("<plaintext>", "rare element"),
        ("<pre>&#10;", "rare element"),
        ("<math><annotation-xml>", "annotation-xml"),
        ("<!doctype x><p><table>", "table in a paragraph"),
    ] {
        assert_eq!(check(html), Some(reason), "{html}");
    }
}

#[test]
fn the_budget_is_the_references() {
    let flood = |count: usize| (0..count).map(|i| format!(" a{i}")).collect::<String>();
    for (html, left) in [
        ("<div>".repeat(300), None),
        ("<div>".repeat(10_000), Some("costly")),
        ("<b>".repeat(10_000), Some("costly")),
        ("<a><i><div>".repeat(2_000), Some("costly")),
        (format!("<p{}>", flood(300)), None),
        (format!("<p{}>", flood(1_100)), Some("costly")),
        // Text that the reference takes for a tag: in a script, in a value and in a comment.
        (format!("<script>a<b{}</script>", flood(30_000)), Some("costly")),
        (format!("<script>a<b{}</script>", flood(3_000)), None),
        (format!("<p title=\"<b{}\">", flood(30_000)), Some("costly")),
        (format!("<!-- <b{} -->", flood(30_000)), Some("costly")),
        (format!("<p title='<b c=\"'>{}", "one two ".repeat(20_000)), None),
        ("a&amp;<x>".repeat(500), None),
        ("<p>a</b>".repeat(20_000), None),
    ] {
        assert_eq!(check(&html), left, "{:.60}", html);
    }
}
