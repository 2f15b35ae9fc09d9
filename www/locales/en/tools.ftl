### Tool calls: the sentence that describes one, how it ended, and the contents of its card.

## What a call does to what.
## $how: the call is running, is done, waits for the user's permission, or was not run.
## $object is rendered separately at its place, mostly as code. It can be long, and on screen the end of a
## long sentence is cut. Where word order is free, put what must be read before it.

# A command.
run = { $how ->
    [doing] Running { $object }
    [done] Ran { $object }
    [waiting] Waiting to run { $object }
   *[not-done] Did not run { $object }
}
list-shells = { $how ->
    [doing] Listing the shells
    [done] Listed the shells
    [waiting] Waiting to list the shells
   *[not-done] Did not list the shells
}
# A shell's id.
read-shell = { $how ->
    [doing] Reading from shell { $object }
    [done] Read from shell { $object }
    [waiting] Waiting to read from shell { $object }
   *[not-done] Did not read from shell { $object }
}
stop-shell = { $how ->
    [doing] Stopping shell { $object }
    [done] Stopped shell { $object }
    [waiting] Waiting to stop shell { $object }
   *[not-done] Did not stop shell { $object }
}
# Keys sent to a shell.
type = { $how ->
    [doing] Typing { $object }
    [done] Typed { $object }
    [waiting] Waiting to type { $object }
   *[not-done] Did not type { $object }
}
# A path.
create = { $how ->
    [doing] Creating { $object }
    [done] Created { $object }
    [waiting] Waiting to create { $object }
   *[not-done] Did not create { $object }
}
edit = { $how ->
    [doing] Editing { $object }
    [done] Edited { $object }
    [waiting] Waiting to edit { $object }
   *[not-done] Did not edit { $object }
}
# What is created or edited, if the path is unknown. English says nothing then.
a-file = { "" }
# What is edited, if it is several files.
files = { $n ->
    [one] { $n } file
   *[other] { $n } files
}
read = { $how ->
    [doing] Reading { $object }
    [done] Read { $object }
    [waiting] Waiting to read { $object }
   *[not-done] Did not read { $object }
}
read-lines = { $how ->
    [doing] Reading lines { $from }–{ $to } of { $object }
    [done] Read lines { $from }–{ $to } of { $object }
    [waiting] Waiting to read lines { $from }–{ $to } of { $object }
   *[not-done] Did not read lines { $from }–{ $to } of { $object }
}
read-to-end = { $how ->
    [doing] Reading line { $from } to the end of { $object }
    [done] Read line { $from } to the end of { $object }
    [waiting] Waiting to read line { $from } to the end of { $object }
   *[not-done] Did not read line { $from } to the end of { $object }
}
# Files found by a pattern of their names.
look-for = { $how ->
    [doing] Looking for { $object }
    [done] Looked for { $object }
    [waiting] Waiting to look for { $object }
   *[not-done] Did not look for { $object }
}
# A text searched in files.
search-for = { $how ->
    [doing] Searching for { $object }
    [done] Searched for { $object }
    [waiting] Waiting to search for { $object }
   *[not-done] Did not search for { $object }
}
# An address.
fetch = { $how ->
    [doing] Fetching { $object }
    [done] Fetched { $object }
    [waiting] Waiting to fetch { $object }
   *[not-done] Did not fetch { $object }
}
search-web = { $how ->
    [doing] Searching the web for { $object }
    [done] Searched the web for { $object }
    [waiting] Waiting to search the web for { $object }
   *[not-done] Did not search the web for { $object }
}
# $name is an MCP server, the object its tool.
ask-server = { $how ->
    [doing] Asking { $name }: { $object }
    [done] Asked { $name }: { $object }
    [waiting] Waiting to ask { $name }: { $object }
   *[not-done] Did not ask { $name }: { $object }
}
# A task for a sub-agent.
delegate = { $how ->
    [doing] Delegating { $object }
    [done] Delegated { $object }
    [waiting] Waiting to delegate { $object }
   *[not-done] Did not delegate { $object }
}
# $name is the sub-agent.
delegate-to = { $how ->
    [doing] Delegating to { $name }: { $object }
    [done] Delegated to { $name }: { $object }
    [waiting] Waiting to delegate to { $name }: { $object }
   *[not-done] Did not delegate to { $name }: { $object }
}
list-agents = { $how ->
    [doing] Listing the agents
    [done] Listed the agents
    [waiting] Waiting to list the agents
   *[not-done] Did not list the agents
}
# What a sub-agent in the background answered. The object is its name.
read-agent = { $how ->
    [doing] Reading the answer of { $object }
    [done] Read the answer of { $object }
    [waiting] Waiting to read the answer of { $object }
   *[not-done] Did not read the answer of { $object }
}
write-agent = { $how ->
    [doing] Writing to { $object }
    [done] Wrote to { $object }
    [waiting] Waiting to write to { $object }
   *[not-done] Did not write to { $object }
}
stop-agent = { $how ->
    [doing] Stopping { $object }
    [done] Stopped { $object }
    [waiting] Waiting to stop { $object }
   *[not-done] Did not stop { $object }
}
# In place of the name of a sub-agent.
an-agent = an agent
# The object of a sentence while it is not known, as the arguments are still being written.
unnamed = { $what ->
    [command] a command
    [file] a file
    [task] a task
    [page] a page
    [question] a question
    [skill] a skill
   *[something] something
}
sql = { $how ->
    [doing] Running SQL: { $object }
    [done] Ran SQL: { $object }
    [waiting] Waiting to run SQL: { $object }
   *[not-done] Did not run SQL: { $object }
}
propose-plan = { $how ->
    [doing] Proposing a plan
    [done] Proposed a plan
    [waiting] Waiting to propose a plan
   *[not-done] Did not propose a plan
}
# What the model says it is about to do.
intend = { $how ->
    [doing] Intends: { $object }
    [done] Intends: { $object }
    [waiting] Intended: { $object }
   *[not-done] Intended: { $object }
}
report-complete = { $how ->
    [doing] Reporting the task complete
    [done] Reported the task complete
    [waiting] Waiting to report the task complete
   *[not-done] Did not report the task complete
}
update-checklist = { $how ->
    [doing] Updating the todos
    [done] Updated the todos
    [waiting] Waiting to update the todos
   *[not-done] Did not update the todos
}
# A question to the user.
ask = { $how ->
    [doing] Asking you: { $object }
    [done] Asked you: { $object }
    [waiting] Waiting to ask: { $object }
   *[not-done] Did not ask: { $object }
}
# Something that the model wants to know in later sessions.
remember = { $how ->
    [doing] Remembering: { $object }
    [done] Remembered: { $object }
    [waiting] Waiting to remember: { $object }
   *[not-done] Did not remember: { $object }
}
load-skill = { $how ->
    [doing] Loading skill { $object }
    [done] Loaded skill { $object }
    [waiting] Waiting to load skill { $object }
   *[not-done] Did not load skill { $object }
}
# Any other tool.
call = { $how ->
    [doing] Calling { $object }
    [done] Called { $object }
    [waiting] Waiting to call { $object }
   *[not-done] Did not call { $object }
}
# A tool without a name.
a-tool = a tool
# After the sentence: what was found.
remark = : { $remark }

## What was found, in short. After the sentence.

nothing-found = nothing found
found-files = { $files ->
    [one] { $files } file
   *[other] { $files } files
}
found-hits = { $hits ->
    [one] { $hits } hit
   *[other] { $hits } hits
} in { $files ->
    [one] { $files } file
   *[other] { $files } files
}

## How the call is going or ended: at the end of the line, before the duration.

failed = failed
denied = denied
interrupted = interrupted
# A call that was stopped while it ran. $what: what it was doing, such as 'running make'.
stopped = Stopped: { $what }
being-written = being written
not-started = not started
running = running
in-background = in the background
exit = exit { $code }

## In the card: labels of arguments and results.

arguments = Arguments
# The name for arguments as a whole, where they have no names; shown among names like `path`.
arguments-name = arguments
arguments-so-far = Arguments so far
output = Output
output-so-far = Output so far
result = Result
text = Text
structured-content = Structured content
sources = Sources
resource = Resource
directory = Directory
exit-code = Exit code
command = Command
whole-output = Whole output
query = Query
agent = Agent
# A sub-agent's name.
name = Name
mode = Mode
model = Model
task = Task
answer = Answer
excerpt = Excerpt
changes = Changes
hits-in = Hits in { $path }

## In the card: sentences.

interactive-view = The server sent an interactive view ({ $view }). It is not run here.
agent-goes-on = The agent goes on in the background.
nothing-found-here = Nothing found.
later = Later, in the background
not-applied = Not applied
# A switch: shows old and new lines of a diff beside each other.
side-by-side = Side by side
more-files = Show { $n ->
    [one] { $n } more file
   *[other] { $n } more files
}
more-hits = and { $n } more

## In the card of a command: facts, separated by dots.

shell-ended = shell { $id } has ended
shell-goes-on = shell { $id } goes on in the background
# As in the tool's arguments: `async`.
shell-mode = mode { $mode }
with-exit-code = exit code { $code }

## Who denied it.

by-rule = by a rule
by-exclusion = by the content exclusion policy
by-nobody = nobody could be asked
by-person-elsewhere = by a person, elsewhere
by-person = by a person

## What to do about a failure.

sign-in = Sign in again, then ask for it again.
switch-account = Sign in with an account that has access.
show-account = Check which account is signed in.
review-sandbox = The sandbox does not allow it: review its policy.
allow-outbound = The sandbox has no network: allow it in its policy.

## Before a line of a list, for screen readers.

done-first = Done:{ " " }
now-first = Now:{ " " }
to-do-first = To do:{ " " }
chosen-first = Chosen:{ " " }

## What an MCP server says about its tool: facts, separated by dots.

over = { $server } over { $transport }
configured-by = configured by { $source }
only-reads = only reads
changes-things = changes things
may-destroy = may destroy
destroys-nothing = destroys nothing
repeats-safely = can be repeated safely
repeating-matters = repeating it matters
reaches-beyond = reaches beyond its server
stays-within = stays within its server

## Images, sounds and other binaries.

# Two facts, such as `PNG, 12 KB`.
two-facts = { $one }, { $two }
pixels = { $about }, { $width } × { $height }
image = Image of the result
audio = Audio of the result
image-broken = { $about }: it can't be shown
image-from = from { $host }
load-image = Load image from { $host }
binary-not-shown = Binary data ({ $kind }, { $size }), not shown
binary-of-unknown-type = Binary data (of an unknown type, { $size }), not shown
# $about is in brackets with a space before, or empty.
left-out = { $what ->
    [image] Image{ $about }
   *[other] Binary data{ $about }
}: { $why ->
    [size] left out of the log because of its size
    [gone] no longer in the log
    [apart] kept apart from the log and not in it
   *[other] left out of the log
}
