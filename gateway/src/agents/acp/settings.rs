//! How an agent is started: from the command line (`--acp`), or from its table in the settings file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Value, json};

use super::known;

/// An agent that can be started.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentSettings {
    /// Its name, by which people choose it.
    pub name: String,
    /// Its program and the arguments.
    pub command: Vec<String>,
    /// Variables for its environment, besides the gateway's own.
    pub environment: BTreeMap<String, String>,
    /// The folder of new sessions; the gateway's own if there is none.
    pub folder: Option<PathBuf>,
    /// The mode of new sessions: one of the page's, or the agent's own id.
    pub mode: Option<String>,
    /// The MCP servers of its sessions, as the protocol has them.
    pub mcp_servers: Vec<Value>,
}

/// The table of an agent in the settings file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct Entry {
    command: Option<Command>,
    environment: BTreeMap<String, String>,
    folder: Option<PathBuf>,
    mode: Option<String>,
    mcp: BTreeMap<String, Server>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Command {
    Line(String),
    Words(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Server {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    environment: BTreeMap<String, String>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
}

impl AgentSettings {
    /// Reads `NAME`, `COMMAND ARGS…` or `NAME=COMMAND ARGS…`. A known name alone starts that agent.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let named = text.split_once('=').filter(|(name, _)| is_name(name));
        let (name, command) = match named {
            Some((name, command)) => (Some(name.to_owned()), words(command)?),
            None => (None, words(text)?),
        };
        let Some(program) = command.first() else {
            return Err("it must be a name, a command, or NAME=COMMAND".to_owned());
        };
        match (&name, known::named(program)) {
            (None, Some(known)) if command.len() == 1 => Ok(Self::known(known)),
            _ => {
                let own = || program.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
                let name = name.unwrap_or_else(own);
                if !is_name(&name) {
                    return Err(format!("say its name: NAME=COMMAND ({name:?} is none)"));
                }
                Ok(Self { environment: environment(&name), name, command, ..Self::default() })
            }
        }
    }

    /// Reads the table of an agent in the settings file, as JSON. The error has no value: it may be a secret.
    pub fn of_table(name: &str, table: &Value) -> Result<Self, String> {
        if !is_name(name) {
            return Err("the name of an agent has up to 64 letters, digits, - and _".to_owned());
        }
        let wrong = |_| format!("[acp.{name}] has command, environment, folder, mode and mcp");
        let entry: Entry = serde_json::from_value(table.clone()).map_err(wrong)?;
        let command = match (entry.command, known::named(name)) {
            (Some(Command::Line(line)), _) => words(&line)?,
            (Some(Command::Words(words)), _) => words,
            (None, Some(known)) => Self::known(known).command,
            (None, None) => Vec::new(),
        };
        if command.is_empty() {
            return Err(format!("[acp.{name}] needs a command"));
        }
        let mut all = environment(name);
        all.extend(entry.environment);
        let servers = entry.mcp.into_iter().map(|(name, server)| server.json(&name));
        let mcp_servers = servers.collect::<Result<_, _>>().map_err(|why| format!("[acp.{name}]: {why}"))?;
        let (folder, mode) = (entry.folder, entry.mode);
        Ok(Self { name: name.to_owned(), command, environment: all, folder, mode, mcp_servers })
    }

    fn known(known: &known::Known) -> Self {
        let command = known.command.iter().map(|&word| word.to_owned()).collect();
        Self { name: known.name.to_owned(), command, environment: environment(known.name), ..Self::default() }
    }
}

impl Server {
    /// The server as the protocol has it.
    fn json(self, name: &str) -> Result<Value, String> {
        let pairs = |all: BTreeMap<String, String>| -> Vec<Value> {
            all.into_iter().map(|(name, value)| json!({"name": name, "value": value})).collect()
        };
        match (self.command, self.url) {
            (Some(command), None) => {
                let env = pairs(self.environment);
                Ok(json!({"name": name, "command": command, "args": self.args, "env": env}))
            }
            (None, Some(url)) => {
                let headers = pairs(self.headers);
                Ok(json!({"type": "http", "name": name, "url": url, "headers": headers}))
            }
            _ => Err(format!("the MCP server {name} needs a command or a url")),
        }
    }
}

/// What a known agent needs in its environment.
fn environment(name: &str) -> BTreeMap<String, String> {
    let known = known::named(name).map(|known| known.environment).unwrap_or_default();
    known.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn is_name(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    !text.is_empty() && text.len() <= 64 && text.chars().all(is_part)
}

/// The words of a command line, with quotes as a shell has them. Nothing is expanded.
fn words(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match letters.next() {
                        None => return Err("a quote is not closed".to_owned()),
                        Some(end) if end == letter => break,
                        Some('\\') if letter == '"' => word.extend(letters.next()),
                        Some(inside) => word.push(inside),
                    }
                }
            }
            '\\' if cfg!(unix) => word.get_or_insert_default().extend(letters.next()),
            space if space.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_name_starts_that_agent_and_a_command_starts_any() {
        let gemini = AgentSettings::read("gemini").unwrap();
        assert_eq!((gemini.name.as_str(), gemini.command), ("gemini", vec!["gemini".into(), "--acp".into()]));
        assert!(gemini.environment.contains_key("GEMINI_CLI_NO_RELAUNCH"));
        let own = AgentSettings::read("opencode acp").unwrap();
        assert_eq!((own.name.as_str(), own.command.len()), ("opencode", 2));
        let named = AgentSettings::read("mine=/opt/my\\ agent --flag='a b' \"c\\\"d\"").unwrap();
        assert_eq!(named.name, "mine");
        assert_eq!(named.command, ["/opt/my agent", "--flag=a b", "c\"d"]);
        assert_eq!(AgentSettings::read("/usr/bin/goose acp").unwrap().name, "goose");
        for wrong in ["", "a='", "/usr/bin/a.sh --b"] {
            assert!(AgentSettings::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_table_has_all_that_an_agent_needs() {
        let table = json!({"folder": "/work", "mode": "plan", "environment": {"A": "b"},
            "mcp": {"echo": {"command": "node", "args": ["echo.mjs"], "environment": {"K": "v"}},
                    "far": {"url": "https://mcp.example"}}});
        let codex = AgentSettings::of_table("codex", &table).unwrap();
        assert_eq!(codex.command, ["codex-acp"]);
        assert_eq!(codex.mode.as_deref(), Some("plan"));
        assert_eq!(codex.environment.len(), 2, "its own and NO_BROWSER");
        assert_eq!(
            codex.mcp_servers,
            [
                json!({"name": "echo", "command": "node", "args": ["echo.mjs"], "env": [{"name": "K", "value": "v"}]}),
                json!({"type": "http", "name": "far", "url": "https://mcp.example", "headers": []}),
            ]
        );
        for wrong in [json!({}), json!({"command": 1}), json!({"command": "a", "comand": "hunter2"})] {
            let why = AgentSettings::of_table("mine", &wrong).unwrap_err();
            assert!(!why.contains("hunter2"), "{why}");
        }
    }
}
