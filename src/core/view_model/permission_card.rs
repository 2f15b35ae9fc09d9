//! Cards of permissions: which are a single line, which share a card, how a change is named, whether its diff shows all of it.

use crate::i18n::words::requests;
use crate::model::request::{Request, RequestKind, RequestStage};
use crate::model::state::State;
use crate::text::diff;
use crate::text::diff::Diff;
use crate::view_model::approval::{Part, Subject, SubjectKind, grants_little, purpose, subject};
use crate::view_model::icon::Icon;
use crate::view_model::permission_offers::{Offers, can_be_allowed_once};
use crate::view_model::side_by_side::{side_by_side, waits_together};

/// The longest path and purpose that fit on a line, in bytes.
const LONGEST_ON_A_LINE: usize = 240;

/// The icon of what a permission is about.
pub fn icon(kind: SubjectKind) -> Icon {
    match kind {
        SubjectKind::Command => Icon::Terminal,
        SubjectKind::Write => Icon::Pencil,
        SubjectKind::Read => Icon::File,
        SubjectKind::Address => Icon::Globe,
        SubjectKind::Server | SubjectKind::Extension => Icon::Plug,
        SubjectKind::Memory => Icon::Skill,
        SubjectKind::Tool => Icon::Braces,
        SubjectKind::Run => Icon::Agent,
        SubjectKind::Other => Icon::Shield,
    }
}

/// What the line of a permission that grants little shows: the path and the purpose.
/// `None` if there is more to say, or if the agent's own answers have no room in a line.
pub fn single_line<'a>(request: &Request, subject: &'a Subject) -> Option<(&'a str, Option<&'a str>)> {
    let [Part::Text(path, _)] = subject.parts.as_slice() else { return None };
    let why = subject.why.as_deref().unwrap_or_default();
    let little = grants_little(request) && subject.facts.is_empty() && subject.cautions.is_empty();
    let has_room = Offers::of(&request.details).is_none_or(|offers| !offers.stacked);
    let short = path.len() <= LONGEST_ON_A_LINE
        && why.len() <= LONGEST_ON_A_LINE
        && !path.contains('\n')
        && !why.contains('\n');
    (little && has_room && short).then(|| (path.as_str(), purpose(why, path)))
}

/// The name of what is changed, as it was asked for, and what becomes of it.
pub fn file_name(asked: &str, diff: &Diff) -> String {
    let [file] = diff.files.as_slice() else { return asked.to_owned() };
    let name = match file.path() {
        // The diff's own spelling of the path lacks the first slash.
        Some(own)
            if own.trim_start_matches('/') != asked.trim_start_matches('/') && !asked.ends_with(own) =>
        {
            format!("{asked} ({own})")
        }
        _ => asked.to_owned(),
    };
    let name = match file.old_path.as_deref().filter(|_| file.change == diff::Change::Renamed) {
        Some(from) => format!("{from} → {name}"),
        None => name,
    };
    match file.change {
        diff::Change::Added => format!("{name} · {}", requests::NEW_FILE.text()),
        diff::Change::Deleted => format!("{name} · {}", requests::DELETED.text()),
        diff::Change::Renamed => format!("{name} · {}", requests::RENAMED.text()),
        diff::Change::Modified => name,
    }
}

/// True if a diff was read without losing a line that changes something.
pub fn lists_every_change(read: &Diff, source: &str) -> bool {
    let lines = read.counts();
    let header = |line: &&str| line.starts_with("+++ ") || line.starts_with("--- ");
    let headers = source.lines().filter(header).count();
    let signed = source.lines().filter(|line| line.starts_with(['+', '-'])).count();
    !read.is_empty() && !read.files.iter().any(|file| file.binary) && lines.0 + lines.1 + headers >= signed
}

/// The place of a request in a card that it shares with others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedCard {
    /// Which of them it is: `first`, `middle` or `last`.
    pub place: &'static str,
    /// All that are open are single lines.
    pub lines: bool,
    /// How many can be answered.
    pub open: usize,
    /// How many wait, and may be allowed together once they have been seen.
    pub plain: usize,
    /// Those that have been seen, by id.
    pub ready: Vec<String>,
}

/// Whether a permission may be allowed with others: it has no warnings, no policy requires a person, and there is one answer that
/// allows it once.
pub fn may_be_allowed_together(state: &State, request: &Request) -> bool {
    is_plain(state, request) && can_be_allowed_once(&request.details)
}

/// Whether a permission has no warnings, and no policy that requires a person.
pub fn is_plain(state: &State, request: &Request) -> bool {
    request.kind == RequestKind::Permission && {
        let subject = subject(request, state.info.cwd.as_deref());
        let managed = request.permission().and_then(|whole| whole.get("managedApprovalRequired")?.as_bool());
        subject.cautions.is_empty() && managed != Some(true)
    }
}

impl SharedCard {
    /// The place of a request in a shared card, as long as one of those in it is open. `seen` are the requests of which all has
    /// been in view. Rows that are hidden in the timeline do not separate requests.
    pub fn of(
        state: &State,
        index: usize,
        seen: &[String],
        is_hidden: &dyn Fn(usize) -> bool,
    ) -> Option<Self> {
        let places = side_by_side(state, index, is_hidden);
        if places.len() < 2 {
            return None;
        }
        // One that may not be allowed with others stands alone, as does one that ended before the others came. It separates those
        // around it.
        let request = |place: usize| state.entry(place).and_then(|entry| entry.request());
        let is_plain =
            |place: &usize| request(*place).is_some_and(|request| may_be_allowed_together(state, request));
        let alone = |place: &usize| !is_plain(place) || !waits_together(state, *place, &places);
        let run = places.split(alone).find(|run| run.contains(&index))?;
        let open: Vec<usize> =
            run.iter().copied().filter(|place| request(*place).is_some_and(Request::open)).collect();
        let (first, last) = (*run.first()?, *run.last()?);
        if first == last || open.is_empty() {
            return None;
        }
        let cwd = state.info.cwd.as_deref();
        let is_line = |place: &usize| {
            request(*place).is_some_and(|asked| single_line(asked, &subject(asked, cwd)).is_some())
        };
        let waiting =
            |place: &&usize| request(**place).is_some_and(|request| request.stage == RequestStage::Waiting);
        let ids = open.iter().filter(waiting).filter_map(|place| state.entry(*place)).map(|entry| &entry.id);
        Some(Self {
            place: if index == first {
                "first"
            } else if index == last {
                "last"
            } else {
                "middle"
            },
            lines: open.iter().all(is_line),
            open: open.len(),
            plain: ids.clone().count(),
            ready: ids.filter(|id| seen.contains(id)).cloned().collect(),
        })
    }

    /// The title over several requests that are single lines; the first of them has it.
    pub fn title(&self) -> Option<String> {
        let titled = self.place == "first" && self.lines && self.open > 1;
        titled.then(|| requests::READ_THESE.with(&[("n", self.open.into())]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_that_lost_a_line_is_not_trusted() {
        let source = "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old\n+new\n+more\n";
        assert!(lists_every_change(&diff::parse(source), source));
        assert!(!lists_every_change(&diff::parse(source), &format!("{source}\n+stray\n")));
        assert!(!lists_every_change(&Diff::default(), "not a diff"));
    }
}
