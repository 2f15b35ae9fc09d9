menu = القائمة
views = طرق العرض
search = بحث
lens = ما يراه النموذج
panel = اللوحة
log = سجل الأحداث
travel = التنقل عبر الزمن
