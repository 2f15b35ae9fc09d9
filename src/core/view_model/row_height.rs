//! About how high a row of the timeline is before it is measured.

use crate::model::entry::{Entry, Kind};
use crate::model::request::Request;
use crate::model::tool_call::{CallStage, ToolCall};
use crate::view_model::approval::grants_little;
use crate::view_model::permission_offers::Offers;
use crate::view_model::tool_summary::{ToolFamily, family};
use crate::wire::text::Text;

/// An estimate of a row's height in pixels, so that the scroll bar is about right before the row is measured,
/// and a jump renders only the rows in sight. It fits the rows of a log of 10,000 at the column's full width.
pub fn estimate(entry: &Entry) -> f64 {
    // Whole pixels, like scroll positions.
    guess(entry).round()
}

fn guess(entry: &Entry) -> f64 {
    let size = entry.text.approximate_length() as f64;
    match entry.kind {
        Kind::User => 104.0 + (size / 90.0).ceil().max(1.0) * 23.0,
        Kind::Assistant => {
            // Most line ends are in lists, tables or code, or between two blocks.
            let ends = |text: &str| text.bytes().take(MAX_EXAMINED).filter(|byte| *byte == b'\n').count();
            let lines = entry.text.read_uncached(ends);
            let lines = lines as f64 * (size / MAX_EXAMINED as f64).max(1.0);
            20.0 + (size / 80.0 * 25.0 + lines * 12.0).max(19.0)
        }
        Kind::Permission | Kind::Question | Kind::Form | Kind::Plan | Kind::Confirmation
            if entry.request().is_some_and(Request::open) =>
        {
            let is_line = |request: &Request| {
                grants_little(request) && Offers::of(&request.details).is_none_or(|offers| !offers.stacked)
            };
            let little = entry.request().is_some_and(is_line);
            if little { 68.0 } else { 280.0 }
        }
        _ => entry.tool().map_or(32.0, |call| of_call(call, &entry.text)),
    }
}

/// Bytes of a message in which line ends are counted.
const MAX_EXAMINED: usize = 16 << 10;

/// Most calls are one line. A call that is open by default is as high as its content.
fn of_call(call: &ToolCall, text: &Text) -> f64 {
    // The first of several parallel calls has one line more, which is spread over all of them.
    let line = call.parallel.as_ref().map_or(33.0, |calls| 29.0 + 28.0 / calls.len().max(1) as f64);
    let open = match &call.stage {
        CallStage::Failed(failure) if !failure.interrupted => {
            (60.0 + failure.message.approximate_length() as f64 * 0.55).min(HIGHEST)
        }
        CallStage::Succeeded(outcome) if family(call) == ToolFamily::Edit => {
            let shown = outcome.detailed.as_ref().unwrap_or(text);
            let highest = if shown.is_coloured() { TERMINAL } else { HIGHEST };
            (60.0 + shown.approximate_length() as f64 * 0.44).min(highest)
        }
        _ => 0.0,
    };
    line + open
}

/// The rest of a long change or error is only rendered on request.
const HIGHEST: f64 = 9_000.0;
/// A terminal scrolls on its own.
const TERMINAL: f64 = 424.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    fn rows(events: &str) -> Vec<f64> {
        let mut session = Session::new();
        session.push_frame(events);
        session.state().entries.iter().map(|entry| estimate(entry)).collect()
    }

    #[test]
    fn a_message_is_as_high_as_its_lines() {
        let message = |id: &str, text: &str| {
            let content = serde_json::Value::from(text);
            format!(
                r#"{{"type":"assistant.message","id":"{id}","data":{{"messageId":"{id}","content":{content}}}}}"#
            )
        };
        let rows = rows(
            &[message("a", "One"), message("b", &"words ".repeat(400)), message("c", &"- a\n".repeat(200))]
                .concat(),
        );
        let [short, wide, lines] = rows.as_slice() else { panic!("{rows:?}") };
        assert!(*short < 80.0 && *wide > 500.0 && *lines > 2000.0, "{rows:?}");
        assert!(rows.iter().all(|height| height.fract() == 0.0), "whole pixels: {rows:?}");
    }

    #[test]
    fn only_a_request_that_waits_is_as_high_as_a_card() {
        let asked = |id: &str, permission: &str| {
            format!(
                r#"{{"type":"permission.requested","id":"{id}","data":{{"requestId":"{id}","permissionRequest":{permission}}}}}"#
            )
        };
        let little = asked("r", r#"{"kind":"read","path":"/p/a"}"#);
        let card = asked("s", r#"{"kind":"shell","fullCommandText":"make"}"#);
        let answered = asked("t", r#"{"kind":"shell","fullCommandText":"ls"}"#)
            + r#"{"type":"permission.completed","id":"u","data":{"requestId":"t","result":{"kind":"approved"}}}"#;
        assert_eq!(rows(&[little, card, answered].concat()), [68.0, 280.0, 32.0]);
    }
}
