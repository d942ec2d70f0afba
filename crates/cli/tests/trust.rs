//! Tests which certificate authorities the real binary trusts for https: those of the system, or those that
//! `SSL_CERT_FILE` and `SSL_CERT_DIR` name. Without any authority, it prints one error before it sends any
//! request.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gleaner_testkit::tls::{Authority, Identity, ScriptedResponse, TlsServer, answer};
use tempfile::TempDir;
use tokio::runtime::Runtime;

const PAGE: &str = "<html><head><title>The bridge</title></head><body><article><h1>The bridge</h1>\
    <p>The council opened the old bridge on Monday, after the river had been high for weeks and \
    nobody could reach the market by the road from the hills, as people there remember well.</p>\
    </article></body></html>";

/// An https server with one page and no robots.txt. It stops when dropped.
struct Site {
    port: u16,
    requests: Arc<AtomicUsize>,
    #[expect(dead_code, reason = "the server ends with it")]
    runtime: Runtime,
}

impl Site {
    fn start(identity: Identity) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        let server = runtime.block_on(TlsServer::start(identity, &["h2", "http/1.1"], move |_, stream| {
            let count = Arc::clone(&count);
            async move {
                answer(stream, |asked| {
                    count.fetch_add(1, Ordering::SeqCst);
                    let (status, body) = if asked.path == "/robots.txt" { (404, "") } else { (200, PAGE) };
                    ScriptedResponse {
                        status,
                        headers: vec![("content-type", "text/html".into())],
                        body: body.into(),
                    }
                })
                .await;
            }
        }));
        Self { port: server.port(), requests, runtime }
    }

    fn url(&self) -> String {
        format!("https://127.0.0.1:{}/", self.port)
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

/// Runs `gleaner` in a folder. `set` contains the only environment variables for certificates.
fn gleaner(folder: &Path, arguments: &[&str], set: &[(&str, &Path)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    command.current_dir(folder).args(arguments).env_remove("SSL_CERT_FILE").env_remove("SSL_CERT_DIR");
    command.args(["--set", "fetch.delay=0s", "--set", "fetch.allow_addresses=[\"127.0.0.0/8\"]"]);
    command.args(["--set", "fetch.contact=test@gleaner.invalid"]);
    command.envs(set.iter().copied()).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn an_authority_is_trusted_where_a_variable_names_it() {
    let (authority, folder) = (Authority::new("Private"), TempDir::new().unwrap());
    let site = Site::start(authority.certify(&["127.0.0.1"]));
    let roots = folder.path().join("roots");
    fs::create_dir(&roots).unwrap();
    let file = roots.join("private.pem");
    fs::write(&file, authority.pem()).unwrap();

    for set in [("SSL_CERT_FILE", file.as_path()), ("SSL_CERT_DIR", roots.as_path())] {
        let output = gleaner(folder.path(), &["extract", &site.url()], &[set]);
        assert!(output.status.success() && said(&output).contains("the river had been high"), "{output:?}");
    }
    assert_eq!(site.requests(), 4);
    let other = folder.path().join("other.pem");
    fs::write(&other, Authority::new("Another").pem()).unwrap();
    let output = gleaner(folder.path(), &["extract", &site.url()], &[("SSL_CERT_FILE", &other)]);
    assert!(!output.status.success() && said(&output).contains("issuer is unknown"), "{output:?}");
    assert_eq!(site.requests(), 4);
}

#[test]
fn without_any_root_a_crawl_says_so_once_and_asks_nothing() {
    let (authority, folder) = (Authority::new("Private"), TempDir::new().unwrap());
    let site = Site::start(authority.certify(&["127.0.0.1"]));
    fs::write(folder.path().join("seeds.txt"), site.url()).unwrap();
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let missing = folder.path().join("missing.pem");
    for (set, why) in
        [(("SSL_CERT_FILE", missing.as_path()), "missing.pem"), (("SSL_CERT_DIR", &empty), "none was found")]
    {
        let crawl = ["crawl", "--seeds", "seeds.txt", "--data", "data"];
        let output = gleaner(folder.path(), &crawl, &[set]);
        let said = said(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        for part in [why, "ca-certificates", "SSL_CERT_FILE", "SSL_CERT_DIR"] {
            assert!(said.contains(part), "{part} in {said}");
        }
        assert_eq!(said.matches("no root certificates").count(), 1, "{said}");
    }
    assert_eq!(site.requests(), 0);
}

#[test]
fn doctor_says_what_is_wrong_with_a_certificate() {
    let (authority, folder) = (Authority::new("Private"), TempDir::new().unwrap());
    let file = folder.path().join("private.pem");
    fs::write(&file, authority.pem()).unwrap();
    let here = &["127.0.0.1"];
    for (identity, words) in [
        (authority.certify_expired(here), "the certificate has expired"),
        (authority.certify(&["other.example"]), "the certificate is for another name"),
        (Identity::self_signed(here), "the certificate is self-signed"),
    ] {
        let site = Site::start(identity);
        let data = format!("data-{}", site.port);
        fs::write(folder.path().join("seeds.txt"), site.url()).unwrap();
        let set = [("SSL_CERT_FILE", file.as_path())];
        let crawl = [
            "crawl",
            "--seeds",
            "seeds.txt",
            "--data",
            &data,
            "--max-time",
            "1s",
            "--set",
            "crawl.linger=0s",
        ];
        let crawled = gleaner(folder.path(), &crawl, &set);
        let doctor = ["doctor", &site.url(), "--data", &data, "--seeds", "seeds.txt"];
        let output = gleaner(folder.path(), &doctor, &set);
        assert!(said(&output).contains(words), "{words} in {}\n{}", said(&output), said(&crawled));
        assert_eq!(site.requests(), 0);
    }
}

#[test]
fn the_image_has_the_roots_that_it_needs() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/Dockerfile");
    let text = fs::read_to_string(path).unwrap().replace("\\\n", " ");
    let last = text.rfind("\nFROM ").unwrap();
    let image = &text[last..];
    let installs = image.lines().find(|line| line.starts_with("RUN") && line.contains("apt-get install"));
    let installs = installs.unwrap();
    assert!(installs.split_whitespace().any(|word| word == "ca-certificates"), "{installs}");
    // The packages are installed in the final stage, before the image switches to an unprivileged user.
    let at = |line: &str| image.find(line).unwrap_or_else(|| panic!("{line} in {image}"));
    assert!(at("ca-certificates") < at("\nUSER ") && at("\nUSER ") < at("\nENTRYPOINT [\"gleaner\"]"));
}
