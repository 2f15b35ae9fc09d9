//! Drives one session on a page: link → decode → reduce → store, one commit for each animation frame, and answers
//! back. Refuses views and JavaScript types; the host is a trait.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::{Rc, Weak};

use gloo_timers::callback::Timeout;
use leptos::prelude::{GetUntracked, Set, Update, untrack};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::core::answer::{self, Answer};
use crate::core::change::{Change, Section};
use crate::core::connection::{ConnectionState, Target};
use crate::core::request::RequestKind;
use crate::core::{Received, Session};
use crate::link::{Frame, Link, Report, Sink};
use crate::store::Store;

/// Hidden tabs get no animation frames; this often their state is committed all the same, in milliseconds.
const HIDDEN_COMMIT: u32 = 250;

/// What the element's host is told, and may decide.
pub trait Host {
    /// A batch was committed.
    fn committed(&self, changes: &[Change]);
    /// A request waits for a person.
    fn request_opened(&self, request: &Value);
    /// An answer is about to be sent; true if the host sends it itself.
    fn answering(&self, method: &str, params: &Value) -> bool;
    /// The session's status word changed.
    fn status(&self, word: &str);
    /// The connection's word changed.
    fn connection(&self, word: &str);
    /// Something for the host's own telemetry.
    fn telemetry(&self, event: &Value);
    /// Something went wrong that a developer should know.
    fn error(&self, message: &str);
}

/// One session and its way to the server.
pub struct Driver {
    session: Rc<RefCell<Session>>,
    store: Store,
    host: Box<dyn Host>,
    link: RefCell<Option<Link>>,
    linked_session: RefCell<String>,
    frame: RefCell<Option<i32>>,
    timer: RefCell<Option<Timeout>>,
    on_frame: RefCell<Option<Closure<dyn FnMut()>>>,
    told: RefCell<HashSet<String>>,
    status: Cell<&'static str>,
    telemetry: Cell<u64>,
}

impl Driver {
    /// A driver without a connection yet.
    pub fn new(session: Rc<RefCell<Session>>, store: Store, host: Box<dyn Host>) -> Rc<Self> {
        let driver = Rc::new(Self {
            session,
            store,
            host,
            link: RefCell::default(),
            linked_session: RefCell::default(),
            frame: RefCell::default(),
            timer: RefCell::default(),
            on_frame: RefCell::default(),
            told: RefCell::default(),
            status: Cell::new(""),
            telemetry: Cell::new(0),
        });
        let weak = Rc::downgrade(&driver);
        let committing = weak.clone();
        let on_frame = Closure::<dyn FnMut()>::new(move || {
            if let Some(driver) = committing.upgrade() {
                driver.frame.replace(None);
                driver.commit();
            }
        });
        driver.on_frame.replace(Some(on_frame));
        let answering = weak.clone();
        store.on_answer(move |request_id, answer| {
            if let Some(driver) = answering.upgrade() {
                driver.answer(request_id, &answer);
            }
        });
        store.on_retry(move || {
            if let Some(driver) = weak.upgrade()
                && let Some(link) = driver.link.borrow().as_ref()
            {
                link.retry_now();
            }
        });
        driver
    }

    /// Connects to a target, in the place of any connection before.
    pub fn connect(self: &Rc<Self>, target: Target) {
        self.link.replace(None);
        let sink = Rc::new(DriverSink(Rc::downgrade(self)));
        self.link.replace(Some(Link::connect(target, sink)));
    }

    /// Shows why there can be no connection.
    pub fn cannot_connect(&self, state: ConnectionState, message: String) {
        self.host.connection(state.word());
        self.host.error(&message);
        self.store.connection.set((state, Some(message)));
    }

    /// Closes the connection for good.
    pub fn close(&self) {
        self.link.replace(None);
        self.timer.replace(None);
        if let (Some(frame), Some(window)) = (self.frame.take(), web_sys::window()) {
            // A frame that has run already can't be cancelled, which is what is wanted.
            let _ = window.cancel_animation_frame(frame);
        }
    }

    /// Takes input for the session and shows it with the next frame.
    pub fn feed<R>(self: &Rc<Self>, take: impl FnOnce(&mut Session) -> R) -> R {
        let taken = take(&mut self.session.borrow_mut());
        self.schedule();
        taken
    }

    fn schedule(self: &Rc<Self>) {
        if self.frame.borrow().is_some()
            || self.timer.borrow().is_some()
            || !self.session.borrow().state().changed()
        {
            return;
        }
        let Some(window) = web_sys::window() else {
            return;
        };
        if let Some(on_frame) = self.on_frame.borrow().as_ref() {
            self.frame.replace(window.request_animation_frame(on_frame.as_ref().unchecked_ref()).ok());
        }
        let weak = Rc::downgrade(self);
        let timer = Timeout::new(HIDDEN_COMMIT, move || {
            if let Some(driver) = weak.upgrade() {
                driver.commit();
            }
        });
        self.timer.replace(Some(timer));
    }

    /// Hands everything that changed to the views, once.
    fn commit(self: &Rc<Self>) {
        self.timer.replace(None);
        if let (Some(frame), Some(window)) = (self.frame.take(), web_sys::window()) {
            let _ = window.cancel_animation_frame(frame);
        }
        let changes = self.session.borrow_mut().take_changes();
        if changes.is_empty() {
            return;
        }
        self.store.commit(&changes);
        self.host.committed(&changes);
        let status = self.session.borrow().state().status();
        if self.status.replace(status) != status {
            self.host.status(status);
        }
        self.tell_telemetry();
        if changes.contains(&Change::Section(Section::Pending)) {
            self.tell_requests();
        }
        if changes.contains(&Change::Section(Section::Queue)) {
            self.ask_queue();
        }
    }

    fn tell_telemetry(&self) {
        let news: Vec<Value> = {
            let session = self.session.borrow();
            let telemetry = &session.state().telemetry;
            let seen = self.telemetry.replace(telemetry.total());
            telemetry.after(seen).map(crate::core::telemetry::TelemetryEvent::json).collect()
        };
        for event in &news {
            self.host.telemetry(event);
        }
    }

    /// Listeners may push or answer at once: nothing is borrowed while they run.
    fn tell_requests(&self) {
        let news: Vec<Value> = {
            let session = self.session.borrow();
            let state = session.state();
            let mut told = self.told.borrow_mut();
            let open = state.open_requests.iter().filter_map(|place| state.entry(*place));
            open.filter(|entry| told.insert(entry.id.clone())).map(crate::core::snapshot::entry).collect()
        };
        for request in &news {
            self.host.request_opened(request);
        }
    }

    /// No event carries the queue: after each change the server is asked.
    fn ask_queue(self: &Rc<Self>) {
        let Some(answer) = self.request("session.queue.pendingItems", json!({})) else {
            return;
        };
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            // Without a back channel the indicator says only that the queue changed.
            let (Ok(mut result), Some(driver)) = (answer.await, weak.upgrade()) else {
                return;
            };
            let mut list = |name: &str| match result.get_mut(name).map(Value::take) {
                Some(Value::Array(items)) => items,
                _ => Vec::new(),
            };
            let (items, steering) = (list("items"), list("steeringMessages"));
            driver.feed(|session| session.set_queue(items, steering));
        });
    }

    /// Permissions that were open when we asked and that the server does not list are gone.
    fn reconcile(self: &Rc<Self>) {
        let held: Vec<String> = {
            let session = self.session.borrow();
            let state = session.state();
            let permission = |place: &usize| {
                let entry = state.entry(*place)?;
                (entry.request()?.kind == RequestKind::Permission).then(|| entry.id.clone())
            };
            state.open_requests.iter().filter_map(permission).collect()
        };
        if held.is_empty() {
            return;
        }
        let Some(answer) = self.request("session.permissions.pendingRequests", json!({})) else {
            return;
        };
        let weak = Rc::downgrade(self);
        spawn_local(async move {
            let (Ok(result), Some(driver)) = (answer.await, weak.upgrade()) else {
                return;
            };
            let Some(items) =
                result.get("items").or_else(|| result.get("requests")).and_then(Value::as_array)
            else {
                return;
            };
            let listed: HashSet<&str> =
                items.iter().filter_map(|item| item.get("requestId")?.as_str()).collect();
            driver.feed(|session| {
                for id in held.iter().filter(|id| !listed.contains(id.as_str())) {
                    session.answer_refused(id);
                }
            });
        });
    }

    fn request(
        &self,
        method: &str,
        params: Value,
    ) -> Option<impl Future<Output = Result<Value, crate::link::RequestError>> + use<>> {
        let mut params = params;
        if let Some(members) = params.as_object_mut() {
            members.entry("sessionId").or_insert_with(|| self.session_id().into());
        }
        self.link.borrow().as_ref().map(|link| link.request(method, params))
    }

    fn session_id(&self) -> String {
        let linked = self.linked_session.borrow().clone();
        if linked.is_empty() {
            self.session.borrow().state().info.id.clone().unwrap_or_default()
        } else {
            linked
        }
    }

    /// Sends a person's answer, unless the host does.
    fn answer(self: &Rc<Self>, request_id: &str, answer: &Answer) {
        if untrack(|| self.store.silent()) {
            return;
        }
        let prepared = {
            let session = self.session.borrow();
            let state = session.state();
            let entry = state.request_place(request_id).and_then(|place| state.entry(place));
            entry.and_then(|entry| entry.request()).filter(|request| request.open()).cloned()
        };
        let Some(request) = prepared else { return };
        self.store.trouble.set(None);
        let Some(outgoing) = answer::outgoing(&self.session_id(), request_id, &request, answer) else {
            self.confirm(request_id, &request, answer);
            return;
        };
        let by_host = self.host.answering(outgoing.method, &outgoing.params);
        self.feed(|session| session.answer_sending(request_id, answer));
        if by_host {
            return;
        }
        let sent = self.link.borrow().as_ref().map(|link| link.request(outgoing.method, outgoing.params));
        let (weak, id) = (Rc::downgrade(self), request_id.to_owned());
        spawn_local(async move {
            let outcome = match sent {
                Some(sent) => sent.await.map_err(|error| error.to_string()),
                None => Err("Not sent: there is no connection.".to_owned()),
            };
            let Some(driver) = weak.upgrade() else { return };
            match outcome {
                Ok(result) if result.get("success").and_then(Value::as_bool) == Some(false) => {
                    driver.feed(|session| session.answer_refused(&id));
                }
                // The `*.completed` event settles it.
                Ok(_) => {}
                Err(words) => {
                    driver.feed(|session| session.answer_unsent(&id));
                    driver.store.trouble.set(Some((id, words)));
                }
            }
        });
    }

    /// A platform confirmation is `POSTed`, and no event ever settles it.
    fn confirm(self: &Rc<Self>, request_id: &str, request: &crate::core::request::Request, answer: &Answer) {
        let accepted = match answer {
            Answer::Other { params, .. } => params.get("accepted").and_then(Value::as_bool).unwrap_or(false),
            _ => return,
        };
        let body = answer::confirmation(request, accepted);
        let by_host = self.host.answering("copilot_confirmations", &body);
        self.feed(|session| session.answer_sending(request_id, answer));
        let sent = (!by_host).then(|| self.link.borrow().as_ref().map(|link| link.post(&body))).flatten();
        let (weak, id) = (Rc::downgrade(self), request_id.to_owned());
        spawn_local(async move {
            let outcome = match sent {
                Some(sent) => sent.await.map(drop).map_err(|error| error.to_string()),
                None if by_host => Ok(()),
                None => Err("Not sent: there is no connection.".to_owned()),
            };
            let Some(driver) = weak.upgrade() else { return };
            match outcome {
                Ok(()) => driver.feed(|session| session.confirmation_answered(&id, accepted)),
                Err(words) => {
                    driver.feed(|session| session.answer_unsent(&id));
                    driver.store.trouble.set(Some((id, words)));
                }
            }
        });
    }
}

struct DriverSink(Weak<Driver>);

impl Sink for DriverSink {
    fn frame(&self, frame: Frame<'_>) -> Report {
        let Some(driver) = self.0.upgrade() else {
            return Report::default();
        };
        let received: Received = driver.feed(|session| match frame {
            Frame::Text(text) => session.push_frame(text),
            Frame::Bytes(bytes) => session.push_frame_bytes(bytes),
            Frame::ServerSent { event, data } => session.push_server_sent(event, data),
        });
        if let Some(seq) = received.last_seq {
            let (newest, reached) = driver.store.progress.get_untracked();
            if reached < newest {
                driver.store.progress.set((newest, seq));
            }
        }
        Report { last_seq: received.last_seq, responses: received.responses }
    }

    fn state(&self, state: ConnectionState, message: Option<String>) {
        let Some(driver) = self.0.upgrade() else {
            return;
        };
        driver.host.connection(state.word());
        if let ConnectionState::Closed { .. } = state
            && let Some(message) = &message
        {
            driver.host.error(message);
        }
        driver.store.connection.set((state, message));
    }

    fn opened(&self, session: &str, newest: u64) {
        let Some(driver) = self.0.upgrade() else {
            return;
        };
        session.clone_into(&mut driver.linked_session.borrow_mut());
        driver.store.progress.update(|(announced, _)| *announced = newest);
        driver.reconcile();
        driver.ask_queue();
    }
}
