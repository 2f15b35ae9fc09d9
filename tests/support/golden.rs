//! The golden sessions, and the parts of them that tests compare.

#![allow(dead_code, reason = "each test binary uses its part")]

use std::fs;
use std::path::{Path, PathBuf};

use pilothouse::core::Session;
use serde_json::{Value, json};

/// `tests/sessions`.
pub fn sessions_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions")
}

/// The names of the cases, sorted.
pub fn case_names() -> impl Iterator<Item = String> {
    let mut names: Vec<String> = fs::read_dir(sessions_folder())
        .expect("the golden sessions")
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names.into_iter()
}

/// The bytes of a file of a case.
pub fn read(case: &str, file: &str) -> Vec<u8> {
    fs::read(sessions_folder().join(case).join(file)).unwrap_or_else(|e| panic!("{case}/{file}: {e}"))
}

/// Every golden log with its name, including the persisted ones.
pub fn logs() -> Vec<(String, Vec<u8>)> {
    let mut logs = Vec::new();
    for case in case_names() {
        for file in ["events.jsonl", "persisted.jsonl"] {
            if sessions_folder().join(&case).join(file).exists() {
                logs.push((format!("{case}/{file}"), read(&case, file)));
            }
        }
    }
    logs
}

/// A session that read these bytes to their end.
pub fn reduced(bytes: &[u8]) -> Session {
    let mut session = Session::new();
    session.push(bytes);
    session.end();
    session
}

/// The snapshot without the counters of events: only they count duplicates.
pub fn without_counters(mut snapshot: Value) -> Value {
    snapshot.as_object_mut().unwrap().remove("events");
    snapshot
}

/// The part of the timeline that history has, an entry a line. Reasoning has an id of its own only while it
/// streams, so its id is left out.
pub fn conversation(session: &Session) -> Vec<String> {
    let snapshot = session.snapshot();
    let entries = snapshot["timeline"].as_array().unwrap().iter();
    let lines = entries.filter(|entry| entry["ephemeral"] == json!(false)).map(|entry| {
        let id = if entry["kind"] == "reasoning" { &Value::Null } else { &entry["id"] };
        json!([entry["kind"], id, entry["text"], entry["state"], entry["agentId"]]).to_string()
    });
    lines.collect()
}

/// The model's view, a message a line.
pub fn models_view(session: &Session) -> Vec<String> {
    let messages = session.state().context.messages().iter();
    messages.map(|message| json!([message.role.word(), message.content]).to_string()).collect()
}
