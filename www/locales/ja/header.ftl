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
