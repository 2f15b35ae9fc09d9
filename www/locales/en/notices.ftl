### Notices and milestones in the timeline, one line each.
### The case [missing] is used where the runtime gives no value.

# The separator of list items.
list-comma = { ", " }
# A word of the runtime, shown as it is ($said) or translated here, chosen by $word.
runtime-word = { $word ->
    [bypass] leaving the sandbox
   *[other] { $said }
}

## What has changed from here on. $from is the previous value.

setting-changed = { $setting }: { $from } → { $to }
mode-changed = { $from ->
    [missing] Mode: { $mode }
   *[other] Mode: { $from } → { $mode }
}
unknown = unknown
model-changed = Model: { $from ->
    [missing] { $model }
   *[other] { $from } → { $model }
}{ $effort ->
    [missing] { "" }
   *[other] , { $effort } effort
}{ $cause ->
    [rate_limit_auto_switch] { " " }because of a rate limit
    [refusal_fallback] { " " }because the other model declined
   *[other] { "" }
}
# $model was chosen by a person, and its provider offers it no longer.
model-deselected = { $model } is no longer chosen: { $why ->
    [provider_withdrawn] its provider has withdrawn it
   *[other] { $said }
}. A default model answers next
# $effort is the model's reasoning effort: low, medium, high.
effort-changed = Effort of { $model }: { $from ->
    [missing] { "" }
   *[other] { $from } →{ " " }
}{ $effort ->
    [missing] the model's own
   *[other] { $effort }
}{ $cause ->
    [rate_limit_auto_switch] { " " }because of a rate limit
    [refusal_fallback] { " " }because the other model declined
   *[other] { "" }
}
permissions = Permissions: { $mode ->
    [allow-all] everything is allowed without asking
    [assisted] a model decides, and asks when in doubt
    [manual] asked for one by one
    [missing] unknown
   *[other] { $said }
}
compacting = Compacting the conversation{ $why ->
    [threshold] { " " }because the context window filled up
    [context_limit_retry] { " " }because the context window was full
    [manual] { " " }as asked
    [memory_pressure] { " " }to free memory
    [model_switch] { " " }for the next model
   *[other] { "" }
}
compacted = Compacted{ $why ->
    [threshold] { " " }because the context window filled up
    [context_limit_retry] { " " }because the context window was full
    [manual] { " " }as asked
    [memory_pressure] { " " }to free memory
    [model_switch] { " " }for the next model
   *[other] { "" }
}{ $before ->
    [missing] { "" }
   *[other] : { $before } → { $after } tokens
}
compaction-interrupted = Compaction interrupted
compaction-failed = Compaction failed{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
# $before and $after are the conversation's sizes in tokens.
truncated = { $n ->
    [one] The oldest message ({ $tokens } tokens) was cut from the model's view
   *[other] The oldest { $n } messages ({ $tokens } tokens) were cut from the model's view
}{ $before ->
    [missing] { "" }
   *[other] : { $before } → { $after } tokens
}
rewound = { $n ->
    [one] Rewound: { $n } event is gone from the model's view
   *[other] Rewound: { $n } events are gone from the model's view
}
cleared = { $n ->
    [one] Context cleared: { $n } message is gone from the model's view
   *[other] Context cleared: { $n } messages are gone from the model's view
}
# A file of another agent is shown. $form is a name such as 'JSONL' or 'rollout'.
transcript = Transcript of { $agent } ({ $form })
transcript-lines = { $n ->
    [one] { $n } line
   *[other] { $n } lines
}
# $n of them tell nothing of the conversation.
transcript-left-out = { $n ->
    [one] { $n } left out
   *[other] { $n } left out
}
handed-off = Handed off from { $kind ->
    [missing] another session
   *[other] a { $said } session
}
agent-selected = Agent: { $name }
agent-default = Back to the default agent

## How a task ended.

task-complete = Task complete
task-unfinished = The task is not complete yet
task-failed = The task could not be completed

## The session's life.

session-resumed = Session resumed
# What the runtime's end and its start after it leave in the timeline: one line. 'Details' has what each of them said.
restarting = The agent stopped unexpectedly. What ran is interrupted, and the agent is started again
restarted = The agent was restarted. What ran was interrupted
restarted-anew = The agent was restarted. What ran was interrupted, and what was asked is not asked any more
connection-back = The connection to the agent was lost for a moment. Its work went on
call-lost = A call that was already allowed was lost when the agent was restarted
session-over = { $how ->
    [crashed] Session crashed
   *[other] Session ended
}{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
requests = { $n ->
    [one] { $n } request
   *[other] { $n } requests
}
# $time is a duration: how long models worked.
model-time = { $time } of model time
changed-lines = +{ $added } −{ $removed }{ $files ->
    [0] { "" }
    [one] { " " }in { $files } file
   *[other] { " " }in { $files } files
}
stopped = { $why ->
    [user_initiated] Stopped by you
    [remote_command] Stopped from elsewhere
    [autopilot_credit_limit] Stopped: autopilot reached its credit limit
    [missing] Stopped
   *[other] Stopped: { $said }
}
# Preceded by the tag `autopilot` of timeline.ftl, so the word is not repeated.
autopilot-goes-on = Autopilot goes on

## The activity shown in the header.

trying-again = Trying again{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
background-goes-on = Background work goes on
choosing-models = Choosing models

## Why a request can't be answered any more, and how a confirmation was answered.

gone-ended = The session ended
gone-resumed = The session was resumed: this is not asked any more
gone-idle = The turn ended without an answer
gone-stopped = The turn was stopped
gone-unlisted = No longer asked
accepted = Accepted
dismissed = Dismissed
reply-broke = The agent's reply broke off here. What came before is kept.

## Errors, and what may explain what happens next.

error-silent = An error without a message
# $category is the kind of message, capitalised.
notice-silent = { $category }, without a message
# A queued command whose turn had come.
command-not-run = { $command } was not run: { $why }
nameless-event = an event without a name
# $why: what is wrong with its data, and where.
unreadable-event = An event could not be read: { $why }
# Preceded by the tag `hook` of timeline.ftl, so the word is not repeated.
hook-failed = Hook “{ $hook }” failed{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
fusion-route-failed = The models for this turn could not be chosen: { $model ->
    [missing] another model
   *[other] { $model }
} answers alone
# $phase is a step in the work of several models, capitalised.
fusion-phase-failed = { $phase }{ $model ->
    [missing] { "" }
   *[other] { " " }by { $model }
} failed{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
# Auto chooses the model. $tier is what it prefers.
auto-tier-failed = Auto could not switch to { $tier ->
    [missing] the default
   *[other] { $tier }
}: { $why }{ $stays ->
    [missing] { "" }
   *[other] ; it stays at { $stays }
}
policy-prevents = Your organization's setting { $setting } prevents this
remedy = { $action ->
    [sign_in] Sign in again
    [switch_account] Switch to another account
    [show_account] See which account is signed in
    [review_sandbox_policy] Review what the sandbox allows
    [allow_sandbox_outbound] Let the sandbox reach the network
   *[other] { $said }
}

## Files and skills.

file-told = { $what ->
    [created] Created file { $name }
    [deleted] Deleted file { $name }
   *[other] Changed file { $name }
}
file-told-own = { $what ->
    [created] Created file { $name } of this session
    [deleted] Deleted file { $name } of this session
   *[other] Changed file { $name } of this session
}
# A sub-agent in the background.
agent-ended = { $how ->
    [failed] The agent { $name } failed
   *[done] The agent { $name } has finished
}
# A command in the background: what it was for, or else the shell's id. $code is an exit code other than 0.
shell-ended = The command in the background has ended{ $code ->
    [missing] { "" }
   *[other] { " " }with exit code { $code }
}: { $name ->
    [missing] shell { $shell }
   *[other] { $name }
}
workflow-ended = { $how ->
    [failed] The workflow { $name } did not finish
   *[done] The workflow { $name } has finished
}
instructions-found = Found instructions in { $path }
skill-used = Using skill { $name }
skill-again = Using skill { $name } again
# An attachment without a name.
attachment = attachment
# An attachment that the model did not get.
attachment-withheld = { $name } (not given to the model)
# A task of an MCP server: the server, the tool, the task.
mcp-task = { $server }:{ $tool ->
    [missing] { "" }
   *[other] { " " }{ $tool }
} task{ $id ->
    [missing] { "" }
   *[other] { " " }{ $id }
} { $status ->
    [working] is working
    [input_required] needs input
    [completed] is done
    [failed] failed
    [unfinished] ended with the session
   *[cancelled] was cancelled
}{ $why ->
    [missing] { "" }
   *[other] : { $why }
}

## Autopilot, which was refused a permission without asking anybody.
## $word is a word of the runtime; $said is the same, readable.

recovery = { $word ->
    [recovering] Autopilot is not allowed this, and looks for another way
    [awaiting_approval] Autopilot found no other way, and asks for permission
    [resolved] Autopilot goes on
    [blocked] Autopilot is blocked
   *[other] Autopilot without a permission: { $said }
}
# What it is not allowed. $what is the command, the file or the address.
recovery-of = { $word ->
    [shell] command
    [commands] command
    [write] writing
    [read] reading
    [path] path
    [url] address
    [mcp] tool of a server
    [custom-tool] tool
    [tool] tool
    [memory] memory
    [hook] hook
    [workflow] workflow
    [factory] factory
    [extension-management] extensions
    [extension-permission-access] abilities of an extension
    [extension-env-access] environment variables
   *[other] { $said }
}{ $what ->
    [missing] { "" }
   *[other] : { $what }
}
recovery-why = { $word ->
    [permission_required] a permission is required
    [repeated_attempt] it asked for the same again
    [attempts_exhausted] its attempts are used up
    [permission_approved] a person allowed it
    [permission_denied] a person refused it
    [responder_unavailable] nobody was there to answer
    [equivalent_alternative_succeeded] another way worked
   *[other] { $said }
}
recovery-count = attempt { $n } of { $most }
# What comes if no other way is found.
recovery-else = { $word ->
    [ask] If no way is found, a person is asked
    [fail] If no way is found, the task is blocked: nobody can be asked
   *[other] If no way is found: { $said }
}
# How an attempt relates to those before it.
recovery-relation = { $word ->
    [initial] first attempt
    [retry] the same again
    [alternative] another way
   *[other] { $said }
}
# What became of an attempt.
recovery-became = { $word ->
    [deferred] refused without asking
    [prompted] asked for
    [approved] allowed
    [denied] refused
    [blocked] blocked
    [succeeded] worked
   *[other] { $said }
}
# Why a task can't go on.
blocked = { $word ->
    [permission_recovery] Autopilot is blocked: it lacks a permission
   *[other] Blocked: { $said }
}
blocked-until = { $word ->
    [yes] An answer or a message lets it go on
   *[no] It can’t be taken up again
}
