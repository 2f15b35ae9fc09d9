//! Any agent's messages in any order, cut, repeated, broken and mixed with what people do: nothing panics, nothing is doubled,
//! nothing is open for ever.

use std::sync::LazyLock;

use pilothouse_gateway::agents::acp::event::{Effect, Event};
use pilothouse_gateway::agents::acp::known::{self, PROTOCOL};
use pilothouse_gateway::agents::acp::prompt::Prompt;
use pilothouse_gateway::agents::acp::replay::{Logged, LoggedMessage};
use pilothouse_gateway::agents::acp::translation::{Input, SessionFacts, Translation};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::outlines::{check_closed, check_state};
use crate::recording::{Counter, all};

/// Every message that an agent sent by itself.
static MESSAGES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let lines = all().into_iter().flat_map(|(_, _, lines)| lines);
    let mut messages: Vec<Value> = lines
        .filter(|line| line.is_agents && line.message.get("method").is_some())
        .map(|line| line.message)
        // The many chunks are alike.
        .enumerate()
        .filter(|(number, message)| {
            let kind = message["params"]["update"]["sessionUpdate"].as_str().unwrap_or_default();
            !kind.ends_with("_chunk") || number % 40 == 0
        })
        .map(|(_, message)| message)
        .collect();
    for unknown in [
        json!({ "method": "session/update", "params": { "sessionId": "s", "update": { "sessionUpdate": "moonrise" } } }),
        json!({ "method": "session/update", "params": { "sessionId": "s", "update": { "sessionUpdate": "tool_call" } } }),
        json!({ "method": "session/update", "params": { "sessionId": "s", "update": [] } }),
        json!({ "method": "session/update", "params": null }),
        json!({ "method": "elicitation/create", "id": 1, "params": { "sessionId": "s" } }),
        json!({ "method": "session/request_permission", "id": 1, "params": { "sessionId": "s" } }),
        json!({ "method": "_moon/rise", "params": {} }),
    ] {
        messages.push(unknown);
    }
    messages
});

#[derive(Clone, Debug)]
enum Step {
    Message(usize),
    /// A message with one of its members gone or of another type.
    Broken(usize, usize),
    Prompt,
    PromptEnds(usize),
    Answer(usize, usize),
    Cancel,
    Load(bool),
    Loaded(bool),
    ProcessEnds,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        20 => (0..10_000_usize).prop_map(Step::Message),
        4 => (0..10_000_usize, 0..1000_usize).prop_map(|(message, part)| Step::Broken(message, part)),
        3 => Just(Step::Prompt),
        2 => (0..6_usize).prop_map(Step::PromptEnds),
        3 => (0..10_usize, 0..9_usize).prop_map(|(request, answer)| Step::Answer(request, answer)),
        1 => Just(Step::Cancel),
        1 => any::<bool>().prop_map(Step::Load),
        1 => any::<bool>().prop_map(Step::Loaded),
        1 => Just(Step::ProcessEnds),
    ];
    prop::collection::vec(step, 1..60)
}

/// Changes one member, wherever it is.
fn spoil(value: &mut Value, part: &mut usize) {
    let spoilt = [Value::Null, json!(7), json!("moon"), json!([]), json!({})];
    match value {
        Value::Object(members) => members.values_mut().for_each(|member| spoil(member, part)),
        Value::Array(items) => items.iter_mut().for_each(|item| spoil(item, part)),
        _ => {}
    }
    if *part == 0 {
        *value = spoilt[value.to_string().len() % spoilt.len()].clone();
    }
    *part = part.wrapping_sub(1);
}

fn input(message: &Value, number: usize) -> Input {
    let mut params = message["params"].clone();
    // All is said in one session.
    if params["sessionId"].as_str().is_some_and(|id| !id.contains(":subagent:")) {
        params["sessionId"] = "s".into();
    }
    let method = message["method"].as_str().unwrap().to_owned();
    if message.get("id").is_some() {
        return Input::Request { request_id: format!("1/{number}"), rpc_id: json!(number), method, params };
    }
    Input::Notification { method, params }
}

fn run(agent: usize, steps: &[Step]) -> (Vec<Effect>, Translation) {
    let quirks = known::ALL.get(agent).map_or(PROTOCOL, |known| known.quirks);
    let session =
        SessionFacts { session_id: "s".to_owned(), cwd: "/w".to_owned(), ..SessionFacts::default() };
    let mut translation = Translation::new(session, quirks);
    let mut ids = Counter::default();
    let mut effects = translation.take(Input::Created(json!({})), &mut ids);
    let mut requests: Vec<String> = Vec::new();
    for (moment, step) in steps.iter().enumerate() {
        let input = match step {
            Step::Message(place) => input(&MESSAGES[place % MESSAGES.len()], moment),
            Step::Broken(place, part) => {
                let mut message = MESSAGES[place % MESSAGES.len()].clone();
                spoil(&mut message["params"], &mut part.clone());
                input(&message, moment)
            }
            Step::Prompt if translation.is_busy() => continue,
            Step::Prompt => Input::PromptSent(Prompt {
                message_id: format!("m{moment}"),
                text: "Go".to_owned(),
                ..Prompt::default()
            }),
            Step::PromptEnds(reason) => {
                let reasons = ["end_turn", "cancelled", "max_tokens", "refusal", "moonrise", ""];
                Input::PromptEnded(Ok(json!({ "stopReason": reasons[*reason] })))
            }
            Step::Answer(request, answer) => {
                let answers = [
                    json!({ "result": { "kind": "approve-once" } }),
                    json!({ "result": { "kind": "approve-for-session" } }),
                    json!({ "result": { "kind": "reject", "feedback": "No" } }),
                    json!({ "result": { "action": "accept", "content": {} } }),
                    json!({ "response": { "approved": true } }),
                    json!({ "response": { "approved": false, "feedback": "No" } }),
                    json!({ "result": { "kind": "approve-once", "optionId": "once" } }),
                    json!({ "result": { "optionId": "odd" } }),
                    Value::Null,
                ];
                let Some(request_id) =
                    requests.len().checked_sub(request % 3 + 1).and_then(|place| requests.get(place))
                else {
                    continue;
                };
                Input::Answer { request_id: request_id.clone(), params: answers[*answer].clone() }
            }
            Step::Cancel => Input::Cancel,
            Step::Load(log_is_empty) if !translation.is_busy() => {
                let messages = vec![LoggedMessage::new("Go", false)];
                Input::LoadStarts {
                    log: (!log_is_empty).then_some(Logged {
                        messages,
                        is_whole: moment % 2 == 0,
                        ..Logged::default()
                    }),
                }
            }
            Step::Load(_) => continue,
            Step::Loaded(true) => Input::Loaded(Ok(json!({}))),
            Step::Loaded(false) => {
                let error = pilothouse_gateway::agents::acp::event::RpcError {
                    code: 1,
                    message: "no".to_owned(),
                    data: None,
                };
                Input::Loaded(Err(error))
            }
            Step::ProcessEnds => Input::ProcessEnded { message: "gone".to_owned(), last_lines: Vec::new() },
        };
        if let Input::Request { request_id, .. } = &input {
            requests.push(request_id.clone());
        }
        let is_end = matches!(input, Input::PromptEnded(_) | Input::ProcessEnded { .. });
        effects.extend(translation.take(input, &mut ids));
        assert!(!is_end || !translation.is_open() || !translation.is_busy(), "open after {step:?}");
    }
    let ended = Input::ProcessEnded { message: "gone".to_owned(), last_lines: Vec::new() };
    effects.extend(translation.take(ended, &mut ids));
    (effects, translation)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_doubled_and_nothing_is_open_for_ever(agent in 0..5_usize, steps in steps()) {
        let (effects, translation) = run(agent, &steps);
        prop_assert!(!translation.is_open() && !translation.is_busy());
        let events: Vec<&Event> =
            effects.iter().filter_map(|effect| if let Effect::Event(event) = effect { Some(event) } else { None }).collect();
        check_closed("a history", events.iter().copied());
        // Each request of the agent is answered once, or was withdrawn, or nobody was left to hear it.
        let mut answered: Vec<String> = effects
            .iter()
            .filter_map(|effect| if let Effect::Respond { rpc_id, .. } = effect { Some(rpc_id.to_string()) } else { None })
            .collect();
        let count = answered.len();
        answered.sort();
        answered.dedup();
        prop_assert_eq!(answered.len(), count);
        let log: String = events.iter().map(|event| event.line(None) + "\n").collect();
        check_state("a history", &log);
    }
}
