//! Any bytes as a stream and as frames: pieces give the same session as the whole, and every change is announced.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse::core::Session;
use pilothouse_fuzz::mirror::Mirror;
use pilothouse_fuzz::{cuts, pieces};

fuzz_target!(|bytes: &[u8]| {
    let mut whole = Session::new();
    whole.push(bytes);
    whole.end();
    let expected = whole.snapshot();
    for cuts in cuts(bytes) {
        let (mut session, mut mirror) = (Session::new(), Mirror::default());
        for piece in pieces(bytes, &cuts) {
            session.push(piece);
            mirror.apply(&mut session);
        }
        session.end();
        mirror.apply(&mut session);
        mirror.assert_is(&session, "in pieces", true);
        assert_eq!(session.snapshot(), expected, "cut at {cuts:?}");
    }
    let (mut session, mut mirror) = (Session::new(), Mirror::default());
    session.push_frame_bytes(bytes);
    mirror.apply(&mut session);
    session.push_frame_bytes(bytes);
    mirror.apply(&mut session);
    mirror.assert_is(&session, "as frames", true);
});
