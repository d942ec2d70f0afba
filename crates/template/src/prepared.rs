//! Prepares a site's template for the extraction of many pages.

use gleaner_html::Page;

use crate::{Detector, ExtractedText, LineClassification, Pins, SiteTemplate};

/// A template with its detector. A crawl, `gleaner extract`, `gleaner doctor` and the status page all use it
/// to extract pages, so that their results agree.
#[derive(Debug, Clone)]
pub struct PreparedTemplate {
    template: SiteTemplate,
    detector: Detector,
}

impl PreparedTemplate {
    /// Prepares a template.
    #[must_use]
    pub fn new(template: SiteTemplate) -> Self {
        Self { detector: Detector::from_template(&template), template }
    }

    /// Returns the template.
    #[must_use]
    pub fn template(&self) -> &SiteTemplate {
        &self.template
    }

    /// Returns the detector of the template.
    #[must_use]
    pub fn detector(&self) -> &Detector {
        &self.detector
    }

    /// Extracts a page of the site by detection. Judges every line instead if detection fails, or if the pins
    /// may change the text ([`Pins::affect`]).
    #[must_use]
    pub fn extract(&self, page: &Page, pins: &Pins) -> ExtractedText {
        let detected = if pins.affect(page) { None } else { self.detector.detect(page) };
        detected.unwrap_or_else(|| LineClassification::new(page, Some(&self.template), pins).extracted())
    }

    /// Like [`extract`](Self::extract), but returns the judgement of every line. This is slower, because the
    /// model judges each line even if detection extracts the page.
    #[must_use]
    pub fn classify(&self, page: &Page, pins: &Pins) -> LineClassification {
        let judgement = LineClassification::new(page, Some(&self.template), pins);
        let detected = if pins.affect(page) { None } else { self.detector.detect_lines(page) };
        match detected {
            Some(detected) => judgement.with_detection(detected),
            None => judgement,
        }
    }
}

impl PartialEq for PreparedTemplate {
    fn eq(&self, other: &Self) -> bool {
        self.template == other.template
    }
}
