list-comma = { ", " }
runtime-word = { $word ->
    [bypass] Verlassen der Sandbox
    [process] Prozesse
    [filesystem] Dateisystem
    [network] Netzwerk
    [routing] Routing
    [credentials] Zugangsdaten
    [platform] Plattform
    [resolved] festgelegt
    [inactive] inaktiv
    [engaged] aktiv
    [succeeded] gelungen
    [failed] fehlgeschlagen
    [degraded] eingeschränkt
    [denied] verweigert
    [approved] genehmigt
    [declined] abgelehnt
    [cancelled] abgebrochen
    [completed] abgeschlossen
    [committed] übernommen
    [active] aktiv
    [paused] pausiert
    [cap_reached] Obergrenze erreicht
    [running] läuft
    [builtin_filesystem] eigene Dateizugriffe
    [search] Suche
    [web_fetch] Webabruf
    [mcp] MCP
    [lsp] LSP
    [shell] Shell
    [denied_paths_unsupported] gesperrte Pfade nicht unterstützt
    [unsupported_platform] Plattform nicht unterstützt
    [filesystem_read] Lesen von Dateien
    [filesystem_write] Schreiben von Dateien
    [process_startup] Start eines Prozesses
    [registry_access] Zugriff auf die Registry
    [ipc_access] Zugriff auf IPC
    [process_access] Zugriff auf Prozesse
    [job_access] Zugriff auf Jobs
    [ui_access] Zugriff auf die Oberfläche
    [service_access] Zugriff auf Dienste
    [network_outbound] ausgehende Verbindung
    [network_local] lokale Verbindung
    [network_host] Verbindung zum Host
    [other_access] anderer Zugriff
    [primary] Hauptschritt
    [judge] Urteil
    [repair] Nachbesserung
    [draft] Entwurf
    [critic] Kritik
    [revision] Überarbeitung
    [follow_up] Anschluss
    [single] ein Modell
    [cascade] Kaskade
    [critique] Kritik
    [efficiency] Sparsamkeit
    [balance] Ausgewogenheit
    [intelligence] Intelligenz
    [fast] Tempo
    [policy_rejected] die Richtlinie verbietet es
    [request_failed] die Anfrage ist fehlgeschlagen
    [setup_failed] die Einrichtung ist fehlgeschlagen
    [unsupported] nicht unterstützt
    [server] Server
    [device] Gerät
    [client] Client
    [policyHelper] Richtliniendienst
    [mixed] mehrere Quellen
    [chat] Chat
    [completions] Vervollständigungen
    [premium_interactions] Premium-Anfragen
   *[other] { $said }
}

setting-changed = { $setting }: { $from } → { $to }
mode-changed = { $from ->
    [missing] Modus: { $mode }
   *[other] Modus: { $from } → { $mode }
}
unknown = unbekannt
model-changed = Modell: { $from ->
    [missing] { $model }
   *[other] { $from } → { $model }
}{ $effort ->
    [missing] { "" }
   *[other] , Denkaufwand { $effort }
}{ $cause ->
    [rate_limit_auto_switch] { " " }wegen eines Ratenlimits
    [refusal_fallback] , weil das andere Modell abgelehnt hat
   *[other] { "" }
}
model-deselected = { $model } ist nicht mehr ausgewählt: { $why ->
    [provider_withdrawn] Der Anbieter hat es zurückgezogen
   *[other] { $said }
}. Als Nächstes antwortet ein Standardmodell
effort-changed = Denkaufwand von { $model }: { $from ->
    [missing] { "" }
   *[other] { $from } →{ " " }
}{ $effort ->
    [missing] der des Modells
   *[other] { $effort }
}{ $cause ->
    [rate_limit_auto_switch] { " " }wegen eines Ratenlimits
    [refusal_fallback] , weil das andere Modell abgelehnt hat
   *[other] { "" }
}
permissions = Berechtigungen: { $mode ->
    [allow-all] alles ist ohne Rückfrage erlaubt
    [assisted] ein Modell entscheidet und fragt im Zweifel
    [manual] jede wird einzeln erfragt
    [missing] unbekannt
   *[other] { $said }
}
compacting = Unterhaltung wird verdichtet{ $why ->
    [threshold] , weil sich das Kontextfenster gefüllt hat
    [context_limit_retry] , weil das Kontextfenster voll war
    [manual] { " " }wie gewünscht
    [memory_pressure] , um Speicher freizugeben
    [model_switch] { " " }für das nächste Modell
   *[other] { "" }
}
compacted = Unterhaltung verdichtet{ $why ->
    [threshold] , weil sich das Kontextfenster gefüllt hat
    [context_limit_retry] , weil das Kontextfenster voll war
    [manual] { " " }wie gewünscht
    [memory_pressure] , um Speicher freizugeben
    [model_switch] { " " }für das nächste Modell
   *[other] { "" }
}{ $before ->
    [missing] { "" }
   *[other] : { $before } → { $after } Tokens
}
compaction-interrupted = Verdichten unterbrochen
compaction-failed = Verdichten fehlgeschlagen{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
truncated = { $n ->
    [one] Die älteste Nachricht ({ $tokens } Tokens) sieht das Modell nicht mehr
   *[other] Die ältesten { $n } Nachrichten ({ $tokens } Tokens) sieht das Modell nicht mehr
}{ $before ->
    [missing] { "" }
   *[other] : { $before } → { $after } Tokens
}
rewound = { $n ->
    [one] Zurückgespult: { $n } Ereignis sieht das Modell nicht mehr
   *[other] Zurückgespult: { $n } Ereignisse sieht das Modell nicht mehr
}
cleared = { $n ->
    [one] Kontext geleert: { $n } Nachricht sieht das Modell nicht mehr
   *[other] Kontext geleert: { $n } Nachrichten sieht das Modell nicht mehr
}
transcript = Mitschrift von { $agent } ({ $form })
transcript-lines = { $n ->
    [one] { $n } Zeile
   *[other] { $n } Zeilen
}
transcript-left-out = { $n ->
    [one] { $n } ausgelassen
   *[other] { $n } ausgelassen
}
handed-off = Übergeben von { $kind ->
    [missing] einer anderen Sitzung
    [remote] einer entfernten Sitzung
    [local] einer lokalen Sitzung
   *[other] einer Sitzung ({ $said })
}
agent-selected = Agent: { $name }
agent-default = Zurück zum Standardagenten

task-complete = Aufgabe erledigt
task-unfinished = Die Aufgabe ist noch nicht erledigt
task-failed = Die Aufgabe konnte nicht erledigt werden

session-resumed = Sitzung fortgesetzt
restarting = Der Agent wurde unerwartet beendet. Was lief, ist unterbrochen; der Agent wird neu gestartet
restarted = Der Agent wurde neu gestartet. Was lief, wurde unterbrochen
restarted-anew = Der Agent wurde neu gestartet. Was lief, wurde unterbrochen; was angefragt war, gilt nicht mehr
connection-back = Die Verbindung zum Agenten war kurz unterbrochen. Seine Arbeit ging weiter
call-lost = Ein schon erlaubter Aufruf ging beim Neustart des Agenten verloren
session-over = { $how ->
    [crashed] Sitzung abgestürzt
   *[other] Sitzung beendet
}{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
requests = { $n ->
    [one] { $n } Anfrage
   *[other] { $n } Anfragen
}
model-time = { $time } Modellzeit
changed-lines = +{ $added } −{ $removed }{ $files ->
    [0] { "" }
    [one] { " " }in { $files } Datei
   *[other] { " " }in { $files } Dateien
}
stopped = { $why ->
    [user_initiated] Von Ihnen angehalten
    [remote_command] Von anderswo angehalten
    [autopilot_credit_limit] Angehalten: Autopilot hat sein Credit-Limit erreicht
    [missing] Angehalten
   *[other] Angehalten: { $said }
}
autopilot-goes-on = Autopilot macht weiter

trying-again = Neuer Versuch{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
background-goes-on = Arbeit im Hintergrund geht weiter
choosing-models = Modelle werden gewählt

gone-ended = Die Sitzung ist beendet
gone-resumed = Die Sitzung wurde fortgesetzt: Dies wird nicht mehr angefragt
gone-idle = Die Runde endete ohne Antwort
gone-stopped = Die Runde wurde angehalten
gone-unlisted = Nicht mehr angefragt
accepted = Angenommen
dismissed = Verworfen
reply-broke = Die Antwort des Agenten brach hier ab. Was vorher kam, ist noch da.

error-silent = Ein Fehler ohne Meldung
notice-silent = { $category }, ohne Meldung
command-not-run = { $command } wurde nicht ausgeführt: { $why }
nameless-event = ein Ereignis ohne Namen
unreadable-event = Ein Ereignis konnte nicht gelesen werden: { $why }
hook-failed = Hook „{ $hook }“ fehlgeschlagen{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
fusion-route-failed = Die Modelle für diese Runde konnten nicht gewählt werden: { $model ->
    [missing] ein anderes Modell
   *[other] { $model }
} antwortet allein
fusion-phase-failed = { $phase }{ $model ->
    [missing] { "" }
   *[other] { " " }durch { $model }
} fehlgeschlagen{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
auto-tier-failed = Auto konnte nicht zu { $tier ->
    [missing] „Standard“
   *[other] „{ $tier }“
} wechseln: { $why }{ $stays ->
    [missing] { "" }
   *[other] ; es bleibt bei „{ $stays }“
}
policy-prevents = Die Einstellung { $setting } Ihrer Organisation verhindert das
remedy = { $action ->
    [sign_in] Erneut anmelden
    [switch_account] Zu einem anderen Konto wechseln
    [show_account] Nachsehen, welches Konto angemeldet ist
    [review_sandbox_policy] Prüfen, was die Sandbox erlaubt
    [allow_sandbox_outbound] Der Sandbox Zugang zum Netzwerk geben
   *[other] { $said }
}

file-told = { $what ->
    [created] Datei { $name } erstellt
    [deleted] Datei { $name } gelöscht
   *[other] Datei { $name } geändert
}
file-told-own = { $what ->
    [created] Datei { $name } dieser Sitzung erstellt
    [deleted] Datei { $name } dieser Sitzung gelöscht
   *[other] Datei { $name } dieser Sitzung geändert
}
agent-ended = { $how ->
    [failed] Der Agent { $name } ist gescheitert
   *[done] Der Agent { $name } ist fertig
}
shell-ended = Der Befehl im Hintergrund ist beendet{ $code ->
    [missing] { "" }
   *[other] , Exit-Code { $code }
}: { $name ->
    [missing] Shell { $shell }
   *[other] { $name }
}
workflow-ended = { $how ->
    [failed] Der Workflow { $name } wurde nicht fertig
   *[done] Der Workflow { $name } ist fertig
}
instructions-found = Anweisungen gefunden in { $path }
skill-used = Skill { $name } wird verwendet
skill-again = Skill { $name } wird erneut verwendet
attachment = Anhang
attachment-withheld = { $name } (nicht an das Modell gegeben)
mcp-task = { $server }: Aufgabe{ $id ->
    [missing] { "" }
   *[other] { " " }{ $id }
}{ $tool ->
    [missing] { "" }
   *[other] { " " }von { $tool }
} { $status ->
    [working] läuft
    [input_required] braucht eine Eingabe
    [completed] ist fertig
    [failed] ist fehlgeschlagen
    [unfinished] endete mit der Sitzung
   *[cancelled] wurde abgebrochen
}{ $why ->
    [missing] { "" }
   *[other] : { $why }
}

recovery = { $word ->
    [recovering] Autopilot darf das nicht und sucht einen anderen Weg
    [awaiting_approval] Autopilot hat keinen anderen Weg gefunden und bittet um Erlaubnis
    [resolved] Autopilot macht weiter
    [blocked] Autopilot ist blockiert
   *[other] Autopilot ohne Erlaubnis: { $said }
}
recovery-of = { $word ->
    [shell] Befehl
    [commands] Befehl
    [write] Schreiben
    [read] Lesen
    [path] Pfad
    [url] Adresse
    [mcp] Werkzeug eines Servers
    [custom-tool] Werkzeug
    [tool] Werkzeug
    [memory] Erinnerung
    [hook] Hook
    [workflow] Workflow
    [factory] Factory
    [extension-management] Erweiterungen
    [extension-permission-access] Fähigkeiten einer Erweiterung
    [extension-env-access] Umgebungsvariablen
   *[other] { $said }
}{ $what ->
    [missing] { "" }
   *[other] : { $what }
}
recovery-why = { $word ->
    [permission_required] eine Erlaubnis ist nötig
    [repeated_attempt] dasselbe wurde noch einmal versucht
    [attempts_exhausted] die Versuche sind aufgebraucht
    [permission_approved] ein Mensch hat es erlaubt
    [permission_denied] ein Mensch hat es abgelehnt
    [responder_unavailable] niemand war da, um zu antworten
    [equivalent_alternative_succeeded] ein anderer Weg hat funktioniert
   *[other] { $said }
}
recovery-count = Versuch { $n } von { $most }
recovery-else = { $word ->
    [ask] Findet sich kein Weg, wird ein Mensch gefragt
    [fail] Findet sich kein Weg, ist die Aufgabe blockiert: Niemand kann gefragt werden
   *[other] Findet sich kein Weg: { $said }
}
recovery-relation = { $word ->
    [initial] erster Versuch
    [retry] dasselbe noch einmal
    [alternative] ein anderer Weg
   *[other] { $said }
}
recovery-became = { $word ->
    [deferred] ohne Rückfrage verweigert
    [prompted] Erlaubnis erbeten
    [approved] erlaubt
    [denied] abgelehnt
    [blocked] blockiert
    [succeeded] hat funktioniert
   *[other] { $said }
}
blocked = { $word ->
    [permission_recovery] Autopilot ist blockiert: Es fehlt eine Erlaubnis
   *[other] Blockiert: { $said }
}
blocked-until = { $word ->
    [yes] Mit einer Antwort oder Nachricht geht es weiter
   *[no] Die Aufgabe kann nicht fortgesetzt werden
}
