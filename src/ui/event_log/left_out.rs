//! Says that the server has left out superseded events, and loads them into the log.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;

use crate::core::client::connection::HttpNews;
use crate::core::i18n::format::grouped;
use crate::core::i18n::words::log as words;
use crate::core::session::log::whole::WholeLog;
use crate::store::Store;
use crate::ui::elements::builder::{div, el};
use crate::ui::elements::live::Live;
use crate::ui::elements::reactive::memo;

/// What becomes of the events that were left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loading {
    No,
    Runs,
    Failed,
}

/// How many events were left out of the live session's log, and a button that loads them.
#[component(transparent)]
pub fn LeftOut(store: Store) -> Live {
    let loading = RwSignal::new(Loading::No);
    let count = memo(move || {
        store.track_input();
        let _ = store.history().log_number();
        store.history().session().and_then(|session| Some(session.try_borrow().ok()?.left_out())).unwrap_or(0)
    });
    let strip = move || {
        let count = count.get() as usize;
        let words = match loading.get() {
            Loading::Failed => words::NOT_LOADED.text().to_owned(),
            _ => words::LEFT_OUT.with(&[("n", count.into()), ("figure", (&grouped(count)).into())]),
        };
        (count > 0).then(|| {
            let button = el("button").attr("type", "button").class("btn small").text(words::LOAD_ALL.text());
            let button = button
                .attr("disabled", (loading.get() == Loading::Runs).then_some(""))
                .on("click", move |_| load(store, loading));
            div("log-head").attr("role", "status").child(el("p").class("quiet").text(&words)).child(button)
        })
    };
    Live::new(strip)
}

/// Loads the server's whole log in place of the one that is here, unless the session begins anew meanwhile.
fn load(store: Store, loading: RwSignal<Loading>) {
    let Some(session) = store.history().session() else { return };
    let Some(whole) = session.borrow().log().map(WholeLog::new) else { return };
    loading.set(Loading::Runs);
    let number = untrack(|| store.history().log_number());
    let whole = RefCell::new(Some(whole));
    store.fetch_whole_log(move |news| {
        let is_same = loading.try_get_untracked().is_some()
            && untrack(|| store.history().log_number()) == number
            && store.history().session().is_some_and(|shown| Rc::ptr_eq(&shown, &session));
        let mut whole = whole.borrow_mut();
        let failed = match news {
            HttpNews::Head(head) => head.status != 200 || head.newest.is_none(),
            HttpNews::Body(bytes) => {
                if let (Some(whole), Some(log)) = (&mut *whole, session.borrow().log()) {
                    whole.push(bytes, log);
                }
                false
            }
            HttpNews::End => {
                if let Some(whole) = whole.take().filter(|_| is_same) {
                    loading.set(Loading::No);
                    store.update_session(move |session| {
                        if let Some(log) = session.log().map(|here| whole.finish(here)) {
                            session.replace_log(log);
                        }
                    });
                    store.history().log_replaced();
                }
                return;
            }
            HttpNews::BadAddress(_) | HttpNews::Broken => true,
        };
        if failed || !is_same {
            *whole = None;
            let _ = loading.try_set(Loading::Failed);
        }
    });
}
