//! Tests which visits make a trap, and what a trap excludes.

use super::*;

const HOST: HostId = HostId(0);

fn url(path: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.example{path}")).unwrap()
}

fn page(path: &str, result: PageResult) -> EndedPage {
    let (url, target) = (url(path), None);
    EndedPage { url, host: HOST, depth: 1, is_linked: true, leads_on: false, result, target }
}

fn found(path: &str) -> FoundUrl {
    FoundUrl { url: url(path), role: Role::Page, dated: None, news: false }
}

fn record(path: &str, role: Role, rank: u8) -> UrlRecord {
    UrlRecord {
        url: url(path).as_str().into(),
        host: HOST,
        role,
        depth: 1,
        hops: 0,
        tries: 0,
        state: UrlState::Ready { rank, sequence: 0 },
        dated: None,
        etag: None,
        last_modified: None,
        last: None,
        duplicate_of: None,
        archived: None,
        revisits: gleaner_frontier::RevisitSchedule::default(),
        failure: None,
    }
}

/// Whether a ready URL that a page links to is excluded.
fn is_excluded(traps: &Traps, path: &str) -> bool {
    traps.excludes(&url(path), &record(path, Role::Page, rank::OTHER)).is_some()
}

fn gained(traps: &mut Traps) -> Vec<(String, bool)> {
    traps.take_changes().into_iter().map(|change| (change.label, change.is_gained)).collect()
}

/// Ends `count` visits of pages whose paths are `before` and a number.
fn end(traps: &mut Traps, before: &str, count: usize, result: PageResult) {
    for number in 0..count {
        assert_eq!(traps.ended(&page(&format!("{before}{number}"), result)), None);
    }
}

/// Requests the URLs of a trap that a run may request.
fn recheck(traps: &mut Traps, path: &str) -> usize {
    let record = record(path, Role::Page, rank::OTHER);
    let mut count = 0;
    while traps.excludes(&url(path), &record).is_none() && count < 1000 {
        traps.requested(&url(path), &record);
        count += 1;
    }
    count
}

const CALENDAR: &str = "excluded: crawl.skip_traps: nothing new at /calendar/#";

#[test]
fn many_pages_without_an_article_are_a_trap() {
    let mut traps = Traps::new(true);
    end(&mut traps, "/calendar/", 59, PageResult::NoArticle);
    assert!(gained(&mut traps).is_empty());
    end(&mut traps, "/calendar/", 1, PageResult::NoArticle);
    assert_eq!(gained(&mut traps), [(CALENDAR.to_owned(), true)]);
    assert!(!is_excluded(&traps, "/calendar/9"), "some are requested to recheck the rule");
    assert_eq!(recheck(&mut traps, "/calendar/9"), 10);
    assert!(is_excluded(&traps, "/calendar/9") && !is_excluded(&traps, "/sport/9"));
}

#[test]
fn duplicates_are_a_trap_earlier() {
    let mut traps = Traps::new(true);
    let of = url("/first").key();
    end(&mut traps, "/story/", 29, PageResult::Repeated(of));
    assert!(gained(&mut traps).is_empty());
    end(&mut traps, "/story/", 1, PageResult::Repeated(of));
    assert_eq!(gained(&mut traps).len(), 1);
}

#[test]
fn failures_say_nothing_and_one_new_article_starts_the_count_again() {
    let mut traps = Traps::new(true);
    for result in [PageResult::Missing, PageResult::Unknown] {
        end(&mut traps, "/a/", 500, result);
    }
    for _ in 0..20 {
        end(&mut traps, "/a/", 59, PageResult::NoArticle);
        end(&mut traps, "/a/", 1, PageResult::New);
    }
    assert!(gained(&mut traps).is_empty());
}

#[test]
fn a_list_that_leads_to_articles_is_no_trap() {
    let mut traps = Traps::new(true);
    for number in 0..200 {
        let list = url(&format!("/list?page={number}"));
        let next = found(&format!("/list?page={}", number + 1));
        assert!(!traps.entered(&list, &next, rank::OTHER), "the next page alone is nothing new");
        let leads_on = traps.entered(&list, &found(&format!("/story/{number}")), rank::ARTICLE);
        assert!(leads_on);
        assert_eq!(traps.ended(&page(&format!("/story/{number}"), PageResult::New)), None);
        let ended = EndedPage { leads_on, ..page(&format!("/list?page={number}"), PageResult::NoArticle) };
        assert_eq!(traps.ended(&ended), None);
    }
    assert!(gained(&mut traps).is_empty());
}

#[test]
fn two_kinds_of_pages_that_lead_only_to_each_other_are_traps() {
    let mut traps = Traps::new(true);
    for number in 0..200 {
        for (here, there) in [("/month/", "/day/"), ("/day/", "/month/")] {
            let here = format!("{here}{number}");
            let leads_on = traps.entered(&url(&here), &found(&format!("{there}{number}9")), rank::OTHER);
            let _ = traps.ended(&EndedPage { leads_on, ..page(&here, PageResult::NoArticle) });
        }
    }
    assert_eq!(gained(&mut traps).len(), 2);
}

#[test]
fn what_lists_name_is_always_requested() {
    let mut traps = Traps::new(true);
    end(&mut traps, "/calendar/", 60, PageResult::NoArticle);
    recheck(&mut traps, "/calendar/9");
    for (role, rank, is_excluded) in [
        (Role::Page, rank::OTHER, true),
        (Role::Page, rank::ARTICLE, true),
        (Role::Page, rank::NEWS, false),
        (Role::Page, rank::RECHECK, false),
        (Role::Page, rank::ARCHIVE, false),
        (Role::Page, rank::SECTION, false),
        (Role::Page, rank::LISTING, false),
        (Role::Front, rank::LISTING, false),
        (Role::Section, rank::SECTION, false),
        (Role::Feed, rank::LISTING, false),
        (Role::Sitemap, rank::ARTICLE, false),
    ] {
        let excluded = traps.excludes(&url("/calendar/9"), &record("/calendar/9", role, rank)).is_some();
        assert_eq!(excluded, is_excluded, "{role:?} {rank}");
    }
    let redirected = UrlRecord { hops: 1, ..record("/calendar/9", Role::Page, rank::LISTING) };
    assert!(traps.excludes(&url("/calendar/9"), &redirected).is_some(), "redirects may be a trap too");
}

#[test]
fn a_run_rechecks_the_traps_of_the_last_one() {
    let rule = CALENDAR.strip_prefix("excluded: ").unwrap();
    let mut traps = Traps::new(true);
    traps.load("a.example", [rule]);
    assert_eq!(gained(&mut traps), [(CALENDAR.to_owned(), true)], "the counts of this run contain it too");
    for number in 0..10 {
        let found = found(&format!("/calendar/{number}"));
        assert_eq!(traps.refuses(&found, rank::OTHER), None);
        assert!(!traps.entered(&url("/"), &found, rank::OTHER));
    }
    assert!(traps.refuses(&found("/calendar/10"), rank::OTHER).is_some());
    assert!(traps.refuses(&found("/calendar/10"), rank::NEWS).is_none());
    assert_eq!(recheck(&mut traps, "/calendar/1"), 10);
    end(&mut traps, "/calendar/", 10, PageResult::NoArticle);
    assert!(gained(&mut traps).is_empty() && is_excluded(&traps, "/calendar/1"));
    end(&mut traps, "/calendar/", 1, PageResult::New);
    assert_eq!(gained(&mut traps), [(CALENDAR.to_owned(), false)]);
    assert!(!is_excluded(&traps, "/calendar/1"));
}

#[test]
fn nothing_is_a_trap_if_the_setting_is_off() {
    let mut traps = Traps::new(false);
    traps.load("a.example", [CALENDAR.strip_prefix("excluded: ").unwrap()]);
    end(&mut traps, "/calendar/", 500, PageResult::NoArticle);
    assert!(gained(&mut traps).is_empty() && !is_excluded(&traps, "/calendar/1"));
}

#[test]
fn the_patterns_of_a_host_are_bounded() {
    let mut traps = Traps::new(true);
    let word = |number: usize| -> String {
        number.to_string().bytes().map(|digit| char::from(b'a' + digit - b'0')).collect()
    };
    for number in 0..2_000 {
        let _ = traps.ended(&page(&format!("/{}/x", word(number)), PageResult::NoArticle));
    }
    assert_eq!(
        gained(&mut traps),
        [("excluded: crawl.skip_traps: nothing new at /{word}/{word}".into(), true)]
    );
    assert!(traps.hosts["a.example"].patterns.len() <= 400);
}

/// The path of a story with a session id.
fn session(story: usize, id: usize) -> String {
    format!("/story-{story}.html?token={id:08x}")
}

/// Ends visits of three stories under different session ids. Returns the URL to request.
fn visit_stories(traps: &mut Traps) -> Option<CanonicalUrl> {
    let mut probe = None;
    for id in 0..15 {
        let story = id % 3;
        let of = url(&session(story, story)).key();
        let result = if id < 3 { PageResult::New } else { PageResult::Repeated(of) };
        probe = probe.or(traps.ended(&page(&session(story, id), result)));
    }
    probe
}

const TOKEN: &str = "excluded: crawl.skip_traps: session parameter token";

#[test]
fn a_parameter_without_effect_is_removed_when_the_page_exists_without_it() {
    let mut traps = Traps::new(true);
    let probe = visit_stories(&mut traps).unwrap();
    assert_eq!(probe.as_str(), "http://a.example/story-0.html");
    assert!(gained(&mut traps).is_empty() && traps.without_session(&url(&session(1, 9))).is_none());
    let result = PageResult::Repeated(url(&session(0, 0)).key());
    assert_eq!(traps.ended(&page("/story-0.html", result)), None);
    assert_eq!(gained(&mut traps), [(TOKEN.to_owned(), true)]);
    let (plain, rule) = traps.without_session(&url("/list?page=2&token=0000001f")).unwrap();
    assert_eq!((plain.as_str(), rule.as_str()), ("http://a.example/list?page=2", &TOKEN[10..]));
    assert!(traps.without_session(&url("/list?page=2")).is_none());
}

#[test]
fn a_parameter_that_the_page_needs_stays() {
    for result in [PageResult::Missing, PageResult::NoArticle, PageResult::New] {
        let mut traps = Traps::new(true);
        let probe = visit_stories(&mut traps).unwrap();
        assert_eq!(traps.ended(&EndedPage { url: probe, ..page("/", result) }), None);
        assert!(visit_stories(&mut traps).is_none() && gained(&mut traps).is_empty(), "{result:?}");
    }
}

#[test]
fn a_redirect_that_adds_the_parameter_shows_that_it_is_a_session_id() {
    let mut traps = Traps::new(true);
    let probe = visit_stories(&mut traps).unwrap();
    let target = Some(url(&session(0, 77)));
    let _ = traps.ended(&EndedPage { url: probe, target, ..page("/", PageResult::NoArticle) });
    assert_eq!(gained(&mut traps), [(TOKEN.to_owned(), true)]);
}

#[test]
fn a_parameter_with_an_effect_or_with_ordinary_values_stays() {
    let mut traps = Traps::new(true);
    let stories = |traps: &mut Traps, path: &dyn Fn(usize, usize) -> String, is_new: bool| {
        (0..40).any(|id| {
            let (story, first) = (id % 4, url(&path(id % 4, id % 4)).key());
            let result = if id < 4 || is_new { PageResult::New } else { PageResult::Repeated(first) };
            traps.ended(&page(&path(story, id), result)).is_some()
        })
    };
    assert!(!stories(&mut traps, &|story, id| format!("/s{story}?number={id:08x}"), true));
    assert!(!stories(&mut traps, &|story, id| format!("/s{story}?page={id}"), false));
    assert!(!stories(&mut traps, &|story, id| format!("/s{story}?day=202611{:02}", id % 28 + 1), false));
    assert!(!stories(&mut traps, &|_, id| format!("/one?missing={id:08x}"), false), "one page is too few");
}

#[test]
fn a_session_parameter_is_needed_after_all_if_pages_are_missing_without_it() {
    let mut traps = Traps::new(true);
    traps.load("a.example", [&TOKEN[10..]]);
    let _ = gained(&mut traps);
    for story in 0..5 {
        let (plain, _) = traps.without_session(&url(&session(story, 1))).unwrap();
        let _ = traps.ended(&EndedPage { url: plain, ..page("/", PageResult::Missing) });
    }
    assert_eq!(gained(&mut traps), [(TOKEN.to_owned(), false)]);
    assert!(traps.without_session(&url(&session(1, 1))).is_none());
}

#[test]
fn only_the_duplicates_of_the_same_host_count() {
    let of = url("/a").key();
    assert_eq!(PageResult::of(&Outcome::Duplicate { of }, true), PageResult::Repeated(of));
    assert_eq!(PageResult::of(&Outcome::Duplicate { of }, false), PageResult::Unknown);
    let wall = Outcome::NotArticle { reason: "login_wall".into() };
    assert_eq!(PageResult::of(&wall, false), PageResult::Unknown);
}

#[test]
fn the_rule_of_a_url_is_found_in_the_counts() {
    let refused = [(CALENDAR, 3), (TOKEN, 0), ("out_of_scope", 9)];
    let counts =
        Counts { refused: refused.map(|(label, count)| (label.into(), count)).into(), ..Counts::default() };
    assert_eq!(rules_of(&counts).count(), 2);
    assert_eq!(trap_rule(&counts, &url("/calendar/7")), CALENDAR.strip_prefix("excluded: "));
    assert_eq!(trap_rule(&counts, &url("/x?token=1")), TOKEN.strip_prefix("excluded: "));
    assert_eq!(trap_rule(&counts, &url("/x")), None);
    assert_eq!(excluded_by(&counts, &CALENDAR[10..]), 3);
}
