thousands = { $n } ألف
millions = { $n } مليون
bytes = { $n ->
    [zero] { $n } بايت
    [one] بايت واحد
    [two] بايتان
    [few] { $n } بايتات
    [many] { $n } بايتًا
   *[other] { $n } بايت
}
kilobytes = { $n } ك.ب
megabytes = { $n } م.ب
milliseconds = { $n } م.ث
seconds = { $n } ث
minutes = { $n } د
minutes-seconds = { $minutes } د { $seconds } ث
hours-minutes = { $hours } س { $minutes } د
premium-requests = { $n ->
    [zero] { $figure } طلب مميز
    [one] طلب مميز واحد
    [two] طلبان مميزان
    [few] { $figure } طلبات مميزة
    [many] { $figure } طلبًا مميزًا
   *[other] { $figure } طلب مميز
}
