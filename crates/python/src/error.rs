//! Defines the Python exceptions. Their messages come from the libraries, so they are the same as those of the
//! program.

use gleaner_store::StoreError;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(gleaner, Error, PyException, "Any error of gleaner.");
create_exception!(gleaner, InputError, Error, "An argument or a page cannot be used.");
create_exception!(gleaner, CorpusError, Error, "A corpus cannot be read.");
create_exception!(gleaner, TemplateError, Error, "A text is not a template, or one of another format.");
create_exception!(gleaner, LearnError, Error, "No template can be learned from the pages.");

pub(crate) fn to_py_error(error: gleaner_extract::Error) -> PyErr {
    let message = error.to_string();
    match error {
        gleaner_extract::Error::NotHtml(_) | gleaner_extract::Error::Url { .. } => {
            InputError::new_err(message)
        }
        gleaner_extract::Error::Template(_) => TemplateError::new_err(message),
        gleaner_extract::Error::Learn(_) => LearnError::new_err(message),
    }
}

/// Why a corpus cannot be read. The messages are those of the program.
pub(crate) enum ReadError {
    /// An argument cannot be used.
    Input(String),
    /// The corpus cannot be read, or has nothing of what an argument names.
    Corpus(String),
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        Self::Corpus(error.to_string())
    }
}

impl From<ReadError> for PyErr {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Input(message) => InputError::new_err(message),
            ReadError::Corpus(message) => CorpusError::new_err(message),
        }
    }
}
