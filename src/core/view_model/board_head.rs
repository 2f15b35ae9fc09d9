//! The words of the board's head, and the choices in it.

use crate::i18n::Word;
use crate::i18n::format::grouped;
use crate::i18n::words::board as words;
use crate::model::agents;
use crate::model::board::{Board, Grouping, Status, Summary};

use super::board_row::status_word;

/// How many sessions there are; empty if there is none.
pub fn count(board: &Board) -> String {
    match board.sessions().len() {
        0 => String::new(),
        all => grouped(all),
    }
}

/// How many sessions wait, in words.
pub fn waiting(waiting: usize, readonly: bool) -> String {
    let words = if readonly { words::WAITING_COUNT_READ_ONLY } else { words::WAITING_COUNT };
    words.with(&[("n", waiting.into())])
}

/// Where the button for a new session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewSessionPlace {
    /// On the screen that says that there is no session yet.
    EmptyScreen,
    /// Among the board's tools.
    Tools,
}

/// The one place of the button for a new session; none while its form is open.
pub fn new_session_place(has_sessions: bool, is_creating: bool) -> Option<NewSessionPlace> {
    let place = if has_sessions { NewSessionPlace::Tools } else { NewSessionPlace::EmptyScreen };
    (!is_creating).then_some(place)
}

/// The choices of a status, each with its value.
pub fn statuses(readonly: bool) -> Vec<(String, String)> {
    let one = |status: Status| (status.word().to_owned(), status_word(status, readonly).text().to_owned());
    std::iter::once(any(words::STATUS_ANY)).chain(Status::ALL.map(one)).collect()
}

/// The repositories of all sessions. With fewer than two there is nothing to choose.
pub fn repositories(board: &Board) -> Vec<String> {
    names(board, |session| session.repository.clone())
}

/// The machines of all sessions. With fewer than two there is nothing to choose.
pub fn machines(board: &Board) -> Vec<String> {
    names(board, |session| session.machine.clone())
}

/// The agents of all sessions. With fewer than two there is nothing to choose.
pub fn agents(board: &Board) -> Vec<String> {
    names(board, |session| session.agent.clone())
}

fn names(board: &Board, name: fn(&Summary) -> Option<String>) -> Vec<String> {
    let mut all: Vec<String> = board.sessions().iter().filter_map(name).collect();
    all.sort();
    all.dedup();
    all
}

/// The choices of a repository, a machine or an agent, each with its value. `any_word` is for all of them. What is chosen stays a
/// choice, also where no session has it any more.
pub fn name_choices(any_word: Word, names: Vec<String>, chosen: Option<String>) -> Vec<(String, String)> {
    let gone = chosen.filter(|chosen| !names.contains(chosen));
    let names = names.into_iter().chain(gone).map(|name| (name.clone(), name));
    std::iter::once(any(any_word)).chain(names).collect()
}

/// The same for agents, by their names for people.
pub fn agent_choices(names: Vec<String>, chosen: Option<String>) -> Vec<(String, String)> {
    let mut choices = name_choices(words::AGENT_ANY, names, chosen);
    for (value, words) in choices.iter_mut().filter(|(value, _)| !value.is_empty()) {
        agents::title(value).clone_into(words);
    }
    choices
}

/// The choices of a grouping, each with its value. By machine or agent it can be where sessions say which they have, and as long as it
/// is chosen.
pub fn groupings(names_machines: bool, names_agents: bool, chosen: Grouping) -> Vec<(String, String)> {
    let word = |grouping: Grouping| match grouping {
        Grouping::None => words::GROUP_NONE,
        Grouping::Repository => words::GROUP_REPOSITORY,
        Grouping::Status => words::GROUP_STATUS,
        Grouping::Machine => words::GROUP_MACHINE,
        Grouping::Agent => words::GROUP_AGENT,
    };
    let offered = |one: &Grouping| match one {
        Grouping::Machine => names_machines || chosen == *one,
        Grouping::Agent => names_agents || chosen == *one,
        _ => true,
    };
    let all = Grouping::ALL.into_iter().filter(offered);
    all.map(|one| (one.word().to_owned(), word(one).text().to_owned())).collect()
}

fn any(word: Word) -> (String, String) {
    (String::new(), word.text().to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_new_session_has_one_button_and_none_beside_its_form() {
        assert_eq!(new_session_place(false, false), Some(NewSessionPlace::EmptyScreen));
        assert_eq!(new_session_place(true, false), Some(NewSessionPlace::Tools));
        assert_eq!((new_session_place(false, true), new_session_place(true, true)), (None, None));
    }

    #[test]
    fn machines_are_a_choice_where_sessions_name_them() {
        let mut board = Board::default();
        let on = |id: &str, machine: &str| json!({ "sessionId": id, "machine": machine });
        board.merge_list(&json!([on("a", "ws"), on("b", "laptop"), on("c", "ws"), { "sessionId": "d" }]));
        assert_eq!(machines(&board), ["laptop", "ws"]);
        let has = |names, chosen| groupings(names, false, chosen).iter().any(|(value, _)| value == "machine");
        assert!(has(true, Grouping::None) && has(false, Grouping::Machine) && !has(false, Grouping::Status));
        let has = |names, chosen| groupings(false, names, chosen).iter().any(|(value, _)| value == "agent");
        assert!(has(true, Grouping::None) && has(false, Grouping::Agent) && !has(false, Grouping::Machine));
    }
}
