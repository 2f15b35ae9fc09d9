title = セッション
waiting-count = { $n } 件が回答待ち
waiting-count-read-only = { $n } 件が回答待ち
filter = セッションを絞り込む
status = 状態
status-any = すべての状態
repository = リポジトリ
repository-any = すべてのリポジトリ
machine = マシン
machine-any = すべてのマシン
agent = エージェント
agent-any = すべてのエージェント
group = グループ
group-none = グループなし
group-repository = リポジトリ別
group-status = 状態別
group-machine = マシン別
group-agent = エージェント別
as-list = 一覧表示
next = 次の回答待ち
order-changed = 並び順が変わりました。
sort-now = 今すぐ並べ替える
keys = 矢印キーでセッション間を移動、Enter で開く、R で次の回答待ちへ、スラッシュで絞り込みへ移動します。

untitled = 無題のセッション
no-repository = リポジトリなし
just-now = たった今
yesterday = 昨日 { $time }
asked = { $age }に質問
answer = { $n ->
    [1] 回答する
   *[other] 回答する（{ $n }）
}
hide = 隠す
open = 開く
open-to-answer = 回答するにはセッションを開いてください
recording = 記録
stored = 保存済み
resume = 再開
gone = このセッションはもうありません。
away-since = { $machine } は { $since } から応答なし
away = { $machine } は応答なし

loading = サーバーが応答すると、セッションが表示されます。
more-loaded = ほかのセッションを読み込み中
as-they-stood = JavaScript がオフです。ページを読み込んだ時点のセッション一覧を表示しています。
empty = セッションはまだありません
empty-why = このゲートウェイのセッションは、始まるとここに表示されます。
none-found = 該当するセッションはありません
none-found-why = セッションはありますが、絞り込みですべて隠れています。
clear = 絞り込みを解除
polled = 途中でライブ更新がブロックされているため、一覧を 5 秒ごとに取得しています。回答するにはセッションを開いてください。

back = セッション一覧に戻る
session = セッション: { $title }
close-session = セッションを閉じる
close-sure = 「{ $title }」を閉じますか？
close-failed = 閉じられませんでした: { $why }

new = 新しいセッション
new-directory = 作業ディレクトリ
new-directory-hint = 空欄: ゲートウェイのもの。
new-directory-hint-there = 空欄: そのマシンのもの。
recent-folders = 最近のフォルダ
new-model = モデル
new-model-hint = 空欄の場合はエージェントが選びます。
new-model-any = エージェントの既定
new-machine-here = { $machine }（ここ）
new-machine-only = { $machine } で実行されます。
# A button: asks the agent for sessions that were made in other programs.
look-for-sessions = ほかのセッションを探す
looking = 探しています…
found-sessions = このエージェントのセッション { $n } 件が一覧にあります。
lists-no-sessions = このエージェントはセッションを一覧にしません。
create = 作成
creating = 作成中…
cancel = キャンセル
create-failed = 作成できませんでした: { $why }
resume-failed = 再開できませんでした: { $why }

now-waits = { $title } が回答を待っています
now-waits-read-only = { $title } が回答を待っています

no-gateway = 一覧にはゲートウェイのベースアドレスが必要です。パスは空か、スラッシュで終わります。
