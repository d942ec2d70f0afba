//! Checks the token that authorizes changes on the status page.
//!
//! 1. The token is in a file that the user names. Without such a file, the server generates a token at the
//!    first start. It stores the token in the data folder, readable only by its owner.
//! 2. After the user has entered the token in a form, the browser stores a cookie with a hash of the token
//!    ([`Key::cookie`]). The token cannot be computed from the cookie.
//! 3. Programs send the token as `Authorization: Bearer KEY`.
//!
//! The code compares only hashes. The BLAKE3 crate compares them in constant time.
//!
//! Limitation: plain HTTP exposes token and cookie to the network. docs/status.md explains how to add TLS.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

const FILE: &str = "status.token";

/// Minimum length of a token in characters. Shorter tokens can be guessed.
const SHORTEST: usize = 16;

/// The BLAKE3 context of the cookie's hash. Because of it, the hash is valid only as this cookie.
const COOKIE: &str = "gleaner 2026 status page cookie";

pub(crate) const COOKIE_NAME: &str = "gleaner_key";

/// The token that authorizes changes, stored as hashes.
#[derive(Clone)]
pub struct Key {
    hash: blake3::Hash,
    cookie: blake3::Hash,
}

/// Why the token cannot be loaded.
#[derive(Debug, Error)]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The path of the token's file.
        path: PathBuf,
        /// The system error.
        source: io::Error,
    },
    /// The token is too short.
    #[error("the token in {} has fewer than {SHORTEST} characters; to create one: openssl rand -hex 24", path.display())]
    TooShort {
        /// The path of the token's file.
        path: PathBuf,
    },
}

impl Key {
    /// Reads the token from the user's file `path`.
    ///
    /// # Errors
    /// An error means that the file cannot be read, or that the token is too short.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let wrong = |source| KeyError::File { path: path.to_owned(), source };
        let text = fs::read_to_string(path).map_err(wrong)?;
        match text.trim() {
            key if key.chars().count() < SHORTEST => Err(KeyError::TooShort { path: path.to_owned() }),
            key => Ok(Self::new(key)),
        }
    }

    /// Reads the token from its file in the data folder `data`, and returns it with the path of the file. If
    /// the file does not exist, the function first creates it with a random token.
    ///
    /// # Errors
    /// An error means that the file cannot be read or written, or that the token is too short.
    pub fn kept(data: &Path) -> Result<(Self, PathBuf), KeyError> {
        let path = data.join(FILE);
        if !path.exists() {
            let wrong = |source| KeyError::File { path: path.clone(), source };
            let [one, two]: [u128; 2] = rand::random();
            write(&path, &format!("{one:032x}{two:032x}\n")).map_err(wrong)?;
        }
        Ok((Self::read(&path)?, path))
    }

    pub(crate) fn new(key: &str) -> Self {
        let cookie = blake3::Hash::from(blake3::derive_key(COOKIE, key.as_bytes()));
        Self { hash: blake3::hash(key.as_bytes()), cookie }
    }

    pub(crate) fn opens(&self, typed: &str) -> bool {
        self.hash == blake3::hash(typed.trim().as_bytes())
    }

    pub(crate) fn is_cookie(&self, value: &str) -> bool {
        blake3::Hash::from_hex(value).is_ok_and(|value| value == self.cookie)
    }

    pub(crate) fn cookie(&self) -> String {
        self.cookie.to_hex().to_string()
    }
}

/// Hides the token from logs.
impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

#[cfg(unix)]
fn write(path: &Path, text: &str) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

#[cfg(not(unix))]
fn write(path: &Path, text: &str) -> io::Result<()> {
    fs::OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_and_opens() {
        let folder = tempfile::tempdir().unwrap();
        let (key, path) = Key::kept(folder.path()).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.trim().len(), 64);
        assert!(key.opens(&text) && !key.opens("") && !key.opens(&text[1..]));
        assert!(key.is_cookie(&key.cookie()) && !key.is_cookie(text.trim()) && !key.is_cookie(""));
        assert!(Key::kept(folder.path()).unwrap().0.opens(&text));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn short_keys_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(&path, "  secret\n").unwrap();
        assert!(matches!(Key::read(&path), Err(KeyError::TooShort { .. })));
        assert!(matches!(Key::read(&folder.path().join("none")), Err(KeyError::File { .. })));
    }
}
