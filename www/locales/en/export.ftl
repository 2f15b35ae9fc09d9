### Exports of a session, as Markdown and as HTML.

## The head: facts about the session.

# Also the title of a session without one.
session = Session
begun = Begun
last-event = Last event
model = Model
mode = Mode
directory = Directory
repository = Repository
branch = Branch
tool-calls = Tool calls
errors = Errors
status = Status
# The value of `status`.
status-is = { $status ->
    [ended] ended
    [waiting] waiting
    [running] running
    [error] error
   *[idle] idle
}
# The list of turns.
turns = Turns

## Messages.

you = You
# A message to a sub-agent.
task-for = Task for { $agent }
steering = steering
was-queued = was queued
attached = Attached: { $names }
thought = Thought
thought-for = Thought for { $time }
thought-interrupted = Thought, interrupted
empty-reply = Empty reply
interrupted = Interrupted

## Notices and unknown events.

warning = Warning:
# $code is in brackets with a space before, or empty.
error = Error{ $code }:
details = Details
unknown-event = Unknown event

## Sub-agents.

sub-agent = Sub-agent { $name }
working = working
failed = failed
cancelled = cancelled
calls = { $n ->
    [one] { $n } tool call
   *[other] { $n } tool calls
}

## Requests: what was asked for.

permission = Permission requested
question = Question
form = Form
plan = Plan to approve
external-tool = Tool call for a client
command = Command for a client
mode-switch = Change of mode requested
limits = Session limits reached
sign-in = Sign-in requested
sampling = Reply of a model requested
confirmation = Confirmation requested

## Requests: how they ended.

outcome = Outcome: { $outcome }
not-answered = Not answered yet
on-its-way = { $answer }, on its way
may-have-arrived = { $answer }, may have arrived
all-asked = All that was requested

## Prose, for screen readers.

table = Table
task-done = done
task-open = open
# The source of an image that is embedded in the text itself.
this-text = this text
