### ما يُخشى من أمر أو مسار أو عنوان.

fetch-and-run = يشغّل ما يجلبه من الشبكة دون أن يراه أحد: { $what }
decode-and-run = يفك ترميز شيء ثم يشغّله، فلا يمكن هنا قراءة ما سيعمل: { $what }
pipe-to-shell = يشغّل ما يطبعه أمر آخر: { $what }
elevated = يعمل بصلاحيات أعلى من صلاحياتك: { $what }
deletes-outside = يحذف خارج المشروع: { $what }
deletes-all = يحذف المشروع كله أو تاريخه: { $what }
deletes-unknown = لا يُعرف ما يحذفه إلا عند تشغيله: { $what }
deletes-data = يحذف بيانات تحفظها خدمة: { $what }
deletes-by-name = بحسب اسمها تحذف شيئًا نهائيًا: { $what }
stops-all = يوقف هذا الجهاز أو كل البرامج التي تعمل عليه: { $what }
disk = يكتب فوق قرص كامل: { $what }
runs-later = يغيّر شيئًا يعمل من تلقاء نفسه لاحقًا: { $what }
outside-settings = يغيّر إعدادات حسابك أو النظام: { $what }
writes-outside = يكتب خارج المشروع: { $what }
outside = خارج المشروع: { $what }
secrets = قد يحتوي على كلمات مرور أو مفاتيح: { $what }
force-push = يستبدل أو يحذف على الخادم ما قد يكون لدى غيرك: { $what }
discards = يتخلص من عمل غير محفوظ في مكان آخر: { $what }
eval = يشغّل نصًا كأنه برنامج: { $what }
network-shell = يصل الصدفة بالشبكة: { $what }
listens = يمكن الوصول إليه من الشبكة أثناء عمله: { $what }
sends-files = يرسل ملفات إلى جهاز آخر: { $what }
open-to-all = يمنح كل من على هذا الجهاز صلاحيات عليه: { $what }
installs = يثبّت حزمًا أو يشغّلها، وقد تعمل هنا نصوصها البرمجية: { $what }
leads-elsewhere = يقود المسار إلى مكان آخر: { $what }
new-in-file = الجديد في الملف: { $what }
this-file = هذا الملف
unread = فيه جزء لا يمكن قراءته هنا، فلا يُعرف ما يفعله: { $what }

## ما يفعله الأمر

does-look = { $place ->
    [first] يقرأ ملفات أو سجلّ التغييرات
   *[then] ثم يقرأ ملفات أو سجلّ التغييرات
}
does-test = { $place ->
    [first] يشغّل الاختبارات
   *[then] ثم يشغّل الاختبارات
}
does-check = { $place ->
    [first] يفحص الشيفرة
   *[then] ثم يفحص الشيفرة
}
does-build = { $place ->
    [first] يبني المشروع
   *[then] ثم يبني المشروع
}
does-format = { $place ->
    [first] ينسّق الشيفرة
   *[then] ثم ينسّق الشيفرة
}
does-install = { $place ->
    [first] يثبّت حزمًا قد تعمل نصوصها البرمجية
   *[then] ثم يثبّت حزمًا قد تعمل نصوصها البرمجية
}
does-run = { $place ->
    [first] يشغّل { $what } من هذا المشروع
   *[then] ثم يشغّل { $what } من هذا المشروع
}
does-create = { $place ->
    [first] ينشئ ملفات أو مجلدات
   *[then] ثم ينشئ ملفات أو مجلدات
}
does-copy = { $place ->
    [first] ينسخ ملفات
   *[then] ثم ينسخ ملفات
}
does-move = { $place ->
    [first] ينقل ملفات
   *[then] ثم ينقل ملفات
}
does-write = { $place ->
    [first] يكتب في { $what }
   *[then] ثم يكتب في { $what }
}
does-delete = { $place ->
    [first] يحذف { $what }
   *[then] ثم يحذف { $what }
}
does-commit = { $place ->
    [first] يسجّل التغييرات في Git
   *[then] ثم يسجّل التغييرات في Git
}
does-push = { $place ->
    [first] يرفع التغييرات إلى خادم
   *[then] ثم يرفع التغييرات إلى خادم
}
does-fetch = { $place ->
    [first] يجلب من خادم
   *[then] ثم يجلب من خادم
}
does-look-at-machine = { $place ->
    [first] يعرض ما يعمل على هذا الجهاز
   *[then] ثم يعرض ما يعمل على هذا الجهاز
}
does-version = { $place ->
    [first] يعرض أرقام الإصدارات
   *[then] ثم يعرض أرقام الإصدارات
}
does-fix = { $place ->
    [first] يفحص الشيفرة ويصحّحها
   *[then] ثم يفحص الشيفرة ويصحّحها
}
does-install-only = { $place ->
    [first] يثبّت حزمًا دون تشغيل نصوصها البرمجية
   *[then] ثم يثبّت حزمًا دون تشغيل نصوصها البرمجية
}
does-run-package = { $place ->
    [first] يشغّل { $what } بعد تثبيت ما ينقصه
   *[then] ثم يشغّل { $what } بعد تثبيت ما ينقصه
}
does-list-packages = { $place ->
    [first] يسرد الحزم
   *[then] ثم يسرد الحزم
}
does-make-executable = { $place ->
    [first] يجعل { $what } قابلًا للتشغيل
   *[then] ثم يجعل { $what } قابلًا للتشغيل
}
does-stage = { $place ->
    [first] يجهّز التغييرات للإيداع التالي في Git
   *[then] ثم يجهّز التغييرات للإيداع التالي في Git
}
does-amend = { $place ->
    [first] يعدّل آخر إيداع في Git
   *[then] ثم يعدّل آخر إيداع في Git
}
does-branch = { $place ->
    [first] ينشئ فرعًا أو ينتقل إلى فرع
   *[then] ثم ينشئ فرعًا أو ينتقل إلى فرع
}
does-pull = { $place ->
    [first] يجلب من خادم ويحدّث الفرع
   *[then] ثم يجلب من خادم ويحدّث الفرع
}
does-read-github = { $place ->
    [first] يقرأ من GitHub
   *[then] ثم يقرأ من GitHub
}
does-pull-request = { $place ->
    [first] يفتح طلب سحب على GitHub
   *[then] ثم يفتح طلب سحب على GitHub
}
does-ask-local = { $place ->
    [first] يسأل خادمًا على هذا الجهاز
   *[then] ثم يسأل خادمًا على هذا الجهاز
}
does-look-at-containers = { $place ->
    [first] يعرض الحاويات أو سجلاتها
   *[then] ثم يعرض الحاويات أو سجلاتها
}
does-image = { $place ->
    [first] يبني صورة حاوية
   *[then] ثم يبني صورة حاوية
}
does-start = { $place ->
    [first] يشغّل حاويات هذا المشروع
   *[then] ثم يشغّل حاويات هذا المشروع
}
does-stop = { $place ->
    [first] يوقف حاويات هذا المشروع
   *[then] ثم يوقف حاويات هذا المشروع
}
does-look-at-cluster = { $place ->
    [first] يقرأ حالة عنقود خوادم
   *[then] ثم يقرأ حالة عنقود خوادم
}
