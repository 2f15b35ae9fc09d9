//! A restart is one line: the gateway's error, the runtime's resume and its warning of lost calls.

use serde_json::{Value, json};

use super::play::Play;
use pilothouse::core::model::entry::Body;
use pilothouse::core::view_model::entry_words;

/// The lines that people see, with their level.
fn lines(play: &Play) -> Vec<String> {
    let shown = play.session.state().entries.iter().filter(|entry| entry.ui_visible);
    shown
        .map(|entry| match &entry.body {
            Body::Notice(notice) => format!("{}: {}", notice.level.word(), entry_words::text(entry)),
            _ => format!("{:?} {}", entry.kind, entry.state.word()),
        })
        .collect()
}

fn details(play: &Play) -> String {
    let notice = |body: &Body| match body {
        Body::Notice(notice) => notice.detail.as_ref().map(|detail| detail.words().into_owned()),
        _ => None,
    };
    let shown = play.session.state().entries.iter().filter(|entry| entry.ui_visible);
    shown.filter_map(|entry| notice(&entry.body)).collect::<Vec<_>>().join("\n")
}

fn ended() -> Value {
    json!({ "errorType": "runtime_ended", "message": "it ended, signal: 9" })
}

fn lost(play: &mut Play) {
    play.live("session.warning", json!({ "warningType": "resume_continuity", "message": "no callback 'x'" }));
    let error = json!({ "message": "It was interrupted", "code": "interrupted" });
    play.tell("tool.execution_complete", json!({ "toolCallId": "before", "success": false, "error": error }));
}

#[test]
fn a_restart_is_one_quiet_line_that_says_what_is_lost() {
    let begins = "The agent was restarted. What ran was interrupted";
    for (resume, expected) in [
        (json!({ "sessionWasActive": false }), begins.to_owned()),
        (
            json!({ "continuePendingWork": false }),
            format!("{begins}, and what was asked is not asked any more"),
        ),
        (
            json!({ "sessionWasActive": true }),
            "The connection to the agent was lost for a moment. Its work went on".to_owned(),
        ),
    ] {
        let mut play = Play::new();
        play.live("session.error", ended());
        assert_eq!(
            lines(&play),
            [
                "warning: The agent stopped unexpectedly. What ran is interrupted, and the agent is started again"
            ]
        );
        play.tell("session.resume", resume.clone());
        lost(&mut play);
        assert_eq!(lines(&play), [format!("warning: {expected}")], "{resume}");
        for said in ["signal: 9", "no callback", &pretty_name(&resume)] {
            assert!(details(&play).contains(said), "{said} is not in {}", details(&play));
        }
    }
}

fn pretty_name(resume: &Value) -> String {
    resume.as_object().and_then(|fields| fields.keys().next().cloned()).unwrap_or_default()
}

#[test]
fn each_restart_has_a_line_of_its_own() {
    let mut play = Play::new();
    for _ in 0..2 {
        play.live("session.error", ended());
        play.tell("session.resume", json!({ "sessionWasActive": false }));
    }
    assert_eq!(lines(&play), ["warning: The agent was restarted. What ran was interrupted"; 2]);
    play.live("session.error", ended());
    play.live("session.error", ended());
    assert_eq!(lines(&play).len(), 3, "one that is not over is counted");
    play.tell("session.resume", json!({}));
    assert_eq!(lines(&play).len(), 3);
}

#[test]
fn without_the_gateways_error_the_resume_is_the_line() {
    let mut play = Play::new();
    play.tell("session.resume", json!({ "continuePendingWork": true }));
    lost(&mut play);
    assert_eq!(lines(&play), ["milestone: Session resumed"]);
    assert!(details(&play).contains("no callback"), "{}", details(&play));
    // A history that begins later has neither.
    let mut play = Play::new();
    lost(&mut play);
    assert_eq!(
        lines(&play),
        ["warning: A call that was already allowed was lost when the agent was restarted"]
    );
}

#[test]
fn a_call_of_which_something_is_known_stays() {
    let mut play = Play::new();
    lost(&mut play);
    play.tell("tool.execution_start", json!({ "toolCallId": "before", "toolName": "bash", "arguments": {} }));
    assert_eq!(lines(&play).len(), 2, "its start came late: {:?}", lines(&play));
    let error = json!({ "message": "It was interrupted", "code": "timeout" });
    play.tell("tool.execution_complete", json!({ "toolCallId": "other", "success": false, "error": error }));
    assert_eq!(lines(&play).len(), 3, "one that failed says why");
}
