### The panel at the side: the session's surroundings.

## Headings of its sections.

plan = Plan
checklist = Todos
changed-files = Changed files
works = Agents and background work
servers = MCP servers
skills = Skills
agents = Custom agents
tools = Tools
schedules = Schedules
own-files = The session’s own files
usage = Usage and cost
context = Context window
canvases = Canvases
tray = System messages
empty = The plan, todos, changed files, agents, servers, skills, schedules and costs appear here as soon as there are any.

## Plan.

plan-untold = There is a plan, but its text has not arrived here.
plan-changed = The plan has changed since then. What has changed is not known here.
plan-show = Show where it was proposed

## States: what screen readers say for the dot before a line.

done = Done
running = Running
failed = Failed
stopped = Stopped
open = Open
in-progress = In progress
blocked = Blocked
connected = Connected
connecting = Connecting
needs-sign-in = Needs sign-in
needs-reconnect = Has to be connected again
off = Off

## Todos.

checklist-done = { $n } of { $all } done
checklist-uncertain = The list was changed in a way that can’t be followed here: it may be out of date.

## Agents, background work, tools. Beside a heading, or at the end of a line.

running-count = { $n } running
failed-count = { $n } failed
calls = { $n ->
    [one] { $n } call
   *[other] { $n } calls
}
tool-calls = { $n ->
    [one] { $n } tool call
   *[other] { $n } tool calls
}
used-count = { $n } used
used-offered = { $n } used, { $offered } offered
# Work without a name.
shell = Shell
run = Run

## Servers, skills, canvases, files.

server-status = { $status ->
    [connected] connected
    [failed] failed
    [pending] connecting
    [needs-auth] needs sign-in
    [needs-reconnect] has to be connected again
    [unavailable] not available
    [signed-out] not signed in
   *[other] { $said }
}
# The origin of a server or a skill.
source = { $source ->
    [builtin] built in
   *[other] { $said }
}
skill-used = used
skill-off = off
canvas-open = open
canvas-away = not available right now
file-created = created
file-changed = changed
file-new = new
edits = { $n ->
    [one] { $n } edit
   *[other] { $n } edits
}

## Schedules. $time is a duration, $date a date with its time of day.

every = every { $time }
after = after { $time }
self-paced = whenever the agent decides
once = once
next = next { $date }
objective = Autopilot objective

## Usage and cost: a table of what each used, and the rest.

by-prompt = These figures are what the agent reports for each prompt. How often it asked the model, it does not say.
by-model = Usage by model
by-agent = Usage by agent
model = Model
agent = Agent
main-agent = Main agent
unknown = Unknown
calls-head = Calls
read = Read
cached = Cached
written = Written
percent = { $n } %
premium-requests = Premium requests
credits = AI credits
cache-written = Tokens written to caches
thinking-tokens = Tokens for thinking
model-time = Time of model calls
used-of = { $used } of { $all }
quota = Quota: { $name }
unlimited = unlimited
left = { $n } % left
left-until = { $n } % left, begins anew on { $date }

## The parts of the context window.

system-prompt = System prompt
part-tools = Tools
conversation = Conversation
part-used = Used
part-other = Other
part-free = Free
tokens-in-all = { $n ->
    [one] { $n } token in all
   *[other] { $n } tokens in all
}

## Notifications while the user is not looking: settings and texts.

wishes = When you are not looking
notify = Notify me
sound = Play a sound
wishes-hint = When this tab is in the background and the agent needs you or is done.
notify-refused = The browser does not allow notifications for this page. Allow them in its settings.
told-needed = The agent needs you
told-done = The agent is done
told-failed = The agent stopped with an error
