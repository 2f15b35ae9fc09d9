session = جلسة
begun = البداية
last-event = آخر حدث
model = النموذج
mode = الوضع
directory = المجلد
repository = المستودع
branch = الفرع
tool-calls = استدعاءات الأدوات
errors = الأخطاء
status = الحالة
status-is = { $status ->
    [ended] انتهت
    [waiting] بانتظارك
    [running] قيد التشغيل
    [error] خطأ
   *[idle] خاملة
}
turns = الجولات

you = أنت
task-for = مهمة لـ { $agent }
steering = توجيه
was-queued = كانت في قائمة الانتظار
attached = المرفقات: { $names }
thought = تفكير
thought-for = تفكير لمدة { $time }
thought-interrupted = تفكير (قُطع)
empty-reply = رد فارغ
interrupted = قُطع

warning = تحذير:
error = خطأ{ $code }:
details = التفاصيل
unknown-event = حدث غير معروف

sub-agent = الوكيل الفرعي { $name }
working = يعمل
failed = فشل
cancelled = أُلغي
calls = { $n ->
    [zero] لا استدعاءات أدوات
    [one] استدعاء أداة واحد
    [two] استدعاءا أداة
    [few] { $n } استدعاءات أدوات
    [many] { $n } استدعاء أداة
   *[other] { $n } استدعاء أداة
}

permission = طلب إذن
question = سؤال
form = استمارة
plan = خطة للاعتماد
external-tool = استدعاء أداة لعميل
command = أمر لعميل
mode-switch = طلب تغيير الوضع
limits = بلوغ حدود الجلسة
sign-in = طلب تسجيل الدخول
sampling = طلب رد من نموذج
confirmation = طلب تأكيد

outcome = النتيجة: { $outcome }
not-answered = بلا إجابة بعد
on-its-way = { $answer }، قيد الإرسال
may-have-arrived = { $answer }، ربما وصلت
all-asked = كل ما طُلب

table = جدول
task-done = منجز
task-open = غير منجز
this-text = هذا النص
