//! Tests TLS with valid and invalid certificates, over both versions of HTTP.

use std::io::Write;
use std::sync::{Arc, Mutex};

use flate2::Compression;
use flate2::write::GzEncoder;
use gleaner_fetch::{Client, FetchError, Request, RequestKind, RequestLease, Response, RootCertificates};
use gleaner_testkit::tls::{
    Authority, Identity, ScriptedRequest, ScriptedResponse, TlsServer, answer, refuse_with_alert,
};
use url::Url;

use crate::server::settings;

/// The protocols that a server offers over ALPN, and the resulting HTTP version.
const PROTOCOLS: [(&[&str], &str); 3] =
    [(&["h2", "http/1.1"], "HTTP/2.0"), (&["http/1.1"], "HTTP/1.1"), (&[], "HTTP/1.1")];

pub(crate) fn client(authority: &Authority, sets: &[&str]) -> Client {
    Client::with_roots(&settings(sets), &RootCertificates::from_der([authority.der()]).unwrap()).unwrap()
}

pub(crate) fn request(server: &TlsServer) -> Request {
    let url = Url::parse(&format!("https://localhost:{}/", server.port())).unwrap();
    Request::new(url, RequestKind::Page)
}

fn page(body: &[u8]) -> ScriptedResponse {
    ScriptedResponse { status: 200, headers: vec![("content-type", "text/html".into())], body: body.to_vec() }
}

async fn always(
    identity: Identity,
    protocols: &[&str],
    said: ScriptedResponse,
) -> (TlsServer, Arc<Mutex<Vec<ScriptedRequest>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let server = TlsServer::start(identity, protocols, move |_, stream| {
        let (said, log) = (said.clone(), Arc::clone(&log));
        async move {
            answer(stream, |asked| {
                log.lock().unwrap().push(asked);
                said.clone()
            })
            .await;
        }
    });
    (server.await, seen)
}

#[tokio::test]
async fn a_trusted_certificate_of_the_right_name_is_accepted_over_both_versions_of_http() {
    let authority = Authority::new("Known");
    for (protocols, version) in PROTOCOLS {
        let (server, seen) =
            always(authority.certify(&["localhost", "127.0.0.1"]), protocols, page(b"<p>hi")).await;
        for host in ["localhost", "127.0.0.1"] {
            let url = Url::parse(&format!("https://{host}:{}/x?y", server.port())).unwrap();
            let got = client(&authority, &[])
                .get(&Request::new(url, RequestKind::Page), &RequestLease::unlimited())
                .await
                .unwrap();
            assert_eq!((got.status, got.body.as_slice()), (200, b"<p>hi".as_slice()), "{host} {version}");
            let asked = seen.lock().unwrap().pop().unwrap();
            assert_eq!((asked.path.as_str(), asked.version.as_str()), ("/x?y", version));
        }
    }
}

#[tokio::test]
async fn a_bad_certificate_is_refused_with_its_reason() {
    let (authority, foreign) = (Authority::new("Known"), Authority::new("Foreign"));
    let here = &["localhost"];
    for (identity, label, words) in [
        (authority.certify_expired(here), "certificate_expired", "expired"),
        (authority.certify(&["other.example"]), "certificate_wrong_name", "other.example"),
        (foreign.certify(here), "certificate_unknown_issuer", "SSL_CERT_FILE"),
        (Identity::self_signed(here), "certificate_self_signed", "self-signed"),
    ] {
        let (server, seen) = always(identity, &["h2", "http/1.1"], page(b"<p>")).await;
        let error =
            client(&authority, &[]).get(&request(&server), &RequestLease::unlimited()).await.unwrap_err();
        assert_eq!((error.label(), error.is_transient()), (label, false), "{error}");
        assert!(error.to_string().contains(words), "{words} in {error}");
        assert!(seen.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn a_server_without_a_common_cipher_is_called_that() {
    let authority = Authority::new("Known");
    // handshake_failure, protocol_version, insufficient_security, internal_error.
    for (alert, label) in [
        (40, "tls_no_common_cipher"),
        (70, "tls_no_common_cipher"),
        (71, "tls_no_common_cipher"),
        (80, "tls"),
    ] {
        let port = refuse_with_alert(alert).await;
        let url = Url::parse(&format!("https://localhost:{port}/")).unwrap();
        let error = client(&authority, &[])
            .get(&Request::new(url, RequestKind::Page), &RequestLease::unlimited())
            .await
            .unwrap_err();
        assert_eq!(error.label(), label, "{alert}: {error}");
        assert_eq!(error.to_string().contains("older than what is accepted"), label != "tls", "{error}");
    }
}

#[tokio::test]
async fn conditional_requests_are_sent_over_both_versions_of_http() {
    let authority = Authority::new("Known");
    for (protocols, version) in PROTOCOLS {
        let said =
            ScriptedResponse { status: 304, headers: vec![("etag", "\"v1\"".into())], body: Vec::new() };
        let (server, seen) = always(authority.certify(&["localhost"]), protocols, said).await;
        let mut request = request(&server);
        request.etag = Some("\"v1\"".into());
        request.last_modified = Some("Sun, 06 Nov 1994 08:49:37 GMT".into());
        let got = client(&authority, &[]).get(&request, &RequestLease::unlimited()).await.unwrap();
        assert_eq!((got.status, got.etag.as_deref()), (304, Some("\"v1\"")), "{version}");
        let asked = seen.lock().unwrap().pop().unwrap();
        for (name, value) in
            [("if-none-match", "\"v1\""), ("if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT")]
        {
            assert!(asked.headers.contains(&(name.into(), value.into())), "{version}: {:?}", asked.headers);
        }
    }
}

#[tokio::test]
async fn headers_have_the_same_bound_over_both_versions_of_http() {
    let authority = Authority::new("Known");
    for (protocols, version) in PROTOCOLS {
        for (kilobytes, label) in [(20, "ok"), (200, "ok"), (300, "headers_too_large")] {
            let mut said = page(b"<p>");
            // Each line is as short as on real servers. Only the number of lines is large.
            said.headers.extend((0..kilobytes / 4).map(|_| ("x-filler", "a".repeat(4096))));
            let (server, _) = always(authority.certify(&["localhost"]), protocols, said).await;
            let got = client(&authority, &[]).get(&request(&server), &RequestLease::unlimited()).await;
            assert_eq!(outcome(&got), label, "{version}, {kilobytes} KB: {got:?}");
        }
    }
}

fn outcome(got: &Result<Response, FetchError>) -> &'static str {
    got.as_ref().map_or_else(FetchError::label, |_| "ok")
}

#[tokio::test]
async fn whole_and_broken_bodies_end_with_an_outcome_over_both_versions_of_http() {
    let authority = Authority::new("Known");
    let text = "<p>Ch\u{e0}o b\u{1ea1}n".repeat(500).into_bytes();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(&text).unwrap();
    let gzip = gzip.finish().unwrap();
    let coded = |coding: &str, body: &[u8]| {
        let mut said = page(body);
        said.headers.push(("content-encoding", coding.into()));
        said
    };
    for (protocols, version) in PROTOCOLS {
        for (said, is_whole) in [
            (coded("gzip", &gzip), true),
            (coded("gzip", &gzip[..gzip.len() / 2]), false),
            (coded("gzip", b"no gzip at all"), false),
            (coded("gzip", b""), false),
            (coded("br", &gzip), false),
        ] {
            let (server, _) = always(authority.certify(&["localhost"]), protocols, said).await;
            let got = client(&authority, &[]).get(&request(&server), &RequestLease::unlimited()).await;
            let is_text = got.as_ref().is_ok_and(|response| response.body == text);
            assert_eq!(is_text, is_whole, "{version}: {got:?}");
        }
    }
}
