//! Input that could not be read: it is counted, explained and shown in one notice, and reading goes on.

use super::Session;
use super::log::Tag;
use crate::i18n::Phrase;
use crate::i18n::words::connection;
use crate::model::entry::{EntryState, Kind, Level};
use crate::model::state::Space;

impl Session {
    pub(super) fn not_utf8(&mut self, place: &str) {
        self.keep(Tag::NotUtf8, "not UTF-8", None, "", place);
        let message = format!("{place} has bytes that are no UTF-8: they are shown as \u{FFFD}");
        self.state.diagnose("warning", message, None);
    }

    /// Counts, explains and shows an input that could not be read.
    pub(super) fn malformed(&mut self, reason: &str, text: &str, line: Option<u64>) {
        const NOTICE: &str = "malformed";
        const EXCERPT: usize = 200;
        self.strayed();
        self.keep(Tag::Malformed, NOTICE, line, reason, text);
        let why = ("why", reason.into());
        let mut detail = match line {
            Some(line) => connection::UNREADABLE_LINE.phrase(vec![("line", line.to_string().into()), why]),
            None => connection::UNREADABLE_FRAME.phrase(vec![why]),
        };
        let mut excerpt: String = text.chars().take(EXCERPT).collect();
        if !excerpt.is_empty() {
            excerpt.push_str(if excerpt.len() < text.len() { " …" } else { "" });
            detail = Phrase::Joined(vec![detail, excerpt.into()], ": ");
        }
        self.state.counters.malformed += 1;
        let count = self.state.counters.malformed;
        self.state.diagnose("error", detail.clone(), None);
        let entry = if let Some(entry) = self.state.place(Space::Named, NOTICE) {
            entry
        } else {
            let mut meta = self.next_meta("malformed");
            meta.ephemeral = true;
            let entry = self.state.notice(meta, Level::Warning, NOTICE, "".into());
            self.state.index_entry(Space::Named, NOTICE.to_owned(), entry);
            self.state.update(entry, |entry| NOTICE.clone_into(&mut entry.id));
            entry
        };
        let records = i64::try_from(count).unwrap_or(i64::MAX);
        self.state.replace_phrase(entry, connection::UNREADABLE.phrase(vec![("n", records.into())]));
        self.state.notice_facts(entry, None, Some(detail));
        debug_assert!(
            self.state.entry(entry).is_some_and(|e| e.kind == Kind::Notice && e.state == EntryState::Done)
        );
    }
}
