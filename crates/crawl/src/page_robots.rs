//! Decides which requests of pages to crawlers are obeyed (`crawl.robots_meta`).
//!
//! A page makes such a request in a `<meta>` element or in the header `X-Robots-Tag` ([`gleaner_html::robots`]).
//! As in Nutch and StormCrawler, the article on a `noindex` page is not stored, but the links of the page are
//! followed, and `nofollow` is the reverse. The requests concern pages only. Feeds and sitemaps are made for
//! crawlers and are never stored, and many sites send them with `noindex` or `nofollow`.
//!
//! The headers are in the archive, so a replay decides in the same way.

use crate::settings::{Config, RobotsDirective};
use gleaner_html::links::Links;
use gleaner_html::robots::RobotsDirectives;

/// The rule in the outcome [`Excluded`](gleaner_frontier::Outcome::Excluded) of an article on a `noindex` page.
pub(crate) const NOINDEX: &str = "the page says noindex";

#[derive(Debug, Clone)]
pub(crate) struct PageRobots {
    /// The crawler's name, as in robots.txt.
    pub(crate) agent: String,
    obeyed: RobotsDirectives,
}

impl PageRobots {
    pub(crate) fn from_config(config: &Config) -> Self {
        let is_obeyed = |directive| config.crawl.robots_meta.contains(&directive);
        Self {
            agent: config.fetch.product().to_owned(),
            obeyed: RobotsDirectives {
                noindex: is_obeyed(RobotsDirective::Noindex),
                nofollow: is_obeyed(RobotsDirective::Nofollow),
            },
        }
    }

    /// Returns the directives of a page that are obeyed. `headers` are those of its response.
    pub(crate) fn directives(&self, links: &Links, headers: &[(String, String)]) -> RobotsDirectives {
        let mut asked = links.directives(&self.agent);
        for (_, value) in headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("X-Robots-Tag")) {
            asked |= RobotsDirectives::from_header(value, &self.agent);
        }
        RobotsDirectives {
            noindex: asked.noindex && self.obeyed.noindex,
            nofollow: asked.nofollow && self.obeyed.nofollow,
        }
    }
}

#[cfg(test)]
mod tests {
    use gleaner_html::Page;
    use gleaner_html::links::links;

    use super::*;

    fn decided(sets: &[String], html: &str, headers: &[(&str, &str)]) -> (bool, bool) {
        let config = crate::settings::read(None, sets).unwrap();
        let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let RobotsDirectives { noindex, nofollow } =
            PageRobots::from_config(&config).directives(&links(&Page::parse(html)), &headers);
        (noindex, nofollow)
    }

    #[test]
    fn page_and_headers_count_together() {
        let meta = "<meta name=robots content=nofollow>";
        assert_eq!(decided(&[], "", &[]), (false, false));
        assert_eq!(decided(&[], meta, &[]), (false, true));
        assert_eq!(decided(&[], meta, &[("x-robots-tag", "noindex")]), (true, true));
        let headers = [("X-Robots-Tag", "otherbot: none"), ("X-Robots-Tag", "gleaner: noindex")];
        assert_eq!(decided(&[], "", &headers), (true, false));
    }

    #[test]
    fn the_setting_lists_what_is_obeyed() {
        let html = "<meta name=gleaner content=none>";
        for (value, expected) in [
            ("[]", (false, false)),
            ("[\"noindex\"]", (true, false)),
            ("[\"nofollow\"]", (false, true)),
            ("[\"noindex\", \"nofollow\"]", (true, true)),
        ] {
            assert_eq!(decided(&[format!("crawl.robots_meta={value}")], html, &[]), expected, "{value}");
        }
    }
}
