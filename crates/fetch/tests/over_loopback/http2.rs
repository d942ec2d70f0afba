//! Tests how often a request is sent if its HTTP/2 connection or stream breaks off (RFC 9113, 8.7).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gleaner_fetch::{FetchError, RequestLease, Response};
use gleaner_testkit::http2::{CANCEL, ENHANCE_YOUR_CALM, Http2, INTERNAL_ERROR, NO_ERROR, REFUSED_STREAM};
use gleaner_testkit::tls::{Authority, Stream, TlsServer};

use crate::tls::{client, request};

/// What the server does with one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// Responds.
    ScriptedResponse,
    /// Closes the connection without a frame.
    Close,
    /// Resets the stream with this code.
    Reset(u32),
    /// Resets the stream with this code after the headers and a part of the body.
    ResetWithin(u32),
    /// Sends a `GOAWAY` with this code that excludes the request, and closes.
    GoBefore(u32),
    /// Sends a `GOAWAY` that includes the request, and closes without a response.
    GoWithin,
    /// Sends a `GOAWAY` that includes the request, responds, and closes.
    GoAfter,
    /// Responds with three megabytes of headers.
    HugeHeaders,
}
use Does::{Close, GoAfter, GoBefore, GoWithin, HugeHeaders, Reset, ResetWithin, ScriptedResponse};

async fn follow(stream: Stream, script: &[Does], requests: &AtomicUsize) {
    let Some(mut http2) = Http2::accept(stream).await else { return };
    for does in script {
        let Some(asked) = http2.next().await else { return };
        requests.fetch_add(1, Ordering::SeqCst);
        let stream = asked.stream;
        match *does {
            ScriptedResponse => answer(&mut http2, stream).await,
            Close => return,
            Reset(code) => http2.reset(stream, code).await,
            ResetWithin(code) => {
                http2.headers(stream, 200, &[("content-type", "text/html")], false).await;
                http2.data(stream, b"<p>", false).await;
                http2.reset(stream, code).await;
            }
            GoBefore(code) => return http2.go_away(stream - 1, code).await,
            GoWithin => return http2.go_away(stream, NO_ERROR).await,
            GoAfter => {
                http2.go_away(stream, NO_ERROR).await;
                return answer(&mut http2, stream).await;
            }
            HugeHeaders => {
                let filler = "a".repeat(60_000);
                http2.headers(stream, 200, &[("x-filler", filler.as_str()); 50], true).await;
            }
        }
    }
    // Keeps the connection open until the client closes it.
    while http2.next().await.is_some() {}
}

async fn answer(http2: &mut Http2, stream: u32) {
    http2.headers(stream, 200, &[("content-type", "text/html")], false).await;
    http2.data(stream, b"<p>", true).await;
}

/// Sends `times` requests, one after the other. Returns how each request ended, how many requests the server
/// received, and the number of connections. Each connection follows its own script.
async fn asked(times: usize, scripts: &[&[Does]]) -> (Vec<&'static str>, usize, usize) {
    let (authority, requests) = (Authority::new("Known"), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&requests);
    let scripts: Vec<Vec<Does>> = scripts.iter().map(|script| script.to_vec()).collect();
    let server = TlsServer::start(authority.certify(&["localhost"]), &["h2"], move |number, stream| {
        let (script, count) = (scripts.get(number).cloned().unwrap_or_default(), Arc::clone(&count));
        async move { follow(stream, &script, &count).await }
    })
    .await;
    let client = client(&authority, &[]);
    let mut ends = Vec::new();
    for _ in 0..times {
        let got: Result<Response, FetchError> =
            client.get(&request(&server), &RequestLease::unlimited()).await;
        ends.push(got.as_ref().map_or_else(FetchError::label, |_| "ok"));
    }
    (ends, requests.load(Ordering::SeqCst), server.connections())
}

#[tokio::test]
async fn a_request_that_was_not_processed_is_sent_again_once_on_a_new_connection() {
    for scripts in [
        &[&[Reset(REFUSED_STREAM)][..], &[ScriptedResponse]][..],
        &[&[GoBefore(NO_ERROR)], &[ScriptedResponse]],
    ] {
        assert_eq!(asked(1, scripts).await, (vec!["ok"], 2, 2), "{scripts:?}");
    }
    for scripts in [
        &[&[Reset(REFUSED_STREAM)][..], &[Reset(REFUSED_STREAM)], &[ScriptedResponse]][..],
        &[&[GoBefore(NO_ERROR)], &[GoBefore(NO_ERROR)], &[ScriptedResponse]],
    ] {
        assert_eq!(asked(1, scripts).await, (vec!["broken"], 2, 2), "{scripts:?}");
    }
}

#[tokio::test]
async fn a_request_that_may_have_been_processed_is_not_sent_again() {
    for script in [
        &[Close][..],
        &[GoWithin],
        &[GoBefore(ENHANCE_YOUR_CALM)],
        &[Reset(INTERNAL_ERROR)],
        &[Reset(CANCEL)],
        &[Reset(ENHANCE_YOUR_CALM)],
        &[ResetWithin(INTERNAL_ERROR)],
        &[ResetWithin(REFUSED_STREAM)],
    ] {
        assert_eq!(asked(1, &[script, &[ScriptedResponse]]).await, (vec!["broken"], 1, 1), "{script:?}");
    }
}

#[tokio::test]
async fn a_used_connection_that_closes_or_goes_costs_nothing() {
    for (scripts, requests) in [
        (&[&[ScriptedResponse, ScriptedResponse][..]][..], 2),
        (&[&[ScriptedResponse, Close], &[ScriptedResponse]], 3),
        (&[&[ScriptedResponse, GoBefore(NO_ERROR)], &[ScriptedResponse]], 3),
        (&[&[ScriptedResponse, Reset(REFUSED_STREAM)], &[ScriptedResponse]], 3),
        (&[&[GoAfter], &[ScriptedResponse]], 2),
    ] {
        assert_eq!(asked(2, scripts).await, (vec!["ok", "ok"], requests, scripts.len()), "{scripts:?}");
    }
}

#[tokio::test]
async fn headers_without_end_are_an_outcome_and_the_next_request_is_answered() {
    let (ends, ..) = asked(2, &[&[HugeHeaders], &[ScriptedResponse]]).await;
    assert_eq!(ends, ["broken", "ok"]);
}
