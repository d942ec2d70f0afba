//! Lists the block tags.
//!
//! The introduction of the FastContentExtractor paper names TABLE, TR, HR, P and DIV. Other entries of this
//! list were lost in print. Figure 3 names SPAN. ContentExtractor's list also contains UL.

const OF_THE_PAPER: [&str; 7] = ["table", "tr", "p", "hr", "ul", "div", "span"];

/// The papers' block tags, the tags that were lost in print, and block tags that were added to HTML later.
const ALL: [&str; 42] = [
    "table",
    "tr",
    "p",
    "hr",
    "ul",
    "div",
    "span", // OF_THE_PAPER
    "td",
    "th",
    "tbody",
    "thead",
    "tfoot",
    "caption",
    "ol",
    "li",
    "dl",
    "dt",
    "dd", // lists and tables in full
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "pre",
    "form",
    "fieldset",
    "center",
    "address",
    "section",
    "article",
    "main",
    "aside",
    "header",
    "footer",
    "nav",
    "figure",
    "figcaption", // HTML 5
    "details",
    "summary",
    "hgroup",
];

pub(crate) fn all_tags() -> Vec<String> {
    ALL.map(String::from).into()
}

pub(crate) fn tags_of_the_paper() -> Vec<String> {
    OF_THE_PAPER.map(String::from).into()
}
