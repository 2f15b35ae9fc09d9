### ゲートウェイ自体の問題: 一覧とセッションの上部に表示されます。

runtime-missing = ランタイムが動いていません: { $why }。
runtime-slow = ランタイムを起動しています: { $why }。
since = { $since } から。
tried = { $since } から。{ $n } 回試して失敗しました。
next = 次は { $time } に試します。
now = 今試しています。
last-lines = ランタイムの最後の出力
logs = { $n } 件のセッションのログを書き込めません: { $why }。
logs-kept = { $since } から。内容はメモリに保持され、書き込めるようになり次第保存されます。
