//! Checks the token that authorizes changes on the status page.
//!
//! 1. The token is in a file that the user names. Without such a file, the server generates a token at the
//!    first start. It stores the token in the data folder, readable only by its owner.
//! 2. After the user has entered the token in a form, the browser stores a cookie with a hash of the token
//!    ([`AccessToken::cookie_value`]). The token cannot be computed from the cookie.
//! 3. Programs send the token as `Authorization: Bearer TOKEN`.
//!
//! The code compares only hashes, and the BLAKE3 crate compares them in constant time.
//!
//! Limitation: with plain HTTP, others on the network can read token and cookie. docs/status.md explains how
//! to add TLS.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

const FILE_NAME: &str = "status.token";

/// Minimum length of a token in characters. Shorter tokens can be guessed.
const MIN_LENGTH: usize = 16;

/// The BLAKE3 context of the cookie's hash. It makes the hash useless for any other purpose.
const COOKIE_HASH_CONTEXT: &str = "gleaner 2026 status page cookie";

pub(crate) const COOKIE_NAME: &str = "gleaner_key";

/// The token that authorizes changes. In memory, only hashes of it are kept.
#[derive(Clone)]
pub(crate) struct AccessToken {
    hash: blake3::Hash,
    cookie: blake3::Hash,
}

/// Why the token cannot be loaded.
#[derive(Debug, Error)]
pub(crate) enum AccessTokenError {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The path of the token's file.
        path: PathBuf,
        /// The system error.
        source: io::Error,
    },
    /// The token is too short.
    #[error("the token in {} has fewer than {MIN_LENGTH} characters; to create one: openssl rand -hex 24", path.display())]
    TooShort {
        /// The path of the token's file.
        path: PathBuf,
    },
}

impl AccessToken {
    /// Reads the token from the user's file `path`.
    ///
    /// # Errors
    /// The file cannot be read, or the token is too short.
    pub(crate) fn read(path: &Path) -> Result<Self, AccessTokenError> {
        let file_error = |source| AccessTokenError::File { path: path.to_owned(), source };
        let text = fs::read_to_string(path).map_err(file_error)?;
        match text.trim() {
            token if token.chars().count() < MIN_LENGTH => {
                Err(AccessTokenError::TooShort { path: path.to_owned() })
            }
            token => Ok(Self::new(token)),
        }
    }

    /// Reads the token from its file in the data folder `data`, and returns it with the path of the file. If
    /// the file does not exist, first creates it with a random token.
    ///
    /// # Errors
    /// The file cannot be read or written, or the token is too short.
    pub(crate) fn read_or_create(data: &Path) -> Result<(Self, PathBuf), AccessTokenError> {
        let path = data.join(FILE_NAME);
        if !path.exists() {
            let file_error = |source| AccessTokenError::File { path: path.clone(), source };
            let [one, two]: [u128; 2] = rand::random();
            write(&path, &format!("{one:032x}{two:032x}\n")).map_err(file_error)?;
        }
        Ok((Self::read(&path)?, path))
    }

    pub(crate) fn new(token: &str) -> Self {
        let cookie = blake3::Hash::from(blake3::derive_key(COOKIE_HASH_CONTEXT, token.as_bytes()));
        Self { hash: blake3::hash(token.as_bytes()), cookie }
    }

    pub(crate) fn matches(&self, typed: &str) -> bool {
        self.hash == blake3::hash(typed.trim().as_bytes())
    }

    pub(crate) fn matches_cookie(&self, value: &str) -> bool {
        blake3::Hash::from_hex(value).is_ok_and(|value| value == self.cookie)
    }

    pub(crate) fn cookie_value(&self) -> String {
        self.cookie.to_hex().to_string()
    }
}

/// Hides the token from logs.
impl std::fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AccessToken")
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
    fn a_token_is_created_once_and_matches() {
        let folder = tempfile::tempdir().unwrap();
        let (token, path) = AccessToken::read_or_create(folder.path()).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.trim().len(), 64);
        assert!(token.matches(&text) && !token.matches("") && !token.matches(&text[1..]));
        assert!(
            token.matches_cookie(&token.cookie_value())
                && !token.matches_cookie(text.trim())
                && !token.matches_cookie("")
        );
        assert!(AccessToken::read_or_create(folder.path()).unwrap().0.matches(&text));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn short_tokens_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, "  secret\n").unwrap();
        assert!(matches!(AccessToken::read(&path), Err(AccessTokenError::TooShort { .. })));
        assert!(matches!(AccessToken::read(&folder.path().join("none")), Err(AccessTokenError::File { .. })));
    }
}
