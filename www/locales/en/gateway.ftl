### Problems of the gateway itself, shown at the top of the board and of a session.

# $why: the gateway's message, in English.
runtime-missing = The runtime is not there: { $why }.
runtime-slow = The runtime is being started: { $why }.
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
