//! The extension of the Python package `gleaner`.
//!
//! It passes texts, numbers and JSON. The package in `python/gleaner` turns them into the classes that users see, and
//! has their types and descriptions. The GIL is released while Rust works.
//!
//! The command `gleaner` is a file of its own in the wheel, the program as `cargo build` makes it. As part of the extension
//! it would make `import gleaner` load the crawler, its database and its web server (ten times the size), and cargo would
//! compile their libraries a second time, because their features differ from those of the workspace. As a file it needs
//! no interpreter, and signals, pipes and exit codes are those of the program.

mod error;
mod html;
mod many;
mod near;
mod template;

use gleaner_text::{Document, Extra, Insert, Page, Pins, Verdict, extract_with};
use pyo3::prelude::*;

use crate::error::{Error, InputError, LearnError, TemplateError, raised};
use crate::html::{Html, Located};
use crate::template::Template;

/// What to keep of a page beside its body text.
#[derive(Clone, Default)]
struct Wishes(Pins);

impl Wishes {
    fn new(keep: &[String], also: &[String]) -> PyResult<Self> {
        let inserts = named(keep, "keep", Insert::named, &Insert::ALL.map(Insert::name))?;
        let extras = named(also, "also", Extra::named, &Extra::ALL.map(Extra::name))?;
        let pins = match inserts.is_empty() {
            true => Pins::default(),
            false => Pins::default().with_inserts(inserts.into_iter().collect(), "keep"),
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

/// Returns the document of a page as JSON; `None` if no text was found.
fn document(
    html: &Located,
    template: Option<&Template>,
    wishes: &Wishes,
) -> Result<Option<String>, gleaner_text::Error> {
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
    let wishes = Wishes::new(&keep, &also)?;
    let html = html.at(url, fetched)?;
    let template = template.map(Bound::get);
    py.detach(|| document(&html, template, &wishes)).map_err(raised)
}

/// Returns name and description of the reason why a page is not an article; `None` for an article.
#[pyfunction]
fn judge(py: Python<'_>, html: Html, url: Option<String>) -> PyResult<Option<(&'static str, String)>> {
    let html = html.at(url, None)?;
    let verdict = py.detach(|| html.page().map(|page: Page| page.verdict())).map_err(raised)?;
    Ok(match verdict {
        Verdict::Article => None,
        Verdict::NotArticle(reason) => Some((reason.label(), reason.to_string())),
    })
}

#[pyfunction]
fn language(py: Python<'_>, text: &str, declared: Option<&str>) -> (String, f64) {
    let language = py.detach(|| gleaner_text::language(text, declared));
    (language.tag, language.probability)
}

#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Error", py.get_type::<Error>())?;
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("TemplateError", py.get_type::<TemplateError>())?;
    module.add("LearnError", py.get_type::<LearnError>())?;
    module.add_class::<Template>()?;
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
