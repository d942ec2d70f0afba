//! Tests of by-lines, authors and credits.

use super::*;
use crate::title::Site;

fn of_paper() -> Names<'static> {
    let site = Site { name: Some("Báo Mới"), address: Some("https://the-paper.vn/a") };
    Names { site, ..Names::default() }
}

#[test]
fn names_are_cleaned_and_parted() {
    let cases: [(&str, &[&str]); 53] = [
        ("\"An Example\"", &["An Example"]),
        ("An Example (ane)", &["An Example"]),
        ("<a href=/an>An Example</a>", &["An Example"]),
        ("An Example | an@the-paper.vn", &["An Example"]),
        ("김하나 기자", &["김하나"]),
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
        ("Example, An", &["An Example"]),
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
        ("An Example, Sr. Director of Rain", &["An Example"]),
        ("An Example - The Rain Team", &["An Example"]),
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
        assert_eq!(of_paper().declared(&[text.to_owned()]), expected, "{text}");
    }
}

#[track_caller]
fn check(html: &str, expected: &[&str]) {
    let page = Page::parse(html);
    let headline = page.elements("h1").next();
    let found = byline(&page, &Items::from_page(&page), [], headline, &of_paper());
    assert_eq!(found.authors, expected, "{html}");
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
fn declared_persons_come_first_unless_they_are_the_sites() {
    let page = Page::parse("<h1>H</h1><p class=byline>By An Example</p>");
    let of = |stated: &str| {
        let (items, headline) = (Items::from_page(&page), page.elements("h1").next());
        byline(&page, &items, [vec![stated.to_owned()]], headline, &of_paper()).authors
    };
    assert_eq!(of("Bo Sample"), ["Bo Sample"]);
    assert_eq!(of("Báo Mới"), ["An Example"]);
}

#[test]
fn byline_stops_before_a_date() {
    for byline in [
        "<div><p>By An Example</p><p>Nov 19, 2026</p></div>",
        "<div><div>By An Example</div><div>Published <time>Nov 19</time></div></div>",
        "<p><span>By An Example</span> <span>November 19, 2026</span></p>",
        "<p>By An Example November 19, 2026</p>",
        "<p>By An Example on Friday, 20 November 2026</p>",
        "<p>Posted by An Example on Fri Nov 20, 2026</p>",
        "<p class=byline>An Example Published Nov. 20, 2026</p>",
        "<p class=byline>An Example Released: June 2026</p>",
    ] {
        check(&format!("<h1>H</h1>{byline}"), &["An Example"]);
    }
    check("<h1>H</h1><p>By An May 19, 2026</p>", &["An May"]);
}

#[test]
fn byline_stops_before_a_role_or_a_paper() {
    for byline in [
        "<p>By An Example, Staff Writer</p>",
        "<div><div>By An Example</div><div>The Harbour Wire</div></div>",
        "<p>By An Example, The Paper</p>",
        "<p>An Example, The Paper, 19 Nov 2026</p>",
        "<div><div>An Example</div><div>Environment correspondent</div></div>",
        "<p class=author>Updated by An Example</p>",
        "<p><span>By</span><span>by An Example</span></p>",
        "<p>Von An Example, Hafenstadt</p>",
        "<p class=author>An Example, TOWN RADIO</p>",
    ] {
        check(&format!("<h1>H</h1>{byline}"), &["An Example"]);
    }
    check("<h1>H</h1><p>Von An Example und Bo Sample</p>", &["An Example", "Bo Sample"]);
    check("<h1>H</h1><p>New York, Nov 19, 2026</p>", &[]);
}

#[test]
fn byline_keeps_only_the_persons() {
    for byline in [
        "<p class=byline>--By An Example</p>",
        "<p class=byline>By An Example/Harbour Staff</p>",
        "<p class=byline>By An Example, The Paper / For the Rain blog</p>",
        "<p class=byline>By An Example Special to The Harbour</p>",
        "<p class=byline>By An Example The Harbour Gazette</p>",
        "<p>Par An Example avec AFP</p>",
        "<p>(Reporting by An Example; Editing by Bo Sample)</p>",
        "<p>Text: An Example<br>Foto: Bo Sample</p>",
        "<p style='text-align:right'><b>An Example</b><br><i>Ảnh:</i> BO</p>",
        "<p>Opinion by An Example</p>",
        "<p>Di An Example</p>",
    ] {
        check(&format!("<h1>H</h1>{byline}"), &["An Example"]);
    }
    check("<h1>H</h1><p class=byline>By AN EXAMPLE Associated Press</p>", &["AN EXAMPLE"]);
    check("<h1>H</h1><p>By An Example with Bo Sample</p>", &["An Example", "Bo Sample"]);
    check("<h1>H</h1><p>Photo: An Example</p>", &[]);
}

#[test]
fn byline_may_precede_the_headline() {
    check("<p>20 November <i>by An Example</i></p><h1>H</h1>", &["An Example"]);
    check("<p>by Bo Sample</p><h1>H</h1><p>by An Example</p>", &["An Example"]);
}

#[test]
fn byline_may_follow_a_date() {
    for line in [
        "20 November 2026, by An Example",
        "Posted on Nov 20, 2026 by An Example in News",
        "Veröffentlicht am 20.11.2026 von An Example",
    ] {
        check(&format!("<h1>H</h1><p>{line}</p>"), &["An Example"]);
    }
    check("<h1>H</h1><p>Rain Days 2026 - A Talk by An Example</p>", &[]);
}

#[test]
fn authors_of_other_stories_are_left_out() {
    let byline = "<p class=author>Bo Sample</p>";
    for list in ["<div class=most-read>", "<div class=teaser>", "<article><h3>Other</h3>"] {
        check(&format!("<article><h1>H</h1><p>x</p></article>{list}{byline}"), &[]);
    }
    check(&format!("<h1>H</h1>{}<div class=sidebar>{byline}</div>", "<p>x".repeat(100)), &[]);
    check(&format!("<h1>H</h1><article><p>x</p>{byline}</article>"), &["Bo Sample"]);
}

#[test]
fn author_box_is_read_without_its_label() {
    check(
        "<h1>H</h1><div class=author-box><h4>About An Example</h4><p>An writes.</p></div>",
        &["An Example"],
    );
}

#[test]
fn labelled_organizations_and_sources_are_credits() {
    let credits = |html: &str| {
        let page = Page::parse(html);
        let (items, headline) = (Items::from_page(&page), page.elements("h1").next());
        byline(&page, &items, [], headline, &of_paper()).credits
    };
    for (line, credit) in [
        ("<p>By Reuters</p>", "Reuters"),
        ("<p>By the Associated Press</p>", "Associated Press"),
        ("<p>By Staff Reporter</p>", "Staff Reporter"),
        ("<p class=byline>By staff and wire reports</p>", "staff and wire reports"),
        ("<p>来源：<a>某晚报</a></p>", "某晚报"),
        ("<p>x</p><p><b>(Theo Tin Xa)</b></p>", "Tin Xa"),
    ] {
        assert_eq!(credits(&format!("<h1>H</h1>{line}")), [credit], "{line}");
    }
    assert_eq!(credits("<h1>H</h1><p>By Reuters</p><p>By An Example</p>"), [""; 0]);
    assert_eq!(credits("<h1>H</h1><p>Theo Tin Xa, mưa đã tạnh.</p><p>x</p>"), [""; 0]);
}

#[test]
fn equal_elements_are_one_list_of_authors() {
    let names = ["An Example", "Bo Sample"];
    check("<h1>H</h1><p class=byline><i>An Example</i> <i>Bo Sample</i> <b>Old Harbour</b></p>", &names);
    check("<h1>H</h1><ul><li class=author>An Example<li class=author>Bo Sample</ul>", &names);
    check("<h1>H</h1><p><a href=/author/an>An Example</a>, <a href=/author/bo>Bo Sample</a></p>", &names);
}

#[test]
fn texts_that_are_no_names_are_left_out() {
    for text in
        ["Login New to us?", "Veröffentlicht am Montag", "5 min read", "By", "Written by", "Sat", "Oct"]
    {
        check(&format!("<h1>H</h1><p class=author>{text}</p>"), &[]);
    }
}

#[test]
fn signatures_at_the_end() {
    for signature in [
        "<p>Reporting by An Example in Harbour Town; Editing by Bo Sample</p>",
        "<p><b>An Example</b> (tổng hợp)</p>",
        "<p><b>An Example</b> (theo <i>Tin Xa</i>)</p>",
        "<ul><li><b>Autorin/Autor</b> An Example</ul>",
    ] {
        check(&format!("<h1>H</h1>{}{signature}", "<p>x".repeat(200)), &["An Example"]);
    }
    check("<h1>H</h1><p>x</p><p><b>An Example</b> (mayor)</p>", &[]);
    let far = "<p>x".repeat(200);
    check(&format!("<h1>H</h1>{far}<h3>Written by An Example</h3>"), &["An Example"]);
    let comments = "<p>Posted by An Example</p><p>Posted by Bo Sample</p>";
    check(&format!("<h1>H</h1>{far}{comments}"), &[]);
}

#[test]
fn persons_come_before_desks_and_nicknames() {
    let html = "<h1>H</h1><p class=byline>By An Example</p>";
    let found = |declared: &[&str]| {
        let page = Page::parse(html);
        let declared = declared.iter().map(|name| vec![(*name).to_owned()]);
        let (items, headline) = (Items::from_page(&page), page.elements("h1").next());
        byline(&page, &items, declared, headline, &of_paper()).authors
    };
    for other in ["Web desk", "admin", "an_ex", "News Agency"] {
        assert_eq!(found(&[other]), ["An Example"], "{other}");
    }
    assert_eq!(found(&["an_ex", "Bo Sample"]), ["Bo Sample"]);
}

#[test]
fn organizations_in_place_of_a_person_are_credits() {
    let page = Page::parse("<h1>H</h1>");
    let organizations = ["Old Harbour".to_owned()];
    let names = Names { organizations: &organizations, ..of_paper() };
    let credited = |declared: &[&str]| {
        let declared = vec![declared.iter().map(|name| (*name).to_owned()).collect()];
        byline(&page, &Items::from_page(&page), declared, None, &names)
    };
    for name in [
        "Reuters",
        "AFP",
        "dpa",
        "Web desk",
        "Staff Writer",
        "The Harbour Gazette",
        "某通信社",
        "Ban Biên tập",
        "Old Harbour",
        "Báo Mới",
        "the-paper.vn",
    ] {
        let expected = Byline { credits: vec![name.to_owned()], ..Byline::default() };
        assert_eq!(credited(&[name]), expected, "{name}");
    }
    for authors in [&["an_ex"][..], &["An"], &["An Example", "AFP"], &["Ani"], &["an/bo", "dpa"]] {
        assert_eq!(credited(authors).authors, authors);
    }
    assert_eq!(credited(&["Báo Mới", "AFP"]).credits, ["AFP"]);
}

#[test]
fn persons_who_have_a_site_are_authors() {
    let of = |name: Option<&'static str>, address: &'static str| Names {
        site: Site { name, address: Some(address) },
        ..Names::default()
    };
    let declared = |names: Names| names.declared(&["An Example".to_owned()]);
    for names in [
        of(Some("Notes on Rain"), "https://anexample.net/a"),
        of(Some("An Example"), "https://an-example.platform.net/a"),
        of(None, "https://anexample.platform.net/a"),
    ] {
        assert_eq!(declared(names), ["An Example"]);
    }
    for names in [
        of(Some("An Example"), "https://anexample.net/a"),
        of(Some("An Example Online"), "https://www.anexample.net/a"),
        of(None, "https://anexample.co.uk/a"),
    ] {
        assert_eq!(declared(names), [""; 0]);
    }
}

#[test]
fn owners_are_no_authors() {
    let names = Names { owners: vec!["Copyright (c) Old Harbour 2026".to_owned()], ..of_paper() };
    assert_eq!(names.declared(&["Old Harbour".to_owned()]), [""; 0]);
    assert_eq!(names.declared(&["Harbour Inc.".to_owned()]), [""; 0]);
    assert_eq!(names.declared(&["An Example".to_owned()]), ["An Example"]);
    let persons = ["Old Harbour".to_owned()];
    let names = Names { persons: &persons, ..names };
    assert_eq!(names.declared(&persons), persons);
}
