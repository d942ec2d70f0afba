//! Runs TLS servers on loopback, for tests of correct and incorrect https. The script of a test decides which
//! bytes a server sends.
//!
//! A private [`Authority`] signs the certificates, so the machine's trust store is not needed. A script
//! receives each connection after the handshake and can send any bytes. It writes HTTP/1.1 directly to the
//! [`Stream`], or HTTP/2 frames with [`http2`](crate::http2).
//!
//! Limitation: both sides use rustls. Features that rustls does not have, such as cipher suites with CBC and
//! RSA key exchange, cannot be tested. A real server that requires such a feature refuses the handshake with
//! an alert. [`refuse_with_alert`] sends this alert.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DistinguishedName, DnType, IsCa, KeyPair,
    date_time_ymd,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A connection after its handshake.
pub type Stream = tokio_rustls::server::TlsStream<TcpStream>;

/// A private certificate authority with a new key.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority").finish_non_exhaustive()
    }
}

/// The certificate and the key of a server.
#[derive(Debug)]
pub struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Authority {
    /// Creates an authority with this name and a new key.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self::with_key(name, key())
    }

    /// Returns the authority of another process, given its name and its [key](Self::key).
    ///
    /// # Panics
    /// If the key is not that of an authority.
    #[must_use]
    pub fn from_key(name: &str, key: &str) -> Self {
        Self::with_key(name, KeyPair::from_pem(key).expect("it is the key of an authority"))
    }

    fn with_key(name: &str, key: KeyPair) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("no name is a valid list of names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name = named(name);
        Self { issuer: CertifiedIssuer::self_signed(params, key).expect("a fresh key signs") }
    }

    /// Returns the authority's certificate as PEM, for `SSL_CERT_FILE`.
    #[must_use]
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Returns the authority's key as PEM, for [`from_key`](Self::from_key).
    #[must_use]
    pub fn key(&self) -> String {
        self.issuer.key().serialize_pem()
    }

    /// Returns the authority's certificate as DER.
    #[must_use]
    pub fn der(&self) -> Vec<u8> {
        self.issuer.der().to_vec()
    }

    /// Creates a certificate that is valid today. `names` are host names or IP addresses.
    #[must_use]
    pub fn certify(&self, names: &[&str]) -> Identity {
        self.sign(params(names))
    }

    /// Creates a certificate for these names that expired in 2001.
    #[must_use]
    pub fn certify_expired(&self, names: &[&str]) -> Identity {
        let mut params = params(names);
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(2001, 1, 1);
        self.sign(params)
    }

    fn sign(&self, params: CertificateParams) -> Identity {
        let key = key();
        let certificate = params.signed_by(&key, &self.issuer).expect("the authority signs");
        Identity::new(certificate.der().clone(), &key)
    }
}

impl Identity {
    fn new(certificate: CertificateDer<'static>, key: &KeyPair) -> Self {
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("rcgen writes what rustls reads");
        Self { certificate, key }
    }

    /// Creates a self-signed certificate for these names.
    #[must_use]
    pub fn self_signed(names: &[&str]) -> Self {
        let key = key();
        let certificate = params(names).self_signed(&key).expect("a fresh key signs");
        Self::new(certificate.der().clone(), &key)
    }

    pub(crate) fn acceptor(self, protocols: &[&str]) -> TlsAcceptor {
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring has the default versions")
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate], self.key)
            .expect("the key is the certificate's");
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}

fn key() -> KeyPair {
    KeyPair::generate().expect("the system gives random bytes")
}

fn params(names: &[&str]) -> CertificateParams {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let mut params = CertificateParams::new(names.clone()).expect("the names are names");
    params.distinguished_name = named(&names.join(" "));
    params
}

fn named(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}

/// A running server. It stops when its runtime ends.
#[derive(Debug, Clone)]
pub struct TlsServer {
    address: SocketAddr,
    accepted: Arc<AtomicUsize>,
}

impl TlsServer {
    /// Starts a server that calls `script` with each connection and its number, counted from 0. `protocols` is
    /// the list of ALPN protocols (`h2`, `http/1.1`) in order of preference.
    ///
    /// # Panics
    /// If no port of loopback is free.
    pub async fn start<S, F>(identity: Identity, protocols: &[&str], script: S) -> Self
    where
        S: Fn(usize, Stream) -> F + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("it is bound");
        let (acceptor, accepted) = (identity.acceptor(protocols), Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&accepted);
        let script = Arc::new(script);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, script, count) = (acceptor.clone(), Arc::clone(&script), Arc::clone(&count));
                // A failure means that the client has closed the connection.
                let _ = stream.set_nodelay(true);
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        script(count.fetch_add(1, Ordering::SeqCst), stream).await;
                    }
                });
            }
        });
        Self { address, accepted }
    }

    /// Returns the server's port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the number of completed handshakes.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

/// Starts a server that ends each handshake with the fatal alert `alert` (RFC 8446, 6), such as 40
/// (`handshake_failure`) or 70 (`protocol_version`). Returns the server's port.
///
/// # Panics
/// If no port of loopback is free.
pub async fn refuse_with_alert(alert: u8) -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("loopback has a free port");
    let port = listener.local_addr().expect("it is bound").port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut record = [0; 5];
            if stream.read_exact(&mut record).await.is_ok() {
                let mut hello = vec![0; usize::from(u16::from_be_bytes([record[3], record[4]]))];
                let _ = stream.read_exact(&mut hello).await;
                let _ = stream.write_all(&[21, 3, 3, 0, 2, 2, alert]).await;
                let _ = stream.shutdown().await;
            }
        }
    });
    port
}

/// Reads the headers of an HTTP/1.1 request and returns them in lower case. Returns `None` if the connection
/// ended.
pub async fn read_head(stream: &mut Stream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8_lossy(&head).to_ascii_lowercase())
}

/// A request as received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptedRequest {
    /// The path and the query.
    pub path: String,
    /// The HTTP version: `HTTP/1.1` or `HTTP/2.0`.
    pub version: String,
    /// The headers in the order of the request. Names are in lower case.
    pub headers: Vec<(String, String)>,
}

/// A response to send.
#[derive(Debug, Clone)]
pub struct ScriptedResponse {
    /// The status, such as 200.
    pub status: u16,
    /// The headers without `Content-Length`.
    pub headers: Vec<(&'static str, String)>,
    /// The body as sent.
    pub body: Vec<u8>,
}

/// Responds to all requests of a connection, with the negotiated protocol.
pub async fn answer(stream: Stream, respond: impl Fn(ScriptedRequest) -> ScriptedResponse) {
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    let service = service_fn(|request: Request<Incoming>| {
        let answer = respond(scripted_request(&request));
        let mut response = Response::builder().status(answer.status);
        for (name, value) in answer.headers {
            response = response.header(name, value);
        }
        let body = Full::new(Bytes::from(answer.body));
        async move { Ok::<_, Infallible>(response.body(body).expect("the script's headers are headers")) }
    });
    // An error means that the client closed the connection.
    if is_http2 {
        let _ = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(stream), service)
            .await;
    } else {
        let _ =
            hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    }
}

fn scripted_request(request: &Request<Incoming>) -> ScriptedRequest {
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers = request.headers().iter();
    ScriptedRequest {
        path: request.uri().path_and_query().map_or_else(String::new, ToString::to_string),
        version: format!("{:?}", request.version()),
        headers: headers.map(|(name, value)| (name.to_string(), text(value.as_bytes()))).collect(),
    }
}
