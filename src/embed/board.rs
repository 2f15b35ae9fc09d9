//! `<pilot-house-board>`: what the element's class holds while the board's part of the program is being
//! loaded. Everything else is in `inside`.

#[cfg(feature = "split")]
mod fetched;
mod inside;

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::Owner;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlElement, ShadowRoot};

use super::fault::FaultMark;

/// The content of the element, once it is loaded.
trait BoardContent {
    /// An attribute changed.
    fn attribute(&self, name: &str);
    /// Tells the gateway whether somebody sees the board now.
    fn visible(&self, visible: bool);
    /// The element left the document for good.
    fn close(&self);
}

type SharedBoardContent = Rc<RefCell<Option<Box<dyn BoardContent>>>>;

/// The program's side of one `<pilot-house-board>`; `www/element.js` holds it.
#[wasm_bindgen]
pub struct BoardElement {
    inside: SharedBoardContent,
    mark: FaultMark,
    _owner: Owner,
}

#[wasm_bindgen]
impl BoardElement {
    /// Whether a fault of the program has hit this board: it was at work for it.
    #[wasm_bindgen(js_name = isBroken)]
    pub fn is_broken(&self) -> bool {
        self.mark.is_current() || self.inside.try_borrow_mut().is_err()
    }

    /// An attribute changed.
    pub fn attribute(&self, name: &str) {
        if let Some(inside) = self.inside.borrow().as_ref() {
            inside.attribute(name);
        }
    }

    /// Tells a gateway whether somebody sees the board now. It forgets that with the connection.
    pub fn visible(&self, visible: bool) {
        if let Some(inside) = self.inside.borrow().as_ref() {
            inside.visible(visible);
        }
    }

    /// The element left the document for good.
    pub fn close(&self) {
        if let Some(inside) = self.inside.take() {
            inside.close();
        }
    }
}

impl BoardElement {
    pub(super) fn new(host: HtmlElement, root: ShadowRoot) -> Self {
        let inside = SharedBoardContent::default();
        let owner = Owner::new();
        let mark = FaultMark::within(&owner);
        let inner = owner.clone();
        let waiting = Rc::downgrade(&inside);
        spawn_local(async move {
            let open = load_content().await;
            // Attributes may have changed meanwhile and are read now. An element that has left
            // the document needs nothing.
            if let Some(inside) = waiting.upgrade()
                && host.is_connected()
            {
                inside.replace(Some(inner.with(|| open(&host, &root))));
            }
        });
        Self { inside, mark, _owner: owner }
    }
}

/// Makes the content of an element.
type OpenContent = fn(&HtmlElement, &ShadowRoot) -> Box<dyn BoardContent>;

#[cfg(feature = "split")]
use fetched::load_content;

/// The board's code is already part of the program.
#[cfg(not(feature = "split"))]
async fn load_content() -> OpenContent {
    std::future::ready(inside::open as OpenContent).await
}
