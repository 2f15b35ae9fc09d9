//! Joins characters that a program in JavaScript has cut in two between the pieces of one text: the first half is kept for its
//! stream until the next piece begins with the second.

use super::EventMeta;
use crate::model::state::State;
use crate::protocol::EventKind;
use crate::wire::fields::Fields;
use crate::wire::half_characters::{halves_at_ends, join};
use crate::wire::{Event, JsonToken, members};

impl State {
    /// Completes the text of a piece with the half that the piece before ended with, and keeps the one that it ends with.
    pub(super) fn join_halves(&mut self, meta: EventMeta<'_>, event: &Event<'_>, data: &mut Fields) {
        let (id, name) = match meta.kind {
            EventKind::AssistantMessageDelta => ("messageId", "deltaContent"),
            EventKind::AssistantReasoningDelta => ("reasoningId", "deltaContent"),
            EventKind::AssistantToolCallDelta => ("toolCallId", "inputDelta"),
            EventKind::ToolExecutionPartialResult => ("toolCallId", "partialOutput"),
            _ => return,
        };
        let Some(id) = data.get(id).and_then(|id| id.as_str().map(str::to_owned)) else { return };
        let stream = (meta.kind, id);
        let before = self.halves.iter().position(|(other, _)| *other == stream);
        let before = before.map(|place| self.halves.swap_remove(place).1);
        let (second, first) =
            if event.has_halves { halves_at_the_ends(event.raw, name) } else { (None, None) };
        if before.is_none() && second.is_none() && first.is_none() {
            return;
        }
        let Some(text) = data.get(name).and_then(|text| text.as_str().map(str::to_owned)) else { return };
        if let (Some(before), true) = (before, text.is_empty()) {
            self.halves.push((stream, before));
            return;
        }
        let mut whole = String::with_capacity(text.len() + 4);
        let mut rest = text.as_str();
        match (before, second) {
            (Some(before), Some(second)) => {
                whole.push(join(before, second));
                rest = rest.strip_prefix(char::REPLACEMENT_CHARACTER).unwrap_or(rest);
            }
            // Partial output is mostly all of the output so far, which has the character itself.
            (Some(_), None) if meta.kind != EventKind::ToolExecutionPartialResult => {
                whole.push(char::REPLACEMENT_CHARACTER);
            }
            _ => {}
        }
        if let Some(first) = first {
            rest = rest.strip_suffix(char::REPLACEMENT_CHARACTER).unwrap_or(rest);
            self.halves.push((stream, first));
        }
        whole.push_str(rest);
        data.set(name, whole);
    }
}

/// The halves at the ends of a text of an event.
fn halves_at_the_ends(raw: &str, name: &str) -> (Option<u16>, Option<u16>) {
    let (mut data, mut text) = ("", "");
    let _ = members(raw, |key, value| {
        if key == "data" {
            data = value.raw();
        }
    });
    let _ = members(data, |key, value| {
        if let JsonToken::Str { quoted, .. } = value
            && key == name
        {
            text = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        }
    });
    halves_at_ends(text)
}

#[cfg(test)]
mod tests {
    use crate::Session;

    fn pieces(kind: &str, id: &str, name: &str, pieces: &[&str]) -> Session {
        let mut session = Session::new();
        for (number, piece) in pieces.iter().enumerate() {
            let other = if number == 1 {
                format!(r#"{{"type":"{kind}","id":"o","data":{{"{id}":"other","{name}":"\\udf0a x"}}}}"#)
                    + "\n"
            } else {
                String::new()
            };
            let event =
                format!(r#"{{"type":"{kind}","id":"{number}","data":{{"{id}":"s","{name}":"{piece}"}}}}"#);
            session.push(format!("{other}{event}\n").as_bytes());
        }
        session
    }

    #[test]
    fn a_half_waits_for_the_other_of_its_own_stream() {
        for (texts, expected) in [
            (&[r"\ud83c", r"\udf0a"][..], "🌊"),
            (&[r"a\ud83c", "", r"\udf0ab"], "a🌊b"),
            (&[r"a\ud83c", r"\udf0a\ud83c", r"\udf0ab"], "a🌊🌊b"),
            (&[r"a\ud83c", "b"], "a\u{fffd}b"),
            (&[r"a\ud83c"], "a"),
            (&["a", r"\udf0ab"], "a\u{fffd}b"),
            (&[r"\\ud83c", "b"], r"\ud83cb"),
            (&[r"\ud83c\udf0a", r"\ud83c\udf0a"], "🌊🌊"),
            (&[r"\ud83c\ud83c", r"\udf0a"], "\u{fffd}🌊"),
        ] {
            for (kind, id, name) in [
                ("assistant.message_delta", "messageId", "deltaContent"),
                ("assistant.reasoning_delta", "reasoningId", "deltaContent"),
                ("assistant.tool_call_delta", "toolCallId", "inputDelta"),
            ] {
                let session = pieces(kind, id, name, texts);
                let entry = session.state().entries.first().unwrap();
                let text = entry.tool().map_or(&*entry.text, |call| &call.written);
                assert_eq!(text, expected, "{kind}: {texts:?}");
            }
        }
    }

    #[test]
    fn partial_output_is_joined_in_pieces_and_as_a_whole() {
        for texts in [&[r"ab\ud83c", r"\udf0a cd"][..], &[r"ab\ud83c", r"ab\ud83c\udf0a cd"]] {
            let session = pieces("tool.execution_partial_result", "toolCallId", "partialOutput", texts);
            let call = session.state().entries.first().and_then(|entry| entry.tool()).unwrap();
            assert_eq!(&*call.output, "ab🌊 cd", "{texts:?}");
        }
    }

    #[test]
    fn a_log_gives_the_same_when_it_is_read_again() {
        let mut session = pieces("assistant.message_delta", "messageId", "deltaContent", &[]);
        session.keep_log();
        for event in [
            r#"{"type":"assistant.message_delta","id":"1","data":{"messageId":"m","deltaContent":"\ud83c"}}"#,
            r#"{"jsonrpc":"2.0","method":"session.event","params":{"event":{"type":"assistant.message_delta","id":"2","data":{"messageId":"m","deltaContent":"\udf0a"}}}}"#,
        ] {
            session.push_frame(event);
        }
        let mut again = Session::new();
        for record in 0..2 {
            again.push_frame(&session.log().and_then(|log| log.line(record)).unwrap());
        }
        assert_eq!(&*again.state().entries.first().unwrap().text, "🌊");
    }
}
