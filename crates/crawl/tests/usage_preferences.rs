//! Tests over several nights that the statements in force at the fetch of a page are recorded with its document, and
//! that the files with them are requested once a day. A rebuild finds the same statements.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use gleaner_crawl::{Clock, Progress, Purpose, Replay, StopRequest, WarcFile};
use gleaner_extract::pins::HostPins;
use gleaner_frontier::parse_seeds;
use gleaner_store::{Store, StoreOptions, open};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

use crate::site::{Reply, Routes, Site, html, reply};

const START: Timestamp = Timestamp::constant(1_795_000_000, 0);
const ROBOTS: &str = "/robots.txt";
const TDMREP: &str = "/.well-known/tdmrep.json";

fn article(number: usize) -> Reply {
    let paragraph = |at: usize| {
        format!(
            "<p>The council of village {number} met for the {at}th time and spoke for hours about the bridge, the water and road {number} behind the mill.</p>"
        )
    };
    let story: String = (0..8).map(paragraph).collect();
    html(&format!(
        "<html><title>Village {number}</title><article><h1>Village {number}</h1>{story}</article></html>"
    ))
}

fn front(count: usize) -> Reply {
    let link = |number| format!("<p><a href=\"/a-story-of-the-village-{}.html\">x</a></p>", 10_000 + number);
    html(&(0..count).map(link).collect::<String>())
}

fn file(text: &str) -> Reply {
    reply(200, "Content-Type: text/plain\r\n", text)
}

/// Six more articles appear before each of the nights. The robots.txt and the tdmrep.json change after the first request.
fn site() -> Site {
    let mut routes = Routes::from([
        ("/", vec![front(6), front(12), front(18), front(24)]),
        (
            ROBOTS,
            vec![
                file("User-agent: *\nContent-Usage: train-ai=y\n"),
                file("User-agent: *\nContent-Usage: train-ai=n\n\nUser-agent: GPTBot\nDisallow: /\n"),
                reply(404, "", ""),
            ],
        ),
        (
            TDMREP,
            vec![
                file("[{\"location\": \"/\", \"tdm-reservation\": 0}]"),
                file("[{\"location\": \"/\", \"tdm-reservation\": 1}]"),
                reply(500, "", ""),
            ],
        ),
    ]);
    for number in 0..24 {
        let path = format!("/a-story-of-the-village-{}.html", 10_000 + number);
        routes.insert(Box::leak(path.into_boxed_str()), vec![article(number)]);
    }
    Site::serve(routes)
}

fn crawl(site: &Site, folder: &Path, hours: i64) -> Store {
    let began = Instant::now();
    let clock = move || {
        START + SignedDuration::from_hours(hours) + SignedDuration::try_from(began.elapsed()).unwrap()
    };
    site.crawl_at(folder, &["crawl.tdmrep=true", "template.min_pages=4"], Clock::from_fn(clock))
}

/// Returns what is recorded with each document, by its number.
fn recorded(store: &Store) -> BTreeMap<usize, String> {
    let number =
        |url: &str| url.rsplit_once('-').unwrap().1.trim_end_matches(".html").parse::<usize>().unwrap();
    let documents = store.documents().map(|document| document.unwrap());
    let all = documents.map(|document| {
        let usage = document.usage;
        let (train, tdm) = (usage.use_train_ai.name(), usage.use_tdm.name());
        let hours = |time: Option<Timestamp>| time.map_or(-1, |time| time.duration_since(START).as_hours());
        let (robots, tdmrep) = (hours(usage.robots_fetched), hours(usage.tdmrep_fetched));
        let barred = usage.barred_agents.join(",");
        (number(&document.url) - 10_000, format!("{train} {tdm} {robots} {tdmrep} {barred}"))
    });
    all.collect()
}

/// Builds another store from the archive of `folder`.
fn rebuilt(folder: &Path) -> BTreeMap<usize, String> {
    let other = TempDir::new().unwrap();
    let config = gleaner_crawl::settings::read(None, &["template.min_pages=4".into()]).unwrap();
    let writer = open(other.path(), &StoreOptions { cache: 16 << 20, create: true }).unwrap();
    let store = writer.store();
    let mut files: Vec<_> =
        std::fs::read_dir(folder.join("archive")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let replay = Replay {
        purpose: Purpose::Rebuild,
        config,
        seeds: parse_seeds("http://site.example/", "seeds").unwrap(),
        pins: HostPins::default(),
        admission: gleaner_corpus::Admission::default(),
        writer,
        sources: files.into_iter().map(WarcFile::file).collect(),
        stop: StopRequest::default(),
        progress: Arc::new(Progress::default()),
    };
    gleaner_crawl::replay(replay).unwrap();
    recorded(&store)
}

#[test]
fn statements_are_those_of_the_night_and_their_files_are_requested_once_a_day() {
    let (folder, site) = (TempDir::new().unwrap(), site());
    let asked = |path: &str| site.asked().iter().filter(|asked| *asked == path).count();
    drop(crawl(&site, folder.path(), 0));
    drop(crawl(&site, folder.path(), 10));
    assert_eq!((asked(ROBOTS), asked(TDMREP)), (1, 1), "they are valid for a day");
    drop(crawl(&site, folder.path(), 30));
    assert_eq!((asked(ROBOTS), asked(TDMREP)), (2, 2));
    let store = crawl(&site, folder.path(), 60);
    assert_eq!((asked(ROBOTS), asked(TDMREP)), (3, 3));

    let found = recorded(&store);
    let expected = |number: &usize| match number {
        0..12 => "allow allow 0 0 ",
        12..18 => "disallow disallow 30 30 GPTBot",
        // The site has no robots.txt any more. The last tdmrep.json stays in force, because its request failed.
        _ => "unknown disallow -1 30 ",
    };
    assert_eq!(found.len(), 24, "{found:?}");
    for (number, said) in &found {
        assert_eq!(said, expected(number), "article {number}");
    }
    drop(store);
    assert_eq!(rebuilt(folder.path()), found);
}
