//! Exposes the template of a site to Python.

use gleaner_extract::{Added, Method, Timestamp, Training};
use pyo3::prelude::*;

use crate::error::to_py_error;
use crate::html::Html;

#[pyclass(frozen, module = "gleaner._engine")]
pub(crate) struct Template(gleaner_extract::Template);

impl Template {
    pub(crate) fn inner(&self) -> &gleaner_extract::Template {
        &self.0
    }
}

#[pymethods]
impl Template {
    #[staticmethod]
    fn from_json(py: Python<'_>, json: &str) -> PyResult<Self> {
        py.detach(|| gleaner_extract::Template::from_json(json)).map(Self).map_err(to_py_error)
    }

    fn to_json(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.to_json())
    }

    fn host(&self) -> &str {
        self.0.host()
    }

    fn pages(&self) -> usize {
        self.0.pages()
    }

    fn health(&self) -> String {
        serde_json::json!(self.0.health()).to_string()
    }

    /// Returns the figures of a page as JSON, in the same form as those of the training pages.
    fn compare(&self, py: Python<'_>, html: Html, url: Option<String>) -> PyResult<String> {
        let html = html.at(url, None)?;
        let seen = py.detach(|| html.page().map(|page| self.0.compare(&page))).map_err(to_py_error)?;
        Ok(serde_json::json!(seen).to_string())
    }
}

#[pyfunction]
pub(crate) fn learn(
    py: Python<'_>,
    pages: Vec<(Html, Option<String>)>,
    host: Option<String>,
) -> PyResult<Template> {
    let pages = pages.into_iter().map(|(html, url)| html.at(url, None)).collect::<PyResult<Vec<_>>>()?;
    let learned = py.detach(|| {
        let mut training = Training::new(host.as_deref());
        for page in &pages {
            if training.add_page(page.page()?) == Added::Enough {
                break;
            }
        }
        Ok(training.learn(Method::Template, Timestamp::now())?)
    });
    learned.map(Template).map_err(to_py_error)
}
