//! Reads keys, endpoint and region from the environment variables of the services' own tools:
//! `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ALLOW_HTTP`,
//! `GOOGLE_SERVICE_ACCOUNT`, `AZURE_STORAGE_ACCOUNT_KEY` and others.
//!
//! A secret may also be in a file. A variable with the suffix `_FILE` contains the file's path, for example
//! `AWS_SECRET_ACCESS_KEY_FILE`. Docker and Kubernetes provide secrets as files.
//!
//! Limitation: a file is read only when the storage is opened. Changed keys take effect after a restart.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;

use super::ObjectError;

/// Variables whose values are secrets. Each may also have the suffix `_FILE`.
const SECRETS: [&str; 20] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_TOKEN",
    "AWS_SSE_CUSTOMER_KEY_BASE64",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "GOOGLE_BEARER_TOKEN",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_ACCESS_KEY",
    "AZURE_STORAGE_MASTER_KEY",
    "AZURE_STORAGE_CLIENT_ID",
    "AZURE_STORAGE_CLIENT_SECRET",
    "AZURE_STORAGE_SAS_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_STORAGE_TOKEN",
    "AZURE_STORAGE_ENCRYPTION_KEY",
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_FABRIC_SESSION_TOKEN",
    "AZURE_ENCRYPTION_KEY",
];

const PREFIXES: [&str; 3] = ["AWS_", "GOOGLE_", "AZURE_"];

/// The variables that configure a storage.
///
/// ```
/// use gleaner_store::objects::Environment;
///
/// let set = Environment::from_iter([("AWS_SECRET_ACCESS_KEY", "hush"), ("HOME", "/root")]);
/// assert_eq!(format!("{set:?}"), r#"{"AWS_SECRET_ACCESS_KEY"}"#);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// Returns the variables of this process.
    #[must_use]
    pub fn from_process() -> Self {
        std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect()
    }

    /// Returns the value of a variable. Returns `None` if the variable is not set or empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Replaces each variable with the suffix `_FILE` by the content of its file.
    ///
    /// # Errors
    /// A file cannot be read, or both a variable and its `_FILE` variable are set.
    pub(crate) fn with_files(mut self) -> Result<Self, ObjectError> {
        for secret in SECRETS {
            let name = format!("{secret}_FILE");
            let Some(path) = self.0.remove(&name).filter(|path| !path.is_empty()) else { continue };
            let wrong = |why: String| ObjectError::Setting { name: name.clone(), why };
            if self.get(secret).is_some() {
                return Err(wrong(format!("{secret} is set, too; set only one of them")));
            }
            let content =
                fs::read_to_string(&path).map_err(|error| wrong(format!("cannot read {path}: {error}")))?;
            self.0.insert(secret.into(), content.trim().into());
        }
        Ok(self)
    }

    pub(crate) fn with_prefix(&self, prefix: &str) -> impl Iterator<Item = (&str, &str)> {
        let all = self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        all.filter(move |(name, value)| name.starts_with(prefix) && !value.is_empty())
    }

    pub(crate) fn secrets(&self) -> Vec<String> {
        let set = SECRETS.iter().filter_map(|name| self.get(name));
        // Shorter secrets would also hide ordinary words. No service has such short secrets.
        set.filter(|value| value.len() > 3).map(str::to_owned).collect()
    }
}

/// Shows only the names, because values may be secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        let is_ours = |name: &String| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        Self(variables.filter(|(name, _)| is_ours(name)).collect())
    }
}

pub(crate) fn without(secrets: &[String], text: &str) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_secret_may_stand_in_a_file() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "hush hush\n").unwrap();
        let path = path.to_str().unwrap();
        let set = Environment::from_iter([("AWS_SECRET_ACCESS_KEY_FILE", path)]).with_files().unwrap();
        assert_eq!(set.get("AWS_SECRET_ACCESS_KEY"), Some("hush hush"));
        assert_eq!(set.secrets(), ["hush hush"]);

        let both = Environment::from_iter([
            ("AWS_SECRET_ACCESS_KEY_FILE", path),
            ("AWS_SECRET_ACCESS_KEY", "hush hush"),
        ]);
        let error = both.with_files().unwrap_err().to_string();
        assert!(error.contains("AWS_SECRET_ACCESS_KEY_FILE") && !error.contains("hush"), "{error}");

        let absent = Environment::from_iter([("AWS_SESSION_TOKEN_FILE", "/nowhere/token")]);
        let error = absent.with_files().unwrap_err().to_string();
        assert!(error.contains("AWS_SESSION_TOKEN_FILE") && error.contains("/nowhere/token"), "{error}");
    }

    #[test]
    fn secrets_are_blotted_out() {
        assert_eq!(without(&["hush".into()], "a hush of hush"), "a *** of ***");
    }
}
