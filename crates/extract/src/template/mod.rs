//! Learns, stores and applies the template of a site.
//!
//! | file | content |
//! |---|---|
//! | [`site`] | a site's template: learned, written, read |
//! | [`extraction`] | the text of a page, with or without the template of its site |
//! | `decide` | what a template decides about the lines of a page |
//! | [`boilerplate`] | the parts of a site's pages that never contain body text |
//! | [`health`] | whether a template still fits its site |
//! | [`learned`] | extracts pages with any method that can use a site's other pages |
//! | `published` | applies the papers' methods as templates of a host |
//! | `confidence` | how likely it is that a text is right |

pub mod boilerplate;
mod confidence;
mod decide;
pub mod extraction;
pub mod health;
pub mod learned;
mod published;
pub mod site;

pub use crate::site_methods::PublishedTemplate;

pub use confidence::confidence;
pub use extraction::{Extraction, PreparedTemplate, is_cut};
pub use health::{Health, PageFit, Window};
pub use learned::LearnedTemplates;
pub use site::{SiteTemplate, TemplateError};
