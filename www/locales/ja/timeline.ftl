times = ×{ $n }

model-calls = モデル呼び出し { $n } 回
tools = ツール { $n } 回
tokens = { $n } トークン
tokens-written = 出力 { $n } トークン

you = あなた
task-for = { $name } へのタスク
schedule = スケジュール { $number }
another-agent = 別のエージェント
skill = スキル { $name }
steering = 方向修正
was-queued = キューから送信
try-again = もう一度試す
interrupted = 中断
empty-reply = 空の返答
rewound = 巻き戻し済み
rewound-tells = セッションはこれより前に戻りました。エージェントにはもう見えていません。
undone = 巻き戻しで取り消し
phase = 段階: { $phase }

thinking = 思考中
thought = 思考
thought-for = 思考（{ $time }）
thought-interrupted = 思考（中断）

working = 作業中
working-background = バックグラウンドで作業中
failed = 失敗
cancelled = キャンセル
stopped = 中断
needs-input = 入力待ち
effort = 思考量 { $effort }
in-background = バックグラウンド
given-back = 呼び出し元のエージェントに返された内容

this-page = このページ
autopilot = オートパイロット
mcp = MCP
side-question = 補足の質問
hook = フック
references = 参照
implicit = 暗黙
implicit-tells = 利用者ではなく、周囲の状況から渡されたもの
about = 対象: { $name }
timing = タイミング
context-window = コンテキストウィンドウ
snapshot = スナップショット
configuration = 構成
authentication = 認証
authorization = 権限
quota = 使用枠
rate-limit = レート制限
context-limit = コンテキスト上限
subscription = サブスクリプション
model = モデル
policy = ポリシー
show-all = すべて表示
details = 詳細
earlier = 以前の内容
summary = 要約
first-message = 最初のメッセージ
figures = 数値

version = バージョン { $version }
unknown-event = 不明なイベント
hidden-events = この種類のイベント { $n } 件を非表示:
show-again = 再表示
hide-type = この種類のイベントを非表示

together = ツール { $n } 件を同時に実行
waiting-of-them = { $n } 件待機中
running-of-them = { $n } 件実行中
failed-of-them = { $n } 件失敗
denied-of-them = { $n } 件拒否
