copy = Kopieren
selected = Markiert: mit der Tastatur kopieren
wrap = Umbrechen

footnote = Fußnote { $label }
back = Zurück zum Text

image = Bild
image-named = Bild: { $alt }
show = Zeigen
load-from = Von { $host } laden
does-to = { $does }: { $alt }
not-loaded = Es wurde nicht geladen.

done = erledigt
open = offen
table = Tabelle
dead-link = Kein Link, dem sich folgen lässt: { $address }

source = Quelltext
not-drawn = Nicht gezeichnet: { $why }
diagram = Diagramm: { $words }
no-drawings = Diese Seite zeigt keine Zeichnungen
no-formula = Es wäre mehr als eine Formel
empty-drawing = Die Zeichnung ist leer
unreadable = Mermaid kann es nicht lesen
