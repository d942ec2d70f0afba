//! Recognizes the name of the site and its host.

/// The last part of a title is cut if the host's name contains it and it has at least this length in bytes.
const HOST_PART: usize = 4;

#[derive(Debug, Default)]
pub(crate) struct Site<'a> {
    pub(crate) name: Option<&'a str>,
    /// The page's own address or, if this is unknown, the declared one.
    pub(crate) address: Option<&'a str>,
}

/// Whether a part of a title is the site's name or host, or contains it with little other text. Ignores case,
/// spaces and punctuation.
pub(crate) fn is_site(part: &str, site: &Site) -> bool {
    let part = letters(part);
    if part.is_empty() {
        return false;
    }
    if let Some(name) = site.name {
        let name = letters(name);
        if !name.is_empty() && (part == name || (part.len() < name.len() * 2 && part.contains(&name))) {
            return true;
        }
    }
    let Some(host) = site.address.and_then(host) else { return false };
    let host = host.strip_prefix("www.").unwrap_or(host);
    let is_label = |label: &str| {
        let label = letters(label);
        // `The Boston Globe` on bostonglobe.com.
        part == label || (label.len() > 4 && part.len() <= label.len() + 4 && part.contains(&label))
    };
    part == letters(host) || host.split('.').filter(|label| label.len() > 2).any(is_label)
}

/// Whether the site is known to have another name, which does not contain this one and is not in it.
pub(crate) fn has_other_name(site: &Site, name: &str) -> bool {
    let (own, name) = (letters(site.name.unwrap_or_default()), letters(name));
    !own.is_empty() && !own.contains(&name) && !name.contains(&own)
}

/// Whether a name is the first label of a host below the domain of a platform, such as `an-example.platform.net`.
pub(crate) fn is_user(name: &str, site: &Site) -> bool {
    let Some((user, domain)) = site.address.and_then(host).and_then(|host| host.split_once('.')) else {
        return false;
    };
    // The suffix of `the-paper.co.uk` is no platform.
    let is_domain = domain.split_once('.').is_some_and(|(platform, _)| platform.len() > 3);
    is_domain && letters(user) == letters(name)
}

/// Whether the host's name contains a title's last part, such as `Paper` on the-paper.vn.
pub(super) fn is_in_host(tail: &str, site: &Site) -> bool {
    let tail = letters(tail);
    let host = site.address.and_then(host).unwrap_or_default();
    tail.len() >= HOST_PART && host.split('.').any(|label| letters(label).contains(&tail))
}

/// Whether a name begins with the host's first label, such as `The Paper News` on the-paper.vn.
pub(crate) fn begins_with_host(name: &str, site: &Site) -> bool {
    let host = site.address.and_then(host).unwrap_or_default();
    let own = letters(host.strip_prefix("www.").unwrap_or(host).split('.').next().unwrap_or_default());
    own.len() > 2 && letters(name).starts_with(&own)
}

fn host(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    rest.split(['/', ':', '?', '#']).next()
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
