thousands = { $n } Tsd.
millions = { $n } Mio.
bytes = { $n ->
    [one] { $n } Byte
   *[other] { $n } Bytes
}
kilobytes = { $n } kB
megabytes = { $n } MB
milliseconds = { $n } ms
seconds = { $n } s
minutes = { $n } min
minutes-seconds = { $minutes } min { $seconds } s
hours-minutes = { $hours } h { $minutes } min
premium-requests = { $n ->
    [one] { $figure } Premium-Anfrage
   *[other] { $figure } Premium-Anfragen
}
