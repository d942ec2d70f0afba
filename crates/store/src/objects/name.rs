//! Defines valid object names: segments between slashes. The rules are the same for a bucket and a folder.
//!
//! Limitation: in a folder, some valid names fail. Most file systems refuse a segment over 255 bytes, and `a`
//! and `a/b` cannot both exist. Names that end in `#` and digits are refused everywhere, because the
//! library reserves them for unfinished files.

use object_store::path::Path;

use super::ObjectError;

/// Maximum length of a name in bytes. S3 has the same limit, but also counts the prefix.
const LONGEST: usize = 1024;

/// Whether the library uses this file name for an unfinished file.
pub(crate) fn is_unfinished(file: &str) -> bool {
    let is_number = |end: &str| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit());
    file.split_once('#').is_some_and(|(_, end)| is_number(end))
}

/// Returns the library's path for a name. Refuses a name that is empty or too long, has an empty segment,
/// `.`, `..` or a control character, or ends in `#` and digits.
pub(crate) fn path(name: &str) -> Result<Path, ObjectError> {
    let wrong = |why: &str| ObjectError::Name { name: name.into(), why: why.into() };
    if name.is_empty() || name.split('/').any(str::is_empty) {
        return Err(wrong("it or one of its segments is empty"));
    }
    if name.len() > LONGEST {
        return Err(wrong("it is longer than 1024 bytes"));
    }
    if is_unfinished(name.rsplit('/').next().unwrap_or_default()) {
        return Err(wrong("it ends in # and digits, which is reserved for unfinished files"));
    }
    Path::parse(name).map_err(|_| wrong("`.`, `..` and control characters are not allowed"))
}

/// Returns the library's path for a prefix. Returns `None` if the prefix is empty, which means all objects.
/// Ignores a trailing slash. Refuses the same names as `path`.
pub(crate) fn prefix(prefix: &str) -> Result<Option<Path>, ObjectError> {
    let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
    if prefix.is_empty() { Ok(None) } else { path(prefix).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_as_they_are() {
        for name in ["a", "a/b.warc.gz", "Hà Nội/tin 100%.gz", "a#b", "a#1/b", "a?b", "~[x]", "a\\b", "%2F"]
        {
            assert_eq!(path(name).unwrap().as_ref(), name);
        }
    }

    #[test]
    fn names_that_are_none_are_refused() {
        let long = "x".repeat(1025);
        for name in ["", "/a", "a/", "a//b", ".", "a/../b", "a\nb", "a\0", "a#1", "b/a#12", &long] {
            assert!(matches!(path(name), Err(ObjectError::Name { .. })), "{name:?}");
        }
        assert_eq!(prefix("").unwrap(), None);
        assert_eq!(prefix("/").unwrap(), None);
        assert_eq!(prefix("a/b/").unwrap().unwrap().as_ref(), "a/b");
    }
}
