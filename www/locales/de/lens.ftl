messages = { $n ->
    [one] { $figure } Nachricht
   *[other] { $figure } Nachrichten
}
characters = { $figure } Zeichen
tokens = { $n ->
    [one] { $n } Token
   *[other] { $n } Tokens
}

sees = Das Modell sieht es
differs = Das Modell sieht etwas anderes
people-only = Nur für Menschen
live-only = Nur live
no-longer = Das Modell sieht es nicht mehr
elsewhere = Das Modell eines anderen Agenten sieht es
mark = { $name }: { $what }
only-agent = Nur { $agent } sieht es

not-in-log = nicht im Protokoll, nach dem Neuladen weg
gone-compacted = eine Zusammenfassung steht an seiner Stelle (verdichtet)
gone-truncated = aus Platzmangel entfernt (gekürzt)
gone-rewound = die Sitzung ging zurück (zurückgespult)
gone-cleared = die Unterhaltung wurde geleert
main-agent-sees = der Hauptagent
sub-agent-sees = ein Sub-Agent mit eigener Sicht
wrapped = diese Worte, mit weiteren darum herum
wrapped-in = diese Worte, mit { $tags } darum herum
reworded = andere Worte
a-text = ein Text mit { $size }
shortened = { $size } statt { $whole }
last-line = dies, und eine letzte Zeile der Laufzeitumgebung
call-waits = der Aufruf; sein Ergebnis ist noch nicht da
call-only = der Aufruf, ohne Ergebnis
summary = eine Zusammenfassung anstelle von { $size }

compacted = Verdichtet: { $messages }
compacted-tokens = Verdichtet: { $messages }, { $before } → { $after } Tokens
truncated = Gekürzt: { $messages }
rewound = Zurückgespult: { $messages }
cleared = Geleert: { $messages }

back = Zurück zum Verlauf
back-key = Zurück zum Verlauf (Esc)
whose-view = Wessen Sicht
main-agent = Hauptagent
context = { $messages } · etwa { $now } Tokens
context-of = { $messages } · etwa { $now } von { $limit } Tokens
# Ein Agent hinter einem anderen Protokoll, oder seine eigene Mitschrift.
not-all = { $agent } sagt nicht alles, was sein Modell bekommt: Seine Anweisungen fehlen hier, und seine Werkzeuge heißen so, wie Pilothouse sie nennt.
legend = Markierungen an den Einträgen des Verlaufs

list = Nachrichten in der Sicht des Modells
role-system = System
role-developer = Entwickler
role-user = Benutzer
role-assistant = Assistent
role-tool = Werkzeug
message = Nachricht { $at }: { $who }
line = Zeile { $at }: { $what }
show-in-timeline = Im Verlauf zeigen
tag-gone = nicht mehr
tag-unseen = nicht im Verlauf
empty = Leer
only-calls = Keine Worte, nur Aufrufe
calls = ruft auf:
a-tool = ein Werkzeug
compare = Vergleichen
show-less = Weniger zeigen
show-all = Alles zeigen ({ $size })

you-see = Sie sehen
model-reads = Das Modell liest
both = Beide
only-model = das liest nur das Modell
only-you = das sehen nur Sie
