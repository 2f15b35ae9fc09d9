all-events = { $n ->
    [zero] لا أحداث
    [one] حدث واحد
    [two] حدثان
    [few] { $figure } أحداث
    [many] { $figure } حدثًا
   *[other] { $figure } حدث
}
some-events = { $n ->
    [zero] { $shown } من { $figure } حدث
    [one] { $shown } من حدث واحد
    [two] { $shown } من حدثين
    [few] { $shown } من { $figure } أحداث
    [many] { $shown } من { $figure } حدثًا
   *[other] { $shown } من { $figure } حدث
}
full = { $counted }؛ السجل ممتلئ، وعدد ما ليس فيه: { $missed }
left-out = { $n ->
    [zero] لا أحداث متجاوَزة ناقصة هنا.
    [one] حدث واحد متجاوَز ليس هنا.
    [two] حدثان متجاوَزان ليسا هنا.
    [few] { $figure } أحداث متجاوَزة ليست هنا.
    [many] { $figure } حدثًا متجاوَزًا ليست هنا.
   *[other] { $figure } حدث متجاوَز ليست هنا.
}
load-all = تحميل الكل
not-loaded = تعذّر تحميل الأحداث المتجاوَزة.
of-entry = { $n ->
    [zero] { $entry }: لا أحداث
    [one] { $entry }: حدث واحد
    [two] { $entry }: حدثان
    [few] { $entry }: { $figure } أحداث
    [many] { $entry }: { $figure } حدثًا
   *[other] { $entry }: { $figure } حدث
}
all-of-these = كل هذه الأحداث

events = الأحداث
nothing-yet = لم يصل شيء بعد.
nothing-like-that = لا يوجد حدث مطابق.
ephemeral = عابر
seen-before = ورد من قبل

event = الحدث { $at }
close-event = إغلاق الحدث
go-to-entry = إلى المدخل
show-moment = عرض هذه اللحظة
the-event = الحدث
json = الحدث بتنسيق JSON

raw-events = الأحداث الخام
raw-events-key = الأحداث الخام (i)

event-type = نوع الحدث
by-type = التصفية حسب نوع الحدث
by-family = التصفية حسب الفئة

assistant = المساعد
tool = الأداة
session = الجلسة
permission = الإذن
user-input = إدخال المستخدم
sub-agent = الوكيل الفرعي
skill = المهارة
control = التحكم
user = المستخدم
system = النظام
external-tool = أداة خارجية
command = الأمر
plan-mode = وضع التخطيط
mode = الوضع
queue = قائمة الانتظار
model = النموذج
limits = الحدود
hook = الخطاف
mcp = MCP
workspace = مساحة العمل
schedule = الجدول الزمني
factory = المصنع
workflow = سير العمل
fusion = Fusion
canvas = اللوحة الحرة
extension = الإضافة
policy = السياسة
timeline = المخطط الزمني
platform = المنصة
gateway = البوابة
other = أخرى

open-file = فتح ملف
file-broken = تعذّرت قراءة { $file } حتى نهايته. ما أمكنت قراءته معروض هنا.

scrubber = حدث من السجل
position = الحدث { $at } من { $all }
play = تشغيل
pause = إيقاف مؤقت
turn-before = الجولة السابقة
next-turn = الجولة التالية
speed = السرعة
fastest = الأقصى
close = إغلاق
reading = جارٍ قراءة السجل… { $percent }٪
to-now = العودة إلى الآن

replaying = إعادة عرض { $file }. الجلسة المباشرة مستمرة في الخلفية.
replaying-past = إعادة عرض { $file }، كما كان عند حدث سابق.
past = أنت ترى الماضي. الجلسة مستمرة في الخلفية، ولا يمكن الإجابة عن شيء هنا.
to-live = العودة إلى الجلسة المباشرة
