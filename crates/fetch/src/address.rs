//! Decides which addresses may be requested.
//!
//! A page can link to any host. The owner of a host can let the name resolve to any address: to a cloud's
//! metadata service, to a printer, or to the crawler's own machine. Therefore the resolver checks addresses
//! after name resolution, each time a connection is opened. An address that changes between check and
//! connection cannot evade the check.
//!
//! The user chooses the proxy, so it is always allowed. For a request through the proxy, only an IP address
//! in the URL itself is checked.

use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use ipnet::IpNet;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;
use url::{Host, Url};

use crate::dns_cache::DnsCache;

/// The error if all addresses of a host are refused. Contains the first address.
#[derive(Debug, Error)]
#[error("{0} is not a public address")]
pub(crate) struct RefusedAddress(pub(crate) IpAddr);

/// Non-public IPv4 networks: IANA's special-purpose registry, multicast, and the reserved last block.
const SPECIAL_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

fn is_public_v4(ip: Ipv4Addr) -> bool {
    !SPECIAL_V4.iter().any(|(net, bits)| (ip.to_bits() ^ net.to_bits()) >> (32 - bits) == 0)
}

/// Whether an IPv6 address is public. Only addresses in 2000::/3 are assigned to the public internet, so all
/// others are refused (loopback, unique local, link-local, multicast). If an address embeds an IPv4 address
/// (mapped, NAT64, 6to4), the IPv4 address decides.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    if let Some(v4) = ip.to_ipv4_mapped() {
        return is_public_v4(v4);
    }
    let s = ip.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    match s {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => is_public_v4(v4(high, low)),
        [0x2002, high, low, ..] => is_public_v4(v4(high, low)),
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] => false,
        [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => first >> 13 == 1,
    }
}

#[derive(Debug, Clone)]
pub(crate) struct AddressPolicy {
    allowed: Arc<[IpNet]>,
}

impl AddressPolicy {
    /// Creates a policy. `allowed` contains networks that may be requested although they are not public.
    pub(crate) fn new(allowed: &[IpNet]) -> Self {
        Self { allowed: allowed.into() }
    }

    pub(crate) fn admits(&self, ip: IpAddr) -> bool {
        let public = match ip {
            IpAddr::V4(v4) => is_public_v4(v4),
            IpAddr::V6(v6) => is_public_v6(v6),
        };
        public || self.allowed.iter().any(|net| net.contains(&ip) || net.contains(&ip.to_canonical()))
    }

    /// Checks a host that is an IP address. Host names are checked after resolution.
    pub(crate) fn literal(&self, url: &Url) -> Result<(), RefusedAddress> {
        let ip = match url.host() {
            Some(Host::Ipv4(v4)) => IpAddr::V4(v4),
            Some(Host::Ipv6(v6)) => IpAddr::V6(v6),
            Some(Host::Domain(_)) | None => return Ok(()),
        };
        if self.admits(ip) { Ok(()) } else { Err(RefusedAddress(ip)) }
    }

    /// Returns the addresses that may be requested. Fails if all addresses are refused.
    pub(crate) fn filter(&self, addresses: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, RefusedAddress> {
        let first = addresses.first().map(SocketAddr::ip);
        let kept: Vec<_> = addresses.into_iter().filter(|a| self.admits(a.ip())).collect();
        match first {
            Some(ip) if kept.is_empty() => Err(RefusedAddress(ip)),
            _ => Ok(kept),
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    pub(crate) judge: AddressPolicy,
    pub(crate) proxies: Arc<HashSet<String>>,
    pub(crate) names: Arc<DnsCache>,
}

impl Resolver {
    /// Checks the addresses of a host that is also used as a proxy. Accepts all other hosts, because their
    /// addresses are checked when the connection is opened.
    pub(crate) async fn judge_proxy_as_target(&self, url: &Url) -> Result<(), RefusedAddress> {
        let Some(host) = url.host_str().filter(|host| self.proxies.contains(*host)) else { return Ok(()) };
        let Ok(addresses) = self.names.look_up(host).await else { return Ok(()) };
        self.judge.filter(addresses).map(drop)
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let addresses = resolver.names.look_up(name.as_str()).await?;
            let kept = if resolver.proxies.contains(name.as_str()) {
                addresses
            } else {
                resolver.judge.filter(addresses)?
            };
            Ok(Box::new(kept.into_iter()) as Addrs)
        })
    }
}

pub(crate) fn proxy_hosts<'a>(proxies: impl IntoIterator<Item = &'a str>) -> HashSet<String> {
    let host = |text: &str| {
        let url = Url::parse(text).ok().filter(Url::has_host);
        let url = url.or_else(|| Url::parse(&format!("http://{text}")).ok())?;
        Some(url.host_str()?.to_ascii_lowercase())
    };
    proxies.into_iter().filter_map(host).collect()
}

pub(crate) fn environment_proxies() -> Vec<String> {
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_not_public_are_refused() {
        let judge = AddressPolicy::new(&[]);
        for ip in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "198.19.0.1",
            "224.0.0.1",
            "239.1.1.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!judge.admits(ip.parse().unwrap()), "{ip}");
        }
    }

    #[test]
    fn public_addresses_pass() {
        let judge = AddressPolicy::new(&[]);
        for ip in [
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "223.255.255.255",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
            "2002:101:101::",
            "2606:4700::1111",
            "2001:4860:4860::8888",
            "2a00:1450::1",
        ] {
            assert!(judge.admits(ip.parse().unwrap()), "{ip}");
        }
    }

    #[test]
    fn what_is_allowed_passes_mapped_too() {
        let judge = AddressPolicy::new(&["127.0.0.0/8".parse().unwrap()]);
        assert!(judge.admits("127.0.0.1".parse().unwrap()));
        assert!(judge.admits("::ffff:127.0.0.1".parse().unwrap()));
        assert!(!judge.admits("::1".parse().unwrap()));
        assert!(!judge.admits("10.0.0.1".parse().unwrap()));
    }

    #[test]
    fn a_host_keeps_its_public_addresses_only() {
        let judge = AddressPolicy::new(&[]);
        let mixed = ["127.0.0.1:0", "1.1.1.1:0"].map(|a| a.parse().unwrap()).to_vec();
        assert_eq!(judge.filter(mixed).unwrap(), ["1.1.1.1:0".parse().unwrap()]);
        let none = judge.filter(vec!["10.0.0.1:0".parse().unwrap()]).unwrap_err();
        assert_eq!(none.0, "10.0.0.1".parse::<IpAddr>().unwrap());
        assert!(judge.filter(vec![]).unwrap().is_empty());
    }

    #[test]
    fn every_spelling_of_a_literal_address_is_judged() {
        let judge = AddressPolicy::new(&[]);
        for url in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1:8080/",
            "http://127.0.0.1./",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
        ] {
            assert!(judge.literal(&Url::parse(url).unwrap()).is_err(), "{url}");
        }
        assert!(judge.literal(&Url::parse("http://localhost/").unwrap()).is_ok());
    }

    #[test]
    fn proxies_are_named_with_or_without_a_scheme() {
        let hosts =
            proxy_hosts(["http://Proxy.lan:3128", "other.lan:8080", "socks5://u:p@s.lan", "bare", ""]);
        assert_eq!(hosts, ["proxy.lan", "other.lan", "s.lan", "bare"].map(String::from).into());
    }

    #[tokio::test]
    async fn a_proxys_name_is_resolved_and_yet_no_target() {
        let resolver = |proxies: &[&str]| Resolver {
            judge: AddressPolicy::new(&[]),
            proxies: Arc::new(proxy_hosts(proxies.iter().copied())),
            names: Arc::default(),
        };
        let (with, without) = (resolver(&["http://localhost:1"]), resolver(&[]));
        let resolve = |resolver: &Resolver| resolver.resolve("localhost".parse().unwrap());
        assert!(resolve(&with).await.is_ok());
        let refused = resolve(&without).await.err().unwrap();
        assert!(refused.is::<RefusedAddress>(), "{refused}");
        let target = Url::parse("http://localhost/").unwrap();
        assert!(with.judge_proxy_as_target(&target).await.is_err());
        assert!(without.judge_proxy_as_target(&target).await.is_ok());
    }
}
