//! Checks every kind of page of the status page in a real browser, wide and narrow, light and dark. axe-core
//! must find no violation, nothing may be wider than the screen, and the browser must report no error. The
//! test saves screenshots in `target/status-page/`. It is skipped if Chromium or axe-core is not installed.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::browser::{Browser, Tab};
use crate::newspaper::Crawl;
use crate::nights::Nights;
use crate::status::{Served, document_of};

/// The script of axe-core, where `.ci/run install` puts it.
fn axe() -> Option<String> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../axe-core/package/axe.min.js");
    fs::read_to_string(file).ok()
}

/// Returns the violations that axe-core finds as text, or an empty text if it finds nothing.
const CHECK: &str = "axe.run(document, { resultTypes: ['violations'] }).then(found => found.violations.map(\
    fault => fault.id + ': ' + fault.nodes.map(node => node.html + ' ' + node.failureSummary).join(' | ')).join('\\n'))";

/// Returns the elements that are wider than the screen and have no scroll bar of their own.
const TOO_WIDE: &str = "Array.from(document.querySelectorAll('body *')).filter(element => \
    element.getBoundingClientRect().right > innerWidth + 1 && !element.closest('.wide, pre, svg, .hidden, .skip'))\
    .slice(0, 5).map(element => element.outerHTML.slice(0, 200)).join('\\n')";

const LOOKS: [(&str, u32, bool); 4] =
    [("light", 1280, false), ("dark", 1280, true), ("narrow", 400, false), ("narrow-dark", 400, true)];

/// Everything that the checks need.
struct Checks {
    browser: Browser,
    axe: String,
}

impl Checks {
    fn find() -> Option<Self> {
        let Some(browser) = Browser::find() else {
            println!("skipped: no Chromium");
            return None;
        };
        let Some(axe) = axe() else {
            println!("skipped: no axe-core; `bash .ci/run install` installs it");
            return None;
        };
        Some(Self { browser, axe })
    }

    /// Checks the open page at each width and in each color scheme. Returns the faults.
    fn faults(&self, tab: &mut Tab, name: &str) -> Vec<String> {
        let pictures = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../status-page");
        fs::create_dir_all(&pictures).unwrap();
        // The browser reports a page that does not exist as an error.
        let mut faults: Vec<String> = tab.errors.drain(..).filter(|_| name != "nothing").collect();
        tab.evaluate(&self.axe);
        for (look, width, is_dark) in LOOKS {
            tab.look(width, is_dark);
            fs::write(pictures.join(format!("{name}-{look}.png")), tab.picture()).unwrap();
            faults.extend(faults_of(tab).map(|fault| format!("{name} ({look}): {fault}")));
        }
        faults
    }
}

#[test]
fn every_page_is_readable_by_everyone() {
    let Some(checks) = Checks::find() else { return };
    let nights = Nights::crawled(nights());
    let served = Served::of(&nights);
    let mut faults = Vec::new();
    for (name, path) in pages(&served) {
        let mut tab = checks.browser.tab(&served.address(&path));
        faults.extend(checks.faults(&mut tab, name));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn a_running_crawl_is_readable_by_everyone() {
    let Some(checks) = Checks::find() else { return };
    let crawl = Crawl::new(Duration::from_millis(500));
    let served = Served::begin(crawl.command(&["crawl", "--seeds", "seeds.txt", "--status", "127.0.0.1:0"]));
    let token = fs::read_to_string(crawl.folder.path().join("data/status.token")).unwrap();
    let mut tab = checks.browser.tab(&served.address("/token"));
    let sign_in = format!(
        "fetch('/token', {{ method: 'POST', body: new URLSearchParams({{ token: '{}' }}) }}).then(answer => answer.ok)",
        token.trim()
    );
    assert_eq!(tab.evaluate(&sign_in), "true");
    served.page_with("/?lang=en", |page| {
        page.contains("Hosts in progress") && page.contains("Responses per second")
    });
    tab.go(&served.address("/?lang=en"));
    assert_eq!(tab.evaluate("document.querySelector('#live button').textContent"), "Stop");
    let mut faults = checks.faults(&mut tab, "running");
    tab.go(&served.address("/?lang=vi"));
    faults.extend(checks.faults(&mut tab, "running-vi"));
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

fn faults_of(tab: &mut Tab) -> impl Iterator<Item = String> + use<> {
    let found = [("axe-core", CHECK), ("wider than the screen", TOO_WIDE)];
    let found = found.map(|(what, script)| (what, tab.evaluate(script)));
    found.into_iter().filter(|(_, text)| !text.is_empty()).map(|(what, text)| format!("{what}: {text}"))
}

/// Returns the number of nights. With more nights, the charts in the screenshots have more points.
fn nights() -> i64 {
    if std::env::var_os("GLEANER_LONG").is_some() { 16 } else { 5 }
}

/// Returns one page of each kind, with a name.
fn pages(served: &Served) -> Vec<(&'static str, String)> {
    // The search index is built in the background.
    let found = served.page_with("/search?host=baolang.example", |page| page.contains("/documents/"));
    let duplicates = served.page("/duplicates");
    let cluster = document_of(&duplicates);
    let report = served.page("/reports");
    let report = report.split("href=\"/reports/").nth(1).unwrap().split('"').next().unwrap().to_owned();
    vec![
        ("overview", "/?lang=en".into()),
        ("overview-vi", "/?lang=vi".into()),
        ("hosts", "/hosts?lang=en".into()),
        ("host", "/hosts/daily.example?lang=en".into()),
        ("host-vi", "/hosts/baolang.example?lang=vi".into()),
        ("host-silent", "/hosts/thoisu.invalid?lang=en".into()),
        ("runs", "/reports?lang=en".into()),
        ("report", format!("/reports/{report}?lang=en")),
        ("report-vi", format!("/reports/{report}?lang=vi")),
        ("search", "/search?lang=en&q=the&language=en".into()),
        ("search-wrong", "/search?lang=vi&q=(the".into()),
        ("concordance", "/search?lang=en&q=the&view=concordance&sort=left".into()),
        ("concordance-vi", "/search?lang=vi&q=nuoc+OR+mua&view=concordance&width=200&language=vi".into()),
        ("frequency", "/search?lang=en&q=the&view=frequency".into()),
        ("frequency-vi", "/search?lang=vi&q=mua*&view=frequency&by=section".into()),
        ("frequency-documents", "/search?lang=en&view=frequency&by=year".into()),
        ("word-list", "/search?lang=en&view=words&language=en".into()),
        ("document", document_of(&found) + "?lang=en"),
        ("document-vi", document_of(&found) + "?lang=vi"),
        ("near-duplicate", cluster.clone() + "?lang=en"),
        ("duplicates", "/duplicates?lang=en".into()),
        ("cluster", cluster.replace("/documents/", "/duplicates/") + "?lang=en"),
        ("token", "/token?lang=en".into()),
        ("nothing", "/nothing?lang=en".into()),
    ]
}
