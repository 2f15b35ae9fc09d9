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
rules-none = no rules of one hold here
rules-no-bypass = everything at once can’t be allowed
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
    [retry_backoff] interrupted in the wait before another try, after { $time }
    [tool_call] interrupted in a tool call, after { $time }
    [background_agent] interrupted in a background agent, after { $time }
   *[other] interrupted: { $said }
}
tools-changed = those for { $model } changed
tools-found = a search switched on { $names }
memory-changed = one was stored, or voted on
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
fusion-ended = { $outcome } after { $phases ->
    [one] { $phases } phase
   *[other] { $phases } phases
} and { $calls ->
    [one] { $calls } call
   *[other] { $calls } calls
}
fusion-tokens = { $read } tokens read, { $written } written
fusion-phase = { $phase } by { $model } { $status }
