//! Facts 16 to 19: tool calls, their output, sub-agents.

use pilothouse::core::Kind;
use pilothouse::core::model::tool_call::ToolCall;
use serde_json::{Value, json};

use crate::play::{Play, state};

fn started(id: &str) -> Play {
    let mut play = Play::new();
    play.tell(
        "tool.execution_start",
        json!({ "toolCallId": id, "toolName": "bash", "arguments": { "command": "make" } }),
    );
    play
}

fn partial(play: &mut Play, output: &str) {
    play.live("tool.execution_partial_result", json!({ "toolCallId": "t", "partialOutput": output }));
}

fn completed(play: &mut Play, result: Value) {
    play.tell("tool.execution_complete", json!({ "toolCallId": "t", "success": true, "result": result }));
}

fn call(play: &Play) -> &ToolCall {
    play.entry("t").tool().expect("a tool call")
}

#[test]
fn fact_16_partial_output_comes_out_right_whichever_way_it_was_meant() {
    for (meant, partials, whole) in [
        ("the whole so far", &["one\n", "one\ntwo\n"][..], "one\ntwo\n"),
        ("the next chunk", &["one\n", "two\n"], "one\ntwo\n"),
        ("a window on the end", &["line 1\nline 2\n", "line 2\nline 3\n"], "line 1\nline 2\nline 3\n"),
    ] {
        let mut play = started("t");
        for output in partials {
            partial(&mut play, output);
        }
        assert_eq!(call(&play).output, whole, "{meant}");
    }
}

#[test]
fn fact_16_the_final_result_wins() {
    let mut play = started("t");
    partial(&mut play, "compiling");
    completed(&mut play, json!({ "content": "compiled" }));
    assert_eq!(play.timeline(), ["tool done: compiled"]);
}

#[test]
fn fact_17_a_start_without_an_end_and_an_end_without_a_start() {
    let mut orphan = started("t");
    orphan.tell("abort", json!({ "reason": "user_initiated" }));
    assert_eq!(state(orphan.entry("t")), "interrupted");

    let mut late = Play::new();
    completed(&mut late, json!({ "content": "from before the resume" }));
    assert_eq!(late.timeline(), ["tool done: from before the resume"]);
}

#[test]
fn fact_17_output_after_the_end_belongs_to_a_shell_in_the_background() {
    let mut play = started("t");
    completed(&mut play, json!({ "content": "moved to background" }));
    partial(&mut play, "still here");
    assert_eq!(play.timeline(), ["tool done: moved to background"]);
    assert_eq!(call(&play).later_output, "still here");
}

#[test]
fn fact_18_the_model_sees_content_and_people_see_the_detail_and_the_blocks() {
    let mut play = started("t");
    completed(
        &mut play,
        json!({ "content": "edited", "detailedContent": "--- a\n+++ b", "contents": [{ "type": "text" }] }),
    );
    assert_eq!(play.model_sees(), ["tool: edited"]);
    let tool = &play.session.snapshot()["timeline"][0]["tool"];
    assert_eq!(tool["detailedContent"], "--- a\n+++ b");
    assert_eq!(tool["contents"], json!([{ "type": "text" }]));

    let mut history = started("t");
    completed(&mut history, json!({ "content": "edited" }));
    assert_eq!(history.timeline(), play.timeline(), "history has no detail, the conversation is the same");
}

#[test]
fn fact_19_a_sub_agents_work_is_linked_to_its_task_call() {
    let mut play = Play::new();
    play.tell("tool.execution_start", json!({ "toolCallId": "task", "toolName": "task" }));
    play.agent(
        "helper",
        "subagent.started",
        json!({ "toolCallId": "task", "agentName": "explore", "agentDisplayName": "Scout" }),
    );
    play.agent(
        "helper",
        "tool.execution_start",
        json!({ "toolCallId": "t", "toolName": "bash", "parentToolCallId": "task" }),
    );
    play.tell(
        "permission.requested",
        json!({ "requestId": "p", "permissionRequest": { "kind": "shell", "toolCallId": "t" } }),
    );
    play.agent("helper", "assistant.message", json!({ "messageId": "a", "content": "Found it" }));
    for id in ["t", "p", "a"] {
        assert_eq!(play.entry(id).agent_id.as_deref(), Some("helper"), "{id}");
        assert_eq!(play.entry(id).parent_tool_call_id.as_deref(), Some("task"), "{id}");
    }
    assert!(play.model_sees().is_empty(), "the main model sees the task's result, not the sub-agent's words");
}

#[test]
fn fact_19_the_first_end_of_a_sub_agent_counts() {
    let mut play = Play::new();
    play.agent("helper", "subagent.started", json!({ "toolCallId": "task", "agentDisplayName": "Scout" }));
    play.agent("helper", "subagent.completed", json!({ "toolCallId": "task", "totalTokens": 12 }));
    play.agent(
        "helper",
        "subagent.completed",
        json!({ "toolCallId": "task", "cancelled": true, "totalTokens": 0 }),
    );
    assert_eq!(play.timeline(), ["subagent done: Scout"]);
    assert_eq!(play.session.snapshot()["timeline"][0]["subagent"]["totalTokens"], 12);
}

#[test]
fn fact_19_arguments_may_be_a_plain_string_and_control_characters_survive() {
    let mut play = Play::new();
    let patch = "*** Begin Patch\n\u{1b}[31m\u{7}\u{8}\r\n*** End Patch";
    play.tell(
        "tool.execution_start",
        json!({ "toolCallId": "t", "toolName": "apply_patch", "arguments": patch }),
    );
    assert_eq!(
        call(&play).arguments,
        Some(Value::String(patch.to_owned()).into()),
        "views decide what to show of it"
    );
}

#[test]
fn fact_19_a_sliding_window_of_a_large_output_is_merged_without_its_note() {
    let mut play = started("t");
    partial(&mut play, "line 1\nline 2\n");
    partial(&mut play, "<output too long - dropped 1 lines from the start>\nline 2\nline 3\n");
    assert_eq!(call(&play).output, "line 1\nline 2\nline 3\n");
}

#[test]
fn fact_19_a_tool_moved_to_the_background_is_complete() {
    let mut play = started("t");
    completed(&mut play, json!({ "content": "moved to background by the user" }));
    play.tell("user.message", json!({ "messageId": "m", "content": "be brief", "delivery": "steering" }));
    assert_eq!(play.texts(Kind::Tool), ["moved to background by the user"]);
    assert_eq!(state(play.entry("t")), "done");
}

#[test]
fn a_persons_call_answers_none_of_the_models_whichever_event_says_so() {
    for flagged in [json!({ "isUserRequested": true }), json!({})] {
        let mut play = Play::new();
        let call = json!({ "toolCallId": "t", "toolName": "bash", "arguments": { "command": "ls" } });
        play.tell("tool.user_requested", call);
        let mut done = json!({ "toolCallId": "t", "success": true, "result": { "content": "a.txt" } });
        done.as_object_mut().unwrap().extend(flagged.as_object().unwrap().clone());
        play.tell("tool.execution_complete", done);
        let view = play.session.state().context.messages();
        assert_eq!(view.len(), 1);
        assert_eq!((view[0].role.word(), view[0].tool_call_id.as_deref()), ("user", None));
        assert!(view[0].content.contains("Command:\nls"), "{}", view[0].content);
    }
}

#[test]
fn a_file_is_told_of_once_by_the_row_of_the_call_that_made_it() {
    let file = |path: &str| json!({ "infoType": "file_created", "message": path });
    let call = |id: &str, name: &str, arguments: Value| json!({ "toolCallId": id, "toolName": name, "arguments": arguments });
    let mut play = Play::new();
    play.tell("session.start", json!({ "sessionId": "s", "context": { "cwd": "/w" } }));
    play.tell("tool.execution_start", call("a", "create", json!({ "path": "/w/a.md", "file_text": "" })));
    play.live("session.info", file("/w/a.md"));
    let patch = "*** Begin Patch\n*** Add File: b.md\n+x\n*** End Patch\n";
    play.tell("tool.execution_start", call("b", "apply_patch", json!(patch)));
    play.live("session.info", file("/w/b.md"));
    play.tell(
        "tool.execution_start",
        call("c", "bash", json!({ "command": "touch c.md", "path": "/w/c.md" })),
    );
    play.live("session.info", file("/w/c.md"));
    play.live("session.info", file("/w/sub/a.md"));
    assert_eq!(play.texts(Kind::Notice).len(), 4, "all of them are kept");
    let told: Vec<String> = play.timeline().into_iter().filter(|row| row.starts_with("notice")).collect();
    assert_eq!(told, ["notice done: Created file c.md", "notice done: Created file sub/a.md"]);
}

#[test]
fn what_is_known_of_a_tool_is_kept_when_its_end_says_less() {
    let mut play = Play::new();
    play.tell(
        "tool.execution_start",
        json!({ "toolCallId": "c", "toolName": "find", "arguments": {}, "mcpTransport": "stdio",
            "toolDescription": { "description": "Finds", "annotations": { "readOnlyHint": true } } }),
    );
    play.tell(
        "tool.execution_complete",
        json!({ "toolCallId": "c", "success": true, "result": { "content": "" }, "mcpConfigSource": "workspace",
            "toolDescription": { "description": "Finds files" } }),
    );
    let about = &play.entry("c").tool().expect("a call").about;
    assert_eq!(about.description.as_deref(), Some("Finds files"));
    assert_eq!(about.annotations, Some(json!({ "readOnlyHint": true })));
    assert_eq!((about.transport.as_deref(), about.source.as_deref()), (Some("stdio"), Some("workspace")));
}

#[test]
fn the_calls_of_one_message_know_each_other_and_one_alone_knows_none() {
    let mut play = Play::new();
    let call = |id: &str| json!({ "toolCallId": id, "name": "view", "arguments": {} });
    let asks = |calls: &[&str]| {
        let calls: Vec<_> = calls.iter().map(|id| call(id)).collect();
        json!({ "messageId": format!("m{}", calls.len()), "content": "", "toolRequests": calls })
    };
    play.tell("assistant.message", asks(&["a", "b"]));
    play.tell("assistant.message", asks(&["alone"]));
    for id in ["a", "b", "alone"] {
        play.tell("tool.execution_start", json!({ "toolCallId": id, "toolName": "view", "arguments": {} }));
    }
    let parallel = |id: &str| play.entry(id).tool().expect("a call").parallel.as_deref().map(<[usize]>::len);
    assert_eq!(["a", "b", "alone"].map(parallel), [Some(2), Some(2), None]);
}

#[test]
fn a_binary_is_kept_under_its_id_and_one_without_an_id_is_not() {
    let mut play = Play::new();
    play.tell("session.binary_asset", json!({ "assetId": "a", "mimeType": "image/png", "data": "aGk=" }));
    play.tell("session.binary_asset", json!({ "mimeType": "image/png", "data": "aGk=" }));
    let assets = &play.session.state().assets;
    assert_eq!(assets.len(), 1);
    assert_eq!(assets["a"]["data"], "aGk=");
}
