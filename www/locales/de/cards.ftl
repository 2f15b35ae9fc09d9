copy = Kopieren
copied = Kopiert
copied-hidden = Kopiert, mit verborgenen Zeichen
not-allowed = Nicht erlaubt
what-is-copied = : { $what }
the-diff = Diff
the-value = Wert als JSON

actions = Aktionen
copy-message = Nachricht kopieren
copy-command = Befehl kopieren
copy-result = Ergebnis kopieren

show-all = Alles zeigen ({ $size })
more-lines = { $n ->
    [one] { $n } weitere Zeile
   *[other] { $n } weitere Zeilen
} zeigen
more-of = { $n } weitere von { $all } zeigen
more-text = Weitere { $size } von { $all } zeigen

earlier-not-kept = { $n ->
    [one] { $n } frühere Zeile ist nicht mehr da
   *[other] { $n } frühere Zeilen sind nicht mehr da
}
earlier-not-printed = { $n ->
    [one] { $n } frühere Zeile ist nicht gedruckt
   *[other] { $n } frühere Zeilen sind nicht gedruckt
}
show-earlier = { $n ->
    [one] { $n } frühere Zeile
   *[other] { $n } frühere Zeilen
} zeigen
show-earlier-kept = { $n ->
    [one] { $n } frühere Zeile
   *[other] { $n } frühere Zeilen
} zeigen ({ $gone ->
    [one] { $gone } davor ist nicht mehr da
   *[other] { $gone } davor sind nicht mehr da
})

binary = { $path } (binär)
new-file = { $path } (neue Datei)
deleted = { $path } (gelöscht)

line-ends = Die Zeilenenden ändern sich: von { $from } zu { $to }
mode = Die Rechte der Datei ändern sich: { $from } zu { $to }
mark-added = Am Anfang kommt eine Byte-Reihenfolge-Markierung (BOM) hinzu
mark-removed = Die Byte-Reihenfolge-Markierung (BOM) am Anfang entfällt
break-added = Die letzte Zeile erhält einen Zeilenumbruch
break-removed = Die letzte Zeile verliert ihren Zeilenumbruch
white-space = In einigen Zeilen ändern sich nur Leerzeichen und Tabulatoren
nothing-else = Sonst ändert sich nichts

items = { $n ->
    [one] { $n } Element
   *[other] { $n } Elemente
}
fields = { $n ->
    [one] { $n } Feld
   *[other] { $n } Felder
}

printed-part = Die letzten { $n } von { $all } Einträgen. Ein Export enthält alle.

messages = Nachrichten
tools = Werkzeuge
files = Dateien
requests = Anfragen
errors = Fehler
