### リクエスト: カード、回答、および回答後に残る 1 行。

## 結果。最初の「:」までが比較されます。

allowed-once = 今回のみ許可
allowed-session = このセッションで許可
allowed-location = この場所で許可
allowed = 許可
rejected = 拒否
denied-rule = ルールにより拒否
denied-nobody = 拒否: 確認できる人がいませんでした
denied-exclusion = コンテンツ除外ポリシーにより拒否
cancelled = キャンセル
decided = 決定済み
decided-as = 決定済み（{ $word }）
decided-hook = フックが決定
answered = 回答済み
filled-in = 入力済み
declined = 辞退
closed = クローズ
approved = 承認
not-approved = 不承認
auto-switched = 自動モードに切り替え
auto-always = 今後も自動モードに切り替え
auto-stayed = 現在のモデルを継続
limit-raised = 上限を引き上げ
limit-raised-by = 上限を引き上げ: +{ $credits }
limit-set = 上限を設定
limit-set-to = 上限を設定: { $credits }
limit-removed = 上限を解除
limit-stopped = 上限で停止
signed-in = サインイン済み
sign-in-cancelled = サインインをキャンセル
handled = 処理済み
not-handled = 未処理
command-turn = 順番が来ました
replied = 返答済み
accepted = 承諾
dismissed = 却下
failed = 失敗: { $words }
with-words = { $outcome }: { $words }
option = 「{ $name }」
tool-ended = ツール呼び出しが回答なしで終了

answered-elsewhere = 別の場所で回答: { $outcome }
by = { $outcome }（{ $who }）
taken-by-server = { $outcome }（サーバーが受け取りました）
unheard = 届いていない可能性のある回答:
copy-answer = 回答をコピー
unsent = ここに書いたが送信されなかった内容:
left-about = { $outcome }:
ask-auto-mode = 自動モードに切り替えますか？
limit-reached = セッションの上限に達しました

read-only = 読み取り専用です。回答は別の場所から行われます。
not-now = これは現在の状態ではないため、ここでは回答できません。
no-connection = 接続されていません。接続が戻ったとき、まだ待っていれば回答できます。
machine-away = { $away }。マシンが戻ったとき、まだ待っていれば回答できます。
sending = 送信中: { $answer }…
feedback = エージェントへのフィードバック
feedback-rejecting = 拒否すると送信されます
feedback-next = 次のメッセージとしてエージェントに送られます
feedback-deciding = 決定と一緒に送信されます
open-host = { $host } を開く
whole-file = 書き込み後のファイル全体
whole-file-follows = 書き込み後のファイル全体:
new-file = 新規ファイル
deleted = 削除
renamed = 名前変更
hunk-lines = { $first }～{ $last } 行目
hours = { $n } 時間

reject = 拒否
reject-with = フィードバックを付けて拒否…
allow-location = このフォルダーで許可
allow-session = このセッションで許可
more = その他…
allow-once = 今回のみ許可

option-once = 今回のみ
option-always = 何をいつまで許可するかは { $agent } が決めます。伝えられているのはこの名前だけです
option-reject = 今回は許可しません
option-never = 今回も今後も拒否されます。ほかに何が対象になるかは { $agent } が決めます。伝えられているのはこの名前だけです
option-unknown = どのような回答かをエージェントは示していません
the-agent = エージェント

cancel = キャンセル
decline = 辞退
send = 送信
opened = 開きました
approve = 計画を承認
answer = 回答
report-error = エラーを報告
send-result = 結果を送信
send-reply = 返答を送信
no = いいえ
yes-once = 今回は切り替え
stop = ここで停止
remove-limit = 上限を解除
set-limit = この値を上限にする
add-credits = この分を追加
sign-in = このトークンでサインイン
dismiss = 却下
accept = 承諾

run-command = このコマンドを実行しますか？
write-file = このファイルに書き込みますか？
create-file = このファイルを作成しますか？
read-this = これを読み取りますか？
read-these = { $n ->
   *[other] この { $n } 件を読み取りますか？
}
fetch-address = このアドレスを取得しますか？
run-tool = { $server } に { $tool } の実行を許可しますか？
use-tool = エージェントに { $tool } の使用を許可しますか？
hook-asks = フックの確認: { $tool } を使用しますか？
extension = { $operation ->
    [scaffold] エージェントに拡張機能のひな形の作成を許可しますか？
    [reload] エージェントに拡張機能の再読み込みを許可しますか？
   *[other] エージェントに拡張機能の { $operation } を許可しますか？
}
extension-named = { $operation ->
    [scaffold] エージェントに拡張機能 { $name } のひな形の作成を許可しますか？
    [reload] エージェントに拡張機能 { $name } の再読み込みを許可しますか？
   *[other] エージェントに拡張機能 { $name } の { $operation } を許可しますか？
}
extension-abilities = 拡張機能 { $name } に次の機能を許可しますか？
extension-variables = 拡張機能 { $name } に次の環境変数の読み取りを許可しますか？
remember = これを記憶しますか？
vote-for = このメモリに賛成票を入れますか？
vote-against = このメモリに反対票を入れますか？
factory = { $operation ->
    [run] エージェントにファクトリー { $name } の実行を許可しますか？
    [author] エージェントにファクトリー { $name } の作成を許可しますか？
   *[other] エージェントにファクトリー { $name } の { $operation } を許可しますか？
}
workflow = { $operation ->
    [run] エージェントにワークフロー { $name } の実行を許可しますか？
    [author] エージェントにワークフロー { $name } の作成を許可しますか？
   *[other] エージェントにワークフロー { $name } の操作 { $operation } を許可しますか？
}
allow-this = これを許可しますか？
allow-kind = これ（{ $kind }）を許可しますか？

only-reads = 読み取りのみと申告しています
may-change = このマシンの外部を変更する可能性があります

fact-in = 場所
fact-shell = シェル
fact-runs = 実行
fact-touches = 対象パス
fact-opens = アクセス先
fact-writes = 書き込み
fact-leads-to = 実際のパス
fact-redirected-from = リダイレクト元
fact-what-it-does = 動作
fact-server = サーバー
fact-tool = ツール
fact-host = ホスト
fact-subject = 主題
fact-source = 出典
fact-because = 理由
agent-says = エージェント
fact-for = 対象
fact-scope = 範囲
fact-policy = ポリシー
fact-risk = リスク
fact-provider = プロバイダー
fact-command = コマンド
fact-with = 引数
fact-reason = 理由
fact-used = 使用量
fact-limit = 上限
fact-at-most = 上限
fact-asked-for = 元の要求
fact-error = エラー
fact-described-at = 説明の場所
fact-client = クライアント
always = 常に切り替え

by-redirection = リダイレクトでファイルに書き込みます
person-decides = 人による判断が必要です
no-limits = 上限なし
no-other-limits = その他は上限なし
limit-agents = エージェント { $n } 件
limit-at-once = 同時に { $n } 件まで
after-recovery = この操作を許可されず、別の方法も見つからなかったため、確認を求めています
credits = { $figure } クレジット

hidden-written = 書き込む内容に隠し文字が含まれています（{ $n }）。
hidden-sequences = テキストの見え方を変える隠し文字や余白の並びが { $n } か所あります。
look-alikes = ラテン文字と、別の文字体系のよく似た文字が混ざっています: { $words }。
user-name = @ の前はユーザー名です。ホストは { $host } です。
host-letters = ホストに ASCII 以外の文字が使われています。1 文字ずつ確認してください。
sandbox = サンドボックス外での実行を求めています
sandbox-because = サンドボックス外での実行を求めています: { $reason }
cannot-open = このアドレスはここからは開けません。http でも https でもないか、何かが隠されています。
line-breaks = 改行 { $n } 個
blanks = 空白 { $n } 個

go-ahead = この計画で進めますか？
then = 進め方
recommended = 推奨
plan-interactive = 対話: 操作の前に確認します
plan-autopilot = オートパイロット: 自動的に続行します
plan-fleet = オートパイロット: サブエージェントと並行して進めます
plan-leave = 計画モードを終了して待機します
agent-asks = エージェントからの質問
your-answer = 回答
own-words = または自由に入力
answer-first = 先に回答を選ぶか入力してください

open-address = このアドレスを開きますか？
asks-open = { $source } がアドレスを開くよう求めています
asks-details = エージェントが情報の入力を求めています
source-asks-details = { $source } が情報の入力を求めています
choose-some = 1 つ以上選んでください
choose-one = 1 つ選んでください
fill-in = 入力してください
choose-known = 一覧から選んでください
no-json = JSON ではありません
too-short = { $n } 文字以上必要です
too-long = { $n } 文字までです: { $more } 文字超過
need-email = name@example.org のようなメールアドレス
need-address = https://example.org/ のようなアドレス
need-date = 2026-03-21 のような日付
need-time = 2026-03-21T18:30:00Z のような日時
need-whole = 整数を入力してください
need-number = 数値を入力してください
number-between = { $min }～{ $max } で入力してください
choose-more = { $n } 個以上選んでください
choose-fewer = { $n } 個まで選べます
number-range = { $min }～{ $max }
number-least = { $min } 以上
number-most = { $max } 以下
length-range = { $min }～{ $max } 文字
length-most = { $max } 文字以内
length-least = { $min } 文字以上
choices-range = { $min }～{ $max } 個
as-json = JSON 形式

answer-for-tool = ツール { $tool } の代わりに回答しますか？
answer-for-some-tool = ツールの代わりに回答しますか？
tool-why = 通常は外部のプログラムが回答します。代わりに人が回答することもできます。
result = 結果、または問題の内容
result-hint = そのままモデルに渡されます
was-handled = このコマンドは処理されましたか？
queued-why = このコマンドを扱えるクライアントをキューで待っています。
command-why = 外部のプログラムが登録したコマンドです。
went-wrong = 問題の内容
went-wrong-hint = 未処理の場合に送信されます
write-reply = { $server } にモデルの返答を書きますか？
write-some-reply = サーバーにモデルの返答を書きますか？
reply-why = 返信はサーバーに渡されます。通常は外部のプログラムが回答します。
reply = 返答
no-reply = 送信する返答がまだありません。
a-server = サーバー

auto-question = モデルの自動選択に切り替えますか？
auto-why = このモデルの上限に達しました。
auto-why-until = このモデルの上限に達しました。{ $time }後に再び使えます。
auto-always-means = 今回と、以後のセッションも含め上限に達するたびに切り替えます
beyond-limit = このセッションの上限を超えて続けますか？
limit-why = 上限に達しました。エージェントは決定を待っています。
above-zero = 0 より大きい数値を入力してください
credits-field = クレジット
credits-hint = 追加する量、または新しい上限
sign-in-to = { $server } にサインインしますか？
sign-in-somewhere = サーバーにサインインしますか？
sign-in-why = 貼り付けたトークンはランタイムに渡され、このサーバーに使われます。
sign-in-reason = { $code ->
    [initial] 初回のサインイン
    [refresh] トークンの更新が必要
    [reauth] 再サインインが必要
    [upscope] 追加の権限が必要
   *[other] { $said }
}
sign-in-error = { $code ->
    [invalid_token] トークンが無効
    [insufficient_scope] トークンの権限が不足
    [invalid_request] リクエストが無効
   *[other] { $said }
}
limit-reason = { $code ->
    [user_weekly_rate_limited] アカウントの週間上限
    [user_global_rate_limited] アカウントの上限
    [user_model_rate_limited] このモデルの上限
    [model_rate_limited] このモデルの上限
    [integration_rate_limited] このプログラムの上限
    [rate_limited] リクエスト数の上限
    [quota_exceeded] 使用枠を使い切りました
    [session_quota_exceeded] セッションの使用枠を使い切りました
    [billing_not_configured] 請求が設定されていません
   *[other] { $said }
}
memory-scope = { $code ->
    [repository] このリポジトリ
    [user] すべてのリポジトリ
   *[other] { $said }
}
no-token = 送信するトークンがまだありません
token = アクセストークン
token-hint = このページには保存されません
confirm-this = これを確認しますか？

## リクエストに回答できなくなった理由

gone-restarted = エージェントが再起動したため、この要求は無効です
gone-refused = 別の場所で回答されたか、回答が不要になりました
summary-only = この要求は要約しか分かりません。省かれている内容があるかもしれません。
says-nothing = このエージェントは何を実行するかを示していません。ここに表示されているのはその見出しだけです。見出しどおりに実行すると信頼できる場合にのみ許可してください。
cannot-allow = エージェントは、これを許可する回答を提示していません。

## 今回限りを超えて許可される内容

until-session-ends = { $what }、このセッションが終わるまで
in-later-sessions = { $what }、{ $place } で、このセッションと今後のすべてのセッションで
every-command = すべての { $names } コマンド
same-command = ここに表示されているとおりのコマンド { $names }
every-edit = このセッションのフォルダー内のすべてのファイル編集
every-reading = このセッションのフォルダー内のすべてのファイルの読み取り
paths-outside = { $paths } へのアクセス（読み取りと変更。フォルダーの場合は中のすべて）
new-file-outside = { $paths } へのアクセス（読み取りと変更。1.0.15 より前のランタイムでは、そのファイルがあるフォルダー全体）
every-memory = すべてのメモリの保存
every-call-on = { $server } の { $tool } のすべての呼び出し
every-call = { $tool } のすべての呼び出し
every-address = { $host } のすべてのアドレス
every-extension = { $operation ->
    [scaffold] 拡張機能の作成すべて
    [reload] 拡張機能の再読み込みすべて
   *[other] 拡張機能のすべての { $operation }
}
every-ability = { $name } が求めるすべての権限
every-variable = { $name } による { $variables } の読み取り
every-factory = { $key } のすべての実行

## 回答する前に読むカード

# Above the answers of a card that is higher than the view.
lines-left = { $n ->
   *[other] 残り { $n } 行
}
show-rest = 続きを表示
all-seen = すべて表示されました。
# At a button that is off until then.
not-all-seen = まだすべてが表示されていません
# At a plan of which nothing is chosen.
choose-first = 先に、続け方を選んでください。
just-moved = 送信していません: カードの位置が変わりました
as-written = ソースでしか見えないものが含まれています:
taken = このページのプログラムが回答します。代わりに回答することもできます。
by-program = プログラムが回答
confirm = 確認
back = 戻る
no-limit-means = 誰かが再び設定するまで、セッションは上限なしで続きます。
opens-then = 新しいタブで開きます。ここで回答するまで、エージェントには何も送信されません。
auto-edits = 以降の編集も許可する
auto-edits-means = ランタイムに伝えます。確認済みのバージョン（1.0.15 まで）は、それでも編集のたびに確認します
need-pattern = 求められている形式ではありません: { $pattern }

## 一覧の行に示す、待機中の内容

asks-run = { $object } を実行
asks-write = { $object } に書き込み
asks-create = { $object } を作成
asks-read = { $object } を読み取り
asks-fetch = { $object } を取得
asks-titled = { $object }

## 待っているもの全体の一覧

waiting = { $n ->
   *[other] { $n } 件のリクエストが待っています
}
nothing-waits = 待っているものはありません
close-list = 一覧を閉じる
not-seen = まだ見ていません
heed = 警告あり
look-first = 最初の行から最後の行まで見たものは、ここでまとめて今回限り許可できます。
allow-all-seen = { $n ->
   *[other] 確認した { $n } 件を今回限り許可
}
allow-these = { $n ->
   *[other] この { $n } 件を今回限り許可
}
kind-permission = 許可
kind-question = 質問
kind-form = フォーム
kind-plan = 計画
kind-tool = プログラムのツール
kind-command = コマンド
kind-model = モデル
kind-limits = 上限
kind-sign-in = サインイン
kind-sampling = モデルの返信
kind-confirmation = 確認
