//! Parses the address of the database, and configures TLS.
//!
//! An address is a connection string in PostgreSQL's own form,
//! `postgres://user@host1,host2/database?sslmode=verify-full&target_session_attrs=read-write`. It may contain
//! the password. The environment (`PGPASSWORD`) or a file (`PGPASSWORD_FILE`) is safer. Messages never show
//! the password, because they use [`redacted_address`].
//!
//! | `sslmode` | effect |
//! |---|---|
//! | `verify-full`, `verify-ca` | TLS; both modes check the server's certificate and name |
//! | `require`, `prefer` (default) | TLS with the same checks; `prefer` continues without TLS only on loopback and Unix sockets |
//! | `disable` | no TLS |
//!
//! `sslrootcert` names a file of certificates that replace the system's roots.
//!
//! Limitation: libpq does not check certificates with `require`. Here, every mode with TLS checks them,
//! because TLS without this check does not stop an attacker.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::redacted::{AddressPieces, redacted_address};
use crate::StoreError;

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

/// Returns the value of the variable `name`, or the content of the file in the variable `NAME_FILE`. Returns
/// `None` if neither is set. An empty value counts as not set. `variable` looks up a variable.
fn secret(name: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Option<String>, StoreError> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let file = format!("{name}_FILE");
    let path = match (set(name), set(&file)) {
        (Some(_), Some(_)) => return Err(wrong(format!("{name} and {file} are both set; set one of both"))),
        (value, None) => return Ok(value),
        (None, Some(path)) => path,
    };
    let text = std::fs::read_to_string(&path)
        .map_err(|error| wrong(format!("{file} names {path}, which cannot be read: {error}")))?;
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

/// Refuses an address that the driver would split at another character, because the driver could then use a
/// part of the password as a host.
fn check_escapes(text: &str) -> Result<(), StoreError> {
    // The driver reads everything before the first `@` as user info.
    let is_clear = |pieces: &AddressPieces<'_>| match pieces.user_info {
        Some(user_info) => !user_info.contains('@'),
        None => !pieces.query.contains('@'),
    };
    match AddressPieces::from_text(text).is_some_and(|pieces| is_clear(&pieces)) {
        true => Ok(()),
        false => Err(wrong(
            "cannot find the end of the password; in a user or password, write @ as %40 and ? as %3F",
        )),
    }
}

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Self, StoreError> {
        check_escapes(text)?;
        let (rest, own) = split_own(text);
        let mut config = tokio_postgres::Config::from_str(&rest).map_err(|error| {
            // The parser's message may contain a part of the address.
            let reason = std::error::Error::source(&error).map(ToString::to_string);
            let is_harmless = |reason: &String| !reason.contains('@') && !text.contains("password");
            wrong(reason.filter(is_harmless).unwrap_or_else(|| error.to_string()))
        })?;
        if config.get_hosts().is_empty() {
            return Err(wrong("it names no host"));
        }
        if config.get_dbname().is_none() {
            return Err(wrong("it names no database"));
        }
        if config.get_password().is_none()
            && let Some(password) = secret("PGPASSWORD", |name| std::env::var(name).ok())?
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
                    "sslmode={other} is invalid; use disable, prefer, require or verify-full"
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
        // If a process is suspended, its locks must not block other processes for long.
        let asked = config.get_options().unwrap_or_default();
        config.options(
            format!("{asked} -c idle_in_transaction_session_timeout=15s -c lock_timeout=30s").trim(),
        );
        Ok(Self { config, shown: redacted_address(text), roots: own.roots })
    }

    pub(crate) fn redacted(&self) -> &str {
        &self.shown
    }

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
                    // rustls may reject some certificates of the system. The other certificates suffice.
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

/// Parameters of libpq that the driver does not support. This module applies them.
#[derive(Debug, Default, PartialEq, Eq)]
struct ExtraParameters {
    mode: Option<String>,
    roots: Option<PathBuf>,
}

fn split_own(text: &str) -> (String, ExtraParameters) {
    let mut own = ExtraParameters::default();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let address = Address::parse("postgres://An:s3cret@db1:5433,db2/news?sslmode=verify-full").unwrap();
        assert_eq!(address.redacted(), "postgres://An@db1:5433,db2/news?sslmode=verify-full");
        assert!(!format!("{address:?}").contains("s3cret"));
        for wrong in [
            "postgres://An:s3cret@/x y",
            "postgres://An:s3cret@h:port/x",
            "postgres://An:s3cret@h",
            "s3cret",
            "postgres://An@h/x?password=a&s3cret=b",
        ] {
            let error = Address::parse(wrong).unwrap_err().to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn a_password_that_would_pass_for_a_host_is_refused() {
        for wrong in [
            "postgres://An:p@ss/w@h/x",
            "postgres://An:p@ss@h/x",
            "postgres://An:p?s@h/x?sslmode=disable",
            "postgres://h/x?user=An&password=p@ss/w",
        ] {
            let error = Address::parse(wrong).unwrap_err().to_string();
            assert!(error.contains("write @ as %40") && !error.contains("ss/"), "{error}");
        }
        let right = Address::parse("postgres://An:p%40ss%2Fw@h/x").unwrap();
        assert_eq!(right.config.get_password(), Some("p@ss/w".as_bytes()));
        let right = Address::parse("postgres://An@h/x?password=p@ss").unwrap();
        assert_eq!(right.config.get_password(), Some("p@ss".as_bytes()));
    }

    #[test]
    fn an_address_of_version_6_is_shown_in_its_brackets() {
        let address = Address::parse("postgres://an@[::1]:25432/news").unwrap();
        assert_eq!(address.redacted(), "postgres://an@[::1]:25432/news");
        assert_eq!(address.config.get_hosts(), [Host::Tcp("::1".into())]);
    }

    #[test]
    fn a_password_stands_in_a_variable_or_in_a_file_not_in_both() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("password");
        std::fs::write(&path, "hush \n").unwrap();
        let path = path.to_str().unwrap();
        let of = |plain: &str, file: &str| {
            let variables = [("PW", plain.to_owned()), ("PW_FILE", file.to_owned())];
            secret("PW", |name| {
                variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
            })
        };
        assert_eq!(of("hush", "").unwrap().as_deref(), Some("hush"));
        assert_eq!(of("", path).unwrap().as_deref(), Some("hush "));
        assert_eq!(of("", "").unwrap(), None);
        assert_eq!(secret("PW", |_| None).unwrap(), None);
        let both = of("hush", path).unwrap_err().to_string();
        assert!(both.contains("PW and PW_FILE are both set") && !both.contains("hush"), "{both}");
        let absent = of("", "/nowhere/password").unwrap_err().to_string();
        assert!(absent.contains("PW_FILE names /nowhere/password, which cannot be read"), "{absent}");
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
