list-comma = { "، " }
runtime-word = { $word ->
    [bypass] الخروج من البيئة المعزولة
    [process] العمليات
    [filesystem] نظام الملفات
    [network] الشبكة
    [routing] التوجيه
    [credentials] بيانات الاعتماد
    [platform] المنصة
    [resolved] محدَّد
    [inactive] غير نشط
    [engaged] مفعَّل
    [succeeded] نجح
    [failed] فشل
    [degraded] مقيَّد
    [denied] مُنع
    [approved] اعتُمد
    [declined] رُفض
    [cancelled] أُلغي
    [completed] اكتمل
    [committed] ثُبِّت
    [active] نشط
    [paused] متوقف مؤقتًا
    [cap_reached] بلغ الحد الأقصى
    [running] قيد التشغيل
    [builtin_filesystem] الوصول المدمج إلى الملفات
    [search] البحث
    [web_fetch] جلب الويب
    [mcp] MCP
    [lsp] LSP
    [shell] Shell
    [denied_paths_unsupported] المسارات الممنوعة غير مدعومة
    [unsupported_platform] منصة غير مدعومة
    [filesystem_read] قراءة الملفات
    [filesystem_write] كتابة الملفات
    [process_startup] بدء عملية
    [registry_access] الوصول إلى سجل النظام
    [ipc_access] الوصول إلى IPC
    [process_access] الوصول إلى العمليات
    [job_access] الوصول إلى المهام
    [ui_access] الوصول إلى الواجهة
    [service_access] الوصول إلى الخدمات
    [network_outbound] اتصال صادر
    [network_local] اتصال محلي
    [network_host] اتصال بالمضيف
    [other_access] وصول آخر
    [primary] الخطوة الأساسية
    [judge] التحكيم
    [repair] الإصلاح
    [draft] المسودة
    [critic] النقد
    [revision] المراجعة
    [follow_up] المتابعة
    [single] نموذج واحد
    [cascade] تتابع
    [critique] نقد
    [efficiency] الكفاءة
    [balance] التوازن
    [intelligence] الذكاء
    [fast] السرعة
    [policy_rejected] السياسة تمنع ذلك
    [request_failed] فشل الطلب
    [setup_failed] فشل الإعداد
    [unsupported] غير مدعوم
    [server] الخادم
    [device] الجهاز
    [client] العميل
    [policyHelper] مساعد السياسات
    [mixed] مصادر متعددة
    [chat] الدردشة
    [completions] الإكمالات
    [premium_interactions] الطلبات المميزة
   *[other] { $said }
}

setting-changed = { $setting }: من { $from } إلى { $to }
mode-changed = { $from ->
    [missing] الوضع: { $mode }
   *[other] الوضع: من { $from } إلى { $mode }
}
unknown = غير معروف
model-changed = النموذج: { $from ->
    [missing] { $model }
   *[other] من { $from } إلى { $model }
}{ $effort ->
    [missing] { "" }
   *[other] ، جهد التفكير { $effort }
}{ $cause ->
    [rate_limit_auto_switch] { " " }بسبب حد المعدل
    [refusal_fallback] { " " }لأن النموذج الآخر امتنع
   *[other] { "" }
}
model-deselected = لم يعد { $model } مختارًا: { $why ->
    [provider_withdrawn] سحبه مزوّده
   *[other] { $said }
}. سيجيب نموذج افتراضي
effort-changed = جهد تفكير { $model }: { $from ->
    [missing] { "" }
   *[other] من { $from } إلى{ " " }
}{ $effort ->
    [missing] الجهد الافتراضي للنموذج
   *[other] { $effort }
}{ $cause ->
    [rate_limit_auto_switch] { " " }بسبب حد المعدل
    [refusal_fallback] { " " }لأن النموذج الآخر امتنع
   *[other] { "" }
}
permissions = الأذونات: { $mode ->
    [allow-all] كل شيء مسموح به دون سؤال
    [assisted] يقرر نموذج، ويسأل عند الشك
    [manual] تُطلب واحدة تلو الأخرى
    [missing] غير معروفة
   *[other] { $said }
}
compacting = جارٍ ضغط المحادثة{ $why ->
    [threshold] { " " }لأن نافذة السياق أوشكت على الامتلاء
    [context_limit_retry] { " " }لأن نافذة السياق امتلأت
    [manual] { " " }كما طُلب
    [memory_pressure] { " " }لتحرير الذاكرة
    [model_switch] { " " }من أجل النموذج التالي
   *[other] { "" }
}
compacted = ضُغطت المحادثة{ $why ->
    [threshold] { " " }لأن نافذة السياق أوشكت على الامتلاء
    [context_limit_retry] { " " }لأن نافذة السياق امتلأت
    [manual] { " " }كما طُلب
    [memory_pressure] { " " }لتحرير الذاكرة
    [model_switch] { " " }من أجل النموذج التالي
   *[other] { "" }
}{ $before ->
    [missing] { "" }
   *[other] ، الرموز: من { $before } إلى { $after }
}
compaction-interrupted = قُطع ضغط المحادثة
compaction-failed = فشل الضغط{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
truncated = { $n ->
    [zero] لم تُحذف أي رسالة من رؤية النموذج (الرموز: { $tokens })
    [one] حُذفت أقدم رسالة من رؤية النموذج (الرموز: { $tokens })
    [two] حُذفت أقدم رسالتين من رؤية النموذج (الرموز: { $tokens })
    [few] حُذفت أقدم { $n } رسائل من رؤية النموذج (الرموز: { $tokens })
    [many] حُذفت أقدم { $n } رسالة من رؤية النموذج (الرموز: { $tokens })
   *[other] حُذفت أقدم { $n } رسالة من رؤية النموذج (الرموز: { $tokens })
}{ $before ->
    [missing] { "" }
   *[other] ، الرموز: من { $before } إلى { $after }
}
rewound = إرجاع: { $n ->
    [zero] لم يغب أي حدث عن رؤية النموذج
    [one] غاب حدث واحد عن رؤية النموذج
    [two] غاب حدثان عن رؤية النموذج
    [few] غابت { $n } أحداث عن رؤية النموذج
    [many] غاب { $n } حدثًا عن رؤية النموذج
   *[other] غاب { $n } حدث عن رؤية النموذج
}
cleared = مُسح السياق: { $n ->
    [zero] لم تغب أي رسالة عن رؤية النموذج
    [one] غابت رسالة واحدة عن رؤية النموذج
    [two] غابت رسالتان عن رؤية النموذج
    [few] غابت { $n } رسائل عن رؤية النموذج
    [many] غابت { $n } رسالة عن رؤية النموذج
   *[other] غابت { $n } رسالة عن رؤية النموذج
}
transcript = سجل محادثة { $agent } ({ $form })
transcript-lines = { $n ->
    [zero] بلا أسطر
    [one] سطر واحد
    [two] سطران
    [few] { $n } أسطر
    [many] { $n } سطرًا
   *[other] { $n } سطر
}
transcript-left-out = { $n ->
    [zero] لم يُترك شيء
    [one] تُرك واحد
    [two] تُرك اثنان
    [few] تُركت { $n }
    [many] تُرك { $n }
   *[other] تُرك { $n }
}
handed-off = نُقلت من { $kind ->
    [missing] جلسة أخرى
    [remote] جلسة بعيدة
    [local] جلسة محلية
   *[other] جلسة { $said }
}
agent-selected = الوكيل: { $name }
agent-default = عودة إلى الوكيل الافتراضي

task-complete = اكتملت المهمة
task-unfinished = لم تكتمل المهمة بعد
task-failed = تعذّر إكمال المهمة

session-resumed = استؤنفت الجلسة
restarting = توقف الوكيل على نحو غير متوقع. قُطع ما كان يعمل، ويُعاد تشغيل الوكيل الآن
restarted = أُعيد تشغيل الوكيل. قُطع ما كان يعمل
restarted-anew = أُعيد تشغيل الوكيل. قُطع ما كان يعمل، ولم يعد ما كان مطلوبًا مطلوبًا
connection-back = انقطع الاتصال بالوكيل لحظة، واستمر عمله
call-lost = ضاع استدعاء كان مسموحًا به عند إعادة تشغيل الوكيل
session-over = { $how ->
    [crashed] تعطلت الجلسة
   *[other] انتهت الجلسة
}{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
requests = { $n ->
    [zero] لا طلبات
    [one] طلب واحد
    [two] طلبان
    [few] { $n } طلبات
    [many] { $n } طلبًا
   *[other] { $n } طلب
}
model-time = وقت النموذج { $time }
changed-lines = +{ $added } −{ $removed }{ $files ->
    [0] { "" }
    [zero] { "" }
    [one] { " " }في ملف واحد
    [two] { " " }في ملفين
    [few] { " " }في { $files } ملفات
    [many] { " " }في { $files } ملفًا
   *[other] { " " }في { $files } ملف
}
stopped = { $why ->
    [user_initiated] أوقفتَه أنت
    [remote_command] أُوقف من مكان آخر
    [autopilot_credit_limit] توقف: بلغ الطيار الآلي حد رصيده
    [missing] توقف
   *[other] توقف: { $said }
}
autopilot-goes-on = الطيار الآلي يواصل

trying-again = إعادة المحاولة{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
background-goes-on = العمل في الخلفية مستمر
choosing-models = جارٍ اختيار النماذج

gone-ended = انتهت الجلسة
gone-resumed = استؤنفت الجلسة: لم يعد هذا مطلوبًا
gone-idle = انتهت الجولة دون إجابة
gone-stopped = أُوقفت الجولة
gone-unlisted = لم يعد مطلوبًا
accepted = قُبل
dismissed = أُهمل
reply-broke = انقطع رد الوكيل هنا. وما وصل قبل ذلك محفوظ.

error-silent = خطأ بلا رسالة
notice-silent = { $category }، بلا رسالة
command-not-run = لم يُنفَّذ { $command }: { $why }
nameless-event = حدث بلا اسم
unreadable-event = تعذّرت قراءة حدث: { $why }
hook-failed = خطاف «{ $hook }»: فشل{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
fusion-route-failed = تعذّر اختيار نماذج هذه الجولة: يجيب { $model ->
    [missing] نموذج آخر
   *[other] { $model }
} وحده
fusion-phase-failed = فشل: { $phase }{ $model ->
    [missing] { "" }
   *[other] { " " }({ $model })
}{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
auto-tier-failed = لم يتمكن Auto من التبديل إلى { $tier ->
    [missing] الافتراضي
   *[other] «{ $tier }»
}: { $why }{ $stays ->
    [missing] { "" }
   *[other] ؛ يبقى على «{ $stays }»
}
policy-prevents = إعداد مؤسستك { $setting } يمنع هذا
remedy = { $action ->
    [sign_in] تسجيل الدخول مجددًا
    [switch_account] التبديل إلى حساب آخر
    [show_account] معرفة الحساب المسجَّل دخوله
    [review_sandbox_policy] مراجعة ما تسمح به البيئة المعزولة
    [allow_sandbox_outbound] السماح للبيئة المعزولة بالوصول إلى الشبكة
   *[other] { $said }
}

file-told = { $what ->
    [created] أُنشئ الملف { $name }
    [deleted] حُذف الملف { $name }
   *[other] عُدّل الملف { $name }
}
file-told-own = { $what ->
    [created] أُنشئ ملف هذه الجلسة { $name }
    [deleted] حُذف ملف هذه الجلسة { $name }
   *[other] عُدّل ملف هذه الجلسة { $name }
}
agent-ended = { $how ->
    [failed] فشل الوكيل { $name }
   *[done] انتهى الوكيل { $name }
}
shell-ended = انتهى الأمر في الخلفية{ $code ->
    [missing] { "" }
   *[other] { " " }برمز الخروج { $code }
}: { $name ->
    [missing] ‏shell { $shell }
   *[other] { $name }
}
workflow-ended = { $how ->
    [failed] لم ينتهِ سير العمل { $name }
   *[done] انتهى سير العمل { $name }
}
instructions-found = عُثر على تعليمات في { $path }
skill-used = استخدام المهارة { $name }
skill-again = استخدام المهارة { $name } مجددًا
attachment = مرفق
attachment-withheld = { $name } (لم يُعطَ للنموذج)
mcp-task = { $server }: المهمة{ $id ->
    [missing] { "" }
   *[other] { " " }{ $id }
}{ $tool ->
    [missing] { "" }
   *[other] { " " }للأداة { $tool }
} { $status ->
    [working] قيد العمل
    [input_required] تحتاج إلى إدخال
    [completed] اكتملت
    [failed] فشلت
    [unfinished] انتهت مع الجلسة
   *[cancelled] أُلغيت
}{ $why ->
    [missing] { "" }
   *[other] : { $why }
}

recovery = { $word ->
    [recovering] الطيار الآلي غير مسموح له بهذا، ويبحث عن طريق آخر
    [awaiting_approval] الطيار الآلي لم يجد طريقًا آخر، ويطلب الإذن
    [resolved] الطيار الآلي يواصل
    [blocked] الطيار الآلي لا يستطيع المواصلة
   *[other] الطيار الآلي بلا إذن: { $said }
}
recovery-of = { $word ->
    [shell] أمر
    [commands] أمر
    [write] كتابة
    [read] قراءة
    [path] مسار
    [url] عنوان
    [mcp] أداة خادم
    [custom-tool] أداة
    [tool] أداة
    [memory] ذاكرة
    [hook] خطاف
    [workflow] سير العمل
    [factory] مصنع
    [extension-management] إضافات
    [extension-permission-access] قدرات إضافة
    [extension-env-access] متغيرات البيئة
   *[other] { $said }
}{ $what ->
    [missing] { "" }
   *[other] : { $what }
}
recovery-why = { $word ->
    [permission_required] يلزم إذن
    [repeated_attempt] طلب الشيء نفسه مجددًا
    [attempts_exhausted] استُنفدت محاولاته
    [permission_approved] سمح به شخص
    [permission_denied] رفضه شخص
    [responder_unavailable] لم يكن هناك من يجيب
    [equivalent_alternative_succeeded] نجح طريق آخر
   *[other] { $said }
}
recovery-count = المحاولة { $n } من { $most }
recovery-else = { $word ->
    [ask] إن لم يجد طريقًا فسيُسأل شخص
    [fail] إن لم يجد طريقًا فستتوقف المهمة: لا يوجد من يُسأل
   *[other] إن لم يجد طريقًا: { $said }
}
recovery-relation = { $word ->
    [initial] المحاولة الأولى
    [retry] الشيء نفسه مجددًا
    [alternative] طريق آخر
   *[other] { $said }
}
recovery-became = { $word ->
    [deferred] مُنع دون سؤال
    [prompted] طُلب الإذن
    [approved] سُمح به
    [denied] رُفض
    [blocked] متوقف
    [succeeded] نجح
   *[other] { $said }
}
blocked = { $word ->
    [permission_recovery] الطيار الآلي متوقف: ينقصه إذن
   *[other] متوقف: { $said }
}
blocked-until = { $word ->
    [yes] تُستأنف المهمة بإجابة أو رسالة
   *[no] لا يمكن استئناف المهمة
}
