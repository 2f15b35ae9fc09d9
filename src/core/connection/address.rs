//! Reads http, https, ws, wss and relative URLs. Rejects other schemes, credentials, and characters
//! that people and browsers read differently.

#[cfg(test)]
mod tests;

use std::fmt::{self, Write as _};

use crate::i18n::words::connection;

/// An absolute address without a fragment. `Display` prints the URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    scheme: Scheme,
    authority: String,
    path: String,
    query: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
    Ws,
    Wss,
}

impl Scheme {
    fn word(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Ws => "ws",
            Self::Wss => "wss",
        }
    }
}

/// Why an address can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressError {
    /// The scheme is none of http, https, ws, wss.
    Scheme(String),
    /// There is a user name or a password in the address.
    Credentials,
    /// The host is missing or malformed.
    Host,
    /// The port is not a number from 0 to 65535.
    Port,
    /// A space, backslash, control character or other character that must be percent-encoded.
    Character(char),
    /// The address is relative and the page has no http address itself.
    NoPage,
    /// A WebSocket address where only http can be used.
    NotHttp,
    /// The token has characters that can't be sent in a header.
    Token,
}

impl fmt::Display for AddressError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::Scheme(scheme) => {
                return out.write_str(&connection::ADDRESS_SCHEME.with(&[("scheme", scheme.into())]));
            }
            Self::Character(c) => {
                let character = format!("'{}'", c.escape_default());
                return out
                    .write_str(&connection::ADDRESS_CHARACTER.with(&[("character", (&character).into())]));
            }
            Self::Credentials => connection::ADDRESS_CREDENTIALS,
            Self::Host => connection::ADDRESS_HOST,
            Self::Port => connection::ADDRESS_PORT,
            Self::NoPage => connection::ADDRESS_NO_PAGE,
            Self::NotHttp => connection::ADDRESS_NOT_HTTP,
            Self::Token => connection::ADDRESS_TOKEN,
        };
        out.write_str(word.text())
    }
}

impl std::error::Error for AddressError {}

impl Address {
    /// Reads `text`, absolute or relative to the `page`. Surrounding white space and a fragment
    /// are cut off.
    pub fn resolve(text: &str, page: Option<&Self>) -> Result<Self, AddressError> {
        let text = text.trim();
        if let Some(bad) = text.chars().find(|c| !allowed(*c)) {
            return Err(AddressError::Character(bad));
        }
        let text = text.split_once('#').map_or(text, |(before, _)| before);
        if let Some((scheme, rest)) = split_scheme(text) {
            let scheme = match scheme.to_ascii_lowercase().as_str() {
                "http" => Scheme::Http,
                "https" => Scheme::Https,
                "ws" => Scheme::Ws,
                "wss" => Scheme::Wss,
                other => return Err(AddressError::Scheme(other.to_owned())),
            };
            let rest = rest.strip_prefix("//").ok_or(AddressError::Host)?;
            return Self::with_authority(scheme, rest);
        }
        let page = page.ok_or(AddressError::NoPage)?;
        if let Some(rest) = text.strip_prefix("//") {
            return Self::with_authority(page.scheme, rest);
        }
        let (path, query) = split_query(text);
        let path = if path.is_empty() {
            page.path.clone()
        } else if path.starts_with('/') {
            without_dots(path)
        } else {
            let folder = page.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            without_dots(&format!("{folder}/{path}"))
        };
        let query = if text.is_empty() { page.query.clone() } else { query.map(str::to_owned) };
        Ok(Self { scheme: page.scheme, authority: page.authority.clone(), path, query })
    }

    /// Whether the path ends in a slash, so that it can be a base. An empty path counts as `/`.
    pub fn is_base(&self) -> bool {
        self.path.ends_with('/')
    }

    /// Whether the scheme is `ws:` or `wss:`.
    pub fn is_socket(&self) -> bool {
        matches!(self.scheme, Scheme::Ws | Scheme::Wss)
    }

    /// The path, from its first slash on, without the query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The root of the same server.
    #[must_use]
    pub fn root(&self) -> Self {
        Self { path: "/".into(), query: None, ..self.clone() }
    }

    /// An address in this folder; `path` has no leading slash and is already encoded.
    #[must_use]
    pub fn join(&self, path: &str) -> Self {
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (path, query) = split_query(path);
        Self { path: format!("{folder}/{path}"), query: query.map(str::to_owned), ..self.clone() }
    }

    /// The same address for a WebSocket: `ws:` for `http:`, `wss:` for `https:`.
    #[must_use]
    pub fn for_socket(mut self) -> Self {
        self.scheme = match self.scheme {
            Scheme::Http | Scheme::Ws => Scheme::Ws,
            Scheme::Https | Scheme::Wss => Scheme::Wss,
        };
        self
    }

    /// The same address for `fetch`: `http:` for `ws:`, `https:` for `wss:`.
    #[must_use]
    pub fn for_fetch(mut self) -> Self {
        self.scheme = match self.scheme {
            Scheme::Http | Scheme::Ws => Scheme::Http,
            Scheme::Https | Scheme::Wss => Scheme::Https,
        };
        self
    }

    fn with_authority(scheme: Scheme, rest: &str) -> Result<Self, AddressError> {
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        check_authority(authority)?;
        let (path, query) = split_query(rest);
        Ok(Self {
            scheme,
            authority: authority.to_ascii_lowercase(),
            path: if path.is_empty() { "/".into() } else { without_dots(path) },
            query: query.map(str::to_owned),
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}://{}{}", self.scheme.word(), self.authority, self.path)?;
        self.query.as_ref().map_or(Ok(()), |query| write!(out, "?{query}"))
    }
}

/// Percent-encodes a text: everything but unreserved characters.
pub(crate) fn encode_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Percent-encodes one path segment or query value: everything but unreserved characters. The
/// segments `.` and `..`, which a browser would resolve however they are written, come out with
/// a trailing `%20`, so that they stay one segment and match no session.
pub(super) fn encode(text: &str) -> String {
    let mut out = encode_text(text);
    if matches!(text, "." | "..") {
        out.push_str("%20");
    }
    out
}

fn allowed(c: char) -> bool {
    !(c.is_whitespace()
        || c.is_control()
        || matches!(c, '\\' | '"' | '<' | '>' | '^' | '`' | '{' | '|' | '}'))
}

fn split_scheme(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let mut letters = scheme.bytes();
    let starts = letters.next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let goes_on = letters.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    (starts && goes_on).then_some((scheme, rest))
}

fn split_query(text: &str) -> (&str, Option<&str>) {
    text.split_once('?').map_or((text, None), |(path, query)| (path, Some(query)))
}

fn check_authority(authority: &str) -> Result<(), AddressError> {
    if authority.contains('@') {
        return Err(AddressError::Credentials);
    }
    let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
        let (host, after) = rest.split_once(']').ok_or(AddressError::Host)?;
        let valid =
            !host.is_empty() && host.bytes().all(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.'));
        if !valid {
            return Err(AddressError::Host);
        }
        let port = match after.strip_prefix(':') {
            Some(port) => Some(port),
            None if after.is_empty() => None,
            None => return Err(AddressError::Host),
        };
        (host, port)
    } else {
        authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)))
    };
    if host.is_empty() || host.contains(['[', ']', '%']) {
        return Err(AddressError::Host);
    }
    match port {
        None | Some("") => Ok(()),
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok() => Ok(()),
        Some(_) => Err(AddressError::Port),
    }
}

/// Resolves `.` and `..` in an absolute path, as RFC 3986 §5.2.4 and browsers do.
fn without_dots(path: &str) -> String {
    let mut resolved: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment.to_ascii_lowercase().replace("%2e", ".").as_str() {
            "." => {}
            ".." => {
                resolved.pop();
            }
            _ => {
                resolved.push(segment);
                continue;
            }
        }
        if last {
            resolved.push("");
        }
    }
    format!("/{}", resolved.join("/"))
}
