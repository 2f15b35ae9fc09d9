list-comma = { "、" }
runtime-word = { $word ->
    [bypass] サンドボックス外での実行
    [process] プロセス
    [filesystem] ファイルシステム
    [network] ネットワーク
    [routing] ルーティング
    [credentials] 認証情報
    [platform] プラットフォーム
    [resolved] 決定済み
    [inactive] 無効
    [engaged] 有効
    [succeeded] 成功
    [failed] 失敗
    [degraded] 制限あり
    [denied] 拒否
    [approved] 承認
    [declined] 辞退
    [cancelled] キャンセル
    [completed] 完了
    [committed] 確定
    [active] 進行中
    [paused] 一時停止中
    [cap_reached] 上限に到達
    [running] 実行中
    [builtin_filesystem] 組み込みのファイル操作
    [search] 検索
    [web_fetch] Web 取得
    [mcp] MCP
    [lsp] LSP
    [shell] シェル
    [denied_paths_unsupported] 拒否パスに非対応
    [unsupported_platform] 非対応のプラットフォーム
    [filesystem_read] ファイルの読み取り
    [filesystem_write] ファイルの書き込み
    [process_startup] プロセスの起動
    [registry_access] レジストリへのアクセス
    [ipc_access] IPC へのアクセス
    [process_access] プロセスへのアクセス
    [job_access] ジョブへのアクセス
    [ui_access] UI へのアクセス
    [service_access] サービスへのアクセス
    [network_outbound] 外部への接続
    [network_local] ローカル接続
    [network_host] ホストへの接続
    [other_access] その他のアクセス
    [primary] 主処理
    [judge] 判定
    [repair] 修復
    [draft] 下書き
    [critic] 批評
    [revision] 改訂
    [follow_up] フォローアップ
    [single] 単独
    [cascade] カスケード
    [critique] 批評
    [efficiency] 効率
    [balance] バランス
    [intelligence] 知能
    [fast] 高速
    [policy_rejected] ポリシーで禁止されています
    [request_failed] リクエストが失敗しました
    [setup_failed] 準備に失敗しました
    [unsupported] 非対応
    [server] サーバー
    [device] デバイス
    [client] クライアント
    [policyHelper] ポリシーヘルパー
    [mixed] 複数の提供元
    [chat] チャット
    [completions] 補完
    [premium_interactions] プレミアムリクエスト
   *[other] { $said }
}

setting-changed = { $setting }: { $from } → { $to }
mode-changed = { $from ->
    [missing] モード: { $mode }
   *[other] モード: { $from } → { $mode }
}
unknown = 不明
model-changed = モデル: { $from ->
    [missing] { $model }
   *[other] { $from } → { $model }
}{ $effort ->
    [missing] { "" }
   *[other] 、思考量 { $effort }
}{ $cause ->
    [rate_limit_auto_switch] （レート制限のため）
    [refusal_fallback] （もう一方のモデルが辞退したため）
   *[other] { "" }
}
model-deselected = { $model } の選択は解除されました: { $why ->
    [provider_withdrawn] プロバイダーが提供を終了しました
   *[other] { $said }
}。次は既定のモデルが応答します
effort-changed = { $model } の思考量: { $from ->
    [missing] { "" }
   *[other] { $from } →{ " " }
}{ $effort ->
    [missing] モデルの既定値
   *[other] { $effort }
}{ $cause ->
    [rate_limit_auto_switch] （レート制限のため）
    [refusal_fallback] （もう一方のモデルが辞退したため）
   *[other] { "" }
}
permissions = 権限: { $mode ->
    [allow-all] 確認なしですべて許可します
    [assisted] モデルが判断し、迷うときに確認します
    [manual] 一つずつ確認します
    [missing] 不明
   *[other] { $said }
}
compacting = 会話を圧縮しています{ $why ->
    [threshold] （コンテキストウィンドウが埋まってきたため）
    [context_limit_retry] （コンテキストウィンドウがいっぱいのため）
    [manual] （指示による）
    [memory_pressure] （メモリを空けるため）
    [model_switch] （次のモデルのため）
   *[other] { "" }
}
compacted = 会話を圧縮しました{ $why ->
    [threshold] （コンテキストウィンドウが埋まってきたため）
    [context_limit_retry] （コンテキストウィンドウがいっぱいのため）
    [manual] （指示による）
    [memory_pressure] （メモリを空けるため）
    [model_switch] （次のモデルのため）
   *[other] { "" }
}{ $before ->
    [missing] { "" }
   *[other] : { $before } → { $after } トークン
}
compaction-interrupted = 圧縮は中断されました
compaction-failed = 圧縮に失敗しました{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
truncated = { $n ->
   *[other] 最も古い { $n } 件のメッセージ（{ $tokens } トークン）がモデルから見えなくなりました
}{ $before ->
    [missing] { "" }
   *[other] : { $before } → { $after } トークン
}
rewound = { $n ->
   *[other] 巻き戻し: { $n } 件のイベントがモデルから見えなくなりました
}
cleared = { $n ->
   *[other] コンテキストを消去: { $n } 件のメッセージがモデルから見えなくなりました
}
transcript = { $agent } の記録（{ $form }）
transcript-lines = { $n ->
   *[other] { $n } 行
}
transcript-left-out = { $n ->
   *[other] { $n } 件を省略
}
handed-off = { $kind ->
    [missing] 別のセッション
    [remote] リモートのセッション
    [local] ローカルのセッション
   *[other] { $said } のセッション
}から引き継ぎました
agent-selected = エージェント: { $name }
agent-default = 既定のエージェントに戻りました

task-complete = タスク完了
task-unfinished = タスクはまだ完了していません
task-failed = タスクを完了できませんでした

session-resumed = セッションを再開しました
restarting = エージェントが予期せず終了しました。実行中の処理は中断され、エージェントを再起動しています
restarted = エージェントが再起動しました。実行中の処理は中断されました
restarted-anew = エージェントが再起動しました。実行中の処理は中断され、未回答の要求は取り消されました
connection-back = エージェントとの接続が一時的に切れましたが、作業は続いていました
call-lost = 許可済みの呼び出しが、エージェントの再起動で失われました
session-over = { $how ->
    [crashed] セッションがクラッシュしました
   *[other] セッションが終了しました
}{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
requests = リクエスト { $n } 件
model-time = モデル時間 { $time }
changed-lines = +{ $added } −{ $removed }{ $files ->
    [0] { "" }
   *[other] （{ $files } 個のファイル）
}
stopped = { $why ->
    [user_initiated] あなたが停止しました
    [remote_command] 別の場所から停止されました
    [autopilot_credit_limit] 停止: オートパイロットがクレジットの上限に達しました
    [missing] 停止しました
   *[other] 停止: { $said }
}
autopilot-goes-on = オートパイロット続行

trying-again = 再試行中{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
background-goes-on = バックグラウンド処理が継続中
choosing-models = モデルを選択中

gone-ended = セッションが終了しました
gone-resumed = セッションが再開されました: 回答は不要になりました
gone-idle = 回答がないままターンが終了しました
gone-stopped = ターンが停止されました
gone-unlisted = 回答は不要になりました
accepted = 承諾
dismissed = 却下
reply-broke = エージェントの返信はここで途切れました。それまでの内容は残っています。

error-silent = メッセージのないエラー
notice-silent = { $category }（メッセージなし）
command-not-run = { $command } を実行できませんでした: { $why }
nameless-event = 名前のないイベント
unreadable-event = イベントを読み取れませんでした: { $why }
hook-failed = フック 「{ $hook }」 が失敗しました{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
fusion-route-failed = このターンのモデルを選択できませんでした。{ $model ->
    [missing] 別のモデル
   *[other] { $model }{ " " }
}だけが回答します
fusion-phase-failed = { $phase }{ $model ->
    [missing] { "" }
   *[other] （{ $model }）
}が失敗しました{ $why ->
    [missing] { "" }
   *[other] : { $why }
}
auto-tier-failed = Auto を{ $tier ->
    [missing] 既定値
   *[other] 「{ $tier }」
}に切り替えられませんでした: { $why }{ $stays ->
    [missing] { "" }
   *[other] 。「{ $stays }」のままです
}
policy-prevents = 組織の設定 { $setting } により実行できません
remedy = { $action ->
    [sign_in] もう一度サインイン
    [switch_account] 別のアカウントに切り替え
    [show_account] サインイン中のアカウントを確認
    [review_sandbox_policy] サンドボックスの許可内容を確認
    [allow_sandbox_outbound] サンドボックスにネットワーク接続を許可
   *[other] { $said }
}

file-told = { $what ->
    [created] ファイル { $name } を作成しました
    [deleted] ファイル { $name } を削除しました
   *[other] ファイル { $name } を変更しました
}
file-told-own = { $what ->
    [created] このセッションのファイル { $name } を作成しました
    [deleted] このセッションのファイル { $name } を削除しました
   *[other] このセッションのファイル { $name } を変更しました
}
agent-ended = { $how ->
    [failed] エージェント { $name } は失敗しました
   *[done] エージェント { $name } が完了しました
}
shell-ended = バックグラウンドのコマンドが終了しました{ $code ->
    [missing] { "" }
   *[other] （終了コード { $code }）
}: { $name ->
    [missing] シェル { $shell }
   *[other] { $name }
}
workflow-ended = { $how ->
    [failed] ワークフロー { $name } は完了しませんでした
   *[done] ワークフロー { $name } が完了しました
}
instructions-found = 指示が見つかりました: { $path }
skill-used = スキル { $name } を使用
skill-again = スキル { $name } を再び使用
attachment = 添付ファイル
attachment-withheld = { $name }（モデルには渡されていません）
mcp-task = { $server }:{ $tool ->
    [missing] { "" }
   *[other] { " " }{ $tool }
} タスク{ $id ->
    [missing] { "" }
   *[other] { " " }{ $id }{ " " }
}{ $status ->
    [working] は実行中です
    [input_required] は入力を待っています
    [completed] は完了しました
    [failed] は失敗しました
    [unfinished] はセッションとともに終了しました
   *[cancelled] はキャンセルされました
}{ $why ->
    [missing] { "" }
   *[other] : { $why }
}

recovery = { $word ->
    [recovering] オートパイロットはこの操作を許可されていないため、別の方法を探しています
    [awaiting_approval] オートパイロットは別の方法を見つけられず、許可を求めています
    [resolved] オートパイロット続行
    [blocked] オートパイロットは先に進めません
   *[other] 許可のないオートパイロット: { $said }
}
recovery-of = { $word ->
    [shell] コマンド
    [commands] コマンド
    [write] 書き込み
    [read] 読み取り
    [path] パス
    [url] アドレス
    [mcp] サーバーのツール
    [custom-tool] ツール
    [tool] ツール
    [memory] メモリ
    [hook] フック
    [workflow] ワークフロー
    [factory] ファクトリー
    [extension-management] 拡張機能
    [extension-permission-access] 拡張機能の権限
    [extension-env-access] 環境変数
   *[other] { $said }
}{ $what ->
    [missing] { "" }
   *[other] : { $what }
}
recovery-why = { $word ->
    [permission_required] 許可が必要です
    [repeated_attempt] 同じ操作を再び試みました
    [attempts_exhausted] 試行回数の上限に達しました
    [permission_approved] 人が許可しました
    [permission_denied] 人が拒否しました
    [responder_unavailable] 回答できる人がいませんでした
    [equivalent_alternative_succeeded] 別の方法で成功しました
   *[other] { $said }
}
recovery-count = 試行 { $n }/{ $most }
recovery-else = { $word ->
    [ask] 方法が見つからない場合は、人に確認します
    [fail] 方法が見つからない場合、タスクは止まります。確認できる人がいません
   *[other] 方法が見つからない場合: { $said }
}
recovery-relation = { $word ->
    [initial] 最初の試行
    [retry] 同じ操作の再試行
    [alternative] 別の方法
   *[other] { $said }
}
recovery-became = { $word ->
    [deferred] 確認せずに拒否
    [prompted] 確認を依頼
    [approved] 許可
    [denied] 拒否
    [blocked] 停止
    [succeeded] 成功
   *[other] { $said }
}
blocked = { $word ->
    [permission_recovery] オートパイロットは停止中: 必要な許可がありません
   *[other] 停止: { $said }
}
blocked-until = { $word ->
    [yes] 回答またはメッセージで再開できます
   *[no] 再開できません
}
