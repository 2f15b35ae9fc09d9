go = Gehe zu
open = Öffnen und schließen
entry = Eintrag mit dem Fokus
search = Suche
requests = Anfragen
sheet = Diese Hilfe

next-request = Die nächste Anfrage, die auf Sie wartet
feedback = Die Anfrage mit Rückmeldung ablehnen
latest-answer = Die neueste Antwort
next-turn = Die nächste Runde
turn-before = Die vorige Runde
entry-beside = Von einem Eintrag zum vorigen oder nächsten

find = Suchen, filtern, exportieren
help = Diese Hilfe
find-as-browser = Suchen; noch einmal: die Suche des Browsers
waiting = Alles, was auf Sie wartet

copy = Seinen Text kopieren
events = Seine Rohereignisse
fold = Seine Zeile auf- oder zuklappen; auch mit der Leertaste
inside = Seine Links und Schaltflächen

match-next = Nächster Treffer
match-before = Voriger Treffer
close-search = Schließen und wieder alle Zeilen zeigen

to-buttons = Zu den Schaltflächen der Anfrage
press = Die Schaltfläche mit dem Fokus drücken. Keine andere Taste beantwortet eine Anfrage

close = Schließen

writing = An den Agenten schreiben
write = An den Agenten schreiben
send = Senden; während der Agent arbeitet: einreihen oder jetzt senden, wie es darunter steht
other-way = Während der Agent arbeitet: das andere von beiden
new-line = Eine neue Zeile
before = Was Sie zuvor gesendet haben, vom Anfang des Felds aus
halt = Die Runde anhalten
reorder = Eine wartende Nachricht verschieben, von ihren Schaltflächen aus

page-up = Bild auf
page-down = Bild ab
ctrl = Strg
letter-f = F
enter = Eingabe
tab = Tab
shift = Umschalt
escape = Esc
alt = Alt
arrow-up = ↑
arrow-down = ↓
full-stop = .
