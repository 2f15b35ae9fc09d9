composer = エージェントへのメッセージ
placeholder = { $can ->
    [both] エージェントにメッセージ。/ でコマンド、@ でファイル
    [commands] エージェントにメッセージ。/ でコマンド
    [files] エージェントにメッセージ。@ でファイル
   *[none] エージェントにメッセージ
}
placeholder-ended = セッションは終了しました

send = 送信
queue = 待ち行列へ
send-now = 今すぐ送信
enter-sends = Enter で送信、Shift+Enter で改行
replies = エージェントが返信中です。入力は続けられます。返信が終わってから送信するか、停止してください。
enter-queues = Enter で待ち行列へ、Ctrl+Enter で今すぐ送信
enter-steers = Enter で今すぐ送信、Ctrl+Enter で待ち行列へ
enter-saves = Enter で保存、Escape で元のまま
swap = 入れ替え
swap-tells = エージェントの作業中に Enter がすることを変える
request-waits = リクエストがあなたの回答を待っています。ここで送っても回答にはなりません。
unknown-command = コマンド /{ $name } はありません。このまま送るとテキストになります。
as-text = コマンド /{ $name } はありません。もう一度送ると、テキストとしてエージェントに送られます。
maybe-twice = すでに届いている可能性があります。もう一度送ると、エージェントに二重に届くことがあります。
runs-later = このターンが終わってから実行されます
offline = 未接続のため、送信は待つ必要があります

sending = 送信中
taken = 送信済み、まだ受け取られていません
not-delivered = 届きませんでした。エージェントは受け取っていません
unsure = 届いたかもしれません。もう一度送る前にセッションを確認してください
not-sent = 送信されませんでした
not-sent-away = 未接続のあいだ、送信されませんでした
send-again = もう一度送る
arrived = 届いていました
attach-again = 保存されない添付ファイルをもう一度付けてください: { $names }
attach-missing = 添付ファイルは保存されません。もう一度付けてください: { $names }
put-back = 入力欄に戻す
discard = 破棄
decided-elsewhere = もうありません: ほかの画面で送信または破棄されたか、入力欄に戻されました
dismiss = 閉じる
way = 送信途中

attach = 画像またはテキストを添付
attached = 添付
remove-file = { $name } を外す
file-empty = { $name } は空です
file-too-large = { $name } は { $limit } を超えています
no-images = { $name } は添付されません: 選択中のモデルは画像を読めません
image-kind = { $name } は添付されません: モデルは { $kind } を読めません
too-many-images = { $name } は添付されません: 1 件のメッセージに付けられる画像は { $n } 枚です
file-kind = { $name } は添付されません: 添付できるのは画像とテキストです
file-broken = { $name } を読み込めませんでした
pasted = 貼り付けた画像

suggestions = 提案
# $name: a command of the host's page; $why: its message
host-failed = { $name } は失敗しました: { $why }
proposals = 候補
proposals-count = 候補 { $n } 件

waiting = { $n } 件が待機中
clear = すべて取り出す
steers = ターンに割り込む
steers-taken = 受け取り済み
take-back = 取り消す
not-taken-back = 取り消せませんでした: エージェントがすでに受け取っています
command = コマンド
edit = 変更
up = 上へ
down = 下へ
remove = 取り出す
of-item = { $action }: { $text }
editing = 待機中のメッセージを変更しています。
editing-gone = このメッセージはもうエージェントに渡りました。書いている内容は新しいメッセージになります。
cancel = キャンセル
save = 保存
refused-edit = 変更されませんでした: もう待ち行列にありません
refused-steer = 今すぐには送られませんでした: 実行中のターンがありません。待機したままです。
moved = 現在 { $n } 番目
paused = 待ち行列は一時停止中です: 何も取り出されません
pause = 待ち行列を一時停止
pause-tells = 再開するまで、待機中のものはそのまま残ります
go-on = 再開
dropped = { $n } 件のメッセージが、エージェントに読まれる前に失われました
undo = 元に戻す
removed = { $n } 件のメッセージを取り出しました

stop = 停止
stop-more = ほかの止め方
stop-turn = ターンを停止
stop-turn-tells = バックグラウンドの作業は続きます。待機中のものは戻せます。
stop-next = ターンを停止し、次のメッセージへ
stop-next-tells = 待ち行列の次のメッセージにすぐ取りかかります
abort = 中止
abort-tells = ターンとそのツール、待機中のものすべて
nothing-stopped = 停止するものはありませんでした: 実行中のターンがありません

mode = モード
mode-name = { $mode ->
    [interactive] 対話
    [plan] プラン
    [autopilot] オートパイロット
   *[other] { $mode }
}
mode-tells = { $mode ->
    [interactive] 1 ターンずつ一緒に進めます
    [plan] 作る前に計画を立てて確認します
   *[autopilot] 終わるまで自分で続けます
}
model = モデル
effort = 推論の深さ
effort-usual = 通常
models-loading = モデルを取得しています
no-models = サーバーはモデルを示していません
permissions = 許可
permission-name = { $mode ->
    [manual] 先に確認
    [assisted] 助言つきで確認
    [allow-all] すべて許可
   *[other] { $mode }
}
permission-tells = { $mode ->
    [manual] コマンドと編集はあなたを待ちます
    [assisted] あなたを待ち、危険度も示します
   *[allow-all] 誰にも確認せずにコマンドが実行され、ファイルが変わります
}
allow-all-on = 誰にも確認しません: すべてのコマンドが実行され、どのファイルも変更できます。
ask-again = 確認に戻す
allow-all-title = すべて許可しますか
allow-all-text = 変更するまで、コマンドの実行、ファイルの変更、アドレスの取得が誰にも確認されずに行われます。
allow-all-do = すべて許可
not-changed = 変更されませんでした: サーバーは元のままにしました
unknown-method = このサーバーではできません

more = その他
compact = 会話を圧縮
compact-tells = コンテキストを空けます: これまでの発言が要約に置き換わります
compacting = 会話を圧縮しています
compacted = 圧縮しました: { $tokens } トークン減
rename = セッション名を変更
rename-title = セッション名を変更
name = 名前
close = 閉じる

rewind = このメッセージの前まで巻き戻す
rewind-title = セッションを巻き戻す
rewind-looks = 失われるものを調べています
rewind-lost = このメッセージとその後の { $n } 項目が会話から外れます。元には戻せません。
rewind-how = 巻き戻す対象
rewind-talk = 会話
rewind-files = 会話と { $n } 個のファイル
rewind-no-files = ファイルはそのままです: このセッションは以前の内容を残していません。
rewind-none = このメッセージまでは巻き戻せません: セッションにもう残っていません。
rewind-busy = セッションは作業中です。先に停止してください。
rewind-do = 巻き戻す
rewind-sure = 本当に巻き戻す
rewound = 巻き戻しました。メッセージは入力欄にあり、もう一度送ることも変更することもできます。
rewind-failed = 巻き戻せませんでした: { $why }
