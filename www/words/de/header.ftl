menu = Menü
views = Ansichten
search = Suchen
lens = Was das Modell sieht
panel = Übersicht
log = Ereignisprotokoll
travel = Zeitreise
