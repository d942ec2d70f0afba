//! Determines the declared type of a page from its OpenGraph type, JSON-LD types and publication time.
//!
//! JSON-LD is searched for `"@type"` but not parsed, because it is invalid on many pages.

use gleaner_html::Page;

/// The declared type of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DeclaredType {
    /// An article or a posting, or a page that states a publication time.
    Article,
    /// A collection, a search result or a product.
    Listing,
    /// The page declares neither an article nor a listing.
    Nothing,
}

/// The schema.org types of a list. An article type on the same page takes precedence.
const LISTINGS: [&str; 6] =
    ["CollectionPage", "SearchResultsPage", "OfferCatalog", "Product", "ProductGroup", "ProductCollection"];

impl DeclaredType {
    /// Reads the declared type of a page with these JSON-LD types. An OpenGraph type that begins with `product` takes
    /// precedence over everything else. If JSON-LD declares a list and an article, the page is an article, because
    /// articles often declare the lists that they link to.
    pub(super) fn from_types(page: &Page, types: &[String]) -> Self {
        let is_article = |t: &&str| t.ends_with("Article") || matches!(*t, "BlogPosting" | "Report");
        let open_graph = meta(page, "og:type").map(str::to_ascii_lowercase).unwrap_or_default();
        if open_graph.starts_with("product") {
            Self::Listing
        } else if types.iter().any(|t| is_article(&t.as_str()))
            || meta(page, "article:published_time").is_some()
        {
            Self::Article
        } else if types.iter().any(|t| LISTINGS.contains(&t.as_str())) {
            Self::Listing
        } else if open_graph == "article" {
            Self::Article
        } else {
            Self::Nothing
        }
    }
}

fn meta<'a>(page: &'a Page, name: &'a str) -> Option<&'a str> {
    let of_name =
        |id: &u32| page.attribute(*id, "property").or_else(|| page.attribute(*id, "name")) == Some(name);
    page.elements("meta").find(of_name).and_then(|id| page.attribute(id, "content"))
}

pub(super) fn json_ld_types(page: &Page) -> Vec<String> {
    let mut types = Vec::new();
    for script in
        page.elements("script").filter(|id| page.attribute(*id, "type") == Some("application/ld+json"))
    {
        let text = page.raw_text(script);
        for behind in text.split("\"@type\"").skip(1) {
            let value = behind.trim_start().trim_start_matches(':').trim_start();
            let end = match value.strip_prefix('[') {
                Some(list) => list.find(']').map_or(value.len(), |at| at + 1),
                None => value.match_indices('"').nth(1).map_or(value.len(), |(at, _)| at),
            };
            types.extend(value[..end].split('"').skip(1).step_by(2).map(String::from));
        }
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pages_declare() {
        let ld = |json: &str| format!("<script type='application/ld+json'>{json}</script>");
        let og = |kind: &str| format!("<meta property='og:type' content='{kind}'>");
        let cases = [
            (String::new(), DeclaredType::Nothing),
            (og("website"), DeclaredType::Nothing),
            (og("article"), DeclaredType::Article),
            (og("product.group"), DeclaredType::Listing),
            (ld("{\"@type\":\"NewsArticle\"}"), DeclaredType::Article),
            (ld("{\"@type\" : [\"Thing\", \"CollectionPage\"], }"), DeclaredType::Listing),
            (ld("{\"@type\":\"Product\"}, {\"@type\":\"Article\"}"), DeclaredType::Article),
            (og("article") + &ld("{\"@type\":\"Product\"}"), DeclaredType::Listing),
            (ld("{\"@type\""), DeclaredType::Nothing),
            (ld("{\"@type\": [\"a"), DeclaredType::Nothing),
            ("<meta property='article:published_time' content='2025-01-01'>".into(), DeclaredType::Article),
        ];
        for (html, expected) in cases {
            let page = Page::parse(&html);
            assert_eq!(DeclaredType::from_types(&page, &json_ld_types(&page)), expected, "{html}");
        }
    }
}
