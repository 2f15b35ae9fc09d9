### Die Seite als App: Benachrichtigungen dieses Geräts, neue Versionen, kein Netz.

# In the page's menu. It opens the dialog of this name.
notify = Dieses Gerät benachrichtigen
# A switch.
on = Diesem Gerät melden, wenn eine Sitzung auf Sie wartet
# Over the choices below it: how much a notification says.
says = Eine Benachrichtigung nennt
says-waiting = nur, dass etwas wartet
says-title = den Titel der Sitzung
says-asked = was gefragt wird
done = Auch melden, wenn ein Zug fertig ist
hint = Aus einer Benachrichtigung wird nichts erlaubt: Sie öffnet die Anfrage. Die Dienste des Browserherstellers leiten sie verschlüsselt weiter.
close = Schließen

## Why it does not work here.
needs-https = Benachrichtigungen brauchen https. Öffnen Sie diese Seite unter einer https-Adresse oder auf dem Rechner des Gateways selbst.
needs-install = Fügen Sie diese Seite auf einem iPhone oder iPad zuerst zum Home-Bildschirm hinzu (Teilen, dann Zum Home-Bildschirm), und öffnen Sie sie von dort.
blocked = Dieser Browser blockiert Benachrichtigungen dieser Seite. Erlauben Sie sie in seinen Einstellungen für diese Seite.
unsupported = Dieser Browser hat keine Push-Benachrichtigungen.
failed = Das hat nicht funktioniert: { $why }

## Bars at the foot of the page.
new-version = Eine neue Version ist da
reload = Neu laden
later = Später
last-connected = Zuletzt verbunden: { $time }. Von Sitzungen bleibt nichts auf diesem Gerät.

## Links zu einer Sitzung.
share = Teilen
share-hint = Wer einen Link hat, sieht dieser Sitzung zu: keine Antworten, keine Nachrichten, keine andere Sitzung. Wird er zurückgenommen, endet das sofort.
how-long = Wie lange
hour = für eine Stunde
day = für einen Tag
week = für eine Woche
make-link = Link erstellen
until = bis { $time }
copy = Kopieren
copied = Kopiert
take-back = Zurücknehmen
not-shared = Hier muss sich niemand anmelden, also kann jeder mit der Adresse alles tun. Starten Sie das Gateway mit --new-token, um einzelne Sitzungen zu teilen.
