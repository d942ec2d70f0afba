//! Comma score: the elements whose own text has most commas.
