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
hint = Eine Benachrichtigung öffnet die Anfrage; dort antworten Sie. Die Dienste des Browserherstellers leiten sie verschlüsselt weiter.
# A button; what it says then; the title of the notification.
test = Test senden
test-sent = Eine Nachricht ist unterwegs. Kommt binnen einer Minute keine, sehen Sie nach, ob das System Benachrichtigungen dieses Browsers zeigt.
test-arrived = Pilothouse erreicht dieses Gerät
close = Schließen

## Why it does not work here.
needs-https = Benachrichtigungen brauchen https. Öffnen Sie diese Seite unter einer https-Adresse oder auf dem Rechner des Gateways selbst.
needs-install = Fügen Sie diese Seite auf einem iPhone oder iPad zuerst zum Home-Bildschirm hinzu (Teilen, dann Zum Home-Bildschirm), und öffnen Sie sie von dort.
blocked = Dieser Browser blockiert Benachrichtigungen dieser Seite. Erlauben Sie sie in seinen Einstellungen für diese Seite.
unsupported = Dieser Browser hat keine Push-Benachrichtigungen.
no-worker = Dieser Browser lässt die Seite nicht im Hintergrund laufen, wie in einem privaten Fenster. Öffnen Sie sie in einem gewöhnlichen Fenster.
failed = Das hat nicht funktioniert: { $why }

## Bars at the foot of the page.
new-version = Eine neue Version ist da
reload = Neu laden
later = Später
last-connected = Zuletzt verbunden: { $time }. Von Sitzungen bleibt nichts auf diesem Gerät.

## Links zu einer Sitzung.
share = Teilen
share-hint = Wer einen Link hat, sieht dieser Sitzung zu: keine Antworten, keine Nachrichten, keine andere Sitzung. Wird er zurückgenommen, endet das sofort; was auf dem Bildschirm steht, bleibt dort, bis die Seite verlassen wird.
how-long = Wie lange
hour = für eine Stunde
day = für einen Tag
week = für eine Woche
make-link = Link erstellen
until = bis { $time }
copy = Kopieren
copied = Kopiert
take-back = Zurücknehmen
# A link that downloads it; what it is.
save-html = Als eine HTML-Datei speichern
save-hint = Die Sitzung, wie sie jetzt ist, in einer Datei, die nichts weiter braucht.
not-shared = Hier muss sich niemand anmelden, also kann jeder mit der Adresse alles tun. Starten Sie das Gateway mit --new-token, um einzelne Sitzungen zu teilen.

phone = Auf einem Telefon öffnen
phone-hint = Scannen Sie diesen Code mit der Kamera des Telefons. Er führt zu diesem Gateway, wo man sich anmeldet.
phone-open = Scannen Sie diesen Code mit der Kamera des Telefons.
phone-code = QR-Code der Adresse darunter
phone-sign-in = Auf dem Telefon gleich anmelden
phone-signs-in = Wer diesen Code scannt, ist als Sie angemeldet: einmal, innerhalb von { $minutes } Minuten.
phone-not-reached = Diese Adresse führt jedes Gerät zu sich selbst, also kann ein Telefon sie nicht öffnen. Das Gateway braucht einen Namen mit https, den das Telefon erreicht, wie ihn Tailscale oder ein Proxy gibt; starten Sie es mit --allow-host und diesem Namen.

sign-out = Abmelden
sign-out-as = { $name } abmelden

by-link = Sie sehen über einen Link zu, bis { $time }
