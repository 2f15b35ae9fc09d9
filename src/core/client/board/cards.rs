//! The cards of sessions on a board: what each session's summary says of its requests, for a small session that holds
//! nothing else.

use serde_json::{Value, json};

use crate::Session;
use crate::json_writer::one_line;
use crate::model::board::{Board, EndedRequest, OpenRequest, Summary};
use crate::protocol::EventKind;

/// The cards that are on screen.
#[derive(Debug, Default)]
pub(super) struct Cards(Vec<CardsOfSession>);

/// The cards of one session.
#[derive(Debug)]
struct CardsOfSession {
    /// The number of their client.
    number: u32,
    session: String,
    /// The ids of the requests in the last summary.
    listed: Vec<String>,
}

/// What a summary says of a session's requests.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CardNews {
    /// The event by which the session of new cards begins.
    start: Option<Value>,
    /// The requests that are open, oldest first.
    open: Vec<OpenRequest>,
    /// Those of them that the summary before did not list.
    listed_anew: Vec<String>,
    /// Those that have ended since the summary before, with the events that ended them.
    ended: Vec<EndedRequest>,
}

impl Cards {
    /// Adds the cards of a session, and returns what they begin with.
    pub(super) fn open(&mut self, number: u32, session: &str, board: &Board) -> CardNews {
        let cwd = board.get(session).and_then(|summary| summary.cwd.as_deref());
        let mut cards = CardsOfSession { number, session: session.to_owned(), listed: Vec::new() };
        let news = CardNews { start: Some(start_event(session, cwd)), ..cards.follow(&[], board) };
        self.0.push(cards);
        news
    }

    pub(super) fn close(&mut self, number: u32) {
        self.0.retain(|cards| cards.number != number);
    }

    pub(super) fn numbers(&self) -> Vec<u32> {
        self.0.iter().map(|cards| cards.number).collect()
    }

    /// What the summaries say for all cards.
    pub(super) fn follow_all(&mut self, board: &Board) -> Vec<(u32, CardNews)> {
        self.0.iter_mut().map(|cards| (cards.number, cards.follow(&[], board))).collect()
    }

    /// What the summary of a session says for its cards.
    pub(super) fn follow(
        &mut self,
        session: &str,
        ended: &[EndedRequest],
        board: &Board,
    ) -> Vec<(u32, CardNews)> {
        let cards = self.0.iter_mut().filter(|cards| cards.session == session);
        cards.map(|cards| (cards.number, cards.follow(ended, board))).collect()
    }
}

impl CardsOfSession {
    fn follow(&mut self, ended: &[EndedRequest], board: &Board) -> CardNews {
        let open = board.get(&self.session).map(|summary| summary.requests.clone()).unwrap_or_default();
        let listed = open.iter().map(|request| request.request_id.clone()).collect();
        let before = std::mem::replace(&mut self.listed, listed);
        let listed_anew = self.listed.iter().filter(|id| !before.contains(id)).cloned().collect();
        CardNews { start: None, open, listed_anew, ended: ended.to_vec() }
    }
}

impl CardNews {
    /// Brings a session in line with the summary. What the summary lists is open, and what it does not list is not.
    pub fn show(&self, session: &mut Session) {
        if let Some(start) = &self.start {
            session.push_frame(&one_line(start));
        }
        for ended in &self.ended {
            if let Some(event) = ended.event.as_deref().filter(|_| is_known(session, &ended.request_id)) {
                session.push_frame(event);
            }
        }
        let mut again = Vec::new();
        for request in &self.open {
            let id = &request.request_id;
            if !is_known(session, id) {
                if let Some(event) = &request.event {
                    session.push_frame(&with_agent(event, request));
                }
            } else if self.listed_anew.contains(id) || self.ended.iter().any(|ended| ended.request_id == *id)
            {
                // A stop may have left the agent alone that asks.
                again.push(json!({ "requestId": id }));
            }
        }
        session.permissions_listed(&[], again);
        // Requests whose end was not reported, or reported without its event, are closed as well.
        for id in open_requests(session) {
            if !self.open.iter().any(|request| request.request_id == id) {
                session.answer_refused(&id);
            }
        }
    }
}

/// A session that holds nothing but the open requests of a summary, for cards that are shown once.
pub fn session_of(summary: &Summary) -> Session {
    let mut session = Session::new();
    let start = Some(start_event(&summary.id, summary.cwd.as_deref()));
    CardNews { start, open: summary.requests.clone(), ..CardNews::default() }.show(&mut session);
    session
}

fn start_event(session: &str, cwd: Option<&str>) -> Value {
    json!({
        "type": EventKind::SessionStart.name(), "id": "board", "data": { "sessionId": session, "context": { "cwd": cwd } },
    })
}

fn is_known(session: &Session, request: &str) -> bool {
    session.state().request_place(request).is_some()
}

fn open_requests(session: &Session) -> Vec<String> {
    let state = session.state();
    let entries = state.open_requests.iter().filter_map(|place| state.entry(*place));
    entries.map(|entry| entry.id.clone()).collect()
}

/// A request's event with the asking agent, which only the session's log knows.
fn with_agent(event: &str, request: &OpenRequest) -> String {
    let Some(agent) = &request.agent else { return event.to_owned() };
    let mut parsed = serde_json::from_str::<Value>(event).unwrap_or_default();
    match parsed.as_object_mut() {
        Some(fields) => {
            // Agents without a name are not taken for one.
            let id = if agent.is_empty() { &request.request_id } else { agent };
            fields.insert("agentId".to_owned(), id.as_str().into());
            if let Some(data) = fields.get_mut("data").and_then(Value::as_object_mut) {
                data.insert("agentDisplayName".to_owned(), agent.as_str().into());
            }
            one_line(&parsed)
        }
        None => event.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_says_who_asks_by_the_name_in_the_summary() {
        for (agent, asks) in
            [(None, None), (Some(""), Some(None)), (Some("Tide watch"), Some(Some("Tide watch")))]
        {
            let event = r#"{"type":"permission.requested","id":"p","data":{"requestId":"r","permissionRequest":{"kind":"shell","fullCommandText":"ls","toolCallId":"t"}}}"#;
            let request = OpenRequest {
                request_id: "r".to_owned(),
                kind: "permission".to_owned(),
                agent: agent.map(str::to_owned),
                since: None,
                text: "ls".to_owned(),
                event: Some(event.into()),
            };
            let mut session = Session::default();
            CardNews { open: vec![request], ..CardNews::default() }.show(&mut session);
            let place = session.state().request_place("r").unwrap();
            let asker = session.state().asker(place).map(|asker| asker.name);
            assert_eq!(asker, asks.map(|name| name.map(str::to_owned)), "{agent:?}");
        }
    }
}
