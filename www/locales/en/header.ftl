### The header: its buttons and the session's status.

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
