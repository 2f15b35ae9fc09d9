plan = الخطة
checklist = قائمة المهام
changed-files = الملفات المعدّلة
works = الوكلاء والعمل في الخلفية
servers = خوادم MCP
skills = المهارات
agents = وكلاء مخصصون
tools = الأدوات
schedules = الجداول الزمنية
own-files = ملفات الجلسة نفسها
usage = الاستخدام والتكلفة
context = نافذة السياق
canvases = اللوحات الحرة
tray = رسائل النظام
empty = تظهر هنا الخطة وقائمة المهام والملفات المعدّلة والوكلاء والخوادم والمهارات والجداول الزمنية والتكاليف عندما تخبر الجلسة عنها.

plan-untold = توجد خطة. لم يخبر أي حدث بمحتواها.
plan-changed = تغيرت الخطة منذ ذلك الحين، ولا يوضح أي حدث كيف.
plan-show = عرض موضع ذكرها

done = منجز
running = قيد التشغيل
failed = فشل
stopped = متوقف
open = مفتوح
in-progress = قيد التنفيذ
blocked = معلَّق
connected = متصل
connecting = جارٍ الاتصال
needs-sign-in = يتطلب تسجيل الدخول
needs-reconnect = تجب إعادة الاتصال به
off = معطَّل

checklist-done = أُنجز { $n } من { $all }
checklist-uncertain = عُدّلت القائمة بطريقة لا يمكن تتبعها هنا: قد تكون مختلفة الآن.

running-count = { $n } قيد التشغيل
failed-count = فشل { $n }
calls = { $n ->
    [zero] لا استدعاءات
    [one] استدعاء واحد
    [two] استدعاءان
    [few] { $n } استدعاءات
    [many] { $n } استدعاءً
   *[other] { $n } استدعاء
}
tool-calls = { $n ->
    [zero] لا استدعاءات أدوات
    [one] استدعاء أداة واحد
    [two] استدعاءا أداة
    [few] { $n } استدعاءات أدوات
    [many] { $n } استدعاء أداة
   *[other] { $n } استدعاء أداة
}
used-count = استُخدم { $n }
used-offered = استُخدم { $n }، والمتاح { $offered }
shell = Shell
run = تشغيل

server-status = { $status ->
    [connected] متصل
    [failed] فشل
    [pending] جارٍ الاتصال
    [needs-auth] يتطلب تسجيل الدخول
    [needs-reconnect] تجب إعادة الاتصال به
    [stopped] متوقف
    [disabled] معطَّل
    [not_configured] غير مهيأ
    [unavailable] غير متاح
    [signed-out] لم يُسجَّل الدخول
   *[other] { $said }
}
source = { $source ->
    [builtin] مدمج
    [user] المستخدم
    [personal] شخصي
    [workspace] مساحة العمل
    [project] المشروع
    [plugin] مكوّن إضافي
    [managed] مُدار
   *[other] { $said }
}
skill-used = مستخدمة
skill-off = معطَّلة
canvas-open = مفتوحة
canvas-away = غير متاحة مؤقتًا
file-created = أُنشئ
file-changed = عُدّل
file-new = جديد
edits = { $n ->
    [zero] لا تعديلات
    [one] تعديل واحد
    [two] تعديلان
    [few] { $n } تعديلات
    [many] { $n } تعديلًا
   *[other] { $n } تعديل
}

every = كل { $time }
after = بعد { $time }
self-paced = متى قرر الوكيل
once = مرة واحدة
next = التالي { $date }
objective = هدف الطيار الآلي

by-prompt = هذه الأرقام يبلغ عنها الوكيل لكل طلب. ولا يذكر عدد المرات التي سأل فيها النموذج.
by-model = الاستخدام حسب النموذج
by-agent = الاستخدام حسب الوكيل
model = النموذج
agent = الوكيل
main-agent = الوكيل الرئيسي
unknown = غير معروف
calls-head = الاستدعاءات
read = المقروء
cached = المخزن مؤقتًا
written = المكتوب
percent = { $n }٪
premium-requests = الطلبات المميزة
credits = أرصدة الذكاء الاصطناعي
cache-written = رموز كُتبت في الذاكرة المؤقتة
thinking-tokens = رموز التفكير
model-time = مدة استدعاءات النموذج
used-of = { $used } من { $all }
quota = الحصة: { $name }
unlimited = بلا حد
left = المتبقي { $n }٪
left-until = المتبقي { $n }٪، وتتجدد في { $date }

system-prompt = مطالبة النظام
part-tools = الأدوات
conversation = المحادثة
part-used = المستخدَم
part-other = أخرى
part-free = المتاح
tokens-in-all = إجمالي الرموز { $n }

wishes = عندما لا تنظر إلى الصفحة
notify = إرسال إشعار
sound = تشغيل صوت
wishes-hint = عندما تكون علامة التبويب هذه في الخلفية ويحتاج إليك الوكيل أو ينتهي من عمله.
notify-refused = لا يسمح المتصفح بالإشعارات لهذه الصفحة. يمكن السماح بها في إعداداته.
told-needed = الوكيل بحاجة إليك
told-done = أنهى الوكيل عمله
told-failed = توقف الوكيل بسبب خطأ
