//! Server-sent events: pieces give the same messages as the whole, and a stream without the platform's events gives
//! those of a plain reading of the standard.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse::core::wire::sse::{SseParser, begins_stream};
use pilothouse_fuzz::sse_standard::{by_the_standard, parsed};
use pilothouse_fuzz::{cuts, pieces};

fuzz_target!(|bytes: &[u8]| {
    let whole = parsed(SseParser::new(), &[bytes]);
    let short = parsed(SseParser::with_limit(20), &[bytes]);
    for cuts in cuts(bytes) {
        let pieces = pieces(bytes, &cuts);
        assert_eq!(parsed(SseParser::new(), &pieces), whole, "cut at {cuts:?}");
        assert_eq!(parsed(SseParser::with_limit(20), &pieces), short, "with a limit, cut at {cuts:?}");
    }
    if !bytes.windows(8).any(|part| part == b"copilot_") {
        assert_eq!(whole, by_the_standard(bytes));
    }
    // What the first bytes decided stays so when more come.
    let mut known = None;
    for end in 0..=bytes.len().min(40) {
        let now = begins_stream(&bytes[..end]);
        assert!(known.is_none() || known == now, "{known:?}, then {now:?} after {end} bytes");
        known = now;
    }
});
