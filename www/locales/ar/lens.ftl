messages = { $n ->
    [zero] لا رسائل
    [one] رسالة واحدة
    [two] رسالتان
    [few] { $figure } رسائل
    [many] { $figure } رسالة
   *[other] { $figure } رسالة
}
characters = { $n ->
    [zero] لا أحرف
    [one] حرف واحد
    [two] حرفان
    [few] { $figure } أحرف
    [many] { $figure } حرفًا
   *[other] { $figure } حرف
}
tokens = { $n ->
    [zero] لا رموز
    [one] رمز واحد
    [two] رمزان
    [few] { $n } رموز
    [many] { $n } رمزًا
   *[other] { $n } رمز
}

sees = النموذج يراه
differs = النموذج يرى شيئًا آخر
people-only = للأشخاص فقط
live-only = مباشر فقط
no-longer = لم يعد النموذج يراه
elsewhere = يراه نموذج وكيل آخر
mark = { $name }: { $what }
only-agent = يراه { $agent } وحده

not-in-log = ليس في السجل، ويختفي بعد إعادة التحميل
gone-compacted = حلّ ملخص محله (ضُغطت المحادثة)
gone-truncated = حُذف لضيق المساحة (اقتطاع)
gone-rewound = عادت الجلسة إلى ما قبله (إرجاع)
gone-cleared = مُسحت المحادثة
main-agent-sees = الوكيل الرئيسي
sub-agent-sees = وكيل فرعي له رؤيته الخاصة
wrapped = هذه الكلمات، وحولها المزيد
wrapped-in = هذه الكلمات، وحولها { $tags }
reworded = كلمات أخرى
a-text = نص ({ $size })
shortened = المقروء: { $size }، والأصل: { $whole }
last-line = هذا، وسطر أخير من بيئة التشغيل
call-waits = الاستدعاء؛ لم تصل نتيجته بعد
call-only = الاستدعاء، دون نتيجة
summary = ملخص بدلًا من الأصل ({ $size })

compacted = ضُغطت المحادثة: { $messages }
compacted-tokens = ضُغطت المحادثة: { $messages }، الرموز: { $before } ← { $after }
truncated = اقتُطع: { $messages }
rewound = أُرجع: { $messages }
cleared = مُسح: { $messages }

back = العودة إلى المخطط الزمني
back-key = العودة إلى المخطط الزمني (Esc)
whose-view = رؤية مَن
main-agent = الوكيل الرئيسي
context = { $messages } · نحو { $now } من الرموز
context-of = { $messages } · نحو { $now } من { $limit } من الرموز
# وكيل وراء بروتوكول آخر، أو نص جلسته.
not-all = لا يخبر { $agent } بكل ما يُعطى لنموذجه: تعليماته ليست هنا، وأدواته بالأسماء التي لها في Pilothouse.
legend = العلامات عند مدخلات المخطط الزمني

list = رسائل رؤية النموذج
role-system = النظام
role-developer = المطوّر
role-user = المستخدم
role-assistant = المساعد
role-tool = الأداة
message = الرسالة { $at }: { $who }
line = السطر { $at }: { $what }
show-in-timeline = عرض في المخطط الزمني
tag-gone = لم تعد مرئية
tag-unseen = ليست في المخطط الزمني
empty = فارغة
only-calls = لا كلمات، استدعاءات فقط
calls = يستدعي
a-tool = أداة
compare = مقارنة
show-less = عرض أقل
show-all = عرض الكل ({ $size })

you-see = ما تراه أنت
model-reads = ما يقرؤه النموذج
both = مشترك
only-model = يقرؤه النموذج وحده
only-you = تراه أنت وحدك
