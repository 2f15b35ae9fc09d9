//! The words of the board's head, and the choices in it.

use crate::i18n::Word;
use crate::i18n::format::grouped;
use crate::i18n::words::board as words;
use crate::model::board::{Board, Grouping, Status};

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
    let mut all: Vec<String> =
        board.sessions().iter().filter_map(|session| session.repository.clone()).collect();
    all.sort();
    all.dedup();
    all
}

/// The choices of a repository, each with its value.
pub fn repository_choices(repositories: Vec<String>) -> Vec<(String, String)> {
    let names = repositories.into_iter().map(|name| (name.clone(), name));
    std::iter::once(any(words::REPOSITORY_ANY)).chain(names).collect()
}

/// The choices of a grouping, each with its value.
pub fn groupings() -> Vec<(String, String)> {
    let word = |grouping: Grouping| match grouping {
        Grouping::None => words::GROUP_NONE,
        Grouping::Repository => words::GROUP_REPOSITORY,
        Grouping::Status => words::GROUP_STATUS,
    };
    Grouping::ALL.map(|one| (one.word().to_owned(), word(one).text().to_owned())).into()
}

fn any(word: Word) -> (String, String) {
    (String::new(), word.text().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_session_has_one_button_and_none_beside_its_form() {
        assert_eq!(new_session_place(false, false), Some(NewSessionPlace::EmptyScreen));
        assert_eq!(new_session_place(true, false), Some(NewSessionPlace::Tools));
        assert_eq!((new_session_place(false, true), new_session_place(true, true)), (None, None));
    }
}
