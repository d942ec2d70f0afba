//! Pages that the user names: files, folders, standard input.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::failure::Failure;

/// Largest page that is read from a file, after decompression.
const LIMIT: u64 = 64 << 20;

/// Reads a page from a file, or from standard input for `-`; gzip or not.
pub(crate) fn read(path: &str) -> Result<Vec<u8>, Failure> {
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
        return Err(io::Error::other(format!("larger than {LIMIT} bytes")));
    }
    Ok(bytes)
}

/// The HTML files below the given paths, in order of their names.
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
        pages.sort();
        found.extend(pages);
    }
    Ok(found)
}

fn is_html(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".html", ".htm", ".xhtml"].iter().any(|ending| name.ends_with(ending))
}
