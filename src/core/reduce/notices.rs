//! Handles notices: their level, source, remedy and count. Milestones are in `milestones`.
//!
//! Equal notices of one source are one entry with a count. A source is a level and category, of one agent,
//! either live or persisted: those are never counted together, so that history counts the same as the live
//! stream. After a person's next message an equal notice gets a new entry, an error also after the next model
//! call: nobody sees a count that goes up far above. Of notices that report a status (MCP, extensions) the
//! newest is shown, the earlier ones on demand.

use super::endings::{EndCause, EndScope};
use super::restart::{LOST_CALL, RUNTIME_ENDED};
use super::{EventMeta, pretty};
use crate::i18n::Phrase;
use crate::i18n::format;
use crate::i18n::words::notices;
use crate::model::entry::{Body, Entry, Kind, Level, MAX_EARLIER, Notice};
use crate::model::state::{Phase, Space, State};
use crate::protocol::{EventKind, command_notice};
use crate::view_model::panel::built_in_servers;
use crate::view_model::tool_summary::edits;
use crate::wire::fields::Fields;

/// How many entries before a notice are searched for the call that it is about.
const CALL_DISTANCE: usize = 32;

impl State {
    /// A plain notice, in an entry of its own.
    pub(crate) fn notice(
        &mut self,
        meta: EventMeta<'_>,
        level: Level,
        category: &str,
        phrase: Phrase,
    ) -> usize {
        self.notice_of(meta, Notice::new(level, category), phrase)
    }

    /// A notice with all its facts, in an entry of its own.
    pub(crate) fn notice_of(&mut self, meta: EventMeta<'_>, mut notice: Notice, phrase: Phrase) -> usize {
        let place = self.add_entry(None, Kind::Notice, meta.id.to_owned(), meta);
        notice.local = meta.local;
        self.update(place, |entry| entry.body = Body::Notice(Box::new(notice)));
        self.replace_phrase(place, phrase);
        place
    }

    pub(crate) fn notice_facts(&mut self, place: usize, url: Option<String>, detail: Option<Phrase>) {
        self.update(place, |entry| {
            if let Body::Notice(notice) = &mut entry.body {
                notice.url = url;
                notice.detail = detail;
            }
        });
    }

    /// A transcript of another agent is read: one notice at its beginning, which is completed when it has been read.
    pub(super) fn transcript_read(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        const KEY: &str = "transcript";
        let [agent, form] = ["agent", "form"].map(|name| data.text(name).unwrap_or_default());
        let what = notices::TRANSCRIPT.phrase(vec![("agent", agent.into()), ("form", form.into())]);
        let mut parts = vec![what];
        parts.extend(
            data.integer("lines").map(|n| notices::TRANSCRIPT_LINES.phrase(vec![("n", Phrase::Count(n))])),
        );
        let left_out = data.object("leftOut").rest();
        let left_out: Vec<(&String, i64)> = left_out
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(what, n)| Some((what, n.as_i64()?)))
            .collect();
        let n = left_out.iter().fold(0_i64, |sum, (_, n)| sum.saturating_add(*n));
        if n > 0 {
            parts.push(notices::TRANSCRIPT_LEFT_OUT.phrase(vec![("n", Phrase::Count(n))]));
        }
        let detail: Vec<String> = left_out.iter().map(|(what, n)| format!("{n} × {what}")).collect();
        let phrase = Phrase::Joined(parts, " · ");
        let place = if let Some(place) = self.place(Space::Named, KEY) {
            place
        } else {
            let place = self.notice(meta, Level::Milestone, KEY, "".into());
            self.index_entry(Space::Named, KEY.to_owned(), place);
            place
        };
        self.replace_phrase(place, phrase);
        self.notice_facts(place, None, (!detail.is_empty()).then(|| detail.join("\n").into()));
    }

    /// A notice that is only counted if the same source has just sent the same text.
    pub(crate) fn repeatable_notice(&mut self, meta: EventMeta<'_>, notice: Notice, phrase: Phrase) -> usize {
        let status = notice.level == Level::Info && tells_status(&notice.category);
        let key = source(meta, &notice);
        if let Some(place) = self.repeatable.get(&key).copied()
            && self.counts_as(place, &notice, &phrase, status)
        {
            let before = self.entry(place).filter(|entry| !entry.has_phrase(&phrase)).map(Entry::to_phrase);
            self.update(place, |entry| {
                entry.ended_at = entry.ended_at.max(meta.at);
                if let Body::Notice(old) = &mut entry.body {
                    old.count = old.count.saturating_add(1);
                    old.url = notice.url;
                    old.remedy = notice.remedy;
                    old.detail = notice.detail;
                    if let Some(before) = before {
                        if old.earlier.len() >= MAX_EARLIER {
                            old.earlier.remove(0);
                        }
                        old.earlier.push(before);
                    }
                }
            });
            self.replace_phrase(place, phrase);
            return place;
        }
        let place = self.notice_of(meta, notice, phrase);
        self.repeatable.insert(key, place);
        place
    }

    fn counts_as(&self, place: usize, notice: &Notice, phrase: &Phrase, status: bool) -> bool {
        self.entry(place).is_some_and(|entry| match &entry.body {
            Body::Notice(old) => {
                let same = old.url == notice.url && old.remedy == notice.remedy;
                status || (same && entry.has_phrase(phrase) && old.about == notice.about)
            }
            _ => false,
        })
    }

    /// The model is called again: errors get new entries from now on.
    pub(super) fn errors_are_new(&mut self) {
        self.repeatable.retain(|source, _| !source.starts_with(Level::Error.word()));
    }

    /// A notice or an error from the host; returns its place.
    pub(crate) fn add_host_notice(&mut self, meta: EventMeta<'_>, data: Fields) -> usize {
        self.count_record();
        self.counters.ephemeral += u64::from(meta.ephemeral);
        if meta.kind == EventKind::SessionError {
            self.session_error(meta, data)
        } else {
            self.session_message(meta, data)
        }
    }

    pub(super) fn session_error(&mut self, meta: EventMeta<'_>, mut data: Fields) -> usize {
        let category = category(meta, &mut data, "errorType", Level::Error);
        let mut text =
            data.non_empty_text("message").map_or_else(|| notices::ERROR_SILENT.into(), Phrase::Text);
        let mut notice = Notice::new(Level::Error, &category);
        notice.url = data.non_empty_text("url");
        notice.remedy = remedy(&mut data);
        notice.detail = (!data.is_empty()).then(|| pretty(&data.rest()).into());
        if category == RUNTIME_ENDED {
            // It is mended by itself, so it is not red; the gateway's words are for those who look into it.
            notice.level = Level::Warning;
            notice.detail = Some(std::mem::replace(&mut text, notices::RESTARTING.into()));
        }
        let place = self.repeatable_notice(meta, notice, text);
        // A notification of the level 'error' is a message, not the session's failure.
        if category == "notification" {
            return place;
        }
        if category == RUNTIME_ENDED {
            self.close(EndCause::Process { gives_up: false }, EndScope::Everyone);
        } else {
            self.close(EndCause::Error, EndScope::of(meta.agent));
        }
        if meta.agent.is_none() {
            if self.phase == Phase::Running || self.failed.is_some() {
                self.failed = Some(place);
            }
            self.set_phase(Phase::Error);
        }
        place
    }

    pub(super) fn session_message(&mut self, meta: EventMeta<'_>, mut data: Fields) -> usize {
        let (level, name) = if meta.kind == EventKind::SessionInfo {
            (Level::Info, "infoType")
        } else {
            (Level::Warning, "warningType")
        };
        let category = category(meta, &mut data, name, level);
        let is_taken =
            data.non_empty_text("requestId").is_some_and(|id| self.take_command_notice(&category, &id));
        let not_run = match data.non_empty_text("command").zip(data.non_empty_text("why")) {
            Some((command, why)) if category == command_notice::FAILED => {
                Some(notices::COMMAND_NOT_RUN.phrase(vec![("command", command.into()), ("why", why.into())]))
            }
            _ => None,
        };
        let text = data.non_empty_text("message");
        // A server that nobody asked for is no trouble when it fails.
        let is_optional = category == "mcp"
            && text.as_ref().is_some_and(|text| built_in_servers(self).any(|name| text.contains(name)));
        let level = if is_optional { Level::Info } else { level };
        let mut notice = Notice::new(level, &category);
        if category == LOST_CALL {
            return self.call_is_lost(meta, notice, text);
        }
        notice.url = data.non_empty_text("url");
        notice.remedy = remedy(&mut data);
        let phrase = match (not_run, text) {
            (Some(not_run), _) => not_run,
            (None, Some(text)) if is_taken => text.into(),
            (None, Some(text)) => self.in_words(&category, text, &mut notice),
            (None, None) => {
                let kind = Phrase::Capitalised(Box::new(Phrase::runtime_word(&category)));
                notices::NOTICE_SILENT.phrase(vec![("category", kind)])
            }
        };
        if is_taken {
            let place = self.notice_of(meta, notice, phrase);
            self.update(place, |entry| entry.ui_visible = false);
            return place;
        }
        // The runtime repeats in its own words what the milestone, or the call's own row, already says.
        let again = match &notice.detail {
            Some(Phrase::Text(path)) if category.starts_with("file_") => self.call_tells(path),
            _ => category == "cancellation" && self.just_stopped(),
        };
        if again {
            let place = self.notice_of(meta, notice, phrase);
            self.update(place, |entry| entry.ui_visible = false);
            return place;
        }
        self.repeatable_notice(meta, notice, phrase)
    }

    /// Some messages are a bare path: those are put into words.
    fn in_words(&self, category: &str, text: String, notice: &mut Notice) -> Phrase {
        let what = match category {
            "file_created" => "created",
            "file_updated" | "file_changed" | "file_edited" => "changed",
            "file_deleted" => "deleted",
            _ => return text.into(),
        };
        if text.contains('\n') || !(text.starts_with(['/', '~']) || text.get(1..3) == Some(":\\")) {
            return text.into();
        }
        let own = self.info.id.as_deref().and_then(|id| text.split_once(&format!("session-state/{id}/")));
        let (word, name) = match own {
            Some((_, name)) => (notices::FILE_TOLD_OWN, name.to_owned()),
            None => (notices::FILE_TOLD, format::relative(&text, self.info.cwd.as_deref())),
        };
        notice.detail = Some(text.into());
        word.phrase(vec![("what", what.into()), ("name", name.into())])
    }

    /// True if a call nearby shows in its own row that it made or changed this file.
    fn call_tells(&self, path: &str) -> bool {
        let cwd = self.info.cwd.as_deref();
        let mut calls = self.entries.iter().rev().take(CALL_DISTANCE).filter_map(|entry| entry.tool());
        calls.any(|call| edits(call, &format::relative(path, cwd), cwd))
    }

    fn just_stopped(&self) -> bool {
        let mut last = self.entries.iter().rev().take(4);
        last.any(
            |entry| matches!(&entry.body, Body::Notice(notice) if notice.category == EventKind::Abort.name()),
        )
    }

    /// A progress message of a hook; the next one replaces it if it is temporary.
    pub(super) fn hook_progress(&mut self, meta: EventMeta<'_>, mut data: Fields) {
        let text = data.text("message").unwrap_or_default();
        let temporary = data.flag("temporary").unwrap_or(false);
        let category = if temporary { "hook.now" } else { "hook" };
        self.repeatable_notice(meta, Notice::new(Level::Info, category), text.into());
    }
}

/// The runtime's category; `notification` for whatever a host says.
fn category(meta: EventMeta<'_>, data: &mut Fields, name: &str, level: Level) -> String {
    let own = if meta.local { Some("notification".to_owned()) } else { data.non_empty_text(name) };
    own.unwrap_or_else(|| level.word().to_owned())
}

fn source(meta: EventMeta<'_>, notice: &Notice) -> String {
    let persistence = if meta.ephemeral { "live" } else { "kept" };
    let by = if meta.local { "host" } else { meta.agent.unwrap_or_default() };
    format!("{} {} {persistence} {by}", notice.level.word(), notice.category)
}

/// Categories of which only the newest notice matters.
fn tells_status(category: &str) -> bool {
    matches!(category, "mcp" | "extension" | "extensions" | "hook.now")
}

/// What a person can do: the runtime's action in our words, else its tip as it is.
fn remedy(data: &mut Fields) -> Option<Phrase> {
    let action = data.non_empty_text("remediation").map(|action| {
        let readable = format::capitalised(&format::in_words(&action));
        notices::REMEDY.phrase(vec![("action", action.into()), ("said", readable.into())])
    });
    action.or_else(|| data.non_empty_text("tip").map(Phrase::Text))
}
