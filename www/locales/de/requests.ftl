### Anfragen: ihre Karten, die Antworten und die Zeile, die danach bleibt.

## Wie eine Anfrage endete.

allowed-once = Einmal erlaubt
allowed-session = Für diese Sitzung erlaubt
allowed-location = In diesem Ordner erlaubt
allowed = Erlaubt
rejected = Abgelehnt
denied-rule = Durch eine Regel verweigert
denied-nobody = Verweigert: Niemand konnte gefragt werden
denied-exclusion = Durch die Richtlinie zum Inhaltsausschluss verweigert
cancelled = Abgebrochen
decided = Entschieden
decided-as = Entschieden ({ $word })
decided-hook = Von einem Hook entschieden
answered = Beantwortet
filled-in = Ausgefüllt
declined = Abgelehnt
closed = Geschlossen
approved = Genehmigt
not-approved = Nicht genehmigt
auto-switched = Zum Auto-Modus gewechselt
auto-always = Dauerhaft zum Auto-Modus gewechselt
auto-stayed = Beim Modell geblieben
limit-raised = Limit erhöht
limit-raised-by = Limit erhöht um: { $credits }
limit-set = Limit gesetzt
limit-set-to = Limit gesetzt auf: { $credits }
limit-removed = Limit aufgehoben
limit-stopped = Am Limit angehalten
signed-in = Angemeldet
sign-in-cancelled = Anmeldung abgebrochen
handled = Verarbeitet
not-handled = Nicht verarbeitet
command-turn = An der Reihe gewesen
replied = Geantwortet
accepted = Angenommen
dismissed = Verworfen
failed = Fehlgeschlagen: { $words }
with-words = { $outcome }: { $words }
option = „{ $name }“
tool-ended = Der Werkzeugaufruf endete ohne Antwort

answered-elsewhere = Anderswo beantwortet: { $outcome }
by = { $outcome } von { $who }
taken-by-server = { $outcome }, beim Server angekommen
unheard = Ihre Antwort, die vielleicht nicht angekommen ist:
copy-answer = Antwort kopieren
unsent = Was Sie hier geschrieben haben, wurde nicht gesendet:
left-about = { $outcome }:
ask-auto-mode = Zum Auto-Modus wechseln?
limit-reached = Das Limit der Sitzung ist erreicht

read-only = Nur lesen: Antworten kommen von anderswo.
not-now = Das ist ein früherer Stand: Hier kann nichts beantwortet werden.
no-connection = Nicht verbunden: Das kann beantwortet werden, sobald die Verbindung wieder da ist, wenn es dann noch wartet.
machine-away = { $away }: Das kann beantwortet werden, sobald der Rechner wieder da ist, wenn es dann noch wartet.
sending = Wird gesendet: { $answer } …
feedback = Rückmeldung an den Agenten
feedback-rejecting = wird beim Ablehnen gesendet
feedback-next = geht als nächste Nachricht an den Agenten
feedback-deciding = wird mit Ihrer Entscheidung gesendet
open-host = { $host } öffnen
whole-file = Die ganze Datei nach dem Schreiben
whole-file-follows = Die ganze Datei nach dem Schreiben:
new-file = neue Datei
deleted = gelöscht
renamed = umbenannt
hunk-lines = Zeilen { $first }–{ $last }
hours = { $n } h

reject = Ablehnen
reject-with = Mit Rückmeldung ablehnen …
allow-location = In diesem Ordner erlauben
allow-session = Für diese Sitzung erlauben
more = Mehr …
allow-once = Einmal erlauben

option-once = dieses eine Mal
option-always = { $agent } entscheidet, wofür und wie lange das gilt; mitgeteilt wird uns nur dieser Name
option-reject = dieses Mal nicht
option-never = { $agent } lehnt das jetzt und später ab und entscheidet, wofür das noch gilt; mitgeteilt wird uns nur dieser Name
option-unknown = der Agent sagt nicht, welche Art von Antwort das ist
the-agent = Der Agent

cancel = Abbrechen
decline = Ablehnen
send = Senden
opened = Ich habe sie geöffnet
approve = Plan genehmigen
answer = Antworten
report-error = Fehler melden
send-result = Ergebnis senden
send-reply = Antwort senden
no = Nein
yes-once = Ja, dieses Mal
stop = Hier anhalten
remove-limit = Limit aufheben
set-limit = Als Limit setzen
add-credits = Hinzufügen
sign-in = Mit diesem Token anmelden
dismiss = Verwerfen
accept = Annehmen

run-command = Diesen Befehl ausführen?
write-file = In diese Datei schreiben?
create-file = Diese Datei anlegen?
read-this = Dies lesen?
read-these = { $n ->
    [one] Dies lesen?
   *[other] Diese { $n } lesen?
}
fetch-address = Diese Adresse abrufen?
run-tool = Darf { $server } { $tool } ausführen?
use-tool = Darf der Agent { $tool } verwenden?
hook-asks = Ein Hook fragt: { $tool } verwenden?
extension = { $operation ->
    [scaffold] Darf der Agent die Erweiterung anlegen?
    [reload] Darf der Agent die Erweiterung neu laden?
   *[other] Darf der Agent mit der Erweiterung { $operation } ausführen?
}
extension-named = { $operation ->
    [scaffold] Darf der Agent die Erweiterung { $name } anlegen?
    [reload] Darf der Agent die Erweiterung { $name } neu laden?
   *[other] Darf der Agent mit der Erweiterung { $name } { $operation } ausführen?
}
extension-abilities = Der Erweiterung { $name } diese Fähigkeiten geben?
extension-variables = Darf die Erweiterung { $name } diese Umgebungsvariablen lesen?
remember = Dies merken?
vote-for = Für diese Erinnerung stimmen?
vote-against = Gegen diese Erinnerung stimmen?
factory = { $operation ->
    [run] Darf der Agent die Factory { $name } ausführen?
    [author] Darf der Agent die Factory { $name } verfassen?
   *[other] Darf der Agent mit der Factory { $name } { $operation } ausführen?
}
workflow = { $operation ->
    [run] Darf der Agent den Workflow { $name } ausführen?
    [author] Darf der Agent den Workflow { $name } verfassen?
   *[other] Darf der Agent mit dem Workflow { $name } { $operation } ausführen?
}
allow-this = Dies erlauben?
allow-kind = Dies erlauben ({ $kind })?

only-reads = gibt an, nur zu lesen
may-change = kann Dinge außerhalb dieses Rechners ändern

fact-in = In
fact-shell = Shell
fact-runs = Führt aus
fact-touches = Betrifft
fact-opens = Öffnet
fact-writes = Schreibt
fact-leads-to = Führt zu
fact-redirected-from = Umgeleitet von
fact-what-it-does = Was es tut
fact-server = Server
fact-tool = Werkzeug
fact-host = Host
fact-subject = Thema
fact-source = Quelle
fact-because = Grund
agent-says = Agent sagt
fact-for = Für
fact-scope = Bereich
fact-policy = Richtlinie
fact-risk = Risiko
fact-provider = Anbieter
fact-command = Befehl
fact-with = Mit
fact-reason = Grund
fact-used = Verbraucht
fact-limit = Limit
fact-at-most = Höchstens
fact-asked-for = Angefragt
fact-error = Fehler
fact-described-at = Beschrieben unter
fact-client = Client
always = Immer

by-redirection = in eine Datei, durch Umleitung
person-decides = ein Mensch muss entscheiden
no-limits = ohne Grenzen
no-other-limits = sonst ohne Grenzen
limit-agents = { $n ->
    [one] { $n } Agent
   *[other] { $n } Agenten
}
limit-at-once = { $n } zugleich
after-recovery = durfte das nicht, hat keinen anderen Weg gefunden und fragt
credits = { $n ->
    [one] { $figure } Credit
   *[other] { $figure } Credits
}

hidden-written = { $n ->
    [one] Was geschrieben wird, enthält { $n } verborgenes Zeichen.
   *[other] Was geschrieben wird, enthält { $n } verborgene Zeichen.
}
hidden-sequences = { $n ->
    [one] Enthält { $n } verborgene oder füllende Zeichenfolge, die die Anzeige des Textes verändert.
   *[other] Enthält { $n } verborgene oder füllende Zeichenfolgen, die die Anzeige des Textes verändern.
}
look-alikes = Mischt lateinische Buchstaben mit ähnlich aussehenden einer anderen Schrift: { $words }.
user-name = Vor dem @ steht ein Benutzername; der Host ist { $host }.
host-letters = Der Host enthält andere Zeichen als reines ASCII: Prüfen Sie ihn Buchstabe für Buchstabe.
sandbox = Möchte außerhalb der Sandbox laufen
sandbox-because = Möchte außerhalb der Sandbox laufen: { $reason }
cannot-open = Diese Adresse kann von hier nicht geöffnet werden: Sie ist weder http noch https, oder etwas ist darin verborgen.
line-breaks = { $n ->
    [one] Zeilenumbruch
   *[other] { $n } Zeilenumbrüche
}
blanks = { $n ->
    [one] { $n } Leerzeichen
   *[other] { $n } Leerzeichen
}

go-ahead = Mit diesem Plan fortfahren?
then = Danach
recommended = empfohlen
plan-interactive = Interaktiv: fragt, bevor etwas geschieht
plan-autopilot = Autopilot: macht von selbst weiter
plan-fleet = Autopilot mit Sub-Agenten, die gleichzeitig arbeiten
plan-leave = Planmodus verlassen und warten
agent-asks = Der Agent fragt
your-answer = Ihre Antwort
own-words = Oder in eigenen Worten
answer-first = Zuerst eine Antwort wählen oder schreiben

open-address = Diese Adresse öffnen?
asks-open = { $source } bittet, eine Adresse zu öffnen
asks-details = Der Agent bittet um Angaben
source-asks-details = { $source } bittet um Angaben
choose-some = Mindestens eines wählen
choose-one = Eines wählen
fill-in = Bitte ausfüllen
choose-known = Eines aus der Liste wählen
no-json = Das ist kein JSON
too-short = { $n ->
    [one] Mindestens { $n } Zeichen
   *[other] Mindestens { $n } Zeichen
}
too-long = { $n ->
    [one] Höchstens { $n } Zeichen
   *[other] Höchstens { $n } Zeichen
}: { $more } zu viel
need-email = Eine E-Mail-Adresse wie name@example.org
need-address = Eine Adresse wie https://example.org/
need-date = Ein Datum wie 2026-03-21
need-time = Datum und Uhrzeit wie 2026-03-21T18:30:00Z
need-whole = Bitte eine ganze Zahl
need-number = Bitte eine Zahl
number-between = Von { $min } bis { $max }
choose-more = { $n ->
    [one] Mindestens { $n } wählen
   *[other] Mindestens { $n } wählen
}
choose-fewer = { $n ->
    [one] Höchstens { $n } wählen
   *[other] Höchstens { $n } wählen
}
number-range = { $min } bis { $max }
number-least = { $min } oder mehr
number-most = { $max } oder weniger
length-range = { $max ->
    [one] { $min } bis { $max } Zeichen
   *[other] { $min } bis { $max } Zeichen
}
length-most = { $max ->
    [one] höchstens { $max } Zeichen
   *[other] höchstens { $max } Zeichen
}
length-least = { $min ->
    [one] mindestens { $min } Zeichen
   *[other] mindestens { $min } Zeichen
}
choices-range = { $max ->
    [one] { $min } bis { $max } davon
   *[other] { $min } bis { $max } davon
}
as-json = als JSON

answer-for-tool = Für das Werkzeug { $tool } antworten?
answer-for-some-tool = Für ein Werkzeug antworten?
tool-why = Sonst antwortet hier ein Programm außerhalb dieser Seite. Sie können es an seiner Stelle tun.
result = Ergebnis, oder was schiefging
result-hint = geht unverändert an das Modell
was-handled = Wurde dieser Befehl verarbeitet?
queued-why = Er wartet in der Warteschlange auf einen Client, der ihn kennt.
command-why = Ein Programm außerhalb dieser Seite hat diesen Befehl registriert.
went-wrong = Was schiefging
went-wrong-hint = wird gesendet, falls er nicht verarbeitet wurde
write-reply = Für { $server } die Antwort eines Modells schreiben?
write-some-reply = Für einen Server die Antwort eines Modells schreiben?
reply-why = Der Server sieht die Antwort. Sonst antwortet hier ein Programm außerhalb dieser Seite.
reply = Antwort
no-reply = Es gibt noch keine Antwort zu senden.
a-server = ein Server

auto-question = Zur automatischen Modellwahl wechseln?
auto-why = Das Limit dieses Modells ist aufgebraucht.
auto-why-until = Das Limit dieses Modells ist aufgebraucht. In { $time } ist es wieder frei.
auto-always-means = wechselt jetzt und immer, wenn ein Limit aufgebraucht ist, auch in späteren Sitzungen
beyond-limit = Über das Limit dieser Sitzung hinaus weitermachen?
limit-why = Das Limit ist aufgebraucht. Der Agent wartet auf eine Entscheidung.
above-zero = Bitte eine Zahl über 0
credits-field = Credits
credits-hint = zum Hinzufügen oder als neues Limit
sign-in-to = Bei { $server } anmelden?
sign-in-somewhere = Bei einem Server anmelden?
sign-in-why = Das Token, das Sie einfügen, geht an die Laufzeitumgebung, die es für diesen Server verwendet.
sign-in-reason = { $code ->
    [initial] die erste Anmeldung
    [refresh] das Token muss erneuert werden
    [reauth] eine erneute Anmeldung ist nötig
    [upscope] es werden mehr Rechte gebraucht
   *[other] { $said }
}
sign-in-error = { $code ->
    [invalid_token] das Token ist ungültig
    [insufficient_scope] dem Token fehlen Rechte
    [invalid_request] die Anfrage war ungültig
   *[other] { $said }
}
limit-reason = { $code ->
    [user_weekly_rate_limited] das Wochenlimit Ihres Kontos
    [user_global_rate_limited] das Limit Ihres Kontos
    [user_model_rate_limited] das Limit dieses Modells
    [model_rate_limited] das Limit dieses Modells
    [integration_rate_limited] das Limit dieses Programms
    [rate_limited] ein Limit für Anfragen
    [quota_exceeded] das Kontingent ist aufgebraucht
    [session_quota_exceeded] das Kontingent der Sitzung ist aufgebraucht
    [billing_not_configured] die Abrechnung ist nicht eingerichtet
   *[other] { $said }
}
memory-scope = { $code ->
    [repository] dieses Repository
    [user] alle Ihre Repositorys
   *[other] { $said }
}
no-token = Es gibt noch kein Token zu senden
token = Zugriffstoken
token-hint = wird auf dieser Seite nicht aufbewahrt
confirm-this = Dies bestätigen?

## Warum eine Anfrage nicht mehr beantwortet werden kann

gone-restarted = Der Agent wurde neu gestartet: Dies wird nicht mehr angefragt
gone-refused = Anderswo beantwortet oder nicht mehr angefragt
summary-only = Von dieser Anfrage ist nur eine Kurzfassung bekannt: Es kann etwas fehlen.
says-nothing = Dieser Agent sagt nicht, was er tun wird: Was hier steht, ist nur sein Titel dafür. Erlauben Sie es nur, wenn Sie darauf vertrauen, dass der Agent tut, was der Titel sagt.
cannot-allow = Der Agent bietet keine Antwort an, die das erlaubt.

## Was eine Erlaubnis über dieses eine Mal hinaus gewährt

until-session-ends = { $what }, bis diese Sitzung endet
in-later-sessions = { $what }, in { $place }, in dieser und jeder späteren Sitzung
every-command = jeder Befehl { $names }
same-command = der Befehl { $names }, genau so, wie er hier steht
every-edit = jede Änderung einer Datei in den Ordnern dieser Sitzung
every-reading = das Lesen jeder Datei in den Ordnern dieser Sitzung
paths-outside = Zugriff auf { $paths }, zum Lesen und zum Ändern; bei einem Ordner auf alles darin
new-file-outside = Zugriff auf { $paths }, zum Lesen und zum Ändern; eine Laufzeitumgebung vor 1.0.15 gibt den ganzen Ordner der Datei frei
every-memory = das Speichern jeder Erinnerung
every-call-on = jeder Aufruf von { $tool } auf { $server }
every-call = jeder Aufruf von { $tool }
every-address = jede Adresse auf { $host }
every-extension = { $operation ->
    [scaffold] das Anlegen jeder Erweiterung
    [reload] das Neuladen jeder Erweiterung
   *[other] { $operation } bei jeder Erweiterung
}
every-ability = jede Fähigkeit, um die { $name } bittet
every-variable = das Lesen von { $variables } durch { $name }
every-factory = jeder Lauf von { $key }

## Karten, die gelesen werden, bevor sie beantwortet werden

# Above the answers of a card that is higher than the view.
lines-left = { $n ->
    [one] noch { $n } Zeile
   *[other] noch { $n } Zeilen
}
show-rest = Rest zeigen
all-seen = Es war alles zu sehen.
# At a button that is off until then.
not-all-seen = Es war noch nicht alles zu sehen
# At a plan of which nothing is chosen.
choose-first = Wählen Sie zuerst, wie es weitergeht.
just-moved = Nicht gesendet: Die Karte hat sich gerade bewegt
as-written = Etwas darin ist nur im Quelltext zu sehen:
taken = Ein Programm dieser Seite beantwortet das. Sie können es an seiner Stelle tun.
by-program = Von einem Programm beantwortet
confirm = Bestätigen
back = Zurück
no-limit-means = Die Sitzung läuft ohne Limit weiter, bis wieder jemand eines setzt.
opens-then = Öffnet sich in einem neuen Tab. Der Agent erfährt nichts, bis Sie hier antworten.
auto-edits = Auch die folgenden Änderungen erlauben
auto-edits-means = das wird der Laufzeitumgebung mitgeteilt; die bekannten Versionen, bis 1.0.15, fragen trotzdem bei jeder Änderung
need-pattern = Hat nicht die verlangte Form: { $pattern }

## Was wartet, in einer Zeile einer Liste

asks-run = { $object } ausführen
asks-write = { $object } schreiben
asks-create = { $object } anlegen
asks-read = { $object } lesen
asks-fetch = { $object } abrufen
asks-titled = { $object }

## Die Liste aller offenen Anfragen

waiting = { $n ->
    [one] { $n } Anfrage wartet auf Sie
   *[other] { $n } Anfragen warten auf Sie
}
nothing-waits = Nichts wartet auf Sie
close-list = Liste schließen
not-seen = noch nicht gesehen
heed = mit Warnung
look-first = Was Sie von der ersten bis zur letzten Zeile gesehen haben, können Sie hier zusammen erlauben, einmal.
allow-all-seen = { $n ->
    [one] Die eine gesehene einmal erlauben
   *[other] Die { $n } gesehenen einmal erlauben
}
allow-these = { $n ->
    [one] Diese eine einmal erlauben
   *[other] Diese { $n } einmal erlauben
}
kind-permission = Berechtigung
kind-question = Frage
kind-form = Formular
kind-plan = Plan
kind-tool = Werkzeug eines Programms
kind-command = Befehl
kind-model = Modell
kind-limits = Limit
kind-sign-in = Anmeldung
kind-sampling = Modellantwort
kind-confirmation = Bestätigung
