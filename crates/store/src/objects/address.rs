//! Parses storage addresses: `s3://bucket/prefix`, `gs://`, `az://`, `abfs://`, `file:///folder`, or a
//! folder.
//!
//! Limitation: any address without `://` is a folder, so `s3:/bucket` creates a folder.

use std::path::PathBuf;

use object_store::ObjectStoreScheme;
use url::Url;

use super::ObjectError;

/// The service that stores a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// Amazon S3 or a compatible service.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage.
    Azure,
}

/// A parsed address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A folder on this machine.
    Folder(PathBuf),
    /// A bucket or container.
    Bucket {
        /// The service.
        service: Service,
        /// The whole address.
        url: Url,
        /// The prefix of all object names. It may be empty.
        prefix: String,
    },
}

impl Address {
    /// Parses an address.
    ///
    /// # Errors
    /// The address is empty or of an unknown kind, has no bucket name, or contains a user, a password, a
    /// query or a fragment. The error does not contain possible secrets.
    ///
    /// ```
    /// use gleaner_store::objects::address::{Address, Service};
    ///
    /// let Address::Bucket { service, prefix, .. } = Address::parse("s3://corpus/news/vi/").unwrap() else { panic!() };
    /// assert_eq!((service, prefix.as_str()), (Service::S3, "news/vi"));
    /// assert_eq!(Address::parse("/srv/corpus").unwrap(), Address::Folder("/srv/corpus".into()));
    /// assert_eq!(Address::parse("file:///srv/corpus").unwrap(), Address::Folder("/srv/corpus".into()));
    /// ```
    pub fn parse(address: &str) -> Result<Self, ObjectError> {
        let wrong = |why: &str| ObjectError::Address { address: redacted(address), why: why.into() };
        if address.is_empty() {
            return Err(wrong("it is empty"));
        }
        if !address.contains("://") {
            return Ok(Self::Folder(address.into()));
        }
        let url = Url::parse(address).map_err(|error| wrong(&error.to_string()))?;
        if url.scheme() == "file" {
            let folder = url.to_file_path().map_err(|()| wrong("it is not a path on this machine"))?;
            return Ok(Self::Folder(folder));
        }
        let service = match url.scheme() {
            "s3" | "s3a" => Service::S3,
            "gs" => Service::Google,
            "az" | "azure" | "adl" | "abfs" | "abfss" => Service::Azure,
            _ => return Err(wrong("use s3://, gs://, az://, abfs://, file:// or the path of a folder")),
        };
        // In abfs://container@account.dfs.core.windows.net/, the container has the position of the user name.
        let is_user = !url.username().is_empty() && service != Service::Azure;
        if is_user || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("it must not contain `@`, `?` or `#`; set keys in the environment"));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(wrong("it has no bucket name"));
        }
        let (_, path) = ObjectStoreScheme::parse(&url).map_err(|_| wrong("its path cannot be read"))?;
        Ok(Self::Bucket { service, url, prefix: path.to_string() })
    }
}

fn redacted(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let rest = rest.rsplit_once('@').map_or(rest, |(_, behind)| behind);
    if scheme.is_empty() { rest.to_owned() } else { format!("{scheme}://{rest}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let bucket = |address: &str| match Address::parse(address).unwrap() {
            Address::Bucket { service, prefix, .. } => (service, prefix),
            Address::Folder(folder) => panic!("{folder:?}"),
        };
        assert_eq!(bucket("s3://b"), (Service::S3, String::new()));
        assert_eq!(bucket("s3a://b/x"), (Service::S3, "x".into()));
        assert_eq!(bucket("gs://b/x/y/"), (Service::Google, "x/y".into()));
        assert_eq!(bucket("az://c/x"), (Service::Azure, "x".into()));
        assert_eq!(bucket("abfs://c@a.dfs.core.windows.net/x"), (Service::Azure, "x".into()));
        assert_eq!(Address::parse("corpus").unwrap(), Address::Folder("corpus".into()));
    }

    #[test]
    fn what_is_none_is_told_without_secrets() {
        for address in ["", "ftp://a/b", "s3://", "s3://key:hush@b/x", "s3://b/x?key=hush", "s3://b#hush"] {
            let error = Address::parse(address).unwrap_err();
            assert!(matches!(error, ObjectError::Address { .. }), "{address}");
            assert!(!error.to_string().contains("hush") && !format!("{error:?}").contains("hush"), "{error}");
        }
        assert!(!redacted("s3://key:hush@b/x").contains("hush"));
    }
}
