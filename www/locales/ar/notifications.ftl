line = { $source }: { $text }
note-failed = فشل { $failed } · { $n }
failed = { $n ->
    [zero] لا إخفاق
    [one] إخفاق واحد
    [two] إخفاقان
    [few] { $n } إخفاقات
    [many] { $n } إخفاقًا
   *[other] { $n } إخفاق
}
error = خطأ
warning = تحذير
note = ملاحظة

hooks = الخطافات
permissions = الأذونات
sandbox = البيئة المعزولة
organization = المؤسسة
extensions = الإضافات
clients = العملاء
session = الجلسة
tools = الأدوات
memory = الذاكرة
checklist = قائمة المهام
background-work = العمل في الخلفية
factory = المصنع
workflow = سير العمل
search-index = فهرس البحث
auto = Auto
model = النموذج
fusion = Fusion

server-removed = أُزيل من قائمة الخوادم
server-reconnect = تجب إعادة الاتصال به
server-tools = يقدم أدوات مختلفة
server-resources = يقدم موارد مختلفة
server-prompts = يقدم مطالبات مختلفة
server-status = { $status ->
    [connected] متصل
    [failed] فشل
    [pending] جارٍ الاتصال
    [needs-auth] يتطلب تسجيل الدخول
    [stopped] متوقف
    [disabled] معطَّل
    [not_configured] غير مهيأ
    [unavailable] غير متاح
    [signed-out] لم يُسجَّل الدخول
   *[other] { $said }
}
headers-asked = طلب من المضيف ترويسات جديدة
headers-why = { $reason ->
    [ttl-expired] انتهت صلاحية القديمة
    [auth-failed] رُفضت القديمة
   *[other] { $said }
}
headers-got = حصل على ترويسات جديدة من المضيف
headers-none = يواصل دون ترويسات جديدة
headers-late = لم يحصل على ترويسات جديدة في الوقت المحدد
headers-failed = تعذّر حصوله على ترويسات جديدة
app-called = استدعى تطبيقه { $tool }
app-failed = لم يتمكن تطبيقه من استدعاء { $tool }{ $why ->
    [missing] { "" }
   *[other] : { $why }
}

carried-forward = نُفذ استدعاء دون سؤال جديد: { $by ->
    [human_response] إجابة شخص
    [assisted_approval] إجابة نموذج
    [host_policy] سياسة المضيف
    [unattended_fallback] القاعدة السارية في غياب المستخدم
   *[other] إجابة سابقة
} تشمله
sandbox-rules = قواعد { $control }: { $outcome }
sandbox-inactive = غير نشطة مع { $control }
sandbox-denied = مُنع: { $what }{ $resource ->
    [missing] { "" }
   *[other] : { $resource }
}
rules-unread = تعذّرت قراءة قواعدها: كل ما قد تمنعه ممنوع
rules-none = لا تسري هنا قواعد أي مؤسسة
rules-no-bypass = خيار «السماح بكل شيء» معطّل
rules-from = { $n ->
    [zero] لا قواعد من { $source }
    [one] قاعدة واحدة من { $source }
    [two] قاعدتان من { $source }
    [few] { $n } قواعد من { $source }
    [many] { $n } قاعدة من { $source }
   *[other] { $n } قاعدة من { $source }
}

extensions-none = لم تُحمَّل أي إضافة
attached-none = لم يعد شيء مرفقًا بالرسالة التالية
attached = { $names } للرسالة التالية
shows-nothing = لا يعرضون شيئًا خاصًا بهم
shows = يمكنهم عرض { $what }
shows-forms = الاستمارات
shows-apps = تطبيقات MCP
shows-canvases = اللوحات الحرة
commands-none = لا يضيفون أوامر
commands = يضيفون { $names }

hook-ran = شُغّل { $hook }
steerable = يمكن توجيهها من مكان آخر
not-steerable = لا يمكن توجيهها من مكان آخر
interrupted = { $activity ->
    [model_call] قُطعت أثناء استدعاء نموذج، بعد { $time }
    [retry_backoff] قُطعت أثناء انتظار محاولة أخرى، بعد { $time }
    [tool_call] قُطعت أثناء استدعاء أداة، بعد { $time }
    [background_agent] قُطعت أثناء عمل وكيل في الخلفية، بعد { $time }
   *[other] قُطعت: { $said }
}
tools-changed = تغيرت أدوات { $model }
tools-found = فعّل بحثٌ { $names }
memory-changed = خُزّنت ذاكرة أو صُوّت عليها
checklist-changed = كتب الوكيل في قائمته
background-changed = بدأ شيء أو تقدم أو انتهى
run-went-on = { $name ->
    [missing] تقدم تشغيل
   *[other] تقدم { $name }
}
revision = المراجعة { $n }
tier-recommended = يوصي بالمستوى «{ $tier }»
call-failed = فشل استدعاء { $model ->
    [missing] النموذج
   *[other] { $model }
}{ $code ->
    [missing] { "" }
   *[other] { " " }بالرمز { $code }
}
cache-broke = { $n ->
    [zero] لا رموز مخزنة مؤقتًا تُقرأ من جديد
    [one] رمز واحد مخزن مؤقتًا يُقرأ من جديد
    [two] رمزان مخزنان مؤقتًا يُقرآن من جديد
    [few] { $n } رموز مخزنة مؤقتًا تُقرأ من جديد
    [many] { $n } رمزًا مخزنًا مؤقتًا يُقرأ من جديد
   *[other] { $n } رمز مخزن مؤقتًا يُقرأ من جديد
}

fusion-models = { $second ->
    [missing] { $first } لهذه الجولة
   *[other] { $first } و{ $second } لهذه الجولة
}
fusion-saved = سُجّلت التغييرات حتى الآن
fusion-changed = { $lines } في { $n ->
    [zero] { $n } ملف
    [one] ملف واحد
    [two] ملفين
    [few] { $n } ملفات
    [many] { $n } ملفًا
   *[other] { $n } ملف
}، مع المسودات المتروكة
fusion-ended = { $outcome } بعد { $phases ->
    [zero] { $phases } مرحلة
    [one] مرحلة واحدة
    [two] مرحلتين
    [few] { $phases } مراحل
    [many] { $phases } مرحلة
   *[other] { $phases } مرحلة
} و{ $calls ->
    [zero] { $calls } استدعاء
    [one] استدعاء واحد
    [two] استدعاءين
    [few] { $calls } استدعاءات
    [many] { $calls } استدعاءً
   *[other] { $calls } استدعاء
}
fusion-tokens = الرموز المقروءة { $read }، والمكتوبة { $written }
fusion-phase = { $phase } ({ $model }): { $status }

index-state = { $what ->
    [disabled] غير مستخدم
    [starting] قيد التشغيل
    [enabled] مستخدم، ولم يكتمل بعد
    [ready] جاهز
    [failed] تعطّل
   *[other] { $said }
}
index-startup = { $what ->
    [started] شُغّل
    [reused_existing] يُستخدم فهرس يعمل من قبل
    [skipped_below_threshold] لم يُشغّل: ملفات المشروع قليلة
    [skipped_no_gitroot] لم يُشغّل: هذا ليس مستودع Git
    [skipped_disabled] لم يُشغّل: الفهرس معطّل
    [failed] تعذّر تشغيله
   *[other] { $said }
}
index-disabled = { $why ->
    [use_tgrep_false] عُطّل عبر البيئة
    [use_builtin_ripgrep_false] يُستخدم برنامج بحث آخر
    [organization] عطّلته المؤسسة
    [organization_policy_auth_pending] لا تُعرف قواعد المؤسسة قبل تسجيل الدخول
    [organization_policy_unknown] تعذّرت قراءة قواعد المؤسسة
    [virtual_filesystem] المشروع على قرص افتراضي أو شبكي
    [cloud_sync_root] المشروع في مجلد تزامنه خدمة سحابية
    [cloud_sync_detection_failed] تعذّرت معرفة ما إذا كانت خدمة سحابية تزامن المجلد
    [workspace_not_local] المشروع ليس على جهاز بيئة التشغيل
   *[other] { $said }
}
index-broke = { $what ->
    [spawn_error] تعذّر تشغيل خادمه
    [unexpected_exit] انتهى خادمه فجأة
    [killed_by_signal] أُنهي خادمه قسرًا
   *[other] { $said }
}
index-changed = { $what ->
    [changes_detected] تغيرت ملفات
    [updated] محدَّث من جديد
   *[other] { $said }
}
index-files = { $n ->
    [zero] لا ملفات
    [one] ملف واحد
    [two] ملفان
    [few] { $n } ملفات
    [many] { $n } ملفًا
   *[other] { $n } ملف
}
index-counts = المضافة { $added }، المعدّلة { $changed }، المحذوفة { $deleted }
thinking-dropped = { $n ->
    [zero] لم يحذف المزوّد أفكارًا سابقة
    [one] حذف المزوّد فكرة سابقة واحدة
    [two] حذف المزوّد فكرتين سابقتين
    [few] حذف المزوّد { $n } أفكار سابقة
    [many] حذف المزوّد { $n } فكرة سابقة
   *[other] حذف المزوّد { $n } فكرة سابقة
}
