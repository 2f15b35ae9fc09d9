//! Handles requests: how they are opened and answered, when they become stale, which tool calls wait for them, and what is left of them in one line.

use serde_json::{Value, json};

use super::EventMeta;
use super::request_shapes::in_shape;
use crate::i18n::words::requests;
use crate::i18n::{Phrase, Word};
use crate::model::entry::{Body, Entry, EntryState, Kind};
use crate::model::request::{
    ANSWERED, AnsweredBy, Ending, HANDLED, RUN, Request, RequestKind, RequestStage, StaleReason,
};
use crate::model::state::{Phase, Section, Space, State};
use crate::model::tool_call::{self, ToolCall};
use crate::protocol::{EventKind, command_notice};
use crate::wire::fields::Fields;

impl State {
    pub(super) fn request_opened(&mut self, meta: EventMeta<'_>, kind: RequestKind, mut data: Fields) {
        let Some(id) = data.non_empty_text("requestId") else {
            let message = format!("{} without `requestId`: nobody could answer it", meta.name);
            self.diagnose("warning", message, Some(meta.id.to_owned()));
            return;
        };
        self.open_request(meta, kind, id, data.rest());
    }

    /// Opens a request with all its details.
    pub(crate) fn open_request(
        &mut self,
        meta: EventMeta<'_>,
        kind: RequestKind,
        id: String,
        mut details: Value,
    ) {
        for name in ["permissionRequest", "promptRequest"] {
            if let Some(request) = details.get_mut(name) {
                *request = in_shape(request.take());
            }
        }
        if let Some(place) = self.request_place(&id) {
            self.commit(place, meta);
            self.add_details(place, kind, details);
            return;
        }
        let tool_call_id = ["/toolCallId", "/permissionRequest/toolCallId", "/promptRequest/toolCallId"]
            .into_iter()
            .find_map(|pointer| details.pointer(pointer)?.as_str())
            .map(str::to_owned);
        let phrase = headline(kind, &details);
        let early = self.early_answers.remove(&id);
        let place = self.add_entry(Some(Space::Request), Kind::of_request(kind), id, meta);
        let owner =
            tool_call_id.as_deref().and_then(|id| self.tool_place(id)).and_then(|tool| self.entry(tool));
        let owner = owner.map(|entry| (entry.agent_id.clone(), entry.parent_tool_call_id.clone()));
        if meta.agent.is_none() && owner.as_ref().is_none_or(|owner| *owner == (None, None)) {
            self.info.infer_mode(details.get("agentMode").and_then(Value::as_str).map(str::to_owned));
        }
        self.touch(Section::Session);
        let resolved = details.get("resolvedByHook").and_then(Value::as_bool).unwrap_or(false);
        let life = match early {
            Some(ending) => RequestStage::Settled { by: by(&ending), ending },
            None if resolved => RequestStage::Settled {
                ending: Ending::new("resolved-by-hook", requests::DECIDED_HOOK),
                by: AnsweredBy::Rule,
            },
            None => RequestStage::Waiting,
        };
        if let (Some(tool), None) = (&tool_call_id, &owner) {
            self.ownerless_requests.entry(tool.clone()).or_default().push(place);
        }
        let request = Request { stage: life, tool_call_id, ..Request::waiting(kind, details) };
        let open = request.open();
        self.update(place, |entry| {
            entry.model_visible = false;
            entry.state = if open { EntryState::Pending } else { EntryState::Settled };
            entry.body = Body::Request(Box::new(request));
            // `permission.requested` has no agentId of its own; that of its tool call is taken.
            if let (None, Some((agent, parent))) = (&entry.agent_id, owner) {
                entry.agent_id = agent;
                entry.parent_tool_call_id = parent;
            }
        });
        self.replace_phrase(place, phrase);
        if open {
            self.open_requests.push(place);
            self.update_tool_wait(place);
            self.set_clocks();
            self.touch(Section::Pending);
        }
    }

    /// Completes a permission that was only listed before, which has fewer facts than its event.
    fn add_details(&mut self, place: usize, kind: RequestKind, details: Value) {
        let known = self.entry(place).and_then(|entry| entry.request());
        if !known.is_some_and(Request::is_summary) || details.get("permissionRequest").is_none() {
            return;
        }
        let phrase = headline(kind, &details);
        self.update(place, |entry| {
            if let Body::Request(request) = &mut entry.body {
                request.details = details;
            }
        });
        self.replace_phrase(place, phrase);
        self.touch(Section::Pending);
    }

    /// Takes the permissions that the runtime lists as open. Those in `gone` are not asked any more. Unknown ones are
    /// opened with the few facts that the list has.
    pub(crate) fn permissions_listed(&mut self, gone: &[String], items: Vec<Value>, meta: EventMeta<'_>) {
        let id_of = |item: &Value| item.get("requestId").and_then(Value::as_str).map(str::to_owned);
        for id in gone {
            if let Some(place) = self.request_place(id) {
                self.request_stale(place, StaleReason::Unlisted);
                if let Some(call) = self.call_of(place).filter(|_| self.phase == Phase::Idle) {
                    self.give_up_call(&call);
                }
            }
        }
        for mut item in items {
            let Some(id) = id_of(&item) else { continue };
            if let Some(place) = self.request_place(&id) {
                self.request_listed(place);
                continue;
            }
            let Some(request) = item.get_mut("request").map(Value::take).filter(Value::is_object) else {
                continue;
            };
            let call = request.get("toolCallId").and_then(Value::as_str);
            let ended = call.and_then(|call| self.entry(self.tool_place(call)?)?.tool());
            if self.early_answers.contains_key(&id) || ended.is_some_and(ToolCall::ended) {
                continue;
            }
            let meta = EventMeta {
                id: &id,
                kind: EventKind::PermissionRequested,
                name: EventKind::PermissionRequested.name(),
                ..meta
            };
            let details = json!({ "requestId": id, "promptRequest": request });
            self.open_request(meta, RequestKind::Permission, id.clone(), details);
        }
    }

    /// What the runtime lists can be answered, whatever made it stale: the end of a turn, a stop, a shutdown, a resume, an
    /// earlier list. Only two things say more than the list, because they can be newer or are known to be right: a call that
    /// has ended, and a resume that does not continue pending work.
    fn request_listed(&mut self, place: usize) {
        let can_reopen = |entry: &Entry| match entry.request().map(|request| &request.stage) {
            Some(RequestStage::Stale { why, .. }) => {
                !matches!(why, StaleReason::GivenUp | StaleReason::ToolEnded)
            }
            _ => false,
        };
        if self.entry(place).is_some_and(can_reopen) {
            let call = self.call_of(place);
            let ended = call.as_deref().and_then(|call| self.entry(self.tool_place(call)?)?.tool());
            if ended
                .is_some_and(|call| call.ended() && !matches!(call.stage, tool_call::CallStage::Interrupted))
            {
                return;
            }
            self.wait_again(place);
        }
    }

    fn wait_again(&mut self, place: usize) {
        self.reopen(place);
        if let Some(call) = self.call_of(place) {
            self.await_call(&call);
        }
        self.agent_goes_on(place);
        self.update_tool_wait(place);
        self.set_clocks();
    }

    /// A permission opened or closed: its tool call waits while one is open.
    fn update_tool_wait(&mut self, request: usize) {
        let permission = |place: usize| {
            let request = self.entry(place)?.request()?;
            (request.kind == RequestKind::Permission).then_some(request.tool_call_id.as_deref()).flatten()
        };
        let Some(tool) = permission(request) else {
            return;
        };
        // A call that was refused never runs, even if no other event about it comes.
        let refused = self.entry(request).and_then(Entry::request).is_some_and(Request::refused);
        let waits = refused || self.unended_requests().any(|open| permission(*open) == Some(tool));
        let Some(place) = self.tool_place(tool) else {
            return;
        };
        let now = self.info.last_event_at;
        if self.entry(place).and_then(Entry::tool).is_some_and(|call| call.is_waiting != waits) {
            self.update(place, |entry| {
                if let Body::Tool(call) = &mut entry.body {
                    call.set_waits(waits, now);
                }
            });
        }
    }

    /// Whether the agent is known to wait for this permission: it works, and the call has not ended.
    pub(crate) fn is_awaited(&self, place: usize) -> bool {
        let Some(entry) = self.entry(place) else { return false };
        let call = entry.request().and_then(|request| request.tool_call_id.as_deref());
        let ended =
            call.and_then(|call| self.entry(self.tool_place(call)?)?.tool()).is_some_and(ToolCall::ended);
        let agent = entry.agent_id.as_deref().and_then(|agent| self.entry(self.agent_place(agent)?));
        let works = match agent {
            Some(agent) => agent.state == EntryState::Running,
            None => self.phase == Phase::Running,
        };
        works && !ended
    }

    fn reopen(&mut self, place: usize) {
        self.open_requests.push(place);
        self.open_requests.sort_unstable();
        self.change_request(place, |request| request.stage = RequestStage::Waiting);
    }

    /// Takes a notice of the gateway about a queued command that it runs. False if the notice is for people only. The
    /// notice that it runs the command comes before the request, so that nobody is asked.
    pub(super) fn take_command_notice(&mut self, category: &str, request_id: &str) -> bool {
        let place = self.request_place(request_id);
        let request = place.and_then(|place| self.entry(place)?.request());
        match (category, place, request) {
            (command_notice::STARTED, None, _) => {
                let ending = Ending::new(RUN, requests::COMMAND_TURN);
                self.early_answers.insert(request_id.to_owned(), ending);
            }
            (command_notice::UNSURE, Some(place), Some(request)) if request.is_run() => self.reopen(place),
            (command_notice::STARTED | command_notice::UNSURE, ..) => {}
            _ => return false,
        }
        true
    }

    fn call_of(&self, request: usize) -> Option<String> {
        self.entry(request)?.request()?.tool_call_id.clone()
    }

    /// A request may come before its tool call. The call then tells which agent the request belongs to.
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
            self.update_tool_wait(place);
        }
        self.set_clocks();
    }

    /// Settles the request that a `*.completed` event names. False if it names none.
    pub(super) fn request_completed(&mut self, meta: EventMeta<'_>, data: &mut Fields) -> bool {
        let Some(id) = data.non_empty_text("requestId") else {
            return false;
        };
        let ending = ending(meta.kind, data);
        match self.request_place(&id) {
            Some(place) => {
                self.commit(place, meta);
                self.settle(place, ending);
            }
            None => {
                self.early_answers.insert(id, ending);
            }
        }
        true
    }

    /// The gateway says who answered a request.
    pub(super) fn request_answered(&mut self, data: &mut Fields) {
        let (Some(id), Some(who)) = (data.non_empty_text("requestId"), data.non_empty_text("who")) else {
            return;
        };
        if let Some(place) = self.request_place(&id) {
            self.change_request(place, |request| request.answerer = Some(who));
        }
    }

    fn settle(&mut self, place: usize, ending: Ending) {
        self.change_request(place, |request| {
            let (ending, by) = match &request.stage {
                RequestStage::Settled { .. } => return,
                // Some events only say that a request is over: then our own answer says how.
                RequestStage::Sending(ours) | RequestStage::Unsure(ours) | RequestStage::Taken(ours)
                    if ours.is_consistent_with(&ending) =>
                {
                    let whole = ending.word != HANDLED && (ending.reply.is_some() || ours.reply.is_none());
                    (if whole { ending } else { ours.clone() }, AnsweredBy::Here)
                }
                RequestStage::Sending(_)
                | RequestStage::Unsure(_)
                | RequestStage::Taken(_)
                | RequestStage::Stale { why: StaleReason::Refused, .. } => (ending, AnsweredBy::Elsewhere),
                // An answer from here did not arrive, or arrived too late, and a person has decided otherwise.
                _ if by(&ending) != AnsweredBy::Rule
                    && request.lost.as_ref().is_some_and(|ours| !ours.is_consistent_with(&ending)) =>
                {
                    (ending, AnsweredBy::Elsewhere)
                }
                RequestStage::Waiting | RequestStage::Stale { .. } => {
                    let by = by(&ending);
                    (ending, by)
                }
            };
            request.stage = RequestStage::Settled { ending, by };
        });
    }

    /// Our answer is on its way.
    pub(crate) fn request_sending(&mut self, place: usize, answer: Ending) {
        self.change_request(place, |request| {
            if request.open() {
                request.stage = RequestStage::Sending(answer);
            }
        });
    }

    /// The server has taken our answer.
    pub(crate) fn request_taken(&mut self, place: usize) {
        self.change_request(place, |request| {
            if let RequestStage::Sending(answer) | RequestStage::Unsure(answer) = &request.stage {
                request.stage = RequestStage::Taken(answer.clone());
            }
        });
    }

    /// Our answer did not arrive: the request waits again.
    pub(crate) fn request_unsent(&mut self, place: usize) {
        let life = self.entry(place).and_then(Entry::request).map(|request| &request.stage);
        let taken = matches!(life, Some(RequestStage::Taken(_)));
        self.change_request(place, |request| {
            if let RequestStage::Sending(answer)
            | RequestStage::Unsure(answer)
            | RequestStage::Taken(answer) = &request.stage
            {
                request.lost = Some(answer.clone());
                request.stage = RequestStage::Waiting;
            }
        });
        if taken {
            self.wait_again(place);
        }
    }

    /// It is unknown whether our answer arrived.
    pub(crate) fn request_unsure(&mut self, place: usize) {
        self.change_request(place, |request| {
            if let RequestStage::Sending(answer) = &request.stage {
                request.stage = RequestStage::Unsure(answer.clone());
            }
        });
    }

    /// The request has ended, as another view of the same session already knows.
    pub(crate) fn request_ended(&mut self, place: usize, life: RequestStage) {
        match life {
            // The other view may know nothing of the answer that was given here.
            RequestStage::Settled { ending, by: AnsweredBy::Unknown } => self.settle(place, ending),
            life => self.change_request(place, |request| {
                if request.open() {
                    request.stage = life;
                }
            }),
        }
    }

    /// The request can't be answered any more.
    pub(crate) fn request_stale(&mut self, place: usize, why: StaleReason) {
        self.change_request(place, |request| {
            if request.open() {
                let reply = match &mut request.stage {
                    RequestStage::Sending(answer) | RequestStage::Unsure(answer) => answer.reply.take(),
                    _ => None,
                };
                request.stage = RequestStage::Stale { why, reply };
            }
        });
    }

    fn change_request(&mut self, place: usize, change: impl FnOnce(&mut Request)) {
        let changed = self.update(place, |entry| {
            let Body::Request(request) = &mut entry.body else {
                return (false, false);
            };
            change(request);
            entry.state = if request.open() { EntryState::Pending } else { EntryState::Settled };
            (request.open(), matches!(request.stage, RequestStage::Taken(_)))
        });
        let (open, taken) = changed.unwrap_or_default();
        self.taken_requests.retain(|known| *known != place);
        if taken {
            self.taken_requests.push(place);
        }
        if !open {
            self.open_requests.retain(|waiting| *waiting != place);
            self.update_tool_wait(place);
        }
        self.set_clocks();
        self.touch(Section::Pending);
        self.touch(Section::Session);
    }

    /// A tool call that completed needs no permission any more. A late
    /// `*.completed` still says what was decided.
    pub(super) fn stale_requests_of_tool(&mut self, tool_call_id: &str) {
        self.stale_entries(StaleReason::ToolEnded, |_, request| {
            request.tool_call_id.as_deref() == Some(tool_call_id)
        });
    }

    /// Makes every open request stale that matches.
    pub(super) fn stale_entries(&mut self, why: StaleReason, matches: impl Fn(&Entry, &Request) -> bool) {
        let matches = |entry: &Entry| entry.request().is_some_and(|request| matches(entry, request));
        let places: Vec<usize> = self
            .open_requests
            .iter()
            .copied()
            .filter(|place| self.entry(*place).is_some_and(matches))
            .collect();
        for place in places {
            self.request_stale(place, why);
        }
    }
}

/// What is asked, in one line: the command, the file, the address, the question.
fn headline(kind: RequestKind, details: &Value) -> Phrase {
    let text = |pointer: &str| details.pointer(pointer).and_then(Value::as_str).filter(|t| !t.is_empty());
    let first =
        |pointers: &[&str]| pointers.iter().find_map(|pointer| text(pointer)).unwrap_or_default().into();
    match kind {
        RequestKind::Permission => {
            let request = details.get("permissionRequest").or_else(|| details.get("promptRequest"));
            let request = request.unwrap_or(&Value::Null);
            let field = |name: &str| request.get(name).and_then(Value::as_str).filter(|t| !t.is_empty());
            match (field("serverName"), field("toolName")) {
                (Some(server), Some(tool)) => format!("{server}: {tool}").into(),
                _ => {
                    ["fullCommandText", "fileName", "path", "url", "fact", "hookMessage", "toolName", "name"]
                        .into_iter()
                        .chain(["extensionName", "operation", "kind"])
                        .find_map(field)
                        .unwrap_or_default()
                        .into()
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
        RequestKind::AutoModeSwitch => requests::ASK_AUTO_MODE.into(),
        RequestKind::SessionLimits => requests::LIMIT_REACHED.into(),
    }
}

/// How a request ended, by its closing event.
fn ending(kind: EventKind, data: &mut Fields) -> Ending {
    match kind {
        EventKind::PermissionCompleted => {
            let mut result = data.object_or_text("result", "kind");
            let word = result.text("kind").unwrap_or_default();
            let feedback = result.non_empty_text("feedback");
            let option = data.non_empty_text("agentOption");
            let words = match word.as_str() {
                // What it covers, the option's own name says.
                "approved" | "approved-for-session" if option.is_some() => requests::ALLOWED,
                "approved" => requests::ALLOWED_ONCE,
                "approved-for-session" => requests::ALLOWED_SESSION,
                "approved-for-location" => requests::ALLOWED_LOCATION,
                "denied-by-rules" => requests::DENIED_RULE,
                "denied-interactively-by-user" => requests::REJECTED,
                "denied-no-approval-rule-and-could-not-request-from-user" => requests::DENIED_NOBODY,
                "denied-by-content-exclusion-policy" => requests::DENIED_EXCLUSION,
                "cancelled" => requests::CANCELLED,
                _ => return undisclosed(&word, requests::DECIDED).with_option(option).with_reply(feedback),
            };
            Ending::new(&word, words).with_option(option).with_reply(feedback)
        }
        EventKind::UserInputCompleted => {
            Ending::new(ANSWERED, requests::ANSWERED).with_reply(data.non_empty_text("answer"))
        }
        EventKind::ElicitationCompleted => {
            let word = data.text("action").unwrap_or_default();
            let words = match word.as_str() {
                "accept" => requests::FILLED_IN,
                "decline" => requests::DECLINED,
                "cancel" => requests::CANCELLED,
                _ => return undisclosed(&word, requests::CLOSED),
            };
            Ending::new(&word, words)
        }
        EventKind::ExitPlanModeCompleted => {
            let (action, feedback) = (data.non_empty_text("selectedAction"), data.non_empty_text("feedback"));
            let action = action.as_deref().map(Phrase::plan_choice);
            match data.flag("approved") {
                Some(true) => Ending::new("approved", requests::APPROVED)
                    .with_reply(action.or(feedback.map(Phrase::Text))),
                Some(false) => Ending::new("rejected", requests::NOT_APPROVED).with_reply(feedback),
                None => undisclosed("", requests::DECIDED).with_reply(action.or(feedback.map(Phrase::Text))),
            }
        }
        EventKind::AutoModeSwitchCompleted => {
            let word = data.text("response").unwrap_or_default();
            let words = match word.as_str() {
                "yes" => requests::AUTO_SWITCHED,
                "yes_always" => requests::AUTO_ALWAYS,
                "no" => requests::AUTO_STAYED,
                _ => return undisclosed(&word, requests::DECIDED),
            };
            Ending::new(&word, words)
        }
        EventKind::SessionLimitsExhaustedCompleted => {
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
                "unset" => requests::LIMIT_REMOVED.into(),
                "cancel" => requests::LIMIT_STOPPED.into(),
                _ => return undisclosed(&word, requests::DECIDED),
            };
            Ending::new(&word, words)
        }
        EventKind::McpOauthCompleted => {
            let word = data.text("outcome").unwrap_or_default();
            let words = match word.as_str() {
                "token" => requests::SIGNED_IN,
                "cancelled" => requests::SIGN_IN_CANCELLED,
                _ => return undisclosed(&word, requests::CLOSED),
            };
            Ending::new(&word, words)
        }
        _ => Ending::new(HANDLED, requests::HANDLED),
    }
}

/// For an event that does not say how the request ended, or says it with an unknown word.
fn undisclosed(word: &str, over: Word) -> Ending {
    if word.is_empty() {
        return Ending::new(HANDLED, over);
    }
    Ending::new(word, requests::DECIDED_AS.phrase(vec![("word", Phrase::runtime_word(word))]))
}

/// Who ended a request that was not answered here.
fn by(ending: &Ending) -> AnsweredBy {
    let word = ending.word.as_str();
    let rule = word.starts_with("denied-") && word != "denied-interactively-by-user";
    if rule { AnsweredBy::Rule } else { AnsweredBy::Unknown }
}

fn of_credits(credits: Option<String>, unknown: Word, known: Word) -> Phrase {
    match credits {
        Some(credits) => known.phrase(vec![("credits", credits.into())]),
        None => unknown.into(),
    }
}
