//! Serves pages that the caller passes at the start. This server is for benches, because it spends little time
//! on a request.
//!
//! A page with a content coding is always sent in this coding, so the client must accept it.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode};

use crate::background::Background;
use crate::connections::accept;

/// A page of a [`FixedServer`].
#[derive(Debug, Clone)]
pub struct FixedPage {
    /// The host name.
    pub host: String,
    /// The path, with its query.
    pub path: String,
    /// The value of `Content-Type`.
    pub content_type: &'static str,
    /// The value of `Content-Encoding`. `None` if the body has no coding.
    pub coding: Option<&'static str>,
    /// The body, in its coding.
    pub body: Vec<u8>,
}

/// A running server, which clients use as an HTTP proxy. Dropping it stops the server.
#[derive(Debug)]
pub struct FixedServer {
    address: SocketAddr,
    pages: Arc<Pages>,
    _server: Background,
}

#[derive(Debug)]
struct Pages {
    by_address: HashMap<String, Fixed>,
    sent: AtomicUsize,
}

#[derive(Debug)]
struct Fixed {
    content_type: HeaderValue,
    coding: Option<HeaderValue>,
    body: Bytes,
}

impl FixedServer {
    /// Starts a server on its own thread.
    ///
    /// # Errors
    /// No port can be bound, or the thread cannot be started.
    pub fn start(pages: Vec<FixedPage>) -> io::Result<Self> {
        let fixed = |page: FixedPage| {
            let fixed = Fixed {
                content_type: HeaderValue::from_static(page.content_type),
                coding: page.coding.map(HeaderValue::from_static),
                body: page.body.into(),
            };
            (format!("{}{}", page.host, page.path), fixed)
        };
        let by_address = pages.into_iter().map(fixed).collect();
        let pages = Arc::new(Pages { by_address, sent: AtomicUsize::new(0) });
        let served = Arc::clone(&pages);
        let serve = move |listener, _, stopped| {
            let answer = move |request| std::future::ready(Ok(served.answer(&request)));
            accept::<_, _, Full<Bytes>>(listener, stopped, answer)
        };
        let (address, server) = Background::start("fixed pages", (Ipv4Addr::LOCALHOST, 0).into(), serve)?;
        Ok(Self { address, pages, _server: server })
    }

    /// Returns the URL of the HTTP proxy, `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn proxy(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the number of HTML pages that were sent since the last call.
    pub fn take_sent(&self) -> usize {
        self.pages.sent.swap(0, Ordering::Relaxed)
    }
}

impl Pages {
    fn answer(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let host = request.uri().host().unwrap_or_default();
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let mut response = Response::new(Full::default());
        let Some(page) = self.by_address.get(&format!("{host}{path}")) else {
            *response.status_mut() = StatusCode::NOT_FOUND;
            return response;
        };
        if page.content_type.as_bytes().starts_with(b"text/html") {
            self.sent.fetch_add(1, Ordering::Relaxed);
        }
        response.headers_mut().insert(CONTENT_TYPE, page.content_type.clone());
        if let Some(coding) = &page.coding {
            response.headers_mut().insert(CONTENT_ENCODING, coding.clone());
        }
        *response.body_mut() = Full::new(page.body.clone());
        response
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn a_page_is_sent_with_its_coding_and_counted() {
        let page = FixedPage {
            host: "a.example".into(),
            path: "/x?y=1".into(),
            content_type: "text/html",
            coding: Some("br"),
            body: b"rain".to_vec(),
        };
        let server = FixedServer::start(vec![page]).unwrap();
        let asked = |path: &str| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            let request =
                format!("GET http://a.example{path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).unwrap();
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            text
        };
        let sent = asked("/x?y=1");
        assert!(sent.contains("content-encoding: br") && sent.ends_with("\r\n\r\nrain"), "{sent}");
        assert!(asked("/x").starts_with("HTTP/1.1 404"));
        assert_eq!((server.take_sent(), server.take_sent()), (1, 0));
    }
}
