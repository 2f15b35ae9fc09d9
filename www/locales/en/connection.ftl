### The connection: texts in the timeline's place or above it, and why it was lost or refused.

## While there is nothing to show: a title and a sentence

connecting = Connecting
connecting-why = The session appears as soon as the server answers.
nothing-yet = Nothing here yet
quiet-why = The session is open and quiet. What is said and done appears here as it happens.
replay-why = This panel waits for its page to hand it events.
not-connected = Not connected
not-connected-why = The server does not answer. It is tried again by itself.
not-shown = The session can't be shown
loading = Loading …
part-failed = This part of the page could not be loaded. Trying again.

## The strip above the timeline

checking = Checking whether the connection is still there.
lost-now = Connection lost. Trying again now.
# $time: 5 s
lost = Connection lost. Trying again in { $time }.
as-it-was = What you see is as it was; nothing is lost.

## Signing in

sign-in-title = Sign in
sign-in-why = This gateway asks who you are. Open the sign-in link that it printed when it started, or enter a token that you were given.
sign-in-again = The server wants you to sign in again. What you see is as it was; nothing is lost.
# Who watches by a link to one session: it does not count, or not any more. Instead of the form for signing in.
link-ended = This link has ended
link-ended-why = Ask who sent it for another.
token = Token
sign-in-now = Sign in
# $host: login.example, the provider's host.
sign-in-with = Sign in with { $host }
signing-in = Signing in …
not-the-token = This token is not one of this server’s. Check it, then try again.
too-many-tries = Too many tries. Wait a minute, then try again.
silent-now = The server does not answer. Try again.

## Buttons

try-now = Try now
try-again = Try again
connect-again = Connect again

## Temporary errors: what happened, and what follows. A page that shows a session says itself that it stays
## (`as-it-was`), so these are true of an empty page too

unreachable = The server can't be reached. It is tried again by itself. Check that it is running, or try now.
offline = This device is offline. It is tried again by itself. Check the network.
silent = The server does not answer. It is tried again by itself.
restarting = The server is restarting. It is tried again by itself.
busy = The server is busy. It is tried again by itself.
broken = The connection was lost. It is tried again by itself.
server-failed = The server failed (HTTP status { $status }). It is tried again by itself.
ended = The server ended the stream. It is tried again by itself.
no-sessions = The gateway is there and has no session yet. Start one; it appears here by itself.
# $said: the message of what was thrown.
host-code = The page’s own code failed: { $said }. It is tried again by itself.

## Final errors: what happened, and what to do

by-page = The connection was closed by this page.
sign-in = The server wants a sign-in: the token is missing, wrong or has run out. Sign in again, then reconnect.
no-such-session = There is no such session at this address. Check the session and the address, or choose another session.
gone = This session was removed from the server. Nothing more will come. Choose another session.
complete = The stream is complete; there is nothing to do.
# $said: the server's message, or one of the three below.
refused = The server refused the connection ({ $said }). Check the session and the address, then reconnect.
close-code = close code { $code }
http-status = HTTP status { $status }
error-code = error { $code }
# $what: what came instead.
not-a-stream = What answers at this address is not a session stream ({ $what }). Check the address `src`.
# $why: the browser's message, or one of those below.
bad-address = This address can't be used ({ $why }). Check the address `src`.

## What is wrong with an address. Stands in brackets within a sentence.

address-scheme = the scheme `{ $scheme }:` is not allowed; use http:, https:, ws: or wss:
address-credentials = a name or password stands in the address; use the token instead
address-host = the host is missing or malformed
address-port = the port is not a number from 0 to 65535
# $character is in quotes.
address-character = the character { $character } must be percent-encoded or left out
address-no-page = it is relative, and this page has no http address; give it in full
address-not-http = answers are posted: use an http: or https: address
address-token = the token may hold visible ASCII characters only

## What became of an answer or another request: sent or not, and what to do

not-sent = Not sent: there is no connection. Send it again when it is back.
nobody-listens = Not sent: this is a recording, nobody is listening.
one-way = Not sent: this stream goes one way. Set `answer-url` to answer here.
lost-before-answer = The connection was lost before an answer came. It may have arrived: look at the session when it is back.
not-answered = The server has not answered. It may have arrived: look at the session, or send it again.
failed-before-answer = The server failed (HTTP status { $status }). It may have arrived: look at the session.
ended-before-answer = The agent’s runtime ended before it answered. It may have arrived: look at the session.
not-understood = The server's answer could not be understood. Look at the session for what came of it.
being-answered = Not sent: this is already being answered. What comes of it is shown here; if it fails, answer again.
machine-away = Not sent: the session's machine can't be reached. Send it again when it is back.
# $said: the server's message.
request-refused = The server refused it: { $said }
request-sign-in = The server wants a sign-in (HTTP status { $status }). Sign in, then send it again.
not-taken = The server did not take it (HTTP status { $status }).
too-long = It is too long: it has { $bytes }, and the server takes at most { $limit }. Shorten it, or send the attachments one by one.
too-long-there = It is longer than the server takes. Shorten it, or send the attachments one by one.

## An answer without confirmation

maybe-arrived = Your answer may have arrived. This is being checked; until then it can't be given again.
not-arrived = Your answer did not arrive: the agent still waits. Answer again.
# $answer: the answer's name, as in ‘allowed once’.
unconfirmed = Nothing shows whether your answer arrived: { $answer }. Until something does, only the same answer can be sent again.

## What is wrong with a stream

skipped = An event of more than 32 MiB was skipped. The rest of the session goes on.
missing = { $n ->
    [one] An event is missing here
   *[other] Events are missing here: { $n }
}
missing-some = Events may be missing here
unreadable = { $n ->
    [one] 1 record could not be read; everything else is here
   *[other] { $n } records could not be read; everything else is here
}
# $line: its number. $why: what is wrong, and where.
unreadable-line = line { $line } could not be read: { $why }
unreadable-frame = a frame could not be read: { $why }

## What came instead, or why an address is refused. Stands in brackets within a sentence.

no-socket-there = there is no WebSocket there
no-stream-there = there is no event stream there
no-list = no list of sessions
no-session-id = a session without an id
no-content-type = no content type
browser-refuses = the browser refuses it
no-reason = no reason was given

## Problems of the gateway itself, shown at the top of the board and of a session.

# $why: the gateway's message, in English.
runtime-missing = The runtime is not there: { $why }.
runtime-slow = The runtime is being started: { $why }.
# $agent: its name, such as codex. $why: as above.
agent = The agent { $agent } can't work: { $why }.
agent-rest = Since { $since }. It is tried again when somebody needs it.
# $since, $time: times of day.
since = Since { $since }.
tried = { $n ->
    [one] Since { $since }, tried once in vain.
   *[other] Since { $since }, tried { $n } times in vain.
}
next = Tried again at { $time }.
now = Tried right now.
last-lines = Its last lines
logs = { $n ->
    [one] The log of a session can't be written: { $why }.
   *[other] The logs of { $n } sessions can't be written: { $why }.
}
logs-kept = Since { $since }. What happens is kept in memory, and written as soon as that works again.
audit = The audit log can't be written: { $why }.
cluster = This gateway is cut off from the cluster: { $why }.
cluster-rest = Since { $since }. Sessions of other machines may be out of date, and nothing can be sent to them.
# $away: ws away since 14:03
session-away = { $away }.
session-away-rest = What has happened can be read. Answers and messages can be sent once it is back.

## When a fault has stopped a view

stopped = A fault in Pilothouse has stopped this view. What you see is as it was; nothing new is shown, and nothing is sent.
start-again = Start again
copy-report = Copy report
report-copied = Copied

## A server of another version

# $theirs, $ours: 1
newer-server = The server speaks a newer protocol ({ $theirs }) than this page ({ $ours }). What is new in it is not shown. Reload the page, or update it.
older-server = The server speaks an older protocol ({ $theirs }) than this page ({ $ours }). What it does not know yet is refused. Update the server.

## Who else watches the session now

# $who: Ana, Ben, 1 by link
watching = Watching now: { $who }
watching-unnamed = { $n } without a name
watching-by-link = { $n } by link
