//! Reads pages from files, folders and standard input.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use gleaner_extract::{NotHtml, decode};

use crate::failure::Failure;

const LIMIT: u64 = 64 << 20;

pub(crate) fn source(path: &str) -> Result<String, Failure> {
    let text = decode(&read(path)?).map_err(|error| match error {
        NotHtml::Binary(_) => Failure::Work(format!("{path} {error}")),
        NotHtml::Utf32 => Failure::Usage(format!("{path} {error}")),
    })?;
    match text.trim().is_empty() || has_element(&text) {
        true => Ok(text),
        false => Err(Failure::Work(format!("{path} is not HTML: it has no element such as <p> or <body>"))),
    }
}

/// Elements of which each page of the web has one.
const ELEMENTS: [&str; 24] = [
    "!doctype",
    "html",
    "head",
    "body",
    "title",
    "meta",
    "p",
    "div",
    "span",
    "a",
    "article",
    "section",
    "main",
    "h1",
    "h2",
    "h3",
    "table",
    "ul",
    "ol",
    "br",
    "img",
    "pre",
    "blockquote",
    "script",
];

/// Whether a text has a tag of HTML.
fn has_element(text: &str) -> bool {
    let is_known = |rest: &str| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '!').unwrap_or(rest.len());
        ELEMENTS.iter().any(|name| name.eq_ignore_ascii_case(&rest[..end]))
    };
    text.split('<').skip(1).any(is_known)
}

/// Reads a page from a file, or from standard input if `path` is `-`. Decompresses gzip.
fn read(path: &str) -> Result<Vec<u8>, Failure> {
    let wrong = |error: io::Error| Failure::Usage(format!("cannot read {path}: {error}"));
    let bytes = if path == "-" {
        limited(io::stdin().lock()).map_err(wrong)?
    } else {
        limited(fs::File::open(path).map_err(wrong)?).map_err(wrong)?
    };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        limited(MultiGzDecoder::new(&*bytes)).map_err(wrong)
    } else {
        Ok(bytes)
    }
}

fn limited(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT {
        return Err(io::Error::other(format!("larger than {} MiB", LIMIT >> 20)));
    }
    Ok(bytes)
}

/// Returns the files in `paths`. For a folder, returns its HTML files, sorted by name. Fails if a folder
/// contains no HTML files.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        let wrong = |error: io::Error| Failure::Usage(format!("cannot read {}: {error}", path.display()));
        if !fs::metadata(path).map_err(wrong)?.is_dir() {
            found.push(path.clone());
            continue;
        }
        let entries: Result<Vec<PathBuf>, io::Error> =
            fs::read_dir(path).map_err(wrong)?.map(|entry| entry.map(|entry| entry.path())).collect();
        let mut pages: Vec<PathBuf> =
            entries.map_err(wrong)?.into_iter().filter(|path| is_html(path)).collect();
        if pages.is_empty() {
            return Err(Failure::Usage(format!(
                "{} has no page: no file name ends in .html, .htm or .xhtml, optionally with .gz",
                path.display()
            )));
        }
        pages.sort();
        found.extend(pages);
    }
    Ok(found)
}

pub(crate) fn is_pattern(page: &str) -> bool {
    page.contains(['*', '?', '[']) && !page.contains("://") && !Path::new(page).exists()
}

/// Returns the pages that files, folders and patterns name, in the order of the arguments. The files of a
/// folder or a pattern are sorted by name. Fails if a pattern matches no file.
pub(crate) fn expand(arguments: &[String]) -> Result<Vec<String>, Failure> {
    let mut found = Vec::new();
    for argument in arguments {
        if is_pattern(argument) {
            found.extend(matches(argument)?);
        } else if Path::new(argument).is_dir() {
            found.extend(files(&[PathBuf::from(argument)])?);
        } else {
            // If the file is unreadable, the error is reported when the file is read.
            found.push(PathBuf::from(argument));
        }
    }
    Ok(found.into_iter().map(|path| path.display().to_string()).collect())
}

fn matches(pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let paths = glob::glob(pattern).map_err(|error| Failure::Usage(format!("{pattern}: {error}")))?;
    let mut found = Vec::new();
    for path in paths {
        let path =
            path.map_err(|error| Failure::Usage(format!("cannot read {}: {error}", error.path().display())))?;
        if !path.is_dir() {
            found.push(path);
        }
    }
    if found.is_empty() {
        return Err(Failure::Usage(format!("{pattern} matches no file")));
    }
    Ok(found)
}

fn is_html(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".html", ".htm", ".xhtml"].iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_no_page() {
        for page in ["<P>Rain", "a<br/>b", "<!DOCTYPE html>", "text <body>"] {
            assert!(has_element(page), "{page}");
        }
        for text in ["#!/bin/sh\ncat <<END\nif [ 1 -lt 2 ]; then sort < file; fi", "a < b", "{\"a\": 1}"] {
            assert!(!has_element(text), "{text}");
        }
    }
}
