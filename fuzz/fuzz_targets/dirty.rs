//! Logs with junk between their records: every event whose own bytes are whole is read once, with its true content.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_fuzz::dirty::{Dirty, read_as_frame, read_as_server_sent, read_in_pieces};
use serde_json::{Value, json};

fn events() -> Vec<Value> {
    let message = |number: u32, content: &str| {
        json!({ "type": "assistant.message", "data": { "messageId": format!("m{number}"), "content": content, "toolRequests": [
            { "toolCallId": "t", "name": "bash", "type": "function", "arguments": { "command": "a\tb\n{\"c\": [1]}" } }] },
            "id": format!("event-{number}"), "timestamp": "2026-09-14T08:00:00.000Z", "parentId": null })
    };
    let contents = [
        "",
        "one\ntwo",
        "if (x) {",
        "\u{0}\u{1b}[0m\"",
        "data: {\"type\":\"a.b\",\"data\":{}}\n[DONE]\n",
        "🌊\\n",
    ];
    (0..).zip(contents).map(|(number, content)| message(number, content)).collect()
}

fuzz_target!(|bytes: &[u8]| {
    let dirty = Dirty::new(&events(), bytes);
    dirty.assert_read(&read_in_pieces(&dirty), "as a stream");
    dirty.assert_read(&read_as_frame(&dirty), "as a frame");
    dirty.assert_read(&read_as_server_sent(&dirty), "as a server-sent event");
});
