//! Handles what autopilot does when a permission is refused without asking: it looks for another way, asks, or is blocked.
//!
//! Each event is a snapshot of one episode. A snapshot with another status gets a new entry, because a change far above
//! would not be seen. One with the same status brings its entry up to date.

use serde_json::Value;

use super::EventMeta;
use crate::i18n::format;
use crate::i18n::words::notices;
use crate::i18n::{Phrase, Word};
use crate::model::entry::{Body, Entry, Level, MAX_EARLIER, Notice};
use crate::model::state::{Space, State};
use crate::text::hidden::{Segment, segments};
use crate::wire::fields::Fields;

/// The arguments of a call that name what it is about, the most telling first.
const OBJECTS: [&str; 7] = ["command", "path", "file_path", "filePath", "url", "query", "name"];

/// The most characters of a command or path that a line shows.
const LONGEST: usize = 80;

impl State {
    /// Takes a snapshot of an episode.
    pub(super) fn permission_recovery(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let status = data.non_empty_text("status").unwrap_or_default();
        let episode = format!("recovery {}", data.non_empty_text("episodeId").unwrap_or_default());
        let in_status = format!("{episode} {status}");
        let attempts = data.list("attempts");
        let phrase = self.recovery(&mut data, &status, &attempts);
        let detail = self.attempts(&mut data, &status, &attempts);
        let newest = self.place(Space::Named, &episode);
        let Some(place) = newest.filter(|newest| self.place(Space::Named, &in_status) == Some(*newest))
        else {
            let level = if status == "blocked" { Level::Warning } else { Level::Info };
            let mut notice = Notice::new(level, "permission_recovery");
            notice.detail = detail;
            let place = self.notice_of(meta, notice, phrase);
            self.index_entry(Space::Named, episode, place);
            self.index_entry(Space::Named, in_status, place);
            return;
        };
        self.commit(place, meta);
        // The blocker of a permission is the same snapshot, and may have fewer facts.
        if attempts.is_empty() {
            return;
        }
        let before = self.entry(place).filter(|entry| !entry.has_phrase(&phrase)).map(Entry::to_phrase);
        self.update(place, |entry| {
            if let Body::Notice(notice) = &mut entry.body {
                notice.detail = detail;
                if let Some(before) = before.filter(|_| notice.earlier.len() < MAX_EARLIER) {
                    notice.earlier.push(before);
                }
            }
        });
        self.replace_phrase(place, phrase);
    }

    /// The status, what is refused, why, and how many attempts there were.
    fn recovery(&self, data: &mut Fields, status: &str, attempts: &[Value]) -> Phrase {
        let mut parts = vec![chosen(notices::RECOVERY, status)];
        let refused = attempts.iter().rev().find(|attempt| text(attempt, "disposition") != Some("succeeded"));
        parts.extend(refused.or(attempts.last()).and_then(|attempt| self.refused(attempt)));
        let searches = status == "recovering";
        // A search begins because a permission is required, so that reason says nothing more.
        let why = data.non_empty_text("reason").filter(|why| !(searches && why == "permission_required"));
        parts.extend(why.map(|why| chosen(notices::RECOVERY_WHY, &why)));
        let made = i64::try_from(attempts.len()).unwrap_or(i64::MAX);
        if let Some(most) = data.integer("maxAttempts").filter(|_| searches && made > 0) {
            parts.push(notices::RECOVERY_COUNT.phrase(vec![("n", made.into()), ("most", most.into())]));
        }
        Phrase::Joined(parts, " · ")
    }

    /// The attempts, a line for each, and what comes if none of them helps.
    fn attempts(&self, data: &mut Fields, status: &str, attempts: &[Value]) -> Option<Phrase> {
        let mut lines: Vec<Phrase> = attempts.iter().map(|attempt| self.attempt(attempt)).collect();
        let then = data.non_empty_text("onBlocked").filter(|_| status == "recovering");
        lines.extend(then.map(|then| chosen(notices::RECOVERY_ELSE, &then)));
        (!lines.is_empty()).then_some(Phrase::Joined(lines, "\n"))
    }

    fn attempt(&self, attempt: &Value) -> Phrase {
        let word = |message: Word, name: &str| text(attempt, name).map(|word| chosen(message, word));
        let mut parts = Vec::new();
        parts.extend(word(notices::RECOVERY_RELATION, "relation"));
        parts.extend(self.refused(attempt));
        parts.extend(word(notices::RECOVERY_BECAME, "disposition"));
        parts.extend(word(notices::RECOVERY_WHY, "reason"));
        let attempt_text = Phrase::Joined(parts, " · ");
        match attempt.get("ordinal").and_then(Value::as_i64) {
            Some(ordinal) => Phrase::Joined(vec![ordinal.into(), attempt_text], ". "),
            None => attempt_text,
        }
    }

    /// What an attempt was about: the kind of permission, and the command, file or address of its call.
    fn refused(&self, attempt: &Value) -> Option<Phrase> {
        let kind = text(attempt, "permissionKind").filter(|kind| !kind.is_empty())?;
        let call = text(attempt, "toolCallId").and_then(|id| self.entry(self.tool_place(id)?)?.tool());
        let object = call.and_then(|call| {
            OBJECTS.iter().find_map(|name| call.argument(name)).or(call.title.as_deref()).map(short)
        });
        let object = object.filter(|object| !object.is_empty());
        Some(notices::RECOVERY_OF.phrase(vec![
            ("word", kind.into()),
            ("said", readable(kind)),
            ("what", object.into()),
        ]))
    }
}

/// What blocks a task, and whether it can go on; `None` if nothing does.
pub(super) fn blocker(mut data: Fields) -> Option<Phrase> {
    let kind = data.non_empty_text("kind");
    let why =
        data.non_empty_text("reason").or_else(|| data.object("permissionRecovery").non_empty_text("reason"));
    let resumable = data.flag("resumable");
    if kind.is_none() && why.is_none() && resumable.is_none() {
        return None;
    }
    let resumable = resumable.map(|can| if can { "yes" } else { "no" });
    let mut parts = vec![chosen(notices::BLOCKED, kind.as_deref().unwrap_or_default())];
    parts.extend(why.map(|why| chosen(notices::RECOVERY_WHY, &why)));
    parts.extend(resumable.map(|can| chosen(notices::BLOCKED_UNTIL, can)));
    Some(Phrase::Joined(parts, " · "))
}

/// A message that a word of the runtime chooses; an unknown word is shown unchanged.
fn chosen(message: Word, word: &str) -> Phrase {
    message.phrase(vec![("word", word.into()), ("said", readable(word))])
}

fn readable(word: &str) -> Phrase {
    format::in_words(word).into()
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str()
}

/// The beginning of the first line, in which hidden characters are numbers.
fn short(text: &str) -> String {
    let text = text.trim();
    let line = text.lines().next().unwrap_or_default();
    let mut begins: String = line.chars().take(LONGEST).collect();
    if begins.len() < text.len() {
        begins.push('…');
    }
    let seen = segments(&begins).into_iter().map(|segment| match segment {
        Segment::Plain(text) => text.to_owned(),
        Segment::Hidden { ch, .. } => format!("[U+{:04X}]", u32::from(ch)),
    });
    seen.collect()
}
