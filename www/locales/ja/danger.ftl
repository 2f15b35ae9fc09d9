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
does-look-at-machine = { $place ->
    [first] このマシンで動いているものを見ます
   *[then] 次にこのマシンで動いているものを見ます
}
does-version = { $place ->
    [first] バージョンを表示します
   *[then] 次にバージョンを表示します
}
does-fix = { $place ->
    [first] コードを検査して修正します
   *[then] 次にコードを検査して修正します
}
does-install-only = { $place ->
    [first] パッケージをインストールします（そのスクリプトは動きません）
   *[then] 次にパッケージをインストールします（そのスクリプトは動きません）
}
does-run-package = { $place ->
    [first] 足りないものをインストールしてから { $what } を実行します
   *[then] 次に足りないものをインストールしてから { $what } を実行します
}
does-list-packages = { $place ->
    [first] パッケージを一覧表示します
   *[then] 次にパッケージを一覧表示します
}
does-make-executable = { $place ->
    [first] { $what } を実行可能にします
   *[then] 次に { $what } を実行可能にします
}
does-stage = { $place ->
    [first] 変更を次のコミットの対象にします
   *[then] 次に変更を次のコミットの対象にします
}
does-amend = { $place ->
    [first] 直前のコミットを変更します
   *[then] 次に直前のコミットを変更します
}
does-branch = { $place ->
    [first] ブランチを作るか切り替えます
   *[then] 次にブランチを作るか切り替えます
}
does-pull = { $place ->
    [first] サーバーから取得してブランチを更新します
   *[then] 次にサーバーから取得してブランチを更新します
}
does-read-github = { $place ->
    [first] GitHub から読み取ります
   *[then] 次に GitHub から読み取ります
}
does-pull-request = { $place ->
    [first] GitHub でプルリクエストを作ります
   *[then] 次に GitHub でプルリクエストを作ります
}
does-ask-local = { $place ->
    [first] このマシンのサーバーに問い合わせます
   *[then] 次にこのマシンのサーバーに問い合わせます
}
does-look-at-containers = { $place ->
    [first] コンテナーやそのログを見ます
   *[then] 次にコンテナーやそのログを見ます
}
does-image = { $place ->
    [first] コンテナーイメージをビルドします
   *[then] 次にコンテナーイメージをビルドします
}
does-start = { $place ->
    [first] このプロジェクトのコンテナーを起動します
   *[then] 次にこのプロジェクトのコンテナーを起動します
}
does-stop = { $place ->
    [first] このプロジェクトのコンテナーを停止します
   *[then] 次にこのプロジェクトのコンテナーを停止します
}
does-look-at-cluster = { $place ->
    [first] クラスターの状態を読み取ります
   *[then] 次にクラスターの状態を読み取ります
}
