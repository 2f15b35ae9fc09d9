//! Tests of connections without a server: nobody listens, or the address is no stream. What is decided about them is tested
//! in virtual time (`tests/client.rs`), and the end-to-end tests have a gateway.

#![allow(clippy::expect_used, clippy::panic)] // a test that fails has to say where

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use gloo_timers::future::TimeoutFuture;
use pilothouse::client::transport::{HostParts, Transport, now};
use pilothouse::core::client::Connection;
use pilothouse::core::client::connection::{Frame, FrameResult, Input, Receiver, Report};
use pilothouse::core::connection::{Attributes, Target};
use wasm_bindgen_test::wasm_bindgen_test;

/// A connection whose owner only notes what it is told.
struct Link {
    connection: RefCell<Connection>,
    transport: Rc<Transport>,
    words: RefCell<Vec<&'static str>>,
    /// The newest message that came with a state; a later state without one does not clear it.
    message: RefCell<String>,
}

struct Nothing;

impl Receiver for Nothing {
    fn frame(&mut self, _: Frame<'_>) -> FrameResult {
        FrameResult::default()
    }
}

impl Link {
    fn connect(target: Target) -> Rc<Self> {
        let link = Rc::new_cyclic(|weak: &Weak<Self>| {
            let weak = Weak::clone(weak);
            let inbox = Rc::new(move |input: Input<'_>| {
                if let Some(link) = weak.upgrade() {
                    link.input(input);
                }
            });
            Self {
                connection: RefCell::new(Connection::new(target, 1)),
                transport: Transport::new(inbox),
                words: RefCell::default(),
                message: RefCell::default(),
            }
        });
        link.transport.start(HostParts::default());
        link
    }

    fn input(&self, input: Input<'_>) {
        let outputs = self.connection.borrow_mut().update(now(), input, &mut Nothing);
        for effect in outputs.effects {
            self.transport.carry_out(effect);
        }
        for report in outputs.reports {
            if let Report::State(state, message) = report {
                self.words.borrow_mut().push(state.word());
                if let Some(message) = message {
                    *self.message.borrow_mut() = message;
                }
            }
        }
    }

    async fn until(&self, word: &str) {
        for _ in 0..500 {
            if self.words.borrow().contains(&word) {
                return;
            }
            TimeoutFuture::new(20).await;
        }
        panic!("no {word}, only {:?}", self.words.borrow());
    }
}

/// A gateway address where nobody listens.
fn closed_port(transport: &str) -> Target {
    let attributes = Attributes {
        src: Some("http://127.0.0.1:1234/"),
        transport: Some(transport),
        session: Some("s"),
        token: Some("secret"),
        page: "http://127.0.0.1:1234/",
        ..Attributes::default()
    };
    Target::parse(&attributes).expect("a valid target")
}

#[wasm_bindgen_test]
async fn nobody_listening_is_waited_for_on_every_transport_until_the_page_closes_it() {
    for transport in ["auto", "ws", "sse"] {
        let link = Link::connect(closed_port(transport));
        assert!(link.words.borrow().is_empty(), "nothing is reported inside connect");
        link.until("waiting").await;
        assert_eq!(link.words.borrow().first(), Some(&"connecting"));
        assert!(!link.words.borrow().contains(&"open"), "{transport}");
        let message = link.message.borrow().clone();
        assert!(message.contains("can't be reached") && !message.contains("secret"), "{message}");

        link.words.borrow_mut().clear();
        link.until("connecting").await;
        link.input(Input::Close);
        link.words.borrow_mut().clear();
        TimeoutFuture::new(700).await;
        assert!(link.words.borrow().is_empty(), "closed is for good");
    }
}

#[wasm_bindgen_test]
async fn the_network_s_events_move_the_connection() {
    let link = Link::connect(closed_port("sse"));
    link.until("waiting").await;
    let window = web_sys::window().expect("a window");
    let tell = |name: &str| {
        let event = web_sys::Event::new(name).expect("an event");
        window.dispatch_event(&event).expect("dispatched");
    };
    link.words.borrow_mut().clear();
    tell("online");
    TimeoutFuture::new(0).await;
    assert_eq!(link.words.borrow().first(), Some(&"connecting"));
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
    let link = Link::connect(Target::parse(&attributes).expect("a target"));
    link.until("closed").await;
    assert!(link.message.borrow().contains("address"), "{}", link.message.borrow());
    link.words.borrow_mut().clear();
    link.input(Input::Retry);
    assert_eq!(*link.words.borrow(), ["connecting"], "a person may try again");
}
