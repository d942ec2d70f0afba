//! The binary `gleaner`.
fn main() {}
