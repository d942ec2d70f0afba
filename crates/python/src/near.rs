//! Exposes the detection of near-duplicates to Python.

use gleaner_text::near::{self, Relation, Signature};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyBytes;

use crate::error::InputError;

fn share(similarity: f64) -> PyResult<f64> {
    if (0.0..=1.0).contains(&similarity) {
        return Ok(similarity);
    }
    Err(InputError::new_err(format!("a similarity is from 0 to 1, not {similarity}")))
}

fn of_bytes(bytes: &[u8]) -> PyResult<Signature> {
    Signature::from_bytes(bytes).ok_or_else(|| {
        InputError::new_err(format!(
            "a signature has {} bytes, not {}: pass what signature() returned",
            Signature::BYTES,
            bytes.len()
        ))
    })
}

#[pyfunction]
pub(crate) fn near_duplicates(
    py: Python<'_>,
    texts: Vec<PyBackedStr>,
    similarity: f64,
) -> PyResult<Vec<usize>> {
    let least = share(similarity)?;
    Ok(py.detach(|| near::near_duplicates(&texts, least)))
}

#[pyfunction]
pub(crate) fn signature<'py>(py: Python<'py>, text: &str) -> Option<Bound<'py, PyBytes>> {
    let signature = py.detach(|| near::signature(text))?;
    Some(PyBytes::new(py, &signature.to_bytes()))
}

/// Returns signed numbers, because the 64-bit integers of Spark and Arrow are signed.
#[pyfunction]
pub(crate) fn bands(signature: &[u8]) -> PyResult<Vec<i64>> {
    Ok(near::bands(&of_bytes(signature)?).iter().map(|key| key.cast_signed()).collect())
}

#[pyfunction]
pub(crate) fn similarity(one: &[u8], other: &[u8]) -> PyResult<f64> {
    Ok(near::similarity(&of_bytes(one)?, &of_bytes(other)?))
}

#[pyfunction]
pub(crate) fn verdict(py: Python<'_>, one: &str, other: &str, similarity: f64) -> PyResult<&'static str> {
    let least = share(similarity)?;
    Ok(match py.detach(|| near::verdict(one, other, least)) {
        Relation::Duplicate => "duplicate",
        Relation::Related => "related",
        Relation::Other => "other",
    })
}
