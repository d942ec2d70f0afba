//! Requests robots.txt and two pages of one host, with a delay between requests. The host is the testkit's
//! newspaper on loopback, which is reached through a proxy.
//!
//! `cargo run -p gleaner-fetch --example polite_request`

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::time::Instant;

use gleaner_fetch::settings::{DurationSetting, FetchSettings};
use gleaner_fetch::{Fetcher, Request, RequestKind, RequestLease, RobotsAnswer, RobotsRequest, host_of};
use gleaner_testkit::{Newspaper, NewspaperOptions};
use jiff::Timestamp;
use url::Url;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let newspaper =
        Newspaper::start(NewspaperOptions { faults: false, ..NewspaperOptions::default() }).await?;
    let fetcher = Fetcher::new(&FetchSettings {
        proxy: newspaper.proxy().to_string(),
        delay: DurationSetting::seconds(1),
        contact: "test@example.org".to_owned(),
        ..FetchSettings::default()
    })?;
    // Hosts of one group share one delay. In a cluster, a worker may request a host only while it has a
    // lease.
    let (group_of, right) = (|url: &Url| Some(host_of(url).to_owned()), RequestLease::unlimited());

    let front = Url::parse(Newspaper::seeds()[0])?;
    let request = RobotsRequest::new(&front, &group_of, &right, Timestamp::now());
    let RobotsAnswer::Record(record) = fetcher.robots(request, &mut |_, _| {}).await else {
        return Err("the newspaper redirects robots.txt".into());
    };
    let access = record.rules("gleaner");

    let begin = Instant::now();
    for path in ["/", "/private/x.html", "/sitemap.xml"] {
        if !access.verdict(path).is_allowed() {
            println!("{path}: robots.txt disallows it");
            continue;
        }
        let want = if path.ends_with(".xml") { RequestKind::List } else { RequestKind::Page };
        let request = Request::new(front.join(path)?, want);
        let response = fetcher.page(&request, host_of(&front), &right).await?;
        println!("{path}: {}, {} bytes, after {:.1?}", response.status, response.body.len(), begin.elapsed());
    }
    Ok(())
}
