//! In which coding an answer is sent: what a client takes, and how one that is made for it is compressed.

use std::io::Write as _;

use axum::http::{HeaderMap, header};
use flate2::Compression;
use flate2::write::GzEncoder;

/// What is made for one visitor, compressed if they take that.
pub fn gzip(bytes: &[u8], headers: &HeaderMap) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    takes(headers, "gzip").then(|| encoder.write_all(bytes).and_then(|()| encoder.finish()).ok()).flatten()
}

/// Whether a client takes this coding.
pub fn takes(headers: &HeaderMap, wanted: &str) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = weight.trim().strip_prefix("q=").is_some_and(|weight| weight.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case(wanted) && !refused
    })
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderValue, header};

    use super::takes;

    #[test]
    fn brotli_is_for_those_that_take_it() {
        let of = |value| {
            let value = HeaderValue::from_static(value);
            takes(&HeaderMap::from_iter([(header::ACCEPT_ENCODING, value)]), "br")
        };
        assert!(of("gzip, deflate, br, zstd") && of("br;q=0.5") && of("BR"));
        assert!(!of("gzip") && !of("br;q=0, gzip") && !of("brotli"));
        assert!(!takes(&HeaderMap::new(), "br"));
    }
}
