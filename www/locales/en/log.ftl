### The event log, the raw events of an entry, time travel, files from disk.

## The number of listed events. $figure is $n with thousands separators.
all-events = { $n ->
    [one] { $figure } event
   *[other] { $figure } events
}
some-events = { $n ->
    [one] { $shown } of { $figure } event
   *[other] { $shown } of { $figure } events
}
# $counted is one of the two above. $missed events came after the log was full.
full = { $counted }; the log is full, { $missed } more are not in it
# Events that the gateway leaves out of the history, because later ones say the same and more.
left-out = { $n ->
    [one] { $figure } superseded event is not here.
   *[other] { $figure } superseded events are not here.
}
load-all = Load all
not-loaded = The superseded events could not be loaded.
# $entry is the kind of entry: 'Tool: bash'.
of-entry = { $n ->
    [one] { $entry }: { $figure } event
   *[other] { $entry }: { $figure } events
}
# Follows 'Copy'.
all-of-these = all of these events

## The list.
events = Events
nothing-yet = Nothing has come in yet.
nothing-like-that = No event matches.
# The runtime does not persist it.
ephemeral = ephemeral
# A duplicate.
seen-before = seen before

## One event.
event = Event { $at }
close-event = Close the event
go-to-entry = Go to entry
show-moment = Show this moment
# Follows 'Copy'.
the-event = the event
json = JSON of the event

## The button that shows an entry's raw events.
raw-events = Raw events
raw-events-key = Raw events (i)

## The filter.
event-type = Event type
by-type = Filter by event type
by-family = Filter by family

## Families of event types: small buttons.
assistant = Assistant
tool = Tool
session = Session
permission = Permission
user-input = User Input
sub-agent = Sub-Agent
skill = Skill
control = Control
user = User
system = System
external-tool = External Tool
command = Command
plan-mode = Plan Mode
mode = Mode
queue = Queue
model = Model
limits = Limits
hook = Hook
mcp = MCP
workspace = Workspace
schedule = Schedule
factory = Factory
workflow = Workflow
fusion = Fusion
canvas = Canvas
extension = Extension
policy = Policy
timeline = Timeline
platform = Platform
gateway = Gateway
other = Other

## Files from disk.
open-file = Open a file
file-broken = { $file } could not be read to its end. What could be read is here.

## Time travel.
scrubber = Event of the log
position = Event { $at } of { $all }
play = Play
pause = Pause
turn-before = Turn before
next-turn = Next turn
speed = Speed
# As fast as the page can.
fastest = max
close = Close
reading = Reading the log … { $percent } %
to-now = Back to now

## The strip, while something else than the live session's current state is shown.
replaying = Replaying { $file }. The live session goes on behind.
replaying-past = Replaying { $file }, as it was at an earlier event.
past = You see the past. The session goes on behind; nothing can be answered here.
to-live = Back to the live session
