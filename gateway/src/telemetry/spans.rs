//! Makes spans of a session's events: events in, finished spans out. A turn is a trace. It has the calls of models, the tools and
//! the requests to people, and sub-agents with all of these; names and attributes are those of OpenTelemetry's conventions for
//! generative AI (1.41), and for notifications the runtime's own. No text, no argument and no result goes into a span.
//!
//! Times are those of the events. An event that comes twice changes nothing.

use std::collections::{HashMap, HashSet};

use pilothouse_core::protocol::{EventKind, RequestKind};
use pilothouse_core::wire::time::parse_iso;
use serde_json::Value;

use super::span::{AttributeValue, OTHER, Span, SpanEvent, SpanId, TraceId, name, span_id, trace_id, word};
use crate::journal::event_kind;

const PROVIDER: &str = "github";
const NOTIFICATION: &str = "github.copilot.system.notification";
/// The words of an error of the gateway's own, and of one that says something to people only.
const NOT_OF_THE_TURN: [&str; 2] = ["runtime_ended", "notification"];
/// Who begins a call of a model that is a step of an agent.
const STEPS: [&str; 3] = ["user", "agent", "sub-agent"];
/// How many notifications wait for the turn that they begin.
const MOST_WAITING: usize = 16;

/// Why spans end without an end of their own.
const ABORTED: &str = "aborted";
const INTERRUPTED: &str = "interrupted";

/// What a span is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Turn,
    /// A sub-agent, by the call that started it.
    Agent(String),
    /// The call of a model, by the sub-agent that makes it.
    Chat(Option<String>),
    Tool(String),
    Request(String),
}

/// A span that has not ended.
#[derive(Debug)]
struct OpenSpan {
    span: Span,
    /// The sub-agent that it belongs to, by the call that started it; none for the main agent.
    agent: Option<String>,
}

/// What spans are parts of.
#[derive(Clone, Copy, Debug)]
struct Context {
    trace: TraceId,
    span: SpanId,
}

/// A sub-agent.
#[derive(Debug)]
struct SubAgent {
    context: Context,
    /// The agent waits for it.
    is_awaited: bool,
}

/// The step of an agent that runs: its model is called, then tools.
#[derive(Debug)]
struct Step {
    event: String,
    /// How many calls of the model there were.
    calls: u32,
    /// When the model's message was there. Others may follow in the same step, which nobody's call has made.
    answered: Option<i64>,
}

#[derive(Debug)]
struct Turn {
    context: Context,
    interaction: Option<String>,
    aborted: bool,
}

/// An event, as far as all have it.
struct Event {
    kind: EventKind,
    id: String,
    at: i64,
    agent: Option<String>,
    data: Value,
}

impl Event {
    fn text(&self, field: &str) -> Option<&str> {
        self.data[field].as_str()
    }
}

/// The spans of one session.
#[derive(Debug)]
pub struct SessionSpans {
    session: String,
    turn: Option<Turn>,
    open: HashMap<Key, OpenSpan>,
    /// By the call that started each.
    agents: HashMap<String, SubAgent>,
    /// The calls that started them, by the ids of sub-agents.
    calls_of_agents: HashMap<String, String>,
    steps: HashMap<Option<String>, Step>,
    /// The ids of spans that have ended since the turn before, for events that come twice.
    ended: [HashSet<SpanId>; 2],
    /// Tools that a person runs.
    of_people: HashSet<String>,
    waiting: Vec<SpanEvent>,
    /// The time of the newest event.
    now: i64,
    finished: Vec<Span>,
}

impl SessionSpans {
    /// Of a session that has no events yet.
    pub fn new(session: &str) -> Self {
        Self {
            session: session.to_owned(),
            turn: None,
            open: HashMap::new(),
            agents: HashMap::new(),
            calls_of_agents: HashMap::new(),
            steps: HashMap::new(),
            ended: Default::default(),
            of_people: HashSet::new(),
            waiting: Vec::new(),
            now: 0,
            finished: Vec::new(),
        }
    }

    /// The names of the spans that are open.
    pub fn open(&self) -> impl Iterator<Item = &str> {
        self.open.values().map(|open| open.span.name.as_str())
    }

    /// Takes an event of the session. Returns the spans that it ends.
    pub fn take(&mut self, line: &str) -> Vec<Span> {
        use EventKind as Kind;
        let kind = event_kind(line);
        let opens_request = RequestKind::opened_by(kind);
        let matters = opens_request.is_some()
            || RequestKind::is_closing(kind)
            || matches!(
                kind,
                Kind::UserMessage
                    | Kind::AssistantTurnStart
                    | Kind::AssistantTurnEnd
                    | Kind::AssistantUsage
                    | Kind::AssistantMessage
                    | Kind::ModelCallStart
                    | Kind::ModelCallFailure
                    | Kind::ToolUserRequested
                    | Kind::ToolExecutionStart
                    | Kind::ToolExecutionComplete
                    | Kind::SubagentStarted
                    | Kind::SubagentCompleted
                    | Kind::SubagentFailed
                    | Kind::SystemNotification
                    | Kind::SessionError
                    | Kind::SessionIdle
                    | Kind::SessionResume
                    | Kind::SessionShutdown
                    | Kind::Abort
            );
        if !matters {
            return Vec::new();
        }
        let Some(event) = self.read(kind, line) else { return Vec::new() };
        // What a process that is gone left open ended with its last event.
        let before = std::mem::replace(&mut self.now, event.at);
        match kind {
            Kind::UserMessage if event.agent.is_none() => self.message(&event),
            Kind::AssistantTurnStart => self.begin_step(&event),
            Kind::ModelCallStart => self.begin_call(&event),
            Kind::ModelCallFailure => {
                let code = event.text("errorCode").map(word);
                let status = event.data["statusCode"].as_i64().map(|status| status.to_string());
                let error = code.or(status).unwrap_or_else(|| OTHER.to_owned());
                self.end(&Key::Chat(self.agent_of(&event)), Some(&error));
            }
            Kind::AssistantUsage => self.usage(&event),
            Kind::AssistantMessage => self.answered(&event),
            Kind::AssistantTurnEnd => self.end_step(&event),
            Kind::ToolUserRequested => {
                self.of_people.extend(event.text("toolCallId").map(str::to_owned));
            }
            Kind::ToolExecutionStart => self.begin_tool(&event),
            Kind::ToolExecutionComplete => self.end_tool(&event),
            Kind::SubagentStarted => self.begin_agent(&event),
            Kind::SubagentCompleted | Kind::SubagentFailed => self.end_agent(&event),
            Kind::SystemNotification => self.notify(&event),
            Kind::SessionError => self.fail(&event),
            Kind::Abort if event.agent.is_none() => {
                if let Some(turn) = &mut self.turn {
                    turn.aborted = true;
                }
            }
            Kind::SessionIdle if event.agent.is_none() => {
                let aborted = event.data["aborted"] == true;
                if let (true, Some(turn)) = (aborted, &mut self.turn) {
                    turn.aborted = true;
                }
                self.end_turn();
            }
            Kind::SessionResume if event.data["sessionWasActive"] != true => {
                self.now = before;
                self.end_all(event.data["continuePendingWork"] != false);
                self.now = event.at;
            }
            Kind::SessionShutdown => self.end_all(false),
            _ if RequestKind::is_closing(kind) => self.end_request(&event),
            _ => {
                if let Some(request) = opens_request {
                    self.begin_request(request, &event);
                }
            }
        }
        std::mem::take(&mut self.finished)
    }

    fn read(&self, kind: EventKind, line: &str) -> Option<Event> {
        let mut event: Value = serde_json::from_str(line).ok()?;
        let text = |event: &Value, field: &str| event[field].as_str().map(str::to_owned);
        // Where it does not say when it was, it was after the one before.
        let at = event["timestamp"].as_str().and_then(parse_iso).unwrap_or(self.now);
        if at <= 0 {
            return None;
        }
        let id = text(&event, "id").unwrap_or_else(|| at.to_string());
        let agent = text(&event, "agentId");
        Some(Event { kind, id, at, agent, data: event["data"].take() })
    }

    // Turns.

    fn message(&mut self, event: &Event) {
        let interaction = event.text("interactionId");
        let continues = self.turn.as_ref().is_some_and(|turn| {
            let is_same = interaction.is_some() && turn.interaction.as_deref() == interaction;
            is_same || event.text("delivery") == Some("steering")
        });
        if !continues {
            self.begin_turn(&event.id, interaction, event.at);
        }
    }

    fn begin_turn(&mut self, first: &str, interaction: Option<&str>, at: i64) {
        let id = span_id(&self.session, "turn", first);
        if self.is_known(id) {
            return; // it comes again
        }
        self.end_turn();
        let [ended, before] = &mut self.ended;
        *before = std::mem::take(ended);
        let trace = trace_id(&self.session, first);
        self.turn = Some(Turn {
            context: Context { trace, span: id },
            interaction: interaction.map(str::to_owned),
            aborted: false,
        });
        let mut span = self.span(Operation::InvokeAgent, None, (trace, id, None), at);
        for event in std::mem::take(&mut self.waiting) {
            span.add(event);
        }
        self.open.insert(Key::Turn, OpenSpan { span, agent: None });
    }

    /// Ends a turn and what of the main agent has not ended, and the sub-agents that it waits for with all that is theirs.
    fn end_turn(&mut self) {
        let cause = self.turn.take().is_some_and(|turn| turn.aborted).then_some(ABORTED);
        let awaited: Vec<String> =
            self.agents.iter().filter(|(_, agent)| agent.is_awaited).map(|(call, _)| call.clone()).collect();
        self.end_where(cause.unwrap_or(INTERRUPTED), |key, open| {
            let is_ours = open.agent.as_ref().is_none_or(|agent| awaited.contains(agent));
            is_ours
                && match key {
                    Key::Turn => false,
                    Key::Request(_) => open.ends_with_turn(),
                    // What a person runs is not of the turn.
                    Key::Tool(_) => open.span.parent.is_some(),
                    Key::Agent(_) | Key::Chat(_) => true,
                }
        });
        self.agents.retain(|call, _| !awaited.contains(call));
        let agents = &self.agents;
        self.calls_of_agents.retain(|_, call| agents.contains_key(call));
        self.steps.retain(|agent, _| agent.as_ref().is_some_and(|call| agents.contains_key(call)));
        self.end(&Key::Turn, cause);
    }

    /// Ends everything; but requests that survive a resume stay open, if `keeps` says so.
    fn end_all(&mut self, keeps: bool) {
        self.turn = None;
        self.end_where(INTERRUPTED, |_, open| !(keeps && open.survives_resume()));
        self.agents.clear();
        self.calls_of_agents.clear();
        self.steps.clear();
        self.waiting.clear();
    }

    fn fail(&mut self, event: &Event) {
        let error = event.text("errorType").unwrap_or_default();
        if NOT_OF_THE_TURN.contains(&error) {
            return;
        }
        let key = self.agent_of(event).map_or(Key::Turn, Key::Agent);
        if let Some(open) = self.open.get_mut(&key) {
            open.span.error = Some(word(error));
        }
    }

    fn notify(&mut self, event: &Event) {
        let kind = &event.data["kind"];
        let mut attributes = Vec::new();
        for (attribute, field) in [
            ("github.copilot.system.notification.type", "type"),
            ("github.copilot.system.notification.agent_id", "agentId"),
            ("github.copilot.system.notification.agent_type", "agentType"),
            ("github.copilot.system.notification.status", "status"),
            ("github.copilot.system.notification.shell_id", "shellId"),
        ] {
            if let Some(text) = kind[field].as_str() {
                attributes.push((attribute, word(text).into()));
            }
        }
        if let Some(code) = kind["exitCode"].as_i64() {
            attributes.push(("github.copilot.system.notification.exit_code", code.into()));
        }
        let notification = SpanEvent { at: event.at, name: NOTIFICATION, attributes };
        let key = self.agent_of(event).map_or(Key::Turn, Key::Agent);
        match self.open.get_mut(&key) {
            Some(open) if open.span.events.contains(&notification) => {}
            Some(open) => open.span.add(notification),
            // It may begin a turn.
            None if self.waiting.len() < MOST_WAITING && !self.waiting.contains(&notification) => {
                self.waiting.push(notification);
            }
            None => {}
        }
    }

    // Calls of models.

    fn begin_step(&mut self, event: &Event) {
        let agent = self.agent_of(event);
        if agent.is_none() {
            let interaction = event.text("interactionId");
            let is_other = self.turn.as_ref().is_none_or(|turn| {
                interaction.is_some()
                    && turn.interaction.is_some()
                    && turn.interaction.as_deref() != interaction
            });
            if is_other {
                self.begin_turn(&event.id, interaction, event.at);
            }
        }
        if self.is_known(self.chat_id(&event.id, 0)) {
            return;
        }
        self.end_chat(agent.clone(), INTERRUPTED);
        self.steps.insert(agent.clone(), Step { event: event.id.clone(), calls: 0, answered: None });
        self.begin_chat(agent, event);
    }

    /// The step has begun a little before its model is called. If the call fails, another may follow.
    fn begin_call(&mut self, event: &Event) {
        let agent = self.agent_of(event);
        let key = Key::Chat(agent.clone());
        let is_first = self.steps.get(&agent).is_some_and(|step| step.calls == 0);
        if is_first && self.open.contains_key(&key) {
            if let Some(step) = self.steps.get_mut(&agent) {
                step.calls = 1;
            }
        } else if self.steps.contains_key(&agent) {
            self.end_chat(agent.clone(), INTERRUPTED);
            self.begin_chat(agent.clone(), event);
            if let Some(step) = self.steps.get_mut(&agent) {
                step.calls += 1;
            }
        } else {
            return;
        }
        if let Some(open) = self.open.get_mut(&key) {
            open.span.start = event.at;
            if let Some(model) = event.text("model") {
                open.span.set_model(model);
            }
        }
    }

    fn begin_chat(&mut self, agent: Option<String>, event: &Event) {
        let Some(context) = self.context(agent.as_deref()) else { return };
        let Some(step) = self.steps.get(&agent) else { return };
        let id = self.chat_id(&step.event, step.calls);
        let mut span = self.span(Operation::Chat, None, (context.trace, id, Some(context.span)), event.at);
        if let Some(model) = event.text("model") {
            span.set_model(model);
        }
        self.open.insert(Key::Chat(agent.clone()), OpenSpan { span, agent });
    }

    fn chat_id(&self, step: &str, calls: u32) -> SpanId {
        span_id(&self.session, "chat", &format!("{step}/{calls}"))
    }

    fn usage(&mut self, event: &Event) {
        let agent = self.agent_of(event);
        let is_step = event.text("initiator").is_none_or(|initiator| STEPS.contains(&initiator));
        let key = Key::Chat(agent.clone());
        let mut span = match self.open.get(&key) {
            Some(open) if is_step => open.span.clone(),
            _ => {
                // A call beside the steps, of which only this event tells; or the event comes again.
                let id = span_id(&self.session, "usage", &event.id);
                let Some(context) = self.context(agent.as_deref()) else { return };
                if is_step || self.is_known(id) {
                    return;
                }
                let took = event.data["duration"].as_i64().unwrap_or_default().clamp(0, 86_400_000);
                self.span(Operation::Chat, None, (context.trace, id, Some(context.span)), event.at - took)
            }
        };
        if let Some(model) = event.text("model") {
            span.set_model(model);
        }
        for (attribute, field) in [
            ("gen_ai.usage.input_tokens", "inputTokens"),
            ("gen_ai.usage.output_tokens", "outputTokens"),
            ("gen_ai.usage.cache_read.input_tokens", "cacheReadTokens"),
            ("gen_ai.usage.cache_creation.input_tokens", "cacheWriteTokens"),
            ("gen_ai.usage.reasoning.output_tokens", "reasoningTokens"),
        ] {
            if let Some(tokens) = event.data[field].as_i64() {
                span.set(attribute, tokens);
            }
        }
        if let Some(id) = event.text("apiCallId") {
            span.set("gen_ai.response.id", name(id));
        }
        if let Some(reason) = event.text("finishReason") {
            span.set("gen_ai.response.finish_reasons", AttributeValue::Texts(vec![word(reason)]));
        }
        if let Some(waited) = event.data["timeToFirstTokenMs"].as_f64() {
            span.set("gen_ai.response.time_to_first_chunk", AttributeValue::Number(waited / 1000.0));
        }
        if is_step {
            // What failed was tried again.
            if let (None, Some(turn)) = (&agent, self.open.get_mut(&Key::Turn)) {
                turn.span.error = None;
            }
            self.open.insert(key.clone(), OpenSpan { span, agent });
            self.end(&key, None);
        } else {
            self.finish(span, None);
        }
    }

    fn answered(&mut self, event: &Event) {
        let agent = self.agent_of(event);
        let (Some(step), Some(open)) = (self.steps.get_mut(&agent), self.open.get_mut(&Key::Chat(agent)))
        else {
            return;
        };
        step.answered = Some(event.at);
        if let Some(model) = event.text("model") {
            open.span.set_model(model);
        }
    }

    fn end_step(&mut self, event: &Event) {
        let aborted = self.turn.as_ref().is_some_and(|turn| turn.aborted);
        let agent = self.agent_of(event);
        self.end_chat(agent.clone(), if aborted { ABORTED } else { INTERRUPTED });
        self.steps.remove(&agent);
    }

    /// Ends the call of a model of which nothing says how it ended: with its message, if there was one.
    fn end_chat(&mut self, agent: Option<String>, error: &str) {
        let answered = self.steps.get_mut(&agent).and_then(|step| step.answered.take());
        let now = self.now;
        self.now = answered.unwrap_or(now);
        self.end(&Key::Chat(agent), answered.is_none().then_some(error));
        self.now = now;
    }

    // Tools.

    fn begin_tool(&mut self, event: &Event) {
        let Some(call) = event.text("toolCallId") else { return };
        let id = span_id(&self.session, "tool", call);
        if self.is_known(id) {
            return;
        }
        let agent = self.agent_of(event);
        let of_person = self.of_people.remove(call);
        if !of_person && agent.is_none() && self.turn.is_none() {
            self.begin_turn(&event.id, None, event.at);
        }
        let own = (trace_id(&self.session, call), id, None);
        let place = match self.context(agent.as_deref()) {
            Some(context) if !of_person => (context.trace, id, Some(context.span)),
            _ => own,
        };
        let tool = event.text("toolName").map(name);
        let mut span = self.span(Operation::ExecuteTool, tool.as_deref(), place, event.at);
        if let Some(tool) = tool {
            span.set("gen_ai.tool.name", tool);
        }
        span.set("gen_ai.tool.call.id", name(call));
        let is_remote = event.text("mcpServerName").is_some();
        span.set("gen_ai.tool.type", if is_remote { "extension" } else { "function" });
        // A permission may be asked for just before the tool begins that it is for.
        let asks = |open: &&mut OpenSpan| {
            open.request().is_some() && open.span.text("gen_ai.tool.call.id") == Some(call)
        };
        if let Some(request) = self.open.values_mut().find(asks) {
            (request.span.trace, request.span.parent) = (span.trace, Some(span.id));
            request.agent.clone_from(&agent);
        }
        self.open.insert(Key::Tool(call.to_owned()), OpenSpan { span, agent });
    }

    fn end_tool(&mut self, event: &Event) {
        let Some(call) = event.text("toolCallId") else { return };
        let failed = event.data["success"] == false;
        let code = event.data["error"]["code"].as_str().map_or_else(|| OTHER.to_owned(), word);
        self.end(&Key::Tool(call.to_owned()), failed.then_some(&code));
    }

    // Sub-agents.

    fn begin_agent(&mut self, event: &Event) {
        let Some(call) = event.text("toolCallId").map(str::to_owned) else { return };
        let id = span_id(&self.session, "agent", &call);
        if self.is_known(id) {
            return;
        }
        let tool = self.open.get(&Key::Tool(call.clone())).map(|tool| Context::of(&tool.span));
        let Some(parent) = tool.or_else(|| self.context(None)) else { return };
        let who = event.text("agentName").map(name);
        let mut span = self.span(
            Operation::InvokeAgent,
            who.as_deref(),
            (parent.trace, id, Some(parent.span)),
            event.at,
        );
        if let Some(who) = who {
            span.set("gen_ai.agent.name", who);
        }
        if let Some(agent) = &event.agent {
            span.set("gen_ai.agent.id", name(agent));
            self.calls_of_agents.insert(agent.clone(), call.clone());
        }
        if let Some(model) = event.text("model") {
            span.set("gen_ai.request.model", name(model));
        }
        let is_awaited = event.text("executionMode") != Some("background");
        let context = Context { trace: parent.trace, span: id };
        self.agents.insert(call.clone(), SubAgent { context, is_awaited });
        self.open.insert(Key::Agent(call.clone()), OpenSpan { span, agent: Some(call) });
    }

    fn end_agent(&mut self, event: &Event) {
        let Some(call) = event.text("toolCallId").map(str::to_owned).or_else(|| self.agent_of(event)) else {
            return;
        };
        let error = match event.kind {
            EventKind::SubagentFailed => Some(OTHER),
            _ => (event.data["cancelled"] == true).then_some(ABORTED),
        };
        let key = Key::Agent(call.clone());
        if !self.open.contains_key(&key) {
            return;
        }
        self.end_where(error.unwrap_or(INTERRUPTED), |key, open| {
            open.agent.as_ref() == Some(&call) && !matches!(key, Key::Agent(_))
        });
        // What the session said of its error is the better word.
        let known = self.open.get(&key).and_then(|open| open.span.error.clone());
        self.end(&key, error.map(|error| known.as_deref().unwrap_or(error)));
        self.steps.remove(&Some(call));
    }

    // Requests to people.

    fn begin_request(&mut self, kind: RequestKind, event: &Event) {
        let Some(request) = event.text("requestId") else { return };
        let id = span_id(&self.session, "request", request);
        if self.is_known(id) {
            return;
        }
        let call = event.data["permissionRequest"]["toolCallId"].as_str().or(event.text("toolCallId"));
        let tool = call.and_then(|call| self.open.get(&Key::Tool(call.to_owned())));
        let (agent, context) = if let Some(tool) = tool {
            (tool.agent.clone(), Some(Context::of(&tool.span)))
        } else {
            let agent = self.agent_of(event);
            let context = self.context(agent.as_deref());
            (agent, context)
        };
        let place = match context {
            Some(context) => (context.trace, id, Some(context.span)),
            None => (trace_id(&self.session, request), id, None),
        };
        let mut span = self.span(Operation::Request(kind), None, place, event.at);
        span.set("pilothouse.request.kind", kind.word());
        if let Some(call) = call {
            span.set("gen_ai.tool.call.id", name(call));
        }
        self.open.insert(Key::Request(request.to_owned()), OpenSpan { span, agent });
    }

    fn end_request(&mut self, event: &Event) {
        let Some(request) = event.text("requestId") else { return };
        let key = Key::Request(request.to_owned());
        if let (Some(open), Some(decision)) = (self.open.get_mut(&key), decision(event)) {
            open.span.set("pilothouse.request.decision", decision);
        }
        self.end(&key, None);
    }

    // Spans.

    fn span(
        &self,
        operation: Operation,
        about: Option<&str>,
        (trace, id, parent): (TraceId, SpanId, Option<SpanId>),
        start: i64,
    ) -> Span {
        let mut span = Span {
            trace,
            id,
            parent,
            name: [operation.name().as_str(), about.unwrap_or_default()].join(" ").trim_end().to_owned(),
            is_remote: operation == Operation::Chat,
            start,
            end: start,
            attributes: Vec::new(),
            events: Vec::new(),
            dropped_events: 0,
            error: None,
        };
        if !matches!(operation, Operation::Request(_)) {
            span.set("gen_ai.operation.name", operation.name());
            span.set("gen_ai.provider.name", PROVIDER);
        }
        span.set("gen_ai.conversation.id", name(&self.session));
        span
    }

    /// The sub-agent that an event is of, by the call that started it.
    fn agent_of(&self, event: &Event) -> Option<String> {
        let by_id = event.agent.as_ref().and_then(|agent| self.calls_of_agents.get(agent)).cloned();
        // Old logs name it by its call only.
        let by_call = || event.text("parentToolCallId").map(str::to_owned);
        by_id.or_else(by_call).or_else(|| event.agent.clone())
    }

    /// What an agent's spans are parts of; those of a sub-agent of which nothing is known are of the turn.
    fn context(&self, agent: Option<&str>) -> Option<Context> {
        let of_agent = agent.and_then(|call| self.agents.get(call)).map(|agent| agent.context);
        of_agent.or_else(|| self.turn.as_ref().map(|turn| turn.context))
    }

    /// Whether a span with this id is open, or has ended not long ago.
    fn is_known(&self, id: SpanId) -> bool {
        self.ended.iter().any(|ended| ended.contains(&id))
            || self.open.values().any(|open| open.span.id == id)
    }

    fn end(&mut self, key: &Key, error: Option<&str>) {
        if let Some(open) = self.open.remove(key) {
            self.finish(open.span, error);
        }
    }

    /// Ends the spans for which `ends` is true, those that began last first.
    fn end_where(&mut self, error: &str, ends: impl Fn(&Key, &OpenSpan) -> bool) {
        let mut ending: Vec<(i64, Key)> = (self.open.iter())
            .filter(|(key, open)| ends(key, open))
            .map(|(key, open)| (open.span.start, key.clone()))
            .collect();
        ending.sort_by_key(|(start, _)| std::cmp::Reverse(*start));
        for (_, key) in ending {
            match key {
                Key::Chat(agent) => self.end_chat(agent, error),
                key => self.end(&key, Some(error)),
            }
        }
    }

    fn finish(&mut self, mut span: Span, error: Option<&str>) {
        span.end = self.now.max(span.start);
        span.error = span.error.or(error.map(str::to_owned));
        if let Some(error) = &span.error {
            let error = error.clone();
            span.set("error.type", error);
        }
        self.ended[0].insert(span.id);
        self.finished.push(span);
    }
}

/// What a span stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    InvokeAgent,
    Chat,
    ExecuteTool,
    Request(RequestKind),
}

impl Operation {
    fn name(self) -> String {
        match self {
            Self::InvokeAgent => "invoke_agent".to_owned(),
            Self::Chat => "chat".to_owned(),
            Self::ExecuteTool => "execute_tool".to_owned(),
            Self::Request(kind) => format!("request {}", kind.word()),
        }
    }
}

impl Context {
    fn of(span: &Span) -> Self {
        Self { trace: span.trace, span: span.id }
    }
}

impl OpenSpan {
    fn request(&self) -> Option<RequestKind> {
        self.span.text("pilothouse.request.kind").and_then(RequestKind::of_word)
    }

    fn survives_resume(&self) -> bool {
        self.request().is_some_and(RequestKind::survives_resume)
    }

    fn ends_with_turn(&self) -> bool {
        self.request().is_some_and(RequestKind::belongs_to_turn)
    }
}

impl Span {
    fn set_model(&mut self, model: &str) {
        let model = name(model);
        self.name = format!("chat {model}");
        self.set("gen_ai.request.model", model);
    }
}

/// What was decided, as a word of the protocol; none where it is a text or a result.
fn decision(event: &Event) -> Option<String> {
    let data = &event.data;
    match event.kind {
        EventKind::PermissionCompleted => data["result"]["kind"].as_str().map(word),
        EventKind::UserInputCompleted => Some("answered".to_owned()),
        EventKind::ElicitationCompleted => data["action"].as_str().map(word),
        EventKind::ExitPlanModeCompleted => {
            data["approved"].as_bool().map(|yes| if yes { "approved" } else { "rejected" }.to_owned())
        }
        EventKind::AutoModeSwitchCompleted => data["response"].as_str().map(word),
        EventKind::SessionLimitsExhaustedCompleted => data["response"]["action"].as_str().map(word),
        EventKind::McpOauthCompleted => data["outcome"].as_str().map(word),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
