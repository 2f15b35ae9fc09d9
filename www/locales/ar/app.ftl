### الصفحة كتطبيق: إشعارات هذا الجهاز، والإصدارات الجديدة، وانقطاع الشبكة.

# In the page's menu. It opens the dialog of this name.
notify = إشعار هذا الجهاز
# A switch.
on = أبلغ هذا الجهاز عندما تنتظرك جلسة
# Over the choices below it: how much a notification says.
says = يذكر الإشعار
says-waiting = أن شيئًا ينتظر فقط
says-title = عنوان الجلسة
says-asked = المطلوب
done = أبلغ أيضًا عند انتهاء دور
hint = يفتح الإشعار الطلب، وهناك تجيب. تنقله خدمات صانع المتصفح مشفّرًا.
# A button; what it says then; the title of the notification.
test = إرسال اختبار
test-sent = الرسالة في الطريق. إن لم تصل خلال دقيقة، فتحقق من أن النظام يعرض إشعارات هذا المتصفح.
test-arrived = يصل Pilothouse إلى هذا الجهاز
close = إغلاق

## Why it does not work here.
needs-https = تحتاج الإشعارات إلى https. افتح هذه الصفحة على عنوان https أو على جهاز البوابة نفسه.
needs-install = على iPhone أو iPad، أضف هذه الصفحة أولًا إلى الشاشة الرئيسية (مشاركة، ثم إضافة إلى الشاشة الرئيسية)، وافتحها من هناك.
blocked = يحظر هذا المتصفح إشعارات هذه الصفحة. اسمح بها في إعداداته لهذه الصفحة.
unsupported = لا يدعم هذا المتصفح إشعارات الدفع.
no-worker = لا يسمح هذا المتصفح لهذه الصفحة بالعمل في الخلفية، كما في نافذة خاصة. افتحها في نافذة عادية.
failed = لم ينجح ذلك: { $why }

## Bars at the foot of the page.
new-version = يتوفر إصدار جديد
reload = إعادة التحميل
later = لاحقًا
last-connected = آخر اتصال: { $time }. لا يُحفظ شيء من الجلسات على هذا الجهاز.

## روابط إلى جلسة
share = مشاركة
share-hint = من لديه الرابط يشاهد هذه الجلسة: لا إجابات ولا رسائل ولا جلسة أخرى. سحب الرابط يُنهي ذلك فورًا.
how-long = المدة
hour = لمدة ساعة
day = لمدة يوم
week = لمدة أسبوع
make-link = إنشاء رابط
until = حتى { $time }
copy = نسخ
copied = نُسخ
take-back = سحب
# A link that downloads it; what it is.
save-html = حفظ كملف HTML واحد
save-hint = الجلسة كما هي الآن في ملف واحد لا يحتاج إلى غيره.
not-shared = لا يلزم تسجيل الدخول هنا، فمن لديه العنوان يستطيع كل شيء. شغّل البوابة بالخيار ‎--new-token لمشاركة جلسات منفردة.

phone = فتح على هاتف
phone-hint = امسح هذا الرمز بكاميرا الهاتف. يقود إلى هذه البوابة حيث يُسجَّل الدخول.
phone-open = امسح هذا الرمز بكاميرا الهاتف.
phone-code = رمز QR للعنوان أدناه
phone-sign-in = تسجيل الدخول على الهاتف أيضًا
phone-signs-in = من يمسح هذا الرمز يُسجَّل دخوله باسمك، مرة واحدة، خلال { $minutes } دقائق.
phone-not-reached = هذا العنوان يقود كل جهاز إلى نفسه، فلا يستطيع هاتف فتحه. شغّل البوابة بحيث يصل إليها الآخرون عبر https: ‏pilothouse serve --listen 0.0.0.0:7878 --allow-host NAME --new-token، أو خلف وكيل. ثم افتح هذه الصفحة بذلك الاسم.

sign-out = تسجيل الخروج
sign-out-as = تسجيل خروج { $name }

by-link = تشاهد عبر رابط، حتى { $time }
