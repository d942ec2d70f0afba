//! Recognizes pages whose text appears only in a browser that runs their scripts.
//!
//! Only pages with hardly any text are checked. Such a page needs a browser if it has scripts and either the
//! empty root element of a framework or a `<noscript>` that mentions JavaScript.
//!
//! Limitation: if an application has an unknown root element and no `<noscript>`, its page is rejected
//! because it has too little text.

use gleaner_html::Page;

/// The usual `id`s of root elements in frameworks.
const ROOTS: [&str; 10] =
    ["root", "app", "__next", "__nuxt", "___gatsby", "svelte", "main-app", "app-root", "react-root", "q-app"];

pub(super) fn is_needed(page: &Page) -> bool {
    let has_scripts = page.elements("script").next().is_some();
    has_scripts && (has_empty_root(page) || asks_for_javascript(page))
}

fn has_empty_root(page: &Page) -> bool {
    let is_root = |tag: &str| {
        page.elements(tag).any(|id| {
            let is_named = page.attribute(id, "id").is_some_and(|id| ROOTS.contains(&id));
            is_named && page.raw_text(id).trim().is_empty()
        })
    };
    is_root("div") || page.elements("app-root").any(|id| page.raw_text(id).trim().is_empty())
}

fn asks_for_javascript(page: &Page) -> bool {
    page.elements("noscript").any(|id| page.raw_text(id).to_lowercase().contains("javascript"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applications_are_recognized() {
        let cases = [
            ("<div id=root></div><script src=/app.js></script>", true),
            ("<app-root></app-root><script src=/app.js></script>", true),
            (
                "<noscript>You need to enable JavaScript to run this app.</noscript><script src=/a.js></script>",
                true,
            ),
            ("<div id=root></div>", false),
            ("<div id=root><p>Rain fell.</p></div><script src=/app.js></script>", false),
            ("<noscript><img src=/pixel></noscript><script src=/a.js></script><p>Rain fell.", false),
        ];
        for (html, is) in cases {
            assert_eq!(is_needed(&Page::parse(html)), is, "{html}");
        }
    }
}
