### Search, filter, export and copying; the frame of the help sheet.

## The search bar. Brackets contain the keys for the same action, named as on a keyboard of the language.
search-session = Search this session
match-before = Match before (Shift Enter)
match-next = Next match (Enter)
turn-before = Turn before (k)
turn-next = Next turn (j)
close = Close search (Escape)

## The number of matches. Shown in the field, beside the search text.
searching = Searching …
no-match = No match
# 3 of 41: the current match among all.
place = { $at } of { $all }
# The same within an entry that has several matches: 3 of 41 · 2/5.
place-within = { $place } · { $at }/{ $of }
entries = { $n ->
    [one] { $n } entry
   *[other] { $n } entries
}

## The filter.
# The name of the group of buttons: messages, tools, files, requests, errors.
show-only = Show only
filter-hides = { $all ->
    [one] A filter is on: { $hidden } of { $all } entry hidden.
   *[other] A filter is on: { $hidden } of { $all } entries hidden.
}
filter-passed = { $all ->
    [one] A filter is on. All { $all } entry matches it.
   *[other] A filter is on. All { $all } entries match it.
}
show-all = Show all

## The export menu: each format, and in muted text its purpose.
export = Export …
markdown = Markdown
markdown-for = for other texts and tools
web-page = Web page (HTML)
web-page-for = one file, to read and to send
events = Events (JSONL)
events-for = as they came
print = Print
print-for = or save as PDF
exported = Exported { $file }
not-exported = The browser did not take the file

## Shown for a moment at a copy button.
nothing-to-copy = Nothing to copy yet
not-copied = Not copied: the browser forbids it

## The help sheet.
help = Keys
help-when = Letters work while the page has the focus and nobody types.
help-close = Close help
screen-reader = With a screen reader
spoken-feed = The timeline is a feed of articles, each named after who speaks or what it is.
spoken-requests = Requests are alert dialogs inside the feed; they never take the focus by themselves.
spoken-status = One status line says when the agent works, asks or has replied; it never reads text while it is written.
spoken-groups = Search, filters and toolbar are named groups; switches say whether they are on.
spoken-open = Everything that opens says whether it is open.
