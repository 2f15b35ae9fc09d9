### The page as an app: notifications of this device, new versions, no network.

# In the page's menu. It opens the dialog of this name.
notify = Notify this device
# A switch.
on = Tell this device when a session waits for you
# Over the choices below it: how much a notification says.
says = A notification says
says-waiting = that something waits
says-title = the session's title
says-asked = what is asked
done = Also tell when a turn is done
hint = A notification opens the request, where you answer. The services of the browser's maker pass it on, encrypted.
# A button; what it says then; the title of the notification.
test = Send a test
test-sent = A message is on its way. If none comes within a minute, look whether the system shows notifications of this browser.
test-arrived = Pilothouse reaches this device
close = Close

## Why it does not work here.
needs-https = Notifications need https. Open this page at an https address, or on the gateway's own machine.
needs-install = On an iPhone or iPad, add this page to the home screen first (Share, then Add to Home Screen), and open it from there.
blocked = This browser blocks notifications of this page. Allow them in its settings for this page.
unsupported = This browser has no push notifications.
no-worker = This browser does not let this page run in the background, as in a private window. Open it in an ordinary window.
failed = It did not work: { $why }

## Bars at the foot of the page.
new-version = A new version is there
reload = Reload
later = Later
# While a page shows nothing yet. $time: a time of day, with the date if that was another day.
last-connected = Last connected: { $time }. Sessions are not kept on this device.

## Links to a session.
share = Share
share-hint = Whoever has a link watches this session: no answers, no messages, no other session. Taking it back ends that at once; what they have on the screen stays there until they leave the page.
how-long = For how long
hour = for an hour
day = for a day
week = for a week
make-link = Make a link
# $time: a date with the time of day.
until = until { $time }
copy = Copy
copied = Copied
take-back = Take back
# A link that downloads it; what it is.
save-html = Save as one HTML file
save-hint = The session as it is now, in one file that needs nothing else.
not-shared = Nobody has to sign in here, so whoever has the address can do everything. Start the gateway with --new-token to share single sessions.

## 'Open on a phone': a QR code.
phone = Open on a phone
phone-hint = Scan this code with the phone's camera. It leads to this gateway, where one signs in.
phone-open = Scan this code with the phone's camera.
phone-code = QR code of the address below
# A button. $minutes is below.
phone-sign-in = Sign in on the phone as well
phone-signs-in = Whoever scans this code is signed in as you, once, within { $minutes } minutes.
phone-not-reached = This address leads every device to itself, so a phone can't open it. The gateway needs a name with https that the phone reaches, as Tailscale or a proxy gives one; start it with --allow-host and that name.

## Signing out.
sign-out = Sign out
# $name: of who is signed in.
sign-out-as = Sign out { $name }

## Who watches by a link. $time: a date with the time of day.
by-link = You watch by a link, until { $time }
