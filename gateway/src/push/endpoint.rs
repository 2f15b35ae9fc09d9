//! The push services that anything is ever sent to: those of the browsers, and those that the operator names. A subscription's
//! address comes from a client, so any other one could be a server behind the gateway's firewall.

use std::net::IpAddr;

use axum::http::Uri;
use axum::http::uri::Authority;

use crate::access::token::{digest, hex};

/// Hosts of the browsers' own push services; one that begins with a dot stands for all below it.
const BROWSERS: [&str; 4] =
    ["fcm.googleapis.com", ".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com"];
/// Where a push message without a notification makes the browser take the permission back.
const ALWAYS_SHOWS: &str = ".push.apple.com";
/// In bytes. Those of the browsers have a few hundred.
const LONGEST: usize = 2048;

/// Which push services may be sent to.
#[derive(Clone, Debug, Default)]
pub struct PushServices {
    /// The origins besides the browsers' own.
    more: Vec<String>,
}

/// The address of one subscription at a push service. Who knows it can send to the device, so it is in no log.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    uri: Uri,
    host: String,
    origin: String,
}

impl PushServices {
    /// The browsers' own, and those at these origins.
    pub fn new(origins: &[String]) -> Result<Self, String> {
        let more = origins.iter().map(|text| origin(text)).collect::<Result<_, _>>()?;
        Ok(Self { more })
    }

    /// Reads the address of a subscription. The error is a sentence for people.
    pub fn endpoint(&self, text: &str) -> Result<Endpoint, String> {
        let unreadable = || "the endpoint is not the address of a push service".to_owned();
        if text.len() > LONGEST || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(unreadable());
        }
        let uri: Uri = text.parse().map_err(|_| unreadable())?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(unreadable());
        };
        let (host, origin) = origin_of(scheme, authority).ok_or_else(unreadable)?;
        let known = BROWSERS.iter().any(|known| is_host(&host, known)) && origin == format!("https://{host}");
        if known || self.more.contains(&origin) {
            return Ok(Endpoint { uri, host, origin });
        }
        Err(format!("{origin} is not a push service that this gateway sends to; see --push-origins"))
    }
}

impl Endpoint {
    /// The address to send to.
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// The push service's host, for logs.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The push service's origin, which a VAPID token is for.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The device's id within the gateway.
    pub fn device(&self) -> String {
        let digest = digest(self.uri.to_string().as_bytes());
        hex(digest.get(..8).unwrap_or_default())
    }

    /// Whether the browser may be sent messages that show nothing. Safari takes the permission back after the third.
    pub fn may_be_silent(&self) -> bool {
        !is_host(&self.host, ALWAYS_SHOWS)
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Endpoint").field(&self.host).finish()
    }
}

fn is_host(host: &str, known: &str) -> bool {
    if known.starts_with('.') { host.ends_with(known) } else { host == known }
}

/// Checks an origin of `--push-origins`: https, or http on this machine.
pub fn origin(text: &str) -> Result<String, String> {
    let wrong = || {
        format!(
            "--push-origins takes origins such as https://push.example (http only on this machine), not \"{text}\""
        )
    };
    let (scheme, authority) = text.trim_end_matches('/').split_once("://").ok_or_else(wrong)?;
    let authority: Authority = authority.parse().map_err(|_| wrong())?;
    let (host, origin) = origin_of(&scheme.to_ascii_lowercase(), &authority).ok_or_else(wrong)?;
    let bare = host.trim_matches(['[', ']']);
    let here = bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if origin.starts_with("https://") || here { Ok(origin) } else { Err(wrong()) }
}

/// The host and the origin, in small letters and without the scheme's own port; none where there is a user, or another scheme.
fn origin_of(scheme: &str, authority: &Authority) -> Option<(String, String)> {
    let usual = match scheme {
        "https" => 443,
        "http" => 80,
        _ => return None,
    };
    let host = authority.host().to_ascii_lowercase();
    let rest = authority.as_str().get(host.len()..)?;
    let port = match rest {
        "" => None,
        _ => Some(rest.strip_prefix(':')?.parse::<u16>().ok()?),
    };
    if host.is_empty() || authority.as_str().contains('@') {
        return None;
    }
    let port = port.filter(|port| *port != usual).map(|port| format!(":{port}")).unwrap_or_default();
    let origin = format!("{scheme}://{host}{port}");
    Some((host, origin))
}

#[cfg(test)]
mod tests {
    use super::{PushServices, origin};

    #[test]
    fn only_push_services_are_sent_to() {
        let services =
            PushServices::new(&["https://push.example:8443".to_owned(), "http://127.0.0.1:9999/".to_owned()]);
        let services = services.unwrap();
        for (endpoint, of) in [
            ("https://fcm.googleapis.com/fcm/send/a:b", "https://fcm.googleapis.com"),
            ("https://FCM.googleapis.com:443/wp/a", "https://fcm.googleapis.com"),
            (
                "https://updates.push.services.mozilla.com/wpush/v2/x",
                "https://updates.push.services.mozilla.com",
            ),
            ("https://web.push.apple.com/QABC", "https://web.push.apple.com"),
            ("https://wns2-par02p.notify.windows.com/w/?token=x", "https://wns2-par02p.notify.windows.com"),
            ("https://push.example:8443/up", "https://push.example:8443"),
            ("http://127.0.0.1:9999/x", "http://127.0.0.1:9999"),
        ] {
            let read = services.endpoint(endpoint).unwrap();
            assert_eq!(read.origin(), of);
            assert!(!format!("{read:?}").contains('/'), "its path is a secret");
        }
        for wrong in [
            "",
            "fcm.googleapis.com",
            "/fcm/send/x",
            "http://fcm.googleapis.com/x",
            "https://fcm.googleapis.com:8443/x",
            "https://fcm.googleapis.com./x",
            "https://fcm.googleapis.com.evil.example/x",
            "https://fcm.googleapis.com@evil.example/x",
            "https://evil.example@fcm.googleapis.com/x",
            "https://evil.example/?fcm.googleapis.com",
            "https://evil.example#fcm.googleapis.com",
            "https://xfcm.googleapis.com/x",
            "https://push.apple.com/x",
            "https://evilpush.apple.com/x",
            "https://169.254.169.254/latest/meta-data",
            "https://127.0.0.1:9999/x",
            "http://127.0.0.1:9998/x",
            "http://127.0.0.1/x",
            "http://localhost:9999/x",
            "https://push.example/up",
            "ftp://fcm.googleapis.com/x",
            "file:///etc/passwd",
            "https://fcm.googleapis.com/x\r\nHost: evil",
            "https://fcm.googleapis.com/ä",
        ] {
            assert!(services.endpoint(wrong).is_err(), "{wrong}");
        }
        assert!(services.endpoint(&format!("https://fcm.googleapis.com/{}", "x".repeat(2048))).is_err());
    }

    #[test]
    fn origins_are_https_but_on_this_machine() {
        assert_eq!(origin("https://Push.example/").unwrap(), "https://push.example");
        assert_eq!(origin("http://[::1]:8080").unwrap(), "http://[::1]:8080");
        assert_eq!(origin("http://localhost:80").unwrap(), "http://localhost");
        for wrong in [
            "",
            "*",
            "push.example",
            "http://push.example",
            "https://",
            "https://a/b",
            "https://u@a",
            "ws://a",
        ] {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }
}
