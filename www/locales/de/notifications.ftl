line = { $source }: { $text }
note-failed = { $failed } fehlgeschlagen · { $n }
failed = { $n } fehlgeschlagen
error = Fehler
warning = Warnung
note = Hinweis

hooks = Hooks
permissions = Berechtigungen
sandbox = Sandbox
organization = Organisation
extensions = Erweiterungen
clients = Clients
session = Sitzung
tools = Werkzeuge
memory = Gedächtnis
checklist = To-dos
background-work = Hintergrundarbeit
factory = Factory
workflow = Workflow
search-index = Suchindex
auto = Auto
model = Modell
fusion = Fusion

server-removed = steht nicht mehr in der Liste der Server
server-reconnect = muss neu verbunden werden
server-tools = bietet andere Werkzeuge an
server-resources = bietet andere Ressourcen an
server-prompts = bietet andere Prompts an
server-status = { $status ->
    [connected] verbunden
    [failed] fehlgeschlagen
    [pending] verbindet sich
    [needs-auth] Anmeldung nötig
    [stopped] angehalten
    [disabled] aus
    [not_configured] nicht eingerichtet
    [unavailable] nicht verfügbar
    [signed-out] nicht angemeldet
   *[other] { $said }
}
headers-asked = bat den Host um neue Header
headers-why = { $reason ->
    [ttl-expired] die alten sind abgelaufen
    [auth-failed] die alten wurden abgelehnt
   *[other] { $said }
}
headers-got = bekam neue Header vom Host
headers-none = macht ohne neue Header weiter
headers-late = bekam nicht rechtzeitig neue Header
headers-failed = konnte keine neuen Header bekommen
app-called = seine App rief { $tool } auf
app-failed = seine App konnte { $tool } nicht aufrufen{ $why ->
    [missing] { "" }
   *[other] : { $why }
}

carried-forward = ein Aufruf lief ohne neue Rückfrage: { $by ->
    [human_response] die Antwort eines Menschen
    [assisted_approval] die Antwort eines Modells
    [host_policy] die Richtlinie des Hosts
    [unattended_fallback] was gilt, wenn niemand da ist,
   *[other] eine frühere Antwort
} deckt ihn ab
sandbox-rules = Regeln ({ $control }): { $outcome }
sandbox-inactive = nicht aktiv ({ $control })
sandbox-denied = verweigert: { $what }{ $resource ->
    [missing] { "" }
   *[other] : { $resource }
}
rules-unread = ihre Regeln waren nicht lesbar: Was sie verbieten könnten, ist verboten
rules-none = hier gelten keine Regeln einer Organisation
rules-no-bypass = „Alles erlauben“ ist gesperrt
rules-from = { $n ->
    [one] { $n } Regel, Quelle: { $source }
   *[other] { $n } Regeln, Quelle: { $source }
}

extensions-none = keine sind geladen
attached-none = der nächsten Nachricht ist nichts mehr angehängt
attached = { $names } für die nächste Nachricht
shows-nothing = können nichts Eigenes anzeigen
shows = können anzeigen: { $what }
shows-forms = Formulare
shows-apps = MCP-Apps
shows-canvases = Canvases
commands-none = bringen keine Befehle mit
commands = bringen { $names } mit

hook-ran = { $hook } lief
steerable = sie lässt sich von anderswo steuern
not-steerable = sie lässt sich nicht von anderswo steuern
interrupted = { $activity ->
    [model_call] bei einem Modellaufruf unterbrochen, nach { $time }
    [retry_backoff] beim Warten auf einen neuen Versuch unterbrochen, nach { $time }
    [tool_call] bei einem Werkzeugaufruf unterbrochen, nach { $time }
    [background_agent] bei einem Agenten im Hintergrund unterbrochen, nach { $time }
   *[other] unterbrochen: { $said }
}
tools-changed = die für { $model } haben sich geändert
tools-found = eine Suche schaltete { $names } ein
memory-changed = eine Erinnerung wurde gespeichert oder bewertet
checklist-changed = der Agent schrieb in seine Liste
background-changed = etwas begann, ging weiter oder endete
run-went-on = { $name ->
    [missing] ein Lauf ging weiter
   *[other] { $name } ging weiter
}
revision = Revision { $n }
tier-recommended = empfiehlt die Stufe „{ $tier }“
call-failed = ein Aufruf von { $model ->
    [missing] dem Modell
   *[other] { $model }
} schlug fehl{ $code ->
    [missing] { "" }
   *[other] { " " }mit { $code }
}
cache-broke = { $n ->
    [one] { $n } Token aus dem Cache wird neu gelesen
   *[other] { $n } Tokens aus dem Cache werden neu gelesen
}

fusion-models = { $second ->
    [missing] { $first } für die Runde
   *[other] { $first } und { $second } für die Runde
}
fusion-saved = die bisherigen Änderungen sind vermerkt
fusion-changed = { $lines } in { $n ->
    [one] { $n } Datei
   *[other] { $n } Dateien
}, verworfene Entwürfe mitgezählt
fusion-ended = { $outcome } nach { $phases ->
    [one] { $phases } Phase
   *[other] { $phases } Phasen
} und { $calls ->
    [one] { $calls } Aufruf
   *[other] { $calls } Aufrufen
}
fusion-tokens = { $read } Tokens gelesen, { $written } geschrieben
fusion-phase = { $phase } durch { $model }: { $status }

index-state = { $what ->
    [disabled] nicht in Gebrauch
    [starting] wird gestartet
    [enabled] in Gebrauch, noch nicht vollständig
    [ready] bereit
    [failed] ausgefallen
   *[other] { $said }
}
index-startup = { $what ->
    [started] gestartet
    [reused_existing] der schon laufende wird verwendet
    [skipped_below_threshold] nicht gestartet: Das Projekt hat nur wenige Dateien
    [skipped_no_gitroot] nicht gestartet: Dies ist kein Git-Repository
    [skipped_disabled] nicht gestartet: ausgeschaltet
    [failed] konnte nicht gestartet werden
   *[other] { $said }
}
index-disabled = { $why ->
    [use_tgrep_false] durch die Umgebung ausgeschaltet
    [use_builtin_ripgrep_false] ein anderes Suchprogramm wird verwendet
    [organization] die Organisation hat ihn ausgeschaltet
    [organization_policy_auth_pending] die Regeln der Organisation sind erst nach der Anmeldung bekannt
    [organization_policy_unknown] die Regeln der Organisation konnten nicht gelesen werden
    [virtual_filesystem] das Projekt liegt auf einem virtuellen oder Netzlaufwerk
    [cloud_sync_root] das Projekt liegt in einem Ordner, den ein Cloud-Dienst synchronisiert
    [cloud_sync_detection_failed] ob ein Cloud-Dienst den Ordner synchronisiert, ließ sich nicht feststellen
    [workspace_not_local] das Projekt liegt nicht auf dem Rechner der Laufzeitumgebung
   *[other] { $said }
}
index-broke = { $what ->
    [spawn_error] sein Server konnte nicht gestartet werden
    [unexpected_exit] sein Server hat sich unerwartet beendet
    [killed_by_signal] sein Server wurde zwangsweise beendet
   *[other] { $said }
}
index-changed = { $what ->
    [changes_detected] Dateien haben sich geändert
    [updated] wieder auf dem neuesten Stand
   *[other] { $said }
}
index-files = { $n ->
    [one] { $n } Datei
   *[other] { $n } Dateien
}
index-counts = { $added } neu, { $changed } geändert, { $deleted } gelöscht
thinking-dropped = { $n ->
    [one] der Anbieter hat { $n } früheren Gedanken weggelassen
   *[other] der Anbieter hat { $n } frühere Gedanken weggelassen
}
