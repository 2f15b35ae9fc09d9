//! Who wrote the messages that have not come yet: the gateway tells it when they are sent, and they may wait for hours.

use std::collections::VecDeque;

/// How many are kept. More messages do not wait in a queue that people look at.
const MOST: usize = 256;

/// The names of the writers, by the messages' ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Writers(VecDeque<(String, String)>);

impl Writers {
    /// The name of the person who wrote the message with this id.
    pub fn of(&self, message_id: &str) -> Option<&str> {
        self.0.iter().find(|(id, _)| id == message_id).map(|(_, who)| who.as_str())
    }

    /// Keeps a name. The oldest goes once there are too many.
    pub(crate) fn add(&mut self, message_id: String, who: String) {
        self.take(&message_id);
        self.0.push_back((message_id, who));
        if self.0.len() > MOST {
            self.0.pop_front();
        }
    }

    /// Takes the name for the message, which has come.
    pub(crate) fn take(&mut self, message_id: &str) -> Option<String> {
        let at = self.0.iter().position(|(id, _)| id == message_id)?;
        self.0.remove(at).map(|(_, who)| who)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Writers};

    #[test]
    fn the_oldest_names_go_once_there_are_too_many() {
        let mut writers = Writers::default();
        for number in 0..=MOST {
            writers.add(number.to_string(), "Ana".to_owned());
        }
        assert_eq!((writers.of("0"), writers.of("1"), writers.0.len()), (None, Some("Ana"), MOST));
        writers.add("1".to_owned(), "Ben".to_owned());
        assert_eq!(
            (writers.take("1").as_deref(), writers.take("1"), writers.0.len()),
            (Some("Ben"), None, MOST - 1)
        );
    }
}
