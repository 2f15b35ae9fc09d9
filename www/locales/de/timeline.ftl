times = ×{ $n }

model-calls = { $n ->
    [one] { $n } Modellaufruf
   *[other] { $n } Modellaufrufe
}
tools = { $n ->
    [one] { $n } Werkzeug
   *[other] { $n } Werkzeuge
}
tokens = { $n ->
    [one] { $n } Token
   *[other] { $n } Tokens
}
tokens-written = { $n ->
    [one] { $n } Token geschrieben
   *[other] { $n } Tokens geschrieben
}

together = { $n ->
    [one] { $n } Werkzeug
   *[other] { $n } Werkzeuge zusammen
}
waiting-of-them = { $n ->
    [one] { $n } wartet
   *[other] { $n } warten
}
running-of-them = { $n } in Arbeit
failed-of-them = { $n } fehlgeschlagen
denied-of-them = { $n } abgelehnt

you = Sie
task-for = Aufgabe für { $name }
schedule = Zeitplan { $number }
another-agent = Anderer Agent
skill = Skill { $name }
steering = Kurskorrektur
was-queued = war eingereiht
try-again = Noch einmal versuchen
interrupted = Unterbrochen
empty-reply = Leere Antwort
rewound = zurückgespult
rewound-tells = Die Sitzung wurde vor diese Stelle zurückgespult: Der Agent sieht das hier nicht mehr.
undone = durch Zurückspulen aufgehoben
phase = Phase: { $phase }

thinking = Denkt nach
thought = Nachgedacht
thought-for = { $time } nachgedacht
thought-interrupted = Nachgedacht, unterbrochen

working = arbeitet
working-background = arbeitet im Hintergrund
failed = fehlgeschlagen
cancelled = abgebrochen
stopped = unterbrochen
needs-input = braucht eine Eingabe
effort = Denkaufwand { $effort }
in-background = im Hintergrund
given-back = Was der aufrufende Agent bekam

this-page = Diese Seite
autopilot = Autopilot
mcp = MCP
side-question = Nebenfrage
hook = Hook
references = Verweise
implicit = implizit
implicit-tells = Vom Programm hinzugefügt, nicht von der Person
about = Betrifft: { $name }
timing = Zeitmessung
context-window = Kontextfenster
snapshot = Snapshot
configuration = Konfiguration
authentication = Authentifizierung
authorization = Berechtigung
quota = Kontingent
rate-limit = Anfragelimit
context-limit = Kontextlimit
subscription = Abonnement
model = Modell
policy = Richtlinie
show-all = Alles zeigen
details = Details
earlier = Früher
summary = Zusammenfassung
first-message = Erste Nachricht
figures = Zahlen

version = Version { $version }
unknown-event = Unbekanntes Ereignis
hidden-events = { $n ->
    [one] { $n } Ereignis dieses Typs ausgeblendet:
   *[other] { $n } Ereignisse dieses Typs ausgeblendet:
}
show-again = Wieder zeigen
hide-type = Ereignisse dieses Typs ausblenden
