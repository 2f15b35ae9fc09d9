//! What the board says of a session: its status, what it asks or does, where it works, since when; and what can be done in its
//! tile. Live tiles and those of the first screen are made of it.

use serde_json::Value;

use super::entry_words::request_name;
use super::permission_line::permission;
use super::permission_offers::Offers;
use super::tool_summary::PLACE;
use crate::connection::encode_text;
use crate::i18n::Word;
use crate::i18n::format::{mode_name, premium, relative, without_marks};
use crate::i18n::words::{board as words, page};
use crate::model::agents::title as title_of_agent;
use crate::model::board::{Board, OpenRequest, SessionSource, Status, Summary};
use crate::model::machines::AwayMachine;
use crate::protocol::RequestKind;

/// How the part of a page's address begins that names the open session.
pub const SESSION_HASH: &str = "#session=";

/// The address of a session on the board's page.
pub fn address(id: &str) -> String {
    format!("{SESSION_HASH}{}", encode_text(id))
}

/// The word of a status.
pub fn status_word(status: Status, readonly: bool) -> Word {
    match status {
        Status::Waiting if readonly => page::WAITING_READ_ONLY,
        Status::Waiting => page::WAITING,
        Status::Error => page::ERROR,
        Status::Running => page::RUNNING,
        Status::Idle => page::IDLE,
        Status::Ended => page::ENDED,
    }
}

/// The word of a session's status.
pub fn word(known: &Summary, readonly: bool) -> Word {
    match known.shown_status() {
        Status::Ended if known.source == SessionSource::Stored => words::STORED,
        status => status_word(status, readonly),
    }
}

/// The session's title, or that it has none.
pub fn title(known: &Summary) -> String {
    known.title.clone().unwrap_or_else(|| words::UNTITLED.text().to_owned())
}

/// Since when it asks or is as it is, in words. `since` makes words of a time in milliseconds since 1970. In the list beside an
/// open session the status says that it asks.
pub fn since(known: &Summary, beside: bool, since: impl FnOnce(i64) -> String) -> String {
    match (known.waits_since(), known.last_active_at()) {
        (Some(asked), _) if beside => since(asked),
        (Some(asked), _) => words::ASKED.with(&[("age", (&since(asked)).into())]),
        (None, Some(last)) => since(last),
        (None, None) => String::new(),
    }
}

/// From how many per cent on a context window counts as nearly full.
pub const NEARLY_FULL: i64 = 80;

/// Where a session comes from that is not live; none on a server where none ever is. The status says it of a stored session.
pub fn source(known: &Summary, has_live: bool) -> Option<Word> {
    (has_live && known.source == SessionSource::Recording).then_some(words::RECORDING)
}

/// Where a tile stands, and who sees it.
#[derive(Debug, Clone, Copy)]
pub struct TilePlace {
    /// They may not answer.
    pub readonly: bool,
    /// It is in the list beside an open session.
    pub beside: bool,
    /// Its session is the open one.
    pub is_open: bool,
    /// It shows the cards of its requests.
    pub has_cards: bool,
    /// Stored sessions can be opened again.
    pub resumes: bool,
}

/// What can be done in a tile besides opening its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileAction {
    /// A stored session can be resumed.
    Resume,
    /// What is asked is too tall for the list: a button opens the session.
    Open,
    /// A hint says that it is answered where the session is open.
    OpenToAnswer,
    /// So many requests can be answered in the tile.
    Answer(usize),
}

/// What can be done in a tile. `short` is whether it [asks little](asks_little).
pub fn action(known: &Summary, short: bool, place: TilePlace) -> Option<TileAction> {
    if known.source == SessionSource::Stored && place.resumes && !place.beside {
        return Some(TileAction::Resume);
    }
    let waiting = known.requests.len();
    if waiting == 0 || place.readonly || place.beside && place.has_cards {
        return None;
    }
    if place.beside && !place.is_open && !short {
        return Some(TileAction::Open);
    }
    if known.requests.iter().all(|request| request.event.is_none()) {
        return (!place.is_open).then_some(TileAction::OpenToAnswer);
    }
    Some(TileAction::Answer(waiting))
}

/// The one line that matters: what it does, what it failed with, or what it asks. Empty if there is nothing to say.
pub fn activity(known: &Summary) -> String {
    let text = match known.status {
        Status::Waiting => asked(known).map(|(_, rest)| rest),
        Status::Error => known.error.clone(),
        Status::Running => known.intent.as_deref().map(without_marks),
        Status::Idle | Status::Ended => None,
    };
    text.unwrap_or_default()
}

/// How the line of a request that waits begins: what it asks for, or its kind, and which agent asks. It stands before the activity.
pub fn request(known: &Summary) -> Option<String> {
    asked(known).map(|(beginning, _)| beginning)
}

/// What waits, in our words up to what is asked for, and from there on.
fn asked(known: &Summary) -> Option<(String, String)> {
    let request: &OpenRequest = known.requests.first().filter(|_| known.status == Status::Waiting)?;
    let by = |words: String| match &request.agent {
        Some(agent) => page::OF_AGENT.with(&[("agent", agent.into()), ("entry", (&words).into())]),
        None => words,
    };
    let event = || serde_json::from_str::<Value>(request.event.as_deref()?).ok();
    let event = (request.kind == "permission").then(event).flatten();
    let line = event.as_ref().and_then(|event| permission(event.get("data")?, known.cwd.as_deref()));
    if let Some((word, object)) = line {
        let words = by(word.with(&[("object", PLACE.into())]));
        let (before, after) = words.split_once(PLACE)?;
        return Some((before.to_owned(), object + after));
    }
    let kind = by(RequestKind::of_word(&request.kind).map_or(page::REQUEST, request_name).text().to_owned());
    // Every character of a command or a path counts, so none is taken for markup.
    let text = if request.kind == "permission" { request.text.clone() } else { without_marks(&request.text) };
    Some((if text.is_empty() { kind } else { kind + ": " }, text))
}

/// Repository and branch; without a repository, the folder's own name.
pub fn place(known: &Summary) -> String {
    let folder = known.cwd.as_deref().map(|cwd| cwd.trim_end_matches(['/', '\\']));
    let parent = folder.and_then(|cwd| cwd.rsplit_once(['/', '\\'])).map(|(parent, _)| parent);
    let folder = folder.map(|folder| relative(folder, parent));
    let place = known.repository.clone().or(folder);
    [place, known.branch.clone()].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// What a board's rows name besides the session's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// Its machine, since there are several.
    pub machine: bool,
    /// Its agent, since there are several.
    pub agent: bool,
}

impl Named {
    /// What the rows of this board name.
    pub fn of(board: &Board) -> Self {
        Self { machine: board.names_machines(), agent: board.names_agents() }
    }

    /// Whether they name any of it.
    pub fn any(self) -> bool {
        self.machine || self.agent
    }
}

/// The machine and the agent, as far as they are named, or that the machine is away. `moment` makes words of a time in milliseconds since
/// 1970.
pub fn machine_and_agent(known: &Summary, named: Named, moment: impl FnOnce(i64) -> String) -> String {
    if let Some(away) = known.away() {
        return away_since(&away, moment);
    }
    let machine = known.machine.as_deref().filter(|_| named.machine);
    let agent = known.agent.as_deref().filter(|_| named.agent).map(title_of_agent);
    [machine, agent].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// That a machine is away, and since when.
pub fn away_since(away: &AwayMachine, moment: impl FnOnce(i64) -> String) -> String {
    let since = away.since.map(moment);
    let machine = ("machine", (&away.name).into());
    match since {
        Some(since) => words::AWAY_SINCE.with(&[machine, ("since", (&since).into())]),
        None => words::AWAY.with(&[machine]),
    }
}

/// The mode, unless it is the usual one, and the cost.
pub fn facts(known: &Summary) -> String {
    let cost = (known.cost > 0.0).then(|| premium(known.cost));
    let mode = known.mode.as_deref().filter(|mode| *mode != "interactive").map(mode_name);
    [mode, cost].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Letters in a line of a card in the list beside an open session.
const COLUMNS: usize = 32;
/// The lines of a short request.
const SHORT: usize = 10;
/// How many short requests stand in one row.
const MOST: usize = 2;

/// Whether all that a session asks is short: then the list beside an open session shows the cards. Anything taller is
/// answered where the session is open, and so is what can't be answered now.
pub fn asks_little(known: &Summary) -> bool {
    let some = known.away().is_none() && !known.requests.is_empty() && known.requests.len() <= MOST;
    some && known.requests.iter().all(|request| lines(request).is_some_and(|lines| lines <= SHORT))
}

/// About how many lines say what is asked; `None` for a request that is not known here or whose event was too large.
fn lines(request: &OpenRequest) -> Option<usize> {
    let event: Value = serde_json::from_str(request.event.as_deref()?).ok()?;
    let data = event.get("data")?;
    match RequestKind::of_word(&request.kind)? {
        RequestKind::Permission => {
            let asked = data.get("permissionRequest")?;
            // A kind that is not known shows all its fields.
            let fields: &[&str] = match asked.get("kind")?.as_str()? {
                "shell" => &["fullCommandText", "intention"],
                "write" => &["fileName", "diff", "intention"],
                "read" => &["path", "intention"],
                "url" => &["url", "intention"],
                "mcp" => &["toolTitle", "args"],
                "custom-tool" => &["toolDescription", "args"],
                "memory" => &["subject", "fact", "citations", "reason"],
                _ => return Some(lines_of_value(asked)),
            };
            // The agent's own answers, where they stand below each other.
            let offers = Offers::of(data).filter(|offers| offers.stacked);
            let answers = offers.map_or(0, |offers| 2 * offers.all.len());
            Some(
                fields.iter().filter_map(|field| asked.get(*field)).map(lines_of_value).sum::<usize>()
                    + answers,
            )
        }
        RequestKind::UserInput => {
            let parts = ["question", "choices"].iter().filter_map(|part| data.get(*part));
            Some(parts.map(lines_of_value).sum())
        }
        _ => None,
    }
}

fn lines_of_value(value: &Value) -> usize {
    match value {
        Value::Null => 0,
        Value::String(text) => {
            text.lines().map(|line| line.chars().count().div_ceil(COLUMNS).max(1)).sum::<usize>().max(1)
        }
        Value::Array(list) => list.iter().map(lines_of_value).sum(),
        Value::Object(fields) => fields.values().map(lines_of_value).sum(),
        Value::Bool(_) | Value::Number(_) => 1,
    }
}

/// How long ago something was, as people say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// Less than a minute ago.
    JustNow,
    /// So many of a unit ago; the unit is named as `Intl.RelativeTimeFormat` names it.
    Ago(i64, &'static str),
    /// On the day before today, at a time of day.
    Yesterday,
}

/// How long ago something was. Each time is in milliseconds since 1970, with the minutes that the reader's clock is ahead of
/// UTC then.
pub fn age(at: (i64, i64), now: (i64, i64)) -> Age {
    const DAY: i64 = 86_400_000;
    let local_day = |(time, offset): (i64, i64)| time.saturating_add(offset * 60_000).div_euclid(DAY);
    let seconds = (now.0.saturating_sub(at.0) / 1_000).max(0);
    let days = local_day(now).saturating_sub(local_day(at));
    let rounded = |unit: i64| ((seconds + unit / 2) / unit).max(1);
    match (seconds, days) {
        (..45, _) => Age::JustNow,
        (..3_570, _) => Age::Ago(rounded(60), "minute"),
        // A night between two times does not make hours a day.
        (..21_600, _) | (_, ..=0) => Age::Ago(rounded(3_600), "hour"),
        (_, 1) => Age::Yesterday,
        (_, ..30) => Age::Ago(days, "day"),
        (..31_536_000, _) => Age::Ago(rounded(2_592_000), "month"),
        _ => Age::Ago(rounded(31_536_000), "year"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::board::Board;

    fn summary(row: &Value) -> Summary {
        let mut board = Board::default();
        board.merge_list(&json!([row]));
        board.sessions().first().cloned().unwrap()
    }

    fn asking(kind: &str, data: &Value) -> Value {
        json!({ "requestId": "r", "kind": kind, "text": "now", "event": { "type": "x", "data": data } })
    }

    fn waiting(requests: &[Value]) -> Summary {
        summary(&json!({ "sessionId": "s", "status": "waiting", "requests": requests }))
    }

    #[test]
    fn a_row_says_what_is_asked_done_or_failed() {
        let asks = |kind: &str, text: &str, agent: Option<&str>| {
            summary(&json!({ "sessionId": "s", "status": "waiting",
                "requests": [{ "requestId": "r", "kind": kind, "text": text, "agent": agent }] }))
        };
        let said = |known: &Summary| request(known).unwrap_or_default() + &activity(known);
        assert_eq!(said(&asks("permission", "ls **/*.md", None)), "Permission: ls **/*.md");
        let write = json!({ "permissionRequest": { "kind": "write", "fileName": "/w/src/a.rs" } });
        let row = json!({ "sessionId": "s", "cwd": "/w", "status": "waiting", "requests": [asking("permission", &write)] });
        assert_eq!(said(&summary(&row)), "Write src/a.rs");
        assert_eq!(said(&asks("plan", "paint `it`", None)), "Plan: paint it");
        assert_eq!(said(&asks("moonrise", "", None)), "Request");
        let other = |status: &str| {
            summary(
                &json!({ "sessionId": "s", "status": status, "intent": "Reading `a`", "error": "No model" }),
            )
        };
        assert_eq!(said(&other("running")), "Reading a");
        assert_eq!(said(&other("error")), "No model");
        assert_eq!((said(&other("idle")), said(&other("ended"))), (String::new(), String::new()));
    }

    #[test]
    fn a_place_is_the_repository_or_the_folder() {
        let of = |row: Value| place(&summary(&row));
        assert_eq!(
            of(json!({ "sessionId": "s", "repository": "o/r", "branch": "main", "cwd": "/w/x" })),
            "o/r · main"
        );
        assert_eq!(of(json!({ "sessionId": "s", "cwd": "/workspace/boats/" })), "boats");
        assert_eq!(of(json!({ "sessionId": "s", "cwd": "C:\\work\\boats" })), "boats");
        assert_eq!(of(json!({ "sessionId": "s" })), "");
    }

    #[test]
    fn a_row_names_its_machine_where_there_are_several_and_says_since_when_it_is_away() {
        let of = |row: Value, machine| {
            machine_and_agent(&summary(&row), Named { machine, agent: false }, |_| "14:03".to_owned())
        };
        let ws = json!({ "sessionId": "s", "machine": "ws" });
        assert_eq!((of(ws.clone(), true), of(ws, false)), ("ws".to_owned(), String::new()));
        assert_eq!(of(json!({ "sessionId": "s" }), true), "");
        let away = |time: &str| json!({ "sessionId": "s", "machine": "ws", "away": time });
        assert_eq!(of(away("2026-11-28T14:03:00.000Z"), false), "ws away since 14:03");
        assert_eq!(of(away("lately"), false), "ws is away");
        let shell = asking(
            "permission",
            &json!({ "permissionRequest": { "kind": "shell", "fullCommandText": "ls" } }),
        );
        let asks = |away: Value| {
            summary(
                &json!({ "sessionId": "s", "status": "waiting", "machine": "ws", "away": away, "requests": [shell.clone()] }),
            )
        };
        assert!(asks_little(&asks(json!(null))) && !asks_little(&asks(json!(true))), "it can't be answered");
    }

    #[test]
    fn a_row_names_its_agent_where_there_are_several() {
        let of = |row: Value, machine, agent| {
            machine_and_agent(&summary(&row), Named { machine, agent }, |_| "14:03".to_owned())
        };
        let row = json!({ "sessionId": "s", "machine": "ws", "agent": "opencode" });
        assert_eq!(of(row.clone(), true, true), "ws · OpenCode");
        assert_eq!(
            (of(row.clone(), false, true), of(row, true, false)),
            ("OpenCode".to_owned(), "ws".to_owned())
        );
        assert_eq!(of(json!({ "sessionId": "s", "agent": "mine" }), true, true), "mine");
        assert_eq!(of(json!({ "sessionId": "s" }), true, true), "", "a recording has none");
    }

    #[test]
    fn only_what_is_short_is_answered_in_the_list() {
        let shell = |command: &str| {
            asking(
                "permission",
                &json!({ "permissionRequest": { "kind": "shell", "fullCommandText": command } }),
            )
        };
        let of = |permission: Value| asking("permission", &json!({ "permissionRequest": permission }));
        for (requests, little) in [
            (vec![shell("cargo test")], true),
            (vec![shell("cargo test"), shell("ls")], true),
            (vec![shell("cargo test"), shell("ls"), shell("pwd")], false),
            (vec![shell("cargo test"), shell(&"echo a\n".repeat(11))], false),
            (vec![shell(&"x".repeat(COLUMNS * SHORT))], true),
            (vec![shell(&"x".repeat(COLUMNS * SHORT + 1))], false),
            (vec![shell("")], true),
            (vec![of(json!({ "kind": "read", "path": "/w/a" }))], true),
            (
                vec![of(
                    json!({ "kind": "write", "fileName": "a", "diff": "--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n-two\n+three", "intention": "Count", "newFileContents": "long\n".repeat(99) }),
                )],
                true,
            ),
            (vec![of(json!({ "kind": "write", "fileName": "a", "diff": "+a\n".repeat(30) }))], false),
            (vec![of(json!({ "kind": "mcp", "args": { "a": "1", "b": [1, 2, null, true] } }))], true),
            (vec![of(json!({ "kind": "mcp", "args": "line\n".repeat(20) }))], false),
            (vec![of(json!({ "kind": "moonrise", "one": "line\n".repeat(20) }))], false),
            (vec![of(json!({ "kind": "moonrise", "one": "line" }))], true),
            (vec![of(json!("torn"))], false),
            (vec![asking("question", &json!({ "question": "Which?", "choices": ["a", "b"] }))], true),
            (vec![asking("question", &json!({ "question": "Which?", "choices": vec!["a"; 12] }))], false),
            (vec![asking("plan", &json!({ "planContent": "a" }))], false),
            (vec![asking("form", &json!({ "message": "a" }))], false),
            (vec![json!({ "requestId": "r", "kind": "permission", "text": "without its event" })], false),
            (vec![], false),
        ] {
            assert_eq!(asks_little(&waiting(&requests)), little, "{requests:?}");
        }
    }

    #[test]
    fn a_tile_offers_what_can_be_done_where_it_stands() {
        let place =
            TilePlace { readonly: false, beside: false, is_open: false, has_cards: false, resumes: true };
        let beside = TilePlace { beside: true, ..place };
        let shell = asking(
            "permission",
            &json!({ "permissionRequest": { "kind": "shell", "fullCommandText": "ls" } }),
        );
        let (short, tall) = (waiting(&[shell]), waiting(&[asking("plan", &json!({ "planContent": "a" }))]));
        let elsewhere = waiting(&[json!({ "requestId": "r", "kind": "plan", "text": "without its event" })]);
        let stored = summary(&json!({ "sessionId": "s", "live": true, "stored": true }));
        let of = |known: &Summary, place| action(known, asks_little(known), place);
        assert_eq!(of(&short, place), Some(TileAction::Answer(1)));
        assert_eq!(of(&short, beside), Some(TileAction::Answer(1)), "its cards are not there yet");
        assert_eq!(of(&short, TilePlace { has_cards: true, ..beside }), None);
        assert_eq!(of(&tall, place), Some(TileAction::Answer(1)));
        assert_eq!(of(&tall, beside), Some(TileAction::Open));
        assert_eq!(of(&tall, TilePlace { is_open: true, ..beside }), Some(TileAction::Answer(1)));
        assert_eq!(of(&elsewhere, place), Some(TileAction::OpenToAnswer));
        assert_eq!(of(&elsewhere, TilePlace { is_open: true, ..place }), None);
        assert_eq!(of(&stored, place), Some(TileAction::Resume));
        assert_eq!((of(&stored, beside), of(&stored, TilePlace { resumes: false, ..place })), (None, None));
        for known in [&short, &tall, &elsewhere] {
            assert_eq!(of(known, TilePlace { readonly: true, ..place }), None);
        }
        assert_eq!(word(&stored, false).text(), "Stored");
        assert_eq!(since(&stored, false, |_| "now".to_owned()), "");
        assert_eq!(address("a b/é"), "#session=a%20b%2F%C3%A9");
    }

    #[test]
    fn an_age_is_as_people_say_it() {
        const MINUTE: i64 = 60_000;
        const HOUR: i64 = 60 * MINUTE;
        const DAY: i64 = 24 * HOUR;
        let noon = 20_000 * DAY + 12 * HOUR;
        for (at, now, age_then) in [
            (noon, noon, Age::JustNow),
            (noon + HOUR, noon, Age::JustNow),
            (noon - 50_000, noon, Age::Ago(1, "minute")),
            (noon - 59 * MINUTE, noon, Age::Ago(59, "minute")),
            (noon - 3 * HOUR, noon, Age::Ago(3, "hour")),
            (noon - 11 * HOUR, noon, Age::Ago(11, "hour")),
            // The evening before is hours ago in the night, and yesterday in the morning.
            (noon - 14 * HOUR, noon - 11 * HOUR, Age::Ago(3, "hour")),
            (noon - 13 * HOUR, noon, Age::Yesterday),
            (noon - 36 * HOUR, noon, Age::Yesterday),
            (noon - 37 * HOUR, noon, Age::Ago(2, "day")),
            (noon - 3 * DAY, noon, Age::Ago(3, "day")),
            (noon - 29 * DAY, noon, Age::Ago(29, "day")),
            (noon - 30 * DAY, noon, Age::Ago(1, "month")),
            (noon - 200 * DAY, noon, Age::Ago(7, "month")),
            (noon - 800 * DAY, noon, Age::Ago(2, "year")),
        ] {
            assert_eq!(age((at, 0), (now, 0)), age_then, "{at} at {now}");
        }
        assert!(matches!(age((i64::MIN, 0), (i64::MAX, 0)), Age::Ago(_, "year")), "no overflow");
        // The same moments, two hours further east: 23:00 UTC is the next day there.
        assert_eq!(age((noon - 13 * HOUR, 0), (noon, 0)), Age::Yesterday);
        assert_eq!(age((noon - 13 * HOUR, 120), (noon, 120)), Age::Ago(13, "hour"));
    }
}
