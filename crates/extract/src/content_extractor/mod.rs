//! ContentExtractor: blocks compared over all pages of a site.
