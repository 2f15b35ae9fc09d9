### Requests: their cards, the user's answers, and the line that remains of one.

## How a request ended; also the name of an answer while it is sent.

allowed-once = Allowed once
allowed-session = Allowed for this session
allowed-location = Allowed in this folder
# By an option of the agent's own, which is named behind it.
allowed = Allowed
rejected = Rejected
denied-rule = Denied by a rule
denied-nobody = Denied: nobody could be asked
denied-exclusion = Denied by the content exclusion policy
cancelled = Cancelled
decided = Decided
# $word is the runtime's own.
decided-as = Decided ({ $word })
decided-hook = Decided by a hook
answered = Answered
filled-in = Filled in
declined = Declined
closed = Closed
approved = Approved
not-approved = Not approved
auto-switched = Switched to auto mode
auto-always = Switched to auto mode for good
auto-stayed = Stayed with the model
limit-raised = Limit raised
limit-raised-by = Limit raised by: { $credits }
limit-set = Limit set
limit-set-to = Limit set to: { $credits }
limit-removed = Limit removed
limit-stopped = Stopped at the limit
signed-in = Signed in
sign-in-cancelled = Sign-in cancelled
handled = Handled
not-handled = Not handled
# A queued command, which is named behind it.
command-turn = Its turn came
replied = Replied
accepted = Accepted
dismissed = Dismissed
failed = Failed: { $words }
# An outcome and what the user wrote or chose: 'Rejected: not now'.
with-words = { $outcome }: { $words }
# An option of the agent's own, by its name.
option = “{ $name }”
tool-ended = The tool call ended without an answer

## The line that remains

answered-elsewhere = Answered elsewhere: { $outcome }
# $outcome: how it ended, such as 'Allowed once'. $who: a person's name.
by = { $outcome } by { $who }
# The server has the answer, and nothing shows yet what came of it.
taken-by-server = { $outcome }, received by the server
unheard = Your answer, which may not have arrived:
copy-answer = Copy the answer
unsent = What you wrote here was not sent:
# Before a command, a path or a name.
left-about = { $outcome }:
ask-auto-mode = Switch to auto mode?
limit-reached = The session's limit is reached

## Every card

read-only = Read only: answers come from elsewhere.
# While an earlier moment of the session is shown.
not-now = This is an earlier moment: nothing can be answered here.
# The strip above the session says what is wrong.
no-connection = Not connected: this can be answered once the connection is back, if it still waits then.
# $away: ws away since 14:03
machine-away = { $away }: this can be answered once it is back, if it still waits then.
sending = Sending: { $answer } …
feedback = Feedback to the agent
feedback-rejecting = sent when you reject
# Where the agent has no field for it.
feedback-next = goes to the agent as the next message
feedback-deciding = sent with your decision
# Opens an address on this host.
open-host = Open { $host }
whole-file = The whole file as it will be
# Before the file's content.
whole-file-follows = The whole file as it will be:
new-file = new file
deleted = deleted
renamed = renamed
hunk-lines = lines { $first }–{ $last }
# Used in 'auto-why-until'. Seconds and minutes are in figures.ftl.
hours = { $n } h

## Buttons

reject = Reject
# Opens the field for feedback to the agent.
reject-with = Reject with feedback…
allow-location = Allow in this folder
allow-session = Allow for this session
more = More…
allow-once = Allow once

## What an answer of the agent's own does, by its kind. It stands below its name.

option-once = this one time
# $agent: its name, else 'the-agent'.
option-always = { $agent } decides what this covers and for how long; all it tells us is this name
option-reject = not this time
option-never = { $agent } refuses this now and later, and decides what else that covers; all it tells us is this name
option-unknown = the agent does not say what kind of answer this is
# An agent whose name is not known.
the-agent = The agent

## More buttons

cancel = Cancel
decline = Decline
send = Send
opened = I have opened it
approve = Approve the plan
answer = Answer
report-error = Report an error
send-result = Send the result
send-reply = Send the reply
no = No
yes-once = Yes, this time
stop = Stop here
remove-limit = Remove the limit
set-limit = Set the limit to this
add-credits = Add these credits
sign-in = Sign in with this token
dismiss = Dismiss
accept = Accept

## Permissions: the question. Names, tools and servers are as the runtime sends them.

run-command = Run this command?
write-file = Write to this file?
create-file = Create this file?
read-this = Read this?
# Above several lines with a name each.
read-these = { $n ->
    [one] Read this?
   *[other] Read these { $n }?
}
fetch-address = Fetch this address?
run-tool = Let { $server } run { $tool }?
use-tool = Let the agent use { $tool }?
hook-asks = A hook asks: use { $tool }?
# $operation: scaffold, reload.
extension = Let the agent { $operation ->
    [scaffold] create
   *[other] { $operation }
} the extension?
extension-named = Let the agent { $operation ->
    [scaffold] create
   *[other] { $operation }
} the extension { $name }?
extension-abilities = Give the extension { $name } these abilities?
extension-variables = Let the extension { $name } read these environment variables?
remember = Remember this?
vote-for = Vote for this memory?
vote-against = Vote against this memory?
# $operation: run, author.
factory = Let the agent { $operation ->
    [author] write
   *[other] { $operation }
} the factory { $name }?
workflow = Let the agent { $operation ->
    [author] write
   *[other] { $operation }
} the workflow { $name }?
allow-this = Allow this?
allow-kind = Allow this ({ $kind })?

## Permissions: remarks under the question

only-reads = says that it only reads
may-change = may change things outside this machine

## Names of facts

# A directory.
fact-in = In
# The program that reads the command, if it is not Bash.
fact-shell = Shell
# The individual commands of a command line.
fact-runs = Runs
# Paths.
fact-touches = Touches
# Addresses.
fact-opens = Opens
fact-writes = Writes
# The real target of a path.
fact-leads-to = Leads to
fact-redirected-from = Redirected from
fact-what-it-does = What it does
fact-server = Server
fact-tool = Tool
fact-host = Host
fact-subject = Subject
fact-source = Source
fact-because = Because
agent-says = Agent says
# A repository.
fact-for = For
fact-scope = Scope
fact-policy = Policy
fact-risk = Risk
fact-provider = Provider
fact-command = Command
# A command's arguments.
fact-with = With
fact-reason = Reason
fact-used = Used
fact-limit = Limit
# The most that a run may use.
fact-at-most = At most
# What a run asked for itself, before somebody set other limits.
fact-asked-for = Asked for
fact-error = Error
fact-described-at = Described at
fact-client = Client
# Both a button and a fact's name.
always = Always

## Facts as text

by-redirection = to a file, by redirection
person-decides = a person must decide
no-limits = without limits
no-other-limits = nothing else is limited
limit-agents = { $n ->
    [one] { $n } agent
   *[other] { $n } agents
}
limit-at-once = { $n } at a time
# Preceded by the word Autopilot.
after-recovery = was not allowed this, found no other way, and asks
# $figure is $n with thousands separators.
credits = { $n ->
    [one] { $figure } credit
   *[other] { $figure } credits
}

## Warnings

hidden-written = { $n ->
    [one] What is written contains { $n } hidden character.
   *[other] What is written contains { $n } hidden characters.
}
hidden-sequences = { $n ->
    [one] Contains { $n } hidden or padding sequence that changes how the text is displayed.
   *[other] Contains { $n } hidden or padding sequences that change how the text is displayed.
}
look-alikes = Mixes Latin letters with look-alikes of another script: { $words }.
user-name = What stands before the @ is a user name; the host is { $host }.
host-letters = The host is written with letters beyond plain ASCII: check it letter by letter.
sandbox = Asks to run outside of the sandbox
sandbox-because = Asks to run outside of the sandbox: { $reason }
cannot-open = This address can't be opened from here: it is neither http nor https, or something is hidden in it.
# These two are shown in the text itself, in place of invisible characters.
line-breaks = { $n ->
    [one] line break
   *[other] { $n } line breaks
}
blanks = { $n ->
    [one] { $n } blank
   *[other] { $n } blanks
}

## Plans and questions

go-ahead = Go ahead with this plan?
# Above the ways to go on.
then = Then
recommended = recommended
plan-interactive = Interactive: asks before it acts
plan-autopilot = Autopilot: goes on by itself
plan-fleet = Autopilot with sub-agents that work in parallel
plan-leave = Leave plan mode and wait
agent-asks = The agent asks
your-answer = Your answer
own-words = Or in your own words
answer-first = Choose or write an answer first

## Forms

open-address = Open this address?
asks-open = { $source } asks you to open an address
asks-details = The agent asks for details
source-asks-details = { $source } asks for details
choose-some = Choose at least one
choose-one = Choose one
fill-in = Fill this in
choose-known = Choose one from the list
no-json = This is not JSON
too-short = { $n ->
    [one] At least { $n } character
   *[other] At least { $n } characters
}
too-long = { $n ->
    [one] At most { $n } character
   *[other] At most { $n } characters
}: { $more } too many
need-email = An e-mail address, like name@example.org
need-address = An address, like https://example.org/
need-date = A date, like 2026-03-21
need-time = A date and a time, like 2026-03-21T18:30:00Z
need-whole = A whole number, please
need-number = A number, please
number-between = From { $min } to { $max }
choose-more = { $n ->
    [one] Choose at least { $n }
   *[other] Choose at least { $n }
}
choose-fewer = { $n ->
    [one] Choose at most { $n }
   *[other] Choose at most { $n }
}
# The rest are hints beside a field: what it accepts.
number-range = { $min } to { $max }
number-least = { $min } or more
number-most = { $max } or less
length-range = { $max ->
    [one] { $min } to { $max } character
   *[other] { $min } to { $max } characters
}
length-most = { $max ->
    [one] at most { $max } character
   *[other] at most { $max } characters
}
length-least = { $min ->
    [one] at least { $min } character
   *[other] at least { $min } characters
}
choices-range = { $max ->
    [one] { $min } to { $max } of them
   *[other] { $min } to { $max } of them
}
as-json = as JSON

## Requests that are usually answered by a program

answer-for-tool = Answer for the tool { $tool }?
answer-for-some-tool = Answer for a tool?
tool-why = A program outside of this page usually answers this. You can do it in its place.
result = Result, or what went wrong
result-hint = goes to the model as it is
was-handled = Was this command handled?
queued-why = It waits in the queue for a client that knows it.
command-why = A program outside of this page has registered this command.
went-wrong = What went wrong
went-wrong-hint = sent if it was not handled
write-reply = Write a model's reply for { $server }?
write-some-reply = Write a model's reply for a server?
reply-why = The server sees the reply. A program outside of this page usually answers this.
reply = Reply
no-reply = There is no reply to send yet.
# A server without a name.
a-server = a server

## Model choice, limits, sign-in, confirmations

auto-question = Switch to automatic model choice?
auto-why = The limit of this model is used up.
auto-why-until = The limit of this model is used up. It is free again in { $time }.
auto-always-means = switches now and whenever a limit is used up, also in later sessions
beyond-limit = Go on beyond this session's limit?
limit-why = The limit is used up. The agent waits for a decision.
above-zero = A number above 0, please
credits-field = Credits
credits-hint = to add, or as the new limit
sign-in-to = Sign in to { $server }?
sign-in-somewhere = Sign in to a server?
sign-in-why = The token that you paste goes to the runtime, which uses it for this server.
# $code is the runtime's word, $said the same, readable.
sign-in-reason = { $code ->
    [initial] the first sign-in
    [refresh] the token has to be renewed
    [reauth] signed in before, and has to again
    [upscope] more rights are needed
   *[other] { $said }
}
sign-in-error = { $code ->
    [invalid_token] the token is not valid
    [insufficient_scope] the token lacks rights
    [invalid_request] the request was not valid
   *[other] { $said }
}
limit-reason = { $code ->
    [user_weekly_rate_limited] the weekly limit of your account
    [user_global_rate_limited] the limit of your account
    [user_model_rate_limited] the limit of this model
    [model_rate_limited] the limit of this model
    [integration_rate_limited] the limit of this program
    [rate_limited] a limit on requests
    [quota_exceeded] the usage limit is reached
    [session_quota_exceeded] the session's usage limit is reached
    [billing_not_configured] billing is not set up
   *[other] { $said }
}
memory-scope = { $code ->
    [repository] this repository
    [user] all your repositories
   *[other] { $said }
}
no-token = There is no token to send yet
token = Access token
token-hint = not kept on this page
confirm-this = Confirm this?

## Why a request can't be answered any more

gone-restarted = The agent was restarted: this is not asked any more
gone-refused = Answered elsewhere, or no longer asked
# Only the runtime's short description of a permission is known.
summary-only = Only a summary of this request is known: it may leave something out.
# An agent that speaks ACP sends only a title for what it wants to do.
says-nothing = This agent does not say what it will do: what stands here is only its title. Allow it only if you trust the agent to do what the title says.
cannot-allow = The agent offers no answer that allows this.

## What an approval grants beyond this one time. Names have backticks around them.

until-session-ends = { $what }, until this session ends
# $place: a folder.
in-later-sessions = { $what }, in { $place }, in this and every later session
every-command = every { $names } command
same-command = the command { $names }, exactly as it stands here
every-edit = every edit of a file in this session's folders
every-reading = reading any file in this session's folders
# Paths outside the session's folders. Each tool that uses them still asks for itself.
paths-outside = access to { $paths }, to read and to change it; if it is a folder, to everything in it
new-file-outside = access to { $paths }, to read and to change it; a runtime before 1.0.15 grants the whole folder around it
every-memory = storing any memory
every-call-on = every call of { $tool } on { $server }
every-call = every call of { $tool }
every-address = every address on { $host }
every-extension = { $operation ->
    [scaffold] the creation of any extension
   *[other] every { $operation } of an extension
}
every-ability = every ability that { $name } asks for
every-variable = reading { $variables } by { $name }
every-factory = every run of { $key }

## Cards that must be read before they are answered

# Above the answers of a card that is higher than the view.
lines-left = { $n ->
    [one] { $n } line left
   *[other] { $n } lines left
}
show-rest = Show the rest
all-seen = All of it has been in view.
# At a button that is off until then.
not-all-seen = Not all of it has been in view yet
# At a plan of which nothing is chosen.
choose-first = Choose how to go on first.
# At a button whose press did not count, since the card moved under it.
just-moved = Not sent: the card has just moved
# Before the source of a markdown text.
as-written = Something in it is seen only in its source:
taken = A program of this page answers this. You can do it in its place.
by-program = Answered by a program
confirm = Confirm
back = Back
no-limit-means = The session goes on without any limit, until somebody sets one again.
opens-then = Opens in a new tab. Nothing is sent to the agent until you answer here.
auto-edits = Also allow the edits that follow
auto-edits-means = the runtime is told so; the versions that are known, up to 1.0.15, ask about each edit all the same
need-pattern = Does not have the form that is wanted: { $pattern }

## What waits, in a line of a list. $object is a command, a path or an address.

asks-run = Run { $object }
asks-write = Write { $object }
asks-create = Create { $object }
asks-read = Read { $object }
asks-fetch = Fetch { $object }
# The title that the agent gave to its call.
asks-titled = { $object }

## The list of all open requests

waiting = { $n ->
    [one] { $n } request waits for you
   *[other] { $n } requests wait for you
}
nothing-waits = Nothing waits for you
close-list = Close the list
not-seen = not seen yet
heed = has a warning
look-first = What you have seen from its first line to its last can be allowed together here, once.
allow-all-seen = { $n ->
    [one] Allow the one that you have seen, once
   *[other] Allow the { $n } that you have seen, once
}
# Below several requests in one card, all seen.
allow-these = { $n ->
    [one] Allow this one, once
   *[other] Allow these { $n }, once
}
kind-permission = Permission
kind-question = Question
kind-form = Form
kind-plan = Plan
kind-tool = Tool of a program
kind-command = Command
kind-model = Model
kind-limits = Limit
kind-sign-in = Sign-in
kind-sampling = Model reply
kind-confirmation = Confirmation
