messages = メッセージ { $figure } 件
characters = { $figure } 文字
tokens = { $n } トークン

sees = モデルに見える
differs = モデルには別の内容が見える
people-only = 人だけに表示
live-only = ライブのみ
no-longer = モデルにはもう見えない
elsewhere = 別のエージェントのモデルに見える
mark = { $name }: { $what }
only-agent = { $agent } だけに見える

not-in-log = ログになく、再読み込み後は消えます
gone-compacted = 要約に置き換え（圧縮）
gone-truncated = 容量を空けるため削除（切り詰め）
gone-rewound = セッションが前の時点に移動（巻き戻し）
gone-cleared = 会話を消去
main-agent-sees = メインエージェント
sub-agent-sees = 独自のコンテキストを持つサブエージェント
wrapped = この文と、その前後の追加部分
wrapped-in = この文と、それを囲む { $tags }
reworded = 別の文
a-text = { $size }のテキスト
shortened = { $whole }のうち { $size }
last-line = この内容と、ランタイムが加えた最後の行
call-waits = 呼び出しのみ、結果はまだなし
call-only = 呼び出しのみ、結果なし
summary = { $size }に代わる要約

compacted = 圧縮: { $messages }
compacted-tokens = 圧縮: { $messages }、{ $before } → { $after } トークン
truncated = 切り詰め: { $messages }
rewound = 巻き戻し: { $messages }
cleared = 消去: { $messages }

back = タイムラインに戻る
back-key = タイムラインに戻る（Esc）
whose-view = 表示するエージェント
main-agent = メインエージェント
context = { $messages } · 約 { $now } トークン
context-of = { $messages } · 約 { $now } / { $limit } トークン
# ほかのプロトコルのエージェント、またはその記録。
not-all = { $agent } はモデルに渡すものをすべては伝えません。指示はここになく、ツールは Pilothouse での名前で示されます。
legend = タイムラインの項目に付くマーク

list = モデルに見えているメッセージ
role-system = システム
role-developer = 開発者
role-user = ユーザー
role-assistant = アシスタント
role-tool = ツール
message = メッセージ { $at }: { $who }
line = 行 { $at }: { $what }
show-in-timeline = タイムラインで表示
tag-gone = もう見えない
tag-unseen = タイムラインになし
empty = 空
only-calls = 文章なし、呼び出しのみ
calls = 呼び出し:
a-tool = ツール
compare = 比較
show-less = 一部だけ表示
show-all = すべて表示（{ $size }）

you-see = あなたに見える内容
model-reads = モデルが読む内容
both = 共通
only-model = モデルだけが読む部分
only-you = あなただけに見える部分
