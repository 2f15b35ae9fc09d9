//! Requests: opened, answered, gone. Refuses to send anything.

use serde_json::{Value, json};

use super::Meta;
use crate::core::answer::with_words;
use crate::core::change::Section;
use crate::core::entry::{Body, EntryState};
use crate::core::fields::Fields;
use crate::core::language::Word;
use crate::core::language::words::requests;
use crate::core::request::{Life, Request, RequestKind};
use crate::core::state::{Space, State};

impl State {
    pub(super) fn request_opened(&mut self, meta: Meta<'_>, kind: RequestKind, mut data: Fields) {
        let Some(id) = data.filled("requestId") else {
            let message = format!("{} without `requestId`: nobody could answer it", meta.kind);
            self.diagnose("warning", message, Some(meta.id.to_owned()));
            return;
        };
        self.open_request(meta, kind, id, data.rest());
    }

    /// Opens a request with everything that it carries.
    pub(in crate::core) fn open_request(
        &mut self,
        meta: Meta<'_>,
        kind: RequestKind,
        id: String,
        details: Value,
    ) {
        if let Some(place) = self.request_place(&id) {
            self.commit(place, meta);
            return;
        }
        let tool_call_id = ["/toolCallId", "/permissionRequest/toolCallId", "/promptRequest/toolCallId"]
            .into_iter()
            .find_map(|pointer| details.pointer(pointer)?.as_str())
            .map(str::to_owned);
        let text = headline(kind, &details);
        let early = self.early_answers.remove(&id);
        let place = self.add_entry(Some(Space::Request), kind.entry_kind(), id, meta);
        let owner =
            tool_call_id.as_deref().and_then(|id| self.tool_place(id)).and_then(|tool| self.entry(tool));
        let owner = owner.map(|entry| (entry.agent_id.clone(), entry.parent_tool_call_id.clone()));
        let resolved = details.get("resolvedByHook").and_then(Value::as_bool).unwrap_or(false);
        let life = match early {
            Some((outcome, word)) => Life::Settled { outcome, word, elsewhere: false },
            None if resolved => Life::Settled {
                outcome: requests::DECIDED_HOOK.text().to_owned(),
                word: "resolved-by-hook".to_owned(),
                elsewhere: false,
            },
            None => Life::Waiting,
        };
        if let (Some(tool), None) = (&tool_call_id, &owner) {
            self.ownerless_requests.entry(tool.clone()).or_default().push(place);
        }
        let request = Request { kind, life, tool_call_id, details };
        let open = request.open();
        self.update(place, |entry| {
            entry.model_visible = false;
            entry.state = if open { EntryState::Pending } else { EntryState::Settled };
            entry.body = Body::Request(Box::new(request));
            // `permission.requested` has no agentId of its own: its tool call knows whose it is.
            if let (None, Some((agent, parent))) = (&entry.agent_id, owner) {
                entry.agent_id = agent;
                entry.parent_tool_call_id = parent;
            }
        });
        self.replace_text(place, text);
        if open {
            self.open_requests.push(place);
            self.tool_waits(place);
            self.touch(Section::Pending);
            self.touch(Section::Session);
        }
    }

    /// A request may come before its tool call: then the call, once it comes, tells whose the request is.
    pub(super) fn own_requests(&mut self, tool_call_id: &str, tool: usize) {
        let Some(waiting) = self.ownerless_requests.remove(tool_call_id) else {
            return;
        };
        let Some(owner) = self.entry(tool).map(|e| (e.agent_id.clone(), e.parent_tool_call_id.clone()))
        else {
            return;
        };
        for place in waiting {
            let (agent, parent) = owner.clone();
            self.update(place, |entry| {
                entry.agent_id = agent;
                entry.parent_tool_call_id = parent;
            });
            self.tool_waits(place);
        }
    }

    /// Settles the request that a `*.completed` names. False if the event names none.
    pub(super) fn request_completed(&mut self, meta: Meta<'_>, data: &mut Fields) -> bool {
        let Some(id) = data.filled("requestId") else {
            return false;
        };
        let (outcome, word) = outcome(meta.kind, data);
        match self.request_place(&id) {
            Some(place) => {
                self.commit(place, meta);
                self.settle(place, outcome, word);
            }
            None => {
                self.early_answers.insert(id, (outcome, word));
            }
        }
        true
    }

    fn settle(&mut self, place: usize, outcome: String, word: String) {
        self.change_request(place, |request| {
            // The runtime says of some requests only that they are over: then our own answer tells how.
            let ours = match &request.life {
                Life::Sending { answer } => Some(answer.clone()),
                _ => None,
            };
            let (outcome, elsewhere) = match ours {
                Some(answer) if word == HANDLED => (answer, false),
                Some(answer) => {
                    let elsewhere = !same_decision(&answer, &outcome);
                    (outcome, elsewhere)
                }
                None => (outcome, false),
            };
            if !matches!(request.life, Life::Settled { .. }) {
                request.life = Life::Settled { outcome, word, elsewhere };
            }
        });
    }

    /// Our answer is on its way.
    pub(in crate::core) fn request_sending(&mut self, place: usize, answer: String) {
        self.change_request(place, |request| {
            if request.open() {
                request.life = Life::Sending { answer };
            }
        });
    }

    /// Our answer did not arrive: the request waits again.
    pub(in crate::core) fn request_unsent(&mut self, place: usize) {
        self.change_request(place, |request| {
            if matches!(request.life, Life::Sending { .. }) {
                request.life = Life::Waiting;
            }
        });
    }

    /// The request can't be answered any more.
    pub(in crate::core) fn request_stale(&mut self, place: usize, why: &str) {
        self.change_request(place, |request| {
            if request.open() {
                request.life = Life::Stale { why: why.to_owned() };
            }
        });
    }

    fn change_request(&mut self, place: usize, change: impl FnOnce(&mut Request)) {
        let open = self.update(place, |entry| {
            let Body::Request(request) = &mut entry.body else {
                return false;
            };
            change(request);
            entry.state = if request.open() { EntryState::Pending } else { EntryState::Settled };
            request.open()
        });
        if open != Some(true) {
            self.open_requests.retain(|waiting| *waiting != place);
            self.tool_waits(place);
        }
        self.touch(Section::Pending);
        self.touch(Section::Session);
    }

    /// A tool call that completed needs no permission any more. A late `*.completed` still tells what was decided.
    pub(super) fn stale_requests_of_tool(&mut self, tool_call_id: &str) {
        self.stale_requests(requests::TOOL_ENDED.text(), |request| {
            request.tool_call_id.as_deref() == Some(tool_call_id)
        });
    }

    /// Ends every open request that matches.
    pub(super) fn stale_requests(&mut self, why: &str, matches: impl Fn(&Request) -> bool) {
        let gone: Vec<usize> = self
            .open_requests
            .iter()
            .copied()
            .filter(|place| self.entry(*place).and_then(|entry| entry.request()).is_some_and(&matches))
            .collect();
        for place in gone {
            self.request_stale(place, why);
        }
    }
}

/// The word for requests of which the runtime says only that they are over.
const HANDLED: &str = "handled";

/// The sent answer and the decision agree if they begin with the same words: what follows a colon is a person's.
fn same_decision(answer: &str, outcome: &str) -> bool {
    let head = |text: &str| text.split(':').next().unwrap_or_default().to_owned();
    head(answer).eq_ignore_ascii_case(&head(outcome))
}

/// What is asked, in a line: the command, the file, the address, the question.
fn headline(kind: RequestKind, details: &Value) -> String {
    let text = |pointer: &str| details.pointer(pointer).and_then(Value::as_str).filter(|t| !t.is_empty());
    let first =
        |pointers: &[&str]| pointers.iter().find_map(|pointer| text(pointer)).unwrap_or_default().to_owned();
    match kind {
        RequestKind::Permission => {
            let request = details.get("permissionRequest").or_else(|| details.get("promptRequest"));
            let request = request.unwrap_or(&Value::Null);
            let field = |name: &str| request.get(name).and_then(Value::as_str).filter(|t| !t.is_empty());
            match (field("serverName"), field("toolName")) {
                (Some(server), Some(tool)) => format!("{server}: {tool}"),
                _ => {
                    ["fullCommandText", "fileName", "path", "url", "fact", "hookMessage", "toolName", "name"]
                        .into_iter()
                        .chain(["extensionName", "operation", "kind"])
                        .find_map(field)
                        .unwrap_or_default()
                        .to_owned()
                }
            }
        }
        RequestKind::UserInput => first(&["/question"]),
        RequestKind::Elicitation => first(&["/message", "/url"]),
        RequestKind::ExitPlanMode => first(&["/planContent", "/summary"]),
        RequestKind::ExternalTool => first(&["/toolName"]),
        RequestKind::QueuedCommand | RequestKind::Command => first(&["/command", "/commandName"]),
        RequestKind::McpOauth | RequestKind::Sampling => first(&["/serverName"]),
        RequestKind::Confirmation => first(&["/title", "/message"]),
        RequestKind::AutoModeSwitch => requests::ASK_AUTO_MODE.text().to_owned(),
        RequestKind::SessionLimits => requests::LIMIT_REACHED.text().to_owned(),
    }
}

/// How a request ended: in words, and the runtime's own word.
fn outcome(event_type: &str, data: &mut Fields) -> (String, String) {
    match event_type {
        "permission.completed" => {
            let mut result = data.object("result");
            let word = result.text("kind").unwrap_or_default();
            let feedback = result.filled("feedback");
            let words = match word.as_str() {
                "approved" => requests::ALLOWED_ONCE,
                "approved-for-session" => requests::ALLOWED_SESSION,
                "approved-for-location" => requests::ALLOWED_LOCATION,
                "denied-by-rules" => requests::DENIED_RULE,
                "denied-interactively-by-user" => requests::REJECTED,
                "denied-no-approval-rule-and-could-not-request-from-user" => requests::DENIED_NOBODY,
                "denied-by-content-exclusion-policy" => requests::DENIED_EXCLUSION,
                "cancelled" => requests::CANCELLED,
                "" => requests::DECIDED,
                other => {
                    let decided = requests::DECIDED_AS.with(&[("word", other.into())]);
                    return (with_words(&decided, feedback.as_deref()), word);
                }
            };
            (with_words(words.text(), feedback.as_deref()), word)
        }
        "user_input.completed" => {
            (with_words(requests::ANSWERED.text(), data.filled("answer").as_deref()), "answered".to_owned())
        }
        "elicitation.completed" => {
            let word = data.text("action").unwrap_or_default();
            let words = match word.as_str() {
                "accept" => requests::FILLED_IN,
                "decline" => requests::DECLINED,
                "cancel" => requests::CANCELLED,
                _ => requests::CLOSED,
            };
            (words.text().to_owned(), word)
        }
        "exit_plan_mode.completed" => {
            let approved = data.flag("approved").unwrap_or(false);
            let (action, feedback) = (data.filled("selectedAction"), data.filled("feedback"));
            let more = if approved { action.or(feedback) } else { feedback };
            let (words, word) = if approved {
                (requests::APPROVED, "approved")
            } else {
                (requests::NOT_APPROVED, "rejected")
            };
            (with_words(words.text(), more.as_deref()), word.to_owned())
        }
        "auto_mode_switch.completed" => {
            let word = data.text("response").unwrap_or_default();
            let words = match word.as_str() {
                "yes" => requests::AUTO_SWITCHED,
                "yes_always" => requests::AUTO_ALWAYS,
                _ => requests::AUTO_STAYED,
            };
            (words.text().to_owned(), word)
        }
        "session_limits_exhausted.completed" => {
            let mut response = data.object("response");
            let word = response.text("action").unwrap_or_default();
            let words = match word.as_str() {
                "add" => {
                    let by = response.text("additionalAiCredits");
                    of_credits(by, requests::LIMIT_RAISED, requests::LIMIT_RAISED_BY)
                }
                "set" => {
                    of_credits(response.text("maxAiCredits"), requests::LIMIT_SET, requests::LIMIT_SET_TO)
                }
                "unset" => requests::LIMIT_REMOVED.text().to_owned(),
                _ => requests::LIMIT_STOPPED.text().to_owned(),
            };
            (words, word)
        }
        "mcp.oauth_completed" => {
            let word = data.text("outcome").unwrap_or_default();
            let words = if word == "token" { requests::SIGNED_IN } else { requests::SIGN_IN_CANCELLED };
            (words.text().to_owned(), word)
        }
        _ => (requests::HANDLED.text().to_owned(), HANDLED.to_owned()),
    }
}

fn of_credits(credits: Option<String>, unknown: Word, known: Word) -> String {
    match credits {
        Some(credits) => known.with(&[("credits", (&credits).into())]),
        None => unknown.text().to_owned(),
    }
}

/// The request as snapshots list it.
pub(in crate::core) fn pending_json(id: &str, request: &Request) -> Value {
    let mut listed = json!({ "requestId": id, "kind": request.kind.word() });
    if let (Some(fields), Some(tool)) = (listed.as_object_mut(), &request.tool_call_id) {
        fields.insert("toolCallId".to_owned(), tool.as_str().into());
    }
    listed
}
