//! Article or not; a site's template: learned, kept, applied.
//!
//! | file | question |
//! |---|---|
//! | [`article`] | is this page an article, as far as one page can tell? |
//! | [`site`] | what is a site's template, how is it learned, written, applied? |
//! | [`barren`] | which parts of a site's pages never hold content? |
//! | [`detection`] | what is a page's text by its site's places alone, quickly? |
//! | [`health`] | is it still the template of its site? |
//! | [`pins`] | what does a person say of a host's pages, and how does it win? |
//! | [`class`] | what is each line called: content, caption, comment? |
//! | [`inserts`] | which captions, credits, by-lines come back where asked for? |
//! | [`judgement`] | what is thought of every line of a page, all things considered? |
//! | [`describe`] | what does a template say, in words for people? |
//! | [`explain`] | what was thought of a page, line by line, as HTML for people? |
//!
//! No IO and no clock: pages and times are handed in. Only reading a template file
//! or selectors can fail.

pub mod article;
pub mod boilerplate;
pub mod class;
pub mod describe;
pub mod detection;
pub mod explain;
pub mod health;
pub mod inserts;
pub mod judgement;
mod own_words;
pub mod pins;
pub mod site;

pub use article::{Reason, Verdict, judge};
pub use detection::Detector;
pub use health::{Health, Seen, Window};
pub use inserts::{Insert, Inserts};
pub use judgement::{Judgement, is_cut};
pub use pins::{HostPins, Pin, Pins, PinsError, SelectorError};
pub use site::{Extracted, Method, SiteTemplate, TemplateError};
