//! The history of a session over HTTP: what is left of its log once superseded events are out, for whoever joins late. The live
//! stream goes on at the position in the header.

use std::collections::HashSet;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use axum::body::Body;
use axum::extract::{Extension, Path, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use pilothouse_core::session::superseded::Superseded;
use serde::Deserialize;

use super::answers;
use super::state::AppState;
use super::stream::NEWEST;
use crate::access::gate::Pass;
use crate::journal::{Entries, Entry, Journal, Position};

/// The number of events that were left out.
const LEFT_OUT: HeaderName = HeaderName::from_static("pilothouse-left-out");
/// How many bytes are written at once.
const CHUNK: usize = 64 << 10;

/// The query: `?after=SEQ&whole=1`.
#[derive(Debug, Default, Deserialize)]
pub struct HistoryQuery {
    after: Option<String>,
    whole: Option<String>,
}

/// Serves `GET /api/sessions/{id}/history?after=SEQ`: JSONL, a line `{"seq":N,"event":{…}}` for each event after SEQ that is not
/// superseded, or with `whole=1` for each. `Pilothouse-Seq` is the position at which the live stream goes on.
pub async fn history(
    State(state): State<AppState>,
    Extension(pass): Extension<Pass>,
    Path(id): Path<String>,
    Query(query): Query<HistoryQuery>,
    headers: HeaderMap,
) -> Response {
    let Some(session) = state.sessions.find(Some(&id)) else {
        let message = format!("no session \"{id}\" here; GET /api/sessions lists the sessions");
        return answers::error(StatusCode::NOT_FOUND, &message);
    };
    std::sync::Arc::clone(&session.agent).ready(&session.id).await;
    let Ok(after) = query.after.as_deref().unwrap_or("0").parse::<u64>() else {
        return answers::error(StatusCode::BAD_REQUEST, "after must be a whole number, 0 or more");
    };
    let whole = query.whole.as_deref() == Some("1");
    let position = session.journal.position();
    // A position beyond the end is of another life of the log.
    let after = if after > position.length { 0 } else { after };
    let mut headers_sent = HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static("application/jsonl; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
        (NEWEST, HeaderValue::from(position.length)),
    ]);
    let tag = tag(&*session.journal, position, (after, whole));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers_sent.insert(header::ETAG, tag);
    }
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    if known.is_some_and(|known| known.split(',').any(|known| known.trim() == tag)) {
        return (StatusCode::NOT_MODIFIED, headers_sent).into_response();
    }
    let (entries, left_out) = entries(&*session.journal, after, position.length, whole);
    headers_sent.insert(LEFT_OUT, HeaderValue::from(left_out));
    let mut rest = entries.into_iter();
    let lines = std::iter::from_fn(move || {
        let _ = &pass; // held until all is sent: it is a reader's place
        let mut chunk = String::new();
        for (seq, entry) in rest.by_ref() {
            entry.write_line(seq, &mut chunk);
            if chunk.len() >= CHUNK {
                break;
            }
        }
        (!chunk.is_empty()).then_some(Ok::<_, Infallible>(chunk))
    });
    let body = Body::from_stream(futures_util::stream::iter(lines));
    (headers_sent, body).into_response()
}

/// What changes when the answer does: it follows from the position and from the entry there, also after a restart.
fn tag(journal: &dyn Journal, position: Position, query: (u64, bool)) -> String {
    let mut cursor = journal.cursor_after(position.length.saturating_sub(1));
    let newest = journal.read(&mut cursor, 1).entries;
    let mut hasher = DefaultHasher::new();
    (position.epoch, position.length, query).hash(&mut hasher);
    newest.first().map(|(_, entry)| &*entry.raw).hash(&mut hasher);
    format!("W/\"{:016x}\"", hasher.finish())
}

/// The entries from `after` to `newest`, and how many of those were left out.
fn entries(journal: &dyn Journal, after: u64, newest: u64, whole: bool) -> (Entries, usize) {
    let mut all = journal.all_after(0);
    all.retain(|(seq, _)| *seq <= newest);
    let lost = all.first().and_then(|(first, _)| beginning_lost(after, *first));
    let mut out: HashSet<u64> = HashSet::new();
    if !whole {
        let mut superseded = Superseded::default();
        for (seq, entry) in &all {
            out.extend(superseded.take(*seq, &entry.raw));
        }
    }
    all.retain(|(seq, _)| *seq > after);
    let length = all.len();
    all.retain(|(seq, _)| !out.contains(seq));
    let left_out = length - all.len();
    (lost.into_iter().chain(all).collect(), left_out)
}

/// Says that the log no longer has its beginning, up to this first entry. Other positions may be unused because superseded
/// events were dropped there.
fn beginning_lost(after: u64, first: u64) -> Option<(u64, Entry)> {
    let missing = first.checked_sub(after + 1).filter(|missing| *missing > 0)?;
    let gap = format!(r#"{{"jsonrpc":"2.0","method":"pilothouse.gap","params":{{"missing":{missing}}}}}"#);
    Some((first - 1, Entry { raw: gap.into(), event: false, persisted: false }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::memory::Memory;

    #[test]
    fn a_log_that_has_lost_its_beginning_says_so() {
        let memory = Memory::default();
        let entry = |text: &str| Entry { raw: text.into(), event: true, persisted: true };
        memory.restore(vec![(5, entry("{}")), (9, entry("{}"))], None);
        let lines = |after, whole| {
            let mut text = String::new();
            for (seq, entry) in entries(&memory, after, 9, whole).0 {
                entry.write_line(seq, &mut text);
            }
            text
        };
        let kept = "{\"seq\":5,\"event\":{}}\n{\"seq\":9,\"event\":{}}\n";
        for whole in [true, false] {
            let lost = lines(0, whole);
            assert!(lost.starts_with(r#"{"seq":4,"text":"#) && lost.contains(r#"missing\":4}"#), "{lost}");
            assert!(lost.ends_with(kept));
            assert!(lines(3, whole).contains(r#"missing\":1}"#));
            assert_eq!(lines(4, whole), kept);
            assert_eq!(
                lines(5, whole),
                "{\"seq\":9,\"event\":{}}\n",
                "a hole that superseded events have left"
            );
        }
    }
}
