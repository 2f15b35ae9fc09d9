session = セッション
begun = 開始
last-event = 最後のイベント
model = モデル
mode = モード
directory = ディレクトリ
repository = リポジトリ
branch = ブランチ
tool-calls = ツール呼び出し
errors = エラー
status = 状態
status-is = { $status ->
    [ended] 終了
    [waiting] 回答待ち
    [running] 実行中
    [error] エラー
   *[idle] 待機中
}
turns = ターン

you = あなた
task-for = { $agent } へのタスク
steering = 方向修正
was-queued = キューから送信
attached = 添付: { $names }
thought = 思考
thought-for = 思考（{ $time }）
thought-interrupted = 思考（中断）
empty-reply = 空の返答
interrupted = 中断

warning = 警告:
error = エラー{ $code }:
details = 詳細
unknown-event = 不明なイベント

sub-agent = サブエージェント { $name }
working = 作業中
failed = 失敗
cancelled = キャンセル
calls = ツール呼び出し { $n } 回

permission = 許可のリクエスト
question = 質問
form = フォーム
plan = 承認が必要な計画
external-tool = クライアントへのツール呼び出し
command = クライアントへのコマンド
mode-switch = モード変更のリクエスト
limits = セッションの上限に到達
sign-in = サインインのリクエスト
sampling = モデルの返答のリクエスト
confirmation = 確認のリクエスト

outcome = 結果: { $outcome }
not-answered = 未回答
on-its-way = { $answer }（送信中）
may-have-arrived = { $answer }（届いた可能性あり）
all-asked = リクエストの全内容

table = 表
task-done = 完了
task-open = 未完了
this-text = このテキスト
