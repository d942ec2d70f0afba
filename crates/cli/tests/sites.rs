//! Tests the settings of single sites, and the setting for the first day of publication.

use std::collections::BTreeSet;
use std::fs;
use std::process::Output;
use std::time::Duration;

use crate::newspaper::Crawl;

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs a command with these settings.
fn run(crawl: &Crawl, settings: &str, arguments: &[&str]) -> String {
    fs::write(crawl.folder.path().join("gleaner.toml"), settings).unwrap();
    let seeds = if arguments[0] == "crawl" { &["--seeds", "seeds.txt"][..] } else { &[] };
    let config = ["--config", "gleaner.toml", "--set", "crawl.revisit=1ms"];
    text(&crawl.run(&[arguments, seeds, &config].concat()))
}

/// Returns the paths of a host that were requested, in order.
fn paths(crawl: &Crawl, host: &str) -> Vec<String> {
    let requests = crawl.newspaper.requests().into_iter();
    requests.filter(|request| request.host == host).map(|request| request.path).collect()
}

fn is_list(path: &str) -> bool {
    path == "/"
        || [".txt", ".xml", ".gz", ".rss", ".atom", ".json"].iter().any(|ending| path.ends_with(ending))
}

#[test]
fn only_what_the_rules_of_a_site_allow_is_fetched() {
    let crawl = Crawl::new(Duration::ZERO);
    let settings = "[site.\"villagepost.example\"]\nsections = [\"/sport\"]\nexclude = ['/2026/11/1']\n\
        [site.\"baolang.example\"]\ninclude = ['/doi-song']\n[site.\"other.example\"]\n";
    let said = run(&crawl, settings, &["crawl"]);
    let unused = "gleaner.toml, line 6: other.example is the site of no seed, so its settings have no effect";
    assert!(said.contains(unused), "{said}");
    let pages = |host: &str| -> Vec<String> {
        let pages =
            paths(&crawl, host).into_iter().filter(|path| !is_list(path) && !path.starts_with("/feed"));
        pages.collect()
    };
    let (english, vietnamese) = (pages("villagepost.example"), pages("baolang.example"));
    let is_sport = |path: &String| path.starts_with("/sport") && !path.contains("/2026/11/1");
    assert!(english.len() > 3 && english.iter().all(is_sport), "{english:?}");
    assert!(
        vietnamese.len() > 3 && vietnamese.iter().all(|path| path.contains("/doi-song")),
        "{vietnamese:?}"
    );
    for reason in
        ["excluded: outside sections", "excluded: exclude /2026/11/1", "excluded: no include matches"]
    {
        assert!(said.contains(reason), "{said} lacks {reason}");
    }
    let doctor =
        |path: &str| run(&crawl, settings, &["doctor", &format!("http://villagepost.example{path}")]);
    let outside = doctor("/village/2026/12/24/a-title");
    assert!(outside.contains("the settings exclude it (outside sections)"), "{outside}");
    let excluded = doctor("/sport/2026/11/10/quoits-champion-retires");
    assert!(excluded.contains("the settings exclude it (exclude /2026/11/1)"), "{excluded}");
    let allowed = doctor("/sport/2026/12/24/a-title");
    assert!(!allowed.contains("settings"), "{allowed}");
}

#[test]
fn rules_apply_to_urls_that_are_known() {
    let crawl = Crawl::new(Duration::ZERO);
    run(&crawl, "", &["crawl", "--max-pages", "8"]);
    let is_sport = |path: &String| path.starts_with("/sport/");
    let sport = || paths(&crawl, "villagepost.example").iter().filter(|path| is_sport(path)).count();
    let before = sport();
    let said = run(&crawl, "[site.\"villagepost.example\"]\nexclude = ['/sport/']\n", &["crawl"]);
    assert_eq!(sport(), before, "{said}");
    assert!(said.contains("Outcomes") && said.contains("excluded: exclude /sport/"), "{said}");
}

#[test]
fn a_site_has_its_own_limits_languages_and_delay() {
    let crawl = Crawl::new(Duration::ZERO);
    let settings = "[site.\"villagepost.example\"]\nmax_pages = 20\nlanguages = [\"vi\"]\n\
        [site.\"baolang.example\"]\ndelay = \"1500ms\"\nmax_pages = 2\n";
    let said = run(&crawl, settings, &["crawl"]);
    assert!(said.contains("site.\"villagepost.example\".max_pages = 20 reached"), "{said}");
    assert!(said.contains("The same command continues"), "{said}");
    assert!(said.contains("other_language: en"), "{said}");
    let is_page = |path: &&String| !["/robots.txt", "/.well-known/tdmrep.json"].contains(&path.as_str());
    let pages = |host: &str| paths(&crawl, host).iter().filter(is_page).count();
    assert_eq!((pages("villagepost.example"), pages("baolang.example")), (20, 2));
    let requests = crawl.newspaper.requests();
    let of_site: Vec<_> = requests.into_iter().filter(|it| it.host == "baolang.example").collect();
    crate::newspaper::check_gaps(&of_site, Duration::from_millis(1500));
    let hosts = run(&crawl, settings, &["hosts", "--json"]);
    let gap = |host: &str| {
        let mut lines = hosts.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        lines.find(|line| line["host"] == host).unwrap()["gap"].as_f64().unwrap()
    };
    assert!((gap("baolang.example") - 1.5).abs() < 1e-9 && gap("villagepost.example") < 1.0, "{hosts}");
}

#[test]
fn articles_before_the_first_day_are_neither_fetched_nor_stored() {
    let crawl = Crawl::new(Duration::ZERO);
    let day = "2026-11-10";
    let said = run(&crawl, &format!("[crawl]\npublished_after = \"{day}\"\n"), &["crawl"]);
    assert!(said.contains("excluded: published before 2026-11-10"), "{said}");
    let in_path = |path: &String| {
        let parts: Vec<&str> = path.split('/').collect();
        (parts.len() > 4 && parts[2].len() == 4).then(|| parts[2..5].join("-"))
    };
    let fetched: BTreeSet<String> = paths(&crawl, "villagepost.example").iter().filter_map(in_path).collect();
    assert!(!fetched.is_empty() && fetched.iter().all(|found| found.as_str() >= day), "{fetched:?}");
    let stored = crawl.export(&["--members"]);
    assert!(stored.len() > 5);
    for document in stored {
        let published = document["published"].as_str().unwrap_or("9999-99-99");
        assert!(&published[..10] >= day, "{document}");
    }
}

#[test]
fn the_pins_of_a_site_are_those_of_its_hosts() {
    let crawl = Crawl::new(Duration::ZERO);
    let words = |what: &str| {
        format!("The council agreed, after long talks, on a {what} across the river. ").repeat(12)
    };
    let page = format!(
        "<title>Bridge</title><div class=story><p>{}</p><p class=plea>{}</p></div>",
        words("bridge"),
        words("ferry")
    );
    fs::write(crawl.folder.path().join("page.html"), page).unwrap();
    let extract = |settings: &str| {
        fs::write(crawl.folder.path().join("gleaner.toml"), settings).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gleaner"));
        let page =
            ["extract", "page.html", "--url", "http://www.a.example/bridge", "--config", "gleaner.toml"];
        text(&command.current_dir(crawl.folder.path()).args(page).output().unwrap())
    };
    let count = |settings: &str| extract(settings).matches("The council agreed").count();
    assert_eq!(count(""), 24);
    assert_eq!(count("[site.\"a.example\".pins]\ndrop = [\".plea\"]\n"), 12);
    assert_eq!(count("[site.\"b.example\".pins]\ndrop = [\".plea\"]\n"), 24);
    let wrong = extract("[site.\"a.example\".pins]\ndrop = [\n'p:nth-child(2)']\n");
    assert!(wrong.contains("gleaner.toml, line 3: `p:nth-child(2)`"), "{wrong}");
}

#[test]
fn what_is_wrong_with_a_site_is_named_with_its_line() {
    let crawl = Crawl::new(Duration::ZERO);
    for (settings, expected) in [
        ("\n[site.\"www.bbc.com\"]\n", "gleaner.toml, line 2: site.\"www.bbc.com\": a site is a registrable"),
        ("[site.\"bbc.com\"]\nmax = 5\n", "gleaner.toml, line 2: unknown field `max`"),
        ("[site.\"bbc.com\"]\ninclude = ['(']\n", "gleaner.toml, line 2: site.\"bbc.com\".include: \"(\":"),
    ] {
        let said = run(&crawl, settings, &["crawl"]);
        assert!(said.starts_with(&format!("gleaner: {expected}")) && said.lines().count() == 1, "{said}");
    }
    assert_eq!(crawl.newspaper.request_count(), 0);
}
