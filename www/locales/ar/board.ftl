title = الجلسات
waiting-count = { $n ->
    [zero] لا جلسة بانتظارك
    [one] جلسة واحدة بانتظارك
    [two] جلستان بانتظارك
    [few] { $n } جلسات بانتظارك
    [many] { $n } جلسةً بانتظارك
   *[other] { $n } جلسة بانتظارك
}
waiting-count-read-only = { $n ->
    [zero] لا جلسة بانتظار إجابة
    [one] جلسة واحدة بانتظار إجابة
    [two] جلستان بانتظار إجابة
    [few] { $n } جلسات بانتظار إجابة
    [many] { $n } جلسةً بانتظار إجابة
   *[other] { $n } جلسة بانتظار إجابة
}
filter = تصفية الجلسات
status = الحالة
status-any = كل الحالات
repository = المستودع
repository-any = كل المستودعات
machine = الجهاز
machine-any = كل الأجهزة
agent = الوكيل
agent-any = كل الوكلاء
group = التجميع
group-none = بلا تجميع
group-repository = حسب المستودع
group-status = حسب الحالة
group-machine = حسب الجهاز
group-agent = حسب الوكيل
as-list = كقائمة
next = التالية بانتظارك
order-changed = تغيّر الترتيب.
sort-now = رتّب الآن
keys = تنقلك مفاتيح الأسهم بين الجلسات، ويفتح Enter إحداها، وينتقل R إلى التالية المنتظرة، والشرطة المائلة إلى التصفية.

untitled = جلسة بلا عنوان
no-repository = بلا مستودع
just-now = الآن
yesterday = أمس { $time }
asked = سُئلت { $age }
answer = { $n ->
    [zero] أجب
    [one] أجب
    [two] أجب ({ $n })
    [few] أجب ({ $n })
    [many] أجب ({ $n })
   *[other] أجب ({ $n })
}
hide = إخفاء
open = فتح
open-to-answer = افتح الجلسة لتجيب
recording = تسجيل
stored = محفوظة
resume = استئناف
gone = لم تعد هذه الجلسة موجودة.
away-since = { $machine } غائب منذ { $since }
away = { $machine } غائب

loading = تظهر الجلسات حالما يستجيب الخادم.
more-loaded = يجري تحميل جلسات أخرى
as-they-stood = ‏JavaScript معطّلة. هذه هي الجلسات كما كانت عند تحميل الصفحة.
empty = لا جلسات بعد
empty-why = تظهر جلسات هذه البوابة هنا حالما تبدأ.
none-found = لا جلسة مطابقة
none-found-why = توجد جلسات، لكن التصفية تخفيها كلها.
clear = إلغاء التصفية
polled = التحديثات المباشرة محجوبة في الطريق إلى هنا: تُراجَع القائمة كل 5 ثوانٍ. افتح جلسة لتجيب.

back = العودة إلى الجلسات
session = الجلسة: { $title }
close-session = إغلاق الجلسة
close-sure = إغلاق «{ $title }»؟
close-failed = لم تُغلق: { $why }

new = جلسة جديدة
new-directory = مجلد العمل
new-directory-hint = فارغ: مجلد البوابة نفسها.
new-directory-hint-there = فارغ: مجلد ذلك الجهاز.
recent-folders = المجلدات الأخيرة
new-model = النموذج
new-model-hint = اتركه فارغًا ليختار الوكيل.
new-model-any = الإعداد الافتراضي للوكيل
new-machine-here = { $machine } (هنا)
new-machine-only = ستعمل على { $machine }.
# A button: asks the agent for sessions that were made in other programs.
look-for-sessions = البحث عن جلساته الأخرى
looking = جارٍ البحث …
found-sessions = { $n ->
    [zero] لا جلسات له على اللوحة.
    [one] جلسة واحدة له على اللوحة.
    [two] جلستان له على اللوحة.
    [few] { $n } جلسات له على اللوحة.
    [many] { $n } جلسة له على اللوحة.
   *[other] { $n } جلسة له على اللوحة.
}
lists-no-sessions = لا يعرض قائمة بجلساته.
create = إنشاء
creating = يجري الإنشاء …
cancel = إلغاء
create-failed = لم تُنشأ: { $why }
resume-failed = لم تُستأنف: { $why }

now-waits = { $title } بانتظارك
now-waits-read-only = { $title } بانتظار إجابة

no-gateway = تحتاج اللوحة إلى العنوان الأساسي لبوابة: مساره فارغ أو ينتهي بشرطة مائلة.
