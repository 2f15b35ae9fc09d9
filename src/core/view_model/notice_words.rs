//! What a notice or a milestone says beside its text: its icon, its category, whether it is cut, what is behind it.

use serde_json::{Map, Value};

use crate::i18n::Word;
use crate::i18n::format::{runtime_word, without_marks};
use crate::i18n::words::timeline;
use crate::json_writer::pretty;
use crate::model::entry::{Body, Entry, EntryState, Kind, Level, Notice};
use crate::model::state::State;
use crate::protocol::EventKind;
use crate::view_model::entry_words::text;
use crate::view_model::icon::Icon;

/// Characters of information that fit into a line. Longer text, or several lines, is cut and can be opened.
const LONG_TEXT: usize = 140;

/// The icon of a notice.
pub fn icon(level: Level) -> Icon {
    match level {
        Level::Warning => Icon::Warning,
        Level::Error => Icon::Error,
        _ => Icon::Info,
    }
}

/// Whether a notice is cut to a line and can be opened. Warnings and errors may need action, so they are never cut.
pub fn is_cut(entry: &Entry, level: Level) -> bool {
    let text = one_line(entry);
    let loud = matches!(level, Level::Warning | Level::Error);
    let streams = entry.state == EntryState::Streaming;
    !streams && !loud && (text.chars().nth(LONG_TEXT).is_some() || text.trim().contains('\n'))
}

/// A notice's category as a tag, unless its text begins with it.
pub fn tag(entry: &Entry) -> Option<String> {
    let Body::Notice(notice) = &entry.body else { return None };
    category_words(notice).filter(|tag| !text(entry).starts_with(tag))
}

/// The category as a tag. `None` if the text says it already, as that of failures does.
fn category_words(notice: &Notice) -> Option<String> {
    if notice.local {
        return Some(timeline::THIS_PAGE.text().to_owned());
    }
    let category = notice.category.strip_prefix("copilot_errors.").unwrap_or(&notice.category);
    let word = match category {
        "autopilot_continuation" | "permission_recovery" => timeline::AUTOPILOT,
        "mcp" => timeline::MCP,
        "ephemeral_query" => timeline::SIDE_QUESTION,
        "hook" | "hook.now" => timeline::HOOK,
        kind if kind == EventKind::CopilotReferences.name() => timeline::REFERENCES,
        "timing" => timeline::TIMING,
        "context_window" => timeline::CONTEXT_WINDOW,
        "snapshot" => timeline::SNAPSHOT,
        "configuration" => timeline::CONFIGURATION,
        "authentication" => timeline::AUTHENTICATION,
        "authorization" => timeline::AUTHORIZATION,
        "quota" => timeline::QUOTA,
        "rate_limit" => timeline::RATE_LIMIT,
        "context_limit" => timeline::CONTEXT_LIMIT,
        "subscription" => timeline::SUBSCRIPTION,
        "model" => timeline::MODEL,
        "policy" if notice.level == Level::Warning => timeline::POLICY,
        "notification" | "info" | "warning" | "error" | "query" | "malformed" | "local" | "reply_broke"
        | "runtime_ended" | "resume_continuity" | "acp" => {
            return None;
        }
        _ if category.ends_with("_failed") => return None,
        _ if matches!(notice.level, Level::Warning | Level::Error) => {
            return Some(runtime_word(category));
        }
        _ => return None,
    };
    Some(word.text().to_owned())
}

/// A notice's text. In a single line the marks of markdown would be read as text.
pub fn one_line(entry: &Entry) -> String {
    let text = text(entry);
    if text.trim().contains('\n') { text.into_owned() } else { without_marks(&text) }
}

/// The text of a milestone beyond its label.
pub fn milestone_detail(entry: &Entry) -> Option<String> {
    match &entry.body {
        Body::Facts { facts, .. } => Some(facts.get("summaryContent")?.as_str()?.trim().to_owned()),
        Body::Notice(notice) => Some(notice.detail.as_ref()?.words().into_owned()),
        _ => None,
    }
}

/// The facts of a compaction besides its summary.
pub fn milestone_figures(entry: &Entry) -> Option<String> {
    let Body::Facts { facts: Value::Object(facts), .. } = &entry.body else { return None };
    let is_detail = |(name, _): &(&String, &Value)| *name != "summaryContent";
    let rest: Map<String, Value> =
        facts.iter().filter(is_detail).map(|(name, value)| (name.clone(), value.clone())).collect();
    (!rest.is_empty()).then(|| pretty(&Value::Object(rest)))
}

/// The title of that text.
pub fn milestone_detail_title(entry: &Entry) -> Word {
    match (entry.kind, category(entry)) {
        (Kind::Compaction, _) | (_, "handoff") => timeline::SUMMARY,
        (_, "context_cleared") => timeline::FIRST_MESSAGE,
        (_, "shutdown" | "truncation") => timeline::FIGURES,
        _ => timeline::DETAILS,
    }
}

fn category(entry: &Entry) -> &str {
    match &entry.body {
        Body::Notice(notice) => &notice.category,
        _ => "",
    }
}

/// The icon of a milestone.
pub fn milestone_icon(entry: &Entry) -> Icon {
    match (entry.kind, category(entry)) {
        (Kind::Compaction, _) | (_, "truncation" | "context_cleared" | "snapshot_rewind") => Icon::Compact,
        (Kind::Summary, _) => match entry.state {
            EntryState::Failed => Icon::Cross,
            EntryState::Interrupted => Icon::Info,
            _ => Icon::Check,
        },
        (_, category) if category == EventKind::Abort.name() => Icon::Stop,
        (_, "permissions_changed") => Icon::Shield,
        (_, "model_change" | "model_deselected") => Icon::Spark,
        (_, "session_resume" | "resume" | "handoff") => Icon::Refresh,
        (_, category)
            if matches!(
                EventKind::parse(category),
                EventKind::SubagentSelected | EventKind::SubagentDeselected
            ) =>
        {
            Icon::Agent
        }
        _ => Icon::Info,
    }
}

/// The icon for an agent's word, which is often the name of an octicon.
pub fn reference_icon(word: &str) -> Icon {
    const KNOWN: [(&str, Icon); 16] = [
        ("file", Icon::File),
        ("code", Icon::File),
        ("book", Icon::File),
        ("note", Icon::File),
        ("git", Icon::Branch),
        ("repo", Icon::Branch),
        ("branch", Icon::Branch),
        ("person", Icon::User),
        ("people", Icon::User),
        ("terminal", Icon::Terminal),
        ("search", Icon::Search),
        ("issue", Icon::Question),
        ("question", Icon::Question),
        ("agent", Icon::Agent),
        ("copilot", Icon::Agent),
        ("plug", Icon::Plug),
    ];
    let word = word.to_ascii_lowercase();
    KNOWN.into_iter().find(|(name, _)| word.contains(name)).map_or(Icon::Globe, |(_, icon)| icon)
}

/// Whether a link to this address is allowed: only `http` and `https` are.
pub fn may_lead_to(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// What an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// Its id.
    pub id: String,
    /// The same in words.
    pub words: String,
    /// Its entry, if that is in the session.
    pub place: Option<usize>,
}

/// What an error is about, by the name that it has where it was sent.
pub fn about(state: &State, notice: &Notice) -> Option<About> {
    let about = notice.about.as_ref()?;
    let id = &about.identifier;
    let place = state.place_about(about);
    let named = place.and_then(|place| state.entry(place)).and_then(|entry| {
        let all = match &entry.body {
            Body::Notice(notice) => &notice.references,
            Body::User(message) => &message.references,
            _ => return None,
        };
        all.iter().find(|reference| reference.id == *id).map(|reference| &reference.name)
    });
    let words = timeline::ABOUT.with(&[("name", named.unwrap_or(id).into())]);
    Some(About { id: id.clone(), words, place })
}
