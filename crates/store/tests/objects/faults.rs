//! Tests errors and their messages: wrong keys, a missing bucket, an unavailable or silent storage.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gleaner_store::objects::{Environment, ObjectError, Objects, StorageOptions};
use gleaner_testkit::s3::{Keys, Presence, S3Server, environment, serve};
use tempfile::TempDir;

fn server(folder: &TempDir, port: u16) -> S3Server {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let server = serve(folder.path(), address, Keys::default()).unwrap();
    server.make_bucket("corpus").unwrap();
    server
}

fn options(environment: Vec<(String, String)>) -> StorageOptions {
    StorageOptions {
        patience: Duration::from_secs(3600),
        timeout: Duration::from_secs(60),
        environment: environment.into_iter().collect(),
        ..StorageOptions::default()
    }
}

fn with(mut environment: Vec<(String, String)>, name: &str, value: &str) -> Vec<(String, String)> {
    environment.retain(|(other, _)| other != name);
    environment.push((name.into(), value.into()));
    environment
}

#[test]
fn wrong_keys_are_told_at_once_and_not_shown() {
    let folder = TempDir::new().unwrap();
    let server = server(&folder, 0);
    for name in ["AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"] {
        let before = server.requests().len();
        let options = options(with(server.environment(), name, "wrong-hush"));
        let shown = format!("{options:?}");
        let objects = Objects::open("s3://corpus/x", options).unwrap();
        let error = objects.check().unwrap_err();
        assert!(matches!(error, ObjectError::Denied { .. }) && !error.is_unavailable(), "{error:?}");
        let text = error.to_string();
        assert!(text.starts_with("cannot write gleaner-check-"), "{text}");
        assert!(text.contains("s3://corpus/x") && text.contains("403") && text.contains("keys"), "{text}");
        assert_eq!(server.requests().len(), before + 1);
        for text in [text, format!("{error:?}"), format!("{objects:?}"), shown] {
            assert!(!text.contains("hush") && !text.contains("testkit-secret-key"), "{text}");
        }
    }
}

#[test]
fn a_bucket_that_is_not_there_is_told_at_once() {
    let folder = TempDir::new().unwrap();
    let server = server(&folder, 0);
    let objects = Objects::open("s3://nowhere/x", options(server.environment())).unwrap();
    let results =
        [objects.check(), objects.put("a", vec![1]), objects.get("a").map(drop), objects.list("").map(drop)];
    for result in results {
        let error = result.unwrap_err();
        assert!(matches!(error, ObjectError::NoBucket { .. }), "{error:?}");
        assert!(error.to_string().contains("s3://nowhere/x"), "{error}");
    }
    assert_eq!(server.requests().len(), 4);
    assert!(!folder.path().join("nowhere").exists());
}

#[test]
fn a_storage_that_is_away_for_some_requests_is_waited_for() {
    let folder = TempDir::new().unwrap();
    let server = server(&folder, 0);
    let objects = Objects::open("s3://corpus", options(server.environment())).unwrap();
    server.set_presence(Presence::AwayFor(2));
    objects.put("a", b"rain".to_vec()).unwrap();
    server.set_presence(Presence::AwayFor(1));
    assert_eq!(objects.get("a").unwrap(), b"rain");
    server.set_presence(Presence::AwayFor(1));
    assert_eq!(objects.get_range("a", 1, 2).unwrap(), b"ai");
    server.set_presence(Presence::AwayFor(1));
    assert_eq!(objects.list("").unwrap().len(), 1);
    server.set_presence(Presence::AwayFor(1));
    objects.delete("a").unwrap();
    let statuses: Vec<u16> = server.requests().iter().map(|request| request.status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 503).count(), 6, "{statuses:?}");
    assert_eq!(statuses.len(), 11);
}

#[test]
fn a_server_that_refuses_connections_and_comes_back_is_waited_for() {
    let folder = Arc::new(TempDir::new().unwrap());
    let first = server(&folder, 0);
    let (address, environment) = (first.address(), first.environment());
    let server_now = Arc::new(Mutex::new(Some(first)));
    let asked = Arc::new(AtomicUsize::new(0));
    // `should_stop` is called between attempts. Its second call starts the server again.
    let should_stop = {
        let (folder, server_now, asked) = (Arc::clone(&folder), Arc::clone(&server_now), Arc::clone(&asked));
        move || {
            if asked.fetch_add(1, Ordering::Relaxed) == 1 {
                *server_now.lock().unwrap() = Some(server(&folder, address.port()));
            }
            false
        }
    };
    let options = StorageOptions { should_stop: Arc::new(should_stop), ..options(environment) };
    let objects = Objects::open("s3://corpus", options).unwrap();
    objects.put("a", b"rain".to_vec()).unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    *server_now.lock().unwrap() = None;
    objects.put("b", b"sun".to_vec()).unwrap();
    assert!(asked.load(Ordering::Relaxed) >= 2);
    assert_eq!((objects.get("a").unwrap(), objects.get("b").unwrap()), (b"rain".to_vec(), b"sun".to_vec()));
}

#[test]
fn a_denied_write_is_repeated_only_if_an_earlier_write_succeeded() {
    let folder = TempDir::new().unwrap();
    let server = Arc::new(server(&folder, 0));
    server.set_presence(Presence::Full);
    let checks = Arc::new(AtomicUsize::new(0));
    // `should_stop` is called between attempts. Its second call makes room in the storage.
    let should_stop = {
        let (server, checks) = (Arc::clone(&server), Arc::clone(&checks));
        move || {
            if checks.fetch_add(1, Ordering::Relaxed) == 1 {
                server.set_presence(Presence::Here);
            }
            false
        }
    };
    let options = StorageOptions { should_stop: Arc::new(should_stop), ..options(server.environment()) };
    let objects = Objects::open("s3://corpus", options).unwrap();
    let error = objects.put("a", vec![1]).unwrap_err();
    assert!(matches!(error, ObjectError::Denied { .. }), "{error:?}");
    assert_eq!(checks.load(Ordering::Relaxed), 0, "perhaps the keys are wrong");
    server.set_presence(Presence::Here);
    objects.put("a", vec![1]).unwrap();
    server.set_presence(Presence::Full);
    objects.put("b", vec![2]).unwrap();
    assert!(checks.load(Ordering::Relaxed) >= 2);
    assert_eq!(objects.get("b").unwrap(), [2]);
}

#[test]
fn a_storage_that_denies_writes_is_named_when_the_patience_ends() {
    let folder = TempDir::new().unwrap();
    let server = server(&folder, 0);
    let hasty = StorageOptions { patience: Duration::ZERO, ..options(server.environment()) };
    let objects = Objects::open("s3://corpus", hasty).unwrap();
    objects.put("a", vec![1]).unwrap();
    server.set_presence(Presence::Full);
    let error = objects.put("b", vec![1]).unwrap_err();
    assert!(matches!(error, ObjectError::Denied { .. }), "{error:?}");
    assert!(error.to_string().contains("403 QuotaExceeded"), "{error}");
}

#[test]
fn patience_ends_and_a_stop_ends_it_sooner() {
    let folder = TempDir::new().unwrap();
    let server = server(&folder, 0);
    server.set_presence(Presence::Away);
    let hasty = StorageOptions { patience: Duration::ZERO, ..options(server.environment()) };
    let error = Objects::open("s3://corpus", hasty).unwrap().put("a", vec![1]).unwrap_err();
    assert!(
        matches!(error, ObjectError::Unavailable { tries: 1, .. }) && error.is_unavailable(),
        "{error:?}"
    );
    assert!(error.to_string().contains("503 SlowDown"), "{error}");

    let stopped = StorageOptions { should_stop: Arc::new(|| true), ..options(server.environment()) };
    let objects = Objects::open("s3://corpus", stopped).unwrap();
    let before = server.requests().len();
    let error = objects.put("a", vec![1]).unwrap_err();
    assert!(matches!(error, ObjectError::Stopped { .. }) && error.is_unavailable(), "{error:?}");
    assert_eq!(server.requests().len(), before + 1);
    // A write during a stop succeeds if the storage is available.
    server.set_presence(Presence::Here);
    objects.put("a", vec![1]).unwrap();
}

#[test]
fn a_server_that_never_answers_is_away() {
    let folder = TempDir::new().unwrap();
    let server = server(&folder, 0);
    server.set_presence(Presence::Silent);
    let options = StorageOptions {
        patience: Duration::ZERO,
        timeout: Duration::from_millis(50),
        ..options(server.environment())
    };
    let error = Objects::open("s3://corpus", options).unwrap().get("a").unwrap_err();
    assert!(error.is_unavailable() && error.to_string().contains("time limit"), "{error}");
}

#[test]
fn plain_http_has_to_be_allowed() {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 9));
    let allowed = environment(address, &Keys::default());
    let plain = |environment| Objects::open("s3://corpus", options(environment));
    assert!(plain(allowed.clone()).is_ok());
    for value in ["false", ""] {
        let error = plain(with(allowed.clone(), "AWS_ALLOW_HTTP", value)).unwrap_err().to_string();
        assert!(error.starts_with("AWS_ENDPOINT_URL: ") && error.contains("AWS_ALLOW_HTTP=true"), "{error}");
    }
    let secure = with(with(allowed, "AWS_ALLOW_HTTP", "false"), "AWS_ENDPOINT_URL", "https://127.0.0.1:9");
    assert!(plain(secure).is_ok());
}

#[test]
fn a_server_without_tls_is_not_asked_in_plain() {
    let folder = TempDir::new().unwrap();
    let server = server(&folder, 0);
    let endpoint = format!("https://{}", server.address());
    let environment = with(server.environment(), "AWS_ENDPOINT_URL", &endpoint);
    // The error is returned at once, although the time for retries is an hour.
    let error = Objects::open("s3://corpus", options(environment)).unwrap().get("a").unwrap_err();
    assert!(matches!(error, ObjectError::Refused { .. }) && !error.is_unavailable(), "{error:?}");
    assert_eq!(server.requests(), []);
}

#[test]
fn certificates_that_are_none_are_told() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, "no certificate").unwrap();
    let refused = |file: &std::path::Path| {
        let set = Environment::from_iter([("AWS_CA_BUNDLE", file.to_str().unwrap())]);
        let options = StorageOptions { environment: set, ..StorageOptions::default() };
        Objects::open("s3://corpus", options).unwrap_err().to_string()
    };
    let error = refused(&file);
    assert!(error.starts_with("AWS_CA_BUNDLE: ") && error.contains("PEM"), "{error}");
    let error = refused(&folder.path().join("absent.pem"));
    assert!(error.starts_with("AWS_CA_BUNDLE: ") && error.contains("absent.pem"), "{error}");
}

#[test]
fn keys_may_stand_in_files() {
    let folder = TempDir::new().unwrap();
    let server = server(&folder, 0);
    let file = TempDir::new().unwrap();
    let path = file.path().join("secret");
    std::fs::write(&path, format!("{}\n", Keys::default().secret)).unwrap();
    let mut environment = server.environment();
    environment.retain(|(name, _)| name != "AWS_SECRET_ACCESS_KEY");
    let environment = with(environment, "AWS_SECRET_ACCESS_KEY_FILE", path.to_str().unwrap());
    Objects::open("s3://corpus", options(environment)).unwrap().check().unwrap();
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn keys_that_are_not_set_are_told() {
    let folder = TempDir::new().unwrap();
    let server = server(&folder, 0);
    let mut set = server.environment();
    set.retain(|(name, _)| !name.contains("KEY"));
    // The server replaces the cloud's metadata service, and returns no keys.
    let set = with(set, "AWS_METADATA_ENDPOINT", &format!("http://{}", server.address()));
    let hasty = StorageOptions { patience: Duration::ZERO, ..options(set) };
    let objects = Objects::open("s3://corpus", hasty).unwrap();
    let error = objects.check().unwrap_err();
    assert!(matches!(error, ObjectError::Denied { .. }), "{error:?}");
    assert!(error.to_string().contains("AWS_ACCESS_KEY_ID"), "{error}");
    server.set_presence(Presence::Away);
    let error = objects.check().unwrap_err();
    assert!(error.is_unavailable(), "{error:?}");
}

fn answering(answer: String) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count > 0) {
                head.push(byte[0]);
            }
            // The client may have closed the connection.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

fn answer(status: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

#[test]
fn what_a_storage_repeats_of_the_keys_is_not_shown() {
    let secret = Keys::default().secret;
    let body = format!(
        "<Error><Code>{secret}</Code><Message>No {secret} here</Message><Token-0>{secret}</Token-0></Error>"
    );
    for status in ["400 Bad Request", "403 Forbidden", "404 Not Found", "409 Conflict", "503 Slow"] {
        let environment = environment(answering(answer(status, &body)), &Keys::default());
        let options = StorageOptions { patience: Duration::ZERO, ..options(environment) };
        let objects = Objects::open("s3://corpus", options).unwrap();
        for error in [
            objects.get("a").unwrap_err(),
            objects.put("a", vec![1]).unwrap_err(),
            objects.list("").unwrap_err(),
            objects.delete("a").unwrap_err(),
        ] {
            let (text, debug) = (error.to_string(), format!("{error:?}"));
            assert!(!text.contains(&secret) && !debug.contains(&secret), "{status}: {debug}");
            assert_eq!(error.is_unavailable(), status.starts_with("503"), "{status}: {text}");
        }
    }
}

#[test]
fn an_answer_that_breaks_off_is_a_storage_that_is_away() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nLast-Modified: Sat, 21 Nov 2026 02:00:00 GMT\r\nETag: \"1\"\r\n\r\nrain";
    let environment = environment(answering(head.into()), &Keys::default());
    let options = StorageOptions { patience: Duration::ZERO, ..options(environment) };
    let error = Objects::open("s3://corpus", options).unwrap().get("a").unwrap_err();
    assert!(error.is_unavailable(), "{error:?}");
}
