//! What people see of some scenes, and what the agents get.

use pilothouse_core::model::answer::{Answer, Prepared, prepare};
use pilothouse_core::model::request::{Request, RequestKind};
use pilothouse_core::view_model::permission_offers::Offers;
use pilothouse_gateway::agents::acp::event::{Effect, RpcError};
use pilothouse_gateway::agents::acp::known::{self, PROTOCOL, Quirks};
use pilothouse_gateway::agents::acp::prompt::Prompt;
use pilothouse_gateway::agents::acp::replay::{Logged, LoggedMessage};
use pilothouse_gateway::agents::acp::translation::{Input, SessionFacts, Translation};
use serde_json::{Value, json};

use crate::recording::{Counter, Log, Played, all, one, play};

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

/// Codex answers its own commands with a text without an id, as it says its errors and warnings.
#[test]
fn what_a_command_answers_is_an_answer() {
    let said = texts("codex", "status", "assistant.message", "content");
    let answers: Vec<_> = said.iter().map(|text| text.split([':', '\n']).next().unwrap()).collect();
    assert_eq!(answers, ["**Model", "Available skills", "**Model"], "{said:?}");
    assert_eq!(
        texts("codex", "status", "session.error", "message"),
        ["The scripted model refuses this request"]
    );
}

#[test]
fn the_path_of_a_file_that_was_made_is_no_notice() {
    assert_eq!(texts("copilot", "edit", "session.info", "message"), Vec::<String>::new());
    assert_eq!(
        texts("copilot", "shell-reject", "session.info", "message"),
        ["Info: Operation cancelled by user"]
    );
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

/// The process of Gemini CLI has one folder, and each session another.
#[test]
fn the_folder_of_the_agents_process_is_not_taken_for_that_of_the_call() {
    let quirks = known::named("gemini").unwrap().quirks;
    for (said, shown) in [
        ("[current working directory /home] (Run a command)", "Run a command"),
        ("[current working directory /home]", ""),
        ("[in src] (Run a command)", "[in src] (Run a command)"),
    ] {
        let content = json!([{ "type": "content", "content": { "type": "text", "text": said } }]);
        let call = json!({ "toolCallId": "run_shell_command__1", "kind": "execute", "title": "touch a",
            "status": "pending", "content": content });
        let asked = Try::busy(quirks).ask(call, options());
        let request = &data(&asked, "permission.requested")[0]["permissionRequest"];
        assert_eq!((&request["fullCommandText"], &request["intention"]), (&json!("touch a"), &json!(shown)));
    }
}

/// Codex says what a command needs beyond its sandbox as text of the request.
#[test]
fn access_that_a_command_asks_for_is_what_the_agent_says() {
    let quirks = known::named("codex").unwrap().quirks;
    let text = |text: &str| json!([{ "type": "content", "content": { "type": "text", "text": text } }]);
    for (title, said, shown) in [
        ("touch a", "Enable network access", "Enable network access"),
        (
            "https network access to example.org",
            "https access to example.org",
            "https network access to example.org",
        ),
        ("touch a", "", ""),
    ] {
        let call = json!({ "toolCallId": "c", "kind": "execute", "title": title, "status": "pending",
            "rawInput": { "command": "touch a", "cwd": "/w" }, "content": text(said) });
        let asked = Try::busy(quirks).ask(call, options());
        let request = &data(&asked, "permission.requested")[0]["permissionRequest"];
        assert_eq!((&request["fullCommandText"], &request["intention"]), (&json!("touch a"), &json!(shown)));
    }
}

/// Who hears it once has forgotten it when the next sub-agent hangs.
#[test]
fn that_a_subagent_may_hang_is_said_in_each_prompt_in_which_one_starts() {
    let mut tried = Try::new(known::named("opencode").unwrap().quirks);
    let mut said = Vec::new();
    for place in 0..3 {
        let prompt = Prompt { text: "Go".to_owned(), ..Prompt::default() };
        let mut effects = tried.give(Input::PromptSent(prompt));
        // The third prompt starts none; the others start two.
        for id in 0..(if place == 2 { 0 } else { 2 }) {
            let call = json!({ "sessionUpdate": "tool_call", "toolCallId": format!("{place}-{id}"), "title": "task",
                "status": "in_progress", "rawInput": { "prompt": "Look", "subagent_type": "general" } });
            effects.extend(tried.update(call));
        }
        effects.extend(tried.give(Input::PromptEnded(Ok(json!({ "stopReason": "end_turn" })))));
        said.push(data(&effects, "session.warning").len());
    }
    assert_eq!(said, [1, 1, 0]);
}

/// Copilot CLI does not say whose words they are; but whoever runs a sub-agent waits for it.
#[test]
fn what_is_said_while_one_subagent_runs_is_its_word() {
    let shell = play("copilot", &one("copilot", "subagent"), Log::Kept);
    let session = shell.sessions.values().next().unwrap();
    let messages = session.events().filter(|event| event.event_type.name() == "assistant.message");
    let said: Vec<_> =
        messages.map(|event| (event.agent_id.as_deref(), event.data["content"].as_str().unwrap())).collect();
    assert_eq!(
        said,
        [
            (None, "I will do that. "),
            (Some("call_1"), "The helper reads."),
            (Some("call_1"), "The helper found one function."),
            (None, "The helper has looked around."),
        ]
    );
    // With two it is not known which one speaks.
    let mut tried = Try::busy(known::named("copilot").unwrap().quirks);
    for id in ["one", "two"] {
        tried.update(
            json!({ "sessionUpdate": "tool_call", "toolCallId": id, "title": "Look", "status": "pending",
            "rawInput": { "agent_type": "general-purpose", "prompt": "Look" } }),
        );
    }
    let content = json!({ "type": "text", "text": "I read." });
    let effects = tried.update(json!({ "sessionUpdate": "agent_message_chunk", "content": content }));
    let owners: Vec<_> = effects
        .iter()
        .filter_map(|effect| if let Effect::Event(event) = effect { Some(&event.agent_id) } else { None })
        .collect();
    assert_eq!(owners, [&None, &None]);
}

/// Codex has words of its own for them.
#[test]
fn calls_about_subagents_are_those_that_the_page_has_words_for() {
    let shell = play("codex", &one("codex", "subagents"), Log::Kept);
    let session = shell.sessions.values().next().unwrap();
    let started: Vec<_> =
        session.events().filter(|event| event.event_type.name() == "subagent.started").collect();
    let names: Vec<_> = started.iter().map(|event| &event.data["agentDisplayName"]).collect();
    assert_eq!(names, ["Read the greeting. scene:subread", "Make a file. scene:shell"]);
    let calls = events("codex", "subagents", Log::Kept, "tool.execution_start");
    let waits = calls.iter().find(|call| call["toolName"] == "read_agent").unwrap();
    assert_eq!(waits["arguments"]["agent_id"].as_str(), started[0].agent_id.as_deref());
    let ends = events("codex", "subagents", Log::Kept, "tool.execution_complete");
    let end = ends.iter().find(|end| end["toolCallId"] == waits["toolCallId"]).unwrap();
    assert_eq!(end["result"]["content"], "The helper found one function.");
    // What the second one needs is asked under its name.
    let asked = session.events().find(|event| event.event_type.name() == "permission.requested").unwrap();
    assert_eq!(asked.agent_id, started[1].agent_id);
}

#[test]
fn a_change_of_mode_has_the_agents_own_names_of_what_changed() {
    let told = |agent: &str, options: Value, change: Value| {
        let mut tried = Try::new(known::named(agent).unwrap().quirks);
        tried.give(Input::Created(options));
        let changed = data(&tried.update(change), "session.mode_changed");
        let text = |name: &str| changed[0][name].as_str().unwrap_or_default().to_owned();
        [text("setting"), text("previousName"), text("newName"), text("newMode")]
    };
    let option = |id: &str, name: &str, category: &str, current: &str, options: &[[&str; 2]]| {
        let options: Vec<_> =
            options.iter().map(|[value, name]| json!({ "value": value, "name": name })).collect();
        json!({ "id": id, "name": name, "category": category, "type": "select", "currentValue": current, "options": options })
    };
    // Codex: whether it plans, and what it may do, are two settings.
    let codex = |planning: &str| {
        let modes = [["read-only", "Read-only"], ["agent", "Auto review"]];
        let ways = [["default", "Default"], ["plan", "Plan"]];
        json!([
            option("mode", "Mode", "mode", "read-only", &modes),
            option("collaboration_mode", "Collaboration mode", "collaboration_mode", planning, &ways),
        ])
    };
    let change = json!({ "sessionUpdate": "config_option_update", "configOptions": codex("plan") });
    assert_eq!(
        told("codex", json!({ "configOptions": codex("default") }), change),
        ["Collaboration mode", "Default", "Plan", "plan"]
    );
    let opencode = |mode: &str| {
        json!([option("mode", "Session Mode", "mode", mode, &[["build", "build"], ["plan", "plan"]])])
    };
    let change = json!({ "sessionUpdate": "config_option_update", "configOptions": opencode("plan") });
    assert_eq!(
        told("opencode", json!({ "configOptions": opencode("build") }), change),
        ["", "build", "plan", "plan"]
    );
    let modes = json!({ "currentModeId": "default", "availableModes": [
        { "id": "default", "name": "Default" }, { "id": "yolo", "name": "YOLO" },
    ] });
    let change = json!({ "sessionUpdate": "current_mode_update", "currentModeId": "yolo" });
    assert_eq!(told("gemini", json!({ "modes": modes }), change), ["", "Default", "YOLO", "YOLO"]);
}

#[test]
fn tokens_of_a_prompt_are_told_only_where_they_are_the_prompts() {
    let told = |agent: &str| events(agent, "resume", Log::Kept, "assistant.usage");
    assert_eq!(told("opencode"), Vec::<Value>::new(), "they are of the last call only");
    // Copilot CLI counts from the start of a session, and from each load.
    let read: Vec<_> = told("copilot").iter().map(|usage| usage["inputTokens"].as_u64().unwrap()).collect();
    assert_eq!(read, [10_186, 31_198, 21_185, 44_044, 11_462]);
}

/// `OpenCode` says so after a stop and after an error.
#[test]
fn a_context_of_nothing_is_not_told() {
    let mut tried = Try::busy(known::named("opencode").unwrap().quirks);
    let size = |used: u64| json!({ "sessionUpdate": "usage_update", "used": used, "size": 128_000 });
    assert_eq!(data(&tried.update(size(1200)), "session.usage_info")[0]["currentTokens"], 1200);
    assert_eq!(data(&tried.update(size(0)), "session.usage_info"), Vec::<Value>::new());
}

#[test]
fn a_command_that_was_stopped_is_no_success() {
    for agent in ["opencode", "gemini", "copilot", "codex"] {
        let ends = events(agent, "cancel-tool", Log::Kept, "tool.execution_complete");
        assert_eq!(ends[0]["success"], false, "{agent}: {}", ends[0]);
        assert_eq!(ends[0]["error"]["code"], "interrupted", "{agent}: {}", ends[0]);
        assert!(ends[0]["result"]["content"].as_str().unwrap_or("line 2").contains("line 2"), "{agent}");
    }
}

/// `OpenCode` ends a second command with the first that is rejected, while that one is still asked for.
#[test]
fn a_request_that_the_agent_does_not_wait_for_was_not_stopped_by_a_person() {
    let mut tried = Try::busy(known::named("opencode").unwrap().quirks);
    tried.ask(json!({ "toolCallId": "c", "kind": "execute", "title": "touch two.txt" }), options());
    let effects = tried.give(Input::PromptEnded(Ok(json!({ "stopReason": "end_turn" }))));
    let settled = &data(&effects, "permission.completed")[0]["result"];
    assert_eq!(settled["reason"], "The agent does not wait for the answer any more.");
}

#[test]
fn a_title_that_only_names_the_change_is_not_what_the_agent_says_of_it() {
    for (agent, title, shown) in [
        ("codex", "Edit files", ""),
        ("copilot", "Edit file", ""),
        ("gemini", "src/a.rs: one => two", ""),
        ("opencode", "/w/src/a.rs", ""),
        ("codex", "Rename it, since both mean the same", "Rename it, since both mean the same"),
    ] {
        let quirks = known::named(agent).unwrap().quirks;
        let diff = json!([{ "type": "diff", "path": "/w/src/a.rs", "oldText": "one\n", "newText": "two\n" }]);
        let call = json!({ "toolCallId": "replace__1", "kind": "edit", "title": title, "status": "pending", "content": diff });
        let asked = Try::busy(quirks).ask(call, options());
        let request = &data(&asked, "permission.requested")[0]["permissionRequest"];
        assert_eq!((&request["kind"], &request["intention"]), (&json!("write"), &json!(shown)), "{agent}");
    }
}

/// Gemini CLI announces a call before it asks, and ends a rejected one, from a version after the recorded one on (its pull request
/// 29439).
#[test]
fn a_call_that_is_announced_and_ended_beside_its_rejection_is_there_once() {
    let mut tried = Try::busy(known::named("gemini").unwrap().quirks);
    let call = json!({ "toolCallId": "run_shell_command__1", "kind": "execute", "title": "touch a", "status": "pending" });
    let mut announced = call.clone();
    announced["sessionUpdate"] = json!("tool_call");
    let mut effects = tried.update(announced);
    effects.extend(tried.ask(call, options()));
    effects.extend(tried.answer(json!({ "kind": "reject" })));
    let failed = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "run_shell_command__1", "status": "failed" });
    effects.extend(tried.update(failed));
    effects.extend(tried.give(Input::PromptEnded(Ok(json!({ "stopReason": "end_turn" })))));
    let started = data(&effects, "tool.execution_start");
    let ended = data(&effects, "tool.execution_complete");
    assert_eq!((started.len(), ended.len()), (1, 1), "{effects:?}");
    assert_eq!(started[0]["arguments"]["command"], "touch a");
    assert_eq!(ended[0]["error"]["code"], "rejected");
}

#[test]
fn a_thought_with_a_subject_is_a_paragraph_and_an_empty_subject_is_not_seen() {
    let mut tried = Try::busy(known::named("gemini").unwrap().quirks);
    let chunks = ["****\nI look.", "**The file**\nIt greets.", "**The test**\nIt passes."];
    for text in chunks {
        let content = json!({ "type": "text", "text": text });
        tried.update(json!({ "sessionUpdate": "agent_thought_chunk", "content": content }));
    }
    let ended = tried.give(Input::PromptEnded(Ok(json!({ "stopReason": "end_turn" }))));
    let thought = &data(&ended, "assistant.reasoning")[0]["content"];
    assert_eq!(thought, "I look.\n\n**The file**\nIt greets.\n\n**The test**\nIt passes.");
}

#[test]
fn an_unknown_agent_that_sends_only_a_title_is_told_of() {
    let mut tried = Try::busy(PROTOCOL);
    let effects =
        tried.ask(json!({ "toolCallId": "c", "kind": "execute", "title": "Run a command" }), options());
    let asked = &data(&effects, "permission.requested")[0];
    assert_eq!(asked["agentSaysNothing"], true);
    // The page says it, in the reader's language.
    assert_eq!(asked["permissionRequest"]["fullCommandText"], "Run a command");
    assert_eq!(asked["permissionRequest"].get("warning"), None);
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
        assert!(effects.contains(&Effect::Answered(Ok(true))));
        // The second answer is too late.
        assert_eq!(tried.answer(json!({ "kind": kind, "optionId": id })), [Effect::Answered(Ok(false))]);
    }
}

/// Every option of every recorded request: the page offers it, and what the page then sends chooses it and nothing else.
#[test]
fn what_the_page_sends_for_each_recorded_option_is_what_the_agent_hears() {
    let mut tried_options = 0;
    for (agent, scene, lines) in all() {
        let asked = lines.iter().map(|line| &line.message);
        for message in asked.filter(|message| message["method"] == "session/request_permission") {
            let params = &message["params"];
            if params["toolCall"]["kind"] == "switch_mode" {
                continue;
            }
            for option in params["options"].as_array().unwrap() {
                let mut tried = Try::busy(known::named(&agent).unwrap().quirks);
                let effects = tried.ask(params["toolCall"].clone(), params["options"].clone());
                let details = data(&effects, "permission.requested").pop().unwrap();
                let id = option["optionId"].as_str().unwrap();
                let offers = Offers::of(&details).unwrap();
                let offer = offers.all.iter().find(|offer| offer.id.as_deref() == Some(id)).unwrap();
                assert_eq!(offer.name, option["name"].as_str().unwrap(), "{agent}/{scene}");
                assert_eq!(offer.is_main, option["kind"] == "allow_once", "{agent}/{scene}");
                assert_eq!(offer.lasts(), option["kind"] == "allow_always", "{agent}/{scene}");
                let request = Request::waiting(RequestKind::Permission, details);
                let answer = Answer::AgentOption { id: id.to_owned(), feedback: None };
                let Prepared { params, ending } = prepare(&request, &answer);
                let effects = tried.answer(params["result"].clone());
                assert_eq!(chosen(&effects).unwrap(), json!({ "outcome": "selected", "optionId": id }));
                let ended = &data(&effects, "permission.completed")[0];
                assert_eq!(ended["result"]["kind"], ending.word, "it is known as the answer of this page");
                assert_eq!(ended["agentOption"], option["name"]);
                tried_options += 1;
            }
        }
    }
    assert!(tried_options > 250, "{tried_options}");
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
        let effects = tried.answer(result.clone());
        assert!(matches!(effects.as_slice(), [Effect::Answered(Err(_))]), "{result}: {effects:?}");
        assert_eq!(tried.translation.open_permissions().len(), 1, "it can still be answered");
    }
}

/// Some agents ask a question so: one option for each answer, all of the same kind, and none that refuses.
#[test]
fn of_several_options_that_allow_once_only_the_named_one_is_chosen() {
    let options = json!([
        { "optionId": "alpha", "name": "Option Alpha", "kind": "allow_once" },
        { "optionId": "bravo", "name": "Option Bravo", "kind": "allow_once" },
    ]);
    let mut tried = Try::busy(PROTOCOL);
    tried.ask(json!({ "toolCallId": "c", "title": "Which one?" }), options);
    let effects = tried.answer(json!({ "kind": "approve-once" }));
    assert!(
        matches!(effects.as_slice(), [Effect::Answered(Err(_))]),
        "the first is nobody's choice: {effects:?}"
    );
    let effects = tried.answer(json!({ "kind": "approve-once", "optionId": "bravo" }));
    assert_eq!(chosen(&effects).unwrap()["optionId"], "bravo");
    assert_eq!(data(&effects, "permission.completed")[0]["agentOption"], "Option Bravo");
}

#[test]
fn nothing_is_refused_for_good_unless_that_was_chosen() {
    let options = json!([
        { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
        { "optionId": "never", "name": "Never", "kind": "reject_always" },
    ]);
    let mut tried = Try::busy(PROTOCOL);
    tried.ask(json!({ "toolCallId": "c", "title": "echo" }), options.clone());
    let effects = tried.answer(json!({ "kind": "reject" }));
    assert_eq!(chosen(&effects).unwrap(), json!({ "outcome": "cancelled" }));
    assert_eq!(data(&effects, "permission.completed")[0]["result"]["kind"], "denied-interactively-by-user");
    let mut tried = Try::busy(PROTOCOL);
    tried.ask(json!({ "toolCallId": "c", "title": "echo" }), options);
    let effects = tried.answer(json!({ "kind": "reject", "optionId": "never" }));
    assert_eq!(chosen(&effects).unwrap()["optionId"], "never");
}

#[test]
fn an_option_of_an_unknown_kind_can_be_chosen_by_its_id_alone() {
    let options = json!([
        { "optionId": "ask", "name": "Ask my supervisor", "kind": "_escalate" },
        { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
        { "name": "nobody can choose this", "kind": "allow_once" },
        { "optionId": "yes", "name": "nor tell this from the other", "kind": "allow_always" },
    ]);
    let mut tried = Try::busy(PROTOCOL);
    let asked = tried.ask(json!({ "toolCallId": "c", "title": "echo" }), options.clone());
    let listed = &data(&asked, "permission.requested")[0]["agentOptions"];
    assert_eq!(*listed, json!([options[0], options[1]]), "as the agent sent them");
    let effects = tried.answer(json!({ "optionId": "ask" }));
    assert_eq!(chosen(&effects).unwrap()["optionId"], "ask");
    let ended = &data(&effects, "permission.completed")[0];
    assert_eq!((&ended["result"], &ended["agentOption"]), (&json!({}), &json!("Ask my supervisor")));
}

#[test]
fn without_options_it_can_only_be_refused() {
    for options in [json!([]), json!(null), json!("broken"), json!([{}, 7])] {
        let mut tried = Try::busy(PROTOCOL);
        let asked = tried.ask(json!({ "toolCallId": "c", "title": "echo" }), options);
        assert_eq!(data(&asked, "permission.requested")[0]["agentOptions"], json!([]));
        let effects = tried.answer(json!({ "kind": "approve-once" }));
        assert!(matches!(effects.as_slice(), [Effect::Answered(Err(_))]), "{effects:?}");
        assert_eq!(chosen(&tried.answer(json!({ "kind": "reject" }))).unwrap()["outcome"], "cancelled");
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
fn what_was_said_in_another_program_is_taken_over_once_and_nothing_else_is() {
    for agent in ["opencode", "codex", "gemini", "copilot"] {
        let lines = one(agent, "resume");
        let is_load = |line: &crate::recording::Line| line.message["method"] == "session/load";
        let load = lines.iter().position(is_load).unwrap() + 1;
        let resumed = |log: Log| {
            let shell = play(agent, &lines, log);
            let effects = shell.sessions.values().flat_map(|played| &played.effects);
            let since = effects.filter(|(place, _)| *place >= load).filter_map(|(_, effect)| match effect {
                Effect::Event(event) => Some((event.event_type.name(), event.data.clone())),
                _ => None,
            });
            // Up to the first of the events that end a load.
            since.take_while(|(name, _)| *name != "session.resume").collect::<Vec<_>>()
        };
        let of = |events: &[(&str, Value)], name: &str, field: &str| {
            let named = events.iter().filter(|(event, _)| *event == name);
            named.map(|(_, data)| data[field].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        let same = resumed(Log::Kept);
        let said = |events: &[(&str, Value)]| of(events, "user.message", "content");
        assert_eq!(said(&same), Vec::<String>::new(), "{agent}");
        assert!(of(&same, "session.info", "infoType").is_empty(), "{agent}: {same:#?}");

        let all = [
            "What does the project do? scene:text",
            "Make the greeting warmer. scene:edit",
            "Make a file. scene:shell",
            "Make a plan and follow it. scene:plan",
        ];
        for behind in 1..=4 {
            let new = resumed(Log::Behind(behind));
            assert_eq!(said(&new), all[4 - behind..], "{agent}");
            assert_eq!(of(&new, "session.info", "infoType"), ["elsewhere"], "{agent}");
            assert!(
                of(&new, "assistant.message", "content")
                    .iter()
                    .any(|text| text.contains("The plan is done.")),
                "{agent}: {new:#?}"
            );
        }
    }
}

#[test]
fn what_another_program_said_is_only_named_where_its_place_is_not_certain() {
    let message = |text: &str| json!({ "sessionUpdate": "user_message_chunk", "messageId": text, "content": { "type": "text", "text": text } });
    let load = |replayed: &[&str]| {
        let mut tried = Try::new(PROTOCOL);
        let messages = ["Look", "Mend it"].map(|text| LoggedMessage::new(text, false)).to_vec();
        let mut effects = tried
            .give(Input::LoadStarts { log: Some(Logged { messages, is_whole: true, ..Logged::default() }) });
        for text in replayed {
            effects.extend(tried.update(message(text)));
            effects.extend(tried.update(json!({ "sessionUpdate": "tool_call", "toolCallId": text, "title": "view", "rawInput": { "path": "a" } })));
        }
        effects.extend(tried.give(Input::Loaded(Ok(json!({})))));
        effects
    };
    let unclear = load(&["Look", "Something else"]);
    assert_eq!(data(&unclear, "session.warning")[0]["warningType"], "elsewhere");
    assert!(data(&unclear, "user.message").is_empty() && data(&unclear, "tool.execution_start").is_empty());
    let forgotten = load(&["Look"]);
    assert!(data(&forgotten, "session.warning").is_empty(), "it forgot what was interrupted: {forgotten:#?}");
    let new = load(&["Look", "Mend it", "Something else"]);
    assert_eq!(data(&new, "user.message")[0]["content"], "Something else");
    assert_eq!(data(&new, "tool.execution_complete").len(), 1, "it is not open for ever");
}

#[test]
fn a_mode_of_the_process_before_is_not_the_one_of_the_next() {
    let load = |mode: &str, allowed_all: bool, current: &str| {
        let mut tried = Try::new(PROTOCOL);
        let log = Logged { is_whole: true, mode: Some(mode.to_owned()), allowed_all, ..Logged::default() };
        tried.give(Input::LoadStarts { log: Some(log) });
        let choice = |id: &str, name: &str| json!({ "id": id, "name": name });
        let modes = json!({ "currentModeId": current, "availableModes": [choice("default", "Default"), choice("yolo", "YOLO")] });
        tried.give(Input::Loaded(Ok(json!({ "modes": modes }))))
    };
    let asks = load("YOLO", true, "default");
    assert_eq!(data(&asks, "session.mode_changed")[0]["newMode"], "interactive");
    assert_eq!(data(&asks, "session.permissions_changed")[0]["mode"], "manual");
    assert!(data(&asks, "session.warning").is_empty(), "{asks:#?}");
    let same = load("YOLO", true, "yolo");
    assert!(data(&same, "session.mode_changed").is_empty(), "{same:#?}");
    assert!(data(&same, "session.permissions_changed").is_empty(), "{same:#?}");
    assert_eq!(data(&same, "session.warning")[0]["warningType"], "permissions");
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
