//! Stores the blocks of a site's pages, and compares a page with these blocks.
//!
//! Limitation: a [`SiteBlocks`] keeps the vectors of all blocks in memory, some 10,000 for 30 news pages.
//! FastContentExtractor avoids this.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};

use gleaner_html::text::{Line, PlacedLine};
use gleaner_html::{NodeId, Page};
use serde::{Deserialize, Serialize};

use super::{ContentExtractorParams, Search, own_text};
use crate::site_methods::blocks::Blocks;
use crate::site_methods::blocks::similarity::{self, Groups, Index, LookUp, WorkLimit, repeated_from};
use crate::site_methods::blocks::vector::{Features, Vector, rarest_last};

/// The blocks of a site's pages, prepared for comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct SiteBlocks {
    params: ContentExtractorParams,
    terms: HashMap<String, u32>,
    pages: Vec<Vec<Vector>>,
    groups: Groups,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    params: ContentExtractorParams,
    terms: BTreeMap<String, u32>,
    pages: Vec<Vec<Vector>>,
}

/// The content of a page, with the numbers of compared blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extraction {
    /// The content, one line per extracted block. Sub-blocks come before the block that contains them.
    pub placed: Vec<PlacedLine>,
    /// The text nodes of these blocks, in document order.
    pub text_nodes: Vec<NodeId>,
    /// The number of the page's atomic blocks with a word: NumBlock of the paper's table II.
    pub blocks: usize,
    /// The number of blocks with words on the other input pages. Each block of the page is compared with all
    /// of them.
    pub compared_with: usize,
    /// Whether the comparison was complete. If `false`, [`ContentExtractorParams::max_work`] was reached, and
    /// the content may include repeated blocks.
    pub exact: bool,
}

impl Extraction {
    /// Returns the lines of the content without their positions on the page.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        self.placed.iter().map(|placed| placed.line.clone()).collect()
    }
}

impl From<Stored> for SiteBlocks {
    fn from(Stored { params, terms, pages }: Stored) -> Self {
        Self::from_blocks(params, terms.into_iter().collect(), pages)
    }
}

impl From<SiteBlocks> for Stored {
    fn from(SiteBlocks { params, terms, pages, .. }: SiteBlocks) -> Self {
        Self { params, terms: terms.into_iter().collect(), pages }
    }
}

impl SiteBlocks {
    /// Builds a site from its pages, with time and memory linear in the pages.
    #[must_use]
    pub fn new<P: Borrow<Page>>(pages: &[P], params: &ContentExtractorParams) -> Self {
        let nothing_known = HashMap::new();
        let mut features = Features::with_known(&nothing_known);
        let mut vectors = Vec::new();
        for (number, page) in (0_u32..).zip(pages.iter().map(Borrow::borrow)) {
            let blocks = Blocks::new(page, &params.block_tags, params.max_depth);
            let of_page = with_words(page, &blocks, &mut features);
            vectors.extend(of_page.into_iter().map(|(_, vector)| (number, vector)));
        }
        let terms = rarest_last(&mut vectors, features.into_new());
        let mut by_page = vec![Vec::new(); pages.len()];
        for (number, vector) in vectors {
            by_page[number as usize].push(vector);
        }
        Self::from_blocks(params.clone(), terms, by_page)
    }

    fn from_blocks(
        params: ContentExtractorParams,
        terms: HashMap<String, u32>,
        pages: Vec<Vec<Vector>>,
    ) -> Self {
        let numbered = |(number, page): (u32, &Vec<Vector>)| {
            page.iter().map(|vector| (number, vector.clone())).collect::<Vec<_>>()
        };
        let vectors: Vec<(u32, Vector)> = (0..).zip(&pages).flat_map(numbered).collect();
        let groups = Groups::new(&vectors, params.similarity);
        Self { params, terms, pages, groups }
    }

    /// Returns the number of the site's pages.
    #[must_use]
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Returns the lines of [`find`](Self::find).
    #[must_use]
    pub fn extract(&self, page: &Page) -> Vec<Line> {
        self.find(page).lines()
    }

    /// Returns the content and counts of a page that is not one of the site's pages. The input pages of
    /// ContentExtractor are the site's pages and this page. If the site has no pages, all text is content.
    #[must_use]
    pub fn find(&self, page: &Page) -> Extraction {
        self.compare(page, None)
    }

    /// Returns the content and counts of `page`, which is page `page_number` of the site, counted from 0. The
    /// result is that of [`find`](Self::find) for a site without this page. If no page of the site has this
    /// number, `page` is compared with all pages.
    #[must_use]
    pub fn find_without(&self, page_number: usize, page: &Page) -> Extraction {
        self.compare(page, Some(page_number).filter(|number| *number < self.pages.len()))
    }

    /// Returns NumBlockTemp of the paper's table II, "the number of blocks that are used to compare to decide
    /// whether a block is a content block". We read this as the number of non-content blocks of the site's
    /// pages, counting similar blocks once.
    ///
    /// This interpretation fits the table, which has 86 for ContentExtractor on pages of 319 blocks. It also
    /// fits the text, which compares NumBlockTemp with "the number of blocks in the template". If
    /// [`ContentExtractorParams::max_work`] is reached, similar blocks may be counted separately, and
    /// non-content blocks may be missed.
    #[must_use]
    pub fn num_block_temp(&self) -> usize {
        let repeated =
            repeated_from(self.pages.len(), self.params.repeated_share, self.params.repeated_pages);
        let mut work = WorkLimit::new(self.params.max_work);
        let counts = self.groups.pages_with_similar(&mut work);
        let mut look_up = LookUp::new(work);
        let mut distinct = Index::new(self.params.similarity);
        let mut number = 0;
        for (vector, count) in self.groups.vectors().iter().zip(counts) {
            if count as usize >= repeated && look_up.find(&distinct, vector).is_none() {
                distinct.insert(vector.clone());
                number += 1;
            }
        }
        number
    }

    /// Returns the number of blocks with words on all pages of the site.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.pages.iter().map(Vec::len).sum()
    }

    fn compare(&self, page: &Page, without: Option<usize>) -> Extraction {
        let blocks = Blocks::new(page, &self.params.block_tags, self.params.max_depth);
        let vectors = with_words(page, &blocks, &mut Features::with_known(&self.terms));
        let (counts, exact) = match self.params.search {
            Search::Exhaustive => self.exhaustive(&vectors, without),
            Search::Indexed => self.indexed(&vectors, without),
        };
        let input_pages = self.pages.len() + usize::from(without.is_none());
        let repeated = repeated_from(input_pages, self.params.repeated_share, self.params.repeated_pages);
        let mut is_content = vec![false; blocks.iter().count()];
        for ((number, _), others) in vectors.iter().zip(counts) {
            is_content[*number] = 1 + (others as usize) < repeated;
        }
        Extraction {
            placed: own_text::lines(page, &blocks, |number| is_content[number]),
            text_nodes: blocks
                .texts()
                .filter(|(_, block)| is_content[*block])
                .map(|(node, _)| node)
                .collect(),
            blocks: vectors.len(),
            compared_with: self.blocks() - without.map_or(0, |number| self.pages[number].len()),
            exact,
        }
    }

    /// Returns, for each block, the number of other pages with a similar block, and whether the work limit
    /// was high enough.
    fn exhaustive(&self, vectors: &[(usize, Vector)], without: Option<usize>) -> (Vec<u32>, bool) {
        let mut work = WorkLimit::new(self.params.max_work);
        let mut counts = vec![0; vectors.len()];
        for ((_, vector), count) in vectors.iter().zip(&mut counts) {
            if work.is_spent() {
                break;
            }
            let others = (0..).zip(&self.pages).filter(|(number, _)| Some(*number) != without);
            let mut is_similar = |block: &Vector| {
                work.spend(1 + vector.entries().len() + block.entries().len())
                    && vector.cosine(block) > self.params.similarity
            };
            *count = others.filter(|(_, page)| page.iter().any(&mut is_similar)).count() as u32;
        }
        (counts, !work.is_spent())
    }

    fn indexed(&self, vectors: &[(usize, Vector)], without: Option<usize>) -> (Vec<u32>, bool) {
        let mut search = similarity::Search::new(&self.groups, WorkLimit::new(self.params.max_work));
        let without = without.map(|number| number as u32);
        let mut known: HashMap<&Vector, u32> = HashMap::new();
        let counts = vectors
            .iter()
            .map(|(_, vector)| *known.entry(vector).or_insert_with(|| search.pages(vector, None, without)));
        (counts.collect(), !search.work.is_spent())
    }
}

fn with_words(page: &Page, blocks: &Blocks, features: &mut Features<'_>) -> Vec<(usize, Vector)> {
    let has_words = |number: usize| blocks.block(number).has_words;
    let vectors = blocks.vectors(page, features, has_words);
    vectors.into_iter().enumerate().filter(|(number, _)| has_words(*number)).collect()
}
