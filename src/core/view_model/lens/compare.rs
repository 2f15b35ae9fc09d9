//! Merges two texts word by word: what both have, what only people see, what only the model reads.

use similar::DiffOp;
use similar::algorithms::{Capture, Replace, myers};

/// Above this many pairs of words to compare, the differing middle is replaced as a whole.
const MAX_PAIRS: usize = 4_000_000;
/// One in so many bytes of the shorter text must be common, or the two are better read one after the other.
const MIN_COMMON_ONE_IN: usize = 3;

/// A run of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordRun {
    /// Words of both texts.
    Both(String),
    /// Words that only people see.
    People(String),
    /// Words that only the model reads.
    Model(String),
}

/// The words of both texts in order; `None` if they have too little in common.
pub fn compare(people: &str, model: &str) -> Option<Vec<WordRun>> {
    let (before, after) = (split(people), split(model));
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let rest = before.len().min(after.len()) - same;
    let tail = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let old = before.get(same..before.len() - tail).unwrap_or_default();
    let new = after.get(same..after.len() - tail).unwrap_or_default();
    let mut pieces = WordRuns::default();
    pieces.both(before.get(..same).unwrap_or_default());
    if old.len().saturating_mul(new.len()) <= MAX_PAIRS {
        let mut ops = Replace::new(Capture::new());
        let Ok(()) = myers::diff(&mut ops, old, 0..old.len(), new, 0..new.len());
        for op in ops.into_inner().into_ops() {
            let (_, from, to) = op.as_tag_tuple();
            if matches!(op, DiffOp::Equal { .. }) {
                pieces.both(old.get(from).unwrap_or_default());
            } else {
                pieces.change(old.get(from).unwrap_or_default(), new.get(to).unwrap_or_default());
            }
        }
    } else {
        pieces.change(old, new);
    }
    pieces.both(before.get(before.len() - tail..).unwrap_or_default());
    let shorter = people.trim().len().min(model.trim().len());
    (pieces.common > 0 && pieces.common * MIN_COMMON_ONE_IN >= shorter).then_some(pieces.list)
}

#[derive(Default)]
struct WordRuns {
    list: Vec<WordRun>,
    /// Common bytes, white space not counted.
    common: usize,
}

impl WordRuns {
    fn both(&mut self, words: &[&str]) {
        if words.is_empty() {
            return;
        }
        self.common += words.iter().map(|word| word.trim().len()).sum::<usize>();
        let text = words.concat();
        if let Some(WordRun::Both(last)) = self.list.last_mut() {
            last.push_str(&text);
        } else {
            self.list.push(WordRun::Both(text));
        }
    }

    fn change(&mut self, people: &[&str], model: &[&str]) {
        if !people.is_empty() {
            self.list.push(WordRun::People(people.concat()));
        }
        if !model.is_empty() {
            self.list.push(WordRun::Model(model.concat()));
        }
    }
}

/// Cuts a text into words, runs of white space, and single other characters. Joined, they are the text.
fn split(text: &str) -> Vec<&str> {
    let class = |letter: char| match letter {
        _ if letter.is_alphanumeric() || letter == '_' => 0,
        _ if letter.is_whitespace() => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, letter) in text.char_indices() {
        let now = class(letter);
        if before.is_some_and(|before| before != now || now == 2) {
            words.extend(text.get(start..at));
            start = at;
        }
        before = Some(now);
    }
    words.extend(text.get(start..).filter(|rest| !rest.is_empty()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_around_are_told_apart() {
        let pieces = compare("turn it off", "<now>12:30</now>\n\nturn it off").unwrap();
        assert_eq!(
            pieces,
            [WordRun::Model("<now>12:30</now>\n\n".to_owned()), WordRun::Both("turn it off".to_owned()),]
        );
    }

    #[test]
    fn a_change_in_the_middle_keeps_what_is_around_it() {
        let pieces = compare("see the red boat, please", "see the blue boat, please").unwrap();
        assert_eq!(
            pieces,
            [
                WordRun::Both("see the ".to_owned()),
                WordRun::People("red".to_owned()),
                WordRun::Model("blue".to_owned()),
                WordRun::Both(" boat, please".to_owned()),
            ]
        );
    }

    #[test]
    fn joined_again_each_side_is_whole() {
        let (people, model) = ("a  b\u{202E}c, d.\n\ne", "a b c, x d\n e …");
        let pieces = compare(people, model).unwrap();
        let side =
            |of: fn(&WordRun) -> Option<&String>| pieces.iter().filter_map(of).cloned().collect::<String>();
        assert_eq!(
            side(|p| match p {
                WordRun::Both(t) | WordRun::People(t) => Some(t),
                WordRun::Model(_) => None,
            }),
            people
        );
        assert_eq!(
            side(|p| match p {
                WordRun::Both(t) | WordRun::Model(t) => Some(t),
                WordRun::People(_) => None,
            }),
            model
        );
    }

    #[test]
    fn two_texts_are_not_one() {
        assert_eq!(compare("diff --git a/x b/x", "Created file with 12 characters"), None);
        assert_eq!(compare("", "all new"), None);
    }
}
