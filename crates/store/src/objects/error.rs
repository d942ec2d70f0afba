//! Describes errors of a storage: the failed operation, its object, and advice for the user.
//!
//! Limitation: some errors include the storage's own message, shortened and without keys.

use std::io;
use std::time::Duration;

use thiserror::Error;

/// The operation that failed, its object and the storage.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot {doing} {object} in {address}")]
pub struct Operation {
    /// The operation, such as "write".
    pub doing: &'static str,
    /// The object's name, or a description of several objects.
    pub object: String,
    /// The address of the storage.
    pub address: String,
}

/// Why a storage operation failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// The address is invalid.
    #[error("`{address}` is not a storage address: {why}")]
    Address {
        /// The given address, without possible secrets.
        address: String,
        /// What is wrong with the address.
        why: String,
    },
    /// An environment variable or option that cannot be used.
    #[error("{name}: {why}")]
    Setting {
        /// The variable's or the option's name.
        name: String,
        /// What is wrong, and what to set.
        why: String,
    },
    /// The library cannot be set up, usually because a setting is missing.
    #[error("cannot open {address}: {why}")]
    Open {
        /// The address of the storage.
        address: String,
        /// The library's message.
        why: String,
    },
    /// An invalid object name.
    #[error("`{name}` cannot be an object's name: {why}")]
    Name {
        /// The given name.
        name: String,
        /// What is wrong with the name.
        why: String,
    },
    /// The object does not exist.
    #[error("{at}: there is no such object")]
    Missing {
        /// The operation.
        at: Operation,
    },
    /// The bucket does not exist.
    #[error("{at}: there is no such bucket; create it, or check the address and the endpoint")]
    NoBucket {
        /// The operation.
        at: Operation,
    },
    /// The keys are wrong or do not allow the operation.
    #[error("{at}: access denied ({why}); check the keys and the bucket's policy")]
    Denied {
        /// The operation.
        at: Operation,
        /// The storage's message.
        why: String,
    },
    /// The storage refused the operation permanently, for another reason.
    #[error("{at}: {why}")]
    Refused {
        /// The operation.
        at: Operation,
        /// The storage's message, and what to do.
        why: String,
    },
    /// The object is shorter than the requested range.
    #[error("{at}: bytes {offset} to {end} were requested, but it is shorter; was it overwritten?")]
    TooShort {
        /// The operation.
        at: Operation,
        /// The first requested byte.
        offset: u64,
        /// The end of the requested range, exclusive.
        end: u64,
    },
    /// The storage was unavailable until the time for retries was over.
    #[error("{at}: the storage is unavailable (tries: {tries}, in {} s, last failure: {why}); check the storage and the network, then start again", waited.as_secs())]
    Unavailable {
        /// The operation.
        at: Operation,
        /// The last failure.
        why: String,
        /// Time since the first attempt.
        waited: Duration,
        /// The number of attempts.
        tries: u32,
    },
    /// The caller requested a stop while the storage was unavailable.
    #[error("{at}: stopped while the storage was unavailable ({why}); start again when it is available")]
    Stopped {
        /// The operation.
        at: Operation,
        /// The last failure.
        why: String,
    },
    /// The disk of a folder failed.
    #[error("{at}: {error}; check the disk and the folder's permissions")]
    Disk {
        /// The operation.
        at: Operation,
        /// The error of the operating system.
        #[source]
        error: io::Error,
    },
}

impl ObjectError {
    /// Whether the storage was unavailable, so that a later call may succeed.
    #[must_use]
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Stopped { .. })
    }

    /// Whether the object does not exist.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    /// Whether the disk of the storage folder is full, or its quota is used up.
    #[must_use]
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::Disk { error, .. } if matches!(error.kind(), StorageFull | QuotaExceeded))
    }
}
