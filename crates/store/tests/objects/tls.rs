//! Tests a storage whose certificate is from a private authority.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use gleaner_store::objects::{ObjectError, Objects, StorageOptions};
use gleaner_testkit::s3::{Keys, serve};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use tempfile::TempDir;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// Starts a TLS proxy for a server. Returns the proxy's address, and the authority's certificate as PEM.
fn in_front_of(server: SocketAddr) -> (SocketAddr, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(
            vec![certificate.der().clone()],
            PrivateKeyDer::try_from(key.serialize_der()).unwrap(),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        runtime.block_on(async {
            while let Ok((stream, _)) = listener.accept().await {
                // The handshake fails if the client does not trust the certificate.
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let mut behind = TcpStream::connect(server).await.unwrap();
                tokio::spawn(async move { tokio::io::copy_bidirectional(&mut stream, &mut behind).await });
            }
        });
    });
    (address, authority.pem())
}

#[test]
fn a_private_authority_is_trusted_when_it_is_named() {
    let folder = TempDir::new().unwrap();
    let server = serve(folder.path(), SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), Keys::default()).unwrap();
    server.make_bucket("corpus").unwrap();
    let (address, authority) = in_front_of(server.address());
    let beside = TempDir::new().unwrap();
    let pem = beside.path().join("authority.pem");
    std::fs::write(&pem, authority).unwrap();

    let mut set = server.environment();
    set.retain(|(name, _)| name != "AWS_ENDPOINT_URL" && name != "AWS_ALLOW_HTTP");
    set.push(("AWS_ENDPOINT_URL".into(), format!("https://{address}")));
    let open = |set: Vec<(String, String)>| {
        let environment = set.into_iter().collect();
        let options = StorageOptions { patience: Duration::ZERO, environment, ..StorageOptions::default() };
        Objects::open("s3://corpus", options).unwrap()
    };
    let error = open(set.clone()).check().unwrap_err();
    assert!(matches!(error, ObjectError::Refused { .. }) && !error.is_unavailable(), "{error:?}");
    assert!(error.to_string().contains("AWS_CA_BUNDLE"), "{error}");
    assert_eq!(server.requests(), []);

    set.push(("AWS_CA_BUNDLE".into(), pem.to_str().unwrap().into()));
    open(set).check().unwrap();
    assert_eq!(server.requests().len(), 3);
}
