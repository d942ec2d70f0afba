//! The commands of `gleaner-lab`.

pub(crate) mod eval;
pub(crate) mod extract;
mod papers;
