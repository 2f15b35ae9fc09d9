//! Checks `Host` and `Origin` of every request, so that a page of another site can't reach the gateway,
//! neither by a DNS name that points at loopback nor by a cross-site request.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, header};

/// The address and names of a gateway, and the origins it accepts.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Further names of the gateway, in lower case.
    pub hosts: Vec<String>,
    /// Other origins that may embed its page, in lower case.
    pub origins: Vec<String>,
    /// Whether people sign in. Then another port of this machine counts as another site.
    pub closed: bool,
}

/// Where an accepted request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From a page of this address, or from no page.
    Own,
    /// From a page of an origin that is allowed.
    Allowed,
    /// From a page of another loopback address or port, where nobody signs in.
    Loopback,
}

impl Guard {
    /// Where a request comes from, or why it is refused. `named` is the authority in the request line, which proxies
    /// get.
    pub fn check_request(&self, named: Option<&str>, headers: &HeaderMap) -> Result<Origin, String> {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let host = text(header::HOST).unwrap_or_default();
        // Of two names, a proxy could have checked the other one.
        let several = headers.get_all(header::HOST).iter().count() > 1;
        if several || named.is_some_and(|named| !named.eq_ignore_ascii_case(host)) {
            return Err("the request names more than one host".to_owned());
        }
        if !self.is_own(host_name(host)) {
            return Err(format!(
                "the Host header names \"{host}\", which is not this gateway; use http://localhost:{} or its listen address, or start it with --allow-host NAME",
                self.listen.port()
            ));
        }
        let Some(origin) = text(header::ORIGIN) else {
            return Ok(Origin::Own);
        };
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        match authority {
            Some(authority) if authority.eq_ignore_ascii_case(host) => Ok(Origin::Own),
            Some(_) if self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) => {
                Ok(Origin::Allowed)
            }
            Some(authority) if !self.closed && is_loopback(host_name(authority)) => Ok(Origin::Loopback),
            _ => Err(format!(
                "requests from pages of \"{origin}\" are refused; serve the page from this gateway, or start it with --allow-origin ORIGIN"
            )),
        }
    }

    /// Whether the gateway in a `Host` header is this machine's own or one that was named at the start. A provider sends people back to
    /// no other.
    pub fn is_named(&self, authority: &str) -> bool {
        let name = host_name(authority);
        is_loopback(name) || self.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
    }

    /// DNS rebinding needs a name, so any bare address is safe where the gateway listens on all of them.
    fn is_own(&self, name: &str) -> bool {
        let address = name.parse::<IpAddr>().ok();
        let own = self.listen.ip();
        is_loopback(name)
            || address.is_some_and(|address| address == own || own.is_unspecified())
            || self.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
    }
}

/// The name in `name:port`, `[v6]:port` or `name`.
fn host_name(authority: &str) -> &str {
    if let Some(rest) = authority.strip_prefix('[') {
        return rest.split_once(']').map_or("", |(name, _)| name);
    }
    authority.rsplit_once(':').map_or(authority, |(name, _)| name)
}

/// Whether an address such as `http://localhost:7878` leads each machine to itself.
pub fn leads_to_itself(address: &str) -> bool {
    let authority = address.split_once("://").map_or(address, |(_, authority)| authority);
    is_loopback(host_name(authority))
}

/// Whether this name or address is this machine.
pub fn is_loopback(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::{Guard, Origin, leads_to_itself};
    use axum::http::{HeaderMap, HeaderValue, header};

    fn guard(listen: &str) -> Guard {
        let listen = listen.parse().unwrap_or_else(|_| ([127, 0, 0, 1], 1).into());
        Guard { listen, hosts: Vec::new(), origins: Vec::new(), closed: false }
    }

    fn judged(guard: &Guard, host: &'static str, origin: Option<&'static str>) -> Option<Origin> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static(host));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
        }
        guard.check_request(None, &headers).ok()
    }

    fn refused(listen: &str, host: &'static str, origin: Option<&'static str>) -> bool {
        judged(&guard(listen), host, origin).is_none()
    }

    #[test]
    fn a_proxys_name_and_foreign_pages_pass_only_where_they_are_named() {
        let mut guard = guard("127.0.0.1:7878");
        guard.hosts = vec!["dash.example".to_owned()];
        guard.origins = vec!["https://team.example".to_owned()];
        assert_eq!(judged(&guard, "Dash.Example", Some("https://dash.example")), Some(Origin::Own));
        assert_eq!(judged(&guard, "localhost:7878", Some("https://team.example")), Some(Origin::Allowed));
        for origin in ["http://team.example", "https://team.example:8443", "https://a.team.example"] {
            assert_eq!(judged(&guard, "localhost:7878", Some(origin)), None, "{origin}");
        }
        assert_eq!(judged(&guard, "evil.example", None), None);
    }

    #[test]
    fn a_provider_sends_people_back_to_names_alone() {
        let guard = Guard { hosts: vec!["dash.example".to_owned()], ..guard("0.0.0.0:7878") };
        for named in [
            "localhost:7878",
            "a.localhost:1",
            "127.0.0.1:7878",
            "[::1]:7878",
            "Dash.Example",
            "dash.example:8443",
        ] {
            assert!(guard.is_named(named), "{named}");
        }
        for other in
            ["192.0.2.7:7878", "evil.example", "dash.example.evil.example", "", "localhost.evil.example"]
        {
            assert!(!guard.is_named(other), "{other}");
        }
    }

    #[test]
    fn where_people_sign_in_another_port_is_somebody_else() {
        let mut guard = guard("127.0.0.1:7878");
        let origin = Some("http://127.0.0.1:3000");
        assert_eq!(judged(&guard, "127.0.0.1:7878", origin), Some(Origin::Loopback));
        guard.closed = true;
        assert_eq!(judged(&guard, "127.0.0.1:7878", origin), None);
        assert_eq!(judged(&guard, "127.0.0.1:7878", Some("http://127.0.0.1:7878")), Some(Origin::Own));
    }

    #[test]
    fn some_addresses_lead_each_machine_to_itself() {
        for address in
            ["http://localhost:7878", "http://a.localhost:1", "http://127.0.0.1:7", "http://[::1]:7"]
        {
            assert!(leads_to_itself(address), "{address}");
        }
        for address in [
            "https://p.example",
            "http://192.168.1.5:7878",
            "http://[2001:db8::1]:7",
            "http://localhost.example",
        ] {
            assert!(!leads_to_itself(address), "{address}");
        }
    }

    #[test]
    fn own_names_pass_and_others_do_not() {
        for host in ["127.0.0.1:7878", "localhost:7878", "localhost", "[::1]:7878", "a.localhost:1"] {
            assert!(!refused("127.0.0.1:7878", host, None), "{host}");
        }
        for host in
            ["evil.example:7878", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.5:7878", ""]
        {
            assert!(refused("127.0.0.1:7878", host, None), "{host}");
        }
        assert!(!refused("0.0.0.0:7878", "192.168.1.5:7878", None));
        assert!(refused("0.0.0.0:7878", "evil.example:7878", None));
        assert!(!refused("192.168.1.5:7878", "192.168.1.5:7878", None));
    }

    #[test]
    fn origins_are_the_same_host_or_loopback() {
        let host = "127.0.0.1:7878";
        for origin in ["http://127.0.0.1:7878", "http://localhost:8080", "https://[::1]:3"] {
            assert!(!refused(host, host, Some(origin)), "{origin}");
        }
        for origin in [
            "https://evil.example",
            "null",
            "file://",
            "http://localhost.evil.example",
            "chrome-extension://x",
        ] {
            assert!(refused(host, host, Some(origin)), "{origin}");
        }
        assert!(!refused("0.0.0.0:1", "192.168.1.5:1", Some("http://192.168.1.5:1")));
        assert!(refused("0.0.0.0:1", "192.168.1.5:1", Some("http://192.168.1.6:1")));
    }
}
