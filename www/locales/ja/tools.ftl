run = { $how ->
    [doing] 実行中: { $object }
    [done] 実行: { $object }
    [waiting] 実行の許可待ち: { $object }
   *[not-done] 未実行: { $object }
}
list-shells = { $how ->
    [doing] シェルを一覧表示しています
    [done] シェルを一覧表示しました
    [waiting] シェルの一覧表示の許可を待っています
   *[not-done] シェルを一覧表示しませんでした
}
read-shell = { $how ->
    [doing] シェル { $object } から読み取っています
    [done] シェル { $object } から読み取りました
    [waiting] シェル { $object } の読み取りの許可を待っています
   *[not-done] シェル { $object } から読み取りませんでした
}
stop-shell = { $how ->
    [doing] シェル { $object } を停止しています
    [done] シェル { $object } を停止しました
    [waiting] シェル { $object } の停止の許可を待っています
   *[not-done] シェル { $object } を停止しませんでした
}
type = { $how ->
    [doing] 入力中: { $object }
    [done] 入力: { $object }
    [waiting] 入力の許可待ち: { $object }
   *[not-done] 入力せず: { $object }
}
create = { $how ->
    [doing] { $object } を作成しています
    [done] { $object } を作成しました
    [waiting] { $object } の作成の許可を待っています
   *[not-done] { $object } を作成しませんでした
}
edit = { $how ->
    [doing] { $object } を編集しています
    [done] { $object } を編集しました
    [waiting] { $object } の編集の許可を待っています
   *[not-done] { $object } を編集しませんでした
}
a-file = ファイル
files = { $n } 個のファイル
read = { $how ->
    [doing] { $object } を読み取っています
    [done] { $object } を読み取りました
    [waiting] { $object } の読み取りの許可を待っています
   *[not-done] { $object } を読み取りませんでした
}
read-lines = { $how ->
    [doing] { $object } の { $from }～{ $to } 行目を読み取っています
    [done] { $object } の { $from }～{ $to } 行目を読み取りました
    [waiting] { $object } の { $from }～{ $to } 行目の読み取りの許可を待っています
   *[not-done] { $object } の { $from }～{ $to } 行目を読み取りませんでした
}
read-to-end = { $how ->
    [doing] { $object } の { $from } 行目以降を読み取っています
    [done] { $object } の { $from } 行目以降を読み取りました
    [waiting] { $object } の { $from } 行目以降の読み取りの許可を待っています
   *[not-done] { $object } の { $from } 行目以降を読み取りませんでした
}
look-for = { $how ->
    [doing] { $object } を探しています
    [done] { $object } を探しました
    [waiting] { $object } を探す許可を待っています
   *[not-done] { $object } を探しませんでした
}
search-for = { $how ->
    [doing] { $object } を検索しています
    [done] { $object } を検索しました
    [waiting] { $object } の検索の許可を待っています
   *[not-done] { $object } を検索しませんでした
}
fetch = { $how ->
    [doing] 取得中: { $object }
    [done] 取得: { $object }
    [waiting] 取得の許可待ち: { $object }
   *[not-done] 未取得: { $object }
}
search-web = { $how ->
    [doing] Web 検索中: { $object }
    [done] Web 検索: { $object }
    [waiting] Web 検索の許可待ち: { $object }
   *[not-done] Web 検索せず: { $object }
}
ask-server = { $how ->
    [doing] { $name } に依頼中: { $object }
    [done] { $name } に依頼: { $object }
    [waiting] { $name } への依頼の許可待ち: { $object }
   *[not-done] { $name } に依頼せず: { $object }
}
delegate = { $how ->
    [doing] 委任中: { $object }
    [done] 委任: { $object }
    [waiting] 委任の許可待ち: { $object }
   *[not-done] 委任せず: { $object }
}
delegate-to = { $how ->
    [doing] { $name } に委任中: { $object }
    [done] { $name } に委任: { $object }
    [waiting] { $name } への委任の許可待ち: { $object }
   *[not-done] { $name } に委任せず: { $object }
}
list-agents = { $how ->
    [doing] エージェントを一覧表示しています
    [done] エージェントを一覧表示しました
    [waiting] エージェントの一覧表示の許可を待っています
   *[not-done] エージェントを一覧表示しませんでした
}
read-agent = { $how ->
    [doing] { $object } の回答を読み取っています
    [done] { $object } の回答を読み取りました
    [waiting] { $object } の回答の読み取りの許可を待っています
   *[not-done] { $object } の回答を読み取りませんでした
}
write-agent = { $how ->
    [doing] { $object } に書き込んでいます
    [done] { $object } に書き込みました
    [waiting] { $object } への書き込みの許可を待っています
   *[not-done] { $object } に書き込みませんでした
}
stop-agent = { $how ->
    [doing] { $object } を停止しています
    [done] { $object } を停止しました
    [waiting] { $object } の停止の許可を待っています
   *[not-done] { $object } を停止しませんでした
}
an-agent = エージェント
unnamed = { $what ->
    [command] コマンド
    [file] ファイル
    [task] タスク
    [page] ページ
    [question] 質問
    [skill] スキル
   *[something] 対象
}
sql = { $how ->
    [doing] SQL 実行中: { $object }
    [done] SQL 実行: { $object }
    [waiting] SQL 実行の許可待ち: { $object }
   *[not-done] SQL 未実行: { $object }
}
propose-plan = { $how ->
    [doing] 計画を提案しています
    [done] 計画を提案しました
    [waiting] 計画の提案の許可を待っています
   *[not-done] 計画を提案しませんでした
}
intend = { $how ->
    [doing] 予定: { $object }
    [done] 予定: { $object }
    [waiting] 予定していたこと: { $object }
   *[not-done] 予定していたこと: { $object }
}
report-complete = { $how ->
    [doing] タスクの完了を報告しています
    [done] タスクの完了を報告しました
    [waiting] タスク完了の報告の許可を待っています
   *[not-done] タスクの完了を報告しませんでした
}
update-checklist = { $how ->
    [doing] ToDo リストを更新しています
    [done] ToDo リストを更新しました
    [waiting] ToDo リストの更新の許可を待っています
   *[not-done] ToDo リストを更新しませんでした
}
ask = { $how ->
    [doing] あなたに質問中: { $object }
    [done] あなたに質問: { $object }
    [waiting] 質問の許可待ち: { $object }
   *[not-done] 質問せず: { $object }
}
remember = { $how ->
    [doing] 記憶中: { $object }
    [done] 記憶: { $object }
    [waiting] 記憶の許可待ち: { $object }
   *[not-done] 記憶せず: { $object }
}
load-skill = { $how ->
    [doing] スキル { $object } を読み込んでいます
    [done] スキル { $object } を読み込みました
    [waiting] スキル { $object } の読み込みの許可を待っています
   *[not-done] スキル { $object } を読み込みませんでした
}
call = { $how ->
    [doing] { $object } を呼び出しています
    [done] { $object } を呼び出しました
    [waiting] { $object } の呼び出しの許可を待っています
   *[not-done] { $object } を呼び出しませんでした
}
a-tool = ツール
remark = : { $remark }

nothing-found = 見つかりませんでした
found-files = { $files } 個のファイル
found-hits = { $files } 個のファイルに { $hits } 件

failed = 失敗
denied = 拒否
interrupted = 中断
stopped = 中止: { $what }
being-written = 作成中
not-started = 未開始
running = 実行中
in-background = バックグラウンド
exit = 終了コード { $code }

arguments = 引数
arguments-name = 引数
arguments-so-far = ここまでの引数
output = 出力
output-so-far = ここまでの出力
result = 結果
text = テキスト
structured-content = 構造化された内容
sources = 出典
resource = リソース
directory = ディレクトリ
exit-code = 終了コード
command = コマンド
whole-output = 出力の全体
query = クエリ
agent = エージェント
name = 名前
mode = モード
model = モデル
task = タスク
answer = 回答
excerpt = 抜粋
changes = 変更
hits-in = { $path } の一致箇所

interactive-view = サーバーから対話型ビュー（{ $view }）が送られました。ここでは実行しません。
agent-goes-on = エージェントはバックグラウンドで続行しています。
nothing-found-here = 見つかりませんでした。
later = その後、バックグラウンドで
not-applied = 未適用
side-by-side = 左右に並べる
more-files = さらに { $n } 個のファイルを表示
more-hits = 他 { $n } 件

shell-ended = シェル { $id } は終了しました
shell-goes-on = シェル { $id } はバックグラウンドで続行中
shell-mode = モード { $mode }
with-exit-code = 終了コード { $code }

by-rule = ルールにより
by-exclusion = コンテンツ除外ポリシーにより
by-nobody = 確認できる人がいませんでした
by-person-elsewhere = 人により（別の場所で）
by-person = 人により

sign-in = もう一度サインインしてから、改めて依頼してください。
switch-account = アクセス権のあるアカウントでサインインしてください。
show-account = サインイン中のアカウントを確認してください。
review-sandbox = サンドボックスで許可されていません。ポリシーを確認してください。
allow-outbound = サンドボックスにネットワークがありません。ポリシーで許可してください。

done-first = 完了:{ " " }
now-first = 進行中:{ " " }
to-do-first = 未着手:{ " " }
chosen-first = 選択:{ " " }

over = { $server }（{ $transport } 経由）
configured-by = { $source } が設定
only-reads = 読み取りのみ
changes-things = 変更あり
may-destroy = 破壊の可能性あり
destroys-nothing = 破壊なし
repeats-safely = 安全に再実行可能
repeating-matters = 再実行すると影響あり
reaches-beyond = サーバーの外に及ぶ
stays-within = サーバー内のみ

two-facts = { $one }、{ $two }
pixels = { $about }、{ $width } × { $height }
image = 結果の画像
audio = 結果の音声
image-broken = { $about }: 表示できません
image-from = { $host } から
load-image = { $host } から画像を読み込む
binary-not-shown = バイナリデータ（{ $kind }、{ $size }）、非表示
binary-of-unknown-type = バイナリデータ（不明な形式、{ $size }）、非表示
left-out = { $what ->
    [image] 画像{ $about }
   *[other] バイナリデータ{ $about }
}: { $why ->
    [size] サイズのためログにありません
    [gone] ログから失われました
    [apart] ログとは別に保存され、ログにはありません
   *[other] ログにありません
}
