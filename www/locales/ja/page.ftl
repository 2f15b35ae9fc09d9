needs-permission = エージェントが許可を求めています: { $what }
waits-for-answer = エージェントが回答を待っています: { $what }
waits-read-only = エージェントが回答を待っています: { $what }
replied = エージェントが返答しました

timeline = セッションのタイムライン
jump = 最新へ移動
requests-wait = { $n } 件のリクエストが回答待ちです
requests-wait-read-only = { $n } 件のリクエストが回答待ちです
out-of-sight = 画面外に { $n } 件

raw-events = 生のイベント
close = 閉じる

you = あなた
assistant = アシスタント
reasoning = 思考
tool = ツール: { $name }
permission = 許可のリクエスト
question = 質問
form = フォーム
plan = 計画
request = リクエスト
notice = お知らせ
sub-agent = サブエージェント
compaction = 圧縮
task-complete = タスク完了
custom = カスタム通知
unknown-event = 不明なイベント
gap = 欠落
of-agent = { $agent }: { $entry }
rewound = 巻き戻し済み: { $entry }

all-that-waits = 待っているもの全体
