search-session = In dieser Sitzung suchen
match-before = Voriger Treffer (Umschalt Eingabe)
match-next = Nächster Treffer (Eingabe)
turn-before = Vorige Runde (k)
turn-next = Nächste Runde (j)
close = Suche schließen (Esc)

searching = Suche läuft …
no-match = Kein Treffer
place = { $at } von { $all }
place-within = { $place } · { $at }/{ $of }
entries = { $n ->
    [one] { $n } Eintrag
   *[other] { $n } Einträge
}

show-only = Nur zeigen
filter-hides = { $all ->
    [one] Ein Filter ist aktiv: { $hidden } von { $all } Eintrag ausgeblendet.
   *[other] Ein Filter ist aktiv: { $hidden } von { $all } Einträgen ausgeblendet.
}
filter-passed = { $all ->
    [one] Ein Filter ist aktiv. Der einzige Eintrag passt dazu.
   *[other] Ein Filter ist aktiv. Alle { $all } Einträge passen dazu.
}
show-all = Alles zeigen

export = Exportieren …
markdown = Markdown
markdown-for = für andere Texte und Werkzeuge
web-page = Webseite (HTML)
web-page-for = eine Datei, zum Lesen und Verschicken
events = Ereignisse (JSONL)
events-for = wie sie kamen
print = Drucken
print-for = oder als PDF sichern
exported = { $file } exportiert
not-exported = Der Browser hat die Datei nicht angenommen

nothing-to-copy = Noch nichts zu kopieren
not-copied = Nicht kopiert: Der Browser verbietet es

help = Tasten
help-when = Buchstaben wirken, solange die Seite den Fokus hat und niemand schreibt.
help-close = Hilfe schließen
screen-reader = Mit einem Screenreader
spoken-feed = Der Verlauf ist ein Feed aus Artikeln; jeder ist danach benannt, wer spricht oder was er ist.
spoken-requests = Anfragen sind Warndialoge im Feed; den Fokus nehmen sie sich nie von selbst.
spoken-status = Eine Statuszeile sagt, wann der Agent arbeitet, fragt oder geantwortet hat; Text, der gerade entsteht, liest sie nie vor.
spoken-groups = Suche, Filter und Werkzeugleiste sind benannte Gruppen; Schalter sagen, ob sie an sind.
spoken-open = Was sich öffnen lässt, sagt, ob es offen ist.
