//! The agent's own answers on the card of a permission: in which order, which is the main one, and what each does by its kind.

use serde_json::Value;

use crate::i18n::words::requests;
use crate::model::agent_option::{AgentOption, OptionKind, agent_options, allow_once};
use crate::text::hidden;

/// In characters, what a button shows of a name.
const LONGEST: usize = 160;
/// In characters, the names that stand beside each other in one row: each of them, and together.
const SHORT: usize = 24;
const ROW: usize = 60;

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// The option's id; none for our own 'Reject', with which the agent is told that its request was cancelled.
    pub id: Option<String>,
    /// What the button says: the agent's name of it.
    pub name: String,
    /// The whole name, if the button shows only its beginning; hidden characters are named.
    pub whole_name: Option<String>,
    /// What it is about.
    pub kind: OptionKind,
    /// The answer that the agent hopes for.
    pub is_main: bool,
}

impl Offer {
    fn of(option: &AgentOption<'_>, main: Option<&str>) -> Self {
        let name = shown(option.name);
        Self {
            id: Some(option.id.to_owned()),
            whole_name: (name != option.name).then(|| hidden::named(option.name)),
            name,
            kind: option.kind,
            is_main: main == Some(option.id),
        }
    }

    /// The value of `data-answer`.
    pub fn hook(&self) -> &'static str {
        self.kind.decision().unwrap_or("option")
    }

    /// Whether it outlasts this call, or may: then it is asked again.
    pub fn lasts(&self) -> bool {
        matches!(self.kind, OptionKind::AllowAlways | OptionKind::RejectAlways | OptionKind::Unknown)
    }

    /// What it does, by its kind. What lasts is up to the agent of this name.
    pub fn effect(&self, agent: Option<&str>) -> String {
        let agent = agent.unwrap_or(requests::THE_AGENT.text());
        let word = match self.kind {
            OptionKind::AllowOnce => requests::OPTION_ONCE,
            OptionKind::AllowAlways => requests::OPTION_ALWAYS,
            OptionKind::RejectOnce => requests::OPTION_REJECT,
            OptionKind::RejectAlways => requests::OPTION_NEVER,
            OptionKind::Unknown => requests::OPTION_UNKNOWN,
        };
        word.with(&[("agent", agent.into())])
    }

    /// The whole name and what it does, for the question whether it is meant.
    pub fn in_full(&self, agent: Option<&str>) -> String {
        let name = self.whole_name.as_ref().unwrap_or(&self.name);
        requests::WITH_WORDS.with(&[("outcome", name.into()), ("words", (&self.effect(agent)).into())])
    }
}

/// The answers of one card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offers {
    /// What allows first, then what refuses; of both, what lasts stands last.
    pub all: Vec<Offer>,
    /// They stand below each other, each with what it does. Else they are in one row, as the answers of any permission are.
    pub stacked: bool,
}

impl Offers {
    /// What is offered for a permission with this payload; `None` if its agent offers nothing of its own.
    pub fn of(details: &Value) -> Option<Self> {
        let options = agent_options(details)?;
        let main = allow_once(&options).map(|option| option.id);
        let order = [
            OptionKind::AllowOnce,
            OptionKind::AllowAlways,
            OptionKind::Unknown,
            OptionKind::RejectOnce,
            OptionKind::RejectAlways,
        ];
        let mut all: Vec<Offer> = Vec::new();
        for kind in order {
            all.extend(
                options.iter().filter(|option| option.kind == kind).map(|option| Offer::of(option, main)),
            );
            // Nobody has to refuse for good, or to allow, because the agent offers nothing else.
            if kind == OptionKind::RejectOnce && all.last().is_none_or(|last| last.kind != kind) {
                let name = requests::REJECT.text().to_owned();
                all.push(Offer { id: None, name, whole_name: None, kind, is_main: false });
            }
        }
        let length = |offer: &Offer| offer.name.chars().count();
        // In a row the usual three have places that people know.
        let is_row = all.len() <= 3
            && all.iter().all(|offer| length(offer) <= SHORT)
            && all.iter().map(length).sum::<usize>() <= ROW
            && [OptionKind::AllowOnce, OptionKind::AllowAlways, OptionKind::RejectOnce]
                .iter()
                .all(|kind| all.iter().filter(|offer| offer.kind == *kind).count() <= 1)
            && all.iter().all(|offer| !matches!(offer.kind, OptionKind::Unknown | OptionKind::RejectAlways));
        Some(Self { all, stacked: !is_row })
    }

    /// The value of `data-offers`: how they stand.
    pub fn layout(&self) -> &'static str {
        if self.stacked { "stack" } else { "row" }
    }
}

/// A name without what would fill a card.
pub fn shown(name: &str) -> String {
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    let mut cut: String = name.chars().take(LONGEST).collect();
    cut.truncate(cut.trim_end().len());
    cut + "…"
}

/// Whether an answer can allow this call alone: then it may be given to several requests together.
pub fn can_be_allowed_once(details: &Value) -> bool {
    agent_options(details).is_none_or(|options| allow_once(&options).is_some())
}

/// Whether nothing that is offered may allow it.
pub fn cannot_be_allowed(details: &Value) -> bool {
    agent_options(details).is_some_and(|options| options.iter().all(|option| option.kind.refuses()))
}

#[cfg(test)]
mod tests;
