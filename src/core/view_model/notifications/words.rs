//! The words for each type of event that the tray collects.

use crate::i18n;
use serde_json::Value as Json;

use crate::i18n::format::{capitalised, event_type, given, listed, runtime_word};
use crate::i18n::words::notifications;
use crate::i18n::{Value, Word};
use crate::model::entry::Level;
use crate::model::state::State;
use crate::protocol::EventKind;
use crate::wire::fields::Fields;

/// Describes one event; fills `level` and `more` on the way.
pub(super) struct Words<'a> {
    pub(super) state: &'a State,
    pub(super) data: Fields<'static>,
    pub(super) level: Level,
    pub(super) more: Vec<String>,
}

impl Words<'_> {
    /// The event's source and its text.
    pub(super) fn of(&mut self, kind: EventKind) -> (String, String) {
        let (source, text) = match kind {
            EventKind::SessionMcpServerStatusChanged
            | EventKind::SessionMcpServerRemoved
            | EventKind::SessionMcpServerNeedsReconnect
            | EventKind::McpToolsListChanged
            | EventKind::McpResourcesListChanged
            | EventKind::McpPromptsListChanged
            | EventKind::McpHeadersRefreshRequired
            | EventKind::McpHeadersRefreshCompleted
            | EventKind::McpAppToolCallComplete => return (self.server(kind), self.of_server(kind)),
            EventKind::HookStart => {
                (notifications::HOOKS, self.with_name(notifications::HOOK_RAN, "hook", "hookType"))
            }
            EventKind::PermissionCarriedForward => (notifications::PERMISSIONS, self.carried_forward()),
            EventKind::SandboxDecision => (notifications::SANDBOX, self.sandbox()),
            EventKind::SessionManagedSettingsResolved => (notifications::ORGANIZATION, self.managed()),
            EventKind::SessionExtensionsLoaded => (notifications::EXTENSIONS, self.extensions()),
            EventKind::SessionExtensionsAttachmentsPushed => (notifications::EXTENSIONS, self.attachments()),
            EventKind::CapabilitiesChanged => (notifications::CLIENTS, self.capabilities()),
            EventKind::CommandsChanged => (notifications::CLIENTS, self.commands()),
            EventKind::SessionRemoteSteerableChanged => (notifications::SESSION, self.steerable()),
            EventKind::AgentInterrupted => (notifications::SESSION, self.interrupted()),
            EventKind::SessionToolsUpdated => {
                (notifications::TOOLS, self.with_name(notifications::TOOLS_CHANGED, "model", "model"))
            }
            EventKind::ToolSearchActivated => {
                (notifications::TOOLS, names(notifications::TOOLS_FOUND, &self.data.texts("toolNames")))
            }
            EventKind::SessionMemoryChanged => {
                (notifications::MEMORY, notifications::MEMORY_CHANGED.text().to_owned())
            }
            EventKind::SessionTodosChanged => {
                (notifications::CHECKLIST, notifications::CHECKLIST_CHANGED.text().to_owned())
            }
            EventKind::SessionBackgroundTasksChanged => {
                (notifications::BACKGROUND_WORK, notifications::BACKGROUND_CHANGED.text().to_owned())
            }
            EventKind::FactoryRunUpdated => (notifications::FACTORY, self.factory_run()),
            EventKind::SessionAutoTierRecommendation => (
                notifications::AUTO,
                notifications::TIER_RECOMMENDED.with(&[("tier", (&self.word("recommendedAutoTier")).into())]),
            ),
            EventKind::ModelCallFailure => (notifications::MODEL, self.call_failed()),
            EventKind::PromptCacheBreak => (notifications::MODEL, self.cache_broke()),
            EventKind::SessionFusionResolved => (notifications::FUSION, self.fusion_models()),
            EventKind::SessionFusionCompleted => (notifications::FUSION, self.fusion_ended()),
            EventKind::AssistantFusionPhaseCompleted => (notifications::FUSION, self.fusion_phase()),
            _ => {
                let name = kind.name();
                return (capitalised(name.split('.').next().unwrap_or(name)), event_type(name));
            }
        };
        (source.text().to_owned(), text)
    }

    /// A field with one of the runtime's own words, made readable.
    fn word(&mut self, name: &str) -> String {
        runtime_word(&self.name(name))
    }

    /// A field's text as it is; empty if it is missing.
    fn name(&mut self, name: &str) -> String {
        self.data.filled(name).unwrap_or_default()
    }

    /// A message with the text of one field.
    fn with_name(&mut self, word: Word, value: &str, name: &str) -> String {
        word.with(&[(value, (&self.name(name)).into())])
    }

    /// A message whose wording depends on one of the runtime's own words.
    fn chosen(word: Word, value: &str, told: &str) -> String {
        word.with(&[(value, told.into()), ("said", (&told.replace(['_', '-'], " ")).into())])
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
        let took = self.data.number(name).map_or_else(String::new, |took| i18n::duration(took as i64));
        self.add(took);
    }

    /// The server's name; an answer has that of its request.
    fn server(&mut self, kind: EventKind) -> String {
        let named = self.data.filled("serverName").or_else(|| {
            let id = self.data.get("requestId").filter(|_| kind == EventKind::McpHeadersRefreshCompleted)?;
            let asked = self
                .state
                .notifications
                .iter()
                .find(|told| told.data.get("requestId") == Some(&*id) && told.kind != kind)?;
            asked.data.get("serverName")?.as_str().map(str::to_owned)
        });
        named.unwrap_or_else(|| "MCP".to_owned())
    }

    fn of_server(&mut self, kind: EventKind) -> String {
        let word = match kind {
            EventKind::SessionMcpServerRemoved => notifications::SERVER_REMOVED,
            EventKind::SessionMcpServerNeedsReconnect => notifications::SERVER_RECONNECT,
            EventKind::McpToolsListChanged => notifications::SERVER_TOOLS,
            EventKind::McpResourcesListChanged => notifications::SERVER_RESOURCES,
            EventKind::McpPromptsListChanged => notifications::SERVER_PROMPTS,
            EventKind::McpHeadersRefreshRequired => {
                let why = Self::chosen(notifications::HEADERS_WHY, "reason", &self.name("reason"));
                self.add(why);
                notifications::HEADERS_ASKED
            }
            EventKind::McpHeadersRefreshCompleted => match self.name("outcome").as_str() {
                "headers" => notifications::HEADERS_GOT,
                "none" => notifications::HEADERS_NONE,
                "timeout" => self.warns(notifications::HEADERS_LATE),
                _ => self.fails(notifications::HEADERS_FAILED),
            },
            EventKind::McpAppToolCallComplete => {
                self.took("durationMs");
                if self.flag("success") {
                    return self.with_name(notifications::APP_CALLED, "tool", "toolName");
                }
                let error = self.data.object_or_text("error", "message").filled("message");
                let tool = self.name("toolName");
                let word = self.fails(notifications::APP_FAILED);
                return word.with(&[("tool", (&tool).into()), ("why", given(error.as_deref()))]);
            }
            _ => {
                let error = self.name("error");
                self.add(error);
                let status = self.name("status");
                match status.as_str() {
                    "failed" => self.level = Level::Error,
                    "needs-auth" => self.level = Level::Warning,
                    _ => {}
                }
                return Self::chosen(notifications::SERVER_STATUS, "status", &status);
            }
        };
        word.text().to_owned()
    }

    fn fails(&mut self, word: Word) -> Word {
        self.level = Level::Error;
        word
    }

    fn warns(&mut self, word: Word) -> Word {
        self.level = Level::Warning;
        word
    }

    fn carried_forward(&mut self) -> String {
        self.with_name(notifications::CARRIED_FORWARD, "by", "decisionSource")
    }

    fn sandbox(&mut self) -> String {
        let (command, resource) = (self.name("command"), self.data.filled("deniedResource"));
        self.add(command);
        let why = self.word("degradationReason");
        self.add(why);
        let at = self.word("enforcementPoint");
        self.add(at);
        let (control, told) = (self.word("control"), self.name("outcome"));
        let outcome = runtime_word(&told);
        match told.as_str() {
            "failed" => self.level = Level::Error,
            "degraded" | "denied" | "declined" => self.level = Level::Warning,
            _ => {}
        }
        let of_control = ("control", (&control).into());
        match (self.name("kind").as_str(), told.as_str()) {
            ("policy_resolved", _) => {
                notifications::SANDBOX_RULES.with(&[of_control, ("outcome", (&outcome).into())])
            }
            (_, "inactive") => notifications::SANDBOX_INACTIVE.with(&[of_control]),
            ("access_denied", _) => {
                let what = self.word("denialClass");
                let resource = given(resource.as_deref());
                notifications::SANDBOX_DENIED.with(&[("what", (&what).into()), ("resource", resource)])
            }
            _ => format!("{control}: {outcome}"),
        }
    }

    fn managed(&mut self) -> String {
        if self.flag("failClosed") {
            return self.warns(notifications::RULES_UNREAD).text().to_owned();
        }
        let keys = self.data.texts("managedKeys");
        if keys.is_empty() {
            return notifications::RULES_NONE.text().to_owned();
        }
        if self.flag("bypassPermissionsDisabled") {
            self.add(notifications::RULES_NO_BYPASS.text().to_owned());
        }
        self.add(listed(&keys));
        let rules = i64::try_from(keys.len()).unwrap_or(i64::MAX);
        let source = self.word("source");
        notifications::RULES_FROM.with(&[("n", Value::Count(rules)), ("source", (&source).into())])
    }

    fn extensions(&mut self) -> String {
        let mut failed = false;
        let list = self.data.list("extensions").into_iter().map(|extension| {
            let mut extension = Fields::of(extension);
            let status = extension.filled("status").unwrap_or_default();
            failed |= status == "failed";
            format!("{} ({})", extension.filled("name").unwrap_or_default(), runtime_word(&status))
        });
        let list: Vec<String> = list.collect();
        if failed {
            self.level = Level::Error;
        }
        if list.is_empty() { notifications::EXTENSIONS_NONE.text().to_owned() } else { listed(&list) }
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
            return notifications::ATTACHED_NONE.text().to_owned();
        }
        self::names(notifications::ATTACHED, &names)
    }

    fn capabilities(&mut self) -> String {
        let mut ui = self.data.object("ui");
        let known = [
            ("elicitation", notifications::SHOWS_FORMS),
            ("mcpApps", notifications::SHOWS_APPS),
            ("canvases", notifications::SHOWS_CANVASES),
        ];
        let can = known.iter().filter(|(name, _)| ui.flag(name).unwrap_or(false));
        let can: Vec<String> = can.map(|(_, word)| word.text().to_owned()).collect();
        if can.is_empty() {
            return notifications::SHOWS_NOTHING.text().to_owned();
        }
        notifications::SHOWS.with(&[("what", (&listed(&can)).into())])
    }

    fn commands(&mut self) -> String {
        let names = self.data.list("commands").into_iter();
        let names = names.filter_map(|command| Fields::of(command).filled("name"));
        let names: Vec<String> = names.map(|name| format!("/{}", name.trim_start_matches('/'))).collect();
        if names.is_empty() {
            return notifications::COMMANDS_NONE.text().to_owned();
        }
        self::names(notifications::COMMANDS, &names)
    }

    fn steerable(&mut self) -> String {
        let word = if self.flag("remoteSteerable") {
            notifications::STEERABLE
        } else {
            notifications::NOT_STEERABLE
        };
        word.text().to_owned()
    }

    fn interrupted(&mut self) -> String {
        let tools = listed(&self.data.texts("toolNames"));
        self.add(tools);
        let activity = self.name("activity");
        let said = runtime_word(&activity);
        let time = i18n::duration(self.figure("elapsedMs"));
        notifications::INTERRUPTED.with(&[
            ("activity", (&activity).into()),
            ("said", (&said).into()),
            ("time", (&time).into()),
        ])
    }

    fn factory_run(&mut self) -> String {
        let id = self.data.get("runId");
        let started = self.state.kept.iter().find(|event| {
            event.kind == EventKind::FactoryRunStarted && event.data.get("runId") == id.as_deref()
        });
        let name = started.and_then(|event| event.data.get("factoryName")).and_then(Json::as_str);
        let revision = notifications::REVISION.with(&[("n", self.figure("revision").into())]);
        self.add(revision);
        notifications::RUN_WENT_ON.with(&[("name", given(name))])
    }

    fn call_failed(&mut self) -> String {
        self.level = Level::Warning;
        let told = self.data.filled("errorMessage");
        let read = told.as_deref().and_then(|told| serde_json::from_str::<Json>(told).ok());
        let said = read.as_ref().map(|read| read.get("message").unwrap_or(read));
        let said = said.and_then(Json::as_str).map(str::to_owned);
        let (model, code) = (self.data.filled("model"), self.data.integer("statusCode"));
        let code = code.map(|code| code.to_string());
        let more = said.or(told).unwrap_or_default();
        self.add(more);
        notifications::CALL_FAILED
            .with(&[("model", given(model.as_deref())), ("code", given(code.as_deref()))])
    }

    fn cache_broke(&mut self) -> String {
        let why = self.name("primaryReason");
        if why != "unknown" {
            self.add(runtime_word(&why));
        }
        notifications::CACHE_BROKE.with(&[("n", Value::Count(self.figure("shortfallTokens")))])
    }

    fn fusion_models(&mut self) -> String {
        let mut models =
            ["primaryModel", "secondaryModel"].into_iter().filter_map(|name| self.data.filled(name));
        let (first, second) = (models.next().unwrap_or_default(), models.next());
        let pattern = self.word("pattern");
        self.add(pattern);
        notifications::FUSION_MODELS.with(&[("first", (&first).into()), ("second", given(second.as_deref()))])
    }

    fn fusion_ended(&mut self) -> String {
        let (read, written) = (self.figure("inputTokens"), self.figure("outputTokens"));
        self.add(
            notifications::FUSION_TOKENS
                .with(&[("read", Value::Count(read)), ("written", Value::Count(written))]),
        );
        self.took("durationMs");
        let (phases, calls) = (self.figure("phaseCount"), self.figure("requestCount"));
        let outcome = self.word("outcome");
        notifications::FUSION_ENDED.with(&[
            ("outcome", (&outcome).into()),
            ("phases", Value::Count(phases)),
            ("calls", Value::Count(calls)),
        ])
    }

    fn fusion_phase(&mut self) -> String {
        let (phase, model, status) = (self.word("phaseKind"), self.name("model"), self.name("status"));
        let verdict = self.word("verdict");
        self.add(verdict);
        self.took("durationMs");
        if status == "failed" {
            self.level = Level::Warning;
        }
        notifications::FUSION_PHASE.with(&[
            ("phase", (&phase).into()),
            ("model", (&model).into()),
            ("status", (&runtime_word(&status)).into()),
        ])
    }
}

/// A message with a list of names.
fn names(word: Word, names: &[String]) -> String {
    let what = listed(names);
    word.with(&[("names", (&what).into())])
}
