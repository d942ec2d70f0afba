//! The proof that both builders build equal trees.

mod fast_builder;
