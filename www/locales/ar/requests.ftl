### الطلبات: بطاقاتها وإجاباتها والسطر الذي يبقى منها.

## كيف انتهى الطلب. تُقارن النصوص حتى أول نقطتين ':'.

allowed-once = سُمح به مرة واحدة
allowed-session = سُمح به لهذه الجلسة
allowed-location = سُمح به لهذا الموقع
allowed = سُمح به
rejected = رُفض
denied-rule = مُنع بموجب قاعدة
denied-nobody = مُنع: تعذّر سؤال أي شخص
denied-exclusion = مُنع بموجب سياسة استبعاد المحتوى
cancelled = أُلغي
decided = حُسم
decided-as = حُسم ({ $word })
decided-hook = حسمه خطاف
answered = أُجيب
filled-in = عُبّئ
declined = رُفض
closed = أُغلق
approved = اعتُمد
not-approved = لم يُعتمد
auto-switched = انتقل إلى الوضع التلقائي
auto-always = انتقل إلى الوضع التلقائي دائمًا
auto-stayed = بقي على النموذج
limit-raised = رُفع الحد
limit-raised-by = رُفع الحد بمقدار: { $credits }
limit-set = ضُبط الحد
limit-set-to = ضُبط الحد على: { $credits }
limit-removed = أُزيل الحد
limit-stopped = توقّف عند الحد
signed-in = سُجّل الدخول
sign-in-cancelled = أُلغي تسجيل الدخول
handled = عولج
not-handled = لم يُعالَج
command-turn = حان دوره
replied = أُرسل الرد
accepted = قُبل
dismissed = أُهمل
failed = فشل: { $words }
with-words = { $outcome }: { $words }
option = «{ $name }»
tool-ended = انتهى استدعاء الأداة دون إجابة

answered-elsewhere = أُجيب من مكان آخر: { $outcome }
by = { $outcome } بواسطة { $who }
taken-by-server = { $outcome }، وقد استلم الخادم الإجابة
unheard = إجابتك التي ربما لم تصل:
copy-answer = نسخ الإجابة
unsent = كتبت هنا ولم يُرسل:
left-about = { $outcome }:
ask-auto-mode = الانتقال إلى الوضع التلقائي؟
limit-reached = بلغت الجلسة حدها

read-only = للقراءة فقط: تأتي الإجابات من مكان آخر.
not-now = هذه ليست اللحظة الحالية: لا يمكن الإجابة عن شيء هنا.
no-connection = لا اتصال: يمكن الإجابة عند عودة الاتصال إن كان لا يزال ينتظر.
machine-away = { $away }: يمكن الإجابة عند عودته إن كان الطلب لا يزال ينتظر.
sending = جارٍ الإرسال: { $answer }…
feedback = ملاحظات للوكيل
feedback-rejecting = تُرسل عند الرفض
feedback-next = تصل إلى الوكيل بوصفها الرسالة التالية
feedback-deciding = تُرسل مع قرارك
open-host = فتح { $host }
whole-file = الملف كاملًا كما سيكون
whole-file-follows = الملف كاملًا كما سيكون:
new-file = ملف جديد
deleted = محذوف
renamed = أُعيدت تسميته
hunk-lines = الأسطر { $first }–{ $last }
hours = { $n } س

reject = رفض
reject-with = رفض مع ملاحظات…
allow-location = السماح في هذا المجلد
allow-session = السماح لهذه الجلسة
more = المزيد…
allow-once = السماح مرة واحدة

option-once = هذه المرة فقط
option-always = يقرر { $agent } ما يشمله هذا وإلى متى؛ ولا يخبرنا إلا بهذا الاسم
option-reject = ليس هذه المرة
option-never = يرفض { $agent } هذا الآن ولاحقًا ويقرر ما يشمله أيضًا؛ ولا يخبرنا إلا بهذا الاسم
option-unknown = لا يذكر الوكيل نوع هذا الرد
the-agent = الوكيل

cancel = إلغاء
decline = رفض
send = إرسال
opened = فتحته
approve = اعتماد الخطة
answer = إجابة
report-error = الإبلاغ عن خطأ
send-result = إرسال النتيجة
send-reply = إرسال الرد
no = لا
yes-once = نعم، هذه المرة
stop = التوقف هنا
remove-limit = إزالة الحد
set-limit = ضبط الحد على هذا
add-credits = إضافة هذا
sign-in = تسجيل الدخول بهذا الرمز المميز
dismiss = إهمال
accept = قبول

run-command = تنفيذ هذا الأمر؟
write-file = الكتابة في هذا الملف؟
create-file = إنشاء هذا الملف؟
read-this = قراءة هذا؟
read-these = { $n ->
    [zero] قراءة هذا؟
    [one] قراءة هذا؟
    [two] قراءة هذين؟
    [few] قراءة هذه الـ { $n }؟
    [many] قراءة هذه الـ { $n }؟
   *[other] قراءة هذه الـ { $n }؟
}
fetch-address = جلب هذا العنوان؟
run-tool = السماح للخادم { $server } بتشغيل { $tool }؟
use-tool = السماح للوكيل باستخدام { $tool }؟
hook-asks = يسأل خطاف: استخدام { $tool }؟
extension = { $operation ->
    [scaffold] السماح للوكيل بإنشاء الإضافة؟
    [reload] السماح للوكيل بإعادة تحميل الإضافة؟
   *[other] السماح للوكيل بالعملية { $operation } على الإضافة؟
}
extension-named = { $operation ->
    [scaffold] السماح للوكيل بإنشاء الإضافة { $name }؟
    [reload] السماح للوكيل بإعادة تحميل الإضافة { $name }؟
   *[other] السماح للوكيل بالعملية { $operation } على الإضافة { $name }؟
}
extension-abilities = منح الإضافة { $name } هذه القدرات؟
extension-variables = السماح للإضافة { $name } بقراءة متغيرات البيئة هذه؟
remember = تذكّر هذا؟
vote-for = التصويت لصالح هذه الذاكرة؟
vote-against = التصويت ضد هذه الذاكرة؟
factory = { $operation ->
    [run] السماح للوكيل بتشغيل المصنع { $name }؟
    [author] السماح للوكيل بتأليف المصنع { $name }؟
   *[other] السماح للوكيل بالعملية { $operation } على المصنع { $name }؟
}
workflow = { $operation ->
    [run] السماح للوكيل بتشغيل سير العمل { $name }؟
    [author] السماح للوكيل بتأليف سير العمل { $name }؟
   *[other] السماح للوكيل بالعملية { $operation } على سير العمل { $name }؟
}
allow-this = السماح بهذا؟
allow-kind = السماح بهذا ({ $kind })؟

only-reads = تقول إنها تقرأ فقط
may-change = قد تغيّر أشياء خارج هذا الجهاز

fact-in = في
fact-shell = نوع shell
fact-runs = ينفّذ
fact-touches = يشمل
fact-opens = يفتح
fact-writes = يكتب
fact-leads-to = يؤدي إلى
fact-redirected-from = معاد توجيهه من
fact-what-it-does = ما تفعله
fact-server = الخادم
fact-tool = الأداة
fact-host = المضيف
fact-subject = الموضوع
fact-source = المصدر
fact-because = السبب
agent-says = يقول الوكيل
fact-for = للمستودع
fact-scope = النطاق
fact-policy = السياسة
fact-risk = الخطر
fact-provider = المزوّد
fact-command = الأمر
fact-with = مع
fact-reason = السبب
fact-used = المستخدَم
fact-limit = الحد
fact-at-most = على الأكثر
fact-asked-for = المطلوب
fact-error = الخطأ
fact-described-at = موصوف في
fact-client = العميل
always = دائمًا

by-redirection = في ملف بإعادة التوجيه
person-decides = يجب أن يقرر شخص
no-limits = بلا حدود
no-other-limits = وما سواها بلا حدود
limit-agents = { $n ->
    [zero] بلا وكلاء
    [one] وكيل واحد
    [two] وكيلان
    [few] { $n } وكلاء
    [many] { $n } وكيلًا
   *[other] { $n } وكيل
}
limit-at-once = { $n } في الوقت نفسه
after-recovery = لم يُسمح له بهذا ولم يجد طريقًا آخر، وهو يسأل
credits = { $n ->
    [zero] { $figure } رصيد
    [one] رصيد واحد
    [two] رصيدان
    [few] { $figure } أرصدة
    [many] { $figure } رصيدًا
   *[other] { $figure } رصيد
}

hidden-written = في ما يُكتب أحرف مخفية ({ $n }).
hidden-sequences = { $n ->
    [zero] لا يحوي أحرفًا مخفية ولا حشوًا يغيّر طريقة عرض النص.
    [one] يحوي تسلسلًا واحدًا من أحرف مخفية أو حشو يغيّر طريقة عرض النص.
    [two] يحوي تسلسلين من أحرف مخفية أو حشو يغيّران طريقة عرض النص.
    [few] يحوي { $n } تسلسلات من أحرف مخفية أو حشو تغيّر طريقة عرض النص.
    [many] يحوي { $n } تسلسلًا من أحرف مخفية أو حشو يغيّر طريقة عرض النص.
   *[other] يحوي { $n } تسلسل من أحرف مخفية أو حشو يغيّر طريقة عرض النص.
}
look-alikes = يخلط أحرفًا لاتينية بأحرف شبيهة من كتابة أخرى: { $words }.
user-name = ما قبل @ اسم مستخدم؛ المضيف هو { $host }.
host-letters = في اسم المضيف أحرف من خارج ASCII: تحقّق منه حرفًا حرفًا.
sandbox = يطلب العمل خارج البيئة المعزولة
sandbox-because = يطلب العمل خارج البيئة المعزولة: { $reason }
cannot-open = لا يمكن فتح هذا العنوان من هنا: ليس http ولا https، أو أُخفي فيه شيء.
line-breaks = { $n ->
    [zero] { $n } فاصل أسطر
    [one] فاصل أسطر
    [two] فاصلا أسطر
    [few] { $n } فواصل أسطر
    [many] { $n } فاصل أسطر
   *[other] { $n } فاصل أسطر
}
blanks = { $n ->
    [zero] { $n } مسافة
    [one] مسافة واحدة
    [two] مسافتان
    [few] { $n } مسافات
    [many] { $n } مسافة
   *[other] { $n } مسافة
}

go-ahead = المضي في هذه الخطة؟
then = ثم
recommended = موصى به
plan-interactive = تفاعلي: يسأل قبل أن يتصرف
plan-autopilot = الطيار الآلي: يواصل من تلقاء نفسه
plan-fleet = الطيار الآلي مع وكلاء فرعيين في الوقت نفسه
plan-leave = مغادرة وضع التخطيط والانتظار
agent-asks = يسأل الوكيل
your-answer = إجابتك
own-words = أو بكلماتك
answer-first = اختر إجابة أو اكتبها أولًا

open-address = فتح هذا العنوان؟
asks-open = يطلب منك { $source } فتح عنوان
asks-details = يطلب الوكيل تفاصيل
source-asks-details = يطلب { $source } تفاصيل
choose-some = اختر واحدًا على الأقل
choose-one = اختر واحدًا
fill-in = املأ هذا الحقل
choose-known = اختر واحدًا من القائمة
no-json = هذا ليس JSON
too-short = { $n ->
    [zero] { $n } حرف على الأقل
    [one] حرف واحد على الأقل
    [two] حرفان على الأقل
    [few] { $n } أحرف على الأقل
    [many] { $n } حرفًا على الأقل
   *[other] { $n } حرف على الأقل
}
too-long = { $n ->
    [zero] { $n } حرف على الأكثر
    [one] حرف واحد على الأكثر
    [two] حرفان على الأكثر
    [few] { $n } أحرف على الأكثر
    [many] { $n } حرفًا على الأكثر
   *[other] { $n } حرف على الأكثر
}: الزيادة { $more }
need-email = عنوان بريد إلكتروني مثل name@example.org
need-address = عنوان مثل https://example.org/
need-date = تاريخ مثل 2026-03-21
need-time = تاريخ ووقت مثل 2026-03-21T18:30:00Z
need-whole = أدخل عددًا صحيحًا
need-number = أدخل عددًا
number-between = من { $min } إلى { $max }
choose-more = { $n ->
    [zero] اختر { $n } على الأقل
    [one] اختر واحدًا على الأقل
    [two] اختر اثنين على الأقل
    [few] اختر { $n } على الأقل
    [many] اختر { $n } على الأقل
   *[other] اختر { $n } على الأقل
}
choose-fewer = { $n ->
    [zero] اختر { $n } على الأكثر
    [one] اختر واحدًا على الأكثر
    [two] اختر اثنين على الأكثر
    [few] اختر { $n } على الأكثر
    [many] اختر { $n } على الأكثر
   *[other] اختر { $n } على الأكثر
}
number-range = من { $min } إلى { $max }
number-least = { $min } أو أكثر
number-most = { $max } أو أقل
length-range = { $max ->
    [zero] من { $min } إلى { $max } حرف
    [one] من { $min } إلى حرف واحد
    [two] من { $min } إلى حرفين
    [few] من { $min } إلى { $max } أحرف
    [many] من { $min } إلى { $max } حرفًا
   *[other] من { $min } إلى { $max } حرف
}
length-most = { $max ->
    [zero] { $max } حرف على الأكثر
    [one] حرف واحد على الأكثر
    [two] حرفان على الأكثر
    [few] { $max } أحرف على الأكثر
    [many] { $max } حرفًا على الأكثر
   *[other] { $max } حرف على الأكثر
}
length-least = { $min ->
    [zero] { $min } حرف على الأقل
    [one] حرف واحد على الأقل
    [two] حرفان على الأقل
    [few] { $min } أحرف على الأقل
    [many] { $min } حرفًا على الأقل
   *[other] { $min } حرف على الأقل
}
choices-range = من { $min } إلى { $max } منها
as-json = بتنسيق JSON

answer-for-tool = الإجابة عن الأداة { $tool }؟
answer-for-some-tool = الإجابة عن أداة؟
tool-why = يجيب عن هذا عادةً برنامج خارجي. يمكن لشخص أن يجيب مكانه.
result = النتيجة، أو ما حدث من خطأ
result-hint = تصل إلى النموذج كما هي
was-handled = هل عولج هذا الأمر؟
queued-why = ينتظر في قائمة الانتظار عميلًا يعرفه.
command-why = سجّله برنامج خارجي.
went-wrong = ما حدث من خطأ
went-wrong-hint = يُرسل إن لم يُعالَج
write-reply = كتابة رد نموذج إلى { $server }؟
write-some-reply = كتابة رد نموذج إلى خادم؟
reply-why = يرى الخادم الرد. يجيب عن هذا عادةً برنامج خارجي.
reply = الرد
no-reply = لا يوجد رد لإرساله بعد.
a-server = خادم

auto-question = الانتقال إلى الاختيار التلقائي للنموذج؟
auto-why = استُنفد حد هذا النموذج.
auto-why-until = استُنفد حد هذا النموذج. يتاح مجددًا بعد { $time }.
auto-always-means = ينتقل الآن وكلما استُنفد حد، وفي الجلسات اللاحقة أيضًا
beyond-limit = المتابعة بعد حد هذه الجلسة؟
limit-why = استُنفد الحد. ينتظر الوكيل قرارًا.
above-zero = أدخل عددًا أكبر من 0
credits-field = الرصيد
credits-hint = للإضافة، أو حدًّا جديدًا
sign-in-to = تسجيل الدخول إلى { $server }؟
sign-in-somewhere = تسجيل الدخول إلى خادم؟
sign-in-why = يذهب الرمز المميز الذي تلصقه إلى بيئة التشغيل، فتستخدمه لهذا الخادم.
sign-in-reason = { $code ->
    [initial] تسجيل الدخول الأول
    [refresh] يجب تجديد الرمز المميز
    [reauth] يلزم تسجيل الدخول من جديد
    [upscope] يلزم مزيد من الصلاحيات
   *[other] { $said }
}
sign-in-error = { $code ->
    [invalid_token] الرمز المميز غير صالح
    [insufficient_scope] تنقص الرمز المميز صلاحيات
    [invalid_request] الطلب غير صالح
   *[other] { $said }
}
limit-reason = { $code ->
    [user_weekly_rate_limited] الحد الأسبوعي لحسابك
    [user_global_rate_limited] حد حسابك
    [user_model_rate_limited] حد هذا النموذج
    [model_rate_limited] حد هذا النموذج
    [integration_rate_limited] حد هذا البرنامج
    [rate_limited] حد لعدد الطلبات
    [quota_exceeded] استُنفدت الحصة
    [session_quota_exceeded] استُنفدت حصة الجلسة
    [billing_not_configured] لم تُضبط الفوترة
   *[other] { $said }
}
memory-scope = { $code ->
    [repository] هذا المستودع
    [user] كل مستودعاتك
   *[other] { $said }
}
no-token = لا يوجد رمز مميز لإرساله بعد
token = رمز الوصول
token-hint = لا يُحفظ في هذه الصفحة
confirm-this = تأكيد هذا؟

## لماذا لم تعد الإجابة عن الطلب ممكنة

gone-restarted = أُعيد تشغيل الوكيل: لم يعد هذا مطلوبًا
gone-refused = أُجيب عنه في مكان آخر أو لم يعد مطلوبًا
summary-only = لا يُعرف من هذا الطلب إلا ملخصه: قد ينقصه شيء.
says-nothing = لا يذكر هذا الوكيل ما سيفعله: ما يظهر هنا هو عنوانه فقط. لا تسمح به إلا إذا كنت تثق بأن الوكيل سيفعل ما يقوله العنوان.
cannot-allow = لا يعرض الوكيل أي رد يسمح بهذا.

## ما يمنحه الإذن بعد هذه المرة

until-session-ends = { $what }، حتى نهاية هذه الجلسة
in-later-sessions = { $what }، في { $place }، في هذه الجلسة وكل جلسة لاحقة
every-command = كل أمر { $names }
same-command = الأمر { $names } كما هو مكتوب هنا تمامًا
every-edit = كل تعديل لملف في مجلدات هذه الجلسة
every-reading = قراءة أي ملف في مجلدات هذه الجلسة
paths-outside = الوصول إلى { $paths } للقراءة والتعديل، وإن كان مجلدًا فإلى كل ما فيه
new-file-outside = الوصول إلى { $paths } للقراءة والتعديل؛ وبيئات التشغيل الأقدم من 1.0.15 تسمح بالمجلد كله الذي فيه الملف
every-memory = حفظ أي ذاكرة
every-call-on = كل استدعاء للأداة { $tool } على { $server }
every-call = كل استدعاء للأداة { $tool }
every-address = كل عنوان على { $host }
every-extension = { $operation ->
    [scaffold] إنشاء أي إضافة
    [reload] إعادة تحميل أي إضافة
   *[other] كل عملية { $operation } لإضافة
}
every-ability = كل صلاحية تطلبها { $name }
every-variable = قراءة { $variables } من قبل { $name }
every-factory = كل تشغيل لـ { $key }

## بطاقات تُقرأ قبل الإجابة عنها

# Above the answers of a card that is higher than the view.
lines-left = { $n ->
    [zero] لم يبقَ أي سطر
    [one] بقي سطر واحد
    [two] بقي سطران
    [few] بقيت { $n } أسطر
    [many] بقي { $n } سطرًا
   *[other] بقي { $n } سطر
}
show-rest = إظهار الباقي
all-seen = ظهر كل ما فيها.
# At a button that is off until then.
not-all-seen = لم يظهر كل ما فيها بعد
# At a plan of which nothing is chosen.
choose-first = اختر أولًا كيفية المتابعة.
just-moved = لم يُرسل: تحرّكت البطاقة للتو
as-written = فيه ما لا يُرى إلا في مصدره:
taken = يجيب برنامج في هذه الصفحة عن هذا. يمكنك أن تجيب مكانه.
by-program = أجاب عنه برنامج
confirm = تأكيد
back = رجوع
no-limit-means = تستمر الجلسة بلا حد إلى أن يضع أحد حدًا من جديد.
opens-then = يُفتح في لسان جديد. لا يُرسل شيء إلى الوكيل حتى تجيب هنا.
auto-edits = السماح أيضًا بالتعديلات التالية
auto-edits-means = تُبلَّغ بيئة التشغيل بذلك؛ والإصدارات المعروفة، حتى 1.0.15، تسأل مع ذلك عن كل تعديل
need-pattern = ليس على الشكل المطلوب: { $pattern }

## ما ينتظر، في سطر من قائمة

asks-run = تشغيل { $object }
asks-write = الكتابة في { $object }
asks-create = إنشاء { $object }
asks-read = قراءة { $object }
asks-fetch = جلب { $object }
asks-titled = { $object }

## قائمة كل ما ينتظر

waiting = { $n ->
    [zero] لا طلب ينتظرك
    [one] طلب واحد ينتظرك
    [two] طلبان ينتظرانك
    [few] { $n } طلبات تنتظرك
    [many] { $n } طلبًا ينتظرك
   *[other] { $n } طلب ينتظرك
}
nothing-waits = لا شيء ينتظرك
close-list = إغلاق القائمة
not-seen = لم تره بعد
heed = فيه تحذير
look-first = ما رأيته من أول سطر إلى آخر سطر يمكن السماح به هنا معًا، مرة واحدة.
allow-all-seen = { $n ->
    [zero] السماح بما رأيته، مرة واحدة
    [one] السماح بالطلب الذي رأيته، مرة واحدة
    [two] السماح بالطلبين اللذين رأيتهما، مرة واحدة
    [few] السماح بالطلبات الـ{ $n } التي رأيتها، مرة واحدة
    [many] السماح بالطلبات الـ{ $n } التي رأيتها، مرة واحدة
   *[other] السماح بالطلبات الـ{ $n } التي رأيتها، مرة واحدة
}
allow-these = { $n ->
    [zero] السماح بها، مرة واحدة
    [one] السماح بهذا الطلب، مرة واحدة
    [two] السماح بهذين الطلبين، مرة واحدة
    [few] السماح بهذه الطلبات الـ { $n }، مرة واحدة
    [many] السماح بهذه الطلبات الـ { $n }، مرة واحدة
   *[other] السماح بهذه الطلبات الـ { $n }، مرة واحدة
}
kind-permission = إذن
kind-question = سؤال
kind-form = استمارة
kind-plan = خطة
kind-tool = أداة لبرنامج
kind-command = أمر
kind-model = النموذج
kind-limits = حد
kind-sign-in = تسجيل الدخول
kind-sampling = رد نموذج
kind-confirmation = تأكيد
