//! Turns a person's answer into the request's closing event, based on the recorded one, and into a sentence
//! if the recording went another way. When that happens is decided in `player`.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use pilothouse_core::model::agent_option::{OptionKind, agent_options, allow_once};
use pilothouse_core::protocol::{EventKind, RequestKind};

/// A checked answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    fields: Map<String, Value>,
    /// For a tool of the host: its result, `Err` where that was an error.
    outcome: Option<Result<String, String>>,
    /// The agent's own option that it chooses, by its id.
    option_id: Option<String>,
}

impl Decision {
    /// Reads the parameters of the method that answers this kind of request. The error says what is wrong.
    pub fn read(family: RequestKind, params: &Value) -> Result<Self, String> {
        let (result, response) = (&params["result"], &params["response"]);
        let mut outcome = None;
        let fields = match family {
            RequestKind::Permission => json!({"result": permission(result)?}),
            RequestKind::UserInput => {
                let answer = text(response, "response.answer", "answer")?;
                json!({"answer": answer, "wasFreeform": response["wasFreeform"].as_bool().unwrap_or(false)})
            }
            RequestKind::Elicitation => {
                let action = one_of(result, "result.action", "action", family.answers())?;
                pick_fields(&json!({"action": action, "content": result["content"]}), &["action", "content"])
            }
            RequestKind::ExitPlanMode => {
                if !response["approved"].is_boolean() {
                    return Err("response.approved must be true or false".to_owned());
                }
                pick_fields(response, family.decision_fields())
            }
            RequestKind::AutoModeSwitch => {
                let answer = one_of(params, "response", "response", family.answers())?;
                json!({"response": answer})
            }
            RequestKind::SessionLimits => {
                one_of(response, "response.action", "action", family.answers())?;
                json!({"response": response})
            }
            RequestKind::McpOauth => {
                json!({"outcome": one_of(result, "result.kind", "kind", family.answers())?})
            }
            RequestKind::QueuedCommand => {
                if !result["handled"].is_boolean() {
                    return Err("result.handled must be true or false".to_owned());
                }
                json!({})
            }
            RequestKind::ExternalTool => {
                outcome = Some(tool_outcome(params)?);
                json!({})
            }
            RequestKind::Command | RequestKind::Sampling | RequestKind::Confirmation => json!({}),
        };
        let mut fields = if let Value::Object(fields) = fields { fields } else { Map::new() };
        if let (RequestKind::Permission, Some(source)) =
            (family, params["decisionContext"]["source"].as_str())
        {
            fields.insert("decisionSource".to_owned(), source.into());
        }
        let option_id = result["optionId"].as_str().filter(|_| family == RequestKind::Permission);
        Ok(Self { fields, outcome, option_id: option_id.map(str::to_owned) })
    }

    /// Names the agent's own option that it chooses, where the request has such options.
    #[must_use]
    pub fn with_option(mut self, requested: &Value) -> Self {
        let options = agent_options(&requested["data"]).unwrap_or_default();
        let chosen =
            match (&self.option_id, self.fields.get("result").and_then(|result| result["kind"].as_str())) {
                (Some(id), _) => options.iter().find(|option| option.id == id).copied(),
                (None, Some("approved")) => allow_once(&options),
                (None, Some("denied-interactively-by-user")) => {
                    options.iter().find(|option| option.kind == OptionKind::RejectOnce).copied()
                }
                _ => None,
            };
        self.fields.extend(chosen.map(|option| ("agentOption".to_owned(), option.name.into())));
        self
    }

    /// The recorded closing line with this decision in it. The envelope stays byte for byte, and so does the
    /// whole line if the decision is the recorded one.
    pub fn write_into(&self, family: RequestKind, recorded: &str) -> String {
        let Ok(event) = serde_json::from_str::<Value>(recorded) else {
            return recorded.to_owned();
        };
        let mut data = event["data"].as_object().cloned().unwrap_or_default();
        data.retain(|key, _| !family.decision_fields().contains(&key.as_str()));
        data.extend(self.fields.clone());
        let data = Value::Object(data);
        if data == event["data"] {
            return recorded.to_owned();
        }
        replace_data(recorded, &data).unwrap_or_else(|| {
            let mut event = event;
            event["data"] = data;
            event.to_string()
        })
    }

    /// A sentence that says how the recording went, if that differs in kind from this answer.
    ///
    /// `recorded` is the closing event's data, `outcome` the data of the tool's recorded result.
    pub fn recorded_difference(
        &self,
        family: RequestKind,
        recorded: &Value,
        outcome: Option<&Value>,
    ) -> Option<String> {
        let given = Value::Object(self.fields.clone());
        let same = match family {
            RequestKind::Permission => {
                let parts = |data: &Value| {
                    let result = &data["result"];
                    let feedback = result["feedback"].as_str().is_some_and(|feedback| !feedback.is_empty());
                    (result["kind"].clone(), feedback, data["agentOption"].clone())
                };
                parts(&given) == parts(recorded)
            }
            RequestKind::UserInput => given["answer"] == recorded["answer"],
            RequestKind::Elicitation => {
                let accepted = given["action"] == "accept";
                given["action"] == recorded["action"]
                    && (!accepted || given["content"] == recorded["content"])
            }
            RequestKind::ExitPlanMode => {
                let approved = given["approved"] == true;
                given["approved"] == recorded["approved"]
                    && (!approved || given["selectedAction"] == recorded["selectedAction"])
            }
            RequestKind::AutoModeSwitch | RequestKind::SessionLimits => {
                given["response"] == recorded["response"]
            }
            RequestKind::McpOauth => given["outcome"] == recorded["outcome"],
            RequestKind::ExternalTool => self.is_recorded_outcome(outcome),
            // Their closing events hold no decision, so nothing is known to differ.
            RequestKind::QueuedCommand
            | RequestKind::Command
            | RequestKind::Sampling
            | RequestKind::Confirmation => true,
        };
        (!same).then(|| describe_outcome(family, recorded))
    }

    fn is_recorded_outcome(&self, recorded: Option<&Value>) -> bool {
        match (&self.outcome, recorded) {
            (Some(Ok(text)), Some(recorded)) => recorded["result"]["content"] == text.as_str(),
            (Some(Err(_)), Some(recorded)) => recorded["success"] == false,
            _ => true,
        }
    }
}

/// A closing event for a request that the recording never closes.
pub fn new_closing(family: RequestKind, decision: &Decision, requested: &Value, parent: &Value) -> String {
    let mut data = decision.fields.clone();
    data.insert("requestId".to_owned(), requested["data"]["requestId"].clone());
    let call = &requested["data"]["permissionRequest"]["toolCallId"];
    if family == RequestKind::Permission && call.is_string() {
        data.insert("toolCallId".to_owned(), call.clone());
    }
    let mut event = json!({
        "type": family.closed_by().map_or("", EventKind::name),
        "data": data,
        "id": fresh_id(&requested["id"], "closing"),
        "timestamp": requested["timestamp"],
        "parentId": parent,
    });
    if !family.closing_is_persisted() {
        event["ephemeral"] = true.into();
    }
    event.to_string()
}

/// A notice for the timeline that this is a recording, placed next to the closing event `beside`.
pub fn notice(beside: &str, message: &str) -> String {
    let beside: Value = serde_json::from_str(beside).unwrap_or_default();
    let parent = if beside["ephemeral"] == true { &beside["parentId"] } else { &beside["id"] };
    json!({
        "type": EventKind::SessionInfo.name(),
        "data": {"infoType": "notification", "message": message},
        "ephemeral": true,
        "id": fresh_id(&beside["id"], message),
        "timestamp": beside["timestamp"],
        "parentId": parent,
    })
    .to_string()
}

fn permission(result: &Value) -> Result<Value, String> {
    if result["kind"].is_null() && result["optionId"].is_string() {
        return Ok(json!({}));
    }
    let kind = text(result, "result.kind", "kind")?;
    let with = |kind: &str, fields: &[&str]| {
        let mut value = pick_fields(result, fields);
        value["kind"] = kind.into();
        value
    };
    Ok(match kind.as_str() {
        "approve-once" | "approve-permanently" => with("approved", &[]),
        "approve-for-session" => with("approved-for-session", &["approval", "domain"]),
        "approve-for-location" => {
            text(result, "result.locationKey", "locationKey")?;
            with("approved-for-location", &["approval", "locationKey"])
        }
        "reject" => with("denied-interactively-by-user", &["feedback"]),
        "user-not-available" => with("denied-no-approval-rule-and-could-not-request-from-user", &[]),
        // The runtime also takes a finished result as it is.
        other if other.starts_with("approved") || other.starts_with("denied-") || other == "cancelled" => {
            result.clone()
        }
        other => {
            return Err(format!(
                "result.kind is \"{other}\"; it must be approve-once, approve-for-session, approve-for-location or reject"
            ));
        }
    })
}

fn tool_outcome(params: &Value) -> Result<Result<String, String>, String> {
    if let Some(error) = params["error"].as_str() {
        return Ok(Err(error.to_owned()));
    }
    let result = &params["result"];
    let text = result.as_str().or_else(|| result["textResultForLlm"].as_str());
    let text =
        text.ok_or("result (a string, or an object with textResultForLlm) or error is missing")?.to_owned();
    let failed = result["resultType"].as_str().is_some_and(|kind| kind != "success");
    Ok(if failed { Err(text) } else { Ok(text) })
}

fn describe_outcome(family: RequestKind, recorded: &Value) -> String {
    let quoted = |value: &Value| value.as_str().map(|text| format!("answered “{text}”"));
    let was = match family {
        RequestKind::Permission => match recorded["result"]["kind"].as_str().unwrap_or_default() {
            _ if recorded["agentOption"].is_string() => quoted(&recorded["agentOption"]),
            "approved" => Some("allowed once".to_owned()),
            "approved-for-session" => Some("allowed for the session".to_owned()),
            "approved-for-location" => Some("allowed for this location".to_owned()),
            _ if recorded["result"]["feedback"].is_string() => Some("rejected with feedback".to_owned()),
            _ => Some("rejected".to_owned()),
        },
        RequestKind::UserInput => quoted(&recorded["answer"]),
        RequestKind::Elicitation => Some(
            match recorded["action"].as_str() {
                Some("accept") => "filled in and sent",
                Some("decline") => "declined",
                _ => "cancelled",
            }
            .to_owned(),
        ),
        RequestKind::ExitPlanMode => {
            Some(match (recorded["approved"] == true, recorded["selectedAction"].as_str()) {
                (true, Some(action)) => format!("approved ({action})"),
                (true, None) => "approved".to_owned(),
                (false, _) => "sent back".to_owned(),
            })
        }
        RequestKind::AutoModeSwitch => quoted(&recorded["response"]),
        RequestKind::SessionLimits => quoted(&recorded["response"]["action"]),
        RequestKind::McpOauth => quoted(&recorded["outcome"]),
        RequestKind::ExternalTool => {
            return "This is a recording: it goes on with the result that was recorded.".to_owned();
        }
        RequestKind::QueuedCommand
        | RequestKind::Command
        | RequestKind::Sampling
        | RequestKind::Confirmation => None,
    };
    let was = was.unwrap_or_else(|| "answered in another way".to_owned());
    format!("This is a recording: it goes on as recorded, where this request was {was}.")
}

fn text(object: &Value, name: &str, field: &str) -> Result<String, String> {
    object[field].as_str().map(str::to_owned).ok_or_else(|| format!("{name} is missing or no text"))
}

fn one_of(object: &Value, name: &str, field: &str, words: &[&str]) -> Result<String, String> {
    let word = text(object, name, field)?;
    if words.contains(&word.as_str()) {
        return Ok(word);
    }
    Err(format!("{name} is \"{word}\"; it must be one of {}", words.join(", ")))
}

/// The named fields that are present.
fn pick_fields(object: &Value, fields: &[&str]) -> Value {
    let there = fields.iter().filter(|field| !object[**field].is_null());
    Value::Object(there.map(|field| ((*field).to_owned(), object[*field].clone())).collect())
}

/// Replaces the data of a line and leaves every other byte alone.
fn replace_data(line: &str, data: &Value) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        data: &'a RawValue,
    }
    let old = serde_json::from_str::<Envelope<'_>>(line).ok()?.data.get();
    let start = (old.as_ptr() as usize).checked_sub(line.as_ptr() as usize)?;
    Some(format!("{}{data}{}", line.get(..start)?, line.get(start + old.len()..)?))
}

/// An id for a new event, the same each time it is made. It is derived from the event's cause and shaped like
/// the runtime's own (a UUID of version 8, which is free for such uses).
fn fresh_id(cause: &Value, purpose: &str) -> String {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, cause.to_string(), purpose).hash(&mut hasher);
        hasher.finish()
    };
    let (high, low) = (half(1), half(2));
    let (first, second, third) = (high >> 32, (high >> 16) & 0xffff, high & 0x0fff);
    let (fourth, fifth) = (0x8000 | ((low >> 48) & 0x3fff), low & 0xffff_ffff_ffff);
    format!("{first:08x}-{second:04x}-8{third:03x}-{fourth:04x}-{fifth:012x}")
}

#[cfg(test)]
mod tests;
