### What cards are made of, and what can be done with them: copies, trees of values, terminals, changes, paper.

## Copying. The button says `copy`, then what happened; what it copies stands behind that for those who hear it.

copy = Copy
copied = Copied
# The browser does not let the page copy.
not-allowed = Not allowed
# Behind each of the three.
what-is-copied = { " " }{ $what }
the-diff = the diff
the-value = the value as JSON

## The buttons of a row.

actions = Actions
copy-message = Copy message
copy-command = Copy command
copy-result = Copy result

## More of what is long.

show-all = Show all { $size }
more-lines = Show { $n ->
    [one] { $n } more line
   *[other] { $n } more lines
}
# Items of a list, of $all.
more-of = Show { $n } more of { $all }
# Of a long text: sizes, as in 256 KB of 5 MB.
more-text = Show { $size } more of { $all }

## Terminals.

earlier-not-kept = { $n ->
    [one] { $n } earlier line is not kept
   *[other] { $n } earlier lines are not kept
}
show-earlier = Show { $n ->
    [one] { $n } earlier line
   *[other] { $n } earlier lines
}
# $gone lines before those can't be shown.
show-earlier-kept = Show { $n ->
    [one] { $n } earlier line
   *[other] { $n } earlier lines
} ({ $gone ->
    [one] { $gone } before them is not kept
   *[other] { $gone } before them are not kept
})

## Changes: behind a file's path.

binary = { $path } (binary)
new-file = { $path } (new file)
deleted = { $path } (deleted)

## Values as trees.

items = { $n ->
    [one] { $n } item
   *[other] { $n } items
}
fields = { $n ->
    [one] { $n } field
   *[other] { $n } fields
}

## On paper.

printed-part = The last { $n } of { $all } entries. An export has all of them.

## Kinds of entry that a reader can ask for.

messages = Messages
tools = Tools
# Tool calls that read or change files.
files = Files
# What needed a person.
requests = Requests
errors = Errors
