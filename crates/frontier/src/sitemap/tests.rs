//! Tests complete, unusual, broken and too large sitemaps.

use super::{Sitemap, SitemapError, SitemapKind, read};
use crate::body::{IncompleteReason, ReadLimits};
use crate::{CanonicalUrl, Role};
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::io::Write as _;

fn base() -> CanonicalUrl {
    CanonicalUrl::parse("https://a.vn/sitemap.xml").unwrap()
}

fn read_text(xml: &str) -> Result<Sitemap, SitemapError> {
    read(xml.as_bytes(), &base(), ReadLimits::default())
}

fn entries(sitemap: &Sitemap) -> Vec<String> {
    let entries = sitemap.discovered.found.iter();
    entries
        .map(|found| {
            let date = found.dated.map(|date| format!(" {date}")).unwrap_or_default();
            let news = if found.news { " news" } else { "" };
            let sitemap = if found.role == Role::Sitemap { " sitemap" } else { "" };
            format!("{}{date}{news}{sitemap}", found.url.identity().strip_prefix("a.vn").unwrap_or("?"))
        })
        .collect()
}

#[test]
fn an_index_newest_first() {
    let sitemap = read_text(
        r#"<?xml version="1.0" encoding="UTF-8"?>
        <sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
          <sitemap><loc>https://a.vn/categories.xml</loc></sitemap>
          <sitemap><loc>https://a.vn/2023.xml.gz</loc><lastmod>2023-12-31</lastmod></sitemap>
          <sitemap><loc>https://a.vn/news-sitemap.xml</loc><lastmod>2024-05-31T10:00:00+07:00</lastmod></sitemap>
          <sitemap><loc>https://a.vn/2024.xml</loc><lastmod>2024-05-30</lastmod></sitemap>
          <sitemap><loc>https://a.vn/sitemap.xml</loc></sitemap>
        </sitemapindex>"#,
    )
    .unwrap();
    assert_eq!((sitemap.kind, sitemap.cut, &sitemap.flaw), (SitemapKind::Index, 0, &None));
    assert_eq!(
        entries(&sitemap),
        [
            "/news-sitemap.xml 2024-05-31T03:00:00Z news sitemap",
            "/2024.xml 2024-05-30T00:00:00Z sitemap",
            "/2023.xml.gz 2023-12-31T00:00:00Z sitemap",
            "/categories.xml sitemap",
        ]
    );
    assert_eq!(sitemap.discovered.repeated, 1, "it names itself");
}

#[test]
fn pages_news_and_extensions() {
    let sitemap = read_text(
        r#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
          <url>
            <loc> <![CDATA[https://a.vn/a.html?x=1&y=2]]> </loc>
            <lastmod>2024-06-01</lastmod>
            <news:news>
              <news:publication><news:name>A</news:name></news:publication>
              <news:publication_date>2024-05-31T10:00:00Z</news:publication_date>
              <news:title>Tiêu đề</news:title>
            </news:news>
            <image:image><image:loc>https://a.vn/a.jpg</image:loc></image:image>
          </url>
          <url><loc>https://a.vn/b.html?x=1&amp;y=2</loc><lastmod>not a date</lastmod></url>
          <url><loc>http://a.vn/b.html?x=1&y=2</loc></url>
          <url><loc>/c.html</loc><priority>0.5</priority></url>
          <url><loc>https://a.vn/d.pdf</loc></url>
          <url><loc></loc></url>
          <url/>
        </urlset>"#,
    )
    .unwrap();
    assert_eq!(sitemap.kind, SitemapKind::Pages);
    assert_eq!(
        entries(&sitemap),
        ["/a.html?x=1&y=2 2024-05-31T10:00:00Z news", "/b.html?x=1&y=2", "/c.html"]
    );
    assert_eq!(sitemap.discovered.refused, [("not_a_page".into(), 1)].into());
    assert_eq!((sitemap.discovered.repeated, sitemap.flaw), (1, None));
}

#[test]
fn prefixes_and_slips() {
    for (xml, expected) in [
        ("<s:urlset xmlns:s='x'><s:url><s:loc>/a</s:loc></s:url></s:urlset>", vec!["/a"]),
        ("\u{feff}\n <urlset><url><loc>/a</loc></url></urlset>", vec!["/a"]),
        ("<urlset><url><loc>/a</loc><url><loc>/b</loc></urlset>", vec!["/a", "/b"]),
        ("<urlset><loc>/a</loc></urlset>", vec!["/a"]),
        ("<urlset><url><loc>/a</LOC></url></urlset>", vec!["/a"]),
        ("<urlset><url><loc>/t&#7913;c&nbsp;x</loc></url></urlset>", vec!["/t%E1%BB%A9c&nbsp;x"]),
        // Each address of an entry gets the entry's date.
        (
            "<urlset><url><loc>/a</loc><loc>/b</loc><lastmod>2026</lastmod></url></urlset>",
            vec!["/a 2026-01-01T00:00:00Z", "/b 2026-01-01T00:00:00Z"],
        ),
        ("<urlset><loc>/a</loc><loc>/b</loc></urlset>", vec!["/a", "/b"]),
        ("<urlset><url><loc>/a<loc>/b</loc></loc></url></urlset>", vec!["/a", "/b"]),
        // The address is inside another element.
        (
            "<urlset><url><loc><url>/a</url></loc><lastmod>2026</lastmod></url><url><loc>/b</loc></url></urlset>",
            vec!["/a 2026-01-01T00:00:00Z", "/b"],
        ),
        ("<urlset><url><loc>\n<a href='/x'>/a</a></loc></url></urlset>", vec!["/a"]),
        (
            "<urlset><url><loc></loc><lastmod>2026</lastmod></url><url><loc>/b</loc></url></urlset>",
            vec!["/b"],
        ),
        ("<urlset><url><loc/><url><loc>/b</loc></url></urlset>", vec!["/b"]),
        // The address has no scheme.
        ("<urlset><url><loc>www.a.vn/</loc></url><url><loc>a.vn/b</loc></url></urlset>", vec!["?", "/b"]),
        ("<urlset></urlset>", vec![]),
        ("<urlset/>", vec![]),
    ] {
        let sitemap = read_text(xml).unwrap();
        assert_eq!(entries(&sitemap), expected, "{xml}");
        assert_eq!(sitemap.flaw, None, "{xml}");
    }
}

#[test]
fn one_address_a_line() {
    let sitemap = read_text("\u{feff}\nhttps://a.vn/a\r\n\r\nhttps://a.vn/b \nrubbish://\n").unwrap();
    assert_eq!((sitemap.kind, entries(&sitemap)), (SitemapKind::Text, vec!["/a".into(), "/b".into()]));
    assert_eq!(sitemap.discovered.refused["not_http"], 1);
}

#[test]
fn xml_with_an_address_on_a_line_of_its_own_is_no_text_list() {
    let sitemap = read_text(
        "<urlset>\n<url>\n<loc>\nhttps://a.vn/b\n</loc>\n</url>\n<url><loc>\n  https://a.vn/c</loc></url>\n</urlset>",
    )
    .unwrap();
    assert_eq!(sitemap.kind, SitemapKind::Pages);
    assert_eq!((entries(&sitemap), sitemap.flaw), (vec!["/b".to_owned(), "/c".to_owned()], None));
}

#[test]
fn text_lists_with_titles_and_without_schemes() {
    for (text, expected, unparsable) in [
        ("www.a.vn/a\nhttps://a.vn/b\n", vec!["?", "/b"], 0),
        ("a.vn/a\na.vn/b", vec!["/a", "/b"], 0),
        ("# all our pages\n\nhttps://a.vn/a\n/b\nm.a.vn\n", vec!["/a", "/b", "?"], 1),
        ("Sitemap of A\nwww.a.vn/a\nend", vec!["?"], 2),
    ] {
        let sitemap = read_text(text).unwrap();
        assert_eq!(
            (sitemap.kind, entries(&sitemap)),
            (SitemapKind::Text, expected.iter().map(|e| (*e).into()).collect()),
            "{text}"
        );
        assert_eq!(sitemap.discovered.refused.get("unparsable").copied().unwrap_or(0), unparsable, "{text}");
    }
}

#[test]
fn an_entry_of_very_many_addresses_gives_them_all() {
    let addresses: String = (0..2_500).map(|number| format!("<loc>/{number}</loc>")).collect();
    let sitemap = read_text(&format!("<urlset><url>{addresses}</url></urlset>")).unwrap();
    assert_eq!(sitemap.discovered.found.len(), 2_500);
}

#[test]
fn broken_documents_give_what_stood_before() {
    let start = "<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url>";
    for (rest, broken) in [("<url><loc>/c", false), ("", false), ("<url <", true), ("<![CDATA[ x", true)] {
        let sitemap = read_text(&format!("{start}{rest}")).unwrap();
        assert_eq!(entries(&sitemap), ["/a", "/b"], "{rest}");
        let flaw = sitemap.flaw.expect("the end is missing");
        assert_eq!(matches!(flaw, IncompleteReason::Broken { .. }), broken, "{rest}: {flaw}");
    }
}

#[test]
fn other_documents_are_none() {
    for (text, expected) in [
        ("<html><body>not found</body></html>", "its first element is <html>"),
        ("<rss/>", "its first element is <rss>"),
        ("not found", "neither XML nor"),
        ("", "neither XML nor"),
        ("<!-- ", "cannot be read"),
    ] {
        let message = read_text(text).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
    let error = read(&[0x1f, 0x8b, 0, 0], &base(), ReadLimits::default()).unwrap_err();
    assert!(matches!(error, SitemapError::Unreadable(IncompleteReason::Gzip { .. })), "{error}");
}

fn large(count: usize) -> String {
    let mut xml = String::from("<urlset>");
    for number in 0..count {
        write!(xml, "<url><loc>https://a.vn/{number}.html</loc></url>").unwrap();
    }
    xml + "</urlset>"
}

#[test]
fn limits_are_kept_and_counted() {
    let limits = ReadLimits { entries: 10, ..ReadLimits::default() };
    let sitemap = read(large(25).as_bytes(), &base(), limits).unwrap();
    assert_eq!((sitemap.discovered.found.len(), sitemap.cut, sitemap.flaw), (10, 15, None));

    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(large(5_000).as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    let sitemap = read(&packed, &base(), ReadLimits { bytes: 50_000, ..ReadLimits::default() }).unwrap();
    assert_eq!(sitemap.flaw, Some(IncompleteReason::TooLarge { limit: 50_000 }));
    let whole = large(5_000)[..50_000].matches("</loc>").count();
    assert_eq!(sitemap.discovered.found.len(), whole);

    let padded = [&packed[..], &[0; 512]].concat();
    let sitemap = read(&padded, &base(), ReadLimits::default()).unwrap();
    assert_eq!((sitemap.discovered.found.len(), sitemap.flaw), (5_000, None));

    let half = read(&packed[..packed.len() / 2], &base(), ReadLimits::default()).unwrap();
    assert!(matches!(half.flaw, Some(IncompleteReason::Gzip { .. })), "{:?}", half.flaw);
    assert!(half.discovered.found.len() > 1_000);
}

proptest! {
    #[test]
    fn no_bytes_panic(
        noise in prop::collection::vec(any::<u8>(), 0..80),
        xml in "(<(/|!|\\?)?(urlset|url|loc|n:news|lastmod|!\\[CDATA\\[)?(/?>)?|&[a#1]{0,2};?|ế|a){0,24}",
    ) {
        let _ = read(&noise, &base(), ReadLimits::default());
        let _ = read(format!("<urlset>{xml}").as_bytes(), &base(), ReadLimits::default());
        let _ = read(&[b"<sitemapindex>", &noise[..]].concat(), &base(), ReadLimits::default());
    }

    #[test]
    fn cut_anywhere_gives_a_prefix(cut in 0usize..1_000) {
        let xml = large(20);
        if let Ok(sitemap) = read(&xml.as_bytes()[..cut.min(xml.len())], &base(), ReadLimits::default()) {
            let whole = read_text(&xml).expect("the whole is well formed");
            prop_assert!(whole.discovered.found.starts_with(&sitemap.discovered.found));
        }
    }
}
