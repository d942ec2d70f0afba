//! Tests feeds of every dialect, including unusual and broken ones.

use super::{Feed, FeedError, read};
use crate::CanonicalUrl;
use crate::body::{IncompleteReason, ReadLimits};
use proptest::prelude::*;

fn base() -> CanonicalUrl {
    CanonicalUrl::parse("https://a.vn/rss/all.rss").unwrap()
}

fn read_text(text: &str) -> Result<Feed, FeedError> {
    read(text.as_bytes(), &base(), ReadLimits::default())
}

fn entries(feed: &Feed) -> Vec<String> {
    let entries = feed.discovered.found.iter();
    entries
        .map(|found| {
            let date = found.dated.map(|date| format!(" {date}")).unwrap_or_default();
            format!("{}{date}", found.url.identity().strip_prefix("a.vn").unwrap_or("?"))
        })
        .collect()
}

#[test]
fn rss() {
    let feed = read_text(
        r#"<?xml version="1.0" encoding="utf-8"?>
        <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
          <title>A</title><link>https://a.vn/</link><pubDate>Fri, 31 May 2024 10:00:00 GMT</pubDate>
          <atom:link href="https://a.vn/rss/all.rss" rel="self"/>
          <item>
            <title><![CDATA[Tòa soạn & <b>bạn đọc</b>]]></title>
            <author>Tòa soạn–toasoan@a.vn</author>
            <description><![CDATA[<a href="https://a.vn/x"><img src="y.jpg"></a>]]></description>
            <link>https://a.vn/a.html?utm_source=rss</link>
            <guid isPermaLink="false">42</guid>
            <pubDate>Fri, 31 May 2024 10:00:00 +0700</pubDate>
          </item>
          <item><guid>https://a.vn/b.html</guid><dc:date>2024-05-30</dc:date></item>
          <item><link>/c.html</link><pubDate>hôm qua</pubDate></item>
          <item><link>https://f.vn/~r/1</link><feedburner:origLink>https://a.vn/d.html</feedburner:origLink></item>
          <item><title>no link</title><guid isPermaLink="false">https://a.vn/no</guid></item>
          <item><link>https://a.vn/a.html</link></item>
          <item><link>https://a.vn/e.mp3</link></item>
        </channel></rss>"#,
    )
    .unwrap();
    assert_eq!(
        entries(&feed),
        ["/a.html 2024-05-31T03:00:00Z", "/b.html 2024-05-30T00:00:00Z", "/c.html", "/d.html"]
    );
    assert_eq!((feed.without_link, feed.discovered.repeated, feed.cut), (1, 1, 0));
    assert_eq!(feed.discovered.refused["not_a_page"], 1);
    assert_eq!(feed.flaw, None);
}

#[test]
fn atom() {
    let feed = read_text(
        r#"<feed xmlns="http://www.w3.org/2005/Atom">
          <id>https://a.vn/id</id><link href="https://a.vn/"/><updated>2024-06-01T00:00:00Z</updated>
          <entry>
            <link rel="edit" href="/edit/1"/>
            <link rel="alternate" type="text/html" href="/a.html"/>
            <link rel="enclosure" href="/a.mp3"/>
            <id>tag:a.vn,2024:1</id>
            <updated>2024-05-31T12:00:00Z</updated><published>2024-05-31T10:00:00Z</published>
            <content type="xhtml"><div><link>https://a.vn/inner</link><content>x</content><published>1999</published></div></content>
          </entry>
          <entry><link href="/b.html"/><source><id>https://b.vn/</id><updated>2000</updated></source></entry>
          <entry><id>https://a.vn/c.html</id><updated>2024-05-29</updated></entry>
          <entry><id>tag:a.vn,2024:2</id></entry>
        </feed>"#,
    )
    .unwrap();
    assert_eq!(entries(&feed), ["/a.html 2024-05-31T10:00:00Z", "/b.html", "/c.html 2024-05-29T00:00:00Z"]);
    assert_eq!(feed.without_link, 1);
}

#[test]
fn rdf_and_the_oldest_rss() {
    let rdf = "<rdf:RDF><channel><link>https://a.vn/</link></channel>\
               <item rdf:about='x'><link>https://a.vn/a</link><dc:date>2024-05-31T10:00Z</dc:date></item></rdf:RDF>";
    assert_eq!(entries(&read_text(rdf).unwrap()), ["/a 2024-05-31T10:00:00Z"]);
    let about = "<rdf:RDF><item rdf:about='https://a.vn/c'><title>C</title></item></rdf:RDF>";
    assert_eq!(entries(&read_text(about).unwrap()), ["/c"]);
    let old = "<rss version='0.91'><channel><item><link>\n https://a.vn/b\n</link></item></channel></rss>";
    assert_eq!(entries(&read_text(old).unwrap()), ["/b"]);
}

#[test]
fn an_identifier_is_a_link_only_where_it_may_be() {
    for (item, expected) in [
        ("<guid>https://a.vn/a</guid>", vec!["/a"]),
        ("<guid isPermaLink='true'>https://a.vn/a</guid>", vec!["/a"]),
        ("<guid isPermaLink='false'>https://a.vn/a</guid>", vec![]),
        ("<guid isPermaLink='False'>https://a.vn/a</guid>", vec![]),
        ("<guid isPermaLink=' FALSE '>https://a.vn/a</guid>", vec![]),
        ("<guid ispermalink='false'>https://a.vn/a</guid>", vec![]),
        ("<guid isPermaLink=false>https://a.vn/a</guid>", vec![]),
        ("<guid isPermaLink='no'>https://a.vn/a</guid>", vec![]),
        ("<guid isPermaLink='false'>https://a.vn/a</guid><link>/b</link>", vec!["/b"]),
        ("<guid>tag:a.vn,2026:1</guid>", vec![]),
        ("<guid>42</guid>", vec![]),
        ("<link></link><guid>https://a.vn/a</guid>", vec!["/a"]),
        ("<link>www.a.vn/a</link>", vec!["?"]),
        ("<link>a.vn/a</link><PubDate>22/11/2026</PubDate>", vec!["/a 2026-11-22T00:00:00Z"]),
        ("<image><link>/x</link></image><link>/a</link>", vec!["/a"]),
    ] {
        let feed = read_text(&format!("<rss><channel><item>{item}</item></channel></rss>")).unwrap();
        assert_eq!(entries(&feed), expected, "{item}");
    }
}

#[test]
fn relative_links_of_atom_have_their_base() {
    let feed = read_text(
        r#"<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/2026/">
          <entry><link href="a.html"/></entry>
          <entry xml:base="11/"><link href="b.html"/></entry>
          <entry xml:base="11/"><link xml:base="22/" href="c.html" rel="http://www.iana.org/assignments/relation/alternate"/></entry>
          <entry><link href="/d.html" rel="Alternate"/></entry>
        </feed>"#,
    )
    .unwrap();
    assert_eq!(entries(&feed), ["/2026/a.html", "/2026/11/b.html", "/2026/11/22/c.html", "/d.html"]);
}

#[test]
fn json() {
    let feed = read_text(
        r#"{"version": "https://jsonfeed.org/version/1.1", "title": "A", "items": [
            {"id": "1", "url": "/a.html", "date_published": "2024-05-31T10:00:00+07:00", "tags": []},
            {"id": 2, "external_url": "https://a.vn/b.html"},
            {"id": "3"}, {"id": 4, "url": 4, "date_published": 2024}, 5]}"#,
    )
    .unwrap();
    assert_eq!(entries(&feed), ["/a.html 2024-05-31T03:00:00Z", "/b.html"]);
    assert_eq!(feed.without_link, 3);
    for text in ["{", "{\"items\": 1}", "{}"] {
        assert!(matches!(read_text(text), Err(FeedError::Json { .. })), "{text}");
    }
}

#[test]
fn broken_feeds_give_what_stood_before() {
    let start = "<rss><channel><item><link>/a</link></item><item><link>/b</link></item>";
    for rest in ["", "<item><title>x", "<item", "<item><title>a &nbsp; <![CDATA["] {
        let feed = read_text(&format!("{start}{rest}")).unwrap();
        assert_eq!(entries(&feed), ["/a", "/b"], "{rest}");
        assert!(feed.flaw.is_some(), "{rest}");
    }
    let unclosed = "<rss><item><content><p>x<item><link>/a</link></item></rss>";
    assert_eq!(entries(&read_text(unclosed).unwrap()), ["/a"]);
}

#[test]
fn limits_are_kept_and_counted() {
    let items: String = (0..9).map(|number| format!("<item><link>/{number}</link></item>")).collect();
    let text = format!("<rss>{items}</rss>");
    let feed = read(text.as_bytes(), &base(), ReadLimits { entries: 4, bytes: 1 << 20 }).unwrap();
    assert_eq!((feed.discovered.found.len(), feed.cut), (4, 5));
    let feed = read(text.as_bytes(), &base(), ReadLimits { entries: 9, bytes: 100 }).unwrap();
    assert_eq!(feed.flaw, Some(IncompleteReason::TooLarge { limit: 100 }));
    assert!(!feed.discovered.found.is_empty());
}

#[test]
fn other_documents_are_none() {
    for (text, expected) in [
        ("<html><item><link>/a</link></item></html>", "its first element is <html>"),
        ("<urlset/>", "its first element is <urlset>"),
        ("hello", "neither XML nor"),
        ("", "neither XML nor"),
        ("<?xml ", "cannot be read"),
    ] {
        let message = read_text(text).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
    assert_eq!(entries(&read_text("<rss></rss>").unwrap()), Vec::<String>::new());
}

proptest! {
    #[test]
    fn no_bytes_panic(
        noise in prop::collection::vec(any::<u8>(), 0..80),
        xml in "(<(/|!)?(item|entry|link href='a'|a:link|content|source|pubDate|!\\[CDATA\\[)?(/?>)?|&[a#1]{0,2};?|ế|a){0,24}",
        json in "[\\[\\]{}:,\"a1]{0,24}",
    ) {
        let _ = read(&noise, &base(), ReadLimits::default());
        let _ = read(format!("<rss>{xml}").as_bytes(), &base(), ReadLimits::default());
        let _ = read(format!("{{\"items\":[{json}").as_bytes(), &base(), ReadLimits::default());
    }
}
