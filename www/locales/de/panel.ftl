plan = Plan
checklist = To-dos
changed-files = Geänderte Dateien
works = Agenten und Hintergrundarbeit
servers = MCP-Server
skills = Skills
agents = Eigene Agenten
tools = Werkzeuge
schedules = Zeitpläne
own-files = Dateien der Sitzung
usage = Verbrauch und Kosten
context = Kontextfenster
canvases = Canvases
tray = Systemmeldungen
empty = Plan, To-dos, geänderte Dateien, Agenten, Server, Skills, Zeitpläne und Kosten erscheinen hier, sobald es sie gibt.

plan-untold = Es gibt einen Plan, aber sein Text ist hier nicht angekommen.
plan-changed = Der Plan hat sich seither geändert. Was sich geändert hat, ist hier nicht bekannt.
plan-show = Zeigen, wo er vorgeschlagen wurde

done = Erledigt
running = Läuft
failed = Fehlgeschlagen
stopped = Angehalten
open = Offen
in-progress = In Arbeit
blocked = Blockiert
connected = Verbunden
connecting = Verbindet sich
needs-sign-in = Anmeldung nötig
needs-reconnect = Muss neu verbunden werden
off = Aus

checklist-done = { $n } von { $all } erledigt
checklist-uncertain = Die Liste wurde so geändert, dass es hier nicht nachzuvollziehen ist: Sie kann veraltet sein.

running-count = { $n ->
    [one] { $n } läuft
   *[other] { $n } laufen
}
failed-count = { $n } fehlgeschlagen
calls = { $n ->
    [one] { $n } Aufruf
   *[other] { $n } Aufrufe
}
tool-calls = { $n ->
    [one] { $n } Werkzeugaufruf
   *[other] { $n } Werkzeugaufrufe
}
used-count = { $n } verwendet
used-offered = { $n } verwendet, { $offered } angeboten
shell = Shell
run = Lauf

server-status = { $status ->
    [connected] verbunden
    [failed] fehlgeschlagen
    [pending] verbindet sich
    [needs-auth] Anmeldung nötig
    [needs-reconnect] muss neu verbunden werden
    [stopped] angehalten
    [disabled] aus
    [not_configured] nicht eingerichtet
    [unavailable] nicht verfügbar
    [signed-out] nicht angemeldet
   *[other] { $said }
}
source = { $source ->
    [builtin] eingebaut
    [user] persönlich
    [personal] persönlich
    [workspace] Arbeitsbereich
    [project] Projekt
    [plugin] Plugin
    [managed] verwaltet
   *[other] { $said }
}
skill-used = verwendet
skill-off = aus
canvas-open = offen
canvas-away = gerade nicht verfügbar
file-created = erstellt
file-changed = geändert
file-new = neu
edits = { $n ->
    [one] { $n } Änderung
   *[other] { $n } Änderungen
}

every = alle { $time }
after = nach { $time }
self-paced = wenn der Agent es für richtig hält
once = einmal
next = nächstes Mal { $date }
objective = Ziel des Autopiloten

by-prompt = Diese Zahlen meldet der Agent für jeden Prompt. Wie oft er das Modell gefragt hat, sagt er nicht.
by-model = Verbrauch nach Modell
by-agent = Verbrauch nach Agent
model = Modell
agent = Agent
main-agent = Hauptagent
unknown = Unbekannt
calls-head = Aufrufe
read = Gelesen
cached = Cache
written = Geschrieben
percent = { $n } %
premium-requests = Premium-Anfragen
credits = KI-Credits
cache-written = In Caches geschriebene Tokens
thinking-tokens = Tokens zum Denken
model-time = Dauer der Modellaufrufe
used-of = { $used } von { $all }
quota = Kontingent: { $name }
unlimited = unbegrenzt
left = { $n } % übrig
left-until = { $n } % übrig, beginnt am { $date } neu

system-prompt = System-Prompt
part-tools = Werkzeuge
conversation = Unterhaltung
part-used = Belegt
part-other = Sonstiges
part-free = Frei
tokens-in-all = { $n ->
    [one] { $n } Token insgesamt
   *[other] { $n } Tokens insgesamt
}

wishes = Wenn Sie nicht hinsehen
notify = Benachrichtigen
sound = Ton abspielen
wishes-hint = Wenn dieser Tab im Hintergrund ist und der Agent Sie braucht oder fertig ist.
notify-refused = Der Browser erlaubt für diese Seite keine Benachrichtigungen. Erlauben Sie sie in seinen Einstellungen.
told-needed = Der Agent braucht Sie
told-done = Der Agent ist fertig
told-failed = Der Agent hat wegen eines Fehlers angehalten
