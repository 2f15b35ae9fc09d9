//! Who watches a session, and what each watcher is told of the others: their names, once for each person, and not too often.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::access::person::{Name, Person};

/// The shortest time between two lists for one watcher.
const PAUSE: Duration = Duration::from_millis(500);

/// Who watches, by the numbers of their connections. Of a connection it says nothing where nobody signs in.
#[derive(Clone, Debug, Default)]
pub struct Watchers {
    connections: BTreeMap<u64, Option<Watcher>>,
    /// Those that are silent, as when their machine sleeps. Nobody is told of them.
    silent: BTreeSet<u64>,
    next: u64,
}

/// One that watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watcher {
    /// Somebody who signed in, as they are whichever way they came in.
    Account(Person),
    /// Somebody who came by a link. Nobody knows whether two of them are one person.
    Link,
}

/// Decides when a watcher is told of the others.
#[derive(Debug, Default)]
pub struct WatcherNews {
    /// What was told last.
    told: Vec<Value>,
    /// When it may be told again.
    next: Option<Instant>,
    waits: bool,
}

impl Watcher {
    /// Somebody who was let in.
    pub fn new(person: &Person) -> Self {
        if person.share.is_some() { Self::Link } else { Self::Account(person.account()) }
    }
}

impl Watchers {
    /// Adds a connection. Returns its number.
    pub fn add(&mut self, watcher: Option<Watcher>) -> u64 {
        self.next += 1;
        self.connections.insert(self.next, watcher);
        self.next
    }

    /// The connection has ended.
    pub fn remove(&mut self, number: u64) {
        self.connections.remove(&number);
        self.silent.remove(&number);
    }

    /// The connection is silent, or is not any more.
    pub fn set_silent(&mut self, number: u64, silent: bool) {
        if silent {
            self.silent.insert(number)
        } else {
            self.silent.remove(&number)
        };
    }

    /// How many connections watch.
    pub fn count(&self) -> usize {
        self.connections.len()
    }

    /// Whether nobody watches.
    pub fn is_empty(&self) -> bool {
        self.connections.is_empty()
    }

    /// All but this person, as they are told: those with a name in its order, then those without one, then a row for each
    /// connection by a link.
    pub fn others(&self, own: &Person) -> Vec<Value> {
        let (mut people, mut links) = (BTreeSet::new(), 0);
        let seen = self.connections.iter().filter(|(number, _)| !self.silent.contains(number));
        for watcher in seen.filter_map(|(_, watcher)| watcher.as_ref()) {
            match watcher {
                Watcher::Account(person) if person == own => {}
                Watcher::Account(person) => {
                    let name = person.name.as_ref().map(Name::as_str);
                    people.insert((name.is_none(), name, person.role.word()));
                }
                Watcher::Link => links += 1,
            }
        }
        let person = |(_, name, role): (bool, Option<&str>, &str)| match name {
            Some(name) => json!({"who": name, "role": role}),
            None => json!({"role": role}),
        };
        let links = (0..links).map(|_| json!({"role": "viewer", "link": true}));
        people.into_iter().map(person).chain(links).collect()
    }
}

impl WatcherNews {
    /// Takes who else watches now. Returns the list if it is to be told at once; none if it was told, or has to wait.
    pub fn take(&mut self, others: Vec<Value>, now: Instant) -> Option<Vec<Value>> {
        self.waits = false;
        if others == self.told {
            return None;
        }
        if self.next.is_some_and(|next| now < next) {
            self.waits = true;
            return None;
        }
        self.next = Some(now + PAUSE);
        self.told.clone_from(&others);
        Some(others)
    }

    /// When what waits may be told.
    pub fn due(&self) -> Option<Instant> {
        self.next.filter(|_| self.waits)
    }
}

/// The notification with this list.
pub fn note(session_id: &str, watchers: &[Value]) -> String {
    let params = json!({"sessionId": session_id, "watchers": watchers});
    json!({"jsonrpc": "2.0", "method": "pilothouse.watching", "params": params}).to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::access::Role;

    fn person(name: &str, role: Role) -> Person {
        Person::new(role, Some(Name::new(name).unwrap()))
    }

    fn account(name: &str) -> Watcher {
        Watcher::new(&person(name, Role::Operator))
    }

    fn who(name: &str) -> Value {
        json!({"who": name, "role": "operator"})
    }

    #[test]
    fn a_person_counts_once_and_never_among_the_others() {
        let mut watchers = Watchers::default();
        let ana = person("Ana", Role::Operator);
        watchers.add(Some(account("Ana")));
        let second_tab = watchers.add(Some(account("Ana")));
        watchers.add(Some(account("Ben")));
        let bens_second = watchers.add(Some(account("Ben")));
        watchers.add(Some(Watcher::Account(Person::unnamed(Role::Viewer))));
        watchers.add(Some(Watcher::Link));
        let guest = watchers.add(Some(Watcher::Link));
        watchers.add(None);
        let link = || json!({"role": "viewer", "link": true});
        let all = [who("Ben"), json!({"role": "viewer"}), link(), link()];
        assert_eq!(watchers.others(&ana), all);
        // Somebody of the same name with another role is somebody else.
        assert_eq!(watchers.others(&person("Ana", Role::Viewer))[0], who("Ana"));
        for gone in [bens_second, second_tab, guest] {
            watchers.remove(gone);
        }
        assert_eq!(watchers.others(&ana), [who("Ben"), json!({"role": "viewer"}), link()]);
        assert!(!watchers.is_empty());
    }

    #[test]
    fn news_come_at_once_and_then_not_too_often_and_the_last_one_always() {
        let (mut news, start) = (WatcherNews::default(), Instant::now());
        let at = |millis| start + Duration::from_millis(millis);
        assert_eq!(news.take(vec![], at(0)), None, "nobody else is there");
        assert_eq!(news.take(vec![who("Ben")], at(10)), Some(vec![who("Ben")]));
        assert_eq!((news.take(vec![who("Ben")], at(20)), news.due()), (None, None));
        assert_eq!((news.take(vec![who("Cy")], at(100)), news.due()), (None, Some(at(510))));
        assert_eq!(news.take(vec![], at(509)), None);
        assert_eq!(news.take(vec![], at(510)), Some(vec![]));
        // Who came and went in between is not told.
        assert_eq!((news.take(vec![who("Ben")], at(600)), news.due()), (None, Some(at(1010))));
        assert_eq!((news.take(vec![], at(700)), news.due()), (None, None));
        assert_eq!(news.take(vec![who("Ben")], at(2000)), Some(vec![who("Ben")]));
    }
}
