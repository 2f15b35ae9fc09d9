//! Follows `cd` through a command line, so that relative paths mean what they mean when it runs.

use std::rc::Rc;

use super::command::Command;
use super::paths::join;

/// The folder that each subshell is in; an empty one is the project.
pub(super) struct Folders<'a> {
    parents: &'a [usize],
    start: Rc<str>,
    all: Vec<Option<Rc<str>>>,
}

impl<'a> Folders<'a> {
    pub fn new(parents: &'a [usize], start: &str) -> Self {
        let mut all = vec![None; parents.len()];
        if let Some(first) = all.first_mut() {
            *first = Some(start.into());
        }
        Self { parents, start: start.into(), all }
    }

    /// The folder of a subshell, which begins in that of its parent.
    pub fn of(&mut self, subshell: usize) -> Rc<str> {
        let mut at = subshell;
        while self.all.get(at).is_some_and(Option::is_none) {
            match self.parents.get(at) {
                Some(parent) if *parent != at => at = *parent,
                _ => break,
            }
        }
        let folder = self.all.get(at).cloned().flatten().unwrap_or_else(|| self.start.clone());
        if let Some(own) = self.all.get_mut(subshell) {
            own.get_or_insert_with(|| folder.clone());
        }
        folder
    }

    /// Follows a command that changes the folder.
    pub fn enter(&mut self, subshell: usize, seen: &Command<'_>) {
        let target = match (seen.program, seen.targets().next()) {
            ("popd", _) | ("cd" | "pushd" | "chdir" | "Set-Location", Some("-")) => self.start.to_string(),
            ("cd" | "pushd" | "chdir" | "Set-Location", Some(target)) => within(&self.of(subshell), target),
            ("cd" | "chdir", None) => "~".to_owned(),
            _ => return,
        };
        // A path longer than any that exists is not followed.
        if let Some(own) = self.all.get_mut(subshell).filter(|_| target.len() < 1024) {
            *own = Some(target.into());
        }
    }
}

/// The folder that `cd target` leads to.
fn within(folder: &str, target: &str) -> String {
    // Where the project is, and temporary folders, are not to be feared.
    if target.starts_with("$(git rev-parse") || target.starts_with("$(dirname") || target.starts_with("${0") {
        String::new()
    } else if target.starts_with("$(mktemp") {
        "/tmp/folder".to_owned()
    } else if ["$PWD", "${PWD}", "$(pwd)", "."].contains(&target) {
        folder.to_owned()
    } else {
        join(folder, target)
    }
}
