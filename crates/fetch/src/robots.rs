//! robots.txt: the Robots Exclusion Protocol of RFC 9309, own parser.
//!
//! 1. Lines of `key: value` make groups: `User-agent` lines, then rules (2.1, 2.2).
//! 2. All groups that name the crawler's product token are one; with none, those of
//!    `*`; with none, no rules (2.2.1).
//! 3. The rule whose pattern matches with the most octets decides, `Allow` on a tie;
//!    with none the path is allowed, as is `/robots.txt` (2.2.2).
//! 4. In patterns `*` stands for any octets and `$` at the end for the path's end
//!    (2.2.3). Both sides are compared in one normal form of percent-encoding.
//!
//! Where the RFC is open it is read as Google's parser reads it: lines that are no
//! rules (`Sitemap`, `Crawl-delay`, unknown ones) do not end a list of agents, and a
//! few common misspellings count. `Crawl-delay` is no part of the RFC; the largest of
//! a crawler's groups counts. A page of HTML holds no rules.
//!
//! Cost: a pattern is matched by finding its pieces from left to right, which is
//! linear in the path for each piece and never backtracks.

use std::time::Duration;

use crate::sniff::looks_like_html;

/// Bytes of a robots.txt that are read; what follows is ignored (RFC 9309, 2.5: at
/// least 500 KiB).
pub const ROBOTS_LIMIT: usize = 500 * 1024;

/// What a robots.txt says to one crawler.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rules {
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

/// Whether a path may be asked for, and the rule that says so as its file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may be asked for. None: no rule matches.
    Allowed {
        /// Such as `Allow: /news/`.
        rule: Option<String>,
    },
    /// It must not be asked for.
    Disallowed {
        /// Such as `Disallow: /private/`, or why the whole host must not be asked.
        rule: String,
    },
}

impl Verdict {
    /// Whether the path may be asked for.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed { .. })
    }
}

impl Rules {
    /// Reads the first [`ROBOTS_LIMIT`] bytes of a robots.txt for the crawler whose
    /// product token is `product` (`gleaner`; what follows a `/` is ignored). Any
    /// bytes are a robots.txt, if one without rules.
    #[must_use]
    pub fn parse(bytes: &[u8], product: &str) -> Self {
        if looks_like_html(bytes) {
            return Self::default();
        }
        let mut reader = Reader::new(token(product.trim()));
        for line in lines(bytes) {
            reader.line(line);
        }
        reader.finish()
    }

    /// Whether `path_and_query`, such as `/news?page=2`, may be asked for.
    #[must_use]
    pub fn verdict(&self, path_and_query: &str) -> Verdict {
        let path = path_and_query.split('#').next().unwrap_or_default();
        let path =
            normal_path(if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }.as_bytes());
        if path == "/robots.txt" {
            return Verdict::Allowed { rule: None };
        }
        let matching = self.rules.iter().filter(|rule| rule.pattern.matches(&path));
        match matching.max_by_key(|rule| (rule.pattern.octets, rule.allow)) {
            None => Verdict::Allowed { rule: None },
            Some(rule) if rule.allow => Verdict::Allowed { rule: Some(rule.to_string()) },
            Some(rule) => Verdict::Disallowed { rule: rule.to_string() },
        }
    }

    /// The `Crawl-delay` for this crawler, of any length: capping it is the caller's
    /// business. None: not stated, negative or unreadable.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The values of all `Sitemap` lines, whoever's group they stand in, as written.
    #[must_use]
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

/// One `Allow` or `Disallow` line.
#[derive(Debug, Clone, PartialEq)]
struct Rule {
    allow: bool,
    pattern: Pattern,
    written: String,
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", if self.allow { "Allow" } else { "Disallow" }, self.written)
    }
}

/// A pattern in normal form, cut at its stars.
#[derive(Debug, Clone, PartialEq)]
struct Pattern {
    /// What must stand at the beginning, then what must follow in order; never empty.
    pieces: Vec<String>,
    /// Whether the last piece must stand at the path's end.
    anchored: bool,
    /// Octets of the pattern, by which rules are ranked.
    octets: usize,
}

impl Pattern {
    fn parse(value: &[u8]) -> Self {
        let (body, anchored) = match value.strip_suffix(b"$") {
            Some(body) => (body, true),
            None => (value, false),
        };
        let normal = normal_form(body, false);
        let pieces: Vec<String> = normal.split('*').map(String::from).collect();
        Self { pieces, anchored, octets: normal.len() + usize::from(anchored) }
    }

    fn matches(&self, path: &str) -> bool {
        let Some((first, rest)) = self.pieces.split_first() else { return false };
        let Some(mut tail) = path.strip_prefix(first.as_str()) else { return false };
        let Some((last, middle)) = rest.split_last() else { return !self.anchored || tail.is_empty() };
        // The leftmost place of each piece leaves the most room for those that follow.
        for piece in middle {
            let Some(at) = tail.find(piece.as_str()) else { return false };
            tail = &tail[at + piece.len()..];
        }
        if self.anchored { tail.ends_with(last.as_str()) } else { tail.contains(last.as_str()) }
    }
}

/// Normal form of a path with its query. A literal `*` or `$` is encoded, since
/// that is how a pattern has to write it.
fn normal_path(path: &[u8]) -> String {
    normal_form(path, true)
}

/// One spelling for all that RFC 3986 calls the same: unreserved characters plain,
/// others that were encoded stay so with upper-case digits, bytes outside of ASCII
/// encoded. In the query `:`, `/`, `?` and `@` are plain, since there they mean the
/// same either way (RFC 9309's table has `baz=https://` and `baz=https%3A%2F%2F` match).
/// `star` says that a `*` is a literal one.
fn normal_form(bytes: &[u8], star: bool) -> String {
    let mut out = String::with_capacity(bytes.len());
    let mut query = false;
    let mut rest = bytes;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        let (byte, encoded) = match (byte, hex_pair(tail)) {
            (b'%', Some(decoded)) => {
                rest = &tail[2..];
                (decoded, true)
            }
            (byte, _) => (*byte, false),
        };
        query |= byte == b'?' && !encoded;
        let unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let plain = match (byte, encoded) {
            (b'*', false) => !star,
            (b'$', false) => false,
            (_, true) => unreserved || query && b":/?@".contains(&byte),
            (_, false) => byte.is_ascii_graphic(),
        };
        if plain {
            out.push(char::from(byte));
        } else {
            const HEX: &[u8; 16] = b"0123456789ABCDEF";
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    out
}

fn hex_pair(bytes: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    u8::try_from(digit(0)? << 4 | digit(1)?).ok()
}

/// The lines, ended by CR, LF or both. Of a file that passes the limit the last,
/// cut line is dropped: half of `/private` is another rule.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let is_end = |b: &u8| matches!(b, b'\r' | b'\n');
    let bytes = match bytes.get(..ROBOTS_LIMIT) {
        Some(head) => &head[..head.iter().rposition(is_end).unwrap_or(0)],
        None => bytes,
    };
    bytes.split(is_end as fn(&u8) -> bool)
}

/// The part of a user agent that is compared.
fn token(agent: &str) -> &str {
    let end = agent.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
    &agent[..end.unwrap_or(agent.len())]
}

/// Who a line speaks to.
#[derive(Clone, Copy, Default)]
struct Agents {
    ours: bool,
    all: bool,
}

/// Collects what is said to us and what is said to all, line by line.
struct Reader<'a> {
    product: &'a str,
    agents: Agents,
    /// A rule has been read since the last `User-agent`, so that the next opens a group.
    closed: bool,
    named: bool,
    ours: Vec<Rule>,
    all: Vec<Rule>,
    our_delay: Option<Duration>,
    all_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(product: &'a str) -> Self {
        Self {
            product,
            agents: Agents::default(),
            closed: false,
            named: false,
            ours: Vec::new(),
            all: Vec::new(),
            our_delay: None,
            all_delay: None,
            sitemaps: Vec::new(),
        }
    }

    fn line(&mut self, line: &[u8]) {
        let Some((key, value)) = key_and_value(line) else { return };
        match key.as_str() {
            "user-agent" | "useragent" | "user agent" => self.user_agent(&String::from_utf8_lossy(value)),
            "allow" => self.rule(true, value),
            "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw" => {
                self.rule(false, value)
            }
            "crawl-delay" | "crawldelay" => self.crawl_delay(value),
            "sitemap" | "site-map" if !value.is_empty() => {
                self.sitemaps.push(String::from_utf8_lossy(value).into_owned());
            }
            _ => {}
        }
    }

    fn user_agent(&mut self, value: &str) {
        if self.closed {
            self.agents = Agents::default();
            self.closed = false;
        }
        let name = token(value);
        if !name.is_empty() && name.eq_ignore_ascii_case(self.product) {
            self.agents.ours = true;
            self.named = true;
        }
        self.agents.all |= value == "*" || value.starts_with("* ");
    }

    fn rule(&mut self, allow: bool, value: &[u8]) {
        self.closed = true;
        // An empty pattern matches nothing.
        if value.is_empty() || !(self.agents.ours || self.agents.all) {
            return;
        }
        let written = String::from_utf8_lossy(value).into_owned();
        let rule = Rule { allow, pattern: Pattern::parse(value), written };
        if self.agents.all {
            self.all.push(rule.clone());
        }
        if self.agents.ours {
            self.ours.push(rule);
        }
    }

    fn crawl_delay(&mut self, value: &[u8]) {
        let digits = value.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        let number = std::str::from_utf8(&value[..digits]).ok().and_then(|text| text.parse::<f64>().ok());
        let delay = number.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        if self.agents.ours {
            self.our_delay = self.our_delay.max(delay);
        }
        if self.agents.all {
            self.all_delay = self.all_delay.max(delay);
        }
    }

    fn finish(self) -> Rules {
        let (rules, crawl_delay) =
            if self.named { (self.ours, self.our_delay) } else { (self.all, self.all_delay) };
        Rules { rules, crawl_delay, sitemaps: self.sitemaps }
    }
}

/// A line's key in lower case and its value, without comment and space around; the
/// colon may be forgotten where exactly two words are left.
fn key_and_value(line: &[u8]) -> Option<(String, &[u8])> {
    let line = line.split(|b| *b == b'#').next().unwrap_or_default().trim_ascii();
    let (key, value) = match line.iter().position(|b| *b == b':') {
        Some(colon) => (&line[..colon], &line[colon + 1..]),
        None => {
            let space = line.iter().position(u8::is_ascii_whitespace)?;
            let value = line[space..].trim_ascii();
            if value.iter().any(u8::is_ascii_whitespace) {
                return None;
            }
            (&line[..space], value)
        }
    };
    Some((String::from_utf8_lossy(key.trim_ascii()).to_ascii_lowercase(), value.trim_ascii()))
}
