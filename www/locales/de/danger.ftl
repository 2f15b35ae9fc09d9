### Gefahren eines Befehls, eines Pfads oder einer Adresse.

fetch-and-run = Führt aus, was es aus dem Netz holt, ungesehen: { $what }
decode-and-run = Dekodiert etwas und führt es aus; was läuft, ist hier nicht zu lesen: { $what }
pipe-to-shell = Führt aus, was ein anderer Befehl ausgibt: { $what }
elevated = Läuft mit mehr Rechten als Ihren: { $what }
deletes-outside = Löscht außerhalb des Projekts: { $what }
deletes-all = Löscht das ganze Projekt oder seine Geschichte: { $what }
deletes-unknown = Was gelöscht wird, zeigt sich erst beim Ausführen: { $what }
deletes-data = Löscht Daten, die ein Dienst speichert: { $what }
deletes-by-name = Löscht dem Namen nach etwas endgültig: { $what }
stops-all = Fährt diesen Rechner herunter oder beendet alle Programme darauf: { $what }
disk = Überschreibt einen ganzen Datenträger: { $what }
runs-later = Ändert etwas, das später von selbst läuft: { $what }
outside-settings = Ändert Einstellungen Ihres Kontos oder des Systems: { $what }
writes-outside = Schreibt außerhalb des Projekts: { $what }
outside = Außerhalb des Projekts: { $what }
secrets = Kann Passwörter oder Schlüssel enthalten: { $what }
force-push = Überschreibt oder löscht auf dem Server, was andere haben können: { $what }
discards = Verwirft Arbeit, die sonst nirgends gespeichert ist: { $what }
eval = Führt Text als Programm aus: { $what }
network-shell = Verbindet eine Shell mit dem Netz: { $what }
listens = Ist aus dem Netz erreichbar, solange es läuft: { $what }
sends-files = Schickt Dateien an einen anderen Rechner: { $what }
open-to-all = Gibt allen auf diesem Rechner Rechte daran: { $what }
installs = Installiert Pakete oder führt sie aus; deren eigene Skripte können hier laufen: { $what }
leads-elsewhere = Der Pfad führt woandershin: { $what }
new-in-file = Neu in der Datei: { $what }
this-file = diese Datei
unread = Ein Teil lässt sich hier nicht lesen; was er tut, ist nicht bekannt: { $what }

## Was ein Befehl tut

does-look = { $place ->
    [first] Liest Dateien oder die Versionsgeschichte
   *[then] liest dann Dateien oder die Versionsgeschichte
}
does-test = { $place ->
    [first] Führt die Tests aus
   *[then] führt dann die Tests aus
}
does-check = { $place ->
    [first] Prüft den Code
   *[then] prüft dann den Code
}
does-build = { $place ->
    [first] Baut das Projekt
   *[then] baut dann das Projekt
}
does-format = { $place ->
    [first] Formatiert den Code
   *[then] formatiert dann den Code
}
does-install = { $place ->
    [first] Installiert Pakete, deren Skripte hier laufen können
   *[then] installiert dann Pakete, deren Skripte hier laufen können
}
does-run = { $place ->
    [first] Führt { $what } aus diesem Projekt aus
   *[then] führt dann { $what } aus diesem Projekt aus
}
does-create = { $place ->
    [first] Legt Dateien oder Ordner an
   *[then] legt dann Dateien oder Ordner an
}
does-copy = { $place ->
    [first] Kopiert Dateien
   *[then] kopiert dann Dateien
}
does-move = { $place ->
    [first] Verschiebt Dateien
   *[then] verschiebt dann Dateien
}
does-write = { $place ->
    [first] Schreibt { $what }
   *[then] schreibt dann { $what }
}
does-delete = { $place ->
    [first] Löscht { $what }
   *[then] löscht dann { $what }
}
does-commit = { $place ->
    [first] Macht einen Commit
   *[then] macht dann einen Commit
}
does-push = { $place ->
    [first] Überträgt Commits an einen Server
   *[then] überträgt dann Commits an einen Server
}
does-fetch = { $place ->
    [first] Holt von einem Server
   *[then] holt dann von einem Server
}
does-look-at-machine = { $place ->
    [first] Sieht nach, was auf diesem Rechner läuft
   *[then] sieht dann nach, was auf diesem Rechner läuft
}
does-version = { $place ->
    [first] Zeigt Versionen an
   *[then] zeigt dann Versionen an
}
does-fix = { $place ->
    [first] Prüft den Code und korrigiert ihn
   *[then] prüft dann den Code und korrigiert ihn
}
does-install-only = { $place ->
    [first] Installiert Pakete, ohne deren Skripte auszuführen
   *[then] installiert dann Pakete, ohne deren Skripte auszuführen
}
does-run-package = { $place ->
    [first] Führt { $what } aus und installiert vorher, was dafür fehlt
   *[then] führt dann { $what } aus und installiert vorher, was dafür fehlt
}
does-list-packages = { $place ->
    [first] Listet Pakete auf
   *[then] listet dann Pakete auf
}
does-make-executable = { $place ->
    [first] Macht { $what } ausführbar
   *[then] macht dann { $what } ausführbar
}
does-stage = { $place ->
    [first] Merkt Änderungen für den nächsten Commit vor
   *[then] merkt dann Änderungen für den nächsten Commit vor
}
does-amend = { $place ->
    [first] Ändert den letzten Commit
   *[then] ändert dann den letzten Commit
}
does-branch = { $place ->
    [first] Legt einen Branch an oder wechselt zu einem
   *[then] legt dann einen Branch an oder wechselt zu einem
}
does-pull = { $place ->
    [first] Holt von einem Server und aktualisiert den Branch
   *[then] holt dann von einem Server und aktualisiert den Branch
}
does-read-github = { $place ->
    [first] Liest von GitHub
   *[then] liest dann von GitHub
}
does-pull-request = { $place ->
    [first] Eröffnet einen Pull-Request auf GitHub
   *[then] eröffnet dann einen Pull-Request auf GitHub
}
does-ask-local = { $place ->
    [first] Fragt einen Server auf diesem Rechner ab
   *[then] fragt dann einen Server auf diesem Rechner ab
}
does-look-at-containers = { $place ->
    [first] Zeigt Container oder deren Protokolle
   *[then] zeigt dann Container oder deren Protokolle
}
does-image = { $place ->
    [first] Baut ein Container-Image
   *[then] baut dann ein Container-Image
}
does-start = { $place ->
    [first] Startet die Container dieses Projekts
   *[then] startet dann die Container dieses Projekts
}
does-stop = { $place ->
    [first] Hält die Container dieses Projekts an
   *[then] hält dann die Container dieses Projekts an
}
does-look-at-cluster = { $place ->
    [first] Liest den Zustand eines Clusters
   *[then] liest dann den Zustand eines Clusters
}
