//! Owns the list of functions that a usual start does not run (`xtask/cold.txt`). Refuses to list what runs: a function
//! that the list does not know stays in the first file, so that a new one costs size and never a wait.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::regions::Key;

/// Names, and beginnings of names: lines that end with a star.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Cold {
    names: BTreeSet<String>,
    beginnings: Vec<String>,
    /// By function: parts of it.
    pub parts: BTreeMap<String, BTreeSet<Key>>,
}

const HEAD: &str = "\
# The functions of the page that a usual start does not run; they come in a later file. Made by `cargo xtask profile`.
# A star stands for every name that begins so; `in` stands before parts of a function that does run, each by the number of
# its instructions and a hash of them. What is not listed is in the first file.
";

impl Cold {
    /// Reads the list.
    pub fn parse(text: &str) -> Self {
        let mut cold = Self::default();
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some((keys, name)) = line.strip_prefix("in ").and_then(|line| line.split_once(' ')) {
                cold.parts.insert(name.to_owned(), keys.split(',').filter_map(key).collect());
                continue;
            }
            match line.strip_suffix('*') {
                Some(beginning) => cold.beginnings.push(beginning.to_owned()),
                None => _ = cold.names.insert(line.to_owned()),
            }
        }
        cold
    }

    /// Whether a function of this name is cold.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains(name)
            || self.beginnings.iter().any(|beginning| name.starts_with(beginning.as_str()))
    }

    /// The list of `cold` names, as short as it can be said without one that is hot.
    pub fn of(cold: &BTreeSet<&str>, hot: &BTreeSet<&str>) -> Self {
        let mut list = Self::default();
        let mut rest: Vec<&str> = cold.difference(hot).copied().collect();
        rest.reverse();
        while let Some(name) = rest.pop() {
            let begins = |beginning: &str, names: &BTreeSet<&str>| {
                names.range(beginning..).next().is_some_and(|other| other.starts_with(beginning))
            };
            let boundaries = name.match_indices("::").map(|(at, boundary)| at + boundary.len());
            let beginning =
                boundaries.filter_map(|end| name.get(..end)).find(|beginning| !begins(beginning, hot));
            match beginning {
                Some(beginning) if rest.last().is_some_and(|next| next.starts_with(beginning)) => {
                    rest.truncate(
                        rest.iter().rposition(|next| !next.starts_with(beginning)).map_or(0, |at| at + 1),
                    );
                    list.beginnings.push(beginning.to_owned());
                }
                _ => _ = list.names.insert(name.to_owned()),
            }
        }
        list
    }

    /// The list as a file.
    pub fn text(&self) -> String {
        let mut lines: Vec<String> =
            self.beginnings.iter().map(|beginning| format!("{beginning}*")).collect();
        lines.extend(self.names.iter().cloned());
        lines.sort();
        for (name, keys) in &self.parts {
            let keys: Vec<String> =
                keys.iter().map(|Key(length, hash)| format!("{length}:{hash:08x}")).collect();
            lines.push(format!("in {} {name}", keys.join(",")));
        }
        let mut text = String::from(HEAD);
        for line in lines {
            let _ = writeln!(text, "{line}"); // writing into a String can't fail
        }
        text
    }
}

fn key(text: &str) -> Option<Key> {
    let (length, hash) = text.split_once(':')?;
    Some(Key(length.parse().ok()?, u32::from_str_radix(hash, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(cold: &[&str], hot: &[&str]) -> Cold {
        Cold::of(&cold.iter().copied().collect(), &hot.iter().copied().collect())
    }

    #[test]
    fn a_module_that_is_cold_as_a_whole_is_one_line() {
        let cold =
            list(&["a::export::html", "a::export::text::line", "a::view::menu"], &["a::view::row", "b::x"]);
        assert_eq!(cold.text().lines().skip(3).collect::<Vec<_>>(), ["a::export::*", "a::view::menu"]);
        assert!(cold.has("a::export::markdown") && !cold.has("a::view::row") && !cold.has("a::view::new"));
        assert_eq!(Cold::parse(&cold.text()), cold);
    }

    #[test]
    fn what_runs_under_the_same_name_is_hot() {
        assert_eq!(list(&["a::new"], &["a::new"]), Cold::default());
    }
}
