//! Tests the parsing of dates that pages print in their text.

use super::*;

#[track_caller]
fn check(html: &str, published: Option<&str>, modified: Option<&str>) {
    let page = Page::parse(html);
    let headline = page.elements("h1").next();
    let lang = page.elements("html").next().and_then(|id| page.attribute(id, "lang"));
    let found = printed(&page, headline, &Reader { language: lang, ..Reader::default() });
    let found_published = found.labelled.or(found.published).or(found.doubtful);
    let [found_published, found_modified] =
        [found_published, found.modified].map(|it| it.map(|it| it.to_string()));
    assert_eq!((found_published.as_deref(), found_modified.as_deref()), (published, modified), "{html}");
}

#[test]
fn a_line_that_is_a_date() {
    let cases = [
        ("Thứ sáu, 20/11/2026, 09:30 (GMT+7)", Some("2026-11-20T09:30:00+07:00")),
        ("ΔΗΜΟΣΙΕΥΣΗ: 20/11/2026, 09:30", Some("2026-11-20T09:30:00")),
        ("09:30 20.11.2026", Some("2026-11-20T09:30:00")),
        ("2026年11月20日 09:30", Some("2026-11-20T09:30:00")),
        ("Dodano: 20 listopada 2026", Some("2026-11-20")),
        ("Nov. 20, 2026 · An Example on behalf of", Some("2026-11-20")),
        ("The rain of November 20, 2026 was the worst in years", None),
        ("Copyright 2026", None),
        ("Copyright (c) January 1, 2026", None),
        ("© January 1, 2026 The Paper", None),
        ("The reopening is planned for April 12, 2027.", None),
        ("Published on November 20, 2026.", Some("2026-11-20")),
        ("令和8年11月20日", Some("2026-11-20")),
        ("公開日：令和8年11月20日", Some("2026-11-20")),
        ("令和元年5月1日", Some("2019-05-01")),
        ("２０２６年３月４日", Some("2026-03-04")),
        ("20. 11. 2026", Some("2026-11-20")),
        ("<html lang=de>20.11.26, 09:30", Some("2026-11-20T09:30:00")),
    ];
    for (line, expected) in cases {
        let (html, line) = line.split_once('>').map_or(("", line), |(html, line)| (html, line));
        check(&format!("{html}><h1>H</h1><div>x</div><div>{line}</div>"), expected, None);
    }
}

#[test]
fn an_element_named_for_a_date_before_another() {
    let html = "<p class=article-date>October 13, 2026</p><h1>H</h1><p>January 6-9, 2027</p>";
    check(html, Some("2026-10-13"), None);
}

#[test]
fn a_line_may_end_at_br() {
    let html = "<h1>H</h1><div>Rain ended in the town.<br>15:19 20.11.2026<br><a href=/p>Print</a></div>";
    check(html, Some("2026-11-20T15:19:00"), None);
}

#[test]
fn changes_are_told_apart() {
    let both = "<h1>H</h1><p>Published: 20/11/2026</p><p>Last updated: 21/11/2026 10:00</p>";
    check(both, Some("2026-11-20"), Some("2026-11-21T10:00:00"));
    for label in ["Updated on", "Cập nhật:", "Ενημέρωση", "Aktualizacja:", "Обновлено", "更新："]
    {
        check(&format!("<h1>H</h1><p>{label} 20/11/2026</p>"), None, Some("2026-11-20"));
    }
    check("<h1>H</h1><p>Updated <time datetime=2026-11-20>x</time></p>", None, Some("2026-11-20"));
}

#[test]
fn two_dates_on_one_line() {
    let both = (Some("2026-11-20T09:30:00+07:00"), Some("2026-11-21T10:00:00+07:00"));
    for line in [
        "20/11/2026 09:30 (GMT+7) Cập nhật 21/11/2026 10:00 (GMT+7)",
        "Đăng lúc 20/11/2026 09:30 GMT +7 | Cập nhật: 21/11/2026 10:00 GMT +7",
        "Last updated 21 Nov 2026 10:00 (GMT+7) First published 20 Nov 2026 09:30 (GMT+7)",
        "입력 2026.11.20 09:30 (GMT+7) 수정 2026.11.21 10:00 (GMT+7)",
        "기사입력 2026.11.20 09:30 (GMT+7) 최종수정 2026.11.21 10:00 (GMT+7)",
        "등록 2026-11-20 09:30 (GMT+7) 수정 2026-11-21 10:00 (GMT+7)",
        "公開日：2026年11月20日 09:30 (GMT+7)更新日：2026年11月21日 10:00 (GMT+7)",
        "Data utworzenia: 20 listopada 2026 09:30 (GMT+7) Data aktualizacji: 21 listopada 2026 10:00 (GMT+7)",
        "Ostatnia aktualizacja: 21 listopada 2026 10:00 (GMT+7) Data publikacji: 20 listopada 2026 09:30 (GMT+7)",
        "Giriş: 20.11.2026 - 09:30 (GMT+7) Güncelleme: 21.11.2026 - 10:00 (GMT+7)",
        "Son Güncelleme: 21.11.2026 10:00 (GMT+7) Yayınlanma: 20.11.2026 09:30 (GMT+7)",
    ] {
        check(&format!("<h1>H</h1><p>{line}</p>"), both.0, both.1);
    }
    check("<h1>H</h1><p>20/11/2026 - 21/11/2026</p>", None, None);
}

#[test]
fn years_of_two_digits_stand_beside_the_headline() {
    check("<h1>H</h1><p>Thứ sáu, 20/11/26 09:30</p>", Some("2026-11-20T09:30:00"), None);
    check("<p>20/11/26</p><h1>H</h1>", None, None);
    check(&format!("<h1>H</h1>{}<p>20/11/26</p>", "<p>x".repeat(20)), None, None);
    check("<p class=date>20/11/26</p>", None, None);
}

#[test]
fn todays_date_is_not_the_articles() {
    let todays = "<div>Friday, 20 November 2026</div><div id=date>21/11/2026</div>";
    let between = "<p>x".repeat(20);
    check(&format!("{todays}{between}<h1>H</h1><p>text"), None, None);
    check("<p>Πέμπτη 20 Νοεμβρίου 2026</p><h1>H</h1><p>text", None, None);
    check("<p>November 20, 2026</p><h1>H</h1><p>text", Some("2026-11-20"), None);
}

#[test]
fn other_articles_dates_are_not_this_ones() {
    let list = "<ul><li>20.11.2026<li>21.11.2026</ul>";
    check(&format!("<h1>H</h1>{}{list}", "<p>x".repeat(20)), None, None);
    check(&format!("<h1>H</h1>{}<p>20.11.2026", "<p>x".repeat(300)), None, None);
    check("<div class=date>20.11.2026</div>", Some("2026-11-20"), None);
    check("<div class=date>20.11.2026</div><div class=date>21.11.2026</div>", None, None);
}

#[test]
fn a_million_times_are_no_matter() {
    let html = format!("<h1>H</h1>{}", "<time>1.1.2026</time>".repeat(100_000));
    check(&html, Some("2026-01-01"), None);
}

#[test]
fn names_of_elements_tell_changes_apart() {
    let both = (Some("2026-03-04T08:15:00Z"), Some("2026-03-06T09:00:00Z"));
    let (published, changed) = ("2026-03-04T08:15Z", "2026-03-06T09:00Z");
    let names = [
        ("time", "updated", "entry-date published"),
        ("div", "date-modified", "date-published"),
        ("span", "updated-date", "published-date"),
    ];
    for (tag, change, publication) in names {
        let of = |class: &str, date: &str| {
            if tag == "time" {
                return format!("<time class='{class}' datetime={date}>x</time>");
            }
            format!("<{tag} class='{class}'>{date}</{tag}>")
        };
        let (change, publication) = (of(change, changed), of(publication, published));
        check(&format!("<h1>H</h1>{change}{publication}"), both.0, both.1);
        check(&format!("<h1>H</h1>{publication}{change}"), both.0, both.1);
    }
    let unchanged =
        format!("<h1>H</h1><time class='entry-date published updated' datetime={published}>x</time>");
    check(&unchanged, both.0, None);
}

#[test]
fn a_time_of_the_labelled_day_is_kept() {
    let html =
        "<h1>H</h1><div><h4>Published</h4><p><time datetime=2026-03-04T12:00Z>March 4, 2026</time></div>";
    check(html, Some("2026-03-04T12:00:00Z"), None);
}

#[test]
fn dates_of_other_things_never_count() {
    let clock = "Monday, November 23, 2026";
    let before = [
        format!("<div class=current-date>{clock}</div>"),
        format!("<div class=date>{clock}</div>"),
        format!("<div class=date-now>{clock}</div>"),
        format!("<div class=header-time>{clock} 10:15</div>"),
        format!("<div id=date-today>{clock}</div>"),
        format!("<time>{clock}</time>"),
        "<div class=current-date>November 23, 2026</div>".to_owned(),
    ];
    let behind = [
        "<ul><li class=comment><time datetime=2026-03-09T10:00Z>x</time></ul>",
        "<span class=comment-date>March 9, 2026</span>",
        "<div class=related><time datetime=2026-03-09>x</time></div>",
        "<div class=latest-news><p><span class=date>March 9, 2026</span></div>",
        "<p>Copyright (c) January 1, 2026",
    ];
    for before in &before {
        check(&format!("{before}<main><h1>H</h1><p>text</main>"), None, None);
    }
    for behind in behind {
        check(&format!("<main><h1>H</h1><p>text</p>{behind}</main>"), None, None);
        let labelled = format!("<main><h1>H</h1><p>text</p>{behind}<p>Published on March 4, 2026</p></main>");
        check(&labelled, Some("2026-03-04"), None);
    }
    check("<main><h1>H</h1><p>x</main><footer><p>effective May 25, 2018</footer>", None, None);
    check("<h1>Ferry timetable for 12 April 2027</h1><p>text", None, None);
    let signed = "<h1>Ferry timetable for 12 April 2027</h1><p>By Jo Doe | March 4, 2026";
    check(signed, Some("2026-03-04"), None);
}

#[test]
fn the_footer_of_the_article_may_have_its_date() {
    let footer =
        "<div class=post-footer><abbr class=published title=2026-11-20T09:30:00-05:00>9:30 AM</abbr></div>";
    check(&format!("<h1>H</h1><p>x</p>{footer}"), Some("2026-11-20T09:30:00-05:00"), None);
}

#[test]
fn a_date_in_an_attribute_of_any_element() {
    let at = Some("2026-11-20T14:30:00Z");
    check("<h1>H</h1><span data-timestamp=1795185000>3 hours ago</span>", at, None);
    check("<h1>H</h1><a title=2026-11-20T14:30:00Z>3 hours ago</a>", at, None);
    check("<h1>H</h1><a title=2000480258>Share</a>", None, None);
}

#[test]
fn a_date_of_a_teaser_is_not_the_articles() {
    check("<h1>H</h1><p>x</p><div class=teaser><time datetime=2026-09-02>2 Sep</time></div>", None, None);
}

#[test]
fn the_sentence_of_a_blog_has_a_date() {
    for (sentence, date) in [
        (
            "This entry was posted on Friday, November 20th, 2026 at 9:30 am and is filed under <a>Rain</a>.",
            "2026-11-20T09:30:00",
        ),
        ("This entry was posted in <a>Rain</a> by An on November 20, 2026.", "2026-11-20"),
        ("Dieser Beitrag wurde am 20. November 2026 in <a>Regen</a> veröffentlicht.", "2026-11-20"),
    ] {
        let html = format!("<h1>H</h1>{}<div>{sentence}</div>", "<p>x".repeat(200));
        check(&html, Some(date), None);
    }
}
