//! Where the database is, and how the way to it is kept private.
//!
//! An address is a connection string of PostgreSQL's own form,
//! `postgres://user@host1,host2/database?sslmode=verify-full&target_session_attrs=read-write`.
//! The password may stand in it, but better in the environment (`PGPASSWORD`) or in a file
//! that `PGPASSWORD_FILE` names. It is never shown: messages have [`Address::shown`].
//!
//! | `sslmode` | what is done |
//! |---|---|
//! | `verify-full`, `verify-ca` | TLS, and the server's certificate and name are checked, both for either |
//! | `require`, `prefer` (default) | TLS, the certificate is checked as well; `prefer` goes on without TLS only on loopback and Unix sockets |
//! | `disable` | no TLS |
//!
//! `sslrootcert` names a file of certificates that are trusted instead of the system's.
//!
//! The awkward truth: libpq does not check certificates at `require`. Here a mode that asks
//! for TLS always checks them, since a certificate that nobody checks keeps nobody out.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::StoreError;

/// See the head of this file.
#[derive(Clone)]
pub(crate) struct Address {
    pub(crate) config: tokio_postgres::Config,
    shown: String,
    roots: Option<PathBuf>,
}

impl std::fmt::Debug for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.shown)
    }
}

fn wrong(reason: impl std::fmt::Display) -> StoreError {
    StoreError::Address { reason: reason.to_string() }
}

/// The text of a variable, or of the file that `NAME_FILE` names.
fn secret(name: &str) -> Result<Option<String>, StoreError> {
    if let Ok(value) = std::env::var(name) {
        return Ok(Some(value));
    }
    let variable = format!("{name}_FILE");
    let Ok(path) = std::env::var(&variable) else { return Ok(None) };
    let text = std::fs::read_to_string(&path)
        .map_err(|error| wrong(format!("{variable} names {path}, which cannot be read: {error}")))?;
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

impl Address {
    /// Reads a connection string.
    pub(crate) fn parse(text: &str) -> Result<Self, StoreError> {
        let (rest, own) = split_own(text);
        let mut config = tokio_postgres::Config::from_str(&rest).map_err(|error| {
            // What the parser says may have a piece of the text in it.
            let reason = std::error::Error::source(&error).map(ToString::to_string);
            wrong(reason.filter(|reason| !reason.contains('@')).unwrap_or_else(|| error.to_string()))
        })?;
        if config.get_hosts().is_empty() {
            return Err(wrong("it names no host"));
        }
        if config.get_dbname().is_none() {
            return Err(wrong("it names no database"));
        }
        if config.get_password().is_none()
            && let Some(password) = secret("PGPASSWORD")?
        {
            config.password(password);
        }
        let is_near = config.get_hosts().iter().all(is_near);
        let mode = match own.mode.as_deref() {
            None | Some("prefer" | "allow") if is_near => SslMode::Prefer,
            None | Some("prefer" | "allow" | "require" | "verify-ca" | "verify-full") => SslMode::Require,
            Some("disable") => SslMode::Disable,
            Some(other) => {
                return Err(wrong(format!(
                    "sslmode={other} is none of disable, prefer, require, verify-full"
                )));
            }
        };
        config.ssl_mode(mode);
        config.application_name("gleaner");
        config.connect_timeout(Duration::from_secs(10));
        config.keepalives_idle(Duration::from_secs(15));
        config.keepalives_interval(Duration::from_secs(5));
        config.keepalives_retries(3);
        config.tcp_user_timeout(Duration::from_secs(20));
        // What a process that was stopped holds must not hold up the others.
        let asked = config.get_options().unwrap_or_default();
        config.options(
            format!("{asked} -c idle_in_transaction_session_timeout=15s -c lock_timeout=30s").trim(),
        );
        let shown = shown(&config);
        Ok(Self { config, shown, roots: own.roots })
    }

    /// The address without its password.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// How the way is made private.
    pub(crate) fn tls(&self) -> Result<MakeRustlsConnect, StoreError> {
        let mut roots = rustls::RootCertStore::empty();
        match &self.roots {
            Some(path) => {
                let named = |error: &dyn std::fmt::Display| {
                    wrong(format!("sslrootcert={} cannot be read: {error}", path.display()))
                };
                let read = CertificateDer::pem_file_iter(path).map_err(|error| named(&error))?;
                for certificate in read {
                    let certificate = certificate.map_err(|error| named(&error))?;
                    roots.add(certificate).map_err(|error| named(&error))?;
                }
            }
            None => {
                for certificate in rustls_native_certs::load_native_certs().certs {
                    // A system has some that rustls does not take; the others do.
                    let _ = roots.add(certificate);
                }
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(wrong)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(MakeRustlsConnect::new(config))
    }
}

fn is_near(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
        }
        Host::Unix(_) => true,
    }
}

/// Parameters of libpq that the driver does not know.
#[derive(Debug, Default, PartialEq, Eq)]
struct Own {
    mode: Option<String>,
    roots: Option<PathBuf>,
}

fn split_own(text: &str) -> (String, Own) {
    let mut own = Own::default();
    let Some((base, query)) = text.split_once('?') else { return (text.to_owned(), own) };
    let rest: Vec<&str> = query
        .split('&')
        .filter(|pair| match pair.split_once('=') {
            Some(("sslmode", mode)) => {
                own.mode = Some(mode.to_owned());
                false
            }
            Some(("sslrootcert", path)) => {
                own.roots = Some(path.into());
                false
            }
            _ => true,
        })
        .collect();
    let rest = if rest.is_empty() { base.to_owned() } else { format!("{base}?{}", rest.join("&")) };
    (rest, own)
}

fn shown(config: &tokio_postgres::Config) -> String {
    let mut hosts = Vec::new();
    for (at, host) in config.get_hosts().iter().enumerate() {
        let ports = config.get_ports();
        let port = ports.get(at).or_else(|| ports.first()).copied().unwrap_or(5432);
        hosts.push(match host {
            Host::Tcp(name) => format!("{name}:{port}"),
            Host::Unix(path) => path.display().to_string(),
        });
    }
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    format!("postgres://{user}{}/{}", hosts.join(","), config.get_dbname().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let address = Address::parse("postgres://An:s3cret@db1:5433,db2/news?sslmode=verify-full").unwrap();
        assert_eq!(address.shown(), "postgres://An@db1:5433,db2:5432/news");
        assert!(!format!("{address:?}").contains("s3cret"));
        for wrong in
            ["postgres://An:s3cret@/x y", "postgres://An:s3cret@h:port/x", "postgres://An:s3cret@h", "s3cret"]
        {
            let error = Address::parse(wrong).unwrap_err().to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn elsewhere_the_way_is_private_unless_that_is_switched_off() {
        let mode = |text: &str| Address::parse(text).unwrap().config.get_ssl_mode();
        assert_eq!(mode("postgres://u@db.example/x"), SslMode::Require);
        assert_eq!(mode("postgres://u@db.example/x?sslmode=prefer"), SslMode::Require);
        assert_eq!(mode("postgres://u@127.0.0.1/x"), SslMode::Prefer);
        assert_eq!(mode("postgres://u@127.0.0.1/x?sslmode=require"), SslMode::Require);
        assert_eq!(mode("postgres://u@db.example/x?sslmode=disable"), SslMode::Disable);
        assert!(Address::parse("postgres://u@h/x?sslmode=maybe").is_err());
    }
}
