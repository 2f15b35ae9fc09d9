copy = コピー
selected = 選択しました。キーボードでコピーしてください
wrap = 折り返し

footnote = 脚注 { $label }
back = 本文に戻る

image = 画像
image-named = 画像: { $alt }
show = 表示
load-from = { $host } から読み込む
does-to = { $does }: { $alt }
not-loaded = 読み込めませんでした。

done = 完了
open = 未完了
table = 表
dead-link = 開けないリンク: { $address }

source = ソース
not-drawn = 描画されていません: { $why }
diagram = 図: { $words }
no-drawings = このページでは図を表示できません
no-formula = 数式以外のものが含まれています
empty-drawing = 図が空です
unreadable = Mermaid では読み取れません
