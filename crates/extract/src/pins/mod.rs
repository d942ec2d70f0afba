//! Implements pins: a user's corrections for the pages of a host. Pins override the template.
//!
//! Each host has one file with two lists of selectors:
//!
//! 1. A line inside an element that `drop` selects is never body text.
//! 2. Any other line inside an element that `keep` selects is body text, even if the site repeats it.
//! 3. All other lines are judged as if there were no pins.
//!
//! Therefore `keep` adds to the text and does not limit it. Each of the two lists corrects one kind of error,
//! and only on pages that contain the element. If `keep` had to select the whole body text, a selector that
//! restores a lead paragraph would remove the rest of each article, and a page without the element would lose
//! all its text.
//!
//! A file may also set its host's inserts ([`crate::lines::inserts`]). If it does not, the general setting applies.
//!
//! A line is inside an element if all visible text of the line is inside. The line may contain elements, such
//! as a `<b>`.
//!
//! Limitation: pins do not notice a redesign. If a class is renamed, they select nothing
//! ([`HostPins::unused`]).

mod hosts;
mod selector;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gleaner_corpus::{Extra, Insert};
use gleaner_html::{NodeId, Page};
use thiserror::Error;

use selector::{Selector, State};

use crate::block_model::ClassifiedBlock;

pub use hosts::HostPins;
pub use selector::SelectorError;

/// Maximum number of selectors of one host. It limits the time per page. Selectors that are separated by
/// commas count separately.
const MAX_SELECTORS: usize = 200;

const PINNED: f32 = 6.0;

/// The pins of a host. The default changes nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pins {
    file: String,
    entries: Vec<Entry>,
    inserts: Vec<Insert>,
    /// The name of the setting that requests the inserts. It is empty if no inserts are requested.
    asked_by: String,
    extras: Vec<Extra>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    keeps: bool,
    text: String,
    line: usize,
    selectors: Vec<Selector>,
    used: UsedFlag,
}

/// Whether an entry has selected an element of any page. Clones share the flag. Comparisons ignore it.
#[derive(Debug, Clone, Default)]
struct UsedFlag(Arc<AtomicBool>);

impl PartialEq for UsedFlag {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for UsedFlag {}

/// A pin's decision on a line. The number identifies the pin ([`Pins::describe`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pin {
    /// The line is body text.
    Keep(u16),
    /// The line is not body text.
    Drop(u16),
}

/// The error for a pins file whose selectors cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PinsError {
    /// A selector is invalid.
    #[error("{file}, line {line}: `{text}`: {error}")]
    Selector {
        /// The file.
        file: String,
        /// The line number in the file, from 1.
        line: usize,
        /// The selector as written.
        text: String,
        /// The error in the selector.
        error: SelectorError,
    },
    /// The file has too many selectors.
    #[error("{file}: more than {MAX_SELECTORS} selectors")]
    TooMany {
        /// The file.
        file: String,
    },
}

impl Pins {
    /// Parses the selectors of the pins file `file`. Each selector is passed with its line number.
    ///
    /// # Errors
    /// [`PinsError`] for the first invalid selector, or if there are too many selectors.
    ///
    /// ```
    /// use gleaner_extract::Pins;
    ///
    /// let pins = Pins::new("a.example.toml", &[], &[(1, "aside, .comments")])?;
    /// assert!(!pins.is_empty());
    /// let error = Pins::new("a.example.toml", &[(3, "p:first-child")], &[]).unwrap_err();
    /// assert!(error.to_string().starts_with("a.example.toml, line 3: `p:first-child`: `:first-child` is not"));
    /// # Ok::<(), gleaner_extract::pins::PinsError>(())
    /// ```
    pub fn new<T: AsRef<str>>(
        file: &str,
        keep: &[(usize, T)],
        drop: &[(usize, T)],
    ) -> Result<Self, PinsError> {
        let written = keep.iter().map(|one| (true, one)).chain(drop.iter().map(|one| (false, one)));
        let mut entries = Vec::new();
        let mut count = 0;
        for (keeps, (line, text)) in written {
            let (line, text) = (*line, text.as_ref());
            let selectors = Selector::parse_list(text).map_err(|error| {
                let (file, text) = (file.to_owned(), text.to_owned());
                PinsError::Selector { file, line, text, error }
            })?;
            count += selectors.len();
            if count > MAX_SELECTORS {
                return Err(PinsError::TooMany { file: file.to_owned() });
            }
            entries.push(Entry { keeps, text: text.to_owned(), line, selectors, used: UsedFlag::default() });
        }
        Ok(Self { file: file.to_owned(), entries, ..Self::default() })
    }

    /// Sets the inserts and replaces earlier ones. `asked_by` is the name of the setting that requests them,
    /// such as `text.keep`. It must not be empty.
    ///
    /// ```
    /// use gleaner_corpus::Insert;
    /// use gleaner_extract::Pins;
    ///
    /// let pins = Pins::default().with_inserts(vec![Insert::ByLines], "text.keep");
    /// assert_eq!(pins.asked_by(), "text.keep");
    /// ```
    #[must_use]
    pub fn with_inserts(self, inserts: Vec<Insert>, asked_by: &str) -> Self {
        Self { inserts, asked_by: asked_by.to_owned(), ..self }
    }

    /// Like [`with_inserts`](Self::with_inserts), but keeps inserts that were set before, even an empty set.
    #[must_use]
    pub fn or_inserts(self, inserts: Vec<Insert>, asked_by: &str) -> Self {
        if self.asked_by.is_empty() { self.with_inserts(inserts, asked_by) } else { self }
    }

    /// Sets the parts of a page that are stored in addition to its text.
    #[must_use]
    pub fn with_extras(self, extras: Vec<Extra>) -> Self {
        Self { extras, ..self }
    }

    /// Returns the parts of a page that are stored in addition to its text.
    #[must_use]
    pub fn extras(&self) -> &[Extra] {
        &self.extras
    }

    /// Returns the requested inserts.
    #[must_use]
    pub fn inserts(&self) -> &[Insert] {
        &self.inserts
    }

    /// Returns the name of the setting that requests the inserts, such as `text.keep`. It is empty if no setting
    /// does.
    #[must_use]
    pub fn asked_by(&self) -> &str {
        &self.asked_by
    }

    /// Whether the pins change nothing: they have no selectors, inserts or extras.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.inserts.is_empty() && self.extras.is_empty()
    }

    /// Whether the pins may change the text of this page: they request inserts or additional parts, or select
    /// an element of the page.
    #[must_use]
    pub fn affect(&self, page: &Page) -> bool {
        let selects = || self.of_page(page).iter().any(|pins| pins.keep.is_some() || pins.drop.is_some());
        !self.inserts.is_empty() || !self.extras.is_empty() || (!self.entries.is_empty() && selects())
    }

    /// Whether no pin keeps or drops lines.
    #[must_use]
    pub fn selects_nothing(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the name of the pins file, or an empty string if there is no file.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the file to which a user adds pins for `host`: the file of these pins. If there are no pins yet,
    /// the file of the host in `folder`.
    #[must_use]
    pub fn file_to_edit(&self, folder: &str, host: &str) -> String {
        if self.file.is_empty() { format!("{folder}/{host}.toml") } else { self.file.clone() }
    }

    /// Describes a pin, such as `drop ".comments" (config/pins/a.example.toml, line 2)`.
    #[must_use]
    pub fn describe(&self, pin: Pin) -> String {
        let (Pin::Keep(at) | Pin::Drop(at)) = pin;
        let key = if matches!(pin, Pin::Keep(_)) { "keep" } else { "drop" };
        self.entries.get(usize::from(at)).map_or_else(String::new, |entry| {
            format!("{key} \"{}\" ({}, line {})", entry.text, self.file, entry.line)
        })
    }

    fn unused(&self) -> impl Iterator<Item = String> {
        let is_unused = |entry: &Entry| !entry.used.0.load(Ordering::Relaxed);
        let pin = |keeps, at| if keeps { Pin::Keep(at) } else { Pin::Drop(at) };
        let entries = (0..).zip(&self.entries);
        entries
            .filter(move |(_, entry)| is_unused(entry))
            .map(move |(at, entry)| self.describe(pin(entry.keeps, at)))
    }

    /// Sets the log-odds of every line with a pin to near certainty. Returns the pin of each line, in order.
    pub(crate) fn decide(&self, page: &Page, judged: &mut [ClassifiedBlock]) -> Vec<Option<Pin>> {
        if self.selects_nothing() {
            return vec![None; judged.len()];
        }
        let pins = self.lines(page, judged);
        for (judged, pin) in judged.iter_mut().zip(&pins) {
            match pin {
                Some(Pin::Keep(_)) => judged.log_odds = PINNED,
                Some(Pin::Drop(_)) => judged.log_odds = -PINNED,
                None => {}
            }
        }
        pins
    }

    /// Returns the pin of each line, in order.
    #[must_use]
    pub fn lines(&self, page: &Page, judged: &[ClassifiedBlock]) -> Vec<Option<Pin>> {
        let of_nodes = self.of_page(page);
        judged.iter().map(|judged| of_line(page, &of_nodes, judged.placed.nodes.clone())).collect()
    }

    /// Returns the pins of every node. The time is proportional to nodes times selectors times steps.
    fn of_page(&self, page: &Page) -> Vec<NodePins> {
        let selectors: Vec<(u16, &Entry, &Selector)> = (0..)
            .zip(&self.entries)
            .flat_map(|(at, entry)| entry.selectors.iter().map(move |selector| (at, entry, selector)))
            .collect();
        let mut all: Vec<NodePins> = Vec::with_capacity(page.len());
        // For each open element, from the outermost: the state of each selector.
        let mut open: Vec<State> = Vec::new();
        for (id, node) in page.iter() {
            let mut pins = if node.parent == id { NodePins::default() } else { all[node.parent as usize] };
            if page.tag(id).is_some() {
                let depth = node.depth as usize * selectors.len();
                open.truncate(depth);
                for (at, (entry_at, entry, selector)) in selectors.iter().enumerate() {
                    let above = depth.checked_sub(selectors.len()).map(|parent| open[parent + at]);
                    let state = selector.enter(page, id, above.unwrap_or_default());
                    open.push(state);
                    if selector.selects(state) {
                        pins.add(entry.keeps, *entry_at);
                        entry.used.0.store(true, Ordering::Relaxed);
                    }
                }
            }
            all.push(pins);
        }
        all
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct NodePins {
    keep: Option<u16>,
    drop: Option<u16>,
}

impl NodePins {
    fn add(&mut self, keeps: bool, entry: u16) {
        *(if keeps { &mut self.keep } else { &mut self.drop }) = Some(entry);
    }
}

/// Returns the pin of a line if all its text is inside selected elements. `drop` takes precedence.
fn of_line(page: &Page, of_nodes: &[NodePins], nodes: Range<NodeId>) -> Option<Pin> {
    let is_text = |id: &NodeId| page.text(*id).is_some_and(|text| !text.trim().is_empty());
    let mut texts = nodes.filter(is_text).map(|id| of_nodes[id as usize]);
    let first = texts.next()?;
    let common = texts.fold(first, |common, next| NodePins {
        keep: common.keep.filter(|_| next.keep.is_some()),
        drop: common.drop.filter(|_| next.drop.is_some()),
    });
    common.drop.map(Pin::Drop).or(common.keep.map(Pin::Keep))
}

#[cfg(test)]
mod tests {
    use crate::block_model::{self, Forest, Split, Tree};

    use super::*;

    fn always(log_odds: f32) -> Forest {
        let split = Split { feature: 0, left: -1, right: -2, threshold: 0.0 };
        Forest::new(vec![Tree { splits: vec![split], leaves: vec![log_odds, log_odds] }])
    }

    fn decided(html: &str, keep: &[&str], drop: &[&str], log_odds: f32) -> Vec<(String, bool)> {
        let pins = Pins::new("x.toml", &numbered(keep), &numbered(drop)).unwrap();
        let page = Page::parse(html);
        let mut judged = block_model::classify(&page, &always(log_odds));
        pins.decide(&page, &mut judged);
        judged.into_iter().map(|judged| (judged.placed.line.text.clone(), judged.is_content())).collect()
    }

    fn numbered<'a>(list: &[&'a str]) -> Vec<(usize, &'a str)> {
        (1..).zip(list.iter().copied()).collect()
    }

    fn content(html: &str, keep: &[&str], drop: &[&str], log_odds: f32) -> Vec<String> {
        let decided = decided(html, keep, drop, log_odds).into_iter();
        decided.filter(|(_, is)| *is).map(|(text, _)| text).collect()
    }

    const HTML: &str = "<div class=story><p>one</p><p>two <b>bold</b></p><div class=ad><p>three</p>\
        <p class=really>four</p></div></div><p><i class=credit>five</i> <i class=credit>six</i></p>";

    #[test]
    fn what_is_dropped_is_never_content() {
        assert_eq!(content(HTML, &[], &[".ad"], 2.0), ["one", "two bold", "five six"]);
        assert_eq!(content(HTML, &[".really"], &[".ad"], 2.0), ["one", "two bold", "five six"]);
        assert_eq!(content(HTML, &[], &["body"], 2.0), [""; 0]);
    }

    #[test]
    fn pins_that_select_nothing_are_known() {
        let pins = Pins::new("x.toml", &numbered(&[".story"]), &numbered(&[".really", ".absent"])).unwrap();
        let hosts = HostPins::from_iter([("x.example".to_owned(), pins.clone())]).with_extras(&[]);
        let page = Page::parse(HTML);
        hosts.for_host("x.example").decide(&page, &mut block_model::classify(&page, &always(2.0)));
        assert_eq!(hosts.unused(&[]).collect::<Vec<_>>(), ["drop \".absent\" (x.toml, line 2)"]);
        assert_eq!(hosts.unused(&["x.example".to_owned()]).count(), 0);
        assert_eq!(HostPins::default().unused(&[]).count(), 0);
        assert_eq!(pins.file_to_edit("pins", "x.example"), "x.toml");
        assert_eq!(Pins::default().file_to_edit("pins", "x.example"), "pins/x.example.toml");
    }

    #[test]
    fn what_is_kept_is_content_and_the_rest_stays_as_judged() {
        assert_eq!(content(HTML, &[".story"], &[".ad"], -2.0), ["one", "two bold"]);
        assert_eq!(content(HTML, &[".ad .really"], &[], -2.0), ["four"]);
        assert_eq!(content(HTML, &[".ad .really"], &[], 2.0).len(), 5);
        assert_eq!(content(HTML, &[".absent"], &[".absent"], 2.0).len(), 5);
    }

    #[test]
    fn a_line_is_inside_when_all_its_text_is() {
        assert_eq!(content(HTML, &[], &["b"], 2.0).len(), 5);
        assert_eq!(content(HTML, &["i"], &[], -2.0), ["five six"]);
        assert!(!content(HTML, &[], &[".credit"], 2.0).contains(&"five six".to_owned()));
    }

    #[test]
    fn what_the_site_repeats_can_be_kept() {
        let page =
            |story: &str| format!("<p>{story}</p><p class=note>The same on every page of the paper</p>");
        let pages: Vec<Page> =
            ["rain fell", "wind rose", "snow lay"].map(|story| Page::parse(&page(story))).into();
        let refs = pages.iter().collect::<Vec<_>>();
        let mut judged = block_model::SiteModel::learn(&refs, &always(2.0)).1.swap_remove(0);
        assert!(judged[1].removed.is_some() && !judged[1].is_content());
        let pins = Pins::new("x.toml", &[(1, ".note")], &[]).unwrap();
        let said = pins.decide(&pages[0], &mut judged);
        assert!(judged[1].is_content() && said == [None, Some(Pin::Keep(0))]);
        assert_eq!(pins.describe(Pin::Keep(0)), "keep \".note\" (x.toml, line 1)");
    }

    #[test]
    fn files_have_bounds_and_hosts_without_pins_have_none() {
        let many = vec!["p"; MAX_SELECTORS + 1].join(",");
        let error = Pins::new("x.toml", &[], &[(1, &many)]).unwrap_err().to_string();
        assert_eq!(error, "x.toml: more than 200 selectors");
        let pins = Pins::new("x.toml", &[], &[(1, "p")]).unwrap();
        let all = HostPins::from_iter([("a.example".to_owned(), pins.clone())]);
        assert_eq!((all.for_host("a.example"), all.for_host("b.example")), (&pins, &Pins::default()));
        let of_site = Pins::new("x.toml", &[], &[(9, "aside")]).unwrap();
        let sites = ["a.example", "b.example"].map(|site| (site.to_owned(), of_site.clone()));
        let all = all.with_sites(sites.into_iter().collect());
        assert_eq!((all.for_host("a.example"), all.for_host("www.b.example")), (&pins, &of_site));
        assert_eq!((all.for_host("www.a.example"), all.for_host("c.example")), (&of_site, &Pins::default()));
    }

    #[test]
    fn what_a_host_says_of_inserts_wins() {
        let captions = [Insert::Captions];
        let pins = || Pins::new("x.toml", &[], &[(1, "p")]).unwrap();
        let all = [("own", pins().with_inserts(Vec::new(), "x.toml")), ("pinned", pins())];
        let all: HostPins = all.map(|(host, pins)| (host.to_owned(), pins)).into_iter().collect();
        let all = all.or_inserts(&captions, "text.keep");
        for (host, expected) in [("own", &[][..]), ("pinned", &captions), ("other", &captions)] {
            assert_eq!(all.for_host(host).inserts(), expected, "{host}");
        }
        assert!(!all.for_host("other").is_empty() && all.for_host("other").selects_nothing());
    }

    #[test]
    fn deep_pages_are_matched() {
        let html = format!("{}<p>end", "<div>".repeat(10_000));
        let steps = ["div"; 31].join(" ") + " p";
        assert_eq!(content(&html, &[&steps], &[], -2.0), ["end"]);
    }
}
