go = 移動
open = 開く・閉じる
entry = フォーカスのある項目
search = 検索
requests = リクエスト
sheet = このヘルプ

next-request = 回答待ちの次のリクエスト
latest-answer = 最新の回答
next-turn = 次のターン
turn-before = 前のターン
entry-beside = 項目から前後の項目へ

find = 検索、フィルター、エクスポート
help = このヘルプ
find-as-browser = 検索。もう一度押すとブラウザーの検索
waiting = 待っているもの全体

copy = 内容をコピー
events = 生のイベント
fold = 行を開閉（Space でも可）
inside = 項目内のリンクとボタン

match-next = 次の一致
match-before = 前の一致
close-search = 閉じて、すべての行を再表示

to-buttons = リクエストのボタンへ
press = フォーカスのあるボタンを押す。ほかのキーでリクエストに回答することはありません

close = 閉じる

page-up = Page Up
page-down = Page Down
ctrl = Ctrl
letter-f = F
enter = Enter
tab = Tab
shift = Shift
escape = Esc
