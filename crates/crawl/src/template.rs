//! A host's template, prepared for use on many pages.

use gleaner_template::{Detector, SiteTemplate};

#[derive(Debug)]
pub(crate) struct PreparedTemplate {
    pub(crate) template: SiteTemplate,
    pub(crate) detector: Detector,
}

impl PreparedTemplate {
    pub(crate) fn from_template(template: SiteTemplate) -> Self {
        Self { detector: Detector::from_template(&template), template }
    }
}
