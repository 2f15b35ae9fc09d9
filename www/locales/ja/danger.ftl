### コマンド、パス、アドレスについて注意すべきこと。

fetch-and-run = ネットワークから取得した内容を、誰も確認しないまま実行します: { $what }
decode-and-run = デコードした内容を実行するため、何が実行されるかここでは読めません: { $what }
pipe-to-shell = 別のコマンドの出力を実行します: { $what }
elevated = あなたより強い権限で実行されます: { $what }
deletes-outside = プロジェクトの外にあるものを削除します: { $what }
deletes-all = プロジェクト全体またはその履歴を削除します: { $what }
deletes-unknown = 何を削除するかは実行するまで分かりません: { $what }
deletes-data = サービスに保存されているデータを削除します: { $what }
deletes-by-name = 名前によると、何かを完全に削除します: { $what }
stops-all = このマシン、またはこのマシン上のすべてのプログラムを停止します: { $what }
disk = ディスク全体を上書きします: { $what }
runs-later = 後で自動的に実行されるものを変更します: { $what }
outside-settings = あなたのアカウントまたはシステムの設定を変更します: { $what }
writes-outside = プロジェクトの外に書き込みます: { $what }
outside = プロジェクトの外です: { $what }
secrets = パスワードや鍵が含まれている可能性があります: { $what }
force-push = サーバー上で他の人も使っているかもしれない内容を上書きまたは削除します: { $what }
discards = 他に保存されていない作業を破棄します: { $what }
eval = テキストをコードとして実行します: { $what }
network-shell = シェルをネットワークに接続します: { $what }
listens = 実行中はネットワークから接続できます: { $what }
sends-files = ファイルを別のマシンに送信します: { $what }
open-to-all = このマシンの全員に権限を与えます: { $what }
installs = パッケージをインストールまたは実行します。そのスクリプトがここで動く可能性があります: { $what }
leads-elsewhere = パスの実際の行き先が異なります: { $what }
new-in-file = ファイルに加わる内容: { $what }
this-file = このファイル
unread = ここでは読み取れない部分があり、何をするか分かりません: { $what }

## コマンドが何をするか

does-look = { $place ->
    [first] ファイルや履歴を見ます
   *[then] 次にファイルや履歴を見ます
}
does-test = { $place ->
    [first] テストを実行します
   *[then] 次にテストを実行します
}
does-check = { $place ->
    [first] コードを検査します
   *[then] 次にコードを検査します
}
does-build = { $place ->
    [first] ビルドします
   *[then] 次にビルドします
}
does-format = { $place ->
    [first] コードを整形します
   *[then] 次にコードを整形します
}
does-install = { $place ->
    [first] パッケージをインストールします（そのスクリプトが動くことがあります）
   *[then] 次にパッケージをインストールします（そのスクリプトが動くことがあります）
}
does-run = { $place ->
    [first] このプロジェクトの { $what } を実行します
   *[then] 次にこのプロジェクトの { $what } を実行します
}
does-create = { $place ->
    [first] ファイルやフォルダーを作ります
   *[then] 次にファイルやフォルダーを作ります
}
does-copy = { $place ->
    [first] ファイルをコピーします
   *[then] 次にファイルをコピーします
}
does-move = { $place ->
    [first] ファイルを移動します
   *[then] 次にファイルを移動します
}
does-write = { $place ->
    [first] { $what } に書き込みます
   *[then] 次に { $what } に書き込みます
}
does-delete = { $place ->
    [first] { $what } を削除します
   *[then] 次に { $what } を削除します
}
does-commit = { $place ->
    [first] コミットします
   *[then] 次にコミットします
}
does-push = { $place ->
    [first] サーバーにプッシュします
   *[then] 次にサーバーにプッシュします
}
does-fetch = { $place ->
    [first] サーバーから取得します
   *[then] 次にサーバーから取得します
}
