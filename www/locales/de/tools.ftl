run = { $how ->
    [doing] Führt aus: { $object }
    [done] Ausgeführt: { $object }
    [waiting] Möchte ausführen: { $object }
   *[not-done] Nicht ausgeführt: { $object }
}
list-shells = { $how ->
    [doing] Listet die Shells auf
    [done] Shells aufgelistet
    [waiting] Möchte die Shells auflisten
   *[not-done] Shells nicht aufgelistet
}
read-shell = { $how ->
    [doing] Liest aus Shell { $object }
    [done] Aus Shell { $object } gelesen
    [waiting] Möchte aus Shell { $object } lesen
   *[not-done] Nicht aus Shell { $object } gelesen
}
stop-shell = { $how ->
    [doing] Beendet Shell { $object }
    [done] Shell { $object } beendet
    [waiting] Möchte Shell { $object } beenden
   *[not-done] Shell { $object } nicht beendet
}
type = { $how ->
    [doing] Gibt ein: { $object }
    [done] Eingegeben: { $object }
    [waiting] Möchte eingeben: { $object }
   *[not-done] Nicht eingegeben: { $object }
}
create = { $how ->
    [doing] { $object } wird erstellt
    [done] { $object } erstellt
    [waiting] Möchte { $object } erstellen
   *[not-done] { $object } nicht erstellt
}
edit = { $how ->
    [doing] { $object } wird bearbeitet
    [done] { $object } bearbeitet
    [waiting] Möchte { $object } bearbeiten
   *[not-done] { $object } nicht bearbeitet
}
a-file = Datei
files = { $n ->
    [one] { $n } Datei
   *[other] { $n } Dateien
}
read = { $how ->
    [doing] { $object } wird gelesen
    [done] { $object } gelesen
    [waiting] Möchte { $object } lesen
   *[not-done] { $object } nicht gelesen
}
read-lines = { $how ->
    [doing] Zeilen { $from }–{ $to } von { $object } werden gelesen
    [done] Zeilen { $from }–{ $to } von { $object } gelesen
    [waiting] Möchte Zeilen { $from }–{ $to } von { $object } lesen
   *[not-done] Zeilen { $from }–{ $to } von { $object } nicht gelesen
}
read-to-end = { $how ->
    [doing] { $object } wird ab Zeile { $from } gelesen
    [done] { $object } ab Zeile { $from } gelesen
    [waiting] Möchte { $object } ab Zeile { $from } lesen
   *[not-done] { $object } ab Zeile { $from } nicht gelesen
}
look-for = { $how ->
    [doing] Sucht Dateien: { $object }
    [done] Dateien gesucht: { $object }
    [waiting] Möchte Dateien suchen: { $object }
   *[not-done] Dateien nicht gesucht: { $object }
}
search-for = { $how ->
    [doing] Sucht nach { $object }
    [done] Gesucht nach { $object }
    [waiting] Möchte suchen nach { $object }
   *[not-done] Nicht gesucht nach { $object }
}
fetch = { $how ->
    [doing] Ruft ab: { $object }
    [done] Abgerufen: { $object }
    [waiting] Möchte abrufen: { $object }
   *[not-done] Nicht abgerufen: { $object }
}
search-web = { $how ->
    [doing] Sucht im Web nach: { $object }
    [done] Im Web gesucht nach: { $object }
    [waiting] Möchte im Web suchen nach: { $object }
   *[not-done] Nicht im Web gesucht nach: { $object }
}
ask-server = { $how ->
    [doing] Fragt { $name }: { $object }
    [done] { $name } gefragt: { $object }
    [waiting] Möchte { $name } fragen: { $object }
   *[not-done] { $name } nicht gefragt: { $object }
}
delegate = { $how ->
    [doing] Wird delegiert: { $object }
    [done] Delegiert: { $object }
    [waiting] Möchte delegieren: { $object }
   *[not-done] Nicht delegiert: { $object }
}
delegate-to = { $how ->
    [doing] Delegiert an { $name }: { $object }
    [done] An { $name } delegiert: { $object }
    [waiting] Möchte an { $name } delegieren: { $object }
   *[not-done] Nicht an { $name } delegiert: { $object }
}
list-agents = { $how ->
    [doing] Listet die Agenten auf
    [done] Agenten aufgelistet
    [waiting] Möchte die Agenten auflisten
   *[not-done] Agenten nicht aufgelistet
}
read-agent = { $how ->
    [doing] Liest die Antwort von { $object }
    [done] Antwort von { $object } gelesen
    [waiting] Möchte die Antwort von { $object } lesen
   *[not-done] Antwort von { $object } nicht gelesen
}
write-agent = { $how ->
    [doing] Schreibt an { $object }
    [done] An { $object } geschrieben
    [waiting] Möchte an { $object } schreiben
   *[not-done] Nicht an { $object } geschrieben
}
stop-agent = { $how ->
    [doing] Hält an: { $object }
    [done] Angehalten: { $object }
    [waiting] Möchte anhalten: { $object }
   *[not-done] Nicht angehalten: { $object }
}
an-agent = Sub-Agent
unnamed = { $what ->
    [command] Befehl
    [file] Datei
    [task] Aufgabe
    [page] Seite
    [question] Frage
    [skill] ohne Namen
   *[something] etwas
}
sql = { $how ->
    [doing] Führt SQL aus: { $object }
    [done] SQL ausgeführt: { $object }
    [waiting] Möchte SQL ausführen: { $object }
   *[not-done] SQL nicht ausgeführt: { $object }
}
propose-plan = { $how ->
    [doing] Schlägt einen Plan vor
    [done] Plan vorgeschlagen
    [waiting] Möchte einen Plan vorschlagen
   *[not-done] Plan nicht vorgeschlagen
}
intend = { $how ->
    [doing] Hat vor: { $object }
    [done] Hat vor: { $object }
    [waiting] Hatte vor: { $object }
   *[not-done] Hatte vor: { $object }
}
report-complete = { $how ->
    [doing] Meldet die Aufgabe als erledigt
    [done] Aufgabe als erledigt gemeldet
    [waiting] Möchte die Aufgabe als erledigt melden
   *[not-done] Aufgabe nicht als erledigt gemeldet
}
update-checklist = { $how ->
    [doing] Aktualisiert die To-do-Liste
    [done] To-do-Liste aktualisiert
    [waiting] Möchte die To-do-Liste aktualisieren
   *[not-done] To-do-Liste nicht aktualisiert
}
ask = { $how ->
    [doing] Fragt Sie: { $object }
    [done] Hat Sie gefragt: { $object }
    [waiting] Möchte fragen: { $object }
   *[not-done] Nicht gefragt: { $object }
}
remember = { $how ->
    [doing] Merkt sich: { $object }
    [done] Gemerkt: { $object }
    [waiting] Möchte sich merken: { $object }
   *[not-done] Nicht gemerkt: { $object }
}
load-skill = { $how ->
    [doing] Lädt Skill { $object }
    [done] Skill { $object } geladen
    [waiting] Möchte Skill { $object } laden
   *[not-done] Skill { $object } nicht geladen
}
call = { $how ->
    [doing] Ruft { $object } auf
    [done] { $object } aufgerufen
    [waiting] Möchte { $object } aufrufen
   *[not-done] { $object } nicht aufgerufen
}
a-tool = ein Werkzeug
remark = : { $remark }

nothing-found = nichts gefunden
found-files = { $files ->
    [one] { $files } Datei
   *[other] { $files } Dateien
}
found-hits = { $hits } Treffer in { $files ->
    [one] { $files } Datei
   *[other] { $files } Dateien
}

failed = fehlgeschlagen
denied = verweigert
interrupted = unterbrochen
stopped = Abgebrochen: { $what }
being-written = wird geschrieben
not-started = nicht begonnen
running = läuft
in-background = im Hintergrund
exit = Exit { $code }

arguments = Argumente
arguments-name = Argumente
arguments-so-far = Bisherige Argumente
output = Ausgabe
output-so-far = Bisherige Ausgabe
result = Ergebnis
text = Text
structured-content = Strukturierter Inhalt
sources = Quellen
resource = Ressource
directory = Verzeichnis
exit-code = Exit-Code
command = Befehl
whole-output = Ganze Ausgabe
query = Abfrage
agent = Agent
name = Name
mode = Modus
model = Modell
task = Aufgabe
answer = Antwort
excerpt = Auszug
changes = Änderungen
hits-in = Treffer in { $path }

interactive-view = Der Server hat eine interaktive Ansicht ({ $view }) geschickt. Sie wird hier nicht ausgeführt.
agent-goes-on = Der Agent arbeitet im Hintergrund weiter.
nothing-found-here = Nichts gefunden.
later = Später, im Hintergrund
not-applied = Nicht angewendet
side-by-side = Nebeneinander
more-files = { $n ->
    [one] { $n } weitere Datei
   *[other] { $n } weitere Dateien
} zeigen
more-hits = und { $n } weitere

shell-ended = Shell { $id } ist beendet
shell-goes-on = Shell { $id } läuft im Hintergrund weiter
shell-mode = Modus { $mode }
with-exit-code = Exit-Code { $code }

by-rule = durch eine Regel
by-exclusion = durch die Richtlinie zum Inhaltsausschluss
by-nobody = niemand konnte gefragt werden
by-person-elsewhere = von einem Menschen, anderswo
by-person = von einem Menschen

sign-in = Melden Sie sich erneut an und bitten Sie dann noch einmal darum.
switch-account = Melden Sie sich mit einem Konto an, das Zugriff hat.
show-account = Prüfen Sie, welches Konto angemeldet ist.
review-sandbox = Die Sandbox lässt es nicht zu: Prüfen Sie ihre Richtlinie.
allow-outbound = Die Sandbox hat kein Netzwerk: Erlauben Sie es in ihrer Richtlinie.

done-first = Erledigt:{ " " }
now-first = Jetzt:{ " " }
to-do-first = Offen:{ " " }
chosen-first = Gewählt:{ " " }

over = { $server } über { $transport }
configured-by = eingerichtet von { $source }
only-reads = liest nur
changes-things = ändert etwas
may-destroy = kann etwas zerstören
destroys-nothing = zerstört nichts
repeats-safely = gefahrlos wiederholbar
repeating-matters = Wiederholung hat Folgen
reaches-beyond = reicht über den Server hinaus
stays-within = bleibt im Server

two-facts = { $one }, { $two }
pixels = { $about }, { $width } × { $height }
image = Bild des Ergebnisses
audio = Ton des Ergebnisses
image-broken = { $about }: kann nicht angezeigt werden
image-from = von { $host }
load-image = Bild von { $host } laden
binary-not-shown = Binärdaten ({ $kind }, { $size }), nicht angezeigt
binary-of-unknown-type = Binärdaten (unbekannter Typ, { $size }), nicht angezeigt
left-out = { $what ->
    [image] Bild{ $about }
   *[other] Binärdaten{ $about }
}: { $why ->
    [size] wegen der Größe nicht im Protokoll
    [gone] nicht mehr im Protokoll
    [apart] getrennt vom Protokoll aufbewahrt und nicht darin
   *[other] nicht im Protokoll
}
