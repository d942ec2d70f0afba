//! Defines the errors of this crate.

use gleaner_frontier::UrlRefusal;

use crate::template::TemplateError;
use crate::{LearnError, NotHtml};

/// The error for an input that cannot be used. A page without text is not an error.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bytes are not an HTML page.
    #[error("the page {0}")]
    NotHtml(#[from] NotHtml),
    /// The address of a page cannot be used.
    #[error("the URL {url}: {refusal}")]
    Url {
        /// The address as the caller passed it.
        url: String,
        /// Why the address cannot be used.
        refusal: UrlRefusal,
    },
    /// The text is not a template.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// No template can be learned from the pages.
    #[error(transparent)]
    Learn(#[from] LearnError),
}
