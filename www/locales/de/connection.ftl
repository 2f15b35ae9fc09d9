### Die Verbindung: Texte anstelle des Verlaufs oder darüber, und warum sie abbrach oder verweigert wurde.

connecting = Verbindung wird hergestellt
connecting-why = Die Sitzung erscheint, sobald der Server antwortet.
nothing-yet = Noch nichts da
quiet-why = Die Sitzung ist offen und ruhig. Was gesagt und getan wird, erscheint hier, sobald es geschieht.
replay-why = Diese Ansicht wartet darauf, dass ihre Seite ihr Ereignisse übergibt.
not-connected = Nicht verbunden
not-connected-why = Der Server antwortet nicht. Ein neuer Versuch folgt von selbst.
not-shown = Die Sitzung kann nicht angezeigt werden
loading = Lädt …
part-failed = Dieser Teil der Seite konnte nicht geladen werden. Neuer Versuch läuft.

checking = Die Verbindung wird geprüft.
lost-now = Verbindung unterbrochen. Neuer Versuch läuft.
lost = Verbindung unterbrochen. Neuer Versuch in { $time }.
as-it-was = Zu sehen ist der letzte Stand; nichts ist verloren.

sign-in-title = Anmelden
sign-in-why = Dieses Gateway fragt, wer Sie sind. Öffnen Sie den Anmeldelink, den es beim Start ausgegeben hat, oder geben Sie ein Token ein, das Sie erhalten haben.
sign-in-again = Der Server verlangt, dass Sie sich erneut anmelden. Zu sehen ist der letzte Stand; nichts ist verloren.
link-ended = Dieser Link gilt nicht mehr
link-ended-why = Bitten Sie die Person, die ihn geschickt hat, um einen neuen.
token = Token
sign-in-now = Anmelden
sign-in-with = Mit { $host } anmelden
signing-in = Anmeldung läuft …
not-the-token = Dieses Token gehört nicht zu diesem Server. Prüfen Sie es und versuchen Sie es erneut.
too-many-tries = Zu viele Versuche. Warten Sie eine Minute und versuchen Sie es dann erneut.
silent-now = Der Server antwortet nicht. Versuchen Sie es erneut.

try-now = Jetzt versuchen
try-again = Erneut versuchen
connect-again = Neu verbinden

unreachable = Der Server ist nicht erreichbar. Ein neuer Versuch folgt von selbst. Prüfen Sie, ob er läuft, oder versuchen Sie es jetzt.
offline = Dieses Gerät ist offline. Ein neuer Versuch folgt von selbst. Prüfen Sie das Netzwerk.
silent = Der Server antwortet nicht. Ein neuer Versuch folgt von selbst.
restarting = Der Server startet neu. Ein neuer Versuch folgt von selbst.
busy = Der Server ist ausgelastet. Ein neuer Versuch folgt von selbst.
broken = Die Verbindung wurde unterbrochen. Ein neuer Versuch folgt von selbst.
server-failed = Beim Server ist ein Fehler aufgetreten (HTTP-Status { $status }). Ein neuer Versuch folgt von selbst.
ended = Der Server hat den Datenstrom beendet. Ein neuer Versuch folgt von selbst.
no-sessions = Das Gateway ist da und hat noch keine Sitzung. Starten Sie eine; sie erscheint hier von selbst.
host-code = Der Code dieser Seite ist fehlgeschlagen: { $said }. Ein neuer Versuch folgt von selbst.

by-page = Diese Seite hat die Verbindung geschlossen.
sign-in = Der Server verlangt eine Anmeldung: Das Token fehlt, ist falsch oder abgelaufen. Melden Sie sich erneut an und verbinden Sie sich dann neu.
no-such-session = Unter dieser Adresse gibt es keine solche Sitzung. Prüfen Sie Sitzung und Adresse oder wählen Sie eine andere Sitzung.
gone = Diese Sitzung wurde vom Server entfernt. Es kommt nichts mehr. Wählen Sie eine andere Sitzung.
complete = Der Datenstrom ist vollständig; es ist nichts zu tun.
refused = Der Server hat die Verbindung abgelehnt ({ $said }). Prüfen Sie Sitzung und Adresse und verbinden Sie sich dann neu.
close-code = Schließcode { $code }
http-status = HTTP-Status { $status }
error-code = Fehler { $code }
not-a-stream = Unter dieser Adresse antwortet etwas anderes als ein Sitzungsstrom ({ $what }). Prüfen Sie die Adresse `src`.
bad-address = Diese Adresse ist nicht verwendbar ({ $why }). Prüfen Sie die Adresse `src`.

address-scheme = das Schema `{ $scheme }:` ist nicht erlaubt; möglich sind http:, https:, ws: und wss:
address-credentials = die Adresse enthält einen Namen oder ein Passwort; stattdessen das Token verwenden
address-host = der Host fehlt oder ist fehlerhaft
address-port = der Port ist keine Zahl von 0 bis 65535
address-character = das Zeichen { $character } muss prozentkodiert werden oder entfallen
address-no-page = sie ist relativ, und diese Seite hat keine http-Adresse; vollständig angeben
address-not-http = Antworten werden per POST gesendet: eine http:- oder https:-Adresse verwenden
address-token = das Token darf nur sichtbare ASCII-Zeichen enthalten

not-sent = Nicht gesendet: Es besteht keine Verbindung. Senden Sie es erneut, wenn sie wieder da ist.
nobody-listens = Nicht gesendet: Dies ist eine Aufzeichnung, niemand hört zu.
one-way = Nicht gesendet: Dieser Datenstrom geht nur in eine Richtung. Setzen Sie `answer-url`, um hier zu antworten.
lost-before-answer = Die Verbindung riss ab, bevor eine Antwort kam. Es ist vielleicht angekommen: Sehen Sie in der Sitzung nach, wenn sie wieder da ist.
not-answered = Der Server hat nicht geantwortet. Es ist vielleicht angekommen: Sehen Sie in der Sitzung nach oder senden Sie es erneut.
failed-before-answer = Beim Server ist ein Fehler aufgetreten (HTTP-Status { $status }). Es ist vielleicht angekommen: Sehen Sie in der Sitzung nach.
ended-before-answer = Die Laufzeitumgebung des Agenten endete, bevor sie antwortete. Es ist vielleicht angekommen: Sehen Sie in der Sitzung nach.
not-understood = Die Antwort des Servers war nicht zu verstehen. Sehen Sie in der Sitzung nach, was daraus wurde.
being-answered = Nicht gesendet: Eine andere Antwort darauf ist bereits unterwegs. Was daraus wird, erscheint hier; scheitert sie, antworten Sie erneut.
machine-away = Nicht gesendet: Der Rechner der Sitzung ist nicht erreichbar. Senden Sie es erneut, wenn er wieder da ist.
request-refused = Der Server hat es abgelehnt: { $said }
request-sign-in = Der Server verlangt eine Anmeldung (HTTP-Status { $status }). Melden Sie sich an und senden Sie es dann erneut.
not-taken = Der Server hat es nicht angenommen (HTTP-Status { $status }).
too-long = Zu lang: Es hat { $bytes }, und der Server nimmt höchstens { $limit } an. Kürzen Sie es, oder senden Sie die Anhänge einzeln.
too-long-there = Es ist länger, als der Server annimmt. Kürzen Sie es, oder senden Sie die Anhänge einzeln.

maybe-arrived = Ihre Antwort ist vielleicht angekommen. Das wird geprüft; bis dahin kann sie nicht erneut gegeben werden.
not-arrived = Ihre Antwort ist nicht angekommen: Der Agent wartet noch. Antworten Sie erneut.
unconfirmed = Nichts zeigt, ob Ihre Antwort angekommen ist: { $answer }. Bis sich das zeigt, kann nur dieselbe Antwort erneut gesendet werden.

skipped = Ein Ereignis von mehr als 32 MiB wurde übersprungen. Der Rest der Sitzung geht weiter.
missing = { $n ->
    [one] Hier fehlt ein Ereignis
   *[other] Hier fehlen Ereignisse: { $n }
}
missing-some = Hier fehlen vielleicht Ereignisse
unreadable = { $n ->
    [one] 1 Eintrag konnte nicht gelesen werden; alles andere ist da
   *[other] { $n } Einträge konnten nicht gelesen werden; alles andere ist da
}
unreadable-line = Zeile { $line } konnte nicht gelesen werden: { $why }
unreadable-frame = ein Frame konnte nicht gelesen werden: { $why }

no-socket-there = dort gibt es keinen WebSocket
no-stream-there = dort gibt es keinen Ereignisstrom
no-list = keine Liste von Sitzungen
no-session-id = eine Sitzung ohne Kennung
no-content-type = kein Inhaltstyp
browser-refuses = der Browser lehnt sie ab
no-reason = ohne Angabe eines Grundes

## Probleme des Gateways selbst, oben auf der Übersicht und in einer Sitzung.

runtime-missing = Die Laufzeitumgebung ist nicht da: { $why }.
runtime-slow = Die Laufzeitumgebung wird gestartet: { $why }.
agent = Der Agent { $agent } kann nicht arbeiten: { $why }.
agent-rest = Seit { $since }. Sobald ihn jemand braucht, wird es wieder versucht.
since = Seit { $since }.
tried = { $n ->
    [one] Seit { $since }, ein Versuch war vergeblich.
   *[other] Seit { $since }, { $n } Versuche waren vergeblich.
}
next = Nächster Versuch um { $time }.
now = Ein Versuch läuft.
last-lines = Ihre letzten Zeilen
logs = { $n ->
    [one] Das Protokoll einer Sitzung kann nicht geschrieben werden: { $why }.
   *[other] Die Protokolle von { $n } Sitzungen können nicht geschrieben werden: { $why }.
}
logs-kept = Seit { $since }. Was geschieht, bleibt im Arbeitsspeicher und wird geschrieben, sobald das wieder geht.
audit = Das Audit-Protokoll kann nicht geschrieben werden: { $why }.
cluster = Dieses Gateway ist vom Cluster abgeschnitten: { $why }.
cluster-rest = Seit { $since }. Sitzungen anderer Rechner sind vielleicht nicht auf dem neuesten Stand, und an sie kann nichts gesendet werden.
session-away = { $away }.
session-away-rest = Was geschehen ist, lässt sich lesen. Antworten und Nachrichten können gesendet werden, sobald er wieder da ist.

## Wenn ein Fehler eine Ansicht angehalten hat

stopped = Ein Fehler in Pilothouse hat diese Ansicht angehalten. Was Sie sehen, ist der letzte Stand; Neues wird nicht gezeigt, und nichts wird gesendet.
start-again = Neu starten
copy-report = Bericht kopieren
report-copied = Kopiert

## Ein Server anderer Version

newer-server = Der Server spricht ein neueres Protokoll ({ $theirs }) als diese Seite ({ $ours }). Was daran neu ist, wird nicht gezeigt. Laden Sie die Seite neu, oder aktualisieren Sie sie.
older-server = Der Server spricht ein älteres Protokoll ({ $theirs }) als diese Seite ({ $ours }). Was er noch nicht kennt, lehnt er ab. Aktualisieren Sie den Server.

## Wer die Sitzung gerade noch sieht

watching = Schauen gerade zu: { $who }
watching-unnamed = { $n } ohne Namen
watching-by-link = { $n } per Link
