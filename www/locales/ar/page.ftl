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

menu = القائمة
views = طرق العرض
search = بحث
lens = ما يراه النموذج
panel = اللوحة
log = سجل الأحداث
travel = التنقل عبر الزمن

running = قيد التشغيل
waiting = بانتظارك
waiting-read-only = بانتظار إجابة
idle = خامل
error = خطأ
ended = انتهى
connecting = جارٍ الاتصال
not-connected = غير متصل
closed = مغلق
loading = جارٍ التحميل

quiet = لم يصل شيء منذ { $time }
no-server = غير متصل بخادم
read-only = للقراءة فقط
allows-all = يسمح بكل شيء
allows-all-tip = تُنفَّذ الأوامر وتُغيَّر الملفات دون سؤال أحد
queued = في الانتظار
queue-waits = { $n ->
    [zero] لا رسائل تنتظر الوكيل
    [one] رسالة واحدة تنتظر الوكيل
    [two] رسالتان تنتظران الوكيل
    [few] { $n } رسائل تنتظر الوكيل
    [many] { $n } رسالة تنتظر الوكيل
   *[other] { $n } رسالة تنتظر الوكيل
}
queue-changed = { $n ->
    [zero] لم تتغيّر قائمة الانتظار
    [one] تغيّرت قائمة الانتظار مرة واحدة
    [two] تغيّرت قائمة الانتظار مرتين
    [few] تغيّرت قائمة الانتظار { $n } مرات
    [many] تغيّرت قائمة الانتظار { $n } مرة
   *[other] تغيّرت قائمة الانتظار { $n } مرة
}

percent = { $n }٪
context-full = السياق ممتلئ بنسبة { $n }٪
context = السياق
# الأعداد المختصرة مثل «12.3 ألف» لا تتبع صيغ الجمع.
context-tokens = الرموز: { $tokens } من { $limit }
read = المقروء
read-tokens = الرموز: { $tokens } في { $calls ->
    [zero] { $calls } استدعاء
    [one] استدعاء واحد
    [two] استدعاءين
    [few] { $calls } استدعاءات
    [many] { $calls } استدعاءً
   *[other] { $calls } استدعاء
}
written = المكتوب
written-tokens = { $n ->
    [zero] لا رموز
    [one] رمز واحد
    [two] رمزان
    [few] { $n } رموز
    [many] { $n } رمزًا
   *[other] { $n } رمز
}
model = النموذج
mode = الوضع
permissions = الأذونات
directory = المجلد
repository = المستودع
repository-root = جذر المستودع
branch = الفرع
connection = الاتصال
connection-state = { $state ->
    [connecting] جارٍ الاتصال
    [open] مفتوح
    [waiting] بانتظار المحاولة
    [closed] مغلق
   *[replaying] إعادة عرض
}

## الشاشة الأولى التي تصل مع الصفحة قبل برنامجها
being-loaded = قيد التحميل
earlier-loaded = يجري تحميل ما قبل ذلك
as-it-stood = ‏JavaScript معطّلة. هذه هي الجلسة كما كانت عند تحميل الصفحة.
