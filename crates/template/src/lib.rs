//! Article or not; a site's template: learned, kept, applied.
//!
//! | file | question |
//! |---|---|
//! | [`article`] | is this page an article, as far as one page can tell? |
//! | [`site`] | what is a site's template, how is it learned, written, applied? |
//! | [`health`] | is it still the template of its site? |
//! | [`describe`] | what does a template say, in words for people? |
//!
//! No IO and no clock: pages and times are handed in. Only reading a template file
//! can fail.

pub mod article;
pub mod describe;
pub mod health;
pub mod site;

pub use article::{Reason, Verdict, judge};
pub use health::{Health, Seen, Window};
pub use site::{Extracted, Method, SiteTemplate, TemplateError};
