//! Tests the interpretation of statements on the cases in `cases.toml`, and the files of a host in an archive.

use gleaner_corpus::Preference;
use gleaner_fetch::{RobotsRecord, RobotsState, SiteFile};
use gleaner_html::Page;
use jiff::Timestamp;
use serde::Deserialize;
use url::Url;

use super::site_files::{SiteFileResponse, SiteFiles};
use super::{SiteUsage, licenses};
use crate::settings::Config;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    group: Vec<Group>,
}

/// Cases with the same files of the host.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    rule: String,
    #[serde(default)]
    robots: String,
    tdmrep: Option<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    path: Option<String>,
    /// Header lines.
    #[serde(default)]
    headers: Vec<String>,
    #[serde(default)]
    page: String,
    /// The stated preferences, such as `train-ai=n search=y`.
    says: String,
    /// The barred crawlers.
    bars: Option<String>,
    /// The number of statements that are kept.
    keeps: Option<usize>,
}

fn record(group: &Group) -> RobotsRecord {
    let tdmrep = group.tdmrep.clone().map(|text| SiteFile { at: Timestamp::UNIX_EPOCH, text });
    let state = RobotsState::Rules { text: group.robots.clone() };
    RobotsRecord { at: Timestamp::UNIX_EPOCH, state, tdmrep }
}

#[test]
fn statements_mean_what_their_specifications_say() {
    let cases: Cases = toml::from_str(include_str!("cases.toml")).unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    for group in &cases.group {
        let site = SiteUsage::new(&record(group), &Config::default());
        for case in &group.cases {
            let headers: Vec<(String, String)> = case
                .headers
                .iter()
                .map(|line| {
                    line.split_once(':').map(|(name, value)| (name.into(), value.trim().into())).unwrap()
                })
                .collect();
            let path = case.path.as_deref().unwrap_or("/news/1.html");
            let url = Url::parse(&format!("https://paper.example{path}")).unwrap();
            let usage = site.of_page(&url, &Page::parse(&case.page), &headers, "gleaner");
            let sign = |preference| if preference == Preference::Allow { "y" } else { "n" };
            let said: Vec<String> = usage
                .stated()
                .map(|(purpose, preference)| format!("{purpose}={}", sign(preference)))
                .collect();
            let is_right = said.join(" ") == case.says
                && case.bars.as_ref().is_none_or(|bars| *bars == usage.barred_agents.join(" "))
                && case.keeps.is_none_or(|keeps| keeps == usage.use_statements.len());
            if !is_right {
                let Case { headers, page, says, .. } = case;
                wrong.push(format!("{}: {path} {headers:?} {page}: {says} expected, {usage:?}", group.rule));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{} of {count} cases are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 200, "{count}");
}

#[test]
fn link_headers_name_licenses() {
    for (header, expected) in [
        ("</a>; rel=license", &["/a"][..]),
        ("</a>; title=\"x, y\"; rel=\"copyright License\", </b>; rel=next", &["/a"]),
        ("</a>;rel=next,</b>;REL='x',</c>;rel=\"license\"", &["/c"]),
        ("</a,b>; rel=license", &["/a,b"]),
        ("/a; rel=license", &[]),
        ("</a; rel=license", &[]),
        ("</a>", &[]),
    ] {
        assert_eq!(licenses(header), expected, "{header}");
    }
    assert_eq!(licenses(&"<".repeat(100_000)), Vec::<&str>::new());
}

fn response(url: &str, second: u32, status: &str, body: &str) -> SiteFileResponse {
    let header = format!(
        "WARC-Type: response\nWARC-Target-URI: {url}\nWARC-Date: 2026-11-20T00:00:{second:02}Z\n\
         Content-Type: application/http"
    );
    let header = gleaner_archive::Header::parse(header.as_bytes());
    let block = format!("HTTP/1.1 {status}\r\n\r\n{body}").into_bytes();
    let record = gleaner_archive::Record { offset: 0, header, block, is_cut: false };
    SiteFileResponse::from_record(&record).unwrap()
}

/// Returns the statements about a page of the host, and the second of its robots.txt.
fn stated(files: &mut SiteFiles, host: &str) -> (String, Option<String>) {
    let url = Url::parse(&format!("http://{host}/1")).unwrap();
    let usage = files.usage_of(host, &Config::default()).of_page(&url, &Page::parse(""), &[], "gleaner");
    let second = usage.robots_fetched.map(|time| time.strftime("%S").to_string());
    (usage.use_statements.join("; "), second)
}

const USAGE: &str = "User-agent: *\nContent-Usage: train-ai=n";
const STATED: &str = "robots.txt Content-Usage: train-ai=n";

#[test]
fn last_robots_txt_of_an_archive_is_in_force() {
    let mut files = SiteFiles::default();
    assert_eq!(stated(&mut files, "a.example"), (String::new(), None));
    files.add(response("http://a.example/robots.txt", 1, "200 OK", USAGE));
    assert_eq!(stated(&mut files, "a.example"), (STATED.into(), Some("01".into())));
    assert_eq!(stated(&mut files, "www.a.example"), (String::new(), None), "each host has its own file");
    files.add(response("http://a.example/robots.txt", 2, "503 Unavailable", ""));
    assert_eq!(stated(&mut files, "a.example"), (STATED.into(), None), "the last known rules");
    files.add(response("http://a.example/robots.txt", 3, "404 Not Found", USAGE));
    assert_eq!(stated(&mut files, "a.example"), (String::new(), None));
    let tdmrep = r#"[{"location": "/", "tdm-reservation": 1}]"#;
    files.add(response("https://a.example/.well-known/tdmrep.json", 4, "200 OK", tdmrep));
    assert_eq!(stated(&mut files, "a.example").0, "tdmrep.json tdm-reservation: / 1");
    files.add(response("http://a.example/robots.txt", 5, "200 OK", USAGE));
    assert_eq!(stated(&mut files, "a.example").0, format!("{STATED}; tdmrep.json tdm-reservation: / 1"));
    files.add(response("https://a.example/.well-known/tdmrep.json", 6, "404 Not Found", ""));
    assert_eq!(stated(&mut files, "a.example"), (STATED.into(), Some("05".into())));
}

#[test]
fn robots_txt_at_the_end_of_redirects_is_that_of_each_host() {
    let moved = |to: &str| format!("301 Moved\r\nLocation: {to}");
    let mut files = SiteFiles::default();
    let to = moved("https://www.a.example/robots.txt");
    files.add(response("http://a.example/robots.txt", 1, &to, ""));
    assert_eq!(stated(&mut files, "a.example"), (String::new(), None));
    files.add(response("https://www.a.example/robots.txt", 2, "200 OK", USAGE));
    assert_eq!(stated(&mut files, "a.example"), (STATED.into(), Some("02".into())));
    assert_eq!(stated(&mut files, "www.a.example"), (STATED.into(), Some("02".into())));
    files.add(response("https://www.a.example/robots.txt", 3, "404 Not Found", ""));
    assert_eq!(
        stated(&mut files, "a.example"),
        (STATED.into(), Some("02".into())),
        "it was not redirected again"
    );
    files.add(response("http://b.example/robots.txt", 4, &moved("http://b.example/robots.txt"), ""));
    files.add(response("http://b.example/robots.txt", 5, "200 OK", USAGE));
    assert_eq!(stated(&mut files, "b.example"), (STATED.into(), Some("05".into())));
}
