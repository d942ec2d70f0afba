//! The native extension of the Python package `gleaner`.
//!
//! The extension exchanges only texts, numbers, JSON and Arrow streams with Python. The package in `python/gleaner`
//! converts them to the classes that users see, and has the types and docstrings. The GIL is released while Rust
//! works.
//!
//! The wheel contains the command `gleaner` as a separate executable, built with `cargo build`. If the
//! extension contained the command, `import gleaner` would load the crawler and its web server. The executable
//! needs no interpreter, and handles signals, pipes and exit codes itself.
//!
//! A corpus is read by the store of the crawler, not through the executable: a document costs no process, and the
//! columns of a table are not written and read again. With the store, the extension has 19 MB instead of 7 MB. `open`
//! does not read a corpus in PostgreSQL, because the passwords and the address of its files are in the settings, which
//! only the executable reads.

mod arrow;
mod corpus;
mod error;
mod html;
mod many;
mod near;
mod template;

use gleaner_extract::{Document, Extra, Insert, Page, PageClass, Pins, extract_with};
use pyo3::prelude::*;

use crate::corpus::{Corpus, Reader, Selected};
use crate::error::{CorpusError, Error, InputError, LearnError, TemplateError, to_py_error};
use crate::html::{Html, Located};
use crate::template::Template;

/// What to keep of a page in addition to its body text.
#[derive(Clone, Default)]
struct Requested(Pins);

impl Requested {
    fn new(keep: &[String], also: &[String]) -> PyResult<Self> {
        let inserts = named(keep, "keep", Insert::from_name, &Insert::ALL.map(Insert::name))?;
        let extras = named(also, "also", Extra::from_name, &Extra::ALL.map(Extra::name))?;
        let pins = match inserts.is_empty() {
            true => Pins::default(),
            false => Pins::default().with_inserts(inserts, "keep"),
        };
        Ok(Self(if extras.is_empty() { pins } else { pins.with_extras(extras) }))
    }
}

fn named<T>(names: &[String], of: &str, get: fn(&str) -> Option<T>, all: &[&str]) -> PyResult<Vec<T>> {
    let one = |name: &String| {
        get(name).ok_or_else(|| {
            InputError::new_err(format!("{of}: {name:?} is not known; there are: {}", all.join(", ")))
        })
    };
    names.iter().map(one).collect()
}

/// Returns the document of a page as JSON, or `None` if no text was found.
fn document(
    html: &Located,
    template: Option<&Template>,
    wishes: &Requested,
) -> Result<Option<String>, gleaner_extract::Error> {
    let page = html.page()?;
    let document = extract_with(&page, template.map(Template::inner), &wishes.0);
    Ok(document.as_ref().map(Document::to_json))
}

#[pyfunction]
#[pyo3(signature = (html, url, fetched, template, keep, also))]
fn extract(
    py: Python<'_>,
    html: Html,
    url: Option<String>,
    fetched: Option<String>,
    template: Option<&Bound<'_, Template>>,
    keep: Vec<String>,
    also: Vec<String>,
) -> PyResult<Option<String>> {
    let wishes = Requested::new(&keep, &also)?;
    let html = html.at(url, fetched)?;
    let template = template.map(Bound::get);
    py.detach(|| document(&html, template, &wishes)).map_err(to_py_error)
}

/// Returns the name and the description of the reason why a page is not an article, or `None` for an article.
#[pyfunction]
fn judge(py: Python<'_>, html: Html, url: Option<String>) -> PyResult<Option<(&'static str, String)>> {
    let html = html.at(url, None)?;
    let verdict = py.detach(|| html.page().map(|page: Page| page.verdict())).map_err(to_py_error)?;
    Ok(match verdict {
        PageClass::Article => None,
        PageClass::NotArticle(reason) => Some((reason.label(), reason.to_string())),
    })
}

#[pyfunction]
fn language(py: Python<'_>, text: &str, declared: Option<&str>) -> (String, f64) {
    let language = py.detach(|| gleaner_extract::language(text, declared));
    (language.tag, language.probability)
}

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Error", py.get_type::<Error>())?;
    module.add("CorpusError", py.get_type::<CorpusError>())?;
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("TemplateError", py.get_type::<TemplateError>())?;
    module.add("LearnError", py.get_type::<LearnError>())?;
    module.add_class::<Corpus>()?;
    module.add_class::<Selected>()?;
    module.add_class::<Reader>()?;
    module.add_class::<Template>()?;
    module.add_function(wrap_pyfunction!(corpus::require_fields, module)?)?;
    module.add_function(wrap_pyfunction!(extract, module)?)?;
    module.add_function(wrap_pyfunction!(many::extract_many, module)?)?;
    module.add_function(wrap_pyfunction!(template::learn, module)?)?;
    module.add_function(wrap_pyfunction!(judge, module)?)?;
    module.add_function(wrap_pyfunction!(language, module)?)?;
    module.add_function(wrap_pyfunction!(near::near_duplicates, module)?)?;
    module.add_function(wrap_pyfunction!(near::signature, module)?)?;
    module.add_function(wrap_pyfunction!(near::bands, module)?)?;
    module.add_function(wrap_pyfunction!(near::similarity, module)?)?;
    module.add_function(wrap_pyfunction!(near::verdict, module)?)
}
