//! Whether the decision on a request in a recording was a person's.

use pilothouse_core::protocol::RequestKind;
use serde_json::Value;

/// Whether the recorded decision was made by a person, so that the player must ask again.
///
/// Only the events decide this. A permission was not decided by a person where a hook, a rule, a policy
/// or an abort decided, or where the decision names another source. The other kinds carry the decision in
/// the first of their fields; where that is missing nobody decided (an abort).
pub fn decided_by_a_person(kind: RequestKind, requested: &Value, completed: &Value) -> bool {
    if kind != RequestKind::Permission {
        return kind.decision_fields().first().is_none_or(|field| !completed[*field].is_null());
    }
    let by_hook = requested["resolvedByHook"] == true || completed["resolvedByHook"] == true;
    let source = completed["decisionSource"].as_str();
    let word = completed["result"]["kind"].as_str().unwrap_or_default();
    let interactive = word.starts_with("approved") || word == "denied-interactively-by-user";
    !by_hook && interactive && source.is_none_or(|source| source == "human_response")
}
#[cfg(test)]
mod tests {
    use super::{RequestKind, decided_by_a_person};
    use serde_json::json;

    #[test]
    fn only_a_persons_permission_is_asked_again() {
        let asked = json!({"requestId": "r"});
        let decided = |kind: &str| {
            decided_by_a_person(
                RequestKind::Permission,
                &asked,
                &json!({"requestId": "r", "result": {"kind": kind}}),
            )
        };
        for kind in
            ["approved", "approved-for-session", "approved-for-location", "denied-interactively-by-user"]
        {
            assert!(decided(kind), "{kind}");
        }
        for kind in [
            "denied-by-rules",
            "denied-by-content-exclusion-policy",
            "denied-by-permission-request-hook",
            "denied-no-approval-rule-and-could-not-request-from-user",
            "cancelled",
        ] {
            assert!(!decided(kind), "{kind}");
        }
    }

    #[test]
    fn hooks_and_other_sources_are_nobody() {
        let approved = json!({"result": {"kind": "approved"}});
        let carried =
            json!({"result": {"kind": "approved"}, "decisionSource": "authorization_carry_forward"});
        let human = json!({"result": {"kind": "approved"}, "decisionSource": "human_response"});
        assert!(!decided_by_a_person(RequestKind::Permission, &json!({"resolvedByHook": true}), &approved));
        assert!(!decided_by_a_person(RequestKind::Permission, &json!({}), &carried));
        assert!(decided_by_a_person(RequestKind::Permission, &json!({}), &human));
    }

    #[test]
    fn a_question_that_was_aborted_was_not_answered() {
        assert!(!decided_by_a_person(RequestKind::UserInput, &json!({}), &json!({"requestId": "r"})));
        assert!(decided_by_a_person(
            RequestKind::UserInput,
            &json!({}),
            &json!({"answer": "", "wasFreeform": true})
        ));
        assert!(decided_by_a_person(RequestKind::Command, &json!({}), &json!({"requestId": "r"})));
    }
}
