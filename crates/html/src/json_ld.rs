//! Reads a page's declarations in JSON-LD (schema.org).
//!
//! It reads all `<script type="application/ld+json">` and collects the objects in arrays, `@graph`,
//! `mainEntity` and `mainEntityOfPage`. The article is the object of an article type (`is_article`)
//! with the page's canonical address, else the first object of such a type.
//!
//! JSON that does not parse is repaired first: comments and CDATA around it, trailing commas, raw
//! line breaks in strings, unknown escapes, a trailing semicolon or a second object. Entities in
//! strings (`Tom &amp; Jerry`) are resolved.
//!
//! Limitation: contexts are not read, so a prefix such as `schema:headline` is not recognized. JSON
//! nested deeper than 128 levels is not read.

use serde_json::{Map, Value};

use crate::Page;
use crate::entities::unescape;

type Object = Map<String, Value>;

const MOST: usize = 10_000;

const MOST_AUTHORS: usize = 20;

/// The declarations in a page's JSON-LD; `None` means not declared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct JsonLd {
    pub(crate) article: Option<Statement>,
    pub(crate) page: Option<Statement>,
    pub(crate) site_name: Option<String>,
    /// The names in the first `BreadcrumbList`, starting at the front page.
    pub(crate) trail: Vec<String>,
}

/// Declarations about one object, with dates as written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) kind: Option<String>,
    pub(crate) headline: Option<String>,
    pub(crate) published: Option<String>,
    pub(crate) created: Option<String>,
    pub(crate) modified: Option<String>,
    pub(crate) authors: Vec<String>,
    /// In the order of declaration; some are meaningless (`News`).
    pub(crate) sections: Vec<String>,
    pub(crate) language: Option<String>,
    pub(crate) publisher: Option<String>,
    pub(crate) description: Option<String>,
}

/// Reads a page's JSON-LD. `canonical` identifies the article among several.
pub(crate) fn json_ld(page: &Page, canonical: Option<&str>) -> JsonLd {
    let scripts = page
        .elements("script")
        .filter(|id| page.attribute(*id, "type").is_some_and(|t| t.to_ascii_lowercase().contains("ld+json")));
    let values: Vec<Value> = scripts.flat_map(|id| parse(&page.raw_text(id))).collect();
    let objects = objects(&values);
    let of_type = |is: fn(&str) -> bool| objects.iter().filter(move |o| types(o).any(is));
    let mut articles = of_type(is_article);
    let article =
        canonical.and_then(|c| of_type(is_article).find(|o| is_about(o, c))).or_else(|| articles.next());
    let webpage = of_type(|t| t.ends_with("Page")).next();
    JsonLd {
        article: article.map(|o| statement(o, &objects)),
        page: webpage.map(|o| statement(o, &objects)),
        site_name: of_type(|t| t == "WebSite").find_map(|o| text(o.get("name"))),
        trail: trail(&objects),
    }
}

/// Returns the names in the first list of breadcrumbs, which is an object of its own or the
/// `breadcrumb` property of another.
fn trail(objects: &[&Object]) -> Vec<String> {
    let is_list = |o: &Object| types(o).any(|t| t == "BreadcrumbList");
    let own = objects.iter().copied().find(|o| is_list(o));
    let list = own.or_else(|| objects.iter().find_map(|o| o.get("breadcrumb")?.as_object()));
    let items = list.and_then(|list| list.get("itemListElement")?.as_array());
    let name = |item: &Value| {
        text(item.get("name")).or_else(|| text(item.get("item").and_then(|item| item.get("name"))))
    };
    items.into_iter().flatten().take(MOST_AUTHORS).filter_map(name).collect()
}

/// Whether a type is an article type: `NewsArticle` and others that end in `Article`,
/// `BlogPosting`, `LiveBlogPosting` or `Report`.
pub(crate) fn is_article(kind: &str) -> bool {
    kind.ends_with("Article") || kind == "BlogPosting" || kind == "LiveBlogPosting" || kind == "Report"
}

fn types(object: &Object) -> impl Iterator<Item = &str> {
    let (one, many) = match object.get("@type") {
        Some(Value::String(kind)) => (Some(kind.as_str()), None),
        Some(Value::Array(kinds)) => (None, Some(kinds.iter().filter_map(Value::as_str))),
        _ => (None, None),
    };
    one.into_iter().chain(many.into_iter().flatten()).map(|kind| kind.rsplit('/').next().unwrap_or(kind))
}

fn is_about(object: &Object, address: &str) -> bool {
    let address = address.trim_end_matches('/');
    let same = |value: &Value| {
        value.as_str().is_some_and(|u| u.split('#').next().unwrap_or(u).trim_end_matches('/') == address)
    };
    ["url", "@id", "mainEntityOfPage"].iter().filter_map(|key| object.get(*key)).any(|value| match value {
        Value::Object(page) => ["@id", "url"].iter().filter_map(|key| page.get(*key)).any(same),
        value => same(value),
    })
}

/// Returns the top-level objects in document order, without objects that are values of another
/// object's property (a related article, a breadcrumb).
fn objects(values: &[Value]) -> Vec<&Object> {
    let mut out = Vec::new();
    let mut open: Vec<&Value> = values.iter().rev().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(values) => open.extend(values.iter().rev()),
            Value::Object(object) if out.len() < MOST => {
                out.push(object);
                for key in ["mainEntityOfPage", "mainEntity", "@graph"] {
                    open.extend(object.get(key).filter(|v| !v.is_string()));
                }
            }
            _ => {}
        }
    }
    out
}

fn statement(object: &Object, all: &[&Object]) -> Statement {
    let get = |key: &str| text(object.get(key));
    Statement {
        kind: types(object).next().map(str::to_owned),
        headline: get("headline").or_else(|| get("name")),
        published: get("datePublished"),
        created: get("dateCreated").or_else(|| get("uploadDate")),
        modified: get("dateModified"),
        authors: ["author", "creator"]
            .iter()
            .map(|key| names(object.get(*key), all))
            .find(|n| !n.is_empty())
            .unwrap_or_default(),
        sections: texts(object.get("articleSection")),
        language: object.get("inLanguage").and_then(|value| match value {
            Value::Object(language) => {
                text(language.get("alternateName")).or_else(|| text(language.get("name")))
            }
            value => text(Some(value)),
        }),
        publisher: names(object.get("publisher"), all).into_iter().next(),
        description: get("description"),
    }
}

/// Returns a string, or the first of a list, with entities resolved and never empty.
fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(crate::text::tidy(&unescape(text))).filter(|t| !t.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(values) => values.iter().filter(|v| !v.is_array()).find_map(|v| text(Some(v))),
        Value::Object(object) => text(object.get("@value")),
        _ => None,
    }
}

/// Returns a string, or all strings of a list, each read as in [`text`].
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(values)) => {
            values.iter().take(MOST_AUTHORS).filter_map(|v| text(Some(v))).collect()
        }
        value => text(value).into_iter().collect(),
    }
}

/// Reads a string, an object with a name or with the `@id` of another object, or a list of these.
fn names(value: Option<&Value>, all: &[&Object]) -> Vec<String> {
    let values = match value {
        None => return Vec::new(),
        Some(Value::Array(values)) => &values[..],
        Some(value) => std::slice::from_ref(value),
    };
    let of_object = |object: &Object| match texts(object.get("name")) {
        own if !own.is_empty() => own,
        _ => object.get("@id").map(|id| named(id, all)).unwrap_or_default(),
    };
    let of_value = |value: &Value| match value {
        Value::Object(object) => of_object(object),
        value => text(Some(value)).into_iter().collect(),
    };
    values.iter().take(MOST_AUTHORS).flat_map(of_value).take(MOST_AUTHORS).collect()
}

/// Returns the names of the first object that has this `@id` and a name.
fn named(id: &Value, all: &[&Object]) -> Vec<String> {
    let same = all.iter().filter(|object| object.get("@id") == Some(id));
    same.map(|object| texts(object.get("name"))).find(|names| !names.is_empty()).unwrap_or_default()
}

fn parse(script: &str) -> Vec<Value> {
    if let Ok(value) = serde_json::from_str(script) {
        return vec![value];
    }
    let mended = mend(script);
    serde_json::Deserializer::from_str(&mended).into_iter().map_while(Result::ok).collect()
}

/// Repairs common errors in JSON: comments, commas, line breaks, escapes, trailing text.
fn mend(script: &str) -> String {
    let object = script.find('{').unwrap_or(script.len());
    // The brackets of `//<![CDATA[` are not part of the JSON.
    let from = script[..object].find("CDATA[").map_or(0, |at| at + 6);
    let from = script[from..].find(['{', '[']).map_or(script.len(), |at| from + at);
    let mut out = String::with_capacity(script.len());
    let mut chars = script[from..].chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                quoted = !quoted;
                out.push(c);
            }
            '\\' if quoted => match chars.next() {
                Some(escape @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u')) => {
                    out.extend(['\\', escape])
                }
                Some(other) if !other.is_control() => out.push(other),
                _ => out.push(' '),
            },
            c if c.is_control() => out.push(' '),
            ',' if !quoted => {
                while chars.next_if(|c| c.is_whitespace() || *c == ',').is_some() {}
                if !matches!(chars.peek(), Some('}' | ']') | None) {
                    out.push(',');
                }
            }
            ';' if !quoted => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(json: &str) -> JsonLd {
        json_ld(
            &Page::parse(&format!("<script type='application/ld+json'>{json}</script>")),
            Some("https://a.vn/2"),
        )
    }

    #[track_caller]
    fn check(json: &str, headline: &str) -> Statement {
        let article = of(json).article.unwrap_or_default();
        assert_eq!(article.headline.as_deref(), Some(headline), "{json}");
        article
    }

    #[test]
    fn an_article_wherever_it_stands() {
        let article = r#"{"@type":"NewsArticle","headline":"H"}"#;
        check(article, "H");
        check(&format!("[{article}]"), "H");
        check(&format!("[[{article}]]"), "H");
        check(&format!(r#"{{"@graph":[{{"@type":"WebSite"}},{article}]}}"#), "H");
        check(&format!(r#"{{"@type":"WebPage","mainEntity":{article}}}"#), "H");
        check(r#"{"@type":["Thing","https://schema.org/ReportageNewsArticle"],"headline":"H"}"#, "H");
        check(r#"{"@type":"BlogPosting","name":"H"}"#, "H");
        assert_eq!(of(r#"{"@type":"Product","name":"H"}"#).article, None);
        assert_eq!(
            of(r#"{"@type":"ItemList","itemListElement":[{"@type":"NewsArticle","headline":"H"}]}"#).article,
            None
        );
    }

    #[test]
    fn among_several_the_canonical_one() {
        let two = |key: &str| {
            format!(
                r#"[{{"@type":"Article","headline":"1","url":"https://a.vn/1"}},{{"@type":"Article","headline":"2",{key}}}]"#
            )
        };
        check(&two(r#""url":"https://a.vn/2/""#), "2");
        check(&two(r#""@id":"https://a.vn/2#article""#), "2");
        check(&two(r#""mainEntityOfPage":{"@id":"https://a.vn/2"}"#), "2");
        check(&two(r#""url":"https://a.vn/3""#), "1");
    }

    #[test]
    fn authors_in_every_shape() {
        let authors = |json: &str| {
            check(&format!(r#"{{"@graph":[{{"@type":"Article","headline":"H","author":{json}}},{{"@type":"Person","@id":"p","name":"Mai"}}]}}"#), "H").authors
        };
        assert_eq!(authors(r#""An""#), ["An"]);
        assert_eq!(authors(r#"{"name":"An"}"#), ["An"]);
        assert_eq!(authors(r#"[{"name":"An"},"Bình",{"@id":"p"},{"url":"x"},null]"#), ["An", "Bình", "Mai"]);
        assert_eq!(authors(r#"{"name":["An"]}"#), ["An"]);
        assert_eq!(authors(r#"{"name":["An","Bình"]}"#), ["An", "Bình"]);
        assert_eq!(authors(r#"[{"name":["An","Bình"]},{"name":"Mai"}]"#), ["An", "Bình", "Mai"]);
        assert_eq!(authors("[]"), [""; 0]);
    }

    #[test]
    fn broken_json() {
        for json in [
            r#"<!-- {"@type":"Article","headline":"H"} -->"#,
            "//<![CDATA[\n{\"@type\":\"Article\",\"headline\":\"H\"}\n//]]>",
            r#"{"@type":"Article","headline":"H",}"#,
            r#"{"@type":"Article",,"keywords":["a",],"headline":"H"};"#,
            "{\"@type\":\"Article\",\"description\":\"a\nb\tc\\'d\\x\",\"headline\":\"H\"}",
            r#"{"@type":"WebSite"}{"@type":"Article","headline":"H"}"#,
            "\u{FEFF} {\"@type\":\"Article\",\"headline\":\"H\"}",
        ] {
            check(json, "H");
        }
        for json in ["", "{", "null", "\"", "{\"a\":\\", "[[[[", "CDATA[", &"[".repeat(100_000)] {
            assert_eq!(of(json), JsonLd::default());
        }
    }

    #[test]
    fn entities_in_strings() {
        check(
            r#"{"@type":"Article","headline":"Tom &amp; Jerry&#8217;s &#x22;A&nbsp;B&quot; & co; &unknown;"}"#,
            "Tom & Jerry’s \"A B\" & co; &unknown;",
        );
    }

    #[test]
    fn the_rest() {
        let article = check(
            r#"{"@type":"NewsArticle","headline":"H","datePublished":"2026-11-20","dateModified":"2026-11-21","dateCreated":"2026-11-19",
            "articleSection":["World","Asia"],"inLanguage":{"name":"Vietnamese","alternateName":"vi"},"publisher":{"name":"Báo"},"description":" d "}"#,
            "H",
        );
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            (article.published, article.modified, article.created),
            (some("2026-11-20"), some("2026-11-21"), some("2026-11-19"))
        );
        assert_eq!(
            (article.sections, article.language, article.publisher),
            (vec!["World".to_owned(), "Asia".to_owned()], some("vi"), some("Báo"))
        );
        assert_eq!((article.kind, article.description), (some("NewsArticle"), some("d")));
        assert_eq!(of(r#"{"@type":"WebSite","name":"Báo"}"#).site_name, some("Báo"));
    }
}
