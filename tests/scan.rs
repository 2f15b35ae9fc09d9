//! Tests that events read in one pass are the same as those read by the general rules, recorded ones and
//! changed ones.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "support/golden.rs"]
mod golden;

use golden::logs;
use pilothouse::core::Session;
use pilothouse_scan::{Event, Members, read};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;

/// Adds a member that nothing uses. Its name has an escape, so the line is read by the general rules.
fn for_the_general_rules(line: &str) -> String {
    line.replacen('{', r#"{"\u0078":0,"#, 1)
}

fn is_plain(line: &str) -> bool {
    read(line, 0, &mut Event { ..Event::EMPTY }, &mut Members::unknown()) == Some(line.len())
}

/// Whether it is an event. The platform's confirmations have a type as well, and are kept whole.
fn is_event(line: &str) -> bool {
    !line.starts_with(r#"{"type":"action""#)
}

fn session_of(lines: &[impl AsRef<str>]) -> Session {
    let mut session = Session::new();
    for line in lines {
        session.push_frame(line.as_ref());
    }
    session
}

/// Everything that is known of a session, including what no snapshot has.
fn known(session: &mut Session) -> String {
    let changes = session.take_changes();
    let state = session.state();
    let parts = (
        &state.entries,
        &state.context,
        &state.agent_contexts,
        &state.panel_events,
        &state.notifications,
        &state.info,
    );
    let counted = (&state.usage, &state.queue, &state.counters, &state.diagnostics, &state.open_requests);
    format!("{}\n{parts:?}\n{counted:?}\n{changes:?}", session.snapshot())
}

fn recorded_lines() -> Vec<String> {
    let text = |log: Vec<u8>| String::from_utf8_lossy(&log).into_owned();
    let lines = logs()
        .into_iter()
        .flat_map(|(_, log)| text(log).lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>());
    lines.filter(|line| line.starts_with('{')).collect()
}

#[test]
fn a_log_gives_the_same_session_either_way() {
    let mut plain = 0;
    let mut all = 0;
    for (name, log) in logs() {
        let text = String::from_utf8_lossy(&log).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('{')).collect();
        let general: Vec<String> = lines.iter().map(|line| for_the_general_rules(line)).collect();
        assert!(!general.iter().any(|line| is_plain(line)));
        // A malformed line is reported with the place of its error, which is another one here.
        let event = |place: &usize| is_plain(lines[*place]) && is_event(lines[*place]);
        let events: Vec<usize> = (0..lines.len()).filter(event).collect();
        plain += events.len();
        all += lines.iter().filter(|line| line.contains(r#""timestamp""#)).count();
        let quick: Vec<&str> = events.iter().map(|place| lines[*place]).collect();
        let slow: Vec<&String> = events.iter().map(|place| &general[*place]).collect();
        assert_eq!(known(&mut session_of(&quick)), known(&mut session_of(&slow)), "{name}");
    }
    assert!(plain * 100 >= all * 97, "{plain} of {all} are read in one pass");
}

#[test]
fn the_gateway_s_envelope_is_read_in_one_pass() {
    for line in
        recorded_lines().iter().filter(|line| is_plain(line) && !line.starts_with(r#"{"jsonrpc"#)).take(2_000)
    {
        let enveloped = format!(
            r#"{{"jsonrpc":"2.0","method":"session.event","params":{{"sessionId":"s","event":{line},"seq":7}}}}"#
        );
        assert!(is_plain(&enveloped), "{enveloped}");
        assert_eq!(
            known(&mut session_of(&[&enveloped])),
            known(&mut session_of(&[for_the_general_rules(&enveloped)]))
        );
        let mut session = Session::new();
        let received = session.push_frame(&enveloped);
        assert!(session.state().info.id.is_some());
        assert_eq!((received.records, received.last_seq), (1, Some(7)));
    }
}

#[test]
fn of_two_members_with_one_name_the_last_counts_either_way() {
    let mut compared = 0;
    for line in recorded_lines().iter().filter(|line| is_plain(line) && line.len() < 3_000).step_by(7) {
        let Some((_, data)) = line.split_once(r#""data":{"#) else { continue };
        let names = data.split('"').filter(|name| name.ends_with("Id") || name.ends_with("ontent"));
        // In the payload, and in the objects in it.
        let objects = [r#""data":{"#, r#""result":{"#, r#""permissionRequest":{"#, r#""arguments":{"#];
        let places = objects.into_iter().filter(|object| line.contains(object));
        let places: Vec<_> =
            names.take(3).flat_map(|name| places.clone().map(move |object| (name, object))).collect();
        for (name, object) in places {
            let twice = line.replacen(object, &format!(r#"{object}"{name}":"first","#), 1);
            if is_plain(&twice) {
                compared += 1;
                let (mut quick, mut slow) =
                    (session_of(&[&twice]), session_of(&[for_the_general_rules(&twice)]));
                assert_eq!(known(&mut quick), known(&mut slow), "{twice}");
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

/// Pieces that are put somewhere into a line.
const PIECES: [&str; 42] = [
    " ",
    "\n",
    "\t",
    "\"",
    "\\",
    "\\\"",
    "\\n",
    "\\u0041",
    "\\ud83d\\ude00",
    "\\ud800",
    "\\u00e9",
    "\\x",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "0",
    "-1.5e3",
    "1e999",
    "01",
    "é",
    "→",
    "\u{1}",
    "{}",
    "[]",
    r#""id":"x","#,
    r#""type":"abort","#,
    r#""data":null,"#,
    r#""data":{},"#,
    r#""agentId":"a-1","#,
    r#""ephemeral":true,"#,
    r#""timestamp":"2026-11-21T22:43:23+01:00","#,
    r#""messageId":"m","#,
    r#""deltaContent":"twice","#,
    r#""parentToolCallId":7,"#,
    r#""toolCallId":"","#,
    r#""jsonrpc":"2.0","#,
    r#""\u0069d":"x","#,
];

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    }
}

fn boundary(text: &str, place: Index) -> usize {
    let at = place.index(text.len() + 1);
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

proptest! {
    #![proptest_config(config(6_000))]

    /// With changes anywhere: what is still read in one pass gives the same as the general rules, and nothing
    /// panics.
    #[test]
    fn a_changed_event_gives_the_same_session_either_way(
        line in select(recorded_lines().into_iter().filter(|line| line.len() < 3_000 && is_event(line)).collect::<Vec<_>>()),
        changes in prop::collection::vec((any::<Index>(), 0_usize..12, select(PIECES.to_vec()), any::<bool>()), 1..4),
    ) {
        let mut changed = line.clone();
        for (place, gone, piece, with) in changes {
            let start = boundary(&changed, place);
            let end = (start + gone).min(changed.len());
            let end = (end..=changed.len()).find(|at| changed.is_char_boundary(*at)).unwrap_or(changed.len());
            changed.replace_range(start..end, if with { piece } else { "" });
        }
        let quick = known(&mut session_of(&[&line, &changed]));
        if is_plain(&changed) {
            // A line that is not plain is read by the general rules anyway.
            let before = if is_plain(&line) { for_the_general_rules(&line) } else { line.clone() };
            let slow = known(&mut session_of(&[before, for_the_general_rules(&changed)]));
            prop_assert_eq!(quick, slow, "{}", changed);
        }
    }

    /// The same with whole members inserted where members may be, so that most lines stay well formed.
    #[test]
    fn members_more_or_twice_give_the_same_session_either_way(
        line in select(recorded_lines().into_iter().filter(|line| line.len() < 3_000 && is_event(line)).collect::<Vec<_>>()),
        pieces in prop::collection::vec((any::<Index>(), select(PIECES[29..].to_vec())), 1..4),
    ) {
        let mut changed = line.clone();
        for (place, piece) in pieces {
            let keys: Vec<usize> = changed.match_indices(['{', ',']).map(|(at, _)| at + 1).collect();
            changed.insert_str(keys[place.index(keys.len())], piece);
        }
        let quick = known(&mut session_of(&[&line, &changed]));
        if is_plain(&changed) {
            // A line that is not plain is read by the general rules anyway.
            let before = if is_plain(&line) { for_the_general_rules(&line) } else { line.clone() };
            let slow = known(&mut session_of(&[before, for_the_general_rules(&changed)]));
            prop_assert_eq!(quick, slow, "{}", changed);
        }
    }
}
