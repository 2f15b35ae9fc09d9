//! Reads audit logs for people: who allowed what in a session, who signed in, what was refused.

use std::fmt::Write as _;

use super::record::{BEGUN, PHONE_LINK, Record, SIGN_IN};

/// What of a log is wanted.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only what was done in this session.
    pub session: Option<String>,
    /// Only what this person did.
    pub who: Option<String>,
}

/// The lines of a log as sentences, and how many lines are no records. The line that something begins is left out where the one that
/// says what became of it is there.
pub fn read(log: &str, filter: &Filter) -> (String, usize) {
    let (mut records, mut unreadable) = (Vec::new(), 0);
    for line in log.lines().filter(|line| !line.trim().is_empty()) {
        let Ok(record) = serde_json::from_str::<Record>(line) else {
            unreadable += 1;
            continue;
        };
        if record.outcome != BEGUN
            && let Some(begun) = records.iter().position(|begun| is_outcome_of(&record, begun))
        {
            records.remove(begun);
        }
        records.push(record);
    }
    let mut text = String::new();
    for record in records.iter().filter(|record| filter.wants(record)) {
        let _ = writeln!(text, "{}", sentence(record)); // writing into a String can't fail
    }
    (text, unreadable)
}

fn is_outcome_of(record: &Record, begun: &Record) -> bool {
    let what = |record: &Record| Record { at: String::new(), outcome: String::new(), ..record.clone() };
    begun.outcome == BEGUN && what(begun) == what(record)
}

impl Filter {
    fn wants(&self, record: &Record) -> bool {
        let fits = |wanted: &Option<String>, there: &Option<String>| wanted.is_none() || wanted == there;
        fits(&self.session, &record.session_id) && fits(&self.who, &record.who)
    }
}

fn sentence(record: &Record) -> String {
    let Record { at, role, from, outcome, .. } = record;
    let role = role.as_deref().unwrap_or("nobody who signed in");
    let who = match &record.who {
        Some(who) => format!("{who} ({role})"),
        None => role.to_owned(),
    };
    let what = match (record.method.as_deref(), record.decision.as_deref()) {
        (Some(SIGN_IN), _) => "signs in".to_owned(),
        (Some(PHONE_LINK), _) => "makes a link that signs in on a phone".to_owned(),
        (Some(method), Some(decision)) => {
            let request = record.request_id.as_deref().unwrap_or("?");
            let option = record.option_id.as_ref().map_or(String::new(), |id| format!(" ({id})"));
            format!("answers {decision}{option} to request {request} ({method})")
        }
        (Some(method), None) => format!("calls {method}"),
        (None, _) => "asks".to_owned(),
    };
    let session = record.session_id.as_ref().map_or(String::new(), |id| format!(" in session {id}"));
    let left_out = match record.left_out {
        0 => String::new(),
        count => format!(" (and {count} more refusals before it)"),
    };
    format!("{at}  {who} from {from} {what}{session}: {outcome}{left_out}")
}

#[cfg(test)]
mod tests {
    use super::{Filter, read};

    const LOG: &str = r#"{"at":"2026-11-28T03:00:00.000Z","who":"Ana","role":"operator","from":"192.0.2.1","method":"signin","outcome":"signed in"}
{"at":"2026-11-28T03:00:01.000Z","who":"Ana","role":"operator","from":"192.0.2.1","sessionId":"s","method":"session.permissions.handlePendingPermissionRequest","requestId":"r1","decision":"approve-once","outcome":"begun"}
{"at":"2026-11-28T03:00:01.000Z","who":"Ana","role":"operator","from":"192.0.2.1","sessionId":"s","method":"session.permissions.handlePendingPermissionRequest","requestId":"r1","decision":"approve-once","outcome":"done"}
{"at":"20
{"at":"2026-11-28T03:00:02.000Z","who":null,"role":null,"from":"203.0.113.9","method":"signin","outcome":"refused: wrong token","leftOut":3}
"#;

    #[test]
    fn it_says_who_allowed_what_in_a_session() {
        let filter = Filter { session: Some("s".to_owned()), who: None };
        let (text, unreadable) = read(LOG, &filter);
        assert_eq!(
            text,
            "2026-11-28T03:00:01.000Z  Ana (operator) from 192.0.2.1 answers approve-once to request r1 (session.permissions.handlePendingPermissionRequest) in session s: done\n"
        );
        assert_eq!(unreadable, 1);
    }

    #[test]
    fn what_began_and_has_no_outcome_is_shown() {
        let begun = LOG.lines().nth(1).unwrap();
        assert!(read(begun, &Filter::default()).0.ends_with(": begun\n"));
    }

    #[test]
    fn all_of_it_has_sign_ins_and_refusals() {
        let (text, _) = read(LOG, &Filter::default());
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].ends_with("Ana (operator) from 192.0.2.1 signs in: signed in"), "{}", lines[0]);
        assert!(
            lines[2].ends_with("nobody who signed in from 203.0.113.9 signs in: refused: wrong token (and 3 more refusals before it)"),
            "{}",
            lines[2]
        );
    }
}
