//! The agents that are known by name: how each is started, and where it differs from the protocol. An unknown agent is taken by
//! the protocol alone. The differences were seen in recordings of the versions that `docs/design/acp.md` names.

/// An agent that is known by name.
#[derive(Debug)]
pub struct Known {
    /// Its name, as in `--acp gemini`.
    pub name: &'static str,
    /// The names that `initialize` gives as `agentInfo.name`.
    pub agent_info: &'static [&'static str],
    /// How it is started.
    pub command: &'static [&'static str],
    /// Variables of its environment.
    pub environment: &'static [(&'static str, &'static str)],
    /// What a person runs to sign in.
    pub sign_in: &'static str,
    /// Where it differs.
    pub quirks: Quirks,
}

/// Which chunks of text are notices rather than the model's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notices {
    /// None: all is text.
    None,
    /// A chunk without a `messageId` that begins like a warning, or that comes after the agent has said that it failed. Others are
    /// what its own commands answer.
    WithoutId,
    /// A chunk that comes alone and begins with `Info: `, `Warning: ` or `Error: `.
    Prefixed {
        /// How notices begin that come behind other text. After an `Info: ` among them that text comes once more.
        words: &'static [&'static str],
    },
    /// A chunk that is this and the id of a mode.
    Mode(&'static str),
}

/// What the tokens in a prompt's response are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tokens {
    /// Those of this prompt.
    Prompt,
    /// Those of its last model call, which say nothing of the others.
    LastCall,
    /// Those of the session so far.
    Session,
    /// Those of this prompt, in `_meta.quota`.
    Quota,
}

/// Where an agent differs from the protocol, or says what the protocol leaves open.
#[derive(Clone, Copy, Debug)]
pub struct Quirks {
    /// Which texts are notices.
    pub notices: Notices,
    /// After a broken stream the text comes again from its start, with the same `messageId`.
    pub repeats_text: bool,
    /// What the tokens in a prompt's response are.
    pub tokens: Tokens,
    /// A call's first title is the name of its tool.
    pub title_is_tool: bool,
    /// Tools that only their input tells: a member that no other tool's input has, and the tool's name.
    pub tools_by_input: &'static [(&'static str, &'static str)],
    /// What separates the tool's name, which comes first, from the rest of a call's id.
    pub tool_in_id: Option<&'static str>,
    /// The title of a call that runs a command is the command itself, though there is no `rawInput`.
    pub title_is_command: bool,
    /// Text in `content` describes the call until the call has ended.
    pub describes_in_content: bool,
    /// The titles of all requests to change a file, which say nothing of the change.
    pub labels_of_changes: &'static [&'static str],
    /// Diffs in `content` are the lines around a change, not whole files.
    pub diff_fragments: bool,
    /// A call that a person rejected gets no update.
    pub rejected_calls_stay: bool,
    /// Most of what a load replays comes after its response, and ends with the list of commands.
    pub replays_after_response: bool,
    /// A replayed message of the user that begins so is not the person's.
    pub internal_messages: &'static [&'static str],
    /// A chunk of reasoning is a whole thought: its subject between `**`, which may be empty, then a line break and the rest.
    pub thoughts_have_subjects: bool,
    /// What text about a call begins with, up to `]`: the folder of the agent's process, where the call does not run.
    pub process_folder: Option<&'static str>,
    /// The tool that writes the list of todos into `rawInput.todos`.
    pub todo_tool: Option<&'static str>,
    /// The tool that runs a sub-agent whose permissions are never asked for.
    pub silent_subagents: Option<&'static str>,
    /// While a call runs a sub-agent, the text without an owner is that sub-agent's: the main agent waits for it.
    pub speaks_for_subagents: bool,
    /// Titles of calls about sub-agents, and the tool that does the same here.
    pub subagent_tools: &'static [(&'static str, &'static str)],
}

/// The protocol alone.
pub const PROTOCOL: Quirks = Quirks {
    notices: Notices::None,
    repeats_text: false,
    tokens: Tokens::Prompt,
    title_is_tool: false,
    tools_by_input: &[],
    tool_in_id: None,
    title_is_command: false,
    describes_in_content: false,
    labels_of_changes: &[],
    diff_fragments: false,
    rejected_calls_stay: false,
    replays_after_response: false,
    internal_messages: &[],
    thoughts_have_subjects: false,
    process_folder: None,
    todo_tool: None,
    silent_subagents: None,
    speaks_for_subagents: false,
    subagent_tools: &[],
};

/// Every known agent.
pub const ALL: [Known; 4] = [
    Known {
        name: "opencode",
        agent_info: &["OpenCode"],
        command: &["opencode", "acp"],
        environment: &[],
        sign_in: "opencode auth login",
        quirks: Quirks {
            repeats_text: true,
            tokens: Tokens::LastCall,
            title_is_tool: true,
            tools_by_input: &[("todos", "todowrite")],
            diff_fragments: true,
            todo_tool: Some("todowrite"),
            silent_subagents: Some("task"),
            ..PROTOCOL
        },
    },
    Known {
        name: "codex",
        agent_info: &["@agentclientprotocol/codex-acp", "codex-acp"],
        command: &["codex-acp"],
        environment: &[("NO_BROWSER", "1")],
        sign_in: "codex login",
        quirks: Quirks {
            notices: Notices::WithoutId,
            labels_of_changes: &["Edit files"],
            rejected_calls_stay: true,
            subagent_tools: &[
                ("spawnAgent", "task"),
                ("wait", "read_agent"),
                ("sendInput", "write_agent"),
                ("followupTask", "write_agent"),
                ("resumeAgent", "write_agent"),
                ("closeAgent", "stop_agent"),
            ],
            ..PROTOCOL
        },
    },
    Known {
        name: "gemini",
        agent_info: &["gemini-cli"],
        command: &["gemini", "--acp"],
        environment: &[("GEMINI_CLI_NO_RELAUNCH", "true")],
        sign_in: "gemini",
        quirks: Quirks {
            notices: Notices::Mode("[MODE_UPDATE] "),
            tokens: Tokens::Quota,
            tool_in_id: Some("__"),
            title_is_command: true,
            describes_in_content: true,
            rejected_calls_stay: true,
            replays_after_response: true,
            internal_messages: &["<session_context>", "[Function Response: "],
            thoughts_have_subjects: true,
            process_folder: Some("[current working directory "),
            ..PROTOCOL
        },
    },
    Known {
        name: "copilot",
        agent_info: &["Copilot"],
        command: &["copilot", "--acp", "--no-auto-update"],
        environment: &[],
        sign_in: "copilot login",
        quirks: Quirks {
            notices: Notices::Prefixed {
                words: &[
                    "Info: Response was interrupted due to a server error. Retrying...",
                    "Info: Request failed due to a transient API error. Retrying...",
                    "Error: Failed to get response from the AI model; retried ",
                ],
            },
            tokens: Tokens::Session,
            tools_by_input: &[("query", "sql"), ("agent_type", "task")],
            labels_of_changes: &["Edit file", "Create file"],
            diff_fragments: true,
            speaks_for_subagents: true,
            ..PROTOCOL
        },
    },
];

/// The agent of this name, as in `--acp gemini`.
pub fn named(name: &str) -> Option<&'static Known> {
    ALL.iter().find(|known| known.name == name)
}

/// The agent that calls itself so in `agentInfo.name`, whatever it was started as.
pub fn of_agent_info(name: &str) -> Option<&'static Known> {
    ALL.iter().find(|known| known.agent_info.iter().any(|own| own.eq_ignore_ascii_case(name)))
}
