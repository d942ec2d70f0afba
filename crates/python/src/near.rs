//! Exposes the detection of near-duplicates to Python.

use gleaner_extract::near::{self, Relation, Signature};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyBytes;

use crate::error::InputError;

/// Reads a signature. `name` is the argument of the Python function, for the error message.
fn of_bytes(bytes: &[u8], name: &str) -> PyResult<Signature> {
    Signature::from_bytes(bytes).ok_or_else(|| {
        InputError::new_err(format!(
            "{name} must have {} bytes, not {}; pass what signature() returned",
            Signature::BYTES,
            bytes.len()
        ))
    })
}

#[pyfunction]
pub(crate) fn near_duplicates(py: Python<'_>, texts: Vec<PyBackedStr>, similarity: f64) -> Vec<usize> {
    py.detach(|| near::near_duplicates(&texts, similarity))
}

#[pyfunction]
pub(crate) fn signature<'py>(py: Python<'py>, text: &str) -> Option<Bound<'py, PyBytes>> {
    let signature = py.detach(|| near::signature(text))?;
    Some(PyBytes::new(py, &signature.to_bytes()))
}

/// Returns signed numbers, because the 64-bit integers of Spark and Arrow are signed.
#[pyfunction]
pub(crate) fn bands(signature: &[u8]) -> PyResult<Vec<i64>> {
    Ok(near::bands(&of_bytes(signature, "signature")?).iter().map(|key| key.cast_signed()).collect())
}

#[pyfunction]
pub(crate) fn similarity(one: &[u8], other: &[u8]) -> PyResult<f64> {
    Ok(of_bytes(one, "one")?.similarity(&of_bytes(other, "other")?))
}

#[pyfunction]
pub(crate) fn verdict(py: Python<'_>, one: &str, other: &str, similarity: f64) -> &'static str {
    match py.detach(|| near::verdict(one, other, similarity)) {
        Relation::Duplicate => "duplicate",
        Relation::Related => "related",
        Relation::Other => "other",
    }
}
