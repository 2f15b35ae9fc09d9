//! Reads the reply of an agent of the Copilot platform: nothing, JSON, or an event stream.

use std::cell::Cell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use serde_json::Value;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{AbortController, ReadableStreamDefaultReader, Response};

use super::credentials::Credentials;
use super::fetch::{Exchange, answer_of, content_type, next};
use super::pending::ANSWER_LIMIT_MS;
use super::{Frame, Listener, Outcome, ReplyEnd, RequestError, Sink};
use crate::client::yield_to_browser;
use crate::client::yield_to_browser::SLICE;
use crate::core::wire::sse::{SseMessage, SseParser, begins_stream};

/// A reply that is awaited.
pub(super) struct Reply {
    pub(super) sink: Rc<dyn Sink>,
    pub(super) listener: Box<dyn Listener>,
    pub(super) controller: AbortController,
}

impl Reply {
    /// Posts `body`. The outcome is there as soon as the server has accepted it; a stream is read on after
    /// that. The reply must begin within a minute, but a stream may take any time.
    pub(super) async fn exchange(self, url: String, credentials: Rc<Credentials>, body: String) -> Outcome {
        let late = Rc::new(Cell::new(false));
        let limit = {
            let (late, controller) = (Rc::clone(&late), self.controller.clone());
            Timeout::new(ANSWER_LIMIT_MS, move || {
                late.set(true);
                controller.abort();
            })
        };
        let lost = || if late.get() { RequestError::NoAnswer } else { RequestError::Lost };
        let signal = self.controller.signal();
        let exchange = Exchange {
            url: &url,
            accept: "text/event-stream, application/json",
            credentials: Some(&credentials),
            body: Some(&body),
            signal: Some(&signal),
            ..Exchange::default()
        };
        let response = exchange.send_renewing().await.map_err(|_| lost())?;
        let told = content_type(&response).trim_start().to_ascii_lowercase();
        let mut stream = told.starts_with("text/event-stream").then_some(true);
        let mut head = Vec::new();
        let reader = reader_of(&response);
        // Many agents do not declare what they send, so the first bytes decide.
        while !response.ok() || stream != Some(true) {
            let part = match &reader {
                Some(reader) => next(reader).await.map_err(|()| lost())?,
                None => None,
            };
            let Some(part) = part else { break };
            head.extend(part);
            stream = stream.or_else(|| begins_stream(&head));
        }
        drop(limit);
        match reader {
            Some(reader) if response.ok() && stream == Some(true) => {
                self.listener.taken();
                spawn_local(self.read(reader, head));
                Ok(Value::Null)
            }
            _ => self.answered(&response, &head),
        }
    }

    fn answered(&self, response: &Response, body: &[u8]) -> Outcome {
        let answer = answer_of(response, &String::from_utf8_lossy(body))?;
        self.listener.taken();
        // An agent that does not stream sends its reply at once.
        if answer.get("choices").is_some() {
            self.sink.frame(Frame::Bytes(body));
        }
        self.listener.over(ReplyEnd::Whole);
        Ok(answer)
    }

    async fn read(self, reader: ReadableStreamDefaultReader, head: Vec<u8>) {
        let mut parser = SseParser::new();
        let mut take = |message: SseMessage<'_>| {
            if message.loose {
                self.sink.read_loosely();
            }
            // Its ids are no positions in a gateway's log, and nothing in it answers a request.
            self.sink.frame(Frame::ServerSent { event: message.event, data: message.data, seq: None });
        };
        parser.push(&head, &mut take);
        let mut slice = yield_to_browser::now() + SLICE;
        let end = loop {
            if yield_to_browser::now() >= slice {
                yield_to_browser::next().await;
                slice = yield_to_browser::now() + SLICE;
            }
            match next(&reader).await {
                Ok(Some(part)) => parser.push(&part, &mut take),
                Ok(None) => {
                    parser.finish(&mut take);
                    break ReplyEnd::Whole;
                }
                Err(()) if self.controller.signal().aborted() => break ReplyEnd::Stopped,
                Err(()) => break ReplyEnd::Broken,
            }
        };
        self.listener.over(end);
        // A reply that has ended can't be stopped any more: the supervisor drops aborted controllers.
        self.controller.abort();
    }
}

fn reader_of(response: &Response) -> Option<ReadableStreamDefaultReader> {
    response.body()?.get_reader().dyn_into().ok()
}
