### コマンド、パス、アドレスについて注意すべきこと。

fetch-and-run = ネットワークから取得した内容を、誰も確認しないまま実行します: { $what }
decode-and-run = デコードした内容を実行するため、何が実行されるかここでは読めません: { $what }
pipe-to-shell = 別のコマンドの出力を実行します: { $what }
elevated = あなたより強い権限で実行されます: { $what }
deletes-outside = プロジェクトの外にあるものを削除します: { $what }
deletes-all = プロジェクト全体またはその履歴を削除します: { $what }
deletes-unknown = 何を削除するかは実行するまで分かりません: { $what }
deletes-data = サービスに保存されているデータを削除します: { $what }
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
unread = ここでは読み取れない部分があり、何をするか分かりません: { $what }
