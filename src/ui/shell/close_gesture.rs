//! Lets a phone's back gesture close what covers a session before it leads away from the session.

use gloo_events::EventListener;
use js_sys::{Array, Function, Reflect};
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::EventTarget;

use crate::store::Store;
use crate::ui::elements::builder::El;
use crate::ui::elements::reactive::{memo, render_effect};

/// Below this width in pixels what opens beside the timeline covers it.
const NARROW: i32 = 560;

/// What covers a session, the topmost first.
#[derive(Clone, Copy, PartialEq)]
enum Cover {
    Menu,
    SideView,
    Lens,
}

/// Waits for the gesture until it is dropped.
struct Watcher {
    watcher: EventTarget,
    _closes: EventListener,
}

impl Watcher {
    /// `None` where the browser has no `CloseWatcher`: there the gesture leads back.
    fn new(close: impl Fn() + 'static) -> Option<Self> {
        let class: Function = Reflect::get(&window(), &"CloseWatcher".into()).ok()?.dyn_into().ok()?;
        let watcher: EventTarget = Reflect::construct(&class, &Array::new()).ok()?.unchecked_into();
        let closes = EventListener::new(&watcher, "close", move |_| close());
        Some(Self { watcher, _closes: closes })
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let destroy = Reflect::get(&self.watcher, &"destroy".into()).ok();
        if let Some(destroy) = destroy.and_then(|destroy| destroy.dyn_into::<Function>().ok()) {
            // One that has closed already is destroyed, which a second call does not mind.
            let _ = destroy.call0(&self.watcher);
        }
    }
}

/// Follows what covers the session on this page until the owner is dropped.
pub fn follow(page: &El, store: Store) {
    let view = store.view_state;
    let cover = memo(move || {
        let menu = view.menu.get().then_some(Cover::Menu);
        let side_view = view.side_view.get().map(|_| Cover::SideView);
        menu.or(side_view).or(view.lens.get().then_some(Cover::Lens))
    });
    let (page, waiting) = (page.element().clone(), StoredValue::new_local(None::<Watcher>));
    render_effect(move || {
        let cover = cover.get().filter(|_| page.client_width() < NARROW);
        let watcher = cover.and_then(|cover| {
            Watcher::new(move || match cover {
                Cover::Menu => view.menu.set(false),
                Cover::SideView => view.side_view.set(None),
                Cover::Lens => view.lens.set(false),
            })
        });
        waiting.set_value(watcher);
    });
}
