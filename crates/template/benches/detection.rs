//! Measures the extraction of text, links and metadata from the bytes of a page whose site has a template, on
//! one thread. Detection is compared with the full method.
//!
//! Run with `cargo bench -p gleaner-template`. The input is a generated site and, if present, the recorded
//! sites. On a shared machine, only ratios of figures from one run are meaningful. If detection fails for a
//! page, its time includes the full method.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gleaner_html::{Page, Partly, decode, links::links, metadata::metadata_at};
use gleaner_template::{Detector, SiteTemplate};
use gleaner_testkit::bench_pages;

/// Maximum number of pages from which a template is learned; at most two thirds of a site's pages.
const LEARNED: usize = 24;

/// The number of pages of each site that are measured.
const PAGES: usize = 3;

struct Site {
    template: SiteTemplate,
    detector: Detector,
    pages: Vec<Vec<u8>>,
}

impl Site {
    fn from_sources(mut sources: Vec<Vec<u8>>) -> Self {
        let teachers = LEARNED.min(sources.len() * 2 / 3);
        let read = |bytes: &Vec<u8>| Page::parse(&decode::decode(bytes, Some("text/html")).text);
        let taught: Vec<Page> = sources.iter().take(teachers).map(read).collect();
        let taught: Vec<_> = taught.iter().map(|page| ("https://a.example/", page)).collect();
        let template = SiteTemplate::learn("a.example", 1, jiff::Timestamp::UNIX_EPOCH, &taught);
        let pages = sources.drain(..).skip(teachers).take(PAGES).collect();
        Self { detector: Detector::from_template(&template), template, pages }
    }

    fn full(&self, bytes: &[u8]) {
        let page = Page::parse(&decode::decode(bytes, Some("text/html")).text);
        black_box((self.template.extract(&page), links(&page), metadata_at(&page, "https://a.example/")));
    }

    fn detection(&self, bytes: &[u8]) {
        let partly = self.detector.read(&decode::decode(bytes, Some("text/html")).text);
        match self.detector.detect_partly(&partly) {
            None => self.full(bytes),
            Some(detected) => {
                let page = &partly.page;
                black_box((detected, links(page), metadata_at(page, "https://a.example/")));
            }
        }
    }
}

fn measure(criterion: &mut Criterion, name: &str, sites: &[Site]) {
    let pages = || sites.iter().flat_map(|site| site.pages.iter().map(move |page| (site, page)));
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10);
    group.throughput(Throughput::Bytes(pages().map(|(_, page)| page.len() as u64).sum()));
    group.bench_function("detection", |b| b.iter(|| pages().for_each(|(site, page)| site.detection(page))));
    group.bench_function("full method", |b| b.iter(|| pages().for_each(|(site, page)| site.full(page))));
    group.finish();
}

/// A measured stage. Its arguments are the page's site, bytes, decoded text, and the partly parsed page.
type Stage = dyn Fn(&Site, &[u8], &str, &Partly);

fn stages(criterion: &mut Criterion, sites: &[Site]) {
    let read = |(site, bytes): (&'_ Site, &Vec<u8>)| {
        let text = decode::decode(bytes, Some("text/html")).text;
        let partly = site.detector.read(&text);
        site.detector.detect_partly(&partly).map(|_| (text, partly))
    };
    let all = sites.iter().flat_map(|site| site.pages.iter().map(move |page| (site, page)));
    let pages: Vec<_> = all.filter_map(|(site, bytes)| Some((site, bytes, read((site, bytes))?))).collect();
    let mut group = criterion.benchmark_group("stages");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(pages.iter().map(|(_, bytes, _)| bytes.len() as u64).sum()));
    let mut stage = |name: &str, run: &Stage| {
        let each = || pages.iter().for_each(|(site, bytes, (text, partly))| run(site, bytes, text, partly));
        group.bench_function(name, |b| b.iter(each));
    };
    stage("decode", &|_, bytes, _, _| drop(black_box(decode::decode(bytes, Some("text/html")))));
    stage("read", &|site, _, text, _| drop(black_box(site.detector.read(text))));
    stage("detect", &|site, _, _, partly| drop(black_box(site.detector.detect_partly(partly))));
    stage("links", &|_, _, _, partly| drop(black_box(links(&partly.page))));
    stage("metadata", &|_, _, _, partly| {
        drop(black_box(metadata_at(&partly.page, "https://a.example/")));
    });
    group.finish();
}

fn detection(criterion: &mut Criterion) {
    for (name, sites) in bench_pages::sites(1) {
        let sites: Vec<Site> = sites.into_iter().map(Site::from_sources).collect();
        measure(criterion, name, &sites);
        if name == "recorded" {
            stages(criterion, &sites);
        }
    }
}

criterion_group!(benches, detection);
criterion_main!(benches);
