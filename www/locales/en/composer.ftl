### The composer, the queue, and other ways to steer a session.

composer = Message to the agent
# $can: what the server can propose.
placeholder = { $can ->
    [both] Message the agent. / for commands, @ for files
    [commands] Message the agent. / for commands
    [files] Message the agent. @ for files
   *[none] Message the agent
}
placeholder-ended = The session has ended

## Sending.
send = Send
queue = Queue
send-now = Send now
enter-sends = Enter sends, Shift+Enter starts a new line
replies = The agent is replying: you can go on writing and send when it is done, or stop it.
enter-queues = Enter queues, Ctrl+Enter sends now
enter-steers = Enter sends now, Ctrl+Enter queues
enter-saves = Enter saves, Escape leaves the message as it is
# Swaps what Enter and Ctrl+Enter do while the agent works.
swap = Swap
swap-tells = Change what Enter does while the agent works
request-waits = A request waits for your answer. What you send here does not answer it.
# $name: the word after the slash.
unknown-command = There is no command /{ $name }: it would go to the agent as text.
as-text = There is no command /{ $name }. Send once more, and it goes to the agent as text.
maybe-twice = It may have arrived already. Send once more, and the agent may get it twice.
runs-later = Runs when the turn is over
offline = Not connected: sending has to wait

## Messages on their way. Each is followed by the message's text.
sending = Sending
taken = Sent, not taken up yet
not-delivered = Not delivered: the agent did not take it up
unsure = It may have arrived. Look at the session before you send it again
not-sent = Not sent
not-sent-away = Not sent while there was no connection
send-again = Send again
arrived = It had arrived after all
attach-again = Attachments do not survive a reload. Attach again: { $names }
# For a message of the session that is put into the field.
attach-missing = Attachments are not kept. Attach again: { $names }
put-back = Put back
discard = Discard
# For a message that several pages offered.
decided-elsewhere = It is no longer here: it was sent, put back or discarded elsewhere
dismiss = Dismiss
way = On their way

## Attachments.
attach = Attach an image or a text
attached = Attached
remove-file = Remove { $name }
file-empty = { $name } is empty
file-too-large = { $name } is larger than { $limit }
no-images = { $name } was left out: the selected model does not read images
# $kind: image/tiff
image-kind = { $name } was left out: the model does not read { $kind }
too-many-images = { $name } was left out: { $n ->
    [one] one image goes with a message
   *[other] { $n } images go with a message
}
file-kind = { $name } was left out: only images and texts can be attached
file-broken = { $name } could not be read
# The name of an image without one.
pasted = Pasted image

## Proposals while the user types.
suggestions = Suggestions
# $name: a command of the host's page; $why: its message
host-failed = { $name } failed: { $why }
proposals = Proposals
proposals-count = { $n ->
    [one] { $n } proposal
   *[other] { $n } proposals
}

## The queue.
waiting = { $n ->
    [one] { $n } message waits
   *[other] { $n } messages wait
}
clear = Empty the queue
steers = Steers the turn
steers-taken = Taken up
take-back = Take back
not-taken-back = Not taken back: the agent has it already
command = Command
edit = Edit
up = Move up
down = Move down
remove = Remove
# Before the text of a queued message, for screen readers. $action is one of those above.
of-item = { $action }: { $text }
editing = You are changing a message that waits.
editing-gone = The agent has the message already. What you write now is a new one.
cancel = Cancel
save = Save
refused-edit = Not changed: the message is no longer in the queue
refused-steer = Not sent now: no turn is running. The message still waits.
moved = Now number { $n } in the queue
paused = The queue is paused: no message is taken from it
pause = Pause the queue
pause-tells = Messages wait until you resume the queue
go-on = Resume
dropped = { $n ->
    [one] { $n } message was dropped before the agent took it up
   *[other] { $n } messages were dropped before the agent took them up
}
# Puts the messages of a queue that was emptied back.
undo = Undo
removed = { $n ->
    [one] { $n } message was taken out of the queue
   *[other] { $n } messages were taken out of the queue
}

## Stopping.
stop = Stop
stop-more = More ways to stop
stop-turn = Stop the turn
stop-turn-tells = Background work goes on. What waits in the queue is offered back.
stop-next = Stop the turn, go on with the queue
stop-next-tells = The next message in the queue is worked on at once
abort = Abort
abort-tells = The turn, its tools and what waits in the queue
nothing-stopped = Nothing was stopped: no turn was running

## Mode, model, permissions.
mode = Mode
mode-name = { $mode ->
    [interactive] Interactive
    [plan] Plan
    [autopilot] Autopilot
   *[other] { $mode }
}
mode-tells = { $mode ->
    [interactive] Works with you, a turn at a time
    [plan] Makes a plan and asks before it builds
   *[autopilot] Goes on by itself until the task is done
}
model = Model
effort = Reasoning effort
# Beside the default effort.
effort-usual = default
models-loading = Loading the models
no-models = The server lists no models
permissions = Permissions
permission-name = { $mode ->
    [manual] Asks first
    [assisted] Asks with advice
    [allow-all] Allows everything
   *[other] { $mode }
}
permission-tells = { $mode ->
    [manual] Commands and edits wait for you
    [assisted] Waits for you, and says how risky something is
   *[allow-all] Commands run and files change without anybody being asked
}
allow-all-on = Nobody is asked: every command runs and every file may be changed.
ask-again = Ask again
allow-all-title = Allow everything?
allow-all-text = Commands run, files change and addresses are fetched without anybody being asked, until this is changed.
allow-all-do = Allow everything
not-changed = Not changed: the server left it as it was
unknown-method = This server can't do that

## Other actions.
more = More
compact = Compact the conversation
compact-tells = Makes room in the context: a summary takes the place of what was said
compacting = The conversation is being compacted
# $tokens: 2.9 k
compacted = Compacted: { $tokens } tokens less
rename = Rename the session
rename-title = Rename the session
name = Name
close = Close

## Rewinding.
rewind = Rewind to before this message
rewind-title = Rewind the session
rewind-looks = Checking what would be lost
rewind-lost = { $n ->
    [one] This message and { $n } entry after it leave the conversation. That can't be undone.
   *[other] This message and { $n } entries after it leave the conversation. That can't be undone.
}
rewind-how = What is rewound
rewind-talk = The conversation
rewind-files = The conversation and { $n ->
    [one] { $n } file
   *[other] { $n } files
}
rewind-no-files = Files stay as they are: this session did not keep what they were.
rewind-none = It can't be rewound to this message: the session does not keep it any more.
rewind-busy = The session is at work. Stop it first, then rewind.
rewind-do = Rewind
rewind-sure = Rewind for good
rewound = Rewound. The message is in the field, to be sent again or changed.
# $why: the server's message
rewind-failed = Not rewound: { $why }
