//! Tests of links without a server: nobody listens, the address is no stream, or there is no network. The
//! end-to-end tests have a gateway.

#![allow(clippy::expect_used, clippy::panic)] // a test that fails has to say where

use std::cell::RefCell;
use std::rc::Rc;

use gloo_timers::future::TimeoutFuture;
use pilothouse::client::transport::{HostParts, Link, Listener, Owner};
use pilothouse::core::client::RequestError;
use pilothouse::core::client::connection::{Frame, FrameResult, ReplyEnd, Report};
use pilothouse::core::connection::{Attributes, Target};
use serde_json::json;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

/// A listener that must not be called.
struct NoReply;

impl Listener for NoReply {
    fn taken(&self) {
        panic!("nobody is there who could take it");
    }

    fn over(&self, _: ReplyEnd) {
        panic!("nothing began");
    }
}

#[derive(Default)]
struct Recorder {
    words: RefCell<Vec<&'static str>>,
    /// The newest message that came with a state; a later state without one does not clear it.
    message: RefCell<String>,
}

impl Recorder {
    fn words(&self) -> Vec<&'static str> {
        self.words.borrow().clone()
    }

    fn message(&self) -> String {
        self.message.borrow().clone()
    }

    async fn until(&self, word: &str) {
        for _ in 0..500 {
            if self.words.borrow().contains(&word) {
                return;
            }
            TimeoutFuture::new(20).await;
        }
        panic!("no {word}, only {:?}", self.words());
    }
}

impl Owner for Recorder {
    fn frame(&self, _frame: Frame<'_>) -> FrameResult {
        FrameResult::default()
    }

    fn report(&self, report: Report) {
        if let Report::State(state, message) = report {
            self.words.borrow_mut().push(state.word());
            if let Some(message) = message {
                *self.message.borrow_mut() = message;
            }
        }
    }
}

/// A gateway address where nobody listens.
fn closed_port(transport: &str) -> Target {
    target("http://127.0.0.1:1234/", transport)
}

fn target(src: &str, transport: &str) -> Target {
    let attributes = Attributes {
        src: Some(src),
        transport: Some(transport),
        session: Some("s"),
        token: Some("secret"),
        page: "http://127.0.0.1:1234/",
        ..Attributes::default()
    };
    Target::parse(&attributes).expect("a valid target")
}

#[wasm_bindgen_test]
async fn nobody_listening_is_waited_for_on_every_transport() {
    for transport in ["auto", "ws", "sse"] {
        let recorder = Rc::new(Recorder::default());
        let link = Link::connect(closed_port(transport), HostParts::default(), recorder.clone());
        assert_eq!(recorder.words(), [""; 0], "nothing is reported inside connect");
        recorder.until("waiting").await;
        assert_eq!(recorder.words().first(), Some(&"connecting"));
        assert!(!recorder.words().contains(&"open"), "{transport}");
        let message = recorder.message();
        assert!(message.contains("still here") && !message.contains("secret"), "{message}");

        drop(link);
        let reports = recorder.words().len();
        TimeoutFuture::new(700).await;
        assert_eq!(recorder.words().len(), reports, "closed is for good");
    }
}

#[wasm_bindgen_test]
async fn a_wait_ends_in_another_try_and_retry_now_is_at_once() {
    let recorder = Rc::new(Recorder::default());
    let link = Link::connect(closed_port("sse"), HostParts::default(), recorder.clone());
    recorder.until("waiting").await;
    recorder.words.borrow_mut().clear();
    link.retry_now();
    assert_eq!(recorder.words(), ["connecting"]);
    recorder.until("waiting").await;
    recorder.words.borrow_mut().clear();
    recorder.until("connecting").await;
}

#[wasm_bindgen_test]
async fn the_network_s_events_move_the_link() {
    let recorder = Rc::new(Recorder::default());
    let _link = Link::connect(closed_port("sse"), HostParts::default(), recorder.clone());
    // Only microtasks, so that the refused connection can't come first.
    for _ in 0..3 {
        let turn = js_sys::Promise::resolve(&JsValue::NULL);
        JsFuture::from(turn).await.expect("resolved");
    }
    assert_eq!(recorder.words(), ["connecting"]);
    let window = web_sys::window().expect("a window");
    let tell = |name: &str| {
        let event = web_sys::Event::new(name).expect("an event");
        window.dispatch_event(&event).expect("dispatched");
    };
    tell("offline");
    TimeoutFuture::new(0).await;
    assert_eq!(recorder.words().last(), Some(&"waiting"));
    assert!(recorder.message().contains("offline"));
    recorder.words.borrow_mut().clear();
    tell("online");
    TimeoutFuture::new(0).await;
    assert_eq!(recorder.words().first(), Some(&"connecting"));
}

#[wasm_bindgen_test]
async fn a_dropped_link_says_nothing_more() {
    let recorder = Rc::new(Recorder::default());
    let link = Link::connect(closed_port("auto"), HostParts::default(), recorder.clone());
    recorder.until("connecting").await;
    let answer = link.request("session.abort", json!({}));
    let reports = recorder.words().len();
    drop(link);
    TimeoutFuture::new(100).await;
    assert_eq!(recorder.words().len(), reports);
    assert_eq!(answer.await, Err(RequestError::NotConnected));
}

#[wasm_bindgen_test]
async fn without_a_network_requests_are_refused_in_plain_words() {
    let recorder = Rc::new(Recorder::default());
    let link = Link::connect(target("ignored", "none"), HostParts::default(), recorder.clone());
    recorder.until("replaying").await;
    let refused = link.request("session.send", json!({ "prompt": "hi" })).await;
    assert_eq!(refused, Err(RequestError::Replaying));
    let refused = link.converse(&json!({}), Rc::new(NoReply)).await;
    assert_eq!(refused, Err(RequestError::NoWayBack));
    assert_eq!(recorder.words(), ["replaying"]);
}

#[wasm_bindgen_test]
async fn a_page_that_is_no_stream_is_final_and_said_so() {
    // The test runner's own server answers this with an HTML page.
    let page = web_sys::window().and_then(|window| window.location().href().ok()).expect("a page");
    let attributes = Attributes {
        src: Some("./index.html"),
        transport: Some("sse"),
        page: &page,
        ..Attributes::default()
    };
    let recorder = Rc::new(Recorder::default());
    let link =
        Link::connect(Target::parse(&attributes).expect("a target"), HostParts::default(), recorder.clone());
    recorder.until("closed").await;
    assert!(recorder.message().contains("address"), "{}", recorder.message());
    recorder.words.borrow_mut().clear();
    link.retry_now();
    assert_eq!(recorder.words(), ["connecting"], "a person may try again");
}
