//! Sets the trusted TLS roots, and explains failed handshakes.
//!
//! The trusted roots are those of the system, or those in `SSL_CERT_FILE` and `SSL_CERT_DIR` if these are
//! set. Without roots, no client is created, because every https page would fail with a message about its
//! certificate.
//!
//! The library's errors name the check that failed, but a user needs to know what is wrong with the site.
//! [`TlsFault::from_error`] translates them. The library reports a self-signed certificate as "unknown
//! issuer". So a wrapper around the library's verifier inspects each refused certificate.
//!
//! Limitation: if client and server have no common cipher suite, the server sends the alert
//! `handshake_failure` (RFC 8446, 6.2). Some servers send the same alert for an unknown host name. Therefore
//! the message contains "most likely".

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    AlertDescription, CertificateError, ClientConfig, DigitallySignedStruct, DistinguishedName, OtherError,
    RootCertStore, SignatureScheme,
};
use thiserror::Error;

use crate::client_error::ClientError;

/// The root certificates for checking server certificates. Clones are cheap.
#[derive(Debug, Clone)]
pub struct RootCertificates(Arc<RootCertStore>);

impl RootCertificates {
    /// Loads the roots of the system. If set, `SSL_CERT_FILE` (a file of PEM certificates) or `SSL_CERT_DIR`
    /// (folders of such files) replaces them.
    ///
    /// # Errors
    /// [`ClientError::NoRoots`] if there is no readable certificate.
    pub fn from_system() -> Result<Self, ClientError> {
        let found = rustls_native_certs::load_native_certs();
        let why = found.errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let roots = Self::new(found.certs, &why)?;
        if !why.is_empty() {
            tracing::warn!(reason = why, "some root certificates cannot be read");
        }
        Ok(roots)
    }

    /// Creates roots from certificates in DER.
    ///
    /// # Errors
    /// [`ClientError::NoRoots`] if the list is empty or no certificate is readable.
    pub fn from_der(certificates: impl IntoIterator<Item = Vec<u8>>) -> Result<Self, ClientError> {
        Self::new(certificates.into_iter().map(CertificateDer::from).collect(), "")
    }

    /// Creates roots. Fails if no certificate is readable. `why` has the errors from loading the
    /// certificates.
    fn new(certificates: Vec<CertificateDer<'static>>, why: &str) -> Result<Self, ClientError> {
        let mut store = RootCertStore::empty();
        // rustls may reject some certificates of a system. The remaining ones suffice.
        let (_, unreadable) = store.add_parsable_certificates(certificates);
        if !store.is_empty() {
            return Ok(Self(Arc::new(store)));
        }
        Err(ClientError::NoRoots(match (why, unreadable) {
            ("", 0) => "none was found".into(),
            ("", count) => format!("{count} were found and none can be read"),
            (why, _) => why.to_owned(),
        }))
    }

    /// Returns a client's TLS configuration: these roots, TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1 over ALPN.
    pub(crate) fn config(&self) -> Result<ClientConfig, ClientError> {
        let library = |error: &dyn Display| ClientError::Library(error.to_string());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let inner = WebPkiServerVerifier::builder_with_provider(Arc::clone(&self.0), Arc::clone(&provider))
            .build()
            .map_err(|error| library(&error))?;
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| library(&error))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Verifier { inner }))
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(config)
    }
}

/// Wraps the library's verifier, which makes the decision. Only adds the information that a refused
/// certificate is self-signed.
#[derive(Debug)]
struct Verifier {
    inner: Arc<WebPkiServerVerifier>,
}

#[derive(Debug, Error)]
#[error("the certificate is self-signed")]
struct SelfSigned;

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified = self.inner.verify_server_cert(certificate, intermediates, name, ocsp, now);
        verified.map_err(|error| match error {
            // `Other` is also the error for a CA certificate that a server uses as its own.
            rustls::Error::InvalidCertificate(
                CertificateError::UnknownIssuer | CertificateError::Other(_),
            ) if is_self_signed(certificate) => {
                rustls::Error::InvalidCertificate(CertificateError::Other(OtherError(Arc::new(SelfSigned))))
            }
            error => error,
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.inner.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }

    fn root_hint_subjects(&self) -> Option<&[DistinguishedName]> {
        self.inner.root_hint_subjects()
    }
}

fn is_self_signed(certificate: &CertificateDer<'_>) -> bool {
    webpki::EndEntityCert::try_from(certificate).is_ok_and(|parsed| parsed.issuer() == parsed.subject())
}

/// Why a TLS connection to a host failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsFault {
    /// The certificate has expired.
    Expired,
    /// The certificate is not valid yet.
    NotValidYet,
    /// The certificate belongs to another host.
    WrongName,
    /// No trusted root signed the certificate, directly or through certificates from the server.
    UnknownIssuer,
    /// The certificate is self-signed: its issuer is its subject.
    SelfSigned,
    /// Any other fault of the certificate.
    BadCertificate,
    /// Client and server have no common protocol version, cipher suite, group or signature algorithm.
    NothingInCommon,
    /// Any other failure, such as a response that is not TLS.
    Other,
}

impl TlsFault {
    /// All faults.
    pub const ALL: [Self; 8] = [
        Self::Expired,
        Self::NotValidYet,
        Self::WrongName,
        Self::UnknownIssuer,
        Self::SelfSigned,
        Self::BadCertificate,
        Self::NothingInCommon,
        Self::Other,
    ];

    /// Returns a short stable label for records and counters.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Expired => "certificate_expired",
            Self::NotValidYet => "certificate_not_valid_yet",
            Self::WrongName => "certificate_wrong_name",
            Self::UnknownIssuer => "certificate_unknown_issuer",
            Self::SelfSigned => "certificate_self_signed",
            Self::BadCertificate => "certificate_bad",
            Self::NothingInCommon => "tls_no_common_cipher",
            Self::Other => "tls",
        }
    }

    /// Returns the fault with this label, or `None` if the label is unknown.
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fault| fault.label() == label)
    }

    pub(crate) fn from_error(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::InvalidCertificate(reason) => Self::from_certificate(reason),
            rustls::Error::PeerIncompatible(_)
            | rustls::Error::AlertReceived(
                AlertDescription::HandshakeFailure
                | AlertDescription::ProtocolVersion
                | AlertDescription::InsufficientSecurity,
            ) => Self::NothingInCommon,
            _ => Self::Other,
        }
    }

    fn from_certificate(reason: &CertificateError) -> Self {
        match reason {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => Self::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => Self::NotValidYet,
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                Self::WrongName
            }
            CertificateError::UnknownIssuer => Self::UnknownIssuer,
            CertificateError::UnsupportedSignatureAlgorithmContext { .. }
            | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
                Self::NothingInCommon
            }
            CertificateError::Other(OtherError(inner)) if inner.is::<SelfSigned>() => Self::SelfSigned,
            _ => Self::BadCertificate,
        }
    }
}

impl Display for TlsFault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Expired => "the certificate has expired",
            Self::NotValidYet => "the certificate is not valid yet, or this machine's clock is behind",
            Self::WrongName => "the certificate is for another name",
            Self::UnknownIssuer => {
                "the certificate's issuer is unknown: the server does not send its intermediate certificates, or a private authority signed it (SSL_CERT_FILE can name that one)"
            }
            Self::SelfSigned => "the certificate is self-signed",
            Self::BadCertificate => "the certificate cannot be accepted",
            Self::NothingInCommon => {
                "the server offers no cipher suite in common: most likely it is older than what is accepted here (TLS 1.2 or 1.3, ECDHE over X25519, P-256 or P-384, AES-GCM or ChaCha20; no CBC, no RSA key exchange, no P-521)"
            }
            Self::Other => "no TLS connection",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_root_there_is_no_client_and_the_error_says_what_to_do() {
        for (certificates, why) in
            [(vec![], "none was found"), (vec![b"no DER".to_vec()], "1 were found and none can be read")]
        {
            let message = RootCertificates::from_der(certificates).unwrap_err().to_string();
            for part in [why, "ca-certificates", "SSL_CERT_FILE", "SSL_CERT_DIR"] {
                assert!(message.contains(part), "{part} in {message}");
            }
        }
    }

    #[test]
    fn alerts_of_servers_that_are_too_old_are_told_apart_from_others() {
        use AlertDescription::{HandshakeFailure, InternalError, ProtocolVersion};
        for (alert, label) in [
            (HandshakeFailure, "tls_no_common_cipher"),
            (ProtocolVersion, "tls_no_common_cipher"),
            (InternalError, "tls"),
        ] {
            let fault = TlsFault::from_error(&rustls::Error::AlertReceived(alert));
            assert_eq!((fault.label(), TlsFault::from_label(label)), (label, Some(fault)), "{alert:?}");
        }
    }
}
