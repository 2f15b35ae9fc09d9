//! The headers that protect the page in a browser: what it may load, who may frame it, which other origins
//! may read an answer.

use std::fmt::Write as _;

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::guard::Guard;

/// Sets the headers of every answer. A policy that the answer has already is kept and extended.
///
/// Where nobody signs in, the page runs on somebody's own machine. Tools that drive pages there insert
/// scripts and evaluate strings, so both are allowed; the page itself does neither. It may also connect to
/// other servers of this machine. Scripts from elsewhere and connections to elsewhere stay blocked.
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
        if !guard.closed {
            policy = at_ones_desk(&policy);
        }
    }
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
}

fn at_ones_desk(policy: &str) -> String {
    let directives = policy.split(';').map(str::trim);
    let opened = directives.map(|directive| match directive.split(' ').next() {
        Some("script-src") => "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        Some("connect-src") => {
            "connect-src 'self' http://127.0.0.1:* ws://127.0.0.1:* http://localhost:* ws://localhost:*"
        }
        _ => directive,
    });
    opened.collect::<Vec<_>>().join("; ")
}

/// Lets pages of `origin`, and no others, read the answer. They may not use this address's cookie, so they
/// bring a token.
pub fn share(headers: &mut HeaderMap, origin: HeaderValue, preflight: bool) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    let more: &[(HeaderName, &'static str)] = if preflight {
        &[
            (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
            (
                header::ACCESS_CONTROL_ALLOW_HEADERS,
                "Authorization, Content-Type, Last-Event-ID, Cache-Control",
            ),
            (header::ACCESS_CONTROL_MAX_AGE, "600"),
            (HeaderName::from_static("access-control-allow-private-network"), "true"),
        ]
    } else {
        &[(header::ACCESS_CONTROL_EXPOSE_HEADERS, "Pilothouse-Role, Pilothouse-Seq, Retry-After")]
    };
    for (name, value) in more {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

/// The policy of one of our pages: its own files and its inline scripts, nothing else. Images from elsewhere
/// are allowed because they load on a click, inline styles because they place the boot screen and drawings.
pub fn page_policy(html: &str) -> Option<HeaderValue> {
    let mut scripts = String::from("script-src 'self' 'wasm-unsafe-eval'");
    for script in inline_scripts(html) {
        let _ = write!(scripts, " 'sha256-{}'", STANDARD.encode(Sha256::digest(script.as_bytes())));
    }
    let policy = format!(
        "default-src 'none'; {scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob: https: http:; \
         media-src 'self' data: blob:; font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; \
         base-uri 'none'; form-action 'self'"
    );
    HeaderValue::from_str(&policy).ok()
}

fn inline_scripts(html: &str) -> impl Iterator<Item = &str> {
    html.split("<script").skip(1).filter_map(|rest| {
        let (tag, rest) = rest.split_once('>')?;
        let (text, _) = rest.split_once("</script>")?;
        (!tag.contains("src=") && !text.is_empty()).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::{at_ones_desk, inline_scripts, page_policy};

    #[test]
    fn scripts_in_the_page_are_named_by_what_they_say() {
        let html = r#"<script type="module">a</script><script src="b.js"></script><script>c</script>"#;
        assert_eq!(inline_scripts(html).collect::<Vec<_>>(), ["a", "c"]);
        let policy = page_policy(html).unwrap();
        let policy = policy.to_str().unwrap();
        assert!(policy.contains("'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='"), "{policy}");
        let (_, scripts) = policy.split_once("script-src").unwrap();
        assert!(!scripts.split_once(';').unwrap().0.contains("unsafe-inline"), "{policy}");
    }

    #[test]
    fn at_ones_desk_tools_may_drive_the_page_and_nothing_gets_out() {
        let policy = at_ones_desk(
            "default-src 'none'; script-src 'self' 'sha256-x'; connect-src 'self'; frame-src 'self'",
        );
        assert_eq!(
            policy,
            "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; connect-src 'self' http://127.0.0.1:* \
             ws://127.0.0.1:* http://localhost:* ws://localhost:*; frame-src 'self'"
        );
    }
}
