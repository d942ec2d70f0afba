//! Line-Block: neighbouring lines as blocks, told apart by three features.
