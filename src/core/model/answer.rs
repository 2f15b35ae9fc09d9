//! A person's answers to requests, and their JSON-RPC form: method and params for each kind of request. What a lasting approval
//! ('for this session', 'in this folder') grants is the exact value that is sent; `view_model::approval` has the words.

use serde_json::{Map, Value, json};

use crate::i18n::Phrase;
use crate::i18n::words::requests;
use crate::model::agent_option::{OptionKind, agent_options, allow_once};
use crate::model::request::{ANSWERED, Ending, HANDLED, Request};
use crate::text::review_marks::{Address, address};

/// A person's answer to a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Allow this once.
    ApproveOnce,
    /// Allow similar requests until the session ends.
    ApproveForSession,
    /// Allow similar requests in this folder, in later sessions too.
    ApproveForLocation {
        /// The runtime's key of the folder.
        location_key: String,
    },
    /// One of the agent's own options, where it has some.
    AgentOption {
        /// Its id.
        id: String,
        /// A text for the agent, with an option that refuses.
        feedback: Option<String>,
    },
    /// Don't allow it. With feedback the turn continues.
    Reject {
        /// A text for the agent.
        feedback: Option<String>,
    },
    /// Answer to a question.
    Reply {
        /// The answer.
        answer: String,
        /// It was typed rather than chosen.
        was_freeform: bool,
    },
    /// Answer to a form: `accept` with content, `decline`, `cancel`.
    Form {
        /// The action.
        action: &'static str,
        /// The fields.
        content: Option<Value>,
    },
    /// Decision on a plan.
    Plan {
        /// Whether the plan is approved.
        approved: bool,
        /// The chosen way to continue.
        selected_action: Option<String>,
        /// Allow file edits without asking from now on.
        auto_approve_edits: bool,
        /// A text for the agent.
        feedback: Option<String>,
    },
    /// Any other answer: its params apart from `sessionId` and `requestId`, and a text for it.
    Other {
        /// The params.
        params: Map<String, Value>,
        /// The answer for people.
        words: Phrase,
    },
}

/// An answer ready to be sent with the request's [`method`](crate::protocol::request::RequestKind::method), so that the sending code need not know the kinds
/// of requests.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The method's params, apart from `sessionId` and `requestId`.
    pub params: Map<String, Value>,
    /// How the request ends if this answer counts.
    pub ending: Ending,
}

impl Prepared {
    /// An answer with these params, and what people read for it.
    pub fn plain(params: Map<String, Value>, words: impl Into<Phrase>) -> Self {
        let ending = Ending::new(decision(&params).unwrap_or(HANDLED), words);
        Self { params, ending }
    }
}

impl Answer {
    /// How the request ends if this answer counts.
    pub fn ending(&self) -> Ending {
        match self {
            Self::ApproveOnce => Ending::new("approved", requests::ALLOWED_ONCE),
            Self::ApproveForSession => Ending::new("approved-for-session", requests::ALLOWED_SESSION),
            Self::ApproveForLocation { .. } => {
                Ending::new("approved-for-location", requests::ALLOWED_LOCATION)
            }
            Self::Reject { feedback } => {
                Ending::new("denied-interactively-by-user", requests::REJECTED).with_reply(feedback.clone())
            }
            Self::AgentOption { .. } => Ending::new(HANDLED, requests::DECIDED),
            Self::Reply { answer, .. } => {
                Ending::new(ANSWERED, requests::ANSWERED).with_reply(Some(answer.clone()))
            }
            Self::Form { action, .. } => Ending::new(
                action,
                match *action {
                    "accept" => requests::FILLED_IN,
                    "decline" => requests::DECLINED,
                    _ => requests::CANCELLED,
                },
            ),
            Self::Plan { approved: true, selected_action, .. } => Ending::new("approved", requests::APPROVED)
                .with_reply(selected_action.as_deref().map(Phrase::plan_choice)),
            Self::Plan { approved: false, feedback, .. } => {
                Ending::new("rejected", requests::NOT_APPROVED).with_reply(feedback.clone())
            }
            Self::Other { params, words } => Ending::new(decision(params).unwrap_or(HANDLED), words.clone()),
        }
    }
}

/// The word that the runtime's closing event uses for the decision in these params, if it has one.
fn decision(params: &Map<String, Value>) -> Option<&str> {
    let text = |[outer, inner]: [&str; 2]| params.get(outer)?.get(inner)?.as_str();
    let own = params.get("response").and_then(Value::as_str).or_else(|| text(["response", "action"]));
    let word = own.or_else(|| text(["result", "kind"])).or_else(|| text(["result", "action"]));
    let approved = || params.get("response")?.get("approved")?.as_bool();
    Some(match word {
        Some("approve-once") => "approved",
        Some("approve-for-session") => "approved-for-session",
        Some("approve-for-location") => "approved-for-location",
        Some("reject") => "denied-interactively-by-user",
        Some(word) => word,
        None if approved() == Some(true) => "approved",
        None if approved() == Some(false) => "rejected",
        None => return None,
    })
}

/// The ways to continue that can be chosen when approving a plan, including the recommended one. The guide
/// also lists the decisions themselves as actions (`approve`, `edit`, `reject`); they are left out, as the
/// card has buttons for them. An agent's own options say by their kind what they are.
pub fn plan_actions(request: &Request) -> Vec<String> {
    if let Some(options) = agent_options(&request.details) {
        let allows = options.iter().filter(|option| option.kind.allows());
        return allows.map(|option| option.name.to_owned()).collect();
    }
    let listed = request.details.get("actions").and_then(Value::as_array).into_iter().flatten();
    let mut ways: Vec<String> = Vec::new();
    for action in listed.chain(request.details.get("recommendedAction")).filter_map(Value::as_str) {
        if !is_decision(action) && !ways.iter().any(|way| way == action) {
            ways.push(action.to_owned());
        }
    }
    ways
}

/// The way to continue that is preselected: the first that lets the agent do nothing without asking. What lets it do more
/// is chosen by a person, whatever the agent recommends. Of an agent's own options it is the one that grants this plan alone.
pub fn plan_start(request: &Request) -> Option<String> {
    const ASKS: [&str; 2] = ["interactive", "exit_only"];
    if let Some(options) = agent_options(&request.details) {
        return allow_once(&options).map(|option| option.name.to_owned());
    }
    plan_actions(request).into_iter().find(|way| ASKS.contains(&way.as_str()))
}

/// The agent's own name for sending a plan back, where it has one.
pub fn plan_rejection(request: &Request) -> Option<&str> {
    let options = agent_options(&request.details)?;
    options.iter().find(|option| option.kind == OptionKind::RejectOnce).map(|option| option.name)
}

/// True if the action's first word is a decision about the plan.
fn is_decision(action: &str) -> bool {
    const DECISIONS: [&str; 20] = [
        "", "abort", "accept", "approve", "approved", "cancel", "change", "decline", "deny", "discard",
        "dismiss", "edit", "feedback", "no", "refuse", "reject", "rejected", "request", "revise", "stay",
    ];
    let first = action.trim().split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    DECISIONS.iter().any(|decision| decision.eq_ignore_ascii_case(first))
}

/// Removes what contradicts the decision on a plan: a way to continue that is not listed, and with a refusal
/// any way.
fn consistent(request: &Request, answer: &Answer) -> Answer {
    let Answer::Plan { approved, selected_action, auto_approve_edits, feedback } = answer else {
        return answer.clone();
    };
    let selected =
        selected_action.clone().filter(|action| *approved && plan_actions(request).contains(action));
    Answer::Plan {
        approved: *approved,
        selected_action: selected,
        auto_approve_edits: *approved && *auto_approve_edits,
        feedback: feedback.clone(),
    }
}

/// Whether a method sends a person's message or aborts the work on it.
pub fn is_message(method: &str) -> bool {
    matches!(method, "session.send" | "session.abort")
}

/// Chooses the agent's own option that an answer means, where the agent has such options. `None` if there is none for it: then
/// the answer goes out as it is, and grants nothing that nobody chose.
fn with_agent_option(request: &Request, answer: &Answer) -> Option<Prepared> {
    let options = agent_options(&request.details)?;
    let (option, feedback) = match answer {
        Answer::AgentOption { id, feedback } => {
            (options.iter().find(|option| option.id == id).copied(), feedback.as_ref())
        }
        Answer::ApproveOnce => (allow_once(&options), None),
        Answer::Reject { feedback } => {
            (options.iter().find(|option| option.kind == OptionKind::RejectOnce).copied(), feedback.as_ref())
        }
        _ => return None,
    };
    let option = option?;
    let feedback = feedback.filter(|_| option.kind.refuses());
    let mut result = Map::new();
    let members = [
        ("kind", option.kind.decision()),
        ("optionId", Some(option.id)),
        ("feedback", feedback.map(String::as_str)),
    ];
    for (name, value) in members {
        result.extend(value.map(|value| (name.to_owned(), Value::from(value))));
    }
    let ending = match option.kind {
        OptionKind::AllowOnce => Ending::new("approved", requests::ALLOWED),
        OptionKind::AllowAlways => Ending::new("approved-for-session", requests::ALLOWED),
        OptionKind::RejectOnce | OptionKind::RejectAlways => {
            Ending::new("denied-interactively-by-user", requests::REJECTED)
        }
        OptionKind::Unknown => Ending::new(HANDLED, requests::DECIDED),
    };
    let params = [("result".to_owned(), Value::Object(result))].into_iter().collect();
    Some(Prepared { params, ending: ending.with_option(Some(option.name)).with_reply(feedback.cloned()) })
}

/// Makes an answer ready to be sent.
pub fn prepare(request: &Request, answer: &Answer) -> Prepared {
    if let Some(prepared) = with_agent_option(request, answer) {
        return prepared;
    }
    let answer = &consistent(request, answer);
    let mut params = match answer {
        Answer::Other { params, .. } => params.clone(),
        _ => Map::new(),
    };
    let mut put = |name: &str, value: Value| params.insert(name.to_owned(), value);
    match answer {
        Answer::ApproveOnce => put("result", json!({ "kind": "approve-once" })),
        Answer::ApproveForSession => put("result", session_result(request)),
        Answer::ApproveForLocation { location_key } => put(
            "result",
            json!({
                "kind": "approve-for-location", "approval": location_approval(request), "locationKey": location_key
            }),
        ),
        Answer::Reject { feedback: Some(feedback) } => {
            put("result", json!({ "kind": "reject", "feedback": feedback }))
        }
        Answer::Reject { feedback: None } => put("result", json!({ "kind": "reject" })),
        Answer::AgentOption { id, .. } => put("result", json!({ "optionId": id })),
        Answer::Reply { answer, was_freeform } => {
            put("response", json!({ "answer": answer, "wasFreeform": was_freeform }))
        }
        Answer::Form { action, content } => {
            let mut result = Map::new();
            result.insert("action".to_owned(), Value::from(*action));
            if let Some(content) = content {
                result.insert("content".to_owned(), content.clone());
            }
            put("result", Value::Object(result))
        }
        Answer::Plan { approved, selected_action, auto_approve_edits, feedback } => {
            let mut response = Map::new();
            response.insert("approved".to_owned(), Value::from(*approved));
            if let Some(action) = selected_action {
                response.insert("selectedAction".to_owned(), action.as_str().into());
            }
            if *auto_approve_edits {
                response.insert("autoApproveEdits".to_owned(), Value::from(true));
            }
            if let Some(feedback) = feedback {
                response.insert("feedback".to_owned(), feedback.as_str().into());
            }
            put("response", Value::Object(response))
        }
        Answer::Other { .. } => None,
    };
    Prepared { params, ending: answer.ending() }
}

/// What 'for this session' grants for one request.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionScope<'a> {
    /// Files and folders outside the folders that the session may use: the runtime grants what it asked for, and takes no
    /// approval. A folder is granted with everything in it.
    Paths(Vec<&'a str>),
    /// Every address of this origin.
    Origin(&'a str),
    /// What this approval of the runtime's covers.
    Approval(Value),
}

/// What 'for this session' grants; `None` where that is not possible or not offered.
pub fn session_scope(request: &Request) -> Option<SessionScope<'_>> {
    if let Some(paths) = paths_outside(request) {
        return (!paths.is_empty()).then_some(SessionScope::Paths(paths));
    }
    let origin = origin_to_approve(request).map(SessionScope::Origin);
    origin.or_else(|| approval(request).map(SessionScope::Approval))
}

/// The approval that 'in this folder' sends; `None` where that is not possible or not offered. For a path outside the
/// session's folders the runtime would grant this one access, and keep a rule that does not cover it.
pub fn location_approval(request: &Request) -> Option<Value> {
    if paths_outside(request).is_some() {
        return None;
    }
    approval(request)
}

/// The result that 'for this session' sends. Where there is nothing to grant, the runtime allows this one call.
pub fn session_result(request: &Request) -> Value {
    let mut result = json!({ "kind": "approve-for-session" });
    match session_scope(request) {
        Some(SessionScope::Origin(origin)) => result["domain"] = origin.into(),
        Some(SessionScope::Approval(approval)) => result["approval"] = approval,
        Some(SessionScope::Paths(_)) | None => {}
    }
    result
}

/// What a request asks for that the session's folders don't have: the prompt is for the paths, and the tool that wants them
/// asks for itself afterwards. `None` for every other request.
fn paths_outside(request: &Request) -> Option<Vec<&str>> {
    let is_path = |prompt: &&Value| prompt.get("kind").and_then(Value::as_str) == Some("path");
    let prompt = request.details.get("promptRequest").or_else(|| request.permission()).filter(is_path)?;
    let paths = prompt.get("paths").and_then(Value::as_array).into_iter().flatten();
    Some(paths.filter_map(Value::as_str).filter(|path| !path.is_empty()).collect())
}

/// The approval that covers calls like this one, in the form that the runtime reads.
fn approval(request: &Request) -> Option<Value> {
    let permission = request.permission()?;
    let text = |name: &str| permission.get(name).and_then(Value::as_str);
    let offered = || permission.get("canOfferSessionApproval").and_then(Value::as_bool).unwrap_or(false);
    match text("kind")? {
        "shell" | "commands" => {
            let names = permission.get("commands").or_else(|| permission.get("commandIdentifiers"));
            let name = |command: &Value| {
                Some(command.as_str().or_else(|| command.get("identifier")?.as_str())?.to_owned())
            };
            let names: Vec<String> = names?.as_array()?.iter().filter_map(name).collect();
            (offered() && !names.is_empty())
                .then(|| json!({ "kind": "commands", "commandIdentifiers": names }))
        }
        "write" => offered().then(|| json!({ "kind": "write" })),
        kind @ ("read" | "memory") => Some(json!({ "kind": kind })),
        "mcp" => {
            let prompt = request.details.get("promptRequest");
            let tool = prompt.and_then(|p| p.get("toolName")?.as_str()).or_else(|| text("toolName"))?;
            Some(json!({ "kind": "mcp", "serverName": text("serverName")?, "toolName": tool }))
        }
        "custom-tool" => Some(json!({ "kind": "custom-tool", "toolName": text("toolName")? })),
        "extension-management" => {
            Some(json!({ "kind": "extension-management", "operation": text("operation")? }))
        }
        "extension-permission-access" => {
            Some(json!({ "kind": "extension-permission-access", "extensionName": text("extensionName")? }))
        }
        "extension-env-access" => Some(json!({
            "kind": "extension-env-access", "extensionName": text("extensionName")?,
            "environmentVariables": permission.get("environmentVariables")?
        })),
        kind @ ("factory" | "workflow") => {
            let persists = permission.get("canPersistApproval").and_then(Value::as_bool).unwrap_or(false);
            // Without the key the approval would apply to every factory or workflow.
            persists.then(|| Some(json!({ "kind": kind, "approvalKey": text("approvalKey")? })))?
        }
        _ => None,
    }
}

/// The origin that 'for this session' would allow for a `url` permission, in the form of the runtime's `domain`. Another scheme
/// or port of the host is another origin.
fn origin_to_approve(request: &Request) -> Option<&str> {
    let permission = request.permission()?;
    if permission.get("kind")?.as_str()? != "url" {
        return None;
    }
    let url = permission.get("url")?.as_str()?;
    let Address { before, host, after } = address(url)?;
    // Hosts with letters that look like others can't be approved for the session.
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    if !host.chars().all(plain) || host.split('.').any(|label| label.starts_with("xn--")) {
        return None;
    }
    // The runtime reads a bare host as https; any other origin has to name its scheme.
    match before {
        "https://" => Some(host),
        "http://" => url.strip_suffix(after),
        _ => None,
    }
}

/// The runtime's key of the folder that a permission beyond the session is for, if one is offered.
pub fn location_key(request: &Request) -> Option<&str> {
    location_approval(request)?;
    let key = |name: &str| request.details.get(name).and_then(|value| value.get("locationKey")?.as_str());
    request
        .details
        .get("locationKey")
        .and_then(Value::as_str)
        .or_else(|| key("permissionRequest"))
        .or_else(|| key("promptRequest"))
        .filter(|key| !key.is_empty())
}

/// The body to POST for a platform confirmation: the agent gets its own object back unchanged.
pub fn confirmation(request: &Request, accepted: bool) -> Value {
    let state = if accepted { "accepted" } else { "dismissed" };
    let confirmation = request.details.get("confirmation").cloned().unwrap_or(Value::Null);
    json!({ "copilot_confirmations": [{ "state": state, "confirmation": confirmation }] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::request::RequestKind;
    use crate::view_model::entry_words::request_outcome;

    fn plan(actions: &Value, recommended: &str) -> Request {
        let details = json!({ "requestId": "p", "actions": actions, "recommendedAction": recommended });
        Request::waiting(RequestKind::ExitPlanMode, details)
    }

    fn decided(approved: bool, action: &str) -> Answer {
        Answer::Plan {
            approved,
            selected_action: Some(action.to_owned()),
            auto_approve_edits: true,
            feedback: None,
        }
    }

    #[test]
    fn a_plans_decisions_are_its_buttons_and_no_ways_to_go_on() {
        assert!(plan_actions(&plan(&json!(["approve", "edit", "reject"]), "reject")).is_empty());
        let actions = json!(["interactive", "Reject plan", "autopilot", "request_changes"]);
        let mixed = plan(&actions, "exit_only");
        assert_eq!(plan_actions(&mixed), ["interactive", "autopilot", "exit_only"]);
        assert_eq!(plan_start(&mixed).as_deref(), Some("interactive"));
        let unknown = plan(&json!(["swarm", "interactive"]), "swarm");
        assert_eq!(plan_actions(&unknown), ["swarm", "interactive"]);
        assert_eq!(
            plan_start(&unknown).as_deref(),
            Some("interactive"),
            "what nobody knows is not preselected"
        );
        let grants = plan(&json!(["autopilot_fleet", "autopilot"]), "autopilot");
        assert_eq!(plan_start(&grants), None, "what is recommended grants more");
        assert_eq!(plan_actions(&plan(&json!(["autopilot", 1, ""]), "autopilot")), ["autopilot"]);
    }

    #[test]
    fn an_action_that_contradicts_the_button_never_goes_out() {
        let guide = plan(&json!(["approve", "edit", "reject"]), "approve");
        let approved = prepare(&guide, &decided(true, "reject"));
        assert_eq!(
            Value::Object(approved.params),
            json!({ "response": { "approved": true, "autoApproveEdits": true } })
        );
        assert_eq!(request_outcome(&approved.ending), "Approved");
        let runtime = plan(&json!(["interactive", "autopilot"]), "autopilot");
        let rejected = prepare(&runtime, &decided(false, "autopilot"));
        assert_eq!(Value::Object(rejected.params), json!({ "response": { "approved": false } }));
        let approved = prepare(&runtime, &decided(true, "autopilot"));
        assert_eq!(
            approved.params.get("response").and_then(|r| r.get("selectedAction")),
            Some(&json!("autopilot"))
        );
        assert_eq!(request_outcome(&approved.ending), "Approved: Autopilot");
    }
}
