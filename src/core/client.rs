//! What a page does about its session, as data: inputs come in, and effects come out. A [`Client`] is what a page knows
//! beyond the session itself: calls and answers on their way, what has to be asked again, what was told to whom.

mod announcements;
mod answers;
pub mod attention;
pub mod board;
mod calls;
pub mod card_drafts;
pub mod compose;
pub mod connection;
mod input;
pub mod intake;
mod permission_checks;
mod platform;
mod reconcile;
mod request_error;

use std::collections::{HashSet, VecDeque};

use serde_json::Value;

use crate::Session;
use crate::connection::{Attributes, ClosedReason, ConnectionState, Protocol, Target};
use crate::json_writer::one_line;
use crate::model::request::{Request, RequestStage};
use crate::model::state::{Change, GRACE, Section};
use crate::model::watchers::Watcher;
use crate::view_model::snapshot;
use connection::{Frame, FrameResult, Opened, Receiver, ReplyEnd, Report};

pub use announcements::{Announcement, Announcements, Next, Topic, region_text};
pub use answers::{News, Page};
pub use calls::is_read;
pub use connection::Connection;
pub use input::{Effect, Input, Timer};
pub use permission_checks::{Asked, Findings, PermissionChecks};
pub use request_error::RequestError;

use answers::Member;
use calls::{Purpose, Requests};
use reconcile::Checks;

/// What a page knows of one session beyond the session itself.
#[derive(Debug, Default)]
pub struct Client {
    me: Member,
    connection: Option<Connection>,
    /// What the session came from at the last connect: `src` and `session`.
    source: Option<[Option<String>; 2]>,
    server: Server,
    /// The page has closed it, so it shows nothing any more.
    closed: bool,
    last_ticket: u64,
    /// What each request that is under way is for.
    requests: Requests,
    checks: Checks,
    /// The newest position of the server, and the one reached, while catching up.
    progress: (u64, u64),
    /// Who else watches the session now.
    watchers: Vec<Watcher>,
    /// Who else watches, as was just said: it counts after what the connection reports, which may have begun with the same input.
    new_watchers: Option<Vec<Watcher>>,
    /// The requests that the host has heard of.
    offered: HashSet<String>,
    status: &'static str,
    /// How many events of telemetry the host has heard of.
    telemetry: u64,
    /// The record since which the session is silent, while its timer runs.
    silent_since: Option<u64>,
    unhandled: Unhandled,
    /// The time of the present input, in milliseconds.
    now: u64,
    effects: Vec<Effect>,
    reports: VecDeque<Report>,
}

/// What has changed and was not handled, as unread input may still change it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Unhandled {
    requests: bool,
    queue: bool,
}

/// What the server is.
#[derive(Debug, Clone, Default)]
struct Server {
    /// Its address; `None` without a network.
    address: Option<String>,
    /// The session that the connection has named.
    session: String,
    /// In what form the host at `answer-url` takes messages.
    protocol: Option<Protocol>,
    /// Answers are posted to an `answer-url`, which can't be asked afterwards what became of them.
    is_host: bool,
    /// The session here holds only open requests, and a board's connection carries what is sent.
    requests_only: bool,
}

/// What tells a session's source from others.
fn source(attributes: &Attributes<'_>) -> [Option<String>; 2] {
    [attributes.src, attributes.session].map(|name| name.map(str::to_owned))
}

/// What a client works on.
struct With<'a> {
    session: &'a mut Session,
    page: &'a mut Page,
}

impl Client {
    /// A client without a connection. `number` is its own on the page.
    pub fn new(number: u32) -> Self {
        Self { me: Member { number, ..Member::default() }, ..Self::default() }
    }

    /// Its number on the page.
    pub fn number(&self) -> u32 {
        self.me.number
    }

    /// Takes an input. `now` is in milliseconds, of a clock that goes on while the machine sleeps. What happened in the
    /// session is in `session`, and `page` is what all clients of the page share.
    pub fn update(
        &mut self,
        now: u64,
        input: Input<'_>,
        session: &mut Session,
        page: &mut Page,
    ) -> Vec<Effect> {
        self.now = now;
        let with = &mut With { session, page };
        match input {
            Input::Connect { attributes, other_transport, seed } => {
                self.connect(attributes, other_transport, seed, with);
            }
            Input::Attach { address, session } => self.attach(address, session, with),
            Input::Connection(input) => self.drive(input, with),
            Input::Committed { changes, reading } => self.committed(changes, reading, with),
            Input::Answered(ticket, outcome) => self.answered(ticket, outcome, with),
            Input::Call { caller, method, params } => self.call_of_view(caller, method, params, with),
            Input::Answer { request, answer, of_host } => self.answer(request, answer, of_host, with),
            Input::HostTook(request, took) => self.host_took(request, took, with),
            Input::Recalled(stored) => self.answers_recalled(stored.as_deref(), with),
            Input::Timer(timer) => self.timer(timer, with),
            Input::News(news) => self.take_news(&news, with),
            Input::ConnectedAgain => self.connected_again(),
            Input::LookIntoAnswers => {
                if !self.answered_requests(with).is_empty() {
                    self.reconcile_soon(with);
                }
            }
            Input::Close => self.close(with),
            Input::Gone => self.gone(with),
        }
        self.handle_reports(with);
        self.read(with);
        self.handle_reports(with);
        std::mem::take(&mut self.effects)
    }

    /// Whether the session begins anew if these attributes are connected to: they name another source, or another session.
    pub fn begins_anew(&self, attributes: &Attributes<'_>, other_transport: bool) -> bool {
        self.source.as_ref().is_some_and(|before| other_transport || *before != source(attributes))
    }

    /// The request for every event of the session's log; `None` without a gateway.
    pub fn whole_log_request(&self) -> Option<connection::HttpRequest> {
        self.connection.as_ref()?.whole_log_request()
    }

    /// Connects as attributes say, in place of the connection before.
    fn connect(
        &mut self,
        attributes: &Attributes<'_>,
        other_transport: bool,
        seed: u64,
        with: &mut With<'_>,
    ) {
        self.closed = false;
        if self.begins_anew(attributes, other_transport) {
            with.session.restart();
        }
        self.source = Some(source(attributes));
        let target = match Target::parse(attributes) {
            Ok(target) => target,
            Err(error) => return self.cannot_connect(error.to_string(), with),
        };
        let session = std::mem::take(&mut self.server.session);
        self.set_server(
            Server {
                address: target.server(),
                session,
                protocol: target.protocol(),
                is_host: target.is_host(),
                requests_only: false,
            },
            with,
        );
        match &mut self.connection {
            Some(_) => self.drive(connection::Input::Retarget(Box::new(target)), with),
            None => self.connection = Some(Connection::new(target, seed)),
        }
    }

    fn cannot_connect(&mut self, message: String, with: &mut With<'_>) {
        self.drive(connection::Input::Close, with);
        let reason = ClosedReason::BadAddress(message.clone());
        self.reports.push_back(Report::State(ConnectionState::Closed { reason }, Some(message)));
    }

    fn set_server(&mut self, server: Server, with: &mut With<'_>) {
        self.server = server;
        let (address, protocol) = (self.server.address.clone(), self.server.protocol);
        // Such a host can't be asked whether it takes messages: only its protocol says so.
        let steering = self.server.is_host.then_some(protocol.is_some());
        self.effects.push(Effect::Server { address, protocol, steering });
        self.sync(with);
    }

    /// Has a board's connection carry the requests of a session.
    fn attach(&mut self, address: Option<String>, session: &str, with: &mut With<'_>) {
        self.me.connected = true;
        let session = session.to_owned();
        self.set_server(Server { address, session, requests_only: true, ..Server::default() }, with);
        self.effects.push(Effect::Connection(ConnectionState::Open, None));
    }

    /// Gives the connection an input.
    fn drive(&mut self, input: connection::Input<'_>, with: &mut With<'_>) {
        let Some(connection) = &mut self.connection else { return };
        let mut reader = Reader {
            session: with.session,
            requests: &mut self.requests,
            watchers: None,
            effects: &mut self.effects,
        };
        let outputs = connection.update(self.now, input, &mut reader);
        self.new_watchers = reader.watchers.or_else(|| self.new_watchers.take());
        self.effects.extend(outputs.effects.into_iter().map(Effect::Browser));
        self.reports.extend(outputs.reports);
    }

    /// Handles what the connection reports, until there is nothing more.
    fn handle_reports(&mut self, with: &mut With<'_>) {
        while let Some(report) = self.reports.pop_front() {
            match report {
                Report::State(state, message) => {
                    self.me.connected = state == ConnectionState::Open;
                    if !self.me.connected {
                        self.set_watchers(Vec::new()); // nobody says when they leave
                    }
                    self.sync(with);
                    let is_closed = matches!(state, ConnectionState::Closed { .. });
                    let error = message.clone().filter(|_| is_closed).map(Effect::Error);
                    self.effects.push(Effect::Connection(state, message));
                    self.effects.extend(error);
                }
                Report::Opened { session, from } => self.opened(&session, from, with),
                Report::History { after, newest } => self.set_progress(newest, after.unwrap_or(0)),
                Report::Listed(sessions) => self.effects.push(Effect::Listed(sessions)),
                Report::Role { viewer } => self.effects.push(Effect::Role { viewer }),
                Report::Health(report) => self.effects.push(Effect::Health(report)),
                Report::Error(message) => self.effects.push(Effect::Error(message)),
                Report::Answered(ticket, outcome) => self.answered(ticket, outcome, with),
                Report::Fetched(..) => {}
            }
        }
        if let Some(watchers) = self.new_watchers.take().filter(|_| self.me.connected) {
            self.set_watchers(watchers);
        }
    }

    /// Sends a request over the connection, or has it carried.
    fn send(&mut self, purpose: Purpose, method: &str, params: Value, with: &mut With<'_>) {
        let ticket = self.ticket(purpose);
        if self.server.requests_only {
            self.effects.push(Effect::Relay { ticket, method: method.to_owned(), params });
        } else if self.connection.is_some() {
            self.drive(connection::Input::Call { ticket, method, params }, with);
        } else {
            self.reports.push_back(Report::Answered(ticket, Err(RequestError::NotConnected)));
        }
    }

    /// Posts a message to an agent of the platform.
    fn converse(&mut self, purpose: Purpose, body: &Value, with: &mut With<'_>) {
        let ticket = self.ticket(purpose);
        if self.connection.is_some() {
            self.drive(connection::Input::Converse { ticket, body: one_line(body) }, with);
        } else {
            self.reports.push_back(Report::Answered(ticket, Err(RequestError::NotConnected)));
        }
    }

    /// The id of the session: the connection's, or what the session says of itself.
    fn session_id(&self, session: &Session) -> String {
        if self.server.session.is_empty() {
            session.state().info.id.clone().unwrap_or_default()
        } else {
            self.server.session.clone()
        }
    }

    /// Lets the page know what this client shows.
    fn sync(&mut self, with: &mut With<'_>) {
        if self.closed {
            return;
        }
        self.me.key.server.clone_from(&self.server.address);
        self.me.key.session = self.session_id(with.session);
        with.page.update(self.me.clone());
        self.recall_answers(with);
    }

    fn speaks_platform(&self) -> bool {
        self.server.protocol == Some(Protocol::Platform)
    }

    fn opened(&mut self, session: &str, from: Opened, with: &mut With<'_>) {
        session.clone_into(&mut self.server.session);
        // Where nobody else is there the gateway sends no list.
        self.set_watchers(Vec::new());
        self.sync(with);
        self.set_progress(from.newest.unwrap_or(0), from.after.unwrap_or(0));
        if from.over {
            with.session.restart_positions();
        } else if from.after.is_some() || from.newest.is_some() {
            with.session.follow_from(from.after);
        }
        self.attend(with);
        self.reconcile_soon(with);
        self.ask_queue(with);
    }

    fn set_watchers(&mut self, watchers: Vec<Watcher>) {
        if self.watchers != watchers {
            self.watchers.clone_from(&watchers);
            self.effects.push(Effect::Watchers(watchers));
        }
    }

    fn set_progress(&mut self, newest: u64, reached: u64) {
        self.progress = (newest, reached);
        self.effects.push(Effect::Progress(newest, reached));
    }

    /// Input was read: the history may be here by now.
    fn read(&mut self, with: &mut With<'_>) {
        let (newest, reached) = self.progress;
        let position = with.session.position();
        if reached < newest && reached < position {
            self.set_progress(newest, position);
            self.caught_up(with);
        }
    }

    /// While a turn runs or a request waits, it is checked whether a quiet connection is still alive.
    fn attend(&mut self, with: &mut With<'_>) {
        let waits = matches!(self.status, "running" | "waiting");
        self.drive(connection::Input::Attend(waits), with);
    }

    /// Whether requests or the queue have changed, and what follows from that waits until everything is read.
    pub fn has_unhandled_changes(&self) -> bool {
        self.unhandled != Unhandled::default() && !self.reads_history()
    }

    /// Whether the history is being read, in which later events may change everything.
    pub fn reads_history(&self) -> bool {
        self.connection.as_ref().is_some_and(Connection::reads_history)
    }

    fn committed(&mut self, changes: &[Change], reading: bool, with: &mut With<'_>) {
        self.sync(with);
        if changes.contains(&Change::Renewed) {
            self.offered.clear();
            with.page.forget(&self.me);
        }
        self.wait_for_idle(with.session);
        let status = with.session.state().status();
        if std::mem::replace(&mut self.status, status) != status {
            self.effects.push(Effect::Status(status));
            // A one-way stream does not say when the server's backlog changes, and a turn may end without a word about
            // messages that wait for it. So both are asked for here.
            if status != "running" && with.session.state().queue.has_items() {
                self.ask_queue(with);
            } else if with.session.state().queue.backlog.as_deref().is_some_and(|known| !known.is_empty()) {
                self.ask_backlog(with);
            }
        }
        self.unhandled.requests |= changes.contains(&Change::Section(Section::Pending));
        self.unhandled.queue |= changes.contains(&Change::Section(Section::Queue));
        if reading || self.reads_history() {
            return;
        }
        let Unhandled { requests, queue } = std::mem::take(&mut self.unhandled);
        self.attend(with);
        self.tell_telemetry(with.session);
        self.caught_up(with);
        if requests {
            self.share_requests(with);
            self.offer_requests(with.session);
            self.look_after_stop(with);
        }
        if queue {
            self.ask_queue(with);
        }
    }

    /// Sets the timer if the session has become silent after its turn, and drops one that is not wanted any longer.
    /// Without an event that says so, such a session is idle after a grace.
    fn wait_for_idle(&mut self, session: &Session) {
        let record = session.state().idle_after_grace();
        if self.silent_since == record {
            return;
        }
        if let Some(before) = std::mem::replace(&mut self.silent_since, record) {
            self.effects.push(Effect::DropTimer(Timer::Idle(before)));
        }
        if let Some(record) = record {
            self.effects.push(Effect::SetTimer(Timer::Idle(record), GRACE));
        }
    }

    fn tell_telemetry(&mut self, session: &Session) {
        let telemetry = &session.state().telemetry;
        let seen = std::mem::replace(&mut self.telemetry, telemetry.total());
        let news = telemetry.after(seen).map(crate::model::telemetry::TelemetryEvent::json);
        self.effects.extend(news.map(Effect::Telemetry));
    }

    /// Offers each open request to the host once.
    fn offer_requests(&mut self, session: &Session) {
        let state = session.state();
        for entry in state.open_requests.iter().filter_map(|place| state.entry(*place)) {
            if self.offered.insert(entry.id.clone()) {
                let request = snapshot::entry(entry);
                if let Some(id) = request.get("id").and_then(Value::as_str).map(str::to_owned) {
                    self.effects.push(Effect::OfferRequest(id, request));
                }
            }
        }
    }

    fn timer(&mut self, timer: Timer, with: &mut With<'_>) {
        match timer {
            Timer::AskAgain => self.ask_again_now(with),
            Timer::Events => self.events_waited(with),
            Timer::Idle(record) => with.session.grace_ended(record),
        }
    }

    fn close(&mut self, with: &mut With<'_>) {
        if let Some(record) = self.silent_since.take() {
            self.effects.push(Effect::DropTimer(Timer::Idle(record)));
        }
        self.effects.extend([Timer::AskAgain, Timer::Events].map(Effect::DropTimer));
        self.closed = true;
        with.page.leave(self.me.number);
        self.drive(connection::Input::Close, with);
    }

    /// What is under way is lost, and the others find out what became of it.
    fn gone(&mut self, with: &mut With<'_>) {
        self.close(with);
        self.handle_reports(with);
        for ticket in self.requests.tickets() {
            self.answered(ticket, Err(RequestError::Lost), with);
        }
    }

    /// The ids of the open requests for which `of` holds.
    fn open(session: &Session, of: &dyn Fn(&Request) -> bool) -> Vec<String> {
        let state = session.state();
        let mut ids = Vec::new();
        for place in &state.open_requests {
            if let Some(entry) = state.entry(*place)
                && entry.request().is_some_and(of)
            {
                ids.push(entry.id.clone());
            }
        }
        ids
    }

    /// The life of a request as far as it is known here.
    fn life(session: &Session, request: &str) -> Option<RequestStage> {
        let state = session.state();
        Some(state.entry(state.request_place(request)?)?.request()?.stage.clone())
    }
}

/// Reads what the connection brings into the session.
struct Reader<'a> {
    session: &'a mut Session,
    requests: &'a mut Requests,
    /// Who else watches, if that was said.
    watchers: Option<Vec<Watcher>>,
    effects: &'a mut Vec<Effect>,
}

impl Receiver for Reader<'_> {
    fn frame(&mut self, frame: Frame<'_>) -> FrameResult {
        let received = match frame {
            Frame::Bytes(bytes) => self.session.push_frame_bytes(bytes),
            Frame::History(lines) => self.session.push_history(lines),
            Frame::ServerSent { event, data, seq } => self.session.push_server_sent(event, data, seq),
        };
        if received.health.is_some() {
            self.effects.push(Effect::Health(received.health));
        }
        self.watchers = received.watchers.or_else(|| self.watchers.take());
        FrameResult { last_seq: received.last_seq, responses: received.responses }
    }

    fn history_began(&mut self, after: Option<u64>) {
        self.session.follow_from(after);
    }

    fn history_ended(&mut self, newest: u64) {
        self.session.end_history(newest);
    }

    fn read_loosely(&mut self) {
        self.session.read_loosely();
    }

    fn reply_began(&mut self, ticket: u64) {
        platform::reply_began(self.requests, ticket, self.session);
    }

    fn reply_ended(&mut self, end: ReplyEnd) {
        platform::reply_ended(end, self.session);
    }
}
