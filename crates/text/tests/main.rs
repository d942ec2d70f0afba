//! Integration tests of the interface for other programs.

mod interface;
