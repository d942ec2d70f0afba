//! Compares the recorded headers of a request with those that the server received.

use gleaner_fetch::{Client, Request, RequestKind, RequestLease};

use crate::server::{Server, page, settings};

#[tokio::test]
async fn the_headers_that_are_told_are_those_that_were_sent() {
    let server = Server::always(page(b"<p>")).await;
    let client = Client::new(&settings(&["fetch.contact=mailto:a@b.example"])).unwrap();
    let known = Request {
        etag: Some("\"v1\"".into()),
        last_modified: Some("sun, 06 nov 1994 08:49:37 gmt".into()),
        ..Request::new(server.url("/x?y"), RequestKind::Page)
    };
    let robots = Request::new(server.url("/robots.txt"), RequestKind::Robots);
    for request in [known, robots] {
        let sent = client.get(&request, &RequestLease::unlimited()).await.unwrap().sent;
        let told: String = sent.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = server.seen().pop().unwrap();
        let (_, received) = head.trim_end().split_once("\r\n").unwrap();
        assert_eq!(told.trim_end().to_lowercase(), received);
    }
}
