//! Runs an operation and interprets its failure.
//!
//! Limitation: if a response body breaks off, there is no status. The storage then counts as unavailable.

use std::error::Error;
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use object_store::client::HttpError;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore};

use super::engine::RuntimeThread;
use super::environment::without;
use super::error::Operation;
use super::open::Store;
use super::retries::{self, RetryPolicy};
use super::watch::{Outage, StorageFailure, chain};
use super::{ObjectError, name};

pub(crate) struct Storage {
    pub(crate) store: Store,
    pub(crate) address: String,
    pub(crate) secrets: Vec<String>,
    pub(crate) engine: RuntimeThread,
    pub(crate) guard: GuardObject,
    /// Whether this process has written an object.
    pub(crate) has_written: AtomicBool,
}

/// The folder of a storage, and its guard object. While the guard object is missing, the storage is
/// unavailable.
pub(crate) struct GuardObject {
    pub(crate) folder: Option<PathBuf>,
    pub(crate) object: OnceLock<String>,
}

pub(crate) struct ObjectPart {
    path: Path,
    at: Operation,
    offset: u64,
    /// The end of the requested range, exclusive.
    end: u64,
}

impl Storage {
    pub(crate) fn at(&self, doing: &'static str, object: &str) -> Operation {
        Operation { doing, object: object.into(), address: self.address.clone() }
    }

    pub(crate) fn part(&self, name: &str, offset: u64, length: u64) -> Result<ObjectPart, ObjectError> {
        let (path, at) = (name::path(name)?, self.at("read", name));
        match offset.checked_add(length) {
            Some(end) => Ok(ObjectPart { path, at, offset, end }),
            None => Err(ObjectError::TooShort { at, offset, end: u64::MAX }),
        }
    }

    pub(crate) fn wait<T: Send + 'static>(
        &self,
        doing: &'static str,
        object: &str,
        call: impl Future<Output = Result<T, ObjectError>> + Send + 'static,
    ) -> Result<T, ObjectError> {
        self.engine.wait(call).unwrap_or_else(|| {
            let why = "an internal error occurred; see the log".into();
            Err(ObjectError::Refused { at: self.at(doing, object), why })
        })
    }

    pub(crate) async fn repeat<T, A: Future<Output = object_store::Result<T>>>(
        &self,
        patience: &RetryPolicy,
        at: &Operation,
        mut attempt: impl FnMut() -> A,
    ) -> Result<T, ObjectError> {
        let guarded = || {
            let attempt = self.is_mounted(at).then(&mut attempt);
            async {
                match attempt {
                    Some(attempt) => attempt.await,
                    None => Err(self.not_mounted()),
                }
            }
        };
        retries::repeat(patience, at, guarded, |error, noted| self.judge(patience, at, &error, noted)).await
    }

    /// Whether object storage in a folder has its guard object, which shows that the folder is mounted.
    /// Without this check, a network folder that is not mounted would look empty. A request for the guard
    /// object itself is always allowed.
    fn is_mounted(&self, at: &Operation) -> bool {
        match (&self.guard.folder, self.guard.object.get()) {
            (Some(folder), Some(object)) => at.object == *object || folder.join(object).exists(),
            _ => true,
        }
    }

    fn not_mounted(&self) -> object_store::Error {
        let object = self.guard.object.get().map_or("", String::as_str);
        let why = format!("it has no `{object}`; is it mounted?");
        Outage::note(Some(StorageFailure::Connection {
            host: self.address.clone(),
            why: why.clone(),
            is_tls: false,
        }));
        object_store::Error::Generic { store: "folder", source: why.into() }
    }

    pub(crate) async fn read(
        &self,
        part: ObjectPart,
        patience: &RetryPolicy,
    ) -> Result<Vec<u8>, ObjectError> {
        let ObjectPart { path, at, offset, end } = part;
        let wanted = end - offset;
        if wanted == 0 {
            return Ok(Vec::new());
        }
        let read = || async {
            let range = GetOptions { range: Some(GetRange::Bounded(offset..end)), ..GetOptions::default() };
            self.store.get_opts(&path, range).await?.bytes().await
        };
        let content: Vec<u8> = match self.repeat(patience, &at, read).await {
            Ok(content) => content.into(),
            Err(ObjectError::Refused { at, why }) if is_range(&why) => {
                return Err(ObjectError::TooShort { at, offset, end });
            }
            Err(error) => return Err(error),
        };
        if content.len() as u64 == wanted {
            return Ok(content);
        }
        Err(ObjectError::TooShort { at, offset, end })
    }

    /// Classifies the error of an attempt. `noted` is the failure of the attempt's last request. If the
    /// storage is unavailable, returns the failure. Otherwise, returns the permanent error.
    fn judge(
        &self,
        patience: &RetryPolicy,
        at: &Operation,
        error: &object_store::Error,
        noted: Option<StorageFailure>,
    ) -> Result<StorageFailure, ObjectError> {
        if let Some(trouble) = noted {
            return if patience.repeats(&trouble) { Ok(trouble) } else { Err(refusal(at, trouble)) };
        }
        let at = at.clone();
        let chain = chain(error);
        if chain.iter().any(|error| error.is::<HttpError>()) {
            let why = chain.last().map(ToString::to_string).unwrap_or_default();
            let host = self.address.clone();
            return Ok(StorageFailure::Connection { host, why, is_tls: false });
        }
        if matches!(error, object_store::Error::NotFound { .. }) {
            return Err(ObjectError::Missing { at });
        }
        let of_disk = chain.iter().find_map(|error| error.downcast_ref::<io::Error>());
        Err(match of_disk {
            Some(error) => ObjectError::Disk { at, error: same(error) },
            None => ObjectError::Refused { at, why: without(&self.secrets, &error_text(error)) },
        })
    }
}

fn refusal(at: &Operation, trouble: StorageFailure) -> ObjectError {
    let (at, why) = (at.clone(), trouble.text());
    match trouble {
        StorageFailure::Answer { status: 404, code, .. }
            if code == "NoSuchBucket" || code == "ContainerNotFound" =>
        {
            ObjectError::NoBucket { at }
        }
        StorageFailure::Answer { status: 404, .. } => ObjectError::Missing { at },
        StorageFailure::Answer { status: 401 | 403, .. } => ObjectError::Denied { at, why },
        StorageFailure::Answer { status: 301 | 307 | 400, .. } => {
            let why = format!("{why}; check the region and the endpoint");
            ObjectError::Refused { at, why }
        }
        StorageFailure::Answer { .. } => ObjectError::Refused { at, why },
        StorageFailure::Connection { .. } => {
            let why = format!(
                "{why}; its certificate is not trusted; set AWS_CA_BUNDLE to a PEM file with its issuer's certificate"
            );
            ObjectError::Refused { at, why }
        }
    }
}

fn error_text(error: &object_store::Error) -> String {
    error.to_string().chars().take(500).collect()
}

fn is_range(why: &str) -> bool {
    // The first text is the bucket's status, and the second is the message for a folder.
    why.starts_with("416") || why.contains("Requested range was invalid")
}

fn same(error: &io::Error) -> io::Error {
    error
        .raw_os_error()
        .map_or_else(|| io::Error::new(error.kind(), error.to_string()), io::Error::from_raw_os_error)
}

pub(crate) fn is_of_disk(error: &(dyn Error + 'static)) -> bool {
    chain(error).iter().any(|error| error.is::<io::Error>())
        && !chain(error).iter().any(|error| error.is::<HttpError>())
}
