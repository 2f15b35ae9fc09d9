//! The roles, and which methods each may call. What is not listed can't be called: a method that a newer runtime adds is not
//! relayed before somebody has read what it does.
//!
//! Listed is what a session's page, panel, composer and board need. Left out on purpose are accounts, tokens
//! and credentials, shells (`session.shell.*`), settings, trusted folders and whatever else outlives the
//! session on this machine, other providers, remote control, deleting of the runtime's sessions, what belongs to the host
//! that a gateway is (`registerInterest`, `session.tools.set`), and what the runtime itself calls internal.

/// What a client may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Sees everything and changes nothing.
    Viewer,
    /// Answers and steers as well.
    Operator,
}

impl Role {
    /// Its name on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
        }
    }

    /// Whether this role may call a method. A method that nobody may call is refused later, with its own
    /// message; a viewer is refused here already.
    pub fn may(self, method: &str) -> bool {
        self == Self::Operator || right(method) == Some(Right::Read)
    }
}

/// Methods that need the right to operate and that a page calls by itself while somebody types or looks.
const UNASKED: [&str; 5] = [
    "pilothouse.shares",
    "session.completions.getTriggerCharacters",
    "session.completions.request",
    "session.permissions.notifyPromptShown",
    "session.log",
];

/// Whether a call to it stands in the audit log: somebody has answered, sent or changed something.
pub fn is_operation(method: &str) -> bool {
    right(method) == Some(Right::Operate) && !UNASKED.contains(&method)
}

/// What somebody may call who came by a link to a session: what shows how it goes on, and no files and settings.
const BY_LINK: &[&str] = &[
    "pilothouse.subscribe",
    "pilothouse.unsubscribe",
    "pilothouse.backlog",
    "session.getMessages",
    "session.eventLog.read",
    "session.eventLog.tail",
    "session.permissions.pendingRequests",
    "session.permissions.getMode",
    "session.queue.pendingItems",
    "session.mode.get",
    "session.model.getCurrent",
    "session.name.get",
    "session.usage.getMetrics",
    "session.metadata.snapshot",
    "session.metadata.activity",
    "session.metadata.isProcessing",
    "session.metadata.contextInfo",
    "session.plan.read",
    "session.plan.readSqlTodos",
    "session.plan.readSqlTodosWithDependencies",
    "session.tasks.list",
    "session.tasks.getProgress",
];

/// Whether somebody may call it who came by a link to a session, about that session.
pub fn may_by_link(method: &str) -> bool {
    BY_LINK.contains(&method)
}

/// What a method needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// See sessions. Changes nothing and costs nothing.
    Read,
    /// Answer, steer, create and close: whatever changes a session or makes it spend.
    Operate,
}

/// The gateway's own methods.
const OWN: [(&str, Right); 19] = [
    ("pilothouse.sessions", Right::Read),
    ("pilothouse.subscribe", Right::Read),
    ("pilothouse.unsubscribe", Right::Read),
    ("pilothouse.ping", Right::Read),
    ("pilothouse.board", Right::Read),
    ("pilothouse.visible", Right::Read),
    ("pilothouse.agent", Right::Read),
    ("pilothouse.backlog", Right::Read),
    ("pilothouse.backlog.read", Right::Read),
    ("pilothouse.backlog.send", Right::Operate),
    ("pilothouse.backlog.discard", Right::Operate),
    ("pilothouse.create", Right::Operate),
    ("pilothouse.resume", Right::Operate),
    ("pilothouse.close", Right::Operate),
    ("pilothouse.delete", Right::Operate),
    ("pilothouse.discover", Right::Operate),
    ("pilothouse.share", Right::Operate),
    ("pilothouse.shares", Right::Operate),
    ("pilothouse.unshare", Right::Operate),
];

/// Methods of the runtime that only read.
const READ: &[&str] = &[
    // What happened and what waits; a client also asks for this after every reconnect.
    "session.getMessages",
    "session.eventLog.read",
    "session.eventLog.tail",
    "session.permissions.pendingRequests",
    "session.queue.pendingItems",
    // The session's settings.
    "session.mode.get",
    "session.model.getCurrent",
    "session.model.list",
    "session.name.get",
    "session.permissions.getMode",
    "session.permissions.paths.list",
    "session.permissions.locations.resolve",
    "session.sandbox.getEnforcementStatus",
    "session.autopilotObjective.getState",
    "session.schedule.list",
    // What it costs, and how full its context is.
    "session.usage.getMetrics",
    "session.limitPrediction.predict",
    "session.metadata.snapshot",
    "session.metadata.activity",
    "session.metadata.isProcessing",
    "session.metadata.contextInfo",
    "session.metadata.getContextAttribution",
    "session.metadata.getContextHeaviestMessages",
    // Its plan and files. Its own workspace only, never the project's files.
    "session.plan.read",
    "session.plan.readSqlTodos",
    "session.plan.readSqlTodosWithDependencies",
    "session.workspaces.getWorkspace",
    "session.workspaces.listFiles",
    "session.workspaces.readFile",
    "session.workspaces.statFile",
    "session.workspaces.listCheckpoints",
    "session.workspaces.readCheckpoint",
    "session.workspaces.readAutopilotObjective",
    "session.workspaces.autopilotObjectiveExists",
    "session.workspaces.diff",
    "session.history.listRewindPoints",
    "session.history.previewRewind",
    // What it can do and what is running.
    "session.commands.list",
    "session.tools.getCurrentMetadata",
    "session.skills.list",
    "session.skills.getInvoked",
    "session.mcp.list",
    "session.mcp.listTools",
    "session.mcp.isServerRunning",
    // From 1.0.15 on. Nothing is recorded as long as nobody has configured it, which is not relayed.
    "session.diagnostics.read",
    "session.agent.list",
    "session.agent.getCurrent",
    "session.instructions.getSources",
    "session.plugins.list",
    "session.extensions.list",
    "session.tasks.list",
    "session.tasks.getProgress",
    "session.tasks.getCurrentPromotable",
    "session.workflow.listRuns",
    "session.workflow.getRun",
    "session.workflow.getRunDetail",
    "session.workflow.getRunProgress",
    // The same of a runtime before 1.0.15, which calls a workflow a factory.
    "session.factory.listRuns",
    "session.factory.getRun",
    "session.factory.getRunDetail",
    "session.factory.getRunProgress",
    // Asked before there is a session.
    "models.list",
];

/// Methods of the runtime that change a session or make it work.
const OPERATE: &[&str] = &[
    // The runtime's own names for `pilothouse.create`, `resume` and `close`.
    "session.create",
    "session.resume",
    "session.detach",
    "session.destroy",
    // Answers.
    "session.permissions.handlePendingPermissionRequest",
    "session.permissions.notifyPromptShown",
    "session.ui.handlePendingUserInput",
    "session.ui.handlePendingElicitation",
    "session.ui.handlePendingExitPlanMode",
    "session.ui.handlePendingAutoModeSwitch",
    "session.ui.handlePendingSessionLimitsExhausted",
    "session.ui.handlePendingSampling",
    "session.tools.handlePendingToolCall",
    "session.commands.respondToQueuedCommand",
    "session.commands.handlePendingCommand",
    "session.mcp.oauth.handlePendingRequest",
    "session.mcp.oauth.respond",
    "session.mcp.oauth.login",
    // Sending messages and stopping work.
    "session.send",
    "session.sendMessages",
    "session.abort",
    "session.interruptMainTurn",
    "session.cancelAllBackgroundAgents",
    "session.ui.ephemeralQuery",
    "session.fleet.start",
    "session.log",
    // What the composer offers. It lists the project's files, so it needs the right to write.
    "session.completions.getTriggerCharacters",
    "session.completions.request",
    "session.workspaces.saveLargePaste",
    "session.commands.invoke",
    "session.commands.execute",
    "session.commands.enqueue",
    // The queue.
    "session.queue.moveItem",
    "session.queue.insertAt",
    "session.queue.removeAt",
    "session.queue.updateText",
    "session.queue.duplicateAt",
    "session.queue.setDrainPaused",
    "session.queue.sendNow",
    "session.queue.removeMostRecent",
    "session.queue.clear",
    // From 1.0.15 on.
    "session.queue.withdrawMessage",
    "session.queue.appendSteering",
    // How it goes on. Of the permissions only those that end with the session.
    "session.mode.set",
    "session.model.switchTo",
    "session.model.switchAutoTier",
    "session.model.setReasoningEffort",
    "session.permissions.setMode",
    "session.permissions.setApproveAll",
    "session.permissions.resetSessionApprovals",
    "session.name.set",
    "session.plan.update",
    "session.plan.delete",
    "session.agent.select",
    "session.agent.deselect",
    "session.skills.enable",
    "session.skills.disable",
    "session.skills.reload",
    "session.mcp.enable",
    "session.mcp.disable",
    "session.mcp.reload",
    "session.mcp.restartServer",
    "session.mcp.stopServer",
    "session.schedule.stop",
    // What the model sees.
    "session.history.compact",
    "session.history.truncate",
    "session.history.rewind",
    "session.history.clearContext",
    "session.history.cancelBackgroundCompaction",
    "session.history.abortManualCompaction",
    "session.history.summarizeForHandoff",
    // Background work.
    "session.tasks.cancel",
    "session.tasks.remove",
    "session.tasks.sendMessage",
    "session.tasks.startAgent",
    "session.tasks.promoteToBackground",
    "session.tasks.promoteCurrentToBackground",
    "session.workflow.cancel",
    "session.workflow.pause",
    "session.factory.cancel",
    "session.factory.pause",
];

/// The right that a method needs; `None` where nobody may call it.
pub fn right(method: &str) -> Option<Right> {
    if let Some((_, right)) = OWN.iter().find(|(name, _)| *name == method) {
        return Some(*right);
    }
    if READ.contains(&method) {
        return Some(Right::Read);
    }
    OPERATE.contains(&method).then_some(Right::Operate)
}

/// Every method of the runtime that is relayed.
pub fn relayed() -> impl Iterator<Item = &'static str> {
    READ.iter().chain(OPERATE).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};
    use std::fs;
    use std::path::Path;

    use super::{Right, relayed, right};

    /// The methods of each version of the runtime that the tests know; `cargo xtask schema PATH --add VERSION` adds one.
    fn of_runtimes() -> BTreeMap<String, HashSet<String>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/support/schema");
        let versions = fs::read_dir(folder).unwrap().map(|version| version.unwrap());
        let read = |version: fs::DirEntry| {
            let list = fs::read_to_string(version.path().join("methods.txt")).unwrap();
            (version.file_name().into_string().unwrap(), list.lines().map(str::to_owned).collect())
        };
        versions.map(read).collect()
    }

    /// Methods that a runtime has and no schema lists: the SDKs call them.
    const UNLISTED: [&str; 5] =
        ["session.getMessages", "session.create", "session.resume", "session.detach", "session.destroy"];

    #[test]
    fn what_is_relayed_is_a_method_of_some_runtime() {
        let runtimes = of_runtimes();
        assert!(runtimes.values().all(|methods| methods.len() > 300), "{runtimes:?}");
        let known = |method: &str| runtimes.values().any(|methods| methods.contains(method));
        let invented: Vec<&str> = relayed().filter(|method| !known(method)).collect();
        assert_eq!(invented, UNLISTED, "no runtime has the others");
    }

    #[test]
    fn the_runs_of_a_factory_and_of_a_workflow_are_reached_alike() {
        let runtimes = of_runtimes();
        for word in ["factory", "workflow"] {
            let methods: HashSet<&String> = runtimes
                .values()
                .flatten()
                .filter(|method| method.starts_with(&format!("session.{word}.")))
                .collect();
            assert!(methods.len() > 10, "{methods:?}");
            for method in methods {
                let other = if word == "factory" {
                    method.replace("factory", "workflow")
                } else {
                    method.replace("workflow", "factory")
                };
                assert_eq!(right(method), right(&other), "{method}, {other}");
            }
        }
    }

    #[test]
    fn answers_need_more_than_looking() {
        assert_eq!(right("session.queue.pendingItems"), Some(Right::Read));
        assert_eq!(right("pilothouse.subscribe"), Some(Right::Read));
        assert_eq!(right("session.permissions.handlePendingPermissionRequest"), Some(Right::Operate));
        assert_eq!(right("pilothouse.create"), Some(Right::Operate));
    }

    #[test]
    fn what_reaches_beyond_a_session_is_nobodys() {
        for method in [
            "session.shell.exec",
            "session.shell.executeUserRequested",
            "session.gitHubAuth.getCurrentAuthInfo",
            "session.provider.getEndpoint",
            "session.permissions.folderTrust.addTrusted",
            "sessions.bulkDelete",
            "account.getCurrentAuth",
            "user.settings.set",
            "runtime.shutdown",
            "connect",
            "session.event",
            "",
        ] {
            assert_eq!(right(method), None, "{method}");
        }
    }

    #[test]
    fn no_method_stands_twice() {
        let mut seen = HashSet::new();
        assert_eq!(relayed().find(|method| !seen.insert(*method)), None);
    }
}
