//! Parses seeds from a file with one address per line, or from an argument of the command line.
//!
//! `#` begins a comment at the start of a line or after whitespace. Inside an address it begins a fragment. A
//! host without a scheme gets https. An invalid line is an error, because a crawl without some of the
//! intended sites is worse than no crawl.

use crate::host::registrable_domain;
use crate::{CanonicalUrl, UrlKey, UrlRefusal};
use std::collections::HashSet;
use thiserror::Error;

/// A site at which the crawl starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seed {
    /// The page at which the crawl starts. The registrable domain of this URL is in scope.
    pub url: CanonicalUrl,
    /// The name of the seed file, or [`COMMAND_LINE`].
    pub file: String,
    /// The line in the file, from 1. `None` if the seed is not from a file.
    pub line: Option<usize>,
}

/// The value of [`Seed::file`] for a seed from the command line.
pub const COMMAND_LINE: &str = "the command line";

impl Seed {
    /// Returns the place where the user wrote the seed, such as `seeds.txt line 3`.
    #[must_use]
    pub fn origin(&self) -> String {
        match self.line {
            Some(line) => format!("{} line {line}", self.file),
            None => self.file.clone(),
        }
    }
}

/// Why a seed file or an argument is rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SeedError {
    /// The line contains more than one word.
    #[error("{file} line {line}: one address per line, but this is {text:?}; begin a comment with #")]
    SeveralWords {
        /// The file name that the caller passed.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The line's text, at most 80 characters.
        text: String,
    },
    /// The argument cannot be a seed.
    #[error(
        "{text:?} is not a seed: {refusal}; write a host such as vnexpress.net or an address such as https://www.bbc.com/news"
    )]
    Argument {
        /// The argument, at most 80 characters.
        text: String,
        /// Why the address is refused.
        refusal: UrlRefusal,
    },
    /// The address cannot be a seed.
    #[error(
        "{file} line {line}: {text:?} is not a seed: {refusal}; write a host such as vnexpress.net or an address such as https://www.bbc.com/news"
    )]
    Refused {
        /// The file name that the caller passed.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The line's text, at most 80 characters.
        text: String,
        /// Why the address is refused.
        refusal: UrlRefusal,
    },
    /// Several lines are invalid.
    #[error("{}", listed(.0))]
    Several(Vec<Self>),
    /// No line contains an address.
    #[error("{file} names no site; write one host per line, such as vnexpress.net")]
    Empty {
        /// The file name that the caller passed.
        file: String,
    },
}

/// Maximum number of invalid lines in a message.
const MAX_LISTED: usize = 20;

fn listed(errors: &[SeedError]) -> String {
    let mut lines: Vec<String> = errors.iter().take(MAX_LISTED).map(SeedError::to_string).collect();
    if errors.len() > MAX_LISTED {
        lines.push(format!("and {} more lines", errors.len() - MAX_LISTED));
    }
    lines.join("\n")
}

/// Parses the `text` of a seed file. Returns the seeds in order, each page once.
///
/// `file` is the file name for errors and seeds. A byte order mark and Windows line ends are accepted.
///
/// # Errors
/// A line is invalid, or there is no address. The error names all invalid lines.
///
/// ```
/// let text = "# Vietnam\nvnexpress.net\nhttps://www.bbc.com/news # English\n";
/// let seeds = gleaner_frontier::parse_seeds(text, "seeds.txt")?;
/// assert_eq!(seeds[0].url.as_str(), "https://vnexpress.net/");
/// assert_eq!(seeds[1].origin(), "seeds.txt line 3");
/// # Ok::<(), gleaner_frontier::SeedError>(())
/// ```
pub fn parse_seeds(text: &str, file: &str) -> Result<Vec<Seed>, SeedError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut seen: HashSet<UrlKey> = HashSet::new();
    let (mut seeds, mut wrong) = (Vec::new(), Vec::new());
    for (line, written) in (1..).zip(text.lines()) {
        let address = without_comment(written).trim();
        if address.is_empty() {
            continue;
        }
        match seed_address(address, file, line) {
            Ok(url) if seen.insert(url.key()) => {
                seeds.push(Seed { url, file: file.to_owned(), line: Some(line) });
            }
            Ok(_) => {}
            Err(error) => wrong.push(error),
        }
    }
    match wrong.len() {
        0 => {}
        1 => return Err(wrong.remove(0)),
        _ => return Err(SeedError::Several(wrong)),
    }
    if seeds.is_empty() { Err(SeedError::Empty { file: file.to_owned() }) } else { Ok(seeds) }
}

/// Parses an argument of the command line as a seed.
///
/// # Errors
/// [`SeedError::Argument`].
///
/// ```
/// let seed = gleaner_frontier::parse_seed("vnexpress.net")?;
/// assert_eq!((seed.url.as_str(), seed.line), ("https://vnexpress.net/", None));
/// assert!(gleaner_frontier::parse_seed("vnexpress").is_err());
/// # Ok::<(), gleaner_frontier::SeedError>(())
/// ```
pub fn parse_seed(argument: &str) -> Result<Seed, SeedError> {
    match parse_address(argument.trim()) {
        Ok(url) => Ok(Seed { url, file: COMMAND_LINE.to_owned(), line: None }),
        Err(refusal) => Err(SeedError::Argument { text: shortened(argument), refusal }),
    }
}

fn without_comment(line: &str) -> &str {
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        if c == '#' && before.is_whitespace() {
            return &line[..at];
        }
        before = c;
    }
    line
}

fn seed_address(address: &str, file: &str, line: usize) -> Result<CanonicalUrl, SeedError> {
    if address.contains(char::is_whitespace) {
        return Err(SeedError::SeveralWords { file: file.to_owned(), line, text: shortened(address) });
    }
    parse_address(address).map_err(|refusal| SeedError::Refused {
        file: file.to_owned(),
        line,
        text: shortened(address),
        refusal,
    })
}

fn shortened(text: &str) -> String {
    text.chars().take(80).collect()
}

/// Reads an address as a user types it: a URL, or a host with or without a path.
///
/// ```
/// assert_eq!(gleaner_frontier::parse_address("vnexpress.net/a").unwrap().as_str(), "https://vnexpress.net/a");
/// assert!(gleaner_frontier::parse_address("vnexpress").is_err());
/// ```
///
/// # Errors
/// As in [`CanonicalUrl::parse`]. Also refuses a host without a dot, and a public suffix such as `com.vn`.
pub fn parse_address(text: &str) -> Result<CanonicalUrl, UrlRefusal> {
    let parsed = if text.contains("://") {
        CanonicalUrl::parse(text)
    } else {
        CanonicalUrl::parse(&format!("https://{text}"))
    };
    parsed.and_then(named_host)
}

/// Refuses a name without a dot, which is probably a typing error, and a public suffix such as `com.vn`. Accepts
/// `localhost`.
fn named_host(url: CanonicalUrl) -> Result<CanonicalUrl, UrlRefusal> {
    match url.url().host() {
        Some(url::Host::Domain(name)) if !name.contains('.') && name != "localhost" => {
            Err(UrlRefusal::Unparsable { reason: "the host has no dot in it" })
        }
        Some(url::Host::Domain(name)) if name.contains('.') && registrable_domain(name).is_none() => {
            Err(UrlRefusal::BadHost { reason: "it is only an ending that many sites share, as .com is" })
        }
        _ => Ok(url),
    }
}

#[cfg(test)]
mod tests {
    use super::{SeedError, parse_seed, parse_seeds};

    #[test]
    fn lines() {
        let text = "\u{feff}# all\r\n\r\nvnexpress.net\r\n  tuoitre.vn/the-gioi.htm  # world\n\
                    https://vnexpress.net/#top\nlocalhost:8080\n127.0.0.1:81\nhttps://báo.vn/a#b\n";
        let seeds = parse_seeds(text, "s.txt").unwrap();
        let read: Vec<_> = seeds.iter().map(|seed| (seed.url.as_str(), seed.line.unwrap())).collect();
        assert_eq!(
            read,
            [
                ("https://vnexpress.net/", 3),
                ("https://tuoitre.vn/the-gioi.htm", 4),
                ("https://localhost:8080/", 6),
                ("https://127.0.0.1:81/", 7),
                ("https://xn--bo-mia.vn/a", 8),
            ]
        );
        assert!(seeds.iter().all(|seed| seed.file == "s.txt"));
    }

    #[test]
    fn a_bad_line_is_named() {
        for bad in [
            "vnexpress",
            "vnexpress.net tuoitre.vn",
            "ftp://vnexpress.net/",
            "http:/vnexpress.net",
            "editor@vnexpress.net",
            "https://a:99999/",
            "/the-gioi",
            "vnexpress.net:x",
            "www..vnexpress.net",
            "http://",
        ] {
            let error = parse_seeds(&format!("tuoitre.vn\n\n{bad}\n"), "seeds/x.txt").unwrap_err();
            let message = error.to_string();
            assert!(message.starts_with("seeds/x.txt line 3: "), "{message}");
            assert!(message.contains(&format!("{bad:?}")), "{message}");
        }
    }

    #[test]
    fn no_site_is_an_error() {
        for text in ["", "\n# vnexpress.net\n", "\u{feff}"] {
            assert_eq!(parse_seeds(text, "e.txt"), Err(SeedError::Empty { file: "e.txt".into() }));
        }
    }

    #[test]
    fn the_bundled_lists_are_read() {
        for (text, file, paper) in [
            (
                include_str!("../../../seeds/vietnamese.txt"),
                "seeds/vietnamese.txt",
                ["dantri.com.vn", "kenh14.vn", "thanhnien.vn", "vietnamnet.vn"],
            ),
            (
                include_str!("../../../seeds/english.txt"),
                "seeds/english.txt",
                ["yahoo.com", "cnn.com", "bbc.com", "nytimes.com"],
            ),
        ] {
            let seeds = parse_seeds(text, file).unwrap();
            assert!(seeds.len() >= 20, "{file} has {}", seeds.len());
            let lines = text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')).count();
            assert_eq!(seeds.len(), lines, "{file} names a site twice");
            for site in paper {
                assert!(seeds.iter().any(|seed| seed.url.domain() == site), "{file} lacks {site}");
            }
        }
    }

    #[test]
    fn all_invalid_lines_are_named() {
        let message = |text: &str| parse_seeds(text, "s.txt").unwrap_err().to_string();
        let both = message("vnexpress\nbbc.com\nftp://a.example/\n");
        let lines: Vec<&str> = both.lines().collect();
        assert_eq!(lines.len(), 2, "{both}");
        assert!(lines[0].starts_with("s.txt line 1: ") && lines[1].starts_with("s.txt line 3: "), "{both}");
        let many = message(&"x\n".repeat(30));
        assert!(many.lines().count() == 21 && many.ends_with("\nand 10 more lines"), "{many}");
    }
    #[test]
    fn an_ending_of_many_sites_is_no_seed() {
        for text in ["com.vn", "https://co.uk/news"] {
            assert!(parse_seed(text).unwrap_err().to_string().contains("many sites share"), "{text}");
        }
        assert!(parse_seed("paper.com.vn").is_ok() && parse_seed("10.0.0.1").is_ok());
    }
}
