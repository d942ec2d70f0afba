//! Defines the template of a site.

use crate::pins::Pins;
use crate::template::{Health, PageFit, PreparedTemplate, SiteTemplate};

use crate::{Document, Error, Page, extract_with};

/// The template of a site: the DOM paths of the body text on the site's pages, and the text that the pages
/// repeat. [`learn`](crate::learn) learns a template from article pages.
#[derive(Debug, Clone, PartialEq)]
pub struct Template(PreparedTemplate);

impl Template {
    /// Parses the output of [`Self::to_json`]. Files of `gleaner learn` have the same format.
    ///
    /// # Errors
    /// [`Error::Template`] if the text is not a template, or if the template has another format version.
    ///
    /// ```
    /// let error = gleaner_extract::Template::from_json("{}").unwrap_err();
    /// assert!(error.to_string().starts_with("not a template file"));
    /// ```
    pub fn from_json(json: &str) -> Result<Self, Error> {
        Ok(SiteTemplate::from_json(json)?.into())
    }

    /// Returns the template as JSON with a final line break.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.site().to_json()
    }

    /// Returns the text and metadata of a page of the site, or `None` if no text was found. The block model decides
    /// about the lines that the template leaves in doubt, and about all lines of a page that the template does not know.
    ///
    /// ```
    /// use gleaner_extract::{Page, learn};
    ///
    /// let page = |day: u32| {
    ///     let text = format!("On day {day} the rain that fell on the valley went on, the office said, and the river \
    ///         rose above the {day} old bridges of the town. Nobody was hurt on day {day}, said the council.");
    ///     Page::parse(&format!("<title>Day {day}</title><div class=body><p>{text}</p><p>{text}</p></div>"), None)
    /// };
    /// let pages = [1, 2, 3].map(|day| page(day).unwrap());
    /// let template = learn(pages)?;
    /// assert!(template.extract(&page(4)?).unwrap().text.starts_with("On day 4 the rain"));
    /// # Ok::<(), gleaner_extract::Error>(())
    /// ```
    #[must_use]
    pub fn extract(&self, page: &Page) -> Option<Document> {
        extract_with(page, Some(self), &Pins::default())
    }

    /// Returns the usual values of the training pages.
    #[must_use]
    pub fn health(&self) -> &Health {
        &self.site().health
    }

    /// Compares a page with the training pages. If 12 of the last 20 compared pages are unlike the training
    /// pages, the template is out of date ([`Window`](crate::Window)).
    #[must_use]
    pub fn compare(&self, page: &Page) -> PageFit {
        self.site().compare(&self.0.extract(page.tree(), &Pins::default()))
    }

    /// Returns the host of the training pages, or `unknown` if their addresses were unknown.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.site().host
    }

    /// Returns the number of training pages.
    #[must_use]
    pub fn pages(&self) -> usize {
        self.site().learned_from.len()
    }

    /// Returns the template in the form that the other crates use.
    #[must_use]
    pub fn site(&self) -> &SiteTemplate {
        self.0.template()
    }

    /// Returns the template, prepared for the extraction of many pages.
    #[must_use]
    pub fn prepared(&self) -> &PreparedTemplate {
        &self.0
    }
}

impl From<SiteTemplate> for Template {
    fn from(template: SiteTemplate) -> Self {
        Self(PreparedTemplate::new(template))
    }
}
