//! Parses robots.txt (the Robots Exclusion Protocol, RFC 9309).
//!
//! 1. Lines of `key: value` form groups: `User-agent` lines, then rules (2.1, 2.2).
//! 2. All groups that name the crawler's product token are merged. If there is no such group, the groups for
//!    `*` apply. If there are no groups for `*` either, no rules apply (2.2.1).
//! 3. The matching rule with the longest pattern in octets decides. If two patterns are equally long, `Allow`
//!    wins. A path without a matching rule is allowed, and so is `/robots.txt` (2.2.2).
//! 4. In patterns, `*` matches any octets, and `$` at the end matches the end of the path (2.2.3). Pattern
//!    and path are compared in one normal form of percent-encoding (`robots/normal.rs`).
//! 5. Every line that can be parsed applies, regardless of other lines (2.3.1.1). For example, a PHP warning
//!    before the rules does not invalidate them.
//!
//! If the RFC leaves a choice, the parser behaves like Google's. Lines that are not rules (`Sitemap`,
//! `Crawl-delay`, unknown keys) do not end a list of agents. `Content-Usage` and `Content-Signal` are rules
//! (`robots/usage.rs`). Some common misspellings are accepted. `Crawl-delay` is not in the RFC. The largest
//! value in a crawler's groups applies.
//!
//! One file may have 50,000 rules. They are not compared with a path one by one (`robots/matcher.rs`).

pub(crate) mod matcher;
pub(crate) mod normal;
pub(crate) mod usage;

use std::time::Duration;

use matcher::Matcher;
use normal::{Pattern, Text};

/// Number of bytes of a robots.txt that are read (RFC 9309, 2.5: at least 500 KiB). Later bytes are ignored,
/// and so is a line that this limit cuts off.
pub const ROBOTS_LIMIT: usize = 500 * 1024;

/// The rules of a robots.txt for one crawler.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RobotsRules {
    /// The rules, lowest rank first. The last matching rule decides.
    rules: Vec<Rule>,
    matcher: Box<Matcher>,
    crawl_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

/// Whether a path may be requested, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RobotsDecision {
    /// The path may be requested.
    Allowed {
        /// The deciding rule, such as `Allow: /news/`. `None` if no rule matches.
        rule: Option<String>,
    },
    /// The path must not be requested.
    Disallowed {
        /// The deciding rule, such as `Disallow: /private/`, or why the whole host must not be requested.
        rule: String,
    },
}

impl RobotsDecision {
    /// Whether the path may be requested.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed { .. })
    }
}

impl RobotsRules {
    /// Parses the first [`ROBOTS_LIMIT`] bytes of a robots.txt. `product` is the crawler's product token,
    /// such as `gleaner`. A `/` in the token and the text after it are ignored. Any bytes can be parsed, but
    /// the result may contain no rules.
    #[must_use]
    pub fn parse(bytes: &[u8], product: &str) -> Self {
        let mut reader = RobotsReader::new(token(product.trim()));
        for line in lines(bytes) {
            reader.line(line);
        }
        reader.finish()
    }

    /// Whether `path_and_query`, such as `/news?page=2`, may be requested.
    #[must_use]
    pub fn verdict(&self, path_and_query: &str) -> RobotsDecision {
        let path = path_and_query.split('#').next().unwrap_or_default();
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let text = Text::new(path.as_bytes());
        if text.octets == "/robots.txt" {
            return RobotsDecision::Allowed { rule: None };
        }
        match self.matcher.find(&text).pattern.and_then(|at| self.rules.get(at)) {
            None => RobotsDecision::Allowed { rule: None },
            Some(rule) if rule.allow => RobotsDecision::Allowed { rule: Some(rule.to_string()) },
            Some(rule) => RobotsDecision::Disallowed { rule: rule.to_string() },
        }
    }

    /// Returns the `Crawl-delay` for this crawler, however long it is. Returns `None` if it is missing,
    /// negative or unreadable.
    #[must_use]
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// Returns the values of all `Sitemap` lines in all groups, as written.
    #[must_use]
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Rule {
    allow: bool,
    written: String,
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", if self.allow { "Allow" } else { "Disallow" }, self.written)
    }
}

fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// Returns `bytes` or, if they reach the limit, only the complete lines before it. A line that is cut off is
/// omitted, because its beginning would be a different rule.
pub(crate) fn whole_lines(bytes: &[u8]) -> &[u8] {
    match bytes.get(..ROBOTS_LIMIT) {
        Some(head) => &head[..head.iter().rposition(is_line_end).unwrap_or(0)],
        None => bytes,
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let bytes = whole_lines(bytes);
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).split(is_line_end as fn(&u8) -> bool)
}

fn token(agent: &str) -> &str {
    let end = agent.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')));
    &agent[..end.unwrap_or(agent.len())]
}

#[derive(Clone, Copy, Default)]
struct Agents {
    ours: bool,
    all: bool,
}

impl Agents {
    /// Adds the value of a `User-agent` line. Returns whether it names the crawler `product`.
    fn add(&mut self, value: &str, product: &str) -> bool {
        let name = token(value);
        let is_ours = !name.is_empty() && name.eq_ignore_ascii_case(product);
        self.ours |= is_ours;
        self.all |= value == "*" || value.starts_with("* ");
        is_ours
    }
}

/// The groups of a robots.txt, as its lines are read.
struct Groups<'a> {
    product: &'a str,
    /// The crawlers to which the current group applies.
    agents: Agents,
    /// Whether a rule followed the last `User-agent`. If so, the next `User-agent` begins a new group.
    closed: bool,
    /// Whether a group names the crawler. If not, the groups for all crawlers apply to it.
    named: bool,
}

impl<'a> Groups<'a> {
    fn new(product: &'a str) -> Self {
        Self { product, agents: Agents::default(), closed: false, named: false }
    }

    fn user_agent(&mut self, value: &[u8]) {
        if std::mem::take(&mut self.closed) {
            self.agents = Agents::default();
        }
        self.named |= self.agents.add(&String::from_utf8_lossy(value), self.product);
    }

    /// Reads a rule, which ends the list of crawlers. Returns the crawlers to which it applies.
    fn rule(&mut self) -> Agents {
        self.closed = true;
        self.agents
    }
}

struct RobotsReader<'a> {
    groups: Groups<'a>,
    ours: Vec<(bool, &'a [u8])>,
    all: Vec<(bool, &'a [u8])>,
    our_delay: Option<Duration>,
    all_delay: Option<Duration>,
    sitemaps: Vec<String>,
}

impl<'a> RobotsReader<'a> {
    fn new(product: &'a str) -> Self {
        Self {
            groups: Groups::new(product),
            ours: Vec::new(),
            all: Vec::new(),
            our_delay: None,
            all_delay: None,
            sitemaps: Vec::new(),
        }
    }

    fn line(&mut self, line: &'a [u8]) {
        let Some((key, value)) = key_and_value(line) else { return };
        match key.as_str() {
            key if is_user_agent(key) => self.groups.user_agent(value),
            key if is_rule(key) => self.rule(key == "allow", value),
            key if usage::is_usage_rule(key) => drop(self.groups.rule()),
            "crawl-delay" | "crawldelay" => self.crawl_delay(value),
            key if is_sitemap(key) && !value.is_empty() => {
                self.sitemaps.push(String::from_utf8_lossy(value).into_owned());
            }
            _ => {}
        }
    }

    fn rule(&mut self, allow: bool, value: &'a [u8]) {
        let agents = self.groups.rule();
        // An empty pattern matches nothing.
        if value.is_empty() {
            return;
        }
        if agents.all {
            self.all.push((allow, value));
        }
        if agents.ours {
            self.ours.push((allow, value));
        }
    }

    fn crawl_delay(&mut self, value: &[u8]) {
        let digits = value.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        let number = std::str::from_utf8(&value[..digits]).ok().and_then(|text| text.parse::<f64>().ok());
        let delay = number.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        if self.groups.agents.ours {
            self.our_delay = self.our_delay.max(delay);
        }
        if self.groups.agents.all {
            self.all_delay = self.all_delay.max(delay);
        }
    }

    fn finish(self) -> RobotsRules {
        let (lines, crawl_delay) =
            if self.groups.named { (self.ours, self.our_delay) } else { (self.all, self.all_delay) };
        let mut rules: Vec<_> =
            lines.into_iter().map(|(allow, value)| (Pattern::parse(value), allow, value)).collect();
        rules.sort_by_key(|(pattern, allow, _)| (pattern.octets, *allow));
        let (patterns, rules): (Vec<Pattern>, Vec<Rule>) = rules
            .into_iter()
            .map(|(pattern, allow, value)| {
                (pattern, Rule { allow, written: String::from_utf8_lossy(value).into_owned() })
            })
            .unzip();
        RobotsRules {
            matcher: Box::new(Matcher::new(&patterns)),
            rules,
            crawl_delay,
            sitemaps: self.sitemaps,
        }
    }
}

/// Whether `bytes` contain a line that begins a group or names a sitemap. If not, the text is not a
/// robots.txt.
pub(crate) fn has_robots_lines(bytes: &[u8]) -> bool {
    lines(bytes)
        .filter_map(key_and_value)
        .any(|(key, value)| is_user_agent(&key) || is_sitemap(&key) && !value.is_empty())
}

fn is_user_agent(key: &str) -> bool {
    matches!(key, "user-agent" | "useragent" | "user agent")
}

/// Whether a key is `Allow`, `Disallow` or a common misspelling.
fn is_rule(key: &str) -> bool {
    matches!(key, "allow" | "disallow" | "dissallow" | "dissalow" | "disalow" | "diasllow" | "disallaw")
}

/// Whether a robots.txt has a group that names the crawler with the product token `product`.
pub(crate) fn names(bytes: &[u8], product: &str) -> bool {
    let product = token(product.trim());
    let mut agents = lines(bytes).filter_map(key_and_value).filter(|(key, _)| is_user_agent(key));
    agents.any(|(_, value)| Agents::default().add(&String::from_utf8_lossy(value), product))
}

fn is_sitemap(key: &str) -> bool {
    matches!(key, "sitemap" | "site-map")
}

/// Returns a line's key in lower case and its value, without comments and surrounding spaces. If the line
/// consists of exactly two words, the colon may be missing.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks `text` for `product`. Paths after `!` must be disallowed, and all others allowed.
    fn check(text: &str, product: &str, paths: &[&str]) {
        let rules = RobotsRules::parse(text.as_bytes(), product);
        for path in paths {
            let (path, allowed) = path.strip_prefix('!').map_or((*path, true), |path| (path, false));
            assert_eq!(rules.verdict(path).is_allowed(), allowed, "{product} {path} under\n{text:.500}");
        }
    }

    fn check_pattern(pattern: &str, paths: &[&str]) {
        check(&format!("User-agent: *\nDisallow: {pattern}\n"), "gleaner", paths);
    }

    #[test]
    fn the_example_of_rfc_9309_section_5_1() {
        let text = "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n\
                    User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n\
                    User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\nUser-Agent: quxbot";
        check(text, "other", &["!/a.gif", "!/example/x", "/publications/x", "/", "/a.gif?x"]);
        check(text, "foobot", &["!/", "/example/page.html", "/example/allowed.gif", "!/example/a.gif"]);
        check(text, "barbot", &["!/example/page.html", "/example/", "/a.gif"]);
        check(text, "bazbot", &["!/example/page.html", "/example/allowed.gif"]);
        check(text, "quxbot", &["/", "/example/page.html", "/a.gif"]);
    }

    #[test]
    fn a_rule_about_use_ends_a_list_of_agents() {
        for rule in ["Content-Usage: train-ai=n", "Content-Signal: /a ai-train=no"] {
            let text = format!("User-agent: *\n{rule}\n\nUser-agent: otherbot\nDisallow: /\n");
            check(&text, "gleaner", &["/a"]);
            check(&text, "otherbot", &["!/a"]);
        }
        check("User-agent: *\nLicense: /x\nUser-agent: otherbot\nDisallow: /a\n", "gleaner", &["!/a"]);
    }

    #[test]
    fn the_example_of_rfc_9309_section_5_2() {
        let text = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
        check(text, "foobot", &["!/example/page/disallowed.gif", "/example/page/x", "/"]);
    }

    #[test]
    fn percent_encoding_is_compared_as_in_rfc_9309_section_2_2_2() {
        check_pattern("/foo/bar?baz=quz", &["!/foo/bar?baz=quz", "/foo/bar?baz=qu"]);
        for pattern in ["/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"] {
            check_pattern(pattern, &["!/foo/bar?baz=https://foo.bar", "!/foo/bar?baz=https%3a%2f%2ffoo.bar"]);
        }
        for pattern in ["/foo/bar/\u{30c4}", "/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"] {
            check_pattern(pattern, &["!/foo/bar/\u{30c4}", "!/foo/bar/%E3%83%84", "!/foo/bar/%e3%83%84"]);
        }
        check_pattern("/foo/bar/%62%61%7A", &["!/foo/bar/baz", "!/foo/bar/%62%61%7A"]);
        // An encoded slash in a path is not a slash, and an encoded `&` in a query is not a separator.
        check_pattern("/a/b", &["!/a/b", "/a%2Fb"]);
        check_pattern("/*?*a=1&b", &["!/?a=1&b", "/?a=1%26b"]);
    }

    #[test]
    fn both_sides_have_one_normal_form_of_percent_encoding() {
        for pattern in ["/*u=http%3A%2F%2F", "/*u=http%3a%2f%2f", "/*u=http://", "/go?*u=http%3A%2F%2F"] {
            check_pattern(
                pattern,
                &[
                    "!/go?u=http%3A%2F%2Fb.example",
                    "!/go?u=http://b.example",
                    "!/go?a&u=http:%2f/b",
                    "/go?u=b",
                ],
            );
        }
        for (pattern, path) in [
            ("/k{l}", "/k%7Bl%7D"),
            ("/a|b^c", "/a%7Cb%5ec"),
            ("/a'b(c)!", "/a%27b%28c%29%21"),
            ("/@anna;v=1,2", "/%40anna%3Bv=1%2C2"),
            ("/tin tức", "/tin%20t%E1%BB%A9c"),
            ("/\"q\"", "/%22q%22"),
        ] {
            let spelled = |text: &str| format!("!{text}");
            check_pattern(pattern, &[&spelled(pattern), &spelled(path)]);
            check_pattern(path, &[&spelled(pattern), &spelled(path)]);
        }
        check_pattern("/*filter[", &["!/?filter%5Bx%5D=1", "!/?filter[x]=1"]);
        check_pattern("/*filter%5b", &["!/?filter%5Bx%5D=1", "!/?filter[x]=1"]);
        // A pattern that ends in a bare `%` matches every encoded octet.
        check_pattern("/*%", &["!/a%20b", "/a"]);
    }

    #[test]
    fn every_parseable_line_is_followed_whatever_stands_around_it() {
        let warning = "<br />\n<b>Warning</b>:  Undefined variable $host in <b>/srv/robots.php</b> on line <b>3</b><br />";
        for before in
            [warning, "<!DOCTYPE html>", "<html><head>\n<title>robots</title></head><body><pre>", "<?php\n//"]
        {
            let text = format!("{before}\nUser-agent: *\n<p>\nDisallow: /private/\n</pre></body></html>\n");
            check(&text, "gleaner", &["!/private/x", "/x"]);
        }
        for (text, speaks) in [
            ("User-agent: *", true),
            ("<p>\nuser-agent: x", true),
            ("\u{feff}Sitemap: /s.xml", true),
            ("sitemap:", false),
            ("Disallow: /", false),
            ("<!doctype html>\n<p>Disallow: /\n<script>\nagents = {\"user-agent\": 1}\n</script>", false),
        ] {
            assert_eq!(has_robots_lines(text.as_bytes()), speaks, "{text}");
        }
    }

    #[test]
    fn literal_stars_and_dollars_are_written_encoded() {
        check_pattern(
            "/path/file-with-a-%2A.html",
            &["!/path/file-with-a-*.html", "/path/file-with-a-b.html"],
        );
        check_pattern("/path/foo-%24", &["!/path/foo-$", "!/path/foo-%24x", "/path/foo-"]);
        check_pattern("/a$b", &["!/a$b", "/a"]);
    }

    #[test]
    fn patterns_match_as_google_documents_them() {
        let fish = ["!/fish", "!/fish.html", "!/fish/salmon.html", "!/fishheads", "!/fish.html?id=anything"];
        let other = ["/Fish.asp", "/catfish", "/?id=fish", "/desert/fish"];
        for pattern in ["/fish", "/fish*"] {
            check_pattern(pattern, &fish);
            check_pattern(pattern, &other);
        }
        check_pattern(
            "/fish/",
            &["!/fish/", "!/fish/?salmon", "!/fish/salmon.html", "/fish", "/fish.html", "/Fish/x"],
        );
        check_pattern(
            "/*.php",
            &[
                "!/filename.php",
                "!/folder/filename.php?x",
                "!//a/any.php.file.html",
                "!/x.php/",
                "/",
                "/windows.PHP",
            ],
        );
        check_pattern(
            "/*.php$",
            &["!/f.php", "!/a/f.php", "/f.php?x", "/f.php/", "/f.php5", "/f?php", "/windows.PHP"],
        );
        check_pattern("/fish*.php", &["!/fish.php", "!/fishheads/catfish.php?parameters", "/Fish.PHP"]);
        check_pattern("/foo/*/qux", &["!/foo/bar/qux", "!/foo//qux", "!/foo/a/b/quxx", "/foo/qux"]);
        check_pattern("/x*y*x$", &["!/xyx", "!/xyxyx", "/xyxy", "/xx"]);
        check_pattern("/a*a$", &["!/aa", "/a"]);
        check_pattern("/foo/bar$", &["!/foo/bar", "/foo/bar/", "/foo/bar/qux"]);
        check_pattern("private/", &["/private/"]);
        check_pattern("*", &["!/", "!/x"]);
        check_pattern("$", &["/", "/x"]);
        check_pattern("/x/", &["!/x/", "/X/"]);
        check_pattern("/a*$", &["!/a", "!/ab"]);
        check_pattern("**/a**b", &["!/a/b", "!/x/ab", "/b"]);
    }

    #[test]
    fn the_longest_match_decides_and_allow_wins_a_tie() {
        for (rules, paths) in [
            ("disallow: /x/page.html\nallow: /x/", ["!/x/page.html", "/x/"]),
            ("allow: /x/page.html\ndisallow: /x/", ["/x/page.html", "!/x/"]),
            ("disallow: \nallow: ", ["/x/page.html", "/"]),
            ("disallow: /\nallow: /", ["/x/page.html", "/"]),
            ("disallow: /x\nallow: /x/", ["!/x", "/x/"]),
            ("allow: /page\ndisallow: /*.html", ["!/page.html", "/page"]),
            ("allow: /x/page.\ndisallow: /*.html", ["/x/page.html", "!/x/y.html"]),
            ("allow: /p\ndisallow: /", ["/page", "!/x"]),
            ("allow: /page\ndisallow: /*.htm", ["!/page.htm", "/page"]),
            ("allow: /$\ndisallow: /", ["/", "!/page.html"]),
            ("disallow: /foo/quz#qux\nallow: /", ["/foo/bar", "!/foo/quz"]),
        ] {
            check(&format!("user-agent: *\n{rules}\n"), "gleaner", &paths);
        }
    }

    #[test]
    fn groups_merge_and_end_as_google_tests_them() {
        let text = "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\n\
                    disallow: /\nallow: /y/\n\n\nallow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\n\
                    allow: /z/\ndisallow: /\n";
        check(text, "FooBot", &["/x/b", "/z/d", "!/y/c", "!/w/a", "!/foo/bar/"]);
        check(text, "BarBot", &["/y/c", "/w/a", "!/z/d", "!/x/b", "!/foo/bar/"]);
        check(text, "BazBot", &["/z/d", "!/foo/bar/"]);
        check(text, "other", &["/", "/x/b"]);
        for between in ["Sitemap: https://foo.bar/sitemap", "Invalid-Unknown-Line: unknown", "Crawl-delay: 1"]
        {
            let text = format!("User-agent: BarBot\n{between}\nUser-agent: *\nDisallow: /\n");
            check(&text, "FooBot", &["!/"]);
            check(&text, "BarBot", &["!/"]);
        }
        let text = "User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n";
        check(text, "FooBot", &["/x/page", "!/y/page"]);
        check(text, "BarBot", &["!/x/page", "/y/page"]);
        let text = "User-agent: FooBot\nDisallow: /a\nUser-agent: *\nDisallow: /b\nUser-agent: foobot\nDisallow: /c\n";
        check(text, "FooBot", &["!/a", "/b", "!/c"]);
    }

    #[test]
    fn agents_are_compared_by_their_token_in_any_case() {
        for agent in ["gleaner", "GLEANER", "Gleaner/0.1", "gleaner bot", "gleaner*", "gleaner # us"] {
            check(&format!("User-agent: {agent}\nDisallow: /x\n"), "gleaner", &["!/x"]);
        }
        for agent in ["glean", "gleaner-news", "gleaner2", "", "x gleaner"] {
            check(&format!("User-agent: {agent}\nDisallow: /x\n"), "gleaner", &["/x"]);
        }
        check("User-agent: gleaner\nDisallow: /x\n", "Gleaner/0.1 (+mailto:a@b.example)", &["!/x"]);
        check("User-agent:\nDisallow: /x\n", "", &["/x"]);
        check("User-agent: * \nDisallow: /x\n", "", &["!/x"]);
    }

    #[test]
    fn lines_are_read_in_every_form() {
        let rules = "user-agent: gleaner|disallow: /x|# disallow: /|disallow: /y # why|  DISALLOW :  /z  |nonsense|:|";
        for end in ["\n", "\r", "\r\n", "\n\n"] {
            check(&rules.replace('|', end), "gleaner", &["!/x", "!/y", "!/z", "/"]);
        }
        check("\u{feff}User-agent: *\nDisallow: /x", "gleaner", &["!/x"]);
        check("user-agent gleaner\ndisallow /x\nallow / y\n", "gleaner", &["!/x"]);
        check("useragent: gleaner\ndissallow: /x\n", "gleaner", &["!/x"]);
        check("foo: gleaner\nbar: /\n", "gleaner", &["/"]);
        assert!(
            !RobotsRules::parse(b"User-agent: *\nDisallow: /\xe9t\xe9\n", "x")
                .verdict("/%E9t%E9")
                .is_allowed()
        );
    }

    #[test]
    fn robots_txt_is_always_allowed() {
        check("User-agent: *\nDisallow: /\n", "gleaner", &["/robots.txt", "!/robots.txt?x", "!/", "!"]);
    }

    #[test]
    fn the_deciding_rule_is_named_as_written() {
        let rules = RobotsRules::parse(b"User-agent: *\nDisallow: /b%61r*\nAllow: /bar/open\n", "gleaner");
        assert_eq!(rules.verdict("/bar/x"), RobotsDecision::Disallowed { rule: "Disallow: /b%61r*".into() });
        assert_eq!(
            rules.verdict("/bar/open"),
            RobotsDecision::Allowed { rule: Some("Allow: /bar/open".into()) }
        );
        assert_eq!(rules.verdict("/else"), RobotsDecision::Allowed { rule: None });
    }

    #[test]
    fn crawl_delays_are_read() {
        let delay = |text: &str| RobotsRules::parse(text.as_bytes(), "gleaner").crawl_delay();
        let ms = |n| Some(Duration::from_millis(n));
        for (value, read) in [
            ("10", ms(10_000)),
            ("0.5", ms(500)),
            ("2.5 s", ms(2_500)),
            ("0", ms(0)),
            ("-1", None),
            ("soon", None),
            ("", None),
            ("1.2.3", None),
            ("1000000", ms(1_000_000_000)),
            ("99999999999999999999999999", None),
        ] {
            assert_eq!(delay(&format!("User-agent: *\nCrawl-delay: {value}\n")), read, "{value}");
        }
        assert_eq!(delay("User-agent: *\nCrawl-delay: 9\nUser-agent: gleaner\nDisallow:\n"), None);
        assert_eq!(delay("User-agent: x\nCrawl-delay: 9\nDisallow: /\n"), None);
        assert_eq!(delay("User-agent: gleaner\nCrawl-delay: 3\nCrawl-delay: 4\nAllow: /\n"), ms(4_000));
    }

    #[test]
    fn sitemaps_are_everyones() {
        let text = "Sitemap: https://a.example/s.xml\nUser-agent: x\nDisallow: /\nSITEMAP:/b.xml\nsitemap:\n";
        let rules = RobotsRules::parse(text.as_bytes(), "gleaner");
        assert_eq!(rules.sitemaps(), ["https://a.example/s.xml", "/b.xml"]);
    }

    #[test]
    fn the_first_500_kib_are_read_up_to_a_whole_line() {
        let head = "User-agent: *\nDisallow: /x\n#";
        let last = "\nDisallow: /private";
        let fill = ROBOTS_LIMIT - head.len() - last.len() + 4;
        let text = format!("{head}{}{last}", "-".repeat(fill));
        assert_eq!(text.len(), ROBOTS_LIMIT + 4);
        check(&text, "gleaner", &["!/x", "/private", "/pri"]);
        check(&text.replace("#-----", "#"), "gleaner", &["!/x", "!/private"]);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_robots_txt(bytes in proptest::collection::vec(any::<u8>(), 0..400), path in ".{0,40}") {
            let _ = RobotsRules::parse(&bytes, "gleaner").verdict(&path);
        }
    }
}
