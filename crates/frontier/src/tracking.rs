//! Removes query parameters that track visitors and do not change the page.
//!
//! Two kinds of parameters are removed: trackers (advertising networks, analytics, share buttons,
//! newsletters) and session ids. The names are from the documentation of the services and from the lists of
//! browsers. A name that is only sometimes a tracker (`ref`, `source`, `from`, `cid`, `p1`) is kept. If two
//! URLs of one page remain, the content hash detects the duplicate. A wrong removal would lose a page.

#[rustfmt::skip]
const TRACKER_PREFIXES: &[&str] = &[
    "utm_", // Google Analytics and services that use its names
    "mtm_", "matomo_", "piwik_", "pk_", // Matomo
    "hsa_", // HubSpot advertisements
    "vn_source", "vn_campaign", "vn_medium", "vn_term", "vn_thumb", // VnExpress's own boxes
    "at_medium", "at_campaign", "at_custom", "at_link", "at_ptr_name", "at_format", "at_bbc_team", // Piano, BBC
    "ns_mchannel", "ns_source", "ns_campaign", "ns_linkname", "ns_fee", // Comscore
    "__twitter_", "__hs",
];

#[rustfmt::skip]
const TRACKERS: &[&str] = &[
    "fbclid", "fb_action_ids", "fb_action_types", "fb_source", "fb_ref", // Facebook
    "igshid", "igsh", "twclid", "ttclid", "li_fat_id", "epik", "rdt_cid", "sccid", // other networks
    "gidzl", "zarsrc", // Zalo
    "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "srsltid", "gad_source", "gad_campaignid", // Google
    "_ga", "_gl", "_gac",
    "msclkid", "yclid", "ymclid", "ysclid", "_openstat", // Microsoft, Yandex
    "mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "hsctatracking", "_ke", "_kx", // newsletters
    "vero_id", "vero_conv", "oly_anon_id", "oly_enc_id", "wickedid", "ml_subscriber", "ml_subscriber_hash",
    "s_cid", "cmpid", "ncid", "ocid", "ito", "xtor", "smid", "smtyp", "ref_src", "ref_url", // newspapers
    "guccounter", "guce_referrer", "guce_referrer_sig", // Yahoo's consent wall
    "spm", "scm", // Alibaba
    "soc_src", "soc_trk", // Yahoo
];

/// Names of query parameters with session ids. They are removed with any value.
#[rustfmt::skip]
const SESSIONS: &[&str] = &[
    "jsessionid", "phpsessid", "phpsessionid", "sessionid", "session_id", "sess_id", "sessid", "cfid", "cftoken",
];

/// Minimum length of a `sid` value that counts as a session id. Shorter values are story numbers (PHP-Nuke).
const SID_SESSION_LENGTH: usize = 16;

/// Returns the query without trackers, session ids and empty parameters, or `None` if no parameter remains.
pub(crate) fn clean_query(query: &str) -> Option<String> {
    let kept: Vec<&str> = query.split('&').filter(|part| !part.is_empty() && !is_noise(part)).collect();
    (!kept.is_empty()).then(|| kept.join("&"))
}

/// Returns the path without `;jsessionid=...` (Java Servlet Specification, 7.1.3).
pub(crate) fn clean_path(path: &str) -> String {
    if !path.contains(';') {
        return path.to_owned();
    }
    path.split('/')
        .map(|segment| {
            let mut parts = segment.split(';');
            let name = parts.next().unwrap_or_default();
            parts
                .filter(|part| !starts_with_ignore_case(part, "jsessionid="))
                .fold(name.to_owned(), |kept, part| kept + ";" + part)
        })
        .collect::<Vec<_>>()
        .join("/")
}

fn is_noise(part: &str) -> bool {
    let (name, value) = part.split_once('=').unwrap_or((part, ""));
    let name = name.to_ascii_lowercase();
    // Some links are escaped twice, as in `?a=1&amp;utm_source=x`.
    let name = name.strip_prefix("amp;").unwrap_or(&name);
    TRACKERS.contains(&name)
        || SESSIONS.contains(&name)
        || TRACKER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || name.starts_with("aspsessionid")
        || (name == "sid" && value.len() >= SID_SESSION_LENGTH)
}

fn starts_with_ignore_case(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use super::{SESSIONS, TRACKER_PREFIXES, TRACKERS, clean_path, clean_query};

    #[test]
    fn queries() {
        for (query, expected) in [
            ("utm_source=a", None),
            ("a=1&utm_source=x&b=2", Some("a=1&b=2")),
            ("b=2&a=1", Some("b=2&a=1")),
            ("FBCLID=x&id=3", Some("id=3")),
            ("&&a=1&", Some("a=1")),
            ("a=1&amp;utm_medium=x", Some("a=1")),
            ("sid=123", Some("sid=123")),
            ("sid=0123456789abcdef0123456789abcdef", None),
            ("PHPSESSID=abc&ASPSESSIONIDQQ=1&page=2", Some("page=2")),
            ("aid=432511", Some("aid=432511")),
            ("", None),
            ("ref=x", Some("ref=x")),
        ] {
            assert_eq!(clean_query(query).as_deref(), expected, "{query}");
        }
    }

    #[test]
    fn paths() {
        for (path, expected) in [
            ("/a;jsessionid=1F.node1", "/a"),
            ("/a;JSESSIONID=1/b;v=2;jsessionid=3;w", "/a/b;v=2;w"),
            ("/a;v=1", "/a;v=1"),
            ("/;jsessionid=", "/"),
        ] {
            assert_eq!(clean_path(path), expected, "{path}");
        }
    }

    #[test]
    fn the_lists_are_lower_case() {
        for name in TRACKERS.iter().chain(SESSIONS).chain(TRACKER_PREFIXES) {
            assert_eq!(*name, name.to_ascii_lowercase());
        }
    }
}
