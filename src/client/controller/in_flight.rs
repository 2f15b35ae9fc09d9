//! Keeps the answers given on this page until the server confirms them: one per request,
//! for all cards that show it.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use leptos::prelude::GetUntracked;
use serde_json::Value;

use super::{Controller, taken_answers};
use crate::client::transport::RequestError;
use crate::core::connection::ConnectionState;
use crate::core::i18n::words::connection;
use crate::core::model::answer::Prepared;
use crate::core::model::request::{Life, Request};

/// A session on a server. A board's tile and the session's own element may both show it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) server: String,
    pub(super) session: String,
}

/// What is known about the delivery of an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    /// It is under way; the connection or the host will report the outcome.
    Pending,
    /// It may have arrived; that is being checked.
    Checking,
    /// Nothing shows whether it arrived.
    Unknown,
}

struct InFlight {
    place: Place,
    request: String,
    answer: Prepared,
    delivery: Delivery,
    /// It was sent before, and that attempt may have arrived.
    repeated: bool,
    why: Option<String>,
}

thread_local! {
    static ANSWERS: RefCell<Vec<InFlight>> = const { RefCell::new(Vec::new()) };
    static DRIVERS: RefCell<Vec<Weak<Controller>>> = const { RefCell::new(Vec::new()) };
}

/// Adds a driver to those that show a session, for as long as it lives.
pub(super) fn register(controller: &Rc<Controller>) {
    DRIVERS.with_borrow_mut(|drivers| {
        drivers.retain(|other| other.strong_count() > 0);
        drivers.push(Rc::downgrade(controller));
    });
}

/// All drivers on the page that show this session.
pub(super) fn drivers_of(place: &Place) -> Vec<Rc<Controller>> {
    let drivers: Vec<Rc<Controller>> =
        DRIVERS.with_borrow(|drivers| drivers.iter().filter_map(Weak::upgrade).collect());
    drivers.into_iter().filter(|controller| controller.place() == *place).collect()
}

/// Records an answer that is about to be sent; `None` repeats the earlier one. Returns what to send, or
/// `None` while another answer may still arrive.
pub(super) fn begin(place: &Place, request: &str, answer: Option<Prepared>) -> Option<Prepared> {
    if let Some(repeated) = with(place, request, |sent| {
        let same = answer.as_ref().is_none_or(|answer| answer.params == sent.answer.params);
        (same && sent.delivery == Delivery::Unknown).then(|| {
            (sent.delivery, sent.repeated, sent.why) = (Delivery::Pending, true, None);
            sent.answer.clone()
        })
    }) {
        return repeated;
    }
    let answer = answer?;
    let (place, request) = (place.clone(), request.to_owned());
    let sent = InFlight {
        place,
        request,
        answer: answer.clone(),
        delivery: Delivery::Pending,
        repeated: false,
        why: None,
    };
    ANSWERS.with_borrow_mut(|all| all.push(sent));
    Some(answer)
}

/// The delivery of the answer to a request; `None` if none is under way.
pub(super) fn delivery(place: &Place, request: &str) -> Option<Delivery> {
    with(place, request, |sent| sent.delivery)
}

/// Forgets an answer that is no longer under way.
fn end(place: &Place, request: &str) {
    ANSWERS.with_borrow_mut(|all| all.retain(|sent| sent.request != request || sent.place != *place));
}

/// Forgets all answers of a session that has begun again.
pub(super) fn forget(place: &Place) {
    ANSWERS.with_borrow_mut(|all| all.retain(|sent| sent.place != *place));
}

fn with<R>(place: &Place, request: &str, read: impl FnOnce(&mut InFlight) -> R) -> Option<R> {
    ANSWERS.with_borrow_mut(|all| {
        all.iter_mut().find(|sent| sent.request == request && sent.place == *place).map(read)
    })
}

/// Shows on every card of a request what is wrong with its answer; `None` clears that message.
fn show_trouble(place: &Place, request: &str, why: Option<&str>, note: &dyn Fn(&Rc<Controller>)) {
    for controller in drivers_of(place) {
        if controller.life(request).is_some() {
            note(&controller);
            controller.store.set_trouble(request, why.map(str::to_owned));
        }
    }
}

/// Shows on every card that an answer is being sent.
pub(super) fn show_sending(place: &Place, request: &str, answer: &Prepared) {
    show_trouble(place, request, None, &|controller| {
        controller.feed(|session| session.answer_sending(request, answer.ending.clone()));
    });
}

/// Handles the outcome of an answer, or its lack. `checkable`: the log or the server may
/// still show what became of it.
pub(super) fn resolve(place: &Place, request: &str, outcome: Result<Value, RequestError>, checkable: bool) {
    match outcome {
        Ok(result) if result.get("success").and_then(Value::as_bool) == Some(false) => {
            end(place, request);
            show_trouble(place, request, None, &|controller| {
                controller.feed(|session| session.answer_refused(request));
            });
        }
        // The `*.completed` event says what came of it.
        Ok(_) => {
            end(place, request);
            show_trouble(place, request, None, &|controller| {
                controller.feed(|session| session.answer_taken(request));
                if let Some(Life::Taken(answer)) = controller.life(request).filter(|_| checkable) {
                    taken_answers::remember(place, request, &answer);
                }
            });
            if checkable && let Some(controller) = connected(place) {
                controller.look_into_later();
            }
        }
        Err(error) if error.uncertain() && checkable => {
            let why = connection::MAYBE_ARRIVED.text();
            with(place, request, |sent| {
                (sent.delivery, sent.why) = (Delivery::Checking, Some(why.to_owned()));
            });
            show_trouble(place, request, Some(why), &|_| ());
            if let Some(controller) = connected(place) {
                controller.look_into();
            }
        }
        // That this attempt failed says nothing about the earlier one.
        Err(error) if error.uncertain() || with(place, request, |sent| sent.repeated) == Some(true) => {
            mark_unsure(place, request, Some(&error.to_string()));
        }
        Err(error) => {
            if error == RequestError::NotConnected {
                for controller in drivers_of(place) {
                    controller.found_no_connection(request);
                }
            }
            reopen(place, request, &error.to_string());
        }
    }
}

/// A driver of the session that can ask its server.
fn connected(place: &Place) -> Option<Rc<Controller>> {
    let open =
        |controller: &Rc<Controller>| controller.store.connection.get_untracked().0 == ConnectionState::Open;
    drivers_of(place).into_iter().find(open)
}

/// Makes the request wait again and shows why.
pub(super) fn reopen(place: &Place, request: &str, why: &str) {
    end(place, request);
    taken_answers::forget(place, |taken| taken == request);
    show_trouble(place, request, Some(why), &|controller| {
        controller.feed(|session| session.answer_unsent(request));
    });
}

/// Marks the request as unsure: nothing shows whether the answer arrived, and the
/// same one may be given again.
pub(super) fn mark_unsure(place: &Place, request: &str, why: Option<&str>) {
    with(place, request, |sent| (sent.delivery, sent.why) = (Delivery::Unknown, why.map(str::to_owned)));
    show_trouble(place, request, why, &|controller| {
        controller.feed(|session| session.answer_unsure(request));
    });
}

impl Controller {
    /// The server and session that this driver shows. Without a server no other driver shows the same.
    pub(super) fn place(&self) -> Place {
        let own = || (std::ptr::from_ref(self) as usize).to_string();
        Place {
            server: self.store.server().try_get_untracked().flatten().unwrap_or_else(own),
            session: self.session_id(),
        }
    }

    /// Gives each request one state on the page: what another driver of this session knows is
    /// copied here, and vice versa.
    pub(super) fn share_requests(self: &Rc<Self>) {
        let place = self.place();
        for request in self.open(&|request| request.life == Life::Waiting) {
            self.adopt_answer(&place, &request);
        }
        let all = drivers_of(&place);
        for other in all.iter().filter(|other| !Rc::ptr_eq(other, self)) {
            other.copy_endings(self);
            self.copy_endings(other);
        }
        let over: Vec<String> = ANSWERS.with_borrow(|all| {
            let here = all.iter().filter(|sent| sent.place == place).map(|sent| sent.request.clone());
            here.filter(|request| self.life(request).is_some()).collect()
        });
        taken_answers::forget(&place, |request| {
            matches!(self.life(request), Some(Life::Settled { .. } | Life::Stale { .. }))
        });
        for request in over {
            let is_open = |controller: &Rc<Self>| controller.open(&Request::open).contains(&request);
            if !all.iter().any(is_open) {
                end(&place, &request);
            }
        }
    }

    /// Shows on a new card what became of the answer given on another one.
    fn adopt_answer(self: &Rc<Self>, place: &Place, request: &str) {
        let known =
            with(place, request, |sent| (sent.answer.ending.clone(), sent.delivery, sent.why.clone()));
        let Some((ending, delivery, why)) = known else {
            if let Some(answer) = taken_answers::recall(place, request) {
                self.feed(|session| {
                    session.answer_sending(request, answer);
                    session.answer_taken(request);
                });
                self.look_into_later();
            }
            return;
        };
        self.feed(|session| {
            session.answer_sending(request, ending);
            if delivery == Delivery::Unknown {
                session.answer_unsure(request);
            }
        });
        self.store.set_trouble(request, why);
        if delivery == Delivery::Checking {
            self.look_into();
        }
    }

    /// Copies how requests were settled in `other`. Why one is stale, each driver finds out by itself.
    fn copy_endings(self: &Rc<Self>, other: &Self) {
        for request in self.open(&Request::open) {
            if let Some(life @ (Life::Taken(_) | Life::Settled { .. })) = other.life(&request) {
                self.feed(|session| session.request_ended(&request, life));
            }
        }
    }

    /// The life of a request as far as it is known here.
    fn life(&self, request: &str) -> Option<Life> {
        let session = self.session.borrow();
        let state = session.state();
        Some(state.entry(state.request_place(request)?)?.request()?.life.clone())
    }
}
