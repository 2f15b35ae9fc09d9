copy = نسخ
selected = حُدِّد النص: انسخه بلوحة المفاتيح
wrap = التفاف

footnote = الحاشية { $label }
back = العودة إلى النص

image = صورة
image-named = صورة: { $alt }
show = عرض
load-from = تحميل من { $host }
does-to = { $does }: { $alt }
not-loaded = تعذّر تحميلها.

done = منجز
open = غير منجز
table = جدول
dead-link = رابط لا يمكن فتحه: { $address }

source = المصدر
not-drawn = لم يُرسم: { $why }
diagram = مخطط: { $words }
no-drawings = هذه الصفحة لا تعرض الرسوم
no-formula = فيه ما ليس صيغة رياضية
empty-drawing = الرسم فارغ
unreadable = لا يستطيع Mermaid قراءته
