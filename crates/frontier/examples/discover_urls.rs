//! Canonicalizes URLs. Reads seeds, links and a sitemap, and finds the URLs that are in scope.
//!
//! `cargo run -p gleaner-frontier --example discover_urls`

#![expect(clippy::print_stdout, reason = "an example prints")]

use gleaner_frontier::{CanonicalUrl, DiscoveredUrls, ReadLimits, Scope, links, parse_seeds, sitemap};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = CanonicalUrl::parse("HTTPS://VnExpress.net:443/x/../a%2dso.html?utm_source=b#c")?;
    println!("{url:?}\n  key {}, domain {}", url.key(), url.domain());

    let seeds = parse_seeds("# Vietnam\nvnexpress.net\nhttps://www.bbc.co.uk/news\n", "seeds.txt")?;
    let scope = Scope::from_seeds(&seeds);
    println!("scope: {:?}", scope.domains().collect::<Vec<_>>());

    let front = &seeds[0].url;
    let hrefs =
        ["/rain-4181177.html", "/rain-4181177.html#comments", "https://ads.example/x", "mailto:a@b.vn"];
    show("links", &links::judge(front, hrefs.into_iter(), &scope));

    let base = front.join("/sitemap.xml")?;
    let xml = b"<urlset><url><loc>https://vnexpress.net/b.html</loc><lastmod>2026-11-20</lastmod></url>\
                <url><loc>https://other.example/c.html</loc></url></urlset>";
    show("sitemap", &sitemap::read(xml, &base, ReadLimits::default())?.discovered.within(&scope));
    Ok(())
}

fn show(name: &str, discovered: &DiscoveredUrls) {
    println!("{name}: {} repeated, refused {:?}", discovered.repeated, discovered.refused);
    for found in &discovered.found {
        println!("  {} ({:?})", found.url.as_str(), found.role);
    }
}
