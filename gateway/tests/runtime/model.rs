//! A scripted model: first it asks for a file to be made, and after the answer it says that it is done.

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Starts it. Returns its address.
pub async fn start() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let routes = Router::new()
        .route("/copilot_internal/user", get(user))
        .route("/models", get(models))
        .route("/chat/completions", post(complete))
        .with_state(address.clone());
    tokio::spawn(async { axum::serve(listener, routes).await });
    address
}

async fn user(State(address): State<String>) -> impl IntoResponse {
    body(&json!({"login": "someone", "copilot_plan": "individual_pro", "is_mcp_enabled": true,
        "endpoints": {"api": address, "telemetry": "http://127.0.0.1:1/none"}, "analytics_tracking_id": "t"}))
}

async fn models() -> impl IntoResponse {
    let limits = json!({"max_context_window_tokens": 128_000, "max_prompt_tokens": 120_000, "max_output_tokens": 16_000});
    let supports = json!({"streaming": true, "tool_calls": true, "parallel_tool_calls": true});
    body(
        &json!({"data": [{"id": "claude-sonnet-4.5", "name": "claude-sonnet-4.5", "object": "model", "vendor": "test",
        "version": "1", "preview": false, "model_picker_enabled": true, "policy": {"state": "enabled", "terms": ""},
        "capabilities": {"type": "chat", "family": "claude-sonnet-4.5", "object": "model_capabilities",
            "tokenizer": "o200k_base", "supports": supports, "limits": limits}}]}),
    )
}

async fn complete(request: String) -> impl IntoResponse {
    let Ok(request) = serde_json::from_str::<Value>(&request) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let answered =
        request["messages"].as_array().and_then(|all| all.last()).is_some_and(|last| last["role"] == "tool");
    let (delta, reason) = if answered {
        (json!({"role": "assistant", "content": "It is done."}), "stop")
    } else {
        let arguments = json!({"command": "touch made", "description": "Make a file"}).to_string();
        let call = json!({"index": 0, "id": "call_1", "type": "function", "function": {"name": "bash", "arguments": arguments}});
        (json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls")
    };
    let chunk = |delta: Value, reason: Value, usage: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        let chunk = json!({"id": "c", "object": "chat.completion.chunk", "created": 1_795_000_000, "model": request["model"],
            "choices": [choice], "usage": usage});
        format!("data: {chunk}\n\n")
    };
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    let text =
        chunk(delta, Value::Null, Value::Null) + &chunk(json!({}), json!(reason), usage) + "data: [DONE]\n\n";
    ([(header::CONTENT_TYPE, "text/event-stream")], text).into_response()
}

fn body(value: &Value) -> impl IntoResponse + use<> {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string())
}
