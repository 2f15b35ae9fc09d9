//! The history of a session over HTTP: what is left of its log once superseded events are out, for whoever joins late. The live
//! stream goes on at the position in the header.

use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use axum::body::Body;
use axum::extract::{Extension, Path, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;

use super::answers;
use super::headers::NEWEST;
use super::state::AppState;
use crate::access::gate::Pass;
use crate::journal::{Cursor, Entries, Entry, Journal, Position};
use crate::sessions::session::Session;

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
    let Ok(after) = query.after.as_deref().unwrap_or("0").parse::<u64>() else {
        return answers::error(StatusCode::BAD_REQUEST, "after must be a whole number, 0 or more");
    };
    let session = match state.session(&id, after).await {
        Ok(session) => session,
        Err(response) => return response,
    };
    let whole = query.whole.as_deref() == Some("1");
    let position = session.journal.position();
    // A position beyond the end is of another life of the log.
    let after = if after > position.length { 0 } else { after };
    let (journal, query) = (&*session.journal, (after, whole));
    let known = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let now = tag(journal, position, query);
    if known.split(',').any(|known| known.trim() == now) {
        return (StatusCode::NOT_MODIFIED, head(position, &now)).into_response();
    }
    if !whole {
        return left_after(&session, after, pass);
    }
    let mut cursor = Cursor { epoch: position.epoch, seq: after };
    let entries = read_all(journal, &mut cursor, position);
    answer(journal, cursor, (after, true), entries, pass)
}

/// What is left after this position, as an answer. A reader's place is held until all is sent.
pub(super) fn left_after(session: &Session, after: u64, pass: Pass) -> Response {
    let journal = &*session.journal;
    let mut cursor = journal.cursor_after(after);
    let entries = journal.read_left(&mut cursor).entries;
    answer(journal, cursor, (after, false), entries, pass)
}

/// Lines up to the cursor.
fn answer(
    journal: &dyn Journal,
    cursor: Cursor,
    query: (u64, bool),
    entries: Entries,
    pass: Pass,
) -> Response {
    let (after, _) = query;
    let position = Position { epoch: cursor.epoch, length: cursor.seq };
    let mut headers = head(position, &tag(journal, position, query));
    // Who goes on somewhere has the beginning.
    let first = entries.first().map_or(1, |(seq, _)| *seq);
    let lost = if after == 0 { first.saturating_sub(1) } else { 0 };
    let left_out = (position.length - after.min(position.length)).saturating_sub(lost + entries.len() as u64);
    headers.insert(LEFT_OUT, HeaderValue::from(left_out));
    let mut rest = beginning_lost(lost).into_iter().chain(entries);
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
    (headers, body).into_response()
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

/// All entries behind the cursor, up to this position.
fn read_all(journal: &dyn Journal, cursor: &mut Cursor, end: Position) -> Entries {
    let mut all = journal.all_after(cursor.seq);
    all.retain(|(seq, _)| *seq <= end.length);
    cursor.seq = end.length;
    all
}

fn head(position: Position, tag: &str) -> HeaderMap {
    let mut headers = HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static("application/jsonl; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
        (NEWEST, HeaderValue::from(position.length)),
    ]);
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, tag);
    }
    headers
}

/// Says that the log no longer has its first entries, so many.
fn beginning_lost(missing: u64) -> Option<(u64, Entry)> {
    let gap = format!(r#"{{"jsonrpc":"2.0","method":"pilothouse.gap","params":{{"missing":{missing}}}}}"#);
    (missing > 0).then(|| (missing, Entry { raw: gap.into(), event: false, persisted: false }))
}

#[cfg(test)]
mod tests {
    use super::beginning_lost;

    #[test]
    fn a_log_that_has_lost_its_beginning_says_so() {
        assert!(beginning_lost(0).is_none());
        let mut text = String::new();
        let (seq, entry) = beginning_lost(4).unwrap();
        entry.write_line(seq, &mut text);
        assert!(text.starts_with(r#"{"seq":4,"text":"#) && text.contains(r#"\"missing\":4"#), "{text}");
    }
}
