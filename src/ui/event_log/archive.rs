//! Goes through the log in steps that delay no frame, and shows the session as it was at a record.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

use crate::core::Session;
use crate::core::session::log::Log;
use crate::core::session::time_travel::TravelIndex;
use crate::store::Store;
use crate::ui::elements::reactive::render_effect;

/// Milliseconds that one step may take, and the records between two looks at the clock.
const STEP: f64 = 8.0;
const RECORDS: usize = 64;

/// How far the log of [`History::session`](crate::store::History::session) has been gone through.
pub struct Archive {
    /// The stops from which its records can be reached.
    pub travel: RefCell<TravelIndex>,
    busy: Cell<bool>,
}

/// The archive for the log of [`History::session`](crate::store::History::session).
pub fn of(store: Store) -> Option<Rc<Archive>> {
    let make =
        || -> Rc<dyn Any> { Rc::new(Archive { travel: TravelIndex::new().into(), busy: Cell::default() }) };
    store.history().archive(make)?.downcast().ok()
}

/// Goes through the log, and through what is added to it, as long as the owner lives.
pub fn follow_log(store: Store) {
    render_effect(move || {
        store.track_input();
        store.history().log_number();
        untrack(|| prepare(store));
    });
}

fn prepare(store: Store) {
    let Some(archive) = of(store).filter(|archive| !archive.busy.replace(true)) else {
        return;
    };
    if !step(store, &archive) {
        archive.busy.set(false);
        return;
    }
    spawn_local(async move {
        while {
            TimeoutFuture::new(0).await;
            // Another session may be shown by now.
            of(store).is_some_and(|now| Rc::ptr_eq(&now, &archive)) && step(store, &archive)
        } {}
        archive.busy.set(false);
    });
}

/// One step; true if there is more.
fn step(store: Store, archive: &Archive) -> bool {
    let mut travel = archive.travel.borrow_mut();
    let end = now() + STEP;
    let more = store.history().log(|log| {
        let mut more = true;
        while more && now() < end {
            more = travel.prepare(log, RECORDS);
        }
        more
    });
    let prepared = travel.prepared();
    drop(travel);
    if store.history().prepared().try_get_untracked() != Some(prepared) {
        store.history().prepared().try_set(prepared);
    }
    more.unwrap_or(false)
}

/// Shows the session as it was after `to` records; after all of them that is now.
pub fn travel_to(store: Store, to: usize) {
    let from = untrack(|| store.history().at().get());
    if to >= length(store) {
        if from.is_some() {
            store.history().show_past(None);
        }
        return;
    }
    let Some(archive) = of(store).filter(|_| from != Some(to)) else { return };
    let past = store.history().past_session().unwrap_or_else(|| Rc::new(RefCell::new(Session::new())));
    let forward = store.history().log(|log| {
        let travel = archive.travel.borrow();
        travel.travel_to(log, &mut past.borrow_mut(), from.unwrap_or(usize::MAX), to)
    });
    let changes = past.borrow_mut().take_changes();
    match forward {
        Some(true) => store.history().show_later(&changes, to),
        Some(false) => store.history().show_past(Some((past, to))),
        None => {}
    }
}

/// The number of records in the log.
pub fn length(store: Store) -> usize {
    store.history().log(Log::len).unwrap_or(0)
}

/// Milliseconds of a clock that only goes forward.
pub fn now() -> f64 {
    window().performance().map_or_else(js_sys::Date::now, |performance| performance.now())
}
