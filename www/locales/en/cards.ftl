### Contents and actions of cards: copying, value trees, terminals, diffs, printing.

## Copying. The button says `copy`, then the result; screen readers hear what is copied behind that.

copy = Copy
copied = Copied
# The text has characters that nobody sees, such as those without width.
copied-hidden = Copied, with hidden characters
# The browser forbids copying.
not-allowed = Not allowed
# Appended to each of the four.
what-is-copied = { " " }{ $what }
the-diff = the diff
the-value = the value as JSON

## The buttons of a row.

actions = Actions
copy-message = Copy message
copy-command = Copy command
copy-result = Copy result

## Showing more of something long.

show-all = Show all { $size }
more-lines = Show { $n ->
    [one] { $n } more line
   *[other] { $n } more lines
}
# Items of a list with $all items.
more-of = Show { $n } more of { $all }
# The next part of a long text. Both are sizes, as in 256 KB of 5 MB.
more-text = Show { $size } more of { $all }

## Terminals.

earlier-not-kept = { $n ->
    [one] { $n } earlier line is not kept
   *[other] { $n } earlier lines are not kept
}
earlier-not-printed = { $n ->
    [one] { $n } earlier line is not printed
   *[other] { $n } earlier lines are not printed
}
show-earlier = Show { $n ->
    [one] { $n } earlier line
   *[other] { $n } earlier lines
}
# The $gone lines before those can't be shown.
show-earlier-kept = Show { $n ->
    [one] { $n } earlier line
   *[other] { $n } earlier lines
} ({ $gone ->
    [one] { $gone } before them is not kept
   *[other] { $gone } before them are not kept
})

## Diffs: what is said after a file's path.

binary = { $path } (binary)
new-file = { $path } (new file)
deleted = { $path } (deleted)

## What a change of a file does that its lines don't show. `from` and `to` are CRLF and LF.

mode = The mode of the file changes: { $from } to { $to }
line-ends = Line ends change: { $from } to { $to }
mark-added = A byte order mark is added at the start
mark-removed = The byte order mark at the start is removed
break-added = The last line gets a line break
break-removed = The last line loses its line break
white-space = Some lines change in white space only
nothing-else = Nothing else changes

## Values as trees.

items = { $n ->
    [one] { $n } item
   *[other] { $n } items
}
fields = { $n ->
    [one] { $n } field
   *[other] { $n } fields
}

## Printing.

printed-part = The last { $n } of { $all } entries. An export has all of them.

## Kinds of entries, as filters.

messages = Messages
tools = Tools
# Tool calls that read or change files.
files = Files
# Requests that needed the user.
requests = Requests
errors = Errors
