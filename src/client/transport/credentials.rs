//! What signs the requests of one link: a token, and headers for HTTP. The page's `auth` callback gives others
//! before each connection, and when a server has refused them.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::Headers;

use super::Sink;
use super::fetch::text_of;
use crate::client::js::{function, settled};
use crate::core::connection::{AddressError, sendable};

pub(super) struct Credentials {
    token: RefCell<Option<String>>,
    headers: RefCell<Option<Headers>>,
    /// The object whose property `auth` is the callback. It is read at every use, because a page may replace it.
    page: Option<JsValue>,
    /// A person has typed the token, so the callback is not asked until it is refused.
    typed: Cell<bool>,
    /// Counts the times that these have changed.
    version: Cell<u32>,
    /// The request for others that is under way.
    renewing: RefCell<Option<Promise>>,
    /// Hears of what goes wrong in the callback.
    sink: Rc<dyn Sink>,
}

impl Credentials {
    pub(super) fn new(token: Option<&str>, page: Option<JsValue>, sink: Rc<dyn Sink>) -> Rc<Self> {
        Rc::new(Self {
            token: RefCell::new(token.map(str::to_owned)),
            headers: RefCell::default(),
            page,
            typed: Cell::new(false),
            version: Cell::new(0),
            renewing: RefCell::default(),
            sink,
        })
    }

    /// The token. It belongs in a header or a request's body, never in an address or a log.
    pub(super) fn token(&self) -> Option<String> {
        self.token.borrow().clone()
    }

    /// New headers that sign an HTTP request.
    pub(super) fn headers(&self) -> Result<Headers, JsValue> {
        let headers = match &*self.headers.borrow() {
            Some(headers) => Headers::new_with_headers(headers)?,
            None => Headers::new()?,
        };
        if let Some(token) = &*self.token.borrow() {
            headers.set("Authorization", &["Bearer ", token].concat())?;
        }
        Ok(headers)
    }

    /// How often these have changed.
    pub(super) fn version(&self) -> u32 {
        self.version.get()
    }

    /// Sets the token that a person has typed; false if it can't be sent in a header, which changes nothing.
    pub(super) fn type_in(&self, token: &str) -> bool {
        let fits = sendable(token);
        if fits {
            self.token.replace(Some(token.to_owned()));
            self.typed.set(true);
        }
        fits
    }

    /// Whether the page can give others.
    pub(super) fn renewable(&self) -> bool {
        self.callback().is_some()
    }

    /// Whether the page has to be asked before a connection. `refused`: the last ones were refused.
    pub(super) fn come_from_page(&self, refused: bool) -> bool {
        if refused {
            self.typed.set(false);
        }
        !self.typed.get() && self.renewable()
    }

    /// Asks the page. False if it has none, which changes nothing. An error, whose message is the page's, has been reported.
    pub(super) async fn request(&self, refused: bool) -> Result<bool, String> {
        let given = self.given(refused).await.map_err(|error| text_of(&error));
        given.inspect_err(|message| self.sink.error(message))
    }

    async fn given(&self, refused: bool) -> Result<bool, JsValue> {
        let (Some(page), Some(callback)) = (&self.page, self.callback()) else {
            return Ok(false);
        };
        let asked = Object::new();
        Reflect::set(&asked, &"refused".into(), &refused.into())?;
        let given = settled(callback.call1(page, &asked)).await?;
        if given.is_undefined() || given.is_null() {
            return Ok(false);
        }
        let headers = Reflect::get(&given, &"headers".into())?;
        // Whatever the constructor of `Headers` takes.
        let headers = if headers.is_truthy() {
            Some(Headers::new_with_headers(headers.unchecked_ref())?)
        } else {
            None
        };
        if let Some(token) = Reflect::get(&given, &"token".into())?.as_string() {
            if !sendable(&token) {
                return Err(JsValue::from_str(&AddressError::Token.to_string()));
            }
            self.token.replace(Some(token));
        }
        self.headers.replace(headers);
        self.version.set(self.version.get().wrapping_add(1));
        Ok(true)
    }

    /// A server has refused those of this version. True if there are others now. However many requests were refused,
    /// the page is asked once.
    pub(super) async fn renewed(self: &Rc<Self>, version: u32) -> bool {
        if self.version.get() != version {
            return true;
        }
        if self.typed.get() || !self.renewable() {
            return false;
        }
        let waiting = self.renewing.borrow().clone();
        let renewing = waiting.unwrap_or_else(|| {
            let this = Rc::clone(self);
            let renewing = future_to_promise(async move {
                let given = this.request(true).await;
                this.renewing.take();
                Ok(JsValue::from(given == Ok(true)))
            });
            self.renewing.replace(Some(renewing.clone()));
            renewing
        });
        JsFuture::from(renewing).await.is_ok_and(|others| others.is_truthy())
    }

    fn callback(&self) -> Option<Function> {
        function(self.page.as_ref()?, "auth")
    }
}
