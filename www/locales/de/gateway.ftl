### Probleme des Gateways selbst, oben auf der Übersicht und in einer Sitzung.

runtime-missing = Die Laufzeit ist nicht da: { $why }.
runtime-slow = Die Laufzeit wird gestartet: { $why }.
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
