//! What the agent asks a person, and what the answers are for the agent: permissions with each of the agent's options, plans,
//! forms.

use std::path::Path;

use agent_client_protocol_schema::v1::ToolKind;
use pilothouse_core::json_writer::object;
use pilothouse_core::model::agent_option::{AgentOption, OptionKind, agent_options, allow_once};
use pilothouse_core::protocol::EventKind;
use serde_json::{Value, json};

use super::arguments;
use super::call::Call;
use super::event::{Out, RpcError};
use super::known::Quirks;
use super::unified_diff::{tidy, unified_diff};

/// The requests that are open, in order.
#[derive(Debug, Default)]
pub struct Requests {
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    request_id: String,
    rpc_id: Value,
    /// The event's data, for whoever asks what is open. The agent's options are in it.
    data: Value,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Permission { call_id: String, place: Option<usize> },
    Plan { place: Option<usize> },
    Form { elicitation_id: Option<String>, is_secret: bool },
}

/// What an answer means for the rest of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// The call that was rejected.
    pub rejected: Option<usize>,
    /// Whether something was rejected.
    pub is_rejection: bool,
    /// What the agent is to be told next.
    pub feedback: Option<String>,
}

impl Requests {
    /// The agent asks for a call, with options of its own; `place` is where it is among the calls.
    pub fn ask(
        &mut self,
        (request_id, rpc_id): (String, Value),
        options: &Value,
        (call, place): (&Call, Option<usize>),
        quirks: &Quirks,
        out: &mut Out<'_>,
    ) {
        let options = listed(options);
        let plan = call.input_text(&["plan"]).filter(|_| call.kind == Some(ToolKind::SwitchMode));
        if let Some(plan) = plan {
            let known = json!({ "agentOptions": options });
            let known = agent_options(&known).unwrap_or_default();
            let ways: Vec<&str> =
                known.iter().filter(|option| option.kind.allows()).map(|option| option.name).collect();
            let first = ways.first().copied().unwrap_or_default();
            let data = json!({
                "requestId": request_id,
                "summary": call.title.as_deref().unwrap_or("Carry out this plan?"),
                "planContent": plan,
                "actions": ways,
                "recommendedAction": first,
                "agentOptions": options,
            });
            out.event(EventKind::ExitPlanModeRequested, data.clone());
            return self.open.push(Open { request_id, rpc_id, data, kind: Kind::Plan { place } });
        }
        let (permission, says_nothing) = permission(call, quirks);
        let data = object([
            ("requestId", Some(request_id.as_str().into())),
            ("permissionRequest", Some(permission)),
            ("agentOptions", Some(options)),
            ("agentSaysNothing", says_nothing.then_some(true.into())),
        ]);
        out.event_of(call.agent.as_deref(), EventKind::PermissionRequested, data.clone());
        let kind = Kind::Permission { call_id: call.id.clone(), place };
        self.open.push(Open { request_id, rpc_id, data, kind });
    }

    /// The agent asks with a form or an address.
    pub fn elicit(&mut self, request_id: String, rpc_id: Value, params: &Value, out: &mut Out<'_>) {
        let text = |name: &str| params.get(name).and_then(Value::as_str).map(str::to_owned);
        let schema = params.get("requestedSchema").filter(|schema| schema.is_object());
        let data = object([
            ("requestId", Some(request_id.as_str().into())),
            ("toolCallId", text("toolCallId").map(Into::into)),
            ("message", Some(text("message").unwrap_or_default().into())),
            ("mode", text("mode").filter(|mode| mode == "form" || mode == "url").map(Into::into)),
            ("requestedSchema", schema.map(known_schema)),
            ("url", text("url").map(Into::into)),
        ]);
        out.event(EventKind::ElicitationRequested, data.clone());
        let is_secret = schema.is_some_and(|schema| {
            let fields = schema.get("properties").and_then(Value::as_object);
            let secret = |field: &Value| field.pointer("/_meta/codex/isSecret") == Some(&Value::Bool(true));
            fields.is_some_and(|fields| fields.values().any(secret))
        });
        let kind = Kind::Form { elicitation_id: text("elicitationId"), is_secret };
        self.open.push(Open { request_id, rpc_id, data, kind });
    }

    /// Takes a person's answer: the params of the page's call. None if the request is not open; an error if the answer chooses nothing
    /// that the agent offers: then the request stays open.
    pub fn answer(
        &mut self,
        request_id: &str,
        params: &Value,
        out: &mut Out<'_>,
    ) -> Result<Option<Answered>, &'static str> {
        let Some(place) = self.open.iter().position(|open| open.request_id == request_id) else {
            return Ok(None);
        };
        let Some(open) = self.open.get(place) else { return Ok(None) };
        let text = |path: &str| params.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty());
        let options = agent_options(&open.data).unwrap_or_default();
        let mut answered = Answered::default();
        match &open.kind {
            Kind::Permission { call_id, place } => {
                let chosen = chosen(&options, text("/result/optionId"), text("/result/kind"))?;
                let feedback = text("/result/feedback");
                // Without an option to reject with, the agent is told that the request was cancelled.
                let is_rejection = chosen.is_none_or(|option| option.kind.refuses());
                let kind = match chosen.map(|option| option.kind) {
                    Some(OptionKind::AllowOnce) => Some("approved"),
                    Some(OptionKind::AllowAlways) => Some("approved-for-session"),
                    Some(OptionKind::RejectOnce | OptionKind::RejectAlways) | None => {
                        Some("denied-interactively-by-user")
                    }
                    // Only its name says what was decided.
                    Some(OptionKind::Unknown) => None,
                };
                let result = object([
                    ("kind", kind.map(Into::into)),
                    ("feedback", feedback.filter(|_| is_rejection).map(Into::into)),
                ]);
                let data = object([
                    ("requestId", Some(request_id.into())),
                    ("toolCallId", Some(call_id.as_str().into())),
                    ("result", Some(result)),
                    ("agentOption", chosen.map(|option| option.name.into())),
                ]);
                out.respond(open.rpc_id.clone(), Ok(outcome(chosen)));
                out.event(EventKind::PermissionCompleted, data);
                answered.is_rejection = is_rejection;
                answered.rejected = place.filter(|_| is_rejection);
                answered.feedback = feedback.filter(|_| is_rejection).map(str::to_owned);
            }
            Kind::Plan { place } => {
                let approved = params.pointer("/response/approved").and_then(Value::as_bool).unwrap_or(false);
                let action = text("/response/selectedAction");
                let feedback = text("/response/feedback");
                let named = options.iter().find(|option| Some(option.name) == action && option.kind.allows());
                let chosen = if approved {
                    let first = || options.iter().find(|option| option.kind.allows());
                    named.or_else(|| of_kind(&options, OptionKind::AllowOnce)).or_else(first)
                } else {
                    options.iter().find(|option| option.kind.refuses())
                };
                let chosen = chosen.copied();
                if approved && chosen.is_none() {
                    return Err("The agent has no option that approves the plan");
                }
                let data = object([
                    ("requestId", Some(request_id.into())),
                    ("approved", Some(approved.into())),
                    ("selectedAction", chosen.filter(|_| approved).map(|option| option.name.into())),
                    ("feedback", feedback.map(Into::into)),
                ]);
                out.respond(open.rpc_id.clone(), Ok(outcome(chosen)));
                out.event(EventKind::ExitPlanModeCompleted, data);
                answered.is_rejection = !approved;
                answered.rejected = place.filter(|_| !approved);
                answered.feedback = feedback.filter(|_| !approved).map(str::to_owned);
            }
            Kind::Form { is_secret, .. } => {
                let Some(action) = text("/result/action")
                    .filter(|action| matches!(*action, "accept" | "decline" | "cancel"))
                else {
                    return Err("result.action must be accept, decline or cancel");
                };
                let content = params
                    .pointer("/result/content")
                    .filter(|content| content.is_object() && action == "accept");
                let response = object([("action", Some(action.into())), ("content", content.cloned())]);
                let data = object([
                    ("requestId", Some(request_id.into())),
                    ("action", Some(action.into())),
                    ("content", content.filter(|_| !is_secret).cloned()),
                ]);
                out.respond(open.rpc_id.clone(), Ok(response));
                out.event(EventKind::ElicitationCompleted, data);
            }
        }
        self.open.remove(place);
        Ok(Some(answered))
    }

    /// The agent takes a request back: it waits for no answer. False if it is not open.
    pub fn withdraw(&mut self, rpc_id: &Value, out: &mut Out<'_>) -> bool {
        let place = self.open.iter().position(|open| open.rpc_id == *rpc_id);
        let open = place.map(|place| self.open.remove(place));
        open.map(|open| settle(&open, "The agent has withdrawn it.", out)).is_some()
    }

    /// What the person did at an address is done, says the agent.
    pub fn elicitation_done(&mut self, id: &str, out: &mut Out<'_>) -> bool {
        let is_it =
            |open: &Open| matches!(&open.kind, Kind::Form { elicitation_id: Some(own), .. } if own == id);
        let Some(place) = self.open.iter().position(is_it) else { return false };
        let open = self.open.remove(place);
        out.respond(open.rpc_id, Ok(json!({ "action": "accept" })));
        out.event(
            EventKind::ElicitationCompleted,
            json!({ "requestId": open.request_id, "action": "accept" }),
        );
        true
    }

    /// Answers all that is open with a cancellation: at once, since some agents wait for it.
    pub fn cancel_all(&mut self, why: &str, out: &mut Out<'_>) {
        for open in std::mem::take(&mut self.open) {
            out.respond(open.rpc_id.clone(), Ok(cancellation(&open.kind)));
            settle(&open, why, out);
        }
    }

    /// Nobody waits for the answers any more.
    pub fn settle_all(&mut self, why: &str, out: &mut Out<'_>) {
        for open in std::mem::take(&mut self.open) {
            settle(&open, why, out);
        }
    }

    /// Whether a request is open.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// The data of the permissions that are open.
    pub fn permissions(&self) -> Vec<Value> {
        let permissions = self.open.iter().filter(|open| matches!(open.kind, Kind::Permission { .. }));
        permissions.map(|open| open.data.clone()).collect()
    }
}

/// The answer to a request that comes while the work is being stopped.
pub fn cancelled(method: &str) -> Result<Value, RpcError> {
    match method {
        "session/request_permission" => Ok(json!({ "outcome": { "outcome": "cancelled" } })),
        "elicitation/create" => Ok(json!({ "action": "cancel" })),
        _ => Err(RpcError::not_offered(method)),
    }
}

fn cancellation(kind: &Kind) -> Value {
    match kind {
        Kind::Form { .. } => json!({ "action": "cancel" }),
        Kind::Permission { .. } | Kind::Plan { .. } => outcome(None),
    }
}

fn settle(open: &Open, why: &str, out: &mut Out<'_>) {
    let id = open.request_id.as_str();
    match &open.kind {
        Kind::Permission { call_id, .. } => out.event(
            EventKind::PermissionCompleted,
            json!({ "requestId": id, "toolCallId": call_id, "result": { "kind": "cancelled", "reason": why } }),
        ),
        Kind::Plan { .. } => out.event(EventKind::ExitPlanModeCompleted, json!({ "requestId": id, "approved": false })),
        Kind::Form { .. } => out.event(EventKind::ElicitationCompleted, json!({ "requestId": id, "action": "cancel" })),
    }
}

/// The members of the agent's options that the event has, of those that can be chosen.
fn listed(options: &Value) -> Value {
    let known = json!({ "agentOptions": options });
    let known = agent_options(&known).unwrap_or_default();
    let kind = |option: &AgentOption<'_>| {
        let same = |listed: &&Value| listed.get("optionId").and_then(Value::as_str) == Some(option.id);
        options.as_array()?.iter().find(same)?.get("kind").cloned()
    };
    let member = |option: &AgentOption<'_>| {
        object([
            ("optionId", Some(option.id.into())),
            ("name", Some(option.name.into())),
            ("kind", kind(option)),
        ])
    };
    known.iter().map(member).collect()
}

fn of_kind<'a, 'b>(options: &'b [AgentOption<'a>], kind: OptionKind) -> Option<&'b AgentOption<'a>> {
    options.iter().find(|option| option.kind == kind)
}

/// What an answer chooses: the option that it names, or the one of its kind; none is a rejection for which the agent has no option.
/// An error if it would grant what nobody chose.
fn chosen<'a>(
    options: &[AgentOption<'a>],
    id: Option<&str>,
    kind: Option<&str>,
) -> Result<Option<AgentOption<'a>>, &'static str> {
    if let Some(id) = id {
        let named = options.iter().find(|option| option.id == id).copied();
        let named = named.ok_or("The agent has no option with this optionId")?;
        // The name and the kind have to say the same.
        let agrees = match kind {
            Some("approve-once" | "approve-for-session" | "approve-for-location") => named.kind.allows(),
            Some("reject") => named.kind.refuses(),
            _ => true,
        };
        return if agrees { Ok(Some(named)) } else { Err("The option says otherwise than result.kind") };
    }
    match kind {
        // What an option grants beyond this call only its name says, so without the option nothing beyond it is granted; nor is
        // one of several chosen.
        Some("approve-once" | "approve-for-session" | "approve-for-location") => allow_once(options)
            .map(Some)
            .ok_or("The agent has not one option that allows this once: optionId has to name one"),
        // Nor is anything refused for good.
        Some("reject") => Ok(of_kind(options, OptionKind::RejectOnce).copied()),
        _ => {
            Err("result.kind must be approve-once, approve-for-session or reject, or optionId name an option")
        }
    }
}

fn outcome(chosen: Option<AgentOption<'_>>) -> Value {
    match chosen {
        Some(option) => json!({ "outcome": { "outcome": "selected", "optionId": option.id } }),
        None => json!({ "outcome": { "outcome": "cancelled" } }),
    }
}

/// What is to be allowed, from all that the agent said of the call; and whether the agent does not say what it will run.
fn permission(call: &Call, quirks: &Quirks) -> (Value, bool) {
    let call_id = Some(Value::from(call.id.as_str()));
    let title = call.title.as_deref().unwrap_or_default();
    let tool = arguments::tool(call, quirks);
    let kind = call.kind.unwrap_or_default();
    if let Some((server, name)) = tool.mcp {
        let request = object([
            ("kind", Some("mcp".into())),
            ("toolCallId", call_id),
            ("serverName", Some(server.into())),
            ("toolName", Some(name.clone().into())),
            ("toolTitle", Some(name.into())),
            ("args", Some(tool.arguments)),
            ("readOnly", Some(false.into())),
        ]);
        return (request, false);
    }
    match kind {
        ToolKind::Execute => {
            let command = arguments::command(call);
            let says_nothing = command.is_none() && !quirks.title_is_command;
            let description = call.input_text(&["description"]);
            let intention = description.or(Some(title)).filter(|words| Some(*words) != command.as_deref());
            // Where the command is the title, what else the agent says is its text. It may also ask for more than the command needs by
            // itself: access to the network, or to other folders.
            let intention = intention.filter(|_| command.is_some());
            let about = Some(call.about.as_str()).filter(|about| !about.is_empty());
            let intention = intention.or(about).unwrap_or_default();
            let request = object([
                ("kind", Some("shell".into())),
                ("toolCallId", call_id),
                ("fullCommandText", Some(command.as_deref().unwrap_or(title).into())),
                ("intention", Some(intention.into())),
                ("commands", Some(json!([]))),
                ("possiblePaths", Some(json!([]))),
                ("possibleUrls", Some(json!([]))),
                ("hasWriteFileRedirection", Some(false.into())),
                ("canOfferSessionApproval", Some(false.into())),
            ]);
            (request, says_nothing)
        }
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => {
            let diff = written(call, quirks);
            let contents = call.diffs.first().map(|diff| diff.new_text.clone());
            // A fragment is not the file's new content.
            let contents = contents.filter(|_| !quirks.diff_fragments && call.diffs.len() == 1);
            let says_nothing = diff.is_empty() && contents.is_none();
            let path = arguments::path(call).unwrap_or_else(|| title.to_owned());
            let says_more = says_nothing || !names_change(title, &path, quirks);
            let request = object([
                ("kind", Some("write".into())),
                ("toolCallId", call_id),
                ("intention", Some(if says_more { title } else { "" }.into())),
                ("fileName", Some(path.into())),
                ("diff", Some(diff.into())),
                ("newFileContents", contents.map(Into::into)),
                ("canOfferSessionApproval", Some(false.into())),
            ]);
            (request, says_nothing)
        }
        ToolKind::Read if arguments::path(call).is_some() => {
            let request = object([
                ("kind", Some("read".into())),
                ("toolCallId", call_id),
                ("intention", Some(title.into())),
                ("path", arguments::path(call).map(Into::into)),
            ]);
            (request, false)
        }
        ToolKind::Fetch if call.input_text(&["url"]).is_some() => {
            let request = object([
                ("kind", Some("url".into())),
                ("toolCallId", call_id),
                ("intention", Some(title.into())),
                ("url", call.input_text(&["url"]).map(Into::into)),
            ]);
            (request, false)
        }
        _ => {
            // What the agent says in text is part of what is asked.
            let text = call.about.clone();
            let has_input = call
                .input
                .as_ref()
                .is_some_and(|input| input.as_object().is_none_or(|input| !input.is_empty()));
            let says_nothing = !has_input && text.is_empty();
            let arguments = if has_input {
                tool.arguments
            } else {
                json!(if text.is_empty() { title.to_owned() } else { text })
            };
            let request = object([
                ("kind", Some("custom-tool".into())),
                ("toolCallId", call_id),
                ("toolName", Some(tool.name.into())),
                // Where it is all that there is, it stands among the arguments.
                ("toolDescription", (!says_nothing).then(|| title.into())),
                ("args", Some(arguments)),
            ]);
            (request, says_nothing)
        }
    }
}

/// The change that is asked for: the agent's own diff, which has line numbers, or one of the texts.
fn written(call: &Call, quirks: &Quirks) -> String {
    if let Some(diff) = call.input_text(&["diff"]) {
        return tidy(diff);
    }
    let diff = call.diffs.iter().map(|diff| {
        unified_diff(
            &diff.path.to_string_lossy(),
            diff.old_text.as_deref(),
            &diff.new_text,
            quirks.diff_fragments,
        )
    });
    diff.collect()
}

/// Whether a title says no more than the change that is shown: the agent's label for all changes, or the path, with what changes.
fn names_change(title: &str, path: &str, quirks: &Quirks) -> bool {
    let (named, _) = title.split_once(": ").unwrap_or((title, ""));
    let is_path = !named.is_empty() && Path::new(path).ends_with(named.trim_start_matches("./"));
    is_path || quirks.labels_of_changes.contains(&title)
}

/// The members of a form's schema that the session events have.
fn known_schema(schema: &Value) -> Value {
    object(["type", "properties", "required"].map(|name| (name, schema.get(name).cloned())))
}
