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

all-that-waits = Alles, was auf dich wartet
