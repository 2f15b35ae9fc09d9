needs-permission = يحتاج الوكيل إلى إذنك: { $what }
waits-for-answer = ينتظر الوكيل إجابتك: { $what }
waits-read-only = ينتظر الوكيل إجابة: { $what }
replied = ردّ الوكيل

timeline = المخطط الزمني للجلسة
jump = إلى الأحدث
requests-wait = { $n ->
    [zero] لا طلبات بانتظارك
    [one] طلب واحد بانتظارك
    [two] طلبان بانتظارك
    [few] { $n } طلبات بانتظارك
    [many] { $n } طلبًا بانتظارك
   *[other] { $n } طلب بانتظارك
}
requests-wait-read-only = { $n ->
    [zero] لا طلبات بانتظار إجابة
    [one] طلب واحد بانتظار إجابة
    [two] طلبان بانتظار إجابة
    [few] { $n } طلبات بانتظار إجابة
    [many] { $n } طلبًا بانتظار إجابة
   *[other] { $n } طلب بانتظار إجابة
}
out-of-sight = { $n } خارج الشاشة

raw-events = الأحداث الخام
close = إغلاق

you = أنت
assistant = المساعد
reasoning = التفكير
tool = الأداة: { $name }
permission = إذن
question = سؤال
form = استمارة
plan = خطة
request = طلب
notice = إشعار
sub-agent = وكيل فرعي
compaction = ضغط المحادثة
task-complete = اكتملت المهمة
custom = إشعار مخصص
unknown-event = حدث غير معروف
gap = فجوة
of-agent = { $agent }: { $entry }
rewound = أُرجع: { $entry }

all-that-waits = كل ما ينتظرك
