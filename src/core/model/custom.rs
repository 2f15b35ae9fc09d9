//! Custom notifications from a source about a subject, and the built-in renderers that put some of them into
//! words. Renderers of the host page are not known here.

use serde_json::Value;

use super::work::EntryState;
use crate::i18n::Phrase;
use crate::i18n::words::notices;
use crate::json_writer::one_line;

/// Maximum number of replaced notifications that are stored.
pub(crate) const MAX_EARLIER: usize = 20;

/// The newest notification of a source about a subject, and earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Custom {
    /// The source.
    pub source: String,
    /// The kind of notification, as the source names it.
    pub name: String,
    /// The other fields: `version`, `subject`, `payload`.
    pub data: Value,
    /// Number of notifications about the subject.
    pub count: u32,
    /// The earlier notifications that are stored, oldest first.
    pub earlier: Vec<Earlier>,
}

/// A notification that a later one replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct Earlier {
    /// Its text.
    pub text: Phrase,
    /// Milliseconds since 1970.
    pub at: Option<i64>,
}

/// A notification's text and state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The text, one line.
    pub text: Phrase,
    /// The state of what it is about.
    pub state: EntryState,
}

/// A built-in renderer, with the notifications that it accepts.
struct BuiltInRenderer {
    source: fn(&str) -> bool,
    name: fn(&str) -> bool,
    /// First and last version. A notification without a version counts as version 1.
    versions: (i64, i64),
    summarize: fn(&Custom) -> Option<Summary>,
}

/// The first renderer that accepts a notification and returns text is used.
const RENDERERS: [BuiltInRenderer; 1] = [BuiltInRenderer {
    source: |source| {
        matches!(source, "mcp" | "mcp-task" | "mcp-tasks" | "mcp.task" | "mcp.tasks")
            || source.starts_with("mcp:")
    },
    name: |name| name.split(['.', '/', '_', '-', ':']).any(|word| matches!(word, "task" | "tasks")),
    versions: (1, 1),
    summarize: mcp_task,
}];

impl Custom {
    /// The text of a renderer that accepts it, else the payload's own text, else its source and name.
    pub fn summary(&self) -> Summary {
        let version = self.version().unwrap_or(1);
        let fits = |renderer: &&BuiltInRenderer| {
            (renderer.source)(&self.source)
                && (renderer.name)(&self.name)
                && (renderer.versions.0..=renderer.versions.1).contains(&version)
        };
        RENDERERS.iter().filter(fits).find_map(|renderer| (renderer.summarize)(self)).unwrap_or_else(|| {
            let own =
                ["message", "title", "text", "summary"].iter().find_map(|name| text(self.payload(), name));
            let own = own.or_else(|| self.payload().as_str().filter(|text| !text.is_empty()));
            let line = own.map_or_else(|| format!("{}: {}", self.source, self.name), str::to_owned);
            Summary { text: line.into(), state: EntryState::Done }
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

    /// The subject as text: `region eu · service web`, or the string itself.
    pub fn about(&self) -> String {
        let Value::Object(subject) = self.subject() else {
            return self.subject().as_str().unwrap_or_default().to_owned();
        };
        let pairs = subject.iter().map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name} {text}"),
            None => format!("{name} {}", one_line(value)),
        });
        pairs.collect::<Vec<_>>().join(" · ")
    }

    /// The key by which notifications are merged into one entry: source and subject. Without a subject it is
    /// the id of the MCP task; without that only equal notifications are merged.
    pub(crate) fn topic(&self) -> String {
        match (self.subject(), self.task()) {
            (subject @ Value::Object(members), _) if !members.is_empty() => {
                format!("{} {}", self.source, one_line(subject))
            }
            (subject @ Value::String(text), _) if !text.is_empty() => {
                format!("{} {}", self.source, one_line(subject))
            }
            (_, Some((server, id))) => format!("{} task {server} {}", self.source, one_line(id)),
            _ => format!("{} {} {}", self.source, self.name, one_line(&self.data)),
        }
    }

    /// The server and the id of the MCP task that the payload is about.
    fn task(&self) -> Option<(&str, &Value)> {
        let mcp = RENDERERS.first().is_some_and(|mcp| (mcp.source)(&self.source) && (mcp.name)(&self.name));
        let (task, payload) = (task_of(self.payload()), self.payload());
        let id = task.get("taskId").or_else(|| payload.get("taskId")).or_else(|| task.get("id"))?;
        let server =
            ["serverName", "server"].iter().find_map(|name| text(task, name).or(text(payload, name)));
        (mcp && (id.is_string() || id.is_number())).then_some((server.unwrap_or_default(), id))
    }

    /// The text for an MCP task that had not ended when its session did.
    pub(crate) fn unfinished(&self) -> Option<Summary> {
        let summary = self.summary();
        let open = matches!(summary.state, EntryState::Running | EntryState::Pending);
        open.then(|| mcp_task_that(self, Some("unfinished"))).flatten()
    }
}

/// The protocol's `Task` object: the payload, its `task`, or the `params` of `notifications/tasks/status`.
fn task_of(payload: &Value) -> &Value {
    let inner = |name: &&str| payload.get(*name).filter(|task| task.is_object());
    ["task", "params"].iter().find_map(inner).unwrap_or(payload)
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// The text for an MCP task.
fn mcp_task(custom: &Custom) -> Option<Summary> {
    mcp_task_that(custom, None)
}

/// The text for an MCP task; `status` overrides the task's own.
fn mcp_task_that(custom: &Custom, status: Option<&str>) -> Option<Summary> {
    let payload = custom.payload();
    let task = task_of(payload);
    let anywhere = |names: &[&str]| {
        names.iter().find_map(|name| {
            text(task, name).or_else(|| text(payload, name)).or_else(|| text(custom.subject(), name))
        })
    };
    let status = status.or_else(|| anywhere(&["status"]))?;
    let (state, status) = match status {
        "unfinished" => (EntryState::Interrupted, status),
        "working" | "submitted" => (EntryState::Running, "working"),
        "input_required" => (EntryState::Pending, status),
        "completed" => (EntryState::Done, status),
        "failed" => (EntryState::Failed, status),
        "cancelled" | "canceled" => (EntryState::Interrupted, "cancelled"),
        _ => return None,
    };
    let text = notices::MCP_TASK.phrase(vec![
        ("server", anywhere(&["serverName", "server"]).unwrap_or("MCP").into()),
        ("tool", anywhere(&["toolName", "tool"]).into()),
        ("id", anywhere(&["taskId", "id"]).into()),
        ("status", status.into()),
        ("why", anywhere(&["statusMessage", "message", "error"]).into()),
    ]);
    Some(Summary { text, state })
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
        let summary = custom("mcp", "task_status", None, &working).summary();
        assert_eq!(summary.text.words(), "deploy-server: task t1 is working: 3 of 9 files");
        assert_eq!(summary.state, EntryState::Running);
        let summary =
            custom("mcp", "notifications/tasks/status", Some(1), &json!({ "params": working })).summary();
        assert_eq!(summary.text.words(), "deploy-server: task t1 is working: 3 of 9 files");
        let failed = json!({ "task": { "taskId": "t1", "status": "failed" } });
        assert_eq!(custom("mcp", "task", None, &failed).summary().state, EntryState::Failed);
    }

    #[test]
    fn what_no_renderer_knows_says_what_it_can() {
        let later = custom("mcp", "task", Some(9), &json!({ "status": "working" })).summary();
        assert_eq!(later.text.words(), "mcp: task", "another version may mean something else");
        assert_eq!(
            custom("ci", "build", None, &json!({ "title": "Build 7" })).summary().text.words(),
            "Build 7"
        );
        assert_eq!(custom("ci", "build", None, &json!("plain")).summary().text.words(), "plain");
        assert_eq!(custom("ci", "build", None, &Value::Null).summary().text.words(), "ci: build");
    }
}
