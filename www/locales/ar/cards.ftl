copy = نسخ
copied = تم النسخ
copied-hidden = تم النسخ، مع محارف مخفية
not-allowed = غير مسموح
what-is-copied = : { $what }
the-diff = الفروق
the-value = القيمة بتنسيق JSON

actions = إجراءات
copy-message = نسخ الرسالة
copy-command = نسخ الأمر
copy-result = نسخ النتيجة

show-all = عرض الكل ({ $size })
more-lines = عرض { $n ->
    [zero] { $n } سطر إضافي
    [one] سطر إضافي واحد
    [two] سطرين إضافيين
    [few] { $n } أسطر إضافية
    [many] { $n } سطرًا إضافيًا
   *[other] { $n } سطر إضافي
}
more-of = عرض { $n } إضافية من أصل { $all }
more-text = عرض { $size } إضافية من أصل { $all }

earlier-not-kept = { $n ->
    [zero] { $n } سطر سابق غير محفوظ
    [one] سطر سابق واحد غير محفوظ
    [two] سطران سابقان غير محفوظين
    [few] { $n } أسطر سابقة غير محفوظة
    [many] { $n } سطرًا سابقًا غير محفوظ
   *[other] { $n } سطر سابق غير محفوظ
}
earlier-not-printed = { $n ->
    [zero] { $n } سطر سابق غير مطبوع
    [one] سطر سابق واحد غير مطبوع
    [two] سطران سابقان غير مطبوعين
    [few] { $n } أسطر سابقة غير مطبوعة
    [many] { $n } سطرًا سابقًا غير مطبوع
   *[other] { $n } سطر سابق غير مطبوع
}
show-earlier = عرض { $n ->
    [zero] { $n } سطر سابق
    [one] سطر سابق واحد
    [two] سطرين سابقين
    [few] { $n } أسطر سابقة
    [many] { $n } سطرًا سابقًا
   *[other] { $n } سطر سابق
}
show-earlier-kept = عرض { $n ->
    [zero] { $n } سطر سابق
    [one] سطر سابق واحد
    [two] سطرين سابقين
    [few] { $n } أسطر سابقة
    [many] { $n } سطرًا سابقًا
   *[other] { $n } سطر سابق
} ({ $gone ->
    [zero] { $gone } سطر قبلها غير محفوظ
    [one] سطر واحد قبلها غير محفوظ
    [two] سطران قبلها غير محفوظين
    [few] { $gone } أسطر قبلها غير محفوظة
    [many] { $gone } سطرًا قبلها غير محفوظ
   *[other] { $gone } سطر قبلها غير محفوظ
})

binary = { $path } (ثنائي)
new-file = { $path } (ملف جديد)
deleted = { $path } (محذوف)

mode = يتغير وضع الملف: من { $from } إلى { $to }
line-ends = تتغير نهايات الأسطر: من { $from } إلى { $to }
mark-added = تُضاف علامة ترتيب البايتات (BOM) في البداية
mark-removed = تُحذف علامة ترتيب البايتات (BOM) من البداية
break-added = يُضاف فاصل سطر إلى السطر الأخير
break-removed = يُحذف فاصل السطر من السطر الأخير
white-space = لا يتغير في بعض الأسطر إلا المسافات البيضاء
nothing-else = لا يتغير شيء آخر

items = { $n ->
    [zero] { $n } عنصر
    [one] عنصر واحد
    [two] عنصران
    [few] { $n } عناصر
    [many] { $n } عنصرًا
   *[other] { $n } عنصر
}
fields = { $n ->
    [zero] { $n } حقل
    [one] حقل واحد
    [two] حقلان
    [few] { $n } حقول
    [many] { $n } حقلًا
   *[other] { $n } حقل
}

printed-part = آخر { $n } من أصل { $all } من المدخلات. التصدير يشملها كلها.

messages = الرسائل
tools = الأدوات
files = الملفات
requests = الطلبات
errors = الأخطاء
