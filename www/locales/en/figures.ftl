### Figures: counts, sizes, durations. The program formats $n.

# 12.3 k
thousands = { $n } k
# 1.2 M
millions = { $n } M
bytes = { $n ->
    [one] { $n } byte
   *[other] { $n } bytes
}
kilobytes = { $n } KB
megabytes = { $n } MB
milliseconds = { $n } ms
seconds = { $n } s
minutes = { $n } min
minutes-seconds = { $minutes } min { $seconds } s
hours-minutes = { $hours } h { $minutes } min
premium-requests = { $n ->
    [one] { $figure } premium request
   *[other] { $figure } premium requests
}
