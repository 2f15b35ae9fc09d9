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
