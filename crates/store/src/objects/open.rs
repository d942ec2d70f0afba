//! Sets up the library: environment variables, certificates, retries.
//!
//! 1. Variables are read by lower-case names, as in the library's `from_env`. Secrets may be in files.
//! 2. Plain http is refused unless `AWS_ALLOW_HTTP` (`GOOGLE_ALLOW_HTTP`, `AZURE_ALLOW_HTTP`) is `true`.
//! 3. TLS uses rustls with ring, like the fetcher. It trusts the system's roots and the PEM certificates in the
//!    file `AWS_CA_BUNDLE`.
//! 4. The library repeats failed requests (`retries`).
//!
//! Limitation: if no keys are set, the S3 library requests them from the cloud's metadata service
//! (169.254.169.254). Outside a cloud, no server responds. The call then waits as for an unavailable storage,
//! and its error names the missing keys.

use std::fs;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{Certificate, ClientOptions, ObjectStore};
use url::Url;

use super::address::{Address, Service};
use super::environment::{Environment, without};
use super::watch::Connector;
use super::{ObjectError, StorageOptions, retries};

const CONNECT: Duration = Duration::from_secs(10);

pub(crate) type Store = Arc<dyn ObjectStore>;

/// Sets up the library for an address. Error messages show the address as `shown`. Fails if a setting is
/// missing or wrong, or if a folder cannot be created.
pub(crate) fn open(
    address: &Address,
    shown: &str,
    options: &StorageOptions,
    set: &Environment,
) -> Result<Store, ObjectError> {
    match address {
        Address::Folder(folder) => open_folder(folder, shown, options.makes_folder),
        Address::Bucket { service, url, prefix } => {
            let secrets = set.secrets();
            let wrong = |error: object_store::Error| ObjectError::Open {
                address: shown.into(),
                why: without(&secrets, &error.to_string()),
            };
            refuse_plain_http(set)?;
            choose_cryptography();
            let client = client(options, set)?;
            let store = open_bucket(*service, url, client, options, set).map_err(wrong)?;
            Ok(if prefix.is_empty() {
                store
            } else {
                Arc::new(PrefixStore::new(store, Path::parse(prefix).map_err(|error| wrong(error.into()))?))
            })
        }
    }
}

fn open_folder(folder: &FilePath, shown: &str, makes: bool) -> Result<Store, ObjectError> {
    let wrong = |why: String| ObjectError::Open { address: shown.into(), why };
    if !makes && !folder.is_dir() {
        return Err(wrong("there is no such folder; is it mounted?".into()));
    }
    fs::create_dir_all(folder).map_err(|error| wrong(format!("cannot create the folder: {error}")))?;
    let store = LocalFileSystem::new_with_prefix(folder).map_err(|error| wrong(error.to_string()))?;
    // With this option, the content and the name are on disk before a put returns.
    Ok(Arc::new(store.with_fsync(true)))
}

fn open_bucket(
    service: Service,
    url: &Url,
    client: ClientOptions,
    options: &StorageOptions,
    set: &Environment,
) -> object_store::Result<Store> {
    let (retry, connector) = (retries::config(options.patience), Connector { secrets: set.secrets() });
    Ok(match service {
        Service::S3 => {
            let builder = AmazonS3Builder::new().with_url(url.as_str()).with_client_options(client);
            let builder =
                known(set, "AWS_").fold(builder, |builder, (key, value)| builder.with_config(key, value));
            Arc::new(builder.with_retry(retry).with_http_connector(connector).build()?)
        }
        Service::Google => {
            let builder = GoogleCloudStorageBuilder::new().with_url(url.as_str()).with_client_options(client);
            let builder =
                known(set, "GOOGLE_").fold(builder, |builder, (key, value)| builder.with_config(key, value));
            Arc::new(builder.with_retry(retry).with_http_connector(connector).build()?)
        }
        Service::Azure => {
            let builder = MicrosoftAzureBuilder::new().with_url(url.as_str()).with_client_options(client);
            let builder =
                known(set, "AZURE_").fold(builder, |builder, (key, value)| builder.with_config(key, value));
            Arc::new(builder.with_retry(retry).with_http_connector(connector).build()?)
        }
    })
}

/// Returns the variables that the library knows. Other variables with the same prefix belong to other tools.
fn known<K: std::str::FromStr>(set: &Environment, prefix: &'static str) -> impl Iterator<Item = (K, String)> {
    let known =
        |(name, value): (&str, &str)| Some((name.to_ascii_lowercase().parse().ok()?, value.to_owned()));
    set.with_prefix(prefix).filter_map(known)
}

const ENDPOINTS: [(&str, &str); 8] = [
    ("AWS_ENDPOINT", "AWS_ALLOW_HTTP"),
    ("AWS_ENDPOINT_URL", "AWS_ALLOW_HTTP"),
    ("AWS_ENDPOINT_URL_S3", "AWS_ALLOW_HTTP"),
    ("AWS_ENDPOINT_URL_STS", "AWS_ALLOW_HTTP"),
    ("GOOGLE_BASE_URL", "GOOGLE_ALLOW_HTTP"),
    ("AZURE_STORAGE_ENDPOINT", "AZURE_ALLOW_HTTP"),
    ("AZURE_ENDPOINT", "AZURE_ALLOW_HTTP"),
    ("AZURE_AUTHORITY_HOST", "AZURE_ALLOW_HTTP"),
];

fn refuse_plain_http(set: &Environment) -> Result<(), ObjectError> {
    for (name, allowing) in ENDPOINTS {
        let is_plain =
            set.get(name).is_some_and(|endpoint| endpoint.to_ascii_lowercase().starts_with("http:"));
        let is_allowed = set.get(allowing).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        if is_plain && !is_allowed {
            let why = format!(
                "it is plain http, which others on the network can read; use https, or set {allowing}=true on a private network"
            );
            return Err(ObjectError::Setting { name: name.into(), why });
        }
    }
    Ok(())
}

fn client(options: &StorageOptions, set: &Environment) -> Result<ClientOptions, ObjectError> {
    let client =
        ClientOptions::new().with_timeout(options.timeout).with_connect_timeout(CONNECT.min(options.timeout));
    let Some(path) = set.get("AWS_CA_BUNDLE") else { return Ok(client) };
    let wrong = |why: String| ObjectError::Setting { name: "AWS_CA_BUNDLE".into(), why };
    let pem = fs::read(path).map_err(|error| wrong(format!("cannot read {path}: {error}")))?;
    let certificates = Certificate::from_pem_bundle(&pem)
        .map_err(|error| wrong(format!("{path} contains no valid PEM certificates: {error}")))?;
    if certificates.is_empty() {
        return Err(wrong(format!("{path} contains no PEM certificate")));
    }
    Ok(certificates.into_iter().fold(client, ClientOptions::with_root_certificate))
}

/// Selects the same cryptography as the fetcher for all TLS in this process.
fn choose_cryptography() {
    // An error means that the cryptography is already selected.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
