//! Shows an address without anything that may be a password.
//!
//! The input may be any text that a user entered as an address, even an invalid address. If the position of
//! the password is unclear, only the scheme is shown.

const HARMLESS: [&str; 17] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "load_balance_hosts",
    "port",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
];

/// Parameters whose values may be secret.
const HIDDEN: [&str; 6] = ["options", "passfile", "password", "sslcert", "sslkey", "sslpassword"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AddressPieces<'a> {
    /// The scheme with its `://`. It may be empty.
    scheme: &'a str,
    /// The text before the last `@`: a user, and perhaps a password.
    pub(super) user_info: Option<&'a str>,
    /// The text between the user and the query: the hosts and the name of the database.
    place: &'a str,
    pub(super) query: &'a str,
}

impl<'a> AddressPieces<'a> {
    /// Splits an address. Returns `None` if it is unclear where the password ends and the query begins.
    pub(super) fn from_text(text: &'a str) -> Option<Self> {
        let (scheme, rest) = text.split_at(scheme_of(text).len());
        let (before, query) = rest.split_once('?').unwrap_or((rest, ""));
        if query.contains('@') && !query.split('&').all(is_known) {
            return None;
        }
        let (user_info, place) = match before.rsplit_once('@') {
            Some((user_info, place)) => (Some(user_info), place),
            None => (None, before),
        };
        Some(Self { scheme, user_info, place, query })
    }
}

fn scheme_of(text: &str) -> &str {
    let is_name = |scheme: &str| {
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    match text.find("://") {
        Some(at) if is_name(&text[..at]) => &text[..at + 3],
        _ => "",
    }
}

fn name_of(pair: &str) -> &str {
    pair.split_once('=').map_or("", |(name, _)| name)
}

fn is_known(pair: &str) -> bool {
    HARMLESS.contains(&name_of(pair)) || HIDDEN.contains(&name_of(pair))
}

/// Returns an address without anything that may be a password. The user name remains.
///
/// ```
/// use gleaner_store::redacted_address;
///
/// let given = "postgres://an:hush@db.example/news?password=hush&sslmode=require";
/// assert_eq!(redacted_address(given), "postgres://an@db.example/news?sslmode=require");
/// ```
#[must_use]
pub fn redacted_address(text: &str) -> String {
    let Some(AddressPieces { scheme, user_info, place, query }) = AddressPieces::from_text(text) else {
        return format!("{}...", scheme_of(text));
    };
    let user = user_info.and_then(|user_info| user_info.split(':').next()).unwrap_or_default();
    let at = if user.is_empty() { "" } else { "@" };
    let shows = |pair: &&str| HARMLESS.contains(&name_of(pair)) && !pair.contains('@');
    let pairs: Vec<&str> = query.split('&').filter(shows).collect();
    let mark = if pairs.is_empty() { "" } else { "?" };
    format!("{scheme}{user}{at}{}{mark}{}", shown_place(place), pairs.join("&"))
}

/// Returns the hosts and the database, up to the first character that cannot belong to them.
fn shown_place(place: &str) -> &str {
    let is_foreign = |c: char| c.is_whitespace() || c.is_control() || "&;=#".contains(c);
    let place = place.split(is_foreign).next().unwrap_or_default();
    let hosts = place.split('/').next().unwrap_or_default();
    match end_of_hosts(hosts) {
        end if end < hosts.len() => &place[..end],
        _ => place,
    }
}

/// Returns the offset at which the hosts end. A colon without a port ends them, because a password may follow.
fn end_of_hosts(hosts: &str) -> usize {
    let mut begin = 0;
    for host in hosts.split(',') {
        let name = match host.find(']') {
            Some(end) if host.starts_with('[') => end + 1,
            _ => host.find(':').unwrap_or(host.len()),
        };
        let port = &host[name..];
        if !port.is_empty()
            && !port.strip_prefix(':').is_some_and(|port| port.bytes().all(|b| b.is_ascii_digit()))
        {
            return begin + name;
        }
        begin += host.len() + 1;
    }
    hosts.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_shown_but_what_may_be_a_password() {
        for (given, shown) in [
            ("sled", "sled"),
            ("a/folder", "a/folder"),
            ("postgres://db/news", "postgres://db/news"),
            ("postgres://an@db:5433,db2/news", "postgres://an@db:5433,db2/news"),
            ("postgres://an:hush@db:5433/news", "postgres://an@db:5433/news"),
            ("postgres://:hush@db/news", "postgres://db/news"),
            ("postgres://an:hush@[::1]:25432,[fe80::1]/news", "postgres://an@[::1]:25432,[fe80::1]/news"),
            ("postgres://an@db/news?password=hush", "postgres://an@db/news"),
            ("postgres://db/news?user=an&password=hush", "postgres://db/news?user=an"),
            ("postgres://db/news?user=an&password=hu@sh", "postgres://db/news?user=an"),
            (
                "postgres://an@db/news?sslmode=require&pass%77ord=hush",
                "postgres://an@db/news?sslmode=require",
            ),
            (
                "postgres://an@db/news?PASSWORD=hush&connect_timeout=5",
                "postgres://an@db/news?connect_timeout=5",
            ),
            ("postgres://an@db/news?password=hu&sh&port=1", "postgres://an@db/news?port=1"),
            // Passwords with unescaped characters.
            ("postgres://an:hu@sh/hush@db/news", "postgres://an@db/news"),
            ("postgres://an:hu:sh@db/news", "postgres://an@db/news"),
            ("postgres://an:hush?hush@db/news?sslmode=require", "postgres://..."),
            ("postgres://an:hu@sh?hush@db/news", "postgres://..."),
            ("an:hush?hush@db/news", "..."),
            // Other kinds of addresses.
            ("mysql://u:hush@h/x", "mysql://u@h/x"),
            ("u:hush@h/x", "u@h/x"),
            ("postgres://u:hush/hush", "postgres://u"),
            ("postgres://db,u:hush/x", "postgres://db,u"),
            ("postgres://[::1]hush/x", "postgres://[::1]"),
            ("postgres://db/news&password=hush", "postgres://db/news"),
            ("postgres://db/news;password=hush", "postgres://db/news"),
            ("host=db password=hush", "host"),
            ("an:hush://db@x", "an@x"),
            ("", ""),
        ] {
            assert_eq!(redacted_address(given), shown, "{given}");
            assert!(!redacted_address(given).contains("hu"), "{given}");
        }
    }
}
