//! The plan of the work: its shards and settings. It is stored as `plan.json`. A later run, or another
//! machine, must have the same plan, or it is rejected.
//!
//! Limitation: a shard is identified by its path, size and modification time, not by its content.
//! Machines that share the work must have the shards under the same paths.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use gleaner_corpus::dedup::{Representative, SimilarityParams};
use serde::{Deserialize, Serialize};

use crate::global::GlobalError;
use crate::{Manifest, reading};

pub(crate) const NAME: &str = "plan.json";

/// Version of the work folder's format.
const VERSION: u32 = 1;

/// The settings that determine the result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Minimum similarity of a near-duplicate, 0 to 1.
    pub similarity: f64,
    /// The rule that selects a cluster's representative.
    pub representative: Representative,
}

impl Default for Settings {
    fn default() -> Self {
        Self { similarity: SimilarityParams::default().duplicate, representative: Representative::First }
    }
}

impl Settings {
    pub(crate) fn params(&self) -> SimilarityParams {
        SimilarityParams::default().with_duplicate(self.similarity)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    bytes: u64,
    /// Modification time in seconds since 1970.
    changed: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    version: u32,
    pub(crate) similarity: f64,
    head: String,
    pub(crate) inputs: Vec<Input>,
}

impl Plan {
    pub(crate) fn new(inputs: &[PathBuf], settings: &Settings) -> Result<Self, GlobalError> {
        let mut found = Vec::new();
        let mut met = BTreeSet::new();
        for path in inputs {
            let path = fs::canonicalize(path).map_err(GlobalError::reading(path))?;
            for shard in reading::shards(&path)? {
                let input = Input::from_path(shard)?;
                if !met.insert(input.path.clone()) {
                    return Err(GlobalError::Twice { path: input.path });
                }
                found.push(input);
            }
            check(&path)?;
        }
        let head = settings.representative.name();
        Ok(Self { version: VERSION, similarity: settings.similarity, head: head.into(), inputs: found })
    }

    /// Describes the first difference to another plan; `None` if there is none.
    pub(crate) fn change(&self, now: &Self) -> Option<String> {
        let value = |name: &str, was: &dyn std::fmt::Display, is: &dyn std::fmt::Display| {
            Some(format!("{name} was {was} and is {is}"))
        };
        if self.version != now.version {
            return value("the format of the folder", &self.version, &now.version);
        }
        if self.similarity.to_bits() != now.similarity.to_bits() {
            return value("--similarity", &self.similarity, &now.similarity);
        }
        if self.head != now.head {
            return value("--head", &self.head, &now.head);
        }
        for (was, is) in self.inputs.iter().zip(&now.inputs) {
            if was.path != is.path {
                return value("a shard", &was.path.display(), &is.path.display());
            }
            if was != is {
                return Some(format!("{} was changed since", is.path.display()));
            }
        }
        let (was, is) = (self.inputs.len(), now.inputs.len());
        if was == is { None } else { value("the number of shards", &was, &is) }
    }
}

impl Input {
    fn from_path(path: PathBuf) -> Result<Self, GlobalError> {
        let metadata = fs::metadata(&path).map_err(GlobalError::reading(&path))?;
        let changed = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Self { path, bytes: metadata.len(), changed: changed.map_or(0, |since| since.as_secs()) })
    }
}

/// Checks that the shards of an export have the sizes listed in its manifest.
fn check(folder: &Path) -> Result<(), GlobalError> {
    // A `manifest.json` of another program is ignored.
    let Ok(Some(manifest)) = Manifest::read(folder) else { return Ok(()) };
    for file in manifest.files {
        let path = folder.join(&file.path);
        let bytes = fs::metadata(&path).map_err(GlobalError::reading(&path))?.len();
        if bytes != file.bytes {
            let reason = format!("{bytes} bytes, but {} in the manifest beside it", file.bytes);
            return Err(GlobalError::reading(path)(std::io::Error::other(reason)));
        }
    }
    Ok(())
}
