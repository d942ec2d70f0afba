//! Collects the declarations of a page: its `<meta>` elements, microdata, JSON-LD and canonical link.
//!
//! Metadata, the block model and the search for embedded texts need these declarations. The page keeps them,
//! so that its JSON-LD is parsed only once.

use serde_json::Value;

use crate::Page;
use crate::json_ld::values;
use crate::links::linked_canonical;
use crate::meta::Meta;
use crate::microdata::Items;

#[derive(Debug, Clone)]
pub(crate) struct Declared {
    pub(crate) items: Items,
    pub(crate) meta: Meta,
    /// The values in the page's JSON-LD.
    pub(crate) json: Vec<Value>,
    /// The address in `<link rel=canonical>`, resolved with `<base>`.
    pub(crate) canonical: Option<String>,
}

impl Declared {
    pub(crate) fn from_page(page: &Page) -> Self {
        let items = Items::from_page(page);
        let meta = Meta::from_page(page, &items);
        Self { items, meta, json: values(page), canonical: linked_canonical(page) }
    }
}
