//! Custom notifications: what a source says about a subject, and the built-in registry that puts some into words.
//! Refuses to draw them, and to know hosts' renderers.

use serde_json::Value;

use super::entry::EntryState;
use super::language::words::notices;
use super::words::given;

/// More replaced notifications than this are counted, not kept.
pub(super) const MAX_EARLIER: usize = 20;

/// What a source said last about a subject, and what it said before.
#[derive(Debug, Clone, PartialEq)]
pub struct Custom {
    /// Who says it.
    pub source: String,
    /// What kind of notification it is, in the source's own words.
    pub name: String,
    /// The rest of it: `version`, `subject`, `payload`.
    pub data: Value,
    /// How often something was said about the subject.
    pub count: u32,
    /// What was said before, oldest first, as far as it is kept.
    pub earlier: Vec<Earlier>,
}

/// A notification that a later one replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Earlier {
    /// In words.
    pub text: String,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
}

/// A notification in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// A line.
    pub text: String,
    /// Where what it is about stands.
    pub state: EntryState,
}

/// One built-in renderer: for whom, and how.
struct Renderer {
    source: fn(&str) -> bool,
    name: fn(&str) -> bool,
    /// First and last version; a notification without one is of the first.
    versions: (i64, i64),
    say: fn(&Custom) -> Option<Said>,
}

/// The first that fits and has something to say is taken.
const RENDERERS: [Renderer; 1] = [Renderer {
    source: |source| {
        matches!(source, "mcp" | "mcp-task" | "mcp-tasks" | "mcp.task" | "mcp.tasks")
            || source.starts_with("mcp:")
    },
    name: |name| name.split(['.', '/', '_', '-', ':']).any(|word| matches!(word, "task" | "tasks")),
    versions: (1, 1),
    say: mcp_task,
}];

impl Custom {
    /// The words of the renderer that knows it, else what the payload says itself, else its name.
    pub fn said(&self) -> Said {
        let version = self.version().unwrap_or(1);
        let fits = |renderer: &&Renderer| {
            (renderer.source)(&self.source)
                && (renderer.name)(&self.name)
                && (renderer.versions.0..=renderer.versions.1).contains(&version)
        };
        RENDERERS.iter().filter(fits).find_map(|renderer| (renderer.say)(self)).unwrap_or_else(|| {
            let own =
                ["message", "title", "text", "summary"].iter().find_map(|name| text(self.payload(), name));
            let own = own.or_else(|| self.payload().as_str().filter(|text| !text.is_empty()));
            let line = own.map_or_else(|| format!("{}: {}", self.source, self.name), str::to_owned);
            Said { text: line, state: EntryState::Done }
        })
    }

    /// Version of the payload's shape.
    pub fn version(&self) -> Option<i64> {
        self.data.get("version")?.as_i64()
    }

    /// What it is about.
    pub fn subject(&self) -> &Value {
        self.data.get("subject").unwrap_or(&Value::Null)
    }

    /// The payload.
    pub fn payload(&self) -> &Value {
        self.data.get("payload").unwrap_or(&Value::Null)
    }

    /// The subject as people read it: `region eu · service web`.
    pub fn about(&self) -> String {
        let Value::Object(subject) = self.subject() else {
            return String::new();
        };
        let pairs = subject.iter().map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name} {text}"),
            None => format!("{name} {value}"),
        });
        pairs.collect::<Vec<_>>().join(" · ")
    }

    /// What notifications must share to be told in one entry: source and subject. Without a subject nothing says that
    /// two are about the same thing: then only equal ones are.
    pub(super) fn topic(&self) -> String {
        match self.subject() {
            Value::Object(subject) if !subject.is_empty() => format!("{} {}", self.source, self.subject()),
            _ => format!("{} {} {}", self.source, self.name, self.data),
        }
    }
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// An MCP task: the protocol's `Task` object, alone, under `task`, or as the params of `notifications/tasks/status`.
fn mcp_task(custom: &Custom) -> Option<Said> {
    let payload = custom.payload();
    let task = ["task", "params"].iter().find_map(|name| payload.get(name).filter(|task| task.is_object()));
    let task = task.unwrap_or(payload);
    let anywhere = |names: &[&str]| {
        names.iter().find_map(|name| {
            text(task, name).or_else(|| text(payload, name)).or_else(|| text(custom.subject(), name))
        })
    };
    let status = anywhere(&["status"])?;
    let (state, status) = match status {
        "working" | "submitted" => (EntryState::Running, "working"),
        "input_required" => (EntryState::Pending, status),
        "completed" => (EntryState::Done, status),
        "failed" => (EntryState::Failed, status),
        "cancelled" | "canceled" => (EntryState::Interrupted, "cancelled"),
        _ => return None,
    };
    let text = notices::MCP_TASK.with(&[
        ("server", anywhere(&["serverName", "server"]).unwrap_or("MCP").into()),
        ("tool", given(anywhere(&["toolName", "tool"]))),
        ("id", given(anywhere(&["taskId", "id"]))),
        ("status", status.into()),
        ("why", given(anywhere(&["statusMessage", "message", "error"]))),
    ]);
    Some(Said { text, state })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn custom(source: &str, name: &str, version: Option<i64>, payload: &Value) -> Custom {
        let data =
            json!({ "version": version, "subject": { "serverName": "deploy-server" }, "payload": payload });
        Custom { source: source.to_owned(), name: name.to_owned(), data, count: 1, earlier: Vec::new() }
    }

    #[test]
    fn an_mcp_task_is_told_in_words() {
        let working = json!({ "taskId": "t1", "status": "working", "statusMessage": "3 of 9 files" });
        let said = custom("mcp", "task_status", None, &working).said();
        assert_eq!(said.text, "deploy-server: task t1 is working: 3 of 9 files");
        assert_eq!(said.state, EntryState::Running);
        let said = custom("mcp", "notifications/tasks/status", Some(1), &json!({ "params": working })).said();
        assert_eq!(said.text, "deploy-server: task t1 is working: 3 of 9 files");
        let failed = json!({ "task": { "taskId": "t1", "status": "failed" } });
        assert_eq!(custom("mcp", "task", None, &failed).said().state, EntryState::Failed);
    }

    #[test]
    fn what_no_renderer_knows_says_what_it_can() {
        let later = custom("mcp", "task", Some(9), &json!({ "status": "working" })).said();
        assert_eq!(later.text, "mcp: task", "another version may mean something else");
        assert_eq!(custom("ci", "build", None, &json!({ "title": "Build 7" })).said().text, "Build 7");
        assert_eq!(custom("ci", "build", None, &json!("plain")).said().text, "plain");
        assert_eq!(custom("ci", "build", None, &Value::Null).said().text, "ci: build");
    }
}
