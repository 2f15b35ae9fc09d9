### The tray: quiet messages. Each line is a source and its message: 'Hooks: preToolUse ran'.

line = { $source }: { $text }
note-failed = { $failed } failed · { $n }
# On the panel's button, while the panel is closed.
failed = { $n } failed
error = Error
warning = Warning
note = Note

## Sources.

hooks = Hooks
permissions = Permissions
sandbox = Sandbox
organization = Organization
extensions = Extensions
clients = Clients
session = Session
tools = Tools
memory = Memory
checklist = Todos
background-work = Background work
factory = Factory
workflow = Workflow
search-index = Search index
auto = Auto
model = Model
fusion = Fusion

## Of an MCP server.

server-removed = left the list of servers
server-reconnect = has to be connected again
server-tools = offers other tools
server-resources = offers other resources
server-prompts = offers other prompts
server-status = { $status ->
    [connected] connected
    [failed] failed
    [pending] connecting
    [needs-auth] needs sign-in
    [stopped] stopped
    [disabled] off
    [unavailable] not available
    [signed-out] not signed in
   *[other] { $said }
}
headers-asked = asked the host for new headers
headers-why = { $reason ->
    [ttl-expired] the old ones ran out
    [auth-failed] the old ones were refused
   *[other] { $said }
}
headers-got = got new headers from the host
headers-none = goes on without new headers
headers-late = got no new headers in time
headers-failed = could not get new headers
app-called = its app called { $tool }
app-failed = its app could not call { $tool }{ $why ->
    [missing] { "" }
   *[other] : { $why }
}

## Permissions, sandbox, rules of an organization.

carried-forward = a call ran without asking again: { $by ->
    [human_response] a person’s answer
    [assisted_approval] a model’s answer
    [host_policy] the host’s policy
    [unattended_fallback] what holds when nobody is there
   *[other] an earlier answer
} covers it
sandbox-rules = rules for the { $control }: { $outcome }
sandbox-inactive = not active for the { $control }
sandbox-denied = denied: { $what }{ $resource ->
    [missing] { "" }
   *[other] : { $resource }
}
rules-unread = its rules could not be read: what they may forbid is forbidden
rules-none = no rules of an organization apply here
rules-no-bypass = “Allow everything” is switched off
rules-from = { $n ->
    [one] { $n } rule from the { $source }
   *[other] { $n } rules from the { $source }
}

## Extensions and clients.

extensions-none = none are loaded
attached-none = nothing goes with the next message any more
attached = { $names } for the next message
shows-nothing = can show nothing of their own
shows = can show { $what }
shows-forms = forms
shows-apps = MCP apps
shows-canvases = canvases
commands-none = bring no commands
commands = bring { $names }

## The session, its tools and models.

hook-ran = { $hook } ran
steerable = it can be steered from elsewhere
not-steerable = it can’t be steered from elsewhere
interrupted = { $activity ->
    [model_call] interrupted in a model call, after { $time }
    [retry_backoff] interrupted while waiting to try again, after { $time }
    [tool_call] interrupted in a tool call, after { $time }
    [background_agent] interrupted in a background agent, after { $time }
   *[other] interrupted: { $said }
}
tools-changed = those for { $model } changed
tools-found = a search switched on { $names }
memory-changed = a memory was stored or voted on
checklist-changed = the agent wrote to its list
background-changed = something began, went on or ended
run-went-on = { $name ->
    [missing] a run went on
   *[other] { $name } went on
}
revision = revision { $n }
tier-recommended = recommends the tier { $tier }
# $code is the status that the provider answered with.
call-failed = a call of { $model ->
    [missing] the model
   *[other] { $model }
} failed{ $code ->
    [missing] { "" }
   *[other] { " " }with { $code }
}
cache-broke = { $n ->
    [one] { $n } cached token is read anew
   *[other] { $n } cached tokens are read anew
}

## Several models on one turn.

fusion-models = { $second ->
    [missing] { $first } on the turn
   *[other] { $first } and { $second } on the turn
}
fusion-saved = the changes so far are noted
# $lines: +3 −1
fusion-changed = { $lines } in { $n ->
    [one] { $n } file
   *[other] { $n } files
}, discarded drafts included
fusion-ended = { $outcome } after { $phases ->
    [one] { $phases } phase
   *[other] { $phases } phases
} and { $calls ->
    [one] { $calls } call
   *[other] { $calls } calls
}
fusion-tokens = { $read } tokens read, { $written } written
fusion-phase = { $phase } by { $model } { $status }

## The index that searches of the project use.

# $said is the runtime's word, readable.
index-state = { $what ->
    [disabled] not in use
    [starting] is being started
    [enabled] in use, not complete yet
    [ready] ready
    [failed] failed
   *[other] { $said }
}
index-startup = { $what ->
    [started] was started
    [reused_existing] the one that runs already is used
    [skipped_below_threshold] not started: the project has few files
    [skipped_no_gitroot] not started: this is not a Git repository
    [skipped_disabled] not started: it is switched off
    [failed] could not be started
   *[other] { $said }
}
index-disabled = { $why ->
    [use_tgrep_false] switched off by the environment
    [use_builtin_ripgrep_false] another search program is used
    [organization] the organization switched it off
    [organization_policy_auth_pending] the organization’s rules are not known before sign-in
    [organization_policy_unknown] the organization’s rules could not be read
    [virtual_filesystem] the project is on a virtual or network drive
    [cloud_sync_root] the project is in a folder that a cloud service syncs
    [cloud_sync_detection_failed] whether a cloud service syncs the folder could not be found out
    [workspace_not_local] the project is not on the runtime’s machine
   *[other] { $said }
}
index-broke = { $what ->
    [spawn_error] its server could not be started
    [unexpected_exit] its server ended unexpectedly
    [killed_by_signal] its server was killed
   *[other] { $said }
}
index-changed = { $what ->
    [changes_detected] files have changed
    [updated] is up to date again
   *[other] { $said }
}
index-files = { $n ->
    [one] { $n } file
   *[other] { $n } files
}
index-counts = { $added } added, { $changed } changed, { $deleted } deleted
thinking-dropped = { $n ->
    [one] the provider left out { $n } earlier thought
   *[other] the provider left out { $n } earlier thoughts
}
