//! Writes an index of the archive's WARC files in CDXJ, which pywb and other programs read.
//!
//! A line has the key of the URL, the time of the response in UTC, and a JSON object with the place of the response:
//! the name of the WARC file, and the offset and the length of the compressed record. All values are texts, as in pywb.
//! The key is the SURT (Sort-friendly URI Reordering Transform) of the URL as in the Wayback Machine: the labels of
//! the host in reverse order without `www`, then the path and the sorted query, all in lower case.
//!
//! The lines are in the order of the documents. Programs that search the index need it in the order of its bytes
//! (`LC_ALL=C sort`).

use std::net::IpAddr;

use serde_json::json;

use crate::Record;

/// Appends the line of a page. Appends nothing if the record has no [page](crate::RecordContext::page).
pub fn render(record: &Record, out: &mut Vec<u8>) {
    let Some((page, (file, offset))) = record.page().zip(record.archived()) else { return };
    let mut place = json!({
        "url": page.url,
        "mime": page.media_type,
        "status": page.status.to_string(),
        "length": page.length.to_string(),
        "offset": offset.to_string(),
        "filename": file,
    });
    if let Some(digest) = &page.digest {
        place["digest"] = json!(digest);
    }
    let line = format!("{} {} {place}\n", url_key(&page.url), page.at.strftime("%Y%m%d%H%M%S"));
    out.extend(line.as_bytes());
}

/// Returns the key of an absolute web address.
fn url_key(url: &str) -> String {
    let url = url.to_lowercase();
    let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    let (host, target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let path = path.trim_end_matches('/');
    let path = if path.is_empty() { "/" } else { path };
    let query = query.filter(|query| !query.is_empty()).map(|query| {
        let mut parts: Vec<&str> = query.split('&').collect();
        parts.sort_unstable();
        format!("?{}", parts.join("&"))
    });
    format!("{}){path}{}", host_key(host), query.unwrap_or_default())
}

/// Returns the labels of a host in reverse order. An IP address stays as it is.
fn host_key(host: &str) -> String {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => (name, format!(":{port}")),
        _ => (host, String::new()),
    };
    if name.starts_with('[') || name.parse::<IpAddr>().is_ok() {
        return format!("{name}{port}");
    }
    let without = name
        .strip_prefix("www")
        .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
        .and_then(|rest| rest.strip_prefix('.'));
    let labels: Vec<&str> = without.unwrap_or(name).split('.').rev().collect();
    labels.join(",") + &port
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_the_wayback_machine() {
        let cases = [
            ("https://www.Example.com/", "com,example)/"),
            ("https://example.com", "com,example)/"),
            ("http://www2.example.com:8080/A/b/", "com,example:8080)/a/b"),
            ("https://news.example.vn/tin?b=2&a=1&A=0", "vn,example,news)/tin?a=0&a=1&b=2"),
            ("https://wwwexample.com/x?", "com,wwwexample)/x"),
            ("https://example.com?q=1", "com,example)/?q=1"),
            ("http://127.0.0.1:9/a", "127.0.0.1:9)/a"),
            ("http://[::1]/a", "[::1])/a"),
        ];
        for (url, key) in cases {
            assert_eq!(url_key(url), key, "{url}");
        }
    }
}
