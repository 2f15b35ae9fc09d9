//! What a slash command that was invoked leaves to be done.

use serde_json::Value;

use crate::protocol::EventKind;
use crate::wire::fields::Fields;

/// A result of `session.commands.invoke`, by its `kind`. Texts that are empty are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandResult {
    /// `text`: a text to show.
    Text(Option<String>),
    /// `agent-prompt`: a message to send to the agent.
    AgentPrompt {
        /// The message.
        prompt: Option<String>,
        /// What is shown in its place.
        display: Option<String>,
        /// The mode to set before, and to send it in.
        mode: Option<String>,
        /// A text to show.
        notice: Option<String>,
    },
    /// `completed`: nothing is left but to set a mode and show a text.
    Completed {
        /// The mode.
        mode: Option<String>,
        /// The text.
        message: Option<String>,
    },
    /// `select-subcommand`: somebody has to choose how the command goes on.
    Subcommands {
        /// The command's name.
        command: String,
        /// The question.
        title: Option<String>,
        /// The names of the subcommands, each with its description.
        options: Vec<(String, String)>,
    },
    /// `add-timeline-entry`: the session has put an entry into the timeline.
    TimelineEntry {
        /// The entry's text.
        text: Option<String>,
        /// A text for the field.
        prefill: Option<String>,
    },
    /// `show-dialog`: a dialog is to be opened.
    Dialog,
    /// `set-model`: another model is to be used.
    Model {
        /// Its id.
        model: Option<String>,
        /// The reasoning effort.
        effort: Option<String>,
        /// A text to show.
        warning: Option<String>,
    },
    /// A kind that is not known, with its `message`.
    Other(Option<String>),
}

impl CommandResult {
    /// Reads the result of the command `name`.
    pub fn of(name: &str, mut result: Fields) -> Self {
        match result.non_empty_text("kind").unwrap_or_default().as_str() {
            "text" => Self::Text(result.non_empty_text("text")),
            "agent-prompt" => Self::AgentPrompt {
                prompt: result.non_empty_text("prompt"),
                display: result.non_empty_text("displayPrompt"),
                mode: result.non_empty_text("mode"),
                notice: result.non_empty_text("notice"),
            },
            "completed" => Self::Completed {
                mode: result.non_empty_text("mode"),
                message: result.non_empty_text("message"),
            },
            "select-subcommand" => {
                let option = |value: Value| {
                    let mut option = Fields::of(value);
                    Some((option.non_empty_text("name")?, option.text("description").unwrap_or_default()))
                };
                Self::Subcommands {
                    command: result.non_empty_text("command").unwrap_or_else(|| name.to_owned()),
                    title: result.non_empty_text("title"),
                    options: result.list("options").into_iter().filter_map(option).collect(),
                }
            }
            kind if kind == EventKind::AddTimelineEntry.name() => Self::TimelineEntry {
                text: result.object("entry").non_empty_text("text"),
                prefill: result.non_empty_text("prefillInput"),
            },
            "show-dialog" => Self::Dialog,
            "set-model" => Self::Model {
                model: result.non_empty_text("model"),
                effort: result.non_empty_text("reasoningEffort"),
                warning: result.non_empty_text("warning"),
            },
            _ => Self::Other(result.non_empty_text("message")),
        }
    }
}
