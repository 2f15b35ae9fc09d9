//! The words for each type of event that the tray collects.

use crate::i18n;
use serde_json::Value as Json;

use crate::i18n::format::{capitalised, event_type, in_words, join_list, optional_value, runtime_word};
use crate::i18n::words::{notifications, tools};
use crate::i18n::{Value, Word};
use crate::model::entry::Level;
use crate::model::state::State;
use crate::protocol::EventKind;
use crate::view_model::panel::{built_in_servers, optional_status};
use crate::wire::fields::Fields;

/// Describes one event; fills `level`, but for failures, and `more` on the way.
pub(super) struct EventDescriber<'a> {
    pub(super) state: &'a State,
    pub(super) data: Fields<'static>,
    pub(super) level: Level,
    pub(super) more: Vec<String>,
}

impl EventDescriber<'_> {
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
            | EventKind::McpAppToolCallComplete => {
                let server = self.server(kind);
                let text = self.of_server(kind, &server);
                return (server, text);
            }
            EventKind::HookStart => {
                let hook = in_words(&self.name("hookType"));
                (notifications::HOOKS, notifications::HOOK_RAN.with(&[("hook", (&hook).into())]))
            }
            EventKind::PermissionCarriedForward => (notifications::PERMISSIONS, self.carried_forward()),
            EventKind::SandboxDecision => (notifications::SANDBOX, self.sandbox()),
            EventKind::SessionManagedSettingsResolved => {
                (notifications::ORGANIZATION, self.managed_settings())
            }
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
            EventKind::FactoryRunUpdated => {
                (notifications::FACTORY, self.run(EventKind::FactoryRunStarted, "factoryName"))
            }
            EventKind::WorkflowRunUpdated => {
                (notifications::WORKFLOW, self.run(EventKind::WorkflowRunStarted, "workflowName"))
            }
            EventKind::SessionIndexedSearch => (notifications::SEARCH_INDEX, self.search_index()),
            EventKind::AssistantUsage => (notifications::MODEL, self.thinking_dropped()),
            EventKind::SessionAutoTierRecommendation => (
                notifications::AUTO,
                notifications::TIER_RECOMMENDED.with(&[("tier", (&self.word("recommendedAutoTier")).into())]),
            ),
            EventKind::ModelCallFailure => (notifications::MODEL, self.call_failed()),
            EventKind::PromptCacheBreak => (notifications::MODEL, self.cache_broke()),
            EventKind::SessionFusionResolved => (notifications::FUSION, self.fusion_models()),
            EventKind::SessionFusionCompleted => (notifications::FUSION, self.fusion_ended()),
            EventKind::SessionFusionChangeCheckpoint => (notifications::FUSION, self.fusion_changed()),
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
        self.data.non_empty_text(name).unwrap_or_default()
    }

    /// A message with the text of one field.
    fn with_name(&mut self, word: Word, value: &str, name: &str) -> String {
        word.with(&[(value, (&self.name(name)).into())])
    }

    /// A message whose wording depends on one of the runtime's own words.
    fn select_by_word(word: Word, value: &str, word_of_runtime: &str) -> String {
        word.with(&[(value, word_of_runtime.into()), ("said", (&in_words(word_of_runtime)).into())])
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

    fn add_duration(&mut self, name: &str) {
        let took = self.data.number(name).map_or_else(String::new, |took| i18n::duration(took as i64));
        self.add(took);
    }

    /// The server's name; an answer has that of its request.
    fn server(&mut self, kind: EventKind) -> String {
        let named = self.data.non_empty_text("serverName").or_else(|| {
            let id = self.data.get("requestId").filter(|_| kind == EventKind::McpHeadersRefreshCompleted)?;
            let asked = self
                .state
                .notifications
                .iter()
                .find(|event| event.data.get("requestId") == Some(&*id) && event.kind != kind)?;
            asked.data.get("serverName")?.as_str().map(str::to_owned)
        });
        named.unwrap_or_else(|| "MCP".to_owned())
    }

    fn of_server(&mut self, kind: EventKind, server: &str) -> String {
        let word = match kind {
            EventKind::SessionMcpServerRemoved => notifications::SERVER_REMOVED,
            EventKind::SessionMcpServerNeedsReconnect => notifications::SERVER_RECONNECT,
            EventKind::McpToolsListChanged => notifications::SERVER_TOOLS,
            EventKind::McpResourcesListChanged => notifications::SERVER_RESOURCES,
            EventKind::McpPromptsListChanged => notifications::SERVER_PROMPTS,
            EventKind::McpHeadersRefreshRequired => {
                let why = Self::select_by_word(notifications::HEADERS_WHY, "reason", &self.name("reason"));
                self.add(why);
                notifications::HEADERS_ASKED
            }
            EventKind::McpHeadersRefreshCompleted => match self.name("outcome").as_str() {
                "headers" => notifications::HEADERS_GOT,
                "none" => notifications::HEADERS_NONE,
                "timeout" => self.warns(notifications::HEADERS_LATE),
                _ => notifications::HEADERS_FAILED,
            },
            EventKind::McpAppToolCallComplete => {
                self.add_duration("durationMs");
                if self.flag("success") {
                    return self.with_name(notifications::APP_CALLED, "tool", "toolName");
                }
                let error = self.data.object_or_text("error", "message").non_empty_text("message");
                let tool = self.name("toolName");
                return notifications::APP_FAILED
                    .with(&[("tool", (&tool).into()), ("why", optional_value(error.as_deref()))]);
            }
            _ => {
                let error = self.name("error");
                self.add(error);
                let status = self.name("status");
                let optional = built_in_servers(self.state).any(|name| name == server);
                let status = if optional { optional_status(&status) } else { &status };
                if status == "needs-auth" {
                    self.level = Level::Warning;
                }
                return Self::select_by_word(notifications::SERVER_STATUS, "status", status);
            }
        };
        word.text().to_owned()
    }

    fn warns(&mut self, word: Word) -> Word {
        self.level = Level::Warning;
        word
    }

    fn carried_forward(&mut self) -> String {
        self.with_name(notifications::CARRIED_FORWARD, "by", "decisionSource")
    }

    fn sandbox(&mut self) -> String {
        let (command, resource) = (self.name("command"), self.data.non_empty_text("deniedResource"));
        self.add(command);
        let why = self.word("degradationReason");
        self.add(why);
        let at = self.word("enforcementPoint");
        self.add(at);
        let (control, outcome_word) = (self.word("control"), self.name("outcome"));
        let outcome = runtime_word(&outcome_word);
        if let "degraded" | "denied" | "declined" = outcome_word.as_str() {
            self.level = Level::Warning;
        }
        let of_control = ("control", (&control).into());
        match (self.name("kind").as_str(), outcome_word.as_str()) {
            ("policy_resolved", _) => {
                notifications::SANDBOX_RULES.with(&[of_control, ("outcome", (&outcome).into())])
            }
            (_, "inactive") => notifications::SANDBOX_INACTIVE.with(&[of_control]),
            ("access_denied", _) => {
                let what = self.word("denialClass");
                let resource = optional_value(resource.as_deref());
                notifications::SANDBOX_DENIED.with(&[("what", (&what).into()), ("resource", resource)])
            }
            _ if control.is_empty() => outcome,
            _ => format!("{control}: {outcome}"),
        }
    }

    fn managed_settings(&mut self) -> String {
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
        self.add(join_list(&keys));
        let rules = i64::try_from(keys.len()).unwrap_or(i64::MAX);
        let source = self.word("source");
        notifications::RULES_FROM.with(&[("n", Value::Count(rules)), ("source", (&source).into())])
    }

    fn extensions(&mut self) -> String {
        let list = self.data.list("extensions").into_iter().map(|extension| {
            let mut extension = Fields::of(extension);
            let status = extension.non_empty_text("status").unwrap_or_default();
            format!("{} ({})", extension.non_empty_text("name").unwrap_or_default(), runtime_word(&status))
        });
        let list: Vec<String> = list.collect();
        if list.is_empty() { notifications::EXTENSIONS_NONE.text().to_owned() } else { join_list(&list) }
    }

    fn attachments(&mut self) -> String {
        let names = self.data.list("attachments").into_iter().map(|attachment| {
            let mut attachment = Fields::of(attachment);
            let name = ["displayName", "title", "path", "type"]
                .iter()
                .find_map(|name| attachment.non_empty_text(name));
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
        notifications::SHOWS.with(&[("what", (&join_list(&can)).into())])
    }

    fn commands(&mut self) -> String {
        let names = self.data.list("commands").into_iter();
        let names = names.filter_map(|command| Fields::of(command).non_empty_text("name"));
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
        let tools = join_list(&self.data.texts("toolNames"));
        self.add(tools);
        let activity = self.name("activity");
        let words = runtime_word(&activity);
        let time = i18n::duration(self.figure("elapsedMs"));
        notifications::INTERRUPTED.with(&[
            ("activity", (&activity).into()),
            ("said", (&words).into()),
            ("time", (&time).into()),
        ])
    }

    /// A run went on, by the name that the event of its start has in the field `name`.
    fn run(&mut self, starts: EventKind, name: &str) -> String {
        let id = self.data.get("runId");
        let mut events = self.state.panel_events.iter();
        let started = events.find(|event| event.kind == starts && event.data.get("runId") == id.as_deref());
        let name = started.and_then(|event| event.data.get(name)).and_then(Json::as_str);
        let revision = notifications::REVISION.with(&[("n", self.figure("revision").into())]);
        self.add(revision);
        notifications::RUN_WENT_ON.with(&[("name", optional_value(name))])
    }

    fn search_index(&mut self) -> String {
        let kind = self.name("kind");
        let (word, field) = match kind.as_str() {
            "startup" => (notifications::INDEX_STARTUP, "outcome"),
            "server_error" => (self.warns(notifications::INDEX_BROKE), "errorType"),
            "incremental" => (notifications::INDEX_CHANGED, "phase"),
            _ => (notifications::INDEX_STATE, "state"),
        };
        let state = self.data.non_empty_text(field).unwrap_or(kind);
        if state == "failed" {
            self.level = Level::Warning;
        }
        if let Some(why) = self.data.non_empty_text("disabledReason") {
            let why = Self::select_by_word(notifications::INDEX_DISABLED, "why", &why);
            self.add(why);
        }
        if let Some(files) = self.data.integer("fileCount") {
            self.add(notifications::INDEX_FILES.with(&[("n", Value::Count(files))]));
        }
        let [added, changed, deleted] =
            ["addedFileCount", "changedFileCount", "deletedFileCount"].map(|name| self.data.integer(name));
        if added.or(changed).or(deleted).is_some() {
            let count = |n: Option<i64>| Value::Count(n.unwrap_or(0));
            self.add(notifications::INDEX_COUNTS.with(&[
                ("added", count(added)),
                ("changed", count(changed)),
                ("deleted", count(deleted)),
            ]));
        }
        if let Some(code) = self.data.integer("exitCode") {
            self.add(tools::WITH_EXIT_CODE.with(&[("code", (&code.to_string()).into())]));
        }
        let error = self.name("errorMessage");
        self.add(error);
        for time in ["startupDurationMs", "totalDurationMs"] {
            let took = self.data.number(time).filter(|took| *took >= 1.0);
            self.more.extend(took.map(|took| i18n::duration(took as i64)));
        }
        Self::select_by_word(word, "what", &state)
    }

    fn thinking_dropped(&mut self) -> String {
        let reasons = self.data.texts("thinkingDroppedReasons");
        let reasons: Vec<String> = reasons.iter().map(|reason| runtime_word(reason)).collect();
        self.add(join_list(&reasons));
        notifications::THINKING_DROPPED.with(&[("n", Value::Count(self.figure("thinkingDroppedBlocks")))])
    }

    fn fusion_changed(&mut self) -> String {
        let mut changes = self.data.object("codeChanges");
        let (added, removed) = (changes.integer("linesAdded"), changes.integer("linesRemoved"));
        let files = changes.texts("filesModified");
        let Some((added, removed)) = added.zip(removed) else {
            return notifications::FUSION_SAVED.text().to_owned();
        };
        self.add(join_list(&files));
        let files = i64::try_from(files.len()).unwrap_or(i64::MAX);
        let lines = format!("+{added} −{removed}");
        notifications::FUSION_CHANGED.with(&[("lines", (&lines).into()), ("n", Value::Count(files))])
    }

    fn call_failed(&mut self) -> String {
        self.level = Level::Warning;
        let text = self.data.non_empty_text("errorMessage");
        let json = text.as_deref().and_then(|text| serde_json::from_str::<Json>(text).ok());
        let inner = json.as_ref().map(|json| json.get("message").unwrap_or(json));
        let inner = inner.and_then(Json::as_str).map(str::to_owned);
        let (model, code) = (self.data.non_empty_text("model"), self.data.integer("statusCode"));
        let code = code.map(|code| code.to_string());
        let more = inner.or(text).unwrap_or_default();
        self.add(more);
        notifications::CALL_FAILED
            .with(&[("model", optional_value(model.as_deref())), ("code", optional_value(code.as_deref()))])
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
            ["primaryModel", "secondaryModel"].into_iter().filter_map(|name| self.data.non_empty_text(name));
        let (first, second) = (models.next().unwrap_or_default(), models.next());
        let pattern = self.data.non_empty_text("hint").unwrap_or_else(|| self.word("pattern"));
        self.add(pattern);
        notifications::FUSION_MODELS
            .with(&[("first", (&first).into()), ("second", optional_value(second.as_deref()))])
    }

    fn fusion_ended(&mut self) -> String {
        let (read, written) = (self.figure("inputTokens"), self.figure("outputTokens"));
        self.add(
            notifications::FUSION_TOKENS
                .with(&[("read", Value::Count(read)), ("written", Value::Count(written))]),
        );
        self.add_duration("durationMs");
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
        self.add_duration("durationMs");
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
    let what = join_list(names);
    word.with(&[("names", (&what).into())])
}
