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
