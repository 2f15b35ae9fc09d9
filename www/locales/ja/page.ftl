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

menu = メニュー
views = 表示
search = 検索
lens = モデルに見えている内容
panel = パネル
log = イベントログ
travel = タイムトラベル

running = 実行中
waiting = 回答待ち
waiting-read-only = 回答待ち
idle = 待機中
error = エラー
ended = 終了
connecting = 接続中
not-connected = 未接続
closed = 切断
loading = 読み込み中

quiet = { $time }間、何も届いていません
no-server = サーバーに未接続
read-only = 読み取り専用
allows-all = すべて許可
allows-all-tip = 確認なしにコマンドが実行され、ファイルが変更されます
queued = 件待機
queue-waits = { $n } 件のメッセージがエージェントを待っています
queue-changed = キューが { $n } 回変わりました

percent = { $n }%
context-full = コンテキスト使用率 { $n }%
context = コンテキスト
context-tokens = { $limit } トークン中 { $tokens }
read = 入力
read-tokens = { $calls } 回の呼び出しで { $tokens } トークン
written = 出力
written-tokens = { $n } トークン
model = モデル
mode = モード
permissions = 権限
directory = ディレクトリ
repository = リポジトリ
repository-root = リポジトリのルート
branch = ブランチ
connection = 接続
connection-state = { $state ->
    [connecting] 接続中
    [open] 接続済み
    [waiting] 再試行待ち
    [closed] 切断
   *[replaying] 再生
}

## プログラムより先にページと一緒に届く最初の画面
being-loaded = 読み込み中
earlier-loaded = これより前を読み込み中
as-it-stood = JavaScript がオフです。ページを読み込んだ時点のセッションを表示しています。
