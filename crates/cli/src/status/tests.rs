//! Tests the pages of a test corpus without a network socket. Also checks that documentation, dashboard and
//! output have the same metric names.

mod changes;
mod metrics;
mod pages;
mod search;
mod shared;
mod vietnamese;

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use axum::http::{Method, Request, Response, StatusCode};
use gleaner_corpus::{Document, DocumentId};
use gleaner_crawl::StopRequest;
use gleaner_crawl::report::{Report, RunData, folder};
use gleaner_crawl::settings::Config;
use gleaner_extract::pins::HostPins;
use gleaner_frontier::{CanonicalUrl, FoundUrl, Role};
use gleaner_store::{
    DuplicateLevels, HostRecord, PackedDocument, PackedPage, QueuePosition, RawPage, Store, StoreOptions,
    Writer,
};
use http_body_util::BodyExt;
use jiff::Timestamp;
use tempfile::TempDir;
use tower::ServiceExt;

use crate::status::app_state::AppState;
use crate::status::security::{AllowedHosts, POLICY};
use crate::status::server::routes;
use crate::status::{AccessToken, Hooks, RunningCrawl, ServedCorpus};

pub(crate) const TOKEN: &str = "a key that nobody guesses";

const EVIL: &str = "<script>alert(1)</script>";

pub(crate) struct Fixture {
    pub(crate) folder: TempDir,
    pub(crate) store: Store,
    pub(crate) ids: Vec<DocumentId>,
    app: Arc<AppState>,
}

pub(crate) fn document(url: &str, title: &str, text: &str, published: &str) -> Document {
    let url = CanonicalUrl::parse(url).unwrap();
    let id = DocumentId(*url.key().as_bytes());
    let fetched = "2026-11-20T02:00:00Z".parse().unwrap();
    Document {
        title: Some(title.into()),
        language: "vi".into(),
        published: Some(published.into()),
        kinds: "hp".into(),
        authors: vec![EVIL.into()],
        section: Some(EVIL.into()),
        method: "block-model".into(),
        confidence: Some(90),
        ..Document::with_text(id, url.as_str(), url.host(), text.into(), fetched)
    }
}

pub(crate) fn store(writer: &mut Writer, document: Document) -> DocumentId {
    let levels = DuplicateLevels { exact: true, ..DuplicateLevels::default() };
    writer.detect_duplicates(&levels).unwrap();
    let url = CanonicalUrl::parse(&document.url).unwrap();
    let (id, mut change) = (document.id, writer.begin());
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    change.discover(None, &found, 1, 0, QueuePosition { rank: 3, fresh: None }).unwrap();
    let outcome = change.place(url.key(), PackedDocument::from_document(document), writer).unwrap();
    let record = change.url(url.key()).unwrap().unwrap();
    change.end(url.key(), record, outcome, None).unwrap();
    writer.commit(change).unwrap();
    id
}

fn nights(writer: &mut Writer, nights: i64) {
    for night in 0..nights {
        let at = Timestamp::from_second(1_795_000_000 + 86_400 * night).unwrap();
        let (run, _) = writer.begin_run(at, false).unwrap();
        let mut change = writer.begin();
        for (number, host) in ["bao.example", "old.example", "tin.example"].into_iter().enumerate() {
            let stored = (night as u64 * 7 + 13 * number as u64) % 29 * u64::from(number != 1 || night < 12);
            let count = |counts: &mut gleaner_store::Counts| {
                counts.outcomes.insert("stored".into(), stored);
                counts.outcomes.insert("duplicate".into(), number as u64);
                counts.outcomes.insert(format!("failed: {EVIL}"), night as u64 % 3);
                counts.bytes = 1 << 20;
            };
            change.count(run.number, host, count).unwrap();
        }
        writer.commit(change).unwrap();
        writer.end_run(&run, at + jiff::SignedDuration::from_mins(40)).unwrap();
    }
}

fn running() -> RunningCrawl {
    RunningCrawl { progress: Arc::default(), stop: StopRequest::default() }
}

impl Fixture {
    /// Writes the report of a run. Returns its name.
    fn write_report(&self, data: &RunData) -> String {
        let folder = folder::reports_folder(self.folder.path());
        let written = folder::write(&folder, &Report::new(data), 0).unwrap();
        self.app.invalidate_view();
        written.json.file_stem().unwrap().to_string_lossy().into_owned()
    }

    pub(crate) fn new() -> Self {
        Self::with(Hooks::default(), AllowedHosts::default())
    }

    fn with(hooks: Hooks, allowed_hosts: AllowedHosts) -> Self {
        Self::of_nights(16, hooks, allowed_hosts)
    }

    fn of_nights(nights: i64, hooks: Hooks, allowed_hosts: AllowedHosts) -> Self {
        let folder = TempDir::new().unwrap();
        let options = StoreOptions { cache: 16 << 20, create: true };
        let mut writer = gleaner_store::open(folder.path(), &options).unwrap();
        let pages = [
            (
                "https://bao.example/1",
                "Hồ Hòa Bình cạn nước",
                "Hồ thủy điện Hòa Bình cạn dần.\nNgười dân lo lắng.",
                "2026-11-01T08:00:00+07:00",
            ),
            ("https://bao.example/2", EVIL, "<img src=x onerror=alert(2)> mưa lớn", "2026-11-10"),
            (
                "https://www.tin.example/3",
                "Rain & \"floods\"",
                "Rain fell on the village of Hoa.",
                "2026-11-15",
            ),
        ];
        let ids: Vec<DocumentId> = pages
            .iter()
            .map(|(url, title, text, day)| store(&mut writer, document(url, title, text, day)))
            .collect();
        let raw = RawPage {
            body: format!("<p>Người dân lo lắng.</p><p>{}", "&lt;script&gt;alert(3)&lt;/script&gt;")
                .into_bytes(),
            content_type: Some("text/html; charset=utf-8".into()),
            ..RawPage::default()
        };
        let key = CanonicalUrl::parse(pages[0].0).unwrap().key();
        let mut change = writer.begin();
        change.put_page(key, PackedPage::from_page(&raw));
        for (name, paused) in [("old.example", true), ("x<script>.example", false)] {
            let host = change.host(name, name).unwrap();
            change.put_host(&HostRecord { paused, template: 3, outdated: paused, ..host });
        }
        writer.commit(change).unwrap();
        self::nights(&mut writer, nights);
        let store = writer.store();
        let mut config = Config::default();
        config.store.path = folder.path().to_string_lossy().into_owned();
        let corpus = ServedCorpus { store: store.clone(), config, pins: HostPins::default(), scope: None };
        let app = Arc::new(AppState::new(corpus, hooks, AccessToken::new(TOKEN), allowed_hosts));
        app.search.update(&store).unwrap();
        Self { folder, store, ids, app }
    }

    async fn send(&self, request: Request<Body>) -> Response<Body> {
        routes(Arc::clone(&self.app)).oneshot(request).await.unwrap()
    }

    async fn get(&self, path: &str) -> (StatusCode, String) {
        let response = self.send(request(Method::GET, path, "")).await;
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("content-security-policy"), POLICY, "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        (response.status(), text(response).await)
    }

    async fn page(&self, path: &str) -> String {
        let (status, text) = self.get(path).await;
        assert_eq!(status, StatusCode::OK, "{path}: {text}");
        text
    }
}

fn request(method: Method, path: &str, body: &str) -> Request<Body> {
    let request = Request::builder().method(method).uri(path).header(HOST, "localhost:7700");
    request
        .header("content-type", "application/x-www-form-urlencoded")
        .body(Body::from(body.to_owned()))
        .unwrap()
}

fn with_cookie(mut request: Request<Body>) -> Request<Body> {
    let cookie = format!("other=1; gleaner_key={}", AccessToken::new(TOKEN).cookie_value());
    request.headers_mut().insert(COOKIE, cookie.parse().unwrap());
    request
}

async fn text(response: Response<Body>) -> String {
    String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

#[tokio::test]
async fn every_page_is_there_in_both_languages() {
    let fixture = Fixture::new();
    let document = format!("/documents/{}", fixture.ids[0]);
    let paths = [
        "/",
        "/hosts",
        "/hosts/bao.example",
        "/reports",
        "/search",
        "/search?q=hoa&view=concordance",
        "/search?q=hoa&view=frequency",
        "/search?view=words",
        "/duplicates",
        "/token",
        &document,
    ];
    for path in paths {
        let sign = if path.contains('?') { '&' } else { '?' };
        let english = fixture.page(&format!("{path}{sign}lang=en")).await;
        let vietnamese = fixture.page(&format!("{path}{sign}lang=vi")).await;
        assert!(english.contains("<html lang=\"en\">") && english.contains("Duplicates"), "{path}");
        assert!(vietnamese.contains("<html lang=\"vi\">") && vietnamese.contains("Trùng lặp"), "{path}");
        assert!(english.contains("class=\"skip\"") && english.matches("<h1>").count() == 1, "{path}");
        // The content security policy forbids inline styles and scripts.
        assert!(!english.contains(" style=") && !english.contains(" onclick="), "{path}");
        assert_eq!(english.matches("<table").count(), english.matches("<caption").count(), "{path}");
    }
    for path in [
        "/healthz",
        "/readyz",
        "/metrics",
        "/live.json",
        "/page.css",
        "/colours.css",
        "/style.css",
        "/script.js",
    ] {
        fixture.page(path).await;
    }
    for path in [
        "/nothing",
        "/hosts/none.example",
        "/documents/zz",
        "/reports/none",
        "/duplicates/zz",
        "/hosts/bao.example/template.json",
    ] {
        assert_eq!(fixture.get(path).await.0, StatusCode::NOT_FOUND, "{path}");
    }
    let (_, misspelt) = fixture.get("/hosts/Bao.exampel?lang=en").await;
    assert!(misspelt.contains("Did you mean <a href=\"/hosts/bao.example\">bao.example</a>?"), "{misspelt}");
    let (_, unknown) = fixture.get("/hosts/none%3Cscript%3E.example?lang=en").await;
    let (_, other) = fixture.get("/hosts/other.invalid?lang=en").await;
    assert!(!other.contains("Did you mean"), "{other}");
    assert!(unknown.contains("no host with this name: none&lt;script&gt;.example"), "{unknown}");
}

#[tokio::test]
async fn nothing_crawled_is_put_out_as_html() {
    let fixture = Fixture::new();
    let mut paths = vec![
        "/hosts".to_owned(),
        "/hosts/bao.example".into(),
        "/".into(),
        "/hosts/x%3Cscript%3E.example".into(),
    ];
    paths.push("/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&host=%3Cscript%3E".into());
    paths.push("/search?q=mua".into());
    paths.push("/search?q=mua&view=concordance".into());
    paths.push("/search?view=frequency&by=section".into());
    paths.push("/search?view=words".into());
    paths.extend(fixture.ids.iter().map(|id| format!("/documents/{id}")));
    for path in paths {
        let page = fixture.page(&path).await;
        let scripts = page.matches("<script").count();
        assert_eq!(scripts, 1, "{path}: {page}");
        assert!(page.contains("<script src=\"/script.js\" defer></script>"), "{path}");
        assert!(!page.contains("<img"), "{path}: {page}");
    }
    let page = fixture.page(&format!("/documents/{}", fixture.ids[1])).await;
    assert!(page.contains("&lt;script&gt;alert(1)") && page.contains("&lt;img src=x"), "{page}");
}

#[tokio::test]
async fn a_document_stands_beside_the_lines_of_its_page() {
    let fixture = Fixture::new();
    let page = fixture.page(&format!("/documents/{}?lang=en", fixture.ids[0])).await;
    assert!(
        page.contains("&lt;script&gt;alert(3)&lt;/script&gt;") && page.contains("class=\"line "),
        "{page}"
    );
    assert!(page.contains("<h3>Hồ thủy điện Hòa Bình cạn dần.</h3>"), "{page}");
    let lines = page.matches("<details class=\"line ").count();
    assert!(
        lines > 0 && page.matches("<code>keep = [").count() + page.matches("<code>drop = [").count() == lines,
        "{page}"
    );
    for part in [
        "<code>config/pins/bao.example.toml</code>",
        "gleaner template explain 'https://bao.example/1' --archived",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // The time of publication is 2026-11-01T08:00:00+07:00.
    for at in ["2026-11-01T01:00:00Z", "2026-11-20T02:00:00Z"] {
        let shown = gleaner_crawl::render::text::minute(at.parse().unwrap());
        assert!(page.contains(&format!("<time datetime=\"{at}\">{shown}</time>")), "{at}: {page}");
    }
    let page = fixture.page(&format!("/documents/{}?lang=en", fixture.ids[1])).await;
    assert!(page.contains("The original page was not kept"), "{page}");
    assert!(page.contains("<dd>2026-11-10</dd>"), "{page}");
}

fn rows(page: &str) -> Vec<&str> {
    page.split("<tr data-name=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[tokio::test]
async fn hosts_are_sorted_and_filtered() {
    let fixture = Fixture::new();
    let page = fixture.page("/hosts?lang=en").await;
    // The page folds the two hosts without new documents.
    let all = ["bao.example", "old.example", "www.tin.example", "x&lt;script&gt;.example"];
    assert_eq!(rows(&page), all);
    assert!(
        page.contains("aria-sort=\"descending\"") && page.matches("<svg class=\"spark\"").count() == 2,
        "{page}"
    );
    let (active, silent) = page.split_once("<details id=\"silent\">").unwrap();
    assert!(active.contains("/hosts?sort=-new") && active.contains("old.example"), "{page}");
    assert!(
        silent.contains("2 hosts without new documents") && silent.contains("not requested yet"),
        "{page}"
    );
    assert!(page.contains("paused") && page.contains("out of date"), "{page}");
    assert_eq!(rows(&fixture.page("/hosts?sort=-name").await)[..2], ["old.example", "bao.example"]);
    assert_eq!(rows(&fixture.page("/hosts?sort=-new").await)[..2], ["old.example", "bao.example"]);
    assert_eq!(rows(&fixture.page("/hosts?q=TIN").await), ["www.tin.example"]);
    assert!(rows(&fixture.page("/hosts?q=none&sort=rubbish").await).is_empty());
}

#[tokio::test]
async fn words_are_found_with_and_without_marks() {
    let fixture = Fixture::new();
    let found = async |question: &str| {
        let page = fixture.page(&format!("/search?{question}")).await;
        let id = |at: usize| page.contains(&format!("/documents/{}", fixture.ids[at]));
        (0..3).filter(|at| id(*at)).collect::<Vec<usize>>()
    };
    assert_eq!(found("q=hoa+binh").await, [0]);
    assert_eq!(found("q=H%C3%B2a+B%C3%8CNH").await, [0]);
    assert_eq!(found("q=ho%C3%A0+b%C3%ACnh").await, [0]);
    assert_eq!(found("q=hoa").await, [0, 2]);
    assert!(found("q=h%C3%B3a").await.is_empty());
    assert_eq!(found("q=%22hoa+binh%22").await, [0]);
    assert!(found("q=%22binh+hoa%22").await.is_empty());
    assert_eq!(found("host=tin.example").await, [2]);
    assert_eq!(found("from=2026-11-05&to=2026-11-12").await, [1]);
    assert_eq!(found("to=2026-11-01").await, [0]);
    assert_eq!(found("").await, [0, 1, 2]);
    let page = fixture.page("/search?q=hoa+binh").await;
    assert!(page.contains("<mark>Hòa</mark>") && page.contains("<mark>Bình</mark>"), "{page}");
}

#[tokio::test]
async fn a_running_crawl_is_asked_and_shown() {
    let asked = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let seen = Arc::clone(&asked);
    let crawl_now = Box::new(move || {
        seen.store(true, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    });
    let fixture =
        Fixture::with(Hooks { crawl_now: Some(crawl_now), ..Hooks::default() }, AllowedHosts::default());
    let response = fixture.send(with_cookie(request(Method::POST, "/actions", "what=crawl"))).await;
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    assert!(asked.load(std::sync::atomic::Ordering::Relaxed));
    assert!(fixture.page("/?lang=en").await.contains("No crawl is running"));
    fixture.app.monitor.set_crawl(Some(running()));
    assert!(fixture.page("/?lang=en").await.contains("Running for"));
    assert!(fixture.page("/live.json").await.contains("\"running\":true"));
}

#[tokio::test]
async fn the_language_is_kept() {
    let fixture = Fixture::new();
    let response = fixture.send(request(Method::GET, "/?lang=vi", "")).await;
    assert!(response.headers()[SET_COOKIE].to_str().unwrap().starts_with("gleaner_lang=vi"));
    let mut again = request(Method::GET, "/", "");
    again.headers_mut().insert(COOKIE, "gleaner_lang=vi".parse().unwrap());
    assert!(text(fixture.send(again).await).await.contains("<html lang=\"vi\">"));
    let mut accepting = request(Method::GET, "/", "");
    accepting.headers_mut().insert("accept-language", "vi,en;q=0.5".parse().unwrap());
    assert!(text(fixture.send(accepting).await).await.contains("Tổng quan"));
}
