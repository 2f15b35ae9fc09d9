### The lens: what the model sees, beside the timeline. Marks at entries, and the model's messages.

## Figures. $figure is $n with thousands separators.
messages = { $n ->
    [one] { $figure } message
   *[other] { $figure } messages
}
characters = { $n ->
    [one] { $figure } character
   *[other] { $figure } characters
}
tokens = { $n ->
    [one] { $n } token
   *[other] { $n } tokens
}

## Marks: how an entry relates to what the model sees.
sees = Model sees it
differs = Model sees something else
people-only = People only
# Not in the session's log.
live-only = Live only
no-longer = Model no longer sees it
elsewhere = Another agent's model sees it
# One of these, with details.
mark = { $name }: { $what }
only-agent = Only { $agent } sees it

## The details of a mark, after its name.
not-in-log = not in the log, gone after a reload
gone-compacted = a summary took its place (compacted)
gone-truncated = cut for room (truncated)
gone-rewound = the session went back (rewound)
gone-cleared = the conversation was cleared
main-agent-sees = the main agent
sub-agent-sees = a sub-agent with a view of its own
wrapped = these words, with more around them
# $tags are names of elements: '<current_datetime>'.
wrapped-in = these words, with { $tags } around them
reworded = other words
# Sizes are made by `characters` or `messages` above.
a-text = a text of { $size }
shortened = { $size } in place of { $whole }
last-line = this, and a last line from the runtime
call-waits = the call; its result is not there yet
call-only = the call, without a result
summary = a summary in place of { $size }

## Messages that were removed from the model's view together. $messages is made by `messages` above.
compacted = Compacted: { $messages }
compacted-tokens = Compacted: { $messages }, { $before } → { $after } tokens
truncated = Truncated: { $messages }
rewound = Rewound: { $messages }
cleared = Cleared: { $messages }

## The head.
back = Back to the timeline
back-key = Back to the timeline (Escape)
whose-view = Whose view
main-agent = Main agent
# $messages is made by `messages` above.
context = { $messages } · about { $now } tokens
context-of = { $messages } · about { $now } of { $limit } tokens
# An agent behind another protocol, or a transcript of its own.
not-all = { $agent } does not tell all that its model is given: its instructions are missing here, and its tools have the names that Pilothouse has for them.
legend = Marks at the timeline's entries

## The list of messages.
list = Messages of the model's view
# The roles of messages, in the field's terms.
role-system = system
role-developer = developer
role-user = user
role-assistant = assistant
role-tool = tool
# $who is one of these, perhaps with a name.
message = Message { $at }: { $who }
line = Line { $at }: { $what }
show-in-timeline = Show in the timeline
tag-gone = no longer
tag-unseen = not in the timeline
empty = Empty
only-calls = No words, only calls
# Before a tool's name.
calls = calls
a-tool = a tool
compare = Compare
show-less = Show less
show-all = Show all { $size }

## Comparing what users see with what the model reads.
you-see = You see
model-reads = The model reads
both = Both
only-model = only the model reads this
only-you = only you see this
