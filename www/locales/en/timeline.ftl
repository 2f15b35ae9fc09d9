### The timeline: messages, reasoning, sub-agents, the work done for a message.

times = ×{ $n }

## The work done, in figures.

model-calls = { $n ->
    [one] { $n } model call
   *[other] { $n } model calls
}
tools = { $n ->
    [one] { $n } tool
   *[other] { $n } tools
}
tokens = { $n ->
    [one] { $n } token
   *[other] { $n } tokens
}
tokens-written = { $n ->
    [one] { $n } token written
   *[other] { $n } tokens written
}

## Calls of one message.

together = { $n ->
    [one] { $n } tool
   *[other] { $n } tools together
}
waiting-of-them = { $n } waiting
running-of-them = { $n } running
failed-of-them = { $n } failed
denied-of-them = { $n } denied

## Messages: the author, and how one arrived.

you = You
task-for = Task for { $name }
schedule = Schedule { $number }
another-agent = Another agent
skill = Skill { $name }
steering = steering
was-queued = was queued
# At the end of a turn that was stopped or failed: sends its message again.
try-again = Try again
interrupted = Interrupted
empty-reply = Empty reply
# Tags of entries, and their explanations.
rewound = rewound
rewound-tells = The session went back to before this: the agent does not see it any more.
undone = undone by rewinding
phase = Phase: { $phase }

## Reasoning.

thinking = Thinking
thought = Thought
thought-for = Thought for { $time }
thought-interrupted = Thought, interrupted

## Sub-agents and other work: at the end of their line.

working = working
working-background = working in the background
failed = failed
cancelled = cancelled
stopped = interrupted
needs-input = needs input
effort = { $effort } effort
in-background = in the background
given-back = What the calling agent received

## Notices: their origin, and buttons.

this-page = This page
autopilot = Autopilot
mcp = MCP
side-question = Side question
hook = Hook
references = References
implicit = implicit
implicit-tells = Added by the program, not by the person
about = About: { $name }
timing = Timing
context-window = Context window
snapshot = Snapshot
configuration = Configuration
authentication = Authentication
authorization = Authorization
quota = Quota
rate-limit = Rate limit
context-limit = Context limit
subscription = Subscription
model = Model
policy = Policy
show-all = Show all
details = Details
earlier = Earlier
summary = Summary
first-message = First message
figures = Figures

## Custom notifications and unknown events.

version = version { $version }
unknown-event = Unknown event
hidden-events = { $n ->
    [one] { $n } event of this type hidden:
   *[other] { $n } events of this type hidden:
}
show-again = Show them again
hide-type = Hide events of this type
