//! How well does a method do: recorded sets, measures, protocols, the papers' tables.
