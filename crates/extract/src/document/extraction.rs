//! Extracts the text and metadata of one page.

use gleaner_html::metadata::{Metadata, metadata_fetched};

use crate::article::PageClass;
use crate::draft::{draft, draft_from};
use crate::pins::Pins;
use crate::{Document, Error, Page, Template};

/// Extracts the text and metadata of a page with the block model alone. Returns `None` if no text was found.
///
/// A page that is not an article may also have text. See [`Document::not_article`].
///
/// ```
/// use gleaner_extract::{Page, extract};
///
/// let html = "<title>Rain ends</title><p>The rain that fell on the valley for three days ended on Monday, and the \
///             river, which had risen above the old bridge, went back to its bed.</p>";
/// let document = extract(&Page::parse(html, None)?).unwrap();
/// assert_eq!(document.method, "block-model");
/// assert_eq!(extract(&Page::parse("<img src=a.png>", None)?), None);
/// # Ok::<(), gleaner_extract::Error>(())
/// ```
#[must_use]
pub fn extract(page: &Page) -> Option<Document> {
    extract_with(page, None, &Pins::default())
}

/// Extracts the text and metadata of a page. Uses `template` unless it is `None`. `pins` corrects the result
/// and requests additional parts of the page ([`Extra`](crate::Extra)). Returns `None` if no text was found.
///
/// ```
/// use gleaner_extract::{Extra, Page, Pins, extract_with};
///
/// let html = "<p>The rain that fell on the valley for three days ended on <a href=/monday>Monday</a>, and the \
///             river, which had risen above the old bridge, went back to its bed.</p>";
/// let page = Page::parse(html, Some("https://paper.example/rain"))?;
/// let document = extract_with(&page, None, &Pins::default().with_extras(vec![Extra::Links])).unwrap();
/// assert_eq!(document.links, ["https://paper.example/monday"]);
/// # Ok::<(), gleaner_extract::Error>(())
/// ```
#[must_use]
pub fn extract_with(page: &Page, template: Option<&Template>, pins: &Pins) -> Option<Document> {
    let (tree, origin) = (page.tree(), page.origin());
    let Some(template) = template.map(Template::prepared) else {
        let document = draft_from(tree, &origin, &page.extract_and_judge(pins), None)?;
        return Some(Document::with_class(page, document, page.verdict()));
    };
    let document = draft(tree, &origin, Some(template), pins)?;
    Some(Document::with_class(page, document, template.judge(tree, page.url().unwrap_or_default())))
}

/// Returns a page's metadata without extracting its text. This takes about as much time as parsing the page.
///
/// ```
/// use gleaner_extract::{Page, metadata};
///
/// let page = Page::parse("<meta name=author content='Ann Weaver'><h1>Rain</h1>", None)?;
/// assert_eq!(metadata(&page).authors, ["Ann Weaver"]);
/// # Ok::<(), gleaner_extract::Error>(())
/// ```
#[must_use]
pub fn metadata(page: &Page) -> Metadata {
    let origin = page.origin();
    metadata_fetched(page.tree(), page.url().unwrap_or_default(), origin.fetched)
}

/// Decides from the page alone whether it is an article ([`Page::verdict`]).
///
/// # Errors
/// The same errors as [`Page::parse`].
///
/// ```
/// use gleaner_extract::{NotArticleReason, PageClass, judge};
///
/// assert_eq!(judge("<p>Rain.", None)?, PageClass::NotArticle(NotArticleReason::TooLittleText));
/// # Ok::<(), gleaner_extract::Error>(())
/// ```
pub fn judge(html: &str, url: Option<&str>) -> Result<PageClass, Error> {
    Ok(Page::parse(html, url)?.verdict())
}
