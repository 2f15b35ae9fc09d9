### The board: every session of a gateway as a tile or a row.

## The head

title = Sessions
waiting-count = { $n ->
    [one] { $n } waits for you
   *[other] { $n } wait for you
}
# For viewers who may only watch.
waiting-count-read-only = { $n ->
    [one] { $n } waits for an answer
   *[other] { $n } wait for an answer
}
filter = Filter sessions
status = Status
status-any = Any status
repository = Repository
repository-any = Any repository
machine = Machine
machine-any = Any machine
agent = Agent
agent-any = Any agent
group = Group
group-none = No groups
group-repository = By repository
group-status = By status
group-machine = By machine
group-agent = By agent
as-list = As a list
next = Next one waiting
# The order is frozen while the pointer or the focus is on the sessions.
order-changed = The order has changed.
sort-now = Sort now
# For screen readers.
keys = Arrow keys move between sessions, Enter opens one, R goes to the next that waits, slash to the filter.

## A tile

untitled = Untitled session
no-repository = No repository
just-now = just now
# $time: 14:20
yesterday = yesterday { $time }
# $age: 2 minutes ago
asked = Asked { $age }
answer = { $n ->
    [one] Answer
   *[other] Answer ({ $n })
}
hide = Hide
# A button of a session whose request is too tall for the list beside an open session.
open = Open
open-to-answer = Open the session to answer
recording = Recording
stored = Stored
resume = Resume
gone = This session is gone.
# The machine of a session can't be reached. $machine: a name. $since: 14:03
away-since = { $machine } away since { $since }
away = { $machine } is away

## While there is nothing to show: loading, no sessions, no matches

loading = The sessions appear as soon as the server answers.
more-loaded = More sessions are being loaded
as-they-stood = JavaScript is off. These are the sessions as they stood when the page was loaded.
empty = No session yet
empty-why = Sessions of this gateway appear here as soon as they begin.
none-found = No session matches
none-found-why = There are sessions, and the filter hides all of them.
clear = Clear the filter
# Updates can't be pushed, because something between the page and the server blocks them.
polled = Live updates are blocked on the way here, so the list is fetched every 5 s. Open a session to answer.

## A session beside the board

back = Back to the sessions
session = Session: { $title }
close-session = Close the session
close-sure = Close “{ $title }”?
close-failed = The session was not closed: { $why }

## A new session

new = New session
new-directory = Working directory
recent-folders = Recent folders
new-directory-hint = Leave empty for the gateway's own.
new-directory-hint-there = Leave empty for that machine's own.
new-model = Model
new-model-hint = Leave empty to let the agent choose.
new-model-any = The agent's own default
# A choice of machine. $machine: a name, of this gateway's own machine.
new-machine-here = { $machine } (here)
# Where there is nothing to choose.
new-machine-only = It will run on { $machine }.
# A button: asks the agent for sessions that were made in other programs.
look-for-sessions = Look for its other sessions
looking = Looking …
found-sessions = { $n ->
    [one] { $n } session of it is on the board.
   *[other] { $n } sessions of it are on the board.
}
lists-no-sessions = It lists no sessions.
create = Create
creating = Creating …
cancel = Cancel
create-failed = The session was not created: { $why }
resume-failed = The session was not resumed: { $why }

## For screen readers

now-waits = { $title } waits for you
# For viewers who may only watch.
now-waits-read-only = { $title } waits for an answer

no-gateway = A board needs the base address of a gateway: its path is empty or ends in a slash.
