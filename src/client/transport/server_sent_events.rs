//! One event stream read through `fetch`, and the posts that answer it. It does not reconnect: it
//! reports how the stream ended and is done.

use std::cell::RefCell;
use std::future::ready;
use std::rc::Rc;

use serde_json::Value;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{AbortController, AbortSignal, ReadableStreamDefaultReader, Response};

use super::credentials::Credentials;
use super::fetch::{Exchange, content_type, list, next, post, session_of};
use super::pending::{Pending, spawn};
use super::supervisor::{CarrierReports, Cursor};
use super::{Answering, Connection, Frame, RequestError, written};
use crate::client::yield_to_browser;
use crate::client::yield_to_browser::SLICE;
use crate::core::connection::{Failure, Target};
use crate::core::i18n::words::connection;
use crate::core::wire::sse::SseParser;

/// The header in which a gateway gives the newest position of its log.
const NEWEST: &str = "Pilothouse-Seq";

/// The version of the protocol that the server speaks.
const VERSION: &str = "Pilothouse-Protocol";

/// One stream and the address of its answers.
pub(super) struct ServerSentEvents {
    target: Target,
    credentials: Rc<Credentials>,
    session: Rc<RefCell<Option<String>>>,
    controller: AbortController,
    pending: Rc<Pending>,
}

impl ServerSentEvents {
    /// Opens the stream of `session`, of the gateway's first session, or at the full address.
    pub(super) fn open(
        target: &Target,
        credentials: Rc<Credentials>,
        session: Option<String>,
        cursor: Cursor,
        line: CarrierReports,
        pending: Rc<Pending>,
    ) -> Result<Self, Failure> {
        let controller = AbortController::new().map_err(|_| Failure::Network)?;
        let known = Rc::new(RefCell::new(session));
        let reading = Reading {
            target: target.clone(),
            credentials: Rc::clone(&credentials),
            session: known.clone(),
            cursor,
            line,
            signal: controller.signal(),
        };
        spawn_local(async move {
            let failure = reading.run().await;
            reading.line.failed(&failure);
        });
        Ok(Self { target: target.clone(), credentials, session: known, controller, pending })
    }
}

impl Connection for ServerSentEvents {
    fn request(&self, method: &str, params: Value) -> Answering {
        let url =
            self.session.borrow().as_deref().and_then(|session| self.target.request_url(session, method));
        let Some(url) = url else {
            return Box::pin(ready(Err(RequestError::NoWayBack)));
        };
        let id = self.pending.next_id();
        let body = written(id, method, Some(&params));
        // A post does not need the stream, and continues when the stream breaks.
        Box::pin(spawn(post(url, Rc::clone(&self.credentials), body)))
    }

    fn close(&self) {
        self.controller.abort();
    }
}

impl Drop for ServerSentEvents {
    fn drop(&mut self) {
        self.close();
    }
}

struct Reading {
    target: Target,
    credentials: Rc<Credentials>,
    session: Rc<RefCell<Option<String>>>,
    cursor: Cursor,
    line: CarrierReports,
    signal: AbortSignal,
}

impl Reading {
    async fn run(&self) -> Failure {
        match self.stream().await {
            Ok(failure) | Err(failure) => failure,
        }
    }

    async fn stream(&self) -> Result<Failure, Failure> {
        let session = self.session().await?;
        *self.session.borrow_mut() = Some(session.clone());
        let after = self.cursor.seq;
        let url = self.target.events_url(&session, after);
        let url = url.ok_or_else(|| Failure::BadAddress(connection::NO_STREAM_THERE.text().into()))?;
        let exchange = Exchange {
            url: &url,
            accept: "text/event-stream",
            credentials: Some(&self.credentials),
            last_event_id: &self.cursor.event_id,
            signal: Some(&self.signal),
            ..Exchange::default()
        };
        let response = exchange.expect_ok().await?;
        let kind = content_type(&response);
        if !kind.trim_start().to_ascii_lowercase().starts_with("text/event-stream") {
            return Err(Failure::NotAStream(kind));
        }
        self.line.role(response.headers().get("Pilothouse-Role").ok().flatten().as_deref());
        let newest = response.headers().get(NEWEST).ok().flatten();
        self.line.opened(&session, newest.and_then(|newest| newest.parse().ok()));
        let version = response.headers().get(VERSION).ok().flatten();
        self.line.protocol(version.and_then(|version| version.parse().ok()));
        self.read(&response).await
    }

    async fn session(&self) -> Result<String, Failure> {
        let known = self.session.borrow().clone();
        match (known, self.target.sessions_url()) {
            (Some(session), _) => Ok(session),
            (None, Some(url)) => {
                let sessions = list(&url, &self.credentials, Some(&self.signal)).await?;
                if self.line.listed(&sessions) {
                    return Err(Failure::Ended);
                }
                session_of(&sessions)
            }
            (None, None) => Ok(String::new()),
        }
    }

    async fn read(&self, response: &Response) -> Result<Failure, Failure> {
        let Some(body) = response.body() else {
            return Ok(Failure::Ended);
        };
        let reader: ReadableStreamDefaultReader =
            body.get_reader().dyn_into().map_err(|_| Failure::Broken)?;
        let mut parser = SseParser::new();
        let mut complete = false;
        if self.target.sessions_url().is_some() {
            self.line.vital();
        }
        let mut end = yield_to_browser::now() + SLICE;
        while self.line.is_current() {
            // Input that has arrived already comes without a pause, possibly a whole log, so
            // the browser gets its turn in between.
            if yield_to_browser::now() >= end {
                yield_to_browser::next().await;
                end = yield_to_browser::now() + SLICE;
            }
            let Some(bytes) = next(&reader).await.map_err(|()| Failure::Broken)? else {
                parser.end();
                break;
            };
            self.line.heard();
            parser.push(&bytes, &mut |message| {
                complete = message.data == "[DONE]";
                if message.loose {
                    self.line.read_loosely();
                }
                let seq = message.last_event_id.parse().ok();
                self.line.frame(Frame::ServerSent { event: message.event, data: message.data, seq });
                self.line.passed(message.last_event_id);
            });
            self.line.passed(parser.last_event_id());
            self.line.server_retry(parser.retry());
            if parser.comments() > 0 {
                self.line.vital();
            }
            if parser.take_dropped() > 0 {
                self.line.warn(connection::SKIPPED.text());
            }
        }
        Ok(if complete { Failure::Complete } else { Failure::Ended })
    }
}
