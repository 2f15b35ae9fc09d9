### The page around the timeline: what screen readers are told, how entries are named, what stands at the side.

## Announcements, to screen readers only.
needs-permission = The agent needs your permission: { $what }
waits-for-answer = The agent waits for your answer: { $what }
# For who watches and answers nothing.
waits-read-only = The agent waits for an answer: { $what }
replied = The agent has replied

## The timeline.
timeline = Session timeline
jump = Jump to latest
# Requests that are not on screen; a button that goes there.
requests-wait = { $n ->
    [one] { $n } request waits for you
   *[other] { $n } requests wait for you
}
# For who watches and answers nothing.
requests-wait-read-only = { $n ->
    [one] { $n } request waits for an answer
   *[other] { $n } requests wait for an answer
}
# Of several requests that wait, those that are not on screen.
out-of-sight = { $n } out of sight

## The place at the side.
raw-events = Raw events
close = Close

## What an entry is: who speaks, or what it tells of. Screen readers say it before the entry's own words.
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
# Events that are missing.
gap = Gap
# $entry is one of these, of the sub-agent $agent.
of-agent = { $agent }: { $entry }
# $entry is one of these, which the session has gone back behind.
rewound = Rewound: { $entry }

all-that-waits = Everything that waits for you
