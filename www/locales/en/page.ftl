### The page around the timeline: announcements for screen readers, names of entries, the aside.

## Announcements, for screen readers only.
needs-permission = The agent needs your permission: { $what }
waits-for-answer = The agent waits for your answer: { $what }
# For viewers who may only watch.
waits-read-only = The agent waits for an answer: { $what }
replied = The agent has replied

## The timeline.
timeline = Session timeline
jump = Jump to latest
# A button that scrolls to requests that are not on screen.
requests-wait = { $n ->
    [one] { $n } request waits for you
   *[other] { $n } requests wait for you
}
# For viewers who may only watch.
requests-wait-read-only = { $n ->
    [one] { $n } request waits for an answer
   *[other] { $n } requests wait for an answer
}
# Open requests that are not on screen, among several.
out-of-sight = { $n } out of sight

## The aside.
raw-events = Raw events
close = Close

## What an entry is: its author or its kind. Screen readers say it before the entry's own text.
you = You
assistant = Assistant
reasoning = Reasoning
tool = Tool: { $name }
permission = Permission
question = Question
form = Form
plan = Plan
# A confirmation that a platform asks for.
request = Request
notice = Notice
sub-agent = Sub-agent
compaction = Compaction
task-complete = Task complete
custom = Custom notification
unknown-event = Unknown event
# Missing events.
gap = Gap
# $entry is one of these, of the sub-agent $agent.
of-agent = { $agent }: { $entry }
# $entry is one of these, before which the session was rewound.
rewound = Rewound: { $entry }

all-that-waits = Everything that waits for you

## The header: its buttons and the session's status.

menu = Menu
views = Views
search = Search
lens = What the model sees
panel = Panel
log = Event log
travel = Time travel

## The agent's status, in a word

running = Running
waiting = Waiting for you
# For viewers who may only watch.
waiting-read-only = Waiting for an answer
idle = Idle
error = Error
ended = Ended
connecting = Connecting
not-connected = Not connected
closed = Closed
loading = Loading

## Facts and marks

# $time: 2 min 5 s
quiet = Nothing has arrived for { $time }
no-server = Not connected to a server
read-only = Read only
allows-all = Allows everything
allows-all-tip = Commands run and files change without anybody being asked
# Follows the number of messages.
queued = queued
queue-waits = { $n ->
    [one] { $n } message waits for the agent
   *[other] { $n } messages wait for the agent
}
# Where the server can't list the queue.
queue-changed = { $n ->
    [one] Queue changed { $n } time
   *[other] Queue changed { $n } times
}

## The context meter and its list: names and values

percent = { $n } %
context-full = Context { $n } % full
context = Context
context-tokens = { $tokens } of { $limit } tokens
read = Read
read-tokens = { $tokens } tokens in { $calls ->
    [one] { $calls } call
   *[other] { $calls } calls
}
written = Written
written-tokens = { $n ->
    [one] { $n } token
   *[other] { $n } tokens
}
model = Model
mode = Mode
permissions = Permissions
directory = Directory
repository = Repository
repository-root = Repository root
branch = Branch
connection = Connection
connection-state = { $state ->
    [connecting] connecting
    [open] open
    [waiting] waiting
    [closed] closed
   *[replaying] replaying
}

## The first screen, which comes with the page before its program
being-loaded = Being loaded
earlier-loaded = What comes before is being loaded
as-it-stood = JavaScript is off. This is the session as it stood when the page was loaded.
