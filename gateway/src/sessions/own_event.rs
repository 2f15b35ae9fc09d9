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

/// The event that says who answered a request. `option_id` is the agent's own option, where one was chosen.
pub fn answered(request_id: &str, who: &str, decision: &str, option_id: Option<&str>) -> String {
    let mut data = json!({"requestId": request_id, "who": who, "decision": decision});
    if let Some(id) = option_id {
        data["optionId"] = id.into();
    }
    own_event(EventKind::PilothouseAnswered, &data)
}
