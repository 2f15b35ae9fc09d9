//! The lines that open: what a tool call, a group of calls, a sub-agent or a custom notification says in one line, and its end.

use crate::i18n;
use crate::i18n::format::without_marks;
use crate::i18n::words::{timeline, tools};
use crate::i18n::{Value, Word};
use crate::model::entry::{Body, Entry, EntryState, Subagent};
use crate::model::state::State;
use crate::model::tool_call::ToolCall;
use crate::view_model::agent_name;
use crate::view_model::entry_words::text;
use crate::view_model::icon::Icon;
use crate::view_model::tool_summary::{Sentence, ToolFamily};

/// A piece of a summary line.
#[derive(Debug, PartialEq)]
pub enum Piece {
    /// Plain text.
    Text(String),
    /// An element, as tag, class and text; the class may be empty.
    Element(&'static str, &'static str, String),
}

impl Piece {
    /// Plain text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    /// Something exact: a command, a path.
    pub fn code(text: String) -> Self {
        Self::Element("code", "", text)
    }

    /// Text with a class.
    pub fn span(class: &'static str, text: String) -> Self {
        Self::Element("span", class, text)
    }
}

/// The icon of a family of tools.
pub fn tool_icon(family: ToolFamily) -> Icon {
    match family {
        ToolFamily::Shell => Icon::Terminal,
        ToolFamily::Edit => Icon::Pencil,
        ToolFamily::Read => Icon::File,
        ToolFamily::Search => Icon::Search,
        ToolFamily::Web => Icon::Globe,
        ToolFamily::Mcp => Icon::Plug,
        ToolFamily::Agent => Icon::Agent,
        ToolFamily::List => Icon::List,
        ToolFamily::AskUser => Icon::Question,
        ToolFamily::Memory | ToolFamily::Skill => Icon::Skill,
        ToolFamily::Other => Icon::Braces,
    }
}

/// Whether a tool call's line is open by itself: failed calls, edits, shells while they run.
pub fn tool_opens(entry: &Entry, family: ToolFamily) -> bool {
    match entry.state {
        _ if entry.rewound => false,
        EntryState::Failed => true,
        EntryState::Running => matches!(family, ToolFamily::Shell | ToolFamily::Edit),
        EntryState::Streaming | EntryState::Pending | EntryState::Done => family == ToolFamily::Edit,
        _ => false,
    }
}

/// What a tool call did.
pub fn tool(Sentence { before, object, plain, after, remark, lines }: Sentence) -> Vec<Piece> {
    let mut pieces = vec![Piece::Text(before)];
    pieces.extend(object.map(if plain { Piece::Text } else { Piece::code }));
    pieces.extend((!after.is_empty()).then_some(Piece::Text(after)));
    if let Some(remark) = remark {
        pieces.push(Piece::span("quiet", tools::REMARK.with(&[("remark", (&remark).into())])));
    }
    if let Some((added, removed)) = lines {
        pieces.extend([Piece::text(" "), Piece::span("ins-n", format!("+{added}"))]);
        pieces.extend([Piece::text(" "), Piece::span("del-n", format!("−{removed}"))]);
    }
    pieces
}

/// How a tool call ended, its exit code and how long it took.
pub fn tool_end(entry: &Entry) -> Vec<Piece> {
    let word = tool_state(entry.state, entry.tool()).map(|word| Piece::span("", word));
    word.into_iter().chain(tool_figures(entry).map(|figures| Piece::span("dur", figures))).collect()
}

fn tool_state(state: EntryState, call: Option<&ToolCall>) -> Option<String> {
    let word = match state {
        EntryState::Failed => tools::FAILED,
        EntryState::Denied => tools::DENIED,
        EntryState::Interrupted => tools::INTERRUPTED,
        EntryState::Streaming => tools::BEING_WRITTEN,
        EntryState::Pending => tools::NOT_STARTED,
        EntryState::Running => return call.and_then(|call| call.progress.clone()),
        EntryState::Done if call.is_some_and(ToolCall::in_background) => tools::IN_BACKGROUND,
        _ => return None,
    };
    Some(word.text().to_owned())
}

/// The exit code if it is not 0, and how long the call took.
fn tool_figures(entry: &Entry) -> Option<String> {
    let exit = entry.tool().and_then(ToolCall::exit_code).filter(|code| *code != 0);
    let ended = matches!(entry.state, EntryState::Done | EntryState::Failed);
    let duration_ms = entry.took().filter(|ms| ended && *ms >= 50);
    let exit = exit.map(|code| tools::EXIT.with(&[("code", code.into())]));
    match (exit, duration_ms.map(i18n::duration)) {
        (Some(exit), Some(duration_ms)) => Some(format!("{exit} · {duration_ms}")),
        (exit, duration_ms) => exit.or(duration_ms),
    }
}

/// A sub-agent's name, task and model.
pub fn subagent(agent: &Subagent) -> Vec<Piece> {
    let model = agent.model.clone().map(|model| Piece::span("quiet", format!(" · {model}")));
    let description = Piece::Text(format!(" {}", without_marks(&agent.description)));
    let name = Piece::span("agent", agent_name::shown(agent.title()).to_owned());
    [name, description].into_iter().chain(model).collect()
}

/// A sub-agent's state and figures.
pub fn subagent_end(state: EntryState, agent: &Subagent) -> Vec<Piece> {
    let word = subagent_state(state, agent).map(|word| Piece::span("", word.text().to_owned()));
    let figures = subagent_figures(agent);
    word.into_iter().chain((!figures.is_empty()).then(|| Piece::span("dur", figures))).collect()
}

fn subagent_state(state: EntryState, agent: &Subagent) -> Option<Word> {
    match state {
        EntryState::Running if agent.background => Some(timeline::WORKING_BACKGROUND),
        EntryState::Running => Some(timeline::WORKING),
        EntryState::Failed => Some(timeline::FAILED),
        EntryState::Interrupted if agent.cancelled => Some(timeline::CANCELLED),
        EntryState::Interrupted => Some(timeline::STOPPED),
        _ => None,
    }
}

/// '3 tools · 21.4 k tokens · 12 s', from the runtime's totals if it sent them.
fn subagent_figures(agent: &Subagent) -> String {
    let tools = agent.tool_calls.unwrap_or(i64::from(agent.work.tools));
    let known = agent.work.input_tokens.saturating_add(agent.work.output_tokens);
    let tokens = agent.tokens.unwrap_or(known);
    let parts = [
        (tools > 0).then(|| timeline::TOOLS.with(&[("n", Value::Count(tools))])),
        (tokens > 0).then(|| timeline::TOKENS.with(&[("n", Value::Count(tokens))])),
        agent.duration_ms().map(i18n::duration),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// What a sub-agent's line does not show of it: how it runs.
pub fn subagent_facts(agent: &Subagent) -> String {
    let effort = agent.effort.as_ref().map(|effort| timeline::EFFORT.with(&[("effort", effort.into())]));
    let own_name = Some(agent.name.clone()).filter(|name| !name.is_empty() && name != agent.title());
    let parts = [own_name, effort, agent.background.then(|| timeline::IN_BACKGROUND.text().to_owned())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// What the call that started a sub-agent gave back, once the sub-agent has ended.
pub fn given_back(state: &State, entry: &Entry) -> Option<String> {
    let call = state.entry(state.tool_place(&entry.id)?)?;
    Some(call.text.to_string()).filter(|text| entry.state != EntryState::Running && !text.is_empty())
}

/// How many calls run together; while they are folded to this line, their names too.
pub fn parallel(state: &State, calls: &[usize], open: bool) -> Vec<Piece> {
    let count = i64::try_from(calls.len()).unwrap_or(i64::MAX);
    let title = Piece::Text(timeline::TOGETHER.with(&[("n", Value::Count(count))]));
    let names = (!open).then(|| Piece::span("quiet", format!(" · {}", names(state, calls))));
    [title].into_iter().chain(names).collect()
}

/// The states of calls that run together, and how long they took.
pub fn parallel_end(state: &State, calls: &[usize]) -> Vec<Piece> {
    vec![Piece::span("dur", parallel_figures(state, calls))]
}

/// The names of the tools, such as 'grep, view ×2'.
fn names(state: &State, calls: &[usize]) -> String {
    let mut counted: Vec<(&str, i64)> = Vec::new();
    for call in entries(state, calls).filter_map(Entry::tool) {
        match counted.iter_mut().find(|(name, _)| *name == call.name) {
            Some((_, times)) => *times += 1,
            None => counted.push((&call.name, 1)),
        }
    }
    let names = counted.into_iter().map(|(name, times)| match times {
        1 => name.to_owned(),
        _ => format!("{name} {}", timeline::TIMES.with(&[("n", Value::Count(times))])),
    });
    names.collect::<Vec<_>>().join(", ")
}

/// States and duration, such as '1 waiting · 1 running · 1 failed · 1.4 s'; the duration is shown once all
/// have ended.
fn parallel_figures(state: &State, calls: &[usize]) -> String {
    let count = |wanted: EntryState, waits: bool| {
        let is = |entry: &&Entry| {
            entry.state == wanted && entry.tool().is_some_and(|call| call.is_waiting == waits)
        };
        let count = entries(state, calls).filter(is).count();
        i64::try_from(count).ok().filter(|count| *count > 0).map(|count| [("n", Value::Count(count))])
    };
    let all_ended = entries(state, calls).all(|entry| entry.tool().is_some_and(ToolCall::ended));
    let duration_ms = all_ended.then(|| time_of(state, calls)).flatten();
    let parts = [
        count(EntryState::Running, true).map(|n| timeline::WAITING_OF_THEM.with(&n)),
        count(EntryState::Running, false).map(|n| timeline::RUNNING_OF_THEM.with(&n)),
        count(EntryState::Failed, false).map(|n| timeline::FAILED_OF_THEM.with(&n)),
        count(EntryState::Denied, false).map(|n| timeline::DENIED_OF_THEM.with(&n)),
        duration_ms.filter(|ms| *ms >= 50).map(i18n::duration),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// From the first start to the last end. If they waited for a person, the time of the longest call: theirs overlap.
fn time_of(state: &State, calls: &[usize]) -> Option<i64> {
    let waited = entries(state, calls).any(|entry| entry.tool().is_some_and(|call| call.waited_ms > 0));
    if waited {
        return entries(state, calls).filter_map(Entry::took).max();
    }
    let begun = entries(state, calls).filter_map(|entry| entry.at).min();
    let ended = entries(state, calls).map(|entry| entry.ended_at).collect::<Option<Vec<_>>>();
    ended.and_then(|ended| ended.into_iter().max()).zip(begun).map(|(end, start)| end - start)
}

fn entries<'a>(state: &'a State, calls: &'a [usize]) -> impl Iterator<Item = &'a Entry> {
    calls.iter().filter_map(|place| state.entry(*place))
}

/// A custom notification's text, and how many times it came.
pub fn custom(entry: &Entry) -> Vec<Piece> {
    let count = match &entry.body {
        Body::Custom(custom) if custom.count > 1 => Some(custom.count),
        _ => None,
    };
    let count =
        count.map(|count| Piece::span("count", timeline::TIMES.with(&[("n", i64::from(count).into())])));
    [Piece::Text(text(entry).into_owned()), Piece::text(" ")].into_iter().chain(count).collect()
}

/// A custom notification's state and source.
pub fn custom_end(entry: &Entry) -> Vec<Piece> {
    let word = match entry.state {
        EntryState::Running => Some(timeline::WORKING),
        EntryState::Failed => Some(timeline::FAILED),
        EntryState::Interrupted => Some(timeline::CANCELLED),
        EntryState::Pending => Some(timeline::NEEDS_INPUT),
        _ => None,
    };
    let source = match &entry.body {
        Body::Custom(custom) => custom.source.clone(),
        _ => String::new(),
    };
    let word = word.map(|word: Word| Piece::span("", word.text().to_owned()));
    word.into_iter().chain([Piece::span("dur", source)]).collect()
}
