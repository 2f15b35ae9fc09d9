composer = رسالة إلى الوكيل
placeholder = { $can ->
    [both] اكتب إلى الوكيل. / للأوامر و @ للملفات
    [commands] اكتب إلى الوكيل. / للأوامر
    [files] اكتب إلى الوكيل. @ للملفات
   *[none] اكتب إلى الوكيل
}
placeholder-ended = انتهت الجلسة

send = إرسال
queue = إلى الطابور
send-now = إرسال الآن
enter-sends = ‏Enter يرسل، و Shift+Enter يبدأ سطرًا
replies = الوكيل يرد: تابع الكتابة وأرسل عندما ينتهي، أو أوقفه.
enter-queues = ‏Enter يضيف إلى الطابور، و Ctrl+Enter يرسل الآن
enter-steers = ‏Enter يرسل الآن، و Ctrl+Enter يضيف إلى الطابور
enter-saves = ‏Enter يحفظ، و Escape يتركها كما هي
swap = تبديل
swap-tells = تغيير ما يفعله Enter أثناء عمل الوكيل
request-waits = طلب ينتظر جوابك. ما ترسله هنا لا يجيب عنه.
unknown-command = لا يوجد أمر /{ $name }: سيُرسل إلى الوكيل كنص.
as-text = لا يوجد أمر /{ $name }. أرسل مرة أخرى ليذهب إلى الوكيل كنص.
maybe-twice = ربما وصلت بالفعل. أرسل مرة أخرى وقد تصل إلى الوكيل مرتين.
runs-later = يُنفَّذ بعد انتهاء الجولة
offline = غير متصل: الإرسال ينتظر

sending = يُرسل
taken = أُرسلت ولم تُستلم بعد
not-delivered = لم تُسلَّم: لم يستلمها الوكيل
unsure = ربما وصلت. انظر في الجلسة قبل أن ترسلها مرة أخرى
not-sent = لم تُرسل
not-sent-away = لم تُرسل أثناء انقطاع الاتصال
send-again = إرسال مرة أخرى
arrived = كانت قد وصلت
attach-again = أرفق من جديد ما لا يُحفظ: { $names }
attach-missing = لا تُحفظ المرفقات. أرفق من جديد: { $names }
put-back = إعادة إلى الحقل
discard = تجاهل
decided-elsewhere = لم تعد هنا: أُرسلت أو أُعيدت أو أُهملت في مكان آخر
dismiss = إخفاء
way = في الطريق

attach = إرفاق صورة أو نص
attached = المرفقات
remove-file = إزالة { $name }
file-empty = { $name } فارغ
file-too-large = { $name } أكبر من { $limit }
no-images = لم يُرفق { $name }: النموذج المختار لا يقرأ الصور
image-kind = لم يُرفق { $name }: النموذج لا يقرأ { $kind }
too-many-images = لم يُرفق { $name }: { $n ->
    [zero] لا صور مع الرسالة
    [one] صورة واحدة مع الرسالة
    [two] صورتان مع الرسالة
    [few] { $n } صور مع الرسالة
    [many] { $n } صورة مع الرسالة
   *[other] { $n } صورة مع الرسالة
}
file-kind = لم يُرفق { $name }: يمكن إرفاق الصور والنصوص
file-broken = تعذرت قراءة { $name }
pasted = صورة ملصقة

suggestions = اقتراحات
# $name: a command of the host's page; $why: its message
host-failed = تعذّر { $name }: { $why }
proposals = اقتراحات
proposals-count = { $n ->
    [zero] لا اقتراحات
    [one] اقتراح واحد
    [two] اقتراحان
    [few] { $n } اقتراحات
    [many] { $n } اقتراحًا
   *[other] { $n } اقتراح
}

waiting = { $n ->
    [zero] لا رسائل تنتظر
    [one] رسالة واحدة تنتظر
    [two] رسالتان تنتظران
    [few] { $n } رسائل تنتظر
    [many] { $n } رسالة تنتظر
   *[other] { $n } رسالة تنتظر
}
clear = إفراغ الطابور
steers = توجّه الجولة
steers-taken = استُلمت
take-back = استرجاع
not-taken-back = لم تُسترجع: استلمها الوكيل بالفعل
command = أمر
edit = تعديل
up = إلى أعلى
down = إلى أسفل
remove = إخراج
of-item = { $action }: { $text }
editing = أنت تعدّل رسالة تنتظر.
editing-gone = وصلت الرسالة إلى الوكيل. ما تكتبه رسالة جديدة.
cancel = إلغاء
save = حفظ
refused-edit = لم تتغير: لم تعد في الطابور
refused-steer = لم تُرسل الآن: لا جولة جارية. ما زالت تنتظر.
moved = الآن في الموضع { $n }
paused = الطابور متوقف: لا يؤخذ منه شيء
pause = إيقاف الطابور مؤقتًا
pause-tells = يبقى فيه ما ينتظر حتى تأمر بالمتابعة
go-on = متابعة
dropped = { $n ->
    [zero] لم تسقط رسائل قبل أن يبدأها الوكيل
    [one] سقطت رسالة واحدة قبل أن يبدأها الوكيل
    [two] سقطت رسالتان قبل أن يبدأهما الوكيل
    [few] سقطت { $n } رسائل قبل أن يبدأها الوكيل
    [many] سقطت { $n } رسالة قبل أن يبدأها الوكيل
   *[other] سقطت { $n } رسالة قبل أن يبدأها الوكيل
}
undo = تراجع
removed = { $n ->
    [zero] لم تُخرج رسائل من الطابور
    [one] أُخرجت رسالة واحدة من الطابور
    [two] أُخرجت رسالتان من الطابور
    [few] أُخرجت { $n } رسائل من الطابور
    [many] أُخرجت { $n } رسالة من الطابور
   *[other] أُخرجت { $n } رسالة من الطابور
}

stop = إيقاف
stop-more = طرق أخرى للإيقاف
stop-turn = إيقاف الجولة
stop-turn-tells = عمل الخلفية يستمر. ما ينتظر يمكن إعادته.
stop-next = إيقاف الجولة والمتابعة مع الطابور
stop-next-tells = يُعمل على الرسالة التالية في الطابور فورًا
abort = قطع كل شيء
abort-tells = الجولة وأدواتها وما ينتظر في الطابور
nothing-stopped = لم يوقف شيء: لا جولة جارية

mode = الوضع
mode-name = { $mode ->
    [interactive] تفاعلي
    [plan] خطة
    [autopilot] طيار آلي
   *[other] { $mode }
}
mode-tells = { $mode ->
    [interactive] يعمل معك جولة بعد جولة
    [plan] يضع خطة ويسأل قبل أن يبني
   *[autopilot] يتابع وحده حتى تتم المهمة
}
model = النموذج
effort = جهد التفكير
effort-usual = المعتاد
models-loading = تُجلب النماذج
no-models = الخادم لا يذكر نماذج
permissions = الأذونات
permission-name = { $mode ->
    [manual] يسأل أولًا
    [assisted] يسأل مع نصيحة
    [allow-all] يسمح بكل شيء
   *[other] { $mode }
}
permission-tells = { $mode ->
    [manual] الأوامر والتعديلات تنتظرك
    [assisted] ينتظرك ويقول كم في الأمر من خطر
   *[allow-all] تُنفَّذ الأوامر وتتغير الملفات دون سؤال أحد
}
allow-all-on = لا يُسأل أحد: كل أمر يُنفَّذ وكل ملف قابل للتغيير.
ask-again = العودة إلى السؤال
allow-all-title = السماح بكل شيء؟
allow-all-text = تُنفَّذ الأوامر وتتغير الملفات وتُجلب العناوين دون سؤال أحد، حتى يتغير ذلك.
allow-all-do = السماح بكل شيء
not-changed = لم يتغير: أبقاه الخادم كما كان
unknown-method = لا يستطيع هذا الخادم فعل ذلك

more = المزيد
compact = ضغط المحادثة
compact-tells = يفسح مكانًا في السياق: ملخص يحل محل ما قيل
compacting = تُضغط المحادثة
compacted = ضُغطت: أقل بمقدار { $tokens } رمز
rename = إعادة تسمية الجلسة
rename-title = إعادة تسمية الجلسة
name = الاسم
close = إغلاق

rewind = الرجوع إلى ما قبل هذه الرسالة
rewind-title = إرجاع الجلسة
rewind-looks = يُنظر فيما سيُفقد
rewind-lost = { $n ->
    [zero] تخرج هذه الرسالة من المحادثة. لا رجوع عن ذلك.
    [one] تخرج هذه الرسالة ومدخل بعدها من المحادثة. لا رجوع عن ذلك.
    [two] تخرج هذه الرسالة ومدخلان بعدها من المحادثة. لا رجوع عن ذلك.
    [few] تخرج هذه الرسالة و { $n } مداخل بعدها من المحادثة. لا رجوع عن ذلك.
    [many] تخرج هذه الرسالة و { $n } مدخلًا بعدها من المحادثة. لا رجوع عن ذلك.
   *[other] تخرج هذه الرسالة و { $n } مدخل بعدها من المحادثة. لا رجوع عن ذلك.
}
rewind-how = ما الذي يُرجع
rewind-talk = المحادثة
rewind-files = المحادثة و { $n ->
    [zero] لا ملفات
    [one] ملف واحد
    [two] ملفان
    [few] { $n } ملفات
    [many] { $n } ملفًا
   *[other] { $n } ملف
}
rewind-no-files = تبقى الملفات كما هي: لم تحفظ هذه الجلسة ما كانت عليه.
rewind-none = لا رجوع إلى هذه الرسالة: لم تعد الجلسة تحفظها.
rewind-busy = الجلسة تعمل. أوقفها أولًا.
rewind-do = إرجاع
rewind-sure = إرجاع نهائي
rewound = أُرجعت. الرسالة في الحقل لتُرسل من جديد أو تُعدَّل.
rewind-failed = لم تُرجع: { $why }
