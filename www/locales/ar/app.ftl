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
hint = لا يُسمح بشيء من الإشعار نفسه، بل يفتح الطلب. تنقله خدمات صانع المتصفح مشفّرًا.
close = إغلاق

## Why it does not work here.
needs-https = تحتاج الإشعارات إلى https. افتح هذه الصفحة على عنوان https أو على جهاز البوابة نفسه.
needs-install = على iPhone أو iPad، أضف هذه الصفحة أولًا إلى الشاشة الرئيسية (مشاركة، ثم إضافة إلى الشاشة الرئيسية)، وافتحها من هناك.
blocked = يحظر هذا المتصفح إشعارات هذه الصفحة. اسمح بها في إعداداته لهذه الصفحة.
unsupported = لا يدعم هذا المتصفح إشعارات الدفع.
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
not-shared = لا يلزم تسجيل الدخول هنا، فمن لديه العنوان يستطيع كل شيء. شغّل البوابة بالخيار ‎--new-token لمشاركة جلسات منفردة.
