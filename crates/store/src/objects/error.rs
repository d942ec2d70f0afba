//! What went wrong, on which object, and what to do next.
//!
//! Limitation: a text of the storage stands in some of them, cut, without keys and
//! without what it repeats of the request. What it means is the storage's to say.

use std::io;
use std::time::Duration;

use thiserror::Error;

/// What was tried, on what, where.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("cannot {doing} {object} in {address}")]
pub struct Doing {
    /// Such as "write".
    pub doing: &'static str,
    /// The object's name, or what stands for many.
    pub object: String,
    /// The storage.
    pub address: String,
}

/// Why a storage did not do what was asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ObjectError {
    /// An address that means no storage.
    #[error("`{address}` is no address of a storage: {why}")]
    Address {
        /// As given, without what could be a secret.
        address: String,
        /// What is wrong with it.
        why: String,
    },
    /// A variable of the environment that cannot be used.
    #[error("{name}: {why}")]
    Setting {
        /// The variable's or the option's name.
        name: String,
        /// What is wrong, and what to set.
        why: String,
    },
    /// The library cannot be set up, most often for want of a setting.
    #[error("cannot open {address}: {why}")]
    Open {
        /// The storage.
        address: String,
        /// In the library's words.
        why: String,
    },
    /// A name that an object may not have.
    #[error("`{name}` cannot be an object's name: {why}")]
    Name {
        /// As given.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// No object has that name.
    #[error("{at}: there is no such object")]
    Missing {
        /// What was tried.
        at: Doing,
    },
    /// There is no such bucket.
    #[error("{at}: there is no such bucket; make it, or look at the address and the endpoint")]
    NoBucket {
        /// What was tried.
        at: Doing,
    },
    /// The keys are wrong, or do not suffice.
    #[error("{at}: refused ({why}); look at the keys, and at what the bucket's policy allows them")]
    Denied {
        /// What was tried.
        at: Doing,
        /// In the storage's words.
        why: String,
    },
    /// Refused for another reason that will not pass by itself.
    #[error("{at}: {why}")]
    Refused {
        /// What was tried.
        at: Doing,
        /// In the storage's words, and what to do.
        why: String,
    },
    /// The object is shorter than what was asked of it.
    #[error("{at}: bytes {offset} to {end} were asked for, and it is shorter; was it written anew?")]
    TooShort {
        /// What was tried.
        at: Doing,
        /// The first byte that was asked for.
        offset: u64,
        /// The byte behind the last.
        end: u64,
    },
    /// The storage was away as long as the patience lasted.
    #[error("{at}: the storage is away, tried {tries} times in {} s ({why}); look at the storage and the network, then start again", waited.as_secs())]
    Away {
        /// What was tried.
        at: Doing,
        /// What happened the last time.
        why: String,
        /// Since the first try.
        waited: Duration,
        /// How often it was tried.
        tries: u32,
    },
    /// The storage was away, and the process was told to stop meanwhile.
    #[error("{at}: given up at a stop while the storage was away ({why}); start again when it is back")]
    GivenUp {
        /// What was tried.
        at: Doing,
        /// What happened the last time.
        why: String,
    },
    /// A folder's disk refuses.
    #[error("{at}: {error}; look at the disk and at who may write the folder")]
    Disk {
        /// What was tried.
        at: Doing,
        /// What the system says.
        #[source]
        error: io::Error,
    },
}

impl ObjectError {
    /// Whether the storage was not to be reached: the same may succeed later.
    #[must_use]
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Away { .. } | Self::GivenUp { .. })
    }

    /// Whether there is no object of that name.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    /// Whether a folder's disk is full.
    #[must_use]
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{QuotaExceeded, StorageFull};
        matches!(self, Self::Disk { error, .. } if matches!(error.kind(), StorageFull | QuotaExceeded))
    }
}
