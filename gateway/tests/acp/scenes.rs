//! What people see of some scenes, and what the agents get.

use pilothouse_gateway::agents::acp::event::{Effect, RpcError};
use pilothouse_gateway::agents::acp::known::{self, PROTOCOL, Quirks};
use pilothouse_gateway::agents::acp::prompt::Prompt;
use pilothouse_gateway::agents::acp::translation::{Input, SessionFacts, Translation};
use serde_json::{Value, json};

use crate::recording::{Counter, Log, Played, one, play};

/// The events of a type in the first session of a recording.
fn events(agent: &str, scene: &str, log: Log, event_type: &str) -> Vec<Value> {
    let shell = play(agent, &one(agent, scene), log);
    let session = shell.sessions.values().next().unwrap();
    let of_type = session.events().filter(|event| event.event_type.name() == event_type);
    of_type.map(|event| event.data.clone()).collect()
}

fn texts(agent: &str, scene: &str, event_type: &str, field: &str) -> Vec<String> {
    let events = events(agent, scene, Log::Kept, event_type);
    events.iter().map(|data| data[field].as_str().unwrap_or_default().to_owned()).collect()
}

/// A session that is tried by hand.
struct Try {
    translation: Translation,
    port: Counter,
}

impl Try {
    fn new(quirks: Quirks) -> Self {
        let session =
            SessionFacts { session_id: "s".to_owned(), cwd: "/w".to_owned(), ..SessionFacts::default() };
        Self { translation: Translation::new(session, quirks), port: Counter::default() }
    }

    /// With a prompt that runs.
    fn busy(quirks: Quirks) -> Self {
        let mut tried = Self::new(quirks);
        tried.give(Input::PromptSent(Prompt { text: "Go".to_owned(), ..Prompt::default() }));
        tried
    }

    fn give(&mut self, input: Input) -> Vec<Effect> {
        self.translation.take(input, &mut self.port)
    }

    fn update(&mut self, update: Value) -> Vec<Effect> {
        let params = json!({ "sessionId": "s", "update": update });
        self.give(Input::Notification { method: "session/update".to_owned(), params })
    }

    fn ask(&mut self, call: Value, options: Value) -> Vec<Effect> {
        let params = json!({ "sessionId": "s", "toolCall": call, "options": options });
        let (request_id, method) = ("1/7".to_owned(), "session/request_permission".to_owned());
        self.give(Input::Request { request_id, rpc_id: json!(7), method, params })
    }

    fn answer(&mut self, result: Value) -> Vec<Effect> {
        self.give(Input::Answer { request_id: "1/7".to_owned(), params: json!({ "result": result }) })
    }
}

fn options() -> Value {
    json!([
        { "optionId": "a", "name": "Allow all server tools for this session", "kind": "allow_always" },
        { "optionId": "b", "name": "Allow tool for this session", "kind": "allow_always" },
        { "optionId": "c", "name": "Allow", "kind": "allow_once" },
        { "optionId": "d", "name": "Reject", "kind": "reject_once" },
    ])
}

fn data(effects: &[Effect], event_type: &str) -> Vec<Value> {
    let data = |effect: &Effect| match effect {
        Effect::Event(event) if event.event_type.name() == event_type => Some(event.data.clone()),
        _ => None,
    };
    effects.iter().filter_map(data).collect()
}

fn chosen(effects: &[Effect]) -> Option<Value> {
    effects.iter().find_map(|effect| match effect {
        Effect::Respond { response: Ok(result), .. } => Some(result["outcome"].clone()),
        _ => None,
    })
}

#[test]
fn words_that_come_again_are_said_once() {
    for (agent, retries) in [("opencode", 4), ("copilot", 5), ("codex", 2)] {
        let said = texts(agent, "error-cut", "assistant.message", "content");
        let broken = said.iter().filter(|text| text.starts_with("This answer breaks off")).count();
        assert!(broken <= 1, "{agent}: {said:#?}");
        assert!(said.iter().all(|text| text.matches("This answer").count() <= 1), "{agent}: {said:#?}");
        assert_eq!(texts(agent, "error-cut", "assistant.turn_retry", "reason").len(), retries, "{agent}");
    }
}

#[test]
fn errors_in_the_text_are_errors() {
    for (agent, scene, message) in [
        ("codex", "error-400", "The scripted model refuses this request"),
        ("codex", "error-429", "exceeded retry limit, last status: 429 Too Many Requests"),
        ("copilot", "error-400", "Error: 400 The scripted model refuses this request"),
    ] {
        assert_eq!(texts(agent, scene, "session.error", "message"), [message], "{agent}/{scene}");
        let said = texts(agent, scene, "assistant.message", "content");
        assert!(said.iter().all(|text| text != message), "{agent}/{scene}: {said:?}");
    }
    let gemini = texts("gemini", "error-400", "session.error", "message");
    assert!(gemini.len() == 1 && !gemini[0].contains('{'), "{gemini:?}");
}

#[test]
fn a_word_of_the_model_that_looks_like_a_notice_stays_the_models() {
    let copilot = known::named("copilot").unwrap().quirks;
    let mut tried = Try::busy(copilot);
    let chunk = |text: &str| json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
    let mut effects = tried.update(chunk("Error: "));
    effects.extend(tried.update(chunk("that is what the log says.")));
    effects.extend(tried.give(Input::PromptEnded(Ok(json!({ "stopReason": "end_turn" })))));
    assert_eq!(data(&effects, "assistant.message")[0]["content"], "Error: that is what the log says.");
    assert!(data(&effects, "session.error").is_empty());
}

#[test]
fn exit_codes_are_there_beside_the_status() {
    for agent in ["opencode", "codex", "copilot"] {
        let ends = events(agent, "shell-output", Log::Kept, "tool.execution_complete");
        assert_eq!(ends[0]["shellExecution"]["exitCode"], 3, "{agent}: {}", ends[0]);
        assert!(ends[0]["result"]["content"].as_str().unwrap().contains("to-stderr"), "{agent}");
    }
}

#[test]
fn live_output_replaces_or_appends_as_the_agent_does_it() {
    for (agent, last) in
        [("codex", "line 6\n"), ("copilot", "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\n")]
    {
        let shell = play(agent, &one(agent, "shell-output"), Log::Kept);
        let played = shell.sessions.values().next().unwrap();
        let mut output = String::new();
        for event in played.events().filter(|event| event.data["toolCallId"] == "call_3") {
            if let Some(partial) = event.data["partialOutput"].as_str() {
                pilothouse_core::model::tool_call::merge_output(&mut output, partial);
            }
        }
        // The first piece of Codex is lost before it reaches us.
        let whole = if agent == "codex" { "line 2\nline 3\nline 4\nline 5\nline 6\n" } else { last };
        assert_eq!(output, whole, "{agent}");
    }
}

#[test]
fn pieces_of_output_that_look_alike_are_not_merged() {
    let mut tried = Try::busy(known::named("codex").unwrap().quirks);
    tried.update(json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "kind": "execute", "title": "yes", "status": "in_progress" }));
    let mut output = String::new();
    for piece in ["yes\n", "yes\n", "yes\n", "no\nyes\n", "yes\n"] {
        let meta = json!({ "terminal_output_delta": { "data": piece } });
        let effects =
            tried.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "_meta": meta }));
        for partial in data(&effects, "tool.execution_partial_result") {
            let partial = partial["partialOutput"].as_str().unwrap().to_owned();
            pilothouse_core::model::tool_call::merge_output(&mut output, &partial);
        }
    }
    let effects = tried
        .update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed" }));
    assert_eq!(
        data(&effects, "tool.execution_complete")[0]["result"]["content"],
        "yes\nyes\nyes\nno\nyes\nyes\n"
    );
    // What people see until then is at most shorter: the page takes a piece that it has for a repetition.
    assert!(
        "yes\nyes\nyes\nno\nyes\nyes\n".starts_with(&output) || output == "yes\nyes\nyes\nno\nyes\nyes\n",
        "{output}"
    );
}

#[test]
fn a_change_is_shown_in_full_before_it_is_allowed() {
    for (agent, scene) in
        [("opencode", "edit"), ("codex", "edit"), ("copilot", "edit"), ("gemini", "edit-no-fs")]
    {
        let asked = events(agent, scene, Log::Kept, "permission.requested");
        let request = &asked[0]["permissionRequest"];
        assert_eq!(request["kind"], "write", "{agent}");
        assert!(request["fileName"].as_str().unwrap().ends_with("src/greet.mjs"), "{agent}: {request}");
        let diff = request["diff"].as_str().unwrap();
        assert!(
            diff.contains("-    return `Hello, ${name}.`;") && diff.contains("+    return `Hello, ${who}!`;"),
            "{agent}: {diff}"
        );
        let ended = events(agent, scene, Log::Kept, "tool.execution_complete");
        let shown = ended.iter().any(|data| {
            data["result"]["detailedContent"]
                .as_str()
                .is_some_and(|diff| diff.contains("+    return `Hello, ${who}!`;"))
        });
        assert!(shown, "{agent}");
    }
}

#[test]
fn the_command_is_what_the_agent_will_run_not_its_description() {
    for agent in ["opencode", "codex", "copilot", "gemini"] {
        let asked = events(agent, "shell-once", Log::Kept, "permission.requested");
        for data in asked {
            assert_eq!(data["permissionRequest"]["fullCommandText"], "touch made-by-shell.txt", "{agent}");
            assert_eq!(data.get("agentSaysNothing"), None, "{agent}");
        }
    }
}

#[test]
fn an_unknown_agent_that_sends_only_a_title_is_told_of() {
    let mut tried = Try::busy(PROTOCOL);
    let effects =
        tried.ask(json!({ "toolCallId": "c", "kind": "execute", "title": "Run a command" }), options());
    let asked = &data(&effects, "permission.requested")[0];
    assert_eq!(asked["agentSaysNothing"], true);
    assert!(
        asked["permissionRequest"]["warning"].as_str().unwrap().contains("does not send what it will run")
    );
}

#[test]
fn every_option_is_there_by_its_own_name_and_can_be_chosen() {
    for (id, kind, ends) in [
        ("a", "approve-for-session", "approved-for-session"),
        ("b", "approve-for-session", "approved-for-session"),
        ("c", "approve-once", "approved"),
        ("d", "reject", "denied-interactively-by-user"),
    ] {
        let mut tried = Try::busy(PROTOCOL);
        let asked = tried.ask(json!({ "toolCallId": "c", "title": "echo" }), options());
        assert_eq!(data(&asked, "permission.requested")[0]["agentOptions"], options());
        let effects = tried.answer(json!({ "kind": kind, "optionId": id }));
        assert_eq!(chosen(&effects).unwrap(), json!({ "outcome": "selected", "optionId": id }));
        assert_eq!(data(&effects, "permission.completed")[0]["result"]["kind"], ends);
        assert!(effects.contains(&Effect::Answered(true)));
        // The second answer is too late.
        assert_eq!(tried.answer(json!({ "kind": kind, "optionId": id })), [Effect::Answered(false)]);
    }
}

#[test]
fn an_answer_never_grants_what_nobody_chose() {
    let always = json!([{ "optionId": "a", "name": "Always", "kind": "allow_always" }]);
    for (result, options) in [
        (json!({ "kind": "approve-once" }), always),
        (json!({ "kind": "reject", "optionId": "a" }), options()),
        (json!({ "kind": "approve-once", "optionId": "no such option" }), options()),
        (json!({ "kind": "moonrise" }), options()),
        (json!("approve-once"), options()),
    ] {
        let mut tried = Try::busy(PROTOCOL);
        tried.ask(json!({ "toolCallId": "c", "title": "echo" }), options);
        assert_eq!(tried.answer(result), [Effect::Answered(false)]);
        assert_eq!(tried.translation.open_permissions().len(), 1);
    }
}

#[test]
fn a_rejection_without_an_option_for_it_is_a_cancellation() {
    let mut tried = Try::busy(PROTOCOL);
    tried.ask(
        json!({ "toolCallId": "c", "title": "echo" }),
        json!([{ "optionId": "a", "name": "Yes", "kind": "allow_once" }]),
    );
    let effects = tried.answer(json!({ "kind": "reject" }));
    assert_eq!(chosen(&effects).unwrap(), json!({ "outcome": "cancelled" }));
}

#[test]
fn feedback_goes_as_the_next_prompt() {
    let mut tried = Try::busy(PROTOCOL);
    tried.ask(json!({ "toolCallId": "c", "title": "echo" }), options());
    let effects = tried.answer(json!({ "kind": "reject", "feedback": "Use printf" }));
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Prompt { .. })));
    let effects = tried.give(Input::PromptEnded(Ok(json!({ "stopReason": "cancelled" }))));
    let text = "Use printf".to_owned();
    assert!(effects.ends_with(&[Effect::Prompt { text }, Effect::TurnOver]), "{effects:#?}");
    // A rejection that ends the turn is not a stop.
    assert!(data(&effects, "abort").is_empty());
    assert_eq!(data(&effects, "session.idle")[0]["aborted"], false);
}

#[test]
fn a_stop_answers_what_is_open_before_the_agent_hears_of_it() {
    let mut tried = Try::busy(PROTOCOL);
    tried.ask(json!({ "toolCallId": "c", "title": "echo" }), options());
    let effects = tried.give(Input::Cancel);
    let answer = effects.iter().position(|effect| matches!(effect, Effect::Respond { .. })).unwrap();
    let notice = effects.iter().position(|effect| matches!(effect, Effect::Notify { .. })).unwrap();
    assert!(answer < notice);
    assert_eq!(chosen(&effects).unwrap(), json!({ "outcome": "cancelled" }));
    // What is asked now is answered at once, and nobody sees it.
    let late = tried.ask(json!({ "toolCallId": "d", "title": "echo" }), options());
    assert_eq!(chosen(&late).unwrap(), json!({ "outcome": "cancelled" }));
    assert!(data(&late, "permission.requested").is_empty());
}

#[test]
fn a_request_that_the_agent_withdraws_is_closed() {
    let mut tried = Try::busy(PROTOCOL);
    tried.ask(json!({ "toolCallId": "c", "title": "echo" }), options());
    let effects = tried.give(Input::Withdrawn { rpc_id: json!(7) });
    assert_eq!(data(&effects, "permission.completed")[0]["result"]["kind"], "cancelled");
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Respond { .. })));
}

#[test]
fn a_plan_is_approved_by_its_own_option() {
    let asked = events("codex", "plan-mode", Log::Kept, "exit_plan_mode.requested");
    assert_eq!(asked[0]["actions"], json!(["Yes, implement this plan"]));
    assert!(asked[0]["planContent"].as_str().unwrap().starts_with("# Warmer greeting"));
    let modes = texts("codex", "plan-mode", "session.mode_changed", "newMode");
    assert_eq!(modes, ["plan", "Read-only"]);
}

#[test]
fn todos_are_a_list_at_whoever_sends_one() {
    for (agent, last) in [("opencode", "blocked"), ("codex", "done")] {
        let shell = play(agent, &one(agent, "plan"), Log::Kept);
        let rows = shell.sessions.values().next().unwrap().translation.todos();
        let rows = rows["rows"].as_array().unwrap();
        assert_eq!(rows.len(), 3, "{agent}");
        assert_eq!(rows[2]["status"], last, "{agent}");
    }
    let replayed = events("opencode", "resume", Log::Lost, "tool.execution_start");
    assert!(replayed.iter().any(|data| data["toolName"] == "update_todo"), "{replayed:#?}");
    assert!(texts("copilot", "plan", "tool.execution_start", "toolName").contains(&"sql".to_owned()));
}

#[test]
fn tokens_are_those_of_the_prompt() {
    for (agent, input) in [("copilot", [20457, 20748, 21038]), ("codex", [21243, 21704, 22203])] {
        let used = events(agent, "shell-output", Log::Kept, "assistant.usage");
        let used: Vec<_> = used.iter().map(|data| data["inputTokens"].as_u64().unwrap()).collect();
        assert_eq!(used, input, "{agent}");
    }
    let by_model = texts("gemini", "switch", "assistant.usage", "model");
    assert_eq!(by_model, ["gemini-3.8-flash", "auto"]);
}

#[test]
fn a_load_never_doubles_what_the_log_has() {
    for agent in ["opencode", "codex", "gemini", "copilot"] {
        let kept = texts(agent, "resume", "user.message", "content");
        let first = "What does the project do? scene:text";
        assert_eq!(kept.iter().filter(|text| *text == first).count(), 1, "{agent}: {kept:#?}");
        let lost = events(agent, "resume", Log::Lost, "user.message");
        let lost: Vec<_> = lost.iter().map(|data| data["content"].as_str().unwrap()).collect();
        assert_eq!(lost.first(), Some(&first), "{agent}: {lost:#?}");
        assert!(
            lost.iter().all(|text| !text.contains("session_context") && !text.starts_with("[Function")),
            "{agent}"
        );
    }
}

#[test]
fn a_process_that_ends_leaves_nothing_open_and_says_so() {
    let mut tried = Try::busy(PROTOCOL);
    tried.ask(json!({ "toolCallId": "c", "title": "echo" }), options());
    let last_lines = vec!["Error: no such model".to_owned()];
    let effects =
        tried.give(Input::ProcessEnded { message: "The agent has ended with code 1".to_owned(), last_lines });
    let message = data(&effects, "session.error")[0]["message"].clone();
    assert_eq!(message, "The agent has ended with code 1\nError: no such model");
    assert_eq!(effects.last(), Some(&Effect::TurnOver));
    assert!(!tried.translation.is_open() && !tried.translation.is_busy());
    assert!(
        !effects.iter().any(|effect| matches!(effect, Effect::Respond { .. })),
        "nobody is there to hear it: {effects:#?}"
    );
}

#[test]
fn errors_of_a_prompt_are_in_words() {
    let mut tried = Try::busy(PROTOCOL);
    let message = "[{\"error\":{\"code\":400,\"message\":\"The model refuses\"}}]".to_owned();
    let effects = tried.give(Input::PromptEnded(Err(RpcError { code: 400, message, data: None })));
    let error = &data(&effects, "session.error")[0];
    assert_eq!(
        (error["message"].as_str(), error["errorCode"].as_str()),
        (Some("The model refuses"), Some("400"))
    );
}

#[test]
fn options_are_set_in_the_way_that_the_agent_has() {
    for (agent, method) in [
        ("opencode", "session/set_config_option"),
        ("codex", "session/set_config_option"),
        ("gemini", "session/set_mode"),
        ("copilot", "session/set_config_option"),
    ] {
        let shell = play(agent, &one(agent, "text"), Log::Kept);
        let (id, played): (&String, &Played) = shell.sessions.iter().next().unwrap();
        let call = played.translation.options().set_mode(id, "plan").unwrap();
        assert_eq!((call.method, call.params["sessionId"].as_str()), (method, Some(id.as_str())), "{agent}");
        assert_eq!(played.translation.options().set_mode(id, "moonrise"), None, "{agent}");
    }
}

#[test]
fn what_is_inside_a_sub_agent_is_the_sub_agents() {
    for (agent, scene) in [("copilot", "subagent"), ("codex", "rich-client")] {
        let shell = play(agent, &one(agent, scene), Log::Kept);
        let played = shell.sessions.values().next().unwrap();
        let started = played.events().find(|event| event.event_type.name() == "subagent.started").unwrap();
        let inner = played.events().filter(|event| event.agent_id == started.agent_id);
        let names: Vec<_> = inner.map(|event| event.event_type.name()).collect();
        assert!(names.contains(&"tool.execution_start"), "{agent}: {names:?}");
        assert_eq!(names.iter().filter(|name| **name == "subagent.completed").count(), 1, "{agent}");
        assert_eq!(names.last(), Some(&"subagent.completed"), "{agent}: {names:?}");
    }
    let warned = texts("opencode", "subagent", "session.warning", "warningType");
    assert_eq!(warned, ["subagent_permissions"]);
}

#[test]
fn a_call_begins_when_it_says_what_it_does() {
    for agent in ["opencode", "codex", "copilot", "gemini"] {
        for scene in ["shell-once", "shell-output", "shell-reject"] {
            for start in events(agent, scene, Log::Kept, "tool.execution_start") {
                let command = start["arguments"]["command"].as_str().unwrap_or_default();
                assert!(command.contains(' '), "{agent}/{scene}: {start}");
            }
        }
    }
    // One that never says it begins and ends with the prompt.
    let mut tried = Try::busy(PROTOCOL);
    let held = tried
        .update(json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "bash", "rawInput": {} }));
    assert_eq!(held, []);
    let effects = tried.give(Input::PromptEnded(Ok(json!({ "stopReason": "end_turn" }))));
    assert_eq!(data(&effects, "tool.execution_start").len(), 1);
    assert_eq!(data(&effects, "tool.execution_complete")[0]["error"]["code"], "interrupted");
    let late = tried
        .update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed" }));
    assert_eq!(late, [Effect::LeftOut("a call that has ended before")]);
}
