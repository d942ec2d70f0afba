//! Tests seeds: the corpus knows the seeds of its last crawl, and a crawl accepts sites as arguments.

use std::fs;
use std::process::Output;
use std::time::Duration;

use serde_json::Value;

use crate::newspaper::Crawl;

fn crawl() -> Crawl {
    Crawl::new(Duration::ZERO)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn doctor(crawl: &Crawl, what: &str) -> String {
    text(&crawl.run(&["doctor", what]))
}

fn seeds_in_json(crawl: &Crawl, command: &str) -> Vec<(String, Value)> {
    let output = crawl.run(&[command, "--json"]);
    let lines = String::from_utf8(output.stdout).unwrap();
    let values = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let hosts = values.flat_map(|value| match value["hosts"].as_array() {
        Some(hosts) => hosts.clone(),
        None => vec![value],
    });
    let name = |host: &Value| host["host"].as_str().or(host["name"].as_str()).unwrap().to_owned();
    hosts.map(|host| (name(&host), host["seed"].clone())).collect()
}

#[test]
fn the_corpus_knows_its_seeds_without_the_file() {
    let crawl = crawl();
    let output = crawl.run(&["crawl", "--seeds", "seeds.txt", "--max-pages", "4"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("The run has reached its pages (crawl.max_pages)"), "{said}");
    // No host has a template yet, so none is suggested.
    let shown = crawl.run(&["template", "show", "baolang.exmaple"]);
    let said = String::from_utf8(shown.stderr).unwrap();
    assert!(said.contains("has no template; `gleaner template list` lists all templates"), "{said}");
    fs::remove_file(crawl.folder.path().join("seeds.txt")).unwrap();
    let expected = [("baolang.example", "seeds.txt line 1"), ("villagepost.example", "seeds.txt line 2")];
    for round in ["crawl", "rebuild"] {
        for (host, origin) in expected {
            let said = doctor(&crawl, host);
            assert!(said.contains(&format!("in scope: {host} is a site of {origin}")), "{round}: {said}");
        }
        let said = doctor(&crawl, "http://other.example/a");
        assert!(said.contains("out of scope: other.example is not among the seed sites (2)"), "{said}");
        for command in ["hosts", "report"] {
            let seeds = seeds_in_json(&crawl, command);
            for (host, origin) in expected {
                let of_host = seeds.iter().filter(|(name, _)| name == host);
                let of_host: Vec<&Value> = of_host.map(|(_, seed)| seed).collect();
                assert_eq!(of_host, [origin], "{round}: {command}");
            }
        }
        let options = gleaner_store::StoreOptions { cache: 1 << 20, create: false };
        let held = gleaner_store::open(&crawl.folder.path().join("data"), &options).unwrap();
        let refused = text(&crawl.run(&["rebuild"]));
        assert!(refused.contains("is in use by"), "{refused}");
        drop(held);
        let rebuilt = crawl.run(&["rebuild"]);
        assert!(rebuilt.status.success(), "{}", text(&rebuilt));
    }
}

#[test]
fn sites_are_arguments_and_replace_the_seeds_of_the_settings() {
    let crawl = crawl();
    let settings = "[crawl]\nseeds = [\"seeds.txt\"]\n";
    fs::write(crawl.folder.path().join("gleaner.toml"), settings).unwrap();
    let config = ["--config", "gleaner.toml", "--max-pages", "4"];
    let one = crawl.run(&[&["crawl", "http://villagepost.example/"][..], &config].concat());
    assert!(text(&one).contains("villagepost.example"), "{}", text(&one));
    let asked = |crawl: &Crawl| {
        let mut hosts: Vec<String> = crawl.newspaper.requests().into_iter().map(|it| it.host).collect();
        hosts.sort();
        hosts.dedup();
        hosts
    };
    assert_eq!(asked(&crawl), ["villagepost.example"]);
    let said = doctor(&crawl, "villagepost.example");
    assert!(said.contains("in scope: villagepost.example is a site of the command line"), "{said}");
    // The corpus still knows a host that an earlier crawl visited, but the next crawl does not crawl it.
    crawl.run(&[&["crawl", "http://baolang.example/"][..], &config].concat());
    assert_eq!(asked(&crawl), ["baolang.example", "villagepost.example"]);
    let said = doctor(&crawl, "villagepost.example");
    assert!(said.contains("not among the seed sites"), "{said}");
    let hosts = text(&crawl.run(&["hosts", "--filter", "not among the seeds"]));
    assert!(hosts.contains("villagepost.example") && !hosts.contains("baolang"), "{hosts}");
}

#[test]
fn seeds_are_checked_before_a_crawl() {
    let crawl = crawl();
    let sites = ["http://villagepost.example/sport", "http://nowhere.example/"];
    let seeds = sites.join("\n") + "\nhttp://baolang.example/\n";
    fs::write(crawl.folder.path().join("seeds.txt"), seeds).unwrap();
    let output = crawl.run(&["seeds", "check", "--seeds", "seeds.txt"]);
    let shown = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{shown}\n{said}");
    assert!(said.contains("seeds that cannot be crawled: 1 of 3"), "{said}");
    assert!(said.contains("seeds checked: 3 of 3"), "{said}");
    let row = |site: &str| {
        let line = shown.lines().find(|line| line.contains(site)).unwrap_or_else(|| panic!("{shown}"));
        line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    for site in ["villagepost.example/spo…", "baolang.example"] {
        let row = row(site);
        assert_eq!((row[1].as_str(), row.last().unwrap().as_str()), ("rules", "works"), "{shown}");
        assert!(row[4].parse::<u32>().unwrap() > 5 && row[5].parse::<u32>().unwrap() > 50, "{shown}");
    }
    assert_eq!(row("nowhere.example").last().unwrap(), "fails", "{shown}");
    assert!(shown.contains("nowhere.example (seeds.txt line 2): fails: "), "{shown}");
    // The requests for each site are robots.txt, the front page, the feed, an index with one of its sitemaps,
    // and up to three articles. The newspaper answers the first request for two of the articles with an
    // error.
    for host in ["villagepost.example", "baolang.example"] {
        let requests = crawl.newspaper.requests();
        let of_host: Vec<_> = requests.iter().filter(|request| request.host == host).collect();
        assert!((5..=8).contains(&of_host.len()), "{of_host:?}");
        assert_eq!(of_host[0].path, "/robots.txt");
    }
    assert!(!crawl.folder.path().join("data").exists(), "nothing is stored");
}

#[test]
fn the_check_applies_the_rules_of_sites() {
    let crawl = crawl();
    let settings = "[site.\"villagepost.example\"]\nlanguages = [\"vi\"]\n\
        [site.\"baolang.example\"]\ninclude = ['/none/']\n";
    fs::write(crawl.folder.path().join("gleaner.toml"), settings).unwrap();
    let check = ["seeds", "check", "--seeds", "seeds.txt", "--config", "gleaner.toml", "--json"];
    let output = crawl.run(&check);
    assert!(output.status.success(), "{}", text(&output));
    let lines = String::from_utf8(output.stdout).unwrap();
    let results: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let reasons: Vec<&str> = results.iter().map(|result| result["reason"].as_str().unwrap()).collect();
    assert_eq!(results.iter().map(|result| &result["verdict"]).collect::<Vec<_>>(), ["unsure", "unsure"]);
    assert_eq!((&results[0]["site"], &results[0]["links"]), (&"baolang.example".into(), &0.into()));
    assert!(reasons[0].contains("no page, feed or sitemap links to an article"), "{reasons:?}");
    assert!(reasons[1].ends_with("kept out: its language is en"), "{reasons:?}");
}

#[test]
fn a_new_project_can_be_crawled_from_anywhere() {
    let crawl = crawl();
    let gleaner = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.current_dir(crawl.folder.path()).args(arguments).output().unwrap()
    };
    let made = gleaner(&["init", "news", "http://villagepost.example/"]);
    assert!(made.status.success(), "{}", text(&made));
    assert!(text(&made).contains("    cd news\n    gleaner seeds check\n"), "{}", text(&made));
    let proxy = format!("fetch.proxy={}", crawl.newspaper.proxy());
    let with =
        ["--config", "news/gleaner.toml", "--set", &proxy, "--set", "fetch.delay=0s", "--max-pages", "3"];
    let crawled = gleaner(&[&["crawl"][..], &with].concat());
    assert!(text(&crawled).contains("in the corpus news/data"), "{}", text(&crawled));
    let said = text(&gleaner(&["doctor", "villagepost.example", "--config", "news/gleaner.toml"]));
    assert!(said.contains("villagepost.example is a site of news/seeds.txt line 3"), "{said}");
    let again = gleaner(&["init", "news"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again).contains("news is not empty"), "{}", text(&again));
    let empty = gleaner(&["init", "other"]);
    assert!(empty.status.success(), "{}", text(&empty));
    let without = gleaner(&["crawl", "--config", "other/gleaner.toml"]);
    assert_eq!(without.status.code(), Some(2));
    assert!(text(&without).contains("other/seeds.txt names no site"), "{}", text(&without));
}

#[test]
fn a_check_requests_nothing_of_a_removed_host() {
    let crawl = crawl();
    let output = crawl.run(&["crawl", "--seeds", "seeds.txt", "--max-pages", "4"]);
    assert!(output.status.success(), "{}", text(&output));
    let removed = crawl.run(&["remove", "--host", "baolang.example", "--yes"]);
    assert!(removed.status.success(), "{}", text(&removed));
    let of_removed = |crawl: &Crawl| {
        crawl.newspaper.requests().iter().filter(|request| request.host == "baolang.example").count()
    };
    let before = of_removed(&crawl);
    let shown = text(&crawl.run(&["seeds", "check", "--seeds", "seeds.txt"]));
    assert!(shown.contains("was removed from this corpus; `gleaner removals`"), "{shown}");
    assert!(shown.contains("seeds that cannot be crawled: 1 of 2"), "{shown}");
    assert_eq!(of_removed(&crawl), before);
}

#[test]
fn pages_outside_the_seeds_are_not_fetched_again() {
    let crawl = crawl();
    crawl.run(&["crawl", "--seeds", "seeds.txt", "--max-pages", "4"]);
    crawl.run(&["crawl", "http://villagepost.example/", "--max-pages", "4"]);
    let before = crawl.newspaper.requests().len();
    let refused = crawl.run(&["refetch", "http://baolang.example/"]);
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused));
    let said = text(&refused);
    assert!(said.contains("baolang.example is not the site of a seed"), "{said}");
    assert_eq!(crawl.newspaper.requests().len(), before);
}
