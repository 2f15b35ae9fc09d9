session = Sitzung
begun = Begonnen
last-event = Letztes Ereignis
model = Modell
mode = Modus
directory = Verzeichnis
repository = Repository
branch = Branch
tool-calls = Werkzeugaufrufe
errors = Fehler
status = Status
status-is = { $status ->
    [ended] beendet
    [waiting] wartet
    [running] läuft
    [error] Fehler
   *[idle] bereit
}
turns = Runden

you = Sie
task-for = Aufgabe für { $agent }
steering = Kurskorrektur
was-queued = war eingereiht
attached = Angehängt: { $names }
thought = Nachgedacht
thought-for = { $time } nachgedacht
thought-interrupted = Nachgedacht, unterbrochen
empty-reply = Leere Antwort
interrupted = Unterbrochen

warning = Warnung:
error = Fehler{ $code }:
details = Details
unknown-event = Unbekanntes Ereignis

sub-agent = Sub-Agent { $name }
working = arbeitet
failed = fehlgeschlagen
cancelled = abgebrochen
calls = { $n ->
    [one] { $n } Werkzeugaufruf
   *[other] { $n } Werkzeugaufrufe
}

permission = Berechtigung angefragt
question = Frage
form = Formular
plan = Plan zur Genehmigung
external-tool = Werkzeugaufruf für einen Client
command = Befehl für einen Client
mode-switch = Moduswechsel angefragt
limits = Sitzungslimits erreicht
sign-in = Anmeldung angefragt
sampling = Modellantwort angefragt
confirmation = Bestätigung angefragt

outcome = Ausgang: { $outcome }
not-answered = Noch nicht beantwortet
on-its-way = { $answer }, unterwegs
may-have-arrived = { $answer }, vielleicht angekommen
all-asked = Alles, was angefragt wurde

table = Tabelle
task-done = erledigt
task-open = offen
this-text = diesem Text
