//! Counts controls and names that distinguish lists from articles: labels of buttons in shops and lists,
//! class names of `html` and `body`, and page types in scripts.
//!
//! The labels are in English, Vietnamese and some other languages. A short line counts if it begins with a
//! label. The class names, such as "single", "archive" and "template-collection", are common in content
//! management systems (WordPress, Drupal, Shopify).

use std::collections::HashSet;
use std::sync::LazyLock;

use gleaner_html::Page;

use crate::article::phrases::Phrases;
use crate::block_model::ClassifiedBlock;

/// Maximum number of words of a line that begins with a control's label.
const SHORT: u32 = 6;

const OF_SHOPS: [&str; 43] = [
    "add to cart",
    "add to bag",
    "add to basket",
    "add to wishlist",
    "buy now",
    "shop now",
    "shop all",
    "quick view",
    "quick shop",
    "quick add",
    "in stock",
    "out of stock",
    "sold out",
    "free shipping",
    "regular price",
    "sale price",
    "select options",
    "choose options",
    "compare",
    "reviews",
    "save ",
    "now $",
    "was $",
    "thêm vào giỏ",
    "giỏ hàng",
    "mua ngay",
    "chọn mua",
    "hết hàng",
    "в корзину",
    "купить",
    "в наличии",
    "нет в наличии",
    "加入购物车",
    "加入購物車",
    "立即购买",
    "立即購買",
    "do koszyka",
    "dodaj do koszyka",
    "kup teraz",
    "προσθήκη στο καλάθι",
    "στο καλάθι",
    "in den warenkorb",
    "ajouter au panier",
];

const OF_LISTS: [&str; 50] = [
    "sort by",
    "sort:",
    "filter",
    "refine",
    "clear all",
    "reset",
    "show all",
    "view all",
    "see all",
    "load more",
    "show more",
    "view more",
    "see more",
    "more results",
    "results",
    "showing",
    "items per page",
    "per page",
    "next page",
    "previous page",
    "older posts",
    "newer posts",
    "next »",
    "« prev",
    "sắp xếp",
    "bộ lọc",
    "xem tất cả",
    "trang sau",
    "trang trước",
    "kết quả",
    "tải thêm",
    "сортировать",
    "сортировка",
    "фильтр",
    "показать ещё",
    "показать еще",
    "следующая страница",
    "все новости",
    "排序",
    "筛选",
    "篩選",
    "下一页",
    "下一頁",
    "加载更多",
    "sortuj",
    "filtruj",
    "następna strona",
    "ταξινόμηση",
    "φίλτρα",
    "επόμενη σελίδα",
];

const OF_TEASERS: [&str; 24] = [
    "read more",
    "continue reading",
    "learn more",
    "read article",
    "read story",
    "read the",
    "full story",
    "more »",
    "explore",
    "view details",
    "xem thêm",
    "xem tiếp",
    "đọc tiếp",
    "chi tiết",
    "читать далее",
    "подробнее",
    "далее",
    "czytaj więcej",
    "czytaj dalej",
    "więcej",
    "περισσότερα",
    "阅读全文",
    "閱讀全文",
    "更多",
];

const NAMES_OF_LISTS: [&str; 22] = [
    "archive",
    "category",
    "tag",
    "author",
    "search",
    "home",
    "blog",
    "collection",
    "catalog",
    "shop",
    "listing",
    "index",
    "front",
    "section",
    "topic",
    "taxonomy",
    "term",
    "frontpage",
    "product",
    "products",
    "hub",
    "landing",
];
const NAMES_OF_ARTICLES: [&str; 9] =
    ["single", "article", "post", "story", "detail", "details", "singular", "news", "entry"];

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Controls {
    pub(super) of_shops: f32,
    pub(super) of_lists: f32,
    pub(super) of_teasers: f32,
    /// Number of class names and ids of `html` and `body` that are typical of lists. The next field counts
    /// names that are typical of articles.
    pub(super) list_names: f32,
    pub(super) article_names: f32,
    /// Number of page types in scripts that mean lists, such as `"pageType":"category"`. The next field
    /// counts page types that mean articles.
    pub(super) list_types: f32,
    pub(super) article_types: f32,
    /// Number of elements with a class such as `product` or `price`. The next field counts elements with a
    /// class such as `pagination` or `filter`.
    pub(super) goods: f32,
    pub(super) pages: f32,
}

impl Controls {
    pub(super) fn new(page: &Page, judged: &[ClassifiedBlock]) -> Self {
        let mut controls = Self::default();
        for block in judged.iter().filter(|block| block.words <= SHORT) {
            let line = block.placed.line.text.to_lowercase();
            let first = line.as_bytes().first();
            // Comparing the first bytes rejects most words.
            let begins_with = |word: &&str| word.as_bytes().first() == first && line.starts_with(*word);
            let begins = |words: &[&str]| f32::from(u8::from(words.iter().any(begins_with)));
            controls.of_shops += begins(&OF_SHOPS);
            controls.of_lists += begins(&OF_LISTS);
            controls.of_teasers += begins(&OF_TEASERS);
        }
        controls.read_names(page);
        controls.read_scripts(page);
        controls
    }

    fn read_names(&mut self, page: &Page) {
        for (id, _) in page.iter() {
            let Some(tag) = page.tag(id) else { continue };
            let class = page.attribute(id, "class").unwrap_or_default().to_ascii_lowercase();
            if !class.is_empty() {
                self.goods += f32::from(u8::from(GOODS.is_in(&class)));
                self.pages += f32::from(u8::from(PAGES.is_in(&class)));
            }
            if matches!(tag, "html" | "body") {
                let id = page.attribute(id, "id").unwrap_or_default();
                self.name(&format!("{class} {id}"));
            }
        }
    }

    fn name(&mut self, names: &str) {
        for part in names.split(|c: char| !c.is_ascii_alphabetic()) {
            self.list_names += f32::from(u8::from(NAMES_OF_LISTS.contains(&part)));
            self.article_names += f32::from(u8::from(NAMES_OF_ARTICLES.contains(&part)));
        }
    }

    fn read_scripts(&mut self, page: &Page) {
        for script in page.elements("script") {
            let text = page.raw_text(script);
            let mut times = [0; TYPE_KEYS.len()];
            // All keys contain this letter, and one letter is found faster than six keys.
            for (at, _) in text.match_indices('y') {
                let key = TYPE_KEYS.iter().position(|(before, behind)| {
                    text[..at].ends_with(before) && text[at + 1..].starts_with(behind)
                });
                let Some(key) = key.filter(|key| times[*key] < MAX_TYPES) else { continue };
                times[key] += 1;
                self.read_type(value_behind(&text[at + 1 + TYPE_KEYS[key].1.len()..]));
            }
        }
    }

    fn read_type(&mut self, value: &str) {
        let value = value.to_ascii_lowercase();
        let is_of = |names: &[&str]| {
            value.split(|c: char| !c.is_ascii_alphabetic()).any(|part| names.contains(&part))
        };
        let article = is_of(&NAMES_OF_ARTICLES);
        self.article_types += f32::from(u8::from(article));
        self.list_types += f32::from(u8::from(!article && is_of(&NAMES_OF_LISTS)));
    }
}

/// The ends of the keys of page types in scripts, as the parts before and after their first `y`. For example,
/// `ageType` is the end of `pageType` and of `PageType`.
const TYPE_KEYS: [(&str, &str); 6] = [
    ("ageT", "pe"),
    ("age_t", "pe"),
    ("aget", "pe"),
    ("ontentT", "pe"),
    ("ontent_t", "pe"),
    ("PageCategor", ""),
];

/// Maximum number of values of one key that are read in a script.
const MAX_TYPES: usize = 20;

/// Parts of classes of goods, and of page numbers and filters.
static GOODS: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(["product", "price", "add-to-cart"]));
static PAGES: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(["pagination", "pager", "facet", "filter", "sort-", "load-more"]));

/// Returns the value after a key, such as `category` for `": "category"`. Returns an empty text if there is
/// none.
fn value_behind(text: &str) -> &str {
    let rest = text.trim_start_matches(['"', '\'', '\\', ' ']);
    let Some(rest) = rest.strip_prefix([':', '=']) else { return "" };
    let rest = rest.trim_start_matches([' ', '\\']);
    let Some(rest) = rest.strip_prefix(['"', '\'']) else { return "" };
    let end = rest.char_indices().take(40).find(|(_, c)| matches!(c, '"' | '\'' | '\\'));
    end.map_or("", |(at, _)| &rest[..at])
}

/// Returns the number of distinct link targets below the page's URL, and the number of links to further pages
/// of a list. Returns `None` if the page's URL is not absolute.
pub(super) fn links_below(page: &Page, address: &str) -> Option<(f32, f32)> {
    let own = path_of(address)?;
    let trunk = own.trim_end_matches('/').to_owned();
    let trunk =
        trunk.rsplit_once('.').filter(|(_, end)| !end.contains('/')).map_or(trunk.as_str(), |(head, _)| head);
    let (mut below, mut further) = (HashSet::new(), 0.0);
    for id in page.elements("a") {
        let Some(href) = page.attribute(id, "href") else { continue };
        let href = href.trim();
        if href.starts_with('#') {
            continue;
        }
        let path = if href.contains("://") {
            path_of(href).unwrap_or_default()
        } else {
            href.split('#').next().unwrap_or_default()
        };
        further += f32::from(u8::from(is_further_page(path)));
        let Some(behind) = path.strip_prefix(trunk).filter(|_| trunk.len() > 1) else { continue };
        if behind.len() > 1 && behind.starts_with('/') && !behind.starts_with("/?") {
            below.insert(behind);
        }
    }
    Some((below.len() as f32, further))
}

/// Whether a path contains, in upper or lower case, a part such as `page=` or `-p2`. All these parts contain
/// a `p`.
fn is_further_page(path: &str) -> bool {
    const BEHIND: [&str; 4] = ["age=", "=2", "aged=", "age2"];
    let has = |at: usize, part: &str| {
        path.as_bytes().get(at..at + part.len()).is_some_and(|it| it.eq_ignore_ascii_case(part.as_bytes()))
    };
    path.match_indices(['p', 'P']).any(|(at, _)| {
        BEHIND.iter().any(|part| has(at + 1, part)) || at > 0 && (has(at - 1, "/page/") || has(at - 1, "-p2"))
    })
}

fn path_of(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let path = rest.find('/').map_or("/", |at| &rest[at..]);
    Some(path.split(['?', '#']).next().unwrap_or_default())
}
