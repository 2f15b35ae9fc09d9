//! Messages for the running turn. The runtime lists their texts only; the server's backlog knows their ids.

use super::Queue;

/// The method that takes a message back which the agent does not have yet. Runtimes before 1.0.15 lack it.
pub const WITHDRAW: &str = "session.queue.withdrawMessage";

/// A message that steers the running turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Steering {
    /// Its text.
    pub text: String,
    /// The turn has taken it up.
    pub taken: bool,
    /// The id by which it can be taken back, where it is known.
    pub message_id: Option<String>,
}

impl Queue {
    /// The messages for the running turn, in the order in which it gets them. Two that read the same have their ids in the order in
    /// which they were sent.
    pub fn steering_shown(&self) -> Vec<Steering> {
        let is_queued =
            |id: &String| self.items.iter().flatten().any(|item| item.message_id.as_ref() == Some(id));
        let waits = self.backlog.iter().flatten().filter(|item| !item.dropped && !item.command);
        let mut waits: Vec<_> = waits
            .filter_map(|item| Some((item.text.trim(), item.message_id.clone().filter(|id| !is_queued(id))?)))
            .collect();
        let steering = self.steering.iter().enumerate().map(|(at, text)| {
            let taken = at < self.in_flight;
            let same = waits.iter().position(|(waiting, _)| *waiting == text.trim()).filter(|_| !taken);
            Steering { text: text.clone(), taken, message_id: same.map(|at| waits.remove(at).1) }
        });
        steering.collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn ids(steering: &[&str], taken: u64, backlog: &Value) -> Vec<Option<String>> {
        let mut queue = Queue::default();
        let items = json!([{ "id": "1", "messageId": "queued", "kind": "message", "displayText": "Red" }]);
        queue.set_items(
            json!({ "items": items, "steeringMessages": steering, "inFlightSteeringCount": taken }),
        );
        queue.set_backlog(json!({ "messages": backlog }));
        queue.steering_shown().into_iter().map(|steering| steering.message_id).collect()
    }

    fn message(id: &str, text: &str) -> Value {
        json!({ "id": format!("own-{id}"), "messageId": id, "kind": "message", "state": "waiting", "text": text })
    }

    #[test]
    fn a_message_for_the_turn_has_the_id_under_which_it_was_sent() {
        let some = |id: &str| Some(id.to_owned());
        let queued = message("queued", "Red");
        assert_eq!(
            ids(&["Red"], 0, &json!([queued, message("a", "Red")])),
            [some("a")],
            "not that of the queued one"
        );
        assert_eq!(ids(&["Red"], 0, &json!([queued])), [None]);
        assert_eq!(
            ids(&["Red", "Red"], 0, &json!([message("a", "Red"), message("b", " Red\n")])),
            [some("a"), some("b")]
        );
        assert_eq!(
            ids(&["Blue", "Red"], 1, &json!([message("a", "Blue"), message("b", "Red")])),
            [None, some("b")],
            "taken up"
        );
        assert_eq!(ids(&["Red, changed"], 0, &json!([message("a", "Red")])), [None]);
        let dropped =
            json!({ "id": "d", "messageId": "d", "kind": "message", "state": "dropped", "text": "Red" });
        let command =
            json!({ "id": "c", "messageId": "c", "kind": "command", "state": "waiting", "text": "Red" });
        let unnamed = json!({ "id": "u", "kind": "message", "state": "sending", "text": "Red" });
        assert_eq!(ids(&["Red"], 0, &json!([dropped, command, unnamed])), [None]);
        assert_eq!(ids(&[], 0, &json!([message("a", "Red")])), []);
    }

    #[test]
    fn without_a_backlog_no_id_is_known() {
        let mut queue = Queue::default();
        queue.set_items(json!({ "items": [], "steeringMessages": ["Red"], "inFlightSteeringCount": 0 }));
        assert_eq!(
            queue.steering_shown(),
            [Steering { text: "Red".to_owned(), taken: false, message_id: None }]
        );
    }
}
