//! The pages that the bench serves.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use gleaner_testkit::{FixedPage, Newspaper, Page, large_newspaper};
use url::{Position, Url};

/// The content codings with the levels that most servers use: gzip at level 6, Brotli at 5, Zstandard at 3.
pub(crate) const CODINGS: [&str; 4] = ["identity", "gzip", "br", "zstd"];

/// Number of copies of each recorded page in the measured crawl.
const COPIES: u64 = 4;

pub(crate) struct Input {
    pub(crate) description: String,
    pages: Vec<Page>,
    /// The seeds of the first crawl, which is not measured. Without seeds, the bench runs only one crawl.
    pub(crate) learning: Vec<String>,
    pub(crate) seeds: Vec<String>,
    /// The maximum depth of a crawl.
    pub(crate) depth: usize,
}

impl Input {
    pub(crate) fn newspaper(pages: usize) -> Self {
        let seeds = Newspaper::seeds().map(str::to_owned).to_vec();
        Self::new("generated newspaper", large_newspaper(pages), Vec::new(), seeds, 50)
    }

    /// Reads the recorded sites. Each host gets a front page for the recorded pages and one for the copies.
    pub(crate) fn recorded() -> Option<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/sets/sites");
        let mut recorded: Vec<(Url, Vec<u8>)> = Vec::new();
        for site in sorted(&root) {
            recorded.extend(sorted(&site).iter().filter_map(|path| page_of(&site, path)));
        }
        let hosts: BTreeSet<String> = recorded.iter().map(|(url, _)| host(url)).collect();
        let mut pages = Vec::new();
        for host_name in &hosts {
            let own = || recorded.iter().filter(|(url, _)| host(url) == *host_name);
            let mut texts_of_site: HashMap<&[u8], usize> = HashMap::new();
            for (_, body) in own() {
                let own: HashSet<&[u8]> = texts(body).into_iter().map(|range| &body[range]).collect();
                own.into_iter().for_each(|text| *texts_of_site.entry(text).or_default() += 1);
            }
            let mut links = [String::new(), String::new()];
            for (url, body) in own() {
                add(&mut pages, &mut links[0], url, body.clone());
                for copy in 1..=COPIES {
                    let mut address = url.clone();
                    address.query_pairs_mut().append_pair("copy", &copy.to_string());
                    add(&mut pages, &mut links[1], &address, varied(body, copy, &texts_of_site));
                }
            }
            for (path, links) in ["/", "/copies/"].into_iter().zip(links) {
                let front = format!("<!DOCTYPE html><title>{host_name}</title><ul>{links}</ul>");
                pages.push(page(host_name, path, front.into_bytes()));
            }
        }
        let seeds = |path: &str| hosts.iter().map(|host| format!("http://{host}{path}")).collect();
        let description = "recorded sites, with known templates";
        (!hosts.is_empty()).then(|| Self::new(description, pages, seeds("/"), seeds("/copies/"), 1))
    }

    fn new(name: &str, pages: Vec<Page>, learning: Vec<String>, seeds: Vec<String>, depth: usize) -> Self {
        let bytes: usize = pages.iter().map(|page| page.body.len()).sum();
        let links: usize = pages.iter().map(|page| count(&page.body, b" href=")).sum();
        let description = format!(
            "{name}: {} pages of {} KB with {} links",
            pages.len(),
            bytes / pages.len() / 1000,
            links / pages.len()
        );
        Self { description, pages, learning, seeds, depth }
    }

    /// Returns the pages for the server, in a content coding.
    pub(crate) fn coded(&self, coding: &'static str) -> Vec<FixedPage> {
        let coded = |page: &Page| FixedPage {
            host: page.host.clone(),
            path: page.path.clone(),
            content_type: page.content_type,
            coding: (coding != "identity").then_some(coding),
            body: encoded(&page.body, coding),
        };
        self.pages.iter().map(coded).collect()
    }
}

fn count(body: &[u8], what: &[u8]) -> usize {
    body.windows(what.len()).filter(|window| *window == what).count()
}

fn encoded(body: &[u8], coding: &str) -> Vec<u8> {
    match coding {
        "gzip" => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
            encoder.write_all(body).unwrap();
            encoder.finish().unwrap()
        }
        "br" => {
            let mut coded = Vec::new();
            brotli::CompressorReader::new(body, 4096, 5, 22).read_to_end(&mut coded).unwrap();
            coded
        }
        "zstd" => zstd::encode_all(body, 3).unwrap(),
        _ => body.to_vec(),
    }
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Reads a recorded page. Returns `None` if the file is not a page, or if the manifest has no address for it.
fn page_of(site: &Path, path: &Path) -> Option<(Url, Vec<u8>)> {
    let id = path.file_name()?.to_str()?.strip_suffix(".html.gz")?;
    let manifest = fs::read_to_string(site.join("manifest.jsonl")).ok()?;
    let mut lines = manifest.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let line = lines.find(|line| line["id"] == id)?;
    let mut body = Vec::new();
    MultiGzDecoder::new(fs::File::open(path).ok()?).read_to_end(&mut body).ok()?;
    let mut url = Url::parse(line["url"].as_str()?).ok()?;
    url.set_scheme("http").ok()?;
    url.set_fragment(None);
    Some((url, body))
}

fn host(url: &Url) -> String {
    url[Position::BeforeHost..Position::AfterPort].to_owned()
}

fn page(host: &str, path: &str, body: Vec<u8>) -> Page {
    // The header has no charset, because recorded pages have different encodings.
    Page { host: host.to_owned(), path: path.to_owned(), content_type: "text/html", body }
}

fn add(pages: &mut Vec<Page>, links: &mut String, url: &Url, body: Vec<u8>) {
    links.push_str(&format!("<li><a href=\"{}\">Story</a></li>\n", url.as_str().replace('&', "&amp;")));
    pages.push(page(&host(url), &url[Position::BeforePath..], body));
}

/// Returns another article of the same site: in each text that only this page has, the words change places.
/// The page stays as long as it was, but is no near-duplicate of the recorded page. `pages` is the number of
/// pages of the site with each text.
fn varied(body: &[u8], copy: u64, pages: &HashMap<&[u8], usize>) -> Vec<u8> {
    let mut varied = body.to_vec();
    for range in texts(body) {
        if pages[&body[range.clone()]] > 1 {
            continue;
        }
        let mut words: Vec<&[u8]> = body[range.clone()].split(u8::is_ascii_whitespace).collect();
        for at in (1..words.len()).rev() {
            words.swap(at, mixed(copy, at as u64) as usize % (at + 1));
        }
        varied[range].copy_from_slice(&words.join(&b' '));
    }
    varied
}

/// Returns the texts of a page with at least eight words, without scripts and styles. This searches for bytes,
/// because pages have different encodings. In all of them, `<`, `>` and spaces are single bytes.
fn texts(body: &[u8]) -> Vec<Range<usize>> {
    let mut texts = Vec::new();
    let mut at = 0;
    while let Some(length) = body[at..].iter().position(|byte| *byte == b'<') {
        let text = at..at + length;
        let words = body[text.clone()].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        if words.count() >= 8 {
            texts.push(text.clone());
        }
        let tag = body[text.end + 1..].iter().take(6).map(u8::to_ascii_lowercase).collect::<Vec<_>>();
        let end = ["script", "style"].into_iter().find(|name| tag.starts_with(name.as_bytes()));
        let end = end.map_or(&b">"[..], |name| if name == "script" { b"</script>" } else { b"</style>" });
        let rest = &body[text.end..];
        let Some(behind) = rest.windows(end.len()).position(|window| window.eq_ignore_ascii_case(end)) else {
            break;
        };
        at = text.end + behind + end.len();
    }
    texts
}

fn mixed(a: u64, b: u64) -> u64 {
    let mixed = (a ^ b.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 29
}
