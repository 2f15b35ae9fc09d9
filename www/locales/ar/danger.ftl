### ما يُخشى من أمر أو مسار أو عنوان.

fetch-and-run = يشغّل ما يجلبه من الشبكة دون أن يراه أحد: { $what }
decode-and-run = يفك ترميز شيء ثم يشغّله، فلا يمكن هنا قراءة ما سيعمل: { $what }
pipe-to-shell = يشغّل ما يطبعه أمر آخر: { $what }
elevated = يعمل بصلاحيات أعلى من صلاحياتك: { $what }
deletes-outside = يحذف خارج المشروع مع كل ما فيه: { $what }
deletes-all = يحذف المشروع كله أو تاريخه: { $what }
deletes-unknown = ما يحذفه يتوقف على متغيّر: { $what }
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
