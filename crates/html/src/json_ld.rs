//! Reads a page's declarations in JSON-LD (schema.org).
//!
//! Reads all `<script type="application/ld+json">` elements. Collects their objects, including the objects
//! inside arrays, `@graph`, `mainEntity` and `mainEntityOfPage`. The article is the object of an article type
//! (`is_article`) with the page's canonical address. Without such an object, the article is the first object of an
//! article type.
//!
//! Invalid JSON is repaired first: comments and CDATA around it, trailing commas, raw line breaks in strings,
//! unknown escapes, a trailing semicolon or a second object. Character references in strings (`Tom &amp;
//! Jerry`) are resolved.
//!
//! Limitation: contexts are not read, so a prefix such as `schema:headline` is not recognized. JSON with more
//! than 128 nested levels is not read.

use serde_json::{Map, Value};

use crate::Page;
use crate::entities::{unescape, without_tags};

type Object = Map<String, Value>;

const MOST: usize = 10_000;

const MAX_AUTHORS: usize = 20;

const MAX_KINDS: usize = 100;

/// The declarations in a page's JSON-LD. `None` if a value is not declared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct JsonLd {
    pub(crate) article: Option<Statement>,
    pub(crate) page: Option<Statement>,
    pub(crate) site_name: Option<String>,
    /// The names in the first `BreadcrumbList`, starting with the front page.
    pub(crate) trail: Vec<String>,
    /// The types of all top-level objects that have no address or the page's address.
    pub(crate) kinds: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) kind: Option<String>,
    /// All types of the object. The first is `kind`.
    pub(crate) kinds: Vec<String>,
    pub(crate) headline: Option<String>,
    pub(crate) published: Option<String>,
    pub(crate) created: Option<String>,
    pub(crate) modified: Option<String>,
    pub(crate) authors: Vec<String>,
    /// Those of `authors` that are declared as persons, and not as an organization that is the publisher.
    pub(crate) persons: Vec<String>,
    /// Those of `authors` that are declared as organizations.
    pub(crate) organizations: Vec<String>,
    /// Section names in the order of declaration. Some are meaningless (`News`).
    pub(crate) sections: Vec<String>,
    pub(crate) language: Option<String>,
    pub(crate) publisher: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) keywords: Vec<String>,
    /// The address of the first image, as written.
    pub(crate) image: Option<String>,
    pub(crate) is_free: Option<bool>,
    /// The declared number of words: `wordCount` or, if it is missing, the number of words in `articleBody`.
    pub(crate) words: Option<u64>,
}

pub(crate) fn values(page: &Page) -> Vec<Value> {
    let scripts = page
        .elements("script")
        .filter(|id| page.attribute(*id, "type").is_some_and(|t| t.to_ascii_lowercase().contains("ld+json")));
    scripts.flat_map(|id| parse(&page.raw_text(id))).collect()
}

pub(crate) fn json_ld(values: &[Value], canonical: Option<&str>) -> JsonLd {
    let objects = objects(values);
    let of_type = |is: fn(&str) -> bool| objects.iter().filter(move |o| types(o).any(is));
    let mut articles = of_type(is_article);
    let article =
        canonical.and_then(|c| of_type(is_article).find(|o| is_about(o, c))).or_else(|| articles.next());
    let webpage = of_type(|t| t.ends_with("Page")).next();
    JsonLd {
        article: article.map(|o| statement(o, &objects)),
        page: webpage.map(|o| statement(o, &objects)),
        site_name: of_type(|t| t == "WebSite").find_map(|o| text(o.get("name"))),
        trail: breadcrumbs(&objects),
        kinds: kinds(&objects, canonical),
    }
}

fn kinds(objects: &[&Object], canonical: Option<&str>) -> Vec<String> {
    let may_be = |object: &&&Object| {
        let has_address = ["url", "mainEntityOfPage"].iter().any(|key| object.contains_key(*key));
        !has_address || canonical.is_none_or(|canonical| is_about(object, canonical))
    };
    let own = objects.iter().filter(may_be).flat_map(|object| types(object));
    own.take(MAX_KINDS).map(str::to_owned).collect()
}

/// Returns the names in the first breadcrumb list. The list is a separate object or a `breadcrumb` property.
fn breadcrumbs(objects: &[&Object]) -> Vec<String> {
    let is_list = |o: &Object| types(o).any(|t| t == "BreadcrumbList");
    let own = objects.iter().copied().find(|o| is_list(o));
    let list = own.or_else(|| objects.iter().find_map(|o| o.get("breadcrumb")?.as_object()));
    let items = list.and_then(|list| list.get("itemListElement")?.as_array());
    let name = |item: &Value| {
        text(item.get("name")).or_else(|| text(item.get("item").and_then(|item| item.get("name"))))
    };
    items.into_iter().flatten().take(MAX_AUTHORS).filter_map(name).collect()
}

/// Whether a type is `BlogPosting`, `LiveBlogPosting`, `Report` or ends in `Article`.
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

/// Returns the top-level objects in document order. Objects that are the value of another object's property,
/// such as a related article or a breadcrumb, are omitted.
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
    let authors = ["author", "creator"].iter().map(|key| parties(object.get(*key), all));
    let authors = authors.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
    let publishers = parties(object.get("publisher"), all);
    let is_person = |party: &&Party| matches!(party.kind, PartyKind::Person);
    let is_organization = |party: &&Party| matches!(party.kind, PartyKind::Organization);
    let is_publisher = |name: &str| {
        let is_same = |publisher: &Party| is_same_name(&publisher.name, name);
        publishers.iter().filter(|publisher| !is_person(publisher)).any(is_same)
    };
    let persons = authors.iter().filter(|author| is_person(author) && !is_publisher(&author.name));
    let organizations = authors.iter().filter(is_organization);
    Statement {
        kind: types(object).next().map(str::to_owned),
        kinds: types(object).take(MAX_KINDS).map(str::to_owned).collect(),
        headline: get("headline").or_else(|| get("name")),
        published: get("datePublished"),
        created: get("dateCreated").or_else(|| get("uploadDate")),
        modified: get("dateModified"),
        persons: persons.map(|person| person.name.clone()).collect(),
        organizations: organizations.map(|author| author.name.clone()).collect(),
        authors: authors.into_iter().map(|author| author.name).collect(),
        sections: texts(object.get("articleSection")),
        language: object.get("inLanguage").and_then(|value| match value {
            Value::Object(language) => {
                text(language.get("alternateName")).or_else(|| text(language.get("name")))
            }
            value => text(Some(value)),
        }),
        publisher: publishers.into_iter().next().map(|publisher| publisher.name),
        description: get("description"),
        keywords: texts(object.get("keywords")),
        image: image(object.get("image"), all).or_else(|| image(object.get("thumbnailUrl"), all)),
        is_free: is_free(object),
        words: words(object),
    }
}

fn image(value: Option<&Value>, all: &[&Object]) -> Option<String> {
    let of_object = |object: &Object| ["url", "contentUrl"].iter().find_map(|key| text(object.get(*key)));
    match value? {
        Value::Array(values) => values.iter().filter(|v| !v.is_array()).find_map(|v| image(Some(v), all)),
        Value::Object(object) => of_object(object).or_else(|| {
            let id = object.get("@id")?;
            let other = all.iter().filter(|other| other.get("@id") == Some(id)).find_map(|it| of_object(it));
            // An id such as `#primaryimage` refers to a part of the page and is not an address.
            other.or_else(|| text(Some(id)).filter(|id| !id.contains('#')))
        }),
        value => text(Some(value)),
    }
}

/// Whether the first article that states it is declared as free to read.
pub(crate) fn states_free(values: &[Value]) -> bool {
    let objects = objects(values);
    objects.iter().filter(|object| types(object).any(is_article)).find_map(|object| is_free(object))
        == Some(true)
}

/// Whether an object is declared as free to read. Returns `false` if one of its parts is not free, and `None`
/// if nothing is declared.
fn is_free(object: &Object) -> Option<bool> {
    let stated = |object: &Object| match object.get("isAccessibleForFree")? {
        Value::Bool(is_free) => Some(*is_free),
        Value::String(text) => match text.rsplit('/').next()?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "1" => Some(true),
            "false" | "no" | "0" => Some(false),
            _ => None,
        },
        Value::Number(number) => number.as_u64().filter(|it| *it < 2).map(|it| it == 1),
        _ => None,
    };
    let parts = match object.get("hasPart") {
        Some(Value::Array(parts)) => &parts[..],
        part => part.map(std::slice::from_ref).unwrap_or_default(),
    };
    let is_closed = |part: &Value| part.as_object().and_then(stated) == Some(false);
    if parts.iter().any(is_closed) { Some(false) } else { stated(object) }
}

fn words(object: &Object) -> Option<u64> {
    let count = match object.get("wordCount") {
        Some(Value::Number(count)) => count.as_u64(),
        Some(Value::String(count)) => count.trim().replace([',', '.', ' ', '\u{a0}'], "").parse().ok(),
        _ => None,
    };
    let of_body = || object.get("articleBody")?.as_str().map(|body| body.split_whitespace().count() as u64);
    count.or_else(of_body).filter(|count| *count > 0)
}

/// Returns a string, or the first string of a list, without tags and with resolved references, unless it is
/// empty.
fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => {
            Some(crate::text::tidy(&without_tags(&unescape(text)))).filter(|text| !text.is_empty())
        }
        Value::Number(number) => Some(number.to_string()),
        Value::Array(values) => values.iter().filter(|v| !v.is_array()).find_map(|v| text(Some(v))),
        Value::Object(object) => text(object.get("@value")),
        _ => None,
    }
}

fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(values)) => values.iter().take(MAX_AUTHORS).filter_map(|v| text(Some(v))).collect(),
        value => text(value).into_iter().collect(),
    }
}

/// A person or an organization.
struct Party {
    name: String,
    kind: PartyKind,
}

#[derive(Clone, Copy)]
enum PartyKind {
    Person,
    Organization,
    Unknown,
}

impl PartyKind {
    fn from_object(object: &Object) -> Self {
        if types(object).any(|kind| kind == "Person") {
            Self::Person
        } else if types(object).any(|kind| kind.ends_with("Organization") || kind == "Corporation") {
            Self::Organization
        } else {
            Self::Unknown
        }
    }
}

/// Whether two names differ at most in case and a first `The`.
fn is_same_name(one: &str, other: &str) -> bool {
    let own = |name: &str| {
        let name = name.trim().to_lowercase();
        name.strip_prefix("the ").unwrap_or(&name).to_owned()
    };
    own(one) == own(other)
}

/// Returns the parties in a value: an object, a name, or a list of those, which may contain lists.
fn parties(value: Option<&Value>, all: &[&Object]) -> Vec<Party> {
    let mut out: Vec<Party> = Vec::new();
    let mut open: Vec<&Value> = value.into_iter().collect();
    while let Some(value) = open.pop().filter(|_| out.len() < MAX_AUTHORS) {
        let (names, kind) = match value {
            Value::Array(values) => {
                open.extend(values.iter().take(MAX_AUTHORS).rev());
                continue;
            }
            Value::Object(object) => {
                let stated = named(object, all);
                (own_names(stated), PartyKind::from_object(stated))
            }
            value => (text(Some(value)).into_iter().collect(), PartyKind::Unknown),
        };
        out.extend(names.into_iter().map(|name| Party { name, kind }));
    }
    out.truncate(MAX_AUTHORS);
    out
}

/// Returns an object with a name: the object or, if it has none, another object with the same id.
fn named<'a>(object: &'a Object, all: &[&'a Object]) -> &'a Object {
    let Some(id) = object.get("@id").filter(|_| own_names(object).is_empty()) else { return object };
    let same = all.iter().filter(|other| other.get("@id") == Some(id));
    same.copied().find(|other| !own_names(other).is_empty()).unwrap_or(object)
}

/// Returns the names of an object: `name` or, if it is missing, `givenName` and `familyName`.
fn own_names(object: &Object) -> Vec<String> {
    let names = texts(object.get("name"));
    if !names.is_empty() {
        return names;
    }
    let parts = ["givenName", "familyName"].iter().filter_map(|key| text(object.get(*key)));
    let name = parts.collect::<Vec<_>>().join(" ");
    if name.is_empty() { Vec::new() } else { vec![name] }
}

fn parse(script: &str) -> Vec<Value> {
    if let Ok(value) = serde_json::from_str(script) {
        return vec![value];
    }
    let mended = repair(script);
    serde_json::Deserializer::from_str(&mended).into_iter().map_while(Result::ok).collect()
}

fn repair(script: &str) -> String {
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
mod tests;
