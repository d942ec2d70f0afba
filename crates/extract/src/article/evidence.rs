//! Collects the properties of a page that are known without the block model. Each is computed at most once.

use std::cell::OnceCell;

use gleaner_html::Page;
use gleaner_html::metadata::{Metadata, MetadataReading};

use super::address::UrlFeatures;
use super::browser;
use super::cards::{Cards, LineMarks};
use super::declared::{DeclaredType, json_ld_types};
use super::signals::Signals;
use super::{GOODS, LEAST_WORDS, MANY_LINK_LINES, MIN_WORDS_DATED, NotArticleReason, is_hub, walls};
use crate::block_model::{ClassifiedBlock, PathIndex};

/// On a known site, a page is a hub if it has no text at the site's DOM paths, its longest sequence of prose
/// has fewer words than `FEW_SENTENCES`, and at least the share `SOME_LINKS` of its words is in links.
const FEW_SENTENCES: f64 = 60.0;
const SOME_LINKS: f64 = 0.25;

/// A declared article with a publication time, a headline in its URL and a sequence of prose of at least this number of
/// words is an article if less than the share `MAX_LINKS` of its words is in links, and if nothing suggests a wall or a
/// gallery.
const CERTAIN_STRETCH: f64 = 200.0;
const MAX_LINKS: f64 = 0.5;

/// Minimum number of words of a headline in a URL, or of digits in a row in its place.
const MIN_HEADLINE: f32 = 4.0;

pub(super) struct Evidence<'a> {
    pub(super) page: &'a Page,
    pub(super) url: &'a str,
    pub(super) address: Option<UrlFeatures>,
    pub(super) signals: Signals,
    pub(super) types: Vec<String>,
    pub(super) declared: DeclaredType,
    reading: OnceCell<MetadataReading<'a>>,
    metadata: OnceCell<Metadata>,
}

/// Whether a line is at a DOM path that decides that it is body text.
fn is_of_text(line: &ClassifiedBlock) -> bool {
    line.removed.is_none() && line.path.is_some_and(|path| path.decision() == Some(true))
}

/// Maximum number of words of a person's name in the URL of a page that declares an article.
const MAX_DECLARED_NAME: f32 = 3.0;

impl<'a> Evidence<'a> {
    pub(super) fn new(page: &'a Page, url: &'a str) -> Self {
        let types = json_ld_types(page);
        Self {
            page,
            url,
            address: UrlFeatures::from_url(url),
            signals: Signals::from_page(page),
            declared: DeclaredType::from_types(page, &types),
            types,
            reading: OnceCell::new(),
            metadata: OnceCell::new(),
        }
    }

    fn reading(&self) -> &MetadataReading<'a> {
        self.reading.get_or_init(|| MetadataReading::new(self.page, "", None))
    }

    pub(super) fn metadata(&self) -> &Metadata {
        self.metadata.get_or_init(|| self.reading().metadata())
    }

    /// Whether the page declares an article and states a publication time.
    pub(super) fn is_dated_article(&self) -> bool {
        self.declared == DeclaredType::Article && self.reading().has_publication_time()
    }

    fn is_front_page(&self) -> bool {
        self.address.is_some_and(|address| address.is_front_page())
    }

    /// Returns why a page is rejected that is not a wall: it has too little text, or it declares a list.
    pub(super) fn poor_or_declared(&self) -> Option<NotArticleReason> {
        let least = if self.is_dated_article() { MIN_WORDS_DATED } else { LEAST_WORDS };
        if self.signals.words - self.signals.linked < least {
            let pictures = walls::shows_pictures(self.page) && !self.is_front_page();
            let few_links = self.signals.link_lines < MANY_LINK_LINES;
            return Some(match pictures && few_links {
                _ if browser::is_needed(self.page) => NotArticleReason::NeedsBrowser,
                true => NotArticleReason::Gallery,
                false => NotArticleReason::TooLittleText,
            });
        }
        if self.is_author_page() {
            return Some(NotArticleReason::Listing);
        }
        (self.declared == DeclaredType::Listing).then_some(NotArticleReason::DeclaredListing)
    }

    /// Whether the page is about an author: its URL says so, and it has no date. Some sites declare every page an article.
    /// The URL of such a page must not end with more words than most names have.
    fn is_author_page(&self) -> bool {
        let is_short = |address: UrlFeatures| {
            self.declared != DeclaredType::Article || address.slug_words <= MAX_DECLARED_NAME
        };
        self.address.is_some_and(|address| address.names_person && is_short(address))
            && !self.reading().has_publication_time()
    }

    pub(super) fn is_hub(&self) -> bool {
        !self.is_dated_article() && is_hub(&self.signals, self.declared, self.is_front_page())
    }

    /// Whether the page is certainly an article, so that the decision needs no model. `lines` returns all its lines.
    pub(super) fn is_certain<L: AsRef<[ClassifiedBlock]>>(&self, lines: impl FnOnce() -> L) -> bool {
        self.declares_long_article() && {
            let lines = lines();
            !walls::may_be_wall(self.page, lines.as_ref())
                && !walls::may_be_gallery(self.page, lines.as_ref())
        }
    }

    /// Whether the page says that only subscribers may read the text.
    pub(super) fn is_paywalled(&self) -> bool {
        self.reading().paywalled() == Some(true)
    }

    fn declares_long_article(&self) -> bool {
        let has_headline =
            |address: UrlFeatures| address.slug_words >= MIN_HEADLINE || address.digits >= MIN_HEADLINE;
        self.signals.stretch >= CERTAIN_STRETCH
            && self.address.is_some_and(has_headline)
            && self.signals.link_share() < MAX_LINKS
            && self.is_dated_article()
            && !self.is_paywalled()
    }

    /// Returns the kind of a hub. `priced` is the number of its cards with prices.
    pub(super) fn kind_of_hub(&self, priced: f32) -> NotArticleReason {
        let lists = |address: UrlFeatures| {
            address.asks_list || address.behind_listing.is_some_and(|behind| behind <= 2)
        };
        if priced >= GOODS {
            NotArticleReason::Shop
        } else if self.address.is_some_and(lists) {
            NotArticleReason::Listing
        } else {
            NotArticleReason::Hub
        }
    }

    /// Returns why the page is not an article, or `None` if only the block model can decide this. If `site`
    /// is `None`, the reason equals that of [`super::judge_blocks`].
    pub(super) fn without_model(&self, site: Option<&PathIndex>) -> Option<NotArticleReason> {
        let poor = self.poor_or_declared();
        let is_hub = poor.is_none() && self.is_hub();
        let may_be_hub = site.is_some()
            && !self.is_dated_article()
            && self.signals.stretch < FEW_SENTENCES
            && self.signals.link_share() > SOME_LINKS;
        if poor.is_none() && !is_hub && !may_be_hub {
            return None;
        }
        let lines = site.unwrap_or(&PathIndex::default()).lines(self.page, |_| true);
        if walls::may_be_wall(self.page, &lines) {
            return None;
        }
        if poor.is_some() {
            return poor;
        }
        let has_text = || lines.iter().any(is_of_text);
        let is_refused = is_hub && !walls::may_be_gallery(self.page, &lines) || may_be_hub && !has_text();
        is_refused.then(|| {
            let mark = |line: &ClassifiedBlock| LineMarks::new(&line.placed, line.words, false);
            let marks: Vec<LineMarks> = lines.iter().map(mark).collect();
            self.kind_of_hub(Cards::new(self.page, &marks).priced)
        })
    }
}
