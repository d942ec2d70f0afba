//! The key: who has it may change something.
//!
//! 1. It is what a file says that the user named, or was made at random at the first
//!    start and is kept in the data folder, readable by the user alone.
//! 2. Typed once into a form it becomes a cookie ([`Key::cookie`]), which is a hash: who
//!    sees the cookie does not see the key.
//! 3. Programs send it as `Authorization: Bearer KEY`.
//!
//! Hashes are compared, which BLAKE3's crate does in constant time.
//!
//! Limitation: over plain HTTP both can be read on the way. docs/status.md says how
//! to put TLS in front.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Where a key that was made at random is kept, in the data folder.
const FILE: &str = "status.token";

/// Characters of a key at least; shorter ones can be guessed.
const SHORTEST: usize = 16;

/// What the cookie's hash is for, so that it is of use nowhere else.
const COOKIE: &str = "gleaner 2026 status page cookie";

/// Name of the cookie.
pub(crate) const COOKIE_NAME: &str = "gleaner_key";

/// The key.
#[derive(Clone)]
pub struct Key {
    hash: blake3::Hash,
    cookie: blake3::Hash,
}

/// Why there is no key.
#[derive(Debug, Error)]
pub enum KeyError {
    /// Its file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It can be guessed.
    #[error("the token in {} has fewer than {SHORTEST} characters; make one by: openssl rand -hex 24", path.display())]
    TooShort {
        /// Where it stands.
        path: PathBuf,
    },
}

impl Key {
    /// The key in a file that the user named.
    ///
    /// # Errors
    /// The file cannot be read, or holds a key that can be guessed.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let wrong = |source| KeyError::File { path: path.to_owned(), source };
        let text = fs::read_to_string(path).map_err(wrong)?;
        match text.trim() {
            key if key.chars().count() < SHORTEST => Err(KeyError::TooShort { path: path.to_owned() }),
            key => Ok(Self::new(key)),
        }
    }

    /// The key that is kept in the data folder, made where there is none. Gives its file.
    ///
    /// # Errors
    /// The file cannot be read or written.
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

    /// Whether this is the key.
    pub(crate) fn opens(&self, typed: &str) -> bool {
        self.hash == blake3::hash(typed.trim().as_bytes())
    }

    /// Whether this is the value of its cookie.
    pub(crate) fn is_cookie(&self, value: &str) -> bool {
        blake3::Hash::from_hex(value).is_ok_and(|value| value == self.cookie)
    }

    /// What the cookie holds.
    pub(crate) fn cookie(&self) -> String {
        self.cookie.to_hex().to_string()
    }
}

/// Nothing of it is for logs.
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
