//! Tests canonical forms with examples, and with random texts that parse.

use super::CanonicalUrl;
use proptest::prelude::*;

fn canonical(text: &str) -> String {
    CanonicalUrl::parse(text).map_or_else(|refusal| refusal.code().to_owned(), |url| url.to_string())
}

#[test]
fn forms() {
    for (written, expected) in [
        ("https://vnexpress.net", "https://vnexpress.net/"),
        ("HTTP://VnExpress.NET:80/A", "http://vnexpress.net/A"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("https://báo.vn/tin", "https://xn--bo-mia.vn/tin"),
        ("https://example.com./a", "https://example.com/a"),
        ("https://example.com/a/./b/../c", "https://example.com/a/c"),
        ("https://example.com/%2e%2E/a", "https://example.com/a"),
        ("https://example.com/a#b", "https://example.com/a"),
        ("https://example.com/a?", "https://example.com/a"),
        ("https://example.com/a?b=2&a=1", "https://example.com/a?b=2&a=1"),
        ("https://example.com/tin-tức", "https://example.com/tin-t%E1%BB%A9c"),
        ("https://example.com/tin-t%e1%bb%a9c", "https://example.com/tin-t%E1%BB%A9c"),
        ("https://example.com/%7eanna", "https://example.com/~anna"),
        ("https://example.com/a;jsessionid=AB12?x=1", "https://example.com/a?x=1"),
        ("https://example.com/..;jsessionid=1/x", "https://example.com/x"),
        ("https://example.com/a?utm%5Fsource=x&id=7", "https://example.com/a?id=7"),
        ("https://vnexpress.net/a-1.html?vn_source=Home&vn_thumb=1", "https://vnexpress.net/a-1.html"),
        ("  https://example.com/\n", "https://example.com/"),
        ("http://[2001:DB8::1]:81/", "http://[2001:db8::1]:81/"),
        ("http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a"),
        ("https://@example.com/", "https://example.com/"),
        // These addresses stay distinct.
        ("https://www.example.com/amp/a", "https://www.example.com/amp/a"),
        ("https://example.com/a/index.html", "https://example.com/a/index.html"),
        ("https://example.com//a/", "https://example.com//a/"),
        ("https://example.com/?q=a+b", "https://example.com/?q=a+b"),
        // These addresses are refused.
        ("mailto:a@example.com", "not_http"),
        ("javascript:void(0)", "not_http"),
        ("ftp://example.com/", "not_http"),
        ("/relative", "unparsable"),
        ("https://", "unparsable"),
        ("https://./", "unparsable"),
        ("https://example.com:99999/", "unparsable"),
        ("https://www..example.com/a", "bad_host"),
        ("https://.example.com/", "bad_host"),
        ("https://example.com../", "bad_host"),
        ("https://../", "bad_host"),
        ("https://www.%2eexample.com/", "bad_host"),
        ("https://www。。example.com/", "bad_host"),
        ("https://example.com,vn/", "bad_host"),
        ("https://*.example.com/", "bad_host"),
        ("https://a_b.example.com/", "https://a_b.example.com/"),
        ("https://anna@example.com/", "user_info"),
        ("https://anna:secret@example.com/", "user_info"),
        ("https://example.com/a/a/a/b", "https://example.com/a/a/a/b"),
        ("https://example.com/a/b/a/b/a/b/a/b/", "repeated_segment"),
    ] {
        assert_eq!(canonical(written), expected, "{written}");
    }
}

#[test]
fn length_is_that_of_the_canonical_form() {
    let fits = format!("https://example.com/{}", "a".repeat(1_004));
    assert_eq!(canonical(&fits), fits);
    assert_eq!(canonical(&format!("{fits}a")), "too_long");
    assert_eq!(canonical(&format!("{fits}?utm_content={}", "b".repeat(5_000))), fits);
    assert_eq!(canonical(&format!("https://example.com/#{}", "a".repeat(20_000))), "too_long");
    assert_eq!(canonical(&format!("data:image/png;base64,{}", "A".repeat(20_000))), "not_http");
}

#[test]
fn hosts_and_domains() {
    for (url, host, domain) in [
        ("https://www.bbc.co.uk/news", "www.bbc.co.uk", "bbc.co.uk"),
        ("https://e.vnexpress.net/", "e.vnexpress.net", "vnexpress.net"),
        ("https://baochinhphu.com.vn/", "baochinhphu.com.vn", "baochinhphu.com.vn"),
        ("https://anna.blogspot.com/", "anna.blogspot.com", "anna.blogspot.com"),
        ("https://co.uk/", "co.uk", "co.uk"),
        ("https://www.пример.рф/", "www.xn--e1afmkfd.xn--p1ai", "xn--e1afmkfd.xn--p1ai"),
        ("https://www.example.com:8443/", "www.example.com:8443", "example.com"),
        ("http://localhost:4000/", "localhost:4000", "localhost:4000"),
        ("http://127.0.0.1:4000/", "127.0.0.1:4000", "127.0.0.1:4000"),
        ("http://[::1]:4000/", "[::1]:4000", "[::1]:4000"),
        ("http://intranet/", "intranet", "intranet"),
    ] {
        let url = CanonicalUrl::parse(url).unwrap();
        assert_eq!((url.host(), url.domain()), (host, domain));
    }
}

#[test]
fn links() {
    let base = CanonicalUrl::parse("https://example.com/a/b.html?page=2").unwrap();
    for (href, expected) in [
        ("c.html", "https://example.com/a/c.html"),
        ("../c", "https://example.com/c"),
        ("/c", "https://example.com/c"),
        ("//cdn.example.com/c", "https://cdn.example.com/c"),
        ("?page=3", "https://example.com/a/b.html?page=3"),
        ("#top", "https://example.com/a/b.html?page=2"),
        ("", "https://example.com/a/b.html?page=2"),
        ("\n  c d.html\t", "https://example.com/a/c%20d.html"),
        ("http://example.com/c", "http://example.com/c"),
        ("tel:+8424", "not_http"),
        ("http://", "unparsable"),
    ] {
        let joined = base.join(href).map_or_else(|r| r.code().to_owned(), |url| url.to_string());
        assert_eq!(joined, expected, "{href:?}");
    }
}

#[test]
fn hosts_are_as_long_as_dns_allows() {
    let label = "a".repeat(63);
    let name = [&*label, &label, &label, &"b".repeat(61)].join(".");
    assert_eq!(canonical(&format!("https://{name}/")), format!("https://{name}/"));
    assert_eq!(canonical(&format!("https://{name}./")), format!("https://{name}/"));
    assert_eq!(canonical(&format!("https://{name}b/")), "bad_host");
    assert_eq!(canonical(&format!("https://a{label}.vn/")), "bad_host");
    // The limit applies to the A-label, which has 68 characters here.
    assert_eq!(canonical(&format!("https://{}.vn/", "ế".repeat(61))), "bad_host");
}

#[test]
fn links_and_locations_are_judged_by_their_host_too() {
    let base = CanonicalUrl::parse("https://example.com/a").unwrap();
    for joined in [base.join("//www..example.com/"), base.join_location("https://www..example.com/b")] {
        assert_eq!(joined.unwrap_err().label(), "bad_host");
    }
    // Records of an earlier version remain readable.
    let record = "https://www..example.com/a";
    assert_eq!(CanonicalUrl::from_record(record).unwrap().as_str(), record);
    assert_eq!(serde_json::from_str::<CanonicalUrl>(&format!("{record:?}")).unwrap().as_str(), record);
}

#[test]
fn locations() {
    let base = CanonicalUrl::parse("https://www.example.com/maps/s.xml").unwrap();
    for (text, expected) in [
        ("https://example.com/a", "https://example.com/a"),
        ("http:/example.com/a", "http://example.com/a"),
        (" www.example.com/ ", "https://www.example.com/"),
        ("example.com/a?b=1", "https://example.com/a?b=1"),
        ("m.example.com", "https://m.example.com/"),
        ("other.vn/a", "https://other.vn/a"),
        ("other.vn:8080/a", "https://other.vn:8080/a"),
        ("//m.example.com/a", "https://m.example.com/a"),
        ("/a", "https://www.example.com/a"),
        ("b.html", "https://www.example.com/maps/b.html"),
        ("ftp://example.com/", "not_http"),
    ] {
        let joined = base.join_location(text).map_or_else(|r| r.code().to_owned(), |url| url.to_string());
        assert_eq!(joined, expected, "{text}");
    }
}

#[test]
fn serialised_as_text_and_checked_when_read() {
    let url = CanonicalUrl::parse("https://example.com/a?b=1").unwrap();
    let json = serde_json::to_string(&url).unwrap();
    assert_eq!(json, "\"https://example.com/a?b=1\"");
    assert_eq!(serde_json::from_str::<CanonicalUrl>(&json).unwrap(), url);
    let error = serde_json::from_str::<CanonicalUrl>("\"ftp://a/\"").unwrap_err();
    assert!(error.to_string().contains("not an http"), "{error}");
}

/// Random texts with difficult characters. Many of them are addresses.
fn address() -> impl Strategy<Value = String> {
    (
        "(https?|HTTP)",
        "([a-zA-Zăđ0-9-]{1,8}\\.){0,3}(vn|com|co\\.uk|рф|1)\\.{0,2}(:[0-9]{1,5})?",
        "(/[a-c0-9%;=.~ăđ\\\\A-F \"<>|]{0,10}|/\\.\\.?|/%2[eE]|;jsessionid=[a-z.%]{0,4}){0,6}",
        "(\\?([a-c%;=&+.'\"0-9A-F]{0,12}|&?utm_a=[a-z]{0,3}|&sid=[a-f0-9]{0,20}|&gclid){0,3})?",
        "(#.{0,5})?",
    )
        .prop_map(|(scheme, host, path, query, fragment)| format!("{scheme}://{host}{path}{query}{fragment}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn canonical_forms_stay(text in address()) {
        if let Ok(url) = CanonicalUrl::parse(&text) {
            let again = CanonicalUrl::parse(url.as_str()).expect("a canonical form is accepted");
            prop_assert_eq!(&again, &url);
            prop_assert!(url.domain().len() <= url.host().len());
            prop_assert!(url.identity().starts_with(url.host()));
        }
    }

    #[test]
    fn http_and_https_are_one_page(text in address()) {
        if let Ok(url) = CanonicalUrl::parse(&text) && url.url().port().is_none() {
            let other = match url.as_str().strip_prefix("https") {
                Some(rest) => format!("http{rest}"),
                None => url.as_str().replacen("http", "https", 1),
            };
            prop_assert_eq!(CanonicalUrl::parse(&other).expect("only the scheme differs").key(), url.key());
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,40}", href in ".{0,40}") {
        let base = CanonicalUrl::parse("https://example.com/a/b?c").expect("a plain address");
        let _ = CanonicalUrl::parse(&text);
        let _ = CanonicalUrl::parse(&format!("https://{text}"));
        if let Ok(url) = base.join(&href) {
            prop_assert_eq!(CanonicalUrl::parse(url.as_str()), Ok(url.clone()));
        }
    }
}

#[test]
fn the_list_of_public_suffixes_is_named_by_the_library_that_is_built_in() {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).unwrap();
    let (_, psl) = lock.split_once("name = \"psl\"\nversion = \"").unwrap();
    let (version, _) = psl.split_once('"').unwrap();
    assert_eq!(super::PUBLIC_SUFFIX_LIST, format!("psl {version}"));
}
