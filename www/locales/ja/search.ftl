search-session = このセッションを検索
match-before = 前の一致（Shift Enter）
match-next = 次の一致（Enter）
turn-before = 前のターン（k）
turn-next = 次のターン（j）
close = 検索を閉じる（Esc）

searching = 検索中…
no-match = 一致なし
place = { $at } / { $all }
place-within = { $place } · { $at }/{ $of }
entries = { $n } 件

show-only = 表示の絞り込み
filter-hides = フィルターが有効です。{ $all } 件中 { $hidden } 件が非表示です。
filter-passed = フィルターが有効です。{ $all } 件すべてが該当します。
show-all = すべて表示

export = エクスポート…
markdown = Markdown
markdown-for = ほかの文書やツール向け
web-page = Web ページ（HTML）
web-page-for = 閲覧や送付に使える 1 つのファイル
events = イベント（JSONL）
events-for = 受信したまま
print = 印刷
print-for = または PDF で保存
exported = { $file } をエクスポートしました
not-exported = ブラウザーがファイルを受け付けませんでした

nothing-to-copy = コピーできる内容がまだありません
not-copied = コピーできません。ブラウザーで禁止されています

help = キー操作
help-when = 文字キーは、ページにフォーカスがあり、入力中でないときに使えます。
help-close = ヘルプを閉じる
screen-reader = スクリーンリーダーでの利用
spoken-feed = タイムラインは記事のフィードです。各記事には、発言者または内容に応じた名前が付いています。
spoken-requests = リクエストはフィード内の警告ダイアログです。自動的にフォーカスを奪うことはありません。
spoken-status = エージェントの作業、質問、返答は 1 つのステータス行で通知されます。生成途中のテキストは読み上げられません。
spoken-groups = 検索、フィルター、ツールバーは名前付きのグループです。スイッチはオンかどうかを伝えます。
spoken-open = 開閉できる項目は、開いているかどうかを伝えます。
