//! Events that the gateway itself adds to a session.

use pilothouse_core::protocol::EventKind;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::time;

/// An event of now: marked as the gateway's own by `source`, and ephemeral, since no history of the runtime has it.
pub fn own_event(event_type: EventKind, data: &Value) -> String {
    json!({
        "type": event_type.name(),
        "data": data,
        "source": "pilothouse",
        "ephemeral": true,
        "id": Uuid::new_v4().to_string(),
        "timestamp": time::now(),
        "parentId": null,
    })
    .to_string()
}

/// The event that says who wrote a message.
pub fn sent(message_id: &str, who: &str) -> String {
    own_event(EventKind::PilothouseSent, &json!({"messageId": message_id, "who": who}))
}

/// The event that says who answered a request.
pub fn answered(request_id: &str, who: &str, decision: &str) -> String {
    let data = json!({"requestId": request_id, "who": who, "decision": decision});
    own_event(EventKind::PilothouseAnswered, &data)
}
