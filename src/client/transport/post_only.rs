//! The carrier of a host without a stream: input arrives only as the response to a post.

use std::future::ready;
use std::rc::Rc;

use serde_json::Value;
use wasm_bindgen_futures::spawn_local;

use super::credentials::Credentials;
use super::fetch::post;
use super::pending::{Pending, spawn};
use super::supervisor::CarrierReports;
use super::{Answering, Connection, RequestError, written};
use crate::core::connection::Target;

/// The address of the host's answers. It counts as open at once.
pub(super) struct Posts {
    target: Target,
    credentials: Rc<Credentials>,
    pending: Rc<Pending>,
}

impl Posts {
    pub(super) fn open(
        target: Target,
        credentials: Rc<Credentials>,
        line: CarrierReports,
        pending: Rc<Pending>,
    ) -> Self {
        let session = target.session().unwrap_or_default().to_owned();
        // The supervisor must hold the carrier before the carrier reports that it is open.
        spawn_local(async move { line.opened(&session, None) });
        Self { target, credentials, pending }
    }
}

impl Connection for Posts {
    fn request(&self, method: &str, params: Value) -> Answering {
        let url = self.target.request_url(self.target.session().unwrap_or_default(), method);
        let Some(url) = url else {
            return Box::pin(ready(Err(RequestError::NoWayBack)));
        };
        let body = written(self.pending.next_id(), method, Some(&params));
        Box::pin(spawn(post(url, Rc::clone(&self.credentials), body)))
    }

    fn close(&self) {}
}
