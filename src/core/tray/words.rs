//! The words for each type of event that is collected. Refuses to remember anything: the state is read, never kept.

use serde_json::Value;

use crate::core::entry::Level;
use crate::core::fields::Fields;
use crate::core::state::State;
use crate::core::time;
use crate::core::words::{because, capitalised, count, counted, event_type};

/// Puts one event into words; `level` and `more` are filled on the way.
pub(super) struct Words<'a> {
    pub(super) state: &'a State,
    pub(super) data: Fields,
    pub(super) level: Level,
    pub(super) more: Vec<String>,
}

impl Words<'_> {
    /// Who told it, and what.
    pub(super) fn of(&mut self, kind: &str) -> (String, String) {
        let (source, text) = match kind {
            "session.mcp_server_status_changed"
            | "session.mcp_server_removed"
            | "session.mcp_server_needs_reconnect"
            | "mcp.tools.list_changed"
            | "mcp.resources.list_changed"
            | "mcp.prompts.list_changed"
            | "mcp.headers_refresh_required"
            | "mcp.headers_refresh_completed"
            | "mcp_app.tool_call_complete" => return (self.server(kind), self.of_server(kind)),
            "hook.start" => ("Hooks", format!("{} ran", self.word("hookType"))),
            "permission.carriedForward" => ("Permissions", self.carried_forward()),
            "sandbox.decision" => ("Sandbox", self.sandbox()),
            "session.managed_settings_resolved" => ("Organization", self.managed()),
            "session.extensions_loaded" => ("Extensions", self.extensions()),
            "session.extensions.attachments_pushed" => ("Extensions", self.attachments()),
            "capabilities.changed" => ("Clients", self.capabilities()),
            "commands.changed" => ("Clients", self.commands()),
            "session.remote_steerable_changed" => ("Session", self.steerable()),
            "agent.interrupted" => ("Session", self.interrupted()),
            "session.tools_updated" => ("Tools", format!("those for {} changed", self.word("model"))),
            "tool_search.activated" => {
                ("Tools", format!("a search switched on {}", self.data.texts("toolNames").join(", ")))
            }
            "session.memory_changed" => ("Memory", "one was stored, or voted on".to_owned()),
            "session.todos_changed" => ("Todos", "the agent wrote to its list".to_owned()),
            "session.background_tasks_changed" => {
                ("Background work", "something began, went on or ended".to_owned())
            }
            "factory.run_updated" => ("Factory", self.factory_run()),
            "session.auto_tier_recommendation" => {
                ("Auto", format!("recommends the tier {}", self.word("recommendedAutoTier")))
            }
            "model.call_failure" => ("Model", self.call_failed()),
            "prompt_cache_break" => ("Model", self.cache_broke()),
            "session.fusion_resolved" => ("Fusion", self.fusion_models()),
            "session.fusion_completed" => ("Fusion", self.fusion_ended()),
            "assistant.fusion_phase_completed" => ("Fusion", self.fusion_phase()),
            _ => {
                return (capitalised(kind.split('.').next().unwrap_or(kind)), event_type(kind));
            }
        };
        (source.to_owned(), text)
    }

    /// A word of the runtime's, readable.
    fn word(&mut self, name: &str) -> String {
        self.data.filled(name).unwrap_or_default().replace('_', " ")
    }

    fn figure(&mut self, name: &str) -> i64 {
        self.data.integer(name).unwrap_or(0)
    }

    fn flag(&mut self, name: &str) -> bool {
        self.data.flag(name).unwrap_or(false)
    }

    fn add(&mut self, more: String) {
        self.more.push(more);
    }

    fn took(&mut self, name: &str) {
        let took = self.data.number(name).map_or_else(String::new, |took| time::duration(took as i64));
        self.add(took);
    }

    /// The server's name; of an answer, that of the question.
    fn server(&mut self, kind: &str) -> String {
        let named = self.data.filled("serverName").or_else(|| {
            let id = self.data.get("requestId").filter(|_| kind == "mcp.headers_refresh_completed")?;
            let asked = self
                .state
                .tray
                .iter()
                .find(|told| told.data.get("requestId") == Some(id) && told.kind != kind)?;
            asked.data.get("serverName")?.as_str().map(str::to_owned)
        });
        named.unwrap_or_else(|| "MCP".to_owned())
    }

    fn of_server(&mut self, kind: &str) -> String {
        let words = match kind {
            "session.mcp_server_removed" => "left the list of servers",
            "session.mcp_server_needs_reconnect" => "has to be connected again",
            "mcp.tools.list_changed" => "offers other tools",
            "mcp.resources.list_changed" => "offers other resources",
            "mcp.prompts.list_changed" => "offers other prompts",
            "mcp.headers_refresh_required" => {
                let why = match self.word("reason").as_str() {
                    "ttl-expired" => "the old ones ran out".to_owned(),
                    "auth-failed" => "the old ones were refused".to_owned(),
                    other => other.to_owned(),
                };
                self.add(why);
                "asked the host for new headers"
            }
            "mcp.headers_refresh_completed" => match self.word("outcome").as_str() {
                "headers" => "got new headers from the host",
                "none" => "goes on without new headers",
                "timeout" => self.warns("got no new headers in time"),
                _ => self.fails("could not get new headers"),
            },
            "mcp_app.tool_call_complete" => {
                self.took("durationMs");
                let (tool, error) = (self.word("toolName"), self.data.object("error").filled("message"));
                if self.flag("success") {
                    return format!("its app called {tool}");
                }
                self.level = Level::Error;
                return format!("its app could not call {tool}{}", because(error.as_deref()));
            }
            _ => {
                let error = self.word("error");
                self.add(error);
                match self.word("status").as_str() {
                    "connected" => "connected",
                    "failed" => self.fails("failed"),
                    "pending" => "connecting",
                    "needs-auth" => self.warns("needs sign-in"),
                    "stopped" => "stopped",
                    "disabled" => "off",
                    other => return other.replace('-', " "),
                }
            }
        };
        words.to_owned()
    }

    fn fails(&mut self, words: &'static str) -> &'static str {
        self.level = Level::Error;
        words
    }

    fn warns(&mut self, words: &'static str) -> &'static str {
        self.level = Level::Warning;
        words
    }

    fn carried_forward(&mut self) -> String {
        let by = match self.word("decisionSource").as_str() {
            "human response" => "a person’s answer",
            "assisted approval" => "a model’s answer",
            "host policy" => "the host’s policy",
            "unattended fallback" => "what holds when nobody is there",
            _ => "an earlier answer",
        };
        format!("a call ran without asking again: {by} covers it")
    }

    fn sandbox(&mut self) -> String {
        let (command, resource) = (self.word("command"), self.data.filled("deniedResource"));
        self.add(command);
        let why = self.word("degradationReason");
        self.add(why);
        let at = self.word("enforcementPoint");
        self.add(at);
        let control = match self.word("control").as_str() {
            "bypass" => "leaving the sandbox".to_owned(),
            other => other.to_owned(),
        };
        let outcome = self.word("outcome");
        match outcome.as_str() {
            "failed" => _ = self.fails(""),
            "degraded" | "denied" | "declined" => _ = self.warns(""),
            _ => {}
        }
        match (self.word("kind").as_str(), outcome.as_str()) {
            ("policy resolved", _) => format!("rules for the {control}: {outcome}"),
            (_, "inactive") => format!("not active for the {control}"),
            ("access denied", _) => {
                let what = self.word("denialClass");
                format!("denied: {what}{}", because(resource.as_deref()))
            }
            _ => format!("{control}: {outcome}"),
        }
    }

    fn managed(&mut self) -> String {
        if self.flag("failClosed") {
            return self.warns("its rules could not be read: what they may forbid is forbidden").to_owned();
        }
        let keys = self.data.texts("managedKeys");
        if keys.is_empty() {
            return "no rules of one hold here".to_owned();
        }
        if self.flag("bypassPermissionsDisabled") {
            self.add("everything at once can’t be allowed".to_owned());
        }
        self.add(keys.join(", "));
        let rules = i64::try_from(keys.len()).unwrap_or(i64::MAX);
        format!("{} from the {}", counted(rules, "rule"), self.word("source"))
    }

    fn extensions(&mut self) -> String {
        let mut failed = false;
        let list = self.data.list("extensions").into_iter().map(|extension| {
            let mut extension = Fields::of(extension);
            let status = extension.filled("status").unwrap_or_default();
            failed |= status == "failed";
            format!("{} ({status})", extension.filled("name").unwrap_or_default())
        });
        let list: Vec<String> = list.collect();
        if failed {
            self.level = Level::Error;
        }
        if list.is_empty() { "none are loaded".to_owned() } else { list.join(", ") }
    }

    fn attachments(&mut self) -> String {
        let names = self.data.list("attachments").into_iter().map(|attachment| {
            let mut attachment = Fields::of(attachment);
            let name =
                ["displayName", "title", "path", "type"].iter().find_map(|name| attachment.filled(name));
            name.unwrap_or_default()
        });
        let names: Vec<String> = names.collect();
        if names.is_empty() {
            return "nothing goes with the next message any more".to_owned();
        }
        format!("{} for the next message", names.join(", "))
    }

    fn capabilities(&mut self) -> String {
        let mut ui = self.data.object("ui");
        let known = [("elicitation", "forms"), ("mcpApps", "MCP apps"), ("canvases", "canvases")];
        let can: Vec<&str> =
            known.iter().filter(|(name, _)| ui.flag(name).unwrap_or(false)).map(|(_, word)| *word).collect();
        if can.is_empty() {
            "can show nothing of their own".to_owned()
        } else {
            format!("can show {}", can.join(", "))
        }
    }

    fn commands(&mut self) -> String {
        let names = self.data.list("commands").into_iter();
        let names = names.filter_map(|command| Fields::of(command).filled("name"));
        let names: Vec<String> = names.map(|name| format!("/{}", name.trim_start_matches('/'))).collect();
        if names.is_empty() { "bring no commands".to_owned() } else { format!("bring {}", names.join(", ")) }
    }

    fn steerable(&mut self) -> String {
        let may = if self.flag("remoteSteerable") { "can" } else { "can’t" };
        format!("it {may} be steered from elsewhere")
    }

    fn interrupted(&mut self) -> String {
        let what = match self.word("activity").as_str() {
            "model call" => "a model call",
            "retry backoff" => "the wait before another try",
            "tool call" => "a tool call",
            "background agent" => "a background agent",
            other => return format!("interrupted: {other}"),
        };
        let tools = self.data.texts("toolNames").join(", ");
        self.add(tools);
        format!("interrupted in {what}, after {}", time::duration(self.figure("elapsedMs")))
    }

    fn factory_run(&mut self) -> String {
        let id = self.data.get("runId").cloned();
        let started = self
            .state
            .kept
            .iter()
            .find(|event| event.kind == "factory.run_started" && event.data.get("runId") == id.as_ref());
        let name = started.and_then(|event| event.data.get("factoryName")).and_then(Value::as_str);
        let revision = self.figure("revision");
        self.add(format!("revision {revision}"));
        format!("{} went on", name.unwrap_or("a run"))
    }

    fn call_failed(&mut self) -> String {
        self.level = Level::Warning;
        let told = self.data.filled("errorMessage");
        let read = told.as_deref().and_then(|told| serde_json::from_str::<Value>(told).ok());
        let said = read.as_ref().map(|read| read.get("message").unwrap_or(read));
        let said = said.and_then(Value::as_str).map(str::to_owned);
        let model = self.data.filled("model").unwrap_or_else(|| "the model".to_owned());
        let code = self.data.integer("statusCode").map_or_else(String::new, |code| format!(" with {code}"));
        let more = said.or(told).unwrap_or_default();
        self.add(more);
        format!("a call of {model} failed{code}")
    }

    fn cache_broke(&mut self) -> String {
        let why = self.word("primaryReason");
        if why != "unknown" {
            self.add(why);
        }
        let lost = count(self.figure("shortfallTokens"));
        format!("{lost} cached tokens are read anew")
    }

    fn fusion_models(&mut self) -> String {
        let models: Vec<String> =
            ["primaryModel", "secondaryModel"].iter().filter_map(|name| self.data.filled(name)).collect();
        let pattern = self.word("pattern");
        self.add(pattern);
        format!("{} on the turn", models.join(" and "))
    }

    fn fusion_ended(&mut self) -> String {
        let (read, written) = (self.figure("inputTokens"), self.figure("outputTokens"));
        self.add(format!("{} tokens read, {} written", count(read), count(written)));
        self.took("durationMs");
        let (phases, calls) = (self.figure("phaseCount"), self.figure("requestCount"));
        let outcome = self.word("outcome");
        format!("{outcome} after {} and {}", counted(phases, "phase"), counted(calls, "call"))
    }

    fn fusion_phase(&mut self) -> String {
        let (phase, model, status) = (self.word("phaseKind"), self.word("model"), self.word("status"));
        let verdict = self.word("verdict");
        self.add(verdict);
        self.took("durationMs");
        if status == "failed" {
            self.level = Level::Warning;
        }
        format!("{phase} by {model} {status}")
    }
}
