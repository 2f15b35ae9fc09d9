run = { $how ->
    [doing] جارٍ تشغيل { $object }
    [done] تم تشغيل { $object }
    [waiting] بانتظار السماح: تشغيل { $object }
   *[not-done] لم يتم تشغيل { $object }
}
list-shells = { $how ->
    [doing] جارٍ عرض قائمة جلسات shell
    [done] تم عرض قائمة جلسات shell
    [waiting] بانتظار السماح: عرض قائمة جلسات shell
   *[not-done] لم يتم عرض قائمة جلسات shell
}
read-shell = { $how ->
    [doing] تجري القراءة من shell { $object }
    [done] تمت القراءة من shell { $object }
    [waiting] بانتظار السماح: القراءة من shell { $object }
   *[not-done] لم تتم القراءة من shell { $object }
}
stop-shell = { $how ->
    [doing] جارٍ إيقاف shell { $object }
    [done] تم إيقاف shell { $object }
    [waiting] بانتظار السماح: إيقاف shell { $object }
   *[not-done] لم يتم إيقاف shell { $object }
}
type = { $how ->
    [doing] جارٍ إدخال { $object }
    [done] تم إدخال { $object }
    [waiting] بانتظار السماح: إدخال { $object }
   *[not-done] لم يتم إدخال { $object }
}
create = { $how ->
    [doing] جارٍ إنشاء { $object }
    [done] تم إنشاء { $object }
    [waiting] بانتظار السماح: إنشاء { $object }
   *[not-done] لم يتم إنشاء { $object }
}
edit = { $how ->
    [doing] جارٍ تعديل { $object }
    [done] تم تعديل { $object }
    [waiting] بانتظار السماح: تعديل { $object }
   *[not-done] لم يتم تعديل { $object }
}
a-file = ملف
files = { $n ->
    [zero] { $n } ملف
    [one] ملف واحد
    [two] ملفان
    [few] { $n } ملفات
    [many] { $n } ملفًا
   *[other] { $n } ملف
}
read = { $how ->
    [doing] تجري قراءة { $object }
    [done] تمت قراءة { $object }
    [waiting] بانتظار السماح: قراءة { $object }
   *[not-done] لم تتم قراءة { $object }
}
read-lines = { $how ->
    [doing] تجري قراءة الأسطر { $from }–{ $to } من { $object }
    [done] تمت قراءة الأسطر { $from }–{ $to } من { $object }
    [waiting] بانتظار السماح: قراءة الأسطر { $from }–{ $to } من { $object }
   *[not-done] لم تتم قراءة الأسطر { $from }–{ $to } من { $object }
}
read-to-end = { $how ->
    [doing] تجري قراءة { $object } من السطر { $from } إلى النهاية
    [done] تمت قراءة { $object } من السطر { $from } إلى النهاية
    [waiting] بانتظار السماح: قراءة { $object } من السطر { $from } إلى النهاية
   *[not-done] لم تتم قراءة { $object } من السطر { $from } إلى النهاية
}
look-for = { $how ->
    [doing] جارٍ البحث عن ملفات: { $object }
    [done] تم البحث عن ملفات: { $object }
    [waiting] بانتظار السماح: البحث عن ملفات: { $object }
   *[not-done] لم يتم البحث عن ملفات: { $object }
}
search-for = { $how ->
    [doing] جارٍ البحث عن { $object }
    [done] تم البحث عن { $object }
    [waiting] بانتظار السماح: البحث عن { $object }
   *[not-done] لم يتم البحث عن { $object }
}
fetch = { $how ->
    [doing] جارٍ جلب { $object }
    [done] تم جلب { $object }
    [waiting] بانتظار السماح: جلب { $object }
   *[not-done] لم يتم جلب { $object }
}
search-web = { $how ->
    [doing] جارٍ البحث في الويب عن: { $object }
    [done] تم البحث في الويب عن: { $object }
    [waiting] بانتظار السماح: البحث في الويب عن: { $object }
   *[not-done] لم يتم البحث في الويب عن: { $object }
}
ask-server = { $how ->
    [doing] جارٍ سؤال { $name }: { $object }
    [done] تم سؤال { $name }: { $object }
    [waiting] بانتظار السماح: سؤال { $name }: { $object }
   *[not-done] لم يتم سؤال { $name }: { $object }
}
delegate = { $how ->
    [doing] جارٍ التفويض: { $object }
    [done] تم التفويض: { $object }
    [waiting] بانتظار السماح: التفويض: { $object }
   *[not-done] لم يتم التفويض: { $object }
}
delegate-to = { $how ->
    [doing] جارٍ التفويض إلى { $name }: { $object }
    [done] تم التفويض إلى { $name }: { $object }
    [waiting] بانتظار السماح: التفويض إلى { $name }: { $object }
   *[not-done] لم يتم التفويض إلى { $name }: { $object }
}
list-agents = { $how ->
    [doing] جارٍ عرض قائمة الوكلاء
    [done] تم عرض قائمة الوكلاء
    [waiting] بانتظار السماح: عرض قائمة الوكلاء
   *[not-done] لم يتم عرض قائمة الوكلاء
}
read-agent = { $how ->
    [doing] تجري قراءة رد { $object }
    [done] تمت قراءة رد { $object }
    [waiting] بانتظار السماح: قراءة رد { $object }
   *[not-done] لم تتم قراءة رد { $object }
}
write-agent = { $how ->
    [doing] تجري الكتابة إلى { $object }
    [done] تمت الكتابة إلى { $object }
    [waiting] بانتظار السماح: الكتابة إلى { $object }
   *[not-done] لم تتم الكتابة إلى { $object }
}
stop-agent = { $how ->
    [doing] جارٍ إيقاف { $object }
    [done] تم إيقاف { $object }
    [waiting] بانتظار السماح: إيقاف { $object }
   *[not-done] لم يتم إيقاف { $object }
}
an-agent = وكيل
unnamed = { $what ->
    [command] أمر
    [file] ملف
    [task] مهمة
    [page] صفحة
    [question] سؤال
    [skill] مهارة
   *[something] شيء ما
}
sql = { $how ->
    [doing] جارٍ تنفيذ SQL: { $object }
    [done] تم تنفيذ SQL: { $object }
    [waiting] بانتظار السماح: تنفيذ SQL: { $object }
   *[not-done] لم يتم تنفيذ SQL: { $object }
}
propose-plan = { $how ->
    [doing] جارٍ اقتراح خطة
    [done] تم اقتراح خطة
    [waiting] بانتظار السماح: اقتراح خطة
   *[not-done] لم يتم اقتراح خطة
}
intend = { $how ->
    [doing] ينوي: { $object }
    [done] ينوي: { $object }
    [waiting] كان ينوي: { $object }
   *[not-done] كان ينوي: { $object }
}
report-complete = { $how ->
    [doing] جارٍ الإبلاغ عن اكتمال المهمة
    [done] تم الإبلاغ عن اكتمال المهمة
    [waiting] بانتظار السماح: الإبلاغ عن اكتمال المهمة
   *[not-done] لم يتم الإبلاغ عن اكتمال المهمة
}
update-checklist = { $how ->
    [doing] جارٍ تحديث قائمة المهام
    [done] تم تحديث قائمة المهام
    [waiting] بانتظار السماح: تحديث قائمة المهام
   *[not-done] لم يتم تحديث قائمة المهام
}
ask = { $how ->
    [doing] جارٍ سؤالك: { $object }
    [done] تم سؤالك: { $object }
    [waiting] بانتظار السماح: سؤالك: { $object }
   *[not-done] لم يتم سؤالك: { $object }
}
remember = { $how ->
    [doing] جارٍ الحفظ: { $object }
    [done] تم الحفظ: { $object }
    [waiting] بانتظار السماح: الحفظ: { $object }
   *[not-done] لم يتم الحفظ: { $object }
}
load-skill = { $how ->
    [doing] جارٍ تحميل المهارة { $object }
    [done] تم تحميل المهارة { $object }
    [waiting] بانتظار السماح: تحميل المهارة { $object }
   *[not-done] لم يتم تحميل المهارة { $object }
}
call = { $how ->
    [doing] جارٍ استدعاء { $object }
    [done] تم استدعاء { $object }
    [waiting] بانتظار السماح: استدعاء { $object }
   *[not-done] لم يتم استدعاء { $object }
}
a-tool = أداة
remark = : { $remark }

nothing-found = لا نتائج
found-files = { $files ->
    [zero] { $files } ملف
    [one] ملف واحد
    [two] ملفان
    [few] { $files } ملفات
    [many] { $files } ملفًا
   *[other] { $files } ملف
}
found-hits = { $hits ->
    [zero] { $hits } نتيجة
    [one] نتيجة واحدة
    [two] نتيجتان
    [few] { $hits } نتائج
    [many] { $hits } نتيجة
   *[other] { $hits } نتيجة
} في { $files ->
    [zero] { $files } ملف
    [one] ملف واحد
    [two] ملفين
    [few] { $files } ملفات
    [many] { $files } ملفًا
   *[other] { $files } ملف
}

failed = فشل
denied = مُنع
interrupted = قُطع
stopped = أُوقف: { $what }
being-written = قيد الكتابة
not-started = لم يبدأ
running = قيد التشغيل
in-background = في الخلفية
exit = رمز الخروج { $code }

arguments = الوسائط
arguments-name = الوسائط
arguments-so-far = الوسائط حتى الآن
output = المخرجات
output-so-far = المخرجات حتى الآن
result = النتيجة
text = النص
structured-content = محتوى منظم
sources = المصادر
resource = المورد
directory = المجلد
exit-code = رمز الخروج
command = الأمر
whole-output = المخرجات كاملة
query = الاستعلام
agent = الوكيل
name = الاسم
mode = الوضع
model = النموذج
task = المهمة
answer = الإجابة
excerpt = مقتطف
changes = التغييرات
hits-in = النتائج في { $path }

interactive-view = أرسل الخادم عرضًا تفاعليًا ({ $view }). لا يُشغَّل هنا.
agent-goes-on = يواصل الوكيل العمل في الخلفية.
nothing-found-here = لا نتائج.
later = لاحقًا، في الخلفية
not-applied = لم يُطبَّق
side-by-side = جنبًا إلى جنب
more-files = عرض { $n ->
    [zero] { $n } ملف إضافي
    [one] ملف إضافي واحد
    [two] ملفين إضافيين
    [few] { $n } ملفات إضافية
    [many] { $n } ملفًا إضافيًا
   *[other] { $n } ملف إضافي
}
more-hits = و{ $n } غيرها

shell-ended = انتهت جلسة shell { $id }
shell-goes-on = تستمر جلسة shell { $id } في الخلفية
shell-mode = الوضع { $mode }
with-exit-code = رمز الخروج { $code }

by-rule = بموجب قاعدة
by-exclusion = بموجب سياسة استبعاد المحتوى
by-nobody = تعذّر سؤال أي شخص
by-person-elsewhere = من شخص، في مكان آخر
by-person = من شخص

sign-in = سجّل الدخول مجددًا، ثم كرّر الطلب.
switch-account = سجّل الدخول بحساب لديه حق الوصول.
show-account = تحقّق من الحساب المسجَّل دخوله.
review-sandbox = لا تسمح البيئة المعزولة بذلك: راجع سياستها.
allow-outbound = لا شبكة في البيئة المعزولة: اسمح بها في سياستها.

done-first = تم:{ " " }
now-first = الآن:{ " " }
to-do-first = للتنفيذ:{ " " }
chosen-first = المختار:{ " " }

over = { $server } عبر { $transport }
configured-by = هيّأه { $source }
only-reads = قراءة فقط
changes-things = تُجري تغييرات
may-destroy = قد تُتلف
destroys-nothing = لا تُتلف شيئًا
repeats-safely = تكرارها آمن
repeating-matters = لتكرارها أثر
reaches-beyond = تتجاوز خادمها
stays-within = تبقى ضمن خادمها

two-facts = { $one }، { $two }
pixels = { $about }، { $width } × { $height }
image = صورة من النتيجة
audio = صوت من النتيجة
image-broken = { $about }: تعذّر عرضها
image-from = من { $host }
load-image = تحميل الصورة من { $host }
binary-not-shown = بيانات ثنائية ({ $kind }، { $size })، غير معروضة
binary-of-unknown-type = بيانات ثنائية (من نوع غير معروف، { $size })، غير معروضة
left-out = { $what ->
    [image] صورة{ $about }
   *[other] بيانات ثنائية{ $about }
}: { $why ->
    [size] ليست في السجل بسبب حجمها
    [gone] لم تعد في السجل
    [apart] محفوظة خارج السجل وليست فيه
   *[other] ليست في السجل
}
