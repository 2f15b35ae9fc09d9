line = { $source }: { $text }
note-failed = 失敗 { $failed } 件 · { $n }
failed = { $n } 件失敗
error = エラー
warning = 警告
note = お知らせ

hooks = フック
permissions = 権限
sandbox = サンドボックス
organization = 組織
extensions = 拡張機能
clients = クライアント
session = セッション
tools = ツール
memory = メモリ
checklist = ToDo
background-work = バックグラウンド処理
factory = ファクトリー
workflow = ワークフロー
search-index = 検索インデックス
auto = Auto
model = モデル
fusion = Fusion

server-removed = サーバー一覧から外れました
server-reconnect = 再接続が必要
server-tools = 提供するツールが変わりました
server-resources = 提供するリソースが変わりました
server-prompts = 提供するプロンプトが変わりました
server-status = { $status ->
    [connected] 接続済み
    [failed] 失敗
    [pending] 接続中
    [needs-auth] サインインが必要
    [stopped] 停止
    [disabled] オフ
    [not_configured] 未設定
    [unavailable] 利用できません
    [signed-out] サインインしていません
   *[other] { $said }
}
headers-asked = ホストに新しいヘッダーを要求しました
headers-why = { $reason ->
    [ttl-expired] 以前のものは期限切れ
    [auth-failed] 以前のものは拒否されました
   *[other] { $said }
}
headers-got = ホストから新しいヘッダーを受け取りました
headers-none = 新しいヘッダーなしで続行します
headers-late = 時間内に新しいヘッダーを受け取れませんでした
headers-failed = 新しいヘッダーを取得できませんでした
app-called = サーバーのアプリが { $tool } を呼び出しました
app-failed = サーバーのアプリは { $tool } を呼び出せませんでした{ $why ->
    [missing] { "" }
   *[other] : { $why }
}

carried-forward = 再確認なしで呼び出しが実行されました: { $by ->
    [human_response] 人の回答
    [assisted_approval] モデルの回答
    [host_policy] ホストのポリシー
    [unattended_fallback] 無人時の既定
   *[other] 以前の回答
}が適用されます
sandbox-rules = { $control } のルール: { $outcome }
sandbox-inactive = { $control } には無効
sandbox-denied = 拒否: { $what }{ $resource ->
    [missing] { "" }
   *[other] : { $resource }
}
rules-unread = ルールを読み取れませんでした。禁止の可能性があるものは禁止されます
rules-none = ここでは組織のルールは適用されません
rules-no-bypass = 「すべて許可」は使えません
rules-from = { $source } のルール { $n } 件

extensions-none = 読み込まれたものはありません
attached-none = 次のメッセージに添えるものはなくなりました
attached = 次のメッセージに添付: { $names }
shows-nothing = 独自の表示はできません
shows = 表示可能: { $what }
shows-forms = フォーム
shows-apps = MCP アプリ
shows-canvases = キャンバス
commands-none = 追加のコマンドはありません
commands = コマンドを追加: { $names }

hook-ran = { $hook } を実行
steerable = 別の場所から操作できます
not-steerable = 別の場所からは操作できません
interrupted = { $activity ->
    [model_call] モデル呼び出し中に中断、{ $time } 経過
    [retry_backoff] 再試行の待機中に中断、{ $time } 経過
    [tool_call] ツール呼び出し中に中断、{ $time } 経過
    [background_agent] バックグラウンドのエージェントの実行中に中断、{ $time } 経過
   *[other] 中断: { $said }
}
tools-changed = { $model } 用のツールが変わりました
tools-found = 検索により { $names } が有効になりました
memory-changed = メモリが保存または評価されました
checklist-changed = エージェントがリストに書き込みました
background-changed = 処理の開始、進行、または終了がありました
run-went-on = { $name ->
    [missing] 実行が進みました
   *[other] { $name } が進みました
}
revision = リビジョン { $n }
tier-recommended = 段階「{ $tier }」を推奨しています
call-failed = { $model ->
    [missing] モデル
   *[other] { $model }{ " " }
}の呼び出しが失敗しました{ $code ->
    [missing] { "" }
   *[other] （{ $code }）
}
cache-broke = キャッシュ済みの { $n } トークンを読み直します

fusion-models = { $second ->
    [missing] このターンは { $first }
   *[other] このターンは { $first } と { $second }
}
fusion-saved = これまでの変更を記録しました
fusion-changed = { $lines }（{ $n } 個のファイル、破棄した案を含む）
fusion-ended = { $outcome }（{ $phases } フェーズ、呼び出し { $calls } 回）
fusion-tokens = 入力 { $read } トークン、出力 { $written } トークン
fusion-phase = { $phase }（{ $model }）: { $status }

index-state = { $what ->
    [disabled] 使用していません
    [starting] 起動中です
    [enabled] 使用中です（作成は未完了）
    [ready] 準備完了
    [failed] 異常終了しました
   *[other] { $said }
}
index-startup = { $what ->
    [started] 起動しました
    [reused_existing] 起動済みのものを使用します
    [skipped_below_threshold] 起動していません: ファイルが少ないプロジェクトです
    [skipped_no_gitroot] 起動していません: Git リポジトリではありません
    [skipped_disabled] 起動していません: 無効になっています
    [failed] 起動できませんでした
   *[other] { $said }
}
index-disabled = { $why ->
    [use_tgrep_false] 環境設定により無効
    [use_builtin_ripgrep_false] 別の検索プログラムを使用
    [organization] 組織により無効
    [organization_policy_auth_pending] サインインするまで組織のルールは不明
    [organization_policy_unknown] 組織のルールを取得できません
    [virtual_filesystem] プロジェクトは仮想またはネットワークドライブ上にあります
    [cloud_sync_root] プロジェクトはクラウド同期フォルダー内にあります
    [cloud_sync_detection_failed] クラウド同期フォルダーかどうか確認できません
    [workspace_not_local] プロジェクトはランタイムのマシン上にありません
   *[other] { $said }
}
index-broke = { $what ->
    [spawn_error] サーバーを起動できませんでした
    [unexpected_exit] サーバーが予期せず終了しました
    [killed_by_signal] サーバーが強制終了されました
   *[other] { $said }
}
index-changed = { $what ->
    [changes_detected] ファイルが変更されました
    [updated] 最新の状態に戻りました
   *[other] { $said }
}
index-files = { $n } 個のファイル
index-counts = 追加 { $added }、変更 { $changed }、削除 { $deleted }
thinking-dropped = プロバイダーが以前の思考 { $n } 件を省きました
