//! Tests the status page of the real binary for a crawled newspaper. If a real browser is installed, the
//! tests use it too.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use crate::browser::Browser;
use crate::newspaper::Crawl;
use crate::nights::Nights;

/// Maximum time to wait for an event.
const PATIENCE: Duration = Duration::from_secs(60);

/// The crawl that the tests of `gleaner serve` share.
static CRAWLED: LazyLock<Crawl> = LazyLock::new(|| {
    let crawl = Crawl::new(Duration::ZERO);
    crawl.to_its_end();
    crawl
});

/// A process that serves the page. Dropping it kills the process.
pub struct Served {
    process: Child,
    address: String,
    /// What the process wrote to standard error after its address.
    log: Arc<Mutex<String>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Served {
    pub fn begin(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut said = lines.by_ref().map(Result::unwrap).filter_map(|line| {
            let (_, rest) = line.split_once("status page at http://")?;
            Some(rest.split('/').next()?.to_owned())
        });
        let address = said.next().expect("the page's address is told");
        // Keep reading, so that a full pipe never blocks the process.
        let log = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&log);
        std::thread::spawn(move || {
            lines.map_while(Result::ok).for_each(|line| kept.lock().unwrap().push_str(&(line + "\n")));
        });
        Self { process, address, log }
    }

    pub fn of(nights: &Nights) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command
            .current_dir(nights.folder.path())
            .args(["serve", "--data", "data", "--address", "127.0.0.1:0", "--seeds", "seeds.txt"])
            .stderr(Stdio::piped());
        Self::begin(command)
    }

    /// Returns the id of the process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    pub fn address(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sends a request. Returns the status and the body of the response.
    fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    /// Requests a page. Returns the status and the body of the response.
    pub fn get(&self, path: &str) -> (u16, String) {
        self.send("GET", path, &[], "")
    }

    pub fn page(&self, path: &str) -> String {
        let (status, page) = self.send("GET", path, &[], "");
        assert_eq!(status, 200, "{path}: {page}");
        page
    }

    /// Requests a page until its content meets a condition.
    pub fn page_with(&self, path: &str, is: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let page = self.page(path);
            if is(&page) {
                return page;
            }
            assert!(begun.elapsed() < PATIENCE, "{path}: {page}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

fn serve(crawl: &Crawl) -> Served {
    Served::begin(crawl.command(&["serve", "--address", "127.0.0.1:0", "--seeds", "seeds.txt"]))
}

/// Returns the path of the first document that a page links to.
pub fn document_of(page: &str) -> String {
    let rest = page.split("href=\"/documents/").nth(1).unwrap();
    format!("/documents/{}", rest.split('"').next().unwrap())
}

// Only one process can open a corpus at a time, so one test checks everything about one corpus.
#[test]
fn a_crawled_newspaper_is_shown() {
    let served = serve(&CRAWLED);
    let overview = served.page("/?lang=en");
    assert!(overview.contains("No crawl is running") && overview.contains("status fine"), "{overview}");
    let report = overview.split("href=\"/reports/").nth(1).unwrap().split('"').next().unwrap();
    assert!(served.page("/reports?lang=en").contains(report));
    let report = served.page(&format!("/reports/{report}"));
    assert!(report.contains("baolang.example") && report.contains("Findings"), "{report}");
    let hosts = served.page("/hosts?sort=new");
    assert!(hosts.contains("baolang.example") && hosts.contains("aria-sort=\"descending\""), "{hosts}");
    // The search index is built in the background.
    let found =
        served.page_with("/search?q=mua+to&host=baolang.example", |page| page.contains("/documents/"));
    assert!(found.contains("<mark>"), "{found}");
    let document = document_of(&found);
    let page = served.page(&document);
    let record: serde_json::Value =
        serde_json::from_str(&served.page(&format!("{document}/record.json"))).unwrap();
    assert!(record["archive_file"].is_string() && record["host"] == "baolang.example", "{record}");
    let all = served.send("GET", "/search.jsonl?host=baolang.example", &[], "").1;
    assert!(all.contains(record["id"].as_str().unwrap()), "{all}");
    assert!(served.page(&format!("{document}/page.txt")).contains("<html"));
    // The original page is read from the archive.
    assert!(page.contains("class=\"line content\"") && page.contains("class=\"line repeated\""), "{page}");
    assert!(page.contains("villagepost") || page.contains("baolang"));
    assert!(served.page("/duplicates").contains("/documents/"));
    assert!(served.page("/hosts/baolang.example").contains("/hosts/baolang.example/template.json"));
    serde_json::from_str::<serde_json::Value>(&served.page("/hosts/baolang.example/template.json")).unwrap();
    assert!(served.page("/metrics").contains("gleaner_templates{state=\"fits\"} 2.0"));
    changes(&served);
    match Browser::find() {
        Some(browser) => click(&served, &browser),
        None => println!("skipped: no Chromium"),
    }
}

/// Checks that only a request with the token can pause a host, and that the host stays paused.
fn changes(served: &Served) {
    let wish = "what=pause&host=baolang.example";
    assert_eq!(served.send("POST", "/actions", &[], wish).0, 403);
    let token = fs::read_to_string(CRAWLED.folder.path().join("data/status.token")).unwrap();
    let bearer = format!("Authorization: Bearer {}", token.trim());
    assert_eq!(served.send("POST", "/actions", &[&bearer, "Origin: http://evil.example"], wish).0, 403);
    assert_eq!(served.send("POST", "/actions", &[&bearer], wish).0, 303);
    assert!(served.page("/hosts?lang=en").contains("paused"));
    assert_eq!(served.send("POST", "/actions", &[&bearer], "what=resume&host=baolang.example").0, 303);
    assert!(!served.page("/hosts?lang=en").contains(">paused<"));
    assert_eq!(served.send("POST", "/actions", &[&bearer], "what=learn&host=baolang.example").0, 303);
    assert!(served.page("/hosts/baolang.example?lang=en").contains("out of date"));
    // This process runs the crawl as the second run. The run ends at once, because nothing is due.
    assert_eq!(served.send("POST", "/actions", &[], "what=crawl").0, 403);
    let (status, answer) = served.send("POST", "/actions", &[&bearer], "what=crawl");
    assert_eq!(status, 303, "{answer}");
    let has_ended = |page: &str| page.contains("#2</a></th>") && page.contains("No crawl is running");
    served.page_with("/?lang=en", has_ended);
}

#[test]
fn a_running_crawl_shows_itself_and_can_be_told() {
    let crawl = Crawl::new(Duration::from_millis(300));
    let arguments = ["crawl", "--seeds", "seeds.txt", "--status", "127.0.0.1:0"];
    let served = Served::begin(crawl.command(&arguments));
    served.page_with("/live.json", |json| {
        !json.contains("\"responses\":0,") && json.contains("\"running\":true")
    });
    // Listings are the first pages that end.
    let live = served.page_with("/?lang=vi", |page| page.contains(">trang mục<") || page.contains(">mới<"));
    let live = live.split("id=\"live\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(live.contains("Trang báo đang đọc") && !live.contains("lang=\"en\""), "{live}");
    let metrics = served.page("/metrics");
    assert!(
        metrics.contains("gleaner_request_seconds_count") && metrics.contains("gleaner_in_flight_urls"),
        "{metrics}"
    );
    let token = fs::read_to_string(crawl.folder.path().join("data/status.token")).unwrap();
    let bearer = format!("Authorization: Bearer {}", token.trim());
    let (status, answer) = served.send("POST", "/actions", &[&bearer], "what=pause&host=baolang.example");
    assert_eq!(status, 303, "{answer}");
    served.page_with("/hosts?lang=en", |page| page.contains(">paused<"));
    // Requests in flight complete. After them, this host gets no more requests.
    std::thread::sleep(Duration::from_secs(1));
    let asked =
        || crawl.newspaper.requests().iter().filter(|request| request.host == "baolang.example").count();
    let before = asked();
    let others = crawl.newspaper.requests().len();
    let begun = Instant::now();
    while crawl.newspaper.requests().len() < others + 5 {
        assert!(begun.elapsed() < PATIENCE, "the other host is crawled on");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(asked(), before, "a paused host is asked nothing");
    served.send("POST", "/actions", &[&bearer], "what=resume&host=baolang.example");
    let begun = Instant::now();
    while asked() == before {
        assert!(begun.elapsed() < PATIENCE, "a resumed host is asked again");
        std::thread::sleep(Duration::from_millis(100));
    }
    stop(served, &bearer);
}

/// Checks that the page shows the running crawl, and that its button stops the crawl like Ctrl-C.
fn stop(mut served: Served, bearer: &str) {
    let page = served.send("GET", "/?lang=en", &[bearer], "").1;
    for part in
        ["Running for", "Hosts in progress", "/hosts/baolang.example", "value=\"stop\"", "The same command"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert_eq!(served.send("POST", "/actions", &[], "what=stop").0, 403);
    assert_eq!(served.send("POST", "/actions", &[bearer, "Origin: http://evil.example"], "what=stop").0, 403);
    assert!(served.process.try_wait().unwrap().is_none());
    assert_eq!(served.send("POST", "/actions", &[bearer], "what=stop").0, 303);
    assert_eq!(served.process.wait().unwrap().code(), Some(130));
}

/// Checks that a crawl that was stopped on the page of `gleaner serve` is reported, and can be continued there.
#[test]
fn a_crawl_that_is_stopped_on_the_page_is_told() {
    let crawl = Crawl::new(Duration::from_millis(300));
    crawl.run(&["crawl", "--seeds", "seeds.txt", "--max-pages", "3"]);
    let served = serve(&crawl);
    let token = fs::read_to_string(crawl.folder.path().join("data/status.token")).unwrap();
    let bearer = format!("Authorization: Bearer {}", token.trim());
    assert_eq!(served.send("POST", "/actions", &[&bearer], "what=crawl").0, 303);
    served.page_with("/live.json", |json| json.contains("\"running\":true"));
    assert_eq!(served.send("POST", "/actions", &[&bearer], "what=stop").0, 303);
    served.page_with("/live.json", |json| json.contains("\"running\":false"));
    let begun = Instant::now();
    let is_told = || served.log.lock().unwrap().contains("run 2 was stopped on the status page: ");
    while !is_told() {
        assert!(begun.elapsed() < PATIENCE, "{}", served.log.lock().unwrap());
        std::thread::sleep(Duration::from_millis(50));
    }
    let log = served.log.lock().unwrap();
    assert!(log.contains("; \"Crawl now\" continues it"), "{log}");
}

/// Checks the script of the page: the table is sorted and filtered without another request.
fn click(served: &Served, browser: &Browser) {
    let mut tab = browser.tab(&format!("http://{}/hosts?lang=en&sort=name", served.address));
    let names = "Array.from(document.querySelectorAll('#hosts tbody tr:not([hidden])'), row => row.dataset.name).join()";
    assert_eq!(tab.evaluate(names), "baolang.example,villagepost.example");
    tab.evaluate("document.marked = true; document.querySelector('#hosts th a').click()");
    assert_eq!(tab.evaluate(names), "villagepost.example,baolang.example");
    let state = "[document.marked, document.querySelector('#hosts th').getAttribute('aria-sort'), location.search].join()";
    assert_eq!(tab.evaluate(state), "true,descending,?sort=-name");
    tab.evaluate("document.querySelector('#hosts th a').click()");
    assert_eq!(tab.evaluate(names), "baolang.example,villagepost.example");
    let typed = "const filter = document.getElementById('filter'); filter.value = 'VILL'; filter.dispatchEvent(new Event('input'))";
    tab.evaluate(typed);
    assert_eq!(tab.evaluate(names), "villagepost.example");
    assert_eq!(tab.evaluate("document.getElementById('count').textContent"), "1");
    // A script injected into a page must not run.
    let slipped = "const slipped = document.createElement('div'); slipped.innerHTML = '<img src=x onerror=\"document.title = 1\">'; \
                   document.body.append(slipped); const written = document.createElement('script'); \
                   written.textContent = 'document.title = 2'; document.body.append(written); document.title";
    assert_eq!(tab.evaluate(slipped), "Hosts · gleaner");
}
