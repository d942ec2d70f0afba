//! Extracts many pages on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use pyo3::prelude::*;

use crate::error::to_py_error;
use crate::html::{Html, Located};
use crate::template::Template;
use crate::{Requested, document};

/// A document as JSON, `None` if no text was found, or the error of a page that cannot be used.
type Extracted = Result<Option<String>, gleaner_extract::Error>;

/// Returns for each page its document as JSON, `None` if no text was found, or the exception.
#[pyfunction]
pub(crate) fn extract_many<'py>(
    py: Python<'py>,
    pages: Vec<(Html, Option<String>)>,
    threads: usize,
    template: Option<&Bound<'py, Template>>,
    keep: Vec<String>,
    also: Vec<String>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let wishes = Requested::new(&keep, &also)?;
    let pages: Vec<Located> =
        pages.into_iter().map(|(html, url)| html.at(url, None)).collect::<PyResult<_>>()?;
    let template = template.map(Bound::get);
    let done = py.detach(|| on_threads(&pages, threads, |page| document(page, template, &wishes)));
    done.into_iter().map(|extracted| of_python(py, extracted)).collect()
}

fn of_python(py: Python<'_>, extracted: Extracted) -> PyResult<Bound<'_, PyAny>> {
    match extracted {
        Ok(json) => Ok(json.into_pyobject(py)?),
        Err(error) => Ok(to_py_error(error).into_value(py).into_bound(py).into_any()),
    }
}

/// Applies `work` to all items on `threads` threads. Returns the results in the order of the items.
fn on_threads<T: Sync, R: Send>(items: &[T], threads: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let at = next.fetch_add(1, Ordering::Relaxed);
        items.get(at).map(|item| (at, work(item)))
    };
    let all = || std::iter::from_fn(take).collect::<Vec<_>>();
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.clamp(1, items.len().max(1))).map(|_| scope.spawn(all)).collect();
        let mut done = all();
        // Continues the panic of a thread in this thread.
        others.into_iter().for_each(|other| {
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        });
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}
