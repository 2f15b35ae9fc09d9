//! Tests that the backlog follows what a person takes back from the runtime, or adds to.

use serde_json::json;

use super::backlog::{Scene, one};
use super::stand_in::StandIn;

#[tokio::test]
async fn what_was_taken_back_is_not_offered_and_what_was_added_is() {
    let runtime = StandIn::start().await;
    let mut scene = Scene::queued(&runtime, None).await;
    let params = json!({"messageId": "m1", "expectedPrompt": "a", "prompt": "b"});
    let (later, all) = (one("later", "waiting"), one("a\n\nb", "waiting"));
    for (method, answer, left) in [
        ("session.queue.appendSteering", r#"{"updated":false}"#, &later),
        ("session.queue.appendSteering", r#"{"updated":true}"#, &all),
        ("session.queue.withdrawMessage", r#"{"removed":false}"#, &all),
        ("session.queue.withdrawMessage", r#"{"removed":true}"#, &Vec::new()),
    ] {
        runtime.result(method, answer);
        scene.call(method, params.clone()).await;
        assert_eq!(scene.backlog().await.0, *left, "{method}");
    }
}
