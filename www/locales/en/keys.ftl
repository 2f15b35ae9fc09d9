### The keys and what they do, for the help sheet. Keys that open a view are named in header.ftl.

## Headings.
go = Go to
open = Open and close
entry = Entry with the focus
search = Search
requests = Requests
sheet = This sheet

## Go to.
next-request = The next request that waits for you
feedback = Reject the request with feedback
latest-answer = The latest answer
next-turn = The next turn
turn-before = The turn before
entry-beside = The entry before or after, from an entry

## Open and close.
find = Search, filter, export
help = This help
# Ctrl and F.
find-as-browser = Search; once more: the browser's own
waiting = Everything that waits for you

## Entry with the focus.
copy = Copy what it says
events = Its raw events
fold = Open or fold its line; so does Space
inside = Its links and buttons

## Search.
match-next = Next match
match-before = Match before
close-search = Close, and show all rows again

## Requests.
to-buttons = To the buttons of the request
press = Press the button that has the focus. No other key answers a request

## This sheet.
close = Close

## Writing to the agent.
writing = Writing to the agent
write = Write to the agent
send = Send; while the agent works: queue, or send now, as it says below
other-way = While the agent works: the other of the two
new-line = A new line
before = What you sent before, from the start of the field
halt = Stop the turn
reorder = Move a queued message, from its buttons

## Names of keys, as on a keyboard of the language.
page-up = Page Up
page-down = Page Down
ctrl = Ctrl
# The letter, pressed with Ctrl.
letter-f = F
enter = Enter
tab = Tab
shift = Shift
escape = Escape
alt = Alt
# Arrow keys and the full stop.
arrow-up = ↑
arrow-down = ↓
full-stop = .
