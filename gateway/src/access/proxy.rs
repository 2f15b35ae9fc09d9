//! A proxy that signs people in, such as oauth2-proxy, Authelia or Tailscale, and says in a header who they are. The header counts only
//! from its addresses: from any other one anybody could have written it.

use std::net::IpAddr;

use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;

use super::Role;
use super::person::{Name, Person};

/// The proxies that say who somebody is, and how.
#[derive(Clone, Debug)]
pub struct TrustedProxy {
    /// The header with the name.
    pub header: HeaderName,
    /// Where the proxies are.
    pub addresses: Vec<IpNet>,
    /// The header and its value, alone or in a list with commas, of who may operate. Without it everybody watches.
    pub operators: Option<(HeaderName, String)>,
}

impl TrustedProxy {
    /// Whether a request from this address comes from one of the proxies.
    pub fn has(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.addresses.iter().any(|network| network.contains(&address))
    }

    /// Who sent a request; none where the proxy names nobody. The error says what is wrong with the header.
    pub fn person(&self, from: IpAddr, headers: &HeaderMap) -> Result<Option<Person>, String> {
        let header = &self.header;
        let mut values = headers.get_all(header).iter();
        let Some(value) = values.next() else { return Ok(None) };
        if !self.has(from) {
            return Err(format!("the header {header} came from {from}, which is no trusted proxy"));
        }
        if values.next().is_some() {
            return Err(format!("the header {header} is there more than once"));
        }
        let text = std::str::from_utf8(value.as_bytes()).map_err(|_| format!("{header} is not UTF-8"))?;
        if text.trim().is_empty() {
            return Ok(None);
        }
        let name = Name::new(text).map_err(|why| format!("{header}: {why}"))?;
        let role = if self.may_operate(headers) { Role::Operator } else { Role::Viewer };
        Ok(Some(Person::new(role, Some(name))))
    }

    fn may_operate(&self, headers: &HeaderMap) -> bool {
        let Some((header, wanted)) = &self.operators else { return false };
        let values = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|value| value.trim() == wanted)
    }

    /// The address of the client: where the request comes from or, behind the proxies, the last one in `X-Forwarded-For` that is not
    /// one of them.
    pub fn client(&self, from: IpAddr, headers: &HeaderMap) -> IpAddr {
        if !self.has(from) {
            return from;
        }
        let values = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
        let named: Vec<_> = values.flat_map(|value| value.split(',')).collect();
        let addresses = named.iter().rev().map_while(|text| text.trim().parse::<IpAddr>().ok());
        addresses.into_iter().find(|address| !self.has(*address)).unwrap_or(from)
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::{Role, TrustedProxy};

    fn proxy() -> TrustedProxy {
        TrustedProxy {
            header: HeaderName::from_static("x-user"),
            addresses: vec!["127.0.0.1/32".parse().unwrap(), "10.1.0.0/16".parse().unwrap()],
            operators: Some((HeaderName::from_static("x-groups"), "dev".to_owned())),
        }
    }

    fn headers(all: &[(&'static str, &'static str)]) -> HeaderMap {
        let header = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_bytes(value.as_bytes()).unwrap())
        };
        all.iter().map(header).collect()
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn the_header_counts_from_the_proxy_alone() {
        let ana = headers(&[("x-user", "Ana María"), ("x-groups", "ops, dev")]);
        let person = proxy().person(address("127.0.0.1"), &ana).unwrap().unwrap();
        assert_eq!((person.label(), person.role), ("Ana María", Role::Operator));
        assert!(proxy().person(address("::ffff:10.1.2.3"), &ana).unwrap().is_some());
        for elsewhere in ["10.2.0.1", "::1", "192.0.2.1"] {
            let error = proxy().person(address(elsewhere), &ana).unwrap_err();
            assert!(error.contains("no trusted proxy") && !error.contains("Ana"), "{error}");
        }
        assert_eq!(proxy().person(address("192.0.2.1"), &HeaderMap::new()), Ok(None));
    }

    #[test]
    fn only_the_exact_value_may_operate() {
        let role = |proxy: TrustedProxy, groups: &'static str| {
            let headers = headers(&[("x-user", "Ana"), ("x-groups", groups)]);
            proxy.person(address("127.0.0.1"), &headers).unwrap().unwrap().role
        };
        assert_eq!(role(proxy(), "dev"), Role::Operator);
        for other in ["developers", "Dev", "", "no-dev", "dev;ops"] {
            assert_eq!(role(proxy(), other), Role::Viewer, "{other}");
        }
        assert_eq!(role(TrustedProxy { operators: None, ..proxy() }, "dev"), Role::Viewer);
    }

    #[test]
    fn what_can_be_read_in_two_ways_is_refused() {
        let here = address("127.0.0.1");
        let person = |all: &[(&'static str, &'static str)]| proxy().person(here, &headers(all));
        let mut twice = headers(&[("x-user", "Ana")]);
        twice.append("x-user", HeaderValue::from_static("Bob"));
        assert!(proxy().person(here, &twice).is_err());
        assert!(person(&[("x-user", "An\u{200b}a")]).is_err());
        assert_eq!(person(&[("x-user", " ")]), Ok(None));
    }

    #[test]
    fn a_client_is_the_last_one_that_is_no_proxy() {
        let client = |from: &str, forwarded: &'static str| {
            proxy().client(address(from), &headers(&[("x-forwarded-for", forwarded)])).to_string()
        };
        assert_eq!(client("127.0.0.1", "192.0.2.9, 198.51.100.7, 10.1.0.2"), "198.51.100.7");
        assert_eq!(client("127.0.0.1", "192.0.2.9, unknown"), "127.0.0.1");
        assert_eq!(client("127.0.0.1", ""), "127.0.0.1");
        assert_eq!(client("203.0.113.5", "192.0.2.9"), "203.0.113.5", "not from a proxy");
    }
}
