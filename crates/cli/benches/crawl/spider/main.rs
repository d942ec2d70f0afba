//! Crawls the pages of the bench with the crawler spider: `spider-peer SEEDS PROXY DEPTH`. It obeys
//! robots.txt, finds links and stores nothing.

use std::error::Error;
use std::fs;

use spider::website::Website;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(seeds), Some(proxy), Some(depth)) = (arguments.next(), arguments.next(), arguments.next()) else {
        return Err("usage: spider-peer SEEDS PROXY DEPTH".into());
    };
    let depth: usize = depth.parse()?;
    let mut crawls = Vec::new();
    for seed in fs::read_to_string(seeds)?.split_whitespace() {
        let mut site = Website::new(seed);
        site.with_respect_robots_txt(true)
            .with_delay(0)
            .with_concurrency_limit(Some(1))
            .with_proxies(Some(vec![proxy.clone()]))
            // spider counts the seed as a level.
            .with_depth(depth + 1);
        crawls.push(tokio::spawn(async move { site.crawl_raw().await }));
    }
    for crawl in crawls {
        crawl.await?;
    }
    Ok(())
}
