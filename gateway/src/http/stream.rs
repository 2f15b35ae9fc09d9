//! Server-sent events: each message is one line of the session, unchanged, with its `seq` as `id:`.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Extension, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use pilothouse_core::connection::PROTOCOL;
use serde::Deserialize;
use tokio::sync::watch;

use super::headers::NEWEST;
use super::send_pause::SendPause;
use super::state::{AppState, any_change, has_ended};
use super::watching::{OtherWatchers, any_others};
use super::{answers, history};
use crate::access::gate::Pass;
use crate::health::Report;
use crate::journal::{Cursor, Entry, Position};
use crate::sessions::session::{Session, Viewer};
use crate::sessions::watchers::Watcher;

const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// The last words when the gateway ends: come again in a second.
const COME_AGAIN: &str = "retry: 1000\n\n";
const VERSION: header::HeaderName = header::HeaderName::from_static("pilothouse-protocol");
/// How many bytes are written at once when the reader is behind.
const CHUNK: usize = 64 << 10;

/// The query: `?after=SEQ&history=1`.
#[derive(Debug, Default, Deserialize)]
pub struct EventsQuery {
    after: Option<String>,
    history: Option<String>,
}

/// Serves `GET /api/sessions/{id}/events?after=SEQ`. A `Last-Event-ID` header beats `after`: it is newer,
/// because a browser that reconnects repeats the address it began with. With `history=1` the answer is the history, if the reader
/// is far behind.
pub async fn events(
    State(state): State<AppState>,
    Extension(pass): Extension<Pass>,
    Path(id): Path<String>,
    Query(from): Query<EventsQuery>,
    headers: HeaderMap,
) -> Response {
    let last_seen =
        headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.trim().parse().ok());
    let after = match (last_seen, from.after.as_deref().map(str::parse::<u64>)) {
        (Some(seq), _) | (None, Some(Ok(seq))) => seq,
        (None, None) => 0,
        (None, Some(Err(_))) => {
            return answers::error(StatusCode::BAD_REQUEST, "after must be a whole number, 0 or more");
        }
    };
    let session = match state.session(&id, after).await {
        Ok(session) => session,
        Err(response) => return response,
    };
    let takes_history = from.history.as_deref() == Some("1");
    if takes_history && session.journal.has_more_after(after, state.far_behind) {
        return history::left_after(&session, after, pass);
    }
    let newest = session.journal.position().length;
    let health = if pass.actor().is_by_link() { None } else { session.agent.health_of(&session.id) };
    let watcher = pass.announced_role().and(pass.person()).map(Watcher::new);
    let stream = EventStream {
        cursor: session.journal.cursor_after(after),
        grown: session.journal.follow(),
        others: OtherWatchers::of(&session, watcher.as_ref()),
        viewer: session.watch(watcher),
        health,
        health_is_news: true,
        reported_wrong: false,
        pause: SendPause::rested(),
        session,
        stopping: state.stopping,
        ended: false,
        pass,
    };
    let events = futures_util::stream::unfold(stream, |mut stream| async move {
        stream.next().await.map(|chunk| (Ok::<_, Infallible>(chunk), stream))
    });
    // Firefox gives `fetch` its response with the first byte of the body, and an idle session has no event to send.
    let opening = futures_util::stream::iter([Ok(": open\n\n".to_owned())]);
    let chunks = opening.chain(events);
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    // A reader that has a larger `seq` than this knows that the log has started over.
    let headers = (headers, [(NEWEST, newest.to_string()), (VERSION, PROTOCOL.to_string())]);
    (headers, Body::from_stream(chunks)).into_response()
}

struct EventStream {
    session: std::sync::Arc<Session>,
    cursor: Cursor,
    grown: watch::Receiver<Position>,
    pause: SendPause,
    health: Option<watch::Receiver<Report>>,
    health_is_news: bool,
    /// Whether the reader was notified that something is wrong with the gateway.
    reported_wrong: bool,
    others: Option<OtherWatchers>,
    stopping: watch::Receiver<bool>,
    /// The last words were sent.
    ended: bool,
    #[expect(dead_code, reason = "held for its drop: the session counts its viewers")]
    viewer: Viewer,
    /// Its drop frees a place for another stream.
    pass: Pass,
}

impl EventStream {
    async fn next(&mut self) -> Option<String> {
        loop {
            if self.ended || self.pass.is_over() {
                return None;
            }
            if *self.stopping.borrow() {
                self.ended = true;
                return Some(COME_AGAIN.to_owned());
            }
            if std::mem::take(&mut self.health_is_news)
                && let Some(note) = self.health_news()
            {
                return Some(note);
            }
            // It has no id, because it is not an event of the session.
            if let Some(note) = self.others.as_mut().and_then(OtherWatchers::due_note) {
                return Some(format!("data: {note}\n\n"));
            }
            self.grown.mark_unchanged();
            let batch = self.session.journal.read(&mut self.cursor, CHUNK);
            if !batch.entries.is_empty() {
                let bytes = batch.entries.iter().map(|(_, entry)| entry.raw.len() + 40).sum();
                let mut chunk = String::with_capacity(bytes);
                for (seq, entry) in &batch.entries {
                    write_message(&mut chunk, *seq, entry);
                    self.session.delivered.count(entry.raw.len());
                }
                self.pause.sent();
                return Some(chunk);
            }
            tokio::select! {
                () = any_others(self.others.as_ref()) => {}
                changed = growth(&mut self.grown, self.pause) => changed?,
                () = any_change(&mut self.health) => self.health_is_news = true,
                // An end without a word is that of a gateway that was dropped.
                () = has_ended(self.stopping.clone()) => self.ended = !*self.stopping.borrow(),
                () = self.pass.deadline() => return None,
                () = tokio::time::sleep(KEEP_ALIVE) => return Some(": keep-alive\n\n".to_owned()),
            }
        }
    }
}

impl EventStream {
    /// The message that something is wrong with the gateway, or that nothing is any more. It has no id,
    /// because it is not an event of the session.
    fn health_news(&mut self) -> Option<String> {
        let report = self.health.as_mut()?.borrow_and_update();
        let news = report.is_wrong() || self.reported_wrong;
        self.reported_wrong = report.is_wrong();
        news.then(|| format!("data: {}\n\n", report.note()))
    }
}

/// Returns when there are more events, and they may be sent; none when there will not be any more.
async fn growth(grown: &mut watch::Receiver<Position>, pause: SendPause) -> Option<()> {
    grown.changed().await.ok()?;
    pause.due().await;
    Some(())
}

/// Writes a line as one message. An event of a runtime may contain line breaks between its tokens, and any
/// line a lone CR, which ends a line in this format. Each part goes into a data line of its own, so that the
/// reader gets all of it in one message.
fn write_message(chunk: &mut String, seq: u64, entry: &Entry) {
    let _ = writeln!(chunk, "id: {seq}"); // writing into a String can't fail
    for part in entry.raw.split(['\r', '\n']) {
        let _ = writeln!(chunk, "data: {part}");
    }
    chunk.push('\n');
}

#[cfg(test)]
mod tests {
    use super::{Entry, write_message};

    #[test]
    fn a_line_with_a_carriage_return_stays_one_message() {
        let mut chunk = String::new();
        write_message(&mut chunk, 7, &Entry { raw: "{a\rb}".into(), event: false, persisted: false });
        assert_eq!(chunk, "id: 7\ndata: {a\ndata: b}\n\n");
    }
}
