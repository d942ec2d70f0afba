//! Defines a document: the text of one article with its provenance.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::normal::from_hexadecimal;
use crate::{ContentHash, Extras};

/// The permanent id of a document: the first 16 bytes of the BLAKE3 hash of the canonical URL (without its
/// scheme) under which the text was first stored. The id does not change when the page is extracted again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DocumentId(pub [u8; 16]);

/// The text of one article with its metadata. Stores serialize the fields by position, so a new field must be
/// last and have a default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The document's permanent id.
    pub id: DocumentId,
    /// The URL under which the text was first stored.
    pub url: String,
    /// The host of [`Self::url`], with its port if it is not the default.
    pub host: String,
    /// The headline that the page declares.
    pub title: Option<String>,
    /// Body text in NFC: one paragraph, heading or list item per line, in page order.
    pub text: String,
    /// Language of the text as a BCP 47 primary tag such as `vi`. It is `und` if the language was not
    /// determined.
    pub language: String,
    /// When the page was fetched.
    pub fetched: Timestamp,
    /// The stated publication time: RFC 3339 with an offset, or only a date if time or zone is unknown.
    pub published: Option<String>,
    /// Authors that the page declares, in the page's order.
    pub authors: Vec<String>,
    /// Hash of the normalised text.
    pub content_hash: ContentHash,
    /// The extraction method, such as `template`.
    pub method: String,
    /// The version of the host's template, if one was used.
    pub template_version: Option<u32>,
    /// The kind of each line of the text, one letter per line: `p` paragraph, `h` heading, `i` list item, `q`
    /// quotation, `c` table cell, `f` caption, `x` preformatted.
    #[serde(default)]
    pub kinds: String,
    /// The declared time of the last change, in the format of [`Self::published`].
    #[serde(default)]
    pub modified: Option<String>,
    /// The section that the page declares, such as "World".
    #[serde(default)]
    pub section: Option<String>,
    /// The canonical address that the page declares (`rel=canonical`, else `og:url`).
    #[serde(default)]
    pub canonical: Option<String>,
    /// Estimated probability in hundredths that the text's word F1 is at least 0.9. `None` if unknown.
    #[serde(default)]
    pub confidence: Option<u8>,
    /// Probability of the language in hundredths. `None` if it was not measured, as in older stores.
    #[serde(default)]
    pub language_probability: Option<u8>,
    /// The publication time in UTC. An unknown zone counts as UTC, and an unknown time as midnight.
    #[serde(default)]
    pub published_utc: Option<Timestamp>,
    /// The description that the page declares.
    #[serde(default)]
    pub description: Option<String>,
    /// The keywords or tags that the page declares.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// The name of the site that the page declares.
    #[serde(default)]
    pub site_name: Option<String>,
    /// The address of the lead image that the page declares.
    #[serde(default)]
    pub image: Option<String>,
    /// The type of article that the page declares: `news`, `opinion`, `live`, `video`, `gallery` or
    /// `sponsored`.
    #[serde(default)]
    pub article_type: Option<String>,
    /// Whether the page declares that only subscribers may read the article. `None` if it declares nothing.
    #[serde(default)]
    pub paywalled: Option<bool>,
    /// Whether the text is the whole article, according to the page's declarations. `None` if unknown.
    #[serde(default)]
    pub complete: Option<bool>,
    /// Comments, captions and links, if the settings request them.
    #[serde(default)]
    pub extras: Extras,
    /// The newspaper, agency or desk that the page names in place of a person, such as "Reuters". Empty if `authors` are
    /// persons.
    #[serde(default)]
    pub credits: Vec<String>,
}

impl Document {
    /// Creates a document with only a text and its origin: language `und`, no method and no metadata.
    #[must_use]
    pub fn with_text(id: DocumentId, url: &str, host: &str, text: String, fetched: Timestamp) -> Self {
        Self {
            id,
            url: url.to_owned(),
            host: host.to_owned(),
            title: None,
            language: "und".to_owned(),
            fetched,
            published: None,
            authors: Vec::new(),
            content_hash: ContentHash::from_text(&text),
            method: String::new(),
            template_version: None,
            kinds: String::new(),
            modified: None,
            section: None,
            canonical: None,
            confidence: None,
            language_probability: None,
            published_utc: None,
            description: None,
            keywords: Vec::new(),
            site_name: None,
            image: None,
            article_type: None,
            paywalled: None,
            complete: None,
            extras: Extras::default(),
            credits: Vec::new(),
            text,
        }
    }
}

impl DocumentId {
    /// Returns the id as bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DocumentId({self})")
    }
}

impl FromStr for DocumentId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        from_hexadecimal(text)
            .map(Self)
            .ok_or_else(|| format!("\"{text}\" is not a document id, which has 32 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_back_as_it_is_written() {
        let id = DocumentId([0xa7; 16]);
        assert_eq!(id.to_string().parse(), Ok(id));
        for wrong in ["", "a7", "zz".repeat(16).as_str(), "ệ".repeat(11).as_str()] {
            assert!(wrong.parse::<DocumentId>().is_err(), "{wrong}");
        }
    }
}
