### What stands in a text beside its own words: buttons at code, images, footnotes, drawings.

## Code.
copy = Copy
copied = Copied
# The browser does not let the page copy.
selected = Selected: copy it with the keyboard
# A switch: long lines are broken.
wrap = Wrap

## Footnotes.
footnote = Footnote { $label }
back = Back to the text

## Images. $alt is their own description.
image = Image
image-named = Image: { $alt }
# A button, for an image that is in the text itself.
show = Show
# A button; nobody is asked for an image before.
load-from = Load from { $host }
# The name of one of the two buttons.
does-to = { $does }: { $alt }
not-loaded = It did not load.

## Other.
# A box in a list of tasks is ticked, or is not.
done = done
open = open
table = Table
dead-link = Not a link that can be followed: { $address }

## Formulas and diagrams.
# A switch between a picture and its source.
source = Source
# $why is one of those below, or what the drawing library says.
not-drawn = Not drawn: { $why }
# $words is what is written in the diagram.
diagram = Diagram: { $words }
no-drawings = this page does not show drawings
no-formula = it would be more than a formula
empty-drawing = the drawing is empty
unreadable = Mermaid can't read it
