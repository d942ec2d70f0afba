//! Tests the views of a search: concordance, frequencies and word list.

use super::*;

fn text_of(page: &str) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for c in page.chars() {
        match c {
            '<' => is_tag = true,
            '>' => is_tag = false,
            c if !is_tag => text.push(c),
            _ => {}
        }
    }
    text
}

#[tokio::test]
async fn a_concordance_shows_hits_between_their_contexts() {
    let fixture = Fixture::new();
    let page = fixture.page("/search?lang=en&view=concordance&q=hoa").await;
    assert!(page.contains("<strong>3 hits</strong> in 2 documents"), "{page}");
    let row = |hit: &str| page.split("<tr>").find(|row| row.contains(hit)).map(text_of).unwrap_or_default();
    assert!(row(">Hòa<").starts_with("Hồ Hòa Bình cạn nước (title)2026-11-01bao.example"), "{page}");
    assert!(row(">Hoa<").starts_with("Rain fell on the village of Hoa.2026-11-15"), "{page}");
    let ascending = fixture.page("/search?lang=en&view=concordance&q=hoa&sort=left").await;
    assert!(ascending.contains("aria-sort=\"ascending\""), "{ascending}");
    let hosts = fixture.page("/search?lang=en&view=concordance&q=hoa&host=tin.example").await;
    assert!(
        hosts.contains("<strong>1 hit</strong> in 1 document") && hosts.contains("tin.example ×"),
        "{hosts}"
    );
    let none = fixture.page("/search?lang=en&view=concordance").await;
    assert!(none.contains("Write a word"), "{none}");
}

#[tokio::test]
async fn frequencies_have_a_chart_and_a_table() {
    let fixture = Fixture::new();
    let page = fixture.page("/search?lang=en&view=frequency&q=hoa").await;
    assert!(page.contains("aria-label=\"Hits: 2026-11: 3\""), "{page}");
    assert!(page.contains("<caption") && page.contains("All words"), "{page}");
    let by_host = fixture.page("/search?lang=en&view=frequency&q=hoa&by=host").await;
    assert!(!by_host.contains("class=\"chart\""), "{by_host}");
    let address = "href=\"/search?host=bao.example&amp;q=hoa\"";
    assert!(by_host.contains(address) && by_host.contains("class=\"share-bar\""), "{by_host}");
    let documents = fixture.page("/search?lang=en&view=frequency").await;
    assert!(documents.contains("aria-label=\"Documents: 2026-11: 3\""), "{documents}");
}

#[tokio::test]
async fn a_word_list_links_to_the_hits_of_each_word() {
    let fixture = Fixture::new();
    let page = fixture.page("/search?lang=en&view=words&host=bao.example").await;
    let address = "href=\"/search?q=h%C3%B2a&amp;view=concordance&amp;host=bao.example\"";
    assert!(page.contains(address), "{page}");
    assert!(page.contains("counts as its syllables"), "{page}");
}

#[tokio::test]
async fn a_query_that_is_not_understood_is_explained_in_both_languages() {
    let fixture = Fixture::new();
    for (query, english, vietnamese) in [
        ("title:x", "there is no field “title”", "không có trường “title”"),
        ("%22hoa+binh", "a quotation mark is missing", "thiếu dấu ngoặc kép"),
        ("h*a", "only at the end of a word", "chỉ đứng ở cuối từ"),
        ("hoa+-+binh", "directly before the word", "đứng liền trước từ"),
    ] {
        let page = fixture.page(&format!("/search?lang=en&q={query}")).await;
        assert!(page.contains("role=\"alert\"") && page.contains(english), "{query}: {page}");
        let page = fixture.page(&format!("/search?lang=vi&q={query}")).await;
        assert!(page.contains("role=\"alert\"") && page.contains(vietnamese), "{query}: {page}");
    }
    assert_eq!(fixture.get("/search.jsonl?q=title:x").await.0, StatusCode::BAD_REQUEST);
}
