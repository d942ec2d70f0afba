//! Tests the parsing of JSON-LD.

use super::*;

fn of(json: &str) -> JsonLd {
    let page = Page::parse(&format!("<script type='application/ld+json'>{json}</script>"));
    json_ld(&values(&page), Some("https://a.vn/2"))
}

#[track_caller]
fn check(json: &str, headline: &str) -> Statement {
    let article = of(json).article.unwrap_or_default();
    assert_eq!(article.headline.as_deref(), Some(headline), "{json}");
    article
}

#[test]
fn an_article_wherever_it_stands() {
    let article = r#"{"@type":"NewsArticle","headline":"H"}"#;
    check(article, "H");
    check(&format!("[{article}]"), "H");
    check(&format!("[[{article}]]"), "H");
    check(&format!(r#"{{"@graph":[{{"@type":"WebSite"}},{article}]}}"#), "H");
    check(&format!(r#"{{"@type":"WebPage","mainEntity":{article}}}"#), "H");
    check(r#"{"@type":["Thing","https://schema.org/ReportageNewsArticle"],"headline":"H"}"#, "H");
    check(r#"{"@type":"BlogPosting","name":"H"}"#, "H");
    assert_eq!(of(r#"{"@type":"Product","name":"H"}"#).article, None);
    assert_eq!(
        of(r#"{"@type":"ItemList","itemListElement":[{"@type":"NewsArticle","headline":"H"}]}"#).article,
        None
    );
}

#[test]
fn among_several_the_canonical_one() {
    let two = |key: &str| {
        format!(
            r#"[{{"@type":"Article","headline":"1","url":"https://a.vn/1"}},{{"@type":"Article","headline":"2",{key}}}]"#
        )
    };
    check(&two(r#""url":"https://a.vn/2/""#), "2");
    check(&two(r#""@id":"https://a.vn/2#article""#), "2");
    check(&two(r#""mainEntityOfPage":{"@id":"https://a.vn/2"}"#), "2");
    check(&two(r#""url":"https://a.vn/3""#), "1");
}

#[test]
fn authors_in_every_shape() {
    let authors = |json: &str| {
        check(&format!(r#"{{"@graph":[{{"@type":"Article","headline":"H","author":{json}}},{{"@type":"Person","@id":"p","name":"Mai"}}]}}"#), "H").authors
    };
    assert_eq!(authors(r#""An""#), ["An"]);
    assert_eq!(authors(r#"{"name":"An"}"#), ["An"]);
    assert_eq!(authors(r#"[{"name":"An"},"Bình",{"@id":"p"},{"url":"x"},null]"#), ["An", "Bình", "Mai"]);
    assert_eq!(authors(r#"{"name":["An"]}"#), ["An"]);
    assert_eq!(authors(r#"{"name":["An","Bình"]}"#), ["An", "Bình"]);
    assert_eq!(authors(r#"[{"name":["An","Bình"]},{"name":"Mai"}]"#), ["An", "Bình", "Mai"]);
    assert_eq!(authors("[]"), [""; 0]);
}

#[test]
fn broken_json() {
    for json in [
        r#"<!-- {"@type":"Article","headline":"H"} -->"#,
        "//<![CDATA[\n{\"@type\":\"Article\",\"headline\":\"H\"}\n//]]>",
        r#"{"@type":"Article","headline":"H",}"#,
        r#"{"@type":"Article",,"keywords":["a",],"headline":"H"};"#,
        "{\"@type\":\"Article\",\"description\":\"a\nb\tc\\'d\\x\",\"headline\":\"H\"}",
        r#"{"@type":"WebSite"}{"@type":"Article","headline":"H"}"#,
        "\u{FEFF} {\"@type\":\"Article\",\"headline\":\"H\"}",
    ] {
        check(json, "H");
    }
    for json in ["", "{", "null", "\"", "{\"a\":\\", "[[[[", "CDATA[", &"[".repeat(100_000)] {
        assert_eq!(of(json), JsonLd::default());
    }
}

#[test]
fn entities_in_strings() {
    check(
        r#"{"@type":"Article","headline":"Tom &amp; Jerry&#8217;s &#x22;A&nbsp;B&quot; & co; &unknown;"}"#,
        "Tom & Jerry’s \"A B\" & co; &unknown;",
    );
}

#[test]
fn the_rest() {
    let article = check(
        r#"{"@type":"NewsArticle","headline":"H","datePublished":"2026-11-20","dateModified":"2026-11-21","dateCreated":"2026-11-19",
        "articleSection":["World","Asia"],"inLanguage":{"name":"Vietnamese","alternateName":"vi"},"publisher":{"name":"Báo"},"description":" d ",
        "keywords":["a","b, c"],"image":[{"@type":"ImageObject","url":"/i.jpg"}],"isAccessibleForFree":"False","wordCount":"300"}"#,
        "H",
    );
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        (article.published, article.modified, article.created),
        (some("2026-11-20"), some("2026-11-21"), some("2026-11-19"))
    );
    assert_eq!(
        (article.sections, article.language, article.publisher),
        (vec!["World".to_owned(), "Asia".to_owned()], some("vi"), some("Báo"))
    );
    assert_eq!((article.kind, article.description), (some("NewsArticle"), some("d")));
    assert_eq!((article.keywords, article.image), (vec!["a".to_owned(), "b, c".to_owned()], some("/i.jpg")));
    assert_eq!((article.is_free, article.words), (Some(false), Some(300)));
    let part = r#"{"@type":"Article","headline":"H","isAccessibleForFree":true,"hasPart":{"isAccessibleForFree":false},"articleBody":"a b"}"#;
    let article = check(part, "H");
    assert_eq!((article.is_free, article.words, article.image), (Some(false), Some(2), None));
    for (stated, expected) in
        [(r#""0""#, Some(false)), ("0", Some(false)), (r#""1""#, Some(true)), ("1", Some(true)), ("7", None)]
    {
        let article = format!(
            r#"{{"@type":"Article","headline":"H","isAccessibleForFree":{stated},"wordCount":"1,170"}}"#
        );
        assert_eq!((check(&article, "H").is_free, check(&article, "H").words), (expected, Some(1170)));
    }
    for (stated, expected) in [
        (r##""image":{"@id":"#i"}"##, Some("https://a.vn/i.jpg")),
        (r##""image":{"@id":"#none"}"##, None),
        (r#""thumbnailUrl":"https://a.vn/t.jpg""#, Some("https://a.vn/t.jpg")),
    ] {
        let graph = format!(
            r##"{{"@graph":[{{"@type":"Article","headline":"H",{stated}}},{{"@type":"ImageObject","@id":"#i","contentUrl":"https://a.vn/i.jpg"}}]}}"##
        );
        assert_eq!(check(&graph, "H").image.as_deref(), expected, "{graph}");
    }
    assert_eq!(of(r#"{"@type":"WebSite","name":"Báo"}"#).site_name, some("Báo"));
}
