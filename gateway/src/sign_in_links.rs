//! Under which address the links that sign in lead to this gateway, here and from a phone.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use crate::access::token;

/// What stands in front of the links that sign in. Browsers send a cookie to all ports of its name, so on this machine the name is one
/// that nobody else knows. Otherwise a server on another port, such as one that the agent has started, would get the cookie as soon as
/// somebody looks at its page. A certificate has the name of a host, and https keeps the cookie from plain servers.
pub fn origin_of_links(address: SocketAddr, hosts: &[String], is_tls: bool) -> String {
    let (ip, port) = (address.ip(), address.port());
    if is_tls {
        let host = hosts.first().cloned().unwrap_or_else(|| bracketed(ip));
        return format!("https://{host}:{port}");
    }
    let is_localhost = ip.is_unspecified() || ip == Ipv4Addr::LOCALHOST || ip == Ipv6Addr::LOCALHOST;
    match token::generate() {
        Ok(secret) if is_localhost => {
            format!("http://pilothouse-{}.localhost:{port}", secret.get(..16).unwrap_or_default())
        }
        _ => format!("http://{address}"),
    }
}

/// Where a phone reaches the gateway: behind a proxy by its name, else by this machine's address. None where others don't reach it.
pub fn origin_for_phones(address: SocketAddr, hosts: &[String], is_tls: bool) -> Option<String> {
    let (ip, port) = (address.ip(), address.port());
    match (hosts.first(), is_tls) {
        (Some(host), true) => return Some(format!("https://{host}:{port}")),
        // A proxy does TLS in front of it, at the usual port.
        (Some(host), false) => return Some(format!("https://{host}")),
        (None, _) => {}
    }
    let ip = if ip.is_unspecified() { own_address(ip)? } else { ip };
    let scheme = if is_tls { "https" } else { "http" };
    (!ip.is_loopback()).then(|| format!("{scheme}://{}:{port}", bracketed(ip)))
}

/// This machine's address in its network. A connection of this kind sends nothing: it only chooses where it would send from.
fn own_address(listens: IpAddr) -> Option<IpAddr> {
    let (from, to): (SocketAddr, SocketAddr) = match listens {
        IpAddr::V4(_) => ((Ipv4Addr::UNSPECIFIED, 0).into(), (Ipv4Addr::new(192, 0, 2, 1), 9).into()),
        IpAddr::V6(_) => {
            ((Ipv6Addr::UNSPECIFIED, 0).into(), (Ipv4Addr::new(192, 0, 2, 1).to_ipv6_mapped(), 9).into())
        }
    };
    let socket = UdpSocket::bind(from).ok()?;
    socket.connect(to).ok()?;
    let own = socket.local_addr().ok()?.ip().to_canonical();
    (!own.is_unspecified()).then_some(own)
}

fn bracketed(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::{origin_for_phones, origin_of_links};

    fn hosts(name: &str) -> Vec<String> {
        vec![name.to_owned()]
    }

    #[test]
    fn a_link_for_a_phone_leads_where_a_phone_comes_to() {
        let phones = |address: &str, hosts: &[String], is_tls| {
            origin_for_phones(address.parse().unwrap(), hosts, is_tls)
        };
        assert_eq!(phones("127.0.0.1:7878", &[], false), None);
        assert_eq!(phones("[::1]:7878", &[], true), None);
        assert_eq!(phones("192.168.1.5:7878", &[], false).as_deref(), Some("http://192.168.1.5:7878"));
        assert_eq!(phones("[2001:db8::1]:7878", &[], true).as_deref(), Some("https://[2001:db8::1]:7878"));
        assert_eq!(
            phones("127.0.0.1:7878", &hosts("p.example"), false).as_deref(),
            Some("https://p.example")
        );
        assert_eq!(
            phones("0.0.0.0:7878", &hosts("p.example"), true).as_deref(),
            Some("https://p.example:7878")
        );
    }

    #[test]
    fn a_link_on_this_machine_has_a_name_of_its_own_and_one_with_a_certificate_its_name() {
        let here = |address: &str, hosts: &[String], is_tls| {
            origin_of_links(address.parse().unwrap(), hosts, is_tls)
        };
        let secret = here("127.0.0.1:7878", &[], false);
        assert!(secret.starts_with("http://pilothouse-") && secret.ends_with(".localhost:7878"), "{secret}");
        assert_eq!(here("192.168.1.5:7878", &[], false), "http://192.168.1.5:7878");
        assert_eq!(here("0.0.0.0:7878", &hosts("p.example"), true), "https://p.example:7878");
    }
}
