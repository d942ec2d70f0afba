//! The index of a real store.
