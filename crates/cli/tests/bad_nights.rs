//! Tests with the real binary that one bad night costs no article.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::web::{HTML, Web, article, front, measured, response};

const PATHS: [&str; 6] = [
    "/news/2026/11/the-old-mill-opens-again-12001.html",
    "/news/2026/11/the-bridge-is-closed-again-12002.html",
    "/news/2026/11/the-school-gets-a-new-roof-12003.html",
    "/news/2026/11/the-harbour-is-dredged-again-12004.html",
    "/news/2026/11/the-ferry-runs-on-sundays-12005.html",
    "/news/2026/11/the-library-lends-tools-now-12006.html",
];

fn page(path: &str) -> Vec<u8> {
    let number = path[path.len() - 10..path.len() - 5].parse().unwrap();
    let body = article(number);
    measured(HTML, body.len(), body.as_bytes())
}

/// The bad responses of the first night, one for each article. An empty one closes the connection.
fn bad(path: &str) -> Vec<u8> {
    match PATHS.iter().position(|known| *known == path) {
        Some(0) => response("500 Internal Server Error", "Content-Length: 0\r\n", b""),
        Some(1) => response("404 Not Found", "Content-Length: 0\r\n", b""),
        Some(2) => response("403 Forbidden", "Content-Length: 0\r\n", b""),
        Some(3) => measured(HTML, 0, b""),
        Some(4) => response("302 Found", "Location: /\r\nContent-Length: 0\r\n", b""),
        _ => Vec::new(),
    }
}

#[test]
fn later_runs_find_every_article_that_a_list_still_names() {
    let is_bad = Arc::new(AtomicBool::new(true));
    let night = Arc::clone(&is_bad);
    let web = Web::start(move |asked| match asked.url.split_once('/') {
        Some((_, "")) => front(&PATHS),
        Some((_, path)) if path.starts_with("news/") => {
            let path = format!("/{path}");
            if night.load(Relaxed) { bad(&path) } else { page(&path) }
        }
        _ => response("404 Not Found", "Content-Length: 0\r\n", b""),
    });
    // The first night is unusual, so its exit code is 3.
    let crawl = || {
        let code = web.run(&["crawl", "http://paper.example/", "--set", "crawl.revisit=1s"]).status.code();
        assert!(matches!(code, Some(0 | 3)), "{code:?}");
    };
    crawl();
    assert_eq!(web.corpus().len(), 0);

    // The clock has seconds, so a run that follows at once may begin too early.
    let doctor = |path: &str| web.succeeds(&["doctor", &format!("http://paper.example{path}")]);
    assert!(doctor(PATHS[0]).contains("due again at 20"), "{}", doctor(PATHS[0]));
    let named = "if a front page, section, feed or sitemap names it then";
    assert!(doctor(PATHS[1]).contains(named), "{}", doctor(PATHS[1]));

    is_bad.store(false, Relaxed);
    let runs = (0..20).take_while(|_| web.corpus().len() < PATHS.len()).map(|_| crawl()).count();
    let corpus = web.corpus();
    for path in PATHS {
        assert!(corpus.contains_key(&format!("http://paper.example{path}")), "{path} after {runs} runs");
    }
    assert!(doctor(PATHS[0]).contains("only if a feed or sitemap reports a change"), "{}", doctor(PATHS[0]));
}
