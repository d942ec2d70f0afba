//! The tasks of the work: names and dependencies.
//!
//! | task | count | requires | result |
//! |---|---|---|---|
//! | `sign:N` | one per shard | | signatures, band keys, texts |
//! | `exact` | one | all `sign` | the exact duplicates |
//! | `band:N` | one per band | `exact` | similar pairs that share the band |
//! | `clusters` | one | all `band` | the representative of each duplicate |
//! | `write:N` | one per shard | `clusters` | the shard without duplicates |

use std::fmt;
use std::str::FromStr;

/// A task: a part of the work whose result appears atomically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Task {
    /// Computes the signatures of the documents of a shard, given by its number from 0.
    Sign(usize),
    /// Finds exact duplicates.
    Exact,
    /// Finds the similar pairs of a band, given by its number from 0.
    Band(usize),
    /// Assigns the documents of the pairs to clusters.
    Clusters,
    /// Writes a shard without its duplicates, given by its number from 0.
    Write(usize),
}

impl Task {
    pub(crate) fn folder(self) -> String {
        match self {
            Self::Sign(number) => format!("sign-{number:05}"),
            Self::Exact => "exact".into(),
            Self::Band(number) => format!("band-{number:02}"),
            Self::Clusters => "clusters".into(),
            Self::Write(number) => format!("write-{number:05}"),
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sign(number) => write!(f, "sign:{number}"),
            Self::Exact => f.write_str("exact"),
            Self::Band(number) => write!(f, "band:{number}"),
            Self::Clusters => f.write_str("clusters"),
            Self::Write(number) => write!(f, "write:{number}"),
        }
    }
}

impl FromStr for Task {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is no task: sign:N, exact, band:N, clusters or write:N");
        let (name, number) = match text.split_once(':') {
            Some((name, number)) => (name, Some(number.parse().map_err(|_| wrong())?)),
            None => (text, None),
        };
        match (name, number) {
            ("sign", Some(number)) => Ok(Self::Sign(number)),
            ("exact", None) => Ok(Self::Exact),
            ("band", Some(number)) => Ok(Self::Band(number)),
            ("clusters", None) => Ok(Self::Clusters),
            ("write", Some(number)) => Ok(Self::Write(number)),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for name in ["sign:3", "exact", "band:41", "clusters", "write:0"] {
            assert_eq!(name.parse::<Task>().unwrap().to_string(), name);
        }
        for name in ["", "sign", "sign:", "sign:-1", "exact:1", "band:x", "all"] {
            assert!(name.parse::<Task>().unwrap_err().contains("is no task"), "{name}");
        }
    }
}
