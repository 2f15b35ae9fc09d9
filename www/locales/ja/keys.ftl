go = 移動
open = 開く・閉じる
entry = フォーカスのある項目
search = 検索
requests = リクエスト
sheet = このヘルプ

next-request = 回答待ちの次のリクエスト
feedback = リクエストをフィードバック付きで拒否
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

writing = エージェントに書く
write = エージェントに書く
send = 送信。エージェントの作業中は、下の表示のとおり待ち行列へ、または今すぐ送信
other-way = エージェントの作業中: もう一方の送り方
new-line = 改行
before = 以前に送ったもの (入力欄の先頭で)
halt = ターンを停止
reorder = 待機中のメッセージを動かす (そのボタンから)

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
