//! Tells articles from other pages; learns, stores and applies a site's template.
//!
//! | file | content |
//! |---|---|
//! | [`article`] | is this page an article, as far as one page can tell? |
//! | [`site`] | a site's template: learned, written, applied |
//! | [`boilerplate`] | the parts of a site's pages that never hold body text |
//! | [`detection`] | a page's text by its site's places alone, quickly |
//! | [`health`] | does a template still fit its site? |
//! | [`published`] | the papers' methods as templates of a host |
//! | [`pins`] | a user's corrections for a host's pages |
//! | [`class`] | the class of each line: body text, caption, comment |
//! | [`inserts`] | captions, credits, by-lines that come back on request |
//! | [`judgement`] | the final judgement of every line of a page |
//! | [`describe`] | a template in words |
//! | [`explain`] | the judgement of a page, line by line, as HTML |
//!
//! No IO and no clock: the caller passes pages and times. Only reading a template file or selectors
//! can fail.

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
pub mod published;
pub mod site;

pub use article::{Reason, Verdict, judge};
pub use detection::Detector;
pub use health::{Health, Seen, Window};
pub use inserts::Inserts;
pub use judgement::{Judgement, is_cut};
pub use pins::{HostPins, Pin, Pins, PinsError, SelectorError};
pub use published::Published;
pub use site::{Extracted, Method, SiteTemplate, TemplateError};
