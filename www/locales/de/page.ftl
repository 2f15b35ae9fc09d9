needs-permission = Der Agent braucht Ihre Erlaubnis: { $what }
waits-for-answer = Der Agent wartet auf Ihre Antwort: { $what }
waits-read-only = Der Agent wartet auf eine Antwort: { $what }
replied = Der Agent hat geantwortet

timeline = Sitzungsverlauf
jump = Zum Neuesten
requests-wait = { $n ->
    [one] { $n } Anfrage wartet auf Sie
   *[other] { $n } Anfragen warten auf Sie
}
requests-wait-read-only = { $n ->
    [one] { $n } Anfrage wartet auf Antwort
   *[other] { $n } Anfragen warten auf Antwort
}
out-of-sight = { $n } außer Sicht

raw-events = Rohereignisse
close = Schließen

you = Sie
assistant = Assistent
reasoning = Überlegung
tool = Werkzeug: { $name }
permission = Berechtigung
question = Frage
form = Formular
plan = Plan
request = Anfrage
notice = Hinweis
sub-agent = Sub-Agent
compaction = Verdichtung
task-complete = Aufgabe erledigt
custom = Eigene Benachrichtigung
unknown-event = Unbekanntes Ereignis
gap = Lücke
of-agent = { $agent }: { $entry }
rewound = Zurückgespult: { $entry }

all-that-waits = Alles, was auf Sie wartet

menu = Menü
views = Ansichten
search = Suchen
lens = Was das Modell sieht
panel = Übersicht
log = Ereignisprotokoll
travel = Zeitreise

running = Läuft
waiting = Wartet auf Sie
waiting-read-only = Wartet auf Antwort
idle = Bereit
error = Fehler
ended = Beendet
connecting = Verbindet sich
not-connected = Nicht verbunden
closed = Geschlossen
loading = Lädt

quiet = Seit { $time } ist nichts eingetroffen
no-server = Mit keinem Server verbunden
read-only = Nur lesen
allows-all = Alles erlaubt
allows-all-tip = Befehle laufen und Dateien ändern sich ohne Rückfrage
queued = wartend
queue-waits = { $n ->
    [one] { $n } Nachricht wartet auf den Agenten
   *[other] { $n } Nachrichten warten auf den Agenten
}
queue-changed = Warteschlange { $n }-mal geändert

percent = { $n } %
context-full = Kontext zu { $n } % gefüllt
context = Kontext
context-tokens = { $tokens } von { $limit } Tokens
read = Gelesen
read-tokens = { $tokens } Tokens in { $calls ->
    [one] { $calls } Aufruf
   *[other] { $calls } Aufrufen
}
written = Geschrieben
written-tokens = { $n ->
    [one] { $n } Token
   *[other] { $n } Tokens
}
model = Modell
mode = Modus
permissions = Berechtigungen
directory = Verzeichnis
repository = Repository
repository-root = Wurzel des Repositorys
branch = Branch
connection = Verbindung
connection-state = { $state ->
    [connecting] wird hergestellt
    [open] offen
    [waiting] wartet
    [closed] geschlossen
   *[replaying] Wiedergabe
}

## Der erste Bildschirm, der mit der Seite kommt, vor ihrem Programm
being-loaded = Wird geladen
earlier-loaded = Was davor kommt, wird geladen
as-it-stood = JavaScript ist aus. Sie sehen die Sitzung, wie sie beim Laden der Seite stand.
