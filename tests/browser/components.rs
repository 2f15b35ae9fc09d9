//! Tests of the rows and cards of `<pilot-house>` from outside: their data attributes, when they open, how
//! requests are answered. Every element is fed by `push`, without a network.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may")]

use std::cell::Cell;

use gloo_timers::future::TimeoutFuture;
use pilothouse::embed::define_elements;
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Element, Event, HtmlElement, ShadowRoot};

#[path = "tools.rs"]
mod tools;

/// One `<pilot-house>` in the document, and the number of events that it was fed.
struct Panel {
    element: HtmlElement,
    number: Cell<u32>,
}

impl Drop for Panel {
    fn drop(&mut self) {
        self.element.remove();
    }
}

impl Panel {
    /// An element that is tall enough to have all rows in the document.
    fn new(attributes: &[(&str, &str)]) -> Self {
        define_elements();
        let document = web_sys::window().unwrap().document().unwrap();
        let element = document.create_element("pilot-house").unwrap();
        element.set_attribute("transport", "none").unwrap();
        let style = "display:block;width:800px;height:6000px";
        element.set_attribute("style", style).unwrap();
        for (name, value) in attributes {
            element.set_attribute(name, value).unwrap();
        }
        document.body().unwrap().append_child(&element).unwrap();
        let panel = Self { element: element.unchecked_into(), number: Cell::new(0) };
        panel.feed("session.start", json!({ "sessionId": "components" }));
        panel
    }

    /// Feeds one event, and returns its id.
    fn feed(&self, kind: &str, data: Value) -> String {
        let number = self.number.replace(self.number.get() + 1);
        let id = format!("event-{number}");
        let time = format!("2026-11-21T09:00:{:02}.000Z", number % 60);
        let mut event = json!({ "type": kind, "data": data, "id": id, "timestamp": time, "parentId": null });
        if kind.ends_with("_delta") || kind.ends_with("_partial_result") {
            event["ephemeral"] = true.into();
        }
        let push = js_sys::Reflect::get(&self.element, &"push".into()).unwrap();
        let line = JsValue::from(format!("{event}\n"));
        let push: js_sys::Function = push.unchecked_into();
        let accepted = push.call1(&self.element, &line).unwrap();
        assert_eq!(accepted, 1.0, "{kind} is accepted");
        id
    }

    fn root(&self) -> ShadowRoot {
        self.element.shadow_root().unwrap()
    }

    fn find(&self, selector: &str) -> Option<Element> {
        self.root().query_selector(selector).unwrap()
    }

    /// Waits for an element.
    async fn wait(&self, selector: &str) -> Element {
        self.until(selector, || self.find(selector)).await
    }

    /// Waits until there is no such element.
    async fn gone(&self, selector: &str) {
        self.until(selector, || self.find(selector).is_none().then_some(())).await;
    }

    async fn until<T>(&self, what: &str, look: impl Fn() -> Option<T>) -> T {
        for _ in 0..500 {
            if let Some(found) = look() {
                return found;
            }
            TimeoutFuture::new(10).await;
        }
        panic!("never {what} in {}", self.root().inner_html());
    }

    /// Waits for the row of an entry in this state.
    async fn row(&self, kind: &str, id: &str, state: &str) -> Element {
        let row = format!(r#"[data-entry="{kind}"][data-id="{id}"][data-state="{state}"]"#);
        self.wait(&row).await
    }

    fn shell(&self, id: &str, command: &str) {
        let data = json!({ "toolCallId": id, "toolName": "bash", "arguments": { "command": command } });
        self.feed("tool.execution_start", data);
    }

    fn complete(&self, id: &str, text: &str) {
        let data = json!({ "toolCallId": id, "success": true, "result": { "content": text } });
        self.feed("tool.execution_complete", data);
    }

    fn request_permission(&self, id: &str) {
        let request = json!({
            "kind": "shell", "toolCallId": "call", "fullCommandText": "make boats", "intention": "Build the boats",
            "commands": [{ "identifier": "make boats", "readOnly": false }], "canOfferSessionApproval": true,
        });
        let data = json!({ "requestId": id, "permissionRequest": request });
        self.feed("permission.requested", data);
    }

    /// Whether a row is unfolded: its `details` is open and its body is there.
    fn open(&self, id: &str) -> bool {
        let details = self.find(&format!(r#"[data-id="{id}"] details"#)).unwrap();
        let open = details.has_attribute("open");
        assert_eq!(open, details.query_selector(".body").unwrap().is_some());
        open
    }

    /// Clicks the one-line summary of a row.
    fn toggle(&self, id: &str) {
        let summary = self.find(&format!(r#"[data-id="{id}"] summary"#)).unwrap();
        summary.unchecked_into::<HtmlElement>().click();
    }

    /// Presses a button of a card, once the button is enabled.
    async fn press(&self, id: &str, answer: &str) {
        let button = format!(
            r#"[data-request-id="{id}"] [data-answer="{answer}"]:not([disabled]):not([aria-disabled])"#
        );
        let button = self.wait(&button).await;
        button.unchecked_into::<HtmlElement>().click();
    }

    /// Takes the answers over from now on: they stay on their way until an event settles them.
    fn keep_answers(&self) {
        let keep = Closure::<dyn Fn(Event)>::new(|event: Event| event.prevent_default());
        self.element
            .add_event_listener_with_callback("pilothouse-answer", keep.into_js_value().unchecked_ref())
            .unwrap();
    }
}

/// Waits until everything that was requested has happened: a frame, and what it caused.
async fn settle() {
    TimeoutFuture::new(400).await;
}

fn text(element: &Element) -> String {
    element.text_content().unwrap_or_default()
}

#[wasm_bindgen_test]
async fn every_kind_of_entry_has_its_row_and_its_hooks() {
    let panel = Panel::new(&[]);
    let user = json!({ "content": "Look after the boats", "messageId": "user" });
    panel.feed("user.message", user);
    panel.feed("assistant.turn_start", json!({ "turnId": "0" }));
    let thought = json!({ "reasoningId": "thought", "content": "Which boats?" });
    panel.feed("assistant.reasoning", thought);
    let said = json!({ "messageId": "said", "content": "The **white** ones.", "toolRequests": [] });
    panel.feed("assistant.message", said);
    panel.shell("shell", "ls boats");
    panel.complete("shell", "white");
    panel.shell("running", "make");
    panel.request_permission("permission");
    let question =
        json!({ "requestId": "question", "question": "Which?", "choices": ["red"], "allowFreeform": true });
    panel.feed("user_input.requested", question);
    let form = json!({ "requestId": "form", "message": "Tell", "requestedSchema": { "type": "object", "properties": {} } });
    panel.feed("elicitation.requested", form);
    let plan = json!({ "requestId": "plan", "summary": "Paint them", "planContent": "# Paint" });
    panel.feed("exit_plan_mode.requested", plan);
    let switch = json!({ "requestId": "switch", "errorCode": "quota" });
    panel.feed("auto_mode_switch.requested", switch);
    let info = panel.feed("session.info", json!({ "infoType": "notification", "message": "High tide" }));
    let warning = panel.feed("session.warning", json!({ "warningType": "policy", "message": "Low tide" }));
    let error = panel.feed("session.error", json!({ "errorType": "query", "message": "No tide" }));
    let agent = json!({ "toolCallId": "agent", "agentName": "mate", "agentDisplayName": "Mate", "agentDescription": "Helps" });
    panel.feed("subagent.started", agent);
    let compaction = json!({ "success": true, "preCompactionTokens": 9000, "postCompactionTokens": 900 });
    let compaction = panel.feed("session.compaction_complete", compaction);
    let summary = panel.feed("session.task_complete", json!({ "summary": "All painted" }));
    let custom = json!({ "source": "dock", "name": "tide", "payload": { "message": "Tide turns" } });
    let custom = panel.feed("session.custom_notification", custom);
    let unknown = panel.feed("who.knows", json!({ "what": 1 }));
    let delta = json!({ "messageId": "half", "deltaContent": "And the" });
    panel.feed("assistant.message_delta", delta);

    for (kind, id, state, words) in [
        ("user", "user", "done", "Look after the boats"),
        ("reasoning", "thought", "done", "Thought"),
        ("assistant", "said", "done", "The white ones."),
        ("assistant", "half", "streaming", "And the"),
        ("tool", "shell", "done", "ls boats"),
        ("tool", "running", "running", "make"),
        ("permission", "permission", "pending", "make boats"),
        ("question", "question", "pending", "Which?"),
        ("form", "form", "pending", "Tell"),
        ("plan", "plan", "pending", "Paint"),
        ("confirmation", "switch", "pending", "automatic model choice"),
        ("notice", &info, "done", "High tide"),
        ("notice", &warning, "done", "Low tide"),
        ("notice", &error, "done", "No tide"),
        ("subagent", "agent", "running", "Mate"),
        ("compaction", &compaction, "done", "ompact"),
        ("summary", &summary, "done", "All painted"),
        ("custom", &custom, "done", "Tide turns"),
        ("generic", &unknown, "done", "who.knows"),
    ] {
        let row = panel.row(kind, id, state).await;
        assert!(text(&row).contains(words), "{kind}: {}", text(&row));
        assert_eq!(row.get_attribute("role").as_deref(), Some("article"));
        assert!(row.get_attribute("aria-label").is_some_and(|name| !name.is_empty()));
    }
    for request in ["permission", "question", "form", "plan", "switch"] {
        let card = panel.wait(&format!(r#"[data-request-id="{request}"]"#)).await;
        assert_eq!(card.get_attribute("role").as_deref(), Some("alertdialog"));
        assert!(card.query_selector("[data-answer]").unwrap().is_some(), "{request} can be answered");
    }
    assert_eq!(panel.element.get_attribute("data-status").as_deref(), Some("waiting"));
    assert_eq!(panel.element.get_attribute("data-connection").as_deref(), Some("replaying"));
    assert!(panel.find("[data-scroller] [role=feed]").is_some());
    assert!(panel.find("[data-queue-count]").is_some());
}

#[wasm_bindgen_test]
async fn a_tool_card_opens_and_folds_by_itself() {
    let panel = Panel::new(&[]);
    panel.shell("shell", "make");
    let view = json!({ "toolCallId": "view", "toolName": "view", "arguments": { "path": "/boats" } });
    panel.feed("tool.execution_start", view);
    let arguments = json!({ "path": "/boats/a", "old_str": "red\n", "new_str": "white\n" });
    let edit = json!({ "toolCallId": "edit", "toolName": "edit", "arguments": arguments });
    panel.feed("tool.execution_start", edit);
    panel.row("tool", "edit", "running").await;
    assert!(panel.open("shell"), "a running shell shows its output");
    assert!(!panel.open("view"), "a running view has nothing to show");
    assert!(panel.open("edit"), "an edit shows what it changes");

    let output = json!({ "toolCallId": "shell", "partialOutput": "sawing\n" });
    panel.feed("tool.execution_partial_result", output);
    panel
        .until("output", || {
            panel.find(r#"[data-id="shell"] .terminal"#).filter(|terminal| text(terminal).contains("sawing"))
        })
        .await;

    panel.complete("shell", "sawing\ndone");
    panel.complete("edit", "changed");
    let failure = json!({ "toolCallId": "view", "success": false, "error": { "message": "no such boat", "code": "failure" } });
    panel.feed("tool.execution_complete", failure);
    panel.row("tool", "view", "failed").await;
    settle().await;
    assert!(!panel.open("shell"), "done and folded");
    assert!(panel.open("edit"), "an edit stays open");
    assert!(panel.open("view"), "a failure opens");
    assert!(text(&panel.wait(r#"[data-id="view"] .fail"#).await).contains("no such boat"));
}

#[wasm_bindgen_test]
async fn the_reader_s_choice_of_open_and_folded_is_kept() {
    let panel = Panel::new(&[]);
    for id in ["closed", "opened"] {
        panel.shell(id, "make");
        panel.row("tool", id, "running").await;
    }
    panel.toggle("closed");
    panel.toggle("opened");
    panel.toggle("opened");
    settle().await;
    assert!(!panel.open("closed") && panel.open("opened"));
    for id in ["closed", "opened"] {
        let output = json!({ "toolCallId": id, "partialOutput": "sawing\n" });
        panel.feed("tool.execution_partial_result", output);
        panel.complete(id, "sawing");
        panel.row("tool", id, "done").await;
    }
    settle().await;
    assert!(!panel.open("closed"), "output does not open what was closed");
    assert!(panel.open("opened"), "the end does not fold what was opened");
}

#[wasm_bindgen_test]
async fn a_permission_waits_is_sent_and_settles() {
    let panel = Panel::new(&[]);
    panel.keep_answers();
    panel.shell("call", "make boats");
    panel.request_permission("ask");
    let card = panel.wait(r#"[data-request-id="ask"]"#).await;
    for words in ["make boats", "Build the boats"] {
        assert!(text(&card).contains(words), "{words} in {}", text(&card));
    }
    for answer in ["approve-once", "approve-for-session", "reject"] {
        let button = format!(r#"[data-request-id="ask"] [data-answer="{answer}"]"#);
        assert!(panel.find(&button).is_some(), "{answer}");
    }
    assert!(panel.root().active_element().is_none(), "the focus is left alone");

    panel.press("ask", "approve-for-session").await;
    let sure = panel.wait(r#"[data-request-id="ask"] [data-confirm]:not([aria-disabled])"#).await;
    sure.unchecked_into::<HtmlElement>().click();
    panel.wait(r#"[data-request-id="ask"][aria-busy="true"]"#).await;
    let sending = panel.wait(r#"[data-request-id="ask"] .sending"#).await;
    assert!(text(&sending).contains("allowed for this session"), "{}", text(&sending));
    assert!(panel.find(r#"[data-request-id="ask"] [data-answer]:not([disabled])"#).is_none());
    panel.row("permission", "ask", "pending").await;

    let result = json!({ "kind": "approved-for-session", "approval": { "kind": "commands" } });
    panel.feed("permission.completed", json!({ "requestId": "ask", "toolCallId": "call", "result": result }));
    let row = panel.row("permission", "ask", "settled").await;
    panel.gone("[data-request-id]").await;
    assert!(text(&row).contains("Allowed for this session"), "{}", text(&row));
}

#[wasm_bindgen_test]
async fn an_answer_that_cannot_be_sent_is_told_and_the_card_waits_again() {
    let panel = Panel::new(&[]);
    panel.request_permission("ask");
    panel.press("ask", "approve-once").await;
    let trouble = panel.wait(r#"[data-request-id="ask"] [role="alert"]"#).await;
    assert!(!text(&trouble).is_empty());
    panel.wait(r#"[data-request-id="ask"] [data-answer="approve-once"]:not([disabled])"#).await;
}

#[wasm_bindgen_test]
async fn somebody_else_s_answer_counts_and_is_said_to_be_theirs() {
    let panel = Panel::new(&[]);
    panel.keep_answers();
    panel.request_permission("ask");
    panel.press("ask", "approve-once").await;
    panel.wait(r#"[data-request-id="ask"][aria-busy="true"]"#).await;
    let result = json!({ "kind": "denied-interactively-by-user" });
    panel.feed("permission.completed", json!({ "requestId": "ask", "result": result }));
    let row = panel.row("permission", "ask", "settled").await;
    panel.gone("[data-request-id]").await;
    assert!(text(&row).contains("Answered elsewhere: rejected"), "{}", text(&row));
}

#[wasm_bindgen_test]
async fn a_request_whose_tool_call_ended_can_t_be_answered_any_more() {
    let panel = Panel::new(&[]);
    panel.shell("call", "make boats");
    panel.request_permission("ask");
    panel.wait(r#"[data-request-id="ask"]"#).await;
    panel.complete("call", "made");
    panel.gone("[data-request-id]").await;
    let row = panel.row("permission", "ask", "settled").await;
    assert!(text(&row).contains("ended without an answer"), "{}", text(&row));
}

#[wasm_bindgen_test]
async fn a_read_only_panel_shows_all_and_offers_nothing() {
    let panel = Panel::new(&[("readonly", "")]);
    panel.request_permission("ask");
    let card = panel.wait(r#"[data-request-id="ask"]"#).await;
    assert!(text(&card).contains("make boats"));
    assert!(panel.find("[data-answer]").is_none());
    panel.element.remove_attribute("readonly").unwrap();
    panel.wait(r#"[data-answer="approve-once"]"#).await;
}
