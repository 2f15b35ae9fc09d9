times = ×{ $n }

model-calls = { $n ->
    [zero] لا استدعاءات للنموذج
    [one] استدعاء واحد للنموذج
    [two] استدعاءان للنموذج
    [few] { $n } استدعاءات للنموذج
    [many] { $n } استدعاءً للنموذج
   *[other] { $n } استدعاء للنموذج
}
tools = { $n ->
    [zero] لا أدوات
    [one] أداة واحدة
    [two] أداتان
    [few] { $n } أدوات
    [many] { $n } أداة
   *[other] { $n } أداة
}
tokens = { $n ->
    [zero] لا رموز
    [one] رمز واحد
    [two] رمزان
    [few] { $n } رموز
    [many] { $n } رمزًا
   *[other] { $n } رمز
}
tokens-written = { $n ->
    [zero] لم تُكتب رموز
    [one] كُتب رمز واحد
    [two] كُتب رمزان
    [few] كُتبت { $n } رموز
    [many] كُتب { $n } رمزًا
   *[other] كُتب { $n } رمز
}

together = { $n ->
    [zero] لا أدوات معًا
    [one] أداة واحدة
    [two] أداتان معًا
    [few] { $n } أدوات معًا
    [many] { $n } أداة معًا
   *[other] { $n } أداة معًا
}
waiting-of-them = { $n } قيد الانتظار
running-of-them = { $n } قيد التنفيذ
failed-of-them = { $n } فشلت
denied-of-them = { $n } مرفوضة

you = أنت
task-for = مهمة لـ { $name }
schedule = الجدول الزمني { $number }
another-agent = وكيل آخر
skill = المهارة { $name }
steering = توجيه
was-queued = كانت في قائمة الانتظار
try-again = حاول مرة أخرى
interrupted = قُطع
empty-reply = رد فارغ
rewound = أُرجعت
rewound-tells = رجعت الجلسة إلى ما قبل هذا: لم يعد الوكيل يراه.
undone = أُلغي بالإرجاع
phase = المرحلة: { $phase }

thinking = يفكر
thought = تفكير
thought-for = تفكير لمدة { $time }
thought-interrupted = تفكير (قُطع)

working = يعمل
working-background = يعمل في الخلفية
failed = فشل
cancelled = أُلغي
stopped = قُطع
needs-input = يحتاج إلى إدخال
effort = جهد التفكير { $effort }
in-background = في الخلفية
given-back = ما تسلّمه الوكيل الذي استدعاه

this-page = هذه الصفحة
autopilot = الطيار الآلي
mcp = MCP
side-question = سؤال جانبي
hook = خطاف
references = المراجع
implicit = ضمني
implicit-tells = مُرّر من السياق المحيط لا من الشخص
about = بخصوص: { $name }
timing = التوقيت
context-window = نافذة السياق
snapshot = لقطة
configuration = الإعدادات
authentication = المصادقة
authorization = الصلاحيات
quota = الحصة
rate-limit = حد الطلبات
context-limit = حد السياق
subscription = الاشتراك
model = النموذج
policy = السياسة
show-all = عرض الكل
details = التفاصيل
earlier = سابقًا
summary = الملخص
first-message = الرسالة الأولى
figures = الأرقام

version = الإصدار { $version }
unknown-event = حدث غير معروف
hidden-events = { $n ->
    [zero] لا أحداث مخفية من هذا النوع:
    [one] حدث واحد مخفي من هذا النوع:
    [two] حدثان مخفيان من هذا النوع:
    [few] { $n } أحداث مخفية من هذا النوع:
    [many] { $n } حدثًا مخفيًا من هذا النوع:
   *[other] { $n } حدث مخفي من هذا النوع:
}
show-again = عرضها مجددًا
hide-type = إخفاء أحداث هذا النوع
