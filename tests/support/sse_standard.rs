//! A plain reading of the standard for server-sent events, to compare the parser with.

use pilothouse::core::wire::sse::{SseMessage, SseParser};

/// Name, data, last event id.
pub type Message = (String, String, String);

/// What a parser gives: its messages, the reconnection time, the last event id, the number of comments.
pub type Outcome = (Vec<Message>, Option<u64>, String, u64);

/// WHATWG HTML §9.2.6, sentence by sentence.
pub fn by_the_standard(bytes: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<&str> = text.split('\n').collect();
    // A line without its end was not received yet.
    lines.pop();
    let (mut data, mut kind, mut id_buffer) = (String::new(), String::new(), String::new());
    let (mut messages, mut retry, mut last_id, mut comments) = (Vec::new(), None, String::new(), 0);
    for line in lines {
        if line.is_empty() {
            last_id.clone_from(&id_buffer);
            if !data.is_empty() {
                let event = if kind.is_empty() { "message".to_owned() } else { kind.clone() };
                messages.push((event, data.strip_suffix('\n').unwrap_or(&data).to_owned(), last_id.clone()));
            }
            data.clear();
            kind.clear();
            continue;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "" => comments += 1,
            "event" => value.clone_into(&mut kind),
            "data" => data.extend([value, "\n"]),
            "id" if !value.contains('\0') => value.clone_into(&mut id_buffer),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                retry = value.parse().ok().or(retry);
            }
            _ => {}
        }
    }
    (messages, retry, last_id, comments)
}

/// What the parser makes of these pieces.
pub fn parsed(mut parser: SseParser, pieces: &[&[u8]]) -> Outcome {
    let mut messages = Vec::new();
    let mut sink = |message: SseMessage<'_>| {
        messages.push((message.event.into(), message.data.into(), message.last_event_id.into()));
    };
    for piece in pieces {
        parser.push(piece, &mut sink);
    }
    (messages, parser.retry(), parser.last_event_id().to_owned(), parser.comments())
}
