//! Facts about the session that its header shows.

use crate::i18n::Phrase;
use crate::wire::fields::Fields;

/// One of the session's two modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeKind {
    /// The agent's mode.
    Agent,
    /// Whom the agent asks for permission.
    Permission,
}

/// What calls to the server say about a mode, beside the events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModeCalls {
    /// The server's answer when it was asked.
    pub answered: Option<String>,
    /// The mode that was chosen here, while the server has not answered.
    pub requested: Option<String>,
}

/// What was selected before an event selected another model.
#[derive(Debug, Clone, Default, PartialEq)]
struct EarlierModel {
    /// The event's number.
    number: u64,
    /// How many persisted events had come by then.
    persisted: u64,
    model: Option<String>,
    reasoning_effort: Option<String>,
    auto_model: Option<String>,
}

/// The point to which a session is rewound.
#[derive(Debug, Clone, Copy)]
pub(crate) enum RewindTo {
    /// An event of this log.
    Event(u64),
    /// An event that this log does not have; so many persisted ones are left.
    Left(u64),
}

/// Facts about the session, the newest of each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionInfo {
    /// The session's id.
    pub id: Option<String>,
    /// Its title.
    pub title: Option<String>,
    /// The agent's name for people; none for the runtime's own.
    pub agent: Option<String>,
    /// `interactive`, `plan` or `autopilot`.
    pub mode: Option<String>,
    /// The selected model.
    pub model: Option<String>,
    /// Its reasoning effort.
    pub reasoning_effort: Option<String>,
    /// `manual`, `assisted` or `allow-all`.
    pub permission_mode: Option<String>,
    /// Working directory.
    pub cwd: Option<String>,
    /// Root directory of its git repository.
    pub git_root: Option<String>,
    /// Repository, `owner/name`.
    pub repository: Option<String>,
    /// Git branch.
    pub branch: Option<String>,
    /// The directory has just changed, and the facts about its git repository are still to come.
    pub git_pending: bool,
    /// What the agent says it is doing.
    pub intent: Option<String>,
    /// Other current work, until the next event about it: a retry, a search, a phase of a fusion.
    pub doing: Option<Phrase>,
    /// The model that `auto` chose.
    pub auto_model: Option<String>,
    /// The model of the main agent's newest call since one was selected. It may differ from the selected one.
    pub answering_model: Option<String>,
    /// Bytes of the response that is arriving.
    pub response_bytes: Option<i64>,
    /// Milliseconds since 1970 when the running turn's work began.
    /// The time that it has waited for a person since is added, so that it does not count.
    pub running_since: Option<i64>,
    /// Milliseconds since 1970 when the main agent began to wait for a person; none if it does not.
    pub waits_since: Option<i64>,
    /// Milliseconds since 1970 of the newest event.
    pub last_event_at: Option<i64>,
    /// What calls say about the mode.
    pub mode_calls: ModeCalls,
    /// What calls say about the permission mode.
    pub permission_mode_calls: ModeCalls,
    /// The models before each change, oldest first: a rewind takes changes back.
    earlier_models: Vec<EarlierModel>,
    /// No event named the model, or the mode: they were taken from where they were used.
    model_inferred: bool,
    mode_inferred: bool,
}

impl SessionInfo {
    /// The mode; the server's answer counts while no event has named it.
    pub fn current_mode(&self) -> Option<&str> {
        self.mode.as_ref().or(self.mode_calls.answered.as_ref()).map(String::as_str)
    }

    /// Same as [`Self::current_mode`], for the permission mode.
    pub fn current_permission_mode(&self) -> Option<&str> {
        self.permission_mode.as_ref().or(self.permission_mode_calls.answered.as_ref()).map(String::as_str)
    }

    /// Milliseconds of the running turn's work up to the newest event, without those in which a person was waited for.
    pub fn running_for(&self) -> Option<i64> {
        let now = self.waits_since.or(self.last_event_at)?;
        Some(now.saturating_sub(self.running_since?).max(0))
    }

    pub(crate) fn calls_mut(&mut self, kind: ModeKind) -> &mut ModeCalls {
        match kind {
            ModeKind::Agent => &mut self.mode_calls,
            ModeKind::Permission => &mut self.permission_mode_calls,
        }
    }

    /// Takes a directory and its git facts. With a directory, facts that are not named are cleared,
    /// because they were those of the last directory.
    pub(crate) fn take_context(&mut self, context: &mut Fields) {
        let cwd = context.non_empty_text("cwd");
        let whole = cwd.is_some();
        for (slot, value) in [
            (&mut self.cwd, cwd),
            (&mut self.git_root, context.non_empty_text("gitRoot")),
            (&mut self.repository, context.non_empty_text("repository")),
            (&mut self.branch, context.non_empty_text("branch")),
        ] {
            if whole || value.is_some() {
                *slot = value;
            }
        }
        if whole {
            self.git_pending = context.flag("pendingGitContext").unwrap_or(false);
        }
    }

    /// The directory for people: from the repository's own folder down if it is in one, else its last part.
    pub fn folder(&self) -> Option<String> {
        const ENDS: [char; 2] = ['/', '\\'];
        let last = |path: &str| path.rsplit(ENDS).next().map(str::to_owned).filter(|name| !name.is_empty());
        let cwd = self.cwd.as_deref()?.trim_end_matches(ENDS);
        let root = self.git_root.as_deref().map(|root| root.trim_end_matches(ENDS));
        let below = root.and_then(|root| cwd.strip_prefix(root));
        match (root.and_then(last), below.filter(|below| below.is_empty() || below.starts_with(ENDS))) {
            (Some(root), Some(below)) => Some(root + below),
            _ => last(cwd),
        }
    }

    /// An event says which model is selected.
    pub(crate) fn set_model(&mut self, model: Option<String>) {
        if model.is_some() {
            if self.model != model {
                self.answering_model = None;
            }
            (self.model, self.model_inferred) = (model, false);
        }
    }

    /// An event changes the model. `previous` is what it says was selected before, if it says so.
    pub(crate) fn change_model(
        &mut self,
        (number, persisted): (u64, u64),
        previous: (Option<String>, Option<String>),
        (model, effort): (Option<String>, Option<String>),
    ) {
        let reasoning_effort = if previous.0.is_some() { previous.1 } else { self.reasoning_effort.take() };
        self.earlier_models.push(EarlierModel {
            number,
            persisted,
            model: previous.0.or_else(|| self.model.clone()),
            reasoning_effort,
            auto_model: self.auto_model.take(),
        });
        self.set_model(model);
        self.reasoning_effort = effort;
    }

    /// Whether a session that is told its model now begins with it: none was selected before, or this one.
    pub(crate) fn begins_with(&self, model: Option<&str>) -> bool {
        let known = self.model.as_deref().filter(|_| !self.model_inferred);
        self.earlier_models.is_empty() && known.is_none_or(|known| Some(known) == model)
    }

    /// An event says that the selected model is no longer offered. A rewind brings it back.
    pub(crate) fn deselect_model(&mut self, at: (u64, u64)) {
        let effort = self.reasoning_effort.clone();
        self.change_model(at, (None, None), (None, effort));
        (self.model, self.model_inferred, self.answering_model) = (None, false, None);
    }

    /// The session goes back: the model is the one of then.
    pub(crate) fn rewind_model(&mut self, to: RewindTo) {
        let undone = |change: &EarlierModel| match to {
            RewindTo::Event(number) => change.number >= number,
            RewindTo::Left(persisted) => change.persisted > persisted,
        };
        let Some(first) = self.earlier_models.iter().position(undone) else { return };
        let earlier = self.earlier_models.drain(first..).next().unwrap_or_default();
        if earlier.model.is_some() {
            self.answering_model = None;
            (self.model, self.model_inferred) = (earlier.model, false);
        }
        (self.reasoning_effort, self.auto_model) = (earlier.reasoning_effort, earlier.auto_model);
    }

    /// An event says which mode the session is in.
    pub(crate) fn set_mode(&mut self, mode: Option<String>) {
        if mode.is_some() {
            (self.mode, self.mode_inferred) = (mode, false);
        }
    }

    /// The main agent's model was seen in use: it counts while no event has named the selected one.
    pub(crate) fn infer_model(&mut self, model: Option<String>) {
        if model.is_some() {
            self.answering_model.clone_from(&model);
        }
        if model.is_some() && (self.model.is_none() || self.model_inferred) {
            (self.model, self.model_inferred) = (model, true);
        }
    }

    /// Same as [`Self::infer_model`], for the mode. A message can also be a
    /// command for the shell, which is not a mode.
    pub(crate) fn infer_mode(&mut self, mode: Option<String>) {
        let mode = mode.filter(|mode| mode != "shell");
        if mode.is_some() && (self.mode.is_none() || self.mode_inferred) {
            (self.mode, self.mode_inferred) = (mode, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_that_answers_is_known_beside_the_one_that_was_selected() {
        let mut info = SessionInfo::default();
        let some = |model: &str| Some(model.to_owned());
        info.set_model(some("nonsense-9"));
        info.infer_model(some("gpt-4.1"));
        info.set_model(some("nonsense-9"));
        assert_eq!((info.model.clone(), info.answering_model.clone()), (some("nonsense-9"), some("gpt-4.1")));
        info.set_model(some("gpt-5.4"));
        assert_eq!((info.model, info.answering_model), (some("gpt-5.4"), None));
    }

    #[test]
    fn a_folder_is_named_from_its_repository_down() {
        let folder = |cwd: &str, root: Option<&str>| {
            let (cwd, git_root) = (Some(cwd.to_owned()), root.map(str::to_owned));
            SessionInfo { cwd, git_root, ..SessionInfo::default() }.folder().unwrap_or_default()
        };
        assert_eq!(folder("/workspace/boats/", None), "boats");
        assert_eq!(folder("/workspace/boats", Some("/workspace/boats")), "boats");
        assert_eq!(folder("/workspace/boats/charts/north", Some("/workspace/boats")), "boats/charts/north");
        assert_eq!(folder("/workspace/boats-old", Some("/workspace/boats")), "boats-old");
        assert_eq!(folder("C:\\boats\\charts", Some("C:\\boats\\")), "boats\\charts");
        assert_eq!(folder("/home/charts", Some("/")), "charts");
        assert_eq!(folder("/", None), "");
    }
}
