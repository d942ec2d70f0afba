//! Serves fixed pages as https sites behind a proxy, for benches.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

use crate::FixedPage;
use crate::tls::{Authority, ScriptedRequest, ScriptedResponse, TlsServer, answer};

/// Running https sites, one server for each host. Clients reach them through [`proxy`](Self::proxy), which
/// supports only `CONNECT`. Dropping the value stops the servers.
#[derive(Debug)]
pub struct TlsSites {
    proxy: SocketAddr,
    authority: String,
    sent: Arc<AtomicUsize>,
    // The servers end with their runtime.
    _runtime: Runtime,
}

type Pages = HashMap<String, FixedPage>;

impl TlsSites {
    /// Starts the sites. `protocol` is the only ALPN protocol that they offer: `h2` or `http/1.1`.
    ///
    /// # Errors
    /// No port can be bound, or the thread cannot be started.
    pub fn start(pages: Vec<FixedPage>, protocol: &str) -> io::Result<Self> {
        let mut by_host: HashMap<String, Pages> = HashMap::new();
        for page in pages {
            by_host.entry(page.host.clone()).or_default().insert(page.path.clone(), page);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let (authority, sent) = (Authority::new("bench"), Arc::new(AtomicUsize::new(0)));
        let proxy = runtime.block_on(async {
            let mut ports = HashMap::new();
            for (host, pages) in by_host {
                let (pages, sent) = (Arc::new(pages), Arc::clone(&sent));
                let script = move |_, stream| {
                    let (pages, sent) = (Arc::clone(&pages), Arc::clone(&sent));
                    async move { answer(stream, |request| response(&pages, &sent, &request)).await }
                };
                let server = TlsServer::start(authority.certify(&[&host]), &[protocol], script).await;
                ports.insert(host, server.port());
            }
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
            let proxy = listener.local_addr()?;
            tokio::spawn(accept(listener, Arc::new(ports)));
            Ok::<_, io::Error>(proxy)
        })?;
        Ok(Self { proxy, authority: authority.pem(), sent, _runtime: runtime })
    }

    /// Returns the URL of the proxy, such as `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn proxy(&self) -> String {
        format!("http://{}", self.proxy)
    }

    /// Returns the certificate of the sites' authority as PEM, for `SSL_CERT_FILE`.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Returns the number of HTML pages that were sent since the last call.
    pub fn take_sent(&self) -> usize {
        self.sent.swap(0, Ordering::Relaxed)
    }
}

fn response(pages: &Pages, sent: &AtomicUsize, request: &ScriptedRequest) -> ScriptedResponse {
    let Some(page) = pages.get(&request.path) else {
        return ScriptedResponse { status: 404, headers: Vec::new(), body: Vec::new() };
    };
    if page.content_type.starts_with("text/html") {
        sent.fetch_add(1, Ordering::Relaxed);
    }
    let coding = page.coding.map(|coding| ("content-encoding", coding.to_owned()));
    let headers = [("content-type", page.content_type.to_owned())].into_iter().chain(coding).collect();
    ScriptedResponse { status: 200, headers, body: page.body.clone() }
}

async fn accept(listener: TcpListener, ports: Arc<HashMap<String, u16>>) {
    while let Ok((client, _)) = listener.accept().await {
        let ports = Arc::clone(&ports);
        // An error means that the client closed the connection, or that its request is not for one of the sites.
        tokio::spawn(async move { tunnel(client, &ports).await });
    }
}

async fn tunnel(mut client: TcpStream, ports: &HashMap<String, u16>) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let host = head.strip_prefix("CONNECT ").and_then(|rest| rest.split(':').next());
    let Some(port) = host.and_then(|host| ports.get(host)) else {
        return client.write_all(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n").await;
    };
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).await?;
    // Otherwise, small writes wait for the acknowledgement of earlier ones, up to 40 ms.
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    tokio::io::copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn the_proxy_opens_tunnels_to_its_sites_only() {
        let page = FixedPage {
            host: "a.example".into(),
            path: "/".into(),
            content_type: "text/html",
            coding: None,
            body: b"rain".to_vec(),
        };
        let sites = TlsSites::start(vec![page], "http/1.1").unwrap();
        for (host, expected) in [("a.example", "HTTP/1.1 200"), ("b.example", "HTTP/1.1 502")] {
            let mut stream = std::net::TcpStream::connect(sites.proxy).unwrap();
            stream.write_all(format!("CONNECT {host}:443 HTTP/1.1\r\n\r\n").as_bytes()).unwrap();
            let mut answer = [0; 12];
            stream.read_exact(&mut answer).unwrap();
            assert_eq!(String::from_utf8_lossy(&answer), expected);
        }
        assert!(sites.authority().starts_with("-----BEGIN CERTIFICATE"));
        assert_eq!(sites.take_sent(), 0);
    }
}
