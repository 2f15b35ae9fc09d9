//! The page's callback `auth`, which gives credentials, and the headers that it has given. The token is the connection's.

use std::cell::RefCell;

use js_sys::{Function, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Headers;

use super::fetch::text_of;
use crate::client::js::{function, settle};
use crate::core::client::connection::Credentials;
use crate::core::connection::{AddressError, sendable};

/// Where a page's credentials come from.
#[derive(Default)]
pub(super) struct PageCredentials {
    /// The object whose property `auth` is the callback. It is read at every use, because a page may replace it.
    page: Option<JsValue>,
    headers: RefCell<Option<Headers>>,
}

impl PageCredentials {
    pub(super) fn new(page: Option<JsValue>) -> Self {
        Self { page, headers: RefCell::default() }
    }

    /// The headers that sign an HTTP request, apart from the token.
    pub(super) fn headers(&self) -> Option<Headers> {
        self.headers.borrow().clone()
    }

    /// The callback, if there is one.
    pub(super) fn callback(&self) -> Option<Function> {
        function(self.page.as_ref()?, "auth")
    }

    /// Asks the page. `refused`: the last credentials were refused.
    pub(super) async fn ask(&self, callback: Function, refused: bool) -> Credentials {
        match self.request(callback, refused).await {
            Ok(given) => given,
            Err(error) => Credentials::Failed(text_of(&error)),
        }
    }

    async fn request(&self, callback: Function, refused: bool) -> Result<Credentials, JsValue> {
        let asked = Object::new();
        Reflect::set(&asked, &"refused".into(), &refused.into())?;
        let page = self.page.clone().unwrap_or_default();
        let given = settle(callback.call1(&page, &asked)).await?;
        if given.is_undefined() || given.is_null() {
            return Ok(Credentials::Unchanged);
        }
        let headers = Reflect::get(&given, &"headers".into())?;
        // Whatever the constructor of `Headers` takes.
        let headers = if headers.is_truthy() {
            Some(Headers::new_with_headers(headers.unchecked_ref())?)
        } else {
            None
        };
        let token = Reflect::get(&given, &"token".into())?.as_string();
        if token.as_deref().is_some_and(|token| !sendable(token)) {
            return Err(JsValue::from_str(&AddressError::Token.to_string()));
        }
        self.headers.replace(headers);
        Ok(Credentials::Given(token))
    }
}
