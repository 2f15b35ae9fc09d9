all-events = { $n ->
    [one] { $figure } Ereignis
   *[other] { $figure } Ereignisse
}
some-events = { $n ->
    [one] { $shown } von { $figure } Ereignis
   *[other] { $shown } von { $figure } Ereignissen
}
full = { $counted }; das Protokoll ist voll, { $missed } weitere fehlen
left-out = { $n ->
    [one] { $figure } überholtes Ereignis ist nicht hier.
   *[other] { $figure } überholte Ereignisse sind nicht hier.
}
load-all = Alle laden
not-loaded = Die überholten Ereignisse ließen sich nicht laden.
of-entry = { $n ->
    [one] { $entry }: { $figure } Ereignis
   *[other] { $entry }: { $figure } Ereignisse
}
all-of-these = alle diese Ereignisse

events = Ereignisse
nothing-yet = Noch ist nichts angekommen.
nothing-like-that = Kein Ereignis passt dazu.
ephemeral = flüchtig
seen-before = schon gesehen

event = Ereignis { $at }
close-event = Ereignis schließen
go-to-entry = Zum Eintrag
show-moment = Diesen Moment zeigen
the-event = das Ereignis
json = JSON des Ereignisses

raw-events = Rohereignisse
raw-events-key = Rohereignisse (i)

event-type = Ereignistyp
by-type = Nach Ereignistyp filtern
by-family = Nach Familie filtern

assistant = Assistent
tool = Werkzeug
session = Sitzung
permission = Berechtigung
user-input = Benutzereingabe
sub-agent = Sub-Agent
skill = Skill
control = Steuerung
user = Benutzer
system = System
external-tool = Externes Werkzeug
command = Befehl
plan-mode = Planmodus
mode = Modus
queue = Warteschlange
model = Modell
limits = Limits
hook = Hook
mcp = MCP
workspace = Arbeitsbereich
schedule = Zeitplan
factory = Factory
workflow = Workflow
fusion = Fusion
canvas = Canvas
extension = Erweiterung
policy = Richtlinie
timeline = Verlauf
platform = Plattform
gateway = Gateway
other = Sonstige

open-file = Datei öffnen
file-broken = { $file } ließ sich nicht bis zum Ende lesen. Was lesbar war, ist hier.

scrubber = Ereignis des Protokolls
position = Ereignis { $at } von { $all }
play = Abspielen
pause = Pause
turn-before = Vorige Runde
next-turn = Nächste Runde
speed = Tempo
fastest = max.
close = Schließen
reading = Protokoll wird gelesen … { $percent } %
to-now = Zum aktuellen Stand

replaying = Wiedergabe von { $file }. Die laufende Sitzung geht im Hintergrund weiter.
replaying-past = Wiedergabe von { $file }, Stand eines früheren Ereignisses.
past = Sie sehen die Vergangenheit. Die Sitzung geht im Hintergrund weiter; antworten lässt sich hier nicht.
to-live = Zurück zur laufenden Sitzung
