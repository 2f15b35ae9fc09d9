//! HTTP exchanges: event streams, posts with their answers, replies of the Copilot platform's agents, and what is
//! fetched from a gateway.

use serde_json::Value;

use super::super::RequestError;
use super::super::request_error::leaves_unknown;
use super::{
    ANSWER_LIMIT_MS, Connection, Effect, Fetched, Frame, HttpNews, HttpRequest, Open, Outcome, Receiver,
    ReplyEnd, Report, ResponseHead, Timer,
};
use crate::connection::Failure;
use crate::i18n::words::connection;
use crate::protocol::ErrorReason;
use crate::wire::sse::{SseMessage, SseParser, begins_stream};

const JSON: &str = "application/json";
const STREAM: &str = "text/event-stream";

/// Every exchange that has not ended.
#[derive(Debug, Default)]
pub(super) struct Exchanges {
    last: u32,
    running: Vec<Exchange>,
}

#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) number: u32,
    purpose: Purpose,
    pub(super) head: Option<ResponseHead>,
    /// What has come of the body, unless it is a stream; of a history the beginning of the next line.
    pub(super) body: Vec<u8>,
    /// The request and the version of its credentials, if it may be sent once more when they are refused: a server that
    /// refuses them has carried nothing out.
    again: Option<(HttpRequest, u32)>,
    /// It waits for other credentials.
    waits: bool,
}

#[derive(Debug)]
pub(super) enum Purpose {
    /// The list of sessions before a stream.
    List,
    /// The history, before events follow.
    History,
    /// The carrier's stream.
    Stream(Box<Stream>),
    /// A request with this ticket.
    Post(u64),
    /// What the owner wanted.
    Fetch(Fetched),
    /// A message to an agent of the platform, and its reply.
    Reply { ticket: u64, stream: Option<bool>, parser: Option<Box<SseParser>> },
}

#[derive(Debug)]
pub(super) struct Stream {
    parser: SseParser,
    /// A history may come in its place.
    takes_history: bool,
    /// It has said that it is complete.
    complete: bool,
}

impl Connection {
    /// Opens the event stream of the session, of the gateway's first session, or at the full address.
    pub(super) fn open_stream(&mut self) {
        match (self.session.clone(), self.target.sessions_url()) {
            (None, Some(url)) => {
                let exchange = self.exchange(Purpose::List, self.get(url, JSON));
                self.carrier = Some(Open::Stream { exchange, session: String::new(), listed: None });
            }
            (session, _) => self.stream(session.unwrap_or_default(), self.takes_history()),
        }
    }

    /// The list of sessions leads to nothing else.
    pub(super) fn stream_first(&mut self) {
        let Some(Open::Stream { listed, .. }) = &mut self.carrier else { return };
        match listed.take().as_ref().map(session_of) {
            Some(Ok(session)) => self.stream(session, self.takes_history()),
            Some(Err(failure)) => self.failed(&failure),
            None => {}
        }
    }

    /// Opens the event stream of this session. `history`: a history may come in its place.
    pub(super) fn stream(&mut self, session: String, history: bool) {
        let Some(url) = self.target.events_url(&session, self.cursor.seq, history) else {
            return self.failed(&Failure::BadAddress(connection::NO_STREAM_THERE.text().into()));
        };
        let mut request = self.get(url, STREAM);
        request.last_event_id.clone_from(&self.cursor.event_id);
        let stream = Box::new(Stream { parser: SseParser::new(), takes_history: history, complete: false });
        let exchange = self.exchange(Purpose::Stream(stream), request);
        self.carrier = Some(Open::Stream { exchange, session, listed: None });
    }

    /// Posts a request. It does not need a stream, and continues when the stream breaks.
    pub(super) fn post(&mut self, ticket: u64, url: String, body: String) {
        let request = HttpRequest { body: Some(body), ..self.get(url, JSON) };
        self.post_of(Purpose::Post(ticket), request);
    }

    pub(super) fn converse(&mut self, ticket: u64, body: String) {
        let Some(url) = self.target.answer_url(self.session.as_deref().unwrap_or_default()) else {
            return self.reports.push(Report::Answered(ticket, Err(RequestError::NoWayBack)));
        };
        let request =
            HttpRequest { body: Some(body), ..self.get(url, "text/event-stream, application/json") };
        self.post_of(Purpose::Reply { ticket, stream: None, parser: None }, request);
    }

    fn post_of(&mut self, purpose: Purpose, request: HttpRequest) {
        let again = Some((request.clone(), self.signature.version));
        let number = self.exchange(purpose, request);
        if let Some(exchange) = self.exchanges.running.last_mut() {
            exchange.again = again;
        }
        self.effects.push(Effect::SetTimer(Timer::Exchange(number), ANSWER_LIMIT_MS));
    }

    pub(super) fn fetch(&mut self, what: Fetched) {
        let url = match what {
            Fetched::Sessions => self.target.sessions_url(),
            Fetched::Health => self.target.health_url(),
        };
        match url {
            Some(url) => _ = self.exchange(Purpose::Fetch(what), self.get(url, JSON)),
            None => self.reports.push(Report::Fetched(what, Err(Failure::Network))),
        }
    }

    pub(super) fn get(&self, url: String, accept: &'static str) -> HttpRequest {
        let token = self.signature.token.clone();
        HttpRequest { url, accept, token, last_event_id: String::new(), kept: false, body: None }
    }

    pub(super) fn exchange(&mut self, purpose: Purpose, request: HttpRequest) -> u32 {
        let number = self.exchanges.last.wrapping_add(1);
        self.exchanges.last = number;
        let exchange = Exchange { number, purpose, head: None, body: Vec::new(), again: None, waits: false };
        self.exchanges.running.push(exchange);
        self.effects.push(Effect::Fetch(number, request));
        number
    }

    fn take_exchange(&mut self, number: u32) -> Option<Exchange> {
        let running = &mut self.exchanges.running;
        let place = running.iter().position(|exchange| exchange.number == number)?;
        Some(running.remove(place))
    }

    /// Ends an exchange, whatever has come of it.
    pub(super) fn abort(&mut self, number: u32) {
        drop(self.take_exchange(number));
        self.effects.push(Effect::Abort(number));
    }

    /// An answer or the beginning of a reply has not come in time.
    pub(super) fn exchange_is_late(&mut self, number: u32) {
        let Some(exchange) = self.take_exchange(number) else { return };
        self.effects.push(Effect::Abort(number));
        if let Purpose::Post(ticket) | Purpose::Reply { ticket, .. } = exchange.purpose {
            self.reports.push(Report::Answered(ticket, Err(RequestError::NoAnswer)));
        }
    }

    pub(super) fn stop_replies(&mut self, receiver: &mut dyn Receiver) {
        let mut stopped = Vec::new();
        self.exchanges.running.retain(|exchange| {
            let Purpose::Reply { ticket, parser, .. } = &exchange.purpose else { return true };
            stopped.push((exchange.number, *ticket, parser.is_some()));
            false
        });
        for (number, ticket, began) in stopped {
            self.effects.extend([Effect::Abort(number), Effect::DropTimer(Timer::Exchange(number))]);
            if began {
                receiver.reply_ended(ReplyEnd::Stopped);
            } else {
                self.reports.push(Report::Answered(ticket, Err(RequestError::Lost)));
            }
        }
    }

    /// Takes news of an exchange. One that was aborted is not known any more.
    pub(super) fn http(&mut self, number: u32, news: HttpNews<'_>, receiver: &mut dyn Receiver) {
        let Some(mut exchange) = self.take_exchange(number) else { return };
        let goes_on = match news {
            HttpNews::Head(head) => self.head(&mut exchange, head, receiver),
            HttpNews::Body(bytes) => self.body(&mut exchange, bytes, receiver),
            HttpNews::End => return self.ended(exchange, receiver),
            HttpNews::BadAddress(why) => return self.broken(exchange, Failure::BadAddress(why), receiver),
            HttpNews::Broken => return self.broken(exchange, Failure::Network, receiver),
        };
        if goes_on {
            self.exchanges.running.push(exchange);
        }
    }

    /// A response begins. Returns whether the exchange goes on.
    fn head(&mut self, exchange: &mut Exchange, head: ResponseHead, receiver: &mut dyn Receiver) -> bool {
        if head.status == 401 && self.waits_for_credentials(exchange) {
            return true;
        }
        let streams = head.content_type.as_deref().is_some_and(|kind| {
            kind.trim_start().get(..STREAM.len()).is_some_and(|kind| kind.eq_ignore_ascii_case(STREAM))
        });
        let succeeded = head.succeeded();
        let goes_on = match &mut exchange.purpose {
            Purpose::Stream(stream) if stream.takes_history && head.history().is_some() => {
                exchange.purpose = Purpose::History;
                self.history_begins(exchange.number, &head, receiver)
            }
            Purpose::Stream(_) => self.stream_head(&head, streams),
            Purpose::History => self.history_head(exchange.number, &head, receiver),
            Purpose::Reply { stream, .. } => {
                *stream = streams.then_some(true);
                if streams && succeeded {
                    self.reply_begins(exchange, receiver);
                }
                true
            }
            Purpose::List | Purpose::Post(_) | Purpose::Fetch(_) => true,
        };
        exchange.head = Some(head);
        goes_on
    }

    fn stream_head(&mut self, head: &ResponseHead, streams: bool) -> bool {
        let Some(Open::Stream { session, .. }) = &self.carrier else { return false };
        let failure = match head.status {
            200 if streams => None,
            200 => Some(Failure::NotAStream(kind_of(head))),
            status => Some(Failure::Http { status, retry_after_ms: head.retry_after_ms }),
        };
        if let Some(failure) = failure {
            self.failed(&failure);
            return false;
        }
        let session = session.clone();
        self.role(head.role.as_deref());
        self.opened(&session, head.newest);
        self.protocol(head.protocol);
        if self.target.sessions_url().is_some() {
            self.is_vital();
        }
        matches!(self.carrier, Some(Open::Stream { .. }))
    }

    /// The next part of a body. Returns whether the exchange goes on.
    fn body(&mut self, exchange: &mut Exchange, bytes: &[u8], receiver: &mut dyn Receiver) -> bool {
        match &mut exchange.purpose {
            _ if exchange.waits => true,
            Purpose::Stream(stream) => {
                self.stream_part(stream, bytes, receiver);
                matches!(&self.carrier, Some(Open::Stream { exchange: own, .. }) if *own == exchange.number)
            }
            Purpose::History => self.history_part(exchange, bytes, receiver),
            Purpose::Reply { parser: Some(parser), .. } => {
                parser.push(bytes, &mut |message| reply_message(&message, receiver));
                true
            }
            Purpose::Reply { stream, .. } => {
                exchange.body.extend_from_slice(bytes);
                // Many agents do not declare what they send, so the first bytes decide.
                *stream = stream.or_else(|| begins_stream(&exchange.body));
                if *stream == Some(true) && exchange.head.as_ref().is_some_and(ResponseHead::succeeded) {
                    self.reply_begins(exchange, receiver);
                }
                true
            }
            Purpose::List | Purpose::Post(_) | Purpose::Fetch(_) => {
                exchange.body.extend_from_slice(bytes);
                true
            }
        }
    }

    fn stream_part(&mut self, stream: &mut Stream, bytes: &[u8], receiver: &mut dyn Receiver) {
        self.heard();
        let Stream { parser, complete, .. } = stream;
        parser.push(bytes, &mut |message| {
            *complete = message.data == "[DONE]";
            if message.loose {
                receiver.read_loosely();
            }
            let seq = message.last_event_id.parse().ok();
            let frame = Frame::ServerSent { event: message.event, data: message.data, seq };
            let responses = self.frame(frame, receiver);
            self.answered(responses);
            self.passed(message.last_event_id);
        });
        self.passed(parser.last_event_id());
        self.policy.set_server_retry(parser.retry());
        if parser.comments() > 0 {
            self.is_vital();
        }
        if parser.take_dropped() > 0 {
            self.warn(connection::SKIPPED.text().to_owned());
        }
    }

    /// The agent has accepted a message, and its reply comes as a stream.
    fn reply_begins(&mut self, exchange: &mut Exchange, receiver: &mut dyn Receiver) {
        let Purpose::Reply { ticket, parser, .. } = &mut exchange.purpose else { return };
        self.effects.push(Effect::DropTimer(Timer::Exchange(exchange.number)));
        receiver.reply_began(*ticket);
        let mut begun = Box::new(SseParser::new());
        begun.push(&std::mem::take(&mut exchange.body), &mut |message| reply_message(&message, receiver));
        *parser = Some(begun);
        self.reports.push(Report::Answered(*ticket, Ok(Value::Null)));
    }

    fn ended(&mut self, exchange: Exchange, receiver: &mut dyn Receiver) {
        if exchange.waits {
            return self.exchanges.running.push(exchange);
        }
        let head = exchange.head.unwrap_or_default();
        let outcome = match exchange.purpose {
            Purpose::List => return self.stream_listed(json_of(&head, &exchange.body)),
            Purpose::History => return self.history_ended(head.newest, &exchange.body, receiver),
            Purpose::Stream(stream) if stream.complete => return self.failed(&Failure::Complete),
            Purpose::Stream(_) => return self.failed(&Failure::Ended),
            Purpose::Fetch(what) => {
                return self.reports.push(Report::Fetched(what, json_of(&head, &exchange.body)));
            }
            Purpose::Reply { parser: Some(mut parser), .. } => {
                parser.finish(&mut |message| reply_message(&message, receiver));
                return receiver.reply_ended(ReplyEnd::Whole);
            }
            Purpose::Post(ticket) => (ticket, answer_of(&head, &exchange.body)),
            Purpose::Reply { ticket, .. } => {
                let outcome = answer_of(&head, &exchange.body);
                if let Ok(answer) = &outcome {
                    receiver.reply_began(ticket);
                    // An agent that does not stream sends its reply at once.
                    if answer.get("choices").is_some() {
                        receiver.frame(Frame::Bytes(&exchange.body));
                    }
                    receiver.reply_ended(ReplyEnd::Whole);
                }
                (ticket, outcome)
            }
        };
        self.effects.push(Effect::DropTimer(Timer::Exchange(exchange.number)));
        self.reports.push(Report::Answered(outcome.0, outcome.1));
    }

    fn stream_listed(&mut self, sessions: Result<Value, Failure>) {
        match (sessions, &mut self.carrier) {
            (Ok(sessions), Some(Open::Stream { listed, .. })) => {
                *listed = Some(sessions.clone());
                self.reports.push(Report::Listed(sessions));
            }
            (Ok(_), _) => {}
            (Err(failure), _) => self.failed(&failure),
        }
    }

    fn broken(&mut self, exchange: Exchange, failure: Failure, receiver: &mut dyn Receiver) {
        if exchange.waits {
            return self.exchanges.running.push(exchange);
        }
        match exchange.purpose {
            Purpose::History => self.leave_history(),
            Purpose::Stream(_) if exchange.head.is_some() => self.failed(&Failure::Broken),
            Purpose::List | Purpose::Stream(_) => self.failed(&failure),
            Purpose::Fetch(what) => self.reports.push(Report::Fetched(what, Err(failure))),
            Purpose::Reply { parser: Some(_), .. } => receiver.reply_ended(ReplyEnd::Broken),
            Purpose::Post(ticket) | Purpose::Reply { ticket, .. } => {
                self.effects.push(Effect::DropTimer(Timer::Exchange(exchange.number)));
                self.reports.push(Report::Answered(ticket, Err(RequestError::Lost)));
            }
        }
    }

    /// Whether a post whose credentials were refused waits for others. However many were refused, the page is asked
    /// once.
    fn waits_for_credentials(&mut self, exchange: &mut Exchange) -> bool {
        let Some((_, version)) = &exchange.again else { return false };
        let others = *version != self.signature.version;
        if !others && (self.signature.typed || !self.signature.renewable) {
            return false;
        }
        self.effects.push(Effect::Abort(exchange.number));
        exchange.waits = true;
        if others {
            self.send_again(exchange);
        } else if self.signature.for_posts.is_none() {
            self.signature.for_posts = Some(self.ask_credentials(true));
        }
        true
    }

    /// Sends a post once more, with the credentials that there are now.
    fn send_again(&mut self, exchange: &mut Exchange) {
        let Some((mut request, _)) = exchange.again.take() else { return };
        request.token.clone_from(&self.signature.token);
        exchange.waits = false;
        self.effects.push(Effect::Fetch(exchange.number, request));
    }

    /// The page was asked on behalf of posts that were refused. `others`: it has given others.
    pub(super) fn post_again(&mut self, others: bool) {
        let (waiting, running): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.exchanges.running).into_iter().partition(|exchange| exchange.waits);
        self.exchanges.running = running;
        for mut exchange in waiting {
            if others {
                self.send_again(&mut exchange);
                self.exchanges.running.push(exchange);
            } else if let Purpose::Post(ticket) | Purpose::Reply { ticket, .. } = exchange.purpose {
                self.effects.push(Effect::DropTimer(Timer::Exchange(exchange.number)));
                self.reports.push(Report::Answered(ticket, Err(RequestError::Http(401))));
            }
        }
    }
}

impl ResponseHead {
    /// Whether the status says that all went well.
    fn succeeded(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Reads one message of a reply. Its ids are not positions in a gateway's log, and nothing in it answers a request.
fn reply_message(message: &SseMessage<'_>, receiver: &mut dyn Receiver) {
    if message.loose {
        receiver.read_loosely();
    }
    receiver.frame(Frame::ServerSent { event: message.event, data: message.data, seq: None });
}

/// The `Content-Type`, or a text that says there is none.
fn kind_of(head: &ResponseHead) -> String {
    head.content_type.clone().unwrap_or_else(|| connection::NO_CONTENT_TYPE.text().into())
}

/// JSON of a gateway: its list of sessions, or its report about itself.
fn json_of(head: &ResponseHead, body: &[u8]) -> Result<Value, Failure> {
    match head.status {
        200 => serde_json::from_str::<Value>(&String::from_utf8_lossy(body))
            .map_err(|_| Failure::NotAStream(kind_of(head))),
        status => Err(Failure::Http { status, retry_after_ms: head.retry_after_ms }),
    }
}

/// The id of the first session in a gateway's list.
pub(super) fn session_of(sessions: &Value) -> Result<String, Failure> {
    let Some(list) = sessions.as_array() else {
        return Err(Failure::NotAStream(connection::NO_LIST.text().into()));
    };
    let first = list.first().ok_or(Failure::NoSessions)?;
    let id = first.get("sessionId").and_then(Value::as_str);
    id.map(str::to_owned).ok_or_else(|| Failure::NotAStream(connection::NO_SESSION_ID.text().into()))
}

/// What a response says: a JSON-RPC `result`, any other JSON as it is, `null` for an empty body.
fn answer_of(head: &ResponseHead, body: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(body);
    let answer = match text.trim() {
        "" => Ok(Value::Null),
        text => serde_json::from_str::<Value>(text),
    };
    match answer {
        _ if leaves_unknown(head.status) => Err(RequestError::Http(head.status)),
        Ok(answer) if answer.get("error").is_some_and(Value::is_object) => Err(refusal(&answer)),
        _ if !head.succeeded() => Err(RequestError::Http(head.status)),
        Ok(Value::Object(mut answer)) if answer.contains_key("jsonrpc") => {
            Ok(answer.remove("result").unwrap_or_default())
        }
        Ok(answer) => Ok(answer),
        Err(_) => Err(RequestError::NotUnderstood),
    }
}

fn refusal(answer: &Value) -> RequestError {
    let error = answer.get("error");
    let code = error.and_then(|error| error.get("code")).and_then(Value::as_i64).unwrap_or_default();
    let message = error.and_then(|error| error.get("message")).and_then(Value::as_str);
    let message = message.unwrap_or(connection::NO_REASON.text());
    RequestError::Refused { reason: ErrorReason::parse(code, message), message: message.to_owned() }
}
