//! Who else watches the session now: a few small marks, and a sentence with all of them.

use crate::i18n::format::join_list;
use crate::i18n::words::connection;
use crate::model::watchers::Watcher;
use crate::text::initials::initials;
use crate::view_model::entry_words::person;

/// How many have a mark of their own.
const MARKS: usize = 3;

/// What stands in a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// The initials of a name.
    Initials(String),
    /// Somebody without a name.
    Person,
    /// Somebody who came by a link.
    Link,
    /// So many more: '+2'.
    More(usize),
}

/// The marks, for a header with room for some.
pub fn marks(watchers: &[Watcher]) -> Vec<Mark> {
    let mark = |watcher: &Watcher| match watcher {
        Watcher::Named(name) => match initials(&person(name)) {
            initials if initials.is_empty() => Mark::Person,
            initials => Mark::Initials(initials),
        },
        Watcher::Unnamed => Mark::Person,
        Watcher::ByLink => Mark::Link,
    };
    let more = watchers.len().checked_sub(MARKS).filter(|more| *more > 0).map(Mark::More);
    watchers.iter().take(MARKS).map(mark).chain(more).collect()
}

/// All of them as a sentence: 'Watching now: Ana, Ben, 1 by link'.
pub fn sentence(watchers: &[Watcher]) -> String {
    let mut all: Vec<String> = watchers
        .iter()
        .filter_map(|watcher| if let Watcher::Named(name) = watcher { Some(person(name)) } else { None })
        .collect();
    for (kind, word) in
        [(Watcher::Unnamed, connection::WATCHING_UNNAMED), (Watcher::ByLink, connection::WATCHING_BY_LINK)]
    {
        let count = watchers.iter().filter(|watcher| **watcher == kind).count();
        all.extend((count > 0).then(|| word.with(&[("n", count.into())])));
    }
    connection::WATCHING.with(&[("who", (&join_list(&all)).into())])
}

#[cfg(test)]
mod tests {
    use super::{Mark, marks, sentence};
    use crate::model::watchers::Watcher;

    fn named(name: &str) -> Watcher {
        Watcher::Named(name.to_owned())
    }

    #[test]
    fn three_have_a_mark_and_all_are_said() {
        let all = [named("Ana"), named("Ben Cole"), Watcher::Unnamed, Watcher::ByLink, Watcher::ByLink];
        let initials = |text: &str| Mark::Initials(text.to_owned());
        assert_eq!(marks(&all), [initials("A"), initials("B\u{200C}C"), Mark::Person, Mark::More(2)]);
        assert_eq!(sentence(&all), "Watching now: Ana, Ben Cole, 1 without a name, 2 by link");
        assert_eq!(marks(&[named("..."), Watcher::ByLink]), [Mark::Person, Mark::Link]);
        assert_eq!(sentence(&[Watcher::ByLink]), "Watching now: 1 by link");
        assert!(!sentence(&[named("A\u{202E}na")]).contains('\u{202E}'));
    }
}
