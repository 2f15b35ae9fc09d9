copy = コピー
copied = コピーしました
copied-hidden = コピーしました（見えない文字を含みます）
not-allowed = 許可されていません
what-is-copied = : { $what }
the-diff = 差分
the-value = JSON としての値

actions = 操作
copy-message = メッセージをコピー
copy-command = コマンドをコピー
copy-result = 結果をコピー

show-all = すべて表示（{ $size }）
more-lines = さらに { $n } 行を表示
more-of = さらに { $n } 件を表示（全 { $all } 件）
more-text = さらに { $size } を表示（全 { $all }）

earlier-not-kept = 以前の { $n } 行は保持されていません
earlier-not-printed = 以前の { $n } 行は印刷されていません
show-earlier = 以前の { $n } 行を表示
show-earlier-kept = 以前の { $n } 行を表示（その前の { $gone } 行は保持されていません）

binary = { $path }（バイナリ）
new-file = { $path }（新規ファイル）
deleted = { $path }（削除）

line-ends = 改行コードの変更: { $from } から { $to }
mode = ファイルのモードの変更: { $from } から { $to }
mark-added = 先頭にバイト順マーク（BOM）が追加されます
mark-removed = 先頭のバイト順マーク（BOM）が削除されます
break-added = 最終行に改行が追加されます
break-removed = 最終行の改行が削除されます
white-space = 空白だけが変わる行があります
nothing-else = ほかの変更はありません

items = { $n } 要素
fields = { $n } フィールド

printed-part = 全 { $all } 件のうち最後の { $n } 件です。エクスポートにはすべて含まれます。

messages = メッセージ
tools = ツール
files = ファイル
requests = リクエスト
errors = エラー
