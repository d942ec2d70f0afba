//! Article or not; a site's template: learned, kept, applied.
//!
//! | file | question |
//! |---|---|
//! | [`article`] | is this page an article, as far as one page can tell? |
//! | [`site`] | what is a site's template, how is it learned, written, applied? |
//! | [`describe`] | what does a template say, in words for people? |
//!
//! No IO and no clock: pages and times are handed in. Only reading a template file
//! can fail.

pub mod article;
pub mod describe;
pub mod site;

pub use article::{Reason, Verdict, judge};
pub use site::{Extracted, Method, SiteTemplate, TemplateError};
