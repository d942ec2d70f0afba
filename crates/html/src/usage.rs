//! Reads the elements of a page that state how the page may be used.

use html5ever::local_name;

use crate::Page;

/// Maximum number of elements that are read.
const MAX_ELEMENTS: usize = 50;

/// Names of `<meta>` elements of TDMRep.
const TDM_NAMES: [&str; 2] = ["tdm-reservation", "tdm-policy"];

/// Returns the elements that may state how the page may be used, each with its name and value, in page order: `<meta>`
/// with the names of TDMRep, `robots` for `<meta>` with directives to all crawlers or to `agent`, and `license` for
/// `<link rel=license>`.
#[must_use]
pub fn usage_elements(page: &Page, agent: &str) -> Vec<(&'static str, String)> {
    let element = |(id, node): (crate::NodeId, &crate::Node)| match *node.kind.name()? {
        local_name!("meta") => {
            let (name, content) = (page.attribute(id, "name")?.trim(), page.attribute(id, "content")?);
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            let known = TDM_NAMES.into_iter().find(|known| is(known));
            let name = known.or_else(|| (is("robots") || is(agent)).then_some("robots"))?;
            Some((name, content.trim().to_owned()))
        }
        local_name!("link") => {
            let rel = page.attribute(id, "rel")?;
            let is_license = rel.split_ascii_whitespace().any(|token| token.eq_ignore_ascii_case("license"));
            let href = page.attribute(id, "href").filter(|_| is_license)?.trim();
            (!href.is_empty()).then(|| ("license", href.to_owned()))
        }
        _ => None,
    };
    page.iter().filter_map(element).take(MAX_ELEMENTS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_have_their_names_and_values() {
        let page = Page::parse(
            "<meta name=robots content='noai, noindex'><meta name=Gleaner content=noimageai>\
             <meta name=otherbot content=noai><meta name=' TDM-Reservation ' content=' 1 '>\
             <meta name=tdm-policy content=/policy><meta name=tdm-reservation>\
             <link rel='License nofollow' href=/license.xml><link rel=license><p>noai",
        );
        let expected = [
            ("robots", "noai, noindex"),
            ("robots", "noimageai"),
            ("tdm-reservation", "1"),
            ("tdm-policy", "/policy"),
            ("license", "/license.xml"),
        ];
        assert_eq!(usage_elements(&page, "gleaner"), expected.map(|(name, value)| (name, value.to_owned())));
    }
}
