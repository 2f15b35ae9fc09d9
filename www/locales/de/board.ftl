title = Sitzungen
waiting-count = { $n ->
    [one] { $n } wartet auf Sie
   *[other] { $n } warten auf Sie
}
waiting-count-read-only = { $n ->
    [one] { $n } wartet auf Antwort
   *[other] { $n } warten auf Antwort
}
filter = Sitzungen filtern
status = Status
status-any = Jeder Status
repository = Repository
repository-any = Jedes Repository
machine = Rechner
machine-any = Jeder Rechner
agent = Agent
agent-any = Jeder Agent
group = Gruppen
group-none = Keine Gruppen
group-repository = Nach Repository
group-status = Nach Status
group-machine = Nach Rechner
group-agent = Nach Agent
as-list = Als Liste
next = Nächste wartende
order-changed = Die Reihenfolge hat sich geändert.
sort-now = Jetzt sortieren
keys = Pfeiltasten gehen von Sitzung zu Sitzung, Eingabe öffnet eine, R geht zur nächsten wartenden, Schrägstrich zum Filter.

untitled = Sitzung ohne Titel
no-repository = Kein Repository
just-now = gerade eben
yesterday = gestern { $time }
asked = Gefragt { $age }
answer = { $n ->
    [one] Antworten
   *[other] Antworten ({ $n })
}
hide = Ausblenden
open = Öffnen
open-to-answer = Öffnen Sie zum Antworten die Sitzung
recording = Aufzeichnung
stored = Gespeichert
resume = Fortsetzen
gone = Diese Sitzung gibt es nicht mehr.
away-since = { $machine } nicht erreichbar seit { $since }
away = { $machine } nicht erreichbar

loading = Die Sitzungen erscheinen, sobald der Server antwortet.
more-loaded = Weitere Sitzungen werden geladen
as-they-stood = JavaScript ist aus. Sie sehen die Sitzungen, wie sie beim Laden der Seite standen.
empty = Noch keine Sitzung
empty-why = Sitzungen dieses Gateways erscheinen hier, sobald sie beginnen.
none-found = Keine Sitzung passt
none-found-why = Es gibt Sitzungen, aber der Filter blendet alle aus.
clear = Filter aufheben
polled = Live-Meldungen werden auf dem Weg hierher blockiert, daher wird die Liste alle 5 s abgerufen. Öffnen Sie zum Antworten die Sitzung.

back = Zurück zu den Sitzungen
session = Sitzung: { $title }
close-session = Sitzung schließen
close-sure = „{ $title }“ schließen?
close-failed = Die Sitzung wurde nicht geschlossen: { $why }

new = Neue Sitzung
new-directory = Arbeitsverzeichnis
new-directory-hint = Leer lassen für das des Gateways.
new-directory-hint-there = Leer lassen für das jenes Rechners.
recent-folders = Zuletzt verwendete Ordner
new-model = Modell
new-model-hint = Leer lassen: Der Agent wählt.
new-model-any = Voreinstellung des Agenten
new-machine-here = { $machine } (hier)
new-machine-only = Sie läuft auf { $machine }.
# A button: asks the agent for sessions that were made in other programs.
look-for-sessions = Nach seinen anderen Sitzungen suchen
looking = Wird gesucht …
found-sessions = { $n ->
    [one] { $n } Sitzung von ihm steht in der Übersicht.
   *[other] { $n } Sitzungen von ihm stehen in der Übersicht.
}
lists-no-sessions = Er listet keine Sitzungen auf.
create = Anlegen
creating = Wird angelegt …
cancel = Abbrechen
create-failed = Die Sitzung wurde nicht angelegt: { $why }
resume-failed = Die Sitzung wurde nicht fortgesetzt: { $why }

now-waits = { $title } wartet auf Sie
now-waits-read-only = { $title } wartet auf Antwort

no-gateway = Eine Übersicht braucht die Basisadresse eines Gateways: Ihr Pfad ist leer oder endet mit einem Schrägstrich.
