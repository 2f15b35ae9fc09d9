plan = 計画
checklist = ToDo
changed-files = 変更されたファイル
works = エージェントとバックグラウンド処理
servers = MCP サーバー
skills = スキル
agents = カスタムエージェント
tools = ツール
schedules = スケジュール
own-files = セッションのファイル
usage = 使用量とコスト
context = コンテキストウィンドウ
canvases = キャンバス
tray = システムメッセージ
empty = 計画、ToDo、変更されたファイル、エージェント、サーバー、スキル、スケジュール、コストは、セッションから伝えられるとここに表示されます。

plan-untold = 計画があります。内容を伝えるイベントはまだありません。
plan-changed = その後、計画が変更されました。変更内容を伝えるイベントはありません。
plan-show = 該当箇所を表示

done = 完了
running = 実行中
failed = 失敗
stopped = 停止
open = 未着手
in-progress = 進行中
blocked = ブロック中
connected = 接続済み
connecting = 接続中
needs-sign-in = サインインが必要
needs-reconnect = 再接続が必要
off = オフ

checklist-done = { $all } 件中 { $n } 件完了
checklist-uncertain = ここでは追えない方法でリストが変更されました。現在の内容は異なる可能性があります。

running-count = { $n } 件実行中
failed-count = { $n } 件失敗
calls = { $n } 回
tool-calls = ツール呼び出し { $n } 回
used-count = { $n } 個使用
used-offered = { $offered } 個中 { $n } 個使用
shell = シェル
run = 実行

server-status = { $status ->
    [connected] 接続済み
    [failed] 失敗
    [pending] 接続中
    [needs-auth] サインインが必要
    [needs-reconnect] 再接続が必要
    [stopped] 停止
    [disabled] オフ
    [not_configured] 未設定
    [unavailable] 利用できません
    [signed-out] サインインしていません
   *[other] { $said }
}
source = { $source ->
    [builtin] 組み込み
    [user] ユーザー
    [personal] 個人
    [workspace] ワークスペース
    [project] プロジェクト
    [plugin] プラグイン
    [managed] 管理対象
   *[other] { $said }
}
skill-used = 使用済み
skill-off = オフ
canvas-open = 表示中
canvas-away = 一時的に利用不可
file-created = 作成
file-changed = 変更
file-new = 新規
edits = 編集 { $n } 回

every = { $time }ごと
after = { $time }後
self-paced = エージェントが判断したとき
once = 1 回
next = 次回 { $date }
objective = オートパイロットの目標

by-prompt = これらはエージェントがプロンプトごとに報告した値です。モデルを呼び出した回数は報告されていません。
by-model = モデル別の使用量
by-agent = エージェント別の使用量
model = モデル
agent = エージェント
main-agent = メインエージェント
unknown = 不明
calls-head = 呼び出し
read = 入力
cached = キャッシュ
written = 出力
percent = { $n }%
premium-requests = プレミアムリクエスト
credits = AI クレジット
cache-written = キャッシュに書いたトークン
thinking-tokens = 思考に使ったトークン
model-time = モデル呼び出しの時間
used-of = { $used } / { $all }
quota = 割り当て: { $name }
unlimited = 無制限
left = 残り { $n }%
left-until = 残り { $n }%、{ $date } に更新

system-prompt = システムプロンプト
part-tools = ツール
conversation = 会話
part-used = 使用中
part-other = その他
part-free = 空き
tokens-in-all = 合計 { $n } トークン

wishes = 画面を見ていないとき
notify = 通知する
sound = 音を鳴らす
wishes-hint = このタブがバックグラウンドにあり、エージェントが対応を求めているか完了したとき。
notify-refused = ブラウザーがこのページの通知を許可していません。ブラウザーの設定で許可してください。
told-needed = エージェントが対応を求めています
told-done = エージェントの作業が完了しました
told-failed = エージェントがエラーで停止しました
