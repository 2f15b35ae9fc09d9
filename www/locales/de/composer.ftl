composer = Nachricht an den Agenten
placeholder = { $can ->
    [both] Nachricht an den Agenten. / für Befehle, @ für Dateien
    [commands] Nachricht an den Agenten. / für Befehle
    [files] Nachricht an den Agenten. @ für Dateien
   *[none] Nachricht an den Agenten
}
placeholder-ended = Die Sitzung ist beendet

send = Senden
queue = Einreihen
send-now = Jetzt senden
enter-sends = Eingabe sendet, Umschalt+Eingabe beginnt eine neue Zeile
replies = Der Agent antwortet: Sie können weiterschreiben und senden, wenn er fertig ist, oder ihn anhalten.
enter-queues = Eingabe reiht ein, Strg+Eingabe sendet jetzt
enter-steers = Eingabe sendet jetzt, Strg+Eingabe reiht ein
enter-saves = Eingabe speichert, Esc lässt die Nachricht, wie sie ist
swap = Tauschen
swap-tells = Ändern, was die Eingabetaste tut, während der Agent arbeitet
request-waits = Eine Anfrage wartet auf Ihre Antwort. Was Sie hier senden, beantwortet sie nicht.
unknown-command = Den Befehl /{ $name } gibt es nicht: Das ginge als Text an den Agenten.
as-text = Den Befehl /{ $name } gibt es nicht. Senden Sie noch einmal, dann geht es als Text an den Agenten.
maybe-twice = Das ist vielleicht schon angekommen. Senden Sie noch einmal, dann bekommt der Agent es vielleicht doppelt.
runs-later = Läuft, wenn die Runde vorbei ist
offline = Nicht verbunden: Senden muss warten

sending = Wird gesendet
taken = Gesendet, noch nicht aufgenommen
not-delivered = Nicht zugestellt: Der Agent hat sie nicht aufgenommen
unsure = Sie ist vielleicht angekommen. Sehen Sie in der Sitzung nach, bevor Sie sie noch einmal senden
not-sent = Nicht gesendet
not-sent-away = Nicht gesendet, weil es keine Verbindung gab
send-again = Erneut senden
arrived = Sie war doch angekommen
attach-again = Bitte erneut anhängen, denn Anhänge werden nicht aufbewahrt: { $names }
attach-missing = Anhänge werden nicht aufbewahrt. Bitte erneut anhängen: { $names }
put-back = Zurückholen
discard = Verwerfen
decided-elsewhere = Nicht mehr da: anderswo gesendet, zurückgeholt oder verworfen
dismiss = Ausblenden
way = Unterwegs

attach = Ein Bild oder einen Text anhängen
attached = Angehängt
remove-file = { $name } entfernen
file-empty = { $name } ist leer
file-too-large = { $name } ist größer als { $limit }
no-images = { $name } wurde weggelassen: Das gewählte Modell liest keine Bilder
image-kind = { $name } wurde weggelassen: Das Modell liest { $kind } nicht
too-many-images = { $name } wurde weggelassen: { $n ->
    [one] Mit einer Nachricht geht ein Bild
   *[other] Mit einer Nachricht gehen { $n } Bilder
}
file-kind = { $name } wurde weggelassen: Anhängen lassen sich nur Bilder und Texte
file-broken = { $name } ließ sich nicht lesen
pasted = Eingefügtes Bild

suggestions = Vorschläge
# $name: a command of the host's page; $why: its message
host-failed = { $name } ist fehlgeschlagen: { $why }
proposals = Vorschläge
proposals-count = { $n ->
    [one] { $n } Vorschlag
   *[other] { $n } Vorschläge
}

waiting = { $n ->
    [one] { $n } Nachricht wartet
   *[other] { $n } Nachrichten warten
}
clear = Warteschlange leeren
steers = Steuert die Runde
steers-taken = Aufgenommen
take-back = Zurücknehmen
not-taken-back = Nicht zurückgenommen: Der Agent hat sie schon
command = Befehl
edit = Ändern
up = Nach oben
down = Nach unten
remove = Herausnehmen
of-item = { $action }: { $text }
editing = Sie ändern eine wartende Nachricht.
editing-gone = Der Agent hat die Nachricht schon. Was Sie jetzt schreiben, ist eine neue.
cancel = Abbrechen
save = Speichern
refused-edit = Nicht geändert: Die Nachricht wartet nicht mehr
refused-steer = Nicht jetzt gesendet: Es läuft keine Runde. Die Nachricht wartet weiter.
moved = Jetzt Nummer { $n } in der Warteschlange
paused = Die Warteschlange ist angehalten: Keine Nachricht wird daraus genommen
pause = Die Warteschlange anhalten
pause-tells = Nachrichten warten, bis Sie die Warteschlange fortsetzen
go-on = Fortsetzen
dropped = { $n ->
    [one] { $n } Nachricht fiel weg, bevor der Agent sie aufnahm
   *[other] { $n } Nachrichten fielen weg, bevor der Agent sie aufnahm
}
undo = Rückgängig
removed = { $n ->
    [one] { $n } Nachricht wurde aus der Warteschlange genommen
   *[other] { $n } Nachrichten wurden aus der Warteschlange genommen
}

stop = Anhalten
stop-more = Weitere Möglichkeiten anzuhalten
stop-turn = Die Runde anhalten
stop-turn-tells = Hintergrundarbeit läuft weiter. Was wartet, lässt sich zurückholen.
stop-next = Die Runde anhalten, mit der nächsten Nachricht weiter
stop-next-tells = Die nächste wartende Nachricht wird sofort bearbeitet
abort = Abbrechen
abort-tells = Die Runde, ihre Werkzeuge und was in der Warteschlange steht
nothing-stopped = Nichts angehalten: Es lief keine Runde

mode = Modus
mode-name = { $mode ->
    [interactive] Interaktiv
    [plan] Plan
    [autopilot] Autopilot
   *[other] { $mode }
}
mode-tells = { $mode ->
    [interactive] Arbeitet mit Ihnen, Runde um Runde
    [plan] Macht einen Plan und fragt, bevor er baut
   *[autopilot] Macht von selbst weiter, bis die Aufgabe erledigt ist
}
model = Modell
effort = Denkaufwand
effort-usual = Standard
models-loading = Modelle werden geladen
no-models = Der Server nennt keine Modelle
permissions = Berechtigungen
permission-name = { $mode ->
    [manual] Fragt erst
    [assisted] Fragt und gibt Rat
    [allow-all] Erlaubt alles
   *[other] { $mode }
}
permission-tells = { $mode ->
    [manual] Befehle und Änderungen warten auf Sie
    [assisted] Wartet auf Sie und sagt, wie riskant etwas ist
   *[allow-all] Befehle laufen und Dateien ändern sich, ohne dass jemand gefragt wird
}
allow-all-on = Niemand wird gefragt: Jeder Befehl läuft, jede Datei darf geändert werden.
ask-again = Wieder fragen
allow-all-title = Alles erlauben?
allow-all-text = Befehle laufen, Dateien ändern sich und Adressen werden geholt, ohne dass jemand gefragt wird, bis das geändert wird.
allow-all-do = Alles erlauben
not-changed = Nicht geändert: Der Server hat es gelassen, wie es war
unknown-method = Das kann dieser Server nicht

more = Mehr
compact = Die Unterhaltung verdichten
compact-tells = Schafft Platz im Kontext: Eine Zusammenfassung tritt an die Stelle des Gesagten
compacting = Die Unterhaltung wird verdichtet
compacted = Verdichtet: { $tokens } Tokens weniger
rename = Die Sitzung umbenennen
rename-title = Die Sitzung umbenennen
name = Name
close = Schließen

rewind = Vor diese Nachricht zurückspulen
rewind-title = Die Sitzung zurückspulen
rewind-looks = Es wird geprüft, was verloren ginge
rewind-lost = { $n ->
    [one] Diese Nachricht und { $n } Eintrag danach verlassen die Unterhaltung. Das lässt sich nicht rückgängig machen.
   *[other] Diese Nachricht und { $n } Einträge danach verlassen die Unterhaltung. Das lässt sich nicht rückgängig machen.
}
rewind-how = Was zurückgespult wird
rewind-talk = Die Unterhaltung
rewind-files = Die Unterhaltung und { $n ->
    [one] { $n } Datei
   *[other] { $n } Dateien
}
rewind-no-files = Dateien bleiben, wie sie sind: Diese Sitzung hat nicht behalten, wie sie waren.
rewind-none = Zu dieser Nachricht geht es nicht zurück: Die Sitzung hat sie nicht mehr.
rewind-busy = Die Sitzung arbeitet. Halten Sie sie erst an.
rewind-do = Zurückspulen
rewind-sure = Endgültig zurückspulen
rewound = Zurückgespult. Die Nachricht steht im Feld, um noch einmal gesendet oder geändert zu werden.
rewind-failed = Nicht zurückgespult: { $why }
