### Additions to a text: buttons at code, images, footnotes, drawings.

## Code.
copy = Copy
# The browser forbids copying.
selected = Selected: copy it with the keyboard
# A switch: long lines are wrapped.
wrap = Wrap

## Footnotes.
footnote = Footnote { $label }
back = Back to the text

## Images. $alt is their own description.
image = Image
image-named = Image: { $alt }
# A button, for an image that is embedded in the text itself.
show = Show
# A button. Images are not requested before.
load-from = Load from { $host }
# The name of one of the two buttons, with the image's description.
does-to = { $does }: { $alt }
not-loaded = It did not load.

## Other.
# Boxes in a task list: ticked and not ticked.
done = done
open = open
table = Table
dead-link = Not a link that can be followed: { $address }

## Formulas and diagrams.
# A switch between a picture and its source.
source = Source
# $why is one of those below, or the drawing library's message.
not-drawn = Not drawn: { $why }
# $words are the words in the diagram.
diagram = Diagram: { $words }
no-drawings = this page does not show drawings
no-formula = it would be more than a formula
empty-drawing = the drawing is empty
unreadable = Mermaid can't read it
