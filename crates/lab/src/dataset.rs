//! Reads recorded sets: folders of pages with gold text.
//!
//! A set is a folder with three kinds of files. `manifest.jsonl` has one object per line with `id` and, if
//! they are known, `url`, `site`, `lang` and `title`. `<id>.html.gz` or `<id>.html` is a page. `<id>.txt` is
//! the gold text with one block per line. A page without gold text is used only for training. If a folder has
//! no manifest, all sets below it are used, in the order of their paths.
//!
//! Limitation: the quality of gold texts is not checked. Errors in a manifest are reported immediately. Pages
//! are read later, so a damaged page is found only during the run.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use gleaner_html::Page;
use gleaner_html::decode::decode;
use gleaner_html::embedded::complete;
use serde::Deserialize;

/// Maximum size of a page or gold text in bytes, after decompression.
const LIMIT: u64 = 64 << 20;

const DEPTH: usize = 4;

/// Maximum number of errors to list. Further errors are only counted.
pub const LISTED: usize = 20;

/// The name for all sets together. A set with this name is renamed to its path.
pub const ALL: &str = "all";

const MANIFEST: &str = "manifest.jsonl";

/// A folder of recorded pages. The pages are not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dataset {
    /// The name of the folder. If several sets have the same name, or if the name is [`ALL`],
    /// [`Dataset::find`] replaces it with the whole path.
    pub name: String,
    /// The path of the folder.
    pub folder: PathBuf,
    /// The set's pages in the order of the manifest.
    pub entries: Vec<PageEntry>,
}

/// A page as listed in the manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageEntry {
    /// The page's id, unique in its set.
    pub id: String,
    /// The page's URL. Empty if the manifest does not state the URL.
    pub url: String,
    /// The site's host. Empty if the manifest does not state the site.
    pub site: String,
    /// The language tag. Empty if the manifest does not state the language.
    pub lang: String,
    /// The headline. `None` if the manifest does not state the headline.
    pub title: Option<String>,
    /// The path of the page. The file is compressed with gzip if its name ends in `.gz`.
    pub html: PathBuf,
    /// The path of the gold text, or `None` if the page has no gold text.
    pub gold: Option<PathBuf>,
}

/// A recorded page with its content.
#[derive(Debug, Clone)]
pub struct RecordedPage {
    /// The page's bytes after decompression.
    pub bytes: Vec<u8>,
    /// The decoded source.
    pub source: String,
    /// The parsed page.
    pub page: Page,
    /// The gold text, or `None` if the page has no gold text.
    pub gold: Option<String>,
}

/// Why a set cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A folder or file is missing, cannot be read, is damaged or too large, or is not UTF-8.
    #[error("cannot read {path}: {error}")]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A path names a file instead of a folder.
    #[error("{path} is a file: name the folder of the set, or one above it")]
    File {
        /// The file.
        path: PathBuf,
    },
    /// A folder is not a set, and no folder below it is a set.
    #[error("{folder} is not a set: neither it nor a folder below it has a {MANIFEST}")]
    NoSet {
        /// The folder.
        folder: PathBuf,
    },
    /// A line of a manifest is invalid.
    #[error("{manifest} line {line}: {reason}")]
    Line {
        /// The manifest.
        manifest: PathBuf,
        /// The line number, from 1.
        line: usize,
        /// The error in the line.
        reason: String,
    },
    /// There is no page to score.
    #[error("{names}: {reason}, so nothing can be scored")]
    NoGold {
        /// The names of the sets.
        names: String,
        /// Why there is no page to score.
        reason: &'static str,
    },
    /// Several errors. None of them is `Several`.
    #[error("{}", listed(.0))]
    Several(Vec<Self>),
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {error}; name fewer with --threads")]
    Threads {
        /// The number of threads.
        threads: usize,
        /// The reason.
        error: rayon::ThreadPoolBuildError,
    },
}

impl DatasetError {
    /// Combines errors. Returns a single error unchanged, and several errors as [`Self::Several`].
    pub(crate) fn all(mut errors: Vec<Self>) -> Self {
        if errors.len() == 1 { errors.remove(0) } else { Self::Several(errors) }
    }

    pub(crate) fn no_gold(sets: &[Dataset]) -> Self {
        let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
        let is_empty = sets.iter().all(|set| set.entries.is_empty());
        let reason = if is_empty { "no page is named in the manifest" } else { "no page has gold text" };
        Self::NoGold { names: names.join(", "), reason }
    }

    fn flatten(self) -> Vec<Self> {
        match self {
            Self::Several(errors) => errors,
            other => vec![other],
        }
    }
}

fn listed(errors: &[DatasetError]) -> String {
    let lines: String = errors.iter().take(LISTED).map(|error| format!("\n  {error}")).collect();
    let rest = match errors.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    };
    format!("{} faults:{lines}{rest}", errors.len())
}

#[derive(Deserialize)]
struct Record {
    id: String,
    url: Option<String>,
    site: Option<String>,
    lang: Option<String>,
    title: Option<String>,
}

impl Dataset {
    /// Returns the sets in `folders`, each once. If a folder has no manifest, returns the sets up to four
    /// levels below it.
    ///
    /// # Errors
    /// If a folder cannot be read or contains no set, the function returns this error at once. If manifests
    /// have errors, the [`DatasetError`] contains the errors of all manifests.
    pub fn find(folders: &[PathBuf]) -> Result<Vec<Self>, DatasetError> {
        let (mut sets, mut seen, mut faults) = (Vec::new(), BTreeSet::new(), Vec::new());
        for folder in folders {
            let found = below(folder, DEPTH)?;
            if found.is_empty() {
                return Err(DatasetError::NoSet { folder: folder.clone() });
            }
            for folder in found {
                if seen.insert(fs::canonicalize(&folder).map_err(wrong(&folder))?) {
                    match Self::read(&folder) {
                        Ok(set) => sets.push(set),
                        Err(error) => faults.extend(error.flatten()),
                    }
                }
            }
        }
        if !faults.is_empty() {
            return Err(DatasetError::all(faults));
        }
        make_names_unique(&mut sets);
        Ok(sets)
    }

    /// Reads the manifest of a folder.
    ///
    /// # Errors
    /// The manifest cannot be read, or lines are invalid. The [`DatasetError`] contains the errors of all
    /// lines.
    pub fn read(folder: &Path) -> Result<Self, DatasetError> {
        let manifest = folder.join(MANIFEST);
        let text = text(&manifest)?;
        let (mut entries, mut ids, mut faults) = (Vec::new(), BTreeSet::new(), Vec::new());
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match entry(folder, line) {
                Ok(entry) if ids.insert(entry.id.clone()) => entries.push(entry),
                Ok(PageEntry { id, .. }) => faults.push((at, format!("the id {id:?} is there twice"))),
                Err(reason) => faults.push((at, reason)),
            }
        }
        if !faults.is_empty() {
            let error =
                |(at, reason)| DatasetError::Line { manifest: manifest.clone(), line: at + 1, reason };
            return Err(DatasetError::all(faults.into_iter().map(error).collect()));
        }
        Ok(Self { name: base_name(folder), folder: folder.to_owned(), entries })
    }

    /// Returns the number of pages with gold text.
    #[must_use]
    pub fn with_gold(&self) -> usize {
        self.entries.iter().filter(|entry| entry.gold.is_some()).count()
    }

    /// Returns the number of different sites in the manifest. Pages without a site count as one site.
    #[must_use]
    pub fn sites(&self) -> usize {
        self.entries.iter().map(|entry| entry.site.as_str()).collect::<BTreeSet<_>>().len()
    }
}

impl RecordedPage {
    /// Reads, decodes and parses a page, plain or gzip, without a gold text. Decodes it like a crawled page without a
    /// `Content-Type` header.
    ///
    /// # Errors
    /// [`DatasetError::Read`] if the file is missing, damaged or too large.
    pub fn read(html: &Path) -> Result<Self, DatasetError> {
        let bytes = bytes(html)?;
        let source = decode(&bytes, None).text.into_owned();
        let page = complete(&source);
        Ok(Self { bytes, source, page, gold: None })
    }
}

impl PageEntry {
    /// Reads a page and its gold text.
    ///
    /// # Errors
    /// [`DatasetError::Read`] if a file is missing, damaged or too large, or the gold text is not UTF-8.
    pub fn read(&self) -> Result<RecordedPage, DatasetError> {
        let page = RecordedPage::read(&self.html)?;
        Ok(RecordedPage { gold: self.read_gold()?, ..page })
    }

    /// Reads only the gold text, if there is one.
    ///
    /// # Errors
    /// [`DatasetError::Read`] if the file is missing, too large, or not UTF-8.
    pub fn read_gold(&self) -> Result<Option<String>, DatasetError> {
        self.gold.as_deref().map(text).transpose()
    }
}

fn entry(folder: &Path, line: &str) -> Result<PageEntry, String> {
    let Record { id, url, site, lang, title } =
        serde_json::from_str(line).map_err(|error| no_page(&error))?;
    let [url, site, lang] = [url, site, lang].map(Option::unwrap_or_default);
    if id.is_empty() || id.contains(['/', '\\', '\0']) {
        return Err(format!("{id:?} is not an id; an id is a file name without its extension"));
    }
    let named = |ending: &str| folder.join(format!("{id}.{ending}"));
    let files = [named("html.gz"), named("html")];
    let Some(html) = files.into_iter().find(|path| path.is_file()) else {
        return Err(format!("there is neither {id}.html.gz nor {id}.html"));
    };
    let gold = Some(named("txt")).filter(|path| path.symlink_metadata().is_ok());
    if gold.as_ref().is_some_and(|path| !path.is_file()) {
        return Err(format!("{id}.txt is not a regular file"));
    }
    let title = title.filter(|title| !title.trim().is_empty());
    Ok(PageEntry { id, url, site, lang, title, html, gold })
}

/// Returns the error message without serde's line number. The number is always 1, because each line is parsed
/// separately.
fn no_page(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    format!("no page: {} (column {})", said.strip_suffix(&place).unwrap_or(&said), error.column())
}

fn below(folder: &Path, depth: usize) -> Result<Vec<PathBuf>, DatasetError> {
    if folder.is_file() {
        return Err(DatasetError::File { path: folder.to_owned() });
    }
    if folder.join(MANIFEST).exists() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).map_err(wrong(folder))? {
        let path = entry.map_err(wrong(folder))?.path();
        if path.is_dir() {
            folders.push(path);
        }
    }
    folders.sort();
    let mut sets = Vec::new();
    for folder in folders.iter().filter(|_| depth > 0) {
        sets.extend(below(folder, depth - 1)?);
    }
    Ok(sets)
}

/// Returns the last component of the folder's path. Resolves relative paths such as `.` and `sets/..` first.
fn base_name(folder: &Path) -> String {
    let whole = || fs::canonicalize(folder).ok()?.file_name().map(|name| name.to_string_lossy().into_owned());
    match folder.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => whole().unwrap_or_else(|| folder.display().to_string()),
    }
}

/// Uses the path as the name of a set if several sets have the same name, or if the name is [`ALL`].
fn make_names_unique(sets: &mut [Dataset]) {
    let names: Vec<String> = sets.iter().map(|set| set.name.clone()).collect();
    for set in sets {
        if set.name == ALL || names.iter().filter(|name| **name == set.name).count() > 1 {
            set.name = set.folder.display().to_string();
        }
    }
}

fn wrong(path: &Path) -> impl Fn(io::Error) -> DatasetError {
    move |error| DatasetError::Read { path: path.to_owned(), error }
}

fn bytes(path: &Path) -> Result<Vec<u8>, DatasetError> {
    let file = File::open(path).map_err(wrong(path))?;
    let gzip = path.extension().is_some_and(|ending| ending == "gz");
    if gzip { limited(MultiGzDecoder::new(io::BufReader::new(file))) } else { limited(file) }
        .map_err(wrong(path))
}

fn text(path: &Path) -> Result<String, DatasetError> {
    let mut bytes = bytes(path)?;
    if bytes.starts_with("\u{feff}".as_bytes()) {
        bytes.drain(.."\u{feff}".len());
    }
    String::from_utf8(bytes)
        .map_err(|error| wrong(path)(io::Error::other(format!("it is not UTF-8: {}", error.utf8_error()))))
}

fn limited(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT {
        return Err(io::Error::other(format!("larger than {} MiB", LIMIT >> 20)));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use tempfile::TempDir;

    use super::*;

    type Files<'a> = &'a [(&'a str, &'a [u8])];

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn folder(files: Files) -> TempDir {
        let folder = TempDir::new().unwrap();
        for (name, bytes) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        folder
    }

    #[test]
    fn a_set_is_read_with_and_without_gzip_and_gold() {
        let rain = gzip("<p>Rain");
        let files: [(&str, &[u8]); 4] = [
            (MANIFEST, b"{\"id\": \"1\", \"url\": \"https://a.example/\", \"site\": \"a.example\", \"lang\": \"vi\", \"title\": \"x\"}\n\n{\"id\": \"2\"}\n"),
            ("1.html.gz", &rain),
            ("1.txt", "Mưa".as_bytes()),
            ("2.html", b"<p>Wind"),
        ];
        let folder = folder(&files);
        let sets = Dataset::find(&[folder.path().to_owned()]).unwrap();
        assert_eq!((sets.len(), sets[0].with_gold(), sets[0].sites()), (1, 1, 2));
        let [one, two] = &sets[0].entries[..] else { panic!("{sets:?}") };
        assert_eq!((one.lang.as_str(), two.lang.as_str()), ("vi", ""));
        assert_eq!((one.title.as_deref(), two.title.as_deref()), (Some("x"), None));
        let (one, two) = (one.read().unwrap(), two.read().unwrap());
        assert_eq!((one.source.as_str(), one.gold.as_deref()), ("<p>Rain", Some("Mưa")));
        assert_eq!((two.bytes.as_slice(), two.gold), (&b"<p>Wind"[..], None));
    }

    #[test]
    fn a_folder_of_folders_stands_for_its_sets_in_order() {
        let folder = folder(&[
            ("b/x/manifest.jsonl", b""),
            ("a/manifest.jsonl", b""),
            ("c/x/manifest.jsonl", b""),
            ("d/nothing.txt", b""),
        ]);
        let root = folder.path().to_owned();
        let names = |folders: &[PathBuf]| {
            Dataset::find(folders).unwrap().into_iter().map(|set| set.name).collect::<Vec<_>>()
        };
        let path = |name: &str| root.join(name).display().to_string();
        assert_eq!(names(std::slice::from_ref(&root)), ["a".into(), path("b/x"), path("c/x")]);
        assert_eq!(names(&[root.join("c"), root.join("a"), root.join("a")]), ["x", "a"]);
    }

    #[test]
    fn what_is_no_set_says_why() {
        let cases: [(Files, &str); 12] = [
            (&[("notes.txt", b"")], "is not a set"),
            (&[(MANIFEST, b"\xff")], "not UTF-8"),
            (&[(MANIFEST, b"\n{\"id\": 7}")], "manifest.jsonl line 2: no page: invalid type"),
            (&[(MANIFEST, b"nonsense")], "manifest.jsonl line 1: no page: expected"),
            (&[(MANIFEST, b"{\"url\": \"\"}")], "line 1: no page: missing field `id`"),
            (&[(MANIFEST, b"{\"id\": \"../x\"}")], "is not an id"),
            (&[(MANIFEST, b"{}\n")], "line 1: no page: missing field `id` (column 2)"),
            (&[(MANIFEST, b"{nonsense}\n")], "line 1: no page: key must be a string (column 2)"),
            (&[("a/manifest.jsonl", b"{}"), ("manifest.jsonl/x", b"")], "cannot read "),
            (
                &[(MANIFEST, b"{\"id\": \"1\"}"), ("1.html", b""), ("1.txt/x", b"")],
                "line 1: 1.txt is not a regular file",
            ),
            (&[(MANIFEST, b"{\"id\": \"1\"}")], "line 1: there is neither 1.html.gz nor 1.html"),
            (
                &[(MANIFEST, b"{\"id\": \"1\"}\n{\"id\": \"1\"}"), ("1.html", b"")],
                "line 2: the id \"1\" is there twice",
            ),
        ];
        for (files, expected) in cases {
            let folder = folder(files);
            let error = Dataset::find(&[folder.path().to_owned()]).unwrap_err().to_string();
            assert!(error.contains(expected) && !error.contains('\n'), "{error} lacks {expected}");
        }
        let error = Dataset::find(&["no such folder".into()]).unwrap_err().to_string();
        assert!(error.starts_with("cannot read no such folder: "), "{error}");
    }

    #[test]
    fn all_faults_are_told_together() {
        let mut manifest = String::from("nonsense\n");
        (1..=24).for_each(|id| manifest += &format!("{{\"id\": \"{id}\"}}\n"));
        let files: [(&str, &[u8]); 3] = [
            ("a/manifest.jsonl", manifest.as_bytes()),
            ("a/7.html", b""),
            ("b/manifest.jsonl", b"{\"id\": \"x\"}"),
        ];
        let folder = folder(&files);
        let error = Dataset::find(&[folder.path().to_owned()]).unwrap_err().to_string();
        let lines: Vec<&str> = error.lines().collect();
        assert_eq!((lines[0], lines.len()), ("25 faults:", 1 + LISTED + 1), "{error}");
        assert!(lines[1].contains("a/manifest.jsonl line 1: no page"), "{error}");
        assert!(lines[2].contains("there is neither 1.html.gz nor 1.html"), "{error}");
        assert_eq!(lines[LISTED + 1].trim(), "and 5 more");
    }

    #[test]
    fn a_file_is_no_set_and_what_stands_instead_of_a_page_is_no_harm() {
        let line = "\u{feff}{\"id\": \"1\", \"lang\": null, \"url\": null, \"site\": null, \"title\": null}";
        let folder = folder(&[
            (MANIFEST, line.as_bytes()),
            ("1.html", b"<p>Rain"),
            ("1.txt", "\u{feff}Rain".as_bytes()),
        ]);
        let set = Dataset::read(folder.path()).unwrap();
        assert_eq!((set.entries[0].lang.as_str(), set.with_gold()), ("", 1));
        assert_eq!(set.entries[0].read().unwrap().gold.as_deref(), Some("Rain"));
        let error = Dataset::find(&[folder.path().join(MANIFEST)]).unwrap_err().to_string();
        assert!(error.ends_with("manifest.jsonl is a file: name the folder of the set, or one above it"));
    }

    #[test]
    fn a_damaged_page_or_gold_is_named() {
        let whole = gzip(&"<p>Rain and wind. ".repeat(500));
        let line: &[u8] = b"{\"id\": \"1\"}";
        let cases: [(Files, &str); 3] = [
            (&[("1.html.gz", &whole[..whole.len() / 2])], "1.html.gz"),
            (&[("1.html.gz", b"<p>not gzip")], "1.html.gz"),
            (&[("1.html", b"<p>"), ("1.txt", b"\xff\xfe")], "1.txt"),
        ];
        for (files, expected) in cases {
            let files: Vec<_> = files.iter().copied().chain([(MANIFEST, line)]).collect();
            let folder = folder(&files);
            let error = Dataset::read(folder.path()).unwrap().entries[0].read().unwrap_err().to_string();
            assert!(error.starts_with("cannot read ") && error.contains(expected), "{error}");
        }
    }
}
