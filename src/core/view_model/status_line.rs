//! What the one-line header says: what the agent is doing, where, with which model, and how full its context is.

use std::borrow::Cow;

use super::entry_words::current_activity;
use crate::connection::ConnectionState;
use crate::i18n::format::{bytes, mode_name};
use crate::i18n::words::page;
use crate::i18n::{self, Word};
use crate::model::state::State;
use crate::model::usage::Usage;

/// Milliseconds without an event after which the header says so.
const QUIET: i64 = 30_000;

/// What the session is doing; what the connection is doing before the first event, when `standing` is empty.
pub fn status(standing: &str, connection: &ConnectionState, readonly: bool) -> Word {
    match (standing, connection) {
        ("running", _) => page::RUNNING,
        ("waiting", _) if readonly => page::WAITING_READ_ONLY,
        ("waiting", _) => page::WAITING,
        ("idle", _) => page::IDLE,
        ("error", _) => page::ERROR,
        ("ended", _) => page::ENDED,
        (_, ConnectionState::Connecting { .. }) => page::CONNECTING,
        (_, ConnectionState::Waiting { .. }) => page::NOT_CONNECTED,
        (_, ConnectionState::Closed { .. }) => page::CLOSED,
        _ => page::LOADING,
    }
}

/// What the agent says it is doing, while it runs.
pub fn intent(state: &State) -> Option<String> {
    current_activity(state).filter(|_| state.info.running_since.is_some()).map(Cow::into_owned)
}

/// That nothing has come for a while, after so many milliseconds without an event; else empty.
pub fn silence_note(ms: i64) -> String {
    if ms < QUIET {
        return String::new();
    }
    page::QUIET.with(&[("time", (&i18n::duration(ms)).into())])
}

/// For how long the agent has been running, in whole seconds: event time, plus the time since the newest event. So a
/// replayed session shows the time that it took.
pub fn elapsed(took: Option<i64>, since: i64) -> String {
    let took = took.map(|took| (took + since) / 1_000 * 1_000);
    took.filter(|took| *took > 0).map_or_else(String::new, i18n::duration)
}

/// The size of the response that is arriving.
pub fn response_size(state: &State) -> Option<String> {
    let arriving = state.info.response_bytes.filter(|size| *size > 0 && state.status() == "running");
    arriving.map(bytes)
}

/// The folder and the branch; `…` while the branch is not known yet.
pub fn directory(state: &State) -> Option<String> {
    let branch = state.info.branch.as_deref().or(state.info.git_pending.then_some("…"));
    let parts: Vec<String> = state.info.folder().into_iter().chain(branch.map(str::to_owned)).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// The mode by its name.
pub fn mode(state: &State) -> Option<String> {
    state.info.mode.as_deref().map(mode_name)
}

/// The chosen model, the one that answers if that is another, and the effort: 'auto → gpt-5 · high'.
pub fn model(state: &State) -> Option<String> {
    let mut model = state.info.model.clone()?;
    let answers = state.info.auto_model.as_ref().or(state.info.answering_model.as_ref());
    if let Some(answers) = answers.filter(|answers| **answers != model) {
        model = [model.as_str(), answers].join(" → ");
    }
    Some(match &state.info.reasoning_effort {
        Some(effort) => format!("{model} · {effort}"),
        None => model,
    })
}

/// Number of queued messages, if the server has listed them.
pub fn queued(state: &State) -> Option<usize> {
    state.queue.items.as_ref().map(|items| items.len() + state.queue.steering.len())
}

/// How full the model's context is, in per cent.
pub fn context_percent(usage: &Usage) -> Option<i64> {
    let (tokens, limit) = (usage.context_tokens?, usage.context_limit.filter(|limit| *limit > 0)?);
    Some((tokens.saturating_mul(100) / limit).clamp(0, 100))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use crate::connection::ClosedReason;

    #[test]
    fn the_session_speaks_before_the_connection() {
        let closed = ConnectionState::Closed { reason: ClosedReason::SignIn };
        for (standing, connection, readonly, expected) in [
            ("running", &closed, false, "Running"),
            ("waiting", &ConnectionState::Open, false, page::WAITING.text()),
            ("waiting", &ConnectionState::Open, true, page::WAITING_READ_ONLY.text()),
            ("idle", &closed, true, page::IDLE.text()),
            ("", &ConnectionState::Connecting { attempt: 1 }, false, page::CONNECTING.text()),
            ("", &closed, false, page::CLOSED.text()),
            ("", &ConnectionState::Open, false, page::LOADING.text()),
            ("", &ConnectionState::Replaying, false, page::LOADING.text()),
        ] {
            assert_eq!(status(standing, connection, readonly).text(), expected, "{standing} {connection:?}");
        }
    }

    #[test]
    fn times_are_shown_once_they_say_something() {
        assert_eq!((silence_note(29_999), elapsed(None, 5_000), elapsed(Some(0), 900)), Default::default());
        assert!(silence_note(30_000).contains("30"), "{}", silence_note(30_000));
        assert_eq!(elapsed(Some(3_400), 700), i18n::duration(4_000));
    }

    #[test]
    fn facts_come_from_the_events() {
        let mut session = Session::new();
        assert_eq!(queued(session.state()), None);
        session.push_frame(
            r#"{"type":"session.start","id":"s","data":{"sessionId":"x","selectedModel":"auto","reasoningEffort":"high","context":{"cwd":"/home/me/boats","branch":"main"}}}"#,
        );
        let state = session.state();
        assert_eq!(model(state).as_deref(), Some("auto · high"));
        assert_eq!(directory(state).as_deref(), Some("boats · main"));
        assert_eq!((response_size(state), intent(state)), (None, None));
    }

    #[test]
    fn the_ring_is_never_more_than_full() {
        let usage =
            |tokens, limit| Usage { context_tokens: tokens, context_limit: limit, ..Usage::default() };
        for (tokens, limit, expected) in [
            (Some(50), Some(200), Some(25)),
            (Some(500), Some(200), Some(100)),
            (Some(-5), Some(200), Some(0)),
            (Some(i64::MAX), Some(1), Some(100)),
            (Some(5), Some(0), None),
            (None, Some(200), None),
        ] {
            assert_eq!(context_percent(&usage(tokens, limit)), expected, "{tokens:?} of {limit:?}");
        }
    }
}
