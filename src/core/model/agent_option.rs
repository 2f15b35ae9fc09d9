//! The answers that an agent itself offers to a permission, each by its own name (`agentOptions`, from agents that speak ACP).

use serde_json::Value;

/// What an option is about, as the agent says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// Allows this call.
    AllowOnce,
    /// Allows this call and later ones. Which, only the option's name says.
    AllowAlways,
    /// Refuses this call.
    RejectOnce,
    /// Refuses this call and later ones. Which, only the option's name says.
    RejectAlways,
    /// A kind that is not known.
    Unknown,
}

impl OptionKind {
    fn of(word: Option<&str>) -> Self {
        match word {
            Some("allow_once") => Self::AllowOnce,
            Some("allow_always") => Self::AllowAlways,
            Some("reject_once") => Self::RejectOnce,
            Some("reject_always") => Self::RejectAlways,
            _ => Self::Unknown,
        }
    }

    /// The `result.kind` of an answer that chooses it; none for a kind that is not known.
    pub fn decision(self) -> Option<&'static str> {
        match self {
            Self::AllowOnce => Some("approve-once"),
            Self::AllowAlways => Some("approve-for-session"),
            Self::RejectOnce | Self::RejectAlways => Some("reject"),
            Self::Unknown => None,
        }
    }

    /// Whether it says yes.
    pub fn allows(self) -> bool {
        matches!(self, Self::AllowOnce | Self::AllowAlways)
    }

    /// Whether it says no.
    pub fn refuses(self) -> bool {
        matches!(self, Self::RejectOnce | Self::RejectAlways)
    }
}

/// One of the agent's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentOption<'a> {
    /// Its id at the agent.
    pub id: &'a str,
    /// Its name, as the agent writes it.
    pub name: &'a str,
    /// What it is about.
    pub kind: OptionKind,
}

/// The options in the payload of a permission, in the agent's order; `None` if its agent offers none of its own. An option without
/// an id can't be chosen, and of two with the same id the agent could not tell which is meant: the first counts.
pub fn agent_options(details: &Value) -> Option<Vec<AgentOption<'_>>> {
    let mut options: Vec<AgentOption<'_>> = Vec::new();
    for listed in details.get("agentOptions")?.as_array()? {
        let text =
            |name: &str| listed.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let Some(id) = text("optionId").filter(|id| options.iter().all(|known| known.id != *id)) else {
            continue;
        };
        options.push(AgentOption {
            id,
            name: text("name").unwrap_or(id),
            kind: OptionKind::of(text("kind")),
        });
    }
    Some(options)
}

/// The option that allows this call alone, if there is exactly one: of several, each says something of its own.
pub fn allow_once<'a>(options: &[AgentOption<'a>]) -> Option<AgentOption<'a>> {
    let mut once = options.iter().filter(|option| option.kind == OptionKind::AllowOnce);
    once.next().filter(|_| once.next().is_none()).copied()
}
