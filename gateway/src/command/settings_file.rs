//! The settings file of `serve` (`--config`): TOML with the options of the command line as keys.
//!
//! It becomes arguments, which are read like those that somebody typed. So each option is there, with the same rules and messages.

use std::ffi::OsString;
use std::path::Path;

use clap::{ArgAction, ValueHint};
use pilothouse_gateway::agents::acp::settings::AgentSettings;
use toml::{Table, Value};

/// The key of the agents that speak ACP: a list as on the command line, or a table for each.
const AGENTS: &str = "acp";
/// The key of the recordings.
const FILES: &str = "files";
/// The key of the arguments for the runtime.
const RUNTIME_ARGUMENTS: &str = "runtime-arguments";
/// Options that are no settings: a file names no other.
const NO_SETTINGS: [&str; 2] = ["config", "help"];
/// How alike two names are that may mean the same, from 0 to 1; as for the command line.
const ALIKE: f64 = 0.8;
/// A program's name alone is looked for on the path.
const PROGRAM: &str = "runtime";

/// What a settings file says, as arguments.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileArguments {
    /// Those before the ones of the command line.
    pub options: Vec<OsString>,
    /// Those for the runtime, after `--`.
    pub runtime: Vec<OsString>,
}

/// Reads the file at `path` with the options of `serve`. The error is a sentence for people, and says where in the file.
pub fn read(path: &Path, serve: &clap::Command) -> Result<FileArguments, String> {
    let at = |why: String| format!("{}: {why}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| at(format!("can't be read: {error}")))?;
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    arguments(&text, folder, serve).map_err(at)
}

fn arguments(text: &str, folder: &Path, serve: &clap::Command) -> Result<FileArguments, String> {
    // The error itself would show the line, and with it perhaps a secret that is where it does not belong.
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        format!("line {}: {}", before.matches('\n').count() + 1, error.message())
    })?;
    let mut made = FileArguments::default();
    for (key, value) in table {
        match key.as_str() {
            FILES => {
                let names = texts(&key, &value)?;
                made.options.extend(names.iter().map(|name| folder.join(name).into_os_string()));
            }
            RUNTIME_ARGUMENTS => {
                made.runtime = texts(&key, &value)?.into_iter().map(OsString::from).collect();
            }
            AGENTS if value.is_table() => agents(&value, folder, &mut made.options)?,
            _ => option(&key, &value, folder, serve, &mut made.options)?,
        }
    }
    Ok(made)
}

/// The tables of agents, each as an argument that nobody types. What is wrong is said here: the parser would say the value.
fn agents(tables: &Value, folder: &Path, made: &mut Vec<OsString>) -> Result<(), String> {
    for (name, table) in tables.as_table().into_iter().flatten() {
        let mut table = serde_json::to_value(table).unwrap_or_default();
        // From wherever the gateway is started, a folder means the same.
        if let Some(named) = table.get("folder").and_then(serde_json::Value::as_str) {
            table["folder"] = folder.join(named).to_string_lossy().into();
        }
        AgentSettings::of_table(name, &table)?;
        made.push(format!("--acp-table={name}={table}").into());
    }
    Ok(())
}

fn option(
    key: &str,
    value: &Value,
    folder: &Path,
    serve: &clap::Command,
    made: &mut Vec<OsString>,
) -> Result<(), String> {
    let settings = || {
        let settings = serve.get_arguments().filter(|setting| !setting.is_hide_set());
        settings
            .filter_map(|setting| Some((setting.get_long()?, setting)))
            .filter(|(name, _)| !NO_SETTINGS.contains(name))
    };
    let Some((_, known)) = settings().find(|(name, _)| *name == key) else {
        let near = nearest(settings().map(|(name, _)| name), key);
        let meant = near.map(|near| format!("; is \"{near}\" meant?")).unwrap_or_default();
        return Err(format!("there is no setting \"{key}\"{meant}"));
    };
    let takes_value = matches!(known.get_action(), ArgAction::Set | ArgAction::Append);
    let may_stand_alone = known.get_num_args().is_some_and(|count| count.min_values() == 0);
    if let Value::Boolean(on) = value {
        if takes_value && !may_stand_alone {
            return Err(format!("\"{key}\" needs a value, not {on}"));
        }
        made.extend(on.then(|| OsString::from(format!("--{key}"))));
        return Ok(());
    }
    if !takes_value {
        return Err(format!("\"{key}\" is true or false"));
    }
    let is_list = matches!(known.get_action(), ArgAction::Append);
    if value.is_array() && !is_list {
        return Err(format!("\"{key}\" has one value"));
    }
    for text in texts(key, value)? {
        let is_path = known.get_value_hint() == ValueHint::AnyPath && text != "-";
        let is_name = key == PROGRAM && !text.contains(std::path::is_separator);
        let mut argument = OsString::from(format!("--{key}="));
        // From wherever the gateway is started, a file means the same.
        argument.push(if is_path && !is_name { folder.join(&text).into_os_string() } else { text.into() });
        made.push(argument);
    }
    Ok(())
}

/// A value, or a list of them, as texts.
fn texts(key: &str, value: &Value) -> Result<Vec<String>, String> {
    match value {
        Value::String(text) => Ok(vec![text.clone()]),
        Value::Integer(number) => Ok(vec![number.to_string()]),
        Value::Float(number) => Ok(vec![number.to_string()]),
        Value::Array(list) => {
            let lists = list.iter().map(|value| if value.is_array() { Err(()) } else { Ok(value) });
            let values = lists.map(|value| value.map_or_else(|()| wrong(key), |value| texts(key, value)));
            Ok(values.collect::<Result<Vec<_>, _>>()?.concat())
        }
        Value::Boolean(_) | Value::Datetime(_) | Value::Table(_) => wrong(key),
    }
}

fn wrong(key: &str) -> Result<Vec<String>, String> {
    Err(format!("\"{key}\" is text, a number, or a list of them"))
}

/// The setting that a key looks like.
fn nearest<'a>(names: impl Iterator<Item = &'a str>, key: &str) -> Option<&'a str> {
    let key = key.replace('_', "-").to_lowercase();
    let alike = names.map(|name| (strsim::jaro_winkler(name, &key), name));
    let nearest = alike.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (nearest.0 > ALIKE).then_some(nearest.1)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::CommandFactory as _;

    use super::{FileArguments, arguments};
    use crate::command::CommandLine;

    fn read(text: &str) -> Result<FileArguments, String> {
        let mut line = CommandLine::command();
        line.build();
        arguments(text, Path::new("/etc/pilothouse"), line.find_subcommand("serve").unwrap())
    }

    #[test]
    fn each_key_is_an_option() {
        let made = read(
            "listen = \"0.0.0.0:7878\"\nspeed = 2.5\nnew-token = true\nloop = false\ncopilot = true\ndata = \"-\"\n\
             runtime = \"copilot\"\nallow-host = [\"a.example\", \"b.example\"]\ntoken-file = \"tokens\"\n\
             viewer-token-file = \"/run/viewers\"\nfiles = [\"one.jsonl\"]\nruntime-arguments = [\"--verbose\", \"1\"]",
        )
        .unwrap();
        let mut options: Vec<_> = made.options.iter().map(|text| text.to_str().unwrap()).collect();
        options.sort_unstable();
        assert_eq!(
            options,
            [
                "--allow-host=a.example",
                "--allow-host=b.example",
                "--copilot",
                "--data=-",
                "--listen=0.0.0.0:7878",
                "--new-token",
                "--runtime=copilot",
                "--speed=2.5",
                "--token-file=/etc/pilothouse/tokens",
                "--viewer-token-file=/run/viewers",
                "/etc/pilothouse/one.jsonl",
            ]
        );
        assert_eq!(made.runtime, ["--verbose", "1"]);
        assert_eq!(read("copilot = \"127.0.0.1:4141\"").unwrap().options, ["--copilot=127.0.0.1:4141"]);
        assert_eq!(read("acp = [\"gemini\"]").unwrap().options, ["--acp=gemini"]);
        assert_eq!(
            read("[acp.mine]\ncommand = \"agent --acp\"\nfolder = \"work\"").unwrap().options,
            [r#"--acp-table=mine={"command":"agent --acp","folder":"/etc/pilothouse/work"}"#]
        );
        // The first is the one that a new session has.
        let two = read("[acp.opencode]\n[acp.codex]").unwrap().options;
        assert_eq!(two, ["--acp-table=opencode={}", "--acp-table=codex={}"]);
        assert_eq!(read("# nothing").unwrap(), FileArguments::default());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_key_and_without_a_value() {
        for (text, says) in [
            ("listen = \"a\"\nlisten = \"hunter2\"", "line 2: "),
            ("listen = hunter2", "line 1: "),
            ("lisen = \"hunter2\"", "no setting \"lisen\"; is \"listen\" meant?"),
            ("allow_host = \"hunter2\"", "is \"allow-host\" meant?"),
            ("token = \"hunter2\"", "no setting \"token\""),
            ("config = \"hunter2\"", "no setting \"config\""),
            ("help = true", "no setting \"help\""),
            ("listen = true", "\"listen\" needs a value, not true"),
            ("listen = [\"hunter2\", \"a\"]", "\"listen\" has one value"),
            ("loop = \"hunter2\"", "\"loop\" is true or false"),
            ("[acp.mine]\nsecret = \"hunter2\"", "[acp.mine] has command"),
            ("files = [[\"hunter2\"]]", "\"files\" is text"),
            ("[access]\ntoken-file = \"hunter2\"", "no setting \"access\""),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(says) && !error.contains("hunter2"), "{text}: {error}");
        }
    }
}
