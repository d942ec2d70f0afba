//! Defines a page that Python passes to Rust.

use gleaner_extract::Page;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};

use crate::error::InputError;

/// The source of a page. Rust can read it without holding the GIL.
#[derive(FromPyObject)]
pub(crate) enum Html {
    #[pyo3(annotation = "str")]
    Text(PyBackedStr),
    #[pyo3(annotation = "bytes")]
    Bytes(PyBackedBytes),
}

/// A page with its URL and the time when it was fetched.
pub(crate) struct Located {
    html: Html,
    url: Option<String>,
    fetched: Option<gleaner_extract::Timestamp>,
}

impl Html {
    /// # Errors
    /// `InputError` if `fetched` is not an RFC 3339 time.
    pub(crate) fn at(self, url: Option<String>, fetched: Option<String>) -> PyResult<Located> {
        let time = |text: String| {
            text.parse().map_err(|error| InputError::new_err(format!("fetched: {text}: {error}")))
        };
        Ok(Located { html: self, url, fetched: fetched.map(time).transpose()? })
    }
}

impl Located {
    pub(crate) fn page(&self) -> Result<Page, gleaner_extract::Error> {
        let url = self.url.as_deref();
        let page = match &self.html {
            Html::Text(text) => Page::parse(text, url),
            Html::Bytes(bytes) => Page::from_bytes(bytes, url),
        }?;
        Ok(match self.fetched {
            Some(fetched) => page.with_fetched(fetched),
            None => page,
        })
    }
}
