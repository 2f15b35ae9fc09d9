//! Tests of the audit log: who did what is in it, and no text and no secret.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::access::{OPERATOR, VIEWER, closed, first};
use super::client::{Socket, exchange, get};

const ANSWER: &str = "session.permissions.handlePendingPermissionRequest";

fn log_of(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pilothouse-audited-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder.join("audit.jsonl")
}

fn lines(log: &PathBuf) -> Vec<Value> {
    let text = fs::read_to_string(log).unwrap();
    assert!(!text.contains(OPERATOR) && !text.contains(VIEWER) && !text.contains("secret"), "{text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn a_link_for_a_phone_is_a_line_and_where_the_log_is_required_there_is_none_without_it() {
    let log = log_of("phone");
    let audit = log.clone();
    let (gateway, _) = closed(|access| {
        access.hosts = vec!["p.example".to_owned()];
        access.audit = Some(audit);
        access.audit_required = true;
    })
    .await;
    let bearer = format!("Bearer {OPERATOR}");
    let ask = async || {
        let headers = [("Authorization", bearer.as_str()), ("Host", "p.example")];
        exchange(&gateway, "POST", "/api/phone", &headers, r#"{"signIn":true}"#).await
    };
    let url = ask().await.json()["url"].as_str().unwrap().to_owned();
    let code = url.split_once("code=").unwrap().1.split('&').next().unwrap();
    assert!(!fs::read_to_string(&log).unwrap().contains(code));
    let of_link = |line: &Value| (line["method"] == "phonelink").then(|| line["outcome"].clone());
    let outcomes: Vec<_> = lines(&log).iter().filter_map(of_link).collect();
    assert_eq!(outcomes, ["begun", "done"]);
    fs::remove_dir_all(log.parent().unwrap()).unwrap();
    assert_eq!(ask().await.status, 503);
}

#[tokio::test]
async fn sign_ins_answers_and_refusals_are_lines_and_reading_is_none() {
    let log = log_of("all");
    let audit = log.clone();
    let (gateway, _) = closed(|access| {
        access.operator = Some(format!("Ana:{OPERATOR}"));
        access.audit = Some(audit);
    })
    .await;
    let id = first(&gateway, OPERATOR).await;
    let path = format!("/api/sessions/{id}/rpc");
    let bearer = format!("Bearer {OPERATOR}");
    let ana = [("Authorization", bearer.as_str())];
    let mut socket = Socket::try_open(&gateway, None, &ana).await.unwrap();
    let watch = socket.send_request("pilothouse.subscribe", json!({"sessionId": id})).await;
    socket.response(watch).await;
    let asked: Value =
        serde_json::from_str(&socket.until("permission.requested").await.last().unwrap().1).unwrap();
    let request = asked["data"]["requestId"].as_str().unwrap().to_owned();
    let params =
        json!({"sessionId": id, "requestId": request, "result": {"kind": "reject", "feedback": "my secret"}});
    let answer = json!({"jsonrpc": "2.0", "id": 1, "method": ANSWER, "params": params}).to_string();
    let viewer = format!("Bearer {VIEWER}");
    assert_eq!(exchange(&gateway, "POST", &path, &[("Authorization", &viewer)], &answer).await.status, 403);
    let done = exchange(&gateway, "POST", &path, &ana, &answer).await;
    assert_eq!(done.json()["result"]["success"], true);
    let told = socket.until("pilothouse.answered").await.pop().unwrap().1;
    let told: Value = serde_json::from_str(&told).unwrap();
    let data = json!({"requestId": request, "who": "Ana", "decision": "reject"});
    assert_eq!(
        (&told["data"], &told["source"], &told["ephemeral"]),
        (&data, &json!("pilothouse"), &json!(true))
    );
    let late = exchange(&gateway, "POST", &path, &ana, &answer).await;
    assert_eq!(late.json()["result"]["success"], false);
    get(&gateway, "/api/sessions", &[("Authorization", "Bearer not-a-token-of-it")]).await;
    get(&gateway, "/api/sessions", &[("Authorization", "Bearer share.not.one")]).await;
    get(&gateway, "/api/sessions", &[("Host", "evil.example")]).await;

    let told: Vec<_> = lines(&log)
        .iter()
        .map(|line| {
            let text = |member: &str| line[member].as_str().unwrap_or("-").to_owned();
            assert_eq!(line["from"], "127.0.0.1");
            assert!(line.get("sessionId").is_none_or(|session| *session == id.as_str()));
            assert!(line.get("requestId").is_none_or(|asked| *asked == request.as_str()));
            [text("who"), text("role"), text("method"), text("decision"), text("outcome")].join(" · ")
        })
        .collect();
    assert_eq!(
        told,
        [
            "Ana · operator · signin · - · signed in".to_owned(),
            "- · viewer · signin · - · signed in".to_owned(),
            format!("- · viewer · {ANSWER} · reject · refused: a viewer"),
            format!("Ana · operator · {ANSWER} · reject · done"),
            format!("Ana · operator · {ANSWER} · reject · refused: it was answered before, or is gone"),
            "- · - · signin · - · refused: wrong token".to_owned(),
            "- · - · signin · - · refused: wrong token".to_owned(),
            "- · - · - · - · refused: its host or origin is not allowed".to_owned(),
        ]
    );
}

#[tokio::test]
async fn where_it_is_required_nothing_is_operated_while_it_can_not_be_written() {
    let log = log_of("required");
    let audit = log.clone();
    let (gateway, _) = closed(|access| {
        access.audit = Some(audit);
        access.audit_required = true;
    })
    .await;
    let id = first(&gateway, OPERATOR).await;
    let path = format!("/api/sessions/{id}/rpc");
    let bearer = format!("Bearer {OPERATOR}");
    let params = json!({"sessionId": id, "requestId": "none", "result": {"kind": "approve-once"}});
    let answer = json!({"jsonrpc": "2.0", "id": 1, "method": ANSWER, "params": params}).to_string();
    let send =
        async || exchange(&gateway, "POST", &path, &[("Authorization", &bearer)], &answer).await.json();
    assert_eq!(send().await["result"]["success"], false);
    let outcomes: Vec<_> = lines(&log).iter().map(|line| line["outcome"].clone()).collect();
    assert_eq!(outcomes[1], "begun");
    fs::remove_dir_all(log.parent().unwrap()).unwrap();
    let refused = send().await["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        refused.contains("audit log can't be written") && refused.contains("nothing was carried out"),
        "{refused}"
    );
    assert_eq!(
        get(&gateway, "/api/sessions", &[("Authorization", &bearer)]).await.status,
        200,
        "it can be read"
    );
}
