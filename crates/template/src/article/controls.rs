//! Counts controls and names that distinguish lists from articles: button labels of shops and lists, class
//! names of `html` and `body`, page types in scripts.
//!
//! The labels are in English, Vietnamese and some other languages. A short line counts if it begins with a
//! label. The class names, such as "single", "archive" and "template-collection", are common in content
//! management systems (WordPress, Drupal, Shopify).

use gleaner_extract::block_model::Judged;
use gleaner_html::Page;

/// Maximum number of words of a line with a control's label.
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
    /// Number of class names and ids of `html` and `body` that are typical of lists, and of articles.
    pub(super) list_names: f32,
    pub(super) article_names: f32,
    /// Number of page types in scripts, such as `"pageType":"category"`, that mean lists, and articles.
    pub(super) list_types: f32,
    pub(super) article_types: f32,
    /// Number of elements with a class such as `product` or `price`, and such as `pagination` or `filter`.
    pub(super) goods: f32,
    pub(super) pages: f32,
}

impl Controls {
    pub(super) fn new(page: &Page, judged: &[Judged]) -> Self {
        let mut controls = Self::default();
        for block in judged.iter().filter(|block| block.words <= SHORT) {
            let line = block.placed.line.text.to_lowercase();
            let begins =
                |words: &[&str]| f32::from(u8::from(words.iter().any(|word| line.starts_with(word))));
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
            let has = |words: &[&str]| f32::from(u8::from(words.iter().any(|word| class.contains(word))));
            self.goods += has(&["product", "price", "add-to-cart"]);
            self.pages += has(&["pagination", "pager", "facet", "filter", "sort-", "load-more"]);
            if matches!(tag, "html" | "body") {
                let named = format!("{class} {}", page.attribute(id, "id").unwrap_or_default());
                self.name(&named);
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
            for key in ["ageType", "age_type", "agetype", "ontentType", "ontent_type", "PageCategory"] {
                for (at, _) in text.match_indices(key).take(20) {
                    let value = value_behind(&text[at + key.len()..]).to_ascii_lowercase();
                    let is_of = |names: &[&str]| {
                        value.split(|c: char| !c.is_ascii_alphabetic()).any(|part| names.contains(&part))
                    };
                    let article = is_of(&NAMES_OF_ARTICLES);
                    self.article_types += f32::from(u8::from(article));
                    self.list_types += f32::from(u8::from(!article && is_of(&NAMES_OF_LISTS)));
                }
            }
        }
    }
}

/// Returns the value after a key, such as `category` for `": "category"`. Empty if there is no value.
fn value_behind(text: &str) -> &str {
    let rest = text.trim_start_matches(['"', '\'', '\\', ' ']);
    let Some(rest) = rest.strip_prefix([':', '=']) else { return "" };
    let rest = rest.trim_start_matches([' ', '\\']);
    let Some(rest) = rest.strip_prefix(['"', '\'']) else { return "" };
    let end = rest.char_indices().take(40).find(|(_, c)| matches!(c, '"' | '\'' | '\\'));
    end.map_or("", |(at, _)| &rest[..at])
}

/// Returns the number of distinct link targets below the page's URL, and the number of links to later pages
/// of a list. Returns `None` if the page's URL is not absolute.
pub(super) fn links_below(page: &Page, address: &str) -> Option<(f32, f32)> {
    let own = path_of(address)?;
    let trunk = own.trim_end_matches('/').to_owned();
    let trunk =
        trunk.rsplit_once('.').filter(|(_, end)| !end.contains('/')).map_or(trunk.as_str(), |(head, _)| head);
    let (mut below, mut further) = (std::collections::HashSet::new(), 0.0);
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
        let lower = path.to_ascii_lowercase();
        if ["page=", "/page/", "p=2", "paged=", "page2", "-p2"].iter().any(|word| lower.contains(word)) {
            further += 1.0;
        }
        let Some(behind) = path.strip_prefix(trunk).filter(|_| trunk.len() > 1) else { continue };
        if behind.len() > 1 && behind.starts_with('/') && !behind.starts_with("/?") {
            below.insert(behind);
        }
    }
    Some((below.len() as f32, further))
}

fn path_of(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let path = rest.find('/').map_or("/", |at| &rest[at..]);
    Some(path.split(['?', '#']).next().unwrap_or_default())
}
