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

    /// The subject as people read it: `region eu · service web`, or the words that it is.
    pub fn about(&self) -> String {
        let Value::Object(subject) = self.subject() else {
            return self.subject().as_str().unwrap_or_default().to_owned();
        };
        let pairs = subject.iter().map(|(name, value)| match value.as_str() {
            Some(text) => format!("{name} {text}"),
            None => format!("{name} {value}"),
        });
        pairs.collect::<Vec<_>>().join(" · ")
    }

    /// What notifications must share to be told in one entry: source and subject. Without a subject an MCP task's id
    /// is one; else nothing says that two are about the same thing, and only equal ones are.
    pub(super) fn topic(&self) -> String {
        match (self.subject(), self.task()) {
            (Value::Object(subject), _) if !subject.is_empty() => {
                format!("{} {}", self.source, self.subject())
            }
            (Value::String(subject), _) if !subject.is_empty() => {
                format!("{} {}", self.source, self.subject())
            }
            (_, Some((server, id))) => format!("{} task {server} {id}", self.source),
            _ => format!("{} {} {}", self.source, self.name, self.data),
        }
    }

    /// The server and the id of the MCP task that it is about, as its payload names them.
    fn task(&self) -> Option<(&str, &Value)> {
        let mcp = RENDERERS.first().is_some_and(|mcp| (mcp.source)(&self.source) && (mcp.name)(&self.name));
        let (task, payload) = (task_of(self.payload()), self.payload());
        let id = task.get("taskId").or_else(|| payload.get("taskId")).or_else(|| task.get("id"))?;
        let server =
            ["serverName", "server"].iter().find_map(|name| text(task, name).or(text(payload, name)));
        (mcp && (id.is_string() || id.is_number())).then_some((server.unwrap_or_default(), id))
    }

    /// The words of an MCP task that had not ended when its session did.
    pub(super) fn unfinished(&self) -> Option<Said> {
        let said = self.said();
        let open = matches!(said.state, EntryState::Running | EntryState::Pending);
        open.then(|| mcp_task_that(self, Some("unfinished"))).flatten()
    }
}

/// The protocol's `Task` object, alone, under `task`, or as the params of `notifications/tasks/status`.
fn task_of(payload: &Value) -> &Value {
    let inner = |name: &&str| payload.get(*name).filter(|task| task.is_object());
    ["task", "params"].iter().find_map(inner).unwrap_or(payload)
}

fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// An MCP task, as it stands.
fn mcp_task(custom: &Custom) -> Option<Said> {
    mcp_task_that(custom, None)
}

/// An MCP task, in a status that is known better than it says itself.
fn mcp_task_that(custom: &Custom, status: Option<&str>) -> Option<Said> {
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
