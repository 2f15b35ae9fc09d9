//! The headers that protect the page in a browser: what it may load, who may frame it, which other origins
//! may read an answer.

use std::fmt::Write as _;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::access::guard::Guard;

/// The header with the newest position of a session, or with the one at which the live stream goes on.
pub const NEWEST: HeaderName = HeaderName::from_static("pilothouse-seq");

/// Response header of 401: the name of the provider's host, where one signs in at `/signin/oidc`.
pub const PROVIDER_HEADER: HeaderName = HeaderName::from_static("pilothouse-sign-in");

/// Whether the client came by https. One that forges this header only keeps its own cookie from being sent over http.
pub fn is_https(headers: &HeaderMap) -> bool {
    headers.get("x-forwarded-proto").is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"https"))
}

/// Sets the headers of every answer. A policy that the answer has already is extended.
pub fn guard(headers: &mut HeaderMap, guard: &Guard) {
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let mut policy = String::from("frame-ancestors 'self'");
    for origin in &guard.origins {
        let _ = write!(policy, " {origin}"); // writing into a String can't fail
    }
    if let Some(page) = headers.get(header::CONTENT_SECURITY_POLICY).and_then(|value| value.to_str().ok()) {
        policy = format!("{page}; {policy}");
    }
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
}

/// Lets pages of `origin`, and no others, read the answer. They may not use this address's cookie, so they
/// bring a token.
pub fn share(headers: &mut HeaderMap, origin: HeaderValue, preflight: bool) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    let more: &[(HeaderName, &'static str)] = if preflight {
        &[
            (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE"),
            (
                header::ACCESS_CONTROL_ALLOW_HEADERS,
                "Authorization, Content-Type, Last-Event-ID, Cache-Control",
            ),
            (header::ACCESS_CONTROL_MAX_AGE, "600"),
            (HeaderName::from_static("access-control-allow-private-network"), "true"),
        ]
    } else {
        &[(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            "Pilothouse-Protocol, Pilothouse-Role, Pilothouse-Seq, Pilothouse-Sign-In, Retry-After",
        )]
    };
    for (name, value) in more {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The policy of one of our pages, with a token or without: its own files, and the scripts and styles that are
/// written in it. Nothing of it makes HTML or scripts from strings, so no policy of trusted types may either, but for the one that
/// names the service worker. The frame is the one that draws diagrams; images and sounds of tool calls are data URLs.
pub fn page_policy(html: &str) -> Option<HeaderValue> {
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{}; style-src 'self'{}; img-src 'self' data:; \
         media-src data:; connect-src 'self'; worker-src 'self'; manifest-src 'self'; frame-src 'self'; base-uri 'none'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types pilothouse-worker",
        hashes(html, "script"),
        hashes(html, "style"),
    );
    HeaderValue::from_str(&policy).ok()
}

/// The hash of what each element of this name has inside, as sources for a policy.
fn hashes(html: &str, name: &str) -> String {
    inside(html, name).fold(String::new(), |mut hashes, text| {
        let hash = STANDARD.encode(Sha256::digest(text.as_bytes()));
        let _ = write!(hashes, " 'sha256-{hash}'"); // writing into a String can't fail
        hashes
    })
}

fn inside<'a>(html: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    let (start, end) = (format!("<{name}"), format!("</{name}>"));
    let elements = html.split(&start).skip(1).collect::<Vec<_>>();
    elements.into_iter().filter_map(move |rest| {
        let (_, rest) = rest.split_once('>')?;
        let (text, _) = rest.split_once(&end)?;
        (!text.is_empty()).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::{inside, page_policy};

    #[test]
    fn scripts_and_styles_in_the_page_are_named_by_what_they_say() {
        let html = r#"<style>d</style><script type="module">a</script><script src="b.js"></script><script>c</script>"#;
        assert_eq!(inside(html, "script").collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(inside(html, "style").collect::<Vec<_>>(), ["d"]);
        let policy = page_policy(html).unwrap();
        let policy = policy.to_str().unwrap();
        assert!(policy.contains("'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='"), "{policy}");
    }

    #[test]
    fn the_page_needs_no_more_than_its_policy_allows() {
        let html = include_str!("../../../index.html");
        assert!(!html.contains(" style=") && !html.contains(" onclick="), "an attribute has no hash");
        let policy = page_policy(html).unwrap();
        let policy = policy.to_str().unwrap();
        for open in ["unsafe-inline", "'unsafe-eval'", "http:", "https:", "blob:", "*"] {
            assert!(!policy.contains(open), "{open}: {policy}");
        }
    }
}
