go = الانتقال إلى
open = الفتح والإغلاق
entry = المدخل الذي عليه التركيز
search = البحث
requests = الطلبات
sheet = هذه المساعدة

next-request = الطلب التالي الذي ينتظرك
feedback = رفض الطلب مع ملاحظات
latest-answer = أحدث إجابة
next-turn = الجولة التالية
turn-before = الجولة السابقة
entry-beside = المدخل السابق أو التالي، انطلاقًا من مدخل

find = البحث والتصفية والتصدير
help = هذه المساعدة
find-as-browser = البحث؛ ومرة أخرى: بحث المتصفح نفسه
waiting = كل ما ينتظرك

copy = نسخ ما يقوله
events = أحداثه الخام
fold = فتح سطره أو طيه؛ وكذلك مفتاح المسافة
inside = روابطه وأزراره

match-next = التطابق التالي
match-before = التطابق السابق
close-search = الإغلاق وعرض كل الصفوف من جديد

to-buttons = إلى أزرار الطلب
press = الضغط على الزر الذي عليه التركيز. لا يجيب أي مفتاح آخر عن طلب

close = إغلاق

writing = الكتابة إلى الوكيل
write = الكتابة إلى الوكيل
send = إرسال؛ وأثناء عمل الوكيل: إلى الطابور أو الآن كما هو مكتوب أسفل الحقل
other-way = أثناء عمل الوكيل: الطريقة الأخرى
new-line = سطر جديد
before = ما أرسلته من قبل، من أول الحقل
halt = إيقاف الدور
reorder = نقل رسالة في الطابور، من أزرارها

page-up = Page Up
page-down = Page Down
ctrl = Ctrl
letter-f = F
enter = Enter
tab = Tab
shift = Shift
escape = Esc
alt = Alt
arrow-up = ↑
arrow-down = ↓
full-stop = .
