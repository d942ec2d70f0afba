//! Reads a page's links and its rules about following them.
//!
//! Addresses are trimmed but otherwise as written, in document order. The caller must resolve them with the
//! page's own address and [`Links::base`]. Empty addresses are dropped. `#top`, `mailto:` and `javascript:`
//! are kept.
//!
//! [`links`] does not find links in `<noscript>`, the pages of frames, and other language versions. They are mostly
//! copies, advertisements or translations. But on some front pages, only they lead to the articles
//! ([`hidden_links`]).
//!
//! Limitation: links that scripts create are not found.

use html5ever::local_name;

use crate::canonical::resolve_relative;
use crate::robots::{RobotsDirectives, RobotsMeta};
use crate::text::{is_hidden, tidy};
use crate::{NodeId, Page};

/// The links of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links {
    /// The address of the first `<base href>`.
    pub base: Option<String>,
    /// The links in `<a href>` and `<area href>`.
    pub anchors: Vec<Anchor>,
    /// The addresses of RSS, Atom and JSON feeds in `<link rel=alternate>`.
    pub feeds: Vec<String>,
    /// The address of the first `<link rel=canonical>`.
    pub canonical: Option<String>,
    /// The address of the next page of a list or story: `rel=next` of a `<link>` or, if there is none, of an
    /// `<a>`.
    pub next: Option<String>,
    /// The target of `<meta http-equiv=refresh>`. `None` if the element is missing or only reloads the page.
    pub refresh: Option<String>,
    /// The `<meta>` elements that contain `noindex`, `nofollow` or `none`.
    pub robots: Vec<RobotsMeta>,
}

/// A link of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The address as written, trimmed and never empty.
    pub href: String,
    /// The element of the link. [`anchor_text`] returns its text.
    pub node: NodeId,
    /// Whether the link's `rel` contains `nofollow`.
    pub rel_nofollow: bool,
}

/// Collects a page's links.
#[must_use]
pub fn links(page: &Page) -> Links {
    let mut links = Links::default();
    let mut anchored_next = None;
    for (id, node) in page.iter() {
        let Some(tag) = node.kind.name() else { continue };
        match *tag {
            local_name!("a") | local_name!("area") => {
                let Some(href) = href(page, id) else { continue };
                let rel = page.named(id, &local_name!("rel"));
                if anchored_next.is_none() && has_token(rel, "next") {
                    anchored_next = Some(href.clone());
                }
                links.anchors.push(Anchor { href, node: id, rel_nofollow: has_token(rel, "nofollow") });
            }
            local_name!("link") => links.link(page, id),
            local_name!("meta") => links.meta(page, id),
            local_name!("base") if links.base.is_none() => links.base = href(page, id),
            _ => {}
        }
    }
    links.next = links.next.or(anchored_next);
    links
}

/// Returns addresses that browsers do not show as links: those of the links in `<noscript>`, of the pages in `<iframe>`
/// and `<frame>`, and of other language versions (`<link rel=alternate hreflang>`). The links in `<noscript>` come last.
#[must_use]
pub fn hidden_links(page: &Page) -> Vec<String> {
    let (mut found, mut noscript) = (Vec::new(), String::new());
    for (id, node) in page.iter() {
        match node.kind.name() {
            Some(&local_name!("iframe") | &local_name!("frame")) => {
                let source = page.attribute(id, "src").map(str::trim).filter(|source| !source.is_empty());
                found.extend(source.map(str::to_owned));
            }
            Some(&local_name!("link")) if is_language_version(page, id) => found.extend(href(page, id)),
            Some(&local_name!("noscript")) => {
                // With scripts, the content of the element is one text.
                noscript.extend((id + 1..node.end).filter_map(|inner| page.text(inner)));
                noscript.push('\n');
            }
            _ => {}
        }
    }
    if noscript.contains("href") {
        found.extend(links(&Page::parse(&noscript)).anchors.into_iter().map(|anchor| anchor.href));
    }
    found
}

fn is_language_version(page: &Page, id: NodeId) -> bool {
    has_token(page.attribute(id, "rel"), "alternate") && page.attribute(id, "hreflang").is_some()
}

pub(crate) fn linked_canonical(page: &Page) -> Option<String> {
    let is_canonical = |id: &NodeId| has_token(page.attribute(*id, "rel"), "canonical");
    let stated = page.elements("link").filter(is_canonical).find_map(|id| href(page, id))?;
    let base = page.elements("base").find_map(|id| href(page, id));
    Some(base.and_then(|base| resolve_relative(&stated, &base)).unwrap_or(stated))
}

impl Links {
    fn link(&mut self, page: &Page, id: NodeId) {
        let Some(href) = href(page, id) else { return };
        let rel = page.attribute(id, "rel");
        if has_token(rel, "canonical") {
            self.canonical.get_or_insert(href);
        } else if has_token(rel, "next") {
            self.next.get_or_insert(href);
        } else if has_token(rel, "alternate") && page.attribute(id, "type").is_some_and(is_feed) {
            self.feeds.push(href);
        }
    }

    fn meta(&mut self, page: &Page, id: NodeId) {
        let Some(content) = page.attribute(id, "content") else { return };
        let is = |name: &str, value: &str| {
            page.attribute(id, name).is_some_and(|v| v.trim().eq_ignore_ascii_case(value))
        };
        if is("http-equiv", "refresh") && self.refresh.is_none() {
            self.refresh = refresh_target(content);
        } else if let Some(name) = page.attribute(id, "name") {
            let directives = RobotsDirectives::from_content(content);
            if directives != RobotsDirectives::default() {
                self.robots.push(RobotsMeta { name: name.trim().to_owned(), directives });
            }
        }
    }

    /// Returns what the `<meta>` elements ask of all crawlers and of the one with the name `agent`.
    #[must_use]
    pub fn directives(&self, agent: &str) -> RobotsDirectives {
        let mut found = RobotsDirectives::default();
        for RobotsMeta { name, directives } in &self.robots {
            if name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case(agent) {
                found |= *directives;
            }
        }
        found
    }
}

fn href(page: &Page, id: NodeId) -> Option<String> {
    let href = page.named(id, &local_name!("href"))?.trim();
    (!href.is_empty()).then(|| href.to_owned())
}

fn has_token(value: Option<&str>, token: &str) -> bool {
    value.is_some_and(|v| v.split_ascii_whitespace().any(|t| t.eq_ignore_ascii_case(token)))
}

fn is_feed(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(
        kind.as_str(),
        "application/rss+xml"
            | "application/atom+xml"
            | "application/rdf+xml"
            | "application/feed+json"
            | "text/rss+xml"
    )
}

/// Returns the visible text of a link on one line, or the `alt` of an `<area>`. The result may be empty.
#[must_use]
pub fn anchor_text(page: &Page, id: NodeId) -> String {
    if let Some(alt) = page.attribute(id, "alt").filter(|_| page.tag(id) == Some("area")) {
        return tidy(alt);
    }
    let mut text = String::new();
    let mut at = id;
    while at < page.node(id).end {
        if let Some(piece) = page.text(at) {
            text.push_str(piece);
        } else if at != id && (page.is_never_text(at) || is_hidden(page, at)) {
            at = page.node(at).end;
            continue;
        } else if page.is_block(at) || page.tag(at) == Some("br") {
            text.push(' ');
        }
        at += 1;
    }
    tidy(&text)
}

/// Returns the address in `5; url='/x'`. As in browsers, `;` may be a comma, and `url=` may be missing.
fn refresh_target(content: &str) -> Option<String> {
    let (_, rest) = content.split_once([';', ','])?;
    let rest = rest.trim();
    let target = match rest.get(..3) {
        Some(url) if url.eq_ignore_ascii_case("url") => {
            rest[3..].trim_start().strip_prefix('=').unwrap_or(rest)
        }
        _ => rest,
    };
    let target = target.trim();
    let target = match target.chars().next() {
        Some(quote @ ('"' | '\'')) => target[1..].split(quote).next().unwrap_or_default(),
        _ => target,
    };
    (!target.is_empty()).then(|| target.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str) -> Links {
        links(&Page::parse(html))
    }

    #[test]
    fn anchors_in_document_order() {
        let page = Page::parse(
            "<a href=' /1 '><b>One</b><div>more</div><script>x</script><i hidden>h</i></a><a name=x>no</a><a href=''>no</a>\
             <map><area href=/2 alt='two '></map><a href=/3 rel='ugc NoFollow'></a>",
        );
        let anchors = links(&page).anchors.into_iter();
        let found: Vec<_> =
            anchors.map(|it| (it.href, anchor_text(&page, it.node), it.rel_nofollow)).collect();
        let anchor = |href: &str, text: &str, rel_nofollow| (href.to_owned(), text.to_owned(), rel_nofollow);
        assert_eq!(
            found,
            [anchor("/1", "One more", false), anchor("/2", "two", false), anchor("/3", "", true)]
        );
    }

    #[test]
    fn links_of_the_head() {
        let links = of(
            "<base href=/b/><base href=/c/><link rel='Canonical' href=/x><link rel=canonical href=/y>\
             <link rel=alternate type='application/rss+xml; charset=utf-8' href=/rss><link rel=alternate type=application/atom+xml href=/atom>\
             <link rel=alternate type=application/feed+json href=/json><link rel=alternate hreflang=en href=/en><link rel=stylesheet href=/s>",
        );
        assert_eq!(links.base.as_deref(), Some("/b/"));
        assert_eq!(links.canonical.as_deref(), Some("/x"));
        assert_eq!(links.feeds, ["/rss", "/atom", "/json"]);
        assert_eq!(links.next, None);
    }

    #[test]
    fn a_canonical_address_is_resolved_against_the_base() {
        let cases = [
            ("/c/", "x.html", "/c/x.html"),
            ("https://a.vn", "b/x.html", "https://a.vn/b/x.html"),
            ("//a.vn/b/", "x.html", "//a.vn/b/x.html"),
            ("https://a.vn/", "/x.html", "/x.html"),
            ("https://a.vn/", "https://b.vn/x", "https://b.vn/x"),
            ("https://a.vn/b/", "#top", "#top"),
            ("https://a.vn/b/", "a.vn/x", "a.vn/x"),
        ];
        for (base, stated, expected) in cases {
            let page = Page::parse(&format!("<base href={base}><link rel=canonical href={stated}>"));
            assert_eq!(linked_canonical(&page).as_deref(), Some(expected), "{base} {stated}");
        }
    }

    #[test]
    fn hidden() {
        let page = Page::parse(
            "<link rel=alternate hreflang=en-GB href=/gb/><link rel=alternate href=/other><noscript><meta content=x></noscript>\
             <body><a href=/1>One</a><noscript><p><a href=/2>Two</a></noscript><iframe src=' /frame '></iframe>\
             <iframe src=''></iframe><noscript><img src=x></noscript>",
        );
        assert_eq!(hidden_links(&page), ["/gb/", "/frame", "/2"]);
        assert_eq!(hidden_links(&Page::parse("<frameset><frame src=/f></frameset>")), ["/f"]);
    }

    #[test]
    fn next_page() {
        assert_eq!(of("<a rel=next href=/a><link rel=next href=/l>").next.as_deref(), Some("/l"));
        assert_eq!(of("<a rel='nofollow next' href=/a>").next.as_deref(), Some("/a"));
    }

    #[test]
    fn robots() {
        let said = |html: &str| {
            let RobotsDirectives { noindex, nofollow } = of(html).directives("gleaner");
            (noindex, nofollow)
        };
        assert_eq!(said("<meta NAME=Robots content='index,follow'>"), (false, false));
        assert_eq!(said("<meta NAME=Robots content='NOINDEX, follow'>"), (true, false));
        assert_eq!(said("<meta name=' Gleaner ' content=none>"), (true, true));
        assert_eq!(
            said("<meta name=otherbot content=none><meta name=description content=none>"),
            (false, false)
        );
        assert_eq!(
            said("<meta name=robots content=nofollow><meta name=gleaner content=noindex>"),
            (true, true)
        );
    }

    #[test]
    fn refresh() {
        let target = |content: &str| of(&format!("<meta http-equiv=Refresh content=\"{content}\">")).refresh;
        assert_eq!(target("0; url=/x").as_deref(), Some("/x"));
        assert_eq!(target("0;URL = '/x y'").as_deref(), Some("/x y"));
        assert_eq!(target("3,https://a.vn/?url=1").as_deref(), Some("https://a.vn/?url=1"));
        for stays in ["300", "300;", "1; url=", "1; url=''", "é;é"] {
            assert_eq!(target(stays).filter(|t| t != "é"), None, "{stays}");
        }
    }
}
