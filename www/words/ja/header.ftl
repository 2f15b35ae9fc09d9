menu = メニュー
views = 表示
search = 検索
lens = モデルに見えている内容
panel = パネル
log = イベントログ
travel = タイムトラベル
