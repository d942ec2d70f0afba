//! Tests which statement of a page is used for its metadata.

use super::*;

fn of(html: &str) -> Metadata {
    metadata(&Page::parse(html))
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

const JSON: &str = r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"From JSON","datePublished":"2026-11-20T09:30:00+07:00",
    "author":[{"name":"By An Nguyễn"},{"name":"https://a.vn/an"}],"inLanguage":"vi-VN"}</script>"#;
const OPEN_GRAPH: &str = "<meta property=og:title content='From OpenGraph - Báo Mới'><meta property=og:site_name content='Báo Mới'>\
    <meta property=article:published_time content=2026-11-19><meta property=article:modified_time content=2026-11-21T00:00Z>\
    <meta property=article:section content=World><meta property=og:locale content=vi_VN><meta property=og:type content=article>\
    <meta property=og:url content=https://a.vn/x><meta property=article:author content=https://facebook.com/x><meta name=author content=Bình>";

#[test]
fn json_ld_before_open_graph() {
    let both = of(&format!("{OPEN_GRAPH}{JSON}"));
    assert_eq!(both.title, some("From JSON"));
    assert_eq!(both.published, some("2026-11-20T09:30:00+07:00"));
    assert_eq!(both.modified, some("2026-11-21T00:00:00Z"));
    assert_eq!(both.authors, ["An Nguyễn"]);
    assert_eq!((both.kind, both.section, both.language), (some("NewsArticle"), some("World"), some("vi")));
}

#[test]
fn open_graph_alone() {
    let page = of(&format!("{OPEN_GRAPH}<title>No</title><h1>Neither</h1>"));
    assert_eq!(
        (page.title, page.published, page.kind),
        (some("From OpenGraph"), some("2026-11-19"), some("article"))
    );
    assert_eq!((page.canonical, page.site_name), (some("https://a.vn/x"), some("Báo Mới")));
    assert_eq!(page.authors, ["Bình"]);
}

#[test]
fn dates_by_source() {
    let published = |html: &str| of(html).published;
    assert_eq!(published("<meta name=DC.date.issued content=2026-11-20>"), some("2026-11-20"));
    assert_eq!(
        published("<meta name=pubdate content=soon><meta name=date content=2026-11-20>"),
        some("2026-11-20")
    );
    assert_eq!(published("<meta itemprop=datePublished content=2026-11-20>"), some("2026-11-20"));
    assert_eq!(published("<span itemprop=datePublished>20/11/2026</span>"), some("2026-11-20"));
    assert_eq!(published("<time datetime=2026-11-20T09:30Z>now</time>"), some("2026-11-20T09:30:00Z"));
    assert_eq!(published("<meta name=date content=0001-01-01><time>2 hours ago</time>"), None);
    assert_eq!(published("<div class=update>20/11/2026</div><p>20/11/2025"), some("2026-11-20"));
}

#[test]
fn the_printed_date_nearest_to_the_headline() {
    let header = "<div class=today-date>Thứ bảy, 21/11/2026</div>";
    let html = format!(
        "{header}<h1>H</h1><span class=date>Thứ sáu, 20/11/2026, <i>09:30</i> (GMT+7)</span><p>x<ul><li><span class=time>1/1/2026 10:00"
    );
    assert_eq!(of(&html).published, some("2026-11-20T09:30:00+07:00"));
    let far = format!("<h1>H</h1>{}<span class=date>20/11/2026</span>", "<p>x".repeat(300));
    assert_eq!(of(&far).published, some("2026-11-20"));
    let two = format!("{far}<span class=date>21/11/2026</span>");
    assert_eq!(of(&two).published, None);
}

#[test]
fn authors_without_statements() {
    assert_eq!(
        of("<a rel=author href=/an>An</a><span itemprop=author>By  Bình</span><a rel=author>An</a>").authors,
        ["An", "Bình"]
    );
    assert_eq!(of("<meta name=author content='An'><meta name=author content='Bo'>").authors, ["An", "Bo"]);
    assert_eq!(of("<meta name=author content='@x'>").authors, [""; 0]);
}

#[test]
fn languages() {
    let language = |html: &str| of(html).language;
    assert_eq!(language("<html lang=VI-vn>"), some("vi"));
    assert_eq!(language("<html lang=''><meta property=og:locale content=en_GB>"), some("en"));
    assert_eq!(
        language("<html lang=English><meta http-equiv=Content-Language content='el, en'>"),
        some("el")
    );
    assert_eq!(language(JSON), some("vi"));
    assert_eq!(language("<p>"), None);
}

#[test]
fn a_site_title_is_no_headline() {
    let page = of(
        "<meta property=og:title content='Báo Mới'><meta property=og:site_name content='Báo Mới'><title>Báo Mới</title><h1>Mưa tạnh ở thành phố</h1>",
    );
    assert_eq!(page.title, some("Mưa tạnh ở thành phố"));
    let named = "<p class=entry-title><a href=/b>A bridge that is still closed</a><p class=article-title>Rain ends in the valley";
    for hidden in ["", "<h1 class=sr-only>Menu</h1>", "<h1 class=visually-hidden>All that our site has</h1>"]
    {
        let page = of(&format!(
            "<meta property=og:site_name content='Báo Mới'><title>Báo Mới</title>{hidden}{named}"
        ));
        assert_eq!(page.title, some("Rain ends in the valley"), "{hidden}");
    }
}

#[test]
fn images() {
    let cases = [
        ("<meta property=og:image content='/a b.jpg'>", Some("https://a.vn/a%20b.jpg")),
        (
            "<base href=https://cdn.vn/x/><meta property=og:image content=i.jpg>",
            Some("https://cdn.vn/x/i.jpg"),
        ),
        ("<base href=/x/><meta property=og:image content=i.jpg>", Some("https://a.vn/x/i.jpg")),
        ("<meta property=og:image content=data:image/png;base64,x>", None),
    ];
    for (html, expected) in cases {
        let found = metadata_at(&Page::parse(html), "https://a.vn/y").image;
        assert_eq!(found.as_deref(), expected, "{html}");
    }
    let long = format!("<meta property=og:image content=/{}>", "x".repeat(5_000));
    assert_eq!(metadata_at(&Page::parse(&long), "https://a.vn/y").image, None);
}

#[test]
fn lists_and_limits() {
    let keywords = |stated: &str| of(&format!("<meta name=keywords content='{stated}'>")).keywords;
    assert_eq!(keywords("مطر، نهر؛ جسر"), ["مطر", "نهر", "جسر"]);
    assert_eq!(keywords("Rain, rain, RAIN, river"), ["Rain", "river"]);
    let json = |rest: &str| {
        of(&format!(
            r#"<script type="application/ld+json">{{"@type":"NewsArticle","headline":"H",{rest}}}</script>"#
        ))
    };
    assert_eq!(json(r#""keywords":"Tom &amp; Jerry, Caf&eacute;""#).keywords, ["Tom & Jerry", "Café"]);
    let tagged = json(
        r#""author":"<b>An</b> Doe","articleSection":"<i>World</i>","description":"<p>It rains.</p><p>Still.</p>""#,
    );
    assert_eq!((&tagged.authors[..], tagged.section), (&["An Doe".to_owned()][..], some("World")));
    assert_eq!(tagged.description, some("It rains. Still."));
    for nothing in ["null", "undefined"] {
        assert_eq!(of(&format!("<meta name=description content={nothing}>")).description, None);
    }
    let related = "<a rel=tag>Rain</a><aside class=related><a rel=tag>Sun</a></aside>";
    assert_eq!(of(related).keywords, ["Rain"]);
    let long = "rain ".repeat(20_000);
    let page = of(&format!("<title>{long}</title><meta name=description content='{long}'>"));
    assert!(page.title.unwrap().chars().count() <= MAX_TITLE_LENGTH);
    assert!(page.description.unwrap().chars().count() <= MAX_DESCRIPTION_LENGTH);
}

#[test]
fn regions() {
    for (tag, expected) in [
        ("en-GB", Some("GB")),
        ("zh-Hant-TW", Some("TW")),
        ("en_us", Some("US")),
        ("en", None),
        ("english", None),
    ] {
        assert_eq!(region(tag).as_deref(), expected, "{tag}");
    }
}

#[test]
fn an_empty_page_states_nothing() {
    assert_eq!(of(""), Metadata::default());
}

#[test]
fn the_title_and_the_description_alone_are_the_same() {
    let linked = "<link rel=canonical href=https://a.vn/x><h1>From Above</h1><title>Of the page</title>";
    for html in ["", JSON, OPEN_GRAPH, linked, &[JSON, OPEN_GRAPH, linked].concat()] {
        let page = Page::parse(&format!("{html}<meta name=description content='It rains.'>"));
        let Metadata { title, description, .. } = metadata(&page);
        assert_eq!(title_and_description(&page), (title, description), "{html}");
    }
}

#[test]
fn labels_and_subtitles_in_the_heading_are_left_out() {
    let stated = "<meta property=og:title content='Rain ends in the town'>";
    for inside in [
        "<span class=label>Exclusive</span> Rain ends in the town",
        "<b>Exclusive</b> Rain ends in the town",
        "Rain ends in the town <small>After a month of floods</small>",
    ] {
        assert_eq!(
            of(&format!("{stated}<h1>{inside}</h1>")).title,
            some("Rain ends in the town"),
            "{inside}"
        );
    }
    let whole = "<meta property=og:title content='Floods: Rain ends in the town'>";
    let heading = "<h1><span class=kicker>Floods:</span> Rain ends in the town</h1>";
    assert_eq!(of(&format!("{whole}{heading}")).title, some("Floods: Rain ends in the town"));
    let crumbs = "<ol class=breadcrumb><li><h1>Rain ends soon, say all</h1></ol>";
    assert_eq!(of(&format!("{stated}{crumbs}")).title, some("Rain ends in the town"));
}

#[test]
fn a_person_may_have_the_name_of_the_site() {
    let page = |publisher: &str| {
        of(&format!(
            r#"<meta property=og:site_name content="An Example"><script type="application/ld+json">{{"@type":"Article",
            "headline":"H","author":[[{{"@type":"Person","name":"An Example"}}]]{publisher}}}</script>"#
        ))
    };
    let cases = [
        ("", false),
        (r#","publisher":{"@type":"Organization","name":"Notes on Rain"}"#, false),
        (r#","publisher":{"@type":"Organization","name":"An Example"}"#, true),
    ];
    for (publisher, is_credit) in cases {
        let found = page(publisher);
        assert_eq!(
            (&found.authors[..], found.credits.len()),
            (&["An Example".to_owned()][..], usize::from(is_credit))
        );
    }
}

#[test]
fn a_declared_organization_is_a_credit() {
    let found = of(r#"<script type="application/ld+json">{"@type":"Article","headline":"H",
        "author":{"@type":"Organization","name":"Old Harbour"}}</script>"#);
    let harbour = vec!["Old Harbour".to_owned()];
    assert_eq!((found.authors, found.credits), (harbour.clone(), harbour));
}

#[test]
fn a_teasers_date_is_not_an_earlier_publication() {
    let built = "<meta property=article:published_time content=2026-11-20T09:30:00Z>\
        <meta property=article:modified_time content=2026-11-20T09:30:00Z>";
    let teaser =
        format!("{built}<h1>H</h1>{}<div><time datetime=2026-09-02>2 Sep</time></div>", "<p>x".repeat(60));
    assert_eq!(of(&teaser).published, some("2026-11-20T09:30:00Z"));
}

#[test]
fn a_reading_agrees_with_the_metadata() {
    let dated = "<meta property='article:published_time' content='2026-11-20T09:30:00Z'>";
    let paid = "<meta property='article:content_tier' content='locked'>";
    for (html, is_dated, paywalled) in [
        ("", false, None),
        (dated, true, None),
        (paid, false, Some(true)),
        ("<p>20 November 2026", true, None),
    ] {
        let page = Page::parse(html);
        let reading = MetadataReading::new(&page, "", None);
        let metadata = reading.metadata();
        assert_eq!((reading.has_publication_time(), reading.paywalled()), (is_dated, paywalled), "{html}");
        assert_eq!((metadata.published.is_some(), metadata.paywalled), (is_dated, paywalled), "{html}");
    }
}
